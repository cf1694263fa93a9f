/**
 * What people put in place of a pull secret (docs/reference/real-inputs.md §2 BR-02, BR-04, BR-06, BR-58). The value is
 * never shown. What the installer accepts is at most a warning here.
 */
import { isJson, isObject, type Json } from "../../core/json.js";
import { placeholderIn } from "./diagnose-placeholders.js";

export interface PullSecretFault {
  readonly severity: "error" | "warning";
  readonly message: string;
  readonly hint: string;
}

const GET_IT = "paste the JSON text of the pull secret in single quotes, or pass --pull-secret FILE";

/** Everything that is wrong with the text of a pull secret; an empty text is left to the rules. */
export function pullSecretFaults(text: string): PullSecretFault[] {
  const trimmed = text.trim();
  if (trimmed === "") return [];
  const fault = (message: string, hint = GET_IT): PullSecretFault[] => [{ severity: "error", message, hint }];
  const value = parseJson(trimmed);
  if (value === undefined) return fault(...notJson(trimmed));
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
  return given.flatMap(([, auths]) => {
    if (auths === null) return [];
    if (!isObject(auths))
      return fault(
        `auths of the pull secret is ${nameOf(auths)}, not an object`,
        "it maps each registry to its credentials",
      );
    return Object.entries(auths).flatMap(([registry, entry]) => entryFaults(registry, entry));
  });
}

function notJson(text: string): [string, string?] {
  if (placeholderIn(text)?.whole) return ["the pull secret is a placeholder"];
  if (/^(?:~|\.{0,2})\/|^file:|^[A-Za-z]:\\|^[\w./-]+\.(?:json|txt|ya?ml)$/.test(text))
    return ["the pull secret looks like the path of a file; the installer reads no file from there"];
  if (/^[A-Za-z0-9+/=\s]+$/.test(text) && isObject(parseJson(fromBase64(text))))
    return ["the pull secret is encoded in base64", "decode it first: base64 -d"];
  if (/^\{\s*\\+"/.test(text))
    return [
      "the quotes of the pull secret are escaped",
      "remove the backslashes, and put the text in single quotes",
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

function entryFaults(registry: string, entry: Json): PullSecretFault[] {
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
