/**
 * Constants in expressions that a server refuses before any object is there: conversions of a constant, which are made
 * when the program is built (google/cel-go interpreter/decorators.go), patterns, and the texts of format() with what is
 * put into them (cel/validator.go, ext/formatting.go).
 */
import { compileGoPattern } from "../../text/go-regexp.js";
import type { Checked } from "./checked.js";
import type { CelConstant, CelExpression } from "./expressions.js";
import type { CelType } from "./types.js";

const between = (least: bigint, most: bigint) => (value: bigint) => value >= least && value <= most;
const isInt = between(-(2n ** 63n), 2n ** 63n - 1n);
const isUint = between(0n, 2n ** 64n - 1n);
/** Seconds since 1970 that a time may have: the years 1 to 9999. */
const isTime = between(-62_135_596_800n, 253_402_300_799n);

/** Why a number that is written out cannot be read. */
export const literalFault = (value: CelConstant): string | undefined =>
  typeof value === "bigint" && !isInt(value) ? "Syntax error: invalid int literal" : undefined;

/** What is wrong with a constant in a call that is looked at beside the types; it is a matter of the first argument. */
export function argumentFault(name: string, [first]: readonly CelExpression[]): string | undefined {
  if (first?.kind !== "literal") return undefined;
  const isSound =
    name === "matches"
      ? typeof first.value !== "string" || isGoPattern(first.value)
      : (name !== "duration" && name !== "timestamp") || CONVERSIONS.get(name)?.(first.value) !== undefined;
  return isSound ? undefined : `invalid ${name} argument`;
}

/** What is known of a constant: its value, or that it is some text, or a list, a map, a time, a duration or a type. */
type Known = { readonly value: CelConstant } | "text" | "other";

/** Why no program can be made of the expression; the first is what the server tells. */
export function constantFaults(checked: Checked): string[] {
  const faults: string[] = [];
  const known = new Map<CelExpression, Known | undefined>();
  const of = (expression: CelExpression): Known | undefined => {
    if (!known.has(expression)) known.set(expression, visit(expression));
    return known.get(expression);
  };
  const visit = (expression: CelExpression): Known | undefined => {
    switch (expression.kind) {
      case "literal":
        return { value: expression.value };
      case "select":
        if (!checked.isName(expression)) of(expression.operand);
        return undefined;
      case "list":
        return expression.items.map(of).every((each) => each !== undefined) ? "other" : undefined;
      case "map":
        return expression.entries.flatMap((entry) => entry.map(of)).every((each) => each !== undefined)
          ? "other"
          : undefined;
      case "fold":
        for (const each of [
          expression.start,
          expression.range,
          expression.condition,
          expression.step,
          expression.result,
        ])
          of(each);
        return undefined;
      case "call": {
        const call = checked.callOf(expression);
        const target = call?.target === undefined ? [] : [call.target];
        const args = [...target, ...expression.args].map(of);
        return call === undefined ? undefined : evaluated(call.name, args, faults);
      }
      default:
        return undefined;
    }
  };
  of(checked.tree);
  return faults;
}

function evaluated(name: string, args: readonly (Known | undefined)[], faults: string[]): Known | undefined {
  const [first, second] = args.map((each) => (typeof each === "object" ? each.value : undefined));
  const convert = CONVERSIONS.get(name);
  if (convert !== undefined && args.length === 1 && args[0] !== undefined) {
    if (first === undefined) return name === "dyn" ? args[0] : "other";
    const result = isTaken(name, first) ? convert(first) : undefined;
    if (result === undefined) faults.push(`invalid ${name} argument`);
    return result;
  }
  if (name === "_[_]" || name === "_[?_]") {
    const isKey = second === undefined ? args[1] !== "other" : KEYS.has(kindOf(second));
    if (!isKey) faults.push("invalid qualifier type");
  }
  const isPattern = PATTERNS.has(name) && args.length > 1;
  if (isPattern && typeof second === "string" && !isGoPattern(second))
    faults.push(`invalid ${name} argument`);
  return undefined;
}

const PATTERNS = new Set(["matches", "find", "findAll"]);
/** Compiling longer patterns is not worth it; they are taken. */
const isGoPattern = (text: string): boolean => text.length > 1_000 || compileGoPattern(text) !== undefined;

const kindOf = (value: CelConstant): string =>
  value === null ? "null" : value instanceof Uint8Array ? "bytes" : typeof value;
