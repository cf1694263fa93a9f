/**
 * Names that things of a cluster have in the cloud; they all start with the infrastructure ID
 * (openshift/installer pkg/asset/installconfig/ibmcloud/ibmcloud.go, subnet.go, pkg/asset/machines/ibmcloud).
 */
import type { NormalConfig } from "../config.js";
import { ibmcloudOf, type Role } from "./config.js";

const PLACES: Readonly<Record<Role, string>> = { master: "control-plane", worker: "compute" };

export const subnetName = (infraID: string, role: Role, zone: string): string =>
  `${infraID}-subnet-${PLACES[role]}-${zone}`;

/** A dedicated host that is made for the machines of a role. */
export const dedicatedHostName = (infraID: string, role: Role, zone: string): string =>
  `${infraID}-dhost-${PLACES[role]}-${zone}`;

export const vpcName = (config: NormalConfig, infraID: string): string =>
  ibmcloudOf(config).vpcName || `${infraID}-vpc`;

export const resourceGroupName = (config: NormalConfig, infraID: string): string =>
  ibmcloudOf(config).resourceGroupName || infraID;

export const networkResourceGroupName = (config: NormalConfig, infraID: string): string =>
  ibmcloudOf(config).networkResourceGroupName || resourceGroupName(config, infraID);

export const imageName = (infraID: string): string => `${infraID}-rhcos`;
export const imageBucket = (infraID: string): string => `${infraID}-vsi-image`;
export const ignitionBucket = (infraID: string): string => `${infraID}-bootstrap-ignition`;
export const storageInstance = (infraID: string): string => `${infraID}-cos`;

export const privateLoadBalancer = (infraID: string): string => `${infraID}-kubernetes-api-private`;
export const publicLoadBalancer = (infraID: string): string => `${infraID}-kubernetes-api-public`;
/** The pool of the private load balancer behind which machines get their configs. */
export const machineConfigPool = (infraID: string): string => `${infraID}-machine-config`;

export const bootstrapSecurityGroup = (infraID: string): string => `${infraID}-security-group-bootstrap`;

const GROUPS: Readonly<Record<Role, readonly string[]>> = {
  master: ["sg-cluster-wide", "sg-openshift-net", "sg-control-plane", "sg-cp-internal"],
  worker: ["sg-cluster-wide", "sg-openshift-net"],
};

/** The security groups of machines of a role. */
export const securityGroups = (infraID: string, role: Role): readonly string[] =>
  GROUPS[role].map((name) => `${infraID}-${name}`);
