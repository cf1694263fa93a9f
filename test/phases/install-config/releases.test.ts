/** What the releases judge differently (docs/reference/install-config-and-manifests.md §5). */

import { test } from "uvu";
import * as assert from "uvu/assert";
import { RELEASES } from "../../../src/core/release.js";
import { CAPABILITY_SETS, enabledCapabilities } from "../../../src/platforms/capabilities.js";
import { featureSetsOf, gateEnabled } from "../../../src/platforms/enabled-gates.js";
import { BAREMETAL } from "../../helpers/baremetal.js";
import {
  AWS,
  DUAL_STACK,
  type Edits,
  edit,
  expectErrors,
  judge,
  NONE,
  releaseOf,
  SSH_KEYS,
} from "../../helpers/install-configs.js";

const credentials = [1, 2].map((n) => ({
  hostName: `host-${n}`,
  username: "u",
  password: "p",
  address: `ipmi://10.0.0.${n}`,
}));

/** A config, and the errors from each release named on; a release that is not named is judged as the one before. */
const CHANGES: readonly {
  readonly title: string;
  readonly base?: typeof NONE;
  readonly edits: Edits;
  readonly since: Readonly<Record<string, readonly string[]>>;
}[] = [
  {
    title: "one of several lines is not a key",
    edits: { sshKey: `${SSH_KEYS.rsa}\nno key` },
    since: { "4.18": [], "4.20": ["Invalid sshKey"] },
  },
  {
    title: "a network in the join subnet",
    edits: { "networking.machineNetwork": [{ cidr: "100.64.0.0/24" }] },
    since: { "4.18": [], "4.19": ["Invalid networking.machineNetwork[0]"] },
  },
  {
    title: "a block with host bits is compared no more",
    edits: { "networking.serviceNetwork": ["10.20.0.1/16"] },
    since: { "4.18": ["Invalid networking.serviceNetwork[0]"] },
  },
  {
    title: "different host prefixes",
    edits: { "networking.clusterNetwork[1]": { cidr: "10.136.0.0/14", hostPrefix: 24 } },
    since: { "4.18": [], "4.19": ["Invalid networking.clusterNetwork[1].hostPrefix"] },
  },
  {
    title: "the plug-in in other letters needs no host prefix where it is not recognised",
    edits: {
      "networking.networkType": "ovnkubernetes",
      "networking.clusterNetwork[0].hostPrefix": undefined,
    },
    since: { "4.18": [], "4.19": ["Invalid networking.clusterNetwork[0].hostPrefix"] },
  },
  {
    title: "Kuryr in other letters",
    edits: { "networking.networkType": "kuryr" },
    since: { "4.18": [], "4.19": ["Invalid networking.networkType"] },
  },
  {
    title: "IPv6 first on none",
    edits: { networking: { ...DUAL_STACK, serviceNetwork: ["fd02::/112", "172.31.0.0/16"] } },
    since: { "4.18": ["Invalid networking.serviceNetwork"], "4.19": [] },
  },
  {
    title: "both families on aws",
    base: edit(AWS, { networking: DUAL_STACK }),
    edits: { "networking.machineNetwork": [{ cidr: "10.20.0.0/16" }] },
    since: {
      "4.18": ["Invalid networking", "Invalid networking.machineNetwork"],
      "4.22": ["Invalid networking"],
    },
  },
  {
    title: "two masters without fencing",
    edits: { "controlPlane.replicas": 2 },
    since: { "4.18": [], "4.19": ["Forbidden controlPlane.fencing.credentials"] },
  },
  {
    title: "an arbiter on none",
    edits: { "controlPlane.replicas": 2, arbiter: { replicas: 1 } },
    since: {
      "4.18": [],
      "4.19": ["Forbidden arbiter"],
      "4.20": ["NotSupported arbiter.platform"],
      "4.22": [],
    },
  },
  {
    title: "fencing by IPMI, and its gate",
    edits: { "controlPlane.replicas": 2, "controlPlane.fencing.credentials": credentials },
    since: {
      "4.18": [],
      "4.19": ["Forbidden platform.none.fencingCredentials"],
      "4.22": [0, 1].map((i) => `Invalid controlPlane.fencing.credentials[${i}].address`),
    },
  },
  {
    title: "a machine that is named by its MAC address",
    edits: {
      featureSet: "TechPreviewNoUpgrade",
      "controlPlane.replicas": 2,
      "controlPlane.fencing.credentials": [1, 2].map((n) => ({
        macAddress: `52:54:00:00:00:0${n}`,
        username: "u",
        password: "p",
        address: `https://h${n}/redfish`,
      })),
    },
    since: {
      "4.18": [],
      "4.19": [0, 1].map((i) => `Required controlPlane.fencing.credentials[${i}].hostName`),
      "4.22": [0, 1].flatMap((i) => [
        `NotSupported controlPlane.fencing.credentials[${i}].macAddress`,
        `Required controlPlane.fencing.credentials[${i}].hostName`,
      ]),
      "5.0": [],
    },
  },
  {
    title: "disks of a pool",
    edits: { "controlPlane.diskSetup": [{ type: "swap" }] },
    since: {
      "4.18": [],
      "4.20": ["Forbidden controlPlane.diskSetup", "Invalid controlPlane.diskSetup.swap"],
    },
  },
  {
    title: "a policy of a mirror",
    edits: { imageDigestSources: [{ source: "quay.io/a", sourcePolicy: "x" }] },
    since: { "4.18": [], "4.21": ["Invalid imageDigestSources[0].sourcePolicy"] },
  },
  {
    title: "the feature set of OKD",
    edits: { featureSet: "OKD" },
    since: { "4.18": ["NotSupported featureSet"], "4.22": ["Forbidden featureSet"] },
  },
  {
    title: "a root volume of size 0",
    base: AWS,
    edits: { "compute[0].platform.aws.rootVolume": { type: "io1" } },
    since: {
      "4.18": ["Invalid compute[0].platform.aws.iops", "Invalid compute[0].platform.aws.size"],
      "4.21": [],
    },
  },
  {
    title: "throughput and operations of a root volume",
    base: AWS,
    edits: { "compute[0].platform.aws.rootVolume": { type: "gp3", size: 100, throughput: 1000 } },
    since: { "4.18": [], "4.22": ["Invalid compute[0].platform.aws.throughput"] },
  },
  {
    title: "a fault of the default pool",
    base: AWS,
    edits: { "platform.aws.defaultMachinePlatform.zones": ["us-east-1a"] },
    since: {
      "4.18": ["Invalid platform.aws.defaultMachinePlatform.zones[0]"],
      "4.21": [
        "Invalid compute[0].platform.aws.zones[0]",
        "Invalid controlPlane.platform.aws.zones[0]",
        "Invalid platform.aws.defaultMachinePlatform.zones[0]",
      ],
    },
  },
  {
    title: "roles of subnets",
    base: AWS,
    edits: { "platform.aws.vpc.subnets": [{ id: "subnet-1" }, { id: "subnet-1" }] },
    since: { "4.18": [], "4.19": ["Duplicate platform.aws.vpc.subnets[1].id"] },
  },
  {
    title: "an unknown family of aws",
    base: AWS,
    edits: { "platform.aws.ipFamily": "x" },
    since: { "4.18": [], "4.22": ["NotSupported platform.aws.ipFamily"] },
  },
  {
    title: "architectures of a custom feature set",
    base: AWS,
    edits: { "compute[0].architecture": "arm64", featureSet: "CustomNoUpgrade" },
    since: { "4.18": ["Invalid compute[0].architecture"], "4.20": [] },
  },
  {
    title: "an unknown OS image stream",
    edits: { osImageStream: "x", featureSet: "TechPreviewNoUpgrade" },
    since: { "4.18": [], "4.22": ["Forbidden osImageStream"], "5.0": ["NotSupported osImageStream"] },
  },
  {
    title: "the stream that is another release's default",
    edits: { osImageStream: "rhel-9" },
    since: { "4.18": [], "4.22": ["Forbidden osImageStream"], "5.0": [] },
  },
  {
    title: "a single node on baremetal",
    base: BAREMETAL,
    edits: { bootstrapInPlace: {}, "controlPlane.replicas": 1 },
    since: { "4.18": [], "5.0": ["Invalid bootstrapInPlace"] },
  },
  {
    title: "a reserved name on azure",
    edits: {
      platform: { azure: { region: "westeurope", baseDomainResourceGroupName: "dns-rg" } },
      "metadata.name": "login-1",
    },
    since: { "4.18": [], "4.22": ["Invalid metadata.name"] },
  },
];

