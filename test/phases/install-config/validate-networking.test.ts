/** Blocks, families, MTU and join subnet (docs/reference/install-config-and-manifests.md §1.4, §1.7). */
import { test } from "uvu";
import * as assert from "uvu/assert";
import { AWS, DUAL_STACK, edit, expectErrors, judge, NONE, type Row } from "../../helpers/install-configs.js";

const machine = "networking.machineNetwork[0].cidr";
const service = "networking.serviceNetwork[0]";
const pods = "networking.clusterNetwork[0].cidr";
const prefix = "networking.clusterNetwork[0].hostPrefix";

test("plug-ins", () => {
  expectErrors(NONE, [
    ["in other letters", { "networking.networkType": "ovnkubernetes" }],
    ["of a third party", { "networking.networkType": "Calico" }],
    ["SDN", { "networking.networkType": "OpenShiftSDN" }, "Invalid networking.networkType"],
    ["Kuryr", { "networking.networkType": "kuryr" }, "Invalid networking.networkType"],
  ]);
});

test("blocks by themselves", () => {
  expectErrors(NONE, [
    [
      "unspecified",
      { [machine]: "0.0.0.0/0" },
      "Invalid networking.machineNetwork[0]",
      "Invalid networking.serviceNetwork[0]",
      "Invalid networking.clusterNetwork[0].cidr",
    ],
    ["host bits", { [machine]: "10.20.0.1/16" }, "Invalid networking.machineNetwork[0]"],
    ["service /12", { [service]: "172.32.0.0/12" }],
    ["service /11", { [service]: "172.32.0.0/11" }, "Invalid networking.serviceNetwork[0]"],
    ["pods with host bits", { [pods]: "10.132.0.1/14" }, "Invalid networking.clusterNetwork[0].cidr"],
  ]);
  const v6 = edit(NONE, {
    "networking.machineNetwork": [{ cidr: "fd00:20::/64" }],
    "networking.clusterNetwork": [{ cidr: "fd01::/48", hostPrefix: 64 }],
    "networking.serviceNetwork": ["fd02::/112"],
  });
  expectErrors(v6, [
    ["IPv6 alone", {}],
    ["service /108", { [service]: "fd02::/108" }],
    ["service /107", { [service]: "fd02::/107" }, "Invalid networking.serviceNetwork[0]"],
    ["host prefix 65", { [prefix]: 65 }, "Invalid networking.clusterNetwork[0].hostPrefix"],
  ]);
});

test("overlaps", () => {
  expectErrors(NONE, [
    ["machines and pods", { [pods]: "10.20.0.0/16" }, "Invalid networking.clusterNetwork[0].cidr"],
    ["machines and services", { [service]: "10.20.128.0/17" }, "Invalid networking.serviceNetwork[0]"],
    ["services and pods", { [pods]: "172.31.0.0/16" }, "Invalid networking.clusterNetwork[0].cidr"],
    [
      "two of the machines",
      { "networking.machineNetwork[1]": { cidr: "10.0.0.0/8" } },
      "Invalid networking.machineNetwork[1]",
      "Invalid networking.clusterNetwork[0].cidr",
    ],
    ["next to each other", { "networking.machineNetwork[1]": { cidr: "10.21.0.0/16" } }],
    ["join subnet", { [machine]: "100.64.1.0/24" }, "Invalid networking.machineNetwork[0]"],
    ["transit subnet", { [machine]: "100.88.0.0/24" }, "Invalid networking.machineNetwork[0]"],
    ["masquerade subnet", { [machine]: "169.254.127.0/24" }, "Invalid networking.machineNetwork[0]"],
    ["beside the masquerade subnet", { [machine]: "169.254.128.0/24" }],
    ["with another plug-in", { [machine]: "100.64.1.0/24", "networking.networkType": "Calico" }],
    [
      "with a moved join subnet",
      {
        [machine]: "100.64.1.0/24",
        "networking.ovnKubernetesConfig": { ipv4: { internalJoinSubnet: "100.70.0.0/16" } },
      },
    ],
    ["Docker's bridge", { [machine]: "172.17.0.0/16" }],
  ]);
});

test("host prefixes", () => {
  expectErrors(NONE, [
    ["as long as the block", { [prefix]: 14 }],
    ["shorter than the block", { [prefix]: 13 }, "Invalid networking.clusterNetwork[0].hostPrefix"],
    ["negative", { [prefix]: -1 }, "Invalid networking.clusterNetwork[0].hostPrefix"],
    ["missing with a block", { [prefix]: undefined }, "Invalid networking.clusterNetwork[0].hostPrefix"],
    ["missing with another plug-in", { [prefix]: undefined, "networking.networkType": "Calico" }],
    ["beyond 32", { [prefix]: 33 }],
    [
      "different ones",
      { "networking.clusterNetwork[1]": { cidr: "10.136.0.0/14", hostPrefix: 24 } },
      "Invalid networking.clusterNetwork[1].hostPrefix",
    ],
    [
      "an IPv4 block inside IPv6",
      { [pods]: "::ffff:10.132.0.0/110" },
      "Invalid networking.clusterNetwork[0].hostPrefix",
    ],
  ]);
});

