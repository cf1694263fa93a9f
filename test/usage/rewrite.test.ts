/** Objects in new versions, where nothing is lost. */
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { load } from "js-yaml";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isJson, isObject, type Json, type JsonObject } from "../../src/core/json.js";
import { release } from "../../src/core/minor.js";
import { fieldsOf, messageOf } from "../../src/kubernetes/built-in-fields.js";
import { convert } from "../../src/usage/conversions.js";
import { rewrite } from "../../src/usage/rewrite.js";
import { servedOf } from "../../src/usage/usage.js";
import { slipway } from "../helpers/cli.js";
import { tempFolder } from "../helpers/temp.js";

const test = suite("usage/rewrite");

function objectOf(text: string): JsonObject {
  const value: unknown = load(text);
  if (!isJson(value) || !isObject(value)) throw new Error("no object");
  return value;
}

const lost = (text: string, to: string): readonly string[] => {
  const converted = convert(objectOf(text), to);
  return converted === undefined ? ["no rule"] : "lost" in converted ? converted.lost : [];
};
const converted = (text: string, to: string): Json => {
  const answer = convert(objectOf(text), to);
  return answer !== undefined && "value" in answer ? answer.value : null;
};

test("gives an Ingress its new backends and the default type of its paths", () => {
  const text = `
apiVersion: extensions/v1beta1
kind: Ingress
metadata: {name: a}
spec:
  backend: {serviceName: b, servicePort: http}
  rules:
  - host: c
    http:
      paths:
      - {path: /, backend: {serviceName: d, servicePort: 80}}
      - {path: /e, pathType: Exact, backend: {resource: {kind: Bucket, name: f}}}
`;
  assert.equal(
    converted(text, "networking.k8s.io/v1"),
    objectOf(`
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: a}
spec:
  defaultBackend: {service: {name: b, port: {name: http}}}
  rules:
  - host: c
    http:
      paths:
      - {path: /, pathType: ImplementationSpecific, backend: {service: {name: d, port: {number: 80}}}}
      - {path: /e, pathType: Exact, backend: {resource: {kind: Bucket, name: f}}}
`),
  );
});

test("keeps what a webhook does when defaults change", () => {
  const hook = (more: string): string =>
    `apiVersion: admissionregistration.k8s.io/v1beta1\nkind: ValidatingWebhookConfiguration\nmetadata: {name: a}\nwebhooks:\n- {name: b, ${more}}\n`;
  assert.equal(
    converted(hook("sideEffects: None, timeoutSeconds: 5"), "admissionregistration.k8s.io/v1"),
    objectOf(
      "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingWebhookConfiguration\nmetadata: {name: a}\nwebhooks:\n- {name: b, sideEffects: None, timeoutSeconds: 5, failurePolicy: Ignore, matchPolicy: Exact, admissionReviewVersions: [v1beta1]}\n",
    ),
  );
  assert.match(lost(hook("timeoutSeconds: 5"), "admissionregistration.k8s.io/v1")[0] ?? "", /sideEffects/);
});

test("renames shares of a priority level, and leaves 0 to the default", () => {
  const level = (version: string, limited: string): string =>
    `apiVersion: flowcontrol.apiserver.k8s.io/${version}\nkind: PriorityLevelConfiguration\nspec: {type: Limited, limited: {${limited}}}\n`;
  const to = "flowcontrol.apiserver.k8s.io/v1";
  assert.equal(
    converted(level("v1beta2", "assuredConcurrencyShares: 5"), to),
    objectOf(level("v1", "nominalConcurrencyShares: 5")),
  );
  assert.equal(converted(level("v1beta3", "nominalConcurrencyShares: 0"), to), objectOf(level("v1", "")));
});

test("says what is lost, and what no rule converts", () => {
  const budget = (selector: string): string =>
    `apiVersion: policy/v1beta1\nkind: PodDisruptionBudget\nspec: {minAvailable: 1${selector}}\n`;
  assert.match(lost(budget(""), "policy/v1")[0] ?? "", /all pods in policy\/v1/);
  assert.match(lost(budget(", selector: {}"), "policy/v1")[0] ?? "", /all pods/);
  assert.equal(lost(budget(", selector: {matchLabels: {a: b}}"), "policy/v1"), []);
  assert.equal(
    lost(
      "apiVersion: discovery.k8s.io/v1beta1\nkind: EndpointSlice\nendpoints:\n- {addresses: [a], topology: {b: c}}\n",
      "discovery.k8s.io/v1",
    ),
    ["endpoints[0].topology has no place in discovery.k8s.io/v1"],
  );
  assert.equal(lost("apiVersion: apps/v1beta1\nkind: Deployment\n", "apps/v1"), ["no rule"]);
});

