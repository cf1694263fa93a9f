/**
 * What the provider refuses although an install-config may say so: names that no object may have, numbers outside of its
 * definitions, and what it has one of where an install-config may have several.
 */
import type { Problem } from "../../../core/diagnostics.js";
import { DNS_SUBDOMAIN_HINT, isDnsSubdomain } from "../../../kubernetes/names.js";
import { quote } from "../../../text/quote.js";
import type { InfrastructureInput, RuleContext } from "../../platform.js";
import { broken, doubtful } from "../../provider-problems.js";
import { HOST_GROUP, isGenerated, topologyOf, vsphereOf } from "../config.js";
import { generatedTemplate } from "../names.js";
import { type Placement, placement } from "./placement.js";

const LEAST_CPUS = 2;
/** Names in the inventory of a vCenter have at most 80 characters. */
const LONGEST_NAME = 80;
const TYPES: readonly string[] = ["Datacenter", "ComputeCluster", HOST_GROUP];
const FIELD = "platform.vsphere.failureDomains";

export function checkInfrastructure(
  input: InfrastructureInput,
  { report }: Pick<RuleContext, "report">,
): void {
  const given = placement(input);
  for (const problem of [
    ...placeProblems(input, given),
    ...nameProblems(input, given),
    ...typeProblems(input, given),
    ...templateProblems(input),
    ...sizeProblems(given),
    ...vcenterProblems(input, given),
  ])
    report(problem);
}

/** An install-config of old may leave both out, for machines that its user starts; the provider's machines need them. */
function placeProblems({ config }: InfrastructureInput, { domains }: Placement): Problem[] {
  const all = vsphereOf(config).failureDomains ?? [];
  return domains.flatMap((domain) => {
    const { computeCluster = "", networks = [] } = topologyOf(domain);
    const missing = (member: "computeCluster" | "networks", flat: string, what: string): Problem =>
      broken(
        `${FIELD}[${all.indexOf(domain)}].topology.${member}`,
        `required value is missing: ${what} of the control plane machines`,
        `set it${isGenerated(domain) ? ` as platform.vsphere.${flat}` : ""}; machines that you create yourself need no Cluster API objects`,
      );
    return [
      ...(computeCluster === "" ? [missing("computeCluster", "cluster", "compute cluster")] : []),
      ...((networks[0] ?? "") === "" ? [missing("networks", "network", "network")] : []),
    ];
  });
}

/** Where failure domains become objects, their names are part of the objects'. */
function nameProblems({ config, identity }: InfrastructureInput, { domains, zoned }: Placement): Problem[] {
  if (!zoned) return [];
  const all = vsphereOf(config).failureDomains ?? [];
  return domains.flatMap((domain) =>
    isDnsSubdomain(`${identity.infraID}-${domain.name ?? ""}`)
      ? []
      : [
          broken(
            `${FIELD}[${all.indexOf(domain)}].name`,
            `invalid failure domain name ${quote(domain.name ?? "")}`,
            `use another name: ${DNS_SUBDOMAIN_HINT}`,
          ),
        ],
  );
}

/** The installer takes any text for a type. */
function typeProblems({ config }: InfrastructureInput, { domains, zoned }: Placement): Problem[] {
  if (!zoned) return [];
  const all = vsphereOf(config).failureDomains ?? [];
  return domains.flatMap((domain) =>
    (["regionType", "zoneType"] as const).flatMap((member) => {
      const type = domain[member] ?? "";
      return type === "" || TYPES.includes(type)
        ? []
        : [
            broken(
              `${FIELD}[${all.indexOf(domain)}].${member}`,
              `unsupported failure domain type ${quote(type)}`,
              `use one of ${TYPES.join(", ")}`,
            ),
          ];
    }),
  );
}

function templateProblems({ config, identity, release }: InfrastructureInput): Problem[] {
  return (vsphereOf(config).failureDomains ?? []).flatMap((domain, index) => {
    const name = generatedTemplate(identity.infraID, domain, release);
    return (topologyOf(domain).template ?? "") !== "" || name.length <= LONGEST_NAME
      ? []
      : [
          broken(
            `${FIELD}[${index}].name`,
            `template name ${quote(name)} is too long: must have at most ${LONGEST_NAME} characters, has ${name.length}`,
            "shorten the name of the failure domain, or set topology.template to an existing template",
          ),
        ];
  });
}

const sizeProblems = ({ pool }: Placement): Problem[] =>
  pool.cpus >= LEAST_CPUS
    ? []
    : [
        broken(
          "controlPlane.platform.vsphere.cpus",
          `must be at least ${LEAST_CPUS} CPUs`,
          "use more CPUs, such as the default 4",
        ),
      ];

/** A cluster has one vCenter and one login; the failure domains of others need what docs/platforms/vsphere.md says. */
function vcenterProblems({ config }: InfrastructureInput, { domains, server }: Placement): Problem[] {
  const all = vsphereOf(config).failureDomains ?? [];
  return domains
    .filter((domain) => domain.server !== server)
    .map((domain) =>
      doubtful(
        `${FIELD}[${all.indexOf(domain)}].server`,
        `machines in ${domain.name ?? ""} are created by the vCenter ${domain.server ?? ""}, but the provider uses the login of ${server} for all vCenters`,
        "use the same user and password for both vCenters, or keep the control plane in the failure domains of one vCenter (controlPlane.platform.vsphere.zones)",
      ),
    );
}
