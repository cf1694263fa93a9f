/** What azure puts into the config objects of manifests/ (openshift/installer pkg/asset/manifests). */
import { byCodeUnit } from "../../core/files.js";
import { inside, isList, isObject, type Json, type JsonObject } from "../../core/json.js";
import { clusterDomain, type DiskSetup, type MachinePool, type NormalConfig } from "../config.js";
import { gateEnabled } from "../enabled-gates.js";
import type { PlatformInput, PlatformManifests, Rendering } from "../platform.js";
import {
  type AzureMachinePool,
  azureOf,
  isStack,
  MULTI_ZONE,
  makesIdentity,
  NODE,
  networkNameOf,
  poolSection,
  resourceGroupOf,
  subnetsFor,
  userProvidesDns,
} from "./config.js";
import { subscriptionOf, tenantOf } from "./credentials.js";
import { azureFactsOf, stackEnvironment } from "./facts/view.js";
import { has, PUBLIC } from "./tables.js";
import { varPartition } from "./var-partition.js";

const METADATA_SERVICE = "169.254.169.254";
/** Health probes, DNS and DHCP of Azure (https://learn.microsoft.com/azure/virtual-network/what-is-ip-address-168-63-129-16). */
const WIRE_SERVER = "168.63.129.16";

export const manifests: PlatformManifests = {
  infrastructure({ config, identity, release }) {
    const azure = azureOf(config);
    const group = resourceGroupOf(azure, identity.infraID);
    const tags = Object.entries(azure.userTags ?? {}).map(([key, value]) => ({ key, value }));
    return {
      type: "Azure",
      spec: {},
      status: {
        azure: {
          ...(isStack(azure) ? { armEndpoint: azure.armEndpoint ?? "" } : {}),
          ...(has(release, "userProvisionedDns")
            ? {
                cloudLoadBalancerConfig: {
                  dnsType: userProvidesDns(azure) ? "ClusterHosted" : "PlatformDefault",
                },
              }
            : {}),
          cloudName: azure.cloudName,
          ...(has(release, "ipFamily") ? { ipFamily: azure.ipFamily ?? "IPv4" } : {}),
          networkResourceGroupName: azure.networkResourceGroupName || group,
          resourceGroupName: group,
          ...(tags.length > 0 ? { resourceTags: tags.sort((a, b) => byCodeUnit(a.key, b.key)) } : {}),
        },
      },
    };
  },

  dns: dnsZones,

  redact: sortedInPlace,

  ingressPlatform: () => ({}),

  noProxy({ config }) {
    const azure = azureOf(config);
    if (azure.cloudName === PUBLIC) return [METADATA_SERVICE];
    return [METADATA_SERVICE, WIRE_SERVER, ...(isStack(azure) ? [azure.armEndpoint ?? ""] : [])];
  },

  cloudProviderConfig(input) {
    const azure = azureOf(input.config);
    const config = `${JSON.stringify(providerConfig(input), null, "\t")}\n`;
    if (!isStack(azure)) return { config };
    return { config, endpoints: JSON.stringify(stackEnvironment(azure, azureFactsOf(input.facts))) };
  },

  credentialsSecret({ config, credentials, identity }) {
    const name = "azure-credentials";
    if (credentials === undefined) return { name, data: undefined };
    const azure = azureOf(config);
    const { subscriptionId = "", clientId = "", clientSecret = "", tenantId = "" } = credentials;
    return {
      name,
      data: {
        azure_subscription_id: subscriptionId,
        azure_client_id: clientId,
        azure_client_secret: clientSecret,
        azure_tenant_id: tenantId,
        azure_resource_prefix: identity.infraID,
        azure_resourcegroup: resourceGroupOf(azure, identity.infraID),
        azure_region: azure.region,
      },
    };
  },

  networkMtu: () => undefined,

  /** Growing the root file system takes minutes on the disks of Azure; a partition for /var keeps it small. */
  pointerAdditions: (_, role) => (role === "master" ? varPartition() : {}),

  customBootImage: choosesComputeImage,

  diskDevice,

  extra: (input) => [...storageDriver(input)],
};

/**
 * Zones of the cluster's domain by their identifiers, which are guessed from names. Azure Stack Hub has zones of one kind
 * only; with DNS of the user's the identifiers are empty.
 */
function dnsZones(input: PlatformInput): JsonObject {
  const { config, identity, release } = input;
  const azure = azureOf(config);
  const { publish, operatorPublishingStrategy: strategy } = config;
  const zone = (group: string, type: string, name: string): JsonObject => ({
    id: `/subscriptions/${subscriptionOf(input)}/resourceGroups/${group}/providers/Microsoft.Network/${type}/${name}`,
  });
  const base = zone(azure.baseDomainResourceGroupName ?? "", "dnszones", config.baseDomain);
  const published = publish === "External" || (publish === "Mixed" && strategy?.ingress !== "Internal");
  if (isStack(azure))
    return {
      ...(published ? { publicZone: base } : {}),
      ...(has(release, "ownZoneOnStack") ? { privateZone: base } : {}),
    };
  if (userProvidesDns(azure)) return { privateZone: {}, publicZone: {} };
  return {
    privateZone: zone(resourceGroupOf(azure, identity.infraID), "privateDnsZones", clusterDomain(config)),
    ...(published ? { publicZone: base } : {}),
  };
}

