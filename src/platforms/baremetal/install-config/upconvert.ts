/** Old spellings of platform.baremetal (openshift/installer pkg/types/conversion/installconfig.go). */
import { problem, warning } from "../../../core/problem.js";
import type { InstallConfig } from "../../../generated/types/install-config.js";
import type { RuleContext } from "../../platform.js";
import { upconvertVirtualIps } from "../../virtual-ips.js";
import { FIELD } from "../config.js";

/** The config in today's spelling; undefined when old and new contradict each other, which is reported. */
export function upconvert(config: InstallConfig, context: RuleContext): InstallConfig | undefined {
  const old = config.platform?.baremetal;
  if (old === undefined) return config;
  const baremetal = { ...old };
  if (old.provisioningDHCPExternal === true) {
    warn(context, "provisioningDHCPExternal", "provisioningNetwork: Unmanaged");
    baremetal.provisioningNetwork ||= "Unmanaged";
  }
  if (old.provisioningHostIP) {
    warn(context, "provisioningHostIP", "clusterProvisioningIP");
    baremetal.clusterProvisioningIP ||= old.provisioningHostIP;
    if (baremetal.clusterProvisioningIP !== old.provisioningHostIP) {
      context.report(
        problem(
          "IC103",
          "Invalid",
          `${FIELD}.provisioningHostIP`,
          "conflicts with clusterProvisioningIP, which replaces it",
          "keep only clusterProvisioningIP",
        ),
      );
      return undefined;
    }
  }
  for (const name of ["bootstrapOSImage", "clusterOSImage"] as const)
    if (old[name])
      context.report(
        warning(
          "IC102",
          "Invalid",
          `${FIELD}.${name}`,
          "ignored because the operating system comes with the release",
          "remove it",
        ),
      );
  const converted = upconvertVirtualIps(baremetal, FIELD, context);
  return converted === undefined
    ? undefined
    : { ...config, platform: { ...config.platform, baremetal: converted } };
}

function warn({ report }: RuleContext, name: string, instead: string): void {
  report(warning("IC102", "Invalid", `${FIELD}.${name}`, "deprecated", `use ${instead}`));
}
