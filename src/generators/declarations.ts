/** What a table gives to declarations in hand-written files. */
import type { CodeLine, Layout } from "./code-lines.js";

/** What a declaration in a hand-written file is given: a variable the object, a type alias the union. */
export interface Declarations {
  readonly object: readonly CodeLine[];
  /** Members of the union, as source. */
  readonly union: readonly string[];
}

/** The union as source at a layout. */
export function printUnion(members: readonly string[], layout: Layout): string {
  if (members.length === 0) return "never";
  return members.map((member) => `${layout.newline}${layout.base}${layout.unit}| ${member}`).join("");
}
