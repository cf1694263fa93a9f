/** `compat gates --batch`: one question a line, one answer a line. */

import { createReporter, type Diagnostic, isError, type Problem, type Report } from "../core/diagnostics.js";
import type { Json } from "../core/json.js";
import { problemList, required } from "../core/problem.js";
import { closest } from "../text/closest.js";
import { child, type MappingNode, toJson, type YamlNode } from "../text/yaml-read.js";
import type { FlagText } from "./flags.js";
import { withApiWarnings } from "./gate-apis.js";
import { type GateTable, newestRelease } from "./gate-table.js";
import type { GateState } from "./gates.js";
import { askGates, binaryMeant } from "./gates-question.js";
import { completeList, namedGates, readCompleteTable } from "./kubernetes-gates.js";
import { isKubernetes, KUBERNETES } from "./kubernetes-name.js";
import { type DependencyDeclaration, dependenciesOf, readDependencies } from "./read/dependencies.js";
import { type Document, readDocument } from "./read/document.js";
import { placeIn, type Source, wrongType } from "./read/fields.js";
import { gateList, gateTableOf } from "./read/gate-table.js";
import type { Rules } from "./rules.js";
import { minorOf, parseStrictVersion, type Version } from "./version.js";

export interface BatchAnswer {
  readonly id: Json;
  readonly gates: readonly GateState[];
  readonly diagnostics: readonly Diagnostic[];
  /** False when the line could not be read at all. */
  readonly answered: boolean;
}

/** Reads a file that a question names; reports and answers undefined when it cannot be read. */
export type FileReader = (path: string, report: Report) => string | undefined;

/** Answers every line of a batch. Files that several lines name are read once. */
export function answerBatch(text: string, file: string, readFile: FileReader, rules: Rules): BatchAnswer[] {
  const files = new FileCache(readFile);
  return text.split("\n").flatMap((line, i): BatchAnswer[] => {
    if (line.trim() === "") return [];
    const reporter = createReporter();
    const document = readDocument(line, file, reporter.report, i);
    if (document === undefined || reporter.failed)
      return [{ id: null, gates: [], diagnostics: reporter.diagnostics, answered: false }];
    return [answerLine(document, files, rules)];
  });
}

function answerLine(document: Document, files: FileCache, rules: Rules): BatchAnswer {
  const { report, diagnostics } = createReporter();
  const source: Source = { ...document.source, report };
  const id = idOf(child(document.root, "id"));
  const wrapped = child(document.root, "question");
  const root = wrapped?.type === "mapping" ? wrapped : document.root;
  if (root.type !== "mapping") {
    wrongType(source, root, "", "a question {id, table, binaryVersion, …}");
    return { id, gates: [], diagnostics, answered: false };
  }
  warnOfUnknown(root, root === document.root ? ["id", ...MEMBERS] : MEMBERS, source);
  const table = tableOf(root, source, files);
  const dependencies = dependenciesFrom(root, source, files);
  const binary = versionOf(root, "binaryVersion", table, source);
  if (table === undefined) return { id, gates: [], diagnostics, answered: true };
  const asked = askGates(
    {
      tables: [table],
      dependencies,
      binary,
      emulated: flagOf(root, "emulatedVersion", "--emulated-version", source),
      minCompatibility: flagOf(root, "minCompatibilityVersion", "--min-compatibility-version", source),
      featureGates: flagOf(root, "featureGates", "--feature-gates", source),
      rules,
    },
    diagnostics,
  );
  const answer = withApiWarnings(asked, [table], rules, undefined);
  const gates = answer.diagnostics.some(isError) ? [] : answer.components.flatMap((each) => each.gates);
  return { id, gates, diagnostics: answer.diagnostics, answered: true };
}

const MEMBERS = [
  "table",
  "dependencies",
  "binaryVersion",
  "emulatedVersion",
  "minCompatibilityVersion",
  "featureGates",
];

/** The id comes back as it was written, also where a number is beyond what a JSON reader keeps exact. */
function idOf(node: YamlNode | undefined): Json {
  if (node === undefined) return null;
  return node.type === "scalar" && typeof node.value === "bigint" ? node.text : toJson(node);
}

/** A warning, since an answer is an error exactly where the rules refuse the question. */
function warnOfUnknown(root: MappingNode, known: readonly string[], source: Source): void {
  for (const { key, name } of root.entries) {
    if (known.includes(name)) continue;
    const near = closest(name, known);
    problemList(source.report, name, placeIn(source, key)).warnings.report(
      "TAB002",
      "NotSupported",
      `unknown field ${JSON.stringify(name)} is ignored`,
      near === undefined ? `use one of ${known.join(", ")}` : `did you mean ${near}?`,
    );
  }
}

