/**
 * Rules of the ibmcloud provider that an install-config can break although it is valid: those of its definitions and
 * webhooks, and what its objects cannot say.
 */
import type { Problem } from "../../../core/diagnostics.js";
import { quote } from "../../../text/quote.js";
import type { InfrastructureInput, RuleContext } from "../../platform.js";
import { broken } from "../../provider-problems.js";
import { existingSubnets, ibmcloudOf, SUBNET_LISTS } from "../config.js";
import { subnetOf } from "../machines.js";
import { privateLoadBalancer } from "../names.js";
import { poolsOf } from "../pools.js";
import { machineTemplateName, templateZones } from "./machine-templates.js";
import { isProviderCrn } from "./webhook-rules.js";

/** Names of load balancers, their pools, images and subnets in an IBMVPCCluster. */
const NAME = /^([a-z]|[a-z][-a-z0-9]*[a-z0-9])$/;
const LONGEST = 63;

export function checkInfrastructure(
  input: InfrastructureInput,
  { report }: Pick<RuleContext, "report">,
): void {
  [...nameProblems(input), ...keyProblems(input), ...zoneProblems(input)].forEach(report);
}

const isName = (name: string): boolean => NAME.test(name) && name.length <= LONGEST;

function nameProblems(input: InfrastructureInput): Problem[] {
  const { infraID } = input.identity;
  const section = ibmcloudOf(input.config);
  const { controlPlane, compute } = poolsOf(input);
  const made = [
    privateLoadBalancer(infraID),
    ...[controlPlane, ...compute].flatMap((pool) =>
      pool.zones.flatMap((zone) => (zone.subnet === undefined ? [subnetOf(infraID, pool, zone)] : [])),
    ),
  ].find((name) => !isName(name));
  return [
    ...(made === undefined
      ? []
      : [
          broken(
            "metadata.name",
            `invalid resource name ${quote(made)}: must be at most ${LONGEST} lowercase letters, digits and inner hyphens, starting with a letter`,
            "set --infra-id to another infrastructure ID, or use another cluster name",
          ),
        ]),
    ...SUBNET_LISTS.flatMap(({ role, list }) =>
      existingSubnets(section, role).flatMap((name, i) =>
        isName(name)
          ? []
          : [
              broken(
                `platform.ibmcloud.${list}[${i}]`,
                `invalid subnet name ${quote(name)}`,
                `use at most ${LONGEST} lowercase letters, digits and inner hyphens, starting with a letter`,
              ),
            ],
      ),
    ),
  ];
}

/** The webhook reads a CRN more closely than the installer does. */
function keyProblems(input: InfrastructureInput): Problem[] {
  const { encryptionKey } = poolsOf(input).controlPlane;
  if (encryptionKey === "" || isProviderCrn(encryptionKey)) return [];
  const own = input.config.controlPlane.platform.ibmcloud?.bootVolume?.encryptionKey;
  const section = own ? "controlPlane.platform.ibmcloud" : "platform.ibmcloud.defaultMachinePlatform";
  return [
    broken(
      `${section}.bootVolume.encryptionKey`,
      "must be the CRN of a key",
      "to list the CRNs, run: ibmcloud kp keys --output json",
    ),
  ];
}

/** The control plane refers to one template, and a template is of one zone. */
function zoneProblems(input: InfrastructureInput): Problem[] {
  const { controlPlane } = poolsOf(input);
  const zones = templateZones(controlPlane);
  const [first] = zones;
  if (first === undefined || zones.length === 1 || controlPlane.replicas < 2) return [];
  return [
    {
      ...broken(
        "controlPlane.platform.ibmcloud.zones",
        `a machine template has only one zone: all machines from ${machineTemplateName(input.identity.infraID)}, which OpenShiftControlPlane uses, are in ${first.zone.name}`,
        "create the machines from one template per zone as the manual steps describe, or use one zone",
      ),
      code: "CAPI102",
      severity: "warning",
    },
  ];
}
