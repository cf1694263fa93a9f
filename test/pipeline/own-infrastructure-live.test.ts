/** Own infrastructure and compute machines, applied to a real API server with the definitions: it keeps what was written. */
import { cpSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { load } from "js-yaml";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { equalJson, isJson, isList, isObject, type Json, type JsonObject } from "../../src/core/json.js";
import { identityOf } from "../../src/kubernetes/identity.js";
import { slipway } from "../helpers/cli.js";
import { type KubeServers, kubeTests } from "../helpers/kube-servers.js";
import { shared } from "../helpers/shared.js";
import { tempFolder } from "../helpers/temp.js";

const test = suite("own infrastructure, live");
const withKube = kubeTests(test, {});

function objectOf(text: string): JsonObject {
  const value: unknown = load(text);
  if (!isJson(value) || !isObject(value)) throw new Error("no object");
  return value;
}

/** What of the written object the server does not have, by path; what it adds by itself is no difference. */
function lost(written: Json, kept: Json | undefined, path: string): string[] {
  if (isObject(written) && isObject(kept))
    return Object.entries(written).flatMap(([name, each]) => lost(each, kept[name], `${path}.${name}`));
  if (isList(written) && isList(kept) && written.length === kept.length)
    return written.flatMap((each, index) => lost(each, kept[index], `${path}[${index}]`));
  return equalJson(written, kept ?? null) ? [] : [path];
}

/** The objects of a folder by file. */
const objectsIn = (folder: string): readonly (readonly [file: string, object: JsonObject])[] =>
  readdirSync(folder)
    .filter((file) => /^[0-9].*\.yaml$/.test(file))
    .map((file) => [file, objectOf(readFileSync(join(folder, file), "utf8"))] as const);

/**
 * A definition whose stored version is the one that is written: conversion is done by webhooks of Cluster API and of the
 * providers, and a server without them would drop what the stored version does not have.
 */
function storing(definition: JsonObject, versions: ReadonlyMap<string, string>): JsonObject {
  const { spec } = definition;
  if (!isObject(spec) || !isObject(spec["names"]) || !isList(spec["versions"])) return definition;
  const wanted = versions.get(String(spec["names"]["kind"]));
  if (wanted === undefined) return definition;
  const stored = spec["versions"]
    .filter(isObject)
    .map((version) => ({ ...version, storage: version["name"] === wanted }));
  return { ...definition, spec: { ...spec, versions: stored } };
}

/** The definitions of a case: those of what is written, our own, and those that the case brings. */
function define(kube: KubeServers, definitions: string, cwd: string, written: readonly JsonObject[]): void {
  const versions = new Map(written.map(identityOf).map(({ kind, version }) => [kind, version]));
  const own = slipway(["generate", "crds", "--out", "api"], { cwd });
  assert.is(own.code, 0, own.stderr);
  for (const kind of versions.keys()) {
    const file = join(definitions, `${kind}.yaml`);
    if (!existsSync(file)) continue;
    const definition = storing(objectOf(readFileSync(file, "utf8")), versions);
    kube.kubectlOk(["apply", "--server-side", "-f", "-"], JSON.stringify(definition));
  }
  const files = [
    ...readdirSync(join(cwd, "api")).map((file) => join(cwd, "api", file)),
    ...(existsSync(join(cwd, "definitions")) ? [join(cwd, "definitions")] : []),
  ];
  kube.kubectlOk(["apply", "--server-side", ...files.flatMap((file) => ["-f", file])]);
  kube.kubectlOk(["wait", "--for=condition=Established", "--timeout=120s", "crd", "--all"]);
}

const SEED = ["--seed", "seed", "--key-algorithm", "ecdsa-p256", "--facts", "facts.yaml"];
const MACHINES = ["--machine-management", "cluster-api", "--machine-health-checks", "on"];
const CASES: readonly (readonly [golden: string, directory: string, flags: readonly string[]])[] = [
  [
    "custom-external",
    "cluster",
    [
      "--infra-id",
      "heron-x7k2p",
      "--namespace",
      "herons",
      "--custom-infrastructure",
      "infrastructure",
      "--crds",
      "definitions",
    ],
  ],
  ["machines-aws", ".", [...SEED, ...MACHINES, "--autoscaler-bounds", "worker=3:9"]],
  ["machines-vsphere", ".", [...SEED, ...MACHINES, "--contract", "v1beta2"]],
];

for (const [golden, directory, flags] of CASES)
  withKube(
    `${golden}: the folders are applied, and every field of every object is there afterwards`,
    (kube) => {
      const definitions = shared("data/crds");
      if (definitions === undefined) {
        process.stdout.write(`SKIPPED ${golden}: needs shared/data/crds\n`);
        return;
      }
      const cwd = tempFolder();
      cpSync(join("golden", golden, "input"), cwd, { recursive: true });
      const { code, stderr } = slipway(["create", "infrastructure-manifests", "--dir", directory, ...flags], {
        cwd,
      });
      assert.is(code, 0, stderr);
      const folders = ["infrastructure-manifests-shared", "infrastructure-manifests"]
        .map((name) => join(cwd, directory, name))
        .filter((folder) => existsSync(folder));
      const written = folders.flatMap(objectsIn);
      const objects = written.map(([, object]) => object);
      define(kube, definitions, cwd, objects);
      // A Secret for the provider's controller lies in the namespace that its installation makes.
      for (const namespace of new Set(objects.map((object) => identityOf(object).namespace)))
        if (namespace.startsWith("cap")) kube.kubectl(["create", "namespace", namespace]);
      for (const folder of folders)
        kube.kubectlOk(["apply", "--server-side", "--force-conflicts", "--validate=strict", "-k", folder]);
      for (const [file, object] of written) {
        const { group, version, kind, name, namespace } = identityOf(object);
        const place = namespace === "" ? [] : ["-n", namespace];
        const resource = group === "" ? kind : `${kind}.${version}.${group}`;
        const kept = objectOf(kube.kubectlOk(["get", resource, name, ...place, "-o", "json"]));
        const { stringData: _, ...plain } = object;
        assert.equal(lost(plain, kept, kind), [], file);
      }
    },
  );

test.run();
