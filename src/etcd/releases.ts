/** What each Kubernetes release can decode, serves and stores, as copies of etcd ask for it. */
import { isOldBeta } from "../compatibility/api-enablement.js";
import { groupVersion, stabilityOf } from "../compatibility/api-table.js";
import {
  BUILT_INS,
  type BuiltIn,
  type BuiltInVersion,
  KUBERNETES_RELEASES,
  storedByRelease,
} from "../compatibility/kubernetes.js";
import { holdsAt, isSince } from "../core/by-release.js";
import { addMinors, equalMinors, formatMinor, type Minor, release } from "../core/minor.js";
import { releaseOfVersion } from "../core/named-release.js";
import { parseApiVersion } from "../kubernetes/identity.js";
import { kubernetesMeant } from "../kubernetes/releases.js";
import { compareKubeVersions } from "../kubernetes/versions.js";

export { hasUnsafeDeletion } from "../compatibility/kubernetes.js";
export { formatMinor as releaseName, type Minor } from "../core/minor.js";
export { BUILT_INS, type BuiltIn, type BuiltInVersion };

/** The newest release that the data are about. */
export const NEWEST_RELEASED: Minor = KUBERNETES_RELEASES.at(-1) ?? release("0.0");

export const TARGETS = `${formatMinor(KUBERNETES_RELEASES[0] ?? NEWEST_RELEASED)} to ${formatMinor(NEWEST_RELEASED)}`;

/** Reads `1.36`, `v1.36.2` or an OpenShift release such as `4.22`; undefined for a release without data. */
export function parseTarget(text: string): Minor | undefined {
  const named = releaseOfVersion(text);
  const meant = named && kubernetesMeant(named);
  return meant && KUBERNETES_RELEASES.find((each) => equalMinors(each, meant));
}

export const findVersion = (builtIn: BuiltIn, apiVersion: string): BuiltInVersion | undefined =>
  builtIn.versions.find((each) => each.apiVersion === apiVersion);

/** True when the release's binary has the type, and so can decode it. */
export const isRegistered = ({ first, last }: BuiltInVersion, at: Minor): boolean =>
  isSince(at, first) && (last === undefined || !isSince(at, formatMinor(addMinors(release(last), 1))));

export function isServed(version: BuiltInVersion, at: Minor): boolean {
  const { introduced, removed, endpoint } = version;
  return (
    isRegistered(version, at) &&
    holdsAt({ since: introduced, before: removed }, at) &&
    (endpoint === undefined || holdsAt(endpoint, at))
  );
}

/** True when a server serves the version without any `--runtime-config`. */
export function isServedByDefault(each: BuiltInVersion, at: Minor): boolean {
  if (!isServed(each, at)) return false;
  const { version } = parseApiVersion(each.apiVersion);
  const introduced = release(each.introduced ?? each.first);
  return (
    stabilityOf(version) === "stable" ||
    (each.enabledByDefault !== undefined && holdsAt(each.enabledByDefault, at)) ||
    isOldBeta({ version, introduced }, at)
  );
}

const byPriority = (a: BuiltInVersion, b: BuiltInVersion): number =>
  compareKubeVersions(parseApiVersion(b.apiVersion).version, parseApiVersion(a.apiVersion).version);

/** The version through which a resource is asked for: the best that is on by default, else the best there is. */
export function servedVersion(builtIn: BuiltIn, at: Minor): BuiltInVersion | undefined {
  const served = builtIn.versions
    .filter((each) => parseApiVersion(each.apiVersion).group === builtIn.group && isServed(each, at))
    .sort(byPriority);
  return served.find((each) => isServedByDefault(each, at)) ?? served[0];
}

/** The version in which a release writes a resource with its default versions; undefined for what it does not have. */
export function storageVersion(
  { group, resource, internal, versions }: BuiltIn,
  at: Minor,
): string | undefined {
  if (internal === true) return versions[0]?.apiVersion;
  const found = storedByRelease(at).find((each) => each.group === group && each.resource === resource);
  return found?.version == null
    ? undefined
    : groupVersion({ group: found.storedGroup, version: found.version });
}
