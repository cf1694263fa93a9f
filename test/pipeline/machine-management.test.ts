/**
 * Compute machines of permanent management clusters: objects that the real definitions take, flags, what is the user's.
 * compute-pools.test.ts compares them with the machine sets that they replace.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createReporter } from "../../src/core/diagnostics.js";
import { isObject, type Json } from "../../src/core/json.js";
import { DEFAULT_RELEASE } from "../../src/core/release.js";
import { withDefinitions } from "../../src/validate/crd-files.js";
import { validateInfrastructure } from "../../src/validate/infrastructure.js";
import { slipway } from "../helpers/cli.js";
import { at, compile, EXAMPLES, objectsOf, ofKind, SEED } from "../helpers/compute.js";
import { releaseOf } from "../helpers/install-configs.js";
import { withShared } from "../helpers/shared.js";
import { tempFolder } from "../helpers/temp.js";

const test = suite("machine management");

/** Definitions of a folder; reading them takes longer than all that is asked of them. */
const read = new Map<string, ReturnType<typeof withDefinitions>>();
function definitionsIn(folder: string): ReturnType<typeof withDefinitions> {
  const known = read.get(folder);
  if (known !== undefined) return known;
  const texts = readdirSync(folder)
    .filter((file) => file.endsWith(".yaml"))
    .map((file) => ({ file, text: readFileSync(join(folder, file), "utf8") }));
  const definitions = withDefinitions(texts, createReporter().report, releaseOf(DEFAULT_RELEASE));
  read.set(folder, definitions);
  return definitions;
}

for (const [name, folder] of EXAMPLES)
  for (const contract of name === "machines-aws" ? (["v1beta1", "v1beta2"] as const) : (["v1beta1"] as const))
    withShared(test, "data/crds", `${name}: every object fits the definitions, ${contract}`, async (crds) => {
      const made = await compile(folder, readFileSync(join(folder, "install-config.yaml"), "utf8"), {
        machineManagement: "cluster-api",
        machineHealthChecks: "on",
        contract,
      });
      const found = validateInfrastructure(
        { files: new Map(made.files.map((file) => [file.path, file])), controllerNamespace: "capa-system" },
        await definitionsIn(crds),
      );
      // Secrets and wraps are looked at elsewhere, with a state.
      const broken = found.filter(
        ({ code, severity }) => /^(?:KUB00[345]|CAPI010|CAPI011|CAPI017)$/.test(code) && severity === "error",
      );
      assert.equal(
        broken.map(({ file, field, message }) => `${file} ${field}: ${message}`),
        [],
      );
    });

test("labels and taints of the edge, bounds by place, health checks, and what is left to do by hand", async () => {
  const folder = "golden/machines-aws/input";
  const made = await compile(folder, readFileSync(join(folder, "install-config.yaml"), "utf8"), {
    machineManagement: "cluster-api",
    machineHealthChecks: "on",
    autoscalerBounds: ["worker=3:8"],
  });
  const objects = objectsOf(made);
  const deployments = ofKind(objects, "MachineDeployment", "cluster.x-k8s.io");
  const edge = deployments.find((each) => String(at(each, "metadata", "name")).includes("-edge-"));
  assert.equal(at(edge, "spec", "template", "spec", "taints"), [
    { effect: "NoSchedule", key: "node-role.kubernetes.io/edge", propagation: "Always" },
  ]);
  assert.is(at(edge, "spec", "template", "metadata", "labels", "node-role.kubernetes.io/edge"), "");
  const bounds = deployments.flatMap((each) => {
    const annotations = at(each, "metadata", "annotations");
    return isObject(annotations) ? [Object.values(annotations)] : [];
  });
  assert.equal(bounds, [
    ["3", "1"],
    ["3", "1"],
    ["2", "1"],
  ]);
  assert.is(ofKind(objects, "MachineHealthCheck", "cluster.x-k8s.io").length, 2);
  assert.equal(
    made.supplement.map(({ area }) => area).filter((area) => area === "certificates" || area === "labels"),
    ["certificates", "labels"],
  );
});

test("bounds that are none, of no pool, or beside the pool's number of machines are refused", async () => {
  const folder = "golden/machines-aws/input";
  const config = readFileSync(join(folder, "install-config.yaml"), "utf8");
  for (const bounds of ["worker", "worker=4:2", "other=1:2", "worker=5:9", "worker=0:3"]) {
    const { ok, diagnostics } = await compile(folder, config, {
      machineManagement: "cluster-api",
      autoscalerBounds: [bounds],
    });
    assert.not.ok(ok, bounds);
    assert.ok(diagnostics.some(({ code, file }) => code === "CAPI033" && file === "--autoscaler-bounds"));
  }
});

