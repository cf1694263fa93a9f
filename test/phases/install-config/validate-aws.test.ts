/** Rules of platform.aws and its pools (docs/reference/install-config-and-manifests.md §1.9). */
import { test } from "uvu";
import type { Json, JsonObject } from "../../../src/core/json.js";
import { AWS, type Edits, edit, expectErrors, type Row } from "../../helpers/install-configs.js";

const at = (edits: Edits): Edits =>
  Object.fromEntries(Object.entries(edits).map(([name, value]) => [`platform.aws.${name}`, value]));
const row = (title: string, edits: Edits, ...errors: string[]): Row => [title, at(edits), ...errors];
const id = (n: number) => `subnet-${String(n).padStart(17, "0")}`;
const subnets = (...roles: (readonly string[])[]): Json =>
  roles.map((list, n) => ({ id: id(n), roles: list.map((type) => ({ type })) }));

test("region and hosted zone", () => {
  expectErrors(AWS, [
    row("no region", { region: undefined }, "Required platform.aws.region"),
    row("a zone without subnets", { hostedZone: "Z1" }, "Invalid platform.aws.hostedZone"),
    row("a zone with subnets", { hostedZone: "Z1", subnets: [id(1)] }),
    row(
      "a role without a zone",
      { hostedZoneRole: "arn:aws:iam::1:role/x" },
      "Forbidden platform.aws.credentialsMode",
      "Invalid platform.aws.hostedZoneRole",
    ),
    [
      "a role with everything",
      { ...at({ hostedZone: "Z1", hostedZoneRole: "arn", subnets: [id(1)] }), credentialsMode: "Manual" },
    ],
  ]);
});

test("subnets", () => {
  const all = ["ClusterNode", "BootstrapNode", "IngressControllerLB"];
  const good = [[...all, "ControlPlaneExternalLB"], ["ControlPlaneInternalLB"]];
  const wrong = "platform.aws.vpc.subnets";
  expectErrors(AWS, [
    row("without roles", { "vpc.subnets": [{ id: id(1) }, { id: id(2) }] }),
    row("with all roles", { "vpc.subnets": subnets(...good) }),
    row("one twice", { "vpc.subnets": [{ id: id(1) }, { id: id(1) }] }, `Duplicate ${wrong}[1].id`),
    row("some with roles", { "vpc.subnets": subnets(...good, []) }, `Forbidden ${wrong}`),
    row(
      "a role twice",
      { "vpc.subnets": subnets(...good, ["ClusterNode", "ClusterNode"]) },
      `Duplicate ${wrong}[2].roles[1].type`,
    ),
    row(
      "an unknown role",
      { "vpc.subnets": subnets(...good, ["x"]) },
      `NotSupported ${wrong}[2].roles[0].type`,
    ),
    row("edge alone", { "vpc.subnets": subnets(...good, ["EdgeNode"]) }),
    row(
      "edge with another",
      { "vpc.subnets": subnets(...good, ["EdgeNode", "ClusterNode"]) },
      `Forbidden ${wrong}[2].roles`,
    ),
    row(
      "both load balancers",
      { "vpc.subnets": subnets([...all, "ControlPlaneExternalLB", "ControlPlaneInternalLB"]) },
      `Forbidden ${wrong}[0].roles`,
    ),
    row("a role is missing", { "vpc.subnets": subnets(all, ["ControlPlaneInternalLB"]) }, `Invalid ${wrong}`),
    row("ten for the ingress", {
      "vpc.subnets": subnets(...good, ...Array(9).fill(["IngressControllerLB"])),
    }),
    row(
      "eleven for the ingress",
      { "vpc.subnets": subnets(...good, ...Array(10).fill(["IngressControllerLB"])) },
      `Forbidden ${wrong}`,
    ),
    [
      "external in a private cluster",
      { publish: "Internal", ...at({ "vpc.subnets": subnets(...good) }) },
      `Forbidden ${wrong}`,
    ],
    [
      "no external in a private cluster",
      { publish: "Internal", ...at({ "vpc.subnets": subnets(all, ["ControlPlaneInternalLB"]) }) },
    ],
  ]);
});

