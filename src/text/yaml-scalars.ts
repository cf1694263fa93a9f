/**
 * What a scalar means. Kubernetes reads YAML 1.1 through Go's yaml.v2, other tools read YAML 1.2; the functions here
 * give both readings, so that a scalar on which they differ can be reported.
 * (docs/reference/install-config-and-manifests.md §1.1; every reading was compared with the Go library.)
 */

import { withoutEnd } from "../core/trim.js";

/** Integers beyond 2^53 stay exact as bigint. */
export type Scalar = null | boolean | number | bigint | string;

export type ScalarKind = "null" | "bool" | "int" | "float" | "string";

export interface Resolved {
  readonly kind: ScalarKind;
  readonly value: Scalar;
}

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
const FIRST_OF_RESOLVED = /^[-+.0-9yYnNtTfFoO~]/;
const MAX_INT64 = (1n << 63n) - 1n;
const MAX_UINT64 = (1n << 64n) - 1n;
const MIN_INT64 = -(1n << 63n);

const TEXT = (value: string): Resolved => ({ kind: "string", value });
const NULL: Resolved = { kind: "null", value: null };

/** The YAML 1.1 reading of Go's yaml.v2, which every Kubernetes tool uses, of a plain scalar. */
export function resolvePlain(text: string): Resolved {
  if (text !== "" && !FIRST_OF_RESOLVED.test(text)) return TEXT(text);
  if (NULLS.has(text)) return NULL;
  if (TRUES.has(text)) return { kind: "bool", value: true };
  if (FALSES.has(text)) return { kind: "bool", value: false };
  const special = SPECIAL_FLOATS.get(text);
  if (special !== undefined) return { kind: "float", value: special };
  if (!/^[-+.0-9]/.test(text)) return TEXT(text);
  if (text.startsWith(".")) return float(text) ?? TEXT(text);
  const digits = text.replaceAll("_", "");
  if (INTEGER_11.test(digits)) {
    const value = parseInteger(digits);
    const limit = /^[-+]/.test(digits) ? MAX_INT64 : MAX_UINT64;
    if (value >= MIN_INT64 && value <= limit) return { kind: "int", value: narrow(value) };
  }
  return float(digits) ?? TEXT(text);
}

/** The value alone of `resolvePlain`. */
export const resolveYaml11 = (text: string): Scalar => resolvePlain(text).value;

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

/**
 * The value of a scalar with its explicit tag (`!!int`; empty for none) taken into account; undefined when the text
 * is not what the tag says. Quoted scalars without a tag are strings, and so is everything under a tag that is not
 * one of YAML's own.
 */
export function resolveScalar(text: string, plain: boolean, tag: string): Resolved | undefined {
  switch (tag) {
    case "":
      return plain ? resolvePlain(text) : TEXT(text);
    case "!!null":
    case "!!bool":
    case "!!int": {
      const resolved = resolvePlain(text);
      return `!!${resolved.kind}` === tag ? resolved : undefined;
    }
    case "!!float": {
      const resolved = resolvePlain(text);
      if (resolved.kind === "float") return resolved;
      const fits = resolved.kind === "int" && BigInt(Number(resolved.value)) <= MAX_INT64;
      return fits ? { kind: "float", value: Number(resolved.value) } : undefined;
    }
    case "!!timestamp":
      return isTimestamp(text) ? TEXT(text) : undefined;
    case "!!binary":
      return decodeBinary(text);
    default:
      return TEXT(text);
  }
}

/** A number as Go's `strconv.FormatFloat(value, 'g', -1, 32)` writes it: what a float becomes in a text field. */
export function formatFloat32(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  const narrow = Math.fround(value);
  if (!Number.isFinite(narrow)) return narrow > 0 ? "+Inf" : "-Inf";
  if (narrow === 0) return Object.is(narrow, -0) ? "-0" : "0";
  const [mantissa = "", exponentText = "0"] = shortest32(narrow).split("e");
  const exponent = Number(exponentText);
  const sign = mantissa.startsWith("-") ? "-" : "";
  const digits = withoutEnd(mantissa.replace(/[-.]/g, ""), "0") || "0";
  if (exponent < -4 || exponent >= 6) {
    const tail = digits.length > 1 ? `.${digits.slice(1)}` : "";
    const power = String(Math.abs(exponent)).padStart(2, "0");
    return `${sign}${digits.charAt(0)}${tail}e${exponent < 0 ? "-" : "+"}${power}`;
  }
  if (exponent < 0) return `${sign}0.${"0".repeat(-exponent - 1)}${digits}`;
  if (digits.length <= exponent + 1) return sign + digits.padEnd(exponent + 1, "0");
  return `${sign}${digits.slice(0, exponent + 1)}.${digits.slice(exponent + 1)}`;
}

/** The shortest decimal in exponent form that rounds to the same 32-bit float. */
function shortest32(value: number): string {
  for (let digits = 0; digits < 9; digits++) {
    const text = value.toExponential(digits);
    if (Math.fround(Number(text)) === value) return text;
  }
  return value.toExponential(9);
}

function float(text: string): Resolved | undefined {
  if (!FLOAT.test(text)) return undefined;
  const value = Number(text);
  return Number.isFinite(value) ? { kind: "float", value } : undefined;
}

/** Base64 with its padding, line ends allowed; undefined for anything else. */
function decodeBinary(text: string): Resolved | undefined {
  const compact = text.replace(/[\r\n]/g, "");
  const data = Buffer.from(compact, "base64");
  return data.toString("base64") === compact ? TEXT(data.toString("utf8")) : undefined;
}

function isTimestamp(text: string): boolean {
  const found =
    /^([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})(?:[Tt ]([0-9]{1,2}):([0-9]{1,2}):([0-9]{1,2})(?:\.[0-9]+)?(Z|[-+][0-9]{2}:[0-9]{2})?)?$/.exec(
      text,
    );
  if (found === null) return false;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = found.slice(1, 7).map(Number);
  const days = new Date(Date.UTC(year, month, 0)).getUTCDate();
  const zoned = /[Tt]/.test(text) === (found[7] !== undefined);
  return (
    zoned &&
    month >= 1 &&
    month <= 12 &&
    day >= 1 &&
    day <= days &&
    !(hour > 23 || minute > 59 || second > 59)
  );
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
