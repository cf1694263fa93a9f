/**
 * Dependencies between gates: what a declaration must satisfy, and what must hold when gates are set
 * (docs/reference/compatibility-versions.md §4.5).
 */

import type { Position, Problem, Report } from "../core/diagnostics.js";
import { byCodeUnit } from "../core/files.js";
import { problem, problemList } from "../core/problem.js";
import { holdingAt, type KnownGates } from "./gate-state.js";
import type { Dependency, Stage } from "./gate-table.js";
import { formatVersion, minorOf } from "./version.js";

/** Gate to the gates it needs, with the place of each statement. */
export type Dependencies = ReadonlyMap<
  string,
  { readonly place: Position; readonly needs: readonly Dependency[] }
>;

/** Merges declarations of one gate, sorted and without repetition. */
export function mergeDependencies(
  declarations: Iterable<{
    readonly gate: string;
    readonly place: Position;
    readonly needs: readonly Dependency[];
  }>,
): Dependencies {
  const merged = new Map<string, { place: Position; needs: Dependency[] }>();
  for (const { gate, place, needs } of declarations) {
    const entry = merged.get(gate) ?? { place, needs: [] };
    for (const need of needs) if (!entry.needs.some(({ name }) => name === need.name)) entry.needs.push(need);
    entry.needs.sort((a, b) => byCodeUnit(a.name, b.name));
    merged.set(gate, entry);
  }
  return merged;
}

/** Every gate that dependencies are about. */
export const namesIn = (dependencies: Dependencies): string[] =>
  [...dependencies].flatMap(([gate, { needs }]) => [gate, ...needs.map(({ name }) => name)]);

/** A stage may lean only on stages that are at least as settled; PreAlpha counts as Alpha. */
const SETTLED: Readonly<Record<Stage, number>> = {
  Removed: 0,
  Deprecated: 0,
  PreAlpha: 1,
  Alpha: 1,
  Beta: 2,
  GA: 3,
};

/** Reports every declaration that breaks a rule: unknown gates, stages, defaults, locks, cycles. */
export function checkDeclarations(dependencies: Dependencies, known: KnownGates, report: Report): void {
  for (const [gate, { place, needs }] of dependencies) {
    if (!known.has(gate)) {
      problemList(report, gate, place).report(
        "GATE120",
        "NotFound",
        `dependencies are declared for the unknown gate ${gate}`,
        "declare the gate or remove its dependencies",
      );
      continue;
    }
    for (const need of needs) checkPair(gate, need, known, report);
  }
  for (const cycle of cyclesOf(dependencies)) {
    const first = dependencies.get(cycle[0] ?? "")?.needs.find(({ name }) => name === (cycle[1] ?? cycle[0]));
    problemList(report, cycle[0] ?? "", first?.place ?? { file: "", line: 0, column: 0 }).report(
      "GATE124",
      "Invalid",
      `cyclic dependencies: ${[...cycle, cycle[0]].join(" -> ")}`,
      "remove one of them",
    );
  }
}

function checkPair(gate: string, need: Dependency, known: KnownGates, report: Report): void {
  const problems = problemList(report, `${gate}.dependencies`, need.place);
  const target = known.get(need.name);
  if (target === undefined) {
    problems.report(
      "GATE120",
      "NotFound",
      `${gate} depends on the unknown gate ${need.name}`,
      "declare that gate or remove the dependency",
    );
    return;
  }
  const reported = new Set<string>();
  const once = (found: Problem): void => {
    if (!reported.has(found.code)) problems.add(found);
    reported.add(found.code);
  };
  // The newest version first: its message is the most telling one.
  for (const spec of [...(known.get(gate)?.specs ?? [])].reverse()) {
    const at = formatVersion(spec.version);
    const minimum = spec.minCompatibility === undefined ? undefined : minorOf(spec.minCompatibility);
    const holding = holdingAt(target.specs, minorOf(spec.version), minimum);
    if (SETTLED[spec.stage] > SETTLED[holding.stage])
      once(
        problem(
          "GATE121",
          "Invalid",
          "",
          `${gate} is ${spec.stage} in ${at} and cannot depend on ${need.name}, which is ${holding.stage}`,
          "depend only on gates of the same or a later stage",
        ),
      );
    if (spec.default && !holding.default)
      once(
        problem(
          "GATE122",
          "Invalid",
          "",
          `${gate} is on by default in ${at} and cannot depend on ${need.name}, which is off by default`,
          `turn ${need.name} on by default first`,
        ),
      );
    if (spec.locked && !holding.locked)
      once(
        problem(
          "GATE123",
          "Invalid",
          "",
          `${gate} is locked in ${at} and cannot depend on ${need.name}, which is not locked`,
          `lock ${need.name} first`,
        ),
      );
  }
}

/** Each cycle once, starting at its least name; a gate that needs itself is a cycle of one. */
export function cyclesOf(dependencies: Dependencies): string[][] {
  const cycles = new Map<string, string[]>();
  const state = new Map<string, "open" | "done">();
  const trail: string[] = [];
  const visit = (gate: string): void => {
    if (state.get(gate) === "done") return;
    if (state.get(gate) === "open") {
      const cycle = trail.slice(trail.indexOf(gate));
      const least = cycle.indexOf([...cycle].sort(byCodeUnit)[0] ?? gate);
      const turned = [...cycle.slice(least), ...cycle.slice(0, least)];
      cycles.set(turned.join(" "), turned);
      return;
    }
    state.set(gate, "open");
    trail.push(gate);
    for (const { name } of dependencies.get(gate)?.needs ?? []) visit(name);
    trail.pop();
    state.set(gate, "done");
  };
  for (const gate of [...dependencies.keys()].sort(byCodeUnit)) visit(gate);
  return [...cycles.values()];
}
