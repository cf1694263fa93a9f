/**
 * Markdown with texts of inputs in it. A name may not begin a link, an element of HTML or a span of code, nor end the
 * one or the cell that it stands in; ordinary names stay as they are.
 */
import { oneLine } from "./quote.js";

/** A text in a line of prose. */
export const markdownText = (text: string): string =>
  oneLine(
    text
      .replaceAll("\\", "\\\\")
      .replaceAll("`", "\\`")
      .replaceAll("](", "]\\(")
      .replaceAll(/<(?=[A-Za-z/!?])/g, "\\<"),
  );

/** The longest row of backticks in a text. */
const longestTicks = (text: string): number =>
  Math.max(0, ...(text.match(/`+/g) ?? []).map(({ length }) => length));

/** A text as a span of code, whatever it holds (CommonMark, section 6.1: the marks are longer than any row inside). */
export function codeSpan(text: string): string {
  const content = oneLine(text);
  const mark = "`".repeat(longestTicks(content) + 1);
  return mark.length === 1 ? `${mark}${content}${mark}` : `${mark} ${content} ${mark}`;
}

/** Lines of a shell in a block of their own, which no line of them ends (CommonMark, section 4.5). */
export function codeBlock(lines: readonly string[], indent = ""): string {
  const content = lines.join("\n").split("\n");
  const mark = "`".repeat(Math.max(3, longestTicks(lines.join("\n")) + 1));
  return [`${mark}sh`, ...content, mark].map((line) => (line === "" ? "" : `${indent}${line}`)).join("\n");
}

/** A table; cells are Markdown of one line. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n", " ");
  const line = (cells: readonly string[]): string => `| ${cells.map(cell).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}
