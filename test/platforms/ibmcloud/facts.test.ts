/** Facts of ibmcloud: what is missing, what contradicts, the image of a stream; and the API key of a file. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createReporter } from "../../../src/core/diagnostics.js";
import type { JsonObject } from "../../../src/core/json.js";
import { readApiKey } from "../../../src/platforms/ibm-credentials.js";
import { FACTS, KEY, made, OWN_NETWORK } from "../../helpers/ibmcloud.js";
import type { Edits } from "../../helpers/install-configs.js";
import { PLANTED } from "../../helpers/planted.js";

const test = suite("ibmcloud: facts");

const P = "platform.ibmcloud";
const C = "controlPlane.platform.ibmcloud";

const GROUPS = [
  { name: "birds", id: "group-1" },
  { name: "birds-network", id: "group-2" },
];
const HOSTS: Edits = {
  [C]: { type: "bx2-4x16", zones: ["eu-gb-1"], dedicatedHosts: [{ name: "host-1" }] },
};
const PROFILE: Edits = {
  [C]: { type: "bx2-4x16", zones: ["eu-gb-1"], dedicatedHosts: [{ profile: "bx2-host-1" }] },
};
const ENCRYPTED: Edits = { [`${C}.bootVolume.encryptionKey`]: KEY };
const subnets = (change: JsonObject): JsonObject[] =>
  (Array.isArray(FACTS["subnets"]) ? FACTS["subnets"] : []).map((each, i) =>
    i === 0 ? { ...each, ...change } : each,
  );

/** What the config says, what the facts say, and the errors that follow: code, kind and the installer's field. */
const ROWS: readonly (readonly [title: string, config: Edits, facts: Edits, ...errors: string[]])[] = [
  [
    "nothing is known",
    {},
    { accountID: undefined, dnsZone: undefined, zones: undefined },
    "FACT001 Required baseDomain",
    "FACT001 Required compute[0].platform.ibmcloud.zones",
    "FACT001 Required controlPlane.platform.ibmcloud.zones",
    `FACT001 Required ${P}`,
  ],
  [
    "zones by default are enough",
    { [`${P}.defaultMachinePlatform.zones`]: ["eu-gb-1"] },
    { zones: undefined },
  ],
  [
    "not beside subnets of one's own",
    { ...OWN_NETWORK, [`${P}.defaultMachinePlatform.zones`]: ["eu-gb-1"] },
    { zones: undefined },
    "FACT001 Required compute[0].platform.ibmcloud.zones",
    "FACT001 Required controlPlane.platform.ibmcloud.zones",
  ],
  [
    "an unknown subnet",
    { ...OWN_NETWORK, [`${P}.computeSubnets`]: ["birds-compute-1", "birds-compute-2", "other"] },
    {},
    `FACT001 Required ${P}.computeSubnets[2]`,
  ],
  ["no image", {}, { image: undefined }, `FACT001 Required ${P}`],
  ["facts of another region", {}, { region: "eu-de" }, "FACT002 Invalid ibmcloud.region"],
  ["a zone of another region", {}, { zones: ["eu-gb-1", "eu-de-1"] }, "FACT002 Invalid ibmcloud.zones[1]"],
  [
    "a zone in the other service",
    {},
    { "dnsZone.instanceCRN": "crn:v1:bluemix:public:dns-svcs:global:a/1:2::" },
    "FACT002 Invalid ibmcloud.dnsZone.instanceCRN",
  ],
  [
    "resource groups by name and identifier",
    { ...OWN_NETWORK, [`${P}.resourceGroupName`]: "group-1" },
    { resourceGroups: GROUPS },
  ],
  [
    "no such group",
    { [`${P}.resourceGroupName`]: "x" },
    { resourceGroups: GROUPS },
    `FACT002 NotFound ${P}.resourceGroupName`,
  ],
  [
    "no such group of the network",
    { ...OWN_NETWORK, [`${P}.networkResourceGroupName`]: "x" },
    { resourceGroups: GROUPS },
    `FACT002 NotFound ${P}.networkResourceGroupName`,
  ],
  ["another VPC", OWN_NETWORK, { vpc: { name: "x" } }, `FACT002 NotFound ${P}.vpcName`],
  [
    "a VPC of another group",
    OWN_NETWORK,
    { vpc: { name: "birds-vpc", resourceGroup: { name: "x" } } },
    `FACT002 Invalid ${P}.vpcName`,
  ],
  [
    "a subnet of another VPC",
    OWN_NETWORK,
    { subnets: subnets({ vpc: "x" }) },
    `FACT002 Invalid ${P}.controlPlaneSubnets`,
  ],
  [
    "a subnet of another group",
    OWN_NETWORK,
    { subnets: subnets({ resourceGroup: { name: "x" } }) },
    `FACT002 Invalid ${P}.controlPlaneSubnets`,
  ],
  [
    "fewer subnets than zones",
    { ...OWN_NETWORK, [`${P}.controlPlaneSubnets`]: ["birds-control-plane-1"] },
    {},
    `FACT002 Invalid ${P}.controlPlaneSubnets`,
  ],
  [
    "subnets in other zones",
    {
      ...OWN_NETWORK,
      [`${P}.computeSubnets`]: ["birds-compute-1"],
      "compute[0].platform.ibmcloud.zones": ["eu-gb-2"],
    },
    {},
    `FACT002 Invalid ${P}.computeSubnets`,
  ],
  [
    "a type that there is not",
    { [`${C}.type`]: "zz" },
    { instanceProfiles: ["bx2-4x16"] },
    `FACT002 NotFound ${C}.type`,
  ],
  [
    "a type by default that there is not, named as the installer does",
    { [`${P}.defaultMachinePlatform.type`]: "zz" },
    { instanceProfiles: ["bx2-4x16"] },
    `FACT002 NotFound ${P}.type`,
  ],
  [
    "the first zone that there is not",
    { [`${C}.zones`]: ["eu-gb-8", "eu-gb-9"] },
    {},
    `FACT002 Invalid ${C}.zones[0]`,
  ],
  [
    "a key that there is not",
    ENCRYPTED,
    { encryptionKeys: [] },
    `FACT002 NotFound ${C}.bootVolume.encryptionKey`,
  ],
  ["a key", ENCRYPTED, { encryptionKeys: [{ crn: KEY, state: 1, deleted: false }] }],
  [
    "a sleeping key",
    ENCRYPTED,
    { encryptionKeys: [{ crn: KEY, state: 2 }] },
    `FACT002 Invalid ${C}.bootVolume.encryptionKey`,
  ],
  [
    "a deleted key",
    ENCRYPTED,
    { encryptionKeys: [{ crn: KEY, deleted: true }] },
    `FACT002 Invalid ${C}.bootVolume.encryptionKey`,
  ],
  [
    "a host",
    HOSTS,
    { dedicatedHosts: [{ name: "host-1", zone: "eu-gb-1", instanceProfiles: ["bx2-4x16"] }] },
  ],
  ["no such host", HOSTS, { dedicatedHosts: [] }, `FACT002 Invalid ${C}.dedicatedHosts[0].name`],
  [
    "a host elsewhere",
    HOSTS,
    { dedicatedHosts: [{ name: "host-1", zone: "eu-gb-2" }] },
    `FACT002 Invalid ${C}.dedicatedHosts[0].name`,
  ],
  [
    "a closed host",
    HOSTS,
    { dedicatedHosts: [{ name: "host-1", zone: "eu-gb-1", provisionable: false }] },
    `FACT002 Invalid ${C}.dedicatedHosts[0].name`,
  ],
  [
    "a host for other machines",
    HOSTS,
    { dedicatedHosts: [{ name: "host-1", zone: "eu-gb-1", instanceProfiles: [] }] },
    `FACT002 Invalid ${C}.dedicatedHosts[0].name`,
  ],
  [
    "no such profile of hosts",
    PROFILE,
    { dedicatedHostProfiles: [] },
    `FACT002 Invalid ${C}.dedicatedHosts[0].profile`,
  ],
  [
    "a profile for other machines",
    PROFILE,
    { dedicatedHostProfiles: [{ name: "bx2-host-1", instanceProfiles: ["bx2-8x32"] }] },
    `FACT002 Invalid ${C}.dedicatedHosts[0].profile`,
  ],
];

