/**
 * What slipway knows of Kubernetes' own releases: the built-in kinds with their lifecycles, and how they are stored. The
 * one source of it for compat, storage and etcd; as `kubernetes` it stands for a file in --lifecycle and --pins.
 */
import apis from "../../tables/kubernetes-apis.json" with { type: "json" };
import storage from "../../tables/kubernetes-storage.json" with { type: "json" };
import { rowsAt, type Span } from "../core/by-release.js";
import type { Problem, Report } from "../core/diagnostics.js";
import { releaseOfVersion } from "../core/named-release.js";
import { problemList } from "../core/problem.js";
import { kubernetesMeant } from "../kubernetes/releases.js";
import {
  type ApiKind,
  type ApiTable,
  type Lifecycle,
  parseReference,
  type Revision,
  stabilityOf,
} from "./api-table.js";
import { effectiveKube } from "./effective.js";
import { KUBERNETES, releaseNamed } from "./kubernetes-name.js";
import { SHIPPED } from "./rules.js";
import { type StoragePins, type StorageVersion, storageVersions } from "./storage-versions.js";
import {
  compareMinors,
  equalMinors,
  formatMinor,
  type Minor,
  maxMinor,
  minMinor,
  minorsBetween,
  ofMinor,
  release,
} from "./version.js";

/** The releases that the data are about, oldest first. */
export const KUBERNETES_RELEASES: readonly Minor[] = minorsBetween(
  release(apis.releases.first),
  release(apis.releases.last),
);
const [OLDEST = release("0.0")] = KUBERNETES_RELEASES;
const NEWEST = KUBERNETES_RELEASES.at(-1) ?? OLDEST;

/** One version of a built-in kind. */
export interface BuiltInVersion {
  readonly apiVersion: string;
  readonly introduced?: string | undefined;
  readonly deprecated?: string | undefined;
  /** First release that does not serve it. */
  readonly removed?: string | undefined;
  /** group/version/kind */
  readonly replacement?: string | undefined;
  /** Values before a release changed them. */
  readonly was?: readonly Was[] | undefined;
  /** First and last release whose binary registers the type, and so can decode it. */
  readonly first: string;
  readonly last?: string | undefined;
  readonly endpoint?: Span | undefined;
  readonly enabledByDefault?: Span | undefined;
}

interface Was {
  readonly in: string;
  readonly introduced?: string | null | undefined;
  readonly deprecated?: string | null | undefined;
  readonly removed?: string | null | undefined;
  readonly replacement?: string | null | undefined;
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
  readonly gate?: string | undefined;
  readonly versions: readonly BuiltInVersion[];
}

export const BUILT_INS: readonly BuiltIn[] = apis.resources;

/** Kinds that are answered without storage, or that are only a payload. */
interface Unstored {
  readonly group: string;
  readonly kind: string;
  readonly resource?: string | undefined;
  readonly namespaced?: boolean | undefined;
  readonly versions: readonly BuiltInVersion[];
}
const UNSTORED: readonly Unstored[] = apis.others;

const NOWHERE = { file: KUBERNETES, line: 0, column: 0 };

/** Makes a value at its first use. */
function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** Every built-in kind of every release, as the questions of compat and storage take it. */
export const kubernetesApis = once(
  (): ApiTable => ({
    form: "own",
    file: KUBERNETES,
    kinds: [...BUILT_INS.filter(({ internal }) => internal !== true), ...UNSTORED].flatMap(kindsOf),
    newest: NEWEST,
    priorities: apis.priorities,
  }),
);

/** The table as it was when a release was the newest: without what came after it. */
function apisUntil(at: Minor): ApiTable {
  const table = kubernetesApis();
  if (equalMinors(at, NEWEST)) return { ...table, file: `${KUBERNETES}@${formatMinor(at)}` };
  return {
    ...table,
    file: `${KUBERNETES}@${formatMinor(at)}`,
    newest: at,
    kinds: table.kinds.flatMap((kind): ApiKind[] => {
      const { registered, revisions } = kind;
      if (registered === undefined || compareMinors(registered.first, at) > 0) return [];
      // The newest revision first, so that the oldest one after the release decides.
      const later = revisions
        .filter((each) => compareMinors(each.in, at) > 0)
        .sort((a, b) => compareMinors(b.in, a.in));
      return [
        {
          ...Object.assign({ ...kind }, ...later.map(({ was }) => was)),
          registered: { first: registered.first, last: minMinor(registered.last, at) },
          revisions: revisions.filter((each) => !later.includes(each)),
        },
      ];
    }),
  };
}

