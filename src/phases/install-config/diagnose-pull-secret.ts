/**
 * What is found in place of a pull secret (docs/reference/real-inputs.md §2 BR-02, BR-04, BR-06, BR-58). The value is
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

/** How to get one, where something else is in its place. */
const GET_IT: Readonly<Record<PullSecretPlace, string>> = {
  config: "paste the JSON text of the pull secret in single quotes, or use --pull-secret FILE",
  file: "save the pull secret again as downloaded: the file must contain only its JSON text",
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
      return fault("the pull secret is JSON-encoded twice", "remove the outer quotes and the backslashes");
    return fault("the pull secret is a JSON string, not a JSON object");
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
          'the pull secret contains registries, but not below "auths"',
          'wrap it in an object: {"auths": …}',
        )
      : fault('the pull secret has no field "auths"');
  }
  return given.flatMap(([member, auths]) => {
    if (auths === null) return [];
    if (!isObject(auths))
      return fault(
        `"auths" in the pull secret is ${nameOf(auths)}, not an object`,
        "use an object that maps each registry to its credentials",
        placeOfName(text, member),
      );
    return Object.entries(auths).flatMap(([registry, entry]) =>
      entryFaults(registry, entry).map((each) => ({ ...each, at: placeOfName(text, registry) })),
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
      ? ["the pull secret looks like a file path, but the installer reads no file here"]
      : [
          "the file contains what looks like the path of another file",
          "replace it with the content of that file",
        ];
  if (/^[A-Za-z0-9+/=\s]+$/.test(text) && isObject(parseJson(fromBase64(text))))
    return ["the pull secret is Base64-encoded", "decode it first: base64 -d"];
  if (/^\{\s*\\+"/.test(text))
    return [
      "the quotes in the pull secret are escaped",
      inConfig ? "remove the backslashes and put the text in single quotes" : "remove the backslashes",
    ];
  if (/^\{\s*'/.test(text)) return ["the pull secret uses single quotes where JSON requires double quotes"];
  if (text.startsWith("{") && /\.{3}|…/.test(text))
    return ["part of the pull secret is replaced by an ellipsis"];
  if (text.startsWith("{") && count(text, "{") > count(text, "}"))
    return ["the pull secret is truncated: its last } is missing"];
  if (text.startsWith("{"))
    return ["the pull secret is not valid JSON; it may be truncated or contain a line break"];
  return ["the pull secret is not JSON"];
}

function entryFaults(registry: string, entry: Json): PullSecretFault[] {
  const name = /^[\w.:/-]{1,100}$/.test(registry) ? registry : "a registry";
  if (!isObject(entry))
    return [
      {
        severity: "error",
        message: `the pull secret entry for ${name} is ${nameOf(entry)}, not an object`,
        hint: 'use an object with a field "auth"',
      },
    ];
  const auth = entry["auth"];
  if (typeof auth !== "string" || auth === "") return [];
  const sign = placeholderIn(auth);
  if (sign?.kind === "expression")
    return [
      {
        severity: "error",
        message: `the pull secret entry for ${name} contains ${sign.what}`,
        hint: sign.hint,
      },
    ];
  if (/\s/.test(auth))
    return [
      {
        severity: "warning",
        message: `the pull secret entry for ${name} contains whitespace; it may have been pasted across two lines`,
        hint: "keep the pull secret on one line",
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
      ? "an array"
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
