/**
 * The pull secret (docs/reference/install-config-and-manifests.md §1.7, docs/reference/real-inputs.md §2). It is never
 * shown.
 */
import { DEPTH_LIMIT, isJson, isObject, type Json, type JsonObject } from "../../../core/json.js";
import { problem, warning } from "../../../core/problem.js";
import type { NormalConfig } from "../../../platforms/config.js";
import type { RuleContext } from "../../../platforms/platform.js";
import { placeAt, topLevelMembers } from "../../../text/json-text.js";
import { quote } from "../../../text/quote.js";
import { placeOfName, pullSecretFaults } from "../diagnose-pull-secret.js";

const FIELD = "pullSecret";
const FORM = 'use JSON such as {"auths": {"registry.example.com": {"auth": "…"}}}';
const IN_CONFIG = `${FORM}, on one line in single quotes`;

export function validatePullSecret({ pullSecret }: NormalConfig, { report }: RuleContext): void {
  const fault = (
    message: string,
    hint: string,
    inFile: { readonly message?: string; readonly hint: string },
    at = 0,
  ) =>
    report(
      problem("IC140", "Invalid", FIELD, message, {
        hint,
        inFile: { ...placeAt(pullSecret, at), ...inFile },
      }),
    );
  if (pullSecret.trim() === "") {
    fault("required value is missing", `${IN_CONFIG}, or set --pull-secret FILE`, {
      message: "the file contains no pull secret",
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
    fault(known?.message ?? auths, known?.hint ?? IN_CONFIG, { message, hint }, at);
    return;
  }
  const entries = Object.entries(auths);
  if (entries.length === 0) {
    fault('"auths" in the pull secret is empty', IN_CONFIG, { hint: FORM });
    return;
  }
  const [without] = entries.filter(
    ([, entry]) => !isObject(entry) || !(Object.hasOwn(entry, "auth") || Object.hasOwn(entry, "credsStore")),
  );
  if (without !== undefined) {
    const [registry] = without;
    const hint = "add the credentials, or remove the entry";
    fault(
      `the pull secret entry for ${quote(registry)} has neither "auth" nor "credsStore"`,
      hint,
      { hint },
      placeOfName(pullSecret, registry),
    );
    return;
  }
  for (const [registry, entry] of entries)
    if (isObject(entry) && Object.hasOwn(entry, "auth") && !isUserAndPassword(entry["auth"]))
      report(
        warning(
          "IC141",
          "Invalid",
          FIELD,
          `the "auth" value for ${quote(registry)} in the pull secret is not a Base64-encoded USER:PASSWORD`,
          {
            hint: "use Base64-encoded USER:PASSWORD, or images cannot be pulled from this registry",
            inFile: placeAt(pullSecret, placeOfName(pullSecret, registry)),
          },
        ),
      );
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
    else if (!isObject(entries)) return '"auths" in the pull secret is not an object';
    else {
      for (const [registry, entry] of Object.entries(entries)) {
        if (entry !== null && !isObject(entry))
          return `the pull secret entry for ${quote(registry)} is not an object`;
        if (holdsInfinity(entry))
          return `a number in the pull secret entry for ${quote(registry)} is too large`;
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
