/** Which feature gates are on for an install-config, as far as its rules and its manifests depend on them. */

import table from "../../schemas/data/releases-gates.json" with { type: "json" };
import { rowAt, rowsAt, type Span } from "../core/by-release.js";
import type { Release } from "../core/release.js";
import { inForce } from "./release-changes.js";

export type GateName = keyof typeof table.gates;

const GATES: Readonly<Record<GateName, readonly (Span & { readonly set: string })[]>> = table.gates;
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

/** A custom set holds exactly what it names; every other set is a column of the table. */
export function gateEnabled(release: Release, selection: FeatureSelection, name: GateName): boolean {
  const featureSet = selection.featureSet ?? "";
  if (featureSet === CUSTOM_FEATURE_SET)
    return (selection.featureGates ?? []).some((entry) => {
      const gate = parseFeatureGate(entry);
      return gate?.name === name && gate.enabled;
    });
  const least = rowAt(GATES[name], release)?.set;
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
