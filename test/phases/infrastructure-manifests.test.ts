import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { load } from "js-yaml";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Problem } from "../../src/core/diagnostics.js";
import { decode, encode, type OutputFile, textFile } from "../../src/core/files.js";
import { equalJson, isJson, isList, isObject, type Json, type JsonObject } from "../../src/core/json.js";
import { checkCustomResource, readCrd } from "../../src/crd/schema.js";
import { crdFiles } from "../../src/generators/crds.js";
import { identityOf } from "../../src/kubernetes/identity.js";
import { annotationsOf, labelsOf } from "../../src/kubernetes/labels.js";
import { unwrapManifest } from "../../src/kubernetes/manifest-secrets.js";
import { objectFindings } from "../../src/kubernetes/object-rules.js";
import { secretData } from "../../src/kubernetes/secrets.js";
import { matchesSelector, readSelector } from "../../src/kubernetes/selectors.js";
import { createRenderer } from "../../src/text/render.js";
import {
  INFRA_ID,
  INSTALL_CONFIG,
  MANIFESTS,
  options,
  type PhaseRun,
  platformWith,
  runPhase,
  STATE,
} from "../helpers/infrastructure.js";
import { runs } from "../helpers/runs.js";
import { skipTest, withShared } from "../helpers/shared.js";
import { tempFolder } from "../helpers/temp.js";

const test = suite("infrastructure-manifests phase");

const objectOf = (file: OutputFile): JsonObject => {
  const value: unknown = load(decode(file.data) ?? "");
  if (!isJson(value) || !isObject(value)) throw new Error(`${file.path} is not one object`);
  return value;
};
const objectsOf = ({ files }: PhaseRun): Map<string, JsonObject> =>
  new Map(files.filter(({ path }) => path.endsWith(".yaml")).map((file) => [file.path, objectOf(file)]));
const at = (value: Json | undefined, ...path: string[]): Json | undefined =>
  path.reduce<Json | undefined>((inner, key) => (isObject(inner) ? inner[key] : undefined), value);
const get = (run: PhaseRun, file: string): JsonObject => {
  const object = objectsOf(run).get(file);
  if (object === undefined) throw new Error(`no file ${file}`);
  return object;
};
const codes = ({ diagnostics }: PhaseRun): string[] =>
  diagnostics.map(({ severity, code, field }) => `${severity} ${code} ${field}`);

test("file names, name order and modes are those of the contract", () => {
  const { files } = runPhase();
  assert.equal(
    files.map(({ path, secret }) => `${secret ? "0600" : "0644"} ${path}`),
    [
      "0644 infrastructure-manifests/00_namespace.yaml",
      "0600 infrastructure-manifests/20_install-state.yaml",
      "0600 infrastructure-manifests/30_manifest-manifests-cluster-config.yaml",
      "0600 infrastructure-manifests/30_manifest-manifests-cluster-dns-02-config.yml.yaml",
      "0600 infrastructure-manifests/30_manifest-openshift-99--kubeadmin-password-secret.yaml",
      "0644 infrastructure-manifests/60_openshift-control-plane.yaml",
      "0644 infrastructure-manifests/70_cluster.yaml",
      "0644 infrastructure-manifests/kustomization.yaml",
    ],
  );
});

test("references, labels and selector hold together in both styles", () => {
  for (const contract of ["v1beta1", "v1beta2"] as const) {
    const run = runPhase({ "infrastructure-options": options({ contract, namespace: "birds" }) });
    const controlPlane = get(run, "infrastructure-manifests/60_openshift-control-plane.yaml");
    const cluster = get(run, "infrastructure-manifests/70_cluster.yaml");
    assert.is(cluster["apiVersion"], `cluster.x-k8s.io/${contract}`);
    assert.equal(
      at(cluster, "spec", "controlPlaneRef"),
      contract === "v1beta1"
        ? {
            apiVersion: "cluster.openshift.io/v1alpha1",
            kind: "OpenShiftControlPlane",
            name: INFRA_ID,
            namespace: "birds",
          }
        : { apiGroup: "cluster.openshift.io", kind: "OpenShiftControlPlane", name: INFRA_ID },
    );
    assert.equal(at(cluster, "spec", "clusterNetwork"), { apiServerPort: 6443 });
    const selector = at(controlPlane, "spec", "manifestsSelector");
    if (!isObject(selector)) throw new Error("no selector");
    const read = readSelector(selector);
    assert.equal(read.problems, []);
    const selected = [...objectsOf(run)].filter(([, object]) => matchesSelector(read, labelsOf(object)));
    assert.equal(
      selected.map(([path]) => path).every((path) => path.includes("/30_manifest-")),
      true,
    );
    assert.is(selected.length, MANIFESTS.length);
    for (const [path, object] of objectsOf(run)) {
      const { kind, namespace } = identityOf(object);
      if (kind !== "Namespace" && kind !== "Kustomization") assert.is(namespace, "birds", path);
    }
  }
});

