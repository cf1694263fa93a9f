/**
 * YAML (and so JSON) read once, with the position of every key and value.
 *
 * Plain scalars are resolved as Kubernetes' readers do (sigs.k8s.io/yaml, YAML 1.1); the text of every scalar is
 * kept as written, since a typed reader may want it (facts/install-config-and-manifests.md §1.1).
 */
import { EVENT_ID, type Event, getScalarValue, parseEvents, SCALAR_STYLE, YAMLException } from "js-yaml";
import type { Problem } from "../core/diagnostics.js";
import type { Json } from "../core/json.js";
import { type Scalar, scalarValue } from "./yaml-scalars.js";

interface NodeBase {
  readonly line: number;
  readonly column: number;
  /** Explicit tag as written, such as `!!str`; empty when there is none. */
  readonly tag: string;
}

export interface ScalarNode extends NodeBase {
  readonly type: "scalar";
  /** The decoded text, whatever its type. */
  readonly text: string;
  readonly value: Scalar;
  readonly style: "plain" | "single" | "double" | "literal" | "folded";
}

export interface SequenceNode extends NodeBase {
  readonly type: "sequence";
  readonly items: readonly YamlNode[];
}

export interface MappingEntry {
  readonly key: ScalarNode;
  readonly value: YamlNode;
}

export interface MappingNode extends NodeBase {
  readonly type: "mapping";
  /** In the order written; merge keys are already resolved. */
  readonly entries: readonly MappingEntry[];
}

export type YamlNode = ScalarNode | SequenceNode | MappingNode;

export interface YamlDocument {
  /** Undefined for an empty document (nothing but blanks, comments and markers). */
  readonly root: YamlNode | undefined;
  readonly line: number;
}

export interface YamlText {
  readonly documents: readonly YamlDocument[];
  readonly problems: readonly Problem[];
}

/** Aliases may expand to at most this many nodes; beyond it the text is refused. */
const EXPANSION_LIMIT = 1_000_000;

/** Reads every document of a text. Problems carry file, line and column; what can be read is returned beside. */
export function readYaml(text: string, file: string): YamlText {
  const lines = lineStarts(text);
  const problems: Problem[] = [];
  let events: Event[];
  try {
    events = parseEvents(text, {});
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    const { line, column } = error.mark ?? { line: -1, column: -1 };
    problems.push({
      code: "YAML001",
      kind: "Parse",
      file,
      line: line + 1,
      column: column + 1,
      message: error.reason,
    });
    return { documents: [], problems };
  }
  const documents = new TreeBuilder(text, file, lines, events, problems).build();
  return { documents, problems };
}

/** The JSON value of a node, as a schema-less reader sees it. */
export function toJson(node: YamlNode): Json {
  switch (node.type) {
    case "scalar":
      return typeof node.value === "bigint" ? Number(node.value) : node.value;
    case "sequence":
      return node.items.map(toJson);
    case "mapping": {
      const object: Record<string, Json> = {};
      for (const { key, value } of node.entries)
        Object.defineProperty(object, key.text, {
          value: toJson(value),
          enumerable: true,
          writable: true,
          configurable: true,
        });
      return object;
    }
  }
}

/** The value under a key of a mapping. */
export function child(node: YamlNode | undefined, key: string): YamlNode | undefined {
  if (node?.type !== "mapping") return undefined;
  return node.entries.find((entry) => entry.key.text === key)?.value;
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}

const STYLES = {
  [SCALAR_STYLE.PLAIN]: "plain",
  [SCALAR_STYLE.SINGLE_QUOTED]: "single",
  [SCALAR_STYLE.DOUBLE_QUOTED]: "double",
  [SCALAR_STYLE.LITERAL_BLOCK]: "literal",
  [SCALAR_STYLE.FOLDED_BLOCK]: "folded",
} as const;

class TreeBuilder {
  private at = 0;
  private size = 0;
  private anchors = new Map<string, { node: YamlNode; size: number }>();

  constructor(
    private readonly text: string,
    private readonly file: string,
    private readonly lines: readonly number[],
    private readonly events: readonly Event[],
    private readonly problems: Problem[],
  ) {}

  build(): YamlDocument[] {
    const documents: YamlDocument[] = [];
    while (this.at < this.events.length) {
      const event = this.events[this.at++];
      if (event?.type !== EVENT_ID.DOCUMENT) continue;
      this.anchors = new Map();
      const next = this.events[this.at];
      if (next === undefined || next.type === EVENT_ID.POP) {
        this.at++;
        documents.push({ root: undefined, line: 0 });
        continue;
      }
      const root = this.node();
      this.at++;
      const empty = root.type === "scalar" && root.text === "" && root.style === "plain" && root.tag === "";
      documents.push({ root: empty ? undefined : root, line: root.line });
    }
    return documents;
  }

