/** Facts of gcp: what is missing, what contradicts, what only fails in the cloud; each alone. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { GcpFacts } from "../../../src/generated/types/cloud-facts.js";
import { finish } from "../../../src/platforms/gcp/defaults.js";
import { FACTS, gcpConfig, NETWORK, SHARED_NETWORK, VARIANTS } from "../../helpers/gcp.js";
import { type Edits, releaseOf } from "../../helpers/install-configs.js";
import { runPlatform } from "../../helpers/platform-run.js";

const test = suite("gcp: facts");

const { publicZone: _, ...WITHOUT_ZONE } = FACTS;
const { zones: ___, ...WITHOUT_ZONES } = FACTS;
const { images: __, ...WITHOUT_IMAGES } = FACTS;

const P = "platform.gcp";
const M = "controlPlane.platform.gcp";
const W = "compute[0].platform.gcp";
const offer = (name: string, zone: string, guestCpus = 8, memoryMb = 64_000) => ({
  name,
  zone: `europe-west1-${zone}`,
  guestCpus,
  memoryMb,
});

/** Config, facts, and the errors and remarks that there are: `code kind field`. */
type Case = readonly [edits: Edits, facts: GcpFacts, said: readonly string[]];

const CASES: Readonly<Record<string, Case>> = {
  "no fact at all": [
    {},
    {},
    [
      `FACT001 Required ${M}.zones`,
      `FACT001 Required ${M}.osImage`,
      `FACT001 Required ${W}.zones`,
      `FACT001 Required ${W}.osImage`,
      "FACT001 Required baseDomain",
    ],
  ],
  "subnets without facts": [
    NETWORK,
    { ...FACTS, subnets: [] },
    [`FACT001 Required ${P}.controlPlaneSubnet`, `FACT001 Required ${P}.computeSubnet`],
  ],
  "no public zone where nothing is published": [{ publish: "Internal" }, WITHOUT_ZONE, []],
  "no public zone with DNS of one's own": [{ [`${P}.userProvisionedDNS`]: "Enabled" }, WITHOUT_ZONE, []],
  "a shared network without a private zone": [
    SHARED_NETWORK,
    FACTS,
    [`FACT004 Required ${P}.dns.privateZone`],
  ],
  "a private zone of another name": [
    { ...SHARED_NETWORK, [`${P}.dns`]: { privateZone: { name: "mine" } } },
    { ...FACTS, privateZone: "projects/p/managedZones/theirs" },
    [`FACT002 Invalid ${P}.dns.privateZone.name`],
  ],
  "facts of another project": [{}, { ...FACTS, project: "other" }, ["FACT002 Invalid gcp.project"]],
  "facts of another region": [{}, { ...FACTS, region: "us-east1" }, ["FACT002 Invalid gcp.region"]],
  "a zone of another region": [
    { [`${P}.defaultMachinePlatform`]: { zones: ["europe-west1-b"] } },
    { ...FACTS, zones: [{ name: "europe-west1-b" }, { name: "europe-west12-a" }] },
    ["FACT002 Invalid gcp.zones[1].name"],
  ],
  "a subnet that is not a block": [
    NETWORK,
    {
      ...FACTS,
      subnets: [
        { name: "masters", ipCidrRange: "10.20.0.0/20" },
        { name: "workers", ipCidrRange: "10.20.16.0" },
      ],
    },
    ["FACT002 Invalid gcp.subnets[1].ipCidrRange", `FACT002 Invalid ${P}.computeSubnet`],
  ],
  "a subnet of another network": [
    NETWORK,
    {
      ...FACTS,
      subnets: [
        { name: "masters", ipCidrRange: "10.20.0.0/20", network: "https://x/global/networks/fish" },
        { name: "workers", ipCidrRange: "10.20.16.0/20", network: "https://x/global/networks/birds" },
      ],
    },
    ["FACT002 Invalid gcp.subnets[0].network"],
  ],
  "a subnet outside of the machine networks": [
    NETWORK,
    {
      ...FACTS,
      subnets: [
        { name: "masters", ipCidrRange: "10.30.0.0/20" },
        { name: "workers", ipCidrRange: "10.20.16.0/20" },
      ],
    },
    [`FACT002 Invalid ${P}.controlPlaneSubnet`],
  ],
  "a zone that the project does not have": [
    { [`${W}.zones`]: ["europe-west1-a"] },
    FACTS,
    [`FACT002 Invalid ${W}.zones`],
  ],
  "a zone for machine learning": [
    { [`${W}.zones`]: ["europe-west1-ai1a"] },
    FACTS,
    [`FACT002 Invalid ${W}.zones`],
  ],
  "a zone for machine learning, and no fact about zones": [
    { [`${M}.zones`]: ["europe-west1-b"], [`${W}.zones`]: ["europe-west1-ai1a"] },
    WITHOUT_ZONES,
    [`FACT002 Invalid ${W}.zones`],
  ],
  "an endpoint of another network": [
    { ...NETWORK, [`${P}.endpoint`]: { name: "e", clusterUseOnly: true } },
    { ...FACTS, endpointNetwork: "fish" },
    [`FACT002 Invalid ${P}.endpoint.name`],
  ],
  "rules that may not be made": [
    { [`${P}.firewallRulesManagement`]: "Managed" },
    { ...FACTS, firewallPermissions: false },
    [`FACT002 Invalid ${P}.firewallRulesManagement`],
  ],
  "a type that a zone does not offer": [
    { [`${W}.type`]: "c2-standard-8", [`${W}.zones`]: ["europe-west1-b", "europe-west1-c"] },
    { ...FACTS, machineTypes: [offer("c2-standard-8", "b")] },
    [`FACT002 Invalid ${W}.type`],
  ],
  "a type that no zone offers": [
    { [`${W}.type`]: "c2-standard-8" },
    { ...FACTS, zones: [{ name: "europe-west1-d" }], machineTypes: [offer("c2-standard-8", "b")] },
    [`FACT002 Invalid ${W}.type`],
  ],
  "a type with too few processors": [
    { [`${M}.type`]: "n2-standard-2" },
    { ...FACTS, machineTypes: [offer("n2-standard-2", "b", 2)] },
    [`FACT002 Invalid ${M}.type`],
  ],
  "a type with too little memory": [
    { [`${W}.type`]: "n2-highcpu-4" },
    { ...FACTS, machineTypes: [offer("n2-highcpu-4", "b", 4, 4096)] },
    [`FACT002 Invalid ${W}.type`],
  ],
  "a name that Google keeps": [{ "metadata.name": "my-g0ogle" }, FACTS, ["FACT008 Invalid metadata.name"]],
  "rules of one's own without a network": [
    { [`${P}.firewallRulesManagement`]: "Unmanaged" },
    FACTS,
    [`FACT008 Required ${P}.network`],
  ],
  "more tags than there may be": [
    {
      [`${P}.userTags`]: Array.from({ length: 51 }, (_, i) => ({
        parentID: "bird-project",
        key: `k${i}`,
        value: "v",
      })),
    },
    FACTS,
    [`FACT008 Invalid ${P}.userTags`],
  ],
  "a key without a name": [
    { [`${W}.osDisk`]: { encryptionKey: { kmsKeyServiceAccount: "a@p.iam.gserviceaccount.com" } } },
    FACTS,
    [`FACT008 Required ${W}.osDisk.encryptionKey.kmsKey`],
  ],
  "a type of an unknown family without a type of disk": [
    { [`${M}.type`]: "q9-standard-8" },
    FACTS,
    [`FACT008 Required ${M}.osDisk.diskType`],
  ],
  "a type of an unknown family with a type of disk": [
    { [`${M}.type`]: "q9-standard-8", [`${M}.osDisk`]: { diskType: "hyperdisk-balanced" } },
    FACTS,
    [],
  ],
  "a disk that the type does not have": [
    { [`${W}.type`]: "c4-standard-8", [`${W}.osDisk`]: { diskType: "pd-ssd" } },
    FACTS,
    [`FACT008 Invalid ${W}.osDisk.diskType`],
  ],
  "a default type whose disk does not follow": [
    { [`${P}.defaultMachinePlatform`]: { type: "c4-standard-8" } },
    FACTS,
    [`FACT007 Invalid ${M}.osDisk.diskType`, `FACT007 Invalid ${W}.osDisk.diskType`],
  ],
  "a type that is not of arm64": [
    { "compute[0].architecture": "arm64", [`${W}.type`]: "n2-standard-4" },
    FACTS,
    [`FACT008 NotSupported ${W}.type`],
  ],
  "a type of arm64 in a pool of amd64": [
    { [`${W}.type`]: "t2a-standard-4" },
    FACTS,
    [`FACT008 Invalid ${W}.type`],
  ],
  "confidential machines that are moved": [
    { [`${M}.type`]: "n2d-standard-4", [`${M}.confidentialCompute`]: "Enabled" },
    FACTS,
    [`FACT008 Invalid ${M}.onHostMaintenance`],
  ],
  "confidential machines of a type without it": [
    { [`${M}.confidentialCompute`]: "Enabled", [`${M}.onHostMaintenance`]: "Terminate" },
    FACTS,
    [`FACT008 Invalid ${M}.type`],
  ],
  "an unknown technology": [
    { [`${M}.confidentialCompute`]: "Magic", [`${M}.onHostMaintenance`]: "Terminate" },
    FACTS,
    [`FACT008 Invalid ${M}.confidentialCompute`],
  ],
  "names that nothing has": [
    { ...NETWORK, [`${P}.projectID`]: "My Proj", [`${P}.network`]: "Birds" },
    FACTS,
    [`IC349 Invalid ${P}.projectID`, `IC349 Invalid ${P}.network`],
  ],
  "values that nobody looks at": [
    {
      [`${P}.userProvisionedDNS`]: "enabled",
      [`${W}.secureBoot`]: "yes",
      [`${W}.onHostMaintenance`]: "Stop",
    },
    FACTS,
    [
      `IC349 NotSupported ${P}.userProvisionedDNS`,
      `IC349 NotSupported ${W}.secureBoot`,
      `IC349 NotSupported ${W}.onHostMaintenance`,
    ],
  ],
};

