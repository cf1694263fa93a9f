/**
 * Foreign gate tables as our own form, with what the source loses marked (docs/reference/compatibility-versions.md
 * §10).
 */

import type { Report } from "../core/diagnostics.js";
import { byCodeUnit } from "../core/files.js";
import type { JsonObject } from "../core/json.js";
import { problemList } from "../core/problem.js";
import { mergeDependencies } from "./gate-dependencies.js";
import { sameSpecs } from "./gate-rules.js";
import { completeSpecs, type Gate, type GateSpec, type GateTable } from "./gate-table.js";
import { type DependencyDeclaration, ownDependencies } from "./read/dependencies.js";
import { formatMinor, formatVersion } from "./version.js";

/** Several files of one form as one table; a gate that two of them tell differently is reported. */
export function mergeTables(tables: readonly GateTable[], report: Report): GateTable | undefined {
  const [first] = tables;
  if (first === undefined) return undefined;
  const gates = new Map<string, Gate>();
  for (const table of tables)
    for (const gate of table.gates) {
      const before = gates.get(gate.name);
      if (before === undefined) gates.set(gate.name, gate);
      else gates.set(gate.name, mergeGates(before, gate, report));
    }
  const loses = [...new Set(tables.flatMap((table) => table.loses))];
  const ordered = [...gates.values()].sort(
    (a, b) => byCodeUnit(a.name.toLowerCase(), b.name.toLowerCase()) || byCodeUnit(a.name, b.name),
  );
  return { ...first, gates: ordered, loses };
}

function mergeGates(a: Gate, b: Gate, report: Report): Gate {
  if (!sameSpecs(completeSpecs(a.specs, false), completeSpecs(b.specs, false)))
    problemList(report, b.name, b.place).report(
      "GATE116",
      "Invalid",
      `${b.name} has different specs in ${a.place.file}:${a.place.line}`,
      "import lists of one release only",
    );
  const featureSets = [...a.featureSets];
  for (const state of b.featureSets) {
    const same = featureSets.find(
      (each) =>
        each.featureSet === state.featureSet &&
        each.clusterProfile === state.clusterProfile &&
        each.versions.join() === state.versions.join(),
    );
    if (same === undefined) featureSets.push(state);
    else if (same.enabled !== state.enabled)
      problemList(report, b.name, b.place).report(
        "TAB006",
        "Duplicate",
        `${b.name} is both on and off in ${state.featureSet}${state.clusterProfile === "" ? "" : ` on ${state.clusterProfile}`}`,
        "import manifests of one release only",
      );
  }
  return { ...a, featureSets };
}

/** The table with dependencies from elsewhere; what is known then is no longer lost. */
export function withDependencies(
  table: GateTable,
  declarations: readonly DependencyDeclaration[],
  report: Report,
): GateTable {
  if (declarations.length === 0) return table;
  const merged = mergeDependencies([...ownDependencies(table), ...declarations]);
  const names = new Set(table.gates.map(({ name }) => name));
  for (const [gate, { place }] of merged)
    if (!names.has(gate))
      problemList(report, gate, place).warnings.report(
        "GATE120",
        "NotFound",
        `the dependencies of ${gate} are ignored because the list does not contain it`,
      );
  return {
    ...table,
    loses: table.loses.filter((each) => each !== "dependencies"),
    gates: table.gates.map((gate) => ({
      ...gate,
      dependencies: merged.get(gate.name)?.needs ?? gate.dependencies,
    })),
  };
}

/** The FeatureGateTable document of a table, without apiVersion and kind. */
export function tableDocument(table: GateTable, files: readonly string[]): JsonObject {
  const form =
    table.form === "own" ? {} : { source: { form: table.form, files: [...files].sort(byCodeUnit) } };
  return {
    component: table.component,
    ...form,
    loses: [...table.loses],
    gates: table.gates.map(gateDocument),
  };
}

function gateDocument(gate: Gate): JsonObject {
  const { name, specs, dependencies, featureSets, capabilities } = gate;
  const optional = (key: string, list: readonly string[]): JsonObject =>
    list.length === 0 ? {} : { [key]: [...list] };
  return {
    name,
    ...(gate.description === undefined ? {} : { description: gate.description }),
    ...(gate.constant === undefined ? {} : { constant: gate.constant }),
    ...optional("declaredIn", gate.declaredIn),
    ...optional("components", gate.components),
    ...optional("owners", gate.owners),
    ...(specs.length === 0 && featureSets.length > 0 ? {} : { versionedSpecs: specs.map(specDocument) }),
    ...(dependencies === undefined ? {} : { dependencies: dependencies.map((each) => each.name) }),
    ...(capabilities.length === 0
      ? {}
      : {
          capabilities: capabilities.map(({ name: capability, change, since, until }) => ({
            name: capability,
            change,
            ...(since === undefined ? {} : { since: formatMinor(since) }),
            ...(until === undefined ? {} : { until: formatMinor(until) }),
          })),
        }),
    ...(featureSets.length === 0
      ? {}
      : {
          featureSets: featureSets.map(({ featureSet, clusterProfile, versions, enabled }) => ({
            featureSet,
            ...(clusterProfile === "" ? {} : { clusterProfile }),
            ...(versions.length === 0 ? {} : { versions: [...versions] }),
            enabled,
          })),
        }),
  };
}

const specDocument = ({
  version,
  default: initial,
  locked,
  stage,
  minCompatibility,
}: GateSpec): JsonObject => ({
  ...(version === undefined ? {} : { version: formatVersion(version) }),
  default: initial,
  lockToDefault: locked,
  preRelease: stage,
  ...(minCompatibility === undefined ? {} : { minCompatibilityVersion: formatVersion(minCompatibility) }),
});
