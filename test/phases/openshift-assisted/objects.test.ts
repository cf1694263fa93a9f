/** The objects of a cluster with assisted-service, from whole configs. */
import { readFileSync } from "node:fs";
import { load } from "js-yaml";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { decode, encode } from "../../../src/core/files.js";
import { isJson, isList, isObject, type Json, type JsonObject } from "../../../src/core/json.js";
import { RELEASES } from "../../../src/core/release.js";
import { type Crd, checkCustomResource, loadCel, readCrd } from "../../../src/crd/schema.js";
import { identityOf } from "../../../src/kubernetes/identity.js";
import { objectFindings } from "../../../src/kubernetes/object-rules.js";
import { assistedFindings } from "../../../src/kubernetes/openshift-assisted.js";
import { type ClusterOutput, compileCluster } from "../../../src/pipeline/cluster.js";
import type { CompileFlags } from "../../../src/pipeline/options.js";
import { webhookFindings } from "../../../src/platforms/provider-webhooks.js";
import { validateInfrastructure } from "../../../src/validate/infrastructure.js";
import {
  BAREMETAL,
  at as below,
  host,
  MASTERS,
  nmstate,
  VIRTUAL_MEDIA,
  WORKERS,
} from "../../helpers/baremetal.js";
import { DUAL_STACK, type Edits, edit } from "../../helpers/install-configs.js";
import { PLANTED } from "../../helpers/planted.js";
import { everyNth, everything } from "../../helpers/runs.js";
import { shared, withShared } from "../../helpers/shared.js";

const test = suite("objects of openshift-assisted");

const IMAGE = "quay.io/openshift-release-dev/ocp-release:4.22.3-x86_64";
const FLAGS: CompileFlags = { controlPlaneProvider: "openshift-assisted", releaseImage: IMAGE };

const unused = (): never => {
  throw new Error("with a seed nothing is drawn");
};

async function compile(
  edits: Edits = {},
  { flags = {}, files = {} }: { flags?: CompileFlags; files?: Readonly<Record<string, string>> } = {},
): Promise<ClusterOutput> {
  return compileCluster({
    files: new Map([
      ["install-config.yaml", encode(JSON.stringify(edit(BAREMETAL, { ...VIRTUAL_MEDIA, ...edits })))],
      ...Object.entries(files).map(([path, text]) => [path, encode(text)] as const),
    ]),
    target: "infrastructure-manifests",
    flags: { ...FLAGS, ...flags },
    keyAlgorithm: "ecdsa-p256",
    seed: new Uint8Array(32).map((_, i) => (i * 37 + 11) % 256),
    inputs: {
      clock: { now: () => new Date("2027-01-01T00:00:00Z") },
      random: { bytes: unused },
      keys: { generate: unused },
    },
    tool: "slipway test",
  });
}

