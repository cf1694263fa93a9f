/**
 * Rules of the API server for roles and their bindings (k8s.io/kubernetes, pkg/apis/rbac/validation/validation.go; what
 * may be left out: pkg/apis/rbac/v1/defaults.go).
 */

import { isList, isObject, type Json, type JsonObject } from "../core/json.js";
import { invalid, problem, problemList, required } from "../core/problem.js";
import type { Refuse } from "./finding.js";
import { DNS_SUBDOMAIN_HINT, isDnsSubdomain, isPathSegment, PATH_SEGMENT_HINT } from "./names.js";
import { readSelector } from "./selectors.js";

export const RBAC_GROUP = "rbac.authorization.k8s.io";

/** Calls back with every broken rule of a Role, a ClusterRole or a binding of one; other kinds have none. */
export function rbacFindings(kind: string, object: JsonObject, refuse: Refuse): void {
  const isNamespaced = !kind.startsWith("Cluster");
  if (kind === "Role" || kind === "ClusterRole")
    eachMapping(object["rules"], "rules", refuse, (rule, at) => ruleFindings(rule, isNamespaced, at, refuse));
  if (kind === "ClusterRole") aggregationFindings(object["aggregationRule"], refuse);
  if (kind === "RoleBinding" || kind === "ClusterRoleBinding") {
    roleRefFindings(object["roleRef"], isNamespaced, refuse);
    eachMapping(object["subjects"], "subjects", refuse, (subject, at) =>
      subjectFindings(subject, isNamespaced, at, refuse),
    );
  }
}

export function ruleFindings(rule: JsonObject, isNamespaced: boolean, at: string, refuse: Refuse): void {
  const count = (member: string): number => countTexts(rule[member], `${at}.${member}`, refuse);
  const [verbs, urls] = [count("verbs"), count("nonResourceURLs")];
  const [groups, resources, names] = [count("apiGroups"), count("resources"), count("resourceNames")];
  if (verbs === 0) refuse(required("KUB005", `${at}.verbs`, "", 'add at least one verb; "*" means all'));
  if (urls > 0) {
    if (isNamespaced)
      problemList(refuse, `${at}.nonResourceURLs`).report(
        "KUB005",
        "Invalid",
        "a Role cannot contain nonResourceURLs",
        "move the rule to a ClusterRole",
      );
    if (groups + resources + names > 0)
      problemList(refuse, `${at}.nonResourceURLs`).report(
        "KUB005",
        "Invalid",
        "a rule cannot contain both resources and nonResourceURLs",
        "split it into two rules",
      );
    return;
  }
  if (groups === 0)
    problemList(refuse, `${at}.apiGroups`).required(
      "KUB005",
      "",
      'add at least one API group; "" is the core group, "*" means all',
    );
  if (resources === 0)
    refuse(required("KUB005", `${at}.resources`, "", 'add at least one resource; "*" means all'));
}

export function aggregationFindings(rule: Json | undefined, refuse: Refuse): void {
  if (isAbsent(rule)) return;
  const field = "aggregationRule.clusterRoleSelectors";
  if (!isObject(rule)) {
    notA("mapping", "aggregationRule", refuse);
    return;
  }
  const selectors = rule["clusterRoleSelectors"];
  if (isAbsent(selectors) || (isList(selectors) && selectors.length === 0))
    refuse(required("KUB005", field, "an aggregation rule requires a selector"));
  eachMapping(selectors, field, refuse, (selector, at) => {
    // Other members are dropped without a word.
    const { matchLabels = null, matchExpressions = null } = selector;
    for (const each of readSelector({ matchLabels, matchExpressions }).problems)
      refuse(problem("KUB005", "Invalid", each.field === "" ? at : `${at}.${each.field}`, each.message));
  });
}

