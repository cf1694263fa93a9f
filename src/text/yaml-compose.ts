/** Tokens to trees: nodes with positions, anchors and merge keys resolved, every key a string. */
import { DEPTH_LIMIT } from "../core/json.js";
import { type Problem, problem } from "../core/problem.js";
import { formatPath } from "./field-path.js";
import { cut, type FaultReason, YamlFault } from "./yaml-cursor.js";
import { explainFault, type LastScalar } from "./yaml-fault.js";
import type { ScalarNode, YamlDocument, YamlNode } from "./yaml-nodes.js";
import { type MergeRule, type PairCode, Pairs } from "./yaml-pairs.js";
import { resolveScalar } from "./yaml-scalars.js";
import type { Token, TokenType } from "./yaml-token.js";
import { Tokens } from "./yaml-tokens.js";

interface LinePosition {
  readonly line: number;
  readonly column: number;
}

interface Properties {
  readonly anchor: string;
  readonly tag: string;
}

/** A node that an anchor names; its node is absent while it is being read. */
interface Anchored {
  node: YamlNode | undefined;
  size: number;
}

const YAML_TAG = "tag:yaml.org,2002:";
const DEFAULT_HANDLES: readonly (readonly [string, string])[] = [
  ["!", "!"],
  ["!!", YAML_TAG],
];
const HEADS: ReadonlySet<TokenType> = new Set(["version", "tag-directive", "document-start", "end"]);
const NO_CONTENT: ReadonlySet<TokenType> = new Set([...HEADS, "document-end"]);

export class Composer {
  private readonly tokens: Tokens;
  private first = true;
  private done = false;
  private problems: Problem[] = [];
  private anchors = new Map<string, Anchored>();
  private handles = new Map<string, string>(DEFAULT_HANDLES);
  /** Nodes read so far, and how many of them by following aliases. */
  private size = 0;
  private aliased = 0;
  private depth = 0;
  /** The keys and indices that lead to the node being read. */
  private readonly path: (string | number)[] = [];
  private lastScalar: LastScalar | undefined;
  /** The lists and mappings that have ended since the last scalar, by their first tokens. */
  private readonly ended: Token[] = [];

  constructor(
    private readonly text: string,
    private readonly file: string,
    private readonly merge: MergeRule,
  ) {
    this.tokens = new Tokens(text);
  }

  /** The next document; undefined at the end. After a document that cannot be read there is none. */
  document(): YamlDocument | undefined {
    if (this.done) return undefined;
    this.problems = [];
    this.anchors = new Map();
    this.size = 0;
    this.aliased = 0;
    this.path.length = 0;
    this.lastScalar = undefined;
    this.ended.length = 0;
    try {
      return this.readDocument();
    } catch (error) {
      if (!(error instanceof YamlFault)) throw error;
      this.done = true;
      const line = this.text.split(/\r\n|\r|\n/)[error.line] ?? "";
      this.problems.push(explainFault(error, line, this.file, formatPath(this.path), this.lastScalar));
      return { root: undefined, line: 0, next: 0, problems: this.problems };
    }
  }

  private readDocument(): YamlDocument | undefined {
    const opened = this.openDocument();
    if (opened === "end") {
      this.done = true;
      return undefined;
    }
    const bare = opened === "bare" || !NO_CONTENT.has(this.tokens.peek().type);
    const content = bare ? this.node(true, false) : undefined;
    const end = this.tokens.peek();
    if (end.type === "document-end") this.tokens.next();
    const empty =
      content?.type === "scalar" && content.text === "" && content.style === "plain" && content.tag === "";
    const root = empty ? undefined : content;
    const next = end.type === "end" ? 0 : end.line + 1;
    return { root, line: root?.line ?? 0, next, problems: this.problems };
  }

  /** Reads what stands before a document's content: nothing (only the first may do so), or directives and `---`. */
  private openDocument(): "bare" | "marked" | "end" {
    if (!this.first) while (this.tokens.peek().type === "document-end") this.tokens.next();
    const { type } = this.tokens.peek();
    const bare = this.first && !HEADS.has(type);
    this.first = false;
    if (bare) return "bare";
    if (type === "end") return "end";
    this.directives();
    const start = this.tokens.next();
    if (start.type !== "document-start")
      throw new YamlFault(
        "the line is indented less than the first line of the document",
        start.line,
        start.column,
        "indent all top-level keys equally",
      );
    return "marked";
  }