/** The config of the cloud provider, with members in the order in which the installer writes them. */
function providerConfig(input: PlatformInput): JsonObject {
  const { config, identity, release } = input;
  const { infraID } = identity;
  const azure = azureOf(config);
  const group = resourceGroupOf(azure, infraID);
  const stack = isStack(azure);
  const nodes = subnetsFor(azure, release, NODE);
  // Compute machines are made before this config, and with several NAT gateways they sort the list in place
  // (openshift/installer pkg/asset/machines/worker.go, 8014c32032).
  const [subnet = `${infraID}-worker-subnet`] =
    azure.outboundType === MULTI_ZONE ? [...nodes].sort(byCodeUnit) : nodes;
  return {
    cloud: azure.cloudName,
    tenantId: tenantOf(input),
    aadClientId: "",
    aadClientSecret: "",
    aadClientCertPath: "",
    aadClientCertPassword: "",
    useManagedIdentityExtension: makesIdentity(config, release),
    userAssignedIdentityID: "",
    subscriptionId: subscriptionOf(input),
    ...(stack && azure.armEndpoint ? { resourceManagerEndpoint: azure.armEndpoint } : {}),
    resourceGroup: group,
    location: azure.region,
    vnetName: networkNameOf(azure, infraID),
    vnetResourceGroup: azure.networkResourceGroupName || group,
    subnetName: subnet,
    securityGroupName: `${infraID}-nsg`,
    routeTableName: `${infraID}-node-routetable`,
    vmType: "standard",
    loadBalancerSku: stack && !has(release, "standardLoadBalancerOnStack") ? "basic" : "standard",
    cloudProviderBackoff: true,
    ...(stack ? {} : { useInstanceMetadata: true }),
    excludeMasterFromStandardLB: false,
    cloudProviderBackoffDuration: 6,
    putVMSSVMBatchSize: 0,
    enableMigrateToIPBasedBackendPoolAPI: false,
  };
}

/** The driver encrypts volumes with the set of defaultMachinePlatform; a pool's own set does not count. */
function storageDriver(input: PlatformInput): Rendering[] {
  const set = azureOf(input.config).defaultMachinePlatform?.osDisk?.diskEncryptionSet;
  if (set === undefined) return [];
  return [
    {
      template: "manifests/azure/cluster-csi-driver-config.yaml",
      path: "manifests/cluster-csi-driver-config.yaml",
      view: {
        subscriptionID: set.subscriptionId || subscriptionOf(input),
        resourceGroup: set.resourceGroup ?? "",
        name: set.name ?? "",
      },
    },
  ];
}

const choosesImage = (section: ReturnType<typeof poolSection>): boolean =>
  Object.values(section?.osImage ?? {}).some((value) => value !== "");

/** True when the user chose the boot image of any compute machines. */
function choosesComputeImage({ config, release }: PlatformInput): boolean {
  if (!has(release, "bootImageOptOut")) return false;
  return (
    choosesImage(azureOf(config).defaultMachinePlatform) ||
    config.compute.some((pool) => choosesImage(poolSection(pool)))
  );
}

/** A disk by its number in the machine; disks are set up in the order in which both lists have them. */
function diskDevice(
  { config, release }: PlatformInput,
  pool: MachinePool,
  _: DiskSetup,
  index: number,
): string | undefined {
  const disk = pool.platform?.azure?.dataDisks?.[index];
  return disk === undefined || !isEnabled(config, release)
    ? undefined
    : `/dev/disk/azure/scsi1/lun${disk.lun ?? 0}`;
}

const isEnabled = (config: NormalConfig, release: PlatformInput["release"]): boolean =>
  gateEnabled(release, config, "AzureMultiDisk");

/**
 * The installer sorts the zones of compute machines in place, and with several NAT gateways the subnets too, before it
 * writes the object. A list that pools took from defaultMachinePlatform is one for all of them (openshift/installer
 * pkg/asset/machines/azure/machinesets.go, `MachineSets`; pkg/asset/installconfig/azure/metadata.go,
 * `GenerateZonesSubnetMap`).
 */
function sortedInPlace(installConfig: JsonObject, { config, release }: PlatformInput): JsonObject {
  if (!has(release, "zonesOnce")) return installConfig;
  const { defaultMachinePlatform, outboundType } = azureOf(config);
  const ofCompute = new Set(config.compute.map((pool) => pool.platform.azure?.zones));
  const zones = (whole: Json, path: readonly string[], section: AzureMachinePool | undefined): Json =>
    section?.zones === undefined || !ofCompute.has(section.zones)
      ? whole
      : inside(whole, path, (found) => ({ ...found, zones: [...(section.zones ?? [])].sort(byCodeUnit) }));
  const { compute, ...rest } = installConfig;
  const pools = isList(compute)
    ? compute.map((pool, index) => zones(pool, ["platform", "azure"], config.compute[index]?.platform.azure))
    : [];
  const withPools: Json = compute === undefined ? installConfig : { ...rest, compute: pools };
  const ofControlPlane = config.controlPlane.platform.azure;
  const sorted = zones(
    zones(withPools, ["controlPlane", "platform", "azure"], ofControlPlane),
    ["platform", "azure", "defaultMachinePlatform"],
    defaultMachinePlatform,
  );
  const result =
    outboundType === MULTI_ZONE ? inside(sorted, ["platform", "azure"], withSubnetsByName) : sorted;
  return isObject(result) ? result : installConfig;
}

const withSubnetsByName = (section: JsonObject): JsonObject =>
  isList(section["subnets"])
    ? { ...section, subnets: [...section["subnets"]].sort((a, b) => byCodeUnit(nameIn(a), nameIn(b))) }
    : section;

const nameIn = (value: Json): string => (isObject(value) ? String(value["name"]) : "");
