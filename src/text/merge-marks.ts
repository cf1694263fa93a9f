import { type Problem, problem } from "../core/problem.js";

/** The problem of a text in which Git left two versions; undefined where it did not. */
export function markOfMerge(text: string, file: string): Problem | undefined {
  const begin = /^<{7}(?: |\r?$)/m.exec(text);
  if (begin === null || !/^>{7}(?: |\r?$)/m.test(text.slice(begin.index))) return undefined;
  return problem("YAML001", "Parse", "", "unresolved Git merge conflict", {
    file,
    line: text.slice(0, begin.index).split("\n").length,
    column: 1,
    hint: "resolve the conflict and remove the lines that start with <<<<<<<, ======= and >>>>>>>",
  });
}

/**
 * Both versions of a text in which Git left the marks of a merge, ours first; undefined where it did not. What both have
 * in common, and what Git merged by itself, is in both.
 */
export function sidesOfMerge(text: string): readonly [ours: string, theirs: string] | undefined {
  if (markOfMerge(text, "") === undefined) return undefined;
  const ours: string[] = [];
  const theirs: string[] = [];
  let into: readonly string[][] = [ours, theirs];
  for (const line of text.split("\n")) {
    if (/^<{7}(?: |\r?$)/.test(line)) into = [ours];
    else if (/^\|{7}(?: |\r?$)/.test(line) && into.length === 1) into = [];
    else if (/^={7}\r?$/.test(line) && into.length < 2) into = [theirs];
    else if (/^>{7}(?: |\r?$)/.test(line)) into = [ours, theirs];
    else for (const side of into) side.push(line);
  }
  return [ours.join("\n"), theirs.join("\n")];
}
