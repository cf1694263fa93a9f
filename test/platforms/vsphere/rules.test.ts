/** Each rule of platform.vsphere broken alone: kind and field of the installer, and the line that is shown. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Json } from "../../../src/core/json.js";
import { type Edits, edit, judge } from "../../helpers/install-configs.js";
import { PLANTED } from "../../helpers/planted.js";
import { FLAT, HOSTS, VSPHERE } from "../../helpers/vsphere.js";

const test = suite("vsphere: rules");

const P = "platform.vsphere";
const VC = `${P}.vcenters[0]`;
const FD = `${P}.failureDomains`;
const EAST = `${FD}[0]`;
const TOPOLOGY = `${EAST}.topology`;
const WORKER = "compute[0].platform.vsphere";
const TAG = "urn:vmomi:InventoryServiceTag:5736bf56-49f5-4667-b38c-b97e09dc9578:GLOBAL";

/** Changes, what must follow as `kind field`, and what the line of the first error holds. */
type Case = readonly [edits: Edits, errors: readonly string[], line?: string];

const CASES: Readonly<Record<string, Case>> = {
  "nothing wrong": [{}, []],
  "a machine network without a block": [
    { "networking.machineNetwork": [{}] },
    ["Required networking.machineNetwork[0]"],
    "{}",
  ],
  "no such disk type": [{ [`${P}.diskType`]: "fat" }, [`Invalid ${P}.diskType`], '"fat"'],

  "vCenter: no server": [
    { [`${VC}.server`]: "" },
    [`Invalid ${FD}.server`, `Required ${VC}.server`],
    '"server": ""',
  ],
  "vCenter: a URL": [
    { [`${VC}.server`]: "https://vc", [`${EAST}.server`]: "https://vc", [`${FD}[1].server`]: "https://vc" },
    [`Invalid ${VC}.server`],
    '"https://vc"',
  ],
  "vCenter: an address": [
    { [`${VC}.server`]: "10.20.0.9", [`${EAST}.server`]: "10.20.0.9", [`${FD}[1].server`]: "10.20.0.9" },
    [],
  ],
  "vCenter: no user": [{ [`${VC}.user`]: "" }, [`Required ${VC}.username`], '"user": ""'],
  "vCenter: no password": [{ [`${VC}.password`]: "" }, [`Required ${VC}.password`], '"password": ""'],
  "vCenter: no datacenters": [{ [`${VC}.datacenters`]: [] }, [`Required ${VC}.datacenters`], '"datacenters"'],

  "failure domain: no name": [{ [`${EAST}.name`]: "" }, [`Required ${FD}.name`], '"name": ""'],
  "failure domain: a name twice": [
    { [`${FD}[1].name`]: "east" },
    [`Duplicate ${FD}.name[1]`],
    '"name": "east"',
  ],
  "failure domain: no server": [{ [`${EAST}.server`]: "" }, [`Required ${FD}.server`], '"server": ""'],
  "failure domain: an unknown server": [
    { [`${FD}[1].server`]: "elsewhere" },
    [`Invalid ${FD}.server`],
    '"elsewhere"',
  ],
  "failure domain: no zone": [{ [`${EAST}.zone`]: "" }, [`Required ${FD}.zone`], '"zone": ""'],
  "failure domain: no region": [{ [`${EAST}.region`]: "" }, [`Required ${FD}.region`], '"region": ""'],
  "failure domain: a zone twice in a region": [
    { [`${FD}[1].zone`]: "east" },
    [`Invalid ${FD}.zone`],
    '"zone": "east"',
  ],
  "failure domain: a zone in two regions": [{ [`${FD}[1].zone`]: "east", [`${FD}[1].region`]: "inland" }, []],
  "failure domain: a zone type alone": [
    { [`${EAST}.zoneType`]: "ComputeCluster" },
    [`Required ${FD}.regionType`],
  ],
  "failure domain: a region type alone": [
    { [`${EAST}.regionType`]: "Datacenter" },
    [`Required ${FD}.zoneType`],
  ],
  "failure domain: a region that is a host group, after which nothing counts": [
    { [`${EAST}.regionType`]: "HostGroup", [`${EAST}.zoneType`]: "HostGroup", [`${EAST}.name`]: "" },
    [`Required ${FD}.regionType`],
    '"regionType": "HostGroup"',
  ],
  "failure domain: no host group": [
    { [`${EAST}.regionType`]: "ComputeCluster", [`${EAST}.zoneType`]: "HostGroup" },
    [`Required ${FD}.topology.hostGroup`],
  ],
  "failure domain: a cluster as region without host groups": [
    { [`${EAST}.regionType`]: "ComputeCluster", [`${EAST}.zoneType`]: "ComputeCluster" },
    [`Required ${FD}.regionType`, `Required ${FD}.zoneType`],
  ],
  "failure domain: a host group": [
    {
      [`${EAST}.regionType`]: "ComputeCluster",
      [`${EAST}.zoneType`]: "HostGroup",
      [`${TOPOLOGY}.hostGroup`]: "hosts",
    },
    [],
  ],

  "topology: no datacenter": [
    { [`${TOPOLOGY}.datacenter`]: "" },
    [`Required ${FD}.topology.datacenter`],
    '"datacenter": ""',
  ],
  "topology: a datacenter that the vCenter does not list": [
    {
      [`${TOPOLOGY}.datacenter`]: "fjord",
      [`${TOPOLOGY}.computeCluster`]: "/fjord/host/east",
      [`${TOPOLOGY}.datastore`]: "/fjord/datastore/east",
    },
    [`Invalid ${FD}.topology.datacenter`],
    '"fjord"',
  ],
  "topology: no datastore": [
    { [`${TOPOLOGY}.datastore`]: "" },
    [`Required ${FD}.topology.datastore`],
    '"datastore": ""',
  ],
  "topology: a datastore that is not a path, after which nothing counts": [
    { [`${TOPOLOGY}.datastore`]: "/bay/sand", [`${TOPOLOGY}.networks`]: [] },
    [`Invalid ${FD}.topology.datastore`],
    '"/bay/sand"',
  ],
  "topology: a datastore of another datacenter": [
    { [`${TOPOLOGY}.datastore`]: "/cove/datastore/sand" },
    [`Invalid ${FD}.topology.datastore`],
    '"/cove/datastore/sand"',
  ],
  "topology: eleven tags": [
    { [`${TOPOLOGY}.tagIDs`]: Array.from({ length: 11 }, () => TAG) },
    [`Invalid ${FD}.topology.tagIDs`],
    '"tagIDs"',
  ],
  "topology: ten tags": [{ [`${TOPOLOGY}.tagIDs`]: Array.from({ length: 10 }, () => TAG) }, []],
  "topology: the name of a tag": [
    { [`${TOPOLOGY}.tagIDs`]: [TAG, "gulls"] },
    [`Invalid ${FD}.topology.tagIDs`],
    '"gulls"',
  ],
  "topology: no networks": [{ [`${TOPOLOGY}.networks`]: [] }, [`Required ${FD}.topology.networks`]],
  "topology: eleven networks": [
    { [`${TOPOLOGY}.networks`]: Array.from({ length: 11 }, (_, index) => `net-${index}`) },
    [`TooMany ${FD}.topology.networks`],
  ],
  "topology: a folder that is not a path": [
    { [`${TOPOLOGY}.folder`]: "/bay/gulls" },
    [`Invalid ${FD}.topology.folder`],
    '"/bay/gulls"',
  ],
  "topology: a folder of another datacenter": [
    { [`${TOPOLOGY}.folder`]: "/cove/vm/gulls" },
    [`Invalid ${FD}.topology.folder`],
    '"/cove/vm/gulls"',
  ],
  "topology: no compute cluster": [
    { [`${TOPOLOGY}.computeCluster`]: "" },
    [`Required ${FD}.topology.computeCluster`],
    '"computeCluster": ""',
  ],
  "topology: a compute cluster that is not a path": [
    { [`${TOPOLOGY}.computeCluster`]: "/bay/east" },
    [`Invalid ${FD}.topology.computeCluster`],
    '"/bay/east"',
  ],
  "topology: a compute cluster of another datacenter": [
    { [`${TOPOLOGY}.computeCluster`]: "/cove/host/east" },
    [`Invalid ${FD}.topology.computeCluster`],
    '"/cove/host/east"',
  ],
  "topology: a resource pool that is not a path": [
    { [`${TOPOLOGY}.resourcePool`]: "gulls" },
    [`Invalid ${FD}.topology.resourcePool`],
    '"gulls"',
  ],
  "topology: a resource pool of another datacenter": [
    { [`${TOPOLOGY}.resourcePool`]: "/cove/host/east/Resources" },
    [`Invalid ${FD}.topology.resourcePool`],
    '"/cove/host/east/Resources"',
  ],
  "topology: a resource pool of another compute cluster": [
    { [`${TOPOLOGY}.resourcePool`]: "/bay/host/west/Resources" },
    [`Invalid ${FD}.topology.resourcePool`],
    '"/bay/host/west/Resources"',
  ],
  "topology: a template beside an image": [
    { [`${TOPOLOGY}.template`]: "/bay/vm/rhcos", [`${P}.clusterOSImage`]: "https://mirror.example/x.ova" },
    [`Invalid ${FD}.topology.template`, `Invalid ${P}.clusterOSImage`],
    '"/bay/vm/rhcos"',
  ],

  "hosts: as many as there are replicas": [{ [`${P}.hosts`]: HOSTS }, []],
  "hosts: none": [{ [`${P}.hosts`]: [] }, [`Invalid ${P}.hosts`]],
  "hosts: no bootstrap machine": [{ [`${P}.hosts`]: HOSTS.slice(1) }, [`Invalid ${P}.hosts`]],
  "hosts: too few for the control plane": [
    { [`${P}.hosts`]: [...HOSTS.slice(0, 1), ...HOSTS.slice(2)] },
    [`Invalid ${P}.hosts`],
  ],
  "hosts: too many compute machines": [
    { "compute[0].replicas": 1, [`${P}.hosts`]: HOSTS },
    [`Invalid ${P}.hosts`],
  ],
  "hosts: an unknown role": [
    { [`${P}.hosts`]: [...HOSTS, { ...HOSTS[0], role: "worker" }] },
    [`NotSupported ${P}.hosts.role`],
    '"role": "worker"',
  ],
  "hosts: an unknown failure domain": [
    { [`${P}.hosts`]: HOSTS, [`${P}.hosts[2].failureDomain`]: "north" },
    [`Invalid ${P}.hosts.failureDomain`],
    '"north"',
  ],
  "hosts: no device": [
    { [`${P}.hosts`]: HOSTS, [`${P}.hosts[2].networkDevice`]: undefined },
    [`Required ${P}.hosts.networkDevice`],
  ],
  "hosts: no address": [
    { [`${P}.hosts`]: HOSTS, [`${P}.hosts[2].networkDevice.ipAddrs`]: [] },
    [`Required ${P}.hosts.ipAddrs`],
    '"ipAddrs"',
  ],
  "hosts: an empty address": [
    { [`${P}.hosts`]: HOSTS, [`${P}.hosts[2].networkDevice.ipAddrs`]: [""] },
    [`Required ${P}.hosts.ipAddrs`],
  ],
  "hosts: an address without a prefix": [
    { [`${P}.hosts`]: HOSTS, [`${P}.hosts[2].networkDevice.ipAddrs[0]`]: "10.20.0.99" },
    [`Invalid ${P}.hosts.ipAddrs`],
    '"10.20.0.99"',
  ],
  "hosts: four nameservers": [
    { [`${P}.hosts`]: HOSTS, [`${P}.hosts[2].networkDevice.nameservers`]: ["::1", "::2", "::3", "::4"] },
    [`TooMany ${P}.hosts.nameservers`],
    '"nameservers"',
  ],
  "hosts: a name for a nameserver": [
    { [`${P}.hosts`]: HOSTS, [`${P}.hosts[2].networkDevice.nameservers`]: ["dns.example"] },
    [`Invalid ${P}.hosts.nameservers`],
    '"dns.example"',
  ],
  "hosts: a gateway with a prefix": [
    { [`${P}.hosts`]: HOSTS, [`${P}.hosts[2].networkDevice.gateway`]: "10.20.0.1/16" },
    [`Invalid ${P}.hosts.gateway`],
    '"10.20.0.1/16"',
  ],

  "node networking: no block": [
    { [`${P}.nodeNetworking.internal.networkSubnetCidr`]: ["10.20.0.0"] },
    [`Invalid ${P}.nodeNetworking.internal.networkSubnetCidr`],
    '"10.20.0.0"',
  ],
  "node networking: an empty block": [
    { [`${P}.nodeNetworking.external.excludeNetworkSubnetCidr`]: [""] },
    [`Required ${P}.nodeNetworking.external.excludeNetworkSubnetCidr`],
  ],
  "node networking: a network of no failure domain": [
    { [`${P}.nodeNetworking.external.network`]: "net-north" },
    [`Invalid ${P}.nodeNetworking.external.network`],
    '"net-north"',
  ],

  "virtual IPs: none": [{ [`${P}.apiVIPs`]: undefined, [`${P}.ingressVIPs`]: undefined }, []],
  "virtual IPs: outside the machine network": [{ [`${P}.apiVIPs`]: ["10.99.0.5"] }, []],
  "virtual IPs: the same one twice": [{ [`${P}.apiVIPs`]: ["10.20.0.7"] }, [`Invalid ${P}.apiVIPs`]],
  "load balancer: no such type": [
    { [`${P}.loadBalancer.type`]: "Mine" },
    [`Invalid ${P}.loadBalancer.type`],
    '"Mine"',
  ],

  "pool: a negative disk": [
    { [`${WORKER}.osDisk.diskSizeGB`]: -1 },
    [`Invalid ${WORKER}.diskSizeGB`],
    '"diskSizeGB"',
  ],
  "pool: negative memory": [{ [`${WORKER}.memoryMB`]: -1 }, [`Invalid ${WORKER}.memoryMB`]],
  "pool: negative CPUs": [{ [`${WORKER}.cpus`]: -1 }, [`Invalid ${WORKER}.cpus`]],
  "pool: negative cores": [{ [`${WORKER}.coresPerSocket`]: -1 }, [`Invalid ${WORKER}.coresPerSocket`]],
  "pool: fewer CPUs than the cores of a socket by default": [
    { [`${WORKER}.cpus`]: 2 },
    [`Invalid ${WORKER}.coresPerSocket`],
  ],
  "pool: CPUs that fill no sockets": [
    { [`${WORKER}.cpus`]: 6, [`${WORKER}.coresPerSocket`]: 4 },
    [`Invalid ${WORKER}.cpus`],
  ],
  "pool: two CPUs on one socket": [{ [`${WORKER}.cpus`]: 2, [`${WORKER}.coresPerSocket`]: 2 }, []],
  "pool: thirty data disks": [
    {
      [`${WORKER}.dataDisks`]: Array.from({ length: 30 }, (_, index) => ({ name: `d${index}`, sizeGiB: 1 })),
    },
    [`Invalid ${WORKER}.dataDisks`],
  ],
  "pool: a data disk without a name": [
    { [`${WORKER}.dataDisks`]: [{ name: "", sizeGiB: 1 }] },
    [`Required ${WORKER}.disks[0].name`],
    '"name": ""',
  ],
  "pool: a data disk with an odd name": [
    { [`${WORKER}.dataDisks`]: [{ name: "a b", sizeGiB: 1 }] },
    [`Invalid ${WORKER}.disks[0].name`],
    '"a b"',
  ],
  "pool: a data disk with a long name": [
    { [`${WORKER}.dataDisks`]: [{ name: "a".repeat(81), sizeGiB: 1 }] },
    [`Invalid ${WORKER}.disks[0].name`],
  ],
  "pool: a data disk without a size": [
    { [`${WORKER}.dataDisks`]: [{ name: "a" }] },
    [`Required ${WORKER}.disks[0].sizeGiB`],
  ],
  "pool: a data disk that is too large": [
    { [`${WORKER}.dataDisks`]: [{ name: "a", sizeGiB: 16385 }] },
    [`Invalid ${WORKER}.disks[0].sizeGiB`],
    "16385",
  ],
  "pool: a data disk of an unknown mode": [
    { [`${WORKER}.dataDisks`]: [{ name: "a", sizeGiB: 1, provisioningMode: "Lazy" }] },
    [`NotSupported ${WORKER}.disks[0]`],
    '"Lazy"',
  ],
  "pool: an unknown zone": [{ [`${WORKER}.zones`]: ["north"] }, [`Invalid ${WORKER}.zones`], '"north"'],
  "pool: a zone twice": [
    { [`${WORKER}.zones`]: ["east", "east"] },
    [`Duplicate ${WORKER}.zones[1]`],
    '"east"',
  ],
  "pool: a zone with a name that pools cannot say": [
    { [`${EAST}.name`]: "East", [`${WORKER}.zones`]: ["East"] },
    [`Invalid ${WORKER}.zones`],
    '"East"',
  ],

  "gate: several networks": [
    { [`${TOPOLOGY}.networks`]: ["a", "b"], featureSet: "CustomNoUpgrade", featureGates: ["Other=true"] },
    [`Forbidden ${FD}.topology.networks`],
  ],
  "gate: node networking": [
    {
      [`${P}.nodeNetworking.external.network`]: "net-east",
      featureSet: "CustomNoUpgrade",
      featureGates: ["Other=true"],
    },
    [`Forbidden ${P}.nodeNetworking`],
  ],
  "gate: data disks": [
    {
      "controlPlane.platform.vsphere.dataDisks": [{ name: "a", sizeGiB: 1 }],
      [`${WORKER}.dataDisks`]: [{ name: "a", sizeGiB: 1 }],
      featureSet: "CustomNoUpgrade",
      featureGates: ["Other=true"],
    },
    ["Forbidden compute.platform.vsphere.dataDisks", "Forbidden controlPlane.platform.vsphere.dataDisks"],
  ],
  "gate: external records": [
    { [`${P}.loadBalancer.type`]: "UserManaged", [`${P}.dnsRecordsType`]: "External" },
    [`Forbidden ${P}.dnsRecordsType`],
  ],

  "old spelling: virtual IPs that contradict each other stand alone": [
    { [`${P}.apiVIP`]: "10.20.0.6", [`${P}.diskType`]: "fat" },
    [`Invalid ${P}.apiVIPs`],
    '"apiVIP": ',
  ],
  "old spelling: flat members": [FLAT, []],
  "old spelling: a flat member that is wrong is shown where it stands": [
    { ...FLAT, [`${P}.defaultDatastore`]: "/bay/sand" },
    [`Invalid ${FD}.topology.datastore`],
    '"defaultDatastore": "/bay/sand"',
  ],
  "old spelling: no password": [
    { ...FLAT, [`${P}.password`]: "" },
    [`Required ${VC}.password`],
    '"password": ""',
  ],
  "old spelling: of user-provided machines, without cluster and network": [
    { ...FLAT, [`${P}.cluster`]: undefined, [`${P}.network`]: undefined },
    [],
  ],
};

