/**
 * Which feature gates are on. The table holds the gates that the installer asks for
 * (facts/install-config-and-manifests.md §1.7, §1.8), by release and feature set.
 */
import table from "../../schemas/data/feature-gates.json" with { type: "json" };
import { formatRelease, type Release } from "../core/release.js";

export type GateName = keyof typeof table.gates;

/** The members of an install-config that decide about gates. */
export interface FeatureSelection {
  readonly featureSet?: string | undefined;
  readonly featureGates?: readonly string[] | undefined;
}

export const CUSTOM_FEATURE_SET = "CustomNoUpgrade";

const SETS: Readonly<Record<string, readonly string[]>> = table.featureSets;
const GATES: Readonly<Record<string, Readonly<Record<string, string>>>> = table.gates;

/** The stages that each feature set switches on. */
const STAGES: Readonly<Record<string, readonly string[]>> = {
  "": ["default"],
  OKD: ["default"],
  TechPreviewNoUpgrade: ["default", "tech-preview"],
  DevPreviewNoUpgrade: ["default", "tech-preview", "dev-preview"],
};

/** The feature sets that a release knows, the default one (an empty name) first, CustomNoUpgrade last. */
export const featureSetsOf = (release: Release): readonly string[] => [
  ...(SETS[formatRelease(release)] ?? []),
  CUSTOM_FEATURE_SET,
];

/**
 * True when a gate is on. With CustomNoUpgrade exactly the listed gates are, whatever their default; a gate that the
 * release does not know, or an unknown feature set, is off.
 */
export function gateEnabled(release: Release, selection: FeatureSelection, name: GateName): boolean {
  const set = selection.featureSet ?? "";
  if (set === CUSTOM_FEATURE_SET)
    return (selection.featureGates ?? []).some((entry) => {
      const gate = parseFeatureGate(entry);
      return gate?.name === name && gate.enabled;
    });
  const stage = GATES[name]?.[formatRelease(release)];
  return stage !== undefined && (STAGES[set] ?? []).includes(stage);
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