test("service endpoints", () => {
  const endpoint = (url: string, ...errors: string[]): Row =>
    row(url, { serviceEndpoints: [{ name: "ec2", url }] }, ...errors);
  const wrong = "Invalid platform.aws.serviceEndpoints[0].url";
  expectErrors(AWS, [
    endpoint("https://ec2.example.org"),
    endpoint("ec2.example.org:8443"),
    endpoint("https://ec2.example.org/"),
    endpoint("https://ec2.example.org/path", wrong),
    endpoint("https://ec2.example.org?query", wrong),
    endpoint("http://ec2.example.org", wrong),
    endpoint("https://", wrong),
    endpoint("", wrong),
    row(
      "twice",
      {
        serviceEndpoints: [
          { name: "s3", url: "a.org" },
          { name: "s3", url: "b.org" },
        ],
      },
      "Invalid platform.aws.serviceEndpoints[1].name",
    ),
  ]);
});

test("tags", () => {
  const tag = (key: string, value: string, good: boolean): Row => [
    "",
    { "platform.aws.userTags": { [key]: value } },
    ...(good ? [] : [`Invalid platform.aws.userTags[${key}]`]),
  ];
  expectErrors(AWS, [
    tag("team", "birds of prey", true),
    tag("k".repeat(128), "v".repeat(256), true),
    tag("k".repeat(129), "v", false),
    tag("k", "v".repeat(257), false),
    tag("k", "", false),
    tag("name", "v", false),
    tag("k;", "v", true),
    tag("k!", "v", false),
    tag("k", "v#", false),
    tag("kubernetes.io/cluster/x", "owned", false),
    tag("a.openshift.io/x", "v", false),
    tag("a/openshift.io/x", "v", true),
  ]);
  const many = (n: number): JsonObject =>
    Object.fromEntries(Array.from({ length: n }, (_, i) => [`k${i}`, "v"]));
  expectErrors(AWS, [
    row("25", { userTags: many(25) }),
    row("26", { userTags: many(26) }, "TooMany platform.aws.userTags"),
  ]);
});

test("enumerations and gated fields", () => {
  expectErrors(AWS, [
    row("ipFamily", { ipFamily: "IPv6" }, "NotSupported platform.aws.ipFamily"),
    row("lbType is not checked", { lbType: "ALB" }),
    row(
      "user-provisioned DNS",
      { userProvisionedDNS: "Enabled" },
      "Forbidden platform.aws.userProvisionedDNS",
    ),
    [
      "user-provisioned DNS with the feature set",
      { featureSet: "TechPreviewNoUpgrade", "platform.aws.userProvisionedDNS": "Enabled" },
    ],
    row("the sovereign cloud", { region: "eusc-de-east-1" }, "Forbidden platform.aws.region"),
  ]);
});

test("a fault of the default pool shows in every pool", () => {
  const everywhere = (name: string, kind = "Invalid") =>
    ["platform.aws.defaultMachinePlatform", "controlPlane.platform.aws", "compute[0].platform.aws"].map(
      (pool) => `${kind} ${pool}.${name}`,
    );
  expectErrors(AWS, [
    row("a zone", { "defaultMachinePlatform.zones": ["us-east-1a"] }, ...everywhere("zones[0]")),
    row(
      "authentication",
      { "defaultMachinePlatform.metadataService.authentication": "required" },
      ...everywhere("authentication"),
    ),
    [
      "unless the pools say otherwise",
      {
        "platform.aws.defaultMachinePlatform.zones": ["us-east-1a"],
        "controlPlane.platform.aws.zones": ["eu-west-1a"],
        "compute[0].platform.aws.zones": ["eu-west-1b"],
      },
      "Invalid platform.aws.defaultMachinePlatform.zones[0]",
    ],
  ]);
});