  private directives(): void {
    this.handles = new Map();
    let version = false;
    for (;;) {
      const token = this.tokens.peek();
      if (token.type === "version") {
        if (version) throw faultAt(token, "duplicate %YAML directive");
        if (token.text !== "1.1")
          throw faultAt(
            token,
            `unsupported YAML version ${token.text}; Kubernetes supports 1.1 only`,
            "remove the line",
          );
        version = true;
      } else if (token.type === "tag-directive") {
        if (this.handles.has(token.handle))
          throw faultAt(token, `duplicate directive %TAG ${cut(token.handle)}`);
        this.handles.set(token.handle, token.text);
      } else break;
      this.tokens.next();
    }
    for (const [handle, prefix] of DEFAULT_HANDLES)
      if (!this.handles.has(handle)) this.handles.set(handle, prefix);
  }

  /** `block`: block collections may stand here; `flush`: a list may start at the column of its key. */
  private node(block: boolean, flush: boolean): YamlNode {
    const first = this.tokens.peek();
    if (first.type === "alias") return this.alias(this.tokens.next());
    const before = this.size++;
    const aliasedBefore = this.aliased;
    const properties = this.properties();
    const anchored: Anchored = { node: undefined, size: 0 };
    if (properties.anchor !== "") this.anchors.set(properties.anchor, anchored);
    if (++this.depth > DEPTH_LIMIT) throw faultAt(first, `nested more than ${DEPTH_LIMIT} levels deep`);
    const node = this.content(block, flush, properties, first);
    this.depth--;
    anchored.node = node;
    anchored.size = this.size - before;
    this.limitAliases(first, aliasedBefore);
    return node;
  }

  private content(block: boolean, flush: boolean, properties: Properties, first: Token): YamlNode {
    const token = this.tokens.peek();
    const { tag, anchor } = properties;
    switch (token.type) {
      case "scalar":
        this.tokens.next();
        return this.scalar(token, tag);
      case "flow-sequence-start":
        return this.flowSequence(tag);
      case "flow-mapping-start":
        return this.flowMapping(tag);
      case "block-sequence-start":
        if (block) return this.blockSequence(tag);
        break;
      case "block-mapping-start":
        if (block) return this.blockMapping(tag);
        break;
      case "entry":
        if (flush) return this.flushSequence(tag);
        break;
    }
    if (tag !== "" || anchor !== "") return this.scalar({ ...first, type: "scalar", text: "" }, tag);
    throw faultAt(token, `missing value${FOUND[token.type] ?? ""}`);
  }

  private properties(): Properties {
    let anchor = "";
    let tag = "";
    for (let i = 0; i < 2; i++) {
      const token = this.tokens.peek();
      if (token.type === "anchor" && anchor === "") anchor = token.text;
      else if (token.type === "tag" && tag === "") tag = this.resolveTag(token);
      else break;
      this.tokens.next();
    }
    return { anchor, tag };
  }

  private resolveTag(token: Token): string {
    const prefix = token.handle === "" ? "" : this.handles.get(token.handle);
    if (prefix === undefined) throw faultAt(token, `undeclared tag handle ${cut(token.handle)}`);
    const tag = prefix + token.text;
    return tag.startsWith(YAML_TAG) ? `!!${tag.slice(YAML_TAG.length)}` : tag;
  }

  private scalar(token: Token, tag: string): ScalarNode {
    const { text, style } = token;
    const resolved = resolveScalar(text, style === "plain", tag);
    if (resolved === undefined) throw faultAt(token, `the value does not match its tag ${cut(tag)}`);
    this.lastScalar = { token, path: formatPath(this.path) };
    this.ended.length = 0;
    return {
      type: "scalar",
      text,
      style,
      tag,
      ...resolved,
      ...place(token),
      endLine: token.endLine + 1,
    };
  }

  private empty(token: Token): ScalarNode {
    this.size++;
    return {
      type: "scalar",
      text: "",
      style: "plain",
      tag: "",
      kind: "null",
      value: null,
      ...place(token),
      endLine: token.line + 1,
    };
  }

