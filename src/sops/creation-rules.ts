/** The creation rules of a `.sops.yaml`: for whom a new file is encrypted (getsops/sops v3.10.2, config/config.go). */
import type { Problem } from "../core/diagnostics.js";
import { isList, isObject, type Json, type JsonObject } from "../core/json.js";
import { problem } from "../core/problem.js";
import { compileGoPattern } from "../text/go-regexp.js";
import { readYaml, toJson } from "../text/yaml-read.js";
import { RECIPIENT } from "./age.js";
import { type EncryptionRule, namesRule, ruleIn } from "./metadata.js";

/** Names under which sops looks for its configuration, in the folder of a file and above. */
export const SOPS_CONFIG = ".sops.yaml";

/** For whom files are encrypted, and which of their values where that is said. */
export interface Recipients {
  readonly recipients: readonly string[];
  readonly rule?: EncryptionRule;
}

/** Kinds of keys that need a network or another program. */
const OTHER_KEYS = [
  "pgp",
  "kms",
  "gcp_kms",
  "azure_keyvault",
  "hc_vault_uris",
  "hc_vault_transit_uri",
  "hckms",
];

/**
 * The recipients of a new file by the first rule that fits it; undefined when none can be used, which is reported.
 * @param file the configuration, as the user knows it
 * @param path of the new file, relative to the folder of the configuration
 */
export function recipientsByRule(
  text: string,
  file: string,
  path: string,
  report: (problem: Problem) => void,
): Recipients | undefined {
  const refuse = (message: string, hint: string, field = ""): undefined =>
    void report(problem("SOPS003", "Invalid", field, message, { file, hint }));
  const { documents, problems } = readYaml(text, file, { firstOnly: true });
  problems.forEach(report);
  if (problems.length > 0) return undefined;
  const root = documents[0]?.root;
  const config: Json = root === undefined ? null : toJson(root);
  const rules = isObject(config) && isList(config["creation_rules"]) ? config["creation_rules"] : [];
  for (const [index, rule] of rules.entries()) {
    const field = `creation_rules[${index}]`;
    if (!isObject(rule)) return refuse("the rule is not a mapping", "age: RECIPIENT below it", field);
    const pattern = rule["path_regex"];
    if (typeof pattern === "string" && pattern !== "") {
      const expression = compileGoPattern(pattern);
      if (expression === undefined)
        return refuse("the pattern cannot be used", "a regular expression of Go", `${field}.path_regex`);
      if (!expression.test(path)) continue;
    }
    return fromRule(rule, field, refuse);
  }
  return refuse(
    `no creation rule fits ${path}`,
    "add a rule with age recipients for it, or name them with --age-recipient",
  );
}

function fromRule(
  rule: JsonObject,
  field: string,
  refuse: (message: string, hint: string, field: string) => undefined,
): Recipients | undefined {
  const groups = isList(rule["key_groups"]) ? rule["key_groups"].filter(isObject) : [];
  if (groups.length > 1)
    return refuse(
      "several key groups are not supported",
      "one group of age recipients",
      `${field}.key_groups`,
    );
  const holder = groups[0] ?? rule;
  const other = OTHER_KEYS.find((name) => isNamed(holder[name]));
  if (other !== undefined)
    return refuse(
      `slipway, which asks no network, cannot encrypt for ${other}`,
      "age recipients alone, or a rule of its own for these files",
      `${field}.${other}`,
    );
  const recipients = wordsOf(holder["age"]);
  if (recipients.length === 0)
    return refuse("the rule has no age recipient", "age: RECIPIENT", `${field}.age`);
  const bad = recipients.find((each) => !RECIPIENT.test(each));
  if (bad !== undefined)
    return refuse(
      `${JSON.stringify(bad)} is not an age recipient`,
      "age1…, as age-keygen -y prints it",
      `${field}.age`,
    );
  return { recipients, ...(namesRule(rule) ? { rule: ruleIn(rule) } : {}) };
}

const isNamed = (value: Json | undefined): boolean =>
  (typeof value === "string" && value !== "") || (isList(value) && value.length > 0);

/** Recipients stand in a list, or in one text with commas between them. */
const wordsOf = (value: Json | undefined): readonly string[] =>
  (isList(value) ? value : [value])
    .flatMap((each) => (typeof each === "string" ? each.split(",") : []))
    .map((each) => each.trim())
    .filter((each) => each !== "");
