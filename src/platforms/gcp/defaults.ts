/** Defaults of platform.gcp and of its machine pools (openshift/installer pkg/types/gcp/defaults, machinepools.go). */
import type { Release } from "../../core/release.js";
import type { CloudFacts } from "../../generated/types/cloud-facts.js";
import type { InstallConfig, NormalConfig, NormalPool } from "../config.js";
import type { GcpMachinePool, GcpPlatform } from "./config.js";
import { defaultDisk, diskFollowsType, diskTypesOf, has } from "./tables.js";

/**
 * What the installer asks the cloud for when it reads the install-config (pkg/asset/installconfig/installconfig.go,
 * finishGCP): whether Google's public endpoints can be reached, and whether firewall rules may be made.
 */
export function finish(
  config: InstallConfig,
  facts: CloudFacts | undefined,
  release: Release,
): InstallConfig {
  const gcp = config.platform?.gcp;
  if (gcp === undefined || !has(release, "endpoint")) return config;
  const mayNot = facts?.gcp?.firewallPermissions === false && (gcp.networkProjectID ?? "") !== "";
  const next: GcpPlatform = {
    ...gcp,
    firewallRulesManagement: gcp.firewallRulesManagement || (mayNot ? "Unmanaged" : "Managed"),
  };
  if (gcp.endpoint !== undefined) next.endpoint = { clusterUseOnly: true, ...gcp.endpoint };
  return { ...config, platform: { ...config.platform, gcp: next } };
}

const mergesPools = (release: Release): boolean =>
  has(release, "poolsMerged") || has(release, "poolsMergedAgain");

/** Fills in the platform and the pools. */
export function applyDefaults(config: NormalConfig, release: Release): NormalConfig {
  const gcp = config.platform.gcp;
  if (gcp === undefined) return config;
  const fallback = gcp.defaultMachinePlatform;
  const fill = (pool: NormalPool): NormalPool => {
    const own = pool.platform.gcp;
    const merged =
      mergesPools(release) && (own ?? fallback) !== undefined ? withFallback(fallback, own) : own;
    return merged === undefined
      ? pool
      : { ...pool, platform: { ...pool.platform, gcp: withDefaults(merged, gcp, release) } };
  };
  const platform =
    fallback !== undefined && has(release, "platformKeyDefaults")
      ? { ...gcp, defaultMachinePlatform: withKeyDefaults(fallback, gcp) }
      : gcp;
  return {
    ...config,
    controlPlane: fill(config.controlPlane),
    compute: config.compute.map(fill),
    ...(config.arbiter === undefined ? {} : { arbiter: fill(config.arbiter) }),
    platform: { ...config.platform, gcp: platform },
  };
}

/** What the pool says and does not count, such as a negative size, stays for the rules to see. */
function withFallback(fallback: GcpMachinePool = {}, own: GcpMachinePool = {}): GcpMachinePool {
  const merged = mergeSections(fallback, own);
  return { ...own, ...merged, osDisk: { ...own.osDisk, ...merged.osDisk } };
}

function withDefaults(section: GcpMachinePool, gcp: GcpPlatform, release: Release): GcpMachinePool {
  const keyed = has(release, "poolKeyDefaults") ? withKeyDefaults(section, gcp) : section;
  const { type = "", osDisk } = keyed;
  if (type === "" || (osDisk?.diskType ?? "") !== "" || !diskFollowsType(release)) return keyed;
  if (diskTypesOf(type, release) === undefined) return keyed;
  return { ...keyed, osDisk: { ...osDisk, diskType: defaultDisk(type, gcp, release) } };
}

function withKeyDefaults(section: GcpMachinePool, gcp: GcpPlatform): GcpMachinePool {
  const { osDisk } = section;
  const key = osDisk?.encryptionKey?.kmsKey;
  if (key === undefined) return section;
  const kmsKey = {
    ...key,
    projectID: key.projectID || (gcp.projectID ?? ""),
    location: key.location || (gcp.region ?? ""),
  };
  return { ...section, osDisk: { ...osDisk, encryptionKey: { ...osDisk?.encryptionKey, kmsKey } } };
}

/** Members of `own` win over those of `fallback`; an empty text, an empty list of zones and 0 count as not given. */
export function mergeSections(fallback: GcpMachinePool, own: GcpMachinePool): GcpMachinePool {
  const { osDisk: under, ...rest } = fallback;
  const { osDisk: over, tags, ...members } = own;
  const keys = [under?.encryptionKey, over?.encryptionKey].filter((key) => key !== undefined);
  const kmsKeys = keys.flatMap(({ kmsKey }) => kmsKey ?? []).map(given);
  const disk = { ...given(under ?? {}), ...given(over ?? {}) };
  const [firstKey, lastKey] = [keys[0], keys.at(-1)];
  return {
    ...given(rest),
    ...(fallback.tags === undefined ? {} : { tags: fallback.tags }),
    ...given(members),
    // An empty list of tags takes those of the default away.
    ...(tags === undefined ? {} : { tags }),
    ...(under === undefined && over === undefined
      ? {}
      : {
          osDisk:
            firstKey === undefined
              ? disk
              : {
                  ...disk,
                  encryptionKey: {
                    ...given(firstKey),
                    ...given(lastKey ?? {}),
                    ...(kmsKeys.length === 0 ? {} : { kmsKey: { ...kmsKeys[0], ...kmsKeys.at(-1) } }),
                  },
                },
        }),
  };
}

/** Without members that count as not given. */
function given<T extends object>(section: T): T {
  const kept = { ...section };
  for (const [name, value] of Object.entries(section))
    if (
      value === "" ||
      (typeof value === "number" && value <= 0) ||
      (Array.isArray(value) && value.length === 0)
    )
      Reflect.deleteProperty(kept, name);
  return kept;
}
