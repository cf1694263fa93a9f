/** Is a policy safe by its own assumptions? For an abstract version, and for every resource of a table. */
import { type ApiTable, formatMinor, groupResource, type Minor } from "./compatibility.js";
import { deriveTable } from "./derive.js";
import {
  type Behavior,
  type BehaviorTable,
  locationsOf,
  preferredIn,
  type StorageLocation,
  type VersionRow,
} from "./model.js";
import type { StoragePolicy } from "./policy.js";
import {
  type Action,
  type Behaviors,
  type MigrationMode,
  type Moves,
  type SearchResult,
  search,
} from "./search.js";

/** The four numbers that decide. */
export interface PolicyNumbers {
  readonly supported: number;
  readonly migrated: number;
  readonly maxUpgrade: number;
  readonly maxDowngrade: number;
}

export interface StoryStep {
  /** A number relative to the last release that prefers X, or a release of the table. */
  readonly release: number | string;
  readonly action: Action;
  readonly storedVersion: string;
  /** Null where the release does not know the version yet. */
  readonly behavior: Behavior | null;
}

export interface Loss {
  readonly resource: string;
  readonly counterexample: readonly StoryStep[];
}

export interface PolicyVerdict {
  readonly safe: boolean;
  readonly states: number;
  readonly transitions: number;
  /** Releases that were visited, first and last. */
  readonly releases: readonly (number | string)[];
  readonly counterexample: readonly StoryStep[];
  /** Each resource of a table that can lose objects, with its own shortest way there. */
  readonly unsafe: readonly Loss[];
  /** Losses of alpha versions that the policy promises nothing for; they do not make it unsafe. */
  readonly unpromised: readonly Loss[];
  readonly fix: PolicyNumbers | undefined;
}

const X = 0;
const NEXT = 1;
const NAMES = ["X", "Y"] as const;

/**
 * An abstract version X and the next one, Y. X is preferred up to release 0, then supported, actively migrated,
 * ignored (under the moratorium: supported for ever); Y is known from release 0 on and preferred from 1. Releases below 0 are not visited. Beyond the last release
 * here nothing changes any more: X is ignored there wherever a jump from a release that still reads it can lead.
 */
export function abstractBehaviors(
  { supported, migrated, maxUpgrade }: PolicyNumbers,
  moratorium = false,
): Behaviors {
  const last = supported + migrated;
  return {
    releases: last + Math.max(1, maxUpgrade) + 1,
    versions: 2,
    behavior: (version, release) => {
      if (version === NEXT) return release === 0 ? "supported" : "preferred";
      if (release === 0) return "preferred";
      if (moratorium || release <= supported) return "supported";
      return release <= last ? "actively-migrated" : "ignored";
    },
    preferred: (release) => (release === 0 ? X : NEXT),
    promised: () => true,
  };
}

export function verifyNumbers(
  numbers: PolicyNumbers,
  migration: MigrationMode,
  moratorium = false,
): PolicyVerdict {
  const behaviors = abstractBehaviors(numbers, moratorium);
  const found = search(behaviors, { ...numbers, migration, downgrades: "each" });
  const counterexample = (found.counterexample ?? []).map(({ release, action, version, behavior }) => ({
    release,
    action,
    storedVersion: NAMES[version] ?? "",
    behavior: behavior ?? null,
  }));
  return {
    safe: found.counterexample === undefined,
    states: found.states,
    transitions: found.transitions,
    releases: [0, behaviors.releases - 1],
    counterexample,
    unsafe: [],
    unpromised: [],
    fix: found.counterexample === undefined ? undefined : fixNumbers(numbers, migration),
  };
}

/**
 * The least change that makes the numbers safe. Interrupted migrations leave an object in X for ever, and single
 * upgrades then reach a release that ignores X whatever the numbers are, so nothing helps. Completed ones are outrun
 * only by a jump over all releases that migrate, from the last that merely supports X (or prefers it) to the first that
 * ignores it: the jump must not be longer than the releases that migrate. One unit of change of any number narrows that
 * distance by one at most, and a unit of `migrated` always does, so no other change is smaller; `migrated` is first
 * among equals. The candidate is searched all the same.
 */
