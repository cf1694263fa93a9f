/** The user's own infrastructure cluster and machine template: what is taken, how it is wired, and what is refused. */
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createReporter, sortDiagnostics } from "../../src/core/diagnostics.js";
import { decode, encode } from "../../src/core/files.js";
import { isObject, type JsonObject } from "../../src/core/json.js";
import { type ClusterInput, compileCluster } from "../../src/pipeline/cluster.js";
import { customInfrastructure } from "../../src/pipeline/custom-infrastructure.js";
import { parseYaml } from "../../src/text/yaml-parse.js";
import { slipway } from "../helpers/cli.js";
import { readTree, tempFolder } from "../helpers/temp.js";

const test = suite("custom infrastructure");

const NEVER = (): never => {
  throw new Error("with a seed nothing is drawn");
};
const SEED = new Uint8Array(32).map((_, i) => (i * 53 + 7) % 256);
const INFRA_ID = "heron-x7k2p";
const GROUP = "infrastructure.cluster.x-k8s.io";

const REED = `apiVersion: ${GROUP}/v1alpha1
kind: ReedCluster
metadata: {name: reeds, namespace: herons}
spec: {shore: north}
`;
const WADER = `apiVersion: ${GROUP}/v1alpha1
kind: WaderMachineTemplate
metadata: {name: wader, namespace: herons}
spec: {template: {spec: {legs: 2}}}
`;

interface Definition {
  readonly kind: string;
  readonly spec: JsonObject;
  readonly labels?: JsonObject;
  readonly versions?: readonly string[];
  readonly group?: string;
  readonly scope?: string;
  readonly name?: string;
}

function definition(each: Definition): string {
  const { kind, spec, group = GROUP, versions = ["v1alpha1"], scope = "Namespaced" } = each;
  const plural = `${kind.toLowerCase()}s`;
  return JSON.stringify({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: {
      name: each.name ?? `${plural}.${group}`,
      labels: each.labels ?? { "cluster.x-k8s.io/v1beta1": versions.join("_") },
    },
    spec: {
      group,
      names: { kind, listKind: `${kind}List`, plural, singular: kind.toLowerCase() },
      scope,
      versions: versions.map((name, i) => ({
        name,
        served: true,
        storage: i === 0,
        schema: { openAPIV3Schema: { type: "object", properties: { spec, status: { type: "object" } } } },
      })),
    },
  });
}

const LEGS: JsonObject = { type: "object", properties: { legs: { type: "integer", default: 2 } } };
const TEMPLATE: JsonObject = {
  type: "object",
  properties: { template: { type: "object", properties: { spec: LEGS } } },
};
const SHORE: JsonObject = {
  type: "object",
  required: ["shore"],
  properties: { shore: { type: "string" }, depth: { type: "integer" } },
  "x-kubernetes-validations": [{ rule: "self.shore != 'none'", message: "a lake has shores" }],
};
const REED_CRD = definition({ kind: "ReedCluster", spec: SHORE });
const WADER_CRD = definition({ kind: "WaderMachineTemplate", spec: TEMPLATE });

const compile = (
  files: Readonly<Record<string, string>>,
  crds?: readonly string[],
  flags: ClusterInput["flags"] = {},
): ReturnType<typeof compileCluster> =>
  compileCluster({
    files: new Map([["install-config.yaml", readFileSync("examples/none/install-config.yaml")]]),
    target: "infrastructure-manifests",
    flags: { namespace: "herons", ...flags },
    seed: SEED,
    infraID: INFRA_ID,
    keyAlgorithm: "ecdsa-p256",
    inputs: { clock: { now: () => new Date(0) }, random: { bytes: NEVER }, keys: { generate: NEVER } },
    tool: "test",
    customInfrastructure: new Map(Object.entries(files).map(([file, text]) => [file, encode(text)])),
    ...(crds === undefined ? {} : { crds: new Map(crds.map((text, i) => [`crd-${i}.json`, text] as const)) }),
  });

