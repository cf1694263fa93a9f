/** Old spellings of platform.azure (openshift/installer pkg/types/conversion/installconfig.go, convertAzure). */
import { warning } from "../../../core/problem.js";
import type { InstallConfig } from "../../../generated/types/install-config.js";
import type { RuleContext } from "../../platform.js";
import { CONTROL_PLANE, NODE } from "../config.js";
import { has } from "../tables.js";

/**
 * The config in today's spelling. The installer appends the old subnets to the list, and keeps them beside it; a list
 * that ends in them already is one that it has converted, and stays.
 */
export function upconvert(config: InstallConfig, { release, report }: RuleContext): InstallConfig {
  const azure = config.platform?.azure;
  if (azure === undefined || !has(release, "subnetList")) return config;
  const old = [
    { field: "controlPlaneSubnet", name: azure.controlPlaneSubnet ?? "", role: CONTROL_PLANE },
    { field: "computeSubnet", name: azure.computeSubnet ?? "", role: NODE },
  ].filter(({ name }) => name !== "");
  for (const { field, role } of old)
    report(
      warning(
        "IC102",
        "Invalid",
        `platform.azure.${field}`,
        "deprecated",
        `add an entry with the role ${role} to platform.azure.subnets`,
      ),
    );
  const given = azure.subnets ?? [];
  const end = given.slice(given.length - old.length);
  const converted =
    given.length >= old.length &&
    old.every(({ name, role }, i) => end[i]?.name === name && end[i].role === role);
  const subnets = converted ? given : [...given, ...old.map(({ name, role }) => ({ name, role }))];
  return { ...config, platform: { ...config.platform, azure: { ...azure, subnets } } };
}
