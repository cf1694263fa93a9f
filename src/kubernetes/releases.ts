/** Releases of Kubernetes as people name them: by their own number, or by that of the OpenShift release around them. */
import type { Problem } from "../core/diagnostics.js";
import { equalMinors, formatMinor, type Minor, release } from "../core/minor.js";
import { problem } from "../core/problem.js";
import { kubernetesOfName, NAMED_RELEASES } from "../core/release.js";
import { NEWEST_KNOWN } from "./behavior.js";

/** The first release with the API of custom resources that is spoken today. */
export const OLDEST_TARGET: Minor = release("1.16");

/** The newest release whose API server is known; what is newer is not guessed. */
export const NEWEST_TARGET: Minor = NEWEST_KNOWN;

const [OLDEST_OPENSHIFT, NEWEST_OPENSHIFT] = [NAMED_RELEASES[0], NAMED_RELEASES.at(-1)];

/**
 * The release of Kubernetes that is meant where one of OpenShift may be named instead; undefined for a release of neither.
 *
 * A release of Kubernetes may be beyond the data; of OpenShift it may not, since what a release to come will hold is not
 * known.
 *
 * `counted` are releases of the data that are asked: where they count by another major number, as a table of somebody's
 * own kinds may, releases of that number mean themselves.
 */
export function kubernetesMeant(
  named: Minor,
  counted: readonly (Minor | undefined)[] = [],
): Minor | undefined {
  if (named.major === 1 || counted.some((each) => each?.major === named.major)) return named;
  return kubernetesOfName(formatMinor(named));
}

/** A release in words: as it was named, and what it means where that is another one. */
export const releaseInWords = (named: Minor, meant: Minor): string =>
  equalMinors(named, meant) ? formatMinor(meant) : `${formatMinor(named)} (Kubernetes ${formatMinor(meant)})`;

/** The problem of a release that means none of Kubernetes, with what says where it is. */
export const meansNothing = (named: Minor, place: Partial<Problem> = {}): Problem =>
  problem(
    "VER011",
    "NotSupported",
    place.field ?? "",
    `${formatMinor(named)} is neither a Kubernetes release nor an OpenShift release with a known Kubernetes version`,
    {
      ...place,
      hint: `use a Kubernetes release such as ${formatMinor(NEWEST_TARGET)}, or an OpenShift release from ${OLDEST_OPENSHIFT} to ${NEWEST_OPENSHIFT}`,
    },
  );
