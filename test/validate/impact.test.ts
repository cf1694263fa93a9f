/** What applying a folder does to a management cluster, for objects that are written out here. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { loadAll } from "js-yaml";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isJson, isObject, type JsonObject, textAt } from "../../src/core/json.js";
import { transitionFaults } from "../../src/crd/cel.js";
import { loadCel } from "../../src/crd/schema.js";
import { identityOf } from "../../src/kubernetes/identity.js";
import { type UpdateRule, updatesOf } from "../../src/platforms/update-rules.js";
import { definitionOf } from "../../src/validate/crd-files.js";
import { impactOf, type ObjectImpact } from "../../src/validate/impact/impact.js";
import { CHANGE_NAMES, refusalsOf } from "../../src/validate/impact/refusals.js";

const test = suite("validate/impact");
const GROUP = "infrastructure.cluster.x-k8s.io";

/** A file that is stored as what differs from another case's has no kind that the other has not. */
const objectsIn = (file: string): JsonObject[] => {
  const text = readFileSync(file, "utf8");
  return text.startsWith("<<<") ? [] : loadAll(text).filter(isJson).filter(isObject);
};

test("somebody looked at the update rules of every kind that is emitted", () => {
  const cases = readdirSync("golden").filter((name) => !name.startsWith("custom-"));
  const kinds = new Map<string, UpdateRule[]>();
  for (const name of cases)
    for (const folder of ["infrastructure-manifests", "infrastructure-manifests-shared"]) {
      const path = join("golden", name, "expected/files", folder);
      let files: string[] = [];
      try {
        files = readdirSync(path).filter((each) => /^\d.*\.yaml$/.test(each));
      } catch {
        continue;
      }
      for (const object of files.flatMap((each) => objectsIn(join(path, each)))) {
        const { group, kind } = identityOf(object);
        if (kind === "OpenShiftControlPlane") continue;
        const known = updatesOf(group, kind);
        assert.ok(known !== undefined, `${kind}.${group}`);
        kinds.set(`${kind}.${group}`, [...known.rules]);
      }
    }
  assert.ok(kinds.size > 30, String(kinds.size));
  for (const rule of [...kinds.values()].flat())
    assert.ok(CHANGE_NAMES.includes(rule.change), `${rule.field}: ${rule.change}`);
});

const judged = (
  rule: Omit<UpdateRule, "field">,
  before: JsonObject,
  after: JsonObject,
  field = "spec.a",
): boolean => refusalsOf([{ field, ...rule }], before, after).length > 0;
const spec = (value: JsonObject): JsonObject => ({ spec: value });

test("built-in kinds and those of assisted-service are refused as their sources say", () => {
  const refused = (group: string, kind: string, before: JsonObject, after: JsonObject): string[] =>
    refusalsOf(updatesOf(group, kind)?.rules ?? [], before, after).map(({ field }) => field);
  const frozen = { immutable: true, binaryData: { a: "eA==" } };
  assert.equal(refused("", "ConfigMap", frozen, { ...frozen, binaryData: { a: "eQ==" } }), ["binaryData"]);
  assert.equal(refused("", "ConfigMap", { binaryData: { a: "eA==" } }, { binaryData: { a: "eQ==" } }), []);
  const set = { serviceName: "a", replicas: 1, revisionHistoryLimit: 3 };
  assert.equal(
    refused("apps", "StatefulSet", spec(set), spec({ ...set, replicas: 2, revisionHistoryLimit: 4 })),
    [],
  );
  assert.equal(refused("apps", "StatefulSet", spec(set), spec({ ...set, serviceName: "b" })), [
    "spec.serviceName",
  ]);
  const job = (value: JsonObject): string[] =>
    refused("batch", "Job", spec({ ...value, completions: 2 }), spec({ ...value, completions: 3 }));
  assert.equal(job({}), ["spec.completions"]);
  assert.equal(job({ completionMode: "Indexed" }), []);
  const infraEnv = (before: JsonObject, after: JsonObject): string[] =>
    refused("agent-install.openshift.io", "InfraEnv", spec(before), spec(after));
  assert.equal(infraEnv({ clusterRef: { name: "a" } }, { clusterRef: { name: "b" } }), ["spec.clusterRef"]);
  assert.equal(infraEnv({}, { cpuArchitecture: "x86_64" }), []);
  assert.equal(infraEnv({}, { cpuArchitecture: "arm64" }), ["spec.cpuArchitecture"]);
});

