/**
 * The one way in which data differs by release. A row holds from `since` on and up to, but not including, `before`;
 * each may be left out. Tables are in tables/, every one with its `source` and with `reviewed`, the newest
 * release that somebody compared it with; test/releases-reviewed.test.ts names those that a new release waits for.
 * Those that are made from Kubernetes' sources (scripts/kubernetes-tables.mjs) have in `patches` what was read of a release.
 */
import { compareMinors, type Minor, release as minorOf } from "./minor.js";
import { orderOf, type Release } from "./release.js";

/** What a row is asked at: a release of OpenShift, by its place in the order of releases, or of Kubernetes, by its number. */
export type At = Release | Minor;

/** When something holds; releases such as `4.19` or `1.35`; `later` for one after all that are known. */
export interface Span {
  /** First release that it holds at. */
  readonly since?: string | undefined;
  /** First release that it no longer holds at. */
  readonly before?: string | undefined;
}

/** True when `release` is `since` or newer. */
export const isSince = (release: At, since: string): boolean =>
  "order" in release ? release.order >= orderOf(since) : compareMinors(release, minorOf(since)) >= 0;

/** True when the row holds at the release. */
export const holdsAt = ({ since, before }: Span, release: At): boolean =>
  (since === undefined || isSince(release, since)) && (before === undefined || !isSince(release, before));

/** The rows that hold at the release, in their order. */
export const rowsAt = <T extends Span>(rows: readonly T[], release: At): T[] =>
  rows.filter((row) => holdsAt(row, release));

/** Of rows that replace each other, oldest first: the one that holds at the release; undefined before the first. */
export const rowAt = <T extends Span>(rows: readonly T[], release: At): T | undefined =>
  rows.findLast((row) => holdsAt(row, release));

/** A table of named facts as the question whether one holds at a release; the compiler knows the names. */
export const factsAt =
  <Name extends string>(table: Readonly<Record<Name, Span>>) =>
  (release: At, name: Name): boolean =>
    holdsAt(table[name], release);
