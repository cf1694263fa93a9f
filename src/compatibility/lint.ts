/**
 * The linter of gate tables: registration rules and the project rules L1 to L13, against a base list
 * (docs/reference/compatibility-versions.md §4.2, §9). The policy is data.
 */
import {
  createReporter,
  type Diagnostic,
  diagnostic,
  type Position,
  type Problem,
} from "../core/diagnostics.js";
import { byCodeUnit } from "../core/files.js";
import { checkDeclarations, namesIn } from "./gate-dependencies.js";
import { sameSpecs } from "./gate-rules.js";
import { knownGates } from "./gate-state.js";
import { type CompleteSpec, completeSpecs, type Gate, type GateTable } from "./gate-table.js";
import { checkTable, registrationViolations } from "./gate-table-check.js";
import { allDependencies, type DependencyDeclaration } from "./read/dependencies.js";
import { isExempt, type LintRule, levelOf, type RemovalPolicy, removalOf } from "./removal-policy.js";
import type { Rules } from "./rules.js";
import {
  addMinors,
  compareMinors,
  compareVersions,
  formatMinor,
  formatVersion,
  type Minor,
  minorOf,
} from "./version.js";

/** A problem of a gate, named by a rule instead of a code. */
export interface LintFinding extends Omit<Diagnostic, "code" | "kind" | "field"> {
  /** R1 to R16, L1 to L13; K1 to K3 are rules of the source design, D and C those of dependencies and capabilities. */
  readonly rule: string;
  readonly gate: string;
}

export interface LintQuestion {
  readonly table: GateTable;
  readonly dependencies: readonly DependencyDeclaration[];
  readonly base: GateTable | undefined;
  /** The checked-in list that must say the same as the table (L5), and what the table would write. */
  readonly list: CheckedInList | undefined;
  readonly current: Minor;
  readonly policy: RemovalPolicy;
  readonly rules: Rules;
}

export interface CheckedInList {
  readonly file: string;
  readonly text: string;
  readonly generated: string;
  /** What is compared: the text itself, or, for a release whose tool compared no bytes, its content in our layout. */
  readonly compared: string;
}

/** Rules that `update` may not break: what verify refuses is not written either (L12). */
export const BLOCKING: readonly string[] = ["L3", "L4", "L6", "L7", "L8", "L9", "L11"];

/** Every finding, in the order of file, line and rule. */
export function lint(question: LintQuestion): LintFinding[] {
  const { table, base, policy, rules } = question;
  const findings: LintFinding[] = [];
  const add = (rule: LintRule, gate: string, place: Position, message: string, hint: string): void => {
    const level = levelOf(policy, rule);
    if (level !== "off") findings.push({ rule, gate, severity: level, ...place, message, hint });
  };
  for (const { rule, ...broken } of registrationViolations(table, rules))
    findings.push(
      ofRule(rule, broken.field ?? "", { ...broken, severity: table.form === "own" ? "error" : "warning" }),
    );
  findings.push(...declared(question));
  checkOrder(table, add);
  for (const gate of table.gates) checkGate(gate, question, add);
  checkRepeated(table, add);
  if (base !== undefined) checkRemoved(base, question, add);
  if (question.list !== undefined) checkList(question.list, add);
  if (rules.set === "kep") findings.push(...checkDeprecation(question));
  return findings.sort(
    (a, b) =>
      byCodeUnit(a.file, b.file) || a.line - b.line || a.column - b.column || byCodeUnit(a.rule, b.rule),
  );
}

type Add = (rule: LintRule, gate: string, place: Position, message: string, hint: string) => void;

const RULE_OF_CODE: Readonly<Record<string, string>> = {
  GATE120: "D1",
  GATE121: "D2",
  GATE122: "D3",
  GATE123: "D4",
  GATE124: "D5",
  GATE141: "C1",
  GATE142: "C2",
};

/** Dependencies and capabilities as registration checks them. */
function declared({ table, dependencies, rules }: LintQuestion): LintFinding[] {
  const { report, diagnostics } = createReporter();
  const all = allDependencies(table, dependencies);
  // A gate may need one that the list leaves out, as those of client-go: the binaries have it.
  if (rules.set === "shipped")
    checkDeclarations(all, knownGates(table, rules, new Set(namesIn(all))), report);
  checkTable(table, rules, report);
  return diagnostics.flatMap((each) => {
    const rule = RULE_OF_CODE[each.code];
    return rule === undefined ? [] : [ofRule(rule, each.field.replace(/\..*/s, ""), each)];
  });
}

function ofRule(rule: string, gate: string, problem: Problem): LintFinding {
  const { severity, file, line, column, message, hint } = diagnostic(problem);
  return { rule, gate, severity, file, line, column, message, hint };
}

/** L1: gates in order of their lower-cased names. */
function checkOrder({ gates }: GateTable, add: Add): void {
  gates.forEach((gate, i) => {
    const before = gates[i - 1];
    if (before !== undefined && byCodeUnit(before.name.toLowerCase(), gate.name.toLowerCase()) > 0)
      add(
        "L1",
        gate.name,
        gate.place,
        `${gate.name} is listed after ${before.name}`,
        "sort the gates by their lower-case names",
      );
  });
}

