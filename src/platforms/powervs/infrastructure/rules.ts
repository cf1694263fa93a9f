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
  const form =
    "a name begins with a lower-case letter and holds such letters, digits and inner dashes, at most 63";
  return [
    ...(VPC_NAME.test(identity.infraID)
      ? []
      : [
          broken(
            "metadata.name",
            `the load balancers would be named after ${quote(identity.infraID)}, and their names begin with a letter and hold lower-case letters, digits and inner dashes`,
            "choose another infrastructure ID (--infra-id), or another name of the cluster",
          ),
        ]),
    ...(vpcName === "" || vpcName === id || fits(VPC_NAME, vpcName)
      ? []
      : [
          broken("platform.powervs.vpcName", `the provider takes no VPC of the name ${quote(vpcName)}`, form),
        ]),
    ...(vpcName === ""
      ? []
      : subnets
          .filter((subnet) => !fits(VPC_NAME, subnet.name))
          .map(({ name }) =>
            broken(
              "platform.powervs.vpcName",
              `the provider takes no subnet of the name ${quote(name)}`,
              form,
            ),
          )),
    ...(vpcName === ""
      ? []
      : [...(vpcName === id ? [id] : []), ...subnets.map((subnet) => subnet.id)]
          .filter((each) => !IDENTIFIER.test(each))
          .map((each) =>
            broken(
              "platform.powervs.vpcName",
              `the provider takes no identifier ${quote(each)} of a VPC or a subnet`,
              "write it in the facts as the cloud prints it",
            ),
          )),
    ...(tgName === "" || namesGatewayByIdentifier(section, input) || fits(GATEWAY_NAME, tgName)
      ? []
      : [
          broken(
            "platform.powervs.tgName",
            `the provider takes no transit gateway of the name ${quote(tgName)}`,
            "a name begins with a letter and holds letters, digits and inner dashes and underscores, at most 63",
          ),
        ]),
    ...(clusterOSImage === "" || /^[^/]+\/./.test(clusterOSImage)
      ? []
      : [
          broken(
            "platform.powervs.clusterOSImage",
            "the image has to be a file in a bucket of object storage, which the provider imports",
            "write BUCKET/OBJECT",
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
            ? "the release has no type of systems for the zone and the region"
            : `the provider knows no type ${quote(systemType)} of systems`,
          `write one of ${SYSTEMS.join(", ")} that the zone offers`,
        ),
      ];
}
