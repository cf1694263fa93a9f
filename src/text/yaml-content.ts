/**
 * What a file says, apart from how it is written: line ends, indentation, order of keys, comments and document markers
 * of YAML do not count. Files of another kind say what their bytes say.
 */
import { byCodeUnit, decode, encode, equalBytes } from "../core/files.js";
import { equalJson, type Json } from "../core/json.js";
import { readYaml, rootsOf, toJson, type YamlNode } from "./yaml-read.js";
import { writeYaml } from "./yaml-write.js";

/** True for a path whose layout people choose; JSON is written as it is compiled. */
export const hasLayout = (path: string): boolean => /\.(?:yaml|yml)$/.test(path);

/** True for a path whose content counts by its value. */
export const isYamlName = (path: string): boolean => /\.(?:yaml|yml|json|ign)$/.test(path);

const known = new WeakMap<Uint8Array, readonly Json[] | null>();

/**
 * The values of the documents of a YAML or JSON text, empty ones left out. Undefined for what is no such text, holds
 * no mapping or list, or cannot be told exactly (a number beyond what a double holds).
 */
export function valuesOf(data: Uint8Array): readonly Json[] | undefined {
  const before = known.get(data);
  if (before !== undefined) return before ?? undefined;
  const values = readValues(data);
  known.set(data, values ?? null);
  return values;
}

function readValues(data: Uint8Array): readonly Json[] | undefined {
  const text = decode(data);
  if (text === undefined) return undefined;
  const read = readYaml(text, "");
  if (read.problems.length > 0) return undefined;
  const roots = rootsOf(read.documents).filter((root) => root.type !== "scalar" || root.value !== null);
  const isTold = roots.length > 0 && roots.every((root) => root.type !== "scalar" && isExact(root));
  return isTold ? roots.map(toJson) : undefined;
}

/** False where a number would be rounded. */
function isExact(node: YamlNode): boolean {
  switch (node.type) {
    case "scalar":
      return (
        node.kind !== "int" ||
        (typeof node.value !== "bigint" && typeof node.value !== "number") ||
        Number.isSafeInteger(Number(node.value))
      );
    case "sequence":
      return node.items.every(isExact);
    case "mapping":
      return node.entries.every(({ value }) => isExact(value));
  }
}

/**
 * The bytes in which slipway itself would write the same values; undefined for what is not YAML. Of a file that
 * slipway wrote they are its bytes, so that one digest of both tells a generated file in any layout.
 */
export function canonicalBytes(data: Uint8Array): Uint8Array | undefined {
  const values = valuesOf(data);
  return values === undefined ? undefined : encode(values.map(writeYaml).join("---\n"));
}

/** True when both say the same. */
export function saysSame(path: string, a: Uint8Array, b: Uint8Array): boolean {
  if (equalBytes(a, b)) return true;
  if (!isYamlName(path)) return false;
  const [left, right] = [valuesOf(a), valuesOf(b)];
  return left !== undefined && right !== undefined && equalJson([...left], [...right]);
}

/**
 * The two versions that a merge of Git left in a file between its markers, ours and theirs; undefined for a file
 * without markers.
 */
export function mergeSides(text: string): readonly [ours: string, theirs: string] | undefined {
  if (!/^<{7}(?: |\r?$)/m.test(text)) return undefined;
  const sides: [string[], string[]] = [[], []];
  let place: "both" | "ours" | "base" | "theirs" = "both";
  for (const line of text.split("\n")) {
    const marker = /^([<|=>])\1{6}(?: .*)?\r?$/.exec(line)?.[1];
    if (marker === "<" && place === "both") place = "ours";
    else if (marker === "|" && place === "ours") place = "base";
    else if (marker === "=" && place !== "both" && place !== "theirs") place = "theirs";
    else if (marker === ">" && place === "theirs") place = "both";
    else {
      if (place === "both" || place === "ours") sides[0].push(line);
      if (place === "both" || place === "theirs") sides[1].push(line);
    }
  }
  return place === "both" ? [sides[0].join("\n"), sides[1].join("\n")] : undefined;
}

/**
 * A file as it is committed: Git may check one out with CR LF at the end of every line. A file in which only some
 * lines end so is left as it is.
 */
export function asCommitted(data: Uint8Array): Uint8Array {
  if (!data.includes(13)) return data;
  const text = decode(data);
  return text === undefined || !/^(?:[^\r\n]*\r\n)+$/.test(text)
    ? data
    : encode(text.replaceAll("\r\n", "\n"));
}

/** Each string once, in order. */
export const sortedSet = (values: Iterable<string>): string[] => [...new Set(values)].sort(byCodeUnit);
