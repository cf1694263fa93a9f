/** Lifecycles of API kinds as every question sees them, whatever form they were read from. */
import { holdsAt, rowsAt, type Span } from "../core/by-release.js";
import type { Position } from "../core/diagnostics.js";
import { compareKubeVersions } from "../kubernetes/versions.js";
import { compareMinors, type Minor, maxMinor } from "./version.js";

export const STABILITIES = ["stable", "beta", "alpha"] as const;
export type Stability = (typeof STABILITIES)[number];

export interface KindReference {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** Values that the lifecycle of a kind may carry; a later release can change them, so each binary has its own. */
export interface Lifecycle {
  readonly introduced: Minor | undefined;
  readonly deprecated: Minor | undefined;
  /** First release that no longer serves the version. */
  readonly removed: Minor | undefined;
  readonly replacement: KindReference | undefined;
}

/** One lifecycle value before a release changed it. */
export interface Revision {
  readonly in: Minor;
  readonly was: Partial<Lifecycle>;
}

export interface ApiKind extends KindReference, Lifecycle {
  /** Plural lower-case name; undefined for kinds that no REST endpoint serves. */
  readonly resource: string | undefined;
  readonly subresources: readonly string[];
  readonly stability: Stability;
  /** Undefined leaves it to the defaults of `--runtime-config` (docs/reference/compatibility-versions.md §6.2). */
  readonly enabledByDefault: boolean | Span | undefined;
  /** Releases whose binaries have the type at all. */
  readonly registered: { readonly first: Minor; readonly last: Minor } | undefined;
  readonly served: boolean;
  /** Binaries that have a REST endpoint for it; undefined for all that have the type. */
  readonly endpoint?: Span | undefined;
  /** Feature gate without which the resource has no endpoint. */
  readonly gate?: string | undefined;
  readonly namespaced: boolean | undefined;
  readonly verbs: readonly string[] | undefined;
  readonly revisions: readonly Revision[];
  readonly place: Position;
}

export interface ApiTable {
  readonly form: "own" | "lifecycle-list";
  readonly file: string;
  readonly kinds: readonly ApiKind[];
  /** The newest release that the data know. */
  readonly newest: Minor | undefined;
  /** Orders in which releases prefer the versions of a group, where it is not that of Kubernetes' version names. */
  readonly priorities?: readonly GroupPriority[] | undefined;
}

export interface GroupPriority extends Span {
  readonly group: string;
  /** Most preferred first. */
  readonly versions: readonly string[];
}

/** Sorts versions of one group by a binary's preference, the most preferred first. */
export function byPreference({ priorities = [] }: ApiTable, binary: Minor) {
  const rows = rowsAt(priorities, binary);
  return (
    a: Pick<KindReference, "group" | "version">,
    b: Pick<KindReference, "group" | "version">,
  ): number => {
    const order = rows.find(({ group }) => group === a.group)?.versions ?? [];
    const [left, right] = [order.indexOf(a.version), order.indexOf(b.version)];
    return left >= 0 && right >= 0 ? left - right : compareKubeVersions(b.version, a.version);
  };
}

/** True when a binary that has the type also has a REST endpoint for it. */
export const hasEndpoint = ({ endpoint, served, resource }: ApiKind, binary: Minor): boolean =>
  served && resource !== undefined && (endpoint === undefined || holdsAt(endpoint, binary));

export const groupVersion = ({ group, version }: Pick<KindReference, "group" | "version">): string =>
  group === "" ? version : `${group}/${version}`;

/** By the shape of the version's name. */
export const stabilityOf = (version: string): Stability =>
  /^v[0-9]+alpha[0-9]+$/.test(version) ? "alpha" : /^v[0-9]+beta[0-9]+$/.test(version) ? "beta" : "stable";

/** `group/version/Kind`; `version/Kind` in the core group. */
export function parseReference(text: string | undefined): KindReference | undefined {
  const parts = text?.split("/") ?? [];
  const [kind, version, group = ""] = [...parts].reverse();
  return kind === undefined || version === undefined ? undefined : { group, version, kind };
}

/** `deployments.apps`; the bare resource in the core group. */
export const groupResource = (group: string, resource: string): string =>
  group === "" ? resource : `${resource}.${group}`;

/** The newest release that a list of kinds knows of; planned removals do not count. */
export function newestOf(kinds: readonly ApiKind[]): Minor | undefined {
  let newest: Minor | undefined;
  for (const { introduced, registered, revisions } of kinds)
    for (const each of [introduced, registered?.last, ...revisions.map((revision) => revision.in)])
      if (each !== undefined) newest = newest === undefined ? each : maxMinor(newest, each);
  return newest;
}

/** The kinds that a binary has, each with the lifecycle values that this binary carries. */
export function kindsInBinary({ kinds, newest }: ApiTable, binary: Minor): ApiKind[] {
  return kinds.flatMap((kind) => {
    const own = asOf(kind, binary);
    if (own.introduced !== undefined && compareMinors(own.introduced, binary) > 0) return [];
    if (own.registered === undefined) return [own];
    const { first, last } = own.registered;
    const ended = newest !== undefined && compareMinors(last, newest) < 0 && compareMinors(binary, last) > 0;
    return compareMinors(binary, first) < 0 || ended ? [] : [own];
  });
}

/** The kind with the values that it had in a release: later revisions are undone, the newest first. */
export function asOf(kind: ApiKind, binary: Minor): ApiKind {
  if (kind.revisions.length === 0) return kind;
  const later = kind.revisions
    .filter((revision) => compareMinors(revision.in, binary) > 0)
    .sort((a, b) => compareMinors(b.in, a.in));
  const value = { ...kind };
  for (const { was } of later) Object.assign(value, was);
  return value;
}
