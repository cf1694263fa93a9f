/** Generated TypeScript modules as parts. They are printed without a compiler; the tests hold the text against one. */
import { type CodeLine, type Layout, printLines, TYPESCRIPT } from "./code-lines.js";

export interface ModulePart {
  /** Name of the declaration; empty for a comment. */
  readonly name: string;
  readonly kind: "comment" | "type" | "interface" | "const" | "function";
  readonly lines: readonly CodeLine[];
}

/** What a declaration in a hand-written file is given: a variable the object, a type alias the union. */
export interface Declarations {
  readonly object: readonly CodeLine[];
  /** Members of the union, as source. */
  readonly union: readonly string[];
}

/** The text of a module: parts with one empty line between them, one newline at the end. */
export const printModule = (parts: readonly ModulePart[]): string =>
  `${parts.map(({ lines }) => printLines(lines, TYPESCRIPT)).join("\n\n")}\n`;

/** The union as source at a layout. */
export function printUnion(members: readonly string[], layout: Layout): string {
  if (members.length === 0) return "never";
  return members.map((member) => `${layout.newline}${layout.base}${layout.unit}| ${member}`).join("");
}