for (const [name, [edits, facts, expected]] of Object.entries(CASES))
  test(name, async () => {
    const { diagnostics } = await runPlatform({ config: gcpConfig(edits), facts: { gcp: facts } });
    const said = diagnostics
      .filter(({ code }) => /^(FACT|IC)/.test(code))
      .map(({ code, kind, field }) => `${code} ${kind} ${field}`);
    assert.equal(said.sort(), [...expected].sort());
  });

for (const [name, edits] of Object.entries(VARIANTS))
  test(`nothing is missing: ${name}`, async () => {
    const { errors } = await runPlatform({ config: gcpConfig(edits), facts: { gcp: FACTS } });
    assert.equal(errors, []);
  });

test("a stream file supplies images, and one of another system is told", async () => {
  const image = { release: "10.2.20260101-0", project: "rhcos", name: "rhcos-10-2" };
  const stream = { architectures: { x86_64: { images: { gcp: image } } } };
  const facts = WITHOUT_IMAGES;
  const made = await runPlatform({ config: gcpConfig(), facts: { gcp: facts }, stream });
  assert.equal(made.errors, []);
  assert.equal(made.facts.gcp?.images, { amd64: { project: "rhcos", name: "rhcos-10-2" } });
  assert.equal(made.remarks, ["FACT007 osImageStream"]);
  const none = await runPlatform({
    config: gcpConfig({ "controlPlane.architecture": "arm64", "controlPlane.replicas": 1 }),
    facts: { gcp: facts },
    stream,
  });
  assert.equal(none.errors, [`Required ${M}.osImage`]);
});