test("both families on none", () => {
  const both = edit(NONE, { networking: DUAL_STACK });
  const swap = (list: unknown) => (Array.isArray(list) ? [...list].reverse() : []);
  expectErrors(both, [
    ["IPv4 first", {}],
    ["IPv6 first", { "networking.serviceNetwork": swap(DUAL_STACK["serviceNetwork"]) }],
    [
      "machines of one",
      { "networking.machineNetwork": [{ cidr: "10.20.0.0/16" }] },
      "Invalid networking.machineNetwork",
    ],
    [
      "pods of the other",
      { "networking.clusterNetwork": [{ cidr: "fd01::/48", hostPrefix: 64 }] },
      "Invalid networking.clusterNetwork",
    ],
    [
      "three services",
      { "networking.serviceNetwork[2]": "172.30.0.0/16" },
      "Invalid networking.serviceNetwork",
    ],
    [
      "two of one family",
      { "networking.serviceNetwork": ["172.31.0.0/16", "172.30.0.0/16"] },
      "Invalid networking.serviceNetwork",
    ],
  ]);
});

test("both families on aws", () => {
  const aws = edit(AWS, {
    networking: DUAL_STACK,
    featureSet: "TechPreviewNoUpgrade",
    "platform.aws.ipFamily": "DualStackIPv4Primary",
  });
  const family = "platform.aws.ipFamily";
  const ipv6First: Row[1] = {
    "networking.serviceNetwork": ["fd02::/112", "172.31.0.0/16"],
    "networking.machineNetwork": [{ cidr: "fd00:20::/64" }, { cidr: "10.20.0.0/16" }],
    "networking.clusterNetwork": [
      { cidr: "fd01::/48", hostPrefix: 64 },
      { cidr: "10.132.0.0/14", hostPrefix: 23 },
    ],
  };
  expectErrors(aws, [
    ["IPv4 first", {}],
    ["without the feature set", { featureSet: undefined }, "Forbidden platform.aws.ipFamily"],
    ["ipFamily IPv4", { [family]: "IPv4" }, "Invalid networking"],
    ["no IPv6 machine network", { "networking.machineNetwork": [{ cidr: "10.20.0.0/16" }] }],
    [
      "services of one family",
      { "networking.serviceNetwork": ["172.31.0.0/16"] },
      "Invalid networking.serviceNetwork",
    ],
    ["a Classic load balancer", { "platform.aws.lbType": "Classic" }, "Invalid platform.aws.lbType"],
    ["IPv6 first", { ...ipv6First, [family]: "DualStackIPv6Primary" }],
    [
      "IPv6 first where IPv4 should be",
      ipv6First,
      "Invalid networking.clusterNetwork",
      "Invalid networking.machineNetwork",
      "Invalid networking.serviceNetwork",
    ],
    [
      "IPv6 alone",
      { "networking.serviceNetwork": ["fd02::/112"], [family]: undefined },
      "Invalid networking",
    ],
  ]);
});

test("MTU", () => {
  const mtu = (value: number) => ({ "networking.clusterNetworkMTU": value });
  const wrong = "Invalid networking.clusterNetworkMTU";
  expectErrors(NONE, [
    ["off aws", mtu(1400), wrong],
    ["0 off aws", mtu(0)],
  ]);
  expectErrors(AWS, [
    ["1000", mtu(1000)],
    ["999", mtu(999), wrong],
    ["8901", mtu(8901)],
    ["8902", mtu(8902), wrong],
    ["9002", mtu(9002), wrong],
    ["another plug-in", { ...mtu(1400), "networking.networkType": "Calico" }, wrong],
  ]);
});

test("join subnet", () => {
  const field = "networking.ovnKubernetesConfig.ipv4.internalJoinSubnet";
  const wrong = `Invalid ${field}`;
  expectErrors(NONE, [
    ["free", { [field]: "100.70.0.0/16" }],
    ["nothing set", { "networking.ovnKubernetesConfig": {} }],
    [
      "another plug-in",
      { [field]: "100.70.0.0/16", "networking.networkType": "Calico" },
      "Invalid networking.networkType",
    ],
    ["host bits", { [field]: "100.70.0.1/16" }, wrong],
    ["overlap", { [field]: "10.20.0.0/16" }, wrong],
    // 512 nodes of /23 in a /14 need more than 512 + 3 addresses.
    ["room for 512 nodes", { [field]: "100.70.0.0/22" }],
    ["room for 509", { [field]: "100.70.0.0/23" }, wrong],
    ["IPv6", { [field]: "fd98:1::/64" }, wrong],
    [
      "a wrong host prefix",
      { [field]: "100.70.0.0/16", [prefix]: 13 },
      "Invalid networking.clusterNetwork[0].hostPrefix",
      `InternalError ${field}`,
    ],
  ]);
});

test("of a long list of equal blocks not every pair is told", () => {
  const blocks = Array.from({ length: 300 }, () => "172.30.0.0/16");
  const { diagnostics } = judge(edit(NONE, { "networking.serviceNetwork": blocks }));
  const of = (index: number) =>
    diagnostics.filter(
      ({ code, field }) => code === "IC152" && field === `networking.serviceNetwork[${index}]`,
    ).length;
  assert.is(of(1), 1);
  assert.is(of(15), 15);
  assert.is(of(299), 16);
});

test.run();
