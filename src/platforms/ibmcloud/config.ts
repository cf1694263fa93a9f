/** The ibmcloud section of an install-config, and what follows from it alone. */
import type { IbmcloudMachinePool, IbmcloudPlatform } from "../../generated/types/install-config.js";
import type { NormalConfig, NormalPool } from "../config.js";

export type { IbmcloudMachinePool, IbmcloudPlatform };

export type IbmcloudConfig = IbmcloudPlatform & { readonly region: string };

/** The ibmcloud section; a config of another platform has none, which is a bug here. */
export function ibmcloudOf(config: NormalConfig): IbmcloudConfig {
  const section = config.platform.ibmcloud;
  if (section === undefined) throw new Error("the install-config has no section platform.ibmcloud");
  return { ...section, region: section.region ?? "" };
}

/** The ibmcloud section of a pool as it is written; empty when it has none. */
export const poolSection = (pool: NormalPool): IbmcloudMachinePool => pool.platform.ibmcloud ?? {};

/** True when the API is reachable from within the VPC alone. */
export const isPrivate = (config: NormalConfig): boolean => config.publish === "Internal";

export type Role = "master" | "worker";

/** The subnets that are brought along for machines of a role; empty when the network is to be made. */
export const existingSubnets = (section: IbmcloudPlatform, role: Role): readonly string[] =>
  (role === "master" ? section.controlPlaneSubnets : section.computeSubnets) ?? [];

/** The settings of a pool: its own win over those of defaultMachinePlatform; what is empty counts as not given. */
export function mergeSections(
  fallback: IbmcloudMachinePool,
  own: IbmcloudMachinePool,
): Required<IbmcloudMachinePool> {
  const list = <T>(first: readonly T[] = [], second: readonly T[] = []): T[] => [
    ...(first.length > 0 ? first : second),
  ];
  return {
    type: own.type || fallback.type || DEFAULT_PROFILE,
    zones: list(own.zones, fallback.zones),
    bootVolume: {
      encryptionKey: own.bootVolume?.encryptionKey || fallback.bootVolume?.encryptionKey || "",
    },
    dedicatedHosts: list(own.dedicatedHosts, fallback.dedicatedHosts),
  };
}

/** openshift/installer pkg/asset/machines/worker.go, defaultIBMCloudMachinePoolPlatform. */
const DEFAULT_PROFILE = "bx2-4x16";

/** The URL that the config gives for a service of the cloud; undefined where it is the cloud's own. */
export const endpointOf = (section: IbmcloudPlatform, service: string): string | undefined =>
  section.serviceEndpoints?.find(({ name }) => name === service)?.url;

/** The members that name subnets, by the role of the machines. */
export const SUBNET_LISTS: readonly {
  readonly role: Role;
  readonly list: "controlPlaneSubnets" | "computeSubnets";
}[] = [
  { role: "master", list: "controlPlaneSubnets" },
  { role: "worker", list: "computeSubnets" },
];
