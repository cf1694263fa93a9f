import { mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Ajv from "ajv/dist/2020.js";
import { load } from "js-yaml";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isJson, isObject, type JsonObject } from "../../src/core/json.js";
import { checkCustomResource, readCrd } from "../../src/crd/schema.js";
import { crdFindings } from "../../src/crd/validation.js";
import { SCHEMAS } from "../../src/generated/schemas/index.js";
import { slipway } from "../helpers/cli.js";
import { readTree, tempFolder } from "../helpers/temp.js";

const test = suite("slipway generate crds and schemas");

const objectOf = (text: string): JsonObject => {
  const value: unknown = load(text);
  if (!isJson(value) || !isObject(value)) throw new Error("not one object");
  return value;
};

function generated(): string {
  const dir = tempFolder();
  const { code, stderr } = slipway(["generate", "crds", "--out", "api"], { cwd: dir });
  assert.is(code, 0, stderr);
  return dir;
}

test("the definition is one that an API server accepts, with what the contract asks for", () => {
  const dir = generated();
  assert.equal(
    [...readTree(join(dir, "api")).keys()],
    [
      "openshiftcontrolplanes.cluster.openshift.io.yaml",
      "openshiftcontrolplanes.clusterrole.yaml",
      "storagetransferapprovals.approver.role.yaml",
      "storagetransferapprovals.transfer.slipway.dev.yaml",
      "storagetransferrequests.requester.role.yaml",
      "storagetransferrequests.transfer.slipway.dev.yaml",
    ],
  );
  const text = readFileSync(join(dir, "api/openshiftcontrolplanes.cluster.openshift.io.yaml"), "utf8");
  const definition = objectOf(text);
  assert.equal(crdFindings(definition), []);
  assert.match(text, /cluster\.x-k8s\.io\/v1beta1: v1alpha1/);
  assert.match(text, /rule: self == oldSelf/);
  assert.match(text, /subresources:\n {6}status: \{\}/);
  const role = objectOf(readFileSync(join(dir, "api/openshiftcontrolplanes.clusterrole.yaml"), "utf8"));
  assert.equal(role["rules"], [
    {
      apiGroups: ["cluster.openshift.io"],
      resources: ["openshiftcontrolplanes"],
      verbs: ["create", "delete", "get", "list", "patch", "update", "watch"],
    },
  ]);
});

const reference = { apiVersion: "x.example.com/v1", kind: "Template", name: "a", namespace: "b" };
const SPEC = {
  installStateSecretRef: { name: "a.b-c" },
  machineTemplate: { infrastructureRef: reference },
} as const;
const INSTANCES: readonly [name: string, spec: JsonObject | undefined, faults: readonly string[]][] = [
  ["what is required suffices", SPEC, []],
  [
    "everything",
    {
      installStateSecretRef: { name: "x".repeat(253) },
      machineTemplate: {
        metadata: { labels: { a: "b" }, annotations: { c: "d" } },
        infrastructureRef: reference,
        nodeDrainTimeout: "10m0s",
        nodeVolumeDetachTimeout: "0s",
        nodeDeletionTimeout: "1h",
      },
      manifestsSelector: { matchLabels: { a: "b" }, matchExpressions: [{ key: "a", operator: "Exists" }] },
    },
    [],
  ],
  ["no spec", undefined, ["KUB003 spec"]],
  ["nothing in it", {}, ["KUB003 spec.installStateSecretRef", "KUB003 spec.machineTemplate"]],
  [
    "a name that is too long",
    { ...SPEC, installStateSecretRef: { name: "x".repeat(254) } },
    ["KUB003 spec.installStateSecretRef.name"],
  ],
  [
    "a name with capitals",
    { ...SPEC, installStateSecretRef: { name: "aB" } },
    ["KUB003 spec.installStateSecretRef.name"],
  ],
  [
    "a name that only holds a legal one",
    { ...SPEC, installStateSecretRef: { name: "!a!" } },
    ["KUB003 spec.installStateSecretRef.name"],
  ],
  [
    "an empty name",
    { ...SPEC, installStateSecretRef: { name: "" } },
    ["KUB003 spec.installStateSecretRef.name"],
  ],
  [
    "the v1beta2 shape of a reference",
    { ...SPEC, machineTemplate: { infrastructureRef: { apiGroup: "x", kind: "T", name: "a" } } },
    [
      "KUB004 spec.machineTemplate.infrastructureRef.apiGroup",
      "KUB003 spec.machineTemplate.infrastructureRef.apiVersion",
      "KUB003 spec.machineTemplate.infrastructureRef.namespace",
    ],
  ],
  ["a member that the design does not have", { ...SPEC, replicas: 3 }, ["KUB004 spec.replicas"]],
];
test("instances are judged as the design says", () => {
  const dir = generated();
  const crd = readCrd(
    objectOf(readFileSync(join(dir, "api/openshiftcontrolplanes.cluster.openshift.io.yaml"), "utf8")),
  );
  if (crd === undefined) throw new Error("no definition");
  for (const [name, spec, faults] of INSTANCES) {
    const object = {
      apiVersion: "cluster.openshift.io/v1alpha1",
      kind: "OpenShiftControlPlane",
      metadata: { name: "a", namespace: "b" },
      ...(spec === undefined ? {} : { spec }),
    };
    assert.equal(
      checkCustomResource(crd, object).map(({ code, field }) => `${code} ${field}`),
      faults,
      name,
    );
  }
});

