/** What compat commands read: flags to typed inputs. */
import type { ApiTable } from "../../../compatibility/api-table.js";
import { type EffectiveVersion, KUBE, resolveVersions } from "../../../compatibility/effective.js";
import { commandLineFlag, type FlagText } from "../../../compatibility/flags.js";
import { readGateSettings } from "../../../compatibility/gate-flags.js";
import { knownGates } from "../../../compatibility/gate-state.js";
import { type GateTable, isVersionedList } from "../../../compatibility/gate-table.js";
import { binaryMeant, checkDesignFlags, noteBeyond } from "../../../compatibility/gates-question.js";
import type { WantedGates } from "../../../compatibility/kubernetes-gates.js";
import { isKubernetes } from "../../../compatibility/kubernetes-name.js";
import { readApiTable } from "../../../compatibility/read/api-table.js";
import {
  type Annotation,
  allDependencies,
  annotate,
  annotationsOf,
  type DependencyDeclaration,
  hasSpec,
  readDependencies,
  reportNoSpec,
} from "../../../compatibility/read/dependencies.js";
import { readDocument } from "../../../compatibility/read/document.js";
import { readGateTable } from "../../../compatibility/read/gate-table.js";
import { type InEffect, readGatesInEffect } from "../../../compatibility/read/gates-in-effect.js";
import { readRemovalPolicy } from "../../../compatibility/read/removal-policy.js";
import { readStoragePins } from "../../../compatibility/read/storage-pins.js";
import { defaultPolicy, type RemovalPolicy } from "../../../compatibility/removal-policy.js";
import type { RuleSet, Rules } from "../../../compatibility/rules.js";
import type { StoragePins } from "../../../compatibility/storage-versions.js";
import {
  formatMinor,
  formatVersion,
  type Minor,
  minorOf,
  ofMinor,
  parseStrictVersion,
  release,
  type Version,
} from "../../../compatibility/version.js";
import type { Report } from "../../../core/diagnostics.js";
import { problem } from "../../../core/problem.js";
import { kubernetesMeant, meansNothing } from "../../../kubernetes/releases.js";
import type { CliContext } from "../../cli-context.js";
import { UsageError } from "../../exit.js";
import type { Arguments, Flag } from "../../flags.js";
import { refuseBeside } from "../../idle-flags.js";
import { readTextFile } from "../../read-text.js";
import { releaseIn } from "../../release-flag.js";
import {
  annotations,
  binaryVersion,
  dependencies,
  emulatedVersion,
  featureGates,
  gatesFrom,
  lifecycle,
  minCompatibilityVersion,
  policy,
  rules,
  stage,
  TABLE_REQUIRED,
  tables,
} from "./flags.js";

export interface VersionInputs {
  readonly rules: Rules;
  readonly binary: Version | undefined;
  readonly emulated: FlagText[];
  readonly minCompatibility: FlagText[];
}

export function versionInputs(args: Arguments, report: Report): VersionInputs {
  return {
    rules: versionRules(args),
    binary: versionOf("--binary-version", args.get(binaryVersion), report),
    emulated: flagTexts("--emulated-version", args.get(emulatedVersion)),
    minCompatibility: flagTexts("--min-compatibility-version", args.get(minCompatibilityVersion)),
  };
}

export const flagTexts = (flag: string, values: readonly string[]): FlagText[] =>
  values.map((value) => commandLineFlag(flag, value));

export const featureGateTexts = (args: Arguments): FlagText[] =>
  flagTexts("--feature-gates", args.get(featureGates));

/** A version given as a flag; what is none is reported with the flag as its file. */
export function versionOf(flag: string, text: string | undefined, report: Report): Version | undefined {
  if (text === undefined) return undefined;
  const parsed = parseStrictVersion(text);
  if ("version" in parsed) return parsed.version;
  report(
    problem("VER001", "Invalid", "", `invalid version ${JSON.stringify(text)}: ${parsed.fault}`, {
      ...flagPlace(flag),
      hint: "use a version such as 1.35 or v1.35.2",
    }),
  );
  return undefined;
}

/** Where a flag as a whole stands: it is its own file. */
const flagPlace = (flag: string) => ({ file: flag, line: 1, column: 1, field: flag });

/**
 * The tables that a `--table` names: those of a file, or Kubernetes' own (`kubernetes`, `kubernetes@1.35`); a binary
 * takes the table of its release, or of the newest before it.
 */
