/** The folder of both golden cases, applied to a real API server that has the definitions: what it keeps is what was written. */
import { cpSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { load } from "js-yaml";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { equalJson, isJson, isList, isObject, type Json, type JsonObject } from "../../../src/core/json.js";
import { identityOf } from "../../../src/kubernetes/identity.js";
import { slipway } from "../../helpers/cli.js";
import { type KubeServers, kubeTests } from "../../helpers/kube-servers.js";
import { shared } from "../../helpers/shared.js";
import { tempFolder } from "../../helpers/temp.js";

const test = suite("openshift-assisted, live");
const withKube = kubeTests(test, {});

/** BareMetalHost belongs to another project than the other definitions; any fields will do for it. */
const HOSTS: JsonObject = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "baremetalhosts.metal3.io" },
  spec: {
    group: "metal3.io",
    names: {
      kind: "BareMetalHost",
      listKind: "BareMetalHostList",
      plural: "baremetalhosts",
      singular: "baremetalhost",
    },
    scope: "Namespaced",
    versions: [
      {
        name: "v1alpha1",
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: { spec: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
          },
        },
      },
    ],
  },
};

const KINDS = [
  "Cluster",
  "MachineDeployment",
  "OpenshiftAssistedControlPlane",
  "OpenshiftAssistedConfigTemplate",
  "Metal3Cluster",
  "Metal3MachineTemplate",
  "Metal3DataTemplate",
  "NMStateConfig",
];

function objectOf(text: string): JsonObject {
  const value: unknown = load(text);
  if (!isJson(value) || !isObject(value)) throw new Error("no object");
  return value;
}

/** Conversion of versions is the providers' own: without it, a server keeps what is written in the version that it stores. */
function define(kube: KubeServers, folder: string, written: readonly JsonObject[]): void {
  for (const kind of KINDS) {
    const definition = objectOf(readFileSync(join(folder, `${kind}.yaml`), "utf8"));
    const version = written.map(identityOf).find((each) => each.kind === kind)?.version;
    const text = JSON.stringify(definition, (name, value: unknown) =>
      name === "versions" && Array.isArray(value) && version !== undefined
        ? value.map((each) => ({ ...each, storage: each.name === version }))
        : value,
    );
    kube.kubectlOk(["apply", "--server-side", "-f", "-"], text);
  }
  kube.kubectlOk(["apply", "--server-side", "-f", "-"], JSON.stringify(HOSTS));
  kube.kubectlOk(["wait", "--for=condition=Established", "--timeout=60s", "crd", "--all"]);
}

/** What of the written object the server does not have, by path; what it adds by itself is no difference. */
function lost(written: Json, kept: Json | undefined, path: string): string[] {
  if (isObject(written) && isObject(kept))
    return Object.entries(written).flatMap(([name, each]) => lost(each, kept[name], `${path}.${name}`));
  if (isList(written) && isList(kept) && written.length === kept.length)
    return written.flatMap((each, index) => lost(each, kept[index], `${path}[${index}]`));
  return equalJson(written, kept ?? null) ? [] : [path];
}

const definitions = shared("data/crds");
const IMAGE = "quay.io/openshift-release-dev/ocp-release:4.22.3-x86_64";
const ASSISTED = ["--control-plane-provider", "openshift-assisted", "--release-image", IMAGE];

for (const [name, golden, more] of [
  ["bare metal, both families, v1alpha3", "openshift-assisted", ["--namespace", "three"]],
  [
    "bare metal, both families, v1alpha2",
    "openshift-assisted",
    ["--namespace", "two", "--control-plane-api-version", "v1alpha2", "--contract", "v1beta1"],
  ],
  [
    "a single node on the user's own",
    "openshift-assisted-single",
    ["--dir", "cluster", "--custom-infrastructure", "infrastructure", "--namespace", "dipper"],
  ],
] as const)
  withKube(`${name}: the folder is applied, and every field of every object is there afterwards`, (kube) => {
    if (definitions === undefined) {
      process.stdout.write(`SKIPPED ${name}: needs shared/data/crds\n`);
      return;
    }
    const folder = tempFolder();
    cpSync(join("golden", golden, "input"), folder, { recursive: true });
    const { code, stderr } = slipway(["create", "infrastructure-manifests", ...ASSISTED, ...more], {
      cwd: folder,
    });
    assert.is(code, 0, stderr);
    const objects = join(folder, golden.endsWith("single") ? "cluster" : "", "infrastructure-manifests");
    const files = readdirSync(objects).filter((file) => /^[0-9].*\.yaml$/.test(file));
    assert.ok(files.length > 6, String(files.length));
    const written = new Map(files.map((file) => [file, objectOf(readFileSync(join(objects, file), "utf8"))]));
    define(kube, definitions, [...written.values()]);
    kube.kubectlOk(["apply", "--server-side", "--validate=strict", "-k", objects]);
    for (const [file, object] of written) {
      const { group, version, kind, name: own, namespace } = identityOf(object);
      const resource = group === "" ? kind : `${kind}.${version}.${group}`;
      const place = namespace === "" ? [] : ["-n", namespace];
      const kept = objectOf(kube.kubectlOk(["get", resource, own, ...place, "-o", "json"]));
      const { stringData: _, ...plain } = object;
      assert.equal(lost(plain, kept, kind), [], file);
    }
    // Applied again nothing changes.
    const again = kube.kubectlOk(["apply", "--server-side", "-k", objects]);
    assert.match(again, /serverside-applied/);
  });

test.run();
