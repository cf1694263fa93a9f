/**
 * YAML (and so JSON) read once, with the position of every key and value, exactly as Kubernetes' readers
 * (sigs.k8s.io/yaml over yaml.v2, YAML 1.1) read it (facts/install-config-and-manifests.md §1.1).
 *
 * The text of every scalar is kept as written beside its resolved value, since a typed reader may want either.
 */
import type { Problem } from "../core/diagnostics.js";
import type { Json } from "../core/json.js";
import { Composer } from "./yaml-compose.js";
import type { Scalar, ScalarKind } from "./yaml-scalars.js";
import type { ScalarStyle } from "./yaml-scan-scalars.js";

interface NodeBase {
  readonly line: number;
  readonly column: number;
  /** Explicit tag in its short form, such as `!!str`; empty when there is none. */
  readonly tag: string;
}

export interface ScalarNode extends NodeBase {
  readonly type: "scalar";
  /** The decoded text, whatever its type. */
  readonly text: string;
  readonly kind: ScalarKind;
  readonly value: Scalar;
  readonly style: ScalarStyle;
  /** The line on which the text ends; beyond `line` for a text over several lines. */
  readonly endLine: number;
}

export interface SequenceNode extends NodeBase {
  readonly type: "sequence";
  readonly items: readonly YamlNode[];
}

export interface MappingEntry {
  readonly key: ScalarNode;
  /** The key as a string: `on` is `true`, `0x10` is `16`. */
  readonly name: string;
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
  /** The line where the document's content starts; 0 when there is none. */
  readonly line: number;
  /** The line of the first thing behind the document, such as a marker; 0 when the text ends with it. */
  readonly next: number;
  /** What is wrong with this document. */
  readonly problems: readonly Problem[];
}

export interface YamlText {
  readonly documents: readonly YamlDocument[];
  /** The problems of all documents. */
  readonly problems: readonly Problem[];
}

export interface ReadOptions {
  /**
   * A merge key (`<<`) that sets what is set already: `refuse` as yaml.v2's strict reader does, or (default)
   * let the mapping's own key win.
   */
  readonly merge?: "own-wins" | "refuse";
  /** Read the first document only; what follows is not looked at, as Kubernetes' single-document readers do. */
  readonly firstOnly?: boolean;
}

/** Reads every document of a text. Problems carry file, line and column; what can be read is returned beside. */
export function readYaml(text: string, file: string, options: ReadOptions = {}): YamlText {
  const composer = new Composer(text, file, options.merge ?? "own-wins");
  const documents: YamlDocument[] = [];
  for (let document = composer.document(); document !== undefined; document = composer.document()) {
    documents.push(document);
    if (options.firstOnly) break;
  }
  return { documents, problems: documents.flatMap(({ problems }) => problems) };
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
      for (const { name, value } of node.entries) setMember(object, name, toJson(value));
      return object;
    }
  }
}

/** Sets an own member, `__proto__` too. */
export function setMember<T>(object: Record<string, T>, name: string, value: T): void {
  if (name === "__proto__")
    Object.defineProperty(object, name, { value, enumerable: true, writable: true, configurable: true });
  else object[name] = value;
}

/** The value under a key of a mapping. */
export function child(node: YamlNode | undefined, key: string): YamlNode | undefined {
  if (node?.type !== "mapping") return undefined;
  return node.entries.find(({ name }) => name === key)?.value;
}