function fixNumbers(numbers: PolicyNumbers, migration: MigrationMode): PolicyNumbers | undefined {
  if (migration === "interrupted") return undefined;
  const candidate = { ...numbers, migrated: Math.max(numbers.migrated + 1, numbers.maxUpgrade) };
  const found = search(abstractBehaviors(candidate), { ...candidate, migration, downgrades: "each" });
  return found.counterexample === undefined ? candidate : undefined;
}

interface LocationResult {
  readonly location: StorageLocation;
  readonly found: SearchResult;
  /** True when only versions without a promise were lost. */
  readonly unpromised: boolean;
}

/** Which versions the policy promises to keep. */
type Promised = (row: VersionRow) => boolean;
const everything: Promised = () => true;

function searchTable(
  table: BehaviorTable,
  moves: Moves,
  promised: Promised,
  stopAtLoss = false,
): LocationResult[] {
  const results: LocationResult[] = [];
  for (const location of locationsOf(table)) {
    const kept = search(locationBehaviors(location, table.releases, promised), moves);
    results.push({ location, found: kept, unpromised: false });
    if (kept.counterexample !== undefined) {
      if (stopAtLoss) break;
      continue;
    }
    if (stopAtLoss || location.versions.every(promised)) continue;
    const any = search(locationBehaviors(location, table.releases, everything), moves);
    if (any.counterexample !== undefined) results.push({ location, found: any, unpromised: true });
  }
  return results;
}

/** A table's releases may have gaps: a jump is counted in releases of the table. */
function locationBehaviors(
  location: StorageLocation,
  releases: readonly Minor[],
  promised: Promised,
): Behaviors {
  const names = releases.map(formatMinor);
  const byRelease = names.map((name) => location.versions.map(({ behaviors }) => behaviors.get(name)));
  const preferred = names.map((name) => {
    const [row] = preferredIn(location, name);
    return row === undefined ? undefined : location.versions.indexOf(row);
  });
  const kept = location.versions.map(promised);
  return {
    releases: names.length,
    versions: location.versions.length,
    behavior: (version, release) => byRelease[release]?.[version],
    preferred: (release) => preferred[release],
    promised: (version) => kept[version] ?? true,
  };
}

/** Every resource of an explicit table; only the jumps can be changed to make it safe. */
export function verifyTable(
  table: BehaviorTable,
  numbers: PolicyNumbers,
  migration: MigrationMode,
): PolicyVerdict {
  return verdictOf(
    table,
    searchTable(table, { ...numbers, migration, downgrades: "total" }, everything),
    () => {
      const candidates = cheapest(numbers, ["maxUpgrade", "maxDowngrade"]);
      return candidates.find((each) =>
        isSafe(table, { ...each, migration, downgrades: "total" }, everything),
      );
    },
  );
}

/** Every resource of a table that follows from lifecycles, so that all four numbers can be changed. */
export function verifyLifecycle(
  lifecycle: ApiTable,
  policy: StoragePolicy,
  migration: MigrationMode,
): PolicyVerdict {
  const tableOf = ({ supported, migrated, maxUpgrade, maxDowngrade }: PolicyNumbers): BehaviorTable =>
    deriveTable(lifecycle, { ...policy, durations: { supported, migrated }, maxUpgrade, maxDowngrade });
  const numbers = { ...policy.durations, maxUpgrade: policy.maxUpgrade, maxDowngrade: policy.maxDowngrade };
  const table = tableOf(numbers);
  const { supported, migrated } = policy.alpha;
  const promised: Promised = ({ stability }) => stability !== "alpha" || supported + migrated > 0;
  return verdictOf(table, searchTable(table, { ...numbers, migration, downgrades: "total" }, promised), () =>
    cheapest(numbers, ["migrated", "supported", "maxUpgrade", "maxDowngrade"]).find((each) =>
      isSafe(tableOf(each), { ...each, migration, downgrades: "total" }, promised),
    ),
  );
}

