/** The creation rules of a `.sops.yaml`: for whom a new file is encrypted (getsops/sops v3.10.2, config/config.go). */
import { isList, isObject, type Json, type JsonObject } from "../core/json.js";
import { type Problem, problem } from "../core/problem.js";
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
    if (!isObject(rule)) return refuse("must be a mapping", "set age: RECIPIENT", field);
    const pattern = rule["path_regex"];
    if (typeof pattern === "string" && pattern !== "") {
      const expression = compileGoPattern(pattern);
      if (expression === undefined)
        return refuse(
          "invalid regular expression",
          "use the syntax of Go regular expressions",
          `${field}.path_regex`,
        );
      if (!expression.test(path)) continue;
    }
    return fromRule(rule, field, refuse);
  }
  return refuse(`no creation rule matches ${path}`, "add a rule with age recipients, or set --age-recipient");
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
      "use one group of age recipients",
      `${field}.key_groups`,
    );
  const holder = groups[0] ?? rule;
  const other = OTHER_KEYS.find((name) => isNamed(holder[name]));
  if (other !== undefined)
    return refuse(
      `slipway works offline and cannot encrypt for ${other}`,
      "use only age recipients, or add a separate rule for these files",
      `${field}.${other}`,
    );
  const recipients = wordsOf(holder["age"]);
  if (recipients.length === 0)
    return refuse("no age recipient in the rule", "age: RECIPIENT", `${field}.age`);
  const bad = recipients.find((each) => !RECIPIENT.test(each));
  if (bad !== undefined)
    return refuse(
      `${JSON.stringify(bad)} is not an age recipient`,
      "use the output of age-keygen -y: age1…",
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