test("the manifest Secret has the labels and annotations of the contract", () => {
  const secret = get(
    runPhase(),
    "infrastructure-manifests/30_manifest-openshift-99--kubeadmin-password-secret.yaml",
  );
  assert.equal(
    [...labelsOf(secret)],
    [
      ["cluster.openshift.io/ignition", "include"],
      ["cluster.openshift.io/manifest-folder", "openshift"],
      ["cluster.x-k8s.io/cluster-name", INFRA_ID],
      ["clusterctl.cluster.x-k8s.io/move", ""],
    ],
  );
  assert.equal(
    [...annotationsOf(secret)],
    [
      ["cluster.openshift.io/include-in-ignition", "true"],
      ["cluster.openshift.io/manifest-path", "openshift/99_kubeadmin-password-secret.yaml"],
    ],
  );
  assert.is(identityOf(secret).name, `${INFRA_ID}-openshift-99--kubeadmin-password-secret`);
  assert.equal([...secretData(secret).keys()], ["99_kubeadmin-password-secret.yaml"]);
});

test("without wrapped files there is no selector, since an empty one selects everything", () => {
  const run = runPhase({ "manifest-files": [] });
  const spec = at(get(run, "infrastructure-manifests/60_openshift-control-plane.yaml"), "spec");
  assert.is(at(spec, "manifestsSelector"), undefined);
});

test("placeholders are marked, warned of, and legal in the v1beta2 style", () => {
  const older = runPhase();
  assert.equal(codes(older), [
    "warning CAPI004 spec.machineTemplate.infrastructureRef",
    "warning CAPI004 spec.infrastructureRef",
    "warning CAPI007 ",
  ]);
  const cluster = get(older, "infrastructure-manifests/70_cluster.yaml");
  assert.is(at(cluster, "spec", "infrastructureRef", "name"), "REPLACE-ME-infrastructure-cluster");
  assert.is(annotationsOf(cluster).get("slipway.dev/placeholder"), "spec.infrastructureRef");
  const newer = runPhase({ "infrastructure-options": options({ contract: "v1beta2" }) });
  assert.equal(at(get(newer, "infrastructure-manifests/70_cluster.yaml"), "spec", "infrastructureRef"), {
    apiGroup: "infrastructure.cluster.x-k8s.io",
    kind: "REPLACE-ME-Cluster",
    name: "replace-me-infrastructure-cluster",
  });
});

test("a platform with objects has them in the order of their names, without marks or warnings", () => {
  const reference = { apiVersion: "infrastructure.cluster.x-k8s.io/v1beta2", placeholder: false };
  const credentials = {
    template: "infrastructure-manifests/20_install-state.yaml",
    path: "10_credentials-cloud.yaml",
    view: { name: "creds", namespace: "capa-system", labels: { a: "b" }, data: { key: "eA==" } },
  } as const;
  const run = runPhase({
    platform: platformWith({
      cluster: { ...reference, kind: "AWSCluster", name: INFRA_ID },
      machineTemplate: { ...reference, kind: "AWSMachineTemplate", name: `${INFRA_ID}-master` },
      objects: [credentials],
    }),
    "infrastructure-options": options({ releaseImage: "quay.io/example/release:4.22.0-x86_64" }),
  });
  assert.equal(codes(run), ["warning CAPI007 "]);
  assert.is(run.files[1]?.path, "infrastructure-manifests/10_credentials-cloud.yaml");
  assert.is(run.files[1]?.secret, true);
  const controlPlane = get(run, "infrastructure-manifests/60_openshift-control-plane.yaml");
  assert.equal(
    [...annotationsOf(controlPlane)],
    [["cluster.openshift.io/release-image", "quay.io/example/release:4.22.0-x86_64"]],
  );
  const kustomization = get(run, "infrastructure-manifests/kustomization.yaml");
  const { resources = null } = kustomization;
  if (!isList(resources)) throw new Error("no resources");
  assert.equal(resources, [...resources].sort());
  assert.is(resources.length, run.files.length - 1);
});

