/**
 * Resource quantities (apimachinery `resource.ParseQuantity`): a decimal number with a binary suffix (Ki … Ei), a
 * decimal suffix (n … E) or an exponent. Values are kept exactly, in billionths; finer ones are rounded away from
 * zero as the API server does, and the magnitude is capped at 2^63 - 1, beyond which it is not exact either.
 */

import { withoutEnd } from "../core/trim.js";

/** An exact amount in billionths (10^-9). */
export type Nano = bigint;

const NANO = 1_000_000_000n;
const CAP = ((1n << 63n) - 1n) * NANO;
const SHAPE = /^([+-]?)([0-9]*)(?:\.([0-9]*))?([A-Za-z]*|[eE][+-]?[0-9]+)$/;
const DECIMAL = new Map([
  ["n", -9],
  ["u", -6],
  ["m", -3],
  ["", 0],
  ["k", 3],
  ["M", 6],
  ["G", 9],
  ["T", 12],
  ["P", 15],
  ["E", 18],
]);
const BINARY = new Map(["Ki", "Mi", "Gi", "Ti", "Pi", "Ei"].map((suffix, i) => [suffix, 10 * (i + 1)]));
/** Beyond this exponent a value other than zero is the cap or the least amount. */
const EXPONENT_LIMIT = 64;

/** The exact amount, or undefined when the text is not a quantity. */
export function parseQuantity(text: string): Nano | undefined {
  const [, sign, whole = "", fraction = "", suffix = ""] = SHAPE.exec(text) ?? [];
  if (sign === undefined || text === "") return undefined;
  // No digit at all is zero: the API server takes `k` and `.` as well.
  const mantissa = BigInt(`0${whole}${fraction}`) * (sign === "-" ? -1n : 1n);
  const shift = BINARY.get(suffix);
  if (shift !== undefined) return scaled(mantissa << BigInt(shift), -fraction.length);
  const exponent = /^[eE][+-]?[0-9]+$/.test(suffix) ? Number(suffix.slice(1)) : DECIMAL.get(suffix);
  return exponent === undefined ? undefined : scaled(mantissa, exponent - fraction.length);
}

function scaled(mantissa: bigint, exponent: number): Nano {
  if (mantissa === 0n) return 0n;
  const digits = String(mantissa).length;
  const power = exponent + 9;
  if (power + digits > EXPONENT_LIMIT) return mantissa > 0n ? CAP : -CAP;
  if (power + digits < 0) return mantissa > 0n ? 1n : -1n;
  if (power >= 0) return capped(mantissa * 10n ** BigInt(power));
  const divisor = 10n ** BigInt(-power);
  const quotient = mantissa / divisor;
  const exact = quotient * divisor === mantissa;
  return capped(exact ? quotient : quotient + (mantissa > 0n ? 1n : -1n));
}

const capped = (value: Nano): Nano => (value > CAP ? CAP : value < -CAP ? -CAP : value);

/** Negative, zero or positive, as for a sort; undefined when one of the two is not a quantity. */
export function compareQuantities(a: string, b: string): number | undefined {
  const [left, right] = [parseQuantity(a), parseQuantity(b)];
  if (left === undefined || right === undefined) return undefined;
  return left < right ? -1 : left > right ? 1 : 0;
}

/** An amount for people: with the largest binary suffix that leaves a whole number, else as a plain number. */
export function formatQuantity(amount: Nano): string {
  const sign = amount < 0n ? "-" : "";
  const size = amount < 0n ? -amount : amount;
  const whole = size / NANO;
  const rest = size % NANO;
  if (rest !== 0n) return `${sign}${whole}.${withoutEnd(String(rest).padStart(9, "0"), "0")}`;
  const [suffix = "", shift = 0] =
    [...BINARY].reverse().find(([, bits]) => whole !== 0n && whole % (1n << BigInt(bits)) === 0n) ?? [];
  return `${sign}${whole >> BigInt(shift)}${suffix}`;
}

/**
 * A quantity as Go prints it again (apimachinery `Quantity.MarshalJSON`): as it was written where it looks canonical to it,
 * else with the largest suffix that leaves a whole number, of the family that it was written in; less than 1024 and
 * fractions are decimal. Undefined when the text is not a quantity.
 */
export function canonicalQuantity(text: string): string | undefined {
  const amount = parseQuantity(text);
  if (amount === undefined || amount === 0n) return amount === undefined ? undefined : "0";
  if (isKept(text)) return text;
  const sign = amount < 0n ? "-" : "";
  const size = amount < 0n ? -amount : amount;
  const whole = size / NANO;
  if (text.endsWith("i") && whole >= 1024n && size % NANO === 0n) {
    const [suffix = "", bits = 0] =
      [...BINARY].reverse().find(([, shift]) => whole % (1n << BigInt(shift)) === 0n) ?? [];
    return `${sign}${whole >> BigInt(bits)}${suffix}`;
  }
  const [suffix = "", power = -9] =
    [...DECIMAL].reverse().find(([, exponent]) => size % 10n ** BigInt(exponent + 9) === 0n) ?? [];
  const isExponent = /[eE][+-]?[0-9]+$/.test(text);
  return `${sign}${size / 10n ** BigInt(power + 9)}${isExponent && power !== 0 ? `e${power}` : isExponent ? "" : suffix}`;
}

/** Digits that Go reads by the short way. */
const SHORT = { decimal: 18, binary: 14 };

/** What Go takes for canonical without looking closer: that is a matter of the digits alone. */
function isKept(text: string): boolean {
  const [, , whole = "", fraction = "", suffix = ""] = SHAPE.exec(text) ?? [];
  const number = whole.replace(/^0+/, "") || "0";
  const digits = number + fraction;
  const bits = BINARY.get(suffix);
  if (bits !== undefined)
    return (
      fraction === "" &&
      number.length + Math.trunc((bits * 3) / 10) <= SHORT.binary &&
      (BigInt(number) & 7n) !== 0n
    );
  const exponent = DECIMAL.get(suffix) ?? Number(suffix.slice(1));
  const scale = exponent - fraction.length;
  return (
    digits.length <= SHORT.decimal &&
    scale >= -9 &&
    scale % 3 === 0 &&
    !digits.endsWith("000") &&
    !digits.startsWith("0")
  );
}