  private alias(token: Token): YamlNode {
    const target = this.anchors.get(token.text);
    if (target === undefined)
      throw faultAt(
        token,
        `undefined alias *${cut(token.text)}: no such anchor before it`,
        ALIAS_HINT,
        "alias",
      );
    if (target.node === undefined)
      throw faultAt(token, `the alias *${cut(token.text)} is inside its own anchor`, "", "alias");
    this.size += target.size;
    this.aliased += target.size;
    this.limitAliases(token, 0);
    return target.node;
  }

  /** yaml.v2 refuses a document that consists almost wholly of expanded aliases. */
  private limitAliases(token: Token, aliasedBefore: number): void {
    if (this.aliased === aliasedBefore || this.aliased <= 100 || this.size <= 1000) return;
    const share = Math.min(Math.max((this.size - 400_000) / 3_600_000, 0), 1);
    if (this.aliased / this.size > 0.99 - 0.89 * share)
      throw faultAt(token, "aliases expand to far more than the size of the document", "", "alias");
  }

  private flowSequence(tag: string): YamlNode {
    const start = this.tokens.next();
    const items: YamlNode[] = [];
    while (this.tokens.peek().type !== "flow-sequence-end") {
      if (items.length > 0) this.separator(start, "]");
      const token = this.tokens.peek();
      if (token.type === "flow-sequence-end") break;
      this.path.push(items.length);
      items.push(token.type === "key" ? this.singlePair() : this.node(false, false));
      this.path.pop();
    }
    this.tokens.next();
    return { type: "sequence", items, tag, ...place(start) };
  }

  /** `[a: b]` is a list with a mapping of one key. */
  private singlePair(): YamlNode {
    this.size++;
    const start = this.tokens.next();
    const pairs = new Pairs(this.merge, this.refusePair);
    const key = this.flowKey();
    const value = this.flowValue(key);
    pairs.add(key, value);
    return { type: "mapping", entries: pairs.entries, tag: "", ...place(start) };
  }

  private flowMapping(tag: string): YamlNode {
    const start = this.tokens.next();
    const pairs = new Pairs(this.merge, this.refusePair);
    for (let first = true; this.tokens.peek().type !== "flow-mapping-end"; first = false) {
      if (!first) this.separator(start, "}");
      const token = this.tokens.peek();
      if (token.type === "flow-mapping-end") break;
      if (token.type === "key") {
        this.tokens.next();
        const key = this.flowKey();
        pairs.add(key, this.flowValue(key));
      } else {
        const key = this.node(false, false);
        pairs.add(key, this.empty(this.tokens.peek()));
      }
    }
    this.tokens.next();
    return { type: "mapping", entries: pairs.entries, tag, ...place(start) };
  }

  private separator(start: Token, close: "]" | "}"): void {
    const token = this.tokens.peek();
    if (token.type === "flow-entry") return void this.tokens.next();
    const open = close === "]" ? "[" : "{";
    throw faultAt(
      token,
      `missing comma or ${close} in the ${open} that starts on line ${start.line + 1}${FOUND[token.type] ?? ""}`,
    );
  }

  private flowKey(): YamlNode {
    const token = this.tokens.peek();
    return FLOW_STOPS.has(token.type) ? this.empty(token) : this.node(false, false);
  }

  private flowValue(key: YamlNode): YamlNode {
    const token = this.tokens.peek();
    if (token.type !== "value") return this.empty(token);
    this.tokens.next();
    return this.under(key, () => {
      const next = this.tokens.peek();
      return FLOW_STOPS.has(next.type) && next.type !== "value" ? this.empty(next) : this.node(false, false);
    });
  }

  private under(key: YamlNode, read: () => YamlNode): YamlNode {
    this.path.push(key.type === "scalar" ? key.text : "");
    const node = read();
    this.path.pop();
    return node;
  }

  private blockSequence(tag: string): YamlNode {
    const start = this.tokens.next();
    const items = this.entries((type) => type === "entry" || type === "block-end");
    const end = this.tokens.peek();
    if (end.type !== "block-end")
      throw (
        this.misplaced(end, start) ??
        faultAt(end, `missing "-" in the list that starts on line ${start.line + 1}`, "", "no-colon")
      );
    this.tokens.next();
    this.ended.push(start);
    return { type: "sequence", items, tag, ...place(start) };
  }

