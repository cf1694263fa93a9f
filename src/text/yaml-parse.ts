import { load } from "js-yaml";
import { isJson, type Json } from "../core/json.js";
import { toJson, type YamlNode } from "./yaml-read.js";
import { readSimpleDocuments } from "./yaml-simple.js";

/**
 * One document of YAML that we wrote ourselves, without positions (YAML 1.2 core schema, several times as fast as
 * `readYaml`). Throws on text that is not YAML; never used for what a user wrote.
 */
export function parseYaml(text: string): Json {
  const simple = readSimpleDocuments(text);
  const root = simple?.length === 1 ? simple[0]?.root : undefined;
  if (root !== undefined && isAlike(root)) return toJson(root);
  const value = load(text);
  if (!isJson(value)) throw new Error("contains something that JSON does not support");
  return value;
}

/** Scalars that are no text, and that every version of YAML reads alike. */
const ALIKE = /^(?:true|false|null|0|-?[1-9][0-9]{0,14})$/;

function isAlike(node: YamlNode): boolean {
  switch (node.type) {
    case "scalar":
      return node.kind === "string"
        ? node.style !== "plain" || !/^[-+.0-9]/.test(node.text)
        : ALIKE.test(node.text);
    case "sequence":
      return node.items.every(isAlike);
    case "mapping":
      return node.entries.every(({ value }) => isAlike(value));
  }
}
