/** The aws section of an install-config, and what follows from it alone. */
import type { AwsMachinePool, AwsPlatform } from "../../generated/types/install-config.js";
import type { NormalConfig, NormalPool } from "../config.js";

export { isDualStack } from "../ip-families.js";
export type { AwsMachinePool, AwsPlatform };

export type AwsConfig = AwsPlatform & { readonly region: string };

/** The aws section; a config of another platform has none, which is a bug here. */
export function awsOf(config: NormalConfig): AwsConfig {
  const aws = config.platform.aws;
  if (aws === undefined) throw new Error("the install-config has no section platform.aws");
  return { ...aws, region: aws.region ?? "" };
}

/** The aws section of a pool as it is written; undefined when it has none. */
export const poolSection = (pool: NormalPool): AwsMachinePool | undefined => pool.platform.aws ?? undefined;

/**
 * True when the API is reachable from outside (docs/reference/cluster-api.md §2.4; Mixed publishing is not for aws).
 */
export const publishesExternally = (config: NormalConfig): boolean =>
  config.publish === "" || config.publish === "External";

export interface ExistingSubnet {
  readonly id: string;
  readonly roles: readonly string[];
}

/** The subnets that are brought along, in the order written; empty when the network is to be made. */
export function existingSubnets(aws: AwsPlatform): readonly ExistingSubnet[] {
  const listed = aws.vpc?.subnets ?? [];
  if (listed.length > 0)
    return listed.map(({ id, roles }) => ({
      id: id ?? "",
      roles: (roles ?? []).map(({ type }) => type ?? ""),
    }));
  return (aws.subnets ?? []).map((id) => ({ id, roles: [] }));
}

/** Identifiers of the subnets that have a role, in the order written. */
export const subnetsWithRole = (aws: AwsPlatform, role: string): readonly string[] =>
  existingSubnets(aws)
    .filter(({ roles }) => roles.includes(role))
    .map(({ id }) => id);

/** True when any subnet has a role; then every use of a subnet follows the roles. */
export const hasRoles = (aws: AwsPlatform): boolean =>
  existingSubnets(aws).some(({ roles }) => roles.length > 0);

export const userProvidesDns = (aws: AwsPlatform): boolean => aws.userProvisionedDNS === "Enabled";

export const EDGE = "edge";
