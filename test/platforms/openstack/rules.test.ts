/** Rules of platform.openstack and of its pools, each broken alone: kind, field and place; old spellings and defaults. */
import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Json, JsonObject } from "../../../src/core/json.js";
import { isUuidV4 } from "../../../src/platforms/openstack/config.js";
import { parseYaml } from "../../../src/text/yaml-parse.js";
import { type Edits, edit, judge } from "../../helpers/install-configs.js";
import {
  at,
  IPV6_ALONE,
  OPENSTACK,
  OWN_SUBNET,
  OWN_SUBNETS,
  openstackConfig,
  uuid,
} from "../../helpers/openstack.js";
import { runs } from "../../helpers/runs.js";

const test = suite("openstack: rules of the install-config");

/** What is changed, the text that the error points at, and the errors: kind and field, `$` for platform.openstack. */
type Row = readonly [title: string, edits: Edits, pointedAt: string, ...errors: string[]];

const full = (error: string): string => error.replace("$", "platform.openstack");

function expectAt(rows: readonly Row[], release = "4.22"): void {
  for (const [title, edits, pointedAt, ...errors] of rows) {
    const config = openstackConfig(edits);
    const lines = JSON.stringify(config, undefined, 1).split("\n");
    const { diagnostics, errors: found } = judge(config, release);
    assert.equal(found, errors.map(full).sort(), title);
    for (const { severity, line, column } of diagnostics)
      if (severity === "error")
        assert.ok(
          lines[line - 1]?.slice(column - 1).startsWith(pointedAt),
          `${title}: points at ${lines[line - 1]?.slice(column - 1)}`,
        );
  }
}

const POOL = "/compute[0].platform.openstack";

test("the sound configs", () => {
  for (const edits of [{}, OWN_SUBNET, OWN_SUBNETS, IPV6_ALONE])
    assert.equal(judge(openstackConfig(edits)).errors, []);
});

test("addresses", () => {
  expectAt([
    [
      "a DNS server that is a name",
      { externalDNS: ["192.0.2.1", "dns.example.net"] },
      '"dns',
      "Invalid $.externalDNS",
    ],
    ["a DNS server with a zone", { externalDNS: ["fe80::1%eth0"] }, '"fe80', "Invalid $.externalDNS"],
    ["one virtual IP for both", { apiVIPs: ["10.20.0.7"] }, '"apiVIPs"', "Invalid $.apiVIPs"],
    ["outside", { ingressVIPs: ["192.0.2.7"] }, '"ingressVIPs"', "Invalid $.ingressVIPs"],
    [
      "a load balancer of one's own without virtual IPs",
      { apiVIPs: undefined, ingressVIPs: undefined, loadBalancer: { type: "UserManaged" } },
      '"openstack"',
      "Required $.apiVIPs",
      "Required $.ingressVIPs",
    ],
    [
      "no such load balancer",
      { loadBalancer: { type: "Octavia" } },
      '"Octavia',
      "Invalid $.loadBalancer.type",
    ],
    ["an empty load balancer", { loadBalancer: {} }, '"loadBalancer"', "Invalid $.loadBalancer.type"],
    [
      "records of one's own without a load balancer of one's own",
      { dnsRecordsType: "External", "/featureSet": "TechPreviewNoUpgrade" },
      '"External',
      "Invalid $.dnsRecordsType",
    ],
    [
      "records of one's own without the gate",
      { dnsRecordsType: "External", loadBalancer: { type: "UserManaged" } },
      '"External',
      "Forbidden $.dnsRecordsType",
    ],
    [
      "no host 5",
      { apiVIPs: undefined, "/networking.machineNetwork": [{ cidr: "10.20.0.4/30" }] },
      '"openstack"',
      "Invalid $.apiVIPs",
    ],
  ]);
});

