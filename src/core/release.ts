/**
 * OpenShift releases. Knowledge that differs by release is a table with its source; this module only compares
 * and names releases.
 */

/** A release such as `4.22`. */
export interface Release {
  readonly major: number;
  readonly minor: number;
}

/** The releases that slipway has tables for, oldest first. */
export const RELEASES = ["4.18", "4.19", "4.20", "4.21", "4.22"] as const;
export const DEFAULT_RELEASE = "4.22";

export const formatRelease = (release: Release): string => `${release.major}.${release.minor}`;

/** Reads `4.22`; undefined when the text is not a release that slipway knows. */
export function parseRelease(text: string): Release | undefined {
  const found = RELEASES.find((each) => each === text);
  if (found === undefined) return undefined;
  const [major, minor] = found.split(".").map(Number);
  return major === undefined || minor === undefined ? undefined : { major, minor };
}

export const compareReleases = (a: Release, b: Release): number => a.major - b.major || a.minor - b.minor;

/** True when `release` is `since` or newer; `since` is a release such as `4.19`. */
export function atLeast(release: Release, since: `${number}.${number}`): boolean {
  const [major = 0, minor = 0] = since.split(".").map(Number);
  return compareReleases(release, { major, minor }) >= 0;
}

/** The Kubernetes minor release inside an OpenShift 4 release: 4.Y holds 1.(Y+13). */
export const kubernetesOf = (release: Release): string => `1.${release.minor + 13}`;

/** The entry of the newest release that is not newer than `release`, of a table by release. */
export function releaseEntry<T>(entries: Readonly<Record<string, T>>, release: Release): T | undefined {
  let found: { readonly since: Release; readonly value: T } | undefined;
  for (const [text, value] of Object.entries(entries)) {
    const since = parseRelease(text);
    if (since === undefined || compareReleases(since, release) > 0) continue;
    if (found === undefined || compareReleases(since, found.since) >= 0) found = { since, value };
  }
  return found?.value;
}
