/**
 * OpenShift releases: names in the order of tables/releases.json, each with its Kubernetes version and the commit of
 * openshift/installer that its rows were compared with. No release is computed from another one's number: 5.0 follows 4.22.
 * What differs by release is a table with its source (by-release.ts).
 */
import table from "../../tables/releases.json" with { type: "json" };
import { type Minor, release as minorOf } from "./minor.js";

/** The branch of openshift/installer that the rows of a release were compared with, and its commit at that time. */
export interface InstallerSource {
  readonly branch: string;
  readonly commit: string;
  /** Date of the commit, as in `2026-07-21`. */
  readonly date: string;
}

/** How far a release is by the published life cycle policy, at the date in `asOf` of the table. */
export interface Lifecycle {
  readonly stage: "ahead of release" | "supported" | "ended";
  readonly generallyAvailable?: string | undefined;
  readonly maintenanceEnds?: string | undefined;
  readonly extendedUpdatesEnd?: string | undefined;
}

/** A release that slipway compiles for, such as `4.22`. */
export interface Release {
  readonly name: string;
  /** Position in the order of releases. */
  readonly order: number;
  readonly kubernetes: Minor;
  readonly installer: InstallerSource;
  /** Stream of the operating system that machines get by default; undefined where the release has no streams. */
  readonly osImageStream?: string | undefined;
  readonly lifecycle: Lifecycle;
}

interface Row {
  readonly name: string;
  readonly kubernetes: string;
  readonly installer?: InstallerSource;
  readonly osImageStream?: string;
  readonly lifecycle?: { readonly stage: string } & Omit<Lifecycle, "stage">;
  readonly sameCodeAs?: string;
}

const ROWS: readonly Row[] = table.releases;
const ORDER = new Map(ROWS.map(({ name }, order) => [name, order]));

/** The name in a row of a table for a release after all that are known. */
export const LATER = "later";

/** Every release of the order, those that slipway does not compile for included, oldest first. */
export const NAMED_RELEASES: readonly string[] = ROWS.map(({ name }) => name);

const STAGES = ["ahead of release", "supported", "ended"] as const;

function compiledFor(row: Row, order: number): Release[] {
  const { name, kubernetes, installer, osImageStream, lifecycle } = row;
  const stage = STAGES.find((each) => each === lifecycle?.stage);
  if (installer === undefined || lifecycle === undefined || stage === undefined) return [];
  const own = {
    kubernetes: minorOf(kubernetes),
    installer,
    osImageStream,
    lifecycle: { ...lifecycle, stage },
  };
  return [{ name, order, ...own }];
}

/** The releases that slipway compiles for, oldest first. */
export const RELEASE_ROWS: readonly Release[] = ROWS.flatMap(compiledFor);

/** Their names, oldest first. */
export const RELEASES: readonly string[] = RELEASE_ROWS.map(({ name }) => name);

/** The default of `--release`: the newest release that is supported. */
export const DEFAULT_RELEASE: string =
  RELEASE_ROWS.findLast(({ lifecycle }) => lifecycle.stage === "supported")?.name ?? "";

export const formatRelease = ({ name }: Release): string => name;
export const compareReleases = (a: Release, b: Release): number => a.order - b.order;

/** Reads `4.22`; undefined when slipway does not compile for a release of that name. */
export const parseRelease = (text: string): Release | undefined =>
  RELEASE_ROWS.find(({ name }) => name === text);

/** A release named in our own source or tables; throws for a name that slipway does not compile for. */
export function releaseNamed(name: string): Release {
  const found = parseRelease(name);
  if (found === undefined) throw new Error(`${name} is not a release that slipway compiles for`);
  return found;
}

/** Position of a name in a row of a table, any release of the order or `later`; throws for a name that is neither. */
export function orderOf(name: string): number {
  const found = name === LATER ? ROWS.length : ORDER.get(name);
  if (found === undefined) throw new Error(`${name} is not an OpenShift release`);
  return found;
}

/** The release whose code another one is built from: 4.23 is built from 5.0's; undefined for all others. */
export const sameCodeAs = (name: string): string | undefined =>
  ROWS.find((each) => each.name === name)?.sameCodeAs;

/** The minor release in a text such as `4.23.1`, or the text itself. */
export const minorIn = (text: string): string => /^v?([0-9]+\.[0-9]+)(?:\.|$)/.exec(text)?.[1] ?? text;

/** What to use in place of a release that slipway does not compile for. */
export function insteadOf(name: string): string {
  const other = sameCodeAs(name);
  return other === undefined
    ? `supported releases: ${RELEASES.join(", ")}`
    : `OpenShift ${name} is built from the same code as ${other}; use --release ${other}`;
}

/** The Kubernetes minor release inside an OpenShift release, such as `1.35`. */
export const kubernetesOf = ({ kubernetes }: Release): string => `${kubernetes.major}.${kubernetes.minor}`;

/** The Kubernetes release inside any OpenShift release of the order, those that slipway does not compile for included. */
export function kubernetesOfName(name: string): Minor | undefined {
  const row = ROWS.find((each) => each.name === name);
  return row && minorOf(row.kubernetes);
}
