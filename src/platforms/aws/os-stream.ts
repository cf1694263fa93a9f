/** The label of the OS stream, on machines from the release on that has streams (facts §3.7). */
import type { PlatformInput } from "../platform.js";
import { has } from "./tables.js";

/** Value of `machineconfiguration.openshift.io/osstream`; undefined when machines carry no such label. */
export function osStreamLabel({ config, release }: PlatformInput): string | undefined {
  if (!has(release, "osStreamLabels")) return undefined;
  const custom = config.featureSet === "CustomNoUpgrade";
  if (custom && !(config.featureGates ?? []).some((gate) => /^OSStreams=(1|t|T|TRUE|true|True)$/.test(gate)))
    return undefined;
  return config.osImageStream;
}
