/** What ibmcloud puts into the config objects of manifests/ (openshift/installer pkg/asset/manifests). */
import { byCodeUnit } from "../../core/files.js";
import { IBM_API_KEY } from "../ibm-credentials.js";
import type { PlatformInput, PlatformManifests, Rendering } from "../platform.js";
import { endpointOf, existingSubnets, ibmcloudOf, isPrivate } from "./config.js";
import { factsOf } from "./facts.js";
import { resourceGroupName, subnetName, vpcName } from "./names.js";
import { poolsOf } from "./pools.js";

const SECRET = "ibmcloud-credentials";

export const manifests: PlatformManifests = {
  infrastructure({ config, identity, facts }) {
    const { region, serviceEndpoints = [] } = ibmcloudOf(config);
    const crn = factsOf(facts).dnsZone?.instanceCRN ?? "";
    return {
      type: "IBMCloud",
      spec: {},
      status: {
        ibmcloud: {
          ...(isPrivate(config) ? { dnsInstanceCRN: crn } : { cisInstanceCRN: crn }),
          location: region,
          providerType: "VPC",
          resourceGroupName: resourceGroupName(config, identity.infraID),
          ...(serviceEndpoints.length === 0
            ? {}
            : { serviceEndpoints: serviceEndpoints.map(({ name = "", url = "" }) => ({ name, url })) }),
        },
      },
    };
  },

  /** Both kinds of cluster have their records in the zone of the base domain. */
  dns({ config, facts }) {
    const id = factsOf(facts).dnsZone?.id ?? "";
    return { ...(isPrivate(config) ? {} : { publicZone: { id } }), privateZone: { id } };
  },

  ingressPlatform: () => ({}),
  noProxy: () => [],
  cloudProviderConfig: (input) => ({ config: providerConfig(input) }),

  credentialsSecret: ({ credentials }) => ({
    name: SECRET,
    data: credentials === undefined ? undefined : { [IBM_API_KEY]: credentials[IBM_API_KEY] ?? "" },
  }),

  networkMtu: () => undefined,

  extra: (input) => [...storageDriver(input)],
};

/** pkg/asset/manifests/ibmcloud/cloudproviderconfig.go */
function providerConfig(input: PlatformInput): string {
  const { config, identity, facts } = input;
  const { infraID } = identity;
  const section = ibmcloudOf(config);
  const account = factsOf(facts).accountID ?? "";
  const iam = endpointOf(section, "IAM") ?? "";
  // The controller appends the version itself.
  const vpc = (endpointOf(section, "VPC") ?? "").replace(/\/v\d+\/?$/, "");
  const manager = endpointOf(section, "ResourceManager") ?? "";
  const line = (name: string, value: string): string => (value === "" ? "" : `${name} = ${value}\n`);
  return `[global]
version = 1.1.0
[kubernetes]
config-file = ""
[provider]
accountID = ${account}
clusterID = ${infraID}
cluster-default-provider = g2
region = ${section.region}
g2Credentials = /etc/vpc/ibmcloud_api_key
g2ResourceGroupName = ${resourceGroupName(config, infraID)}
g2VpcName = ${vpcName(config, infraID)}
g2workerServiceAccountID = ${account}
g2VpcSubnetNames = ${subnetNames(input).join(",")}
${line("iamEndpointOverride", iam)}${line("g2EndpointOverride", vpc)}${line("rmEndpointOverride", manager)}

`;
}

/**
 * All subnets: those that are brought along, in the order written and each once for a role, else those that are made
 * (openshift/installer pkg/asset/installconfig/ibmcloud/subnet.go, getSubnets, 8014c32032).
 */
function subnetNames(input: PlatformInput): readonly string[] {
  const section = ibmcloudOf(input.config);
  const existing = (["master", "worker"] as const).flatMap((role) => [
    ...new Set(existingSubnets(section, role)),
  ]);
  if (existing.length > 0) return existing;
  const { controlPlane, compute } = poolsOf(input);
  return [controlPlane, ...compute]
    .flatMap(({ role, zones }) => zones.map(({ name }) => subnetName(input.identity.infraID, role, name)))
    .sort(byCodeUnit);
}

/** The driver encrypts volumes with the key of defaultMachinePlatform; a pool's own key does not count. */
function storageDriver({ config }: PlatformInput): Rendering[] {
  const encryptionKeyCRN = ibmcloudOf(config).defaultMachinePlatform?.bootVolume?.encryptionKey ?? "";
  if (encryptionKeyCRN === "") return [];
  return [
    {
      template: "manifests/ibmcloud/cluster-csi-driver-config.yaml",
      path: "manifests/cluster-csi-driver-config.yaml",
      view: { encryptionKeyCRN },
    },
  ];
}