/** `code file:line field` of every problem of the files that is not merely an info. */
async function problems(
  files: Readonly<Record<string, string>>,
  crds?: readonly string[],
): Promise<string[]> {
  const reporter = createReporter();
  await customInfrastructure(
    { folder: "own", files: Object.entries(files).map(([file, text]) => ({ file, data: encode(text) })) },
    {
      ...{ namespace: "herons", controllerNamespace: "herons", contract: "v1beta1", infraID: INFRA_ID },
      pools: ["worker"],
      definitions: crds?.map((text, i) => ({ file: `crd-${i}.json`, text })),
      report: reporter.report,
    },
  );
  return sortDiagnostics(reporter.diagnostics)
    .filter(({ severity }) => severity !== "info")
    .map(
      ({ severity, code, file, line, field }) =>
        `${severity === "error" ? "" : `${severity} `}${code} ${file}:${line}${field === "" ? "" : ` ${field}`}`,
    );
}

async function written(...args: Parameters<typeof compile>): Promise<ReadonlyMap<string, string>> {
  const { ok, files, diagnostics } = await compile(...args);
  assert.ok(ok, JSON.stringify(diagnostics));
  return new Map(files.map(({ path, data }) => [path, decode(data) ?? ""]));
}

const at = (text: string | undefined, ...path: readonly string[]): unknown =>
  path.reduce<unknown>(
    (value, key) =>
      typeof value === "object" && value !== null
        ? Object.entries(value).find(([name]) => name === key)?.[1]
        : undefined,
    parseYaml(text ?? ""),
  );

test("both are found by their kinds, in any form, and written as they are", async () => {
  const list = JSON.stringify({
    apiVersion: "v1",
    kind: "List",
    items: [parseYaml(WADER), parseYaml(REED)],
  });
  const forms: readonly Readonly<Record<string, string>>[] = [
    { "a.yaml": REED, "b.yml": WADER },
    { "one.yaml": `# mine\n${WADER}---\n---\n${REED}` },
    { "one.json": list },
  ];
  for (const form of forms) {
    const files = await written(form);
    const cluster = files.get("infrastructure-manifests/40_infrastructure-cluster.yaml");
    assert.equal(parseYaml(cluster ?? ""), parseYaml(REED));
    const template = files.get("infrastructure-manifests/50_machine-template.yaml");
    assert.equal(parseYaml(template ?? ""), parseYaml(WADER));
    assert.equal(at(files.get("infrastructure-manifests/70_cluster.yaml"), "spec", "infrastructureRef"), {
      apiVersion: `${GROUP}/v1alpha1`,
      kind: "ReedCluster",
      name: "reeds",
      namespace: "herons",
    });
    assert.equal(
      at(
        files.get("infrastructure-manifests/60_openshift-control-plane.yaml"),
        "spec",
        "machineTemplate",
        "infrastructureRef",
      ),
      { apiVersion: `${GROUP}/v1alpha1`, kind: "WaderMachineTemplate", name: "wader", namespace: "herons" },
    );
  }
});

test("the reference of v1beta2 has group, kind and name", async () => {
  const files = await written({ "a.yaml": `${REED}---\n${WADER}` }, undefined, { contract: "v1beta2" });
  assert.equal(at(files.get("infrastructure-manifests/70_cluster.yaml"), "spec", "infrastructureRef"), {
    apiGroup: GROUP,
    kind: "ReedCluster",
    name: "reeds",
  });
});

test("a reference names the newest version of the contract, which is none for a kind without the label", async () => {
  const of = async (labels: JsonObject): Promise<unknown> => {
    const reed = definition({
      kind: "ReedCluster",
      spec: SHORE,
      versions: ["v1alpha1", "v1beta2", "v1"],
      labels,
    });
    const files = await written({ "a.yaml": `${REED}---\n${WADER}` }, [reed, WADER_CRD]);
    return at(
      files.get("infrastructure-manifests/70_cluster.yaml"),
      "spec",
      "infrastructureRef",
      "apiVersion",
    );
  };
  assert.is(await of({ "cluster.x-k8s.io/v1beta1": "v1beta2_v1alpha1" }), `${GROUP}/v1beta2`);
  assert.is(
    await of({ "cluster.x-k8s.io/v1beta1": "v1alpha1", "cluster.x-k8s.io/v1beta2": "v1" }),
    `${GROUP}/v1alpha1`,
  );
  assert.is(await of({}), `${GROUP}/v1alpha1`);
});

