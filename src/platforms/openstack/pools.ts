/**
 * Machine pools with everything decided: settings merged, and what the machines are spread over (openshift/installer
 * pkg/asset/machines/openstack/machines.go, `failureDomainsFromSpec`).
 */
import type { NormalConfig, NormalPool } from "../config.js";
import { type OpenstackMachinePool, openstackOf, poolSection } from "./config.js";
import { mergeSections } from "./defaults.js";

/** Where a machine and its root volume are put; empty texts leave the choice to the cloud. */
export interface FailureDomain {
  readonly zone: string;
  /** Undefined where the pool has no root volume. */
  readonly volume: { readonly zone: string; readonly type: string } | undefined;
}

export interface Pool {
  readonly name: string;
  readonly replicas: number;
  readonly flavor: string;
  /** Size of the root volume in GiB; undefined where the machines have none. */
  readonly volumeSize: number | undefined;
  readonly networks: readonly string[];
  readonly securityGroups: readonly string[];
  readonly policy: string;
  /** Failure domains, named as pools that are spread have it; at least one. */
  readonly zones: readonly FailureDomain[];
}

const DEFAULT_POLICY = "soft-anti-affinity";

/** What a pool names one for each failure domain, or one for all. */
export const listsOf = ({
  zones = [],
  rootVolume,
}: OpenstackMachinePool): readonly { readonly what: string; readonly count: number }[] => [
  { what: "zones", count: zones.length },
  { what: "rootVolume.zones", count: rootVolume?.zones?.length ?? 0 },
  { what: "rootVolume.types", count: rootVolume?.types?.length ?? 0 },
];

export const mergedSection = (config: NormalConfig, pool: NormalPool): OpenstackMachinePool =>
  mergeSections(openstackOf(config).defaultMachinePlatform, poolSection(pool));

export function poolOf(config: NormalConfig, pool: NormalPool): Pool {
  const merged = mergedSection(config, pool);
  const { rootVolume } = merged;
  // A list of another length than the longest one is refused before; an empty one and one of one entry count for all.
  const at = (list: readonly string[] | undefined, index: number): string =>
    (list?.length === 1 ? list[0] : list?.[index]) ?? "";
  const count = Math.max(1, ...listsOf(merged).map((list) => list.count));
  return {
    name: pool.name,
    replicas: pool.replicas,
    flavor: merged.type ?? "",
    volumeSize: rootVolume === undefined ? undefined : (rootVolume.size ?? 0),
    networks: merged.additionalNetworkIDs ?? [],
    securityGroups: merged.additionalSecurityGroupIDs ?? [],
    policy: merged.serverGroupPolicy ?? DEFAULT_POLICY,
    zones: Array.from({ length: count }, (_, index) => ({
      zone: at(merged.zones, index),
      volume:
        rootVolume === undefined
          ? undefined
          : { zone: at(rootVolume.zones, index), type: at(rootVolume.types, index) },
    })),
  };
}

/** The server group of machines; those of compute machines are by zone. */
export const serverGroup = (infraID: string, role: "master" | "worker", { zone }: FailureDomain): string =>
  role === "worker" && zone !== "" ? `${infraID}-${role}-${zone}` : `${infraID}-${role}`;