export async function gateTables(
  name: string,
  cli: CliContext,
  report: Report,
  wanted: WantedGates = "newest",
): Promise<GateTable[]> {
  if (isKubernetes(name)) {
    const { namedGates } = await import("../../../compatibility/kubernetes-gates.js");
    return namedGates(name, wanted, { field: "--table" }, report);
  }
  const text = readTextFile(cli, name, report);
  const table = text === undefined ? undefined : readGateTable(text, name, report);
  return table === undefined ? [] : [await completed(table)];
}

/** Kubernetes' own list with the names that its gates have; its table of gates is loaded for nothing else. */
export const completed = async (table: GateTable): Promise<GateTable> =>
  isVersionedList(table)
    ? (await import("../../../compatibility/kubernetes-gates.js")).completeList(table)
    : table;

/** The tables of `--table`, with the minimum versions of `--annotations` put into foreign ones. */
export async function readTables(
  args: Arguments,
  cli: CliContext,
  report: Report,
  wanted: WantedGates = "newest",
): Promise<GateTable[]> {
  const given = args.get(tables);
  if (given.length === 0) throw new UsageError(TABLE_REQUIRED);
  if (given.every(isKubernetes))
    refuseBeside(
      args,
      `--table ${given.join(" ")}`,
      "the built-in tables contain their minimum compatibility versions",
      [annotations],
    );
  const extra = readAnnotations(args, cli, report);
  const read = await Promise.all(given.map((name) => gateTables(name, cli, report, wanted)));
  return annotateAll(read.flat(), extra, report);
}

/** Several tables as `annotate` has each; an annotation is about those that have its spec. */
function annotateAll(
  all: readonly GateTable[],
  annotations: readonly Annotation[],
  report: Report,
): GateTable[] {
  const ofFiles = all.filter(({ file }) => !isKubernetes(file));
  if (ofFiles.length === 0) return [...all];
  for (const annotation of annotations)
    if (!ofFiles.some((table) => hasSpec(table, annotation))) reportNoSpec(annotation, report);
  return all.map((table) =>
    ofFiles.includes(table)
      ? annotate(
          table,
          annotations.filter((each) => hasSpec(table, each)),
          report,
        )
      : table,
  );
}

/** The minimum compatibility versions of `--annotations`; none without it. */
export function readAnnotations(args: Arguments, cli: CliContext, report: Report): Annotation[] {
  const path = args.get(annotations);
  const text = path === undefined ? undefined : readTextFile(cli, path, report);
  const document = path === undefined || text === undefined ? undefined : readDocument(text, path, report);
  return document === undefined ? [] : annotationsOf(document);
}

export function readDependencyFile(
  args: Arguments,
  cli: CliContext,
  report: Report,
): DependencyDeclaration[] {
  const path = args.get(dependencies);
  const text = path === undefined ? undefined : readTextFile(cli, path, report);
  return path === undefined || text === undefined ? [] : readDependencies(text, path, report);
}

/** What the files of `--gates-from` tell of components; of a dump of metrics the component is empty. */
export const readInEffectFiles = (args: Arguments, cli: CliContext, report: Report): InEffect[] =>
  args.get(gatesFrom).flatMap((path) => {
    const text = readTextFile(cli, path, report);
    return text === undefined ? [] : readGatesInEffect(text, path, report);
  });

/** The lifecycles that `--table`, formerly `--lifecycle`, names: a file, or Kubernetes' own. */
export async function readLifecycle(
  args: Arguments,
  cli: CliContext,
  report: Report,
): Promise<ApiTable | undefined> {
  const path = args.get(lifecycle);
  if (path === undefined) throw new UsageError(TABLE_REQUIRED);
  return apiTable(path, cli, report);
}

/** The lifecycles that a name means: those of a file, or Kubernetes' own (`kubernetes`, `kubernetes@1.36`). */
export async function apiTable(
  name: string,
  cli: CliContext,
  report: Report,
  field = "--table",
): Promise<ApiTable | undefined> {
  if (isKubernetes(name)) {
    const { namedApis } = await import("../../../compatibility/kubernetes.js");
    return namedApis(name, { field }, report);
  }
  const text = readTextFile(cli, name, report);
  return text === undefined ? undefined : readApiTable(text, name, report);
}

/** The pins that `--pins` names; Kubernetes' own go with its lifecycles. */
export async function readPins(
  args: Arguments,
  flag: Flag<string | undefined>,
  cli: CliContext,
  report: Report,
): Promise<StoragePins | undefined> {
  const table = args.get(lifecycle);
  const path = args.get(flag) ?? (table !== undefined && isKubernetes(table) ? table : undefined);
  if (path === undefined) return undefined;
  if (isKubernetes(path)) {
    const { namedPins } = await import("../../../compatibility/kubernetes.js");
    return namedPins(path, { field: `--${flag.name}` }, report);
  }
  const text = readTextFile(cli, path, report);
  return text === undefined ? undefined : readStoragePins(text, path, report);
}

