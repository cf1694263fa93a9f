/**
 * Offline facts of azure: those of the facts file, and images of CoreOS stream metadata. Everything that is missing is
 * reported in one run, each with the fields that would supply it.
 */

import type { Problem } from "../../../core/diagnostics.js";
import type { JsonObject } from "../../../core/json.js";
import { info, warning } from "../../../core/problem.js";
import type { CloudFacts } from "../../../generated/types/cloud-facts.js";
import type { NormalConfig } from "../../config.js";
import { otherSystem, streamPart } from "../../coreos-stream.js";
import { inFacts, missingFact } from "../../needs.js";
import type { FactSources, RuleContext } from "../../platform.js";
import { azureOf, isStack, ownSubnets } from "../config.js";
import { type Finding, poolsOf } from "../machines/pools.js";
import { contradictions } from "./check.js";
import { NEEDS } from "./needs.js";
import { type AzureFacts, azureFactsOf, releaseImage, subnetFact } from "./view.js";

/** The facts with the images that the stream supplies. What is wanting or contradicts goes to the context. */
export function resolveFacts(config: NormalConfig, sources: FactSources, context: RuleContext): CloudFacts {
  const given = azureFactsOf(sources.facts);
  const amd64 = releaseImage(given, sources.stream, "amd64");
  const arm64 = releaseImage(given, sources.stream, "arm64");
  const images = {
    ...(amd64 === undefined ? {} : { amd64 }),
    ...(arm64 === undefined ? {} : { arm64 }),
  };
  const facts: AzureFacts = { ...given, ...(Object.keys(images).length === 0 ? {} : { images }) };
  const resolved: CloudFacts = { apiVersion: "slipway.dev/v1alpha1", kind: "CloudFacts", azure: facts };
  const { findings } = poolsOf({ config, facts: resolved, release: context.release });
  const streamed = sources.stream !== undefined;
  const problems = [
    ...contradictions(config, facts, sources, context.release),
    ...otherSystem({ config, release: context.release }, sources.stream, diskOf),
    ...missingNetwork(config, facts, context),
    ...eachOnce(findings).map((finding) => findingProblem(finding, streamed)),
  ];
  for (const problem of problems) context.report(problem);
  return resolved;
}

/** The release's VHD, which has the version of the operating system. */
function diskOf(stream: JsonObject, architecture: string): { readonly release: string } | undefined {
  const release = streamPart(stream, architecture, "rhel-coreos-extensions", "azure-disk", "release");
  return typeof release === "string" ? { release } : undefined;
}

const about = (path: string, name = "", streamed = false) => ({ path, name, streamed });

function missingNetwork(config: NormalConfig, facts: AzureFacts, { release }: RuleContext): Problem[] {
  const azure = azureOf(config);
  const hub =
    isStack(azure) && facts.stackEndpoints === undefined
      ? [missingFact(NEEDS.stack, about("platform.azure.armEndpoint"))]
      : [];
  if (!azure.virtualNetwork) return hub;
  if (facts.virtualNetwork === undefined)
    return [...hub, missingFact(NEEDS.network, about("platform.azure.virtualNetwork", azure.virtualNetwork))];
  return [
    ...hub,
    ...ownSubnets(azure, release).flatMap(({ name }, index) =>
      (subnetFact(facts, name)?.blocks ?? []).length > 0
        ? []
        : [missingFact(NEEDS.subnet, about(`platform.azure.subnets[${index}]`, name))],
    ),
  ];
}

/** An image that several pools share is told once. */
const eachOnce = (findings: readonly Finding[]): readonly Finding[] =>
  findings.filter(
    ({ kind, name }, index) =>
      kind !== "no-image" || findings.findIndex((each) => each.kind === kind && each.name === name) === index,
  );

function findingProblem({ kind, path, name }: Finding, streamed: boolean): Problem {
  switch (kind) {
    case "publisher":
      return info(
        "FACT004",
        "Required",
        path,
        `using ${name} as the publisher of the image's purchase plan`,
        `if the plan spells it differently, add an entry to ${inFacts("azure.marketplaceImages")}`,
      );
    case "other-zones":
      return warning(
        "FACT007",
        "Invalid",
        path,
        `using the control plane's zones ${name}, although not all of them offer the VM size of the pool`,
        "set the zones of the pool",
      );
    default:
      return missingFact(NEEDS[kind], about(path, name, streamed));
  }
}
