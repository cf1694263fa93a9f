/**
 * String formats that the API server checks in custom resources (apiextensions `formats.go`, kube-openapi `strfmt`): dashes
 * in a format name do not count, formats that are not listed are ignored, among them int32 and int64.
 */
import { isIPv4, isIPv6 } from "node:net";
import { isBase64 } from "../core/base64.js";
import { isGoTime } from "../core/time.js";
import { parseUri } from "../text/uri.js";

const ADDRESS =
  /^[^\s"(),.:;<>@[\]\\]+(?:\.[^\s"(),.:;<>@[\]\\]+)*@[^\s"(),.:;<>@[\]\\]+(?:\.[^\s"(),.:;<>@[\]\\]+)*$/;
/**
 * One address, with a name before it in angle brackets or without. The rest of the grammar of Go's `net/mail`, quoted and
 * encoded parts, comments, domain literals and groups, is not checked: hardly any definition has an address in a default.
 */
function isEmail(text: string): boolean {
  if (/["([\]:]|=\?/.test(text)) return text.includes("@");
  const [, named] = /^[^<>@,;]*<([^<>]*)>$/.exec(text.trim()) ?? [];
  return ADDRESS.test((named ?? text).trim());
}

const hex = (groups: string): RegExp => new RegExp(`^${groups}$`, "i");
const uuid = (version: string, variant: string): RegExp =>
  hex(`[0-9a-f]{8}-?[0-9a-f]{4}-?${version}[0-9a-f]{3}-?${variant}[0-9a-f]{3}-?[0-9a-f]{12}`);

const UUID = hex("[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}");
/** Addresses of 6, 8 or 20 bytes; without anything between them they are read since Go 1.26. */
const MAC = new RegExp(
  `^(?:${[6, 8, 20]
    .flatMap((bytes) => [
      ...[":", "-"].map((between) => `[0-9a-f]{2}(?:${between}[0-9a-f]{2}){${bytes - 1}}`),
      `[0-9a-f]{4}(?:\\.[0-9a-f]{4}){${bytes / 2 - 1}}`,
      `[0-9a-f]{${2 * bytes}}`,
    ])
    .join("|")})$`,
  "i",
);
const TIME_OF_DAY = /^([0-9]{2}):([0-9]{2}):([0-9]{2})(?:.[0-9]+)?(?:z|[+-][0-9]{2}:[0-9]{2})$/u;
/** Go's `time.ParseDuration`. */
const DURATION = /^[-+]?(?:0|(?:(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:ns|us|µs|μs|ms|s|m|h))+)$/;
/** What a metav1.Duration reads; any other text breaks the reading of its object, and of every LIST, in controllers. */
export const isGoDuration = (text: string): boolean => DURATION.test(text);
/** Words of Scala's durations, such as `22 days`; the longer ones may go on as they like. */
const DURATION_UNIT = /^(?:ns|us|µs|ms|s|m|h|hr|d|w|wk|(?:nano|micro|milli|sec|min|hour|day|week).*)$/i;
const HOST_NAME =
  /^(?:[a-zA-Z0-9\p{S}\p{L}]-?[a-zA-Z0-9\p{S}\p{L}]{0,62}|(?:[a-zA-Z0-9\p{S}\p{L}](?:[a-zA-Z0-9\-\p{S}\p{L}]{0,61}[a-zA-Z0-9\p{S}\p{L}])?\.)+[a-zA-Z\p{L}]{2,63}|[a-zA-Z0-9\p{S}\p{L}])$/u;
const SHORT_NAME = "[a-z0-9](?:[-a-z0-9]*[a-z0-9])?";
const [IS_SHORT_NAME, IS_LONG_NAME] = [
  new RegExp(`^${SHORT_NAME}$`),
  new RegExp(`^${SHORT_NAME}(?:\\.${SHORT_NAME})*$`),
];
const BYTE = "[\\t\\n\\f\\r ]*(?:0|[1-9]\\d?|1\\d\\d?|2[0-4]\\d|25[0-5])[\\t\\n\\f\\r ]*";
const RGB_COLOR = new RegExp(`^rgb\\(${BYTE},${BYTE},${BYTE}\\)$`);
const CREDIT_CARD =
  /^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}|3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35\d{3})\d{11})$/;

const byteLength = (text: string): number => Buffer.byteLength(text);

const isHostName = (text: string): boolean =>
  byteLength(text) <= 255 &&
  HOST_NAME.test(text) &&
  text.split(".").every((label) => byteLength(label) <= 63);

/** As Go once read addresses, with more zeros before a number than need be. */
const withoutZeros = (text: string): string => text.replace(/(?<![0-9a-fA-F])0+(?=[0-9a-fA-F])/g, "");
const isSloppyIPv4 = (text: string): boolean => isIPv4(withoutZeros(text));
const isSloppyIPv6 = (text: string): boolean => isPlainIPv6(withoutZeros(text));
/** Without a zone. */
const isPlainIPv6 = (text: string): boolean => isIPv6(text) && !text.includes("%");

