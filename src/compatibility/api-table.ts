/** Lifecycles of API kinds as every question sees them, whatever form they were read from. */
import type { Place } from "./rules.js";
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
  /** Undefined leaves it to the defaults of `--runtime-config` (§6.2). */
  readonly enabledByDefault: boolean | undefined;
  /** Releases whose binaries have the type at all. */
  readonly registered: { readonly first: Minor; readonly last: Minor } | undefined;
  readonly served: boolean;
  readonly namespaced: boolean | undefined;
  readonly verbs: readonly string[] | undefined;
  readonly revisions: readonly Revision[];
  readonly place: Place;
}

export interface ApiTable {
  readonly form: "own" | "lifecycle-list";
  readonly file: string;
  readonly kinds: readonly ApiKind[];
  /** The newest release that the data know. */
  readonly newest: Minor | undefined;
}

export const groupVersion = ({ group, version }: Pick<KindReference, "group" | "version">): string =>
  group === "" ? version : `${group}/${version}`;

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