test("the port of the machines", () => {
  const port = (value: Json): Edits => ({ ...OWN_SUBNET, controlPlanePort: value });
  expectAt([
    ["no subnets", port({}), '"controlPlanePort"', "Required $.controlPlanePort.fixedIPs"],
    ["an empty list", port({ fixedIPs: [] }), '"fixedIPs"', "Required $.controlPlanePort.fixedIPs"],
    [
      "three",
      port({ fixedIPs: [1, 2, 3].map((n) => ({ subnet: { id: uuid(n) } })) }),
      '"fixedIPs"',
      "TooMany $.controlPlanePort.fixedIPs",
    ],
    [
      "neither identifier nor name",
      port({ fixedIPs: [{ subnet: { name: "a" } }, {}] }),
      "{",
      "Required $.controlPlanePort.fixedIPs[1].subnet",
    ],
    [
      "an identifier of another version",
      port({ fixedIPs: [{ subnet: { id: "0a1b2c3d-4e5f-1a6b-8c7d-000000000001" } }] }),
      '"0a1b',
      "Invalid $.controlPlanePort.fixedIPs[0].subnet.id",
    ],
    [
      "a name for an identifier",
      port({ network: { id: "net" }, fixedIPs: [{ subnet: { id: uuid(1) } }] }),
      '"net"',
      "Invalid $.controlPlanePort.network",
    ],
  ]);
});

test("pools", () => {
  const volume = (value: Json): Edits => ({ [`${POOL}.rootVolume`]: value });
  const field = "compute[0].platform.openstack";
  expectAt([
    [
      "no such policy",
      { "defaultMachinePlatform.serverGroupPolicy": "none" },
      '"none',
      "NotSupported $.defaultMachinePlatform.serverGroupPolicy",
    ],
    [
      "zones without zones of volumes",
      { ...volume({ size: 100, types: ["a"] }), [`${POOL}.zones`]: ["a"] },
      '"rootVolume"',
      `Required ${field}.rootVolume.zones`,
    ],
    [
      "no volume type",
      volume({ size: 100 }),
      '"rootVolume"',
      `Invalid ${field}.rootVolume.type`,
      `Invalid ${field}.rootVolume.types`,
    ],
    [
      "two types for three zones",
      { ...volume({ size: 100, types: ["a", "b"], zones: ["z"] }), [`${POOL}.zones`]: ["a", "b", "c"] },
      '"types"',
      `Invalid ${field}.rootVolume.types`,
    ],
    [
      "in the control plane",
      { "/controlPlane.platform.openstack.serverGroupPolicy": "none" },
      '"none',
      "NotSupported controlPlane.platform.openstack.serverGroupPolicy",
    ],
  ]);
});

test("an arbiter's pool keeps its old spelling, and is refused anyhow", () => {
  const arbiter = (rootVolume: Json): Edits => ({
    "/arbiter": { name: "arbiter", replicas: 1, platform: { openstack: { type: "m1", rootVolume } } },
  });
  const both = ["arbiter.platform.openstack.rootVolume.type", "arbiter.platform.openstack.rootVolume.types"];
  const errors = (value: Json): readonly string[] =>
    judge(openstackConfig(arbiter(value))).errors.filter((each) => each.includes("rootVolume"));
  assert.equal(errors({ size: 9, type: "a" }), []);
  assert.equal(
    errors({ size: 9, type: "a", types: ["b"] }),
    both.map((each) => `Invalid ${each}`),
  );
});

test("old and new spellings that contradict each other", () => {
  expectAt([
    ["floating IP", { lbFloatingIP: "198.51.100.6" }, '"198.51.100.6', "Forbidden $.lbFloatingIP"],
    ["flavor", { computeFlavor: "m1.tiny" }, '"m1.tiny', "Forbidden $.computeFlavor"],
    [
      "volume type of the control plane",
      { "/controlPlane.platform.openstack.rootVolume": { size: 100, type: "a", types: ["b"] } },
      '"a"',
      "Forbidden controlPlane.platform.openstack.rootVolume.type",
    ],
    [
      "volume type of a compute pool",
      { [`${POOL}.rootVolume`]: { size: 100, type: "a", types: ["b"] } },
      '"a"',
      "Forbidden compute.platform.openstack.rootVolume.type",
    ],
    [
      "volume type of all",
      { "defaultMachinePlatform.rootVolume": { size: 100, type: "a", types: ["b"] } },
      '"a"',
      "Forbidden $.type",
    ],
    ["virtual IP", { apiVIP: "10.20.0.9" }, '"10.20.0.9', "Invalid $.apiVIPs"],
    ["virtual IP of the ingress", { ingressVIP: "10.20.0.9" }, '"10.20.0.9', "Invalid $.ingressVIPs"],
    ["subnet", { ...OWN_SUBNET, machinesSubnet: uuid(2) }, `"${uuid(2)}`, "Invalid $.machinesSubnet"],
  ]);
});

