/**
 * What the installer fills in (docs/reference/install-config-and-manifests.md §1.2, §1.4, §1.5). What a platform adds,
 * its pools included, is in the folder of the platform.
 */
import { lookup } from "../../core/lookup.js";
import type { Release } from "../../core/release.js";
import type { InstallConfig, MachinePool, Platform } from "../../generated/types/install-config.js";
import { formatMac, parseMac } from "../../kubernetes/network.js";
import type { NormalConfig, NormalNetworking, NormalPool } from "../../platforms/config.js";
import { credentialsModes } from "../../platforms/credentials-rule.js";
import { type FeatureSelection, gateEnabled } from "../../platforms/enabled-gates.js";
import { osImageStreamOf } from "../../platforms/os-stream.js";
import type { PlatformRules } from "../../platforms/platform.js";
import { namedPlatforms, namedTraits } from "../../platforms/registry.js";
import { inForce } from "../../platforms/release-changes.js";

const DEFAULTS = {
  networkType: "OVNKubernetes",
  machineNetwork: "10.0.0.0/16",
  serviceNetwork: "172.30.0.0/16",
  clusterNetwork: { cidr: "10.128.0.0/14", hostPrefix: 23 },
  publish: "External",
  trustBundlePolicy: "Proxyonly",
  hyperthreading: "Enabled",
  architecture: "amd64",
} as const;

const REPLICAS: Readonly<Record<string, number>> = { edge: 0, arbiter: 0 };
const DEFAULT_REPLICAS = 3;

/**
 * The config with every default of a release filled in. Members that must be there and are not become empty, as they
 * are for the installer; the rules report them.
 */
export function applyDefaults(
  config: InstallConfig,
  release: Release,
  rules: PlatformRules | undefined,
): NormalConfig {
  const general = generalDefaults(config, release);
  return rules === undefined ? general : rules.applyDefaults(general, release);
}

function generalDefaults(config: InstallConfig, release: Release): NormalConfig {
  const platform = config.platform ?? {};
  const pool = (given: MachinePool | undefined, role: string): NormalPool =>
    poolDefaults({ ...given, name: role }, config, release);
  const compute = config.compute ?? [];
  const pools = compute.some(({ name }) => name === "worker") ? compute : [...compute, { name: "worker" }];
  const { arbiter, ...rest } = config;
  const normal: NormalConfig = {
    ...rest,
    apiVersion: "v1",
    metadata: { ...config.metadata, name: config.metadata?.name ?? "" },
    baseDomain: config.baseDomain ?? "",
    pullSecret: config.pullSecret ?? "",
    platform,
    publish: config.publish || DEFAULTS.publish,
    additionalTrustBundlePolicy: config.additionalTrustBundlePolicy || DEFAULTS.trustBundlePolicy,
    networking: networkingDefaults(config.networking ?? {}, platform),
    controlPlane: pool(config.controlPlane, "master"),
    compute: pools.map((each) => pool(each, each.name ?? "")),
  };
  if (arbiter !== undefined) normal.arbiter = pool(arbiter, "arbiter");
  const mode = config.credentialsMode || defaultCredentialsMode(platform, release);
  if (mode !== undefined) normal.credentialsMode = mode;
  if (inForce(release, "osImageStreamByDefault"))
    normal.osImageStream = osImageStreamOf({ config: normal, release });
  const strategy = config.operatorPublishingStrategy;
  if (strategy !== undefined)
    normal.operatorPublishingStrategy = {
      apiserver: strategy.apiserver || "External",
      ingress: strategy.ingress || "External",
    };
  return normal;
}

function networkingDefaults(
  networking: NonNullable<InstallConfig["networking"]>,
  platform: Platform,
): NormalNetworking {
  const or = <T>(list: readonly T[] | undefined, fallback: T): T[] =>
    list === undefined || list.length === 0 ? [fallback] : [...list];
  const machines =
    namedTraits({ platform }).find(({ machineNetwork }) => machineNetwork !== undefined)?.machineNetwork ??
    DEFAULTS.machineNetwork;
  return {
    ...networking,
    networkType: networking.networkType || DEFAULTS.networkType,
    machineNetwork: or(networking.machineNetwork, { cidr: machines }).map((entry) => ({
      ...entry,
      cidr: entry.cidr ?? "",
    })),
    serviceNetwork: or(networking.serviceNetwork, DEFAULTS.serviceNetwork),
    // A default prefix comes with the default block only; without one the prefix is 0, which the rules refuse.
    clusterNetwork: or(networking.clusterNetwork, DEFAULTS.clusterNetwork).map((entry) => ({
      ...entry,
      cidr: entry.cidr ?? "",
      hostPrefix: entry.hostPrefix ?? 0,
    })),
  };
}

function poolDefaults(
  pool: MachinePool & { name: string },
  selection: FeatureSelection,
  release: Release,
): NormalPool {
  const normal: NormalPool = {
    ...pool,
    name: pool.name,
    replicas: pool.replicas ?? lookup(REPLICAS, pool.name) ?? DEFAULT_REPLICAS,
    hyperthreading: pool.hyperthreading || DEFAULTS.hyperthreading,
    architecture: pool.architecture || DEFAULTS.architecture,
    platform: pool.platform ?? {},
  };
  if (pool.fencing?.credentials !== undefined && inForce(release, "fencingByMac"))
    normal.fencing = {
      ...pool.fencing,
      credentials: pool.fencing.credentials.map((each) => {
        const mac = parseMac(each.macAddress ?? "");
        return mac === undefined ? each : { ...each, macAddress: formatMac(mac) };
      }),
    };
  const gate = lookup(MANAGEMENT_GATES, pool.name);
  const managed = inForce(release, "managementByGate") && !pool.management;
  if (managed && gate !== undefined && gateEnabled(release, selection, gate))
    normal.management = "ClusterAPI";
  return normal;
}

const MANAGEMENT_GATES: Readonly<
  Record<string, "ClusterAPIControlPlaneInstall" | "ClusterAPIComputeInstall">
> = {
  master: "ClusterAPIControlPlaneInstall",
  worker: "ClusterAPIComputeInstall",
  edge: "ClusterAPIComputeInstall",
};

/** Platforms whose operators can do with one mode only; the others leave the choice to the cluster. */
const defaultCredentialsMode = (platform: Platform, release: Release): string | undefined =>
  namedPlatforms({ platform })
    .map((name) => credentialsModes({ platform }, name, release)?.initial)
    .find((mode) => mode !== undefined);