test("--secrets separate moves every Secret, and only these, under the same names", () => {
  const inline = runPhase();
  const separate = runPhase({ "infrastructure-options": options({ secrets: "separate" }) });
  const names = (folder: string): string[] =>
    separate.files
      .map(({ path }) => path)
      .filter((path) => path.startsWith(`${folder}/`))
      .map((path) => path.slice(folder.length + 1));
  for (const [path, object] of objectsOf(separate))
    assert.is(
      identityOf(object).kind === "Secret",
      path.startsWith("infrastructure-manifests-secrets/") && !path.endsWith("kustomization.yaml"),
      path,
    );
  const own = new Set(["kustomization.yaml", ".gitignore"]);
  assert.equal(
    [...names("infrastructure-manifests"), ...names("infrastructure-manifests-secrets")]
      .filter((name) => !own.has(name))
      .sort(),
    inline.files
      .map(({ path }) => path.slice("infrastructure-manifests/".length))
      .filter((name) => !own.has(name)),
  );
  assert.is(
    separate.files.every(
      ({ path, secret }) => secret === path.startsWith("infrastructure-manifests-secrets/"),
    ),
    true,
    "everything in the folder of secrets is for the owner alone, nothing outside it",
  );
  const ignore = separate.files.find(({ path }) => path === "infrastructure-manifests-secrets/.gitignore");
  assert.match(decode(ignore?.data ?? encode("")) ?? "", /^\*$/m);
  assert.equal(
    codes(separate).filter((code) => code.includes("CAPI007")),
    [],
  );
});

test("the install-state Secret holds both files byte for byte", () => {
  const secret = get(runPhase(), "infrastructure-manifests/20_install-state.yaml");
  const data = secretData(secret);
  assert.equal([...data.keys()], [".openshift_install_state.json", "install-config.yaml"]);
  assert.ok(Buffer.from(STATE).equals(data.get(".openshift_install_state.json") ?? new Uint8Array()));
  assert.ok(Buffer.from(INSTALL_CONFIG).equals(data.get("install-config.yaml") ?? new Uint8Array()));
  assert.is(identityOf(secret).name, `${INFRA_ID}-install-state`);
  assert.is(labelsOf(secret).get("cluster.openshift.io/ignition"), undefined);
  const consumed = get(
    runPhase({ "install-config-file": undefined }),
    "infrastructure-manifests/20_install-state.yaml",
  );
  assert.is(decode(secretData(consumed).get("install-config.yaml") ?? encode("")), "apiVersion: v1\n");
});

test("round trip: any file name and any content comes back exactly", () => {
  const name = fc.oneof(
    fc.string({ minLength: 1, maxLength: 40 }),
    fc.string({ unit: "binary", minLength: 1, maxLength: 60 }),
    fc.string({ unit: fc.constantFrom("a", "A", "_", "-", ".", "+", " ", "é", "x", "\n"), maxLength: 250 }),
    fc.constantFrom("_x_a", "_h_a", "a_b", "a-b", "A", "a", "..", ".", "a.yaml", "a--b", "a---b", "99_x"),
  );
  const file = fc.record({
    folder: fc.constantFrom("manifests", "openshift"),
    // Files of a disk have names that are well-formed Unicode without "/" and NUL.
    name: name.map((text) => Buffer.from(text, "utf8").toString("utf8").replace(/[/\0]/g, "_")),
    ending: fc.constantFrom(".yaml", ".yml", ".json"),
    data: fc.uint8Array({ maxLength: 200 }),
  });
  const input = fc.uniqueArray(file, {
    maxLength: 12,
    selector: ({ folder, name: stem, ending }) => `${folder}/${stem}${ending}`,
  });
  fc.assert(
    fc.property(input, fc.uint8Array(), fc.uint8Array(), (drawn, state, config) => {
      const given = drawn.map(
        ({ folder, name: stem, ending, data }): OutputFile => ({
          path: `${folder}/${stem}${ending}`,
          data,
          secret: false,
        }),
      );
      const run = runPhase({ "manifest-files": given, state, "install-config-file": config });
      const seen = new Map<string, Uint8Array>();
      const secretNames = new Set<string>();
      for (const [path, object] of objectsOf(run)) {
        if (!path.endsWith("kustomization.yaml")) assert.equal(objectFindings(object), []);
        if (path.includes("/20_")) {
          assert.ok(
            Buffer.from(state).equals(secretData(object).get(".openshift_install_state.json") ?? encode("?")),
          );
          assert.ok(Buffer.from(config).equals(secretData(object).get("install-config.yaml") ?? encode("?")));
        }
        if (!path.includes("/30_")) continue;
        const { path: original, data, faults } = unwrapManifest(object);
        assert.equal(faults, []);
        if (original === undefined || data === undefined) throw new Error("not read back");
        seen.set(`${original.folder}/${original.file}`, data);
        secretNames.add(identityOf(object).name);
        assert.match(path, /^infrastructure-manifests\/[-._a-z0-9]+\.yaml$/);
        assert.ok(path.length < 255);
      }
      assert.is(secretNames.size, given.length, "every file has a Secret of its own");
      for (const { path, data } of given)
        assert.ok(Buffer.from(data).equals(seen.get(path) ?? encode("?")), path);
    }),
    { numRuns: runs(300) },
  );
});

