/** `--changed FILE`: which clusters of a fleet a change in the repository may affect. */
import { posix } from "node:path";
import { type Problem, problem } from "../core/problem.js";

/** What the compile of a cluster reads; paths are absolute, with `/` as separator. */
export interface ClusterInputs {
  readonly directory: string;
  /** Files and folders outside of the directory. */
  readonly inputs: readonly string[];
}

/**
 * Paths as `git diff --name-only` prints them: one on each line or, with `-z`, NUL behind each. Git quotes odd names
 * without `-z`, and a quoted name is not the name of a file.
 */
export function changedPaths(text: string, file: string): readonly string[] | Problem {
  if (text.includes("\0")) return text.split("\0").filter((path) => path !== "");
  const lines = text.split(/\r?\n/).filter((line) => line !== "");
  const quoted = lines.findIndex((line) => line.startsWith('"'));
  return quoted < 0
    ? lines
    : problem("FLEET005", "Invalid", "", "quoted path", {
        file,
        line: quoted + 1,
        column: 1,
        hint: "use git diff --name-only -z",
      });
}

const above = (path: string): readonly string[] => {
  const parent = posix.dirname(path);
  return parent === path ? [] : [parent, ...above(parent)];
};

/**
 * Answers for each cluster whether one of its inputs changed. The fleet file is an input of all.
 * @param changed absolute, with `/` as separator
 */
export function affectedBy(
  changed: readonly string[],
  fleetFile: string,
): (cluster: ClusterInputs) => boolean {
  const paths = new Set(changed);
  const touched = new Set([...paths, ...changed.flatMap(above)]);
  // A submodule, or a link in the place of a folder, is a path above what it holds.
  const isTouched = (path: string): boolean =>
    touched.has(path) || above(path).some((folder) => paths.has(folder));
  if (isTouched(fleetFile)) return () => true;
  return ({ directory, inputs }) => [directory, ...inputs].some(isTouched);
}
