/**
 * Lines of generated code with their depth, so that one printing serves files of any indentation and newline: a whole
 * module of ours, or a part inside a hand-written file.
 */

export interface CodeLine {
  readonly depth: number;
  readonly text: string;
}

export const line = (depth: number, text: string): CodeLine => ({ depth, text });

export const indented = (lines: readonly CodeLine[], by: number): CodeLine[] =>
  lines.map(({ depth, text }) => ({ depth: depth + by, text }));

export interface Layout {
  /** One step of indentation. */
  readonly unit: string;
  readonly newline: "\n" | "\r\n";
  /** Indentation of the line in which the code begins; its first line gets none of its own. */
  readonly base: string;
}

export const TYPESCRIPT: Layout = { unit: "  ", newline: "\n", base: "" };
export const GO: Layout = { unit: "\t", newline: "\n", base: "" };

/** The lines joined, without a newline at the end; empty lines carry no blanks. */
export function printLines(lines: readonly CodeLine[], { unit, newline, base }: Layout): string {
  return lines
    .map(({ depth, text }, i) => (text === "" ? "" : `${i === 0 ? "" : base}${unit.repeat(depth)}${text}`))
    .join(newline);
}

/** A documentation comment; nothing for nothing. */
export function docComment(paragraphs: readonly string[], depth: number): CodeLine[] {
  const safe = paragraphs
    .flatMap((paragraph) => wrap(paragraph.replaceAll("*/", "*\\/"), 100 - 2 * depth))
    .map((text) => text.trimEnd());
  const [only] = safe;
  if (only === undefined) return [];
  if (safe.length === 1) return [line(depth, `/** ${only} */`)];
  return [line(depth, "/**"), ...safe.map((text) => line(depth, ` * ${text}`.trimEnd())), line(depth, " */")];
}

/** Breaks a text at blanks. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let current = "";
  for (const word of text.split(/\s+/)) {
    if (current !== "" && current.length + word.length + 1 > width) {
      lines.push(current);
      current = word;
    } else current = current === "" ? word : `${current} ${word}`;
  }
  lines.push(current);
  return lines;
}

const IDENTIFIER = /^[A-Za-z_$][A-Za-z0-9_$]*$/;

/** A property name: bare where it is an identifier. The one that would set the prototype is computed. */
export const propertyName = (name: string): string => {
  if (name === "__proto__") return `[${quoted(name)}]`;
  return IDENTIFIER.test(name) ? name : quoted(name);
};

/** A string literal that TypeScript and Go read alike. */
export const quoted = (text: string): string =>
  JSON.stringify(text).replace(
    /[\u007f-\u009f\u2028\u2029\ufeff]/g,
    (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
