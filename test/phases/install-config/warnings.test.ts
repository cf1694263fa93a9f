/** What is accepted and does not work, or surprises (docs/reference/real-inputs.md §1). Never an error. */
import { test } from "uvu";
import * as assert from "uvu/assert";
import {
  AWS,
  CERTIFICATE,
  type Edits,
  EXTERNAL,
  edit,
  judge,
  NONE,
  PULL_SECRET,
} from "../../helpers/install-configs.js";

type WarningRow = readonly [title: string, edits: Edits, ...remarks: string[]];

function expectRemarks(config: typeof NONE, rows: readonly WarningRow[]): void {
  for (const [title, edits, ...remarks] of rows) {
    const judged = judge(edit(config, edits));
    assert.equal(judged.errors, [], title);
    assert.equal(judged.remarks, [...remarks].sort(), title);
  }
}

const pods = (cidr: string, hostPrefix: number): Edits => ({
  "networking.clusterNetwork": [{ cidr, hostPrefix }],
});
const prefix = "networking.clusterNetwork[0].hostPrefix";

test("sound configs cause no remark", () => {
  for (const config of [NONE, EXTERNAL, AWS]) expectRemarks(config, [["nothing is changed", {}]]);
});

test("families that the installer accepts and the cluster does not", () => {
  const machines = "networking.machineNetwork";
  const clusters = "networking.clusterNetwork";
  const services = "networking.serviceNetwork";
  const ipv6 = {
    [machines]: [{ cidr: "fd00:20::/64" }],
    [clusters]: [{ cidr: "fd01::/48", hostPrefix: 64 }],
    [services]: ["fd02::/112"],
  };
  expectRemarks(NONE, [
    ["IPv6 Services alone", { [services]: ["fd02::/112"] }, `IC155 ${clusters}`, `IC155 ${machines}`],
    [
      "IPv4 Services alone",
      { ...ipv6, [services]: ["172.30.0.0/16"] },
      `IC155 ${clusters}`,
      `IC155 ${machines}`,
    ],
    ["IPv6 pods", { [clusters]: ipv6[clusters] }, `IC155 ${clusters}`],
    [
      "pods of both",
      { [clusters]: [{ cidr: "10.132.0.0/14", hostPrefix: 23 }, ...ipv6[clusters]] },
      `IC155 ${clusters}`,
    ],
    ["machines of both", { [machines]: [{ cidr: "10.20.0.0/16" }, ...ipv6[machines]] }],
    ["IPv6 alone", ipv6],
  ]);
});

test("room of the cluster network", () => {
  expectRemarks(NONE, [
    ["for all", { ...pods("10.132.0.0/20", 23), "compute[0].replicas": 5 }],
    ["for one less", { ...pods("10.132.0.0/20", 23), "compute[0].replicas": 6 }, `IC160 ${prefix}`],
    ["a node with 8 addresses", pods("10.132.0.0/20", 29), `IC162 ${prefix}`],
    ["a node with 16", pods("10.132.0.0/20", 28)],
    ["beyond 32 bits", pods("10.132.0.0/20", 33), `IC162 ${prefix}`],
    ["more nodes than the join subnet has addresses", pods("11.0.0.0/8", 24), `IC161 ${prefix}`],
    ["fewer", pods("11.0.0.0/8", 23)],
    [
      "a join subnet that is large enough",
      {
        ...pods("10.132.0.0/14", 23),
        "networking.ovnKubernetesConfig.ipv4.internalJoinSubnet": "100.70.0.0/22",
      },
    ],
    [
      "a join subnet that is nearly full",
      {
        "networking.clusterNetwork": [
          { cidr: "10.132.0.0/16", hostPrefix: 24 },
          { cidr: "10.134.0.0/17", hostPrefix: 24 },
          { cidr: "10.136.0.0/18", hostPrefix: 24 },
          { cidr: "10.138.0.0/19", hostPrefix: 24 },
        ],
        "networking.ovnKubernetesConfig.ipv4.internalJoinSubnet": "100.70.0.0/23",
      },
      "IC161 networking.ovnKubernetesConfig.ipv4.internalJoinSubnet",
    ],
  ]);
});

