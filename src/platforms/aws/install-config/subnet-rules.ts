/** Subnets brought along and their roles (docs/reference/install-config-and-manifests.md §1.9). */
import type { AwsPlatform } from "../../../generated/types/install-config.js";
import { quote } from "../../../text/quote.js";
import type { RuleContext } from "../../platform.js";

type Subnet = NonNullable<NonNullable<AwsPlatform["vpc"]>["subnets"]>[number];

const FIELD = "platform.aws.vpc.subnets";
const EDGE = "EdgeNode";
const EXTERNAL = "ControlPlaneExternalLB";
const INTERNAL = "ControlPlaneInternalLB";
const INGRESS = "IngressControllerLB";
export const SUBNET_ROLES = ["BootstrapNode", "ClusterNode", EXTERNAL, INTERNAL, EDGE, INGRESS] as const;
/** The IngressController takes that many subnets. */
const INGRESS_LIMIT = 10;
const SUBNET_ID = /^subnet-[0-9a-f]{8}([0-9a-f]{9})?$/;

export function validateSubnets(subnets: readonly Subnet[], publish: string, context: RuleContext): void {
  if (subnets.length === 0) return;
  const { report } = context;
  const forbidden = (message: string, hint: string) =>
    report({ code: "IC302", kind: "Forbidden", field: FIELD, message, hint });
  const withRoles = subnets.filter(({ roles }) => (roles ?? []).length > 0).length;
  if (withRoles > 0 && withRoles < subnets.length)
    forbidden("some subnets have roles and others have none", "give every subnet a role, or none");

  const ids = new Set<string>();
  const subnetsOfRole = new Map<string, number>();
  for (const [i, subnet] of subnets.entries()) {
    const id = subnet.id ?? "";
    if (ids.has(id))
      report({
        code: "IC302",
        kind: "Duplicate",
        field: `${FIELD}[${i}].id`,
        message: `the subnet ${quote(id)} appears twice`,
        hint: "keep one entry, with all its roles",
      });
    ids.add(id);
    if (!SUBNET_ID.test(id))
      report({
        code: "IC322",
        severity: "warning",
        kind: "Invalid",
        field: `${FIELD}[${i}].id`,
        message: `${quote(id)} does not look like the identifier of a subnet`,
        hint: 'identifiers are such as "subnet-0123456789abcdef0"',
      });
    for (const role of validateRoles(subnet, `${FIELD}[${i}].roles`, context))
      subnetsOfRole.set(role, (subnetsOfRole.get(role) ?? 0) + 1);
  }
  if (subnetsOfRole.size === 0) return;

  if ((subnetsOfRole.get(INGRESS) ?? 0) > INGRESS_LIMIT)
    forbidden(
      `${subnetsOfRole.get(INGRESS)} subnets have the role ${INGRESS}; the ingress controller takes ${INGRESS_LIMIT}`,
      "take the role from some of them",
    );
  const internal = publish === "Internal";
  if (internal && subnetsOfRole.has(EXTERNAL))
    forbidden(
      `the role ${EXTERNAL} has no use with publish: Internal`,
      "take the role away, or publish the cluster External",
    );
  const missing = SUBNET_ROLES.filter(
    (role) => role !== EDGE && !(internal && role === EXTERNAL) && !subnetsOfRole.has(role),
  );
  if (missing.length > 0)
    report({
      code: "IC302",
      kind: "Invalid",
      field: FIELD,
      message: `no subnet has ${missing.length === 1 ? "the role" : "the roles"} ${missing.join(", ")}`,
      hint: "give each role to at least one subnet, or leave all roles out",
    });
}

/** The known roles of a subnet, each once. */
function validateRoles(subnet: Subnet, field: string, { report }: RuleContext): ReadonlySet<string> {
  const roles = new Set<string>();
  for (const [i, { type = "" }] of (subnet.roles ?? []).entries()) {
    if (!SUBNET_ROLES.some((role) => role === type)) {
      report({
        code: "IC302",
        kind: "NotSupported",
        field: `${field}[${i}].type`,
        message: `there is no role ${quote(type)}`,
        hint: `the roles are ${SUBNET_ROLES.join(", ")}`,
      });
      continue;
    }
    if (roles.has(type))
      report({
        code: "IC302",
        kind: "Duplicate",
        field: `${field}[${i}].type`,
        message: `the subnet has the role ${type} already`,
        hint: "remove one of them",
      });
    roles.add(type);
  }
  const forbidden = (message: string, hint: string) =>
    report({ code: "IC302", kind: "Forbidden", field, message, hint });
  if (roles.has(EXTERNAL) && roles.has(INTERNAL))
    forbidden(
      `a subnet has the roles ${EXTERNAL} and ${INTERNAL}`,
      "give each load balancer subnets of its own",
    );
  if (roles.has(EDGE) && roles.size > 1)
    forbidden(
      `the role ${EDGE} is combined with others`,
      `a subnet of a Local or Wavelength Zone has the role ${EDGE} alone`,
    );
  return roles;
}