/** Rules that change the version alone claim that both versions have the same fields. */
test("changes only the version where both have the same fields", () => {
  const pairs: readonly (readonly [string, string, string])[] = [
    ["apps/v1beta2", "apps/v1", "Deployment"],
    ["apps/v1beta2", "apps/v1", "StatefulSet"],
    ["batch/v1beta1", "batch/v1", "CronJob"],
    ["autoscaling/v2beta2", "autoscaling/v2", "HorizontalPodAutoscaler"],
    ["storage.k8s.io/v1beta1", "storage.k8s.io/v1", "CSIDriver"],
    ["rbac.authorization.k8s.io/v1beta1", "rbac.authorization.k8s.io/v1", "ClusterRole"],
    ["resource.k8s.io/v1beta2", "resource.k8s.io/v1", "ResourceClaim"],
    ["node.k8s.io/v1beta1", "node.k8s.io/v1", "RuntimeClass"],
  ];
  const shapeOf = (message: string, known: ReadonlySet<string> = new Set()): Json => {
    if (known.has(message)) return null;
    return Object.fromEntries(
      [...fieldsOf(message)]
        .filter(([name]) => name !== "status")
        .map(([name, { message: below, shape }]): [string, Json] => [
          name,
          [shape, below === undefined ? null : shapeOf(below, new Set([...known, message]))],
        ])
        .sort(([a], [b]) => (a < b ? -1 : 1)),
    );
  };
  for (const [from, to, kind] of pairs) {
    const [old, next] = [messageOf(from, kind), messageOf(to, kind)];
    assert.ok(old !== undefined && next !== undefined, `${from} ${kind}`);
    const [oldShape, nextShape] = [shapeOf(old ?? ""), shapeOf(next ?? "")];
    // The newer one may have fields more, in which the older one is silent.
    const missing = (a: Json, b: Json, path: string): string[] =>
      isObject(a)
        ? Object.entries(a).flatMap(([name, value]) =>
            isObject(b) && b[name] !== undefined
              ? missing(
                  Array.isArray(value) ? (value[1] ?? null) : null,
                  Array.isArray(b[name]) ? (b[name][1] ?? null) : null,
                  `${path}.${name}`,
                )
              : [`${path}.${name}`],
          )
        : [];
    assert.equal(missing(oldShape, nextShape, kind), [], `${from} ${kind}`);
  }
});

const settings = { runtimeConfig: [], gates: new Map() };
const served = (from: string, to: string) => servedOf({ from: release(from), to: release(to), settings });

test("rewrites only to what every release on the way serves", () => {
  const ingress = objectOf("apiVersion: networking.k8s.io/v1beta1\nkind: Ingress\nmetadata: {name: a}\n");
  const changes = (from: string, to: string): number => rewrite(ingress, served(from, to)).changes.length;
  assert.is(changes("1.18", "1.22"), 0, "1.18 does not have networking.k8s.io/v1");
  assert.is(changes("1.19", "1.22"), 1);
  assert.is(changes("1.37", "1.37"), 1);
});

test("rewrites targets, looks into lists, and leaves objects of a cluster alone", () => {
  const list = objectOf(`
apiVersion: v1
kind: List
items:
- apiVersion: autoscaling/v2
  kind: HorizontalPodAutoscaler
  metadata: {name: a}
  spec: {scaleTargetRef: {apiVersion: apps/v1beta1, kind: Deployment, name: b}}
- apiVersion: batch/v1beta1
  kind: CronJob
  metadata: {name: c, uid: d}
`);
  const { value, changes } = rewrite(list, served("1.37", "1.37"));
  assert.equal(
    changes.map(({ object, to }) => `${object}: ${to}`),
    ["spec.scaleTargetRef of autoscaling/v2 HorizontalPodAutoscaler a: apps/v1"],
  );
  assert.match(JSON.stringify(value), /"apiVersion":"apps\/v1".*"batch\/v1beta1"/);
});

test("writes files in their own layout, and says what it leaves", () => {
  const cwd = tempFolder();
  mkdirSync(join(cwd, "m"));
  const text = `# The shop.
apiVersion: batch/v1beta1 # old
kind: CronJob
metadata:
    name: a   # four blanks
spec:
    schedule: "0 3 * * *"
---
apiVersion: policy/v1beta1
kind: PodDisruptionBudget
metadata: {name: b}
spec: {minAvailable: 1}
`;
  writeFileSync(join(cwd, "m/a.yaml"), text, { mode: 0o600 });
  const json = {
    apiVersion: "node.k8s.io/v1beta1",
    kind: "RuntimeClass",
    metadata: { name: "r" },
    handler: "h",
  };
  writeFileSync(join(cwd, "m/b.json"), JSON.stringify(json));
  const { code, stdout, stderr } = slipway(["compat", "usage", "m", "--to", "1.37", "--write"], { cwd });
  assert.is(code, 3, "the budget is lost");
  assert.match(stdout, /^m\/a\.yaml: batch\/v1beta1 CronJob a -> batch\/v1$/m);
  assert.match(stderr, /USE011: policy\/v1beta1 PodDisruptionBudget b is not rewritten/);
  assert.not.match(stderr, /CronJob a: not served/);
  const after = readFileSync(join(cwd, "m/a.yaml"), "utf8");
  assert.is(after, text.replace("batch/v1beta1", "batch/v1"));
  assert.is(statSync(join(cwd, "m/a.yaml")).mode & 0o777, 0o600);
  assert.is(JSON.parse(readFileSync(join(cwd, "m/b.json"), "utf8")).apiVersion, "node.k8s.io/v1");
  assert.is(slipway(["compat", "usage", "-", "--to", "1.37", "--write"], { cwd, input: text }).code, 2);
});

test.run();
