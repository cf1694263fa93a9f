/** Which feature gates are on for an install-config, as far as its rules and its manifests depend on them. */

import table from "../../tables/openshift-feature-gates.json" with { type: "json" };
import { rowAt, rowsAt, type Span } from "../core/by-release.js";
import type { Release } from "../core/release.js";
import { inForce } from "./release-changes.js";

export type GateName = keyof typeof table.gates;

/** The feature set from which on a gate is on: in the release's payload, and where it differs in its installer's copy. */
interface GateRow extends Span {
  readonly set: string;
  readonly installer?: string | undefined;
}

const GATES: Readonly<Record<GateName, readonly GateRow[]>> = table.gates;
/** Each set has on what those before it have. */
const SETS = ["Default", "TechPreviewNoUpgrade", "DevPreviewNoUpgrade"];

/** The members of an install-config that decide about gates. */
export interface FeatureSelection {
  readonly featureSet?: string | undefined;
  readonly featureGates?: readonly string[] | undefined;
}

export const CUSTOM_FEATURE_SET = "CustomNoUpgrade";

/** The feature sets that a release knows: the default one, which has no name, first. */
export const featureSetsOf = (release: Release): readonly string[] => [
  "",
  ...rowsAt(table.featureSets, release).map(({ name }) => name),
  CUSTOM_FEATURE_SET,
];

/** The least feature set that has a gate on, as the release's installer judges; undefined for a gate that is in no set. */
export function leastFeatureSet(release: Release, name: GateName): string | undefined {
  const row = rowAt(GATES[name], release);
  const set = row?.installer ?? row?.set;
  return set !== undefined && SETS.includes(set) ? set : undefined;
}

/** True for a gate of the release's installer that is on; a custom set contains exactly the gates that it names. */
export function gateEnabled(release: Release, selection: FeatureSelection, name: GateName): boolean {
  const featureSet = selection.featureSet ?? "";
  if (featureSet === CUSTOM_FEATURE_SET)
    return (selection.featureGates ?? []).some((entry) => {
      const gate = parseFeatureGate(entry);
      return gate?.name === name && gate.enabled;
    });
  const least = leastFeatureSet(release, name);
  // OKD has on what the default set has.
  const set = featureSet === "" || featureSet === "OKD" ? "Default" : featureSet;
  return least !== undefined && SETS.indexOf(least) <= SETS.indexOf(set);
}

const BOOLEANS = new Map<string, boolean>([
  ...["1", "t", "T", "true", "TRUE", "True"].map((text): [string, boolean] => [text, true]),
  ...["0", "f", "F", "false", "FALSE", "False"].map((text): [string, boolean] => [text, false]),
]);

/** Reads `Name=true`; undefined when the entry has another form. */
export function parseFeatureGate(entry: string): { name: string; enabled: boolean } | undefined {
  const parts = entry.split("=");
  const enabled = BOOLEANS.get(parts[1] ?? "");
  return parts.length === 2 && enabled !== undefined ? { name: parts[0] ?? "", enabled } : undefined;
}

/** True where an arbiter pool is looked at; until 4.21 a gate decided about that. */
export const arbiterIsEnabled = (release: Release, selection: FeatureSelection): boolean =>
  inForce(release, "arbiterWithoutGate") || gateEnabled(release, selection, "HighlyAvailableArbiter");
