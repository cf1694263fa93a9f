/** Old spellings of platform.aws (docs/reference/install-config-and-manifests.md §1.3). */
import { conflict, deprecated } from "../../../core/problem.js";
import type { InstallConfig } from "../../../generated/types/install-config.js";
import type { RuleContext } from "../../platform.js";
import { has } from "../tables.js";

/** The config in today's spelling; undefined when old and new contradict each other, which is reported. */
export function upconvert(config: InstallConfig, context: RuleContext): InstallConfig | undefined {
  const old = config.platform?.aws;
  if (old === undefined) return config;
  const aws = { ...old };

  if (aws.experimentalPropagateUserTags !== undefined) {
    warn(context, "experimentalPropagateUserTags", "propagateUserTags");
    aws.propagateUserTags = aws.experimentalPropagateUserTags;
  }
  if (aws.preserveBootstrapIgnition === true) {
    warn(context, "preserveBootstrapIgnition", "bestEffortDeleteIgnition");
    aws.bestEffortDeleteIgnition = true;
  }
  if (aws.amiID !== undefined && aws.amiID !== "") {
    warn(context, "amiID", "defaultMachinePlatform.amiID");
    const pool = aws.defaultMachinePlatform ?? {};
    aws.defaultMachinePlatform = { ...pool, amiID: pool.amiID || aws.amiID };
  }
  const subnets = aws.subnets ?? [];
  if (subnets.length > 0) {
    if ((aws.vpc?.subnets ?? []).length > 0) {
      context.report(
        conflict("IC103", "platform.aws.subnets", "platform.aws.vpc.subnets", "only one of them can be set", {
          kind: "Forbidden",
          hint: "keep platform.aws.vpc.subnets",
        }),
      );
      return undefined;
    }
    if (has(context.release, "subnetRoles")) warn(context, "subnets", "vpc.subnets");
    aws.vpc = { ...aws.vpc, subnets: subnets.map((id) => ({ id })) };
  }
  return { ...config, platform: { ...config.platform, aws } };
}

const warn = ({ report }: RuleContext, name: string, instead: string): void =>
  report(deprecated("IC102", `platform.aws.${name}`, `platform.aws.${instead}`));
