import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isObject, type Json, type JsonObject } from "../../src/core/json.js";
import { RELEASES } from "../../src/core/release.js";
import type { NormalConfig } from "../../src/platforms/config.js";
import { parseYaml } from "../../src/text/yaml-parse.js";
import { baseConfig, compiled, pool, runManifests } from "../helpers/manifests.js";

/**
 * What each release writes otherwise, from the branches of openshift/installer named in
 * tables/release-facts.json and from docs/reference/install-config-and-manifests.md §5.
 */
const test = suite("manifests by release");

type Release = (typeof RELEASES)[number];
/** Answers by the release from which on they hold. */
type Row<T> = { readonly [since: string]: T };

async function objectIn(config: NormalConfig, release: Release, path: string): Promise<JsonObject> {
  const value = parseYaml((await runManifests({ config, release })).text(path));
  if (!isObject(value)) throw new Error(`${path} is not an object`);
  return value;
}

function member(value: Json | undefined, ...path: string[]): Json | undefined {
  return path.reduce<Json | undefined>((found, step) => (isObject(found) ? found[step] : undefined), value);
}

/** A row of the table, with an answer for the oldest release and for each that changes it. */
function table<T>(name: string, row: Row<T>, ask: (release: Release) => Promise<T>): void {
  test(name, async () => {
    assert.equal(
      Object.keys(row).filter((since) => !RELEASES.includes(since)),
      [],
    );
    let since = RELEASES[0] ?? "";
    assert.ok(since in row, since);
    for (const release of RELEASES) {
      if (release in row) since = release;
      assert.equal(await ask(release), row[since], release);
    }
  });
}

const base = (changes: Partial<NormalConfig> = {}): NormalConfig => ({ ...baseConfig(), ...changes });
const paths = async (config: NormalConfig, release: Release): Promise<string[]> =>
  (await runManifests({ config, release })).files.map(({ path }) => path);

const COMMON = [
  "manifests/cluster-config.yaml",
  "manifests/cluster-dns-02-config.yml",
  "manifests/cluster-infrastructure-02-config.yml",
  "manifests/cluster-ingress-02-config.yml",
  "manifests/cluster-network-02-config.yml",
  "manifests/cluster-proxy-01-config.yaml",
  "manifests/cluster-scheduler-02-config.yml",
  "manifests/cvo-overrides.yaml",
  "manifests/kube-cloud-config.yaml",
  "manifests/kube-system-configmap-root-ca.yaml",
  "manifests/machine-config-server-tls-secret.yaml",
  "manifests/openshift-config-secret-pull-secret.yaml",
  "openshift/99_feature-gate.yaml",
  "openshift/99_kubeadmin-password-secret.yaml",
  "openshift/99_openshift-cluster-api_master-user-data-secret.yaml",
  "openshift/99_openshift-cluster-api_worker-user-data-secret.yaml",
  "openshift/99_openshift-machineconfig_99-master-ssh.yaml",
  "openshift/99_openshift-machineconfig_99-worker-ssh.yaml",
  "openshift/openshift-install-manifests.yaml",
];
const CA = [
  "manifests/machine-config-server-ca-configmap.yaml",
  "manifests/machine-config-server-ca-secret.yaml",
];
const STREAM = "openshift/99_osimagestream.yaml";

table(
  "the files of a plain cluster",
  {
    "4.18": COMMON,
    "4.19": [...COMMON, ...CA].sort(),
    "5.0": [...COMMON, ...CA, STREAM].sort(),
  },
  (release) => paths(base({ sshKey: "ssh-ed25519 AAAA" }), release),
);

table(
  "type and kind of the machine-config-server certificate",
  {
    "4.18": ["Opaque", undefined, 1],
    "4.19": ["kubernetes.io/tls", "target", 6],
  },
  async (release) => {
    const secret = await objectIn(base(), release, "manifests/machine-config-server-tls-secret.yaml");
    const annotations = member(secret, "metadata", "annotations");
    return [
      member(secret, "type"),
      member(secret, "metadata", "labels", "auth.openshift.io/managed-certificate-type"),
      isObject(annotations) ? Object.keys(annotations).length : 0,
    ];
  },
);