test("a provider's kind of another group is one by the labels of its definition alone", async () => {
  const group = "infrastructure.lake.example.com";
  const reed = REED.replace(GROUP, group);
  const crd = definition({ kind: "ReedCluster", spec: SHORE, group });
  const own = { "a.yaml": reed, "b.yaml": WADER };
  assert.equal(await problems(own), ["CAPI030 a.yaml:1"]);
  assert.equal(await problems(own, [crd, WADER_CRD]), []);
  const bootstrap = definition({
    kind: "ReedCluster",
    spec: SHORE,
    group,
    labels: { "cluster.x-k8s.io/v1beta1": "v1alpha1", "cluster.x-k8s.io/provider": "bootstrap-lake" },
  });
  assert.equal(await problems(own, [bootstrap, WADER_CRD]), ["CAPI030 a.yaml:1"]);
});

test("what else lies there is taken along; Secrets among the secrets, definitions not at all", async () => {
  const more = `apiVersion: v1
kind: Secret
metadata: {name: keeper, namespace: herons}
stringData: {a: b}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: "lake:keeper"}
---
apiVersion: ${GROUP}/v1alpha1
kind: ReedIsland
metadata: {name: islet, namespace: herons}
`;
  const files = await written({ "a.yaml": REED, "b.yaml": WADER, "c.yaml": more }, undefined, {
    secrets: "separate",
  });
  const own = [...files.keys()].filter((path) => /\/1\d_/.test(path));
  assert.is(own[0], "infrastructure-manifests-secrets/12_secret-keeper.yaml");
  assert.match(
    own[1] ?? "",
    /^infrastructure-manifests-shared\/12_clusterrole-lake-keeper-[0-9a-f]{12}\.yaml$/,
  );
  assert.is(own[2], "infrastructure-manifests/12_reedisland-islet.yaml");
  const crd = {
    "a.yaml": REED,
    "b.yaml": WADER,
    "crd.json": `[${REED_CRD}]`.slice(1, -1),
    "w.json": WADER_CRD,
  };
  assert.equal(await problems(crd), ["warning CAPI031 crd.json:1 kind", "warning CAPI031 w.json:1 kind"]);
});

