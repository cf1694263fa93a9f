/** The openstack section of an install-config, and what follows from it alone. */
import type { OpenstackMachinePool, OpenstackPlatform } from "../../generated/types/install-config.js";
import { isV4, NO_CIDR, parseCidr } from "../../kubernetes/network.js";
import { parseUri } from "../../text/uri.js";
import type { NormalConfig, NormalPool } from "../config.js";
import { uuidDigits } from "../uuid.js";

export type { OpenstackMachinePool, OpenstackPlatform };

export type PortTarget = NonNullable<OpenstackPlatform["controlPlanePort"]>;

/** The openstack section; a config of another platform has none, which is a bug here. */
export function openstackOf(config: NormalConfig): OpenstackPlatform {
  const { openstack } = config.platform;
  if (openstack === undefined) throw new Error("the install-config has no section platform.openstack");
  return openstack;
}

/** The openstack section of a pool as it is written; undefined when it has none. */
export const poolSection = (pool: NormalPool): OpenstackMachinePool | undefined =>
  pool.platform.openstack ?? undefined;

/** The pools of a config and where they stand. */
export const poolsByField = (
  config: NormalConfig,
): readonly { readonly pool: NormalPool; readonly field: string }[] => [
  { pool: config.controlPlane, field: "controlPlane" },
  ...config.compute.map((pool, index) => ({ pool, field: `compute[${index}]` })),
];

/** True with one machine network, of IPv6: machines then read their data from a drive, since Nova serves none there. */
export function isIPv6Alone({ networking: { machineNetwork } }: NormalConfig): boolean {
  const [first] = machineNetwork;
  return machineNetwork.length === 1 && !isV4(parseCidr(first?.cidr ?? "") ?? NO_CIDR);
}

/** The subnets of one's own that the machines are put into, in the order written; empty when one is made. */
export const existingSubnets = ({
  controlPlanePort,
}: OpenstackPlatform): readonly { readonly id: string; readonly name: string }[] =>
  (controlPlanePort?.fixedIPs ?? []).map(({ subnet }) => ({
    id: subnet?.id ?? "",
    name: subnet?.name ?? "",
  }));

/** Name of the image in Glance that machines boot from: a given one, or that which is uploaded. */
export function imageName({ clusterOSImage = "" }: OpenstackPlatform, infraID: string): string {
  return clusterOSImage !== "" && parseUri(clusterOSImage, "request") === undefined
    ? clusterOSImage
    : `${infraID}-rhcos`;
}

/** Tag of everything that belongs to the cluster. */
export const clusterTag = (infraID: string): string => `openshiftClusterID=${infraID}`;

/** True for a UUID of version 4. */
export const isUuidV4 = (text: string): boolean => uuidDigits(text)?.[12] === "4";

/** The members of an object of texts that are not empty. */
export const given = (texts: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== ""));
