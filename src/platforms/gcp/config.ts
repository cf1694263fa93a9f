/** The gcp section of an install-config, and what follows from it alone. */

import type { Release } from "../../core/release.js";
import type { GcpMachinePool, GcpPlatform } from "../../generated/types/install-config.js";
import type { NormalConfig, NormalPool } from "../config.js";
import { has } from "./tables.js";

export type { GcpMachinePool, GcpPlatform };

export type GcpConfig = GcpPlatform & { readonly projectID: string; readonly region: string };

/** The gcp section; a config of another platform has none, which is a bug here. */
export function gcpOf(config: NormalConfig): GcpConfig {
  const gcp = config.platform.gcp;
  if (gcp === undefined) throw new Error("the install-config has no section platform.gcp");
  return { ...gcp, projectID: gcp.projectID ?? "", region: gcp.region ?? "" };
}

/** The gcp section of a pool as it is written; undefined when it has none. */
export const poolSection = (pool: NormalPool): GcpMachinePool | undefined => pool.platform.gcp ?? undefined;

/** The pools that make machines, each with its place. */
export const poolsOfConfig = (
  config: NormalConfig,
): readonly { readonly pool: NormalPool; readonly path: string }[] => [
  { pool: config.controlPlane, path: "controlPlane" },
  ...config.compute.map((pool, index) => ({ pool, path: `compute[${index}]` })),
];

export const publishesExternally = (config: NormalConfig): boolean => config.publish === "External";

export const userProvidesDns = (gcp: GcpPlatform): boolean => gcp.userProvisionedDNS === "Enabled";

/** True for a network of another project (shared VPC), where zones of DNS may be brought along. */
export const sharesNetwork = (gcp: GcpPlatform): boolean =>
  (gcp.networkProjectID ?? "") !== "" && (gcp.network ?? "") !== "";

/** The project in which network, subnets and firewall rules are. */
export const networkProject = (gcp: GcpConfig): string => gcp.networkProjectID || gcp.projectID;

/** The Private Service Connect endpoint that whoever installs goes through; undefined when there is none. */
export const installerEndpoint = ({ endpoint }: GcpPlatform): string | undefined =>
  endpoint?.clusterUseOnly === false ? (endpoint.name ?? "") : undefined;

/** Names that things of a cluster have in the cloud. */
export const networkName = (gcp: GcpPlatform, infraID: string): string => gcp.network || `${infraID}-network`;

export const subnetName = (gcp: GcpPlatform, infraID: string, role: "master" | "worker"): string =>
  (role === "master" ? gcp.controlPlaneSubnet : gcp.computeSubnet) || `${infraID}-${role}-subnet`;

/** The service account that is made for machines without one of their own. */
export function serviceAccount(
  gcp: GcpConfig,
  infraID: string,
  role: "master" | "worker",
  release: Release,
): string {
  const [domain = "", ...project] = gcp.projectID.split(":");
  // A project of a domain, such as eu0:name, is name.eu0 in addresses.
  const host =
    project.length > 0 && has(release, "sovereignCloud") ? `${project.join(":")}.${domain}` : gcp.projectID;
  return `${infraID}-${role.slice(0, 1)}@${host}.iam.gserviceaccount.com`;
}

/** Network tag of the machines of a role. */
export const networkTag = (infraID: string, role: "master" | "worker"): string =>
  `${infraID}-${role === "master" ? "control-plane" : role}`;

/** Labels of what is made for the cluster: the user's, which win, and that of the cluster. */
export const labelsOf = (gcp: GcpPlatform, infraID: string, owned = "owned"): Record<string, string> => ({
  [`kubernetes-io-cluster-${infraID}`]: owned,
  ...userLabels(gcp),
});

export const userLabels = (gcp: GcpPlatform): Record<string, string> =>
  Object.fromEntries((gcp.userLabels ?? []).map(({ key = "", value = "" }) => [key, value]));

export const userTags = (
  gcp: GcpPlatform,
): readonly { readonly parentID: string; readonly key: string; readonly value: string }[] =>
  (gcp.userTags ?? []).map(({ parentID = "", key = "", value = "" }) => ({ parentID, key, value }));
