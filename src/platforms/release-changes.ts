/**
 * What differs between the releases, as data. Sources: openshift/installer, pkg/types at release-4.18 (9094202399),
 * 4.19 (34f7e1e353), 4.20 (e473406c3e), 4.21 (ca5361f96f) and 4.22 (8014c32032);
 * facts/install-config-and-manifests.md §5.
 */
import { isSince } from "../core/by-release.js";
import type { Release } from "../core/release.js";

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
  /** The gate of that name shortens certificates. */
  shortCertRotation: "4.19",
  /** It shortens them half as much. */
  longerShortRotation: "4.20",
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
} as const satisfies Readonly<Record<string, Since>>;

export type RuleName = keyof typeof RULES;

export const inForce = (release: Release, rule: RuleName): boolean => isSince(release, RULES[rule]);

/** Swap was gated on its own in this release only. */
export const swapIsGated = (release: Release): boolean => release.major === 4 && release.minor === 20;
