/**
 * The pull secret (docs/reference/install-config-and-manifests.md §1.7, docs/reference/real-inputs.md §2). It is never
 * shown.
 */
import { DEPTH_LIMIT, isJson, isObject, type Json, type JsonObject } from "../../../core/json.js";
import type { NormalConfig } from "../../../platforms/config.js";
import type { RuleContext } from "../../../platforms/platform.js";
import { placeAt, topLevelMembers } from "../../../text/json-text.js";
import { quote } from "../../../text/quote.js";
import { placeOfName, pullSecretFaults } from "../diagnose-pull-secret.js";

const FIELD = "pullSecret";
const FORM = 'it is JSON such as {"auths": {"registry.example.com": {"auth": "…"}}}';
const IN_CONFIG = `${FORM}, on one line in single quotes`;

export function validatePullSecret({ pullSecret }: NormalConfig, { report }: RuleContext): void {
  const invalid = (
    message: string,
    hint: string,
    inFile: { readonly message?: string; readonly hint: string },
    at = 0,
  ) =>
    report({
      code: "IC140",
      kind: "Invalid",
      field: FIELD,
      message,
      hint,
      inFile: { ...placeAt(pullSecret, at), ...inFile },
    });
  if (pullSecret.trim() === "") {
    invalid("there is no pull secret", `${IN_CONFIG}; or give it with --pull-secret FILE`, {
      message: "the file holds no pull secret",
      hint: FORM,
    });
    return;
  }
  const auths = readAuths(pullSecret);
  if (typeof auths === "string") {
    const [known, inFile] = (["config", "file"] as const).map((place) =>
      pullSecretFaults(pullSecret, place).find(({ severity }) => severity === "error"),
    );
    const { message = auths, hint = FORM, at } = inFile ?? {};
    invalid(known?.message ?? auths, known?.hint ?? IN_CONFIG, { message, hint }, at);
    return;
  }
  const entries = Object.entries(auths);
  if (entries.length === 0) {
    invalid("auths of the pull secret names no registry", IN_CONFIG, { hint: FORM });
    return;
  }
  const [without] = entries.filter(
    ([, entry]) => !isObject(entry) || !(Object.hasOwn(entry, "auth") || Object.hasOwn(entry, "credsStore")),
  );
  if (without !== undefined) {
    const [registry] = without;
    const hint = "add the credentials, or remove the entry";
    invalid(
      `the entry ${quote(registry)} of the pull secret has neither auth nor credsStore`,
      hint,
      { hint },
      placeOfName(pullSecret, registry),
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
        inFile: placeAt(pullSecret, placeOfName(pullSecret, registry)),
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
  let whole: unknown;
  try {
    whole = JSON.parse(text);
  } catch {
    return "the pull secret is not JSON";
  }
  if (whole === null) return [];
  if (!isJson(whole)) return `the pull secret is nested deeper than ${DEPTH_LIMIT} levels`;
  if (!isObject(whole)) return "the pull secret is not a JSON object";
  return [...topLevelMembers(text)].map(([key, start, end]) => [key, JSON.parse(text.slice(start, end))]);
}

const holdsInfinity = (value: Json): boolean =>
  typeof value === "number"
    ? !Number.isFinite(value)
    : typeof value === "object" && value !== null && Object.values(value).some(holdsInfinity);

function isUserAndPassword(auth: Json | undefined): boolean {
  if (typeof auth !== "string" || !/^[A-Za-z0-9+/\s]+={0,2}$/.test(auth)) return false;
  return /^[^:]+:/.test(Buffer.from(auth, "base64").toString("utf8"));
}
