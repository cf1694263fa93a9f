/**
 * Offline facts of aws: those of the facts file, and images of CoreOS stream metadata. Everything that is missing
 * is reported in one run, each with the fields that would supply it; nothing is guessed (design/product.md).
 */

import type { Problem } from "../../core/diagnostics.js";
import type { JsonObject } from "../../core/json.js";
import { lookup } from "../../core/lookup.js";
import type { Release } from "../../core/release.js";
import type { CloudFacts } from "../../generated/types/cloud-facts.js";
import type { NormalConfig } from "../config.js";
import { regionalImage } from "../coreos-stream.js";
import type { FactSources, RuleContext } from "../platform.js";
import { awsOf, broughtSubnets, publishesExternally, userProvidesDns } from "./config.js";
import { contradictions } from "./facts-check.js";
import { type AwsFacts, type AwsImage, awsFactsOf, bootImage, subnetFact, vpcOf } from "./facts-view.js";
import { type Finding, resolvePools } from "./pools.js";
import { DEFAULT_IMAGE_REGION, has, partitionOf } from "./tables.js";

/** Where a fact may come from besides the install-config; docs/facts.md says how to get each. */
const inFacts = (path: string): string => `cloud-facts ${path} (--facts FILE)`;

/** The facts with the images that the stream supplies. What is wanting or contradicts goes to the context. */
export function resolveFacts(config: NormalConfig, sources: FactSources, context: RuleContext): CloudFacts {
  const given = awsFactsOf(sources.facts);
  const facts: AwsFacts = { ...given, images: withStream(config, given, sources.stream) };
  const found = contradictions(config, facts, context.release, sources.positionInFacts);
  const problems = [
    ...found,
    ...otherSystem(config, sources.stream),
    ...missingSubnets(config, facts),
    ...missingHostedZone(config, facts, context.release),
    ...eachOnce(resolvePools(config, facts, context.release).findings).flatMap((finding) =>
      findingProblems(finding, config, facts, sources.stream !== undefined),
    ),
  ];
  for (const problem of problems) context.report(problem);
  return { apiVersion: "slipway.dev/v1alpha1", kind: "CloudFacts", aws: facts };
}

/**
 * The images: the facts' own, else the stream's for the region, else (where the partition allows it) the stream's
 * for the default region, to be copied (facts/install-config-and-manifests.md §3.7).
 */
function withStream(
  config: NormalConfig,
  { images }: AwsFacts,
  stream: JsonObject | undefined,
): NonNullable<AwsFacts["images"]> {
  const { region } = awsOf(config);
  const imageOf = (architecture: "amd64" | "arm64"): AwsImage | undefined => {
    const given = lookup(images, architecture);
    if (given !== undefined || stream === undefined) return given;
    const own = regionalImage(stream, architecture, "aws", region);
    if (own !== undefined) return { id: own.id };
    if (!partitionOf(region).copiesImages) return undefined;
    const other = regionalImage(stream, architecture, "aws", DEFAULT_IMAGE_REGION);
    return other === undefined ? undefined : { id: other.id, region: DEFAULT_IMAGE_REGION };
  };
  const amd64 = imageOf("amd64");
  const arm64 = imageOf("arm64");
  return { ...(amd64 === undefined ? {} : { amd64 }), ...(arm64 === undefined ? {} : { arm64 }) };
}

/** A release with several streams of the operating system has a file of images for each. */
function otherSystem(config: NormalConfig, stream: JsonObject | undefined): Problem[] {
  const wanted = /^rhel-(\d+)$/.exec(config.osImageStream ?? "")?.[1];
  if (stream === undefined || wanted === undefined) return [];
  const { architecture } = config.controlPlane;
  const found = regionalImage(stream, architecture, "aws", DEFAULT_IMAGE_REGION);
  // Older releases number images by their own version, such as 418.94.
  const version = /^(\d{1,2})\./.exec(found?.release ?? "")?.[1];
  if (version === undefined || version === wanted) return [];
  return [
    {
      code: "FACT007",
      kind: "Invalid",
      severity: "warning",
      field: "osImageStream",
      message: `the images of the stream file are of version ${version}, but osImageStream is ${config.osImageStream}`,
      hint: `give the stream file of ${config.osImageStream}`,
    },
  ];
}

/** An image that several pools share is copied once. */
const eachOnce = (findings: readonly Finding[]): readonly Finding[] =>
  findings.filter((finding, index) => {
    if (finding.kind !== "copied-image") return true;
    const { architecture } = finding;
    return (
      findings.findIndex((each) => each.kind === "copied-image" && each.architecture === architecture) ===
      index
    );
  });

const missing = (field: string, message: string, hint: string): Problem => ({
  code: "FACT001",
  kind: "Required",
  field,
  message,
  hint,
});

