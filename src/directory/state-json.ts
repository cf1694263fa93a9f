/**
 * The text of `.openshift_install_state.json`, member by member.
 *
 * Upstream writes it with Go's `json.MarshalIndent` (docs/reference/install-config-and-manifests.md §2.5): four blanks,
 * keys sorted, no final newline, `<`, `>` and `&` escaped. Members that we do not know, or do not change, keep their
 * text byte for byte: a number beyond 2^53 or a member of a later release comes out as it went in.
 */
import { isJson, type Json, type JsonObject } from "../core/json.js";
import { topLevelMembers } from "../text/json-text.js";

export interface StateMember {
  /** The text of the value as it stands in the file, or as it will be written. */
  readonly text: string;
  readonly value: Json;
}

/** Undefined when the text is not one JSON object. */
export function readMembers(text: string): Map<string, StateMember> | undefined {
  let whole: unknown;
  try {
    whole = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isJson(whole) || typeof whole !== "object" || whole === null || Array.isArray(whole)) return undefined;
  const values = new Map<string, Json>(Object.entries(whole));
  const members = new Map<string, StateMember>();
  // Of a key that is there twice the last counts, as for JSON.parse.
  for (const [key, start, end] of topLevelMembers(text))
    members.set(key, { text: text.slice(start, end), value: values.get(key) ?? null });
  return members;
}

/** Characters that Go's encoder escapes and JavaScript's does not. */
const GO_ESCAPES = /[<>&\u2028\u2029]/g;

const goEscape = (json: string): string =>
  json.replace(GO_ESCAPES, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** A value as it stands in the file: indented below its key. */
export function memberOf(value: JsonObject | readonly Json[] | string): StateMember {
  const text = goEscape(JSON.stringify(value, null, 4)).replaceAll("\n", "\n    ");
  return { text, value };
}

/** The text of the file: keys in code-unit order, which for Go's type names is the order of bytes. */
export function writeMembers(members: ReadonlyMap<string, StateMember>): string {
  if (members.size === 0) return "{}";
  const lines = [...members.keys()]
    .sort()
    .map((key) => `    ${goEscape(JSON.stringify(key))}: ${members.get(key)?.text ?? "null"}`);
  return `{\n${lines.join(",\n")}\n}`;
}
