/**
 * The install-config as everything behind its phase sees it: upconverted, with all defaults filled in, and valid.
 */
import type {
  DiskSetup,
  InstallConfig,
  MachinePool,
  Networking,
  Platform,
} from "../generated/types/install-config.js";

export type { DiskSetup, InstallConfig, MachinePool, Networking };

/** A member list made required and never undefined. */
export type With<T, K extends keyof T> = T & { [P in K]-?: Exclude<T[P], undefined> };

export interface NormalNetworking extends Networking {
  networkType: string;
  machineNetwork: { cidr: string }[];
  clusterNetwork: { cidr: string; hostPrefix: number }[];
  serviceNetwork: string[];
}

export type NormalPool = With<
  MachinePool,
  "name" | "replicas" | "hyperthreading" | "architecture" | "platform"
>;

export interface NormalConfig extends InstallConfig {
  apiVersion: "v1";
  metadata: { name: string };
  baseDomain: string;
  additionalTrustBundlePolicy: string;
  networking: NormalNetworking;
  controlPlane: NormalPool;
  arbiter?: NormalPool;
  compute: NormalPool[];
  platform: Platform;
  publish: string;
  pullSecret: string;
}

/** The platforms that the field `platform` may name, in the order in which the installer looks for the active one. */
export const PLATFORM_NAMES = [
  "aws",
  "azure",
  "baremetal",
  "gcp",
  "ibmcloud",
  "none",
  "external",
  "powervc",
  "openstack",
  "vsphere",
  "ovirt",
  "powervs",
  "nutanix",
] as const;
export type PlatformName = (typeof PLATFORM_NAMES)[number];

/** The active platform of a config; undefined when none is named (facts/install-config-and-manifests.md §1.7). */
export const activePlatform = (config: InstallConfig): PlatformName | undefined =>
  PLATFORM_NAMES.find((name) => config.platform?.[name] !== undefined && config.platform[name] !== null);

/** `<name>.<baseDomain>` without a trailing dot. */
export const clusterDomain = (config: NormalConfig): string =>
  `${config.metadata.name}.${config.baseDomain.replace(/\.$/, "")}`;
