/** The check of a whole table: registration rules, R16, capabilities. Foreign lists are judged mildly. */

import type { Problem, Report } from "../core/diagnostics.js";
import { problemList } from "../core/problem.js";
import { checkSpecs, sameSpecs, type Violation, violation } from "./gate-rules.js";
import { switchSpec } from "./gate-state.js";
import {
  completeSpecs,
  type Gate,
  type GateTable,
  isSwitch,
  newestRelease,
  VERSIONED_CHANGES,
} from "./gate-table.js";
import type { Rules } from "./rules.js";
import { compareMinors, compareVersions, formatMinor, formatVersion } from "./version.js";

/** Every broken registration rule, at most one a gate, in the table's order. */
export function registrationViolations(table: GateTable, rules: Rules): Violation[] {
  if (table.unruled === true) return [];
  const first = new Map<string, Gate>();
  return table.gates.flatMap((gate): Violation[] => {
    const broken = checkSpecs(gate, rules);
    if (broken !== undefined) return [broken];
    const before = first.get(gate.name);
    if (before === undefined) first.set(gate.name, gate);
    const inherit = rules.set === "shipped";
    const specs = completeSpecs(gate.specs, inherit);
    const other =
      before === undefined
        ? isSwitch(gate.name)
          ? [switchSpec(gate.name)]
          : undefined
        : completeSpecs(before.specs, inherit);
    if (other === undefined || sameSpecs(specs, other)) return [];
    return [
      violation(
        "R16",
        gate.name,
        gate.place,
        before === undefined
          ? [`${gate.name} is built into every component with different specs`, "use another name"]
          : [`${gate.name} has different specs on line ${before.place.line}`, "keep one of the two"],
      ),
    ];
  });
}

/** A violation as a diagnostic: an error in our own form, a warning in a foreign list, which loses minimum versions. */
export const violationProblem = ({ rule, ...broken }: Violation, table: GateTable): Problem => ({
  ...broken,
  severity: table.form === "own" ? "error" : "warning",
  message: `${rule}: ${broken.message}`,
  ...(rule === "R9" ? withoutMinimum(broken, table) : {}),
});

/** The way out where two specs look alike because the list's format omits what tells them apart. */
function withoutMinimum({ field }: Problem, table: GateTable): Pick<Problem, "hint"> | undefined {
  const { form, loses, gates, unlisted } = table;
  const specs = gates.find(({ name }) => name === field)?.specs ?? [];
  const index = specs.findIndex(
    ({ version }, i) =>
      version !== undefined &&
      specs.slice(0, i).some((each) => each.version && compareVersions(each.version, version) === 0),
  );
  const version = specs[index]?.version;
  if (form === "own" || !loses.includes("minCompatibilityVersion") || version === undefined) return undefined;
  const annotation = `[{name: ${field}, index: ${index}, minCompatibilityVersion: "${formatVersion(version)}"}]`;
  const newest = newestRelease(table);
  const builtIn =
    unlisted === undefined || newest === undefined
      ? ""
      : `, or use the built-in table: --table kubernetes@${formatMinor(newest)}`;
  return {
    hint: `this list omits minimum compatibility versions; pass them in a file, --annotations FILE, such as ${annotation}${builtIn}`,
  };
}

/** Reports broken registration rules and capabilities. */
export function checkTable(table: GateTable, rules: Rules, report: Report): void {
  for (const each of registrationViolations(table, rules)) report(violationProblem(each, table));
  for (const gate of table.gates) checkCapabilities(gate, report);
}

/**
 * API and supported-systems changes break the contract of a gate and must be versioned
 * (docs/reference/source-designs.md §2.6).
 */
function checkCapabilities(gate: Gate, report: Report): void {
  for (const { name, change, since, until, place } of gate.capabilities) {
    const at = { ...place, field: `${gate.name}.capabilities.${name}` };
    if (since === undefined && VERSIONED_CHANGES.includes(change))
      problemList(report, at.field, place).report(
        "GATE141",
        "Required",
        `capability ${name} changes the ${change} and requires a version`,
        "set since to the first release with the change",
      );
    if (since !== undefined && until !== undefined && compareMinors(since, until) >= 0)
      problemList(report, at.field, place).report(
        "GATE142",
        "Invalid",
        `capability ${name} ends in ${formatMinor(until)} but starts in ${formatMinor(since)}`,
        "set until to the first release without it",
      );
  }
}
