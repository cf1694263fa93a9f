/**
 * Which version of a resource is written to etcd, by the rule of each release and by the source design's formula
 * (docs/reference/compatibility-versions.md §7; docs/reference/source-designs.md §2.4).
 */

import data from "../../tables/kubernetes-storage.json" with { type: "json" };
import type { Position, Report } from "../core/diagnostics.js";
import { byCodeUnit } from "../core/files.js";
import { problemList } from "../core/problem.js";
import { type StoredVersionRule, storedVersionRule, storedVersionRuleOf } from "../kubernetes/behavior.js";
import { Enablement } from "./api-enablement.js";
import {
  type ApiKind,
  type ApiTable,
  byPreference,
  groupResource,
  groupVersion,
  hasEndpoint,
  kindsInBinary,
} from "./api-table.js";
import { groupedBy, isRemoved, registeredIn } from "./apis.js";
import type { EffectiveVersion } from "./effective.js";
import type { FlagText } from "./flags.js";
import type { Rules } from "./rules.js";
import { isAlphaVersion, readRuntimeConfig } from "./runtime-config.js";
import { addMinors, compareMinors, formatMinor, type Minor, minorOf, minorsBetween } from "./version.js";

/** The rule of the design. */
export const DESIGN_RULE = "kep";
/** A rule by its name: that of the design, or one of Kubernetes' releases. */
export type StorageRule = string;

export interface GroupResource {
  readonly group: string;
  readonly resource: string;
}

export interface Pin extends GroupResource {
  readonly version: string;
  readonly place: Position;
}

/** Pins as they stood in one release. */
export interface PinSnapshot {
  readonly at: Minor;
  readonly pins: readonly Pin[];
}

export interface StoragePins {
  readonly snapshots: readonly PinSnapshot[];
  /** Resources of two groups that share one place in etcd; undefined for the built-in list. */
  readonly cohabitation: readonly (readonly GroupResource[])[] | undefined;
}

export interface StorageQuestion {
  readonly table: ApiTable;
  readonly versions: EffectiveVersion;
  readonly rules: Rules;
  /** Undefined for the rule of the binary's release, or `kep` by the design. */
  readonly rule: StorageRule | undefined;
  readonly pins: StoragePins | undefined;
  readonly runtimeConfig: readonly FlagText[];
}

export interface StorageVersion extends GroupResource {
  /** Null when the rule has no answer. */
  readonly version: string | null;
  /** Group that the object is stored under; differs from `group` where two groups share one place. */
  readonly storedGroup: string;
  readonly kind: string;
  readonly reason: string;
}

/**
 * The rule that a shipped binary follows (docs/reference/compatibility-versions.md §7). Before 1.31 the order of
 * versions decided, in which a new version came first a release later; a table that does not tell these orders is asked
 * by the rule that replaced them.
 */
export const ruleOf = (binary: Minor, { priorities }: Pick<ApiTable, "priorities">): StorageRule =>
  storedVersionRuleOf(binary, priorities === undefined).name;

