/**
 * The behaviour of every version in every release, from API lifecycles and a policy
 * (docs/reference/compatibility-versions.md §11). The policy's clock runs for a version that has lost preference and is
 * deprecated; of one whose deprecation nobody says, beta and alpha count as deprecated when they lose preference. While
 * a release is known to serve a version, it is not ignored there.
 */
import data from "../../tables/kubernetes-storage.json" with { type: "json" };
import { byCodeUnit } from "../core/files.js";
import { compareKubeVersions } from "../kubernetes/versions.js";
import {
  type ApiKind,
  type ApiTable,
  addMinors,
  compareMinors,
  formatMinor,
  type Minor,
  maxMinor,
  minMinor,
  minorsBetween,
} from "./compatibility.js";
import type {
  Behavior,
  BehaviorTable,
  GroupResource,
  ResourceRows,
  UnstoredKind,
  VersionRow,
} from "./model.js";
import { durationsOf, type StoragePolicy } from "./policy.js";

type StoredKind = ApiKind & { readonly resource: string };

/** A kind with the releases whose binaries can read it. */
interface Known {
  readonly kind: StoredKind;
  readonly since: Minor;
  /** Undefined when no end is known. */
  readonly until: Minor | undefined;
  /**
   * First release in which it counts as gone for the question whether the resource still exists: nothing is shown, nor
   * written, where no version is served, whatever the code can read.
   */
  readonly goneFrom: Minor | undefined;
  /** Position of its group among those that share the objects. */
  readonly rank: number;
}

export function deriveTable(table: ApiTable, policy: StoragePolicy): BehaviorTable {
  const stored = table.kinds.filter(isStored);
  const releases = releasesOf(table);
  const [oldest] = releases;
  const rows = new Map<ApiKind, VersionRow>();
  if (oldest !== undefined)
    for (const members of locations(stored).values()) {
      const known = members.map((kind) => knownOf(kind, oldest, table.newest));
      for (const [kind, row] of behaviorsOf(known, releases, policy)) rows.set(kind, row);
    }
  return { file: table.file, releases, resources: resourcesOf(stored, rows), unstored: unstoredOf(table) };
}

function isStored(kind: ApiKind): kind is StoredKind {
  return reasonUnstored(kind) === undefined;
}

function reasonUnstored({ group, resource, served }: ApiKind): string | undefined {
  if (!served) return "not served by a REST endpoint";
  if (resource === undefined) return "no resource";
  if (resource.includes("/")) return "a subresource";
  if (data.withoutStorage.some((each) => each.group === group && each.resource === resource))
    return "answered by the API server without storage";
  return undefined;
}

const unstoredOf = ({ kinds }: ApiTable): UnstoredKind[] =>
  kinds
    .flatMap((each) => {
      const reason = reasonUnstored(each);
      const { group, version, kind } = each;
      return reason === undefined ? [] : [{ group, version, kind, reason }];
    })
    .sort(
      (a, b) =>
        byCodeUnit(a.group, b.group) ||
        byCodeUnit(a.kind, b.kind) ||
        compareKubeVersions(b.version, a.version),
    );

/** From the oldest release that the data look at to the newest. */
function releasesOf({ kinds, newest }: ApiTable): readonly Minor[] {
  const registered = kinds.flatMap((kind) => kind.registered?.first ?? []);
  const starts = registered.length > 0 ? registered : kinds.flatMap(({ introduced }) => introduced ?? []);
  const [first] = starts;
  if (first === undefined || newest === undefined) return [];
  return minorsBetween(starts.reduce(minMinor, first), newest);
}

/**
 * The resources that share the objects of one, the home first (docs/reference/compatibility-versions.md §7, step 0).
 */
const sharing = ({ group, resource }: GroupResource): readonly GroupResource[] =>
  data.cohabitation.find((each) => each.some((one) => one.group === group && one.resource === resource)) ?? [
    { group, resource },
  ];

const keyOf = ({ group, resource }: GroupResource): string => `${group}/${resource}`;

function locations(kinds: readonly StoredKind[]): Map<string, StoredKind[]> {
  const found = new Map<string, StoredKind[]>();
  for (const kind of kinds) {
    const key = sharing(kind).map(keyOf).join();
    const members = found.get(key);
    if (members === undefined) found.set(key, [kind]);
    else members.push(kind);
  }
  return found;
}

/** A kind registered in the oldest release of the data may be older: then its own lifecycle says since when. */
function knownOf(kind: StoredKind, oldest: Minor, newest: Minor | undefined): Known {
  const { introduced, registered, removed } = kind;
  const older = registered === undefined || compareMinors(registered.first, oldest) <= 0;
  const since = older ? (introduced ?? registered?.first ?? oldest) : registered.first;
  const ended =
    registered !== undefined && newest !== undefined && compareMinors(registered.last, newest) < 0
      ? registered.last
      : undefined;
  const gone = ended === undefined ? undefined : addMinors(ended, 1);
  const goneFrom = gone === undefined || removed === undefined ? (gone ?? removed) : minMinor(gone, removed);
  const rank = sharing(kind).findIndex(({ group }) => group === kind.group);
  return { kind, since, until: ended, goneFrom, rank };
}

