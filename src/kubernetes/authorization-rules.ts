/**
 * Roles and bindings of OpenShift's older group: its server keeps none, but hands each on in the form of the newer group,
 * whose rules then hold (openshift/openshift-apiserver pkg/authorization/apiserver/registry, which leaves out the
 * validation of its own; what it changes: pkg/authorization/apis/authorization/rbacconversion, defaults and users as
 * lists of names in pkg/authorization/apis/authorization/v1 beside it).
 */

import { isList, isObject, type JsonObject, textAt } from "../core/json.js";
import { problemList } from "../core/problem.js";
import type { Refuse } from "./finding.js";
import {
  aggregationFindings,
  eachMapping,
  oneOf,
  RBAC_GROUP,
  roleRefFindings,
  ruleFindings,
  subjectFindings,
} from "./rbac-rules.js";

export const AUTHORIZATION_GROUP = "authorization.openshift.io";

/** Calls back with every broken rule of a Role, a ClusterRole or a binding of one; other kinds have none. */
export function authorizationFindings(kind: string, object: JsonObject, refuse: Refuse): void {
  const isNamespaced = !kind.startsWith("Cluster");
  if (kind === "Role" || kind === "ClusterRole")
    eachMapping(object["rules"], "rules", refuse, (rule, at) => {
      // A rule with restrictions is left out without a word.
      if ((rule["attributeRestrictions"] ?? null) !== null) return;
      for (const part of partsOf(rule)) ruleFindings(part, isNamespaced, at, refuse);
    });
  if (kind === "ClusterRole") aggregationFindings(object["aggregationRule"], refuse);
  if (kind === "RoleBinding" || kind === "ClusterRoleBinding") bindingFindings(object, isNamespaced, refuse);
}

const isFull = (rule: JsonObject, member: string): boolean => {
  const list = rule[member];
  return isList(list) && list.length > 0;
};

/** A rule about resources and about other URLs is made two; resources without a group are of the core group. */
function partsOf(rule: JsonObject): readonly JsonObject[] {
  const given = isFull(rule, "resources") && !isFull(rule, "apiGroups") ? { ...rule, apiGroups: [""] } : rule;
  const isOfResources = ["apiGroups", "resources", "resourceNames"].some((member) => isFull(given, member));
  if (!isOfResources || !isFull(given, "nonResourceURLs")) return [given];
  const { nonResourceURLs = null, ...resources } = given;
  // What is wrong with its verbs is told once.
  return [resources, { verbs: ["*"], nonResourceURLs }];
}

function bindingFindings(object: JsonObject, isNamespaced: boolean, refuse: Refuse): void {
  const ref = object["roleRef"] ?? {};
  if (isObject(ref)) {
    const wanted = textAt(ref, "namespace");
    const own = isObject(object["metadata"]) ? textAt(object["metadata"], "namespace") : "";
    if (wanted !== "" && (!isNamespaced || (own !== "" && wanted !== own)))
      problemList(refuse, "roleRef.namespace").report(
        "KUB005",
        "Invalid",
        isNamespaced
          ? `must be the namespace of the binding, ${own}`
          : "a ClusterRoleBinding cannot refer to a Role",
        "remove it for a ClusterRole",
      );
    roleRefFindings(
      { apiGroup: RBAC_GROUP, kind: "ClusterRole", name: ref["name"] ?? "" },
      isNamespaced,
      refuse,
    );
  } else roleRefFindings(ref, isNamespaced, refuse);
  // Either list of names takes the place of the subjects.
  if ((object["userNames"] ?? object["groupNames"] ?? null) !== null) return;
  eachMapping(object["subjects"], "subjects", refuse, (subject, at) => {
    const kind = subject["kind"] ?? "";
    if (typeof kind === "string") oneOf(`${at}.kind`, kind, SUBJECTS, refuse);
    if (typeof kind !== "string" || SUBJECTS.includes(kind))
      subjectFindings(converted(subject), isNamespaced, at, refuse);
  });
}

const SUBJECTS = ["ServiceAccount", "User", "Group", "SystemUser", "SystemGroup"];

/** Kind, name and, of a ServiceAccount, namespace; whatever else a reference has is dropped. */
function converted(subject: JsonObject): JsonObject {
  const { kind = "", name = "", namespace = "" } = subject;
  if (kind === "ServiceAccount") return { kind, name, namespace };
  const plain = typeof kind === "string" ? kind.replace(/^System/, "") : kind;
  return { apiGroup: RBAC_GROUP, kind: plain, name };
}