/** What an index may be; a number without a sign is an object here. */
const KEYS = new Set(["string", "bigint", "number", "boolean", "object"]);

/** Constants that a conversion takes, whatever dyn() made of their types. */
const TAKEN: ReadonlyMap<string, readonly string[]> = new Map([
  ["bool", ["string", "boolean"]],
  ["bytes", ["string", "bytes"]],
  ["double", ["string", "bigint", "number", "object"]],
  ["duration", ["string"]],
  ["int", ["string", "bigint", "number", "object"]],
  ["string", ["string", "bigint", "number", "object", "boolean", "bytes"]],
  ["timestamp", ["string", "bigint"]],
  ["uint", ["string", "bigint", "number", "object"]],
]);
const isTaken = (name: string, value: CelConstant): boolean =>
  TAKEN.get(name)?.includes(kindOf(value)) ?? true;

/** What a conversion makes of a constant; undefined where it fails. */
type Conversion = (value: CelConstant) => Known | undefined;

const known = (value: CelConstant): Known => ({ value });
const fitting =
  (test: (text: string) => boolean): Conversion =>
  (value) =>
    typeof value !== "string" || test(value) ? "other" : undefined;
const unsignedOf = (value: CelConstant): bigint | undefined =>
  typeof value === "object" && value !== null && "unsigned" in value ? value.unsigned : undefined;

/** What is not told apart here is taken as it is: a server may refuse more. */
const CONVERSIONS: ReadonlyMap<string, Conversion> = new Map([
  ["dyn", known],
  ["type", () => "other"],
  [
    "bool",
    (value) =>
      typeof value !== "string"
        ? known(value)
        : /^(?:1|t|T|TRUE|true|True|0|f|F|FALSE|false|False)$/.test(value)
          ? known(/^[1tT]/.test(value))
          : undefined,
  ],
  ["bytes", (value) => known(typeof value === "string" ? new TextEncoder().encode(value) : value)],
  [
    "double",
    (value) => (typeof value === "string" ? double(value) : known(Number(unsignedOf(value) ?? value))),
  ],
  ["duration", fitting(isDuration)],
  [
    "timestamp",
    (value) => (typeof value === "bigint" && !isTime(value) ? undefined : fitting(isTimestamp)(value)),
  ],
  ["int", (value) => whole(value, isInt, /^[-+]?\d+$/, known)],
  ["uint", (value) => whole(value, isUint, /^\d+$/, (unsigned) => known({ unsigned }))],
  [
    "string",
    (value) => {
      if (value instanceof Uint8Array) return decoded(value);
      const whole = unsignedOf(value) ?? value;
      return typeof whole === "string" || typeof whole === "bigint" ? known(String(whole)) : "text";
    },
  ],
]);

function whole(
  value: CelConstant,
  fits: (value: bigint) => boolean,
  form: RegExp,
  result: (value: bigint) => Known,
): Known | undefined {
  const found =
    typeof value === "string"
      ? form.test(value)
        ? BigInt(value.replace("+", ""))
        : undefined
      : typeof value === "number"
        ? Number.isFinite(value) && value !== -(2 ** 63)
          ? BigInt(Math.trunc(value))
          : undefined
        : typeof value === "bigint"
          ? value
          : unsignedOf(value);
  if (found === undefined) return undefined;
  // A number just above -1 has no whole part, and is below zero all the same.
  return fits(found) && !(typeof value === "number" && value < 0 && !fits(-1n)) ? result(found) : undefined;
}