table(
  "the update channel",
  {
    "4.18": "stable-4.18",
    "4.19": "stable-4.19",
    "4.20": "stable-4.20",
    "4.21": "stable-4.21",
    "4.22": "stable-4.22",
    "5.0": "stable-5.0",
  },
  async (release) =>
    member(await objectIn(base(), release, "manifests/cvo-overrides.yaml"), "spec", "channel"),
);

/** Topologies of control plane and infrastructure, joined by a slash. */
const topologies = async (config: NormalConfig, release: Release): Promise<string> => {
  const object = await objectIn(config, release, "manifests/cluster-infrastructure-02-config.yml");
  const status = object["status"];
  return `${member(status, "controlPlaneTopology")}/${member(status, "infrastructureTopology")}`;
};
const sized = (masters: number, workers: number, arbiters = 0): NormalConfig =>
  base({
    controlPlane: pool("master", masters),
    compute: [pool("worker", workers)],
    ...(arbiters === 0 ? {} : { arbiter: pool("arbiter", arbiters) }),
  });
const always = <T>(value: T): Row<T> => ({ "4.18": value });
const HA = "HighlyAvailable";
const SINGLE = "SingleReplica";

for (const [masters, workers, row] of [
  [1, 0, always(`${SINGLE}/${SINGLE}`)],
  [1, 1, always(`${SINGLE}/${SINGLE}`)],
  [1, 2, always(`${SINGLE}/${HA}`)],
  [3, 0, always(`${HA}/${HA}`)],
  [3, 1, always(`${HA}/${SINGLE}`)],
  [5, 2, always(`${HA}/${HA}`)],
  [2, 0, { "4.18": `${SINGLE}/${SINGLE}`, "4.19": `DualReplica/${HA}` }],
  [2, 1, { "4.18": `${SINGLE}/${SINGLE}`, "4.19": `DualReplica/${SINGLE}` }],
  [2, 2, { "4.18": `${SINGLE}/${HA}`, "4.19": `DualReplica/${HA}` }],
] as const)
  table(`topologies of ${masters} masters and ${workers} workers`, row, (release) =>
    topologies(sized(masters, workers), release),
  );

const ARBITER = `HighlyAvailableArbiter/${HA}`;
table(
  "topologies of 2 masters and an arbiter",
  { "4.18": `${SINGLE}/${SINGLE}`, "4.19": ARBITER },
  (release) => topologies(sized(2, 0, 1), release),
);
table("topologies of 3 masters and an arbiter", { "4.18": `${HA}/${HA}`, "4.20": ARBITER }, (release) =>
  topologies(sized(3, 0, 1), release),
);

table(
  "an arbiter on platform none",
  {
    "4.18": ["", ""],
    "4.19": ["MAN003 arbiter", "arbiter-user-data-managed"],
    "4.22": ["", "arbiter-user-data-managed"],
  },
  async (release) => {
    const run = await runManifests({ config: sized(2, 0, 1), release });
    const file = "openshift/99_openshift-cluster-api_arbiter-user-data-secret.yaml";
    const there = run.files.some(({ path }) => path === file);
    return [
      run.diagnostics.map(({ code, field }) => `${code} ${field}`).join(),
      there ? member(parseYaml(run.text(file)), "metadata", "name") : "",
    ];
  },
);

table(
  "kernel arguments for two service networks on platform none",
  { "4.18": 0, "4.20": 2 },
  async (release) => {
    const { networking } = baseConfig();
    const config = base({ networking: { ...networking, serviceNetwork: ["172.30.0.0/16", "fd02::/112"] } });
    return (await paths(config, release)).filter((path) => path.includes("99-dual-stack-")).length;
  },
);

