/** Names that things of a cluster have in a vCenter; they all start with the infrastructure ID. */
import type { Release } from "../../core/release.js";
import { cleanPath, topologyOf, type VsphereFailureDomain } from "./config.js";
import { has } from "./tables.js";

/** The template that machines of a failure domain are cloned from, where none is brought along. */
export const generatedTemplate = (
  infraID: string,
  { name = "", region = "", zone = "" }: VsphereFailureDomain,
  release: Release,
): string => `${infraID}-rhcos-${has(release, "templateNamedByZone") ? `${region}-${zone}` : name}`;

/** The template of a failure domain: the one that is brought along, or the one that is made. */
export const templateOf = (infraID: string, domain: VsphereFailureDomain, release: Release): string =>
  topologyOf(domain).template || generatedTemplate(infraID, domain, release);

/** The folder of the machines of a failure domain. */
export function folderOf(infraID: string, domain: VsphereFailureDomain): string {
  const { folder = "", datacenter = "" } = topologyOf(domain);
  return folder === "" ? cleanPath(`/${datacenter}/vm/${infraID}`) : folder;
}

/** The group of machines that a host group takes, and the rule that binds the two. */
export const machineGroup = (infraID: string, { name = "" }: VsphereFailureDomain): string =>
  `${infraID}-${name}`;

/** The tag of everything of the cluster, and its category. */
export const clusterTag = (infraID: string) => ({ category: `openshift-${infraID}`, tag: infraID });

/** The inventory path of a network: below the compute cluster, unless a path is given. */
export const networkPath = (domain: VsphereFailureDomain, network: string): string =>
  network.includes("/") ? network : cleanPath(`${topologyOf(domain).computeCluster ?? ""}/${network}`);