  private node(): YamlNode {
    const event = this.events[this.at++];
    if (event === undefined) throw new Error("the event stream of the YAML reader ended early");
    const before = this.size++;
    switch (event.type) {
      case EVENT_ID.ALIAS:
        return this.alias(this.text.slice(event.anchorStart, event.anchorEnd), event.anchorStart - 1);
      case EVENT_ID.SCALAR: {
        const style = STYLES[event.style];
        const text = getScalarValue(this.text, event);
        const tag = this.tag(event);
        const start = style === "single" || style === "double" ? event.valueStart - 1 : event.valueStart;
        const node: ScalarNode = {
          type: "scalar",
          text,
          style,
          tag,
          value: scalarValue(text, style === "plain", tag),
          ...this.place(start),
        };
        return this.anchored(event, node, before);
      }
      case EVENT_ID.SEQUENCE: {
        const place = this.place(event.start);
        const tag = this.tag(event);
        const items: YamlNode[] = [];
        while (this.events[this.at]?.type !== EVENT_ID.POP) items.push(this.node());
        this.at++;
        return this.anchored(event, { type: "sequence", items, tag, ...place }, before);
      }
      case EVENT_ID.MAPPING: {
        const place = this.place(event.start);
        const tag = this.tag(event);
        const entries = this.entries();
        this.at++;
        return this.anchored(event, { type: "mapping", entries, tag, ...place }, before);
      }
      default:
        throw new Error("unexpected event in the YAML reader");
    }
  }

  private entries(): MappingEntry[] {
    const own: MappingEntry[] = [];
    const merged: MappingEntry[] = [];
    const seen = new Map<string, ScalarNode>();
    while (this.events[this.at]?.type !== EVENT_ID.POP) {
      const key = this.node();
      const value = this.node();
      if (key.type !== "scalar") {
        this.problem("YAML004", key, "a key must be a string", "write the key as plain text");
        continue;
      }
      if (key.text === "<<" && key.style === "plain" && key.tag === "") {
        merged.push(...this.merge(value));
        continue;
      }
      const first = seen.get(key.text);
      if (first !== undefined) {
        this.problem(
          "YAML002",
          key,
          `the key ${JSON.stringify(key.text)} stands twice in one mapping`,
          `the first is in line ${first.line}; keep one of them`,
        );
        continue;
      }
      seen.set(key.text, key);
      own.push({ key, value });
    }
    for (const entry of merged) {
      if (seen.has(entry.key.text)) continue;
      seen.set(entry.key.text, entry.key);
      own.push(entry);
    }
    return own;
  }

  private merge(value: YamlNode): readonly MappingEntry[] {
    if (value.type === "mapping") return value.entries;
    if (value.type === "sequence" && value.items.every((item) => item.type === "mapping"))
      return value.items.flatMap((item) => (item.type === "mapping" ? item.entries : []));
    this.problem("YAML001", value, "a merge key needs a mapping or a list of mappings", "");
    return [];
  }

  private alias(name: string, offset: number): YamlNode {
    const target = this.anchors.get(name);
    const place = this.place(offset);
    const nothing: ScalarNode = { type: "scalar", text: "", value: null, style: "plain", tag: "", ...place };
    if (target === undefined) {
      this.problem("YAML003", nothing, `the alias *${name} has no anchor before it`, "");
      return nothing;
    }
    this.size += target.size;
    if (this.size > EXPANSION_LIMIT) {
      if (this.size - target.size <= EXPANSION_LIMIT)
        this.problem("YAML003", nothing, `aliases expand to more than ${EXPANSION_LIMIT} nodes`, "");
      return nothing;
    }
    return target.node;
  }

  private anchored<N extends YamlNode>(
    event: { anchorStart: number; anchorEnd: number },
    node: N,
    before: number,
  ): N {
    if (event.anchorStart >= 0) {
      const name = this.text.slice(event.anchorStart, event.anchorEnd);
      this.anchors.set(name, { node, size: this.size - before });
    }
    return node;
  }

  private tag(event: { tagStart: number; tagEnd: number }): string {
    return event.tagStart < 0 ? "" : this.text.slice(event.tagStart, event.tagEnd);
  }

  private place(offset: number): { line: number; column: number } {
    let low = 0;
    let high = this.lines.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.lines[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: offset - (this.lines[low] ?? 0) + 1 };
  }

  private problem(
    code: "YAML001" | "YAML002" | "YAML003" | "YAML004",
    at: YamlNode,
    message: string,
    hint: string,
  ): void {
    this.problems.push({
      code,
      kind: "Parse",
      file: this.file,
      line: at.line,
      column: at.column,
      message,
      hint,
    });
  }
}
