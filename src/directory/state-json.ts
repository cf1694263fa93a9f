/**
 * The text of `.openshift_install_state.json`, member by member.
 *
 * Upstream writes it with Go's `json.MarshalIndent` (docs/reference/install-config-and-manifests.md §2.5): four blanks,
 * keys sorted, no final newline, `<`, `>` and `&` escaped. Members that we do not know, or do not change, keep their
 * text byte for byte: a number beyond 2^53 or a member of a later release comes out as it went in.
 */
import { isJson, type Json, type JsonObject } from "../core/json.js";

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
  for (const [key, start, end] of topLevel(text))
    members.set(key, { text: text.slice(start, end), value: values.get(key) ?? null });
  return members;
}

/** Key, start and end of each member's value. The text is one valid JSON object. */
function* topLevel(text: string): Generator<[key: string, start: number, end: number]> {
  let at = text.indexOf("{") + 1;
  for (;;) {
    at = skipBlanks(text, at);
    if (text[at] === "}" || at >= text.length) return;
    if (text[at] === ",") {
      at++;
      continue;
    }
    const keyEnd = endOfString(text, at);
    const key: unknown = JSON.parse(text.slice(at, keyEnd));
    const start = skipBlanks(text, skipBlanks(text, keyEnd) + 1);
    const end = endOfValue(text, start);
    yield [String(key), start, end];
    at = end;
  }
}

function skipBlanks(text: string, at: number): number {
  while (at < text.length && " \t\r\n".includes(text.charAt(at))) at++;
  return at;
}

/** Just behind the closing quote of the string that starts at `at`. */
function endOfString(text: string, at: number): number {
  for (let quote = text.indexOf('"', at + 1); quote >= 0; quote = text.indexOf('"', quote + 1)) {
    let slashes = 0;
    while (text[quote - 1 - slashes] === "\\") slashes++;
    if (slashes % 2 === 0) return quote + 1;
  }
  return text.length;
}

function endOfValue(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; ) {
    const character = text[at];
    if (character === '"') {
      at = endOfString(text, at);
      if (depth === 0) return at;
      continue;
    }
    if (character === "{" || character === "[") depth++;
    else if (character === "}" || character === "]") {
      depth--;
      if (depth === 0) return at + 1;
      if (depth < 0) return trimEnd(text, start, at);
    } else if (character === "," && depth === 0) return trimEnd(text, start, at);
    at++;
  }
  return text.length;
}

function trimEnd(text: string, start: number, end: number): number {
  while (end > start && " \t\r\n".includes(text.charAt(end - 1))) end--;
  return end;
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
