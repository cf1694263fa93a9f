/** What is kept out of Git without a line in a file that others have: it stays so on every branch. */
import { appendFileSync, mkdirSync, realpathSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { systemCode } from "./fault.js";
import { linesOf, ownLines, withLines } from "./git-files.js";
import { gitRoot, repositoryOf } from "./git-root.js";
import { JOURNAL_FILE, LOCK_FILE, WORKING_COPY_FILE } from "./layout.js";
import { lookAt } from "./look.js";
import { readInput } from "./read-input.js";

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

/**
 * Has Git pass over an asset directory's secrets on branches too that have neither the directory nor its ignore file: a
 * switch to one takes the tracked files away and leaves the others, which `git add .` would take. What slipway keeps for
 * this working copy alone goes the same way. Where the list cannot be written, the ignore file has to do.
 *
 * @param real the directory's real path
 * @param ignore the text of its ignore file; what the user took out of it is not passed over here either
 */
export function excludeOnEveryBranch(real: string, ignore: string): void {
  const root = gitRoot(real);
  if (root === undefined) return;
  const within = real === root ? "" : patternOf(root, real);
  const inside = (line: string): string => line.replace(/^!?/, (sign) => `${sign}${within}`);
  const wanted = [...OF_WORKING_COPY, ...ownLines(ignore).map(inside)];
  const others = new Set(ownLines().map(inside));
  for (const line of wanted) others.delete(line);
  try {
    const place = excludeFile(root);
    if (place === undefined) return;
    const [folder, file] = place;
    const old = lookAt(file) === undefined ? "" : textOf(file);
    const kept = old
      .split("\n")
      .filter((line) => !others.has(line.trim()))
      .join("\n");
    const present = new Set(linesOf(kept));
    const missing = wanted.filter((line) => !present.has(line));
    if (kept === old && missing.length === 0) return;
    mkdirSync(folder, { recursive: true });
    if (kept !== old) replace(file, kept);
    // Clusters of a fleet are compiled side by side: what is added takes nothing from what another process adds.
    const start = kept === "" || kept.endsWith("\n") ? "" : "\n";
    if (missing.length > 0) appendFileSync(file, `${start}${missing.join("\n")}\n`);
  } catch (error) {
    if (systemCode(error) === "") throw error;
  }
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

const textOf = (path: string): string => Buffer.from(readInput(path)).toString();