test("a rule refuses what its table says", () => {
  const never = { change: "never" };
  assert.ok(judged(never, spec({ a: 1 }), spec({ a: 2 })));
  assert.ok(judged(never, spec({}), spec({ a: "x" })));
  assert.not.ok(judged(never, spec({}), spec({ a: "" })));
  assert.not.ok(judged({ ...never, initial: "x" }, spec({}), spec({ a: "x" })));
  assert.not.ok(judged({ ...never, ifPresent: "spec.b" }, spec({ a: 1 }), spec({ a: 2 })));
  assert.ok(judged({ ...never, ifPresent: "spec.b" }, spec({ a: 1, b: { c: 1 } }), spec({ a: 2 })));
  const except = { ...never, except: ["b", "list[].free"] };
  assert.not.ok(
    judged(except, spec({ a: { b: 1, list: [{ c: 1, free: 1 }] } }), spec({ a: { b: 2, list: [{ c: 1 }] } })),
  );
  assert.ok(judged(except, spec({ a: { list: [{ c: 1 }] } }), spec({ a: { list: [{ c: 2 }] } })));
  const settable = { ...never, settable: ["b"] };
  assert.not.ok(judged(settable, spec({ a: { c: 1 } }), spec({ a: { b: 1, c: 1 } })));
  assert.ok(judged(settable, spec({ a: { b: 1, c: 1 } }), spec({ a: { b: 2, c: 1 } })));
  assert.not.ok(
    judged({ change: "once set" }, spec({ a: { host: "", port: 0 } }), spec({ a: { host: "x" } })),
  );
  assert.ok(judged({ change: "once set" }, spec({ a: { host: "x" } }), spec({ a: { host: "y" } })));
  assert.ok(judged({ change: "not removed" }, spec({ a: { host: "x" } }), spec({})));
  assert.not.ok(judged({ change: "not removed" }, spec({ a: "x" }), spec({ a: "y" })));
  assert.ok(judged({ change: "only added" }, spec({ a: [1, 2] }), spec({ a: [2, 3] })));
  assert.not.ok(judged({ change: "only added" }, spec({ a: [1] }), spec({ a: [2, 1] })));
  assert.ok(judged({ change: "not enabled" }, spec({}), spec({ a: true })));
  assert.not.ok(judged({ change: "once set", ignoresCase: true }, spec({ a: "AB:C" }), spec({ a: "ab:c" })));
});

test("a rule of items compares those with the same keys", () => {
  const field = "spec.list[].items[port,protocol].selector";
  const of = (port: number, selector: string): JsonObject =>
    spec({ list: [{ items: [{ port, protocol: "tcp", selector }] }] });
  assert.ok(judged({ change: "never" }, of(1, "x"), of(1, "y"), field));
  assert.not.ok(judged({ change: "never" }, of(1, "x"), of(2, "y"), field));
});

test("conditions look at the object as it is in the cluster", () => {
  const rule = { change: "never", unless: [{ field: "status.state", values: ["registering"] }] };
  const live = (state: string): JsonObject => ({ spec: { a: 1 }, status: { state } });
  assert.not.ok(judged(rule, live("registering"), { spec: { a: 2 } }));
  assert.ok(judged(rule, live("provisioned"), { spec: { a: 2 } }));
  const only = { change: "never", onlyIf: [{ field: "immutable", values: ["true"] }] };
  assert.ok(judged(only, { spec: { a: 1 }, immutable: true }, { spec: { a: 2 } }));
  assert.not.ok(judged(only, { spec: { a: 1 } }, { spec: { a: 2 } }));
});

const metadata = (name: string, more: JsonObject = {}): JsonObject => ({ name, namespace: "birds", ...more });
const template = (name: string, ami: string): JsonObject => ({
  apiVersion: `${GROUP}/v1beta2`,
  kind: "AWSMachineTemplate",
  metadata: metadata(name),
  spec: { template: { spec: { ami: { id: ami } } } },
});
const plane = (name: string): JsonObject => ({
  apiVersion: "cluster.openshift.io/v1alpha1",
  kind: "OpenShiftControlPlane",
  metadata: metadata("egret"),
  spec: {
    installStateSecretRef: { name: "egret-install-state" },
    machineTemplate: {
      infrastructureRef: { kind: "AWSMachineTemplate", name, apiVersion: "x", namespace: "birds" },
    },
  },
});
const secret = (name: string, text: string, labels: JsonObject = {}): JsonObject => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: metadata(name, { labels }),
  stringData: { text },
});
const MANIFEST = { "cluster.openshift.io/manifest-folder": "manifests" };
const inCluster = (object: JsonObject, more: JsonObject = {}): JsonObject => ({
  ...object,
  uid: "1",
  ...more,
});
const applied = (objects: readonly JsonObject[], before = objects): readonly JsonObject[] =>
  before.map((object) =>
    textAt(object, "kind") === "OpenShiftControlPlane"
      ? inCluster(object, { status: { initialized: true } })
      : object,
  );

const cel = await loadCel();