const PAIR = { "a.yaml": REED, "b.yaml": WADER };
/** As the CustomResourceDefinition of MachineDeployment allows it, with less than slipway writes. */
const MACHINES = `apiVersion: cluster.x-k8s.io/v1beta1
kind: MachineDeployment
metadata: {name: waders, namespace: herons}
spec:
  clusterName: ${INFRA_ID}
  selector: {matchLabels: {}}
  template:
    metadata: {labels: {}}
    spec: {clusterName: ${INFRA_ID}, bootstrap: {dataSecretName: waders}, infrastructureRef: {kind: WaderMachineTemplate, name: wader}}
`;
const REFUSED: readonly (readonly [
  name: string,
  files: Readonly<Record<string, string>>,
  expected: readonly string[],
  crds?: readonly string[],
])[] = [
  ["no cluster", { "b.yaml": WADER }, ["CAPI030 own:0"]],
  ["no template", { "a.yaml": REED }, ["CAPI030 own:0"]],
  [
    "two clusters",
    { ...PAIR, "c.yaml": REED.replace("name: reeds", "name: more") },
    ["CAPI030 c.yaml:2 kind"],
  ],
  [
    "two templates",
    { ...PAIR, "c.yaml": WADER.replace("name: wader", "name: stilt") },
    ["CAPI030 c.yaml:2 kind"],
  ],
  [
    "the same twice",
    { ...PAIR, "c.yaml": REED },
    ["CAPI030 c.yaml:2 kind", "CAPI017 c.yaml:3 metadata.name"],
  ],
  [
    "another namespace",
    { ...PAIR, "a.yaml": REED.replace("herons", "egrets") },
    ["CAPI011 a.yaml:3 metadata.namespace"],
  ],
  [
    "no namespace",
    { ...PAIR, "b.yaml": WADER.replace(", namespace: herons", "") },
    ["CAPI011 b.yaml:3 metadata.namespace"],
  ],
  [
    "an illegal name",
    { ...PAIR, "a.yaml": REED.replace("name: reeds", "name: Reeds") },
    ["KUB001 a.yaml:3 metadata.name"],
  ],
  [
    "a Cluster",
    {
      ...PAIR,
      "c.yaml": `apiVersion: cluster.x-k8s.io/v1beta1\nkind: Cluster\nmetadata: {name: ${INFRA_ID}, namespace: herons}\n`,
    },
    ["CAPI031 c.yaml:2 kind"],
  ],
  [
    "a label of another Cluster",
    { ...PAIR, "a.yaml": REED.replace("herons}", "herons, labels: {cluster.x-k8s.io/cluster-name: egret}}") },
    ["CAPI031 a.yaml:3 metadata.labels"],
  ],
  [
    "a clusterName",
    { ...PAIR, "a.yaml": REED.replace("north}", "north, clusterName: egret}") },
    ["CAPI031 a.yaml:4 spec.clusterName"],
  ],
  [
    "what a server gave",
    { ...PAIR, "a.yaml": REED.replace("herons}", 'herons, resourceVersion: "5"}') },
    ["CAPI031 a.yaml:3 metadata.resourceVersion"],
  ],
  [
    "an owner that only that server knows",
    {
      ...PAIR,
      "a.yaml": REED.replace(
        "herons}",
        `herons, ownerReferences: [{apiVersion: cluster.x-k8s.io/v1beta1, kind: Cluster, name: ${INFRA_ID}, uid: 8a1c}]}`,
      ),
    },
    ["CAPI031 a.yaml:3 metadata.ownerReferences"],
  ],
  [
    "lists that say nothing",
    { ...PAIR, "a.yaml": REED.replace("herons}", "herons, ownerReferences: []}") },
    [],
  ],
  [
    "machines of another Cluster",
    {
      ...PAIR,
      "c.yaml": MACHINES.replace("labels: {}", "labels: {cluster.x-k8s.io/cluster-name: egret}").replace(
        `{clusterName: ${INFRA_ID}, bootstrap`,
        "{clusterName: egret, bootstrap",
      ),
    },
    ["CAPI031 c.yaml:8 spec.template.metadata.labels", "CAPI031 c.yaml:9 spec.template.spec.clusterName"],
  ],
  [
    "a status",
    { ...PAIR, "a.yaml": REED.concat("status: {ready: true}\n") },
    ["warning CAPI031 a.yaml:5 status"],
  ],
  [
    "a number that is none",
    { ...PAIR, "a.yaml": REED.replace("north}", "north, depth: 12345678901234567890}") },
    ["CAPI031 a.yaml:0"],
  ],
  ["no object", { ...PAIR, "c.yaml": "hello: there\n" }, ["CAPI020 c.yaml:1"]],
  ["broken", { ...PAIR, "c.yaml": "a: [\n" }, ["YAML001 c.yaml:2 a[0]"]],
  [
    "a kustomization",
    { ...PAIR, "kustomization.yaml": "resources: [a.yaml]\n" },
    ["warning CAPI030 kustomization.yaml:0"],
  ],
  [
    "an unknown field",
    { ...PAIR, "a.yaml": REED.replace("north}", "north, weeds: 1}") },
    ["KUB004 a.yaml:4 spec.weeds"],
    [REED_CRD, WADER_CRD],
  ],
  [
    "a wrong type",
    { ...PAIR, "b.yaml": WADER.replace("legs: 2", "legs: two") },
    ["KUB003 b.yaml:4 spec.template.spec.legs"],
    [REED_CRD, WADER_CRD],
  ],
  [
    "a rule",
    { ...PAIR, "a.yaml": REED.replace("north", "none") },
    ["KUB005 a.yaml:4 spec"],
    [REED_CRD, WADER_CRD],
  ],
  [
    "a version that is not served",
    { ...PAIR, "a.yaml": REED.replace("v1alpha1", "v2") },
    ["KUB003 a.yaml:1 apiVersion"],
    [REED_CRD, WADER_CRD],
  ],
  ["a kind without a definition", PAIR, ["CAPI032 b.yaml:2 kind"], [REED_CRD]],
  [
    "no label",
    PAIR,
    ["warning CAPI032 a.yaml:2 kind"],
    [definition({ kind: "ReedCluster", spec: SHORE, labels: {} }), WADER_CRD],
  ],
  [
    "a label of a version that is not served",
    PAIR,
    ["CAPI032 a.yaml:2 kind"],
    [
      definition({ kind: "ReedCluster", spec: SHORE, labels: { "cluster.x-k8s.io/v1beta1": "v1beta9" } }),
      WADER_CRD,
    ],
  ],
  [
    "a name that Cluster API does not look for",
    PAIR,
    ["CAPI032 a.yaml:2 kind"],
    [definition({ kind: "ReedCluster", spec: SHORE }).replaceAll("reedclusters", "reedclusteren"), WADER_CRD],
  ],
  [
    "a kind outside of namespaces",
    { ...PAIR, "a.yaml": REED.replace(", namespace: herons", "") },
    ["CAPI032 a.yaml:2 kind"],
    [definition({ kind: "ReedCluster", spec: SHORE, scope: "Cluster" }), WADER_CRD],
  ],
];
for (const [name, files, expected, crds] of REFUSED)
  test(`refused or warned of: ${name}`, async () => {
    assert.equal(await problems(files, crds), expected);
  });

