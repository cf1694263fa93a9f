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
  const lines: string[] = [];
  return isMapping(value) && mapping(lines, value, "", "")
    ? `${lines.join("\n")}\n`
    : dumpYaml(sortKeys(value));
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

/** Lines of printable ASCII of which the first begins with no blank: certificates, keys, and YAML in YAML. */
const LITERAL = /^[\x21-\x7e][\x20-\x7e]*(?:\n[\x20-\x7e]+)+\n?$/;

const isPlain = (text: string): boolean =>
  text.length >= 100
    ? BASE64.test(text) || WORDS.test(text) || NUMBERED.test(text)
    : (WORDS.test(text) && !RESERVED.test(text)) || NUMBERED.test(text) || BASE64.test(text);

/** Longer keys, and keys of several lines, are written in another form. */
const isKey = (key: string): boolean => key.length <= 100 && /^[\x20-\x7e]+$/.test(key);

/** A text that ends in empty lines may need a mark behind the document. */
const endsOpen = (text: string): boolean => text === "\n" || text.endsWith("\n\n");

const isIndex = (key: string): boolean => /^(?:0|[1-9][0-9]{0,9})$/.test(key) && Number(key) < 2 ** 32 - 1;

/**
 * The order in which an object with sorted keys lists them, whoever writes it: numbers first, by their size. What is read
 * again, sealed or authenticated goes by it.
 */
function keysInOrder(value: JsonObject): readonly string[] {
  const keys = Object.keys(value);
  if (!isIndex(keys[0] ?? "")) return keys.sort();
  const indexes = keys.filter(isIndex);
  return [...indexes, ...keys.slice(indexes.length).sort()];
}

/**
 * Writes the lines of a mapping, keys in order: the first begins with `lead`, the others with the indentation. False for
 * what the structure here cannot hold, which is left to js-yaml whole.
 */
function mapping(lines: string[], value: JsonObject, indent: string, lead: string): boolean {
  let start = lead;
  for (const key of keysInOrder(value)) {
    const word = keyText(key);
    const inner = value[key] ?? null;
    if (word === undefined) return false;
    start += word;
    if (isMapping(inner)) {
      lines.push(`${start}:`);
      if (!mapping(lines, inner, `${indent}  `, `${indent}  `)) return false;
    } else if (isList(inner) && inner.length > 0) {
      lines.push(`${start}:`);
      if (!sequence(lines, inner, indent, indent)) return false;
    } else if (!pushScalar(lines, `${start}: `, inner, indent)) return false;
    start = indent;
  }
  return true;
}

function sequence(lines: string[], value: readonly Json[], indent: string, lead: string): boolean {
  let start = `${lead}- `;
  for (const item of value) {
    const isWritten = isMapping(item)
      ? mapping(lines, item, `${indent}  `, start)
      : isList(item) && item.length > 0
        ? sequence(lines, item, `${indent}  `, start)
        : pushScalar(lines, start, item, indent);
    if (!isWritten) return false;
    start = `${indent}- `;
  }
  return true;
}

/** A scalar or an empty collection; further lines of a text stand below, deeper by two. */
function pushScalar(lines: string[], start: string, value: Json, indent: string): boolean {
  if (typeof value === "string" && value.length <= LONGEST && endsOpen(value)) return false;
  const written = scalarLines(value);
  lines.push(start + (written[0] ?? ""));
  for (let at = 1; at < written.length; at++) {
    const line = written[at] ?? "";
    lines.push(line === "" ? line : indent + line);
  }
  return true;
}

/** Go's reader takes `0e_1` and `0O7` for numbers, and so do we; js-yaml would leave them without quotes. */
const quoted = (value: Json): readonly string[] | undefined =>
  typeof value === "string" && resolvePlain(value).kind !== "string" ? [`'${value}'`] : undefined;

/** Enough for the words that recur. */
const KNOWN_LIMIT = 4_000;

/** A table of what was found for words that recur; it begins anew when it is full. */
function remembered<V>(): { get(word: string): V | undefined; set(word: string, found: V): V } {
  const known = new Map<string, V>();
  return {
    get: (word) => known.get(word),
    set(word, found) {
      if (known.size >= KNOWN_LIMIT) known.clear();
      known.set(word, found);
      return found;
    },
  };
}

const known = remembered<readonly string[]>();

/** The lines of a value in the place of a mapping value at the left margin. */
function scalarLines(value: Json): readonly string[] {
  if (typeof value !== "string") return isAsJson(value) ? [JSON.stringify(value)] : dumped(value);
  if (value.length > LONGEST) return [asJson(value)];
  if (value.length >= 100) {
    if (isPlain(value)) return [value];
    return LITERAL.test(value) ? literal(value) : (quoted(value) ?? dumped(value));
  }
  return known.get(value) ?? known.set(value, isPlain(value) ? [value] : (quoted(value) ?? dumped(value)));
}

/** A text of several lines as it stands, with the mark that tells whether a line end closes it. */
function literal(text: string): readonly string[] {
  const isClosed = text.endsWith("\n");
  const lines = (isClosed ? text.slice(0, -1) : text).split("\n");
  return [isClosed ? "|" : "|-", ...lines.map((line) => `  ${line}`)];
}

const dumped = (value: Json): readonly string[] => dumpYaml({ a: value }).slice("a: ".length, -1).split("\n");

const knownKeys = remembered<{ readonly text: string | undefined }>();

/** A key as it is written; undefined for one that takes another form. */
function keyText(key: string): string | undefined {
  const before = knownKeys.get(key) ?? knownKeys.set(key, { text: keyForm(key) });
  return before.text;
}

function keyForm(key: string): string | undefined {
  if (!isKey(key)) return undefined;
  if (isPlain(key)) return key;
  return quoted(key)?.[0] ?? dumpYaml({ [key]: 0 }).slice(0, -": 0\n".length);
}