function ask(
  files: readonly JsonObject[],
  live: readonly JsonObject[],
  onDisk = files,
): readonly ObjectImpact[] {
  const filed = (objects: readonly JsonObject[]) =>
    objects.map((object, i) => ({ file: `${i}.yaml`, object }));
  return impactOf({
    files: filed(files),
    onDisk: filed(onDisk),
    live,
    transitions(before, after) {
      const version = definitionOf({ identity: identityOf(after) }, {})?.versions[0];
      if (version?.schema === undefined) return undefined;
      return transitionFaults(before, after, version.schema, "", cel).map(({ field, message }) => ({
        field,
        why: message,
      }));
    },
  }).objects;
}

const outcomes = (objects: readonly ObjectImpact[]): string[] =>
  objects.map(({ kind, name, outcome }) => `${outcome} ${kind} ${name}`);

test("another template is refused at the control plane, and has no effect", () => {
  const old = [template("old", "ami-1"), plane("old")];
  const found = ask([template("new", "ami-2"), plane("new")], applied(old), old);
  assert.equal(outcomes(found), [
    "no-effect AWSMachineTemplate new",
    "refused OpenShiftControlPlane egret",
    "left AWSMachineTemplate old",
  ]);
  assert.equal(found[1]?.refusals, [{ field: "spec.machineTemplate", why: "machineTemplate is immutable" }]);
  assert.match(found[2]?.cost ?? "", "can no longer create machines");
});

test("a template that keeps its name is refused, and what was merged before is too", () => {
  const files = [template("old", "ami-2"), plane("old")];
  assert.equal(outcomes(ask(files, applied([template("old", "ami-1"), plane("old")]))), [
    "refused AWSMachineTemplate old",
    "unchanged OpenShiftControlPlane egret",
  ]);
});

test("Secrets of manifests are read during installation only", () => {
  const of = (text: string) => [secret("m", text, MANIFEST), secret("login", text), plane("t")];
  assert.equal(outcomes(ask(of("new"), applied(of("old")))).slice(0, 2), [
    "no-effect Secret m",
    "updated Secret login",
  ]);
  const waiting = ask(of("new"), of("old"));
  assert.equal(outcomes(waiting).slice(0, 1), ["updated Secret m"]);
});

test("defaults, fields of controllers and zeros that are dropped are no changes", () => {
  const file = {
    ...template("t", "ami-1"),
    spec: { template: { spec: { list: [{ a: 1 }], off: false, none: "" } } },
  };
  const live = {
    ...template("t", "ami-1"),
    spec: { template: { spec: { list: [{ a: 1, b: 2 }], own: 3 } } },
  };
  assert.equal(outcomes(ask([file], [live])), ["unchanged AWSMachineTemplate t"]);
});

test("a field that was applied last and is no longer in the file is removed", () => {
  const login = secret("login", "x");
  const last = { ...login, stringData: { text: "x", other: "y" } };
  const annotations = { "kubectl.kubernetes.io/last-applied-configuration": JSON.stringify(last) };
  const live = { ...last, metadata: metadata("login", { labels: {}, annotations }) };
  const [found] = ask([login], [live]);
  assert.equal(
    found?.changes.map(({ field }) => field),
    ["data.other"],
  );
});

test("what the controller deletes is told with its cost, and what it keeps stays", () => {
  const flux = { "kustomize.toolkit.fluxcd.io/name": "egret" };
  const deployment = (name: string, annotations: JsonObject): JsonObject => ({
    apiVersion: "cluster.x-k8s.io/v1beta1",
    kind: "MachineDeployment",
    metadata: metadata(name, { labels: flux, annotations }),
    spec: { clusterName: "egret" },
  });
  const live = [
    ...applied([plane("t")]),
    deployment("a", {}),
    deployment("b", { "kustomize.toolkit.fluxcd.io/prune": "disabled" }),
  ];
  const found = ask([plane("t")], live);
  assert.equal(outcomes(found), [
    "unchanged OpenShiftControlPlane egret",
    "pruned MachineDeployment a",
    "left MachineDeployment b",
  ]);
  assert.is(found[1]?.cost, "deletes its machines");
});

test("another version in the dump and a kind that it leaves out are unverified", () => {
  const live = { ...template("t", "ami-1"), apiVersion: `${GROUP}/v1beta1` };
  const files = [template("t", "ami-2"), secret("s", "x"), plane("t")];
  assert.equal(outcomes(ask(files, [live, ...applied([plane("t")])])), [
    "unverified AWSMachineTemplate t",
    "unverified Secret s",
    "unchanged OpenShiftControlPlane egret",
  ]);
});

test("objects of another cluster in the dump are none of this one", () => {
  const other = {
    ...plane("x"),
    metadata: { ...metadata("heron"), namespace: "fish" },
    status: { initialized: true },
  };
  const found = impactOf({
    files: [{ file: "a", object: plane("t") }],
    onDisk: [],
    live: [other],
    transitions: () => undefined,
  });
  assert.is(found.installed, undefined);
  assert.equal(outcomes(found.objects), ["created OpenShiftControlPlane egret"]);
});

test.run();