/** A cluster of a kind that slipway writes, with a load balancer, a bastion and checks that it never writes. */
const OWN_AWS = `apiVersion: ${GROUP}/v1beta2
kind: AWSCluster
metadata: {name: reeds, namespace: herons}
spec:
  region: eu-west-1
  bastion: {enabled: true}
  identityRef: {kind: AWSClusterRoleIdentity, name: keeper}
  controlPlaneLoadBalancer: {loadBalancerType: classic, scheme: internet-facing, healthCheckProtocol: TCP}
`;
test("without definitions, values that slipway never writes are no fault, and those of another type are", async () => {
  assert.equal(await problems({ "a.yaml": OWN_AWS, "b.yaml": WADER, "c.yaml": MACHINES }), []);
  const [wrong] = [OWN_AWS.replace("enabled: true", "enabled: 5")];
  assert.equal(await problems({ "a.yaml": wrong, "b.yaml": WADER }), [
    "KUB003 a.yaml:6 spec.bastion.enabled",
  ]);
});

test("a Namespace of another name is to be left out", async () => {
  const { diagnostics } = await compile({
    ...PAIR,
    "c.yaml": "apiVersion: v1\nkind: Namespace\nmetadata: {name: egrets}\n",
  });
  const [found] = diagnostics.filter(({ code }) => code === "CAPI011");
  assert.is(found?.file, "c.yaml");
  assert.match(found?.hint ?? "", /^remove it from the folder/);
});

test("objects with a login or a private key in them are kept with the Secrets", async () => {
  const logins = `apiVersion: ${GROUP}/v1alpha1
kind: ReedProxy
metadata: {name: gate, namespace: herons}
spec: {url: "https://keeper:example@gate.example.org"}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: keeper, annotations: {from: "https://keeper:example@gate.example.org"}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: keys, namespace: herons}
data: {key: "-----BEGIN PRIVATE KEY-----"}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: plain, namespace: herons}
data: {url: "https://gate.example.org/@keeper", image: "gate.example.org/reed:1@sha256:00"}
`;
  const files = await written({ ...PAIR, "c.yaml": logins }, undefined, { secrets: "separate" });
  assert.equal(
    [...files.keys()]
      .filter((path) => /\/12_/.test(path))
      .map((path) => path.replace(/-[0-9a-f]{12}\./, "."))
      .sort(),
    [
      "infrastructure-manifests-secrets/12_clusterrole-keeper.yaml",
      "infrastructure-manifests-secrets/12_configmap-keys.yaml",
      "infrastructure-manifests-secrets/12_reedproxy-gate.yaml",
      "infrastructure-manifests/12_configmap-plain.yaml",
    ],
  );
});

test("a secret in a field of an object that is none is told, and the object kept with the Secrets", async () => {
  const open = `apiVersion: ${GROUP}/v1alpha1
kind: ReedIdentity
metadata: {name: keeper, namespace: herons}
spec: {user: keeper, sshKey: ssh-ed25519 AAAA, tokenRef: {name: t}, passwordSecret: p, logins: [{apiToken: made-up}]}
`;
  const own = {
    ...PAIR,
    "a.yaml": REED.replace("shore: north", "shore: north, password: made-up"),
    "c.yaml": open,
  };
  const found = await problems(own);
  assert.equal(found, [
    "warning CAPI035 a.yaml:4 spec.password",
    "warning CAPI035 c.yaml:4 spec.logins[0].apiToken",
  ]);
  const files = await written(own, undefined, { secrets: "separate" });
  for (const name of ["40_infrastructure-cluster", "12_reedidentity-keeper"])
    assert.ok(files.has(`infrastructure-manifests-secrets/${name}.yaml`), name);
  assert.ok(files.has("infrastructure-manifests/50_machine-template.yaml"));
});

const FOR_WORKERS = WADER.replace("wader,", 'sanderling, labels: {slipway.dev/pool: "worker"},');

