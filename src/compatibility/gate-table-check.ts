/** The check of a whole table: registration rules, R16, capabilities. Foreign lists are judged mildly. */
import type { Problem, Report } from "../core/diagnostics.js";
import { checkSpecs, codeOfRule, sameSpecs, type Violation } from "./gate-rules.js";
import { switchSpec } from "./gate-state.js";
import { completeSpecs, type Gate, type GateTable, isSwitch, VERSIONED_CHANGES } from "./gate-table.js";
import type { Rules } from "./rules.js";
import { compareMinors, formatMinor } from "./version.js";

/** Every broken registration rule, at most one a gate, in the table's order. */
export function registrationViolations(table: GateTable, rules: Rules): Violation[] {
  if (table.unruled === true) return [];
  const first = new Map<string, Gate>();
  return table.gates.flatMap((gate): Violation[] => {
    const violation = checkSpecs(gate, rules);
    if (violation !== undefined) return [violation];
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
    const where = before === undefined ? "built into every component" : `in line ${before.place.line}`;
    return [
      {
        rule: "R16",
        gate: gate.name,
        place: gate.place,
        message: `another list of specs for ${gate.name} exists already, ${where}`,
        hint: before === undefined ? "choose another name" : "keep one of them",
      },
    ];
  });
}

/** A violation as a diagnostic: an error in our own form, a warning in a foreign list, which loses minimum versions. */
export function violationProblem(violation: Violation, table: GateTable): Problem {
  return {
    code: codeOfRule(violation.rule),
    kind: "Invalid",
    severity: table.form === "own" ? "error" : "warning",
    ...violation.place,
    field: violation.gate,
    message: `${violation.rule}: ${violation.message}`,
    hint: violation.hint,
  };
}

/** Reports broken registration rules and capabilities. */
export function checkTable(table: GateTable, rules: Rules, report: Report): void {
  for (const violation of registrationViolations(table, rules)) report(violationProblem(violation, table));
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
      report({
        code: "GATE141",
        kind: "Required",
        ...at,
        message: `the capability ${name} is a change of kind ${change}, which must be preserved by version`,
        hint: "add since: the first release that has it",
      });
    if (since !== undefined && until !== undefined && compareMinors(since, until) >= 0)
      report({
        code: "GATE142",
        kind: "Invalid",
        ...at,
        message: `the capability ${name} ends at ${formatMinor(until)}, not after it begins at ${formatMinor(since)}`,
        hint: "until is the first release without it",
      });
  }
}