test("machines of the user stay with a warning; the flag taken back and given again gives the former bytes", () => {
  const cwd = tempFolder();
  mkdirSync(join(cwd, "cluster"));
  const folder = "golden/vsphere/input";
  for (const file of ["install-config.yaml"])
    writeFileSync(join(cwd, "cluster", file), readFileSync(join(folder, file)));
  writeFileSync(join(cwd, "facts.yaml"), readFileSync(join(folder, "facts.yaml")));
  writeFileSync(join(cwd, "seed"), SEED);
  const run = (line: string): { readonly stdout: string; readonly stderr: string } => {
    const { code, stdout, stderr } = slipway(line.split(" "), {
      cwd,
      env: { SOURCE_DATE_EPOCH: "1800000000" },
    });
    assert.is(code, 0, `${line}: ${stdout}${stderr}`);
    return { stdout, stderr };
  };
  const create =
    "create infrastructure-manifests --dir cluster --facts facts.yaml --seed seed --key-algorithm ecdsa-p256";
  const tree = (): readonly string[] =>
    readdirSync(join(cwd, "cluster"), { recursive: true, withFileTypes: true })
      .filter((each) => each.isFile() && !each.parentPath.includes(".slipway"))
      .map((each) => join(each.parentPath, each.name))
      .sort()
      .map((file) => `${file}\n${readFileSync(file, "latin1")}`);
  run(create);
  const plain = tree();
  run(`${create} --machine-management cluster-api --machine-health-checks on`);
  const managed = tree();
  run(`${create} --machine-management machine-api`);
  assert.equal(tree(), plain);
  run(`${create} --machine-management cluster-api`);
  assert.equal(tree(), managed);
  run(`${create} --machine-management machine-api`);
  // An edit of the user's is theirs, and so is a set that they add.
  const edited = join(cwd, "cluster/openshift/99_openshift-cluster-api_worker-machineset-0.yaml");
  const before = readFileSync(edited, "utf8");
  writeFileSync(edited, before.replace("replicas: 2", "replicas: 5"));
  writeFileSync(
    join(cwd, "cluster/openshift/mine.yaml"),
    "apiVersion: machine.openshift.io/v1beta1\nkind: MachineSet\nmetadata: {name: mine, namespace: openshift-machine-api}\nspec: {replicas: 0}\n",
  );
  const { stderr } = run(`${create} --machine-management cluster-api`);
  assert.match(stderr, /worker-machineset-0\.yaml:\d+:\d+: warning CAPI034/);
  assert.match(stderr, /mine\.yaml:\d+:\d+: warning CAPI034/);
  assert.match(readFileSync(edited, "utf8"), "replicas: 5");
  assert.match(run("validate --dir cluster").stderr, /mine\.yaml:\d+:\d+: warning CAPI034/);
  // Nothing is compiled that could take its place.
  const taken = run(`${create} --theirs openshift/99_openshift-cluster-api_worker-machineset-0.yaml`);
  assert.match(
    taken.stderr,
    /worker-machineset-0\.yaml: warning DIR034: --theirs has no effect on this file/,
  );
  assert.match(readFileSync(edited, "utf8"), "replicas: 5");
});

/** What the Scheduler says of a cluster whose machines are made by hand, which has no object that makes any. */
async function schedulableByHand(
  folder: string,
  mastersSchedulable?: "auto" | "on" | "off",
): Promise<Json | undefined> {
  const config = readFileSync(join(folder, "install-config.yaml"), "utf8");
  const compiled = await compile(folder, config, {
    machineManagement: "none",
    ...(mastersSchedulable === undefined ? {} : { mastersSchedulable }),
  });
  assert.ok(compiled.ok, JSON.stringify(compiled.diagnostics));
  const objects = objectsOf(compiled);
  for (const [kind, group] of [
    ["Machine", "machine.openshift.io"],
    ["MachineSet", "machine.openshift.io"],
    ["ControlPlaneMachineSet", "machine.openshift.io"],
    ["MachineDeployment", "cluster.x-k8s.io"],
  ] as const)
    assert.is(ofKind(objects, kind, group).length, 0, kind);
  return at(ofKind(objects, "Scheduler", "config.openshift.io")[0], "spec", "mastersSchedulable");
}

for (const [name, folder] of EXAMPLES)
  test(`machines made by hand found: an object in the Machine API and none of Cluster API: ${name}`, async () => {
    assert.is(await schedulableByHand(folder, "off"), false);
  });

test("--masters-schedulable, and what follows without it", async () => {
  const folder = "golden/aws-subnets/input";
  assert.is(await schedulableByHand(folder), false);
  assert.is(await schedulableByHand(folder, "auto"), false);
  assert.is(await schedulableByHand(folder, "on"), true);
  assert.is(await schedulableByHand(folder, "off"), false);
});

test.run();
