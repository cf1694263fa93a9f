/**
 * String formats that the API server checks in custom resources (apiextensions `formats.go`, strfmt): dashes in a
 * format name do not count, formats that are not listed are ignored, among them int32 and int64.
 */
import { isIP, isIPv4, isIPv6 } from "node:net";
import { isBase64 } from "../core/base64.js";
import { isDnsLabel, isDnsSubdomain } from "./names.js";

const hex = (groups: string): RegExp => new RegExp(`^${groups}$`, "i");
const uuid = (version: string, variant: string): RegExp =>
  hex(`[0-9a-f]{8}-?[0-9a-f]{4}-?${version}[0-9a-f]{3}-?${variant}[0-9a-f]{3}-?[0-9a-f]{12}`);

const UUID = hex("[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}");
const MAC =
  /^(?:[0-9a-f]{2}([:-])(?:[0-9a-f]{2}\1){4}[0-9a-f]{2}|[0-9a-f]{2}([:-])(?:[0-9a-f]{2}\2){6}[0-9a-f]{2}|(?:[0-9a-f]{4}\.){2}[0-9a-f]{4}|(?:[0-9a-f]{4}\.){3}[0-9a-f]{4})$/i;
const DATE_TIME =
  /^([0-9]{4})-([0-9]{2})-([0-9]{2})[Tt]([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.[0-9]+)?(?:[Zz]|[+-][0-9]{2}:[0-9]{2})$/;
/** Go's `time.ParseDuration`. */
const DURATION = /^[-+]?(?:0|(?:(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:ns|us|µs|μs|ms|s|m|h))+)$/;
/** Scala-like durations, such as `22 days`, which strfmt also takes. */
const LONG_DURATION =
  /^\s*[0-9]+(?:\.[0-9]+)?\s*(?:ns|nanos?|nanoseconds?|us|µs|micros?|microseconds?|ms|millis?|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|wks?|weeks?)\s*$/;
const HOST_NAME =
  /^(?:[a-zA-Z0-9\p{S}\p{L}]-?[a-zA-Z0-9\p{S}\p{L}]{0,62}|(?:[a-zA-Z0-9\p{S}\p{L}](?:[a-zA-Z0-9\-\p{S}\p{L}]{0,61}[a-zA-Z0-9\p{S}\p{L}])?\.)+[a-zA-Z\p{L}]{2,63}|[a-zA-Z0-9\p{S}\p{L}])$/u;

function isCidr(text: string): boolean {
  const slash = text.indexOf("/");
  const [address, bits] = [text.slice(0, slash), text.slice(slash + 1)];
  const family = isIP(address);
  return slash > 0 && family !== 0 && /^[0-9]{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128);
}

function isDate(year: string, month: string, day: string): boolean {
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  return date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day);
}

function isDateTime(text: string): boolean {
  const [, year = "", month = "", day = "", hour, minute, second] = DATE_TIME.exec(text) ?? [];
  if (year === "" || !isDate(year, month, day)) return false;
  return Number(hour) < 24 && Number(minute) < 60 && Number(second) < 60;
}

function isRequestUri(text: string): boolean {
  if (!/^(?:[a-zA-Z][a-zA-Z0-9+.-]*:|\/)/.test(text) || /[\s\p{Cc}]/u.test(text)) return false;
  return text.startsWith("/") || URL.canParse(text);
}

const FORMATS: ReadonlyMap<string, (text: string) => boolean> = new Map([
  ["uuid", (text: string) => UUID.test(text)],
  ["uuid3", (text: string) => uuid("3", "[0-9a-f]").test(text)],
  ["uuid4", (text: string) => uuid("4", "[89ab]").test(text)],
  ["uuid5", (text: string) => uuid("5", "[89ab]").test(text)],
  ["ipv4", isIPv4],
  ["ipv6", isIPv6],
  ["cidr", isCidr],
  ["mac", (text: string) => MAC.test(text)],
  ["hostname", (text: string) => text.length <= 255 && HOST_NAME.test(text)],
  ["uri", isRequestUri],
  ["email", (text: string) => /^[^\s@<>]+@[^\s@<>]+$/.test(text)],
  ["byte", isBase64],
  ["date", (text: string) => /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/.test(text) && isDateTime(`${text}T00:00:00Z`)],
  ["datetime", isDateTime],
  ["duration", (text: string) => DURATION.test(text) || LONG_DURATION.test(text)],
  ["hexcolor", (text: string) => /^#?(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/.test(text)],
  ["ssn", (text: string) => /^[0-9]{3}[- ]?[0-9]{2}[- ]?[0-9]{4}$/.test(text)],
  ["bsonobjectid", (text: string) => /^[0-9a-fA-F]{24}$/.test(text)],
  ["k8sshortname", (text: string) => isDnsLabel(text)],
  ["k8slongname", (text: string) => isDnsSubdomain(text)],
]);

/** True for a text of the format, and for every text when the API server does not check the format. */
export const fitsFormat = (format: string, text: string): boolean =>
  FORMATS.get(format.replaceAll("-", ""))?.(text) ?? true;
