/** Storage behaviours of API versions by release (docs/reference/compatibility-versions.md §11). */
import type { Stability } from "../compatibility/api-table.js";
import type { Position } from "../core/diagnostics.js";
import { formatMinor, type Minor } from "./compatibility.js";

/** From the kindest to the least kind. */
export const BEHAVIORS = ["preferred", "supported", "actively-migrated", "ignored"] as const;
export type Behavior = (typeof BEHAVIORS)[number];

export const isDecodable = (behavior: Behavior | undefined): boolean =>
  behavior !== undefined && behavior !== "ignored";

export interface GroupResource {
  readonly group: string;
  readonly resource: string;
}

/** One version of a resource. A release that is not in `behaviors` does not know the version. */
export interface VersionRow {
  readonly group: string;
  readonly version: string;
  readonly stability: Stability;
  /** From what the policy counts, once the version is not preferred; undefined where nothing makes it count. */
  readonly clock?: string | undefined;
  /** By release, such as `1.30`. */
  readonly behaviors: ReadonlyMap<string, Behavior>;
  readonly place: Position;
  /** Where each behaviour stands, for tables that a user wrote. */
  readonly places: ReadonlyMap<string, Position>;
}

export interface ResourceRows extends GroupResource {
  /** The resource whose place in etcd this one shares: two groups that hold the same objects. */
  readonly storedWith: GroupResource | undefined;
  readonly versions: readonly VersionRow[];
  readonly place: Position;
}

/** A kind that never reaches etcd. */
export interface UnstoredKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly reason: string;
}

export interface BehaviorTable {
  readonly file: string;
  /** Oldest first, without gaps unless the user's table has some. */
  readonly releases: readonly Minor[];
  readonly resources: readonly ResourceRows[];
  readonly unstored: readonly UnstoredKind[];
}

/** A place in etcd: one resource, or the resources of several groups that share it. */
export interface StorageLocation extends GroupResource {
  readonly members: readonly ResourceRows[];
  readonly versions: readonly VersionRow[];
}

/** The locations of a table in the order of their home resources. */
export function locationsOf({ resources }: BehaviorTable): StorageLocation[] {
  const members = new Map<string, ResourceRows[]>();
  for (const each of resources) {
    const { group, resource } = each.storedWith ?? each;
    const key = `${group}/${resource}`;
    const list = members.get(key);
    if (list === undefined) members.set(key, [each]);
    else list.push(each);
  }
  return [...members].map(([key, list]) => {
    const slash = key.lastIndexOf("/");
    return {
      group: key.slice(0, slash),
      resource: key.slice(slash + 1),
      members: list,
      versions: list.flatMap(({ versions }) => versions),
    };
  });
}

/** The preferred versions of a location in a release; a sound table has one, or none where the resource is absent. */
export const preferredIn = ({ versions }: Pick<StorageLocation, "versions">, release: string): VersionRow[] =>
  versions.filter(({ behaviors }) => behaviors.get(release) === "preferred");

/** True in a release that can read some version of the location. */
export const existsIn = ({ versions }: Pick<StorageLocation, "versions">, release: string): boolean =>
  versions.some(({ behaviors }) => isDecodable(behaviors.get(release)));

/** A behaviour that a version keeps over several releases. */
export interface BehaviorSpan {
  readonly behavior: Behavior;
  readonly first: string;
  readonly last: string;
}

export function spansOf(
  { releases }: Pick<BehaviorTable, "releases">,
  { behaviors }: VersionRow,
): BehaviorSpan[] {
  const spans: BehaviorSpan[] = [];
  for (const name of releases.map(formatMinor)) {
    const behavior = behaviors.get(name);
    if (behavior === undefined) continue;
    const before = spans.at(-1);
    if (before?.behavior === behavior) spans[spans.length - 1] = { ...before, last: name };
    else spans.push({ behavior, first: name, last: name });
  }
  return spans;
}
