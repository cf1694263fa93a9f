/**
 * YAML (and so JSON) read once, with the position of every key and value, exactly as Kubernetes' readers
 * (sigs.k8s.io/yaml over yaml.v2, YAML 1.1) read it (docs/reference/install-config-and-manifests.md §1.1).
 *
 * The text of every scalar is kept as written beside its resolved value, since a typed reader may want either.
 */
import type { Problem } from "../core/diagnostics.js";
import type { Json } from "../core/json.js";
import { markOfMerge } from "./merge-marks.js";
import { Composer } from "./yaml-compose.js";
import type { MappingEntry, MappingNode, YamlDocument, YamlNode } from "./yaml-nodes.js";
import { readSimpleDocuments } from "./yaml-simple.js";

export type {
  MappingEntry,
  MappingNode,
  ScalarNode,
  SequenceNode,
  YamlDocument,
  YamlNode,
} from "./yaml-nodes.js";

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

/** The roots of documents; empty ones are left out. */
export const rootsOf = (documents: readonly YamlDocument[]): YamlNode[] =>
  documents.flatMap(({ root }) => (root === undefined ? [] : [root]));

/** Reads every document of a text. Problems carry file, line and column; what can be read is returned beside. */
export function readYaml(text: string, file: string, options: ReadOptions = {}): YamlText {
  const simple = readSimpleDocuments(text, options.firstOnly);
  if (simple !== undefined) return { documents: simple, problems: [] };
  const composer = new Composer(text, file, options.merge ?? "own-wins");
  const documents: YamlDocument[] = [];
  for (let document = composer.document(); document !== undefined; document = composer.document()) {
    documents.push(document);
    if (options.firstOnly) break;
  }
  const problems = documents.flatMap((each) => each.problems);
  const mark = problems.length === 0 ? undefined : markOfMerge(text, file);
  if (mark === undefined) return { documents, problems };
  // What the marks do to the rest of the text is no news.
  return {
    documents: documents.map((each, i) => ({ ...each, problems: i === 0 ? [mark] : [] })),
    problems: [mark],
  };
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

/** Mappings of more entries are looked up in an index: what asks for each of tens of thousands must not take their square. */
const MOST_SEARCHED = 32;

/** The first entry of a mapping by a text that every entry has. */
function lookup(textOf: (entry: MappingEntry) => string) {
  const indexes = new WeakMap<MappingNode, ReadonlyMap<string, MappingEntry>>();
  const indexOf = (node: MappingNode): ReadonlyMap<string, MappingEntry> => {
    const index = new Map<string, MappingEntry>();
    for (const entry of node.entries) if (!index.has(textOf(entry))) index.set(textOf(entry), entry);
    indexes.set(node, index);
    return index;
  };
  return (node: YamlNode | undefined, text: string): MappingEntry | undefined => {
    if (node?.type !== "mapping") return undefined;
    return node.entries.length > MOST_SEARCHED
      ? (indexes.get(node) ?? indexOf(node)).get(text)
      : node.entries.find((entry) => textOf(entry) === text);
  };
}

/** The first entry of a mapping that a reader finds under this name. */
export const entryOf = lookup(({ name }) => name);

/** The first entry of a mapping whose key is written so: `1.30` is no number here. */
export const entryWritten = lookup(({ key }) => key.text);

/** The value under a key of a mapping. */
export const child = (node: YamlNode | undefined, key: string): YamlNode | undefined =>
  entryOf(node, key)?.value;
