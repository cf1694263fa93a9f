/** A step of the document, and the forms that its sections share. */
import { codeBlock } from "../../text/markdown.js";

/** A numbered section of the document. */
export interface Step {
  readonly title: string;
  readonly text: string;
}

/** How many rows a table has before it points to plan.json. */
export const SHOWN = 50;

/** Lines as a block of code. */
export const code = (...lines: readonly string[]): string => codeBlock(lines);
