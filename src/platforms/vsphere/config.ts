/** The vsphere section of an install-config, and what follows from it alone. */
import { posix } from "node:path";
import type {
  VsphereFailureDomain,
  VsphereHost,
  VspherePlatform,
  VspherePool,
  VsphereTopology,
  VsphereVcenter,
} from "../../generated/types/install-config.js";
import type { NormalConfig, NormalPool } from "../config.js";

export type {
  VsphereFailureDomain,
  VsphereHost,
  VspherePlatform,
  VspherePool,
  VsphereTopology,
  VsphereVcenter,
};

/** What a failure domain is named that was put together from the members of old releases. */
export const GENERATED = {
  name: "generated-failure-domain",
  region: "generated-region",
  zone: "generated-zone",
} as const;

/** True of a failure domain that was put together so, and of one that was copied out of such a cluster. */
export const isGenerated = ({ name, region }: VsphereFailureDomain): boolean =>
  name === GENERATED.name && region === GENERATED.region;

export const HOST_GROUP = "HostGroup";
/** Tags say what is a region and what a zone, in these categories of the vCenter. */
export const TAG_CATEGORIES = { region: "openshift-region", zone: "openshift-zone" } as const;

/** The vsphere section; a config of another platform has none, which is a bug here. */
export function vsphereOf(config: NormalConfig): VspherePlatform {
  const section = config.platform.vsphere;
  if (section === undefined) throw new Error("the install-config has no section platform.vsphere");
  return section;
}

/** A config whose vsphere section is another one. */
export const withVsphere = <Config extends { platform?: { vsphere?: VspherePlatform } }>(
  config: Config,
  vsphere: VspherePlatform,
): Config => ({ ...config, platform: { ...config.platform, vsphere } });

/** The section of a pool as it is written; undefined when it has none. */
export const poolSection = (pool: NormalPool): VspherePool | undefined => pool.platform.vsphere ?? undefined;

export const topologyOf = ({ topology = {} }: VsphereFailureDomain): VsphereTopology => topology;

/** A failure domain with other members of its topology. */
export const withTopology = (
  domain: VsphereFailureDomain,
  topology: VsphereTopology,
): VsphereFailureDomain => ({ ...domain, topology: { ...domain.topology, ...topology } });

/** A path as Go's `path.Clean` writes it: no double or trailing slashes, no dots; "." for nothing. */
export function cleanPath(path: string): string {
  const clean = posix.normalize(path);
  return clean.length > 1 ? clean.replace(/\/$/, "") : clean;
}

/** Parts of a path joined as Go's `path.Join` does. */
export const joinPath = (...parts: readonly string[]): string => {
  const given = parts.filter((part) => part !== "");
  return given.length === 0 ? "" : cleanPath(given.join("/"));
};