function decoded(bytes: Uint8Array): Known | undefined {
  try {
    return known(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

/** What Go reads as a number, and more where its form is wide: what is taken here and wrong is told by the server alone. */
function double(text: string): Known | undefined {
  const digits = text.replace(/(?<=\d)_(?=\d)/g, "");
  if (/^[-+]?(?:inf(?:inity)?|nan|0x[\da-f_.]+(?:p[-+]?\d+)?)$/i.test(digits)) return "other";
  if (!/^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?$/i.test(digits)) return undefined;
  const value = Number(digits);
  return Number.isFinite(value) ? known(value) : undefined;
}

const UNITS: ReadonlyMap<string, number> = new Map([
  ["ns", 1e-9],
  ["us", 1e-6],
  ["µs", 1e-6],
  ["μs", 1e-6],
  ["ms", 1e-3],
  ["s", 1],
  ["m", 60],
  ["h", 3_600],
]);
/** Seconds that surely do not fit into 64 bits of nanoseconds. */
const TOO_LONG = 9_223_372_037;

function isDuration(text: string): boolean {
  if (!/^[-+]?(?:0|(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/.test(text)) return false;
  const parts = text.matchAll(/(?<![\d.])([\d.]+)(ns|us|µs|μs|ms|s|m|h)/g);
  const seconds = [...parts].reduce(
    (sum, [, count, unit]) => sum + Number(count) * (UNITS.get(unit ?? "") ?? 0),
    0,
  );
  return seconds < TOO_LONG;
}

function isTimestamp(text: string): boolean {
  const found = /^(\d{4})-(\d\d)-(\d\d)T(\d\d?):(\d\d):(\d\d)(?:[.,]\d+)?(?:Z|([+-])(\d\d):(\d\d))$/.exec(
    text,
  );
  if (found === null) return false;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = found.slice(1, 7).map(Number);
  const [zoneHour = 0, zoneMinute = 0] = found.slice(8).map((each) => Number(each ?? 0));
  const time = new Date(0);
  time.setUTCFullYear(year, month - 1, day);
  if (time.getUTCMonth() !== month - 1 || time.getUTCDate() !== day) return false;
  if (hour > 23 || minute > 59 || second > 59 || zoneHour > 24 || zoneMinute > 60) return false;
  time.setUTCHours(hour, minute, second);
  const zone = (zoneHour * 60 + zoneMinute) * (found[7] === "-" ? -60 : 60);
  return isTime(BigInt(time.getTime() / 1_000 - zone));
}

// ---- format() ----

/** Kinds of values that a letter of a format takes; what is dynamic fits each. */
const CLAUSES: ReadonlyMap<string, readonly string[]> = new Map([
  [
    "s",
    [
      "list",
      "map",
      "int",
      "uint",
      "double",
      "bool",
      "string",
      "timestamp",
      "bytes",
      "duration",
      "type",
      "null",
    ],
  ],
  ["d", ["int", "uint"]],
  ["f", ["double", "string"]],
  ["e", ["double", "string"]],
  ["b", ["int", "uint", "bool"]],
  ["x", ["int", "uint", "string", "bytes"]],
  ["X", ["int", "uint", "string", "bytes"]],
  ["o", ["int", "uint"]],
]);

/** What is wrong with a text that is written out for what is put into it. */
export function formatFault(
  text: string,
  args: readonly CelExpression[],
  checked: Checked,
): string | undefined {
  let count = 0;
  for (let i = text.indexOf("%"); i >= 0; i = text.indexOf("%", i)) {
    if (text[i + 1] === "%") {
      i += 2;
      continue;
    }
    if (i + 1 >= text.length) return "unexpected end of string";
    const arg = args[count++];
    if (arg === undefined) return `index ${count - 1} out of range`;
    const clause = /^%(?:\.(\d+))?([^.\d])/s.exec(text.slice(i, i + LONGEST_CLAUSE));
    const [whole = "", precision = "0", letter = ""] = clause ?? [];
    if ((clause === null && text[i + 1] === ".") || !isInt(BigInt(precision)))
      return "error while parsing precision";
    const kinds = CLAUSES.get(letter);
    if (kinds === undefined) return `unrecognized formatting clause "${letter || text[i + 1]}"`;
    if (!fitsClause(arg, kinds, letter === "s", checked))
      return `error during formatting: %${letter} was given ${checked.typeOf(arg).name}`;
    i += whole.length;
  }
  return args.length > count
    ? `too many arguments supplied to string.format (expected ${count}, got ${args.length})`
    : undefined;
}

/** Longer than any number of digits that fits. */
const LONGEST_CLAUSE = 24;

function fitsClause(
  arg: CelExpression,
  kinds: readonly string[],
  isText: boolean,
  checked: Checked,
): boolean {
  const type = checked.typeOf(arg);
  if (!isKind(type, kinds)) return false;
  if (!isText) return true;
  const parts = arg.kind === "list" ? arg.items : arg.kind === "map" ? arg.entries.flat() : [];
  return parts.every((each) => fitsClause(each, kinds, true, checked));
}

const isKind = ({ name, fields }: CelType, kinds: readonly string[]): boolean =>
  fields === undefined && (name === "dyn" || name === "error" || kinds.includes(name));
