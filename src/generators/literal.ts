/**
 * The literal of a table in TypeScript or Go, as far as both are alike: braces around entries with commas between
 * them, keys before colons, comments. What is inside a value stays text.
 */

export interface Comment {
  readonly text: string;
  /** Where it begins, from the start of the literal. */
  readonly start: number;
}

export interface Entry {
  /** Says which entry it is, among those of its table: key, else version, else place. */
  readonly id: string;
  /** The key as written; empty for an entry without one. */
  readonly key: string;
  readonly start: number;
  /** Behind the comma, where there is one. */
  readonly end: number;
  /** Comments above it, and those that stand in it or behind it. */
  readonly above: readonly Comment[];
  readonly behind: readonly Comment[];
  readonly table: Table | undefined;
}

export interface Table {
  readonly entries: readonly Entry[];
  /** Comments behind the last entry. */
  readonly last: readonly Comment[];
  /** Where the closing brace stands, and behind it. */
  readonly close: number;
  readonly end: number;
}

const CLOSING: Readonly<Record<string, string>> = { "{": "}", "[": "]", "(": ")" };

/** Reads the literal that begins with the brace at `at`; undefined when it does not end. */
export function readTable(text: string, at: number): Table | undefined {
  const close = CLOSING[text[at] ?? ""];
  const entries: Entry[] = [];
  const ids = new Map<string, number>();
  let above: Comment[] = [];
  let open: { start: number; colon: number; behind: Comment[]; table: Table | undefined } | undefined;
  const finish = (end: number): void => {
    if (open === undefined) return;
    const { start, colon, behind, table } = open;
    const key = colon < 0 ? "" : text.slice(start, colon).trim();
    const plain = idOf(key, table, text) ?? `#${entries.length}`;
    const count = (ids.get(plain) ?? 0) + 1;
    ids.set(plain, count);
    entries.push({ id: count === 1 ? plain : `${plain} ${count}`, key, start, end, above, behind, table });
    above = [];
    open = undefined;
  };
  for (let i = at + 1; i < text.length; ) {
    const char = text[i] ?? "";
    const end = tokenEnd(text, i);
    if (end === undefined) return undefined;
    if (isComment(text, i)) {
      const comment = { text: text.slice(i, end), start: i };
      const before = entries.at(-1);
      if (open !== undefined) open.behind.push(comment);
      else if (before !== undefined && above.length === 0 && !text.slice(before.end, i).includes("\n"))
        entries[entries.length - 1] = { ...before, behind: [...before.behind, comment] };
      else above.push(comment);
      i = end;
    } else if (char === close) {
      finish(i);
      return { entries, last: above, close: i, end: i + 1 };
    } else if (char === "," && open !== undefined) {
      finish(i + 1);
      i++;
    } else if (/\s/.test(char)) i++;
    else {
      open ??= { start: i, colon: -1, behind: [], table: undefined };
      if (char === ":" && open.colon < 0) open.colon = i;
      const inner = CLOSING[char] === undefined ? undefined : readTable(text, i);
      if (CLOSING[char] !== undefined && inner === undefined) return undefined;
      if (inner !== undefined && char !== "(") open.table ??= inner;
      i = inner?.end ?? end;
    }
  }
  return undefined;
}

/** Reads the members of a union type, with or without a bar before the first; what begins with a bar begins there. */
export function readUnion(text: string): Table | undefined {
  const entries: Entry[] = [];
  let above: Comment[] = [];
  let open: { start: number; end: number; member: string; behind: Comment[] } | undefined;
  const finish = (): void => {
    if (open === undefined) return;
    const { start, end, member, behind } = open;
    entries.push({ id: member, key: member, start, end, above, behind, table: undefined });
    above = [];
    open = undefined;
  };
  for (let i = 0; i < text.length; ) {
    const char = text[i] ?? "";
    const end = tokenEnd(text, i);
    if (end === undefined) return undefined;
    if (isComment(text, i)) {
      const comment = { text: text.slice(i, end), start: i };
      if (open !== undefined && (open.member === "" || !text.slice(open.end, i).includes("\n")))
        open.behind.push(comment);
      else {
        finish();
        above.push(comment);
      }
      i = end;
    } else if (char === "|") {
      finish();
      open = { start: i, end, member: "", behind: [] };
      i = end;
    } else if (/\s/.test(char)) i++;
    else {
      open ??= { start: i, end, member: "", behind: [] };
      const inner = CLOSING[char] === undefined ? undefined : readTable(text, i);
      if (CLOSING[char] !== undefined && inner === undefined) return undefined;
      open.end = inner?.end ?? end;
      open.member += text.slice(i, open.end);
      i = open.end;
    }
  }
  finish();
  return { entries, last: above, close: text.length, end: text.length };
}

/** A key without quotes, brackets and the name of a package; else the version that the entry is for. */
function idOf(key: string, table: Table | undefined, text: string): string | undefined {
  if (key !== "") return key.replace(/^\["?|"?\]$|^['"]|['"]$/g, "").replace(/^\w+\.(?=\w+$)/, "");
  const version = table?.entries.find(({ id }) => /^version$/i.test(id));
  return version && /"([^"]*)"/.exec(text.slice(version.start, version.end))?.[1];
}

const isComment = (text: string, at: number): boolean =>
  text.startsWith("//", at) || text.startsWith("/*", at);

/** Behind a comment, a text in quotes or a single character; undefined for one that does not end. */
function tokenEnd(text: string, at: number): number | undefined {
  if (text.startsWith("//", at)) {
    const length = text.slice(at).search(/\r?\n/);
    return length < 0 ? text.length : at + length;
  }
  if (text.startsWith("/*", at)) return behind(text, "*/", at + 2);
  const quote = text[at] ?? "";
  if (quote !== '"' && quote !== "'" && quote !== "`") return at + 1;
  for (let i = at + 1; i < text.length; i++) {
    if (text[i] === "\\") i++;
    else if (text[i] === quote) return i + 1;
  }
  return undefined;
}

function behind(text: string, what: string, from: number): number | undefined {
  const found = text.indexOf(what, from);
  return found < 0 ? undefined : found + what.length;
}
