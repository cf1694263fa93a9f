import type { Problem } from "../core/diagnostics.js";
import { problem } from "../core/problem.js";

/** The problem of a text in which Git left two versions; undefined where it did not. */
export function markOfMerge(text: string, file: string): Problem | undefined {
  const begin = /^<{7}(?: |\r?$)/m.exec(text);
  if (begin === null || !/^>{7}(?: |\r?$)/m.test(text.slice(begin.index))) return undefined;
  return problem("YAML001", "Parse", "", "a merge of Git is not settled here", {
    file,
    line: text.slice(0, begin.index).split("\n").length,
    column: 1,
    hint: "keep what is right of both versions, and delete the lines of <<<<<<<, ======= and >>>>>>>",
  });
}
