/**
 * The pull secret (docs/reference/install-config-and-manifests.md §1.7, docs/reference/real-inputs.md §2). It is never
 * shown.
 */
import { isObject, type Json, type JsonObject } from "../../../core/json.js";
import type { NormalConfig } from "../../../platforms/config.js";
import type { RuleContext } from "../../../platforms/platform.js";
import { quote } from "../../../text/quote.js";
import { pullSecretFaults } from "../diagnose-pull-secret.js";

const FIELD = "pullSecret";
const FORM =
  'it is JSON such as {"auths": {"registry.example.com": {"auth": "…"}}}, on one line in single quotes';

export function validatePullSecret({ pullSecret }: NormalConfig, { report }: RuleContext): void {
  const invalid = (message: string, hint: string) =>
    report({ code: "IC140", kind: "Invalid", field: FIELD, message, hint });
  if (pullSecret.trim() === "") {
    invalid("there is no pull secret", `${FORM}; or give it with --pull-secret FILE`);
    return;
  }
  const auths = readAuths(pullSecret);
  if (typeof auths === "string") {
    const known = pullSecretFaults(pullSecret).find(({ severity }) => severity === "error");
    invalid(known?.message ?? auths, known?.hint ?? FORM);
    return;
  }
  const entries = Object.entries(auths);
  if (entries.length === 0) {
    invalid("auths of the pull secret names no registry", FORM);
    return;
  }
  const without = entries.filter(
    ([, entry]) => !isObject(entry) || !(Object.hasOwn(entry, "auth") || Object.hasOwn(entry, "credsStore")),
  );
  if (without.length > 0) {
    invalid(
      `the entry ${quote(without[0]?.[0] ?? "")} of the pull secret has neither auth nor credsStore`,
      "add the credentials, or remove the entry",
    );
    return;
  }
  for (const [registry, entry] of entries)
    if (isObject(entry) && Object.hasOwn(entry, "auth") && !isUserAndPassword(entry["auth"]))
      report({
        code: "IC141",
        severity: "warning",
        kind: "Invalid",
        field: FIELD,
        message: `auth of ${quote(registry)} in the pull secret cannot be decoded to a user and a password`,
        hint: "auth is the Base64 text of USER:PASSWORD; images of this registry will not be pulled with it",
      });
}

/** The registries of a pull secret; undefined when it cannot be read. */
export function pullSecretRegistries(pullSecret: string): readonly string[] | undefined {
  const auths = readAuths(pullSecret);
  return typeof auths === "string" ? undefined : Object.keys(auths);
}

/** The entries under `auths`, whose letters may be of either case and which may appear twice; or what is wrong. */
function readAuths(pullSecret: string): JsonObject | string {
  const members = readMembers(pullSecret);
  if (typeof members === "string") return members;
  let auths: JsonObject = {};
  for (const [key, entries] of members) {
    if (key.toLowerCase() !== "auths") continue;
    if (entries === null) auths = {};
    else if (!isObject(entries)) return "auths of the pull secret is not an object";
    else {
      for (const [registry, entry] of Object.entries(entries)) {
        if (entry !== null && !isObject(entry))
          return `the entry ${quote(registry)} of the pull secret is not an object`;
        if (holdsInfinity(entry)) return `a number in the entry ${quote(registry)} is too large`;
      }
      auths = { ...auths, ...entries };
    }
  }
  return auths;
}

/** The members of a JSON object in their order, repetitions and all; or what is wrong. */
function readMembers(text: string): [string, Json][] | string {
  let whole: Json;
  try {
    whole = JSON.parse(text);
  } catch {
    return "the pull secret is not JSON";
  }
  if (whole === null) return [];
  if (!isObject(whole)) return "the pull secret is not a JSON object";
  return topLevelParts(text).map(([key, value]) => [JSON.parse(key), JSON.parse(value)]);
}

/** The texts of the keys and values of a JSON object that is known to be well-formed. */
function topLevelParts(text: string): [key: string, value: string][] {
  const parts: [string, string][] = [];
  let depth = 0;
  let start = 0;
  let key = "";
  for (const { 0: token, index } of text.matchAll(/"(?:[^"\\]|\\[\s\S])*"?|[{}[\]:,]/g)) {
    const open = token === "{" || token === "[";
    const close = token === "}" || token === "]";
    if (depth === 1 && token === ":" && key === "") {
      key = text.slice(start, index);
      start = index + 1;
    } else if (depth === 1 && (token === "," || close)) {
      if (key !== "") parts.push([key, text.slice(start, index)]);
      key = "";
      start = index + 1;
    } else if (depth === 0 && open) start = index + 1;
    depth += open ? 1 : close ? -1 : 0;
  }
  return parts;
}

const holdsInfinity = (value: Json): boolean =>
  typeof value === "number"
    ? !Number.isFinite(value)
    : typeof value === "object" && value !== null && Object.values(value).some(holdsInfinity);

function isUserAndPassword(auth: Json | undefined): boolean {
  if (typeof auth !== "string" || !/^[A-Za-z0-9+/\s]+={0,2}$/.test(auth)) return false;
  return /^[^:]+:/.test(Buffer.from(auth, "base64").toString("utf8"));
}
