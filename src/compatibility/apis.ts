/**
 * Which group-versions and resources are served at an emulated version (docs/reference/compatibility-versions.md §6;
 * docs/reference/source-designs.md §2.5).
 */

import type { Position, Report } from "../core/diagnostics.js";
import { byCodeUnit } from "../core/files.js";
import { problem, problemList } from "../core/problem.js";
import { compareKubeVersions } from "../kubernetes/versions.js";
import { Enablement } from "./api-enablement.js";
import {
  type ApiKind,
  type ApiTable,
  byPreference,
  groupVersion,
  hasEndpoint,
  kindsInBinary,
} from "./api-table.js";
import { type EffectiveVersion, isEmulating } from "./effective.js";
import type { FlagText } from "./flags.js";
import { NOWHERE, type Rules } from "./rules.js";
import { isAlphaVersion, type RuntimeConfig, readRuntimeConfig } from "./runtime-config.js";
import { addMinors, compareMinors, formatMinor, type Minor, maxMinor, minMinor, minorOf } from "./version.js";

export interface ApiQuestion {
  readonly table: ApiTable;
  readonly versions: EffectiveVersion;
  readonly runtimeConfig: readonly FlagText[];
  readonly rules: Rules;
  /** Whether a feature gate is on, for APIs that need one; left out where no gates are known. */
  readonly gateOn?: ((name: string) => boolean) | undefined;
  /** `--emulation-forward-compatible` */
  readonly forwardCompatible: boolean;
  /** `--runtime-config-emulation-forward-compatible` */
  readonly runtimeConfigForwardCompatible: boolean;
  /** KUBE_APISERVER_STRICT_REMOVED_API_HANDLING_IN_ALPHA */
  readonly strictRemovedInAlpha: boolean;
  /** KUBE_APISERVER_SERVE_REMOVED_APIS_FOR_ONE_RELEASE */
  readonly serveRemovedOneMore: boolean;
}

export interface ServedResource {
  readonly resource: string;
  readonly kind: string;
  readonly subresources: readonly string[];
  readonly namespaced: boolean | undefined;
  readonly verbs: readonly string[] | undefined;
  readonly reason: string;
}

export interface ServedVersion {
  readonly group: string;
  readonly version: string;
  readonly resources: readonly ServedResource[];
}

/** The served versions: groups in order, versions of a group from the most preferred one on. */
export function servedApis(question: ApiQuestion, report: Report): ServedVersion[] {
  const { table, versions, rules } = question;
  const binary = minorOf(versions.binary);
  const kinds = kindsInBinary(table, binary);
  const config = readRuntimeConfig(question.runtimeConfig, registeredIn(kinds), report);
  checkForwardFlags(question, report);
  const enablement = enablementOf(question, kinds, config, binary);
  const served: ServedVersion[] = [];
  for (const [group, members] of groupedBy(
    kinds.filter((kind) => isEndpoint(kind, binary)),
    ({ group }) => group,
  ))
    served.push(...servedInGroup(group, members, enablement, question, config, report));
  if (rules.set === "shipped") warnOfAlpha(question, config, report);
  const preference = byPreference(table, binary);
  return served.sort((a, b) => byCodeUnit(a.group, b.group) || preference(a, b));
}

const isEndpoint = (kind: ApiKind, binary: Minor): kind is ApiKind & { resource: string } =>
  hasEndpoint(kind, binary);

/** Groups and versions that the binary's scheme knows, served or not. */
export const registeredIn = (kinds: readonly ApiKind[]) => ({
  groups: new Set(kinds.map(({ group }) => group)),
  versions: new Set(kinds.map(({ group, version }) => `${group}/${version}`)),
});

export function groupedBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}

function enablementOf(
  question: ApiQuestion,
  kinds: readonly ApiKind[],
  config: RuntimeConfig,
  binary: Minor,
): Enablement {
  const enablement = Enablement.defaults(kinds, binary);
  enablement.apply(config);
  const forward = question.rules.set === "shipped" && question.forwardCompatible;
  return forward ? enablement.forwardCompatible(config, kinds) : enablement;
}

/** Removal by lifecycle (docs/reference/compatibility-versions.md §6.1). */
export function isRemoved(
  removed: Minor | undefined,
  {
    versions,
    rules,
    strictRemovedInAlpha,
    serveRemovedOneMore,
  }: Pick<ApiQuestion, "versions" | "rules" | "strictRemovedInAlpha" | "serveRemovedOneMore">,
): boolean {
  if (removed === undefined) return false;
  const order = compareMinors(removed, versions.emulation);
  if (order !== 0) return order < 0;
  if (rules.set === "kep") return true;
  const { preRelease } = versions.binary;
  const alpha = preRelease.includes("alpha");
  if (alpha) return strictRemovedInAlpha && !preRelease.includes("alpha.0");
  return !serveRemovedOneMore;
}