function behaviorsOf(
  members: readonly Known[],
  releases: readonly Minor[],
  policy: StoragePolicy,
): Map<StoredKind, VersionRow> {
  const [first] = members;
  const last = releases.at(-1);
  const rows = new Map<StoredKind, VersionRow>();
  if (first === undefined || last === undefined) return rows;
  const shown = new Set(releases.map(formatMinor));
  const start = members.reduce((oldest, { since }) => minMinor(oldest, since), first.since);
  const behaviors = new Map(members.map((member) => [member, new Map<string, Behavior>()]));
  const lost = new Map<Known, number>();
  let current: Known | undefined;
  for (const [step, release] of minorsBetween(start, last).entries()) {
    const exists = members.some((each) => isThere(each, release));
    const next = exists ? preferredAt(members, release, start, policy.maxDowngrade) : undefined;
    if (current !== undefined && next !== current && !lost.has(current)) lost.set(current, step);
    if (next !== undefined) lost.delete(next);
    current = next;
    if (!shown.has(formatMinor(release))) continue;
    for (const member of members) {
      if (compareMinors(member.since, release) > 0) continue;
      const clock = clockOf(member, lost.get(member), start);
      behaviors
        .get(member)
        ?.set(
          formatMinor(release),
          !exists
            ? "ignored"
            : member === next
              ? "preferred"
              : clock === undefined || clock.step > step || endedBefore(member, addMinors(start, clock.step))
                ? whileCodeIsThere(member, release)
                : afterwards(member, release, step - clock.step, policy),
        );
    }
  }
  for (const [member, own] of behaviors) {
    const { group, version, stability, place } = member.kind;
    const clock = clockOf(member, lost.get(member), start)?.what;
    rows.set(member.kind, { group, version, stability, clock, behaviors: own, place, places: new Map() });
  }
  return rows;
}

/** From which step on the policy counts for a version that is not preferred, and why; undefined where it does not. */
function clockOf(
  { kind: { deprecated, stability } }: Known,
  lost: number | undefined,
  start: Minor,
): { readonly step: number; readonly what: string } | undefined {
  const from = (step: number): string => formatMinor(addMinors(start, step));
  if (deprecated !== undefined) {
    const step = deprecated.minor - start.minor;
    return lost !== undefined && lost > step
      ? { step: lost, what: `loss of preference in ${from(lost)}, deprecated in ${formatMinor(deprecated)}` }
      : { step, what: `deprecation in ${formatMinor(deprecated)}` };
  }
  return lost === undefined || stability === "stable"
    ? undefined
    : { step: lost, what: `loss of preference in ${from(lost)}` };
}

const isThere = ({ since, goneFrom }: Known, release: Minor): boolean =>
  compareMinors(since, release) <= 0 && (goneFrom === undefined || compareMinors(release, goneFrom) < 0);

/**
 * The newest version, GA and beta before alpha, that every release within reach of a downgrade can read: as the storage
 * version is held back by real releases (docs/reference/compatibility-versions.md §7), with the policy's downgrade in
 * place of one.
 */
function preferredAt(
  members: readonly Known[],
  release: Minor,
  start: Minor,
  maxDowngrade: number,
): Known | undefined {
  const readable = members
    .filter(
      ({ since, until }) =>
        compareMinors(since, release) <= 0 && (until === undefined || compareMinors(release, until) <= 0),
    )
    .sort(byPreference);
  const fixed = readable.find(({ kind }) => isFixed(kind));
  const held = maxMinor(addMinors(release, -maxDowngrade), start);
  // Where none is old enough, the oldest is the nearest to it; for a new resource that is the best of its first release.
  const [oldest] = [...readable].sort((a, b) => compareMinors(a.since, b.since));
  return fixed ?? readable.find(({ since }) => compareMinors(since, held) <= 0) ?? oldest;
}

const isFixed = ({ group, resource, version }: StoredKind): boolean =>
  data.fixed.some((each) => each.group === group && each.resource === resource && each.version === version);

const alphaLast = ({ kind }: Known): number => (kind.stability === "alpha" ? 1 : 0);

const byPreference = (a: Known, b: Known): number =>
  alphaLast(a) - alphaLast(b) || a.rank - b.rank || compareKubeVersions(b.kind.version, a.kind.version);

const endedBefore = ({ until }: Known, release: Minor): boolean =>
  until !== undefined && compareMinors(until, release) < 0;

/** No clock runs: it may be ignored as soon as the code is gone. */
const whileCodeIsThere = ({ until }: Known, release: Minor): Behavior =>
  until === undefined || compareMinors(release, until) <= 0 ? "supported" : "ignored";

function afterwards({ kind }: Known, release: Minor, passed: number, policy: StoragePolicy): Behavior {
  if (policy.moratorium && kind.stability !== "alpha") return "supported";
  const { supported, migrated } = durationsOf(policy, kind.stability);
  if (passed < supported) return "supported";
  const served = kind.removed !== undefined && compareMinors(release, kind.removed) < 0;
  if (passed < supported + migrated) return "actively-migrated";
  return !served ? "ignored" : migrated > 0 ? "actively-migrated" : "supported";
}

function resourcesOf(kinds: readonly StoredKind[], rows: ReadonlyMap<ApiKind, VersionRow>): ResourceRows[] {
  const resources = new Map<string, { kinds: StoredKind[] }>();
  for (const kind of kinds) {
    const entry = resources.get(keyOf(kind));
    if (entry === undefined) resources.set(keyOf(kind), { kinds: [kind] });
    else entry.kinds.push(kind);
  }
  return [...resources.values()]
    .flatMap(({ kinds: own }): ResourceRows[] => {
      const [first] = own;
      if (first === undefined) return [];
      const { group, resource, place } = first;
      const home = sharing(first).find((each) => resources.has(keyOf(each)));
      const shared = home !== undefined && home.group !== group;
      const versions = own
        .sort((a, b) => compareKubeVersions(b.version, a.version))
        .flatMap((kind) => rows.get(kind) ?? []);
      return [{ group, resource, storedWith: shared ? home : undefined, versions, place }];
    })
    .sort((a, b) => byCodeUnit(a.group, b.group) || byCodeUnit(a.resource, b.resource));
}