for (const [title, config, facts, ...errors] of ROWS)
  test(title, async () => assert.equal((await made(config, facts)).errors, errors));

test("the image of a stream, by the architecture of the control plane; other images are warned of", async () => {
  const artifact = (arch: string) => ({
    artifacts: {
      ibmcloud: {
        release: "10.1.2",
        formats: { "qcow2.gz": { disk: { location: `https://x.example/a/rhcos-${arch}.qcow2.gz` } } },
      },
    },
  });
  const stream = { architectures: { x86_64: artifact("x86_64"), s390x: artifact("s390x") } };
  const of = async (config: Edits) => {
    const { errors, infrastructure, diagnostics } = await made(config, { image: undefined }, { stream });
    assert.equal(errors, []);
    assert.ok(diagnostics.some(({ code, field }) => code === "FACT007" && field === "osImageStream"));
    const cluster = JSON.stringify(infrastructure.get("40_infrastructure-cluster.yaml"));
    return /"cosObject":"([^"]*)"/.exec(cluster)?.[1];
  };
  assert.is(await of({}), "rhcos-x86_64.qcow2");
  const s390x = { "controlPlane.architecture": "s390x", "compute[0].architecture": "s390x" };
  assert.is(await of(s390x), "rhcos-s390x.qcow2");
});

test("an API key, as the cloud's own tool writes it or as a line", () => {
  const read = (text: string) => {
    const reporter = createReporter();
    const found = readApiKey(text, "key", reporter);
    return (
      found?.["ibmcloud_api_key"] ?? reporter.diagnostics.map(({ code, kind }) => `${code} ${kind}`).join()
    );
  };
  const key = PLANTED.pullSecretAuth;
  assert.is(read(JSON.stringify({ name: "a", apikey: key })), key);
  assert.is(read(`\ufeff{\n "apikey": "${key}"\n}\n`), key);
  assert.is(read(`# a\nexport IC_API_KEY='${key}'\r\nOTHER=x\n`), key);
  assert.is(read(`IBMCLOUD_AUTH_TYPE=iam\nIBMCLOUD_APIKEY=${key}\n`), key);
  assert.is(read(`IC_API_KEY=\nIBMCLOUD_API_KEY="${key}"`), key);
  assert.is(read(""), "CRED002 Required");
  assert.is(read("{}"), "CRED002 Required");
  assert.is(read('{"apikey": 1}'), "CRED002 Required");
  assert.is(read("OTHER=x"), "CRED002 Required");
  assert.is(read("IC_API_KEY=a b"), "CRED002 Invalid");
  assert.is(read("{"), "CRED001 Parse");
  assert.is(read(key), "CRED001 Parse");
});

test.run();