/**
 * Kubernetes' lifecycles that a name means: `kubernetes`, or `kubernetes@1.36` for those that were known in that release; a
 * release without data is reported at `place`.
 */
export function namedApis(name: string, place: Partial<Problem>, report: Report): ApiTable | undefined {
  const named = releaseNamed(name);
  if (named === undefined) return kubernetesApis();
  const at = knownRelease(named);
  if (at === undefined) reportUnknown(name, place, report);
  return at && apisUntil(at);
}

/** The pins of Kubernetes' own releases up to the one that the name means. */
export function namedPins(name: string, place: Partial<Problem>, report: Report): StoragePins | undefined {
  const named = releaseNamed(name);
  const all = kubernetesPins();
  if (named === undefined) return all;
  const last = knownRelease(named);
  if (last === undefined) reportUnknown(name, place, report);
  return last && { ...all, snapshots: all.snapshots.filter(({ at }) => compareMinors(at, last) <= 0) };
}

function knownRelease(named: string): Minor | undefined {
  const release = releaseOfVersion(named);
  const meant = release && kubernetesMeant(release);
  return meant && KUBERNETES_RELEASES.find((each) => equalMinors(each, meant));
}

function reportUnknown(name: string, place: Partial<Problem>, report: Report): void {
  problemList(report, place.field ?? "", place).report(
    "TAB009",
    "NotFound",
    `no API lifecycles for ${releaseNamed(name)}`,
    `use ${KUBERNETES}@${formatMinor(OLDEST)} to ${KUBERNETES}@${formatMinor(NEWEST)}, or a file with the lifecycles of another release`,
  );
}

function kindsOf(row: BuiltIn | Unstored): ApiKind[] {
  return row.versions.flatMap((each): ApiKind[] => {
    const last = each.last === undefined ? NEWEST : release(each.last);
    if (compareMinors(last, OLDEST) < 0) return [];
    const [version = "", group = ""] = each.apiVersion.split("/").reverse();
    return [
      {
        group,
        version,
        kind: row.kind,
        resource: row.resource,
        subresources: [],
        stability: stabilityOf(version),
        introduced: minor(each.introduced),
        deprecated: minor(each.deprecated),
        removed: minor(each.removed),
        replacement: parseReference(each.replacement),
        enabledByDefault: each.enabledByDefault,
        // As in all data that begin with a release: what is registered in it may be older.
        registered: { first: maxMinor(release(each.first), OLDEST), last },
        served: true,
        endpoint: each.endpoint,
        gate: "gate" in row ? row.gate : undefined,
        namespaced: row.namespaced,
        verbs: undefined,
        revisions: (each.was ?? []).map(revisionOf),
        place: NOWHERE,
      },
    ];
  });
}

const minor = (text: string | null | undefined): Minor | undefined =>
  text === undefined || text === null ? undefined : release(text);

function revisionOf({ in: at, ...was }: Was): Revision {
  const before: { -readonly [name in keyof Lifecycle]?: Lifecycle[name] } = {};
  for (const name of ["introduced", "deprecated", "removed"] as const)
    if (was[name] !== undefined) before[name] = minor(was[name]);
  if (was.replacement !== undefined) before.replacement = parseReference(was.replacement ?? undefined);
  return { in: release(at), was: before };
}

/** The storage versions that each release fixes by hand. */
export const kubernetesPins = once(
  (): StoragePins => ({
    snapshots: KUBERNETES_RELEASES.map((at) => ({
      at,
      pins: rowsAt<(typeof storage.pins)[number] & Span>(storage.pins, at).map(
        ({ group, resource, version }) => ({
          group,
          resource,
          version,
          place: NOWHERE,
        }),
      ),
    })),
    cohabitation: undefined,
  }),
);

const stored = new Map<number, readonly StorageVersion[]>();

/** What a release writes with its default versions: emulating nothing, minimum compatibility the release before. */
export function storedByRelease(of: Minor): readonly StorageVersion[] {
  const known = stored.get(of.minor);
  if (known !== undefined) return known;
  const versions = effectiveKube(ofMinor(of), SHIPPED);
  const question = {
    table: kubernetesApis(),
    versions,
    rules: SHIPPED,
    rule: undefined,
    pins: kubernetesPins(),
    runtimeConfig: [],
  };
  const answer = storageVersions(question, () => {});
  stored.set(of.minor, answer);
  return answer;
}

/**
 * False for the resources of which a server answers `no unsafe deleter provided`: the option has no effect there but
 * this error.
 */
export const hasUnsafeDeletion = (group: string, resource: string): boolean =>
  !storage.withoutUnsafeDeletion.some((each) => each.group === group && each.resource === resource);
