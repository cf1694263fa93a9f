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