/** From the least preferred version on, since a served version can pull in those above it. */
function servedInGroup(
  group: string,
  members: readonly (ApiKind & { resource: string })[],
  enablement: Enablement,
  question: ApiQuestion,
  config: RuntimeConfig,
  report: Report,
): ServedVersion[] {
  const { versions } = question;
  const byVersion = [...groupedBy(members, ({ version }) => version)].sort(([a], [b]) =>
    compareKubeVersions(a, b),
  );
  const servedBelow = new Set<string>();
  const result: ServedVersion[] = [];
  for (const [version, all] of byVersion) {
    const enabled = all.filter(({ resource }) => enablement.resourceEnabled(group, version, resource));
    const wanted = enabled.filter(
      (kind) => kind.gate === undefined || question.gateOn?.(kind.gate) !== false,
    );
    noteGates(
      enabled.filter((kind) => !wanted.includes(kind)),
      question,
      config,
      report,
    );
    const lasting = withoutOrphans(
      wanted.filter(({ removed }) => !isRemoved(removed, question)),
      wanted,
    );
    if (lasting.length === 0) {
      if (wanted.length > 0) noteRemoved(group, version, config, question, report);
      continue;
    }
    const resources: ServedResource[] = [];
    for (const kind of lasting) {
      const reason = whyServed(kind, servedBelow.has(kind.resource), enablement, question, config, report);
      if (reason === undefined) continue;
      if (!isAlphaVersion(version)) servedBelow.add(kind.resource);
      resources.push(resourceOf(kind, reason, group, version, enablement));
    }
    const kept = withoutOrphans(resources, lasting);
    if (kept.length > 0) {
      kept.sort((a, b) => byCodeUnit(a.resource, b.resource));
      result.push({ group, version, resources: kept });
      if (question.rules.set === "kep") refuseAlpha(group, version, config, versions, report);
    } else if (enablement.versionExplicitlyOn(group, version))
      problemList(report, "--runtime-config", settingPlace(config, group, version)).forbidden(
        "API015",
        `${groupVersion({ group, version })} cannot be enabled: all its resources were introduced after ${formatMinor(versions.emulation)}`,
        raiseHint(question.rules),
      );
  }
  return result;
}

/** Reports what is switched on, would be served at the emulated version, and has a gate in its way. */
function noteGates(
  kinds: readonly ApiKind[],
  question: ApiQuestion,
  config: RuntimeConfig,
  report: Report,
): void {
  const { emulation } = question.versions;
  for (const kind of kinds) {
    const { group, version, resource, gate, introduced, removed } = kind;
    if (gate === undefined || isRemoved(removed, question)) continue;
    if (introduced !== undefined && compareMinors(introduced, emulation) > 0) continue;
    const place = settingPlace(config, group, version);
    report(
      problem(
        "API019",
        "Required",
        `${groupVersion(kind)} ${resource}`,
        `enabled but not served: feature gate ${gate} is off`,
        {
          severity: place === NOWHERE ? "info" : "warning",
          ...place,
          hint: `set --feature-gates=${gate}=true`,
        },
      ),
    );
  }
}

/**
 * A resource that goes takes its subresources along: `deployments` takes `deployments/scale`
 * (docs/reference/compatibility-versions.md §6.1).
 */
function withoutOrphans<T extends { readonly resource: string }>(
  left: readonly T[],
  before: readonly { readonly resource: string }[],
): T[] {
  const names = new Set(left.map(({ resource }) => resource));
  const gone = before.map(({ resource }) => resource).filter((resource) => !names.has(resource));
  return left.filter(({ resource }) => !gone.some((parent) => resource.startsWith(`${parent}/`)));
}

function resourceOf(
  { resource, kind, subresources, namespaced, verbs }: ApiKind & { resource: string },
  reason: string,
  group: string,
  version: string,
  enablement: Enablement,
): ServedResource {
  const on = subresources.filter((each) => enablement.resourceEnabled(group, version, `${resource}/${each}`));
  return { resource, kind, subresources: on, namespaced, verbs, reason };
}

/**
 * Why a resource is served at the emulated version; undefined when it is not (docs/reference/compatibility-versions.md
 * §6.1, §6.3).
 */
function whyServed(
  { group, version, resource, introduced, registered, gate }: ApiKind & { resource: string },
  lowerServed: boolean,
  enablement: Enablement,
  question: ApiQuestion,
  config: RuntimeConfig,
  report: Report,
): string | undefined {
  const { versions, rules } = question;
  const gated = gate === undefined ? "" : `, requires feature gate ${gate}`;
  if (introduced === undefined)
    return registered === undefined
      ? "no known lifecycle; served at every emulated version"
      : `no lifecycle; served by binaries from ${formatMinor(registered.first)} to ${formatMinor(registered.last)}, at every emulated version${gated}`;
  if (compareMinors(introduced, versions.emulation) <= 0)
    return `introduced in ${formatMinor(introduced)}${gated}`;
  const explicitResource = enablement.resourceExplicitlyOn(group, version, resource);
  if (rules.set === "shipped") {
    if (question.forwardCompatible && lowerServed)
      return `introduced in ${formatMinor(introduced)}; served because a lower version is served and --emulation-forward-compatible is set`;
    const named = explicitResource || enablement.versionExplicitlyOn(group, version);
    if (question.runtimeConfigForwardCompatible && named)
      return `introduced in ${formatMinor(introduced)}; served because --runtime-config enables it and --runtime-config-emulation-forward-compatible is set`;
  }
  if (explicitResource)
    problemList(report, "--runtime-config", settingPlace(config, group, version, resource)).forbidden(
      "API015",
      `${groupVersion({ group, version })}/${resource} cannot be enabled: introduced in ${formatMinor(introduced)}, after ${formatMinor(versions.emulation)}`,
      raiseHint(rules),
    );
  return undefined;
}

