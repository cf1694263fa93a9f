/**
 * Names that things of a cluster have in the cloud; they all start with the infrastructure ID
 * (docs/reference/install-config-and-manifests.md §3.7, docs/reference/cluster-api.md §5.1).
 */
import { byCodeUnit } from "../../core/files.js";

export const ownershipTag = (infraID: string): string => `kubernetes.io/cluster/${infraID}`;

export const subnetName = (infraID: string, zone: string, open: boolean): string =>
  `${infraID}-subnet-${open ? "public" : "private"}-${zone}`;

export const internalLoadBalancer = (infraID: string): string => `${infraID}-int`;
export const externalLoadBalancer = (infraID: string): string => `${infraID}-ext`;

export const instanceProfile = (infraID: string, role: "master" | "worker"): string =>
  `${infraID}-${role}-profile`;

export const securityGroup = (infraID: string, role: "node" | "lb" | "controlplane"): string =>
  `${infraID}-${role}`;

/** Name that a boot image gets when it is copied into the region. */
export const copiedImage = (infraID: string, region: string): string => `${infraID}-ami-${region}`;

export const ignitionBucket = (infraID: string): string => `openshift-bootstrap-data-${infraID}`;

/** The ownership tag and the user's tags, these in order. The ownership tag cannot be given by the user. */
export const tagsOf = (
  infraID: string,
  userTags: Readonly<Record<string, string>> | undefined,
): readonly { readonly name: string; readonly value: string }[] => [
  { name: ownershipTag(infraID), value: "owned" },
  ...Object.entries(userTags ?? {})
    .map(([name, value]) => ({ name, value }))
    .sort((a, b) => byCodeUnit(a.name, b.name)),
];
