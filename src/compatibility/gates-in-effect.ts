/** The gates of one component: as its versions give them, and as a running one shows them. */

import type { Reporter } from "../core/diagnostics.js";
import { problemList } from "../core/problem.js";
import { commandLineFlag, type FlagText } from "./flags.js";
import { isSwitch } from "./gate-table.js";
import type { GateState } from "./gates.js";
import { asComponent, askGates, type GatesAnswer, type GatesQuestion } from "./gates-question.js";
import type { InEffect } from "./read/gates-in-effect.js";
import { canEmulate } from "./skew.js";

/**
 * Answers a question for a component. Flags of the running one (`inEffect`) count where the question has none, and
 * what it shows to be set differs from its versions because somebody set it.
 */
export function askComponentGates(
  question: GatesQuestion,
  component: string | undefined,
  inEffect: InEffect | undefined,
  { report, diagnostics }: Reporter,
): GatesAnswer {
  const name = inEffect?.component || component;
  const flagsOf = (own: readonly FlagText[], flag: "emulated-version" | "min-compatibility-version") =>
    own.length > 0 || inEffect === undefined ? own : inEffect.flags[flag];
  const emulated = flagsOf(question.emulated, "emulated-version");
  const minCompatibility = flagsOf(question.minCompatibility, "min-compatibility-version");
  if (name !== undefined && !canEmulate(name))
    for (const { flag, place } of [...emulated, ...minCompatibility])
      problemList(report, flag, place).report(
        "VER009",
        "NotSupported",
        `${name} does not support ${flag}`,
        `remove ${flag}; set --binary-version to the release of ${name}`,
      );
  const asked: GatesQuestion = {
    ...question,
    ...(name === undefined ? {} : narrowed(question, name)),
    emulated,
    minCompatibility,
    featureGates: [...(inEffect?.flags["feature-gates"] ?? []), ...question.featureGates],
  };
  const observed =
    inEffect?.observed &&
    settingsIn(
      inEffect.observed,
      askGates(asked).components.flatMap(({ gates }) => gates),
    );
  return askGates(
    observed === undefined ? asked : { ...asked, featureGates: [observed, ...asked.featureGates] },
    diagnostics,
  );
}

/** A question as one component hears it: gates of others, and what is declared about those, are none of its business. */
function narrowed(
  { tables, dependencies }: GatesQuestion,
  component: string,
): Pick<GatesQuestion, "tables" | "dependencies"> {
  const own = tables.map((table) => asComponent(table, component));
  const namesIn = (list: GatesQuestion["tables"]): Set<string> =>
    new Set(list.flatMap(({ gates }) => gates.map((gate) => gate.name)));
  const [all, kept] = [namesIn(tables), namesIn(own)];
  return {
    tables: own,
    dependencies: dependencies.filter(({ gate }) => kept.has(gate) || !all.has(gate)),
  };
}

/** The gates that a running component shows in another state than its versions give them: somebody set them. */
export function settingsIn(
  observed: ReadonlyMap<string, boolean>,
  byDefault: readonly Pick<GateState, "name" | "enabled">[],
): FlagText {
  const defaults = new Map(byDefault.map((gate) => [gate.name, gate.enabled]));
  const set = [...observed].filter(([name, on]) => !isSwitch(name) && defaults.get(name) !== on);
  return commandLineFlag("--feature-gates", set.map(([name, on]) => `${name}=${on}`).join(","));
}
