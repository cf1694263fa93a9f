/** What is kept out of Git without a line in a file that others have: it stays so on every branch. */
import { appendFileSync, mkdirSync, realpathSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { systemCode } from "./fault.js";
import { ownLines, withLines } from "./git-files.js";
import { gitRoot, repositoryOf } from "./git-root.js";
import { JOURNAL_FILE, LOCK_FILE, WORKING_COPY_FILE } from "./layout.js";
import { lookAt } from "./look.js";
import { readRegular } from "./read-input.js";

export interface Exclusion {
  /** The pattern that leads to the file. */
  readonly line: string;
  /** False where it could not be written. */
  readonly done: boolean;
}

/**
 * Adds a file to the list of what Git passes over in this repository alone (`info/exclude`, gitignore(5)). Undefined
 * where nothing is to be done: outside of a work tree, and where the list has the line.
 */
export function excludeFromGit(path: string): Exclusion | undefined {
  const real = realOf(path);
  const root = gitRoot(dirname(real));
  if (root === undefined) return undefined;
  const line = patternOf(root, real);
  try {
    const place = excludeFile(root);
    if (place === undefined) return { line, done: false };
    const [folder, file] = place;
    const text = withLines(lookAt(file) === undefined ? undefined : textOf(file), [line]);
    if (text === undefined) return undefined;
    mkdirSync(folder, { recursive: true });
    writeFileSync(file, text);
    return { line, done: true };
  } catch (error) {
    if (systemCode(error) === "") throw error;
    return { line, done: false };
  }
}

/** What a run changes in the list of what Git passes over. */
export interface ExcludeChange {
  /** The list. */
  readonly file: string;
  readonly added: readonly string[];
  /** Of lines that the user took out of the ignore file. */
  readonly removed: readonly string[];
}

interface Exclusions extends ExcludeChange {
  /** The list as it is. */
  readonly text: string;
}

/**
 * What has Git pass over an asset directory's secrets on branches too that have neither the directory nor its ignore
 * file: a switch to one takes the tracked files away and leaves the others, which `git add .` would take. What slipway
 * keeps for this working copy alone goes the same way. Undefined where nothing is to be changed, or nothing can be: then
 * the ignore file has to do.
 *
 * @param real the directory's real path
 * @param ignore the text of its ignore file; what the user took out of it is not passed over here either
 */
export function exclusionsOn(real: string, ignore: string): Exclusions | undefined {
  const root = gitRoot(real);
  if (root === undefined) return undefined;
  const within = real === root ? "" : patternOf(root, real);
  const inside = (line: string): string => line.replace(/^!?/, (sign) => `${sign}${within}`);
  const wanted = [...OF_WORKING_COPY, ...ownLines(ignore).map(inside)];
  const others = new Set(ownLines().map(inside));
  for (const line of wanted) others.delete(line);
  return orUndefined(() => {
    const place = excludeFile(root);
    if (place === undefined) return undefined;
    const [, file] = place;
    const text = lookAt(file) === undefined ? "" : textOf(file);
    // The list of a fleet has thousands of lines, of which each cluster looks at its own.
    const present = new Set([
      ...linesWith(text, `${within}/`),
      ...OF_WORKING_COPY.filter((line) => hasLine(text, line)),
    ]);
    const added = wanted.filter((line) => !present.has(line));
    const removed = [...others].filter((line) => present.has(line));
    return added.length + removed.length === 0 ? undefined : { file, added, removed, text };
  });
}

/** Makes the change; undefined where there is none, or the list cannot be written. */
export function excludeOnEveryBranch(real: string, ignore: string): ExcludeChange | undefined {
  const change = exclusionsOn(real, ignore);
  return change === undefined
    ? undefined
    : orUndefined(() => {
        const { file, added, removed, text } = change;
        const out = new Set(removed);
        const kept =
          removed.length === 0
            ? text
            : text
                .split("\n")
                .filter((line) => !out.has(line.trim()))
                .join("\n");
        mkdirSync(dirname(file), { recursive: true });
        if (kept !== text) replace(file, kept);
        // Clusters of a fleet are compiled side by side: what is added takes nothing from what another process adds.
        const start = kept === "" || kept.endsWith("\n") ? "" : "\n";
        if (added.length > 0) appendFileSync(file, `${start}${added.join("\n")}\n`);
        return { file, added, removed };
      });
}

/** What needs the file system; undefined where that refuses. */
function orUndefined<T>(work: () => T | undefined): T | undefined {
  try {
    return work();
  } catch (error) {
    if (systemCode(error) === "") throw error;
    return undefined;
  }
}

/** The lines of a text with a part, found without cutting it into all of them. */
function* linesWith(text: string, part: string): Generator<string> {
  for (let at = text.indexOf(part); at >= 0; ) {
    const end = text.indexOf("\n", at);
    yield text.slice(text.lastIndexOf("\n", at) + 1, end < 0 ? text.length : end).trim();
    at = end < 0 ? -1 : text.indexOf(part, end);
  }
}

function hasLine(text: string, line: string): boolean {
  for (const each of linesWith(text, line)) if (each === line) return true;
  return false;
}

/** Whoever reads the list meanwhile has it whole, before or after. */
function replace(file: string, text: string): void {
  const real = realpathSync(file);
  const beside = `${real}.${process.pid}.tmp`;
  writeFileSync(beside, text);
  renameSync(beside, real);
}

/** Nobody else's files have these names, so that one line of each serves all directories of the repository. */
const OF_WORKING_COPY = [WORKING_COPY_FILE, JOURNAL_FILE, `${LOCK_FILE}*`].map((path) => `**/${path}`);

const patternOf = (root: string, real: string): string =>
  `/${relative(root, real).replace(SPECIAL, "\\$&").replace(UNWRITABLE, "?")}`;

function excludeFile(root: string): readonly [folder: string, file: string] | undefined {
  const repository = repositoryOf(root);
  // Nothing is made in the place of one that is not there.
  if (repository === undefined) return undefined;
  const folder = join(repository, "info");
  return [folder, join(folder, "exclude")];
}

/** What a pattern gives a meaning. */
const SPECIAL = /[\\*?[]/g;
/** No line holds them, or a blank at its end: any character stands for each. */
const UNWRITABLE = /[\r\n]| $/g;

/** Where the path leads, as far as it is there. */
function realOf(path: string): string {
  const whole = resolve(path);
  for (const [at, rest] of [
    [whole, ""],
    [dirname(whole), relative(dirname(whole), whole)],
  ] as const)
    if (lookAt(at) !== undefined) return join(realpathSync(at), rest);
  return whole;
}

const textOf = (path: string): string => Buffer.from(readRegular(path).data).toString();
