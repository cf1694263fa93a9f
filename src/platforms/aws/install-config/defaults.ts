/** Defaults of platform.aws and of its machine pools (docs/reference/install-config-and-manifests.md §1.5, §1.6). */
import { lookup } from "../../../core/lookup.js";
import type { Release } from "../../../core/release.js";
import type { AwsMachinePool } from "../../../generated/types/install-config.js";
import type { NormalConfig, NormalPool } from "../../config.js";
import { isDualStack } from "../../ip-families.js";
import { has } from "../tables.js";

const ROOT_VOLUME_SIZE = 120;
const ROOT_VOLUME_TYPE = "gp3";
/** Local and Wavelength Zones do not offer gp3. */
const EDGE_ROOT_VOLUME_TYPE = "gp2";

/** Regions whose endpoints the SDK does not know by itself. */
const REGION_ENDPOINTS: Readonly<Record<string, readonly { name: string; url: string }[]>> = {
  "eusc-de-east-1": [
    { name: "ec2", url: "https://ec2.eusc-de-east-1.amazonaws.eu" },
    { name: "elasticloadbalancing", url: "https://elasticloadbalancing.eusc-de-east-1.amazonaws.eu" },
    { name: "s3", url: "https://s3.eusc-de-east-1.amazonaws.eu" },
    { name: "route53", url: "https://route53.amazonaws.eu" },
    { name: "iam", url: "https://iam.eusc-de-east-1.amazonaws.eu" },
    { name: "sts", url: "https://sts.eusc-de-east-1.amazonaws.eu" },
    { name: "tagging", url: "https://tagging.eusc-de-east-1.amazonaws.eu" },
  ],
};

/** Fills in the platform, and the pools where the release merges them with defaultMachinePlatform. */
export function applyDefaults(config: NormalConfig, release: Release): NormalConfig {
  const given = config.platform.aws;
  if (given === undefined) return config;
  const aws = { ...given };
  if (has(release, "ipFamily")) {
    aws.ipFamily = aws.ipFamily || "IPv4";
    if (!aws.lbType && isDualStack(aws)) aws.lbType = "NLB";
    const endpoints = lookup(REGION_ENDPOINTS, aws.region ?? "");
    if ((aws.serviceEndpoints ?? []).length === 0 && endpoints !== undefined)
      aws.serviceEndpoints = endpoints.map((each) => ({ ...each }));
  }
  const next: NormalConfig = { ...config, platform: { ...config.platform, aws } };
  if (!has(release, "poolsMerged")) return next;
  const merge = (pool: NormalPool): NormalPool => mergePool(pool, aws.defaultMachinePlatform);
  next.controlPlane = merge(config.controlPlane);
  next.compute = config.compute.map(merge);
  if (config.arbiter !== undefined) next.arbiter = merge(config.arbiter);
  return next;
}

/** A pool without a section of its own gets one only when there is a default one. */
function mergePool(pool: NormalPool, fallback: AwsMachinePool | undefined): NormalPool {
  const own = pool.platform.aws;
  if (own === undefined && fallback === undefined) return pool;
  const merged = mergeSections(fallback ?? {}, own ?? {});
  const rootVolume = { ...merged.rootVolume };
  rootVolume.type ||= pool.name === "edge" ? EDGE_ROOT_VOLUME_TYPE : ROOT_VOLUME_TYPE;
  rootVolume.size ||= ROOT_VOLUME_SIZE;
  return { ...pool, platform: { ...pool.platform, aws: { ...merged, rootVolume } } };
}

/** Members of `own` win over those of `fallback`; an empty text, an empty list and 0 count as not given. */
export function mergeSections(fallback: AwsMachinePool, own: AwsMachinePool): AwsMachinePool {
  const merged = given({ ...given(fallback), ...given(own) });
  const rootVolume = { ...given(fallback.rootVolume ?? {}), ...given(own.rootVolume ?? {}) };
  const metadataService = { ...given(fallback.metadataService ?? {}), ...given(own.metadataService ?? {}) };
  return { ...merged, rootVolume, metadataService };
}

/** A throughput of 0 is a value: the installer tells it from one that was left out. */
function given<T extends object>(section: T): T {
  const kept = { ...section };
  for (const [name, value] of Object.entries(section))
    if (
      value === "" ||
      (value === 0 && name !== "throughput") ||
      (Array.isArray(value) && value.length === 0)
    )
      Reflect.deleteProperty(kept, name);
  return kept;
}
