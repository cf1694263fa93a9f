/** Which built-in kinds and resources the releases between two serve, by default or at all. */
import {
  type ApiKind,
  asOf,
  byPreference,
  groupVersion,
  type KindReference,
} from "../compatibility/api-table.js";
import { servedApis } from "../compatibility/apis.js";
import { effectiveKube } from "../compatibility/effective.js";
import type { FlagText } from "../compatibility/flags.js";
import { commandLineFlag } from "../compatibility/flags.js";
import type { GateSetting } from "../compatibility/gate-flags.js";
import { kubernetesApis } from "../compatibility/kubernetes.js";
import { SHIPPED } from "../compatibility/rules.js";
import { addMinors, compareMinors, type Minor, ofMinor } from "../compatibility/version.js";
import type { Report } from "../core/diagnostics.js";
import { type GateAnswer, gatesAt } from "./gates.js";

/** Settings of the API servers, the same in every release. */
export interface ServerSettings {
  readonly runtimeConfig: readonly FlagText[];
  readonly gates: ReadonlyMap<string, GateSetting>;
}

/** `off`: the binary has it, and it is served only when it is enabled. */
export type Served = "yes" | "off" | "no";

/** What the API server of a release serves. */
export interface ServedRelease {
  readonly release: Minor;
  kind(of: KindReference): Served;
  resource(group: string, version: string, resource: string): Served;
  /** Versions of a group with the resource, as they are preferred; any resource for "*". */
  versionsOf(group: string, resource: string): readonly string[];
  /** Undefined where the gates of the release are not known. */
  readonly gate: ((name: string) => GateAnswer) | undefined;
}

interface Names {
  readonly kinds: ReadonlySet<string>;
  readonly resources: ReadonlySet<string>;
}

const ALL = [commandLineFlag("--runtime-config", "api/all=true")];
const keyOf = (...parts: readonly string[]): string => parts.join("|");

/** @param report takes what is wrong with the settings in this release */
export function servedRelease(release: Minor, settings: ServerSettings, report?: Report): ServedRelease {
  const gate = gatesAt(release, settings.gates, report);
  const question = {
    table: kubernetesApis(),
    versions: effectiveKube(ofMinor(release), SHIPPED),
    rules: SHIPPED,
    forwardCompatible: false,
    runtimeConfigForwardCompatible: false,
    strictRemovedInAlpha: false,
    serveRemovedOneMore: false,
  };
  const served = (
    runtimeConfig: readonly FlagText[],
    gateOn: (name: string) => boolean,
    found: Report = () => undefined,
  ) => servedApis({ ...question, runtimeConfig, gateOn }, found);
  const byDefault = served(
    settings.runtimeConfig,
    gate === undefined ? () => false : (name) => gate(name) !== "off",
    settings.runtimeConfig.length === 0 ? undefined : report,
  );
  const names = (versions: ReturnType<typeof servedApis>): Names => ({
    kinds: new Set(
      versions.flatMap(({ group, version, resources }) =>
        resources.map(({ kind }) => keyOf(group, version, kind)),
      ),
    ),
    resources: new Set(
      versions.flatMap(({ group, version, resources }) =>
        resources.map(({ resource }) => keyOf(group, version, resource)),
      ),
    ),
  });
  const [now, possible] = [names(byDefault), names(served(ALL, () => true))];
  const answer = (of: keyof Names, key: string): Served =>
    now[of].has(key) ? "yes" : possible[of].has(key) ? "off" : "no";
  return {
    release,
    gate,
    kind: (of) => {
      const own = lifecycleOf(of, release);
      // What only subresources take or answer, such as Eviction, has no resource of its own.
      return own !== undefined && own.resource === undefined
        ? isRegisteredAt(own, release)
          ? "yes"
          : "no"
        : answer("kinds", keyOf(of.group, of.version, of.kind));
    },
    resource: (group, version, resource) => answer("resources", keyOf(group, version, resource)),
    versionsOf: (group, resource) =>
      byDefault
        .filter(
          (each) =>
            each.group === group &&
            (resource === "*" || each.resources.some((own) => own.resource === resource)),
        )
        .map(({ version }) => version),
  };
}

const KINDS = new Map<string, ApiKind>();
const GROUPS = new Set<string>();
function index(): void {
  if (GROUPS.size > 0) return;
  for (const kind of kubernetesApis().kinds) {
    KINDS.set(keyOf(kind.group, kind.version, kind.kind), kind);
    GROUPS.add(kind.group);
  }
}

/** The lifecycle of a built-in kind as a release has it; undefined for other kinds. */
export function lifecycleOf({ group, version, kind }: KindReference, release: Minor): ApiKind | undefined {
  index();
  const found = KINDS.get(keyOf(group, version, kind));
  return found && asOf(found, release);
}

/** True for a group that Kubernetes itself has, or had. */
export function isBuiltInGroup(group: string): boolean {
  index();
  return GROUPS.has(group);
}

/** The versions in which any release has, or had, the resource of the group. */
export const versionsKnown = (group: string, resource: string): readonly string[] =>
  kubernetesApis().kinds.flatMap((kind) =>
    kind.group === group && kind.resource === resource ? [kind.version] : [],
  );

/** The groups in which any release has, or had, a resource of that name. */
export const groupsKnown = (resource: string): readonly string[] => [
  ...new Set(kubernetesApis().kinds.flatMap((kind) => (kind.resource === resource ? [kind.group] : []))),
];

/** Whether any release has, or had, the version of the group. */
export const isKnownVersion = (group: string, version: string): boolean =>
  kubernetesApis().kinds.some((kind) => kind.group === group && kind.version === version);

/** The first release that serves it, as far as the data know. */
export const introducedIn = ({ introduced, registered }: ApiKind): Minor | undefined =>
  introduced ?? registered?.first;

/** The first release that no longer serves it; undefined where that is not known to come. */
export function endOf({ removed, registered }: ApiKind): Minor | undefined {
  const { newest } = kubernetesApis();
  const gone =
    registered !== undefined && newest !== undefined && compareMinors(registered.last, newest) < 0
      ? addMinors(registered.last, 1)
      : undefined;
  if (removed === undefined || gone === undefined) return removed ?? gone;
  return compareMinors(removed, gone) < 0 ? removed : gone;
}

const isRegisteredAt = (kind: ApiKind, at: Minor): boolean => {
  const [since, end] = [introducedIn(kind), endOf(kind)];
  return (
    (since === undefined || compareMinors(since, at) <= 0) &&
    (end === undefined || compareMinors(end, at) > 0)
  );
};

/** What to use in a release in the place of a version: what the lifecycle names, else another version of the group. */
export function replacementAt(kind: ApiKind, at: ServedRelease): KindReference | undefined {
  const seen = new Set<string>();
  for (let next = kind.replacement; next !== undefined; ) {
    const key = keyOf(next.group, next.version, next.kind);
    if (seen.has(key)) break;
    seen.add(key);
    if (at.kind(next) === "yes") return next;
    next = lifecycleOf(next, at.release)?.replacement;
  }
  const { kinds } = kubernetesApis();
  const preference = byPreference(kubernetesApis(), at.release);
  return kinds
    .filter((each) => each.group === kind.group && each.kind === kind.kind && at.kind(each) === "yes")
    .sort(preference)[0];
}

/** `networking.k8s.io/v1 Ingress` */
export const kindText = (of: KindReference): string => `${groupVersion(of)} ${of.kind}`;
