/**
 * The life of every gate: stages by release, and when its code may be removed (docs/reference/compatibility-versions.md
 * §9).
 */

import { holdingAt } from "./gate-state.js";
import type { CompleteSpec, GateTable, Stage } from "./gate-table.js";
import { completeSpecs } from "./gate-table.js";
import { type RemovalPolicy, removalOf } from "./removal-policy.js";
import type { Rules } from "./rules.js";
import {
  addMinors,
  compareMinors,
  formatMinor,
  formatVersion,
  type Minor,
  minorOf,
  minorsBetween,
} from "./version.js";

export interface LifecycleStage {
  readonly version: string;
  readonly stage: Stage;
  readonly default: boolean;
  readonly locked: boolean;
  readonly minCompatibilityVersion: string | null;
}

export interface GateLifecycle {
  readonly name: string;
  readonly stages: readonly LifecycleStage[];
  /** First release that may lack the gate; null while nothing says when. */
  readonly removableFrom: string | null;
  readonly state: "active" | "removable" | "overdue";
  readonly reason: string;
}

export function gateLifecycles(
  table: GateTable,
  current: Minor,
  policy: RemovalPolicy,
  rules: Rules,
): GateLifecycle[] {
  return table.gates.map(({ name, specs: written }) => {
    const specs = completeSpecs(written, rules.set === "shipped");
    const removal = removalOf(specs, policy);
    const last = specs.at(-1);
    const from = removal.allowed === "from" ? removal.from : undefined;
    return {
      name,
      stages: specs.map(stageOf),
      removableFrom: from === undefined ? null : formatMinor(from),
      state: from === undefined || last === undefined ? "active" : stateOf(from, last, current, policy),
      reason: removal.allowed === "always" ? "an Alpha gate can be removed at any time" : removal.why,
    };
  });
}

function stateOf(
  from: Minor,
  last: CompleteSpec,
  current: Minor,
  policy: RemovalPolicy,
): GateLifecycle["state"] {
  if (compareMinors(current, from) < 0) return "active";
  const overdue = addMinors(minorOf(last.version), policy.overdueAfterReleases);
  return compareMinors(current, overdue) >= 0 ? "overdue" : "removable";
}

const stageOf = ({
  version,
  stage,
  default: initial,
  locked,
  minCompatibility,
}: CompleteSpec): LifecycleStage => ({
  version: formatVersion(version),
  stage,
  default: initial,
  locked,
  minCompatibilityVersion: minCompatibility === undefined ? null : formatVersion(minCompatibility),
});

/**
 * The stage of a gate in each release, and whether its code must still be there (docs/reference/source-designs.md
 * §2.6).
 */
export function stagesByRelease(
  specs: readonly CompleteSpec[],
  first: Minor,
  last: Minor,
  policy: RemovalPolicy,
): { readonly release: string; readonly stage: Stage; readonly codeMayGo: boolean }[] {
  const removal = removalOf(specs, policy);
  return minorsBetween(first, last).map((at) => ({
    release: formatMinor(at),
    stage: holdingAt(specs, at, at).stage,
    codeMayGo: removal.allowed === "from" && compareMinors(at, removal.from) >= 0,
  }));
}
