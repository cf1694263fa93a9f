/** The objects of whole runs, held against the real definitions, and the folders against the checks on disk. */
import { execFileSync, spawnSync } from "node:child_process";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { load } from "js-yaml";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isJson, isObject, type JsonObject } from "../../src/core/json.js";
import { type Crd, checkCustomResource, loadCel, readCrd } from "../../src/crd/schema.js";
import { crdFiles } from "../../src/generators/crds.js";
import { identityOf } from "../../src/kubernetes/identity.js";
import { unwrapManifest } from "../../src/kubernetes/manifest-secrets.js";
import { objectFindings } from "../../src/kubernetes/object-rules.js";
import { secretData } from "../../src/kubernetes/secrets.js";
import { createRenderer } from "../../src/text/render.js";
import { emittedValidators, validateInfrastructure } from "../../src/validate/infrastructure.js";
import { slipway } from "../helpers/cli.js";
import { PLANTED } from "../helpers/planted.js";
import { everyNth } from "../helpers/runs.js";
import { shared, skipTest } from "../helpers/shared.js";
import { readTree, tempFolder } from "../helpers/temp.js";

const test = suite("infrastructure-manifests of whole runs");

const auth = Buffer.from(`user:${PLANTED.pullSecretAuth}`).toString("base64");
const AWS = `apiVersion: v1
baseDomain: example.net
metadata: {name: heron}
platform: {aws: {region: eu-west-1, userTags: {team: birds}}}
networking: {machineNetwork: [{cidr: 10.0.0.0/16}]}
pullSecret: '{"auths":{"registry.example.com":{"auth":"${auth}"}}}'
`;
const FACTS = `apiVersion: slipway.dev/v1alpha1
kind: CloudFacts
aws:
  region: eu-west-1
  availabilityZones: [{name: eu-west-1a}, {name: eu-west-1b}, {name: eu-west-1c}]
  images: {amd64: {id: ami-0123456789abcdef0}}
  publicHostedZone: Z0123456789ABC
`;
const CREDENTIALS = `[default]\naws_access_key_id = AKIAEXAMPLEEXAMPLE00\naws_secret_access_key = ${PLANTED.cloudSecretKey}\n`;

interface Run {
  readonly name: string;
  readonly platform: "none" | "external" | "aws";
  readonly flags: readonly string[];
}
const RUNS: readonly Run[] = [
  { name: "none", platform: "none", flags: [] },
  {
    name: "none, v1beta2, secrets apart",
    platform: "none",
    flags: ["--contract", "v1beta2", "--secrets", "separate"],
  },
  { name: "external", platform: "external", flags: ["--namespace", "birds"] },
  {
    name: "aws without credentials",
    platform: "aws",
    flags: ["--release-image", "quay.io/example/release:4.22.0"],
  },
  {
    name: "aws with credentials, secrets apart, v1beta2",
    platform: "aws",
    flags: ["--credentials", "credentials", "--secrets", "separate", "--contract", "v1beta2"],
  },
];

const STATE = ".openshift_install_state.json";
/** The state of the first run: its keys are used by the others, since making keys takes long. */
let keys: Buffer | undefined;

/** A directory after `create infrastructure-manifests`. */
function create({ platform, flags }: Run): string {
  const dir = tempFolder();
  if (platform === "aws") {
    const manual = flags.includes("--credentials") ? "" : "credentialsMode: Manual\n";
    writeFileSync(join(dir, "install-config.yaml"), AWS + manual);
    writeFileSync(join(dir, "facts.yaml"), FACTS);
    writeFileSync(join(dir, "credentials"), CREDENTIALS);
  } else {
    const example = readFileSync(`examples/${platform}/install-config.yaml`, "utf8");
    writeFileSync(join(dir, "install-config.yaml"), example.replace(/^( {2}name: )osprey$/m, "$1heron"));
  }
  if (keys !== undefined) writeFileSync(join(dir, STATE), keys);
  const facts = platform === "aws" ? ["--facts", "facts.yaml"] : [];
  const result = slipway(
    ["create", "infrastructure-manifests", "--infra-id", "heron-x2x2x", ...facts, ...flags],
    { cwd: dir },
  );
  assert.is(result.code, 0, result.stderr);
  keys ??= readFileSync(join(dir, STATE));
  return dir;
}