function missingSubnets(config: NormalConfig, facts: AwsFacts): Problem[] {
  const aws = awsOf(config);
  const subnets = broughtSubnets(aws);
  if (subnets.length === 0) return [];
  const path = (aws.vpc?.subnets ?? []).length > 0 ? "platform.aws.vpc.subnets" : "platform.aws.subnets";
  const unknown = subnets.flatMap(({ id }, index) =>
    subnetFact(facts, id) === undefined
      ? [
          missing(
            `${path}[${index}]`,
            `nothing is known about the subnet ${id}: its address block, its zone and whether it is public`,
            `give an entry of ${inFacts("aws.subnets")}`,
          ),
        ]
      : [],
  );
  return vpcOf(aws, facts) === undefined
    ? [
        ...unknown,
        missing(
          "platform.aws.vpc",
          "the identifier of the subnets' VPC is not known",
          `give ${inFacts("aws.vpc.id, or vpc in every entry of aws.subnets")}`,
        ),
      ]
    : unknown;
}

function missingHostedZone(config: NormalConfig, facts: AwsFacts, release: Release): Problem[] {
  const aws = awsOf(config);
  if (!publishesExternally(config) || facts.publicHostedZone !== undefined) return [];
  if (userProvidesDns(aws) && has(release, "userProvisionedDnsWithoutZones")) return [];
  return [
    missing(
      "baseDomain",
      `the cluster is published, and the public hosted zone of ${config.baseDomain} is not known`,
      `give ${inFacts("aws.publicHostedZone")}, or set publish: Internal`,
    ),
  ];
}

const listed = (names: readonly string[]): string => names.join(", ");

/** What a finding about a pool means for the user; `streamed` where they have given a stream file already. */
function findingProblems(
  finding: Finding,
  config: NormalConfig,
  facts: AwsFacts,
  streamed: boolean,
): Problem[] {
  const { path } = finding;
  const { region } = awsOf(config);
  switch (finding.kind) {
    case "no-zones":
      return [
        missing(
          `${path}.zones`,
          `the pool names no zones, and the zones of ${region} are not known`,
          `set it, or platform.aws.defaultMachinePlatform.zones, or give ${inFacts("aws.availabilityZones")}`,
        ),
      ];
    case "no-zone-attributes":
      return [
        missing(
          `${path}.zones`,
          `type, group and parent zone of ${listed(finding.names)} are not known`,
          `give an entry each of ${inFacts("aws.availabilityZones")}`,
        ),
      ];
    case "no-edge-type":
      return [
        missing(
          `${path}.type`,
          `which instance types ${listed(finding.names)} offers is not known, or none of the release's preferred types`,
          `set it, or give ${inFacts("aws.instanceTypeOfferings")}`,
        ),
      ];
    case "no-image":
      return [
        missing(
          `${path}.amiID`,
          `the boot image for ${listed(finding.names)} in ${region} is not known${streamed ? ": the stream file has none" : ""}`,
          `set it, or platform.aws.defaultMachinePlatform.amiID, or give ${streamed ? "another --coreos-stream" : "--coreos-stream FILE"} or ${inFacts(`aws.images.${listed(finding.names)}`)}`,
        ),
      ];
    case "no-host":
      return [
        missing(
          `${path}.hostPlacement.dedicatedHost`,
          `the zone of ${listed(finding.names)} is not known`,
          `give an entry each of ${inFacts("aws.dedicatedHosts")}`,
        ),
      ];
    case "copied-image": {
      const image = bootImage(facts, region, finding.architecture);
      return [
        {
          code: "FACT005",
          kind: "NotFound",
          severity: "warning",
          field: `${path}.amiID`,
          message: `the release has no boot image in ${region}; ${image?.id} of ${image?.copyFrom} has to be copied there`,
          hint: "copy it as the supplement says, or name an image of the region",
        },
      ];
    }
    case "no-subnet":
      return [
        {
          code: "FACT002",
          kind: "Invalid",
          field: `${path}.zones`,
          message: `no subnet is brought along in ${listed(finding.names)} for the machines of the pool`,
          hint: "name zones of the subnets, or bring a subnet for each zone",
        },
      ];
    case "default-type":
      return [
        {
          code: "FACT004",
          kind: "Required",
          severity: "info",
          field: `${path}.type`,
          message: `${finding.type} is taken, the first of the release's preferred types`,
          hint: `set it, or give ${inFacts("aws.instanceTypeOfferings")} to choose by what the zones offer`,
        },
      ];
    case "type-not-offered":
      return [
        {
          code: "FACT007",
          kind: "NotFound",
          severity: "warning",
          field: `${path}.type`,
          message: `none of the release's preferred types is offered in all of ${listed(finding.names)}; ${finding.type} is taken all the same`,
          hint: "set a type that every zone of the pool offers",
        },
      ];
    case "set-type-not-offered":
      return [
        {
          code: "FACT007",
          kind: "NotFound",
          severity: "warning",
          field: `${path}.type`,
          message: `the facts name no offer of ${finding.type} in ${listed(finding.names)}`,
          hint: `set a type that these zones offer, or complete ${inFacts("aws.instanceTypeOfferings")}`,
        },
      ];
  }
}
