/**
 * Subnets that are brought along, against what the facts say of them: address blocks, zones, and whether they suit
 * their use (openshift/installer pkg/asset/installconfig/aws/validation.go, validateSubnets and validateSubnetRoles).
 */

import type { Problem } from "../../../core/diagnostics.js";
import { lookup } from "../../../core/lookup.js";
import type { NormalConfig } from "../../config.js";
import { mismatch } from "../../fact-problems.js";
import { startsWithin } from "../../subnet-blocks.js";
import {
  type AwsConfig,
  awsOf,
  EDGE,
  type ExistingSubnet,
  existingSubnets,
  hasRoles,
  isDualStack,
  publishesExternally,
} from "../config.js";
import { type AwsFacts, type AwsSubnet, isEdgeZone, subnetFact, zoneOf } from "./view.js";

type SubnetUse = "private" | "public" | "edge";

/** A subnet of the install-config that the facts know, with its zone. */
interface Known {
  readonly id: string;
  readonly field: string;
  readonly roles: readonly string[];
  readonly fact: AwsSubnet;
  readonly place: SubnetUse;
}

const listPath = (aws: AwsConfig): string =>
  (aws.vpc?.subnets ?? []).length > 0 ? "platform.aws.vpc.subnets" : "platform.aws.subnets";

export function subnetContradictions(config: NormalConfig, facts: AwsFacts): Problem[] {
  const aws = awsOf(config);
  const existing = existingSubnets(aws);
  if (existing.length === 0) return [];
  const known = existing.flatMap((subnet, index) => knownSubnet(subnet, index, aws, facts));
  const complete = known.length === existing.length;
  return [
    ...blockProblems(config, aws, known),
    ...(hasRoles(aws) ? roleProblems(config, aws, known) : sharedZones(known, ({ place }) => [place])),
    // What is not there can only be told when every subnet is known.
    ...(complete ? coverageProblems(config, aws, known) : []),
    ...edgePoolProblems(config, aws, known, facts, complete),
  ];
}

function knownSubnet({ id, roles }: ExistingSubnet, index: number, aws: AwsConfig, facts: AwsFacts): Known[] {
  const fact = subnetFact(facts, id);
  const zone = fact === undefined ? undefined : zoneOf(facts, aws.region, fact.zone);
  if (fact === undefined || zone === undefined) return [];
  const place = isEdgeZone(zone) ? "edge" : fact.public ? "public" : "private";
  return [{ id, roles, fact, place, field: `${listPath(aws)}[${index}]` }];
}

/** Blocks of subnets in the region itself must lie in the machine networks. */
function blockProblems(config: NormalConfig, aws: AwsConfig, known: readonly Known[]): Problem[] {
  const networks = config.networking.machineNetwork.map(({ cidr }) => cidr);
  return known
    .filter(({ place }) => place !== "edge")
    .flatMap(({ id, field, fact }) => {
      const blocks = [fact.cidr, ...(isDualStack(aws) && fact.ipv6Cidr !== undefined ? [fact.ipv6Cidr] : [])];
      const outside = blocks.filter((block) => !startsWithin(block, networks));
      return [
        ...outside.map((block) =>
          mismatch(
            field,
            `${block} of ${id} is outside the machine networks`,
            "add the VPC's network to networking.machineNetwork",
          ),
        ),
        ...(isDualStack(aws) && fact.ipv6Cidr === undefined
          ? [
              mismatch(
                field,
                `${id} has no IPv6 CIDR, which ipFamily ${aws.ipFamily} requires`,
                "add an IPv6 CIDR to the subnet and ipv6Cidr to its facts",
                "Required",
              ),
            ]
          : []),
      ];
    });
}

/** Two subnets for one use must not share a zone. */
function sharedZones(known: readonly Known[], usesOf: (subnet: Known) => readonly string[]): Problem[] {
  return known.flatMap((subnet, index) =>
    usesOf(subnet).flatMap((use) => {
      const other = known
        .slice(0, index)
        .find((each) => each.fact.zone === subnet.fact.zone && usesOf(each).includes(use));
      return other === undefined
        ? []
        : [
            mismatch(
              subnet.field,
              `${other.id} and ${subnet.id} are both ${use} in ${subnet.fact.zone}`,
              "keep one of them",
            ),
          ];
    }),
  );
}

/** Where a subnet of a role must lie; ingress follows the publishing. */
const PLACES: Readonly<Record<string, (external: boolean) => SubnetUse | undefined>> = {
  ClusterNode: () => "private",
  BootstrapNode: (external) => (external ? "public" : undefined),
  ControlPlaneInternalLB: () => "private",
  ControlPlaneExternalLB: () => "public",
  IngressControllerLB: (external) => (external ? "public" : "private"),
};

