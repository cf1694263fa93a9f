/**
 * What a plain scalar means. Kubernetes reads YAML 1.1 through Go's yaml.v2, other tools read YAML 1.2; the two
 * functions here give both readings, so that a scalar on which they differ can be reported.
 */

/** Integers beyond 2^53 stay exact as bigint. */
export type Scalar = null | boolean | number | bigint | string;

const NULLS = new Set(["", "~", "null", "Null", "NULL"]);
const TRUES = new Set(["y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"]);
const FALSES = new Set(["n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"]);
const SPECIAL_FLOATS = new Map<string, number>([
  ...[".nan", ".NaN", ".NAN"].map((text): [string, number] => [text, Number.NaN]),
  ...[".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"].map((text): [string, number] => [text, Infinity]),
  ...["-.inf", "-.Inf", "-.INF"].map((text): [string, number] => [text, -Infinity]),
]);
const FLOAT = /^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$/;
const INTEGER_11 = /^[-+]?(0[bB][01]+|0[oO]?[0-7]+|0[xX][0-9a-fA-F]+|0|[1-9][0-9]*)$/;
const INTEGER_12 = /^(0o[0-7]+|0x[0-9a-fA-F]+|[-+]?[0-9]+)$/;
const MAX_UINT64 = (1n << 64n) - 1n;
const MIN_INT64 = -(1n << 63n);

/** The YAML 1.1 reading of Go's yaml.v2, which every Kubernetes tool uses. */
export function resolveYaml11(text: string): Scalar {
  if (NULLS.has(text)) return null;
  if (TRUES.has(text)) return true;
  if (FALSES.has(text)) return false;
  const special = SPECIAL_FLOATS.get(text);
  if (special !== undefined) return special;
  if (!/^[-+.0-9]/.test(text)) return text;
  // Behind a leading dot Go's own rule for underscores holds: only between digits.
  if (text.startsWith(".") && /(?<![0-9])_|_(?![0-9])/.test(text)) return text;
  const digits = text.replaceAll("_", "");
  if (INTEGER_11.test(digits)) {
    const value = parseInteger(digits);
    if (value >= MIN_INT64 && value <= MAX_UINT64) return narrow(value);
  }
  // A number too large for a float stays text.
  return FLOAT.test(digits) && Number.isFinite(Number(digits)) ? Number(digits) : text;
}

/** The YAML 1.2 core schema. */
export function resolveYaml12(text: string): Scalar {
  if (NULLS.has(text)) return null;
  if (text === "true" || text === "True" || text === "TRUE") return true;
  if (text === "false" || text === "False" || text === "FALSE") return false;
  const special = SPECIAL_FLOATS.get(text);
  if (special !== undefined) return special;
  if (INTEGER_12.test(text)) return narrow(/^0[ox]/.test(text) ? BigInt(text) : signed(text));
  return FLOAT.test(text) ? Number(text) : text;
}

const RESOLVED_TAGS = new Set(["!!int", "!!float", "!!bool", "!!null"]);

/** The value of a scalar with its explicit tag taken into account; quoted scalars are strings. */
export function scalarValue(text: string, plain: boolean, tag: string): Scalar {
  return RESOLVED_TAGS.has(tag) || (plain && tag === "") ? resolveYaml11(text) : text;
}

function parseInteger(text: string): bigint {
  const sign = text.startsWith("-") ? -1n : 1n;
  const digits = text.replace(/^[-+]/, "");
  const octal = /^0[0-7]+$/.test(digits);
  return sign * BigInt(octal ? `0o${digits.slice(1)}` : digits.toLowerCase());
}

const signed = (text: string): bigint =>
  text.startsWith("-") ? -BigInt(text.slice(1)) : BigInt(text.replace(/^\+/, ""));

const narrow = (value: bigint): number | bigint =>
  value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER)
    ? Number(value)
    : value;
