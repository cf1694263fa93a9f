/**
 * Writing new values into a YAML text that somebody has laid out in their own way: comments, order, quotes and line
 * ends stay wherever the document allows it. The documents are changed by the library `yaml`, which is loaded for
 * this alone; everything else that slipway writes is written whole.
 */
import { decode, encode } from "../core/files.js";
import { equalJson, isList, isObject, type Json } from "../core/json.js";
import { canonicalBytes, valuesOf } from "../text/yaml-content.js";
import { writeYaml } from "../text/yaml-write.js";

export interface Kept {
  readonly data: Uint8Array;
  /** False where the layout could not be kept although there are comments in it. */
  readonly keepsComments: boolean;
}

/**
 * The text with these values of its documents.
 * @param data YAML whose documents are mappings
 */
export async function keepLayout(data: Uint8Array, values: readonly Json[]): Promise<Kept> {
  const whole = encode(values.map(writeYaml).join("---\n"));
  const text = decode(data) ?? "";
  const canonical = canonicalBytes(data);
  if (canonical !== undefined && Buffer.compare(canonical, data) === 0)
    return { data: whole, keepsComments: true };
  const changed = await changeText(text, values);
  if (changed !== undefined) return { data: changed, keepsComments: true };
  return { data: whole, keepsComments: !/(?:^|\s)#/m.test(text) };
}

async function changeText(text: string, values: readonly Json[]): Promise<Uint8Array | undefined> {
  const { parseAllDocuments } = await import("yaml");
  const parsed = parseAllDocuments(text.replaceAll("\r\n", "\n"), {
    version: "1.1",
    keepSourceTokens: false,
  });
  if (!Array.isArray(parsed)) return undefined;
  const full = parsed.filter(({ contents }) => contents !== null);
  if (full.length !== values.length || parsed.some(({ errors }) => errors.length > 0)) return undefined;
  full.forEach((document, i) => {
    const before: unknown = document.toJS();
    change(document, [], isJsonLike(before) ? before : null, values[i] ?? null);
  });
  const options = { lineWidth: 0, indentSeq: indentsLists(text), indent: indentOf(text) };
  const written = parsed.map((document) => document.toString(options)).join("");
  const bytes = encode(text.includes("\r\n") ? written.replaceAll("\n", "\r\n") : written);
  // What the library makes of a text counts only where our own reader reads the same in it.
  const read = valuesOf(bytes);
  return read !== undefined && equalJson([...read], [...values]) ? bytes : undefined;
}

const isJsonLike = (value: unknown): value is Json => value !== undefined;

interface Changeable {
  setIn(path: readonly (string | number)[], value: unknown): void;
  deleteIn(path: readonly (string | number)[]): boolean;
}

/** Sets and deletes just what differs. */
function change(document: Changeable, path: readonly (string | number)[], before: Json, after: Json): void {
  if (equalJson(before, after)) return;
  if (isObject(before) && isObject(after)) {
    for (const key of Object.keys(before)) if (!Object.hasOwn(after, key)) document.deleteIn([...path, key]);
    for (const [key, value] of Object.entries(after))
      if (Object.hasOwn(before, key)) change(document, [...path, key], before[key] ?? null, value);
      else document.setIn([...path, key], value);
  } else if (isList(before) && isList(after) && before.length === after.length)
    for (const [i, value] of after.entries()) change(document, [...path, i], before[i] ?? null, value);
  else document.setIn(path, after);
}

/** True when lists stand deeper than their key. */
const indentsLists = (text: string): boolean =>
  nested(text).some(([outer, below]) => {
    const inner = indentation(below);
    return inner > outer && below.startsWith("- ", inner);
  });

/** The indentation of the first nested mapping. */
const indentOf = (text: string): number => {
  const [outer, below] = nested(text).find(([, line]) => /^ +[^\s#-]/.test(line)) ?? [0, ""];
  return Math.max(2, Math.min(8, indentation(below) - outer));
};

const indentation = (line: string): number => /^ */.exec(line)?.[0].length ?? 0;

/** The indentation of each key that has its value in the lines below it, and the first of them. */
function nested(text: string): readonly (readonly [outer: number, below: string])[] {
  const lines = text.split("\n");
  return lines.flatMap((line, i) => {
    const below = lines[i + 1];
    const opens = /^ *[^\s#-]/.test(line) && line.trimEnd().endsWith(":");
    return opens && below !== undefined ? [[indentation(line), below] as const] : [];
  });
}