test("a second run changes nothing, --check agrees, and a difference is exit 3 with a diff", () => {
  const dir = generated();
  const file = join(dir, "api/openshiftcontrolplanes.clusterrole.yaml");
  const { mtimeMs } = statSync(file);
  const again = slipway(["generate", "crds", "--out", "api", "-o", "json"], { cwd: dir });
  assert.is(again.code, 0);
  const { files }: { files: { status: string }[] } = JSON.parse(again.stdout);
  assert.ok(files.every(({ status }) => status === "unchanged"));
  assert.is(statSync(file).mtimeMs, mtimeMs);
  assert.is(slipway(["generate", "crds", "--out", "api", "--check"], { cwd: dir }).code, 0);
  writeFileSync(file, readFileSync(file, "utf8").replace("  - watch\n", "  - watch\n  - bind\n"));
  const edited = readFileSync(file, "utf8");
  const checked = slipway(["generate", "crds", "--out", "api", "--check"], { cwd: dir });
  assert.is(checked.code, 3);
  assert.match(checked.stdout, /^\+\+\+ api\/openshiftcontrolplanes.clusterrole.yaml \(generated\)$/m);
  assert.match(checked.stdout, /^- {2}- bind$/m);
  assert.is(readFileSync(file, "utf8"), edited, "--check writes nothing");
  const missing = slipway(["generate", "crds", "--out", "nowhere", "--check", "-o", "json"], { cwd: dir });
  assert.is(missing.code, 3);
  const answer: unknown = JSON.parse(missing.stdout);
  if (!isJson(answer) || !isObject(answer)) throw new Error("no answer");
  assert.is(answer["clean"], false);
});

test("a link that leads out of the folder, and a missing --out, are refused", () => {
  const dir = tempFolder();
  mkdirSync(join(dir, "api"));
  symlinkSync("/dev/null", join(dir, "api/openshiftcontrolplanes.clusterrole.yaml"));
  const { code, stderr } = slipway(["generate", "crds", "--out", "api"], { cwd: dir });
  assert.is(code, 1, stderr);
  assert.match(stderr, /error DIR/);
  assert.equal([...readTree(join(dir, "api")).keys()], [], "nothing was written");
  assert.is(slipway(["generate", "crds"], { cwd: dir }).code, 2);
});

test("every schema is written, is valid JSON Schema, and describes the answer", async () => {
  const dir = tempFolder();
  const { code, stdout, stderr } = slipway(["generate", "schemas", "--out", "s", "-o", "json"], { cwd: dir });
  assert.is(code, 0, stderr);
  const tree = readTree(join(dir, "s"));
  assert.equal(
    [...tree.keys()].sort(),
    Object.keys(SCHEMAS)
      .map((name) => `${name}.schema.json`)
      .sort(),
  );
  for (const name of [
    "emitted/OpenShiftControlPlane.v1alpha1",
    "inputs/install-config",
    "inputs/cloud-facts",
  ])
    assert.ok(tree.has(`${name}.schema.json`), name);
  const ajv = new Ajv.default({ strict: false, validateFormats: false });
  for (const [path, data] of tree) assert.ok(ajv.validateSchema(JSON.parse(data.toString("utf8"))), path);
  const validate = ajv.compile(
    JSON.parse(tree.get("outputs/GenerateResult.schema.json")?.toString("utf8") ?? ""),
  );
  assert.ok(validate(JSON.parse(stdout)), JSON.stringify(validate.errors));
  const text = tree.get("emitted/OpenShiftControlPlane.v1alpha1.schema.json")?.toString("utf8") ?? "";
  assert.match(text, /"description": "Specification of the first machines/);
});

test.run();
