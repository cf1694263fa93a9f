import type { Problem } from "../core/diagnostics.js";

/** Says which comments of a hand-written file have gone, since what they stood at has. */
export function reportDropped(
  dropped: readonly string[],
  { file, name, line, column }: { file: string; name: string; line: number; column: number },
  report: (problem: Problem) => void,
): void {
  for (const text of dropped)
    report({
      severity: "warning",
      code: "GEN006",
      kind: "Invalid",
      file,
      line,
      column,
      field: name,
      message: `a comment has gone with the entry that it stood at: ${JSON.stringify(text)}`,
      hint: "put it elsewhere if it still holds",
    });
}
