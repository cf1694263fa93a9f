/** One document from a text: well-formed, not empty, not several. */

import { API_VERSION } from "../../core/api-version.js";
import type { Report } from "../../core/diagnostics.js";
import { problemList } from "../../core/problem.js";
import { child, entryWritten, readYaml, type SequenceNode, type YamlNode } from "../../text/yaml-read.js";
import { Fields, type Source } from "./fields.js";

export interface Document {
  readonly root: YamlNode;
  readonly source: Source;
}

/** Reads the single document of a text; undefined when there is none to work with. */
export function readDocument(
  text: string,
  file: string,
  report: Report,
  lineOffset = 0,
): Document | undefined {
  const { documents, problems } = readYaml(text, file);
  for (const problem of problems)
    report({ ...problem, line: (problem.line ?? 0) + ((problem.line ?? 0) > 0 ? lineOffset : 0) });
  // Tools write --- at the end, too: there is nothing behind it.
  const [full, other] = documents.filter(({ root }) => root !== undefined);
  if (other !== undefined)
    problemList(report, "", { file, line: other.line + lineOffset, column: 1 }).report(
      "YAML007",
      "Invalid",
      "the file contains more than one document",
      "use one file for each document",
    );
  const root = full?.root;
  if (root !== undefined) return { root, source: { file, report, lineOffset } };
  if (problems.length === 0)
    problemList(report, "", { file, line: lineOffset + 1, column: 1 }).report(
      "YAML006",
      "Required",
      "the document is empty",
    );
  return undefined;
}

/** The objects of a cluster as kubectl prints them: single ones, and the items of lists, however deep. */
export function objectsIn(root: YamlNode): YamlNode[] {
  if (root.type === "sequence") return root.items.flatMap(objectsIn);
  const items = child(root, "items");
  return items?.type === "sequence" ? items.items.flatMap(objectsIn) : [root];
}

/** True for a list that is of another kind altogether: mappings of which none has any of the members. */
export const isListOfOthers = ({ items }: SequenceNode, members: readonly string[]): boolean =>
  items.length > 0 &&
  items.every((item) => item.type === "mapping" && !item.entries.some(({ name }) => members.includes(name)));

/** The kind of one of our own documents; undefined when the node is something else. */
export function ownKind(root: YamlNode): string | undefined {
  if (root.type !== "mapping") return undefined;
  const text = (key: string): string | undefined => {
    const value = entryWritten(root, key)?.value;
    return value?.type === "scalar" ? value.text : undefined;
  };
  return text("apiVersion")?.startsWith("slipway.dev/") ? text("kind") : undefined;
}

/** The members of one of our own documents; apiVersion, kind, metadata and the editor's `$schema` are taken. */
export function ownFields({ root, source }: Document): Fields | undefined {
  if (root.type !== "mapping") return undefined;
  const fields = new Fields(root, "", source);
  const version = fields.text("apiVersion");
  if (version !== undefined && version.value !== API_VERSION)
    fields.at("apiVersion").unsupported("TAB004", version.value, [API_VERSION]);
  fields.text("kind");
  fields.text("$schema");
  fields.entry("metadata");
  // A json answer of ours can be read back.
  fields.entry("ok");
  fields.entry("diagnostics");
  return fields;
}