const objectsOf = ({ files }: ClusterOutput): Map<string, JsonObject> =>
  new Map(
    files
      .filter(({ path }) => /^infrastructure-manifests[^/]*\/[0-9].*\.yaml$/.test(path))
      .map(({ path, data }) => {
        const value: unknown = load(decode(data) ?? "");
        if (!isJson(value) || !isObject(value)) throw new Error(path);
        return [path.replace(/^.*\//, ""), value];
      }),
  );
const get = (output: ClusterOutput, file: string): JsonObject => {
  const object = objectsOf(output).get(file);
  if (object === undefined) throw new Error(`no ${file}: ${said(output)}`);
  return object;
};
const at = (value: Json | undefined, ...path: (string | number)[]): Json | undefined =>
  path.reduce<Json | undefined>((inner, step) => {
    if (typeof step === "number") return isList(inner) ? inner[step] : undefined;
    return isObject(inner) ? inner[step] : undefined;
  }, value);
const said = ({ diagnostics }: ClusterOutput): string =>
  diagnostics
    .filter(({ severity }) => severity !== "info")
    .map(({ code, field, message }) => `${code} ${field} ${message}`)
    .join("\n");
const CONTROL_PLANE = "60_openshift-assisted-control-plane.yaml";

/** Shapes that the objects differ by. */
const SHAPES: Readonly<Record<string, { edits?: Edits; files?: Readonly<Record<string, string>> }>> = {
  plain: {},
  compact: { edits: { "compute[0].replicas": 0, ...below({ hosts: MASTERS }) } },
  "both families": {
    edits: {
      networking: DUAL_STACK,
      ...below({ apiVIPs: ["10.20.0.5", "fd00:20::5"], ingressVIPs: ["10.20.0.7", "fd00:20::7"] }),
    },
  },
  networks: {
    edits: below({
      hosts: [
        ...MASTERS,
        host("w-8", 8, { role: "worker", networkConfig: nmstate("10.20.0.18") }),
        ...WORKERS,
      ],
    }),
  },
  everything: {
    edits: {
      "controlPlane.hyperthreading": "Disabled",
      "compute[0].hyperthreading": "Disabled",
      capabilities: {
        baselineCapabilitySet: "None",
        additionalEnabledCapabilities: [
          "baremetal",
          "MachineAPI",
          "Ingress",
          "CloudCredential",
          "CloudControllerManager",
          "Build",
          "DeploymentConfig",
          "ImageRegistry",
          "OperatorLifecycleManager",
        ],
      },
      proxy: { httpProxy: "http://proxy.example.com:3128", noProxy: "example.com" },
      imageDigestSources: [
        { source: "quay.io/a/b", mirrors: ["mirror.example.com/a/b", "other.example.com/a/b"] },
      ],
      cpuPartitioningMode: "AllNodes",
      ...below({ additionalNTPServers: ["10.20.0.9"], loadBalancer: { type: "UserManaged" } }),
    },
    files: {
      "openshift/mine.yaml": "apiVersion: v1\nkind: Secret\nmetadata: {name: mine, namespace: default}\n",
      "manifests/other.json": '{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"other"}}',
    },
  },
};

/** Every version of each kind. */
const VERSIONS: readonly CompileFlags[] = [
  {},
  { controlPlaneApiVersion: "v1alpha2" },
  { contract: "v1beta1" },
  { controlPlaneApiVersion: "v1alpha2", contract: "v1beta2" },
];

const definitions = new Map<string, Crd | undefined>();
const definitionOf = (kind: string): Crd | undefined => {
  const path = shared(`data/crds/${kind}.yaml`);
  if (path !== undefined && !definitions.has(kind))
    definitions.set(kind, readCrd(json(readFileSync(path, "utf8"))));
  return definitions.get(kind);
};

for (const [shape, { edits, files }] of Object.entries(SHAPES))
  for (const flags of shape === "everything" ? everyNth(VERSIONS, VERSIONS.length) : [{}])
    withShared(
      test,
      "data/crds",
      `${shape}, ${flags.controlPlaneApiVersion ?? "v1alpha3"}, ${flags.contract ?? "its contract"}: every object fits its definition, rules of CEL included, and what providers ask`,
      async () => {
        const output = await compile(edits, { flags, ...(files === undefined ? {} : { files }) });
        assert.ok(output.ok, said(output));
        const cel = await loadCel();
        const kinds = new Set<string>();
        for (const [file, object] of objectsOf(output)) {
          const { group, kind } = identityOf(object);
          assert.equal(
            [...objectFindings(object), ...webhookFindings(object), ...assistedFindings(object)].filter(
              ({ severity }) => severity !== "warning",
            ),
            [],
            file,
          );
          const crd = group === "" ? undefined : definitionOf(kind);
          if (crd === undefined) continue;
          kinds.add(kind);
          assert.equal(checkCustomResource(crd, object, cel), [], file);
        }
        for (const kind of [
          "Cluster",
          "OpenshiftAssistedControlPlane",
          "Metal3Cluster",
          "Metal3MachineTemplate",
          "Metal3DataTemplate",
        ])
          assert.ok(kinds.has(kind), kind);
      },
    );

function json(text: string): JsonObject {
  const value: unknown = load(text);
  if (!isJson(value) || !isObject(value)) throw new Error("no object");
  return value;
}

test("Cluster, control plane and pools have the cluster's own name, which the provider looks for", async () => {
  const output = await compile({}, { flags: { namespace: "birds" } });
  const name = at(get(output, "70_cluster.yaml"), "metadata", "name");
  const controlPlane = get(output, CONTROL_PLANE);
  assert.is(at(controlPlane, "spec", "config", "clusterName"), name);
  assert.is(at(controlPlane, "metadata", "labels", "cluster.x-k8s.io/cluster-name"), name);
  const pool = get(output, "80_machine-deployment-worker.yaml");
  assert.is(at(pool, "spec", "clusterName"), name);
  assert.equal(
    at(pool, "spec", "selector", "matchLabels"),
    at(pool, "spec", "template", "metadata", "labels"),
  );
  assert.equal(at(pool, "spec", "replicas"), 2);
  assert.equal(at(pool, "spec", "template", "spec", "bootstrap", "configRef"), {
    apiGroup: "bootstrap.cluster.x-k8s.io",
    kind: "OpenshiftAssistedConfigTemplate",
    name: at(get(output, "75_bootstrap-template-worker.yaml"), "metadata", "name"),
  });
  for (const [file, object] of objectsOf(output))
    if (identityOf(object).kind !== "Namespace") assert.is(identityOf(object).namespace, "birds", file);
});

test("v1alpha2 names its template with version and namespace, and the pools theirs by their own contract", async () => {
  const output = await compile({}, { flags: { controlPlaneApiVersion: "v1alpha2" } });
  assert.is(at(get(output, CONTROL_PLANE), "apiVersion"), "controlplane.cluster.x-k8s.io/v1alpha2");
  const reference = at(get(output, CONTROL_PLANE), "spec", "machineTemplate", "infrastructureRef");
  assert.equal(Object.keys(isObject(reference) ? reference : {}).sort(), [
    "apiVersion",
    "kind",
    "name",
    "namespace",
  ]);
  const pool = get(output, "80_machine-deployment-worker.yaml");
  assert.is(at(pool, "apiVersion"), "cluster.x-k8s.io/v1beta1");
  assert.is(
    at(pool, "spec", "template", "spec", "bootstrap", "configRef", "apiVersion"),
    "bootstrap.cluster.x-k8s.io/v1alpha1",
  );
  assert.is(
    at(get(output, "75_bootstrap-template-worker.yaml"), "apiVersion"),
    "bootstrap.cluster.x-k8s.io/v1alpha1",
  );
});

test("compute hosts are there too, each chosen by role; without compute the control plane takes workloads", async () => {
  const output = await compile();
  const roles = [...objectsOf(output).values()]
    .filter((object) => identityOf(object).kind === "BareMetalHost")
    .map((object) => at(object, "metadata", "labels", "installer.openshift.io/role"));
  assert.equal(roles, ["control-plane", "control-plane", "control-plane", "worker", "worker"]);
  assert.is(at(get(output, CONTROL_PLANE), "spec", "config", "mastersSchedulable"), undefined);
  const compact = await compile(SHAPES["compact"]?.edits);
  assert.is(at(get(compact, CONTROL_PLANE), "spec", "config", "mastersSchedulable"), true);
  assert.not.ok([...objectsOf(compact).keys()].some((file) => /^(?:51|75|80)_/.test(file)));
});

test("the network of a host is found by its MAC addresses, or refused", async () => {
  const two = (more: JsonObject): Edits =>
    below({
      hosts: [
        ...MASTERS.slice(1),
        host("m-1", 1, {
          role: "master",
          networkConfig: {
            interfaces: [
              { name: "eno1", type: "ethernet", state: "up", ...more },
              { name: "eno2", type: "ethernet", state: "up", "mac-address": "52:54:00:AA:00:02" },
              {
                name: "bond0",
                type: "bond",
                state: "up",
                "link-aggregation": { mode: "802.3ad", port: ["eno1", "eno2"] },
              },
            ],
          },
        }),
        ...WORKERS,
      ],
    });
  const refused = await compile(two({}));
  assert.match(said(refused), /^CAPI040 platform\.baremetal\.hosts\[2\]\.networkConfig /m);
  const nameless = await compile(two({ "mac-address": "52:54:00:aa:00:01", name: [{}] }));
  assert.match(said(nameless), /^CAPI040 platform\.baremetal\.hosts\[2\]\.networkConfig /m);
  const output = await compile(two({ "mac-address": "52:54:00:aa:00:01" }));
  assert.equal(at(get(output, "46_host-network-m-1.yaml"), "spec", "interfaces"), [
    { name: "eno1", macAddress: "52:54:00:aa:00:01" },
    { name: "eno2", macAddress: "52:54:00:aa:00:02" },
  ]);
  assert.equal(
    at(
      get(output, CONTROL_PLANE),
      "spec",
      "openshiftAssistedConfigSpec",
      "nmStateConfigLabelSelector",
      "matchLabels",
    ),
    at(get(output, "46_host-network-m-1.yaml"), "metadata", "labels"),
  );
});

test("manifests of the user's are taken along, in ConfigMaps that fit; changes of generated ones are named", async () => {
  const output = await compile({}, { files: SHAPES["everything"]?.files ?? {} });
  assert.equal(Object.keys(Object(at(get(output, "30_manifests.yaml"), "data"))), [
    "mine.yaml",
    "other.json",
  ]);
  assert.equal(at(get(output, CONTROL_PLANE), "spec", "config", "manifestsConfigMapRefs"), [
    { name: at(get(output, "30_manifests.yaml"), "metadata", "name") },
  ]);
  const large = `# ${"x".repeat(700_000)}\n`;
  const many = await compile(
    {},
    {
      files: Object.fromEntries(
        ["a", "b", "c"].map((name) => [`openshift/${name}.yaml`, `${large}kind: ${name}\n`]),
      ),
    },
  );
  const refs = at(get(many, CONTROL_PLANE), "spec", "config", "manifestsConfigMapRefs");
  assert.is(isList(refs) ? refs.length : 0, 3);
  const twice = await compile({}, { files: { "openshift/a.yaml": "a: 1\n", "manifests/a.yaml": "a: 2\n" } });
  assert.match(said(twice), /^CAPI005 /m);
  const odd = await compile({}, { files: { "openshift/a b.yaml": "a: 1\n" } });
  assert.match(said(odd), /^CAPI043 /m);
});

test("a login in the proxy makes the objects that hold it secret files", async () => {
  const proxy = (login: string) => ({ proxy: { httpProxy: `http://${login}proxy.example.com:3128` } });
  const secretsOf = async (edits: Edits): Promise<string[]> =>
    (await compile(edits, { flags: { secrets: "separate" } })).files
      .filter(({ path }) => path.startsWith("infrastructure-manifests-secrets/"))
      .map(({ path }) => path.replace(/^.*\//, ""));
  const holders = [CONTROL_PLANE, "75_bootstrap-template-worker.yaml"];
  const without = await secretsOf(proxy(""));
  assert.not.ok(holders.some((file) => without.includes(file)));
  const within = await secretsOf(proxy(`user:${PLANTED.password}@`));
  assert.ok(holders.every((file) => within.includes(file)));
});

test("with --secrets separate nothing of a secret is in the folder that is committed", async () => {
  const output = await compile(
    {},
    {
      flags: { secrets: "separate" },
      files: { "openshift/mine.yaml": `kind: Secret\nstringData: {a: ${PLANTED.password}}\n` },
    },
  );
  const committed = output.files.filter(({ path }) => path.startsWith("infrastructure-manifests/"));
  assert.ok(committed.length > 10);
  const text = committed.map(({ data }) => decode(data)).join("\n");
  // A public key is none.
  for (const word of Object.values(PLANTED).filter((each) => !each.includes("ssh-key"))) {
    assert.not.ok(text.includes(word), word);
    assert.not.ok(text.includes(Buffer.from(word).toString("base64")), word);
  }
});

test("the release is told by version and repository; one that the provider could not name is refused", async () => {
  const of = (releaseImage: string | undefined, edits: Edits = {}) =>
    compile(edits, { flags: { releaseImage } });
  const mirrored = await of("mirror.example.com:5000/ocp/release:4.22.0-rc.1-x86_64");
  assert.is(at(get(mirrored, CONTROL_PLANE), "spec", "distributionVersion"), "4.22.0-rc.1");
  assert.is(
    at(
      get(mirrored, CONTROL_PLANE),
      "metadata",
      "annotations",
      "cluster.x-k8s.io/release-image-repository-override",
    ),
    "mirror.example.com:5000/ocp/release",
  );
  const okd = await of("quay.io/okd/scos-release:4.22.0-okd-scos.ec.1");
  assert.is(at(get(okd, CONTROL_PLANE), "spec", "distributionVersion"), "4.22.0-okd-scos.ec.1");
  for (const wrong of [
    undefined,
    `quay.io/openshift-release-dev/ocp-release@sha256:${"a".repeat(64)}`,
    "quay.io/openshift-release-dev/ocp-release:latest",
    "quay.io/openshift-release-dev/ocp-release:4.21.3-x86_64",
    "quay.io/openshift-release-dev/ocp-release:4.22.3-aarch64",
    "quay.io/openshift-release-dev/ocp-release:4.22.3",
  ]) {
    const output = await of(wrong);
    assert.not.ok(output.ok, wrong);
    assert.match(said(output), /^CAPI042 /m, wrong);
  }
});

for (const release of everything ? RELEASES : RELEASES.slice(-1))
  test(`${release} with each feature set refuses none of its own defaults`, async () => {
    for (const featureSet of ["", "TechPreviewNoUpgrade", "DevPreviewNoUpgrade"]) {
      const output = await compile(featureSet === "" ? {} : { featureSet }, {
        flags: { release, releaseImage: IMAGE.replace("4.22.3", `${release}.0`) },
      });
      assert.ok(output.ok, `${featureSet}\n${said(output)}`);
      assert.is(at(get(output, CONTROL_PLANE), "spec", "distributionVersion"), `${release}.0`);
    }
  });

test("switching the provider and back gives the former bytes, and an edit survives", async () => {
  const folder = (output: ClusterOutput): Record<string, string> =>
    Object.fromEntries(
      output.files
        .filter(({ path }) => path.startsWith("infrastructure-manifests/"))
        .map(({ path, data }) => [path, decode(data) ?? ""]),
    );
  const everything = (output: ClusterOutput): Record<string, string> => {
    const { record, state, files } = output;
    if (record === undefined || state === undefined) throw new Error(said(output));
    const texts = [...files, state].map(({ path, data }): [string, string] => [path, decode(data) ?? ""]);
    return { ...Object.fromEntries(texts), ".slipway/record.json": decode(record) ?? "" };
  };
  const step = (from: ClusterOutput, flags: CompileFlags, more: Readonly<Record<string, string>> = {}) =>
    compile({}, { flags, files: { ...everything(from), ...more } });
  const first = await compile();
  const other = await step(first, { controlPlaneProvider: "openshift" });
  assert.ok(Object.keys(folder(other)).includes("infrastructure-manifests/60_openshift-control-plane.yaml"));
  assert.not.ok(Object.keys(folder(other)).some((path) => path.includes("assisted")));
  const back = await step(other, {});
  assert.equal(folder(back), folder(first));
  const older = await step(back, { controlPlaneApiVersion: "v1alpha2" });
  assert.is.not(JSON.stringify(folder(older)), JSON.stringify(folder(first)));
  assert.equal(folder(await step(older, { controlPlaneApiVersion: "auto" })), folder(first));
  // A cluster that was none of assisted-service before, and named no image.
  const plain = await compile({}, { flags: { controlPlaneProvider: undefined, releaseImage: undefined } });
  const taken = await step(await step(plain, {}), {
    controlPlaneProvider: "openshift",
    releaseImage: "none",
  });
  const { ".slipway/record.json": _before, ...former } = everything(plain);
  const { ".slipway/record.json": record = "", ...now } = everything(taken);
  assert.equal(now, former);
  assert.not.match(record, "release-image");
  const path = `infrastructure-manifests/${CONTROL_PLANE}`;
  const edited = `${folder(first)[path] ?? ""}  # mine\n`;
  const kept = await step(back, { releaseImage: IMAGE.replace("4.22.3", "4.22.4") }, { [path]: edited });
  assert.match(folder(kept)[path] ?? "", /# mine/);
  assert.match(folder(kept)[path] ?? "", /distributionVersion: 4\.22\.4/);
});

test("validate names what the providers cannot work with", async () => {
  const output = await compile({}, { files: { "openshift/mine.yaml": "kind: A\napiVersion: v1\n" } });
  const texts = new Map(output.files.map((file) => [file.path, file]));
  const path = `infrastructure-manifests/${CONTROL_PLANE}`;
  const found = (from: string | RegExp, to: string, file = path): string[] => {
    const own = texts.get(file);
    const text = decode(own?.data ?? new Uint8Array()) ?? "";
    const changed = text.replace(from, to);
    assert.is.not(changed, text, String(from));
    const files = new Map(texts).set(file, { path: file, data: encode(changed), secret: false });
    return validateInfrastructure({ files, history: () => "unknown" })
      .filter(({ severity }) => severity === "error")
      .map(({ code, field }) => `${code} ${field}`);
  };
  assert.equal(found("replicas: 3", "replicas: 5"), []);
  assert.equal(found(/clusterName: .*/, "clusterName: another"), ["CAPI045 spec.config.clusterName"]);
  assert.equal(found(/distributionVersion: .*/, "distributionVersion: 4.13.9"), [
    "CAPI045 spec.distributionVersion",
  ]);
  assert.equal(found('"networking"', '"controlPlanes"'), [
    "CAPI045 metadata.annotations[controlplane.cluster.x-k8s.io/install-config-override]",
  ]);
  assert.equal(found("$METADATA_UUID", "$METADATA-UUID"), [
    "CAPI045 spec.openshiftAssistedConfigSpec.nodeRegistration.kubeletExtraLabels[0]",
  ]);
  assert.equal(found("-manifests\n", "-manifest\n"), ["CAPI010 spec.config.manifestsConfigMapRefs[0].name"]);
  assert.equal(found("apiGroup: infrastructure", "apiVersion: infrastructure"), [
    "CAPI010 spec.machineTemplate.infrastructureRef.apiVersion",
  ]);
  assert.equal(found("kind: A", "kind: B", "infrastructure-manifests/30_manifests.yaml"), [
    "CAPI018 data[mine.yaml]",
  ]);
  assert.equal(
    found(
      "kind: OpenshiftAssistedConfigTemplate",
      "kind: Other",
      "infrastructure-manifests/80_machine-deployment-worker.yaml",
    ),
    ["CAPI010 spec.template.spec.bootstrap.configRef.kind"],
  );
});

test("a controller that applies the folder from Git never prunes what holds the cluster", async () => {
  const objects = objectsOf(await compile({}, { flags: { gitops: "flux" } }));
  const pruned = [...objects.values()].filter(
    (object) => at(object, "metadata", "annotations", "kustomize.toolkit.fluxcd.io/prune") !== "disabled",
  );
  assert.equal(
    pruned.map((object) => identityOf(object).kind),
    [],
  );
});

test("what the provider cannot carry stops the compile and names the field", async () => {
  const source = { source: "quay.io/a/b", mirrors: ["mirror.example.net/a/b"] };
  const output = await compile({
    imageDigestSources: [{ ...source, sourcePolicy: "NeverContactSource" }],
  });
  assert.not.ok(output.ok);
  assert.match(said(output), /^CAPI041 imageDigestSources\[0\]\.sourcePolicy /m);
});

test("settings of OVN go along as the manifest that slipway makes of them, edits included", async () => {
  const edits = { "networking.ovnKubernetesConfig": { ipv4: { internalJoinSubnet: "100.88.0.0/16" } } };
  const output = await compile(edits);
  const file = "cluster-network-03-config.yml";
  const sent = String(at(get(output, "30_manifests.yaml"), "data", file));
  assert.match(sent, "internalJoinSubnet: 100.88.0.0/16");
  assert.equal(at(get(output, CONTROL_PLANE), "spec", "config", "manifestsConfigMapRefs"), [
    { name: at(get(output, "30_manifests.yaml"), "metadata", "name") },
  ]);
  const record = { ".slipway/record.json": decode(output.record ?? new Uint8Array()) ?? "" };
  const state = { [output.state?.path ?? ""]: decode(output.state?.data ?? new Uint8Array()) ?? "" };
  const before = Object.fromEntries(output.files.map(({ path, data }) => [path, decode(data) ?? ""]));
  const mine = sent.replace("egressIPConfig: {}", "mtu: 8900");
  const edited = await compile(edits, {
    files: { ...before, ...record, ...state, [`manifests/${file}`]: mine },
  });
  assert.is(at(get(edited, "30_manifests.yaml"), "data", file), mine);
  assert.not.match(said(edited), "CAPI043");
});

test("bounds of the autoscaler and health checks count, since Cluster API keeps the machines", async () => {
  const asked = { autoscalerBounds: ["worker=1:7"], machineHealthChecks: "on" } as const;
  for (const flags of [asked, { ...asked, machineManagement: "cluster-api" } as const]) {
    const output = await compile({}, { flags });
    assert.not.match(said(output), /CAPI033/);
    const deployment = get(output, "80_machine-deployment-worker.yaml");
    assert.equal(at(deployment, "metadata", "annotations"), {
      "cluster.x-k8s.io/cluster-api-autoscaler-node-group-max-size": "7",
      "cluster.x-k8s.io/cluster-api-autoscaler-node-group-min-size": "1",
    });
    const check = get(output, "85_machine-health-check-worker.yaml");
    assert.equal(at(check, "spec", "selector"), at(deployment, "spec", "selector"));
    assert.is(at(check, "spec", "clusterName"), at(deployment, "spec", "clusterName"));
  }
  for (const bounds of [["other=1:2"], ["worker=7:9"], ["worker=1:7", "worker=1:9"]]) {
    const { ok, diagnostics } = await compile({}, { flags: { autoscalerBounds: bounds } });
    assert.not.ok(ok, bounds.join());
    assert.ok(diagnostics.some(({ code }) => code === "CAPI033"));
  }
});

test.run();
