/**
 * Offline facts of ibmcloud: what an installer with a network asks the cloud for. Everything that is missing is
 * reported in one run; what contradicts the install-config is told as the installer would (openshift/installer
 * pkg/asset/installconfig/ibmcloud/validation.go).
 */
import type { Problem } from "../../core/diagnostics.js";
import type { JsonObject } from "../../core/json.js";
import type { CloudFacts, IbmcloudFacts } from "../../generated/types/cloud-facts.js";
import { quote } from "../../text/quote.js";
import type { NormalConfig } from "../config.js";
import { diskImage, otherSystem } from "../coreos-stream.js";
import { inFacts, missingFact, type Need, needOf, type UnknownThing } from "../needs.js";
import type { FactSources, RuleContext } from "../platform.js";
import { existingSubnets, ibmcloudOf, SUBNET_LISTS } from "./config.js";
import { contradictions, factProblems } from "./facts-check.js";
import { poolsOf } from "./pools.js";

const FIELD = "platform.ibmcloud";

export const NEEDS = {
  account: needOf("ibmcloud.accountID", () => "the account ID is not listed in the facts file"),
  dnsZone: needOf("ibmcloud.dnsZone", (name) => `the DNS zone of ${name} is not listed in the facts file`),
  zones: needOf(
    "ibmcloud.zones",
    (name) => `required value is missing: the zones of ${name} are not listed in the facts file`,
    () => `set zones of the pool, or add ${inFacts("ibmcloud.zones")}`,
  ),
  subnet: needOf(
    "ibmcloud.subnets",
    (name) => `subnet ${quote(name)} is not listed in the facts file`,
    () => `add an entry to ${inFacts("ibmcloud.subnets")}`,
  ),
  image: needOf(
    "ibmcloud.image",
    (name) => `the file name of the release's image for ${name} is not listed in the facts file`,
    () => `set --coreos-stream FILE, or add ${inFacts("ibmcloud.image")}`,
  ),
} as const;

export const factsOf = (facts: CloudFacts | undefined): IbmcloudFacts => facts?.ibmcloud ?? {};

/** The facts, with the image that the stream supplies. What is wanting or contradicts goes to the context. */
export function resolveFacts(config: NormalConfig, sources: FactSources, context: RuleContext): CloudFacts {
  const given = factsOf(sources.facts);
  const image = given.image ?? imageOf(config, sources.stream);
  const facts: IbmcloudFacts = image === undefined ? given : { ...given, image };
  const resolved: CloudFacts = { apiVersion: "slipway.dev/v1alpha1", kind: "CloudFacts", ibmcloud: facts };
  const problems = [
    ...missing(config, resolved, context),
    ...factProblems(config, facts).map((problem) => ({
      ...sources.positionInFacts?.(problem.field ?? ""),
      ...problem,
    })),
    ...contradictions(config, facts),
    ...otherSystem({ config, release: context.release }, sources.stream, (stream, architecture) =>
      diskImage(stream, architecture, "ibmcloud"),
    ),
  ];
  for (const problem of problems) context.report(problem);
  return resolved;
}

/** The image as it lies in the bucket: the file of the stream without its compression. */
function imageOf(config: NormalConfig, stream: JsonObject | undefined): string | undefined {
  if (stream === undefined) return undefined;
  const location = diskImage(stream, config.controlPlane.architecture, "ibmcloud")?.location;
  return location?.split("/").at(-1)?.split(".gz", 1)[0];
}

function missing(config: NormalConfig, facts: CloudFacts, { release }: RuleContext): Problem[] {
  const section = ibmcloudOf(config);
  const known = factsOf(facts);
  const { findings } = poolsOf({ config, facts, release });
  const lack = (needed: Need<UnknownThing>, path: string, name = ""): Problem =>
    missingFact(needed, { path, name });
  return [
    ...(known.accountID === undefined ? [lack(NEEDS.account, FIELD)] : []),
    ...(known.dnsZone === undefined ? [lack(NEEDS.dnsZone, "baseDomain", config.baseDomain)] : []),
    ...findings.map((path) => lack(NEEDS.zones, path, section.region)),
    ...SUBNET_LISTS.flatMap(({ role, list }) =>
      existingSubnets(section, role).flatMap((name, i) =>
        known.subnets?.some((subnet) => subnet.name === name) === true
          ? []
          : [lack(NEEDS.subnet, `${FIELD}.${list}[${i}]`, name)],
      ),
    ),
  ];
}
