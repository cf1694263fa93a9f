/**
 * A text as what is new in it against another: hunks as of a unified diff, with lines of context and without line
 * numbers, so that a line more at the top of the other text changes none of them.
 */
import { structuredPatch } from "diff";

const HUNK = "@@";

/** Position of `wanted` in `lines`, from `start` on. */
function find(lines: readonly string[], wanted: readonly string[], start: number): number {
  for (let at = start; at + wanted.length <= lines.length; at += 1)
    if (wanted.every((line, index) => lines[at + index] === line)) return at;
  return -1;
}

/** The text that the hunks make of `base`; undefined where they do not fit it. */
export function applyDelta(base: string, delta: string): string | undefined {
  const lines = base.split("\n");
  const made: string[] = [];
  let at = 0;
  for (const hunk of delta.replace(/\n$/, "").split(`\n${HUNK}\n`).slice(1)) {
    const changes = hunk.split("\n");
    const before = changes.filter((line) => /^[ -]/.test(line)).map((line) => line.slice(1));
    const start = find(lines, before, at);
    if (start < 0) return undefined;
    made.push(...lines.slice(at, start));
    made.push(...changes.filter((line) => /^[ +]/.test(line)).map((line) => line.slice(1)));
    at = start + before.length;
  }
  return [...made, ...lines.slice(at)].join("\n");
}

/** The hunks that lead from `base` to `text`; undefined where they would be longer than `most` lines. */
export function deltaOf(base: string, text: string, most: number): string | undefined {
  for (const context of [1, 2, 4]) {
    const patch = structuredPatch("", "", `${base}\n`, `${text}\n`, "", "", {
      context,
      maxEditLength: 2 * most,
    });
    if (patch === undefined) return undefined;
    const delta = patch.hunks.map(({ lines }) => `\n${HUNK}\n${lines.join("\n")}`).join("");
    if (delta.split("\n").length > most) return undefined;
    if (applyDelta(base, delta) === text) return delta;
  }
  return undefined;
}
