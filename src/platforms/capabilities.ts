/** Optional parts of a cluster and the sets that name them (facts/install-config-and-manifests.md §1.8). */
import table from "../../schemas/data/capabilities.json" with { type: "json" };
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
export const CAPABILITIES: ReadonlySet<string> = current;

/** The capabilities that a cluster of this config has; a set that does not exist holds none. */
export function enabledCapabilities({
  capabilities,
}: Pick<InstallConfig, "capabilities">): ReadonlySet<string> {
  const set = CAPABILITY_SETS.get(capabilities?.baselineCapabilitySet || "vCurrent") ?? [];
  return new Set([...set, ...(capabilities?.additionalEnabledCapabilities ?? [])]);
}
