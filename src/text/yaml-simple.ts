/**
 * The fast half of `readYaml`: the plain part of YAML that most files are written in, which is block mappings and lists
 * of one-line scalars, with flow collections on one line. It builds the very documents that the composer builds, at a
 * fraction of the cost, and gives up (undefined) at the first thing that it does not know for certain, right or wrong.
 */
import type {
  MappingEntry,
  MappingNode,
  ScalarNode,
  SequenceNode,
  YamlDocument,
  YamlNode,
} from "./yaml-nodes.js";
import { resolvePlain } from "./yaml-scalars.js";

/** One line that is neither blank nor a comment. */
interface Line {
  readonly number: number;
  /** Column of the first character, from 0. */
  readonly indent: number;
  readonly text: string;
}

/** Deeper texts are for the full reader, which has a limit and says so. */
const DEEPEST = 50;

/** Thrown and caught inside this module only. */
class Unsure extends Error {}

/** The full reader refuses keys of more than 1,024 characters. */
const KEY = /^([A-Za-z_][A-Za-z0-9_./-]{0,250}):(?: +|$)/;
/** Words; a colon inside of one is part of it, as in a digest or a time of day, and so is the end of base64. */
const PLAIN =
  /^[A-Za-z0-9_][A-Za-z0-9_./+=-]*(?::[A-Za-z0-9_./+=-]+)*(?: [A-Za-z0-9_][A-Za-z0-9_./+=-]*(?::[A-Za-z0-9_./+=-]+)*)*$/;
const QUOTED = /^"([ !#-[\]-~]*)"$/;
const SINGLE = /^'([ -&(-~]*)'$/;
/** Characters of a text that cannot mislead: printable ASCII and line feeds. */
const SAFE = /^[\n -~]*$/;

/**
 * The documents of a text, which lines of three dashes part, or the first alone. Undefined when the text may hold more
 * than this reader knows, in any of them.
 */
export function readSimpleDocuments(text: string, firstOnly = false): YamlDocument[] | undefined {
  if (!SAFE.test(text)) return undefined;
  const documents: YamlDocument[] = [];
  let lines: Line[] = [];
  let number = 0;
  /** Before the first marker there is a document only where something stands. */
  let marked = false;
  const close = (next: number): boolean => {
    if (lines.length > 0 || marked) {
      const root = lines.length === 0 ? undefined : rootOf(lines);
      if (root === undefined && lines.length > 0) return false;
      documents.push({ root, line: root?.line ?? 0, next, problems: [] });
    }
    lines = [];
    return true;
  };
  for (const whole of text.split("\n")) {
    number++;
    const trimmed = whole.trimStart();
    if (trimmed === "" || trimmed.startsWith("#")) continue;
    if (whole === "---") {
      if (!close(number)) return undefined;
      if (firstOnly && documents.length > 0) return documents;
      marked = true;
    } else lines.push({ number, indent: whole.length - trimmed.length, text: trimmed.trimEnd() });
  }
  return close(0) ? documents : undefined;
}

function rootOf(lines: Line[]): YamlNode | undefined {
  try {
    const reader = new Reader(lines);
    const root = reader.block(0);
    return reader.atEnd ? root : undefined;
  } catch (error) {
    if (error instanceof Unsure) return undefined;
    throw error;
  }
}

class Reader {
  private at = 0;
  private depth = 0;

  constructor(private readonly lines: Line[]) {}

  get atEnd(): boolean {
    return this.at === this.lines.length;
  }

  /** The collection that starts in the present line, which must be indented by at least `least`. */
  block(least: number): YamlNode {
    const line = this.lines[this.at];
    if (line === undefined || line.indent < least || ++this.depth > DEEPEST) throw new Unsure();
    const node = isItem(line) ? this.sequence(line) : this.mapping(line);
    this.depth--;
    return node;
  }

  private sequence({ number, indent }: Line): SequenceNode {
    const items: YamlNode[] = [];
    for (let line = this.lines[this.at]; line !== undefined; line = this.lines[this.at]) {
      if (line.indent < indent || (line.indent === indent && !isItem(line))) break;
      if (line.indent > indent) throw new Unsure();
      items.push(this.item(line));
    }
    return { type: "sequence", items, tag: "", line: number, column: indent + 1 };
  }

  /** `- key: value` starts a mapping in the middle of its line; `- value` is a scalar. */
  private item(line: Line): YamlNode {
    const rest = line.text.slice(1).trimStart();
    const column = line.indent + line.text.length - rest.length;
    if (rest === "" || rest.startsWith("- ") || rest === "-") throw new Unsure();
    if (!KEY.test(rest)) {
      this.at++;
      return value(rest, line.number, column + 1);
    }
    const inner: Line = { number: line.number, indent: column, text: rest };
    this.lines[this.at] = inner;
    return this.mapping(inner);
  }