test("a neighbour that appears or goes changes no other file", () => {
  const alone = runPhase({ "manifest-files": [textFile("manifests/a_b.yaml", "x")] });
  const among = runPhase({
    "manifest-files": [
      "manifests/A_b.yaml",
      "manifests/a-b.yaml",
      "manifests/a_b.yaml",
      "openshift/a_b.yaml",
    ].map((path) => textFile(path, "x")),
  });
  const all = new Map(among.files.map(({ path, data }) => [path, decode(data)]));
  for (const { path, data } of alone.files)
    if (!path.endsWith("kustomization.yaml")) assert.is(all.get(path), decode(data), path);
});

test("files that the ignition phase would not load are reported and left out", () => {
  const paths = [
    "manifests/README.md",
    "manifests/sub/x.yaml",
    "openshift/X.YAML",
    "manifests/.gitkeep",
    "openshift/x.yaml~",
  ];
  const run = runPhase({ "manifest-files": paths.map((path) => textFile(path, "x")) });
  assert.equal(
    run.diagnostics.filter(({ code }) => code === "CAPI002").map(({ file, severity }) => [file, severity]),
    paths.map((path) => [path, "warning"]),
  );
  assert.is(
    run.files.some(({ path }) => path.includes("/30_")),
    false,
  );
});

test("a file of exactly 1 MiB fits, one byte more is an error that names it", () => {
  const fits = { path: "manifests/big.yaml", data: new Uint8Array(1_048_576).fill(97), secret: false };
  const over = { path: "manifests/huge.yaml", data: new Uint8Array(1_048_577), secret: false };
  const run = runPhase({ "manifest-files": [fits, over], state: new Uint8Array(1_048_576) });
  assert.equal(
    run.diagnostics.filter(({ severity }) => severity === "error").map(({ code, file }) => `${code} ${file}`),
    ["CAPI003 manifests/huge.yaml", "CAPI003 .openshift_install_state.json"],
  );
  const secret = get(run, "infrastructure-manifests/30_manifest-manifests-big.yaml");
  assert.equal(objectFindings(secret), []);
  assert.ok(Buffer.from(fits.data).equals(secretData(secret).get("big.yaml") ?? encode("")));
});

