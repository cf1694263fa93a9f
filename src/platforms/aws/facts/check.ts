/**
 * Where facts and install-config contradict each other, or facts themselves: what an installer with a network
 * would find when it compares the install-config with the cloud (openshift/installer
 * pkg/asset/installconfig/aws/validation.go). Fields of the facts file are shown where they stand in it.
 */

import type { Position, Problem } from "../../../core/diagnostics.js";
import type { Release } from "../../../core/release.js";
import type { NormalConfig } from "../../config.js";
import { mismatch } from "../../fact-problems.js";
import { prefixLength } from "../../subnet-blocks.js";
import { type AwsConfig, type AwsMachinePool, awsOf, EDGE, poolSection } from "../config.js";
import { mergeSections } from "../install-config/defaults.js";
import { has } from "../tables.js";
import { subnetContradictions } from "./subnet-check.js";
import { type AwsFacts, isEdgeZone, zoneOf } from "./view.js";

type PositionInFacts = ((field: string) => Position) | undefined;

export function contradictions(
  config: NormalConfig,
  facts: AwsFacts,
  release: Release,
  position: PositionInFacts,
): Problem[] {
  const aws = awsOf(config);
  return [
    ...factProblems(aws, facts).map((problem) => ({ ...position?.(problem.field ?? ""), ...problem })),
    ...zoneContradictions(config, aws, facts),
    ...subnetContradictions(config, facts),
    ...(has(release, "dedicatedHosts") ? hostContradictions(config, aws, facts) : []),
  ];
}

/** What is wrong within the facts file, or with its region. */
function factProblems(aws: AwsConfig, facts: AwsFacts): Problem[] {
  const { region } = aws;
  const zones = facts.availabilityZones ?? [];
  const subnets = facts.subnets ?? [];
  const vpc = facts.vpc?.id ?? subnets.find((each) => each.vpc !== undefined)?.vpc;
  const elsewhere = (field: string, zone: string): Problem[] =>
    zone.startsWith(region)
      ? []
      : [mismatch(field, `${zone} is not in ${region}, the region of the install-config`)];
  return [
    ...(facts.region !== undefined && facts.region !== region
      ? [
          mismatch(
            "aws.region",
            `the facts are for ${facts.region}, but the install-config is for ${region}`,
            `use the facts for ${region}`,
          ),
        ]
      : []),
    ...zones.flatMap(({ name }, index) => elsewhere(`aws.availabilityZones[${index}].name`, name)),
    ...repeated(
      zones.map(({ name }) => name),
      (index) => `aws.availabilityZones[${index}].name`,
    ),
    ...(facts.instanceTypeOfferings ?? []).flatMap(({ zone }, index) =>
      elsewhere(`aws.instanceTypeOfferings[${index}].zone`, zone),
    ),
    ...(facts.dedicatedHosts ?? []).flatMap(({ zone }, index) =>
      elsewhere(`aws.dedicatedHosts[${index}].zone`, zone),
    ),
    ...repeated(
      subnets.map(({ id }) => id),
      (index) => `aws.subnets[${index}].id`,
    ),
    ...subnets.flatMap((subnet, index) => [
      ...elsewhere(`aws.subnets[${index}].zone`, subnet.zone),
      ...(prefixLength(subnet.cidr) === undefined
        ? [
            mismatch(
              `aws.subnets[${index}].cidr`,
              `invalid value "${subnet.cidr}": must be an IPv4 CIDR`,
              "use a CIDR such as 10.0.0.0/20",
            ),
          ]
        : []),
      ...(subnet.vpc !== undefined && subnet.vpc !== vpc
        ? [
            mismatch(
              `aws.subnets[${index}].vpc`,
              `the subnet is in ${subnet.vpc}, but another subnet is in ${vpc}`,
              "use subnets of one VPC",
            ),
          ]
        : []),
      ...(subnet.zone.startsWith(region) && zoneOf(facts, region, subnet.zone) === undefined
        ? [
            mismatch(
              `aws.subnets[${index}].zone`,
              `the type of the zone ${subnet.zone} is not listed in the facts file`,
              "add an entry with its type to aws.availabilityZones",
              "Required",
            ),
          ]
        : []),
    ]),
  ];
}

