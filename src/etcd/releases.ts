/**
 * What each Kubernetes release can decode, serves and stores, from one table (schemas/data/etcd-resources.json;
 * facts/storage-and-encryption.md §1.2, §4.4, facts/compatibility-versions.md §7).
 */
import table from "../../schemas/data/etcd-resources.json" with { type: "json" };
import { parseApiVersion } from "../kubernetes/identity.js";
import { compareKubeVersions } from "../kubernetes/versions.js";

/** A Kubernetes release 1.N, as its minor number. */
export type Minor = number;

export const minorOf = (release: string): Minor => Number(release.slice(2));
export const releaseName = (minor: Minor): string => `1.${minor}`;

const FIRST = minorOf(table.releases.first);
const LAST = minorOf(table.releases.last);
/** The newest release whose data come from a release and not from its development. */
export const NEWEST_RELEASED = minorOf(table.releases.released);
/** OpenShift 4.Y holds Kubernetes 1.(Y+13). */
const OPENSHIFT_OFFSET = 13;

export const TARGETS = `${table.releases.first} to ${table.releases.last}`;

/** Reads `1.36`, `v1.36.2` or an OpenShift release such as `4.22`; undefined for a release without data. */
export function parseTarget(text: string): Minor | undefined {
  const [, major, minor] = /^v?([14])\.([0-9]{1,3})(?:\.[0-9]+)?$/.exec(text) ?? [];
  if (minor === undefined) return undefined;
  const number = Number(minor) + (major === "4" ? OPENSHIFT_OFFSET : 0);
  return number >= FIRST && number <= LAST ? number : undefined;
}

/** One version of a kind of a built-in resource. */
export interface BuiltInVersion {
  readonly apiVersion: string;
  readonly introduced?: string | undefined;
  readonly deprecated?: string | undefined;
  /** First release that does not serve it. */
  readonly removed?: string | undefined;
  /** First and last release whose binary registers the type, and so can decode it. */
  readonly first: string;
  readonly last?: string | undefined;
}

/** A place in etcd where kube-apiserver keeps a resource, with every version that was ever kept there. */
export interface BuiltIn {
  /** Below the prefix, without namespace and name. */
  readonly path: string;
  readonly group: string;
  readonly resource: string;
  readonly kind: string;
  readonly namespaced: boolean;
  /** Bookkeeping of the server that no API serves. */
  readonly internal?: boolean | undefined;
  readonly versions: readonly BuiltInVersion[];
}

export const BUILT_INS: readonly BuiltIn[] = table.resources;

/**
 * False for the resources of which a server answers `no unsafe deleter provided`: the option has no effect there but
 * this error.
 */
export const hasUnsafeDeletion = (group: string, resource: string): boolean =>
  !table.withoutUnsafeDeletion.resources.some((each) => each.group === group && each.resource === resource);

export const findVersion = (builtIn: BuiltIn, apiVersion: string): BuiltInVersion | undefined =>
  builtIn.versions.find((each) => each.apiVersion === apiVersion);

export function isRegistered({ first, last }: BuiltInVersion, minor: Minor): boolean {
  return minorOf(first) <= minor && (last === undefined || minor <= minorOf(last));
}

export function isServed(version: BuiltInVersion, minor: Minor): boolean {
  const { introduced, removed } = version;
  return (
    isRegistered(version, minor) &&
    (introduced === undefined || minorOf(introduced) <= minor) &&
    (removed === undefined || minor < minorOf(removed))
  );
}

const stabilityOf = (apiVersion: string): "stable" | "beta" | "alpha" =>
  apiVersion.includes("alpha") ? "alpha" : apiVersion.includes("beta") ? "beta" : "stable";

export const isAlpha = (apiVersion: string): boolean => stabilityOf(apiVersion) === "alpha";

/** From 1.24 on a new beta version is off unless `--runtime-config` names it; these came later and were on. */
const BETA_OFF_SINCE = 24;
const ON_ALTHOUGH_BETA = new Set(["flowcontrol.apiserver.k8s.io/v1beta3"]);

/** True when a server serves the version without any `--runtime-config`. */
export function isServedByDefault(version: BuiltInVersion, minor: Minor): boolean {
  if (!isServed(version, minor)) return false;
  const stability = stabilityOf(version.apiVersion);
  if (stability !== "beta") return stability === "stable";
  return (
    ON_ALTHOUGH_BETA.has(version.apiVersion) || minorOf(version.introduced ?? version.first) < BETA_OFF_SINCE
  );
}

const byPriority = (a: BuiltInVersion, b: BuiltInVersion): number =>
  compareKubeVersions(parseApiVersion(b.apiVersion).version, parseApiVersion(a.apiVersion).version);

/** The version through which a resource is asked for: the best that is on by default, else the best there is. */
export function servedVersion(builtIn: BuiltIn, minor: Minor): BuiltInVersion | undefined {
  const served = builtIn.versions
    .filter((each) => parseApiVersion(each.apiVersion).group === builtIn.group && isServed(each, minor))
    .sort(byPriority);
  return served.find((each) => isServedByDefault(each, minor)) ?? served[0];
}

export interface StorageVersion {
  readonly apiVersion: string;
  /** True when the rule gives it and no recorded fixture of that release confirms it. */
  readonly derived: boolean;
}

interface Pin {
  readonly group: string;
  readonly resource: string;
  readonly version: string;
}
const PINS: Readonly<Record<string, readonly Pin[]>> = table.pins;
const CONFIRMED = new Set([36, 37]);
/** Stored in this version for ever, since it is the most compact one. */
const ALWAYS = new Map([["customresourcedefinitions", "apiextensions.k8s.io/v1beta1"]]);

/** The version in which a release writes a resource, its minimum compatibility version being the release before. */
export function storageVersion(builtIn: BuiltIn, minor: Minor): StorageVersion | undefined {
  const always = ALWAYS.get(builtIn.resource);
  if (always !== undefined) return { apiVersion: always, derived: false };
  const derived = !CONFIRMED.has(minor);
  const own = builtIn.versions
    .filter((each) => parseApiVersion(each.apiVersion).group === builtIn.group && isRegistered(each, minor))
    .sort(byPriority);
  const pinned = PINS[releaseName(minor)]?.find(
    (each) => each.group === builtIn.group && each.resource === builtIn.resource,
  );
  if (pinned !== undefined) {
    const apiVersion = `${pinned.group}/${pinned.version}`;
    if (own.some((each) => each.apiVersion === apiVersion)) return { apiVersion, derived };
  }
  const introducedBy = (each: BuiltInVersion, release: Minor): boolean =>
    each.introduced === undefined ? minorOf(each.first) <= release : minorOf(each.introduced) <= release;
  // 1.31 to 1.36 take alpha versions in the same pass, 1.37 only after the others; before 1.31 the priority decides.
  const alphaToo = minor >= 31 && minor <= 36;
  const chosen =
    own.find((each) => (alphaToo || !isAlpha(each.apiVersion)) && introducedBy(each, minor - 1)) ??
    own.find((each) => introducedBy(each, minor)) ??
    own[0];
  return chosen === undefined ? undefined : { apiVersion: chosen.apiVersion, derived };
}