/** Colons of a host stand in brackets: so Go since 1.26, for addresses of the web. */
function isUri(text: string): boolean {
  const uri = parseUri(text, "request");
  if (uri === undefined || !/^https?$/.test(uri.scheme) || !uri.hostname.includes(":"))
    return uri !== undefined;
  return /^[^/]*\/\/(?:[^/?@]*@)?\[/.test(text);
}

function isCidr(text: string): boolean {
  const slash = text.indexOf("/");
  const [address, bits] = [text.slice(0, slash), text.slice(slash + 1)];
  if (slash < 0 || !/^[0-9]+$/.test(bits)) return false;
  return Number(bits) <= (isSloppyIPv4(address) ? 32 : isSloppyIPv6(address) ? 128 : -1);
}

const isDate = (text: string): boolean => /^[0-9-]*$/.test(text) && isGoTime(`${text}T00:00:00Z`);

/** What stands behind a second T is not looked at. */
function isDateTime(text: string): boolean {
  const [date = "", time = ""] = text.toLowerCase().split("t");
  const [, hour = "24", minute = "", second = ""] = TIME_OF_DAY.exec(time) ?? [];
  return isDate(date) && hour < "24" && minute < "60" && second < "60";
}

const LARGEST = 1n << 63n;

function isDuration(text: string): boolean {
  const wholes = text.match(/(?<![.0-9])[0-9]+/g) ?? [];
  if (DURATION.test(text) && wholes.every((each) => BigInt(each) < LARGEST)) return true;
  const words = [...text.matchAll(/(?<![0-9])([0-9]+)[\t\n\f\r ]*([A-Za-zµ]+)/g)];
  return (
    words.every(([, count = ""]) => BigInt(count) < LARGEST) &&
    words.some(([, , unit = ""]) => DURATION_UNIT.test(unit))
  );
}

/** The check digit by Luhn; whatever is no digit does not count. */
function isCreditCard(text: string): boolean {
  const digits = text.replace(/[^0-9]+/g, "");
  const sum = [...digits].reverse().reduce((total, digit, i) => {
    const weighed = Number(digit) * ((i % 2) + 1);
    return total + (weighed > 9 ? weighed - 9 : weighed);
  }, 0);
  return CREDIT_CARD.test(digits) && sum % 10 === 0;
}

const bookNumber = (text: string): string => text.replace(/[\t\n\f\r -]+/g, "");
const weighedSum = (digits: string, weight: (place: number) => number): number =>
  [...digits].reduce((sum, digit, i) => sum + weight(i) * (digit === "X" ? 10 : Number(digit)), 0);

function isIsbn10(text: string): boolean {
  const digits = bookNumber(text);
  return /^[0-9]{9}[0-9X]$/.test(digits) && weighedSum(digits, (i) => i + 1) % 11 === 0;
}

function isIsbn13(text: string): boolean {
  const digits = bookNumber(text);
  return /^[0-9]{13}$/.test(digits) && weighedSum(digits, (i) => (i % 2 === 0 ? 1 : 3)) % 10 === 0;
}

const FORMATS: ReadonlyMap<string, (text: string) => boolean> = new Map([
  ["uuid", (text: string) => UUID.test(text)],
  ["uuid3", (text: string) => uuid("3", "[0-9a-f]").test(text)],
  ["uuid4", (text: string) => uuid("4", "[89ab]").test(text)],
  ["uuid5", (text: string) => uuid("5", "[89ab]").test(text)],
  ["ipv4", (text: string) => text.includes(".") && (isSloppyIPv4(text) || isSloppyIPv6(text))],
  ["ipv6", isPlainIPv6],
  ["cidr", isCidr],
  ["mac", (text: string) => MAC.test(text)],
  ["hostname", isHostName],
  ["uri", isUri],
  ["email", isEmail],
  ["byte", (text: string) => text !== "" && isBase64(text)],
  ["date", isDate],
  ["datetime", isDateTime],
  ["duration", isDuration],
  ["hexcolor", (text: string) => /^#?(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/.test(text)],
  ["rgbcolor", (text: string) => RGB_COLOR.test(text)],
  ["creditcard", isCreditCard],
  ["isbn", (text: string) => isIsbn10(text) || isIsbn13(text)],
  ["isbn10", isIsbn10],
  ["isbn13", isIsbn13],
  ["ssn", (text: string) => /^[0-9]{3}[- ][0-9]{2}[- ][0-9]{4}$/.test(text)],
  ["bsonobjectid", (text: string) => /^[0-9a-fA-F]{24}$/.test(text)],
  ["password", () => true],
  ["k8sshortname", (text: string) => text.length <= 63 && IS_SHORT_NAME.test(text)],
  ["k8slongname", (text: string) => text.length <= 253 && IS_LONG_NAME.test(text)],
]);

const checkOf = (format: string): ((text: string) => boolean) | undefined =>
  FORMATS.get(format.replaceAll("-", ""));

/** True for a text of the format, and for every text when the API server does not check the format. */
export const fitsFormat = (format: string, text: string): boolean => checkOf(format)?.(text) ?? true;

/** True for a format that the API server knows for values of the type; others it takes out of a schema. */
export function isKnownFormat(format: string, type: string | undefined): boolean {
  if (type === "integer") return format === "int32" || format === "int64";
  if (type === "number") return format === "float" || format === "double";
  return (type === undefined || type === "string") && checkOf(format) !== undefined;
}
