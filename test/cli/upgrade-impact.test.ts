/** `slipway upgrade-impact`: what a new release, merged, does to a cluster that runs. */
import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { loadAll } from "js-yaml";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isJson, isObject, type JsonObject, textAt } from "../../src/core/json.js";
import { type CliResult, slipway } from "../helpers/cli.js";
import { readTree, tempFolder } from "../helpers/temp.js";

const test = suite("cli/upgrade-impact");

const ask = (cwd: string, ...words: readonly string[]): CliResult =>
  slipway(["upgrade-impact", "--dir", "cluster", ...words], { cwd });

function made(example: string, ...words: readonly string[]): string {
  const root = tempFolder();
  cpSync(join("examples", example), join(root, "cluster"), { recursive: true });
  const flags = ["--dir", "cluster", "--key-algorithm", "ecdsa-p256", ...words];
  const { code, stderr } = slipway(["create", "infrastructure-manifests", ...flags], { cwd: root });
  assert.is(code, 0, stderr);
  return root;
}

/** The folder as kubectl prints it once it was applied. */
function dumpOf(root: string): readonly JsonObject[] {
  const folder = join(root, "cluster/infrastructure-manifests");
  const shared = `${folder}-shared`;
  return [folder, shared].filter(existsSync).flatMap((path) =>
    readdirSync(path)
      .filter((name) => name !== "kustomization.yaml")
      .flatMap((name) => loadAll(readFileSync(join(path, name), "utf8")))
      .filter(isJson)
      .filter(isObject)
      .map((object) =>
        textAt(object, "kind").endsWith("ControlPlane")
          ? { ...object, status: { initialized: true } }
          : object,
      ),
  );
}

const writeDump = (root: string, items: readonly JsonObject[]): void =>
  writeFileSync(join(root, "dump.json"), JSON.stringify({ apiVersion: "v1", kind: "List", items }));

test("a new release on aws: refusals, replaced machines, and a rest without effect", () => {
  const facts = ["--facts", "cluster/facts.yaml"];
  const root = made("aws", "--release", "4.21", "--machine-management", "cluster-api", ...facts);
  const items = dumpOf(root);
  writeDump(root, items);
  const same = ask(root, "--cluster-state", "dump.json");
  assert.is(same.code, 0, same.stderr);
  assert.match(same.stdout, "Applying this changes nothing in the running cluster.");
  const file = join(root, "cluster/facts.yaml");
  writeFileSync(file, readFileSync(file, "utf8").replace("ami-0123456789abcdef0", "ami-0fedcba9876543210"));
  const before = readTree(root);
  const found = ask(root, "--cluster-state", "dump.json", "--release", "4.22", ...facts);
  assert.is(found.code, 3, found.stderr);
  assert.match(found.stdout, "Do not apply: the cluster refuses 2 objects");
  assert.match(found.stdout, "spec.controlPlaneLoadBalancer.targetGroupIPType: immutable");
  assert.match(found.stdout, "spec.machineTemplate: machineTemplate is immutable");
  assert.match(found.stdout, /updated +3 MachineDeployments: a changed template replaces the machines/);
  assert.match(found.stdout, "oc adm upgrade");
  assert.not.match(found.stdout, /delete the/i);
  assert.ok((found.stdout.split("\n\nObjects:")[0]?.split("\n").length ?? 99) < 24);
  const json = JSON.parse(
    ask(root, "--cluster-state", "dump.json", "--release", "4.22", ...facts, "--output", "json").stdout,
  );
  assert.is(json.installed, true);
  assert.equal([json.from, json.to, json.ok], ["4.21", "4.22", false]);
  const counts: Record<string, number> = {};
  for (const { outcome } of json.objects) counts[outcome] = (counts[outcome] ?? 0) + 1;
  assert.equal(counts, { refused: 2, updated: 3, created: 3, "no-effect": 5, left: 4, unchanged: 22 });
  assert.equal([...readTree(root).keys()], [...before.keys()]);
});

test("a clone without the Secrets leaves them unverified", () => {
  const root = made("none", "--secrets", "separate");
  writeDump(root, dumpOf(root));
  const found = ask(root, "--cluster-state", "dump.json");
  assert.is(found.code, 0, found.stderr);
  assert.match(found.stdout, /unverified +\d+ Secrets: the dump contains no Secret\n/);
});

test("without a dump, the command that takes it is printed", () => {
  const root = made("none");
  const { code, stderr } = ask(root);
  assert.is(code, 2);
  assert.match(
    stderr,
    /--cluster-state DUMP is required: kubectl get namespace,secret,openshiftcontrolplane\.v1alpha1\.cluster\.openshift\.io,.*--namespace heron-\w+ --output yaml > cluster\.yaml/,
  );
});

test("a dump without the control plane, and a directory that nobody applies", () => {
  const root = made("none");
  writeDump(root, []);
  const { code, stderr, stdout } = ask(root, "--cluster-state", "dump.json");
  assert.is(code, 0, stderr);
  assert.match(stderr, "warning CAPI052");
  assert.match(stdout, /created +Namespace/);
  cpSync("examples/none/install-config.yaml", join(root, "other/install-config.yaml"));
  const fresh = slipway(["upgrade-impact", "--dir", "other", "--cluster-state", "dump.json"], { cwd: root });
  assert.is(fresh.code, 1, fresh.stdout);
  assert.match(fresh.stderr, "error CAPI051");
});

test.run();