test("networks", () => {
  expectRemarks(NONE, [
    [
      "Docker's bridge",
      { "networking.serviceNetwork": ["172.17.0.0/16"] },
      "IC159 networking.serviceNetwork[0]",
    ],
    [
      "a network without a block",
      { "networking.machineNetwork": [{}] },
      "IC158 networking.machineNetwork[0]",
    ],
  ]);
  expectRemarks(AWS, [
    [
      "MTU with an edge pool",
      { "networking.clusterNetworkMTU": 1201, "compute[1]": { name: "edge" } },
      "IC166 networking.clusterNetworkMTU",
    ],
    [
      "a small MTU with an edge pool",
      { "networking.clusterNetworkMTU": 1200, "compute[1]": { name: "edge" } },
    ],
    ["MTU without an edge pool", { "networking.clusterNetworkMTU": 8901 }],
  ]);
});

test("trust", () => {
  expectRemarks(NONE, [
    ["a bundle that nothing uses", { additionalTrustBundle: CERTIFICATE }, "IC132 additionalTrustBundle"],
    [
      "a bundle for the registry of mirrors, which the machines trust anyway",
      {
        additionalTrustBundle: CERTIFICATE,
        pullSecret: PULL_SECRET,
        imageDigestSources: [{ source: "quay.io/a", mirrors: ["registry.example.org/a"] }],
      },
    ],
    ["a bundle with a proxy", { additionalTrustBundle: CERTIFICATE, "proxy.httpProxy": "http://h" }],
    [
      "a bundle that is always used",
      { additionalTrustBundle: CERTIFICATE, additionalTrustBundlePolicy: "Always" },
    ],
    ["a policy alone", { additionalTrustBundlePolicy: "Always" }, "IC133 additionalTrustBundlePolicy"],
  ]);
});

test("keys and secrets", () => {
  const secret = (auth: string) => JSON.stringify({ auths: { a: { auth } } });
  const base64 = (text: string) => Buffer.from(text).toString("base64");
  expectRemarks(NONE, [
    ["an empty key", { sshKey: "" }, "IC122 sshKey"],
    ["no key", { sshKey: undefined }],
    ["user and password", { pullSecret: secret(base64("user:password")) }],
    ["a user alone", { pullSecret: secret(base64("user")) }, "IC141 pullSecret"],
    ["no Base64", { pullSecret: secret("user:password") }, "IC141 pullSecret"],
    [
      "a mirror without credentials, named once",
      {
        pullSecret: PULL_SECRET,
        imageDigestSources: [
          { source: "quay.io/a", mirrors: ["registry.example.org/a", "other.example.org:5000/a"] },
          { source: "quay.io/b", mirrors: ["other.example.org:5000/b"] },
        ],
      },
      "IC142 imageDigestSources[0].mirrors[1]",
    ],
  ]);
});

test("machines", () => {
  expectRemarks(NONE, [
    ["no compute machines", { "compute[0].replicas": 0 }, "IC189 compute[0].replicas"],
    ["a section without effect", { "compute[0].platform.nutanix": {} }, "IC184 compute[0].platform.nutanix"],
    ["another name for the masters", { "controlPlane.name": "control-plane" }, "IC193 controlPlane.name"],
    [
      "a disk by its name alone",
      { bootstrapInPlace: { installationDisk: "sda" }, "controlPlane.replicas": 1 },
      "IC262 bootstrapInPlace.installationDisk",
    ],
    ["an unknown management", { "compute[0].management": "x" }, "IC270 compute[0].management"],
  ]);
  expectRemarks(AWS, [
    [
      "a single node in place",
      { bootstrapInPlace: {}, "controlPlane.replicas": 1 },
      "IC261 bootstrapInPlace",
    ],
  ]);
});

test("values that mean nothing", () => {
  expectRemarks(NONE, [
    ["cpuPartitioningMode", { cpuPartitioningMode: "All" }, "IC270 cpuPartitioningMode"],
    ["a second platform", { "platform.external": {} }, "IC172 platform.external"],
    ["no upgrade", { featureSet: "TechPreviewNoUpgrade" }, "IC243 featureSet"],
  ]);
  expectRemarks(EXTERNAL, [
    [
      "another manager",
      { "platform.external.cloudControllerManager": "external" },
      "IC280 platform.external.cloudControllerManager",
    ],
  ]);
  const tags = Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`k${i}`, "v"]));
  expectRemarks(AWS, [
    ["lbType", { "platform.aws.lbType": "ALB" }, "IC321 platform.aws.lbType"],
    ["nine tags", { "platform.aws.userTags": tags }, "IC320 platform.aws.userTags"],
    [
      "an odd subnet",
      { "platform.aws.vpc.subnets": [{ id: "subnet-x" }] },
      "IC322 platform.aws.vpc.subnets[0].id",
    ],
  ]);
});

test.run();
