/** OpenShift releases. What differs by release is a table with its source (by-release.ts); here they have their names. */
import { compareMinors, formatMinor, type Minor, release as minorOf } from "./minor.js";

/** A release such as `4.22`. */
export type Release = Minor;

/** The releases that slipway has tables for, oldest first. */
export const RELEASES = ["4.18", "4.19", "4.20", "4.21", "4.22"] as const;
export const DEFAULT_RELEASE = "4.22";

export const formatRelease = formatMinor;
export const compareReleases = compareMinors;

/** Reads `4.22`; undefined when the text is not a release that slipway knows. */
export function parseRelease(text: string): Release | undefined {
  const found = RELEASES.find((each) => each === text);
  return found === undefined ? undefined : minorOf(found);
}

const DISTANCE = 13;

/** The Kubernetes minor release inside an OpenShift 4 release: 4.Y holds 1.(Y+13). */
export const kubernetesOf = (release: Release): string => `1.${release.minor + DISTANCE}`;

/** The OpenShift release around a Kubernetes minor release. */
export const openshiftOf = (kubernetes: Minor): Release => ({ major: 4, minor: kubernetes.minor - DISTANCE });
