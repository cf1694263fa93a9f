/**
 * What people put in place of a pull secret (docs/reference/real-inputs.md §2 BR-02, BR-04, BR-06, BR-58). The value is
 * never shown. What the installer accepts is at most a warning here.
 */
import { isJson, isObject, type Json } from "../../core/json.js";
import { jsonFault } from "../../text/json-text.js";
import { placeholderIn } from "./diagnose-placeholders.js";

/** Where the text stands: as a value in an install-config, or as a file of its own. */
export type PullSecretPlace = "config" | "file";

export interface PullSecretFault {
  readonly severity: "error" | "warning";
  readonly message: string;
  readonly hint: string;
  /** The index in the text that it is about. */
  readonly at?: number;
}

/** How to come by one, for whoever has something else in its place. */
const GET_IT: Readonly<Record<PullSecretPlace, string>> = {
  config: "paste the JSON text of the pull secret in single quotes, or pass --pull-secret FILE",
  file: "the file holds the JSON text of the pull secret and nothing else: save it anew, as it was downloaded",
};

/** Everything that is wrong with the text of a pull secret; an empty text is left to the rules. */
export function pullSecretFaults(text: string, place: PullSecretPlace): PullSecretFault[] {
  const trimmed = text.trim();
  if (trimmed === "") return [];
  const start = text.indexOf(trimmed);
  const fault = (message: string, hint = GET_IT[place], at = start): PullSecretFault[] => [
    { severity: "error", message, hint, at },
  ];
  const value = parseJson(trimmed);
  if (value === undefined) {
    const [message, hint] = notJson(trimmed, place);
    return fault(message, hint, start + (jsonFault(trimmed) ?? 0));
  }
  if (typeof value === "string") {
    const inner = parseJson(value.trim());
    if (isObject(inner))
      return fault(
        "the pull secret is encoded twice: JSON text inside of JSON text",
        "remove the outer quotes and the backslashes",
      );
    return fault("the pull secret is a text in quotes, not a JSON object");
  }
  if (!isObject(value)) return fault("the pull secret is not a JSON object");
  // Go's json package finds the member in any letters; null counts as absent.
  const given = Object.entries(value).filter(([name]) => name.toLowerCase() === "auths");
  if (given.length === 0) {
    const looksLikeAuths = Object.values(value).some(
      (entry) => isObject(entry) && entry["auth"] !== undefined,
    );
    return looksLikeAuths
      ? fault(
          "the pull secret has no member auths, but what belongs in it",
          "put it into an object, under auths",
        )
      : fault("the pull secret has no member auths");
  }
  return given.flatMap(([member, auths]) => {
    if (auths === null) return [];
    if (!isObject(auths))
      return fault(
        `auths of the pull secret is ${nameOf(auths)}, not an object`,
        "it maps each registry to its credentials",
        placeOfName(text, member),
      );
    return Object.entries(auths).flatMap(([registry, entry]) =>
      entryFaults(registry, entry, place).map((each) => ({ ...each, at: placeOfName(text, registry) })),
    );
  });
}

/** The index of a name in quotes; that of the text where it is written with escapes. */
export const placeOfName = (text: string, name: string): number =>
  Math.max(text.indexOf(JSON.stringify(name)), 0);

function notJson(text: string, place: PullSecretPlace): [string, string?] {
  const inConfig = place === "config";
  if (placeholderIn(text)?.whole) return ["the pull secret is a placeholder"];
  if (/^(?:~|\.{0,2})\/|^file:|^[A-Za-z]:\\|^[\w./-]+\.(?:json|txt|ya?ml)$/.test(text))
    return inConfig
      ? ["the pull secret looks like the path of a file; the installer reads no file from there"]
      : ["the file holds what looks like the path of another one", "put what is in that one into it"];
  if (/^[A-Za-z0-9+/=\s]+$/.test(text) && isObject(parseJson(fromBase64(text))))
    return ["the pull secret is encoded in base64", "decode it first: base64 -d"];
  if (/^\{\s*\\+"/.test(text))
    return [
      "the quotes of the pull secret are escaped",
      inConfig ? "remove the backslashes, and put the text in single quotes" : "remove the backslashes",
    ];
  if (/^\{\s*'/.test(text)) return ["the pull secret has single quotes where JSON has double ones"];
  if (text.startsWith("{") && /\.{3}|…/.test(text))
    return ["the pull secret holds dots in place of its content"];
  if (text.startsWith("{") && count(text, "{") > count(text, "}"))
    return ["the pull secret ends too early: its last } is missing"];
  if (text.startsWith("{"))
    return ["the pull secret is not valid JSON; was it cut, or broken by a line end?"];
  return ["the pull secret is not JSON text"];
}

function entryFaults(registry: string, entry: Json, place: PullSecretPlace): PullSecretFault[] {
  const name = /^[\w.:/-]{1,100}$/.test(registry) ? registry : "a registry";
  if (!isObject(entry))
    return [
      {
        severity: "error",
        message: `the entry of ${name} in the pull secret is ${nameOf(entry)}, not an object`,
        hint: "write an object with a member auth",
      },
    ];
  const auth = entry["auth"];
  if (typeof auth !== "string" || auth === "") return [];
  const sign = placeholderIn(auth);
  if (sign?.kind === "expression")
    return [
      {
        severity: "error",
        message: `the entry of ${name} in the pull secret holds ${sign.what}`,
        hint: sign.hint,
      },
    ];
  if (/\s/.test(auth))
    return [
      {
        severity: "warning",
        message: `the entry of ${name} in the pull secret holds a blank; was it pasted over two lines?`,
        hint: `keep ${place === "config" ? "the pull secret" : "it"} on one line`,
      },
    ];
  return [];
}

const count = (text: string, char: string): number => text.split(char).length - 1;

const fromBase64 = (text: string): string => Buffer.from(text.replace(/\s/g, ""), "base64").toString("utf8");

const nameOf = (value: Json): string =>
  value === null
    ? "null"
    : Array.isArray(value)
      ? "a list"
      : typeof value === "object"
        ? "an object"
        : `a ${typeof value}`;

function parseJson(text: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJson(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