  /** A list whose dashes stand at the column of the key that it belongs to. */
  private flushSequence(tag: string): YamlNode {
    const start = this.tokens.peek();
    const items = this.entries((type) => FLUSH_STOPS.has(type));
    return { type: "sequence", items, tag, ...place(start) };
  }

  private entries(endsItem: (type: TokenType) => boolean): YamlNode[] {
    const items: YamlNode[] = [];
    while (this.tokens.peek().type === "entry") {
      const dash = this.tokens.next();
      this.path.push(items.length);
      items.push(endsItem(this.tokens.peek().type) ? this.empty(dash) : this.node(true, false));
      this.path.pop();
    }
    return items;
  }

  private blockMapping(tag: string): YamlNode {
    const start = this.tokens.next();
    const pairs = new Pairs(this.merge, this.refusePair);
    for (;;) {
      const token = this.tokens.peek();
      if (token.type === "block-end") break;
      if (token.type !== "key")
        throw (
          this.misplaced(token, start) ??
          faultAt(
            token,
            `expected a key in the mapping that starts on line ${start.line + 1}${FOUND[token.type] ?? ""}`,
            "",
            "no-colon",
          )
        );
      this.tokens.next();
      const next = this.tokens.peek();
      const key = BLOCK_STOPS.has(next.type) ? this.empty(token) : this.node(true, true);
      pairs.add(key, this.blockValue(key));
    }
    this.tokens.next();
    this.ended.push(start);
    return { type: "mapping", entries: pairs.entries, tag, ...place(start) };
  }

  /** A line that is well written and stands where it is part of nothing: its indentation is the fault. */
  private misplaced(token: Token, around: Token): YamlFault | undefined {
    const line = around.line + 1;
    if (token.type === "key")
      return faultAt(
        token,
        `the key is at the indentation of the list that starts on line ${line}`,
        'indent it like the keys of the item above, or start an item with "-"',
        "indent",
      );
    if (token.type === "entry")
      return faultAt(
        token,
        `the list item is at the indentation of the mapping that starts on line ${line}`,
        "indent it like the other items of its list",
        "indent",
      );
    if (token.type !== "block-mapping-start" && token.type !== "block-sequence-start") return undefined;
    const levels = [...this.ended.filter(({ column }) => column > token.column), around]
      .map((each) => `${each.column} (from line ${each.line + 1})`)
      .join(" or ");
    return faultAt(
      token,
      `invalid indentation of ${token.column}: expected ${levels}`,
      "indent it like the other lines of its mapping or list",
      "indent",
    );
  }

  private blockValue(key: YamlNode): YamlNode {
    const token = this.tokens.peek();
    if (token.type !== "value") return this.empty(token);
    this.tokens.next();
    return this.under(key, () =>
      BLOCK_STOPS.has(this.tokens.peek().type) ? this.empty(token) : this.node(true, true),
    );
  }

  /** A fault of one pair, which does not end the reading. */
  private readonly refusePair = (code: PairCode, at: LinePosition, message: string, hint: string): void => {
    const { line, column } = at;
    const field = formatPath(this.path);
    this.problems.push(problem(code, "Parse", field, message, { file: this.file, line, column, hint }));
  };
}

const ALIAS_HINT = "put the value in quotes; a plain value must not start with *";
const FOUND: { readonly [type in TokenType]?: string } = {
  end: ", found the end of the text",
  scalar: ", found another value",
  "flow-sequence-end": ', found "]"',
  "flow-mapping-end": ', found "}"',
  "flow-entry": ", found a comma",
  entry: ', found "-"',
  value: ', found ":"',
};
const BLOCK_STOPS: ReadonlySet<TokenType> = new Set(["key", "value", "block-end"]);
const FLUSH_STOPS: ReadonlySet<TokenType> = new Set(["entry", "key", "value", "block-end"]);
const FLOW_STOPS: ReadonlySet<TokenType> = new Set([
  "value",
  "flow-entry",
  "flow-sequence-end",
  "flow-mapping-end",
]);

const place = ({ line, column }: Token): LinePosition => ({ line: line + 1, column: column + 1 });

const faultAt = (token: Token, message: string, hint = "", reason: FaultReason = ""): YamlFault =>
  new YamlFault(message, token.line, token.column, hint, reason);
