/**
 * Offline facts of aws: those of the facts file, and images of CoreOS stream metadata. Everything that is missing is
 * reported in one run, each with the fields that would supply it; nothing is guessed (docs/reference/source-designs.md
 * §6).
 */

import type { Problem } from "../../../core/diagnostics.js";
import type { JsonObject } from "../../../core/json.js";
import { lookup } from "../../../core/lookup.js";
import { info, problem, warning } from "../../../core/problem.js";
import type { Release } from "../../../core/release.js";
import type { CloudFacts } from "../../../generated/types/cloud-facts.js";
import type { NormalConfig } from "../../config.js";
import { otherSystem, regionalImage } from "../../coreos-stream.js";
import { inFacts, missingFact } from "../../needs.js";
import type { FactSources, RuleContext } from "../../platform.js";
import { awsOf, existingSubnets, publishesExternally, userProvidesDns } from "../config.js";
import { type PoolFinding, poolsOf } from "../machines/pools.js";
import { DEFAULT_IMAGE_REGION, has, partitionOf } from "../tables.js";
import { contradictions } from "./check.js";
import { type Lack, NEEDS } from "./needs.js";
import { type AwsFacts, type AwsImage, awsFactsOf, bootImage, subnetFact, vpcOf } from "./view.js";

/** The facts with the images that the stream supplies. What is wanting or contradicts goes to the context. */
export function resolveFacts(config: NormalConfig, sources: FactSources, context: RuleContext): CloudFacts {
  const given = awsFactsOf(sources.facts);
  const facts: AwsFacts = { ...given, images: withStream(config, given, sources.stream) };
  const resolved: CloudFacts = { apiVersion: "slipway.dev/v1alpha1", kind: "CloudFacts", aws: facts };
  const { findings } = poolsOf({ config, facts: resolved, release: context.release });
  const found = contradictions(config, facts, context.release, sources.positionInFacts);
  const problems = [
    ...found,
    ...otherSystem({ config, release: context.release }, sources.stream, (stream, architecture) =>
      regionalImage(stream, architecture, "aws", DEFAULT_IMAGE_REGION),
    ),
    ...missingSubnets(config, facts),
    ...missingHostedZone(config, facts, context.release),
    ...eachOnce(findings).flatMap((finding) =>
      findingProblems(finding, config, facts, sources.stream !== undefined),
    ),
  ];
  for (const problem of problems) context.report(problem);
  return resolved;
}

/**
 * The images: the facts' own, else the stream's for the region, else (where the partition allows it) the stream's
 * for the default region, to be copied (docs/reference/install-config-and-manifests.md §3.7).
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

/** An image that several pools share is copied once. */
const eachOnce = (findings: readonly PoolFinding[]): readonly PoolFinding[] =>
  findings.filter((finding, index) => {
    if (finding.kind !== "copied-image") return true;
    const { architecture } = finding;
    return (
      findings.findIndex((each) => each.kind === "copied-image" && each.architecture === architecture) ===
      index
    );
  });

function missingSubnets(config: NormalConfig, facts: AwsFacts): Problem[] {
  const aws = awsOf(config);
  const subnets = existingSubnets(aws);
  if (subnets.length === 0) return [];
  const path = (aws.vpc?.subnets ?? []).length > 0 ? "platform.aws.vpc.subnets" : "platform.aws.subnets";
  const unknown = subnets.flatMap(({ id }, index) =>
    subnetFact(facts, id) === undefined
      ? [missingFact(NEEDS.subnet, { ...NOTHING, path: `${path}[${index}]`, names: id })]
      : [],
  );
  return vpcOf(aws, facts) === undefined ? [...unknown, missingFact(NEEDS.vpc, NOTHING)] : unknown;
}

function missingHostedZone(config: NormalConfig, facts: AwsFacts, release: Release): Problem[] {
  const aws = awsOf(config);
  if (!publishesExternally(config) || facts.publicHostedZone !== undefined) return [];
  if (userProvidesDns(aws) && has(release, "userProvisionedDnsWithoutZones")) return [];
  return [missingFact(NEEDS.hostedZone, { ...NOTHING, names: config.baseDomain })];
}

const NOTHING: Lack = { path: "", names: "", region: "", streamed: false };

const listed = (names: readonly string[]): string => names.join(", ");

/** What a finding about a pool means for the user; `streamed` where they have given a stream file already. */
function findingProblems(
  finding: PoolFinding,
  config: NormalConfig,
  facts: AwsFacts,
  streamed: boolean,
): Problem[] {
  const { path } = finding;
  const { region } = awsOf(config);
  switch (finding.kind) {
    case "no-zones":
    case "no-zone-attributes":
    case "no-edge-type":
    case "no-image":
    case "no-host": {
      const names = "names" in finding ? listed(finding.names) : "";
      return [missingFact(NEEDS[finding.kind], { path, names, region, streamed })];
    }
    case "copied-image": {
      const image = bootImage(facts, region, finding.architecture);
      return [
        warning(
          "FACT005",
          "NotFound",
          `${path}.amiID`,
          `the release has no boot image in ${region}; ${image?.id} must be copied from ${image?.copyFrom}`,
          "copy it as the manual steps describe, or set an image of the region",
        ),
      ];
    }
    case "no-subnet":
      return [
        problem(
          "FACT002",
          "Invalid",
          `${path}.zones`,
          `no existing subnet is specified in ${listed(finding.names)}`,
          "use zones that have a subnet, or add a subnet for each zone",
        ),
      ];
    case "default-type":
      return [
        info(
          "FACT004",
          "Required",
          `${path}.type`,
          `using the release's default type ${finding.type}`,
          `set it, or add ${inFacts("aws.instanceTypeOfferings")} to select a type that the zones offer`,
        ),
      ];
    case "type-not-offered":
      return [
        warning(
          "FACT007",
          "NotFound",
          `${path}.type`,
          `none of the release's preferred types is offered in all of ${listed(finding.names)}; using ${finding.type}`,
          "use a type that every zone of the pool offers",
        ),
      ];
    case "set-type-not-offered":
      return [
        warning(
          "FACT007",
          "NotFound",
          `${path}.type`,
          `${finding.type} in ${listed(finding.names)} is not listed in the facts file`,
          `use a type that these zones offer, or complete ${inFacts("aws.instanceTypeOfferings")}`,
        ),
      ];
  }
}
