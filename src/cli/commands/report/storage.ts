/** API lifecycles, storage behaviours and storage policies of a report. */

import type { Report } from "../../../core/diagnostics.js";
import { byCodeUnit } from "../../../core/files.js";
import type { ApisReport, KindReport, ReleaseReport } from "../../../report/sections/apis.js";
import type { BehaviorsReport } from "../../../report/sections/behaviors.js";
import type {
  PolicyReport,
  ResourcesReport,
  SafetyMap,
  StepReport,
} from "../../../report/sections/policy.js";
import {
  type ApiKind,
  type ApiTable,
  addMinors,
  compareMinors,
  formatMinor,
  groupResource,
  groupVersion,
  type Minor,
  maxMinor,
  minMinor,
  minorsBetween,
} from "../../../storage/compatibility.js";
import { presetPolicy, type StoragePolicy } from "../../../storage/policy.js";
import type { MigrationMode } from "../../../storage/search.js";
import { fixText, sentence } from "../../../storage/story.js";
import {
  type PolicyNumbers,
  type StoryStep,
  searchCosts,
  verifyLifecycle,
  verifyNumbers,
} from "../../../storage/verify.js";
import type { CliContext } from "../../cli-context.js";
import type { Arguments } from "../../flags.js";
import { apiTable } from "../compat/inputs.js";
import { tableOf } from "../storage/behaviors-run.js";
import { policyOf } from "../storage/inputs.js";
import { numbersOf } from "../storage/verify-run.js";
import * as flags from "./flags.js";

export interface StorageParts {
  readonly apis?: ApisReport | undefined;
  readonly behaviors?: BehaviorsReport | undefined;
  readonly policy?: PolicyReport | undefined;
}

export async function storageParts(args: Arguments, cli: CliContext, report: Report): Promise<StorageParts> {
  const path = args.get(flags.lifecycle);
  const lifecycle = path === undefined ? undefined : await apiTable(path, cli, report, "--lifecycle");
  const own = policyOf(args, cli, report, flags.policy);
  const apis = lifecycle && apisReport(lifecycle);
  const wanted = args.given(flags.policy) || args.get(flags.verify);
  if (!wanted || (args.given(flags.policy) && own === undefined)) return { apis };
  const policy = own ?? presetPolicy("kep");
  return {
    apis,
    behaviors: lifecycle && behaviorsReport(lifecycle, policy, report),
    policy: policyReport(policy, args.get(flags.migration), lifecycle),
  };
}

/** More releases than this do not fit on a page; what is older stands at the edge. */
const MOST_COLUMNS = 20;

function apisReport({ file, kinds, newest }: ApiTable): ApisReport {
  const starts = kinds.flatMap((kind) => sinceOf(kind) ?? []);
  const last = newest ?? starts.reduce(maxMinor, { major: 0, minor: 0 });
  const oldest = starts.reduce(minMinor, last);
  const columns = minorsBetween(oldest, last).slice(-MOST_COLUMNS);
  return {
    file,
    columns: columns.map(formatMinor),
    kinds: kinds
      .filter(({ resource, served }) => served && resource !== undefined)
      .map((kind) => kindReport(kind, columns, last))
      .sort((a, b) => byCodeUnit(a.group, b.group) || byCodeUnit(a.kind, b.kind)),
  };
}

/** Where a lifecycle says nothing, the code does: releases whose binaries have the type. */
const sinceOf = ({ introduced, registered }: ApiKind): Minor | undefined => introduced ?? registered?.first;

/** The first release without the version: it is no longer served, or its type is gone. */
function goneFrom({ removed, registered }: ApiKind, newest: Minor): Minor | undefined {
  const ended = registered !== undefined && compareMinors(registered.last, newest) < 0;
  const gone = ended ? addMinors(registered.last, 1) : undefined;
  return removed === undefined || gone === undefined ? (removed ?? gone) : minMinor(removed, gone);
}

