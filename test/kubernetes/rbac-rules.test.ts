import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Json, JsonObject } from "../../src/core/json.js";
import { objectFindings } from "../../src/kubernetes/object-rules.js";
import { kubeTests } from "../helpers/kube-servers.js";

const test = suite("rules of the API server for roles and their bindings");

const role = (rule: Json, kind = "Role"): JsonObject => of(kind, { rules: [rule] });
const of = (kind: string, more: JsonObject): JsonObject => ({
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind,
  metadata: { name: "curlew:Reader" },
  ...more,
});
const PODS = { apiGroups: [""], resources: ["pods"], verbs: ["get"] };
const HEALTH = { nonResourceURLs: ["/healthz"], verbs: ["get"] };
const REF = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" };
const binding = (ref: Json, subjects: Json = [], kind = "RoleBinding"): JsonObject =>
  of(kind, { roleRef: ref, subjects });

const CASES: readonly [name: string, given: JsonObject, expected: readonly string[]][] = [
  ["a rule of resources", role(PODS), []],
  ["no rules", of("Role", {}), []],
  ["no verbs", role({ ...PODS, verbs: [] }), ["KUB005 Required rules[0].verbs"]],
  ["verbs of one text", role({ ...PODS, verbs: "get" }), ["KUB003 Invalid rules[0].verbs"]],
  ["a verb that is true", role({ ...PODS, verbs: [true] }), ["KUB003 Invalid rules[0].verbs[0]"]],
  [
    "verbs alone",
    role({ verbs: ["get"] }, "ClusterRole"),
    ["KUB005 Required rules[0].apiGroups", "KUB005 Required rules[0].resources"],
  ],
  [
    "an empty rule",
    role(null),
    [
      "KUB005 Required rules[0].verbs",
      "KUB005 Required rules[0].apiGroups",
      "KUB005 Required rules[0].resources",
    ],
  ],
  ["rules that are a mapping", of("Role", { rules: {} }), ["KUB003 Invalid rules"]],
  ["URLs in a ClusterRole", role(HEALTH, "ClusterRole"), []],
  ["URLs in a Role", role(HEALTH), ["KUB005 Invalid rules[0].nonResourceURLs"]],
  [
    "URLs and resources",
    role({ ...PODS, ...HEALTH }, "ClusterRole"),
    ["KUB005 Invalid rules[0].nonResourceURLs"],
  ],
  [
    "the rules of other groups' kinds",
    { ...role({}), apiVersion: "example.org/v1", metadata: { name: "curlew" } },
    [],
  ],
  ["an aggregation", of("ClusterRole", { aggregationRule: { clusterRoleSelectors: [{}] } }), []],
  [
    "an aggregation of nothing",
    of("ClusterRole", { aggregationRule: {} }),
    ["KUB005 Required aggregationRule.clusterRoleSelectors"],
  ],
  [
    "an aggregation by a label that is none",
    of("ClusterRole", { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { "a b": "c" } }] } }),
    ["KUB005 Invalid aggregationRule.clusterRoleSelectors[0]"],
  ],
  ["a binding", binding(REF), []],
  ["a binding without the group, which is known", binding({ kind: "Role", name: "view" }), []],
  ["a binding to a group", binding({ ...REF, apiGroup: "v1" }), ["KUB005 NotSupported roleRef.apiGroup"]],
  [
    "a binding to nothing",
    binding(null),
    ["KUB005 NotSupported roleRef.kind", "KUB005 Required roleRef.name"],
  ],
  ["a binding to a path", binding({ ...REF, name: "a/b" }), ["KUB005 Invalid roleRef.name"]],
  [
    "a Role for the whole cluster",
    binding({ ...REF, kind: "Role" }, [], "ClusterRoleBinding"),
    ["KUB005 NotSupported roleRef.kind"],
  ],
  [
    "users and groups",
    binding(REF, [
      { kind: "User", name: "Any one at all" },
      { kind: "Group", name: "system:masters", apiGroup: "rbac.authorization.k8s.io" },
    ]),
    [],
  ],
  [
    "a user of the core group",
    binding(REF, [{ kind: "User", name: "a", apiGroup: "v1" }]),
    ["KUB005 NotSupported subjects[0].apiGroup"],
  ],
  ["a ServiceAccount of the binding's namespace", binding(REF, [{ kind: "ServiceAccount", name: "a" }]), []],
  [
    "a ServiceAccount of no namespace",
    binding(REF, [{ kind: "ServiceAccount", name: "a" }], "ClusterRoleBinding"),
    ["KUB005 Required subjects[0].namespace"],
  ],
  [
    "a ServiceAccount of the wrong group, with capitals",
    binding(REF, [{ ...REF, kind: "ServiceAccount", name: "A" }]),
    ["KUB005 NotSupported subjects[0].apiGroup", "KUB005 Invalid subjects[0].name"],
  ],
  [
    "a subject that is none",
    binding(REF, [{ kind: "Pod", name: "" }]),
    ["KUB005 Required subjects[0].name", "KUB005 NotSupported subjects[0].kind"],
  ],
];
for (const [name, given, expected] of CASES)
  test(name, () =>
    assert.equal(
      objectFindings(given).map(({ code, kind, field }) => `${code} ${kind} ${field}`),
      expected,
    ),
  );

