/**
 * The invariants of a table of behaviours (docs/reference/compatibility-versions.md §11), each broken one reported
 * where it stands.
 */

import type { Position, Report } from "../core/diagnostics.js";
import { problemList } from "../core/problem.js";
import { type ApiTable, compareMinors, formatMinor, groupResource, type Minor } from "./compatibility.js";
import {
  BEHAVIORS,
  type Behavior,
  type BehaviorTable,
  existsIn,
  isDecodable,
  locationsOf,
  preferredIn,
  type StorageLocation,
  type VersionRow,
} from "./model.js";
import { durationsOf, type StoragePolicy } from "./policy.js";

/** Reports what breaks B1 to B7; a table without a report is sound under the policy. */
export function checkTable(table: BehaviorTable, policy: StoragePolicy, report: Report): void {
  for (const location of locationsOf(table)) {
    checkPreferred(location, table.releases, report);
    checkRollback(location, table.releases, policy, report);
    for (const row of location.versions) checkRow(location, row, table.releases, policy, report);
  }
}

const nameOf = ({ group, resource }: StorageLocation): string => groupResource(group, resource);
const versionName = ({ group, version }: VersionRow): string =>
  group === "" ? version : `${group}/${version}`;
const fieldOf = (location: StorageLocation, row: VersionRow, release: string): string =>
  `${nameOf(location)}[${versionName(row)}].behaviors["${release}"]`;
const placeAt = (row: VersionRow, release: string): Position => row.places.get(release) ?? row.place;

/** B1: exactly one preferred version for each resource and release. */
export function checkPreferred(location: StorageLocation, releases: readonly Minor[], report: Report): void {
  for (const release of releases.map(formatMinor)) {
    const preferred = preferredIn(location, release);
    const [, second] = preferred;
    if (second !== undefined)
      problemList(report, fieldOf(location, second, release), placeAt(second, release)).report(
        "STO001",
        "Duplicate",
        `B1 one-preferred: ${preferred.map(versionName).join(" and ")} are both preferred in ${release}`,
        "mark exactly one version as preferred",
      );
    if (preferred.length > 0 || !existsIn(location, release)) continue;
    const [row] = location.versions.filter(({ behaviors }) => isDecodable(behaviors.get(release)));
    if (row === undefined) continue;
    problemList(report, `${nameOf(location)}["${release}"]`, placeAt(row, release)).report(
      "STO001",
      "Required",
      `B1 one-preferred: no version is preferred in ${release}, although ${versionName(row)} can be read`,
      "mark the version that is written to etcd as preferred",
    );
  }
}

/** B5: every release within reach of a downgrade can read what this one writes; alpha versions promise nothing. */
function checkRollback(
  location: StorageLocation,
  releases: readonly Minor[],
  { maxDowngrade }: StoragePolicy,
  report: Report,
): void {
  for (const [i, release] of releases.entries()) {
    const name = formatMinor(release);
    for (const row of preferredIn(location, name)) {
      if (row.stability === "alpha") continue;
      for (const older of releases.slice(Math.max(0, i - maxDowngrade), i)) {
        const before = formatMinor(older);
        if (release.minor - older.minor > maxDowngrade || !existsIn(location, before)) continue;
        if (isDecodable(row.behaviors.get(before))) continue;
        if (onlyAlpha(location, before)) continue;
        problemList(report, fieldOf(location, row, name), placeAt(row, name)).report(
          "STO005",
          "Invalid",
          `B5 rollback: ${versionName(row)} is written in ${name}, but ${before} cannot read it`,
          `mark it as preferred one release after it becomes readable, or set maxDowngrade to less than ${release.minor - older.minor}`,
        );
      }
    }
  }
}

const onlyAlpha = (location: StorageLocation, release: string): boolean =>
  location.versions.every(
    ({ behaviors, stability }) => stability === "alpha" || !isDecodable(behaviors.get(release)),
  );

const RANK: Readonly<Record<Behavior, number>> = {
  preferred: 0,
  supported: 1,
  "actively-migrated": 2,
  ignored: 3,
};

interface Span {
  readonly behavior: Behavior;
  readonly from: string;
  readonly count: number;
  /** False when the table ends before the behaviour does. */
  readonly ended: boolean;
}

function checkRow(
  location: StorageLocation,
  row: VersionRow,
  releases: readonly Minor[],
  policy: StoragePolicy,
  report: Report,
): void {
  const names = releases.map(formatMinor);
  const known = names.filter((name) => row.behaviors.has(name));
  const first = names.indexOf(known[0] ?? "");
  const missing = names.slice(Math.max(0, first)).find((name) => !row.behaviors.has(name));
  if (missing !== undefined && known.length > 0)
    problemList(report, fieldOf(location, row, missing), row.place).report(
      "STO006",
      "Required",
      `B6 no-gap: ${versionName(row)} has no behavior in ${missing}, although an earlier release has one`,
      "set it to ignored; a version that was known once stays known",
    );
  const spans = spansOf(row, known);
  checkKinder(location, row, spans, report);
  const startsTable = first === 0;
  checkDurations(location, row, spans, startsTable, policy, report);
}

