/** Existing subnets and their roles (docs/reference/install-config-and-manifests.md §1.9). */
import { problemList } from "../../../core/problem.js";
import type { AwsPlatform } from "../../../generated/types/install-config.js";

import type { RuleContext } from "../../platform.js";

type Subnet = NonNullable<NonNullable<AwsPlatform["vpc"]>["subnets"]>[number];

const CODE = "IC302";
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
  const problems = problemList(report, FIELD);
  const withRoles = subnets.filter(({ roles }) => (roles ?? []).length > 0).length;
  if (withRoles > 0 && withRoles < subnets.length)
    problems.forbidden(
      CODE,
      "either all or none of the subnets can have roles",
      "set roles on every subnet, or on none",
    );

  const ids = new Set<string>();
  const subnetsOfRole = new Map<string, number>();
  for (const [i, subnet] of subnets.entries()) {
    const id = subnet.id ?? "";
    const ofId = problems.at(`[${i}].id`);
    if (ids.has(id)) ofId.duplicate(CODE, id, "keep one entry with all roles");
    ids.add(id);
    if (!SUBNET_ID.test(id))
      ofId.warnings.invalid(
        "IC322",
        id,
        "must be a subnet ID",
        'use an ID such as "subnet-0123456789abcdef0"',
      );
    for (const role of validateRoles(subnet, `${FIELD}[${i}].roles`, context))
      subnetsOfRole.set(role, (subnetsOfRole.get(role) ?? 0) + 1);
  }
  if (subnetsOfRole.size === 0) return;

  const ingress = subnetsOfRole.get(INGRESS) ?? 0;
  if (ingress > INGRESS_LIMIT)
    problems.forbidden(
      CODE,
      `at most ${INGRESS_LIMIT} subnets can have the role ${INGRESS}, found ${ingress}`,
      "remove the role from some of them",
    );
  const internal = publish === "Internal";
  if (internal && subnetsOfRole.has(EXTERNAL))
    problems.forbidden(
      CODE,
      `the role ${EXTERNAL} is not supported with publish: Internal`,
      "remove the role, or set publish: External",
    );
  const missing = SUBNET_ROLES.filter(
    (role) => role !== EDGE && !(internal && role === EXTERNAL) && !subnetsOfRole.has(role),
  );
  if (missing.length > 0)
    problems.report(
      CODE,
      "Invalid",
      `no subnet has the ${missing.length === 1 ? "role" : "roles"} ${missing.join(", ")}`,
      "assign each role to at least one subnet, or remove all roles",
    );
}

/** The known roles of a subnet, each once. */
function validateRoles(subnet: Subnet, field: string, { report }: RuleContext): ReadonlySet<string> {
  const roles = new Set<string>();
  const problems = problemList(report, field);
  for (const [i, { type = "" }] of (subnet.roles ?? []).entries()) {
    const ofType = problems.at(`[${i}].type`);
    if (!SUBNET_ROLES.some((role) => role === type)) {
      ofType.unsupported(CODE, type, SUBNET_ROLES);
      continue;
    }
    if (roles.has(type)) ofType.duplicate(CODE, type, "remove one of them");
    roles.add(type);
  }
  if (roles.has(EXTERNAL) && roles.has(INTERNAL))
    problems.forbidden(
      CODE,
      `a subnet cannot have both roles ${EXTERNAL} and ${INTERNAL}`,
      "use separate subnets for each load balancer",
    );
  if (roles.has(EDGE) && roles.size > 1)
    problems.forbidden(
      CODE,
      `the role ${EDGE} cannot be combined with other roles`,
      `keep only the role ${EDGE}`,
    );
  return roles;
}