  private mapping({ number, indent }: Line): MappingNode {
    const entries: MappingEntry[] = [];
    const names = new Set<string>();
    for (let line = this.lines[this.at]; line !== undefined; line = this.lines[this.at]) {
      if (line.indent < indent) break;
      const found = line.indent === indent ? KEY.exec(line.text) : null;
      if (found === null) {
        // The next item of a list whose dashes stand at the column of its key ends this mapping, nothing else does.
        if (line.indent === indent && isItem(line)) break;
        throw new Unsure();
      }
      const [head = "", name = ""] = found;
      if (names.has(name)) throw new Unsure();
      names.add(name);
      const key = scalar(name, "plain", line.number, line.indent + 1);
      if (key.kind !== "string") throw new Unsure();
      const rest = line.text.slice(head.length);
      this.at++;
      const node =
        rest === "" ? this.nested(indent) : value(rest, line.number, line.indent + head.length + 1);
      entries.push({ key, name, value: node });
    }
    return { type: "mapping", entries, tag: "", line: number, column: indent + 1 };
  }

  /** What stands below a key: deeper, or a list at the key's own column. */
  private nested(indent: number): YamlNode {
    const next = this.lines[this.at];
    if (next === undefined) throw new Unsure();
    if (next.indent > indent || (next.indent === indent && isItem(next))) return this.block(indent);
    throw new Unsure();
  }
}

const isItem = ({ text }: Line): boolean => text.startsWith("- ");

function scalar(
  text: string,
  style: "plain" | "single" | "double",
  line: number,
  column: number,
): ScalarNode {
  const resolved = style === "plain" ? resolvePlain(text) : { kind: "string" as const, value: text };
  return { type: "scalar", text, style, tag: "", ...resolved, line, column, endLine: line };
}

/** A value on its line: a plain or double-quoted scalar, or a flow collection of such. */
function value(text: string, line: number, column: number): YamlNode {
  if (text.startsWith("{") || text.startsWith("[")) return new Flow(text, line, column).whole();
  const quoted = QUOTED.exec(text);
  if (quoted !== null) return scalar(quoted[1] ?? "", "double", line, column);
  const single = SINGLE.exec(text);
  if (single !== null) return scalar(single[1] ?? "", "single", line, column);
  if (!PLAIN.test(text)) throw new Unsure();
  return scalar(text, "plain", line, column);
}

const FLOW_TOKEN = /"[ !#-[\]-~]*"|[A-Za-z0-9_][A-Za-z0-9_./+-]*/y;

class Flow {
  private at = 0;
  private depth = 0;

  constructor(
    private readonly text: string,
    private readonly line: number,
    private readonly column: number,
  ) {}

  whole(): YamlNode {
    const node = this.node();
    if (this.at !== this.text.length) throw new Unsure();
    return node;
  }

  private node(): YamlNode {
    const open = this.text[this.at];
    if (open !== "{" && open !== "[") return this.scalar();
    if (++this.depth > DEEPEST) throw new Unsure();
    const node = open === "{" ? this.mapping() : this.sequence();
    this.depth--;
    return node;
  }

  private scalar(): ScalarNode {
    FLOW_TOKEN.lastIndex = this.at;
    const found = FLOW_TOKEN.exec(this.text)?.[0];
    if (found === undefined) throw new Unsure();
    const column = this.column + this.at;
    this.at += found.length;
    // A plain scalar may go on behind a blank; then it is not one of ours.
    const rest = this.text.slice(this.at).trimStart()[0] ?? "";
    if (!found.startsWith('"') && rest !== "," && rest !== "}" && rest !== "]" && rest !== ":")
      throw new Unsure();
    return found.startsWith('"')
      ? scalar(found.slice(1, -1), "double", this.line, column)
      : scalar(found, "plain", this.line, column);
  }

  private mapping(): MappingNode {
    const start = this.column + this.at++;
    const entries: MappingEntry[] = [];
    const names = new Set<string>();
    this.blanks();
    while (this.text[this.at] !== "}") {
      if (entries.length > 0) this.comma();
      const key = this.scalar();
      if (key.kind !== "string" || key.style !== "plain" || key.text.length > 250 || names.has(key.text))
        throw new Unsure();
      names.add(key.text);
      if (this.text[this.at] !== ":" || this.text[this.at + 1] !== " ") throw new Unsure();
      this.at++;
      this.blanks();
      entries.push({ key, name: key.text, value: this.node() });
      this.blanks();
    }
    this.at++;
    return { type: "mapping", entries, tag: "", line: this.line, column: start };
  }

  private sequence(): SequenceNode {
    const start = this.column + this.at++;
    const items: YamlNode[] = [];
    this.blanks();
    while (this.text[this.at] !== "]") {
      if (items.length > 0) this.comma();
      const item = this.node();
      items.push(item);
      this.blanks();
      if (this.text[this.at] === ":") throw new Unsure();
    }
    this.at++;
    return { type: "sequence", items, tag: "", line: this.line, column: start };
  }

  private comma(): void {
    if (this.text[this.at] !== "," || this.text[this.at + 1] !== " ") throw new Unsure();
    this.at++;
    this.blanks();
  }

  private blanks(): void {
    while (this.text[this.at] === " ") this.at++;
  }
}