/** Objects of every kind: each in turn has one other value at each place, drawn by a fixed sequence. */
function* generated(count: number): Generator<JsonObject> {
  let seed = 7;
  const pick = (list: readonly Json[]): Json => {
    seed = (seed * 1103515245 + 12345) & 0x7fffffff;
    return list[(seed >> 8) % list.length] ?? null;
  };
  const texts = (usual: Json): Json =>
    pick([usual, usual, usual, [], null, "a", [null], [""], [1], ["a", "b"]]);
  const rule = (): Json =>
    pick([
      PODS,
      { ...PODS, verbs: texts(["get"]), resources: texts(["pods"]), apiGroups: texts([""]) },
      { ...HEALTH, nonResourceURLs: texts(["/a"]), apiGroups: pick([[], null, [""]]) },
      { ...PODS, nonResourceURLs: texts([]), resourceNames: texts(["a"]) },
      null,
      "a",
    ]);
  const ref = (): Json =>
    pick([
      REF,
      {
        apiGroup: pick(["", null, "v1", "rbac.authorization.k8s.io", 1]),
        kind: pick(["Role", "ClusterRole", "ClusterRole", "", null, "role"]),
        name: pick(["a", "a", "A:b", "", null, "a/b", "a%", "..", 1]),
      },
    ]);
  const subject = (): Json =>
    pick([
      null,
      {
        apiGroup: pick(["", null, null, "v1", "rbac.authorization.k8s.io"]),
        kind: pick(["User", "Group", "ServiceAccount", "ServiceAccount", "", null, "Pod"]),
        name: pick(["a", "a", "a", "A b", "", null, "a/b", 1]),
        namespace: pick(["a", "a", "", null, "A b", 1]),
      },
    ]);
  const selectors = (): Json =>
    pick([
      [{}],
      [null],
      [],
      null,
      {},
      [{ matchLabels: { a: pick(["b", "b c", 1]) } }],
      [{ matchExpressions: [{ key: "a", operator: pick(["In", "Exists", "in", null]), values: texts([]) }] }],
    ]);
  for (let i = 0; i < count; i++) {
    const kind = pick(["Role", "ClusterRole", "RoleBinding", "ClusterRoleBinding"]);
    if (kind === "Role") yield of(kind, { rules: pick([[rule()], [rule(), rule()], null, {}]) });
    if (kind === "ClusterRole")
      yield of(kind, {
        rules: [rule()],
        aggregationRule: pick([null, null, { clusterRoleSelectors: selectors() }, "a"]),
      });
    if (kind === "RoleBinding" || kind === "ClusterRoleBinding")
      yield of(kind, { roleRef: ref(), subjects: pick([[subject()], [subject()], null, {}]) });
  }
}

const withKube = kubeTests(test);
withKube("a real API server takes and refuses the same objects", async (kube) => {
  const given = [...CASES.map(([, each]) => each), ...generated(500)].filter(
    ({ apiVersion }) => apiVersion === "rbac.authorization.k8s.io/v1",
  );
  let taken = 0;
  for (const each of given) {
    const kind = String(each["kind"]).toLowerCase();
    const scope = kind.startsWith("cluster") ? "" : "namespaces/default/";
    const path = `/apis/rbac.authorization.k8s.io/v1/${scope}${kind}s?dryRun=All`;
    const { status, body } = await kube.request("POST", path, each);
    if (status === 201) taken++;
    const ours = objectFindings(each);
    assert.is(ours.length === 0, status === 201, JSON.stringify({ each, ours, status, body }));
  }
  assert.ok(taken > 100 && taken < given.length - 100, `${taken} of ${given.length} were taken`);
});

test.run();