test("a state that is too large because of many hosts is told by them", () => {
  const hintOf = (member: string): string | undefined => {
    const state = encode(
      JSON.stringify({ [member]: { HostFiles: ["x".repeat(1_048_576)] }, other: "x".repeat(1000) }),
    );
    return runPhase({ state }).diagnostics.find(({ code }) => code === "CAPI003")?.hint;
  };
  assert.match(hintOf("*machines.Worker") ?? "", /create the cluster with fewer hosts/);
  assert.match(hintOf("*manifests.Openshift") ?? "", /large files in manifests\/ and openshift\//);
});

test("hostile names and flags are diagnoses, and never leave their place", () => {
  const hostile = ["", "a\nb: c", "{{x}}", "---", "a: b", "A", "x".repeat(64), "-a", "a\0", "é", '"', "a.b"];
  for (const value of hostile) {
    const namespace = runPhase({ "infrastructure-options": options({ namespace: value }) });
    assert.equal(codes(namespace), ["error CAPI001 --namespace"], JSON.stringify(value));
    assert.equal(namespace.files, []);
    const infraID = runPhase({ identity: { infraID: value, clusterID: "x" } });
    assert.equal(codes(infraID), ["error CAPI001 --infra-id"], JSON.stringify(value));
    const image = runPhase({ "infrastructure-options": options({ releaseImage: value }) });
    const controlPlane = get(image, "infrastructure-manifests/60_openshift-control-plane.yaml");
    assert.is(annotationsOf(controlPlane).get("cluster.openshift.io/release-image"), value);
    assert.is(
      codes(image).includes("error CAPI006 --release-image"),
      value !== "x".repeat(64) && value !== "a.b",
      JSON.stringify(value),
    );
  }
  for (const namespace of ["default", "kube-system", "openshift", "openshift-config"])
    assert.ok(
      codes(runPhase({ "infrastructure-options": options({ namespace }) })).includes(
        "warning CAPI001 --namespace",
      ),
    );
});

test("contents and file names with markup come back equal", () => {
  const text = "a: 1\n---\n{{value x}} $Y \u2028 \ud83d\ude00 <<: *a\n";
  const path = 'manifests/{{value x}} "--- a: b\u2028\u0085\ufeff#.yaml';
  const run = runPhase({ "manifest-files": [textFile(path, text)] });
  const [secret] = [...objectsOf(run)].flatMap(([name, object]) => (name.includes("/30_") ? [object] : []));
  const { path: back, data } = unwrapManifest(secret ?? {});
  assert.is(`${back?.folder}/${back?.file}`, path);
  assert.is(decode(data ?? encode("")), text);
});

test("our own definition accepts the control plane", async () => {
  const renderer = await createRenderer(["crds"], (problem: Problem) => {
    throw new Error(problem.message);
  });
  const [definition] = crdFiles(renderer).map(objectOf);
  const crd = readCrd(definition ?? {});
  if (crd === undefined) throw new Error("no definition");
  for (const contract of ["v1beta1", "v1beta2"] as const) {
    const run = runPhase({
      "infrastructure-options": options({ contract, releaseImage: `quay.io/a/b@sha256:${"0".repeat(64)}` }),
    });
    const object = get(run, "infrastructure-manifests/60_openshift-control-plane.yaml");
    assert.equal(checkCustomResource(crd, object), []);
    assert.equal(objectFindings(object), []);
  }
});

withShared(
  test,
  "data/crds/Cluster.yaml",
  "the Cluster fits the CustomResourceDefinition of Cluster API",
  (file) => {
    const definition: unknown = load(readFileSync(file, "utf8"));
    const crd = isJson(definition) && isObject(definition) ? readCrd(definition) : undefined;
    if (crd === undefined) throw new Error("no definition");
    for (const contract of ["v1beta1", "v1beta2"] as const) {
      const run = runPhase({ "infrastructure-options": options({ contract }) });
      assert.equal(
        checkCustomResource(crd, get(run, "infrastructure-manifests/70_cluster.yaml")),
        [],
        contract,
      );
    }
  },
);

const kubectl = spawnSync("kubectl", ["kustomize", "--help"]).status === 0;
if (!kubectl) skipTest(test, "kustomize builds both folders in their order", "needs kubectl");
else
  test("kustomize builds both folders in their order", () => {
    for (const secrets of ["inline", "separate"] as const) {
      const hostile = [
        'manifests/a b"c.yaml',
        "manifests/\u00e9\u2028\ufeff+.json",
        "openshift/:{}[],&*#?|<>=!%@`.yml",
      ];
      const run = runPhase({
        "infrastructure-options": options({ secrets }),
        "manifest-files": [...MANIFESTS, ...hostile.map((path) => textFile(path, "\0\x01---\n: x"))],
      });
      const root = tempFolder();
      for (const { path, data } of run.files) {
        mkdirSync(dirname(join(root, path)), { recursive: true });
        writeFileSync(join(root, path), data);
      }
      const folders = [
        "infrastructure-manifests",
        ...(secrets === "separate" ? ["infrastructure-manifests-secrets"] : []),
      ];
      for (const folder of folders) {
        const text = execFileSync("kubectl", ["kustomize", join(root, folder)], { encoding: "utf8" });
        const built = text.split(/^---$/m).map((each) => load(each));
        const expected = [...objectsOf(run)]
          .filter(([path]) => path.startsWith(`${folder}/`) && !path.endsWith("kustomization.yaml"))
          .map(([, object]) => object);
        assert.is(built.length, expected.length);
        built.forEach((each, i) => {
          assert.ok(isJson(each) && equalJson(each, expected[i]), `document ${i} of ${folder}`);
        });
      }
    }
  });

test.run();