function missing(key: string, hint: string, root: MappingNode, source: Source): undefined {
  return void source.report(required("TAB003", key, "", { ...placeIn(source, root), hint }));
}

function tableOf(root: MappingNode, source: Source, files: FileCache): GateTable | undefined {
  const node = child(root, "table");
  if (node === undefined || isNull(node))
    return missing(
      "table",
      `set table to ${KUBERNETES}, a file, or a list of {name, versionedSpecs}`,
      root,
      source,
    );
  if (node.type === "scalar")
    return isKubernetes(node.text)
      ? kubernetesTable(node.text, root, { ...placeIn(source, node), field: "table" }, source.report)
      : files.table(node.text, source.report);
  if (node.type === "sequence") return gateList(node.items, "own", source);
  const table = gateTableOf({ root: node, source });
  return table && completeList(table);
}

/** Kubernetes' own table; without a release in its name that of the binary, which is judged where it stands. */
function kubernetesTable(
  name: string,
  root: MappingNode,
  place: Partial<Problem>,
  report: Report,
): GateTable | undefined {
  const binary = child(root, "binaryVersion");
  const parsed = binary?.type === "scalar" ? parseStrictVersion(binary.text) : undefined;
  const wanted = parsed !== undefined && "version" in parsed ? minorOf(parsed.version) : "newest";
  return namedGates(name, wanted, place, report)[0];
}

function dependenciesFrom(
  root: MappingNode,
  source: Source,
  files: FileCache,
): readonly DependencyDeclaration[] {
  const node = child(root, "dependencies");
  if (node === undefined || isNull(node)) return [];
  return node.type === "scalar"
    ? files.dependencies(node.text, source.report)
    : dependenciesOf(node, { source });
}

const isNull = (node: YamlNode): boolean => node.type === "scalar" && node.value === null;

function versionOf(
  root: MappingNode,
  key: string,
  table: GateTable | undefined,
  source: Source,
): Version | undefined {
  const node = child(root, key);
  if (node === undefined || isNull(node))
    return missing(key, `set ${key} to a version such as 1.35 or v1.35.2`, root, source);
  const parsed = node.type === "scalar" ? parseStrictVersion(node.text) : { fault: "must be a string" };
  if ("version" in parsed)
    return binaryMeant(
      parsed.version,
      table && newestRelease(table),
      { ...placeIn(source, node), field: key },
      source.report,
    );
  problemList(source.report, key, placeIn(source, node)).report(
    "VER001",
    "Invalid",
    `invalid version ${JSON.stringify(toJson(node))}: ${parsed.fault}`,
    "use a version such as 1.35 or v1.35.2",
  );
  return undefined;
}

function flagOf(root: MappingNode, key: string, flag: string, source: Source): FlagText[] {
  const node = child(root, key);
  if (node === undefined || isNull(node)) return [];
  if (node.type === "scalar") return [{ flag, text: node.text, place: placeIn(source, node), exact: false }];
  wrongType(source, node, key, "a string");
  return [];
}

interface Cached<T> {
  readonly value: T;
  readonly diagnostics: readonly Diagnostic[];
}

/** Tables and dependency maps by path, with the diagnostics of reading them, which every asking line repeats. */
class FileCache {
  private readonly tables = new Map<string, Cached<GateTable | undefined>>();
  private readonly declarations = new Map<string, Cached<readonly DependencyDeclaration[]>>();

  constructor(private readonly readFile: FileReader) {}

  table(path: string, report: Report): GateTable | undefined {
    return this.cached(
      this.tables,
      path,
      report,
      (text, inner) => readCompleteTable(text, path, inner),
      undefined,
    );
  }

  dependencies(path: string, report: Report): readonly DependencyDeclaration[] {
    return this.cached(
      this.declarations,
      path,
      report,
      (text, inner) => readDependencies(text, path, inner),
      [],
    );
  }

  private cached<T>(
    cache: Map<string, Cached<T>>,
    path: string,
    report: Report,
    read: (text: string, report: Report) => T,
    absent: T,
  ): T {
    let entry = cache.get(path);
    if (entry === undefined) {
      const reporter = createReporter();
      const text = this.readFile(path, reporter.report);
      const value = text === undefined ? absent : read(text, reporter.report);
      entry = { value, diagnostics: reporter.diagnostics };
      cache.set(path, entry);
    }
    for (const each of entry.diagnostics) report(each);
    return entry.value;
  }
}
