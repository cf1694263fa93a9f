/** Why Go does not read a text as a quantity (apimachinery `resource.ParseQuantity`), in its words. */

const FORMAT = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const SUFFIX = "unable to parse quantity's suffix";
const NUMERIC = "unable to parse numeric part of quantity";

const DECIMAL = new Set(["", "n", "u", "m", "k", "M", "G", "T", "P", "E"]);
const BINARY = new Set(["Ki", "Mi", "Gi", "Ti", "Pi", "Ei"]);
const USUAL = /^[0-9]+(?:m|k|[KMG]i?)?$/;
/** Digits that follow no letter and no sign are of the number, so that no digit can be of both. */
const NUMBER_AND_SUFFIX = /^([+-]?[0-9]*(?:\.[0-9]*)?)([eEinumkKMGTP]+(?:[-+]?[0-9]*)|[-+][0-9]*|)$/;
const MAX_INT64 = (1n << 63n) - 1n;

/** Undefined for a quantity. */
export function quantityFault(text: string): string | undefined {
  if (USUAL.test(text)) return undefined;
  const parts = NUMBER_AND_SUFFIX.exec(text);
  if (text === "" || parts === null) return FORMAT;
  const [, value = "", suffix = ""] = parts;
  const hasDigits = /[0-9]/.test(value);
  if (DECIMAL.has(suffix)) return undefined;
  // Without a digit it is zero, as long as the number is small enough for the quick way.
  if (BINARY.has(suffix)) return hasDigits || (suffix !== "Pi" && suffix !== "Ei") ? undefined : NUMERIC;
  const exponent = /^[eE]([-+]?[0-9]+)$/.exec(suffix)?.[1];
  if (exponent === undefined) return SUFFIX;
  const number = BigInt(exponent.replace("+", ""));
  if (number > MAX_INT64 || number < -MAX_INT64 - 1n) return SUFFIX;
  return hasDigits || Number(BigInt.asIntN(32, number)) >= -9 ? undefined : NUMERIC;
}
