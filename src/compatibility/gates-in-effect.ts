/** The gates of one component: as its versions give them, and as a running one shows them. */

import type { Report, Reporter } from "../core/diagnostics.js";
import { problemList } from "../core/problem.js";
import { canSetMinimum } from "./effective.js";
import { commandLineFlag, type FlagText } from "./flags.js";
import { isSwitch } from "./gate-table.js";
import type { GateState } from "./gates.js";
import { asComponent, askGates, type GatesAnswer, type GatesQuestion } from "./gates-question.js";
import type { InEffect } from "./read/gates-in-effect.js";
import type { ReportedVersions } from "./read/version-info.js";
import { canEmulate } from "./skew.js";
import { equalMinors, formatMinor, type Minor, minorOf, parseMinor } from "./version.js";

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
  const reported = inEffect?.reported;
  if (inEffect !== undefined && reported !== undefined) refuseOthers(question, reported, inEffect, report);
  const emulated = withReported(
    flagsOf(question.emulated, "emulated-version"),
    "--emulated-version",
    reported && isOther(reported.emulation, reported) ? reported.emulation : undefined,
    reported,
  );
  const minCompatibility = withReported(
    flagsOf(question.minCompatibility, "min-compatibility-version"),
    "--min-compatibility-version",
    reported && canSetMinimum(minorOf(reported.binary), question.rules)
      ? reported.minCompatibility
      : undefined,
    reported,
  );
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
    binary: reported?.binary ?? question.binary,
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

const isOther = (emulation: Minor, { binary }: ReportedVersions): boolean =>
  !equalMinors(emulation, minorOf(binary));

/** What a running component reports counts, whatever flags name. */
const withReported = (
  flags: readonly FlagText[],
  flag: string,
  minor: Minor | undefined,
  reported: ReportedVersions | undefined,
): readonly FlagText[] => {
  if (reported === undefined) return flags;
  return minor === undefined ? [] : [{ flag, text: formatMinor(minor), place: reported.place, exact: false }];
};

/** What runs is what it reports: other versions in flags are a mistake. */
function refuseOthers(
  { binary, emulated, minCompatibility }: GatesQuestion,
  reported: ReportedVersions,
  { flags }: InEffect,
  report: Report,
): void {
  const given = (texts: readonly FlagText[]): Minor | undefined =>
    texts.map(({ text }) => parseMinor(text.replace(/^kube=/, ""))).find((each) => each !== undefined);
  const pairs = [
    ["--binary-version", binary && minorOf(binary), minorOf(reported.binary)],
    ["--emulated-version", given([...emulated, ...flags["emulated-version"]]), reported.emulation],
    [
      "--min-compatibility-version",
      given([...minCompatibility, ...flags["min-compatibility-version"]]),
      reported.minCompatibility,
    ],
  ] as const;
  for (const [flag, asked, runs] of pairs)
    if (asked !== undefined && !equalMinors(asked, runs))
      problemList(report, flag, reported.place).report(
        "VER015",
        "Invalid",
        `conflicts with the metrics: ${formatMinor(asked)} is set, but the running component reports ${formatMinor(runs)}`,
        `remove ${flag}, or use the metrics of another component`,
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
