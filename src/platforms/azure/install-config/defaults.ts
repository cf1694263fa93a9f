/** Defaults of platform.azure and of its machine pools (openshift/installer pkg/types/azure/defaults). */
import type { Release } from "../../../core/release.js";
import type { CloudFacts } from "../../../generated/types/cloud-facts.js";
import type { InstallConfig, NormalConfig, NormalPool } from "../../config.js";
import { type AzureMachinePool, LOAD_BALANCER } from "../config.js";
import { has, PUBLIC } from "../tables.js";

/** Fills in the platform, and the pools where the release merges them with defaultMachinePlatform. */
export function applyDefaults(config: NormalConfig, release: Release): NormalConfig {
  const { azure } = config.platform;
  if (azure === undefined) return config;
  const filled = {
    ...azure,
    cloudName: azure.cloudName || PUBLIC,
    outboundType: azure.outboundType || LOAD_BALANCER,
    ...(has(release, "ipFamily") ? { ipFamily: azure.ipFamily || "IPv4" } : {}),
  };
  const next: NormalConfig = { ...config, platform: { ...config.platform, azure: filled } };
  if (!has(release, "poolsMerged")) return next;
  const merge = (pool: NormalPool): NormalPool => mergePool(pool, azure.defaultMachinePlatform);
  next.controlPlane = merge(config.controlPlane);
  next.compute = config.compute.map(merge);
  if (config.arbiter !== undefined) next.arbiter = merge(config.arbiter);
  return next;
}

/** A pool without a section of its own gets one only when there is a default one. */
function mergePool(pool: NormalPool, fallback: AzureMachinePool | undefined): NormalPool {
  const own = pool.platform.azure;
  if (own === undefined && fallback === undefined) return pool;
  return { ...pool, platform: { ...pool.platform, azure: mergeSections(fallback, own) } };
}

/**
 * Members of `own` win over those of `fallback`: the disk's one by one, every other as a whole. An empty text, an empty
 * list of zones, 0 and false count as not given.
 */
export function mergeSections(
  fallback: AzureMachinePool | undefined,
  own: AzureMachinePool | undefined,
): AzureMachinePool {
  const merged = { ...given(fallback ?? {}), ...given(own ?? {}) };
  const osDisk = { ...given(fallback?.osDisk ?? {}), ...given(own?.osDisk ?? {}) };
  return Object.keys(osDisk).length === 0 ? merged : { ...merged, osDisk };
}

function given<T extends object>(section: T): T {
  const kept = { ...section };
  for (const [name, value] of Object.entries(section)) {
    const empty = value === "" || value === 0 || value === false || (name === "zones" && value.length === 0);
    if (empty || ((name === "osImage" || name === "osDisk") && Object.keys(given(value)).length === 0))
      Reflect.deleteProperty(kept, name);
  }
  return kept;
}

/**
 * An encryption set without subscription is in that of the cluster, which only a session, or facts, know; filled in
 * before the rules (openshift/installer pkg/asset/installconfig/installconfig.go, finishAzure).
 */
export function finish(config: InstallConfig, facts: CloudFacts | undefined): InstallConfig {
  const azure = config.platform?.azure;
  const subscription = facts?.azure?.subscriptionID ?? "";
  if (azure === undefined || subscription === "") return config;
  const section = (pool: AzureMachinePool): AzureMachinePool => {
    const set = pool.osDisk?.diskEncryptionSet;
    if (set === undefined || set.subscriptionId) return pool;
    return {
      ...pool,
      osDisk: { ...pool.osDisk, diskEncryptionSet: { ...set, subscriptionId: subscription } },
    };
  };
  const withSection = <T extends { platform?: { azure?: AzureMachinePool } }>(pool: T): T =>
    pool.platform?.azure === undefined
      ? pool
      : { ...pool, platform: { ...pool.platform, azure: section(pool.platform.azure) } };
  const { defaultMachinePlatform } = azure;
  return {
    ...config,
    ...(config.controlPlane === undefined ? {} : { controlPlane: withSection(config.controlPlane) }),
    ...(config.compute === undefined ? {} : { compute: config.compute.map(withSection) }),
    platform: {
      ...config.platform,
      azure: {
        ...azure,
        ...(defaultMachinePlatform === undefined
          ? {}
          : { defaultMachinePlatform: section(defaultMachinePlatform) }),
      },
    },
  };
}
