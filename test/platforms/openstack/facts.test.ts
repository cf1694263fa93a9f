/** Facts that a config needs, facts that contradict it, and what the installer refuses once it talks to the cloud. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { OpenstackFacts } from "../../../src/generated/types/cloud-facts.js";
import type { Edits } from "../../helpers/install-configs.js";
import { FACTS, IPV6_ALONE, OWN_SUBNET, OWN_SUBNETS, openstackCase, uuid } from "../../helpers/openstack.js";

const test = suite("openstack: facts");

/** `code kind field` of every error and warning, `$` for platform.openstack. */
async function told(edits: Edits, facts: OpenstackFacts = FACTS, release = "4.22"): Promise<string[]> {
  const { diagnostics } = await openstackCase(edits, facts, release);
  return [
    ...new Set(
      diagnostics
        .filter(({ code }) => /^(FACT|IC349)/.test(code))
        .map(({ code, kind, field, severity }) =>
          `${severity === "error" ? "" : `${severity} `}${code} ${kind} ${field.replace("platform.openstack", "$")}`.replace(
            /(controlPlane|compute\[0\])\.\$/,
            "$1.$$",
          ),
        ),
    ),
  ].sort();
}

const MASTER = "/controlPlane.platform.openstack";
const WORKER = "/compute[0].platform.openstack";

test("nothing is wanting of a config whose facts are there", async () => {
  assert.equal(await told({}), []);
  assert.equal(await told(OWN_SUBNET, { ...FACTS, subnets: [subnet(1, "10.20.0.0/16")] }), []);
});

test("what is needed", async () => {
  const info = "info FACT004 Required $";
  assert.equal(await told({}, {}), ["FACT001 Required $.externalNetwork", info]);
  assert.equal(
    await told({ externalNetwork: undefined, apiFloatingIP: undefined, ingressFloatingIP: undefined }, {}),
    [info],
  );
  assert.equal(await told({}, { loadBalancerService: false }), []);
  assert.equal(await told({}, {}, "4.19"), ["FACT001 Required $.externalNetwork"]);
  assert.equal(await told(OWN_SUBNETS), ["FACT001 Required $.controlPlanePort.network"]);
  assert.equal(await told({ ...OWN_SUBNETS, "controlPlanePort.network": { name: "public" } }), []);
});

const subnet = (
  last: number,
  cidr: string,
  more: Partial<NonNullable<OpenstackFacts["subnets"]>[number]> = {},
): NonNullable<OpenstackFacts["subnets"]>[number] => ({ id: uuid(last), network: uuid(7), cidr, ...more });

const with_ = (facts: OpenstackFacts): OpenstackFacts => ({ ...FACTS, ...facts });
const FLAVOR = { name: "m1.xlarge", ram: 16384, vcpus: 4, disk: 100 };
const POOL = { allocationPools: [{ start: "10.20.0.2", end: "10.20.0.6" }] };

