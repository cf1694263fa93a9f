/** Optional facts of vsphere, and what the installer refuses when it makes the manifests. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createReporter } from "../../../src/core/diagnostics.js";
import type { Json, JsonObject } from "../../../src/core/json.js";
import type { CloudFacts, VsphereFacts } from "../../../src/generated/types/cloud-facts.js";
import type { FactSources } from "../../../src/platforms/platform.js";
import { cloudRules } from "../../../src/platforms/vsphere/facts/cloud-rules.js";
import { resolveFacts } from "../../../src/platforms/vsphere/facts/resolve.js";
import { finish } from "../../../src/platforms/vsphere/install-config/upconvert.js";
import { type Edits, edit, releaseOf } from "../../helpers/install-configs.js";
import { FLAT, HOSTS, NO_FACTS, VSPHERE, vsphereConfig } from "../../helpers/vsphere.js";

const test = suite("vsphere: offline facts");

const SERVER = "vcenter.sea.example.org";
const INVENTORY = [
  "/bay",
  "/bay/host/east",
  "/bay/host/west",
  "/bay/host/east/Resources",
  "/bay/host/west/Resources",
  "/bay/datastore/east",
  "/bay/datastore/west",
  "/bay/network/net-east",
  "/bay/network/dvs/net-west",
];
const vcenter = (more: JsonObject) => ({ ...NO_FACTS, vsphere: { vcenters: [{ server: SERVER, ...more }] } });

function resolve(edits: Edits = {}, sources: Partial<FactSources> = {}) {
  const reporter = createReporter();
  const facts = resolveFacts(
    vsphereConfig(edits),
    { facts: undefined, stream: undefined, ...sources },
    { release: releaseOf("4.22"), report: reporter.report },
  );
  return { facts, said: reporter.diagnostics.map(({ code, field }) => `${code} ${field}`).sort() };
}

test("nothing is needed", () => {
  const { facts, said } = resolve();
  assert.equal(said, []);
  assert.equal(facts, NO_FACTS);
});

const withVcenter = (more: JsonObject): CloudFacts => {
  const facts: CloudFacts = vcenter(more);
  return facts;
};

const FACTS: readonly (readonly [string, JsonObject, Edits, ...string[]])[] = [
  ["everything is there", { version: "8.0.3", build: "24022515", inventory: INVENTORY }, {}],
  ["a vCenter that nobody named", { server: "elsewhere" }, {}, "FACT002 vsphere.vcenters[0].server"],
  ["an old version", { version: "6.7.0" }, {}, "FACT002 vsphere.vcenters[0].version"],
  ["7.0.1", { version: "7.0.1" }, {}, "FACT002 vsphere.vcenters[0].version"],
  ["7.0.2 of its first build", { version: "7.0.2", build: "17694817" }, {}],
  [
    "7.0.2 of an earlier build",
    { version: "7.0.2", build: "17694816" },
    {},
    "FACT002 vsphere.vcenters[0].version",
  ],
  [
    "8.0 before its release",
    { version: "8.0.0", build: "20519527" },
    {},
    "FACT002 vsphere.vcenters[0].version",
  ],
  [
    "a host of an old version",
    {
      hosts: [
        { name: "esx1", version: "7.0.2" },
        { name: "esx2", version: "6.5" },
      ],
    },
    {},
    "FACT002 vsphere.vcenters[0].hosts[1].version",
  ],
  [
    "objects that are not there",
    { inventory: INVENTORY.filter((path) => !path.includes("west")) },
    {},
    "FACT002 platform.vsphere.failureDomains[1].topology.computeCluster",
    "FACT002 platform.vsphere.failureDomains[1].topology.datastore",
    "FACT002 platform.vsphere.failureDomains[1].topology.networks[0]",
    "FACT002 platform.vsphere.failureDomains[1].topology.resourcePool",
  ],
  [
    "a template and a datacenter that are not there",
    { inventory: INVENTORY.filter((path) => path !== "/bay") },
    { "platform.vsphere.failureDomains[1].topology.template": "/bay/vm/rhcos" },
    "FACT002 platform.vsphere.failureDomains[0].topology.datacenter",
    "FACT002 platform.vsphere.failureDomains[1].topology.datacenter",
    "FACT002 platform.vsphere.failureDomains[1].topology.template",
  ],
  [
    "a network by its path",
    { inventory: INVENTORY },
    { "platform.vsphere.failureDomains[0].topology.networks": ["/bay/network/net-east"] },
  ],
];

for (const [title, more, edits, ...said] of FACTS)
  test(title, () => assert.equal(resolve(edits, { facts: withVcenter(more) }).said, said));

const stream = (location: string): JsonObject => ({
  architectures: {
    x86_64: {
      artifacts: {
        vmware: {
          release: "9.6.20260428-0",
          formats: { ova: { disk: { location, sha256: "a".repeat(64) } } },
        },
      },
    },
  },
});

test("the stream supplies the appliance, what is given comes first", () => {
  const own: VsphereFacts = { ova: { location: "https://mirror.example.org/own.ova" } };
  const given: CloudFacts = { ...NO_FACTS, vsphere: own };
  assert.equal(resolve({}, { stream: stream("https://mirror.example.org/x.ova") }).facts.vsphere?.ova, {
    location: "https://mirror.example.org/x.ova",
    sha256: "a".repeat(64),
    release: "9.6.20260428-0",
  });
  assert.equal(resolve({}, { facts: given, stream: stream("x") }).facts, given);
  assert.equal(resolve({}, { stream: stream("") }).facts, NO_FACTS);
});

test("names become paths of the inventory, or those right below", () => {
  const config = edit(VSPHERE, {
    "platform.vsphere.failureDomains[0].topology.computeCluster": "east",
    "platform.vsphere.failureDomains[0].topology.datastore": "sand",
  });
  const topology = (facts: CloudFacts) => {
    const finished: Json = JSON.parse(JSON.stringify(finish(config, facts)));
    const { computeCluster, datastore } = JSON.parse(JSON.stringify(finished)).platform.vsphere
      .failureDomains[0].topology;
    return [computeCluster, datastore];
  };
  assert.equal(topology(NO_FACTS), ["/bay/host/east", "/bay/datastore/sand"]);
  assert.equal(topology(withVcenter({ inventory: ["/bay/host/shore/east", "/bay/datastore/fast/sand"] })), [
    "/bay/host/shore/east",
    "/bay/datastore/fast/sand",
  ]);
});

const REFUSED: readonly (readonly [string, Edits, ...string[]])[] = [
  ["as it is", { "platform.vsphere.hosts": HOSTS }],
  [
    "zones of all pools that are nowhere",
    { "platform.vsphere.defaultMachinePlatform.zones": ["nowhere", "east"] },
    "FACT008 platform.vsphere.defaultMachinePlatform.zones",
  ],
  [
    "no network in the flat spelling",
    { ...FLAT, "platform.vsphere.network": undefined },
    "FACT008 platform.vsphere.failureDomains[0].topology.networks",
  ],
  [
    "a datacenter and a further network that are nothing",
    {
      "platform.vsphere.vcenters[0].datacenters[1]": "",
      "platform.vsphere.failureDomains[0].topology.networks[1]": "",
    },
    "FACT008 platform.vsphere.failureDomains[0].topology.networks[1]",
    "FACT008 platform.vsphere.vcenters[0].datacenters[1]",
  ],
  ["the highest port that the cluster records", { "platform.vsphere.vcenters[0].port": 32767 }],
  ...[-1, 32768].map(
    (port) =>
      [
        `port ${port}`,
        { "platform.vsphere.vcenters[0].port": port },
        "FACT008 platform.vsphere.vcenters[0].port",
      ] as const,
  ),
  [
    "an architecture without a boot image",
    { "controlPlane.architecture": "arm64", "compute[0].architecture": "arm64" },
    "FACT008 compute[0].architecture",
    "FACT008 controlPlane.architecture",
  ],
  [
    "an architecture with an image of one's own",
    {
      "controlPlane.architecture": "arm64",
      "compute[0].architecture": "arm64",
      "platform.vsphere.clusterOSImage": "https://images.example.org/rhcos.ova",
    },
  ],
  [
    "a nameserver that is nothing",
    {
      "platform.vsphere.hosts": HOSTS,
      "platform.vsphere.hosts[2].networkDevice.nameservers": ["10.20.0.2", ""],
    },
    "IC342 platform.vsphere.hosts[2].networkDevice.nameservers[1]",
  ],
  [
    "a bootstrap machine with two addresses",
    {
      "platform.vsphere.hosts": [
        { role: "bootstrap", networkDevice: { ipAddrs: ["10.20.0.20/16", "10.20.0.30/16"] } },
        ...HOSTS.slice(1),
      ],
    },
    "FACT008 platform.vsphere.hosts[0].networkDevice.ipAddrs",
  ],
  [
    "data disks of all pools",
    {
      "platform.vsphere.defaultMachinePlatform.dataDisks": [
        { name: "a", sizeGiB: 10, provisioningMode: "Thin" },
        { name: "-b", sizeGiB: 20000, provisioningMode: "Fat" },
        { name: "", sizeGiB: 0 },
      ],
    },
    "IC337 platform.vsphere.defaultMachinePlatform.dataDisks[1].name",
    "IC337 platform.vsphere.defaultMachinePlatform.dataDisks[1].provisioningMode",
    "IC337 platform.vsphere.defaultMachinePlatform.dataDisks[1].sizeGiB",
    "IC337 platform.vsphere.defaultMachinePlatform.dataDisks[2].name",
    "IC337 platform.vsphere.defaultMachinePlatform.dataDisks[2].sizeGiB",
  ],
];

test("the flat spelling without a network makes machines that do not come up; with static addresses it is refused", () => {
  const flat = { ...FLAT, "platform.vsphere.network": undefined };
  const said = (edits: Edits) =>
    cloudRules(vsphereConfig({ ...flat, ...edits })).map(({ severity, hint }) => [severity ?? "error", hint]);
  assert.equal(said({}), [
    [
      "warning",
      "set platform.vsphere.network, unless you create the machines yourself (machine management none)",
    ],
  ]);
  assert.equal(said({ "platform.vsphere.cluster": undefined }), []);
  assert.equal(said({ "platform.vsphere.hosts": HOSTS }), [["error", "set the names of its networks"]]);
});

test("warns of several static addresses of the bootstrap machine, which manifests may have", () => {
  const bootstrap = HOSTS.findIndex(({ role }) => role === "bootstrap");
  const field = `platform.vsphere.hosts[${bootstrap}].networkDevice.ipAddrs`;
  const said = (edits: Edits) =>
    cloudRules(vsphereConfig({ "platform.vsphere.hosts": HOSTS, ...edits })).map((each) => [
      each.code,
      each.severity,
      each.field,
    ]);
  assert.equal(said({}), []);
  assert.equal(said({ [field]: ["10.20.0.10/24", "10.20.1.10/24"] }), [["FACT008", "warning", field]]);
});

test("refused later: the vCenter of a failure domain that machines are in is not listed", () => {
  const said = (edits: Edits): string[] =>
    cloudRules(vsphereConfig(edits, "4.21")).map(({ code, field = "" }) => `${code} ${field}`);
  const unlisted = { "platform.vsphere.failureDomains[1].server": "elsewhere.example.org" };
  const inFirst = { zones: ["east"] };
  assert.equal(said(unlisted), ["FACT008 platform.vsphere.failureDomains[1].server"]);
  assert.equal(said({ ...unlisted, "platform.vsphere.defaultMachinePlatform": inFirst }), []);
});

for (const [title, edits, ...said] of REFUSED)
  test(`refused later: ${title}`, () =>
    assert.equal(
      cloudRules(vsphereConfig(edits))
        .map(({ code, field = "" }) => `${code} ${field}`)
        .sort(),
      said,
    ));

test.run();