/** The storage version of every resource that can be served at the emulated version, ordered by group and resource. */
export function storageVersions(question: StorageQuestion, report: Report): StorageVersion[] {
  const { table, versions, rules } = question;
  const binary = minorOf(versions.binary);
  const rule = question.rule ?? (rules.set === "kep" ? DESIGN_RULE : ruleOf(binary, table));
  const kinds = kindsInBinary(table, binary);
  const pins = pinsAt(question.pins, binary);
  checkPins(pins, kinds, report);
  const enabled = enabledGroups(question, kinds, report);
  const resources = groupedBy(kinds.filter(isStored), ({ group, resource }) => `${group}/${resource}`);
  const preference = byPreference(table, binary);
  const result: StorageVersion[] = [];
  for (const members of resources.values()) {
    const [first] = members;
    if (first?.resource === undefined || !members.some((kind) => isLive(kind, binary, versions, rules)))
      continue;
    const { group, resource, kind } = first;
    const home = homeOf({ group, resource }, question.pins, enabled);
    const homeMembers = [...(resources.get(`${home.group}/${home.resource}`) ?? members)].sort(preference);
    const versionsOfGroup = kinds.filter((each) => each.group === home.group).sort(preference);
    const choice = choose({ ...home, kind }, homeMembers, versionsOfGroup, versions, rule, pins);
    const shared = home.group === group ? "" : `stored as ${groupResource(home.group, home.resource)}; `;
    result.push({
      group,
      resource,
      version: choice.version,
      storedGroup: home.group,
      kind,
      reason: shared + choice.reason,
    });
    if (choice.version === null)
      problemList(report, groupResource(group, resource)).warnings.report(
        "API020",
        "NotFound",
        choice.reason,
        "set --min-compatibility-version closer to the emulated version",
      );
  }
  return result.sort((a, b) => byCodeUnit(a.group, b.group) || byCodeUnit(a.resource, b.resource));
}

const isStored = ({ group, resource, served }: ApiKind): boolean =>
  served &&
  resource !== undefined &&
  !resource.includes("/") &&
  !data.withoutStorage.some((each) => each.group === group && each.resource === resource);

/** True for a version that some setting could serve at the emulated version. */
function isLive(kind: ApiKind, binary: Minor, versions: EffectiveVersion, rules: Rules): boolean {
  const { introduced, removed } = kind;
  if (!hasEndpoint(kind, binary)) return false;
  if (introduced !== undefined && compareMinors(introduced, versions.emulation) > 0) return false;
  return !isRemoved(removed, { versions, rules, strictRemovedInAlpha: false, serveRemovedOneMore: false });
}

function enabledGroups(
  { versions, runtimeConfig }: StorageQuestion,
  kinds: readonly ApiKind[],
  report: Report,
): ReadonlySet<string> {
  const enablement = Enablement.defaults(kinds, minorOf(versions.binary));
  enablement.apply(readRuntimeConfig(runtimeConfig, registeredIn(kinds), report));
  return new Set(
    kinds
      .filter(
        ({ group, version, resource }) =>
          resource !== undefined && enablement.resourceEnabled(group, version, resource),
      )
      .map(({ group }) => group),
  );
}

/** The first of the groups that share a place in etcd with anything enabled. */
function homeOf(
  own: GroupResource,
  pins: StoragePins | undefined,
  enabled: ReadonlySet<string>,
): GroupResource {
  const sharing = (pins?.cohabitation ?? data.cohabitation).find((each) =>
    each.some(({ group, resource }) => group === own.group && resource === own.resource),
  );
  return sharing?.find(({ group }) => enabled.has(group)) ?? own;
}

interface Choice {
  readonly version: string | null;
  readonly reason: string;
}

function choose(
  { group, resource, kind }: GroupResource & { readonly kind: string },
  ordered: readonly ApiKind[],
  groupVersions: readonly ApiKind[],
  versions: EffectiveVersion,
  rule: StorageRule,
  pins: readonly Pin[],
): Choice {
  const pin = pins.find((each) => each.group === group && each.resource === resource);
  if (pin !== undefined) return { version: pin.version, reason: "pinned" };
  const fixed = data.fixed.find((each) => each.group === group && each.resource === resource);
  if (fixed !== undefined && rule !== "kep") return { version: fixed.version, reason: fixed.why };
  if (rule === DESIGN_RULE) return byDesign(ordered, versions);
  return byRelease(ordered, storedVersionRule(rule), versions) ?? preferredOf(kind, ordered, groupVersions);
}