const isSafe = (table: BehaviorTable, moves: Moves, promised: Promised): boolean =>
  searchTable(table, moves, promised, true).every(({ found }) => found.counterexample === undefined);

/** No more than this is changed in all: beyond it, a fix is no small change. */
const LARGEST_CHANGE = 8;

/**
 * Changes that can help, least sum first: longer behaviours, shorter jumps. Among equals the change of the first number
 * is the largest. A cluster that cannot be upgraded at all is no fix.
 */
function cheapest(numbers: PolicyNumbers, names: readonly (keyof PolicyNumbers)[]): PolicyNumbers[] {
  const result: PolicyNumbers[] = [];
  const extend = (at: number, left: number, changed: PolicyNumbers): void => {
    const name = names[at];
    if (name === undefined) {
      if (left === 0) result.push(changed);
      return;
    }
    for (let by = left; by >= 0; by--) {
      const grows = name === "migrated" || name === "supported";
      const value = numbers[name] + (grows ? by : -by);
      if (by > 0 && value < (name === "maxUpgrade" ? 1 : 0)) continue;
      extend(at + 1, left - by, { ...changed, [name]: value });
    }
  };
  for (let sum = 1; sum <= LARGEST_CHANGE; sum++) extend(0, sum, numbers);
  return result;
}

function verdictOf(
  table: BehaviorTable,
  results: readonly LocationResult[],
  fix: () => PolicyNumbers | undefined,
): PolicyVerdict {
  const names = table.releases.map(formatMinor);
  const lossesOf = (those: readonly LocationResult[]): Loss[] =>
    those.flatMap(({ location, found }) => {
      if (found.counterexample === undefined) return [];
      const counterexample = found.counterexample.map(({ release, action, version, behavior }) => ({
        release: names[release] ?? "",
        action,
        storedVersion: versionName(location, version),
        behavior: behavior ?? null,
      }));
      return [{ resource: groupResource(location.group, location.resource), counterexample }];
    });
  const unsafe = lossesOf(results.filter(({ unpromised }) => !unpromised));
  const [shortest] = [...unsafe].sort((a, b) => a.counterexample.length - b.counterexample.length);
  const sum = (of: (found: SearchResult) => number): number =>
    results.reduce((total, { found }) => total + of(found), 0);
  return {
    safe: unsafe.length === 0,
    states: sum(({ states }) => states),
    transitions: sum(({ transitions }) => transitions),
    releases: [names[0] ?? "", names.at(-1) ?? ""],
    counterexample: shortest?.counterexample ?? [],
    unsafe,
    unpromised: lossesOf(results.filter(({ unpromised }) => unpromised)),
    fix: unsafe.length === 0 ? undefined : fix(),
  };
}

function versionName({ versions }: StorageLocation, index: number): string {
  const row = versions[index];
  if (row === undefined) return "";
  return row.group === "" ? row.version : `${row.group}/${row.version}`;
}

export interface SearchCost {
  /** Largest number of the policy. */
  readonly size: number;
  readonly numbers: PolicyNumbers;
  readonly states: number;
  readonly transitions: number;
}

/**
 * The cost of the search as the numbers grow in the proportions of the design (1, 3, 4, 1), `migrated` raised so that
 * the policy is safe and everything is visited.
 */
export const searchCosts = (sizes: readonly number[]): SearchCost[] =>
  sizes.map((size) => {
    const quarter = Math.max(1, Math.round(size / 4));
    const numbers = { supported: quarter, migrated: size, maxUpgrade: size, maxDowngrade: quarter };
    const { states, transitions } = verifyNumbers(numbers, "complete");
    return { size, numbers, states, transitions };
  });
