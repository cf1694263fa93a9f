/** Gates by feature set, for tables whose source knows no versions (docs/reference/compatibility-versions.md §10). */

import type { Report } from "../core/diagnostics.js";
import { byCodeUnit } from "../core/files.js";
import type { FeatureSetState, GateTable } from "./gate-table.js";

export interface FeatureSetGate {
  readonly name: string;
  readonly stage: "Unknown";
  readonly enabled: boolean;
  readonly locked: false;
  readonly settable: boolean;
  readonly setBy: "feature-set";
  readonly since: null;
  readonly reason: string;
}

/** Sets that cannot be left again and block upgrades. */
const NO_UPGRADE = /NoUpgrade$/;

/** True for a table that says nothing about versions. */
export const hasFeatureSetsOnly = ({ gates }: GateTable): boolean =>
  gates.length > 0 && gates.every(({ specs, featureSets }) => specs.length === 0 && featureSets.length > 0);

/** The gates of a set; reports a set or profile that the table does not know. */
export function featureSetGates(
  table: GateTable,
  featureSet: string | undefined,
  clusterProfile: string | undefined,
  report: Report,
): FeatureSetGate[] {
  const states = table.gates.flatMap((gate) => gate.featureSets);
  const sets = distinct(states, (state) => state.featureSet);
  const profiles = distinct(
    states.filter((state) => featureSet === undefined || state.featureSet === featureSet),
    (state) => state.clusterProfile,
  );
  const problem = (message: string, hint: string): void =>
    report({ code: "TAB007", kind: "Required", file: table.file, message, hint });
  if (featureSet === undefined || !sets.includes(featureSet)) {
    problem(
      featureSet === undefined
        ? "the table knows feature sets, not versions"
        : `the table has no feature set ${featureSet}`,
      `--feature-set with one of ${sets.join(", ")}`,
    );
    return [];
  }
  const profile = clusterProfile ?? (profiles.length === 1 ? profiles[0] : undefined);
  if (profile === undefined || !profiles.includes(profile)) {
    problem(
      clusterProfile === undefined
        ? `the feature set ${featureSet} differs by cluster profile`
        : `the table has no cluster profile ${clusterProfile} in ${featureSet}`,
      `--cluster-profile with one of ${profiles.join(", ")}`,
    );
    return [];
  }
  if (NO_UPGRADE.test(featureSet))
    report({
      severity: "info",
      code: "TAB011",
      kind: "Forbidden",
      file: table.file,
      message: `a cluster with the feature set ${featureSet} cannot leave it and cannot be upgraded`,
      hint: "use it for test clusters only",
    });
  return table.gates
    .flatMap(({ name, featureSets }): FeatureSetGate[] => {
      const own = featureSets.filter(
        (state) => state.featureSet === featureSet && state.clusterProfile === profile,
      );
      if (own.length === 0) return [];
      // The rule of a gate is the union of its statements.
      const enabled = own.some((state) => state.enabled);
      return [
        {
          name,
          stage: "Unknown",
          enabled,
          locked: false,
          settable: false,
          setBy: "feature-set",
          since: null,
          reason: `${enabled ? "on" : "off"} in ${featureSet}${profile === "" ? "" : ` on ${profile}`}`,
        },
      ];
    })
    .sort((a, b) => byCodeUnit(a.name.toLowerCase(), b.name.toLowerCase()) || byCodeUnit(a.name, b.name));
}

const distinct = (states: readonly FeatureSetState[], of: (state: FeatureSetState) => string): string[] =>
  [...new Set(states.map(of))].sort(byCodeUnit);
