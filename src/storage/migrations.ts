/** Which resources have objects to rewrite between two releases, or for one CustomResourceDefinition. */

import type { Report } from "../core/diagnostics.js";
import { byCodeUnit } from "../core/files.js";
import { problemList } from "../core/problem.js";
import {
  isShortLived,
  type MigrationApi,
  type MigrationView,
  migrationView,
  orderOf,
} from "../kubernetes/storage-migration.js";
import {
  type ApiTable,
  addMinors,
  effectiveKube,
  formatMinor,
  groupResource,
  kindsInBinary,
  type Minor,
  minorsBetween,
  ofMinor,
  SHIPPED,
  type StoragePins,
  type StorageVersion,
  storageVersions,
} from "./compatibility.js";
import { type StorageCrd, storageVersionOf } from "./crd.js";
import { rewritesOf } from "./crd-plan.js";
import { noteRewrites } from "./crd-update.js";

/** A resource whose objects have to be rewritten. */
export interface NeededMigration {
  readonly group: string;
  readonly resource: string;
  /** What is written in the end. */
  readonly version: string;
  /** Other versions that objects may be stored in, oldest use first. */
  readonly stored: readonly string[];
}

export interface BetweenReleases {
  readonly table: ApiTable;
  readonly from: Minor;
  readonly to: Minor;
  readonly pins: StoragePins | undefined;
}

/** The resources whose storage version changed on the way from one release to another, in the order to migrate them. */
export function neededBetween({ table, from, to, pins }: BetweenReleases, report: Report): NeededMigration[] {
  const stored = minorsBetween(from, to).map((release) => ({
    release,
    versions: new Map(
      storedAt(table, release, pins).map((each) => [groupResource(each.group, each.resource), each]),
    ),
  }));
  const last = stored.at(-1)?.versions ?? new Map<string, StorageVersion>();
  const found: NeededMigration[] = [];
  for (const [name, { group, resource, version, storedGroup }] of last) {
    if (version === null || storedGroup !== group || isShortLived({ group, resource })) continue;
    const older: string[] = [];
    for (const { versions } of stored) {
      const before = versions.get(name)?.version;
      if (before !== undefined && before !== null && before !== version && !older.includes(before))
        older.push(before);
    }
    // A release on the way that reads the version, writes another one, and so has a migration to run.
    const wayOut = (old: string, lastReader: Minor): string => {
      const rewriter = stored.findLast(({ release, versions }) => {
        const written = versions.get(name)?.version ?? old;
        return written !== old && has(table, { group, resource, version: old }, release);
      })?.release;
      return rewriter === undefined
        ? `no release in between writes them in another version; while ${formatMinor(lastReader)} runs, export the objects that you need (kubectl get ${name} --all-namespaces --output yaml), then delete them, which removes their content from the cluster`
        : `migrate while ${formatMinor(rewriter)} runs: --to ${formatMinor(rewriter)}`;
    };
    const readable = older.filter((each) => {
      const lastReader = lastToRead(table, { group, resource, version: each }, from, to);
      if (lastReader === undefined) return true;
      problemList(report, name, { file: table.file }).warnings.report(
        "STO040",
        "Invalid",
        `M1 readable: ${formatMinor(to)} cannot read objects stored as ${each}, so no migration can rewrite them there`,
        wayOut(each, lastReader),
      );
      return false;
    });
    if (readable.length > 0) found.push({ group, resource, version, stored: readable });
  }
  return found.sort(
    (a, b) => orderOf(a) - orderOf(b) || byCodeUnit(a.group, b.group) || byCodeUnit(a.resource, b.resource),
  );
}

/**
 * By the rule of each release itself. What the rule has no answer for is not a question of migrations, nor is its last
 * resort, the group's preferred version, where the kind does not have it.
 */
function storedAt(table: ApiTable, release: Minor, pins: StoragePins | undefined): StorageVersion[] {
  const versions = effectiveKube(ofMinor(release), SHIPPED, { minCompatibility: addMinors(release, -1) });
  const question = { table, versions, rules: SHIPPED, rule: undefined, pins, runtimeConfig: [] };
  return storageVersions(question, () => {}).filter(
    ({ storedGroup, resource, version }) =>
      version !== null && has(table, { group: storedGroup, resource, version }, release),
  );
}

interface GroupVersionResource {
  readonly group: string;
  readonly resource: string;
  readonly version: string;
}

const has = (table: ApiTable, { group, resource, version }: GroupVersionResource, release: Minor): boolean =>
  kindsInBinary(table, release).some(
    (kind) => kind.group === group && kind.resource === resource && kind.version === version,
  );

/** The last release on the way that can read a version; undefined when the target itself can. */
function lastToRead(
  table: ApiTable,
  version: GroupVersionResource,
  from: Minor,
  to: Minor,
): Minor | undefined {
  if (has(table, version, to)) return undefined;
  return (
    minorsBetween(from, to)
      .reverse()
      .find((release) => has(table, version, release)) ?? from
  );
}

/**
 * The migration of one custom resource; undefined when everything is stored in the storage version already. What it would
 * take from objects is reported.
 */
export function neededForCrd(
  crd: StorageCrd,
  api: MigrationApi,
  report: Report,
): NeededMigration | undefined {
  const version = storageVersionOf(crd);
  if (version === undefined) {
    problemList(report, "spec.versions", crd.place).report(
      "STO033",
      "Required",
      "C4 storage-version: no version is the storage version",
      "set storage: true in one of them",
    );
    return undefined;
  }
  if (crd.storedVersions === undefined)
    problemList(report, "status.storedVersions", crd.place).warnings.report(
      "STO032",
      "Required",
      "C3 status: the definition has no status; objects may be stored in any other version",
      "use the definition from the cluster: kubectl get crd NAME -o yaml",
    );
  const listed = crd.storedVersions ?? crd.versions.map(({ name }) => name);
  const stored = listed.filter((each) => each !== version);
  if (stored.length === 0) return undefined;
  const answer = { storedVersions: listed, dropped: [], storageVersion: { old: version, new: version } };
  const rewrites = rewritesOf({
    old: { ...crd, storedVersions: listed },
    next: crd,
    answer,
    api,
    counts: undefined,
  });
  noteRewrites(rewrites, crd, report);
  return { group: crd.group, resource: crd.plural, version, stored };
}

/** The objects in the order in which to create them. */
export const migrationViews = (needed: readonly NeededMigration[], api: MigrationApi): MigrationView[] =>
  needed.map(({ group, resource, version }) => migrationView(api, { group, resource }, version));
