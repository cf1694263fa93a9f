/** The baremetal section of an install-config, and what follows from it alone. */
import { isJson, type Json } from "../../core/json.js";
import type { Release } from "../../core/release.js";
import type { BaremetalHost, BaremetalPlatform } from "../../generated/types/install-config.js";
import { lacksCapability } from "../capabilities.js";
import type { NormalConfig, NormalPool } from "../config.js";
import { has } from "./tables.js";

export type { BaremetalHost, BaremetalPlatform };

export const FIELD = "platform.baremetal";

/** The section of a config; one of another platform has none, which is a bug here. */
export function baremetalOf(config: NormalConfig): BaremetalPlatform {
  const { baremetal } = config.platform;
  if (baremetal === undefined) throw new Error("the install-config has no section platform.baremetal");
  return baremetal;
}

/** What a config without a provisioning network, or with another's, does not have. */
export const isDisabled = ({ provisioningNetwork }: BaremetalPlatform): boolean =>
  provisioningNetwork === "Disabled";

export const isUserManaged = ({ loadBalancer }: BaremetalPlatform): boolean =>
  loadBalancer?.type === "UserManaged";

/** True where the cluster keeps machines: without the capability hosts are the user's business. */
export const keepsMachines = (config: NormalConfig): boolean => !lacksCapability(config, "MachineAPI");

/** The value of a host's networkConfig; undefined when it has none. */
export const networkConfigOf = ({ networkConfig }: BaremetalHost): Json | undefined =>
  isJson(networkConfig) && networkConfig !== null ? networkConfig : undefined;

/** What a host becomes. */
export interface AssignedHost {
  readonly host: BaremetalHost;
  /** Its place in the config. */
  readonly index: number;
  readonly role: "master" | "arbiter" | "worker";
  /** Number of its machine among those of the role; undefined for compute, whose machines choose hosts themselves. */
  readonly machine: number | undefined;
}

/**
 * Which host serves as what (openshift/installer pkg/asset/machines/baremetal/hosts.go). The two passes of the installer count on
 * their own: hosts without a role may be taken by one, by both or by none of them.
 */
export function assignedHosts(config: NormalConfig, release: Release): readonly AssignedHost[] {
  const hosts = (baremetalOf(config).hosts ?? []).map((host, index) => ({ host, index }));
  const replicas = (pool: NormalPool | undefined): number => Math.max(0, pool?.replicas ?? 0);
  const masters = replicas(config.controlPlane);
  const arbiters = has(release, "arbiterHosts") ? replicas(config.arbiter) : 0;
  const found: AssignedHost[] = [];
  let taken = 0;
  let skipped = 0;
  for (const each of hosts) {
    const { role } = each.host;
    if (arbiters > 0 && (role === "arbiter" || (taken === masters && skipped < arbiters))) skipped++;
    else if (role !== "worker" && taken < masters) found.push({ ...each, role: "master", machine: taken++ });
    else found.push({ ...each, role: "worker", machine: undefined });
  }
  if (arbiters === 0) return found;
  let counted = 0;
  let placed = 0;
  for (const each of hosts) {
    const { role = "" } = each.host;
    if (role === "master") counted++;
    if (role !== "arbiter" && role !== "") continue;
    if (role === "" && counted < masters) counted++;
    else if (placed < arbiters) found.push({ ...each, role: "arbiter", machine: placed++ });
  }
  return found;
}
