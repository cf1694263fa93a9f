import { load } from "js-yaml";
import { isJson, type Json } from "../core/json.js";

/**
 * One document of YAML that we wrote ourselves, without positions (YAML 1.2 core schema, several times as fast as
 * `readYaml`). Throws on text that is not YAML; never used for what a user wrote.
 */
export function parseYaml(text: string): Json {
  const value = load(text);
  if (!isJson(value)) throw new Error("the text holds something that JSON cannot");
  return value;
}