export function roleRefFindings(given: Json | undefined, isNamespaced: boolean, refuse: Refuse): void {
  const ref = isAbsent(given) ? {} : given;
  if (!isObject(ref)) {
    notA("mapping", "roleRef", refuse);
    return;
  }
  const { group, kind, name } = referenceOf(ref, "roleRef", refuse);
  oneOf("roleRef.apiGroup", group, ["", RBAC_GROUP], refuse);
  oneOf("roleRef.kind", kind, isNamespaced ? ["Role", "ClusterRole"] : ["ClusterRole"], refuse);
  const field = "roleRef.name";
  if (name === "") refuse(required("KUB005", field));
  else if (name !== undefined && !isPathSegment(name))
    refuse(invalid("KUB005", field, name, "must be a valid name", PATH_SEGMENT_HINT));
}

export function subjectFindings(
  subject: JsonObject,
  isNamespaced: boolean,
  at: string,
  refuse: Refuse,
): void {
  const { group, kind, name } = referenceOf(subject, at, refuse);
  const namespace = textOf(subject["namespace"], `${at}.namespace`, refuse);
  const missing = (field: string, hint?: string): void => refuse(required("KUB005", field, "", hint));
  if (name === "") missing(`${at}.name`);
  oneOf(`${at}.kind`, kind, ["ServiceAccount", "User", "Group"], refuse);
  if (kind === "User" || kind === "Group") oneOf(`${at}.apiGroup`, group, ["", RBAC_GROUP], refuse);
  if (kind !== "ServiceAccount") return;
  oneOf(`${at}.apiGroup`, group, [""], refuse);
  if (!isNamespaced && namespace === "")
    missing(`${at}.namespace`, "set it to the namespace of the ServiceAccount");
  if (name !== undefined && name !== "" && !isDnsSubdomain(name))
    refuse(invalid("KUB005", `${at}.name`, name, "must be the name of a ServiceAccount", DNS_SUBDOMAIN_HINT));
}

/** The three members that say what is meant; undefined for one that is not a text, which is told. */
const referenceOf = (
  object: JsonObject,
  at: string,
  refuse: Refuse,
): Record<"group" | "kind" | "name", string | undefined> => ({
  group: textOf(object["apiGroup"], `${at}.apiGroup`, refuse),
  kind: textOf(object["kind"], `${at}.kind`, refuse),
  name: textOf(object["name"], `${at}.name`, refuse),
});

export function oneOf(
  field: string,
  value: string | undefined,
  known: readonly string[],
  refuse: Refuse,
): void {
  if (value === undefined || known.includes(value)) return;
  const named = known.filter((each) => each !== "");
  problemList(refuse, field).report(
    "KUB005",
    "NotSupported",
    value === "" ? "required value is missing" : `unsupported value ${JSON.stringify(value)}`,
    named.length === 0 ? "remove it" : `use one of ${named.join(", ")}`,
  );
}

const isAbsent = (value: Json | undefined): value is undefined | null =>
  value === undefined || value === null;

const notA = (what: string, field: string, refuse: Refuse): void =>
  refuse(problem("KUB003", "Invalid", field, `must be a ${what}`));

/** An absent text is the empty one. */
function textOf(value: Json | undefined, field: string, refuse: Refuse): string | undefined {
  if (isAbsent(value)) return "";
  if (typeof value === "string") return value;
  return void notA("string", field, refuse);
}

/** How many texts a list holds; what is something else is told, and counts as one. */
function countTexts(list: Json | undefined, field: string, refuse: Refuse): number {
  if (isAbsent(list)) return 0;
  if (!isList(list)) {
    notA("list of strings", field, refuse);
    return 1;
  }
  list.forEach((each, i) => void textOf(each, `${field}[${i}]`, refuse));
  return list.length;
}

export function eachMapping(
  list: Json | undefined,
  field: string,
  refuse: Refuse,
  each: (member: JsonObject, at: string) => void,
): void {
  if (isAbsent(list)) return;
  if (!isList(list)) {
    notA("list of mappings", field, refuse);
    return;
  }
  list.forEach((member, i) => {
    const at = `${field}[${i}]`;
    // A null is a member without content.
    const value = member ?? {};
    if (isObject(value)) each(value, at);
    else notA("mapping", at, refuse);
  });
}
