/** The azure section of an install-config, and what follows from it alone. */
import type { Release } from "../../core/release.js";
import type { AzureMachinePool, AzurePlatform } from "../../generated/types/install-config.js";
import type { NormalConfig, NormalPool } from "../config.js";
import { has, PUBLIC, STACK } from "./tables.js";

export type { AzureMachinePool, AzurePlatform };

export type AzureConfig = AzurePlatform & {
  readonly region: string;
  readonly cloudName: string;
  readonly outboundType: string;
};

export const LOAD_BALANCER = "Loadbalancer";
export const SINGLE_ZONE = "NATGatewaySingleZone";
export const MULTI_ZONE = "NATGatewayMultiZone";
export const OWN_ROUTES = "UserDefinedRouting";
/** What releases before 4.20 called the one NAT gateway. */
export const NAT_GATEWAY = "NatGateway";

export const CONTROL_PLANE = "control-plane";
export const NODE = "node";

/** The azure section; a config of another platform has none, which is a bug here. */
export function azureOf(config: NormalConfig): AzureConfig {
  const { azure } = config.platform;
  if (azure === undefined) throw new Error("the install-config has no section platform.azure");
  return {
    ...azure,
    region: azure.region ?? "",
    cloudName: azure.cloudName ?? PUBLIC,
    outboundType: azure.outboundType ?? LOAD_BALANCER,
  };
}

/** The azure section of a pool as it is written; undefined when it has none. */
export const poolSection = (pool: NormalPool): AzureMachinePool | undefined =>
  pool.platform.azure ?? undefined;

export const isStack = ({ cloudName }: AzurePlatform): boolean => cloudName === STACK;

/** True when the storage account of the cluster takes its shared keys. */
export const allowsSharedKey = (azure: AzurePlatform, release: Release): boolean =>
  isStack(azure) || (azure.allowSharedKeyAccess ?? has(release, "sharedKeyByDefault"));

export const userProvidesDns = ({ userProvisionedDNS }: AzurePlatform): boolean =>
  userProvisionedDNS === "Enabled";

/** True when the API can be reached from outside; the operators' strategies count with Mixed publishing. */
export const publishesApi = ({ publish, operatorPublishingStrategy }: NormalConfig): boolean =>
  publish === "" ||
  publish === "External" ||
  operatorPublishingStrategy?.apiserver?.toLowerCase() === "external";

export interface OwnSubnet {
  readonly name: string;
  readonly role: string;
}

/** The subnets that are brought along, in the order written; before 4.21 there was one field for each. */
export function ownSubnets(azure: AzurePlatform, release: Release): readonly OwnSubnet[] {
  if (has(release, "subnetList"))
    return (azure.subnets ?? []).map(({ name = "", role = "" }) => ({ name, role }));
  const one = (name: string | undefined, role: string): OwnSubnet[] => (name ? [{ name, role }] : []);
  return [...one(azure.controlPlaneSubnet, CONTROL_PLANE), ...one(azure.computeSubnet, NODE)];
}

export const subnetsFor = (azure: AzurePlatform, release: Release, role: string): readonly string[] =>
  ownSubnets(azure, release).flatMap((subnet) => (subnet.role === role ? [subnet.name] : []));

/** The resource group of the cluster. */
export const resourceGroupOf = (azure: AzurePlatform, infraID: string): string =>
  azure.resourceGroupName || `${infraID}-rg`;

/** The virtual network of the cluster. */
export const networkNameOf = (azure: AzurePlatform, infraID: string): string =>
  azure.virtualNetwork || `${infraID}-vnet`;

/**
 * True when an identity for the machines is made for the cluster: unless every pool, or the platform for them, says
 * otherwise (openshift/installer pkg/types/utils.go, CreateAzureIdentity).
 */
export function makesIdentity(config: NormalConfig, release: Release): boolean {
  const azure = azureOf(config);
  if (isStack(azure)) return false;
  if (!has(release, "identities")) return true;
  const open = (section: AzureMachinePool | undefined): boolean =>
    section?.identity === undefined ||
    (section.identity.type === "UserAssigned" &&
      (section.identity.userAssignedIdentities ?? []).length === 0);
  const [compute] = config.compute;
  return (
    open(azure.defaultMachinePlatform) &&
    (open(compute === undefined ? undefined : poolSection(compute)) || open(poolSection(config.controlPlane)))
  );
}
