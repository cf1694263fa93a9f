import type { Problem } from "../core/diagnostics.js";
import { problemList } from "../core/problem.js";

/** Says which comments of a hand-written file have gone, since what they stood at has. */
export function reportDropped(
  dropped: readonly string[],
  { file, name, line, column }: { file: string; name: string; line: number; column: number },
  report: (problem: Problem) => void,
): void {
  for (const text of dropped)
    problemList(report, name, { file, line, column }).warnings.report(
      "GEN006",
      "Invalid",
      `a comment was removed together with its entry: ${JSON.stringify(text)}`,
      "move it if it still applies",
    );
}