test("a template that is labelled with a compute pool is that pool's", async () => {
  const own = { ...PAIR, "c.yaml": FOR_WORKERS };
  assert.equal(await problems(own), []);
  const other = FOR_WORKERS.replace("sanderling", "dunlin");
  assert.equal(await problems({ ...own, "d.yaml": other.replace('"worker"', '"edge"') }), [
    "CAPI030 d.yaml:3 metadata.labels[slipway.dev/pool]",
  ]);
  assert.equal(await problems({ ...own, "d.yaml": other }), [
    "CAPI030 d.yaml:3 metadata.labels[slipway.dev/pool]",
  ]);
  assert.equal(await problems({ "a.yaml": REED, "c.yaml": FOR_WORKERS }), ["CAPI030 c.yaml:1"]);
  const files = await written(own, undefined, {
    controlPlaneProvider: "openshift-assisted",
    releaseImage: "quay.io/openshift-release-dev/ocp-release:4.22.3-x86_64",
  });
  const text = (name: string): string | undefined => files.get(`infrastructure-manifests/${name}.yaml`);
  assert.is(at(text("51_machine-template-worker"), "metadata", "name"), "sanderling");
  const used = ["spec", "template", "spec", "infrastructureRef", "name"];
  assert.is(at(text("80_machine-deployment-worker"), ...used), "sanderling");
  const controlPlane = text("60_openshift-assisted-control-plane");
  assert.is(at(controlPlane, "spec", "machineTemplate", "infrastructureRef", "name"), "wader");
});

test("with a template of the user's, a management cluster keeps the machines of any provider", async () => {
  const keep = { machineManagement: "cluster-api", machineHealthChecks: "on" } as const;
  const files = await written({ ...PAIR, "c.yaml": FOR_WORKERS }, undefined, keep);
  const text = files.get(`infrastructure-manifests/80_machine-deployment-${INFRA_ID}-worker.yaml`);
  assert.is(at(text, "spec", "template", "spec", "infrastructureRef", "name"), "sanderling");
  const secret = files.get("infrastructure-manifests/24_bootstrap-data-worker.yaml");
  assert.is(
    at(text, "spec", "template", "spec", "bootstrap", "dataSecretName"),
    at(secret, "metadata", "name"),
  );
  assert.ok(files.has("infrastructure-manifests/85_machine-health-check-worker.yaml"));
  const without = await compile(PAIR, undefined, keep);
  assert.ok(
    without.diagnostics.some(({ code, hint }) => code === "CAPI033" && /slipway\.dev\/pool/.test(hint)),
  );
});

test("what slipway generates itself is refused", async () => {
  const { diagnostics } = await compile({
    ...PAIR,
    "c.yaml": "apiVersion: v1\nkind: Namespace\nmetadata: {name: herons}\n",
  });
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  assert.equal(
    errors.map(({ code, file, line }) => [code, file, line]),
    [["CAPI031", "c.yaml", 1]],
  );
});

test("definitions are asked for once, and not where they are given", async () => {
  const infos = async (crds?: readonly string[]): Promise<number> =>
    (await compile(PAIR, crds)).diagnostics.filter(({ code }) => code === "CAPI030").length;
  assert.is(await infos(), 1);
  assert.is(await infos([REED_CRD, WADER_CRD]), 0);
});

/** An asset directory with both folders beside it. */
function workspace(): { readonly cwd: string; run(line: string): ReturnType<typeof slipway> } {
  const cwd = tempFolder();
  for (const folder of ["cluster", "own", "crds"]) mkdirSync(join(cwd, folder));
  writeFileSync(join(cwd, "cluster/install-config.yaml"), readFileSync("examples/none/install-config.yaml"));
  writeFileSync(join(cwd, "seed"), SEED);
  for (const [file, text] of Object.entries(PAIR)) writeFileSync(join(cwd, "own", file), text);
  writeFileSync(join(cwd, "crds/reed.json"), REED_CRD);
  writeFileSync(join(cwd, "crds/wader.json"), WADER_CRD);
  return { cwd, run: (line) => slipway(line.split(" "), { cwd, env: { SOURCE_DATE_EPOCH: "1800000000" } }) };
}
const CREATE = `create infrastructure-manifests --dir cluster --namespace herons --infra-id ${INFRA_ID} --seed seed --key-algorithm ecdsa-p256`;

/** The files that a run wrote, but what it remembers. */
const tree = (cwd: string): string[] =>
  [...readTree(join(cwd, "cluster"))]
    .filter(([path]) => !path.startsWith(".slipway/"))
    .map(([path, data]) => `${path}\n${data.toString("latin1")}`);

