/** Offline facts of aws, arranged for looking things up. */

import { byCodeUnit } from "../../../core/files.js";
import type { Release } from "../../../core/release.js";
import type { AwsFacts, AwsImage, AwsSubnet, CloudFacts } from "../../../generated/types/cloud-facts.js";
import { type AwsConfig, existingSubnets, hasRoles, subnetsWithRole } from "../config.js";
import { has, isLimitedZone } from "../tables.js";

export type { AwsFacts, AwsImage, AwsSubnet };

export type ZoneType = "availability-zone" | "local-zone" | "wavelength-zone";

export interface Zone {
  readonly name: string;
  readonly type: ZoneType;
  readonly group: string | undefined;
  readonly parent: string | undefined;
}

export const awsFactsOf = (facts: CloudFacts | undefined): AwsFacts => facts?.aws ?? {};

/**
 * A zone as the facts know it. A name of the form REGION + letter is an availability zone by AWS' own rule of
 * naming; about any other zone only facts can tell.
 */
export function zoneOf(facts: AwsFacts, region: string, name: string): Zone | undefined {
  const known = facts.availabilityZones?.find((each) => each.name === name);
  if (known !== undefined)
    return { name, type: known.type ?? "availability-zone", group: known.group, parent: known.parentZone };
  const letter = name.startsWith(region) ? name.slice(region.length) : "";
  return /^[a-z]$/.test(letter)
    ? { name, type: "availability-zone", group: region, parent: undefined }
    : undefined;
}

export const isEdgeZone = (zone: Zone | undefined): boolean =>
  zone !== undefined && zone.type !== "availability-zone";

/** The availability zones of the region in order, without those that are never taken by default; undefined without facts. */
export function regionZones(facts: AwsFacts, release: Release): readonly string[] | undefined {
  const zones = facts.availabilityZones
    ?.filter(({ type }) => type === undefined || type === "availability-zone")
    .map(({ name }) => name)
    .filter((name) => !(has(release, "skipsLimitedZones") && isLimitedZone(name)));
  return zones === undefined || zones.length === 0 ? undefined : [...new Set(zones)].sort(byCodeUnit);
}

/** Zones in which a type is offered; undefined when the facts say nothing about offers. */
export function zonesOffering(facts: AwsFacts, type: string): ReadonlySet<string> | undefined {
  const offerings = facts.instanceTypeOfferings;
  if (offerings === undefined || offerings.length === 0) return undefined;
  return new Set(offerings.filter((each) => each.type === type).map(({ zone }) => zone));
}

export const subnetFact = (facts: AwsFacts, id: string): AwsSubnet | undefined =>
  facts.subnets?.find((each) => each.id === id);

/** The brought-along subnets that the facts know, by where they lie, each group in order of identifiers. */
export interface SubnetGroups {
  readonly private: readonly AwsSubnet[];
  readonly public: readonly AwsSubnet[];
  readonly edge: readonly AwsSubnet[];
}

export function groupSubnets(aws: AwsConfig, facts: AwsFacts): SubnetGroups {
  const known = existingSubnets(aws)
    .flatMap(({ id }) => subnetFact(facts, id) ?? [])
    .sort((a, b) => byCodeUnit(a.id, b.id));
  const edge = known.filter(({ zone }) => isEdgeZone(zoneOf(facts, aws.region, zone)));
  const regular = known.filter((each) => !edge.includes(each));
  return {
    private: regular.filter((each) => !each.public),
    public: regular.filter((each) => each.public),
    edge,
  };
}

export type NodeRole = "ClusterNode" | "EdgeNode" | "BootstrapNode";

/**
 * The subnets that machines of a role are put into, by zone: those with the role where roles are given, else by
 * where they lie. Empty when the network is to be made.
 */
export function nodeSubnets(
  aws: AwsConfig,
  facts: AwsFacts,
  role: NodeRole,
  external: boolean,
): ReadonlyMap<string, AwsSubnet> {
  const chosen = hasRoles(aws)
    ? subnetsWithRole(aws, role).flatMap((id) => subnetFact(facts, id) ?? [])
    : byPlace(groupSubnets(aws, facts), role, external);
  return new Map([...chosen].sort((a, b) => byCodeUnit(a.zone, b.zone)).map((each) => [each.zone, each]));
}

function byPlace(groups: SubnetGroups, role: NodeRole, external: boolean): readonly AwsSubnet[] {
  if (role === "EdgeNode") return groups.edge;
  return role === "BootstrapNode" && external ? groups.public : groups.private;
}

/** The VPC of the brought-along subnets: named itself, or by every one of the subnets alike. */
export function vpcOf(aws: AwsConfig, facts: AwsFacts): string | undefined {
  if (facts.vpc !== undefined) return facts.vpc.id;
  const named = existingSubnets(aws).map(({ id }) => subnetFact(facts, id)?.vpc);
  const [first] = named;
  return first !== undefined && named.every((each) => each === first) ? first : undefined;
}

/** The boot image of an architecture: its identifier, and the region to copy it from when it lies elsewhere. */
export interface BootImage {
  readonly id: string;
  readonly copyFrom: string | undefined;
}

export function bootImage(facts: AwsFacts, region: string, architecture: string): BootImage | undefined {
  const image = architecture === "arm64" ? facts.images?.arm64 : facts.images?.amd64;
  if (image === undefined) return undefined;
  const elsewhere = image.region !== undefined && image.region !== region;
  return { id: image.id, copyFrom: elsewhere ? image.region : undefined };
}