const objectOf = (text: string): JsonObject => {
  const value: unknown = load(text);
  if (!isJson(value) || !isObject(value)) throw new Error("not one object");
  return value;
};

async function definitions(): Promise<readonly Crd[]> {
  const folder = shared("data/crds");
  const theirs =
    folder === undefined
      ? []
      : readdirSync(folder)
          .filter((name) => name.endsWith(".yaml"))
          .map((name) => objectOf(readFileSync(join(folder, name), "utf8")));
  const renderer = await createRenderer(["crds"], (problem) => {
    throw new Error(problem.message);
  });
  const ours = crdFiles(renderer).map(({ data }) => objectOf(Buffer.from(data).toString("utf8")));
  return [...theirs, ...ours].flatMap((each) => readCrd(each) ?? []);
}
const crds = await definitions();
const cel = await loadCel();
const kubectl = spawnSync("kubectl", ["kustomize", "--help"]).status === 0;

for (const run of everyNth(RUNS, 2)) {
  let dir = "";
  let tree = new Map<string, Buffer>();
  const objects = (): [string, JsonObject][] =>
    [...tree]
      .filter(([path]) => /^infrastructure-manifests(?:-secrets|-shared)?\/.*\.yaml$/.test(path))
      .map(([path, data]) => [path, objectOf(data.toString("utf8"))]);

  test(`${run.name}: the run succeeds and names what is left to do`, () => {
    dir = create(run);
    tree = readTree(dir);
    const again = slipway(["create", "infrastructure-manifests", "-o", "json", ...run.flags], { cwd: dir });
    assert.is(again.code, 0, again.stderr);
    const {
      files,
      nextSteps,
    }: { files: { status: string }[]; nextSteps: { id: string; commands: string[] }[] } = JSON.parse(
      again.stdout,
    );
    assert.ok(files.every(({ status }) => status === "unchanged"));
    assert.equal(
      nextSteps.map(({ id }) => id),
      [
        "definitions",
        ...(run.platform === "aws" ? [] : ["placeholders"]),
        "validate",
        "apply",
        "wait",
        "operators",
      ],
    );
  });

  test(`${run.name}: every object obeys the API server's rules`, () => {
    for (const [path, object] of objects())
      if (!path.endsWith("kustomization.yaml")) assert.equal(objectFindings(object), [], path);
  });

  if (shared("data/crds") === undefined) skipTest(test, `${run.name}: definitions`, "needs shared/data/crds");
  else
    test(`${run.name}: every custom resource fits its definition, rules included`, () => {
      let checked = 0;
      for (const [path, object] of objects()) {
        const { group, kind } = identityOf(object);
        const crd = crds.find((each) => each.group === group && each.kind === kind);
        if (crd === undefined) {
          assert.ok(group === "" || kind === "Kustomization", `${path}: no definition of ${kind}`);
          continue;
        }
        assert.equal(checkCustomResource(crd, object, cel), [], path);
        checked++;
      }
      assert.is(checked, run.platform === "aws" ? 5 : 2);
    });

  test(`${run.name}: the Secrets hold the bytes on disk`, () => {
    const wrapped = new Map<string, Uint8Array>();
    for (const [path, object] of objects()) {
      if (path.includes("/20_install-state"))
        for (const [key, data] of secretData(object)) assert.ok(tree.get(key)?.equals(data), key);
      if (!path.includes("/30_")) continue;
      const { path: original, data, faults } = unwrapManifest(object);
      assert.equal(faults, []);
      if (original !== undefined && data !== undefined)
        wrapped.set(`${original.folder}/${original.file}`, data);
    }
    const sources = [...tree].filter(([path]) => /^(?:manifests|openshift)\//.test(path));
    assert.ok(sources.length > 15);
    assert.is(wrapped.size, sources.length);
    for (const [path, data] of sources) assert.ok(data.equals(wrapped.get(path) ?? Buffer.alloc(0)), path);
  });

  const emitted = await emittedValidators();
  test(`${run.name}: the checks on disk find nothing but placeholders`, () => {
    const files = new Map([...tree].map(([path, data]) => [path, { path, data }]));
    const found = validateInfrastructure(
      { files, controllerNamespace: "capa-system" },
      { crds, cel, emitted },
    );
    assert.equal(
      found.map(({ severity, code }) => `${severity} ${code}`),
      run.platform === "aws" ? [] : Array.from({ length: 4 }, () => "error CAPI004"),
    );
    const folder = shared("data/crds");
    const { code, stderr } = slipway(["validate", ...(folder === undefined ? [] : ["--crds", folder])], {
      cwd: dir,
    });
    assert.is(code, run.platform === "aws" ? 0 : 1, stderr);
  });

  if (run.flags.includes("separate"))
    test(`${run.name}: nothing that is secret lies outside its folder`, () => {
      assert.is(statSync(join(dir, "infrastructure-manifests-secrets")).mode & 0o777, 0o700);
      for (const [path, data] of tree)
        if (path.startsWith("infrastructure-manifests/")) {
          const text = data.toString("utf8");
          for (const secret of [auth, PLANTED.cloudSecretKey, "PRIVATE KEY"])
            for (const form of [
              secret,
              Buffer.from(secret).toString("base64").replace(/=*$/, "").slice(0, -2),
            ])
              assert.not.ok(text.includes(form), path);
        }
    });

  if (kubectl)
    test(`${run.name}: kustomize builds what is there`, () => {
      for (const folder of ["infrastructure-manifests", "infrastructure-manifests-secrets"]) {
        const own = objects().filter(
          ([path]) => path.startsWith(`${folder}/`) && !path.endsWith("kustomization.yaml"),
        );
        if (own.length === 0) continue;
        const built = execFileSync("kubectl", ["kustomize", join(dir, folder)], {
          encoding: "utf8",
          maxBuffer: 1 << 26,
        });
        assert.equal(
          built.split(/^---$/m).map((each) => identityOf(objectOf(each))),
          own.map(([, object]) => identityOf(object)),
        );
      }
    });
}
test("a file with two documents is reported by each phase that takes it along", () => {
  const dir = create({ name: "", platform: "none", flags: [] });
  const map = (name: string): string =>
    `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n  namespace: default\n`;
  writeFileSync(join(dir, "openshift/99_two.yaml"), `${map("a")}---\n${map("b")}`);
  const image = ["--release-image", `quay.example/release@sha256:${"a".repeat(64)}`];
  for (const phase of ["infrastructure-manifests", "ignition-configs"]) {
    const { code, stderr } = slipway(["create", phase, ...image], { cwd: dir });
    assert.is(code, 0, stderr);
    assert.match(
      stderr,
      "openshift/99_two.yaml:7:1: warning BOOT003: the bootstrap applies only the first document",
    );
  }
});

test("a run that changes the immutable machine template warns", () => {
  const dir = create({ name: "", platform: "none", flags: [] });
  const file = join(dir, "infrastructure-manifests/60_openshift-control-plane.yaml");
  const generatedText = readFileSync(file, "utf8");
  writeFileSync(file, generatedText.replaceAll(/REPLACE-ME-/g, "my-"));
  const again = slipway(
    ["create", "infrastructure-manifests", "--theirs", "infrastructure-manifests", "--namespace", "other"],
    { cwd: dir },
  );
  assert.is(again.code, 0, again.stderr);
  assert.match(again.stderr, /60_openshift-control-plane.yaml: warning CAPI015: spec.machineTemplate/);
});

if (!kubectl) skipTest(test, "kustomize builds what is there", "needs kubectl");

test.run();