function kindReport(kind: ApiKind, columns: readonly Minor[], newest: Minor): KindReport {
  const { group, version, kind: name, stability, deprecated, replacement } = kind;
  const at = (release: Minor | undefined): ReleaseReport | undefined =>
    release && { release: formatMinor(release), column: columnOf(release, columns) };
  return {
    group,
    version,
    kind: name,
    stability,
    introduced: at(sinceOf(kind)),
    deprecated: at(deprecated),
    removed: at(goneFrom(kind, newest)),
    replacement: replacement === undefined ? "" : `${groupVersion(replacement)} ${replacement.kind}`,
  };
}

/** The number of the column; below 0 or beyond the last for a release on either side. */
function columnOf(release: Minor, columns: readonly Minor[]): number {
  const [first] = columns;
  if (first === undefined || release.major < first.major) return -1;
  return release.major > first.major ? columns.length : release.minor - first.minor;
}

function behaviorsReport(lifecycle: ApiTable, policy: StoragePolicy, report: Report): BehaviorsReport {
  const { file, releases, resources } = tableOf({ kind: "lifecycle", lifecycle }, policy, report);
  const names = releases.map(formatMinor);
  return {
    file,
    policy: policy.name,
    releases: names,
    resources: resources.map(({ group, resource, storedWith, versions }) => ({
      name: groupResource(group, resource),
      storedWith: storedWith === undefined ? "" : groupResource(storedWith.group, storedWith.resource),
      versions: versions.map(({ version, behaviors }) => ({
        version,
        behaviors: names.map((name) => behaviors.get(name)),
      })),
    })),
  };
}

function policyReport(
  policy: StoragePolicy,
  migration: MigrationMode,
  lifecycle: ApiTable | undefined,
): PolicyReport {
  const { name, moratorium } = policy;
  const numbers = numbersOf(policy);
  const verdict = verifyNumbers(numbers, migration, moratorium);
  return {
    name,
    numbers,
    moratorium,
    migration,
    verdict: { ...verdict, counterexample: stepsOf(verdict.counterexample) },
    fix: verdict.safe ? "" : fixText(verdict.fix, numbers),
    map: safetyMap(numbers, migration, moratorium),
    costs: searchCosts(SIZES),
    resources: lifecycle && resourcesReport(lifecycle, policy, migration),
  };
}

const stepsOf = (story: readonly StoryStep[]): StepReport[] =>
  story.map((step, i) => ({
    release: String(step.release),
    action: step.action,
    storedVersion: step.storedVersion,
    behavior: step.behavior,
    sentence: sentence(step, story[i - 1]),
  }));

function resourcesReport(
  lifecycle: ApiTable,
  policy: StoragePolicy,
  migration: MigrationMode,
): ResourcesReport {
  const { states, transitions, unsafe, unpromised, fix } = verifyLifecycle(lifecycle, policy, migration);
  return {
    file: lifecycle.file,
    states,
    transitions,
    unsafe: unsafe.map(({ resource, counterexample }) => ({ resource, steps: stepsOf(counterexample) })),
    unpromised: unpromised.map(({ resource }) => resource),
    fix: unsafe.length === 0 ? "" : fixText(fix, numbersOf(policy)),
  };
}

/** How far the map looks to either side of the policy. */
const AROUND = { supported: 2, migrated: 4 } as const;

function safetyMap(numbers: PolicyNumbers, migration: MigrationMode, moratorium: boolean): SafetyMap {
  const supported = around(numbers.supported, AROUND.supported);
  const migrated = around(numbers.migrated, AROUND.migrated);
  const isSafe = (each: Pick<PolicyNumbers, "supported" | "migrated">): boolean =>
    verifyNumbers({ ...numbers, ...each }, migration, moratorium).safe;
  return {
    migrated,
    rows: supported.map((row) => ({
      supported: row,
      safe: migrated.map((column) => isSafe({ supported: row, migrated: column })),
    })),
  };
}

/** Whole numbers around one, none of them below 0; the range keeps its length there. */
function around(center: number, by: number): number[] {
  const first = Math.max(0, center - by);
  return Array.from({ length: 2 * by + 1 }, (_, i) => first + i);
}

/** Largest numbers of the policies whose search is counted. */
const SIZES = [4, 8, 12, 16, 20, 24, 28, 32, 40, 48, 56, 64];
