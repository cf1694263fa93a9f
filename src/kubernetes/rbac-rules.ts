/**
 * Rules of the API server for roles and their bindings (k8s.io/kubernetes, pkg/apis/rbac/validation/validation.go; what
 * may be left out: pkg/apis/rbac/v1/defaults.go).
 */
import { isList, isObject, type Json, type JsonObject } from "../core/json.js";
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
  const broken = { code: "KUB005", kind: "Required" } as const;
  if (verbs === 0)
    refuse({
      ...broken,
      field: `${at}.verbs`,
      message: "a rule needs at least one verb",
      hint: '"*" is all',
    });
  if (urls > 0) {
    const wrong = { code: "KUB005", kind: "Invalid", field: `${at}.nonResourceURLs` } as const;
    if (isNamespaced)
      refuse({
        ...wrong,
        message: "a rule of a Role cannot be about URLs that are no resources",
        hint: "move the rule to a ClusterRole",
      });
    if (groups + resources + names > 0)
      refuse({
        ...wrong,
        message: "one rule cannot be about resources and about URLs that are no resources",
        hint: "make two rules of it",
      });
    return;
  }
  if (groups === 0)
    refuse({
      ...broken,
      field: `${at}.apiGroups`,
      message: "a rule needs at least one API group",
      hint: '"" is the core group, "*" is all',
    });
  if (resources === 0)
    refuse({
      ...broken,
      field: `${at}.resources`,
      message: "a rule needs at least one resource",
      hint: '"*" is all',
    });
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
    refuse({ code: "KUB005", kind: "Required", field, message: "an aggregation rule needs a selector" });
  eachMapping(selectors, field, refuse, (selector, at) => {
    // Other members are dropped without a word.
    const { matchLabels = null, matchExpressions = null } = selector;
    for (const problem of readSelector({ matchLabels, matchExpressions }).problems)
      refuse({
        code: "KUB005",
        kind: "Invalid",
        field: problem.field === "" ? at : `${at}.${problem.field}`,
        message: problem.message,
      });
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
  if (name === "") refuse({ code: "KUB005", kind: "Required", field, message: "is required" });
  else if (name !== undefined && !isPathSegment(name))
    refuse({
      code: "KUB005",
      kind: "Invalid",
      field,
      message: `${JSON.stringify(name)} is not a legal name`,
      hint: PATH_SEGMENT_HINT,
    });
}

export function subjectFindings(
  subject: JsonObject,
  isNamespaced: boolean,
  at: string,
  refuse: Refuse,
): void {
  const { group, kind, name } = referenceOf(subject, at, refuse);
  const namespace = textOf(subject["namespace"], `${at}.namespace`, refuse);
  const required = (field: string, hint?: string): void =>
    refuse({ code: "KUB005", kind: "Required", field, message: "is required", ...(hint && { hint }) });
  if (name === "") required(`${at}.name`);
  oneOf(`${at}.kind`, kind, ["ServiceAccount", "User", "Group"], refuse);
  if (kind === "User" || kind === "Group") oneOf(`${at}.apiGroup`, group, ["", RBAC_GROUP], refuse);
  if (kind !== "ServiceAccount") return;
  oneOf(`${at}.apiGroup`, group, [""], refuse);
  if (!isNamespaced && namespace === "") required(`${at}.namespace`, "the namespace of the ServiceAccount");
  if (name !== undefined && name !== "" && !isDnsSubdomain(name))
    refuse({
      code: "KUB005",
      kind: "Invalid",
      field: `${at}.name`,
      message: `${JSON.stringify(name)} is not a legal name of a ServiceAccount`,
      hint: DNS_SUBDOMAIN_HINT,
    });
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
  refuse({
    code: "KUB005",
    kind: "NotSupported",
    field,
    message: value === "" ? "is required" : `${JSON.stringify(value)} is not one that the API server takes`,
    hint: named.length === 0 ? "leave it out" : `one of ${named.join(", ")}`,
  });
}

const isAbsent = (value: Json | undefined): value is undefined | null =>
  value === undefined || value === null;

const notA = (what: string, field: string, refuse: Refuse): void =>
  refuse({ code: "KUB003", kind: "Invalid", field, message: `must be a ${what}` });

/** An absent text is the empty one. */
function textOf(value: Json | undefined, field: string, refuse: Refuse): string | undefined {
  if (isAbsent(value)) return "";
  if (typeof value === "string") return value;
  return void notA("text", field, refuse);
}

/** How many texts a list holds; what is something else is told, and counts as one. */
function countTexts(list: Json | undefined, field: string, refuse: Refuse): number {
  if (isAbsent(list)) return 0;
  if (!isList(list)) {
    notA("list of texts", field, refuse);
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
