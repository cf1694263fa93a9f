/** Offline facts of azure, arranged for looking things up. */
import { byCodeUnit } from "../../../core/files.js";
import type { JsonObject } from "../../../core/json.js";
import type {
  AzureFacts,
  AzureInstanceType,
  AzureReleaseImage,
  CloudFacts,
} from "../../../generated/types/cloud-facts.js";
import type { NormalConfig } from "../../config.js";
import { streamPart } from "../../coreos-stream.js";
import { type AzureConfig, isStack } from "../config.js";
import { storageSuffix } from "../tables.js";

export type { AzureFacts, AzureInstanceType, AzureReleaseImage };

export const azureFactsOf = (facts: CloudFacts | undefined): AzureFacts => facts?.azure ?? {};

const same = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

/** What is known about a machine type; names are compared without regard to case, as Azure does it. */
export const instanceType = (facts: AzureFacts, name: string): AzureInstanceType | undefined =>
  facts.instanceTypes?.find((each) => same(each.name, name));

/** The value of a capability; undefined where the type does not have it. */
export const capability = (type: AzureInstanceType | undefined, name: string): string | undefined =>
  type?.capabilities.find((each) => each.name === name)?.value;

/** The newest generation of machines that the type can be; undefined where that is not known. */
export function generationOf(type: AzureInstanceType | undefined): string | undefined {
  const generations = generationsOf(type);
  return generations?.[generations.length - 1];
}

/** The generations of machines that the type can be, in order. */
export const generationsOf = (type: AzureInstanceType | undefined): readonly string[] | undefined =>
  capability(type, "HyperVGenerations")
    ?.split(",")
    .map((each) => each.trim().toUpperCase())
    .sort(byCodeUnit);

export const offersAcceleration = (type: AzureInstanceType | undefined): boolean =>
  same(capability(type, "AcceleratedNetworkingEnabled") ?? "", "true");

/** The subnet of the existing network, with its address blocks in the order in which the installer looks at them. */
export function subnetFact(facts: AzureFacts, name: string): SubnetFact | undefined {
  const network = facts.virtualNetwork;
  const found = network?.subnets?.find((each) => each.name === name);
  if (network === undefined || found === undefined) return undefined;
  const { addressPrefix = "", addressPrefixes = [], natGateway = false } = found;
  return {
    id: found.id || `${network.id}/subnets/${name}`,
    blocks: [...addressPrefixes, ...(addressPrefix === "" ? [] : [addressPrefix])],
    judged: addressPrefix === "" ? addressPrefixes[0] : addressPrefix,
    natGateway,
  };
}

export interface SubnetFact {
  readonly id: string;
  readonly blocks: readonly string[];
  /** The one that has to be in a machine network (openshift/installer pkg/asset/installconfig/azure/validation.go, validateSubnet). */
  readonly judged: string | undefined;
  readonly natGateway: boolean;
}

/** The release's images for the architecture: the facts' own, else the stream's. */
export function releaseImage(
  { images }: AzureFacts,
  stream: JsonObject | undefined,
  architecture: "amd64" | "arm64",
): AzureReleaseImage | undefined {
  const given = images?.[architecture];
  if (given !== undefined || stream === undefined) return given;
  const part = (...path: readonly string[]): string => {
    const value = streamPart(stream, architecture, "rhel-coreos-extensions", ...path);
    return typeof value === "string" ? value : "";
  };
  const disk = part("azure-disk", "url");
  if (disk === "") return undefined;
  const urn = (generation: string): string | undefined => {
    const parts = ["publisher", "offer", "sku", "version"].map((name) =>
      part("marketplace", "azure", "no-purchase-plan", generation, name),
    );
    return parts.every((each) => each !== "") ? parts.join(":") : undefined;
  };
  const [gen1, gen2] = [urn("hyperVGen1"), urn("hyperVGen2")];
  return {
    url: disk,
    ...(gen2 === undefined ? {} : { gen2, ...(gen1 === undefined ? {} : { gen1 }) }),
  };
}

/** The endpoints of the cluster's cloud that the installer's session holds, on Azure Stack Hub. */
export interface StackEnvironment {
  readonly [member: string]: string | { readonly [member: string]: string };
}

const STACK_MEMBERS = [
  "name",
  "managementPortalURL",
  "publishSettingsURL",
  "serviceManagementEndpoint",
  "resourceManagerEndpoint",
  "activeDirectoryEndpoint",
  "galleryEndpoint",
  "keyVaultEndpoint",
  "managedHSMEndpoint",
  "graphEndpoint",
  "serviceBusEndpoint",
  "batchManagementEndpoint",
  "microsoftGraphEndpoint",
  "storageEndpointSuffix",
  "cosmosDBDNSSuffix",
  "mariaDBDNSSuffix",
  "mySqlDatabaseDNSSuffix",
  "postgresqlDatabaseDNSSuffix",
  "sqlDatabaseDNSSuffix",
  "trafficManagerDNSSuffix",
  "keyVaultDNSSuffix",
  "managedHSMDNSSuffix",
  "serviceBusEndpointSuffix",
  "serviceManagementVMDNSSuffix",
  "resourceManagerVMDNSSuffix",
  "containerRegistryDNSSuffix",
  "tokenAudience",
  "apiManagementHostNameSuffix",
  "synapseEndpointSuffix",
  "datalakeSuffix",
];
const STACK_RESOURCES = [
  "graph",
  "keyVault",
  "datalake",
  "batch",
  "operationalInsights",
  "ossRDBMS",
  "storage",
  "synapse",
  "serviceBus",
  "sqlDatabase",
  "cosmosDB",
  "managedHSM",
  "microsoftGraph",
];

/** The end of the hub's names: the host of its resource manager without its first part. */
export const stackSuffix = (armEndpoint: string): string => {
  const [first = ""] = armEndpoint.split(".");
  return armEndpoint.replace(first, "").replace(/^\./, "").replace(/\/$/, "");
};

/** As Azure/go-autorest autorest/azure/metadata_environment.go makes it from what the hub answers. */
export function stackEnvironment({ armEndpoint = "" }: AzureConfig, facts: AzureFacts): StackEnvironment {
  const {
    galleryEndpoint = "",
    graphEndpoint = "",
    authentication,
  } = facts.stackEndpoints ?? {
    authentication: undefined,
  };
  const suffix = stackSuffix(armEndpoint);
  const known: Readonly<Record<string, string>> = {
    name: "HybridEnvironment",
    resourceManagerEndpoint: armEndpoint,
    activeDirectoryEndpoint: authentication?.loginEndpoint ?? "",
    galleryEndpoint,
    keyVaultEndpoint: `https://vault.${suffix}`,
    graphEndpoint,
    storageEndpointSuffix: suffix,
    keyVaultDNSSuffix: `vault.${suffix}`,
    tokenAudience: authentication?.audiences[0] ?? "",
  };
  return {
    ...Object.fromEntries(STACK_MEMBERS.map((name) => [name, known[name] ?? ""])),
    resourceIdentifiers: Object.fromEntries(STACK_RESOURCES.map((name) => [name, ""])),
  };
}

/** The end of the host names of storage accounts. */
export const storageSuffixOf = (azure: AzureConfig): string =>
  isStack(azure) ? stackSuffix(azure.armEndpoint ?? "") : storageSuffix(azure.cloudName);

/** The architecture of a pool's images. */
export const architectureOf = ({ architecture }: NormalConfig["controlPlane"]): "amd64" | "arm64" =>
  architecture === "arm64" ? "arm64" : "amd64";