test("the folders are remembered; taking them back and giving them again gives the former bytes; an edit survives", () => {
  const { cwd, run } = workspace();
  const ok = (line: string): string => {
    const { code, stdout, stderr } = run(line);
    assert.is(code, 0, `${line}: ${stdout}${stderr}`);
    return stdout;
  };
  ok(CREATE);
  const plain = tree(cwd);
  ok(`${CREATE} --custom-infrastructure own --crds crds`);
  const own = tree(cwd);
  assert.not.match(ok(CREATE), /^(?:created|updated|removed) /m);
  assert.match(ok("check --dir cluster --strict"), "would not change any file");
  ok(`${CREATE} --custom-infrastructure none --crds none`);
  assert.equal(tree(cwd), plain);
  ok(`${CREATE} --custom-infrastructure own --crds crds`);
  assert.equal(tree(cwd), own);
  const edited = join(cwd, "cluster/infrastructure-manifests/40_infrastructure-cluster.yaml");
  writeFileSync(edited, readFileSync(edited, "utf8").replace("shore: north", "depth: 3\n  shore: north"));
  assert.not.match(ok(CREATE), /^(?:created|updated|removed) /m);
  // A change of another field of the folder's file is merged with it.
  writeFileSync(join(cwd, "own/a.yaml"), REED.replace("north", "south"));
  ok(CREATE);
  assert.equal(at(readFileSync(edited, "utf8"), "spec"), { depth: 3, shore: "south" });
});

test("a folder that cannot be what is meant is refused, and nothing is written", () => {
  const { cwd, run } = workspace();
  mkdirSync(join(cwd, "cluster/inner"));
  writeFileSync(join(cwd, "cluster/inner/a.yaml"), REED);
  mkdirSync(join(cwd, "empty"));
  mkdirSync(join(cwd, "links"));
  symlinkSync("../own/a.yaml", join(cwd, "links/a.yaml"));
  const before = tree(cwd);
  for (const [folder, message] of [
    ["cluster/inner", "is inside the asset directory"],
    ["cluster", "is inside the asset directory"],
    [".", "the asset directory is inside the folder"],
    ["empty", "contains no .yaml, .yml or .json file"],
    ["links", "is a symbolic link"],
    ["own/a.yaml", "is a file, not a folder"],
    ["nowhere", "cannot be read (ENOENT)"],
  ] as const) {
    const { code, stderr } = run(`${CREATE} --custom-infrastructure ${folder}`);
    assert.is(code, 1, folder);
    assert.match(stderr, message);
  }
  assert.equal(tree(cwd), before);
});

test("a template that changes under its name is warned of", () => {
  const { cwd, run } = workspace();
  writeFileSync(join(cwd, "own/c.yaml"), FOR_WORKERS);
  assert.is(run(`${CREATE} --custom-infrastructure own`).code, 0);
  writeFileSync(join(cwd, "own/c.yaml"), FOR_WORKERS.replace("legs: 2", "legs: 3"));
  assert.match(run(CREATE).stderr, /51_machine-template-worker\.yaml.*CAPI023/);
  writeFileSync(join(cwd, "own/b.yaml"), WADER.replace("legs: 2", "legs: 3"));
  assert.match(run(CREATE).stderr, "CAPI023");
});

test("the function takes both from its configuration", () => {
  const list = {
    apiVersion: "config.kubernetes.io/v1",
    kind: "ResourceList",
    functionConfig: {
      apiVersion: "slipway.dev/v1alpha1",
      kind: "ClusterFunction",
      spec: {
        files: { "install-config.yaml": readFileSync("examples/none/install-config.yaml", "utf8") },
        namespace: "herons",
        infraID: INFRA_ID,
        inputs: {
          seed: Buffer.from(SEED).toString("base64"),
          customInfrastructure: PAIR,
          crds: { "reed.json": REED_CRD, "wader.json": WADER_CRD },
        },
      },
    },
    items: [],
  };
  const { code, stdout } = slipway(["function"], { input: JSON.stringify(list) });
  assert.is(code, 0);
  const answer = parseYaml(stdout);
  const items = isObject(answer) && Array.isArray(answer["items"]) ? answer["items"] : [];
  assert.equal(items.filter((item) => isObject(item) && item["kind"] === "ReedCluster").length, 1);
});

test.run();