table(
  "fencing credentials",
  {
    "4.18": [],
    "4.20": [["fencing-credentials-host-0", undefined]],
    "5.0": [["fencing-credentials-host-0", "hostname"]],
  },
  async (release) => {
    const fencing = { credentials: [{ hostName: "host-0", address: "redfish://192.0.2.1" }] };
    const config = base({ controlPlane: { ...pool("master", 2), fencing } });
    const run = await runManifests({ config, release });
    return run.files
      .filter(({ path }) => path.includes("_fencing-credentials-secrets-"))
      .map(({ path }) => parseYaml(run.text(path)))
      .map((secret) => [
        member(secret, "metadata", "name"),
        member(secret, "metadata", "annotations", "openshift.io/fencing-credentials"),
      ]);
  },
);

table(
  "the policy of a mirror's source",
  {
    "4.18": undefined,
    "4.21": "NeverContactSource",
  },
  async (release) => {
    const config = base({
      imageDigestSources: [
        { source: "a.example.org/b", mirrors: ["c.example.org/d"], sourcePolicy: "NeverContactSource" },
      ],
    });
    const object = await objectIn(config, release, "manifests/image-digest-mirror-set.yaml");
    const mirrors = member(object, "spec", "imageDigestMirrors");
    return Array.isArray(mirrors) ? member(mirrors[0], "mirrorSourcePolicy") : undefined;
  },
);

/** Codes for a single control plane machine on platform external. */
const single = async (release: Release, bootstrapInPlace?: { installationDisk?: string }) => {
  const config = base({
    platform: { external: {} },
    controlPlane: pool("master", 1),
    ...(bootstrapInPlace === undefined ? {} : { bootstrapInPlace }),
  });
  return (await runManifests({ config, release })).diagnostics.map(({ code, field }) => `${code} ${field}`);
};
const REFUSED = ["MAN001 controlPlane.replicas"];

table("one master on external", always(REFUSED), (release) => single(release));
table("one master on external, in place", always([]), (release) =>
  single(release, { installationDisk: "/dev/sda" }),
);
table("one master on external, in place without a disk", { "4.18": [], "4.19": REFUSED }, (release) =>
  single(release, {}),
);

table(
  "the stream of the operating system, by feature set",
  {
    "4.18": [false, false, false, false],
    "4.22": [false, true, false, true],
    "5.0": [true, true, false, true],
  },
  async (release) =>
    Promise.all(
      [
        {},
        { featureSet: "TechPreviewNoUpgrade" },
        { featureSet: "CustomNoUpgrade", featureGates: ["OSStreams=false"] },
        { featureSet: "CustomNoUpgrade", featureGates: ["OSStreams=true"] },
      ].map(async (changes) => (await paths(base(changes), release)).includes(STREAM)),
    ),
);

const TEXT = `apiVersion: v1
baseDomain: sea.example.org
metadata:
  name: tern
controlPlane:
  name: master
  replicas: 1
platform:
  external: {}
pullSecret: '{"auths":{"registry.example.org":{"auth":"dXNlcjpwYXNz"}}}'
`;

table(
  "the install-config in the cluster: no null time, the stream where there is one",
  {
    "4.18": [["name"], undefined],
    "5.0": [["name"], "rhel-10"],
  },
  async (release) => {
    const run = await runManifests({ ...compiled(TEXT, release), release });
    const text = member(parseYaml(run.text("manifests/cluster-config.yaml")), "data", "install-config");
    const config = parseYaml(String(text));
    assert.is(member(config, "pullSecret"), "");
    const metadata = member(config, "metadata");
    return [isObject(metadata) ? Object.keys(metadata) : [], member(config, "osImageStream")];
  },
);

test("a refusal points at the line of the field", async () => {
  const { diagnostics } = await runManifests(compiled(TEXT));
  assert.equal(
    diagnostics.map(({ code, file, line, column }) => `${file}:${line}:${column} ${code}`),
    ["install-config.yaml:7:13 MAN001"],
  );
});

test.run();
