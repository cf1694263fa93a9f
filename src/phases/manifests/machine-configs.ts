/**
 * openshift/99_openshift-machineconfig_NAME.yaml: what the config asks of the machines of a role
 * (docs/reference/install-config-and-manifests.md §3.6).
 */
import type { Json } from "../../core/json.js";
import type { Rendering } from "../../platforms/platform.js";
import { inForce } from "../../platforms/release-changes.js";
import { diskSetups } from "./disk-setup.js";
import type { Asset, ManifestInput } from "./input.js";
import type { MachineConfig, Pool, Role } from "./machine-config.js";
import { setsDualStackArguments } from "./releases.js";
import { hasArbiter } from "./topology.js";

/**
 * Every compute pool makes the configs of role worker, whatever its name; two pools that ask for the same file
 * give it once.
 */
export const machineConfigs: Asset = (input) => {
  const { config, release } = input;
  const pools: [Role, Pool, string][] = [
    ["master", config.controlPlane, "controlPlane"],
    ...config.compute.map((pool, index): [Role, Pool, string] => ["worker", pool, `compute[${index}]`]),
  ];
  if (config.arbiter !== undefined && hasArbiter(config) && inForce(release, "arbiterPool"))
    pools.push(["arbiter", config.arbiter, "arbiter"]);
  const byName = new Map<string, Rendering>();
  for (const [role, pool, field] of pools)
    for (const each of [...configsOf(input, role, pool), ...diskSetups(input, role, pool, field)])
      byName.set(each.name, rendering(role, each));
  return [...byName.values()];
};

function configsOf(input: ManifestInput, role: Role, pool: Pool): MachineConfig[] {
  const { config, platform, release } = input;
  const { sshKey = "" } = config;
  const found: MachineConfig[] = [];
  if (pool.hyperthreading === "Disabled")
    found.push({
      name: `99-${role}-disable-hyperthreading`,
      kernelArguments: ["nosmt", "smt-enabled=off"],
    });
  if (sshKey !== "")
    found.push({
      name: `99-${role}-ssh`,
      ignition: { passwd: { users: [{ name: "core", sshAuthorizedKeys: [sshKey] }] } },
    });
  if (config.fips === true) found.push({ name: `99-${role}-fips`, fips: true });
  found.push(...(platform.manifests.machineConfigs?.(input, role, pool) ?? []));
  if (config.networking.serviceNetwork.length === 2 && setsDualStackArguments(release, platform.name))
    found.push({ name: `99-dual-stack-${role}`, kernelArguments: ["ip=dhcp,dhcp6"] });
  return found;
}

function rendering(role: Role, { name, fips = false, kernelArguments, ignition }: MachineConfig): Rendering {
  const config: Json = { ignition: { version: "3.2.0" }, ...ignition };
  return {
    template: "openshift/99_openshift-machineconfig.yaml",
    path: `openshift/99_openshift-machineconfig_${name}.yaml`,
    secret: ignition?.["passwd"] !== undefined,
    view: { name, role, config, fips, kernelArguments: kernelArguments ?? null },
  };
}