function roleProblems(config: NormalConfig, aws: AwsConfig, known: readonly Known[]): Problem[] {
  const external = publishesExternally(config);
  return [
    ...sharedZones(known, ({ roles }) => roles),
    ...known.flatMap(({ id, field, roles, place }) =>
      roles.flatMap((role) => {
        if (role === "EdgeNode")
          return place === "edge"
            ? []
            : [
                mismatch(
                  field,
                  `${id} has the role EdgeNode but is not in a Local Zone or Wavelength Zone`,
                  "use another role",
                ),
              ];
        if (place === "edge")
          return [
            mismatch(
              field,
              `${id} is in a Local Zone or Wavelength Zone, where the role ${role} is not supported`,
              "use only the role EdgeNode",
            ),
          ];
        const wanted = lookup(PLACES, role)?.(external);
        return wanted === undefined || wanted === place
          ? []
          : [
              mismatch(
                field,
                `${id} has the role ${role} and must be ${wanted}, but is ${place}`,
                "assign the role to another subnet",
              ),
            ];
      }),
    ),
    ...[
      "ControlPlaneInternalLB",
      "IngressControllerLB",
      ...(external ? ["ControlPlaneExternalLB"] : []),
    ].flatMap((role) => reachProblems(aws, known, role)),
  ];
}

/** A load balancer reaches machines in its own zones only. */
function reachProblems(aws: AwsConfig, known: readonly Known[], role: string): Problem[] {
  const zonesWith = (name: string): ReadonlySet<string> =>
    new Set(
      known
        .filter(({ roles, place }) => place !== "edge" && roles.includes(name))
        .map(({ fact }) => fact.zone),
    );
  const balanced = zonesWith(role);
  const nodes = zonesWith("ClusterNode");
  const unreached = [...nodes].filter((zone) => !balanced.has(zone)).sort();
  const idle = [...balanced].filter((zone) => !nodes.has(zone)).sort();
  const path = listPath(aws);
  return [
    ...(unreached.length > 0
      ? [
          mismatch(
            path,
            `no subnet with the role ${role} is in ${unreached.join(", ")}, where machines run`,
            "assign the role to a subnet in each of these zones",
            "Forbidden",
          ),
        ]
      : []),
    ...(idle.length > 0
      ? [
          mismatch(
            path,
            `a subnet with the role ${role} is in ${idle.join(", ")}, where no machines run`,
            "remove the role there",
            "Forbidden",
          ),
        ]
      : []),
  ];
}

function coverageProblems(config: NormalConfig, aws: AwsConfig, known: readonly Known[]): Problem[] {
  const zonesOf = (place: SubnetUse): string[] =>
    known.filter((each) => each.place === place).map(({ fact }) => fact.zone);
  const open = new Set(zonesOf("public"));
  const uncovered = [...new Set(zonesOf("private"))].filter((zone) => !open.has(zone)).sort();
  const path = listPath(aws);
  const external = publishesExternally(config);
  return [
    ...(zonesOf("private").length === 0
      ? [mismatch(path, "no private subnet is specified", "add private subnets for the machines")]
      : []),
    ...(external && uncovered.length > 0
      ? [
          mismatch(
            path,
            `no public subnet is specified in ${uncovered.join(", ")}`,
            "add one for each zone, or set publish: Internal",
          ),
        ]
      : []),
    ...(!external && open.size > 0
      ? [
          {
            ...mismatch(path, "public subnets have no effect with publish: Internal", "remove them"),
            code: "FACT007" as const,
            severity: "warning" as const,
          },
        ]
      : []),
  ];
}

/** Subnets in edge zones and the edge pool belong together (docs/reference/real-inputs.md §2 BR-30). */
function edgePoolProblems(
  config: NormalConfig,
  aws: AwsConfig,
  known: readonly Known[],
  facts: AwsFacts,
  complete: boolean,
): Problem[] {
  const edge = known.filter(({ place }) => place === "edge");
  const index = config.compute.findIndex(({ name }) => name === EDGE);
  const wavelength = edge.filter(
    ({ fact }) => zoneOf(facts, aws.region, fact.zone)?.type === "wavelength-zone",
  );
  return [
    ...(index >= 0 && edge.length === 0 && complete
      ? [
          mismatch(
            `compute[${index}].platform.aws`,
            "no existing subnet is in a Local Zone or Wavelength Zone",
            "add such subnets, or remove the edge pool",
            "Required",
          ),
        ]
      : []),
    ...(index < 0 && edge.length > 0
      ? [
          mismatch(
            "compute",
            `${edge.map(({ id }) => id).join(", ")} in Local Zones or Wavelength Zones require an edge pool`,
            `add a compute pool: {name: edge, replicas: ${edge.length}}`,
            "Required",
          ),
        ]
      : []),
    ...(isDualStack(aws)
      ? wavelength.map(({ field, id }) =>
          mismatch(
            field,
            `${id} is in a Wavelength Zone, which ipFamily ${aws.ipFamily} does not support`,
            "remove it",
          ),
        )
      : []),
  ];
}
