/** The entries of a gate table as code, for a module of its own and for declarations in hand-written files. */
import { lineOf } from "../compatibility/gate-diff.js";
import {
  type Capability,
  type CompleteSpec,
  completeSpecs,
  type Gate,
  type GateTable,
} from "../compatibility/gate-table.js";
import type { RuleSet } from "../compatibility/rules.js";
import { formatMinor, formatVersion } from "../compatibility/version.js";
import { byCodeUnit } from "../core/files.js";
import { type CodeLine, docComment, indented, line, propertyName, quoted } from "./code-lines.js";
import type { Declarations } from "./declarations.js";

/** Gates of a table in the order in which they are generated. */
export const orderedGates = (table: GateTable): Gate[] =>
  [...table.gates].sort(
    (a, b) => byCodeUnit(a.name.toLowerCase(), b.name.toLowerCase()) || byCodeUnit(a.name, b.name),
  );

/** What a declaration in a hand-written file is given, by its kind. */
export const featureGateDeclarations = (table: GateTable, rules: RuleSet): Declarations => ({
  object: closed(gateTableLiteral(table, rules)),
  union: orderedGates(table).map(({ name }) => quoted(name)),
});

const closed = (lines: readonly CodeLine[]): CodeLine[] => [...lines, line(0, "}")];

/** The object literal without its closing brace. */
function gateTableLiteral(table: GateTable, rules: RuleSet): CodeLine[] {
  return [line(0, "{"), ...orderedGates(table).flatMap((gate) => indented(gateEntry(gate, rules), 1))];
}

/** Specs carry the minimum compatibility version that holds for them, inherited ones too. */
function gateEntry(gate: Gate, rules: RuleSet): CodeLine[] {
  const { name, dependencies, capabilities } = gate;
  const specs = completeSpecs(gate.specs, rules === "shipped");
  return [
    ...docComment(describe(gate), 0),
    line(0, `${propertyName(name)}: {`),
    line(1, "specs: ["),
    ...specs.map((spec) => line(2, `${specLiteral(spec)},`)),
    line(1, "],"),
    ...(dependencies === undefined || dependencies.length === 0
      ? []
      : [line(1, `dependencies: [${dependencies.map((each) => quoted(each.name)).join(", ")}],`)]),
    ...(capabilities.length === 0
      ? []
      : [
          line(1, "capabilities: {"),
          ...capabilities.flatMap((capability) => [
            ...docComment([`Change: ${capability.change}.`], 2),
            line(2, `${propertyName(capability.name)}: ${capabilityLiteral(capability)},`),
          ]),
          line(1, "},"),
        ]),
    line(0, "},"),
  ];
}

const specLiteral = ({ version, stage, default: initial, locked, minCompatibility }: CompleteSpec): string =>
  `{ version: ${quoted(formatVersion(version))}, stage: ${quoted(stage)}, default: ${initial}, locked: ${locked}${
    minCompatibility === undefined ? "" : `, minCompatibility: ${quoted(formatVersion(minCompatibility))}`
  } }`;

function capabilityLiteral({ since, until }: Capability): string {
  const members = [
    ...(since === undefined ? [] : [`since: ${quoted(formatMinor(since))}`]),
    ...(until === undefined ? [] : [`until: ${quoted(formatMinor(until))}`]),
  ];
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
}

/** What a gate is, whose it is, and how it lived. */
export function describe({ description, owners, components, dependencies, specs }: Gate): string[] {
  const needs = (dependencies ?? []).map(({ name }) => name);
  return [
    ...(description === undefined ? [] : description.split("\n").map((text) => text.trim())),
    ...(owners.length === 0 ? [] : [`Owned by ${owners.join(", ")}.`]),
    ...(components.length === 0 ? [] : [`Used by ${components.join(", ")}.`]),
    `${lineOf(completeSpecs(specs, false))}.`,
    ...(needs.length === 0 ? [] : [`Requires ${needs.join(", ")}.`]),
  ].filter((text) => text !== "");
}