/** Refuses gates where none decides: the source design alone has one that guards the version flags. */
export function refuseGates(args: Arguments, { set }: Rules): void {
  if (set === "shipped")
    refuseBeside(args, `--rules ${set}, the default`, "the answer does not depend on gates", [featureGates]);
}

/**
 * The effective version of kube; without `--binary-version` the binary is the newest release of the data. Of gates the
 * source design alone asks, unless the answer depends on them (`heedsGates`).
 */
export function kubeVersions(
  args: Arguments,
  newest: Minor | undefined,
  report: Report,
  heedsGates = false,
): { versions: EffectiveVersion; rules: Rules } {
  const { rules: ruleSet, binary, emulated, minCompatibility } = versionInputs(args, report);
  if (!heedsGates) refuseGates(args, ruleSet);
  if (binary === undefined && newest === undefined && !args.given(binaryVersion))
    throw new UsageError("--binary-version VERSION is required");
  const meant = binary && binaryMeant(binary, newest, flagPlace("--binary-version"), report);
  if (meant !== undefined && newest !== undefined) noteBeyond(minorOf(meant), newest, report);
  const kube = { name: KUBE, binary: meant ?? ofMinor(newest ?? release("0.0")) };
  const versions = resolveVersions([kube], { emulated, minCompatibility }, ruleSet, report).get(KUBE);
  if (versions === undefined) throw new Error("kube has no effective version");
  checkDesignFlags(featureGateTexts(args), versions, ruleSet, report);
  return { versions, rules: ruleSet };
}

export const versionJson = ({ binary, emulation, minCompatibility }: EffectiveVersion) => ({
  binaryVersion: formatVersion(binary),
  emulatedVersion: formatMinor(emulation),
  minCompatibilityVersion: formatMinor(minCompatibility),
});

export const versionRules = (args: Arguments): Rules => {
  const set = args.get(rules);
  if (set === "shipped" && args.given(stage)) throw new UsageError("--stage requires --rules kep");
  return { set, stage: args.get(stage) };
};

/**
 * A release given as a flag, as one of Kubernetes, asked of data with the releases `counted`; a full version counts by its
 * first two numbers.
 */
export function releaseFlag(
  args: Arguments,
  flag: Flag<string | undefined>,
  counted: readonly (Minor | undefined)[],
  report: Report,
): Minor | undefined {
  const name = `--${flag.name}`;
  const named = releaseIn(args, flag);
  return named && releaseMeant(named, counted, name, report);
}

/** The release of Kubernetes that is meant; what means none is reported at the flag or operand. */
export function releaseMeant(
  named: Minor,
  counted: readonly (Minor | undefined)[],
  flag: string,
  report: Report,
): Minor | undefined {
  const meant = kubernetesMeant(named, counted);
  if (meant === undefined) report(meansNothing(named, flagPlace(flag)));
  return meant;
}

export function readPolicy(args: Arguments, cli: CliContext, set: RuleSet, report: Report): RemovalPolicy {
  const path = args.get(policy);
  const text = path === undefined ? undefined : readTextFile(cli, path, report);
  const own =
    path === undefined || text === undefined ? undefined : readRemovalPolicy(text, path, set, report);
  return own ?? defaultPolicy(set);
}

/**
 * Answers whether the gate of a built-in API is on, by Kubernetes' own table and `--feature-gates`; undefined for
 * lifecycles of other origin, of which no gates are known.
 */
export async function gateOfApis(
  args: Arguments,
  { file }: ApiTable,
  versions: EffectiveVersion,
  rules: Rules,
  report: Report,
): Promise<((name: string) => boolean) | undefined> {
  if (!isKubernetes(file)) return undefined;
  const { gateReleaseFor, kubernetesGates } = await import("../../../compatibility/kubernetes-gates.js");
  const { answerGates } = await import("../../../compatibility/gates.js");
  const settings = readGateSettings(featureGateTexts(args), [KUBE], report).get(KUBE) ?? new Map();
  const at = gateReleaseFor(minorOf(versions.binary));
  if (at === undefined) return (name) => settings.get(name)?.value ?? false;
  const table = kubernetesGates(at);
  const question = {
    known: knownGates(table, rules),
    dependencies: allDependencies(table, []),
    versions,
    settings,
    rules,
    sound: true,
  };
  const on = new Set(answerGates(question, report).flatMap(({ name, enabled }) => (enabled ? [name] : [])));
  return (name) => on.has(name);
}
