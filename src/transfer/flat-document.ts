/**
 * Documents that are nothing but nested block mappings of one-line scalars, as nearly all transfer objects are. They
 * are read into flat lists: thousands of them are read at once, and a tree of nodes for each costs several times as
 * much. At the first thing that it does not know for certain, whether right or wrong, this reader gives up.
 */
import type { Json } from "../core/json.js";
import { type Resolved, resolvePlain } from "../text/yaml-scalars.js";
import type { Document, Member, Named } from "./document.js";

/** A place in documents, such as spec.source.name: the same few in all of them, so that comparing is cheap. */
class Path {
  private readonly children = new Map<string, Path>();

  constructor(
    readonly name: string,
    readonly parent: Path | undefined,
  ) {}

  find(name: string): Path | undefined {
    return this.children.get(name);
  }

  child(name: string): Path {
    let found = this.children.get(name);
    if (found === undefined) {
      found = new Path(name, this);
      this.children.set(name, found);
    }
    return found;
  }
}

const ROOT = new Path("", undefined);

function pathOf(names: readonly string[]): Path | undefined {
  let path: Path | undefined = ROOT;
  for (const name of names) path = path?.find(name);
  return path;
}

/** The members of all documents of a text, in the order written; the lists go together. */
class Members {
  readonly paths: Path[] = [];
  /** Undefined for a mapping. */
  readonly texts: (string | undefined)[] = [];
  readonly quoted: boolean[] = [];
  readonly lines: number[] = [];
  readonly keyColumns: number[] = [];
  readonly columns: number[] = [];
}

export class FlatDocument implements Document {
  readonly column = 1;
  /** Behind its last member. */
  end: number;

  constructor(
    private readonly all: Members,
    private readonly start: number,
    readonly line: number,
  ) {
    this.end = start;
  }

  has(path: Path): boolean {
    return this.indexOf(path) >= 0;
  }

  private indexOf(path: Path | undefined): number {
    const { paths } = this.all;
    for (let index = this.start; index < this.end; index++) if (paths[index] === path) return index;
    return -1;
  }

  at(...names: readonly string[]): Member | undefined {
    const index = this.indexOf(pathOf(names));
    if (index < 0) return undefined;
    const { texts, lines, keyColumns, columns } = this.all;
    const text = texts[index];
    if (text === undefined) {
      // A mapping stands where its first key does.
      const [line = 0, column = 0] = [lines[index + 1], keyColumns[index + 1]];
      return { kind: "mapping", text: "", line, column };
    }
    const { kind } = this.resolved(index, text);
    return {
      kind: kind === "string" ? "text" : kind === "null" ? "null" : "scalar",
      text,
      line: lines[index] ?? 0,
      column: columns[index] ?? 0,
    };
  }

  members(...names: readonly string[]): readonly Named[] | undefined {
    const path = pathOf(names);
    const index = this.indexOf(path);
    if (index < 0 || this.all.texts[index] !== undefined) return undefined;
    const { paths, texts, lines, keyColumns } = this.all;
    const named: Named[] = [];
    for (let at = index + 1; at < this.end; at++) {
      const each = paths[at];
      if (each?.parent !== path) continue;
      const text = texts[at];
      named.push({
        name: each?.name ?? "",
        isNull: text !== undefined && this.resolved(at, text).kind === "null",
        line: lines[at] ?? 0,
        column: keyColumns[at] ?? 0,
      });
    }
    return named;
  }

  value(...names: readonly string[]): Json {
    const index = this.indexOf(pathOf(names));
    if (index < 0) return null;
    const text = this.all.texts[index];
    if (text === undefined)
      return Object.fromEntries(
        (this.members(...names) ?? []).map(({ name }) => [name, this.value(...names, name)]),
      );
    const { value } = this.resolved(index, text);
    return typeof value === "bigint" ? Number(value) : value;
  }

  private resolved(index: number, text: string): Resolved {
    return this.all.quoted[index] === true ? { kind: "string", value: text } : resolvePlain(text);
  }
}