for (const { title, base = NONE, edits, since } of CHANGES)
  test(title, () => {
    let errors: readonly string[] = [];
    for (const release of RELEASES) {
      errors = since[release] ?? errors;
      expectErrors(base, [[title, edits, ...errors]], release);
    }
  });

test("a field of a later release is a matter of the release, not an unknown field", () => {
  const config = edit(NONE, { "controlPlane.replicas": 2, arbiter: { replicas: 1 } });
  const said = judge(config, "4.18").diagnostics.find(({ field }) => field === "arbiter");
  assert.is(said?.severity, "warning");
  assert.match(said?.message ?? "", "4.19");
});

test("gates by release and feature set", () => {
  const on = (release: string, name: "DualReplica" | "HighlyAvailableArbiter", featureSet = "") =>
    gateEnabled(releaseOf(release), { featureSet }, name);
  assert.is(on("4.18", "DualReplica", "TechPreviewNoUpgrade"), false);
  assert.is(on("4.19", "DualReplica", "TechPreviewNoUpgrade"), true);
  assert.is(on("4.21", "DualReplica"), false);
  assert.is(on("4.22", "DualReplica"), true);
  assert.is(on("4.22", "DualReplica", "OKD"), true);
  assert.is(on("4.22", "DualReplica", "unknown"), false);
  assert.is(on("4.20", "HighlyAvailableArbiter"), true);
  assert.is(on("4.22", "HighlyAvailableArbiter", "TechPreviewNoUpgrade"), false);
  assert.is(on("4.22", "DualReplica", "CustomNoUpgrade"), false);
  const custom = { featureSet: "CustomNoUpgrade", featureGates: ["DualReplica=T", "OSStreams=false"] };
  assert.is(gateEnabled(releaseOf("4.22"), custom, "DualReplica"), true);
  assert.is(gateEnabled(releaseOf("4.22"), custom, "OSStreams"), false);
  assert.equal(featureSetsOf(releaseOf("4.21")), [
    "",
    "TechPreviewNoUpgrade",
    "DevPreviewNoUpgrade",
    "CustomNoUpgrade",
  ]);
  assert.ok(featureSetsOf(releaseOf("4.22")).includes("OKD"));
});

test("capability sets grow", () => {
  assert.is(CAPABILITY_SETS.get("None")?.size, 0);
  assert.is(CAPABILITY_SETS.get("v4.11")?.size, 4);
  assert.is(CAPABILITY_SETS.get("v4.16"), CAPABILITY_SETS.get("v4.16"));
  assert.equal(CAPABILITY_SETS.get("v4.17"), CAPABILITY_SETS.get("v4.16"));
  assert.equal(CAPABILITY_SETS.get("vCurrent"), CAPABILITY_SETS.get("v4.18"));
  assert.equal(
    [
      ...enabledCapabilities({
        capabilities: { baselineCapabilitySet: "None", additionalEnabledCapabilities: ["Console"] },
      }),
    ],
    ["Console"],
  );
  assert.is(enabledCapabilities({}).size, 17);
});

test.run();