function settingPlace(config: RuntimeConfig, group: string, version: string, resource?: string): Position {
  const settings = resource === undefined ? config.versions : config.resources;
  const found = settings.find(
    (each) =>
      each.group === group &&
      each.version === version &&
      (resource === undefined || ("resource" in each && each.resource === resource)),
  );
  return found?.place ?? NOWHERE;
}

function noteRemoved(
  group: string,
  version: string,
  config: RuntimeConfig,
  question: ApiQuestion,
  report: Report,
): void {
  const { emulation } = question.versions;
  const setting = config.versions.find((each) => each.group === group && each.version === version);
  if (setting === undefined || !setting.enabled) return;
  const last = endOf(question.table, group, version, emulation);
  problemList(report, "--runtime-config", setting.place).warnings.report(
    "API016",
    "NotFound",
    `${groupVersion({ group, version })} is enabled but not available at version ${formatMinor(emulation)}${last === undefined ? "" : `: removed in ${formatMinor(last)}`}`,
    "use another version and remove this setting",
  );
}

/** The release in which the last kind of a version went, as far as it is not later than the one asked for. */
function endOf(
  { kinds, newest }: ApiTable,
  group: string,
  version: string,
  emulation: Minor,
): Minor | undefined {
  return kinds
    .filter((kind) => kind.group === group && kind.version === version && kind.resource !== undefined)
    .flatMap(({ removed, registered }) => {
      const gone =
        registered !== undefined && newest !== undefined && compareMinors(registered.last, newest) < 0
          ? addMinors(registered.last, 1)
          : undefined;
      return removed !== undefined && gone !== undefined ? minMinor(removed, gone) : (removed ?? gone ?? []);
    })
    .filter((end) => compareMinors(end, emulation) <= 0)
    .reduce<Minor | undefined>((a, b) => (a === undefined ? b : maxMinor(a, b)), undefined);
}

/** Both forward-compatibility flags need an emulation below the binary, and neither exists in the design. */
function checkForwardFlags(question: ApiQuestion, report: Report): void {
  const flags = [
    ["--emulation-forward-compatible", question.forwardCompatible],
    ["--runtime-config-emulation-forward-compatible", question.runtimeConfigForwardCompatible],
  ] as const;
  for (const [flag, given] of flags) {
    if (!given) continue;
    if (question.rules.set === "kep")
      problemList(report, flag, { file: flag, line: 1, column: 1 }).report(
        "VER009",
        "NotSupported",
        "not supported with --rules kep, which serves only APIs of the emulated version",
        "remove the flag or use --rules shipped",
      );
    else if (!isEmulating(question.versions))
      problemList(report, flag, { file: flag, line: 1, column: 1 }).report(
        "VER009",
        "Invalid",
        `requires an emulated version below the binary version ${formatMinor(minorOf(question.versions.binary))}`,
        "set --emulated-version or remove the flag",
      );
  }
}

const raiseHint = ({ set }: Rules): string =>
  set === "kep"
    ? "raise the emulated version"
    : "raise the emulated version or add --runtime-config-emulation-forward-compatible";

/** By the design alpha APIs may not be enabled together with an emulated version. */
function refuseAlpha(
  group: string,
  version: string,
  config: RuntimeConfig,
  { emulationGiven, emulation }: EffectiveVersion,
  report: Report,
): void {
  if (!emulationGiven || !isAlphaVersion(version)) return;
  problemList(report, "--runtime-config", settingPlace(config, group, version)).forbidden(
    "API017",
    `the alpha version ${groupVersion({ group, version })} cannot be combined with an emulated version (${formatMinor(emulation)})`,
    "remove --emulated-version or this setting",
  );
}

/** Shipped rules warn of alpha versions that are enabled by name under emulation. */
function warnOfAlpha({ versions }: ApiQuestion, config: RuntimeConfig, report: Report): void {
  if (!isEmulating(versions)) return;
  for (const { group, version, enabled, place } of [...config.versions, ...config.resources])
    if (enabled && isAlphaVersion(version))
      problemList(report, "--runtime-config", place).warnings.report(
        "API018",
        "Invalid",
        `enabling the alpha version ${groupVersion({ group, version })} at emulated version ${formatMinor(versions.emulation)} is not supported`,
        "disable it while an earlier version is emulated",
      );
}