const CONTRADICTIONS: readonly (readonly [string, Edits, OpenstackFacts, ...string[]])[] = [
  ["no such external network", {}, with_({ networks: [] }), "FACT002 NotFound $.externalNetwork"],
  [
    "two of one name",
    {},
    with_({ networks: [1, 2].map((n) => ({ id: uuid(n), name: "public" })) }),
    "FACT002 Invalid $.externalNetwork",
  ],
  [
    "unknown floating IP",
    {},
    with_({ floatingIPs: [{ address: "198.51.100.7" }] }),
    "FACT002 NotFound $.apiFloatingIP",
  ],
  [
    "floating IP in use",
    {},
    with_({
      floatingIPs: [
        { address: "198.51.100.5", status: "ACTIVE" },
        { address: "198.51.100.7", status: "DOWN" },
      ],
    }),
    "FACT002 Invalid $.apiFloatingIP",
  ],
  [
    "unknown image",
    { clusterOSImage: "rhcos" },
    with_({ glanceImages: [] }),
    "FACT002 NotFound $.clusterOSImage",
  ],
  [
    "image that is not active",
    { clusterOSImage: "rhcos" },
    with_({ glanceImages: [{ name: "rhcos", status: "queued" }] }),
    "FACT002 Invalid $.clusterOSImage",
  ],
  ["image by address", { clusterOSImage: "https://x/y" }, with_({ glanceImages: [] })],
  ["no tags", {}, with_({ networkExtensions: [{ alias: "tag" }] }), "FACT002 NotSupported $"],
  [
    "old tags",
    {},
    with_({ networkExtensions: [{ alias: "standard-attr-tag", name: "Tag support for: trunk" }] }),
    "FACT002 NotSupported $",
  ],
  [
    "old tags with the others",
    {},
    with_({
      networkExtensions: ["standard-attr-tag", "tag", "tag-ext"].map((alias) => ({ alias, name: alias })),
    }),
  ],
  ["unknown subnet", OWN_SUBNET, with_({ subnets: [] }), "FACT002 NotFound $.controlPlanePort.fixedIPs"],
  [
    "another block",
    OWN_SUBNET,
    with_({ subnets: [subnet(1, "10.21.0.0/16")] }),
    "FACT002 Invalid $.controlPlanePort.fixedIPs",
  ],
  [
    "two networks",
    OWN_SUBNETS,
    with_({
      subnets: [
        subnet(1, "10.20.0.0/16", { name: "four" }),
        subnet(2, "fd00:20::/64", { name: "six", network: uuid(8) }),
      ],
    }),
    "FACT002 Invalid $.controlPlanePort.fixedIPs",
  ],
  [
    "two subnets of IPv4",
    {
      ...OWN_SUBNETS,
      "/networking.machineNetwork": [
        { cidr: "10.20.0.0/16" },
        { cidr: "fd00:20::/64" },
        { cidr: "10.21.0.0/16" },
      ],
    },
    with_({
      subnets: [subnet(1, "10.20.0.0/16", { name: "four" }), subnet(2, "10.21.0.0/16", { name: "six" })],
    }),
    "FACT002 InternalError $.controlPlanePort.fixedIPs",
  ],
  [
    "unknown network",
    { ...OWN_SUBNET, "controlPlanePort.network": { id: uuid(7) } },
    with_({ subnets: [subnet(1, "10.20.0.0/16")] }),
    "FACT002 NotFound $.controlPlanePort.network",
  ],
  [
    "another network",
    { ...OWN_SUBNET, "controlPlanePort.network": { name: "public" } },
    with_({ subnets: [subnet(1, "10.20.0.0/16")] }),
    "FACT002 Invalid $.controlPlanePort.network",
  ],
  [
    "too small an MTU for IPv6",
    { ...IPV6_ALONE },
    {
      loadBalancerService: true,
      networks: [{ id: uuid(7), name: "n", mtu: 1379 }],
      subnets: [subnet(1, "fd00:20::/64")],
    },
    "FACT002 InternalError $.controlPlanePort.network",
  ],
  [
    "virtual IP that a port may get",
    OWN_SUBNET,
    with_({ subnets: [subnet(1, "10.20.0.0/16", POOL)] }),
    "FACT002 Invalid $.apiVIPs",
  ],
  [
    "the user's own load balancer",
    { ...OWN_SUBNET, loadBalancer: { type: "UserManaged" } },
    with_({ subnets: [subnet(1, "10.20.0.0/16", POOL)] }),
  ],
  [
    "unknown flavor",
    {},
    with_({ flavors: [] }),
    "FACT002 NotFound compute[0].$.type",
    "FACT002 NotFound controlPlane.$.type",
  ],
  [
    "a flavor too small for the control plane",
    {},
    with_({ flavors: [{ ...FLAVOR, ram: 16383 }] }),
    "FACT002 Invalid controlPlane.$.type",
  ],
  [
    "a flavor with a small disk",
    {},
    with_({ flavors: [{ ...FLAVOR, disk: 99 }] }),
    "warning FACT007 Invalid compute[0].$.type",
    "warning FACT007 Invalid controlPlane.$.type",
  ],
  [
    "a flavor without a disk",
    {},
    with_({ flavors: [{ ...FLAVOR, disk: 24 }] }),
    "FACT002 Invalid compute[0].$.type",
    "FACT002 Invalid controlPlane.$.type",
  ],
  [
    "a flavor without a disk, with root volumes",
    { "defaultMachinePlatform.rootVolume": { size: 100, types: ["a"] } },
    with_({ flavors: [{ ...FLAVOR, disk: 0 }] }),
  ],
  ["a flavor of bare metal", {}, with_({ flavors: [{ ...FLAVOR, ram: 0, baremetal: true }] })],
  [
    "unknown zone",
    { [MASTER]: { zones: ["a", "b"] } },
    with_({ computeZones: ["a"] }),
    "FACT002 Invalid controlPlane.$.zones.zone[1]",
  ],
  [
    "unknown zone and type of volumes",
    { [WORKER]: { zones: ["a"], rootVolume: { size: 100, types: ["t"], zones: ["z"] } } },
    with_({ volumeZones: [], volumeTypes: [] }),
    "FACT002 Invalid compute[0].$.rootVolume.types",
    "FACT002 Invalid compute[0].$.rootVolume.zones.zone[0]",
  ],
  [
    "unknown networks and groups",
    { [WORKER]: { additionalNetworkIDs: [uuid(9), uuid(2)], additionalSecurityGroupIDs: [uuid(3)] } },
    with_({ securityGroups: [] }),
    "FACT002 Invalid compute[0].$.additionalNetworkIDs[1]",
    "FACT002 Invalid compute[0].$.additionalSecurityGroupIDs[0]",
  ],
];

