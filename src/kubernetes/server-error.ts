/** Refusals in the words of the API server (apimachinery `util/validation/field`, `util/validation`; release 1.37). */
import type { ErrorKind } from "../core/diagnostics.js";
import type { Json } from "../core/json.js";
import { isDnsSubdomain } from "./names.js";

export interface ServerError {
  readonly field: string;
  readonly kind: ErrorKind;
  /** What stands behind the field: `Invalid value: "x": detail`. */
  readonly message: string;
  /** False where the server prints a value in a form that cannot be known beforehand. */
  readonly exact: boolean;
}

const withDetail = (head: string, detail: string): string => (detail === "" ? head : `${head}: ${detail}`);

export const required = (field: string, detail = ""): ServerError => ({
  field,
  kind: "Required",
  message: withDetail("Required value", detail),
  exact: true,
});

export const forbidden = (field: string, detail: string): ServerError => ({
  field,
  kind: "Forbidden",
  message: withDetail("Forbidden", detail),
  exact: true,
});

export const invalid = (field: string, value: Json, detail: string): ServerError => ({
  field,
  kind: "Invalid",
  message: withDetail(`Invalid value: ${valueText(value)}`, detail),
  exact: true,
});

/** For a value that the server prints as its own structure. */
export const invalidStructure = (field: string, detail: string): ServerError => ({
  field,
  kind: "Invalid",
  message: withDetail("Invalid value: ...", detail),
  exact: false,
});

export const duplicate = (field: string, value: Json): ServerError => ({
  field,
  kind: "Duplicate",
  message: `Duplicate value: ${valueText(value)}`,
  exact: true,
});

export const notSupported = (field: string, value: Json, supported: readonly string[]): ServerError => ({
  field,
  kind: "NotSupported",
  message: `Unsupported value: ${valueText(value)}: supported values: ${supported.map(goQuoted).join(", ")}`,
  exact: true,
});

/** For a text that the server holds by reference: it is printed as JSON, as everything but plain texts is. */
export const invalidOptional = (field: string, value: string, detail: string): ServerError => ({
  ...invalid(field, value, detail),
  message: withDetail(`Invalid value: ${goJson(value)}`, detail),
});

const valueText = (value: Json): string => (typeof value === "string" ? goQuoted(value) : goJson(value));

/** JSON as Go writes it. */
const goJson = (value: Json): string =>
  JSON.stringify(value).replace(/[<>&\u2028\u2029]/g, (found) => hexOf(found).replace("\\x", "\\u00"));

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['"', '\\"'],
  ["\\", "\\\\"],
  ["\x07", "\\a"],
  ["\b", "\\b"],
  ["\f", "\\f"],
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
  ["\v", "\\v"],
]);

/** A text as Go's `%q` prints it. */
export const goQuoted = (text: string): string =>
  `"${text.replace(/["\\]|(?! )[\p{C}\p{Z}]/gu, (found) => ESCAPES.get(found) ?? hexOf(found))}"`;

function hexOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x80) return `\\x${code.toString(16).padStart(2, "0")}`;
  return code > 0xffff
    ? `\\U${code.toString(16).padStart(8, "0")}`
    : `\\u${code.toString(16).padStart(4, "0")}`;
}

const bytesOf = (text: string): number => Buffer.byteLength(text, "utf8");

/** What the server says of a text that should be a DNS-1035 label; empty when nothing. */
export const dns1035Faults = (text: string): string[] => [
  ...(bytesOf(text) > 63 ? ["must be no more than 63 characters"] : []),
  ...(/^[a-z](?:[-a-z0-9]*[a-z0-9])?$/.test(text)
    ? []
    : [
        "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
      ]),
];

/** The same for a subdomain of RFC 1123. */
export const subdomainFaults = (text: string): string[] => [
  ...(bytesOf(text) > 253 ? ["must be no more than 253 characters"] : []),
  ...(isDnsSubdomain(text.slice(0, 253)) || (bytesOf(text) > 253 && /^[-a-z0-9.]+$/.test(text))
    ? []
    : [
        "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
      ]),
];

/** A text that has to be one of a few. */
export function enumErrors(field: string, value: string, accepted: readonly string[]): ServerError[] {
  if (value === "") return [required(field)];
  return accepted.includes(value) ? [] : [notSupported(field, value, accepted)];
}
