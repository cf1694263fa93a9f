/**
 * Offline facts of gcp: those of the facts file, and images of CoreOS stream metadata. What is missing is reported in
 * one run; what contradicts is what an installer with a network finds (openshift/installer
 * pkg/asset/installconfig/gcp/validation.go).
 */

import type { Problem } from "../../core/diagnostics.js";
import { isObject, type JsonObject, textAt } from "../../core/json.js";
import { info, problem } from "../../core/problem.js";
import type { Release } from "../../core/release.js";
import type { CloudFacts } from "../../generated/types/cloud-facts.js";
import type { NormalConfig } from "../config.js";
import { imagesOf, otherSystem } from "../coreos-stream.js";
import { mismatch } from "../fact-problems.js";
import { missingFact, type Need } from "../needs.js";
import type { FactSources, RuleContext } from "../platform.js";
import { prefixLength, startsWithin } from "../subnet-blocks.js";
import { type GcpConfig, gcpOf, publishesExternally, sharesNetwork, userProvidesDns } from "./config.js";
import {
  type GcpFacts,
  type GcpImage,
  gcpFactsOf,
  isRefusedZone,
  type Lack,
  lastSegment,
  NEEDS,
  regionZones,
  subnetFact,
} from "./facts.js";
import { machineProblems } from "./machine-rules.js";
import { type Pool, poolsOf } from "./pools.js";
import { diskTypesOf, has } from "./tables.js";

/** The facts with the images that the stream supplies. What is wanting or contradicts goes to the context. */
export function resolveFacts(
  config: NormalConfig,
  { facts: given, stream, positionInFacts }: FactSources,
  { release, report }: RuleContext,
): CloudFacts {
  const facts: GcpFacts = { ...gcpFactsOf(given), images: withStream(gcpFactsOf(given), stream) };
  const resolved: CloudFacts = { apiVersion: "slipway.dev/v1alpha1", kind: "CloudFacts", gcp: facts };
  const gcp = gcpOf(config);
  const { controlPlane, compute } = poolsOf({ config, facts: resolved, release });
  const problems = [
    ...inFacts(gcp, facts).map((problem) => ({
      ...positionInFacts?.(problem.field ?? ""),
      ...problem,
    })),
    ...zoneProblems(config, facts),
    ...subnetProblems(config, gcp, facts),
    ...dnsProblems(config, gcp, facts),
    ...otherProblems(gcp, facts, release),
    ...machineProblems(config, facts, release),
    ...otherSystem({ config, release }, stream, (file, architecture) => {
      const image = streamImage(file, architecture);
      return image === undefined ? undefined : { release: image.release };
    }),
    ...[controlPlane, ...compute].flatMap((pool) =>
      poolProblems(pool, gcp, facts, release, stream !== undefined),
    ),
  ];
  problems.forEach(report);
  return resolved;
}

/** The image of an architecture in stream metadata: `images.gcp` with project, name and release. */
function streamImage(
  stream: JsonObject,
  architecture: string,
): (GcpImage & { readonly release: string }) | undefined {
  const found = imagesOf(stream, architecture, "gcp");
  if (!isObject(found)) return undefined;
  const [project, name] = [textAt(found, "project"), textAt(found, "name")];
  return project === "" || name === "" ? undefined : { project, name, release: textAt(found, "release") };
}

function withStream({ images }: GcpFacts, stream: JsonObject | undefined): NonNullable<GcpFacts["images"]> {
  const imageOf = (architecture: "amd64" | "arm64"): { readonly [name: string]: GcpImage } => {
    const found = stream === undefined ? undefined : streamImage(stream, architecture);
    const image =
      images?.[architecture] ??
      (found === undefined ? undefined : { project: found.project, name: found.name });
    return image === undefined ? {} : { [architecture]: image };
  };
  return { ...imageOf("amd64"), ...imageOf("arm64") };
}

const taken = (field: string, message: string, hint: string): Problem =>
  info("FACT004", "Required", field, message, hint);

const missing = (need: Need<Lack>, lack: Partial<Lack>): Problem =>
  missingFact(need, { path: "", subject: "", streamed: false, ...lack });

/** What is wrong within the facts file, or with its project and region; fields are those of the file. */
function inFacts(gcp: GcpConfig, facts: GcpFacts): Problem[] {
  const elsewhere = (field: string, zone: string): Problem[] =>
    lastSegment(zone).startsWith(`${gcp.region}-`)
      ? []
      : [mismatch(field, `${zone} is not in ${gcp.region}, the region of the install-config`, "remove it")];
  return [
    ...(facts.project !== undefined && facts.project !== gcp.projectID
      ? [
          mismatch(
            "gcp.project",
            `the facts are for ${facts.project}, but the install-config is for ${gcp.projectID}`,
            "use the facts for that project",
          ),
        ]
      : []),
    ...(facts.region !== undefined && facts.region !== gcp.region
      ? [
          mismatch(
            "gcp.region",
            `the facts are for ${facts.region}, but the install-config is for ${gcp.region}`,
            "use the facts for that region",
          ),
        ]
      : []),
    ...(facts.zones ?? []).flatMap(({ name }, index) => elsewhere(`gcp.zones[${index}].name`, name)),
    ...(facts.machineTypes ?? []).flatMap(({ zone }, index) =>
      elsewhere(`gcp.machineTypes[${index}].zone`, zone),
    ),
    ...(facts.subnets ?? []).flatMap(({ name, ipCidrRange, network }, index) => [
      ...(prefixLength(ipCidrRange) === undefined
        ? [
            mismatch(
              `gcp.subnets[${index}].ipCidrRange`,
              `invalid value "${ipCidrRange}": must be an IPv4 CIDR`,
              "use a CIDR such as 10.0.0.0/17",
            ),
          ]
        : []),
      ...(network !== undefined && (gcp.network ?? "") !== "" && lastSegment(network) !== gcp.network
        ? [
            mismatch(
              `gcp.subnets[${index}].network`,
              `the subnet ${name} is in ${lastSegment(network)}, but platform.gcp.network is ${gcp.network}`,
              "use subnets of that network",
            ),
          ]
        : []),
    ]),
  ];
}

