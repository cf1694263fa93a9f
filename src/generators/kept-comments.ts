/**
 * Comments that people wrote into a table which is generated anew: those of entries that stay move to the new text.
 * A documentation comment above an entry that is generated with one is the generator's.
 */
import { type Comment, type Entry, readTable, readUnion, type Table } from "./literal.js";

export interface Kept {
  readonly text: string;
  /** Comments that went with their entries. */
  readonly dropped: readonly string[];
}

interface Insertion {
  /** Place in the new text. */
  readonly at: number;
  readonly text: string;
}

/**
 * Both texts are a literal, from brace to brace, or the members of a union; what cannot be read keeps nothing. Behind the
 * last member of a union stands what its file has there, so that its comments are put above it.
 */
export function keepComments(
  old: string,
  fresh: string,
  newline: string,
  form: "literal" | "union" = "literal",
): Kept {
  const read = form === "union" ? readUnion : (text: string) => readTable(text, 0);
  const [before, now] = [read(old), read(fresh)];
  if (before === undefined || now === undefined) return { text: fresh, dropped: [] };
  const lastMember = form === "union" ? now.entries.at(-1) : undefined;
  const insertions: Insertion[] = [];
  const dropped: string[] = [];
  const lineStart = (at: number): number => fresh.lastIndexOf("\n", at - 1) + 1;
  const indentAt = (at: number): string => /^[ \t]*/.exec(fresh.slice(lineStart(at), at))?.[0] ?? "";
  /** True where nothing but blanks stands before a place on its line. */
  const beginsLine = (at: number): boolean => lineStart(at) > 0 && indentAt(at).length === at - lineStart(at);
  const endsLine = (at: number): boolean => /^[ \t]*(?:\r?\n|$)/.test(fresh.slice(at));
  const above = (at: number, comments: readonly Comment[], indent = indentAt(at)): void => {
    for (const { text } of comments)
      insertions.push({ at: lineStart(at), text: `${indented(text, indent, newline)}${newline}` });
  };

  /** What does not fit into the new table is answered, for the entry around it. */
  function merge(from: Table, to: Table): Comment[] {
    const left: Comment[] = [];
    for (const entry of from.entries) {
      const target = to.entries.find(({ id }) => id === entry.id);
      if (target === undefined) dropped.push(...commentsOf(entry).map(({ text }) => text));
      else left.push(...mergeEntry(entry, target));
    }
    if (from.last.length > 0 && beginsLine(to.close)) {
      const last = to.entries.at(-1);
      above(to.close, from.last, last === undefined ? `${indentAt(to.close)}  ` : indentAt(last.start));
    } else left.push(...from.last);
    return left;
  }

  function mergeEntry(entry: Entry, target: Entry): Comment[] {
    const hasDoc = target.above.some(isDocumentation);
    const own = entry.above.filter((comment) => !(hasDoc && isDocumentation(comment)));
    const inner =
      entry.table !== undefined && target.table !== undefined
        ? merge(entry.table, target.table)
        : (entry.table?.entries.flatMap(commentsOf) ?? []);
    const onOneLine = entry.behind.length === 1 && target !== lastMember && endsLine(target.end);
    const higher = [...own, ...inner, ...(onOneLine ? [] : entry.behind)];
    const first = target.above[0]?.start ?? target.start;
    if (onOneLine) insertions.push({ at: target.end, text: ` ${entry.behind[0]?.text}` });
    if (!beginsLine(first)) return higher;
    above(first, higher);
    return [];
  }

  dropped.push(...merge(before, now).map(({ text }) => text));
  return { text: inserted(fresh, insertions), dropped };
}

const isDocumentation = ({ text }: Comment): boolean => text.startsWith("/**");

/** Every comment of an entry that somebody may miss. */
const commentsOf = ({ above, behind, table }: Entry): Comment[] => [
  ...above.filter((comment) => !isDocumentation(comment)),
  ...(table === undefined ? [] : [...table.entries.flatMap(commentsOf), ...table.last]),
  ...behind,
];

/** A comment at another depth; the lines of a block stay in step. */
const indented = (text: string, indent: string, newline: string): string =>
  text
    .split(/\r?\n/)
    .map((line, i) => `${indent}${i > 0 && /^\s*\*/.test(line) ? " " : ""}${line.trim()}`)
    .join(newline);

function inserted(text: string, insertions: readonly Insertion[]): string {
  let result = text;
  const backwards = insertions.map((each, order) => ({ ...each, order }));
  backwards.sort((a, b) => b.at - a.at || b.order - a.order);
  for (const { at, text: piece } of backwards) result = result.slice(0, at) + piece + result.slice(at);
  return result;
}
