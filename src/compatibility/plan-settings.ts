/** From which step of a plan on a gate that is set is better not set any more; what is refused blocks the step itself. */
import type { Diagnostic, Report } from "../core/diagnostics.js";
import type { ComponentState, RouteStep } from "./plan-route.js";

type ProblemsOf = (component: string, state: ComponentState) => readonly Diagnostic[];

/** Settings of gates that are GA or deprecated: each once, with the first step of each component where that is so. */
export function noteSettings(route: readonly RouteStep[], problemsOf: ProblemsOf, report: Report): void {
  const found = new Map<string, { readonly problem: Diagnostic; readonly since: Map<string, string> }>();
  const note = (component: string, state: ComponentState, when: string): void => {
    for (const problem of problemsOf(component, state)) {
      if (problem.code !== "GATE136") continue;
      const entry = found.get(problem.message) ?? { problem, since: new Map<string, string>() };
      found.set(problem.message, entry);
      if (!entry.since.has(component)) entry.since.set(component, when);
    }
  };
  for (const [index, { component, before, after }] of route.entries()) {
    note(component, before, "before the first step");
    note(component, after, `from step ${index + 1}`);
  }
  for (const { problem, since } of found.values()) {
    const times = [...new Set(since.values())].map(
      (when) => `${when}: ${[...since].flatMap(([name, its]) => (its === when ? [name] : [])).join(", ")}`,
    );
    report({ ...problem, message: `${problem.message} (${times.join("; ")})` });
  }
}
