/**
 * What differs between the releases, as data. Sources: openshift/installer, pkg/types at release-4.18 (9094202399),
 * 4.19 (34f7e1e353), 4.20 (e473406c3e), 4.21 (ca5361f96f) and 4.22 (8014c32032);
 * facts/install-config-and-manifests.md §5.
 */
import { atLeast, type Release } from "../core/release.js";

type Since = `${number}.${number}`;

/** The first release of each rule that is younger than the oldest release of ours. */
const RULES = {
  /** A networkType in odd letters is taken for OVNKubernetes, and Kuryr is recognised in any letters. */
  networkTypeInAnyLetters: "4.19",
  /** Blocks must keep clear of the ranges that OVN-Kubernetes reserves. */
  reservedRanges: "4.19",
  /** A block that is not a network is not compared with others. */
  badBlockStandsAlone: "4.19",
  equalHostPrefixes: "4.19",
  ipv6FirstWithoutPlatform: "4.19",
  awsSubnetRoles: "4.19",
  fencing: "4.19",
  sshKeyPerLine: "4.20",
  mixedArchitecturesUngated: "4.20",
  hostedDnsInstallGate: "4.20",
  certificateVerification: "4.20",
  diskSetup: "4.20",
  /** Pools of aws are merged with defaultMachinePlatform, and the result is written back. */
  awsPoolsMerged: "4.21",
  /** A root volume of size 0, and of type io1 or io2 with 0 operations, stands for the default. */
  zeroIsDefault: "4.21",
  mixedArchitecturesOnBaremetal: "4.21",
  openstackPassthrough: "4.21",
  sourcePolicy: "4.21",
  /** `metadata.creationTimestamp: null` is no longer written. */
  noNullTimestamp: "4.21",
  awsIpFamily: "4.22",
  throughputRatio: "4.22",
  arbiterWithoutGate: "4.22",
  arbiterWithoutPlatform: "4.22",
  fencingByMac: "4.22",
  osImageStream: "4.22",
  management: "4.22",
  reservedNamesOnAzure: "4.22",
  noBootstrapInPlaceOnBaremetal: "4.22",
  /** An unknown field is an error; before, a warning (facts §1.1). */
  unknownFieldsRefused: "4.22",
} as const satisfies Readonly<Record<string, Since>>;

export type RuleName = keyof typeof RULES;

export const inForce = (release: Release, rule: RuleName): boolean => atLeast(release, RULES[rule]);

/** Swap was gated on its own in this release only. */
export const swapIsGated = (release: Release): boolean => release.major === 4 && release.minor === 20;

export interface FieldRelease {
  /** Path in an install-config; `[]` stands for every element. */
  readonly path: string;
  /** First release that knows the field; undefined when no release of ours does. */
  readonly since?: Since;
  /** First release that no longer knows it. */
  readonly until?: Since;
  /** What to use where the field is gone. */
  readonly instead?: string;
}

const POOLS = ["controlPlane", "arbiter", "compute[]"];
const AWS_POOLS = [...POOLS.map((pool) => `${pool}.platform.aws`), "platform.aws.defaultMachinePlatform"];
const inPools = (pools: readonly string[], field: string, since?: Since): FieldRelease[] =>
  pools.map((pool) => ({ path: `${pool}.${field}`, ...(since === undefined ? {} : { since }) }));

/** Fields that not every release of ours knows; an outer field stands before its members. */
export const FIELD_RELEASES: readonly FieldRelease[] = [
  { path: "arbiter", since: "4.19" },
  ...inPools(POOLS, "fencing", "4.19"),
  ...inPools(POOLS, "fencing.credentials[].certificateVerification", "4.20"),
  ...inPools(POOLS, "fencing.credentials[].macAddress", "4.22"),
  ...inPools(POOLS, "diskSetup", "4.20"),
  ...inPools(POOLS, "management", "4.22"),
  ...inPools(POOLS, "platform.powervc", "4.21"),
  { path: "osImageStream", since: "4.22" },
  { path: "pki" },
  { path: "imageDigestSources[].sourcePolicy", since: "4.21" },
  { path: "imageContentSources[].sourcePolicy", instead: "imageDigestSources" },
  { path: "platform.powervc", since: "4.21" },
  { path: "platform.aws.vpc", since: "4.19", instead: "platform.aws.subnets" },
  { path: "platform.aws.ipFamily", since: "4.22" },
  { path: "platform.aws.experimentalPropagateUserTags", until: "4.20", instead: "propagateUserTags" },
  ...inPools(AWS_POOLS, "rootVolume.throughput", "4.21"),
  ...inPools(AWS_POOLS, "cpuOptions", "4.21"),
  ...inPools(AWS_POOLS, "hostPlacement", "4.22"),
  ...inPools(AWS_POOLS, "hostPlacement.dedicatedHost[].zone"),
];

export const knowsField = (release: Release, { since, until }: FieldRelease): boolean =>
  (since !== undefined || until !== undefined) &&
  (since === undefined || atLeast(release, since)) &&
  (until === undefined || !atLeast(release, until));
