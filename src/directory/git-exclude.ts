/** A secret file beside the user's own, kept out of Git without a line in a file that others have. */
import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { systemCode } from "./fault.js";
import { withLines } from "./git-files.js";
import { gitRoot } from "./git-root.js";
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
  const line = `/${relative(root, real).replace(SPECIAL, "\\$&").replace(UNWRITABLE, "?")}`;
  try {
    const folder = join(repositoryOf(root), "info");
    const file = join(folder, "exclude");
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

/** The folder of the repository: of a linked work tree that of the main one, of a submodule its own. */
function repositoryOf(root: string): string {
  const git = join(root, ".git");
  if (lookAt(git)?.isDirectory() === true) return git;
  const own = resolve(
    root,
    textOf(git)
      .replace(/^gitdir: /, "")
      .trimEnd(),
  );
  const common = join(own, "commondir");
  return lookAt(common) === undefined ? own : resolve(own, textOf(common).trimEnd());
}

const textOf = (path: string): string => Buffer.from(readInput(path)).toString();
