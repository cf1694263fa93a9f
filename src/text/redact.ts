/**
 * The one place that knows what is secret: the fields that a schema marks `writeOnly`, names such as password or
 * token, and texts that are secret by their shape. Every message, diff and log goes through here before it shows a
 * value.
 */

import type { Problem } from "../core/diagnostics.js";
import { isList, isObject, type Json } from "../core/json.js";
import { WRITE_ONLY_NAMES } from "../generated/secret-names.js";

export const REDACTED = "<redacted>";

/** Names of members and keys that hold secrets, without regard to case, `-` and `_`. */
const SECRET_NAMES: ReadonlySet<string> = new Set([
  ...WRITE_ONLY_NAMES.map(plain),
  "passwd",
  "passwordhash",
  "passphrase",
  "secretkey",
  "secretaccesskey",
  "awssecretaccesskey",
  "awsaccesskeyid",
  "awssessiontoken",
  "clientsecret",
  "privatekey",
  "sshprivatekey",
  "apikey",
  "auth",
  "kubeconfig",
  "clientkeydata",
  ".dockerconfigjson",
  "dockerconfigjson",
  "tls.key",
  "ca.key",
]);
const SECRET_ENDINGS = /(?:password|passwd|token|privatekey|secretkey)$/;
/** Addresses whose user and password are secret, but not the rest. */
const ADDRESS_NAMES: ReadonlySet<string> = new Set(["httpproxy", "httpsproxy"]);

function plain(name: string): string {
  return name.toLowerCase().replace(/[-_]/g, "");
}

/** True for the name of a member or key whose value is secret. */
export function isSecretName(name: string): boolean {
  const folded = plain(name);
  return SECRET_NAMES.has(folded) || SECRET_ENDINGS.test(folded);
}

const SHAPES: readonly (readonly [RegExp, string])[] = [
  [/([a-z][a-z0-9+.-]*:\/\/)[^\s"'<>]*@/gi, `$1${REDACTED}@`],
  [/-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z0-9 ]*PRIVATE KEY-----|$)/g, REDACTED],
  [/((?:ssh-(?:rsa|dss|ed25519)|ecdsa-sha2-nistp\d+|sk-[a-z0-9-]+@openssh\.com) )[^"'\n]*/g, `$1${REDACTED}`],
  [/(\\?"auth\\?"\s*:\s*)\\?"(?:[^"\\]|\\[^"])*\\?"/g, `$1"${REDACTED}"`],
  [/\b(Bearer|Basic) [A-Za-z0-9+/=._~-]{8,}/g, `$1 ${REDACTED}`],
  [/\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g, REDACTED],
  [/\beyJ[A-Za-z0-9+/=_-]{20,}(?:\.[A-Za-z0-9_-]+)*/g, REDACTED],
];

/** A text without what is secret by its shape: user-info of addresses, keys, tokens, registry logins. */
export function redactText(text: string): string {
  return SHAPES.reduce((masked, [shape, mask]) => masked.replace(shape, mask), text);
}

/** A value with every secret member masked, whatever its type; other texts lose what is secret by its shape. */
export function redactValue(value: Json): Json {
  if (typeof value === "string") return redactText(value);
  if (isList(value)) return value.map(redactValue);
  if (!isObject(value)) return value;
  const secretObject = value["kind"] === "Secret";
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      if (isSecretName(name) && member !== null && member !== "") return [name, REDACTED];
      if (secretObject && (name === "data" || name === "stringData") && isObject(member))
        return [name, Object.fromEntries(Object.keys(member).map((key) => [key, REDACTED]))];
      return [name, redactValue(member)];
    }),
  );
}

/** A key in a message: as it is when it looks like one, else only its length, since anything may have become a key. */
export const showKey = (name: string): string =>
  /^[A-Za-z0-9_.$/{}<>[\]@%-]{1,48}$/.test(name) && !isShaped(name)
    ? name
    : `(a key of ${name.length} characters)`;

const isShaped = (text: string): boolean => redactText(text) !== text;

