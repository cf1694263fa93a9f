/** Names that things of a cluster have in the cloud (openshift/installer pkg/asset/manifests/powervs, pkg/asset/machines/powervs). */
import type { CloudFacts } from "../../generated/types/cloud-facts.js";
import type { PlatformInput } from "../platform.js";
import { uuidDigits } from "../uuid.js";
import type { PowervsPlatform } from "./config.js";
import { has } from "./tables.js";

export const workspaceName = (infraID: string): string => `${infraID}-power-iaas`;
export const imageName = (infraID: string): string => `rhcos-${infraID}`;
export const sshKeyName = (infraID: string): string => `${infraID}-key`;
export const publicLoadBalancer = (infraID: string): string => `${infraID}-loadbalancer`;
export const privateLoadBalancer = (infraID: string): string => `${infraID}-loadbalancer-int`;
export const storageInstance = (infraID: string): string => `${infraID}-cos`;
export const ignitionBucket = (infraID: string): string => `${infraID}-bootstrap-ign`;
/** A subnet that is made in a zone of the VPC. */
export const subnetName = (infraID: string, zone: string): string => `${infraID}-vpcsubnet-${zone}`;
export const networkName = (infraID: string): string => `${infraID}-network`;
/** The network that machines get their addresses from, by its pattern. */
export const networkPattern = (infraID: string): string => `^DHCPSERVER.*${infraID}.*_Private$`;

/** The name of the VPC: of the one that is brought along, which may be named by its identifier, else of a new one. */
export function vpcName(
  { vpcName: given = "" }: PowervsPlatform,
  infraID: string,
  facts: CloudFacts,
): string {
  if (given === "") return `vpc-${infraID}`;
  const known = facts.powervs?.vpc;
  return known?.id === given ? known.name : given;
}

/**
 * True for a transit gateway that is named by its identifier, from the release on that looks for it by that; an identifier
 * is a UUID where the facts do not say (openshift/installer pkg/asset/installconfig/powervs/client.go).
 */
export function namesGatewayByIdentifier(
  { tgName = "" }: PowervsPlatform,
  { facts: { powervs }, release }: Pick<PlatformInput, "facts" | "release">,
): boolean {
  if (!has(release, "vpcByIdentifier")) return false;
  const known = powervs?.transitGateways;
  return known === undefined ? uuidDigits(tgName) !== undefined : known.some(({ id }) => id === tgName);
}