const repeated = (names: readonly string[], field: (index: number) => string): Problem[] =>
  names.flatMap((name, index) =>
    names.indexOf(name) < index ? [mismatch(field(index), `duplicate value "${name}"`, "", "Duplicate")] : [],
  );

interface PoolZones {
  readonly path: string;
  readonly zones: readonly string[];
  readonly edge: boolean;
}

/** The zones that are written for pools, where each is written. */
function writtenZones(config: NormalConfig, aws: AwsConfig): PoolZones[] {
  const of = (path: string, section: AwsMachinePool | undefined, edge = false): PoolZones => ({
    path: `${path}.zones`,
    zones: section?.zones ?? [],
    edge,
  });
  return [
    of("platform.aws.defaultMachinePlatform", aws.defaultMachinePlatform),
    of("controlPlane.platform.aws", poolSection(config.controlPlane)),
    ...config.compute.map((pool, index) =>
      of(`compute[${index}].platform.aws`, poolSection(pool), pool.name === EDGE),
    ),
  ];
}

/**
 * Zones of pools against the zones of the facts. A list of facts that holds edge zones only says nothing about
 * availability zones.
 */
function zoneContradictions(config: NormalConfig, aws: AwsConfig, facts: AwsFacts): Problem[] {
  const listsRegular = (facts.availabilityZones ?? []).some(
    ({ type }) => type === undefined || type === "availability-zone",
  );
  const isListed = (name: string): boolean =>
    (facts.availabilityZones ?? []).some((zone) => zone.name === name);
  return writtenZones(config, aws).flatMap(({ path, zones, edge }) => {
    const unknown = zones.filter((zone) => !edge && listsRegular && !isListed(zone));
    const misplaced = zones.filter((name) => {
      const zone = zoneOf(facts, aws.region, name);
      return zone !== undefined && isEdgeZone(zone) !== edge;
    });
    return [
      ...(unknown.length > 0
        ? [
            mismatch(
              path,
              `zone ${unknown.join(", ")} is not listed in the facts file`,
              "use zones that are available to the account, or complete the facts",
            ),
          ]
        : []),
      ...(misplaced.length > 0
        ? [
            edge
              ? mismatch(
                  path,
                  `${misplaced.join(", ")} is not a Local Zone or Wavelength Zone`,
                  "use only such zones in an edge pool",
                )
              : mismatch(
                  path,
                  `${misplaced.join(", ")} is a Local Zone or Wavelength Zone`,
                  "move it to a compute pool named edge",
                ),
          ]
        : []),
    ];
  });
}

/** Dedicated hosts of compute pools: one for each zone, in a zone of the pool. */
function hostContradictions(config: NormalConfig, aws: AwsConfig, facts: AwsFacts): Problem[] {
  return config.compute.flatMap((pool, index) => {
    const merged = mergeSections(aws.defaultMachinePlatform ?? {}, poolSection(pool) ?? {});
    const placement = merged.hostPlacement;
    if (placement?.affinity !== "DedicatedHost") return [];
    const hosts = (placement.dedicatedHost ?? []).map(({ id = "", zone }) => ({
      id,
      zone: zone ?? facts.dedicatedHosts?.find((each) => each.id === id)?.zone,
    }));
    const field = (at: number): string => `compute[${index}].platform.aws.hostPlacement.dedicatedHost[${at}]`;
    return hosts.flatMap(({ id, zone }, at) => {
      const sameID = hosts.findIndex((each) => each.id === id) < at;
      const sameZone = zone !== undefined && hosts.findIndex((each) => each.zone === zone) < at;
      const outside =
        zone !== undefined && (merged.zones ?? []).length > 0 && !(merged.zones ?? []).includes(zone);
      return [
        ...(sameID ? [mismatch(field(at), `duplicate host ${id}`, "list each host once")] : []),
        ...(!sameID && sameZone
          ? [mismatch(field(at), `the zone ${zone} already has a host`, "list one host for each zone")]
          : []),
        ...(outside
          ? [
              mismatch(
                field(at),
                `the host ${id} is in ${zone}, which is not a zone of the pool`,
                "use a host in a zone of the pool",
              ),
            ]
          : []),
      ];
    });
  });
}