const KEY_LINE = /^(\s*(?:- +)*)(["']?)([A-Za-z_.][\w.-]*)\2\s*:(?:\s+(.*)|)$/;
const FLOW_MEMBER =
  /(\\?["']?)\b([A-Za-z_][\w.-]*)\1(\s*:\s*)("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^\s,{}[\]"']+)/g;

/**
 * A YAML or JSON text with every secret value masked, for diffs and excerpts. Works line by line, so that it does so
 * for a text that cannot be parsed too; the number of lines stays.
 */
export function redactDocument(text: string): string {
  const secretObject = /^\s*["']?kind["']?\s*:\s*["']?Secret\b/m.test(text);
  /** Column of the key whose value goes on in further lines; -1 outside of one. */
  let within = -1;
  let quote = "";
  return text
    .split("\n")
    .map((line) => {
      const indent = line.search(/\S/);
      if (quote !== "") {
        if (line.includes(quote)) quote = "";
        return `${" ".repeat(Math.max(indent, 0))}${REDACTED}`;
      }
      if (indent < 0) return line;
      if (within >= 0 && indent > within) return `${" ".repeat(indent)}${REDACTED}`;
      within = -1;
      const found = KEY_LINE.exec(line);
      const name = found?.[3] ?? "";
      const secretData = secretObject && (name === "data" || name === "stringData");
      if (found === null || !(isSecretName(name) || secretData))
        return redactText(line.replace(FLOW_MEMBER, maskMember));
      const [, lead = "", mark = "", , value = ""] = found;
      within = lead.length;
      const open = /^["']/.exec(value)?.[0] ?? "";
      if (open !== "" && !closes(value, open)) quote = open;
      const shown = value === "" || value.startsWith("#") ? value : REDACTED;
      return `${lead}${mark}${name}${mark}:${shown === "" ? "" : ` ${shown}`}`;
    })
    .join("\n");
}

const closes = (value: string, quote: string): boolean =>
  quote === "'" ? /^'(?:[^']|'')*'/.test(value) : /^"(?:[^"\\]|\\.)*"/.test(value);

const maskMember = (whole: string, mark: string, name: string, colon: string): string =>
  isSecretName(name) ? `${mark}${name}${mark}${colon}${REDACTED}` : whole;

/** Masks the secrets of one document wherever they turn up in what is said about it. */
export interface Redactor {
  text(text: string): string;
  problem(problem: Problem): Problem;
}

/** Texts shorter than this are too common to be masked wherever they stand. */
const SHORTEST = 6;
/** The type of an ssh key, and a word that a script was to replace. */
const NEVER_SECRET = /^(?:ssh-\w+|ecdsa-sha2-\w+|sk-\S+|\$?\{?[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\}?)$/;

/** A redactor that knows the secret values of a document, readable or not. The document is looked at when needed. */
export function redactorFor(source: string): Redactor {
  let secrets: readonly string[] | undefined;
  const text = (given: string): string => {
    secrets ??= secretsIn(source);
    return secrets.reduce((masked, secret) => masked.replaceAll(secret, REDACTED), redactText(given));
  };
  return {
    text,
    problem: (problem) => ({
      ...problem,
      message: text(problem.message),
      ...(problem.hint === undefined ? {} : { hint: text(problem.hint) }),
      ...(problem.field === undefined ? {} : { field: text(problem.field) }),
    }),
  };
}

/** The secret values of a text and their parts, longest first. */
function secretsIn(source: string): string[] {
  const found = new Set<string>();
  const add = (value: string): void => {
    const registries = new Set([...value.matchAll(/\\?"([^"\\]+)\\?"\s*:\s*\{/g)].map(([, name]) => name));
    for (const part of value.split(/[\s"'\\,{}]+/))
      if (part.length >= SHORTEST && !NEVER_SECRET.test(part) && !registries.has(part)) found.add(part);
  };
  let within = -1;
  for (const line of source.split(/\r\n|[\r\n]/)) {
    const indent = line.search(/\S/);
    const named = KEY_LINE.exec(line);
    const name = named?.[3] ?? "";
    if (named !== null && isSecretName(name)) {
      within = (named[1] ?? "").length;
      add(named[4] ?? "");
    } else if (named !== null && ADDRESS_NAMES.has(plain(name))) {
      within = -1;
      const user = /^["']?(?:[^\s/]*\/\/)?(.*)@/.exec(named[4] ?? "")?.[1] ?? "";
      for (const part of user.split(":")) add(part);
    } else if (within >= 0 && (named === null || indent > within)) add(line);
    else within = -1;
    for (const [, , member = "", , value = ""] of line.matchAll(FLOW_MEMBER))
      if (isSecretName(member)) add(value);
  }
  return [...found].sort((a, b) => b.length - a.length);
}
