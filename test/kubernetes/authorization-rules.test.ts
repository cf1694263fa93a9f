/** OpenShift's older kinds of roles and bindings, as their server hands them on. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Json, JsonObject } from "../../src/core/json.js";
import { objectFindings } from "../../src/kubernetes/object-rules.js";

const test = suite("rules of roles and bindings of authorization.openshift.io");

const of = (kind: string, more: JsonObject): JsonObject => ({
  apiVersion: "authorization.openshift.io/v1",
  kind,
  metadata: { name: "curlew:Reader", namespace: kind.startsWith("Cluster") ? "" : "birds" },
  ...more,
});
const role = (rule: Json, kind = "Role"): JsonObject => of(kind, { rules: [rule] });
const binding = (ref: Json, subjects: Json = [], kind = "RoleBinding"): JsonObject =>
  of(kind, { roleRef: ref, subjects });
const PODS = { resources: ["pods"], verbs: ["get"] };
const HEALTH = { nonResourceURLs: ["/healthz"], verbs: ["get"] };
const VIEW = { name: "view" };

const CASES: readonly [name: string, given: JsonObject, expected: readonly string[]][] = [
  ["resources without a group are of the core group", role(PODS), []],
  ["no verbs", role({ ...PODS, verbs: [] }), ["KUB005 Required rules[0].verbs"]],
  [
    "verbs alone",
    role({ verbs: ["get"] }, "ClusterRole"),
    ["KUB005 Required rules[0].apiGroups", "KUB005 Required rules[0].resources"],
  ],
  [
    "a group without resources",
    role({ apiGroups: [""], verbs: ["get"] }),
    ["KUB005 Required rules[0].resources"],
  ],
  ["URLs and resources become two rules", role({ ...PODS, ...HEALTH }, "ClusterRole"), []],
  ["URLs in a Role", role({ ...PODS, ...HEALTH }), ["KUB005 Invalid rules[0].nonResourceURLs"]],
  ["a rule with restrictions is left out", role({ attributeRestrictions: {}, verbs: [] }), []],
  ["rules that are a text", of("Role", { rules: "all" }), ["KUB003 Invalid rules"]],
  ["a binding to a ClusterRole", binding(VIEW), []],
  ["a binding to a Role of its namespace", binding({ ...VIEW, namespace: "birds" }), []],
  [
    "a binding to a Role elsewhere",
    binding({ ...VIEW, namespace: "fish" }),
    ["KUB005 Invalid roleRef.namespace"],
  ],
  [
    "a binding of the cluster to a Role",
    binding({ ...VIEW, namespace: "birds" }, [], "ClusterRoleBinding"),
    ["KUB005 Invalid roleRef.namespace"],
  ],
  ["a binding to nothing", binding(null), ["KUB005 Required roleRef.name"]],
  ["a binding to a text", binding("view"), ["KUB003 Invalid roleRef"]],
  ["a binding to a path", binding({ name: "a/b" }), ["KUB005 Invalid roleRef.name"]],
  [
    "the kinds of subjects, with what a reference has besides",
    binding(VIEW, [
      { kind: "User", name: "Any one", apiVersion: "v1" },
      { kind: "SystemUser", name: "system:admin" },
      { kind: "Group", name: "birders" },
      { kind: "SystemGroup", name: "system:authenticated" },
      { kind: "ServiceAccount", name: "curlew", apiGroup: "v1" },
    ]),
    [],
  ],
  [
    "subjects that are none",
    binding(VIEW, [{ kind: "Pod", name: "a" }, { kind: "User" }, {}]),
    [
      "KUB005 NotSupported subjects[0].kind",
      "KUB005 Required subjects[1].name",
      "KUB005 NotSupported subjects[2].kind",
    ],
  ],
  [
    "a ServiceAccount of no namespace, with capitals",
    binding(VIEW, [{ kind: "ServiceAccount", name: "A" }], "ClusterRoleBinding"),
    ["KUB005 Required subjects[0].namespace", "KUB005 Invalid subjects[0].name"],
  ],
  [
    "lists of names take the place of subjects",
    of("RoleBinding", { roleRef: VIEW, userNames: ["a"], groupNames: null, subjects: [{ kind: "Pod" }] }),
    [],
  ],
  ["a kind without rules", of("RoleBindingRestriction", { spec: {} }), []],
];

for (const [name, given, expected] of CASES)
  test(name, () =>
    assert.equal(
      objectFindings(given).map(({ code, kind, field }) => `${code} ${kind} ${field}`),
      expected,
    ),
  );

test.run();
