/** The network of an AWSCluster: a new one, or subnets that are brought along (docs/reference/cluster-api.md §5.1). */
import { byCodeUnit } from "../../../core/files.js";
import type { Release } from "../../../core/release.js";
import type { View } from "../../../text/render.js";
import type { NormalConfig } from "../../config.js";
import { awsOf, EDGE, existingSubnets, isDualStack, poolSection, publishesExternally } from "../config.js";
import { type AwsFacts, groupSubnets, regionZones, vpcOf } from "../facts/view.js";
import { subnetName } from "../names.js";
import { managedSubnets } from "./managed-subnets.js";

export interface NetworkZones {
  /** Availability zones of all pools, in order. */
  readonly regular: readonly string[];
  readonly edge: readonly string[];
}

/**
 * The zones that a new network spans: those of the control plane and of compute, each pool's own, else those of
 * defaultMachinePlatform, else all of the region; edge pools have only their own. Zones are not left out for
 * want of an instance type here, as the installer does not do it.
 */
export function networkZones(config: NormalConfig, facts: AwsFacts, release: Release): NetworkZones {
  const fallback = awsOf(config).defaultMachinePlatform?.zones ?? [];
  const byDefault = (): readonly string[] =>
    fallback.length > 0 ? fallback : (regionZones(facts, release) ?? []);
  const or = (zones: readonly string[]): readonly string[] => (zones.length > 0 ? zones : byDefault());
  const own = (pools: readonly NormalConfig["controlPlane"][]): string[] =>
    pools.flatMap((pool) => poolSection(pool)?.zones ?? []);
  const controlPlane = or(own([config.controlPlane]));
  const compute = or(own(config.compute.filter(({ name }) => name !== EDGE)));
  const sorted = (zones: readonly string[]): string[] => [...new Set(zones)].sort(byCodeUnit);
  return {
    regular: sorted([...controlPlane, ...compute]),
    edge: sorted(own(config.compute.filter(({ name }) => name === EDGE))),
  };
}

export interface Network {
  readonly vpc: View;
  readonly subnets: readonly View[];
  /** False when the first machine network is too small to be split for the zones, or is not an IPv4 network. */
  readonly fits: boolean;
  readonly zones: NetworkZones;
}

/** Views of `spec.network.vpc` and `spec.network.subnets`. */
export function network(config: NormalConfig, infraID: string, facts: AwsFacts, release: Release): Network {
  const aws = awsOf(config);
  const ipv6 = isDualStack(aws) ? true : undefined;
  const publicIpv4Pool = aws.publicIpv4Pool === "" ? undefined : aws.publicIpv4Pool;
  if (existingSubnets(aws).length > 0) {
    const { private: own, public: open, edge } = groupSubnets(aws, facts);
    return {
      vpc: { id: vpcOf(aws, facts), cidr: undefined, ipv6, publicIpv4Pool },
      subnets: [...own, ...open, ...edge].map((subnet) => ({
        zone: subnet.zone,
        cidr: subnet.cidr,
        id: subnet.id,
        ipv6: undefined,
        public: subnet.public,
      })),
      fits: true,
      zones: { regular: [], edge: [] },
    };
  }
  const cidr = config.networking.machineNetwork[0]?.cidr ?? "";
  const zones = networkZones(config, facts, release);
  const subnets = managedSubnets(cidr, zones.regular, zones.edge, publishesExternally(config));
  return {
    vpc: { id: undefined, cidr, ipv6, publicIpv4Pool },
    subnets: (subnets ?? []).map((subnet) => ({
      zone: subnet.zone,
      cidr: subnet.cidr,
      id: subnetName(infraID, subnet.zone, subnet.public),
      ipv6: subnet.edge ? undefined : ipv6,
      public: subnet.public,
    })),
    fits: subnets !== undefined,
    zones,
  };
}