/** Members of the normal form's section, or of a pool's. */
const normal = (edits: Edits, release = "4.22"): unknown => {
  const { asset, errors } = judge(openstackConfig(edits), release);
  assert.equal(errors, []);
  return JSON.parse(JSON.stringify(parseYaml(asset?.normalForm ?? "")));
};
const sectionOf = (value: unknown, ...path: readonly string[]): unknown =>
  path.reduce<unknown>(
    (found, name) =>
      typeof found === "object" && found !== null ? new Map(Object.entries(found)).get(name) : undefined,
    value,
  );

test("old spellings become new ones and stay beside them", () => {
  const old = normal({
    apiFloatingIP: undefined,
    lbFloatingIP: "198.51.100.5",
    externalDNS: undefined,
    apiVIPs: undefined,
    apiVIP: "10.20.0.8",
    "defaultMachinePlatform.type": undefined,
    computeFlavor: "m1.tiny",
    machinesSubnet: uuid(1),
    region: "R",
    trunkSupport: "1",
    octaviaSupport: "0",
    [`${POOL}.rootVolume`]: { size: 100, type: "a" },
  });
  assert.equal(sectionOf(old, "platform", "openstack"), {
    apiFloatingIP: "198.51.100.5",
    apiVIP: "10.20.0.8",
    apiVIPs: ["10.20.0.8"],
    cloud: "birds",
    computeFlavor: "m1.tiny",
    controlPlanePort: { fixedIPs: [{ subnet: { id: uuid(1) } }], network: {} },
    defaultMachinePlatform: { type: "m1.tiny" },
    dnsRecordsType: "Internal",
    externalDNS: null,
    externalNetwork: "public",
    ingressFloatingIP: "198.51.100.7",
    ingressVIPs: ["10.20.0.7"],
    lbFloatingIP: "198.51.100.5",
    loadBalancer: { type: "OpenShiftManagedDefault" },
    machinesSubnet: uuid(1),
    octaviaSupport: "0",
    region: "R",
    trunkSupport: "1",
  });
  assert.equal(sectionOf(old, "compute", "0", "platform", "openstack"), {
    rootVolume: { size: 100, types: ["a"] },
    type: "",
  });
});

test("each old spelling is told, and what replaces it", () => {
  const { remarks } = judge(
    openstackConfig({
      lbFloatingIP: "198.51.100.5",
      region: "R",
      trunkSupport: "0",
      octaviaSupport: "1",
      computeFlavor: "m1.xlarge",
    }),
  );
  assert.equal(
    remarks,
    ["computeFlavor", "lbFloatingIP", "octaviaSupport", "region", "trunkSupport"].map(
      (name) => `IC102 platform.openstack.${name}`,
    ),
  );
});

const BARE: Edits = { cloud: undefined, apiVIPs: undefined, ingressVIPs: undefined };

/** What is filled in, by release. */
const DEFAULTS: readonly (readonly [string, { readonly dns: boolean; readonly mode: boolean }])[] = [
  ["4.18", { dns: false, mode: false }],
  ["4.19", { dns: false, mode: false }],
  ["4.20", { dns: false, mode: false }],
  ["4.21", { dns: true, mode: true }],
  ["4.22", { dns: true, mode: true }],
];
for (const [release, wanted] of DEFAULTS)
  test(`defaults of ${release}`, () => {
    const form = normal(BARE, release);
    const section = (...path: string[]): unknown => sectionOf(form, "platform", "openstack", ...path);
    assert.is(section("cloud"), "openstack");
    assert.equal([section("apiVIPs"), section("ingressVIPs")], [["10.20.0.5"], ["10.20.0.7"]]);
    assert.is(section("loadBalancer", "type"), "OpenShiftManagedDefault");
    assert.is(section("dnsRecordsType"), wanted.dns ? "Internal" : undefined);
    assert.is(sectionOf(form, "credentialsMode"), wanted.mode ? "Passthrough" : undefined);
  });

test("a load balancer of one's own gets no virtual IPs", () => {
  const own = openstackConfig({ ...BARE, loadBalancer: { type: "UserManaged" } });
  for (const release of ["4.18", "4.22"])
    assert.equal(judge(own, release).errors, [
      "Required platform.openstack.apiVIPs",
      "Required platform.openstack.ingressVIPs",
    ]);
});