/** Zones that are written for pools, against those of the project. */
function zoneProblems(config: NormalConfig, facts: GcpFacts): Problem[] {
  const known = regionZones(facts);
  const may = (zone: string): boolean => (known === undefined ? !isRefusedZone(zone) : known.includes(zone));
  const sections = [
    { path: "platform.gcp.defaultMachinePlatform", section: gcpOf(config).defaultMachinePlatform },
    { path: "controlPlane.platform.gcp", section: config.controlPlane.platform.gcp },
    ...config.compute.map((pool, index) => ({
      path: `compute[${index}].platform.gcp`,
      section: pool.platform.gcp,
    })),
  ];
  return sections.flatMap(({ path, section }) => {
    const unknown = (section?.zones ?? []).filter((zone) => !may(zone));
    return unknown.length === 0
      ? []
      : [
          mismatch(
            `${path}.zones`,
            `zone ${unknown.join(", ")} is not listed in the facts file`,
            "use zones that are available to the project, or complete the facts",
          ),
        ];
  });
}

/** Subnets that are brought along: in the facts, within the machine networks. */
function subnetProblems(config: NormalConfig, gcp: GcpConfig, facts: GcpFacts): Problem[] {
  const machineNetworks = config.networking.machineNetwork.map(({ cidr }) => cidr);
  return (["controlPlaneSubnet", "computeSubnet"] as const).flatMap((member): Problem[] => {
    const name = gcp[member] ?? "";
    const path = `platform.gcp.${member}`;
    if (name === "") return [];
    const subnet = subnetFact(facts, name);
    if (subnet === undefined) return [missing(NEEDS.subnet, { path, subject: name })];
    return startsWithin(subnet.ipCidrRange, machineNetworks)
      ? []
      : [
          mismatch(
            path,
            `the subnet ${name} (${subnet.ipCidrRange}) is outside the machine networks`,
            "add its CIDR to networking.machineNetwork",
          ),
        ];
  });
}

function dnsProblems(config: NormalConfig, gcp: GcpConfig, facts: GcpFacts): Problem[] {
  if (userProvidesDns(gcp)) return [];
  const zone = gcp.dns?.privateZone?.name ?? "";
  const { privateZone } = facts;
  return [
    ...(publishesExternally(config) && facts.publicZone === undefined
      ? [missing(NEEDS.publicZone, { subject: config.baseDomain })]
      : []),
    ...(sharesNetwork(gcp) && zone !== "" && privateZone !== undefined && lastSegment(privateZone) !== zone
      ? [
          mismatch(
            "platform.gcp.dns.privateZone.name",
            `the cluster domain already has the private zone ${lastSegment(privateZone)}`,
            "use that zone",
          ),
        ]
      : []),
    ...(sharesNetwork(gcp) && zone === "" && privateZone === undefined
      ? [
          taken(
            "platform.gcp.dns.privateZone",
            "no private zone of the cluster domain is listed in the facts file, so one is created",
            "if one exists, set it here or as gcp.privateZone in the facts",
          ),
        ]
      : []),
  ];
}

function otherProblems(gcp: GcpConfig, facts: GcpFacts, release: Release): Problem[] {
  if (!has(release, "endpoint")) return [];
  const { endpoint, firewallRulesManagement } = gcp;
  const network = lastSegment(facts.endpointNetwork ?? "");
  return [
    ...(endpoint !== undefined && network !== "" && network !== gcp.network
      ? [
          mismatch(
            "platform.gcp.endpoint.name",
            `the endpoint is in the network ${network}, but platform.gcp.network is ${gcp.network}`,
            "use an endpoint of that network",
          ),
        ]
      : []),
    ...(facts.firewallPermissions === false && firewallRulesManagement === "Managed" && !userProvidesDns(gcp)
      ? [
          mismatch(
            "platform.gcp.firewallRulesManagement",
            "the credentials are not allowed to create firewall rules",
            "add the permissions, or create the rules yourself and use Unmanaged",
          ),
        ]
      : []),
  ];
}

function poolProblems(
  pool: Pool,
  gcp: GcpConfig,
  facts: GcpFacts,
  release: Release,
  streamed: boolean,
): Problem[] {
  const { path, machineType, diskType } = pool;
  const types = diskTypesOf(machineType, release);
  return [
    ...(pool.zones.length > 0
      ? []
      : regionZones(facts) === undefined
        ? [missing(NEEDS.zones, { path, subject: gcp.region })]
        : [
            mismatch(
              `${path}.type`,
              `${machineType} is not available in any zone of ${gcp.region}`,
              "use another machine type, or complete the facts",
            ),
          ]),
    ...(pool.image === undefined
      ? [missing(NEEDS.image, { path, subject: pool.imageArchitecture, streamed })]
      : []),
    // The type of disk of the defaults' own machine type is not looked for when machines are made.
    ...(types !== undefined && !types.includes(diskType) && (pool.section.osDisk?.diskType ?? "") === ""
      ? [
          problem(
            "FACT007" as const,
            "Invalid" as const,
            `${path}.osDisk.diskType`,
            `the machine type ${machineType} does not support the default disk type ${diskType}`,
            { severity: "warning" as const, hint: `set osDisk.diskType to ${types.join(" or ")}` },
          ),
        ]
      : []),
  ];
}