for (const [title, edits, facts, ...wanted] of CONTRADICTIONS)
  test(title, async () => assert.equal(await told(edits, facts), [...wanted].sort()));

test("a load balancer of the user's counts from 4.21 on", async () => {
  const own = { ...OWN_SUBNET, loadBalancer: { type: "UserManaged" } };
  const facts = with_({ subnets: [subnet(1, "10.20.0.0/16", POOL)] });
  assert.equal(await told(own, facts, "4.20"), ["FACT002 Invalid $.apiVIPs"]);
  assert.equal(await told(own, facts, "4.21"), []);
});

const REFUSED: readonly (readonly [string, Edits, ...string[]])[] = [
  [
    "no flavor",
    { defaultMachinePlatform: undefined },
    "FACT008 Required compute[0].$.type",
    "FACT008 Required controlPlane.$.type",
  ],
  [
    "DNS servers of a network of one's own",
    { ...OWN_SUBNET, externalDNS: ["192.0.2.1"] },
    "FACT008 Invalid $.externalDNS",
  ],
  [
    "an external network with IPv6 alone",
    { ...IPV6_ALONE, externalNetwork: "public" },
    "FACT008 Invalid $.externalNetwork",
  ],
  [
    "floating IPs of no network",
    { externalNetwork: undefined },
    "FACT008 Invalid $.apiFloatingIP",
    "FACT008 Invalid $.ingressFloatingIP",
  ],
  ["one floating IP for both", { ingressFloatingIP: "198.51.100.5" }, "FACT008 Invalid $.ingressFloatingIP"],
  ["an image by FTP", { clusterOSImage: "ftp://x/y" }, "FACT008 Invalid $.clusterOSImage"],
  [
    "five control plane machines",
    { "/controlPlane.replicas": 5 },
    "warning FACT008 Invalid controlPlane.replicas",
  ],
  [
    "names for identifiers",
    { [MASTER]: { additionalNetworkIDs: ["net"], additionalSecurityGroupIDs: ["group"] } },
    "FACT002 Invalid controlPlane.$.additionalNetworkIDs[0]",
    "FACT008 Invalid controlPlane.$.additionalNetworkIDs[0]",
    "FACT008 Invalid controlPlane.$.additionalSecurityGroupIDs[0]",
  ],
  [
    "a small root volume",
    { [WORKER]: { rootVolume: { size: 24, types: ["a"] } } },
    "FACT008 Invalid compute[0].$.rootVolume.size",
  ],
  [
    "a root volume below what is recommended",
    { [WORKER]: { rootVolume: { size: 99, types: ["a"] } } },
    "warning IC349 Invalid compute[0].$.rootVolume.size",
  ],
  [
    "two zones of volumes for three of machines",
    { [WORKER]: { zones: ["a", "b", "c"], rootVolume: { size: 100, types: ["t"], zones: ["x", "y"] } } },
    "FACT008 Invalid compute[0].$.rootVolume.zones",
  ],
  [
    "types of all pools against the zones of one",
    {
      "defaultMachinePlatform.rootVolume": { size: 100, types: ["t", "u"], zones: ["z"] },
      [WORKER]: { zones: ["a", "b", "c"] },
    },
    "FACT008 Invalid compute[0].$.rootVolume.types",
  ],
];

for (const [title, edits, ...wanted] of REFUSED)
  test(title, async () => assert.equal(await told(edits), [...wanted].sort()));

test.run();
