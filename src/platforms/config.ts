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
  metadata: { name: string; namespace?: string };
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

/** A platform that the schema of install-configs knows. */
export type PlatformName = keyof Platform;

/** `<name>.<baseDomain>` without a trailing dot. */
export const clusterDomain = (config: NormalConfig): string =>
  `${config.metadata.name}.${config.baseDomain.replace(/\.$/, "")}`;

/** A member of a platform's section, whatever its type. */
export const fieldOf = (
  { platform }: Pick<InstallConfig, "platform">,
  name: PlatformName,
  member: string,
): unknown => new Map<string, unknown>(Object.entries(platform?.[name] ?? {})).get(member);
