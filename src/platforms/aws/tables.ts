/** What the data tables of aws say; the tables are in data/. */

import { factsAt } from "../../core/by-release.js";
import features from "./data/features.json" with { type: "json" };
import instanceTypes from "./data/instance-types.json" with { type: "json" };
import partitions from "./data/partitions.json" with { type: "json" };
import zones from "./data/zones.json" with { type: "json" };

/** True when the installer of the release does what the feature says (data/features.json). */
export const has = factsAt(features.features);

export type Topology = "HighlyAvailable" | "SingleReplica";

/** Instance types in order of preference; the list of amd64 for an architecture without one of its own. */
export function preferredInstanceTypes(architecture: string, topology: Topology): readonly string[] {
  const types = architecture === "arm64" ? instanceTypes.types.arm64 : instanceTypes.types.amd64;
  return types[topology];
}

const LIMITED: ReadonlySet<string> = new Set(zones.limited);

/** True for a zone whose offer is too small to be taken by default. */
export const isLimitedZone = (zone: string): boolean => LIMITED.has(zone);

export interface Partition {
  readonly id: string;
  /** Service that assumes the roles of machines. */
  readonly ec2Principal: string;
  /** True when a boot image may be copied from the default region. */
  readonly copiesImages: boolean;
  /** True for partitions whose endpoints have certificates of their own. */
  readonly secret: boolean;
}

const STANDARD: Partition = {
  id: "aws",
  ec2Principal: "ec2.amazonaws.com",
  copiesImages: false,
  secret: false,
};

/** The partition of a region; a region of no known pattern counts as one of the standard partition without images. */
export const partitionOf = (region: string): Partition =>
  partitions.partitions.find((each) => new RegExp(each.regions).test(region)) ?? STANDARD;

/** The region that boot images are copied from when the cluster's region has none. */
export const DEFAULT_IMAGE_REGION = partitions.defaultImageRegion;
