/**
 * Rules of the powervs provider that an install-config can break although it is valid: those of its definitions
 * (cluster-api-provider-ibmcloud v0.14.0, api/powervs), and what its objects cannot say.
 */
import type { Problem } from "../../../core/diagnostics.js";
import { quote } from "../../../text/quote.js";
import type { InfrastructureInput, RuleContext } from "../../platform.js";
import { broken } from "../../provider-problems.js";
import { powervsOf } from "../config.js";
import { factsOf } from "../facts.js";
import { namesGatewayByIdentifier } from "../names.js";
import { poolsOf } from "../pools.js";

/** Names of VPCs, their subnets and load balancers. */
const VPC_NAME = /^([a-z]|[a-z][-a-z0-9]*[a-z0-9])$/;
const GATEWAY_NAME = /^([a-zA-Z]|[a-zA-Z][-_a-zA-Z0-9]*[a-zA-Z0-9])$/;
const LONGEST = 63;
/** Identifiers of VPCs and of their subnets. */
const IDENTIFIER = /^[-0-9a-z_]{1,64}$/;
/** Systems that the provider knows. */
const SYSTEMS = ["s922", "e980", "s1022", "e1050", "e1080"];

const fits = (pattern: RegExp, name: string): boolean => pattern.test(name) && name.length <= LONGEST;

export function checkInfrastructure(
  input: InfrastructureInput,
  { report }: Pick<RuleContext, "report">,
): void {
  [...nameProblems(input), ...machineProblems(input)].forEach(report);
}

function nameProblems(input: InfrastructureInput): Problem[] {
  const { config, facts, identity } = input;
  const section = powervsOf(config);
  const { clusterOSImage = "", tgName = "", vpcName = "" } = section;
  const { subnets = [], id = "" } = factsOf(facts).vpc ?? {};
  const form = "use at most 63 lowercase letters, digits and inner hyphens, starting with a letter";
  return [
    ...(VPC_NAME.test(identity.infraID)
      ? []
      : [
          broken(
            "metadata.name",
            `invalid load balancer name ${quote(identity.infraID)}: must be lowercase letters, digits and inner hyphens, starting with a letter`,
            "set --infra-id to another infrastructure ID, or use another cluster name",
          ),
        ]),
    ...(vpcName === "" || vpcName === id || fits(VPC_NAME, vpcName)
      ? []
      : [broken("platform.powervs.vpcName", `invalid VPC name ${quote(vpcName)}`, form)]),
    ...(vpcName === ""
      ? []
      : subnets
          .filter((subnet) => !fits(VPC_NAME, subnet.name))
          .map(({ name }) => broken("platform.powervs.vpcName", `invalid subnet name ${quote(name)}`, form))),
    ...(vpcName === ""
      ? []
      : [...(vpcName === id ? [id] : []), ...subnets.map((subnet) => subnet.id)]
          .filter((each) => !IDENTIFIER.test(each))
          .map((each) =>
            broken(
              "platform.powervs.vpcName",
              `invalid VPC or subnet ID ${quote(each)}`,
              "use the value in the facts as the cloud shows it",
            ),
          )),
    ...(tgName === "" || namesGatewayByIdentifier(section, input) || fits(GATEWAY_NAME, tgName)
      ? []
      : [
          broken(
            "platform.powervs.tgName",
            `invalid transit gateway name ${quote(tgName)}`,
            "use at most 63 letters, digits, inner hyphens and underscores, starting with a letter",
          ),
        ]),
    ...(clusterOSImage === "" || /^[^/]+\/./.test(clusterOSImage)
      ? []
      : [
          broken(
            "platform.powervs.clusterOSImage",
            "must be a file in an object storage bucket",
            "use BUCKET/OBJECT",
          ),
        ]),
  ];
}

function machineProblems(input: InfrastructureInput): Problem[] {
  const { systemType } = poolsOf(input).controlPlane;
  return SYSTEMS.includes(systemType)
    ? []
    : [
        broken(
          "controlPlane.platform.powervs.sysType",
          systemType === ""
            ? "this release has no system type for the zone and the region"
            : `unsupported system type ${quote(systemType)}`,
          `use one of ${SYSTEMS.join(", ")} that the zone offers`,
        ),
      ];
}