/** Characters of a text that cannot mislead: printable ASCII and line feeds. */
const SAFE = /^[\n -~]*$/;
const KEY = /^[A-Za-z_][A-Za-z0-9_./-]*$/;
const PLAIN = /^[A-Za-z0-9_][A-Za-z0-9_./+-]*(?::[A-Za-z0-9_./+-]+)*$/;
const DOUBLE = /^"[ !#-[\]-~]*"$/;
const SINGLE = /^'[ -&(-~]*'$/;

/** Keys that are known to be strings: the same few stand in every object. */
const KEYS = new Map<string, boolean>();

function isKey(text: string): boolean {
  let known = KEYS.get(text);
  if (known === undefined) {
    known = KEY.test(text) && resolvePlain(text).kind === "string";
    KEYS.set(text, known);
  }
  return known;
}

/** Every document of a text, empty ones left out; undefined when the text may hold more than this reader knows. */
export function readFlatDocuments(text: string): FlatDocument[] | undefined {
  if (!SAFE.test(text)) return undefined;
  const reader = new FlatReader();
  let number = 0;
  for (let start = 0; start < text.length; ) {
    let end = text.indexOf("\n", start);
    if (end < 0) end = text.length;
    if (!reader.line(text, start, end, ++number)) return undefined;
    start = end + 1;
  }
  return reader.end() ? reader.documents : undefined;
}

const BLANK = 32;
const HASH = 35;

class FlatReader {
  readonly documents: FlatDocument[] = [];
  private readonly all = new Members();
  private document: FlatDocument | undefined;
  /** Indentation and path of the mappings that are open, the root first. */
  private readonly indents: number[] = [];
  private readonly open: Path[] = [];
  /** The last key, while it has no value yet. */
  private waiting: Path | undefined;

  /** Takes one line; false when it holds something unknown. */
  line(text: string, from: number, to: number, number: number): boolean {
    let at = from;
    while (at < to && text.charCodeAt(at) === BLANK) at++;
    if (at === to || text.charCodeAt(at) === HASH) return true;
    const indent = at - from;
    if (indent === 0 && to - from === 3 && text.startsWith("---", from)) return this.end();
    const colon = text.indexOf(":", at);
    if (colon < 0 || colon >= to) return false;
    const key = text.slice(at, colon);
    if (!isKey(key) || !this.place(indent, number)) return false;
    let value = colon + 1;
    if (value < to && text.charCodeAt(value) !== BLANK) return false;
    while (value < to && text.charCodeAt(value) === BLANK) value++;
    return this.add(key, text.slice(value, to).trimEnd(), number, indent + 1, value - from + 1);
  }

  /** Ends the document; false when its last key has no value. */
  end(): boolean {
    if (this.waiting !== undefined) return false;
    this.document = undefined;
    this.indents.length = 0;
    this.open.length = 0;
    return true;
  }

  /** Opens or closes mappings until one with this indentation is the innermost. */
  private place(indent: number, number: number): boolean {
    if (this.document === undefined) {
      if (indent !== 0) return false;
      this.document = new FlatDocument(this.all, this.all.paths.length, number);
      this.documents.push(this.document);
      this.indents.push(0);
      this.open.push(ROOT);
      return true;
    }
    const innermost = this.indents.at(-1) ?? 0;
    if (this.waiting !== undefined) {
      if (indent <= innermost) return false;
      this.indents.push(indent);
      this.open.push(this.waiting);
      this.waiting = undefined;
      return true;
    }
    while ((this.indents.at(-1) ?? -1) > indent) {
      this.indents.pop();
      this.open.pop();
    }
    return this.indents.at(-1) === indent;
  }

  private add(key: string, value: string, number: number, keyColumn: number, column: number): boolean {
    const { document, all } = this;
    const path = this.open.at(-1)?.child(key);
    if (document === undefined || path === undefined || document.has(path)) return false;
    let text: string | undefined;
    let quoted = false;
    if (value === "") this.waiting = path;
    else if (PLAIN.test(value)) text = value;
    else if (DOUBLE.test(value) || SINGLE.test(value)) {
      text = value.slice(1, -1);
      quoted = true;
    } else return false;
    all.paths.push(path);
    all.texts.push(text);
    all.quoted.push(quoted);
    all.lines.push(number);
    all.keyColumns.push(keyColumn);
    all.columns.push(column);
    document.end++;
    return true;
  }
}
