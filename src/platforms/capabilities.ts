/** Optional parts of a cluster and the sets that name them (docs/reference/install-config-and-manifests.md §1.8). */

import table from "../../tables/capabilities.json" with { type: "json" };
import { rowsAt } from "../core/by-release.js";
import type { Problem } from "../core/diagnostics.js";
import { problem } from "../core/problem.js";
import type { Release } from "../core/release.js";
import type { InstallConfig } from "../generated/types/install-config.js";

const cumulated = table.sets.map(({ name }, i): [string, ReadonlySet<string>] => [
  name,
  new Set(table.sets.slice(0, i + 1).flatMap(({ adds }) => adds)),
]);
const current = cumulated.at(-1)?.[1] ?? new Set<string>();

/** Capabilities by the name of their baseline set. */
export const CAPABILITY_SETS: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ["None", new Set<string>()],
  ...cumulated,
  ["vCurrent", current],
]);

/** Every capability that a config may name. */
export const capabilitiesAt = (release: Release): ReadonlySet<string> =>
  new Set([...current, ...rowsAt(table.onlyInCurrent, release).map(({ name }) => name)]);

export const lacksCapability = (config: Pick<InstallConfig, "capabilities">, name: string): boolean =>
  !enabledCapabilities(config).has(name);

/** The capability without which the cluster does not have the kind; undefined for a kind that needs none. */
export const capabilityOf = (group: string, kind: string): string | undefined =>
  table.kinds.find((row) => row.group === group && row.kinds.includes(kind))?.capability;

/** The problem of a config without a capability that something requires; the installer names the one or the other field. */
export const requiredCapability = (
  name: string,
  by: string,
  field: "capabilities" | "additionalEnabledCapabilities" = "capabilities",
): Problem =>
  problem("IC231", "Invalid", field, `the capability ${name} is required by ${by}`, {
    at: "capabilities.additionalEnabledCapabilities",
    hint: `add ${name} to additionalEnabledCapabilities, or use a larger baselineCapabilitySet`,
  });

/** The capabilities that a cluster of this config has; a set that does not exist holds none. */
export function enabledCapabilities({
  capabilities,
}: Pick<InstallConfig, "capabilities">): ReadonlySet<string> {
  const set = CAPABILITY_SETS.get(capabilities?.baselineCapabilitySet || "vCurrent") ?? [];
  return new Set([...set, ...(capabilities?.additionalEnabledCapabilities ?? [])]);
}
