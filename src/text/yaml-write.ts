/**
 * The canonical YAML form of everything that we write: keys sorted, two blanks, lists flush with their key, no
 * document marker, one final newline; a scalar that YAML 1.1 or 1.2 would read as another type is quoted.
 *
 * js-yaml decides how a text is written; the structure around it is written here, since plain words, which are most
 * of a manifest, need no decision, and js-yaml's way there takes most of the time of a phase. A test holds the result
 * against js-yaml's own for any value.
 */
import { dump } from "js-yaml";
import { isList, type Json, type JsonObject, sortKeys } from "../core/json.js";
import { resolvePlain } from "./yaml-scalars.js";

export function writeYaml(value: Json): string {
  const sorted = sortKeys(value);
  return isMapping(sorted) && isUsual(sorted) ? `${mapping(sorted, "").join("\n")}\n` : dumpYaml(sorted);
}

/** The same form by js-yaml alone. */
export const dumpYaml = (value: Json): string =>
  dump(value, { noRefs: true, lineWidth: -1, seqNoIndent: true });

const isMapping = (value: Json): value is JsonObject =>
  typeof value === "object" && value !== null && !isList(value) && Object.keys(value).length > 0;

/** Words that YAML 1.1 or 1.2 reads as something else, and begin with a letter. */
const RESERVED = /^(?:y|n|yes|no|on|off|true|false|null)$/i;
/** A word, or several with blanks between them; a colon belongs to a word when something follows it. */
const WORDS = /^[A-Za-z](?:[A-Za-z0-9_./()-]|:[A-Za-z0-9/])*(?: +(?:[A-Za-z0-9_./()-]|:[A-Za-z0-9/])+)*$/;
/** What begins with a digit and is not a number in any base, nor a time, for a letter or a slash in it. */
const NUMBERED = /^[0-9][a-fnoxA-FNOX0-9_.-]*[g-mp-wyzG-MP-WYZ/][A-Za-z0-9_./-]*$/;
/** Base64 of some length, with a letter or sign that no number has. */
const BASE64 = /^(?=[A-Za-z0-9+/]*[G-WYZg-nq-wyz])[A-Za-z0-9+/]{40,}={0,2}$/;

/**
 * No object of a cluster holds a longer text. Regular expressions, js-yaml's too, overflow their stack at a few
 * megabytes, so a longer one is written as JSON writes it, which YAML reads alike.
 */
const LONGEST = 1 << 20;
const UNPRINTABLE = /[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]/g;
const asJson = (text: string): string =>
  JSON.stringify(text).replace(
    UNPRINTABLE,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

/** What YAML writes as JSON does: truth, whole numbers, and collections without members, which are all that come here. */
const isAsJson = (value: Json): boolean =>
  typeof value === "boolean" ||
  (typeof value === "object" && value !== null) ||
  (Number.isSafeInteger(value) && !Object.is(value, -0));

const isPlain = (text: string): boolean =>
  (WORDS.test(text) && !RESERVED.test(text)) || NUMBERED.test(text) || BASE64.test(text);

/** Longer keys, and keys of several lines, are written in another form. */
const isKey = (key: string): boolean => key.length <= 100 && /^[\x20-\x7e]+$/.test(key);

/** A text that ends in empty lines may need a mark behind the document. */
const endsOpen = (text: string): boolean => /(?:^|\n)\n$/.test(text);

/** What the structure below can hold; everything else is left to js-yaml whole. */
const isUsual = (value: Json): boolean => {
  if (typeof value === "string") return value.length > LONGEST || !endsOpen(value);
  if (isList(value)) return value.every(isUsual);
  if (typeof value !== "object" || value === null) return true;
  return Object.entries(value).every(([key, inner]) => isKey(key) && isUsual(inner));
};

/** The lines of a mapping; the first line too begins with the indentation. */
function mapping(value: JsonObject, indent: string): string[] {
  const lines: string[] = [];
  for (const [key, inner] of Object.entries(value)) {
    const start = `${indent}${keyText(key)}:`;
    if (isMapping(inner)) append(lines, start, mapping(inner, `${indent}  `));
    else if (isList(inner) && inner.length > 0) append(lines, start, sequence(inner, indent));
    else pushScalar(lines, `${start} `, inner, indent);
  }
  return lines;
}

function sequence(value: readonly Json[], indent: string): string[] {
  const lines: string[] = [];
  const start = `${indent}- `;
  for (const item of value) {
    const nested = isMapping(item)
      ? mapping(item, `${indent}  `)
      : isList(item) && item.length > 0
        ? sequence(item, `${indent}  `)
        : undefined;
    if (nested === undefined) pushScalar(lines, start, item, indent);
    else append(lines, start + (nested[0] ?? "").slice(start.length), nested.slice(1));
  }
  return lines;
}

/** A scalar or an empty collection; further lines of a text stand below, deeper by two. */
function pushScalar(lines: string[], start: string, value: Json, indent: string): void {
  const [first = "", ...rest] = scalarLines(value);
  append(
    lines,
    start + first,
    rest.map((line) => (line === "" ? line : indent + line)),
  );
}

/** One by one: a text of a megabyte has more lines than a call takes arguments. */
function append(lines: string[], first: string, rest: readonly string[]): void {
  lines.push(first);
  for (const line of rest) lines.push(line);
}

/** Go's reader takes `0e_1` and `0o_7` for numbers, and so do we; js-yaml would leave them without quotes. */
const quoted = (value: Json): readonly string[] | undefined =>
  typeof value === "string" && value.includes("_") && resolvePlain(value).kind !== "string"
    ? [`'${value}'`]
    : undefined;

const known = new Map<Json, readonly string[]>();
/** Enough for the words that recur. */
const KNOWN_LIMIT = 2_000;

/** The lines of a value in the place of a mapping value at the left margin. */
function scalarLines(value: Json): readonly string[] {
  if (typeof value === "string" && value.length > LONGEST) return [asJson(value)];
  if (typeof value === "string" && isPlain(value)) return [value];
  if (isAsJson(value)) return [JSON.stringify(value)];
  const before = known.get(value);
  if (before !== undefined) return before;
  const lines = quoted(value) ?? dumpYaml({ a: value }).slice("a: ".length, -1).split("\n");
  if (known.size < KNOWN_LIMIT && (typeof value !== "string" || value.length < 100)) known.set(value, lines);
  return lines;
}

const knownKeys = new Map<string, string>();

function keyText(key: string): string {
  if (isPlain(key)) return key;
  const before = knownKeys.get(key);
  if (before !== undefined) return before;
  const text = quoted(key)?.[0] ?? dumpYaml({ [key]: 0 }).slice(0, -": 0\n".length);
  if (knownKeys.size < KNOWN_LIMIT) knownKeys.set(key, text);
  return text;
}