/** The shipped rules: the most preferred version that the minimum compatibility version knows. */
function byRelease(
  ordered: readonly ApiKind[],
  rule: StoredVersionRule,
  { emulation, minCompatibility }: EffectiveVersion,
): Choice | undefined {
  const ignoreLifecycle = minCompatibility.major === 0 && minCompatibility.minor === 0;
  const knownAt = ({ introduced }: ApiKind, at: Minor): boolean =>
    ignoreLifecycle || introduced === undefined || compareMinors(introduced, at) <= 0;
  const why = (kind: ApiKind, at: Minor, name: string): Choice => ({
    version: kind.version,
    reason: `${kind.introduced === undefined ? "has no lifecycle" : `introduced in ${formatMinor(kind.introduced)}`}, the most preferred version available in ${name} ${formatMinor(at)}`,
  });
  const minimum = "minimum compatibility version";
  if (!rule.byMinimum)
    return ordered[0] && { version: ordered[0].version, reason: "the most preferred version of the kind" };
  const skipped = ({ replacement, version }: ApiKind): boolean =>
    (rule.skipsReplaced && replacement !== undefined) || (rule.skipsAlpha && isAlphaVersion(version));
  const found = ordered.find((kind) => !skipped(kind) && knownAt(kind, minCompatibility));
  if (found !== undefined || !rule.orEmulated) return found && why(found, minCompatibility, minimum);
  const emulated = ordered.find((kind) => knownAt(kind, emulation));
  return emulated && why(emulated, emulation, "emulated version");
}

/** The last resort of every shipped rule, which does not ask whether the kind has that version. */
function preferredOf(kind: string, own: readonly ApiKind[], groupVersions: readonly ApiKind[]): Choice {
  const version = groupVersions[0]?.version ?? null;
  const has = own.some((each) => each.version === version);
  return {
    version,
    reason: `no version of ${kind} is available at these versions; using the group's preferred version${has ? "" : ", which does not contain this kind"}`,
  };
}

/** The design: the newest version served in every release from M to E+1. */
function byDesign(ordered: readonly ApiKind[], { emulation, minCompatibility }: EffectiveVersion): Choice {
  const last = addMinors(emulation, 1);
  const range = minorsBetween(minCompatibility, last);
  const span = `${formatMinor(minCompatibility)} to ${formatMinor(last)}`;
  const found = ordered.find((kind) => range.every((at) => isServedIn(kind, at)));
  if (found !== undefined)
    return { version: found.version, reason: `the newest version served by every release from ${span}` };
  const [first] = ordered;
  const name =
    first === undefined ? "the resource" : groupVersion({ group: first.group, version: first.kind });
  return { version: null, reason: `no version of ${name} is served by every release from ${span}` };
}

/** Served in a release by its lifecycle; a kind without one counts from the release that first registered it. */
export function isServedIn({ introduced, removed, registered }: ApiKind, at: Minor): boolean {
  const since = introduced ?? registered?.first;
  if (since !== undefined && compareMinors(since, at) > 0) return false;
  return removed === undefined || compareMinors(removed, at) > 0;
}

/** The pins of the newest snapshot that is not newer than the binary. */
function pinsAt(pins: StoragePins | undefined, binary: Minor): readonly Pin[] {
  const past = (pins?.snapshots ?? []).filter(({ at }) => compareMinors(at, binary) <= 0);
  return past.sort((a, b) => compareMinors(b.at, a.at))[0]?.pins ?? [];
}

/** A pin that names what does not exist never applies, unnoticed (docs/reference/compatibility-versions.md §7). */
function checkPins(pins: readonly Pin[], kinds: readonly ApiKind[], report: Report): void {
  for (const { group, resource, version, place } of pins) {
    const own = kinds.filter((kind) => kind.group === group && kind.resource === resource);
    const name = groupResource(group, resource);
    const more = { ...place, hint: "correct or remove the pin" };
    if (own.length === 0)
      problemList(report, name).warnings.report(
        "API021",
        "NotFound",
        `resource ${name} does not exist; the pin is ignored`,
        more,
      );
    else if (!own.some((kind) => kind.version === version))
      problemList(report, name).warnings.report(
        "API022",
        "NotFound",
        `this binary does not have version ${version} of ${name}`,
        more,
      );
  }
}
