/** Lines for people: as wide as the terminal, broken at blanks. */

/** Columns where there is no terminal; a terminal counts from the narrowest to the widest that reads well. */
const COLUMNS = { usual: 80, narrowest: 40, widest: 120 };

/** @param columns of the terminal; undefined where the output is none. */
export const widthOf = (columns: number | undefined): number =>
  Math.min(Math.max(columns ?? COLUMNS.usual, COLUMNS.narrowest), COLUMNS.widest);

/** Lines of at most so many columns, broken at blanks; a longer word stands alone. */
export function wrapped(text: string, columns: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(/[ \n]/)) {
    if (line !== "" && line.length + word.length + 1 > columns) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

/** The same with what stands before the first line, and as many blanks before the others. */
export const hanging = (before: string, text: string, columns: number): string[] =>
  wrapped(text, columns - before.length).map((line, i) =>
    `${i === 0 ? before : " ".repeat(before.length)}${line}`.trimEnd(),
  );
