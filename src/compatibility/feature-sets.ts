/** Gates by feature set, for tables whose source knows no versions (docs/reference/compatibility-versions.md §10). */

import { counted } from "../core/counted.js";
import type { Report } from "../core/diagnostics.js";
import { byCodeUnit } from "../core/files.js";
import { problem, problemList } from "../core/problem.js";
import type { FeatureSetState, Gate, GateTable } from "./gate-table.js";
import { parseVersion } from "./version.js";

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

const saysSetsOnly = ({ specs, featureSets }: Gate): boolean => specs.length === 0 && featureSets.length > 0;

/** True for a table that says nothing about versions. */
export const hasFeatureSetsOnly = ({ gates }: GateTable): boolean =>
  gates.length > 0 && gates.every(saysSetsOnly);

/**
 * Reports a table of feature sets where the question is one of versions, which would get an empty answer; where some of
 * its gates have versions, a warning names the others.
 */
export function reportWithoutVersions(table: GateTable, report: Report): void {
  const silent = table.gates.filter(saysSetsOnly);
  const [first] = silent;
  if (first === undefined) return;
  if (!hasFeatureSetsOnly(table)) {
    problemList(report, first.name, first.place).warnings.report(
      "TAB007",
      "Required",
      `${counted(silent.length, "gate is ignored because it has", "gates are ignored because they have")} feature sets but no versions: ${silent.map(({ name }) => name).join(", ")}`,
      "add versionedSpecs",
    );
    return;
  }
  problemList(report, "", { file: table.file }).report(
    "TAB007",
    "Required",
    "the table contains feature sets but no versions",
    "use a list with versionedSpecs, such as kubernetes",
  );
}

/**
 * The gates of a set; reports a set or profile that the table does not know, and releases that differ where none is named.
 *
 * @param release such as 4.21.3, of the releases or majors that the statements are about
 */
export function featureSetGates(
  table: GateTable,
  featureSet: string | undefined,
  clusterProfile: string | undefined,
  report: Report,
  release?: string,
): FeatureSetGate[] {
  const states = table.gates.flatMap((gate) => gate.featureSets);
  const sets = distinct(states, (state) => state.featureSet);
  const profiles = distinct(
    states.filter((state) => featureSet === undefined || state.featureSet === featureSet),
    (state) => state.clusterProfile,
  );
  const refuse = (message: string, hint: string): void =>
    report(problem("TAB007", "Required", "", message, { file: table.file, hint }));
  if (featureSet === undefined || !sets.includes(featureSet)) {
    refuse(
      featureSet === undefined
        ? "the table contains feature sets but no versions"
        : `the table does not contain feature set ${featureSet}`,
      `set --feature-set to one of ${sets.join(", ")}`,
    );
    return [];
  }
  const profile = clusterProfile ?? (profiles.length === 1 ? profiles[0] : undefined);
  if (profile === undefined || !profiles.includes(profile)) {
    refuse(
      clusterProfile === undefined
        ? `feature set ${featureSet} differs by cluster profile`
        : `the table does not contain cluster profile ${clusterProfile} in feature set ${featureSet}`,
      `set --cluster-profile to one of ${profiles.join(", ")}`,
    );
    return [];
  }
  if (NO_UPGRADE.test(featureSet))
    problemList(report, "", { file: table.file }).infos.forbidden(
      "TAB011",
      `a cluster with feature set ${featureSet} cannot be upgraded, and the feature set cannot be changed`,
      "use it for test clusters only",
    );
  const ofSet = (gate: Gate): FeatureSetState[] =>
    gate.featureSets.filter((state) => state.featureSet === featureSet && state.clusterProfile === profile);
  const asked = ofRelease(table.gates.map(ofSet), release);
  if (asked === undefined) {
    const named = distinct(table.gates.flatMap(ofSet), ({ versions }) => versions.join(" or "));
    refuse(
      `feature set ${featureSet} differs by release${release === undefined ? "" : `, and release ${release} is not listed separately`}`,
      `set --binary-version to a release of one of ${named.filter((each) => each !== "").join(", ")}`,
    );
    return [];
  }
  return table.gates
    .flatMap((gate): FeatureSetGate[] => {
      const { name } = gate;
      const own = ofSet(gate).filter(asked);
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

/**
 * Which statements answer for a release. A cluster's own object has a list for each release that it has run: what was on
 * in one of them need not be on now. Undefined where they differ, and no release tells which are meant.
 */
function ofRelease(
  gates: readonly (readonly FeatureSetState[])[],
  release: string | undefined,
): ((state: FeatureSetState) => boolean) | undefined {
  const keyOf = ({ versions }: FeatureSetState): string => versions.join();
  const all = new Set(gates.flat().map(keyOf));
  const alike = gates.every((states) => {
    const told = new Set(states.map(keyOf));
    return (
      states.length === 0 ||
      (told.size === all.size && new Set(states.map(({ enabled }) => enabled)).size === 1)
    );
  });
  if (alike || all.size === 1) return () => true;
  if (release === undefined) return undefined;
  const isAsked = ({ versions }: FeatureSetState): boolean =>
    versions.length === 0 || versions.some((version) => isWithin(version, release));
  const kept = new Set(gates.flat().filter(isAsked).map(keyOf));
  kept.delete("");
  return kept.size === 1 ? isAsked : undefined;
}

/** One names the other, as 4 and 4.21 name 4.21.3. */
function isWithin(one: string, other: string): boolean {
  const [a, b] = [numbersOf(one), numbersOf(other)];
  const least = Math.min(a.length, b.length);
  return least > 0 && a.slice(0, least).join() === b.slice(0, least).join();
}

function numbersOf(text: string): readonly number[] {
  if (/^[0-9]+$/.test(text)) return [Number(text)];
  const parsed = parseVersion(text);
  return "version" in parsed ? parsed.version.numbers : [];
}

const distinct = (states: readonly FeatureSetState[], of: (state: FeatureSetState) => string): string[] =>
  [...new Set(states.map(of))].sort(byCodeUnit);
