/** Texts of YAML in which single values are replaced where they stand, and nothing else. */
import { decode, encode } from "../core/files.js";
import { equalJson, isList, isObject, type Json } from "../core/json.js";
import { valuesOf } from "./yaml-content.js";
import { readYaml, rootsOf, type ScalarNode, type YamlNode } from "./yaml-read.js";

interface Edit {
  readonly node: ScalarNode;
  readonly text: string;
}

/**
 * The text with these values of its documents, where only texts on one line differ; undefined where anything else does.
 */
export function spliceTexts(data: Uint8Array, values: readonly Json[]): Uint8Array | undefined {
  const text = decode(data);
  if (text === undefined) return undefined;
  const roots = rootsOf(readYaml(text, "").documents).filter((root) => root.type !== "scalar");
  if (roots.length !== values.length) return undefined;
  const edits: Edit[] = [];
  if (!roots.every((root, i) => collect(root, values[i] ?? null, edits))) return undefined;
  const lines = text.split("\n");
  // From the end, so that earlier columns stay as they are.
  const ordered = [...edits].sort((a, b) => b.node.line - a.node.line || b.node.column - a.node.column);
  for (const { node, text: next } of ordered) {
    const line = lines[node.line - 1];
    const quote = node.style === "plain" ? "" : node.style === "single" ? "'" : '"';
    const [start, old] = [node.column - 1, `${quote}${node.text}${quote}`];
    if (line?.startsWith(old, start) !== true) return undefined;
    lines[node.line - 1] = `${line.slice(0, start)}${quote}${next}${quote}${line.slice(start + old.length)}`;
  }
  const bytes = encode(lines.join("\n"));
  const read = valuesOf(bytes);
  return read !== undefined && equalJson([...read], [...values]) ? bytes : undefined;
}

/** A text that stands for itself in every style. */
const PLAIN = /^[A-Za-z][\w./-]*$/;

function collect(node: YamlNode, value: Json, edits: Edit[]): boolean {
  if (node.type === "mapping")
    return (
      isObject(value) &&
      node.entries.length === Object.keys(value).length &&
      node.entries.every(({ name, value: own }) => {
        const next = value[name];
        return next !== undefined && collect(own, next, edits);
      })
    );
  if (node.type === "sequence")
    return (
      isList(value) &&
      value.length === node.items.length &&
      node.items.every((item, i) => collect(item, value[i] ?? null, edits))
    );
  if (node.value === value) return true;
  if (typeof node.value !== "string" || typeof value !== "string" || !PLAIN.test(value)) return false;
  if (node.tag !== "" || node.style === "literal" || node.style === "folded") return false;
  edits.push({ node, text: value });
  return true;
}