function spansOf({ behaviors }: VersionRow, known: readonly string[]): Span[] {
  const spans: Span[] = [];
  for (const name of known) {
    const behavior = behaviors.get(name);
    if (behavior === undefined) continue;
    const last = spans.at(-1);
    if (last?.behavior === behavior) spans[spans.length - 1] = { ...last, count: last.count + 1 };
    else {
      if (last !== undefined) spans[spans.length - 1] = { ...last, ended: true };
      spans.push({ behavior, from: name, count: 1, ended: false });
    }
  }
  return spans;
}

/** B3: behaviours only get less kind; the one exception is a new version that becomes preferred. */
function checkKinder(
  location: StorageLocation,
  row: VersionRow,
  spans: readonly Span[],
  report: Report,
): void {
  for (const [i, span] of spans.entries()) {
    const before = spans[i - 1];
    if (before === undefined || RANK[span.behavior] > RANK[before.behavior]) continue;
    const rise = i === 1 && before.behavior === "supported" && span.behavior === "preferred";
    if (rise) continue;
    problemList(report, fieldOf(location, row, span.from), placeAt(row, span.from)).report(
      "STO003",
      "Invalid",
      `B3 no-return: ${versionName(row)} changes back from ${before.behavior} to ${span.behavior} in ${span.from}`,
      `after ${before.behavior}, use only ${BEHAVIORS.slice(RANK[before.behavior] + 1).join(", ") || before.behavior}`,
    );
  }
}

/** B4: after preference is lost, each behaviour lasts as long as the policy says. B7: the moratorium. */
function checkDurations(
  location: StorageLocation,
  row: VersionRow,
  spans: readonly Span[],
  startsTable: boolean,
  policy: StoragePolicy,
  report: Report,
): void {
  const preferred = spans.findIndex(({ behavior }) => behavior === "preferred");
  // Without preference in the table, a version that is read from its first release on may have lost it earlier.
  const after = preferred < 0 ? [] : spans.slice(preferred + 1);
  const end = after.find(({ behavior }) => behavior === "ignored");
  if (end !== undefined && !existsIn(location, end.from)) return;
  if (policy.moratorium && row.stability !== "alpha") {
    if (end !== undefined)
      problemList(report, fieldOf(location, row, end.from), placeAt(row, end.from)).report(
        "STO008",
        "Forbidden",
        `B7 moratorium: ${versionName(row)} was written to etcd but is ignored in ${end.from}`,
        "keep it readable; a version that was ever persisted must stay decodable",
      );
    return;
  }
  if (startsTable && preferred < 0) return;
  const wanted = durationsOf(policy, row.stability);
  for (const [behavior, least] of [
    ["supported", wanted.supported],
    ["actively-migrated", wanted.migrated],
  ] as const) {
    const span = after.find((each) => each.behavior === behavior);
    const next = after.find((each) => RANK[each.behavior] > RANK[behavior]);
    if (next === undefined || (span?.count ?? 0) >= least) continue;
    problemList(report, fieldOf(location, row, next.from), placeAt(row, next.from)).report(
      "STO004",
      "Invalid",
      `B4 durations: ${versionName(row)} is ${behavior} for ${span?.count ?? 0} of ${least} releases before it is ${next.behavior} in ${next.from}`,
      `keep it ${behavior} for ${least} releases (policy ${policy.name})`,
    );
  }
}

/** B8: a deprecated version is served for as long as the deprecation policy says, where releases carry dates. */
export function checkServed(table: ApiTable, policy: StoragePolicy, report: Report): void {
  const dateOf = (release: Minor): Date | undefined =>
    policy.dates.find((each) => compareMinors(each.release, release) === 0)?.date;
  for (const { group, version, kind, stability, deprecated, removed, place } of table.kinds) {
    if (deprecated === undefined || removed === undefined) continue;
    const [from, to] = [dateOf(deprecated), dateOf(removed)];
    if (from === undefined || to === undefined) continue;
    const least = policy.served[stability];
    const releases = removed.minor - deprecated.minor;
    const due = new Date(from);
    due.setUTCMonth(due.getUTCMonth() + least.months);
    const short = [
      ...(releases < least.releases ? [`${releases} of ${least.releases} releases`] : []),
      ...(to < due ? [`until ${day(to)} instead of ${day(due)}`] : []),
    ];
    if (short.length > 0)
      problemList(report, `${group === "" ? version : `${group}/${version}`} ${kind}`, place).warnings.report(
        "STO007",
        "Invalid",
        `B8 served: deprecated in ${formatMinor(deprecated)} and removed in ${formatMinor(removed)}, it is served for ${short.join(" and ")}`,
        `serve a ${stability === "stable" ? "GA" : stability} version for ${least.months} months or ${least.releases} releases, whichever is longer`,
      );
  }
}

const day = (date: Date): string => date.toISOString().slice(0, 10);