test("root volumes", () => {
  const pool = "compute[0].platform.aws";
  const volume = (rootVolume: JsonObject, ...fields: string[]): Row => [
    JSON.stringify(rootVolume),
    { [`${pool}.rootVolume`]: rootVolume },
    ...fields.map((field) => `Invalid ${pool}.${field}`),
  ];
  expectErrors(AWS, [
    volume({}),
    volume({ type: "GP3", size: 0 }),
    volume({ size: -1 }, "size"),
    volume({ type: "gp4" }, "type"),
    volume({ type: "gp2", iops: 100 }, "iops"),
    volume({ type: "io1" }),
    volume({ type: "io1", iops: -1 }, "iops"),
    volume({ throughput: 125 }),
    volume({ throughput: 124 }, "throughput"),
    volume({ throughput: 750 }),
    volume({ throughput: 751 }, "throughput"),
    volume({ throughput: 2000, iops: 8000 }),
    volume({ throughput: 2000, iops: 7999 }, "throughput"),
    volume({ throughput: 2001, iops: 16000 }, "throughput"),
    volume({ type: "io1", throughput: 125 }, "throughput"),
  ]);
});

test("the rest of a pool", () => {
  const pool = "compute[0].platform.aws";
  const groups = (n: number) => Array.from({ length: n }, (_, i) => `sg-${i}`);
  const existing = at({ "vpc.subnets": [{ id: id(1) }] });
  const placement = (hostPlacement: JsonObject) => ({
    featureSet: "TechPreviewNoUpgrade",
    [`${pool}.hostPlacement`]: hostPlacement,
  });
  expectErrors(AWS, [
    [
      "groups without subnets",
      { [`${pool}.additionalSecurityGroupIDs`]: groups(1) },
      `Required ${pool}.platform.subnets`,
    ],
    ["ten groups", { ...existing, [`${pool}.additionalSecurityGroupIDs`]: groups(10) }],
    ["eleven groups", { ...existing, [`${pool}.additionalSecurityGroupIDs`]: groups(11) }, `TooMany ${pool}`],
    ["no CPU option", { [`${pool}.cpuOptions`]: {} }, `Invalid ${pool}.cpuOptions`],
    [
      "an unknown one",
      { [`${pool}.cpuOptions.confidentialCompute`]: "x" },
      `NotSupported ${pool}.confidentialCompute`,
    ],
    ["a known one", { [`${pool}.cpuOptions.confidentialCompute`]: "Disabled" }],
    ["hosts", placement({ affinity: "DedicatedHost", dedicatedHost: [{ id: "h-1" }] })],
    ["hosts without affinity", placement({}), `Required ${pool}.hostPlacement.affinity`],
    [
      "hosts that are not named",
      placement({ affinity: "DedicatedHost" }),
      `Required ${pool}.hostPlacement.dedicatedHost`,
    ],
    [
      "a host without identifier",
      placement({ affinity: "DedicatedHost", dedicatedHost: [{}] }),
      `Required ${pool}.hostPlacement.dedicatedHost[0].id`,
    ],
    [
      "any host, and one named",
      placement({ affinity: "AnyAvailable", dedicatedHost: [{ id: "h" }] }),
      `Required ${pool}.hostPlacement.dedicatedHost`,
    ],
    ["an unknown affinity", placement({ affinity: "x" }), `NotSupported ${pool}.hostPlacement.affinity`],
    [
      "hosts of masters",
      { "controlPlane.platform.aws.hostPlacement": { affinity: "AnyAvailable" } },
      "Invalid controlPlane.platform.aws.hostPlacement",
    ],
    [
      "hosts behind their gate",
      { [`${pool}.hostPlacement`]: { affinity: "AnyAvailable" } },
      `Forbidden ${pool}.hostPlacement`,
    ],
  ]);
  const china = edit(AWS, { "platform.aws.region": "cn-north-1" });
  expectErrors(china, [
    ["no image", {}, "Required compute[0].platform.aws", "Required controlPlane.platform.aws"],
    row("an image", { amiID: "ami-1" }),
    [
      "an image of one pool",
      { "controlPlane.platform.aws.amiID": "ami-1" },
      "Required compute[0].platform.aws",
    ],
  ]);
});

test.run();