for (const [title, [edits, errors, line]] of Object.entries(CASES))
  test(title, () => {
    const config = edit(VSPHERE, edits);
    const judged = judge(config);
    assert.equal(judged.errors, [...errors].sort());
    const first = judged.diagnostics.find(({ severity }) => severity === "error");
    if (line === undefined || first === undefined) return;
    const lines = JSON.stringify(config, undefined, 1).split("\n");
    const shown = judged.diagnostics
      .filter(({ severity }) => severity === "error")
      .map((each) => lines[each.line - 1] ?? "");
    assert.ok(
      shown.some((each) => each.includes(line)),
      `${line} in ${shown.join(" | ")}`,
    );
    for (const { hint, message } of judged.diagnostics)
      assert.not.match(`${message} ${hint}`, PLANTED.password);
  });

/** What a release refuses and another does not. */
const BY_RELEASE: readonly (readonly [string, Edits, Readonly<Record<string, readonly string[]>>])[] = [
  [
    "a zone twice in a region",
    { [`${FD}[1].zone`]: "east" },
    { "4.19": [], "4.20": [`Invalid ${FD}.zone`], "4.22": [`Invalid ${FD}.zone`] },
  ],
  [
    "an unlisted datacenter",
    {
      [`${TOPOLOGY}.datacenter`]: "fjord",
      [`${TOPOLOGY}.computeCluster`]: "/fjord/host/east",
      [`${TOPOLOGY}.datastore`]: "/fjord/datastore/east",
    },
    { "4.18": [], "4.21": [], "4.22": [`Invalid ${FD}.topology.datacenter`] },
  ],
  [
    "a second failure domain with an unknown server",
    { [`${FD}[1].server`]: "elsewhere" },
    { "4.21": [], "4.22": [`Invalid ${FD}.server`] },
  ],
  [
    "a template beside an image",
    { [`${TOPOLOGY}.template`]: "/bay/vm/rhcos", [`${P}.clusterOSImage`]: "https://mirror.example/x.ova" },
    { "4.20": [], "4.21": [`Invalid ${FD}.topology.template`, `Invalid ${P}.clusterOSImage`] },
  ],
  [
    "no host group",
    {
      [`${EAST}.regionType`]: "ComputeCluster",
      [`${EAST}.zoneType`]: "HostGroup",
      featureSet: "TechPreviewNoUpgrade",
    },
    { "4.19": [`Required ${FD}.hostGroup`], "4.22": [`Required ${FD}.topology.hostGroup`] },
  ],
  [
    "a host group without its gate",
    {
      [`${EAST}.regionType`]: "ComputeCluster",
      [`${EAST}.zoneType`]: "HostGroup",
      [`${TOPOLOGY}.hostGroup`]: "hosts",
    },
    { "4.19": [`Forbidden ${FD}`], "4.21": [`Forbidden ${FD}`], "4.22": [] },
  ],
  [
    "several networks without their gate",
    { [`${TOPOLOGY}.networks`]: ["a", "b"] },
    { "4.18": [`Forbidden ${FD}.topology.networks`], "4.20": [] },
  ],
  [
    "data disks without their gate",
    { [`${WORKER}.dataDisks`]: [{ name: "a", sizeGiB: 1 }] },
    { "4.19": ["Forbidden compute.platform.vsphere.dataDisks"], "4.20": [] },
  ],
  [
    "eleven networks",
    {
      [`${TOPOLOGY}.networks`]: Array.from({ length: 11 }, (_, index): Json => `net-${index}`),
      featureSet: "TechPreviewNoUpgrade",
    },
    { "4.18": [], "4.19": [`TooMany ${FD}.topology.networks`] },
  ],
];

for (const [title, edits, byRelease] of BY_RELEASE)
  for (const [release, errors] of Object.entries(byRelease))
    test(`${release}: ${title}`, () => {
      const config = edit(VSPHERE, { osImageStream: undefined, ...edits });
      assert.equal(judge(config, release).errors, [...errors].sort());
    });

test.run();
