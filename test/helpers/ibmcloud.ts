/** Configs and facts of ibmcloud for tests. */
import type { Json, JsonObject } from "../../src/core/json.js";
import { type Edits, edit, NONE } from "./install-configs.js";
import { type CaseGiven, makeCase } from "./platform-cases.js";

export const IBMCLOUD: JsonObject = edit(NONE, {
  platform: { ibmcloud: { region: "eu-gb" } },
  credentialsMode: "Manual",
});

const ACCOUNT = "0123456789abcdef0123456789abcdef";
/** A key as Key Protect names it. */
export const KEY = `crn:v1:bluemix:public:kms:eu-gb:a/${ACCOUNT}:00000000-0000-4000-8000-00000000c000:key:00000000-0000-4000-8000-00000000c001`;

const instance = (service: string): string =>
  `crn:v1:bluemix:public:${service}:global:a/${ACCOUNT}:00000000-0000-4000-8000-00000000d000::`;

/** What the cloud would answer for {@link IBMCLOUD} and its variants. */
export const FACTS: JsonObject = {
  accountID: ACCOUNT,
  zones: ["eu-gb-1", "eu-gb-2", "eu-gb-3"],
  dnsZone: { id: "zone-1", instanceCRN: instance("internet-svcs") },
  image: "rhcos-9.8-ibmcloud.x86_64.qcow2",
  subnets: ["control-plane", "compute"].flatMap((role) =>
    [1, 2, 3].map((n) => ({ name: `birds-${role}-${n}`, id: `${role}-id-${n}`, zone: `eu-gb-${n}` })),
  ),
};

const P = "platform.ibmcloud";
const all = (role: string): Json => [1, 2, 3].map((n) => `birds-${role}-${n}`);

export const OWN_NETWORK: Edits = {
  [`${P}.vpcName`]: "birds-vpc",
  [`${P}.networkResourceGroupName`]: "birds-network",
  [`${P}.controlPlaneSubnets`]: all("control-plane"),
  [`${P}.computeSubnets`]: all("compute"),
};

/** What may be changed in the sound config, by what comes of it. */
export const VARIANTS: Readonly<Record<string, Edits>> = {
  plain: {},
  private: { publish: "Internal" },
  "own network": OWN_NETWORK,
  "own network, private": { ...OWN_NETWORK, publish: "Internal", [`${P}.resourceGroupName`]: "birds" },
  "subnets shared by both roles": { ...OWN_NETWORK, [`${P}.computeSubnets`]: all("control-plane") },
  encrypted: { [`${P}.defaultMachinePlatform`]: { bootVolume: { encryptionKey: KEY } } },
  "dedicated hosts": {
    "controlPlane.platform.ibmcloud": {
      type: "bx2-8x32",
      zones: ["eu-gb-1", "eu-gb-2"],
      dedicatedHosts: [{ name: "host-1" }, { profile: "bx2-host-152x608" }],
    },
  },
  "one zone": { "controlPlane.platform.ibmcloud": { zones: ["eu-gb-2"] } },
  "single node": { "controlPlane.replicas": 1, "compute[0].replicas": 0 },
  endpoints: {
    [`${P}.serviceEndpoints`]: [
      { name: "IAM", url: "https://private.iam.cloud.ibm.com" },
      { name: "VPC", url: "https://eu-gb.private.iaas.cloud.ibm.com/v1" },
      { name: "ResourceManager", url: "https://private.resource-controller.cloud.ibm.com" },
    ],
  },
};

/** What slipway makes of a changed config with the facts that it needs; `facts` are changed likewise. */
export async function made(edits: Edits = {}, facts: Edits = {}, given: CaseGiven = {}) {
  const config = edit(IBMCLOUD, edits);
  const service = config["publish"] === "Internal" ? "dns-svcs" : "internet-svcs";
  const known = edit(FACTS, { "dnsZone.instanceCRN": instance(service), ...facts });
  return makeCase(JSON.stringify(config), { facts: { ibmcloud: known }, ...given });
}
