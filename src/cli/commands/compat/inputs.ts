/** What compat commands read: flags to typed inputs. */
import type { ApiTable } from "../../../compatibility/api-table.js";
import { type EffectiveVersion, KUBE, resolveVersions } from "../../../compatibility/effective.js";
import { commandLineFlag, type FlagText } from "../../../compatibility/flags.js";
import type { GateTable } from "../../../compatibility/gate-table.js";
import { checkDesignFlags, noteBeyond } from "../../../compatibility/gates-question.js";
import { readApiTable } from "../../../compatibility/read/api-table.js";
import {
  annotate,
  annotationsOf,
  type DependencyDeclaration,
  readDependencies,
} from "../../../compatibility/read/dependencies.js";
import { readDocument } from "../../../compatibility/read/document.js";
import { readGateTable } from "../../../compatibility/read/gate-table.js";
import { readRemovalPolicy } from "../../../compatibility/read/removal-policy.js";
import { defaultPolicy, type RemovalPolicy } from "../../../compatibility/removal-policy.js";
import type { Report, RuleSet, Rules } from "../../../compatibility/rules.js";
import {
  formatMinor,
  formatVersion,
  type Minor,
  minorOf,
  ofMinor,
  parseVersion,
  release,
  type Version,
} from "../../../compatibility/version.js";
import { UsageError } from "../../exit.js";
import type { Arguments, Flag } from "../../flags.js";
import { readTextFile } from "../../read-text.js";
import type { World } from "../../world.js";
import {
  annotations,
  binaryVersion,
  dependencies,
  emulatedVersion,
  featureGates,
  lifecycle,
  minCompatibilityVersion,
  policy,
  rules,
  stage,
  tables,
} from "./flags.js";

export interface VersionInputs {
  readonly rules: Rules;
  readonly binary: Version | undefined;
  readonly emulated: readonly FlagText[];
  readonly minCompatibility: readonly FlagText[];
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
  const parsed = parseVersion(text);
  if ("version" in parsed) return parsed.version;
  report({
    code: "VER001",
    kind: "Invalid",
    file: flag,
    line: 1,
    column: 1,
    field: flag,
    message: `${JSON.stringify(text)} is not a version: ${parsed.fault}`,
    hint: "write a version such as 1.35 or v1.35.2",
  });
  return undefined;
}

/** The tables of `--table`, with the minimum versions of `--annotations` put into those of a foreign form. */
export function readTables(args: Arguments, world: World, report: Report): GateTable[] {
  const paths = args.get(tables);
  if (paths.length === 0) throw new UsageError("--table FILE is missing");
  const extra = readAnnotations(args, world, report);
  return paths.flatMap((path) => {
    const text = readTextFile(world, path, report);
    const table = text === undefined ? undefined : readGateTable(text, path, report);
    if (table === undefined) return [];
    return [table.form === "versioned-feature-list" ? annotate(table, extra, report) : table];
  });
}

function readAnnotations(args: Arguments, world: World, report: Report) {
  const path = args.get(annotations);
  const text = path === undefined ? undefined : readTextFile(world, path, report);
  const document = path === undefined || text === undefined ? undefined : readDocument(text, path, report);
  return document === undefined ? [] : annotationsOf(document);
}

export function readDependencyFile(args: Arguments, world: World, report: Report): DependencyDeclaration[] {
  const path = args.get(dependencies);
  const text = path === undefined ? undefined : readTextFile(world, path, report);
  return path === undefined || text === undefined ? [] : readDependencies(text, path, report);
}

export function readLifecycle(args: Arguments, world: World, report: Report): ApiTable | undefined {
  const path = args.get(lifecycle);
  if (path === undefined) throw new UsageError("--lifecycle FILE is missing");
  const text = readTextFile(world, path, report);
  return text === undefined ? undefined : readApiTable(text, path, report);
}

/** The effective version of kube; without `--binary-version` the binary is the newest release of the data. */
export function kubeVersions(
  args: Arguments,
  newest: Minor | undefined,
  report: Report,
): { versions: EffectiveVersion; rules: Rules } {
  const { rules: ruleSet, binary, emulated, minCompatibility } = versionInputs(args, report);
  if (binary === undefined && newest === undefined && !args.given(binaryVersion))
    throw new UsageError("--binary-version VERSION is missing");
  if (binary !== undefined && newest !== undefined) noteBeyond(minorOf(binary), newest, report);
  const kube = { name: KUBE, binary: binary ?? ofMinor(newest ?? release("0.0")) };
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
  if (set === "shipped" && args.given(stage))
    throw new UsageError("--stage belongs to the source design; use it with --rules kep");
  return { set, stage: args.get(stage) };
};

/** A release given as a flag; a full version counts by its first two numbers. */
export function releaseFlag(
  args: Arguments,
  flag: Flag<string | undefined>,
  report: Report,
): Minor | undefined {
  const version = versionOf(`--${flag.name}`, args.get(flag), report);
  return version && minorOf(version);
}

export function readPolicy(args: Arguments, world: World, set: RuleSet, report: Report): RemovalPolicy {
  const path = args.get(policy);
  const text = path === undefined ? undefined : readTextFile(world, path, report);
  const own =
    path === undefined || text === undefined ? undefined : readRemovalPolicy(text, path, set, report);
  return own ?? defaultPolicy(set);
}
