/**
 * Go source, laid out as gofmt would. Entries stand apart by an empty line, or are a line each, so that no alignment
 * couples one with its neighbour.
 */
import { type CodeLine, GO, line, printLines, wrap } from "./code-lines.js";

const KEYWORDS = new Set(
  "break case chan const continue default defer else fallthrough for func go goto if import interface map package range return select struct switch type var".split(
    " ",
  ),
);

export const isGoIdentifier = (name: string): boolean =>
  /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && !KEYWORDS.has(name) && name !== "_";

/** Lines that gofmt would take for a build constraint are kept from being one. */
const harmless = (text: string): string => text.replace(/^\+/, "(+)");

/** A comment above an entry. */
export const comment = (paragraphs: readonly string[]): CodeLine[] =>
  paragraphs.flatMap((paragraph) =>
    wrap(paragraph, 110).map((text) => line(1, `// ${harmless(text)}`.trimEnd())),
  );

/** Entries between a head and a tail, one empty line apart. */
export function block(head: string, entries: readonly (readonly CodeLine[])[], tail: string): CodeLine[] {
  if (entries.length === 0 && head.endsWith("{")) return [line(0, `${head}}`)];
  return [
    line(0, head),
    ...entries.flatMap((entry, i) => (i === 0 ? entry : [line(0, ""), ...entry])),
    line(0, tail),
  ];
}

/** Sections with an empty line between them. */
export const sourceOf = (sections: readonly (readonly CodeLine[])[]): string =>
  `${sections.map((section) => printLines(section, GO)).join("\n\n")}\n`;