function checkGate(gate: Gate, { table, current, policy, rules }: LintQuestion, add: Add): void {
  const { name } = gate;
  const specs = completeSpecs(gate.specs, rules.set === "shipped");
  specs.forEach((spec, i) => {
    const before = specs[i - 1];
    if (table.unruled !== true && spec.version.numbers.every((number) => number === 0))
      add(
        "L2",
        name,
        spec.place,
        `${name} has a spec without a version`,
        "set version to the release that introduced it",
      );
    if (before !== undefined && compareVersions(spec.version, before.version) < 0)
      add(
        "L3",
        name,
        spec.place,
        `the specs of ${name} are not sorted: ${formatVersion(spec.version)} follows ${formatVersion(before.version)}`,
        "sort them by version",
      );
    if (spec.stage === "Alpha" && spec.default && !policy.alphaOnByDefault.includes(name))
      add("L11", name, spec.place, `${name} is Alpha and on by default`, "set default to false");
  });
  checkOverdue(gate, specs, current, policy, add);
}

/** L13: present long after its removal was due. */
function checkOverdue(
  { name }: Gate,
  specs: readonly CompleteSpec[],
  current: Minor,
  policy: RemovalPolicy,
  add: Add,
): void {
  const last = specs.at(-1);
  const removal = removalOf(specs, policy);
  if (last === undefined || removal.allowed !== "from") return;
  const due = addMinors(minorOf(last.version), policy.overdueAfterReleases);
  if (compareMinors(current, due) < 0 || compareMinors(current, removal.from) < 0) return;
  add(
    "L13",
    name,
    last.place,
    `${name} has been removable since ${formatMinor(removal.from)} and overdue since ${formatMinor(due)}`,
    "remove the gate and the code that it guards",
  );
}

/** L4: a gate in two places has the same specs in both. */
function checkRepeated({ gates }: GateTable, add: Add): void {
  const first = new Map<string, Gate>();
  for (const gate of gates) {
    const before = first.get(gate.name);
    if (before === undefined) first.set(gate.name, gate);
    else if (!sameSpecs(completeSpecs(before.specs, false), completeSpecs(gate.specs, false)))
      add(
        "L4",
        gate.name,
        gate.place,
        `${gate.name} is declared with different specs on line ${before.place.line}`,
        "declare it once",
      );
  }
}

/**
 * L5: the checked-in list is what the table would write, from 1.33 on byte for byte
 * (kubernetes/kubernetes test/compatibility_lifecycle; before, test/featuregates_linter).
 */
function checkList({ file, text, generated, compared }: CheckedInList, add: Add): void {
  if (compared === generated) return;
  const [is, would] = [text.split("\n"), generated.split("\n")];
  const at = is.findIndex((line, i) => line !== would[i]);
  const line = (at < 0 ? Math.min(is.length, would.length) : at) + 1;
  add(
    "L5",
    "",
    { file, line, column: 1 },
    `the list differs from the table, first on line ${line}`,
    "run slipway compat lint --update",
  );
}

/** How a gate that must not be removed yet becomes removable. */
function removalHint({ removal }: RemovalPolicy, rules: Rules): string {
  const { Deprecated, Removed } = removal;
  if (rules.set === "kep" && Removed.when === "listed")
    return `restore it, deprecate it, list it as Removed, and delete it ${Removed.afterReleases} releases later`;
  if (Deprecated.when === "locked")
    return `restore it, deprecate and lock it, and delete it ${Deprecated.afterReleases} releases later`;
  return "restore it until the removal policy allows its removal";
}

/** L6 to L10: which gates of the base may be missing. */
function checkRemoved(base: GateTable, { table, current, policy, rules }: LintQuestion, add: Add): void {
  const present = new Set(table.gates.map(({ name }) => name));
  for (const gate of base.gates) {
    if (present.has(gate.name)) continue;
    const specs = completeSpecs(gate.specs, rules.set === "shipped");
    const removal = removalOf(specs, policy);
    if (removal.allowed === "always") continue;
    if (removal.allowed === "never") {
      add(
        removal.rule,
        gate.name,
        gate.place,
        `${gate.name} is missing from ${table.file}: ${removal.why}`,
        removalHint(policy, rules),
      );
      continue;
    }
    if (compareMinors(current, removal.from) >= 0 || isExempt(specs, policy, current)) continue;
    add(
      "L9",
      gate.name,
      gate.place,
      `${gate.name} is missing from ${table.file} in ${formatMinor(current)}, but can only be removed from ${formatMinor(removal.from)}: ${removal.why}`,
      `restore it, and remove it in ${formatMinor(removal.from)}`,
    );
  }
}

/** K3, the source design: a gate is Deprecated for a year before it is Removed. */
function checkDeprecation({ table, policy }: LintQuestion): LintFinding[] {
  const releases = policy.deprecatedReleasesBeforeRemoved;
  return table.gates.flatMap((gate) => {
    const specs = completeSpecs(gate.specs, false);
    const removed = specs.find(({ stage }) => stage === "Removed");
    if (removed === undefined || releases === 0) return [];
    const deprecated = specs.find(({ stage }) => stage === "Deprecated");
    const at = (message: string): LintFinding[] => [
      {
        rule: "K3",
        gate: gate.name,
        severity: "error",
        ...removed.place,
        message,
        hint: `keep it Deprecated for ${releases} releases (a year) before it is Removed`,
      },
    ];
    if (deprecated === undefined) return at(`${gate.name} is Removed but was never Deprecated`);
    const earliest = addMinors(minorOf(deprecated.version), releases);
    if (compareMinors(minorOf(removed.version), earliest) >= 0) return [];
    return at(
      `${gate.name} is Removed in ${formatVersion(removed.version)}, less than a year after its deprecation in ${formatVersion(deprecated.version)}; the earliest release is ${formatMinor(earliest)}`,
    );
  });
}