test("credentials modes", () => {
  const mode = (value: string, release: string) =>
    judge(openstackConfig({ "/credentialsMode": value }), release).errors;
  assert.equal(mode("Passthrough", "4.22"), []);
  assert.equal(mode("Manual", "4.22"), ["NotSupported credentialsMode"]);
  assert.equal(mode("Passthrough", "4.20"), ["Invalid credentialsMode"]);
});

test("identifiers are UUIDs of version 4 in any of the four forms that are read", () => {
  const id = "0a1b2c3d-4e5f-4a6b-8c7d-0123456789ab";
  for (const good of [
    id,
    id.toUpperCase(),
    `urn:uuid:${id}`,
    `URN:UUID:${id}`,
    `{${id}}`,
    id.replaceAll("-", ""),
  ])
    assert.ok(isUuidV4(good), good);
  for (const bad of [
    "",
    "x",
    id.slice(1),
    id.replace("-4a6b", "-1a6b"),
    id.replace("0a1b", "0g1b"),
    `${id} `,
    id.replace("-", ""),
  ])
    assert.not.ok(isUuidV4(bad), bad);
});

test("flow lists, quoted blocks and a port by name, as people write them", () => {
  const text = `apiVersion: v1
baseDomain: sea.example.org
metadata: {name: gannet}
networking:
  machineNetwork: [{cidr: "10.20.0.0/16"}]
  clusterNetwork: [{cidr: "10.128.0.0/14", hostPrefix: 23}]
  serviceNetwork: ["172.30.0.0/16"]
platform:
  openstack:
    cloud: birds
    apiVIPs: [10.20.0.5]
    ingressVIPs: ["10.20.0.7"]
    controlPlanePort: {network: {name: machines}, fixedIPs: [{subnet: {name: machines-v4}}]}
    defaultMachinePlatform: {type: m1.xlarge}
pullSecret: '{"auths":{"registry.example.org":{"auth":"ZXhhbXBsZTpleGFtcGxl"}}}'
`;
  assert.equal(judge(text).errors, []);
});

test("names of clusters: long ones are fine, dots are not", () => {
  assert.equal(judge(openstackConfig({ "/metadata.name": "fifteen-letters" })).errors, []);
  assert.equal(judge(openstackConfig({ "/metadata.name": "with.dot" })).errors, ["Invalid metadata.name"]);
});

/** Parts that a config may have in any combination. */
const PARTS: readonly Edits[] = [
  OWN_SUBNET,
  { loadBalancer: { type: "UserManaged" }, apiVIPs: ["192.0.2.1"], ingressVIPs: ["192.0.2.1"] },
  { lbFloatingIP: "198.51.100.5" },
  { apiVIPs: undefined, ingressVIPs: undefined, apiVIP: "10.20.0.5", ingressVIP: "10.20.0.7" },
  { cloud: undefined, region: "R", trunkSupport: "1" },
  { clusterOSImage: "rhcos", clusterOSImageProperties: { a: "", b: "c" } },
  { "defaultMachinePlatform.rootVolume": { size: 100, type: "a" } },
  {
    "/controlPlane.platform.openstack": {
      zones: ["a", "b"],
      rootVolume: { size: 0, types: ["x"], zones: ["z"] },
    },
  },
  { [POOL]: { additionalNetworkIDs: [], serverGroupPolicy: "", zones: [] } },
  { externalDNS: [], "defaultMachinePlatform.additionalSecurityGroupIDs": [uuid(3)] },
];

test("the normal form is a config with the same normal form", () => {
  fc.assert(
    fc.property(fc.subarray([...PARTS]), fc.constantFrom("4.18", "4.20", "4.22"), (parts, release) => {
      const config = parts.reduce<JsonObject>((value, edits) => edit(value, at(edits)), OPENSTACK);
      const first = judge(config, release);
      assert.equal(first.errors, []);
      const again = judge(first.asset?.normalForm ?? "", release);
      assert.equal(again.errors, []);
      assert.is(again.asset?.normalForm, first.asset?.normalForm);
    }),
    { numRuns: runs(60) },
  );
});

test.run();