test("zones that nobody chose are those that offer the type", async () => {
  const machineTypes = [
    offer("n2-standard-4", "d"),
    offer("n2-standard-4", "b"),
    offer("n2-standard-4", "z"),
  ];
  const { objects } = await runPlatform({ config: gcpConfig(), facts: { gcp: { ...FACTS, machineTypes } } });
  const sets = [...objects.keys()].filter((path) => path.includes("worker-machineset"));
  const names = sets.map((path) => objects.get(path)?.["metadata"]);
  assert.match(JSON.stringify(names), /worker-b".*worker-d"/);
  assert.is(sets.length, 2);
});

test("zones that are not up, and those for machine learning, are not taken", async () => {
  const zones = [
    { name: "europe-west1-b", status: "UP" },
    { name: "europe-west1-c", status: "DOWN" },
    { name: "europe-west1-ai1a", status: "UP" },
  ];
  for (const release of ["4.18", "4.22", "5.0"]) {
    const { objects } = await runPlatform({
      config: gcpConfig(),
      facts: { gcp: { ...FACTS, zones } },
      release,
    });
    assert.is([...objects.keys()].filter((path) => path.includes("worker-machineset")).length, 1, release);
  }
});

test("who manages firewall rules is decided as the installer does", () => {
  const config = (edits: Edits) => ({ platform: { gcp: { projectID: "p", region: "r", ...edits } } });
  const decided = (edits: Edits, facts: GcpFacts | undefined, release = "4.22") =>
    finish(
      config(edits),
      facts === undefined
        ? undefined
        : { apiVersion: "slipway.dev/v1alpha1", kind: "CloudFacts", gcp: facts },
      releaseOf(release),
    ).platform?.gcp?.firewallRulesManagement;
  const shared = { network: "n", networkProjectID: "h" };
  assert.is(decided({}, undefined), "Managed");
  assert.is(decided(shared, undefined), "Managed");
  assert.is(decided(shared, { firewallPermissions: false }), "Unmanaged");
  assert.is(decided({}, { firewallPermissions: false }), "Managed");
  assert.is(decided({ firewallRulesManagement: "Unmanaged" }, undefined), "Unmanaged");
  assert.is(decided(shared, { firewallPermissions: false }, "4.20"), undefined);
});

test.run();
