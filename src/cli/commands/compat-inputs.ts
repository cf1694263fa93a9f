/** What compat commands read: flags to typed inputs. */
import { commandLineFlag, type FlagText } from "../../compatibility/flags.js";
import type { GateTable } from "../../compatibility/gate-table.js";
import {
  annotate,
  annotationsOf,
  type DependencyDeclaration,
  readDependencies,
} from "../../compatibility/read/dependencies.js";
import { readDocument } from "../../compatibility/read/document.js";
import { readGateTable } from "../../compatibility/read/gate-table.js";
import type { Report, Rules } from "../../compatibility/rules.js";
import { parseVersion, type Version } from "../../compatibility/version.js";
import { UsageError } from "../exit.js";
import type { Arguments } from "../flags.js";
import { readTextFile } from "../read-text.js";
import type { World } from "../world.js";
import {
  annotations,
  binaryVersion,
  dependencies,
  emulatedVersion,
  featureGates,
  minCompatibilityVersion,
  rules,
  stage,
  tables,
} from "./compat-flags.js";

export interface VersionInputs {
  readonly rules: Rules;
  readonly binary: Version | undefined;
  readonly emulated: readonly FlagText[];
  readonly minCompatibility: readonly FlagText[];
}

export function versionInputs(args: Arguments, report: Report): VersionInputs {
  const set = args.get(rules);
  if (set === "shipped" && args.given(stage))
    throw new UsageError("--stage belongs to the source design; use it with --rules kep");
  return {
    rules: { set, stage: args.get(stage) },
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
