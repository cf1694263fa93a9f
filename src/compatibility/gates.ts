/**
 * The state of every gate: defaults at the version pair, what flags set, AllAlpha and AllBeta, dependencies, and the
 * warnings and refusals of both rule sets (docs/reference/compatibility-versions.md §4.4, §4.5, §5).
 */

import type { Report } from "../core/diagnostics.js";
import { byCodeUnit } from "../core/files.js";
import { type ProblemList, problemList } from "../core/problem.js";
import { closest } from "../text/closest.js";
import type { EffectiveVersion } from "./effective.js";
import { isEmulating } from "./effective.js";
import type { Dependencies } from "./gate-dependencies.js";
import type { GateSetting } from "./gate-flags.js";
import {
  DESIGN_GATE,
  explainHolding,
  type Holding,
  holdingFor,
  isSettable,
  type KnownGate,
  type KnownGates,
  lockedSince,
} from "./gate-state.js";
import { isSwitch, type Stage, SWITCHES } from "./gate-table.js";
import { NOWHERE, type Rules } from "./rules.js";
import { formatMinor, formatVersion } from "./version.js";

export type SetBy = "default" | "flag" | "AllAlpha" | "AllBeta";

export interface GateState {
  readonly name: string;
  readonly stage: Stage;
  readonly enabled: boolean;
  readonly locked: boolean;
  readonly settable: boolean;
  readonly setBy: SetBy;
  /** The release of the spec that holds; null for PreAlpha. */
  readonly since: string | null;
  readonly reason: string;
}

export interface GateQuestion {
  readonly known: KnownGates;
  readonly dependencies: Dependencies;
  readonly versions: EffectiveVersion;
  /** Undefined when the flag could not be read; then only the defaults are answered. */
  readonly settings: ReadonlyMap<string, GateSetting> | undefined;
  readonly rules: Rules;
  /** False when the table or its dependencies break a rule; then what depends on what is not looked at. */
  readonly sound: boolean;
}

interface Value {
  readonly value: boolean;
  readonly setBy: SetBy;
}

/** The state of every gate, by name; problems go to `report`, and any error means that a component would not start. */
export function answerGates(question: GateQuestion, report: Report): GateState[] {
  let failed = question.settings === undefined;
  const reportHere: Report = (problem) => {
    failed ||= (problem.severity ?? "error") === "error";
    report(problem);
  };
  const values = setGates(question, reportHere);
  checkDesignGate(question, reportHere);
  if (!failed && question.sound) checkEnabled(question, values, reportHere);
  if (!failed && question.rules.set === "shipped") warnOfAlpha(question, values, reportHere);
  const { known, versions, rules } = question;
  return [...known.values()]
    .filter(({ gate }) => gate !== undefined)
    .sort((a, b) => byCodeUnit(a.name.toLowerCase(), b.name.toLowerCase()) || byCodeUnit(a.name, b.name))
    .map((gate) => stateOf(gate, values.get(gate.name), versions, rules));
}

function stateOf(
  gate: KnownGate,
  value: Value | undefined,
  versions: EffectiveVersion,
  rules: Rules,
): GateState {
  const holding = holdingFor(gate, versions);
  const { stage, locked, spec } = holding;
  const setBy = value?.setBy ?? "default";
  const by =
    setBy === "default"
      ? ""
      : setBy === "flag"
        ? `; set ${value?.value} by flag`
        : `; set ${value?.value} by ${setBy}`;
  return {
    name: gate.name,
    stage,
    enabled: value?.value ?? holding.default,
    locked,
    settable: isSettable(gate.name, holding, versions, rules),
    setBy,
    since: spec === undefined ? null : formatVersion(spec.version),
    reason: explainHolding(holding, versions) + by,
  };
}

/** What the flags make of the gates; refused settings are reported and left out. */
function setGates(question: GateQuestion, report: Report): Map<string, Value> {
  const { known, settings, versions } = question;
  const values = new Map<string, Value>();
  if (settings === undefined) return values;
  for (const setting of settings.values()) {
    const gate = known.get(setting.name);
    if (gate === undefined) reportUnknown(setting, known, report);
    else if (isSwitch(gate.name)) values.set(gate.name, { value: setting.value, setBy: "flag" });
    else if (mayBeSet(setting, gate, question, report)) {
      if (gate.unlisted === true) noteUnlisted(setting, report);
      values.set(setting.name, { value: setting.value, setBy: "flag" });
    }
  }
  // A setting of its own always wins over a switch, whatever the order in the flag.
  for (const name of SWITCHES) {
    const given = settings.get(name);
    if (given === undefined) continue;
    const stage = name === "AllAlpha" ? "Alpha" : "Beta";
    if (question.rules.set === "kep" && stage === "Alpha" && given.value && versions.emulationGiven)
      refuseAlpha(given, versions, report);
    for (const gate of known.values())
      if (!isSwitch(gate.name) && !settings.has(gate.name) && holdingFor(gate, versions).stage === stage)
        values.set(gate.name, { value: given.value, setBy: name });
  }
  return values;
}

const problemsOf = ({ flag, place }: GateSetting, report: Report): ProblemList =>
  problemList(report, flag, place);

function noteUnlisted(setting: GateSetting, report: Report): void {
  problemsOf(setting, report).warnings.report(
    "GATE132",
    "NotFound",
    `${setting.name} is not in this list, which does not contain the gates of client-go; using its definition from Kubernetes`,
  );
}

function reportUnknown(setting: GateSetting, known: KnownGates, report: Report): void {
  // It may be named by its constant in source code, which no component accepts.
  const real = [...known.values()].find(
    ({ gate }) => gate?.listedAs === setting.name || gate?.constant === setting.name,
  );
  const near = real?.name ?? closest(setting.name, known.keys());
  problemsOf(setting, report).report(
    "GATE132",
    "NotSupported",
    `unrecognized feature gate ${JSON.stringify(setting.name)}`,
    near === undefined
      ? "remove it; a component does not start with an unknown gate"
      : `did you mean ${near}?`,
  );
}

/** True when the setting is accepted; notices and refusals are reported. */
function mayBeSet(
  setting: GateSetting,
  gate: KnownGate,
  { versions, rules }: GateQuestion,
  report: Report,
): boolean {
  const problems = problemsOf(setting, report);
  const holding = holdingFor(gate, versions);
  const { stage, locked } = holding;
  const { name, value } = setting;
  if (locked && holding.default !== value) {
    const since = lockedSince(gate.specs);
    problems.report(
      "GATE134",
      "Forbidden",
      `${name} cannot be set to ${value}: locked to ${holding.default}${since === undefined ? "" : ` since ${formatMinor(since)}`}`,
      `remove ${name} from the flag`,
    );
    return false;
  }
  if (stage === "PreAlpha") {
    reportPreAlpha(setting, gate, holding, versions, report);
    return false;
  }
  if (stage === "Removed" && holding.spec !== undefined) {
    problems.report(
      "GATE132",
      "NotSupported",
      `${name} was removed in ${formatVersion(holding.spec.version)}`,
      `remove ${name} from the flag`,
    );
    return false;
  }
  if (rules.set === "kep") return mayBeSetByDesign(setting, holding, versions, report);
  if (stage === "GA" || stage === "Deprecated")
    problems.warnings.report(
      "GATE136",
      "Invalid",
      `${name} is ${stage} and will be removed in a future release`,
      `remove ${name} from the flag before that release`,
    );
  return true;
}

function reportPreAlpha(
  setting: GateSetting,
  gate: KnownGate,
  { hidden }: Holding,
  { emulation, minCompatibility }: EffectiveVersion,
  report: Report,
): void {
  const first = gate.specs[0];
  const reason =
    hidden.length > 0
      ? `requires a minimum compatibility version above ${formatMinor(minCompatibility)}`
      : first === undefined
        ? "it has no specs"
        : `introduced in ${formatVersion(first.version)}`;
  problemsOf(setting, report).report(
    "GATE133",
    "Forbidden",
    `${setting.name} cannot be set to ${setting.value} at emulated version ${formatMinor(emulation)} and minimum compatibility version ${formatMinor(minCompatibility)}: ${reason}`,
    `remove ${setting.name} from the flag`,
  );
}

/** The source design's two additional refusals. */
function mayBeSetByDesign(
  setting: GateSetting,
  { stage }: Holding,
  versions: EffectiveVersion,
  report: Report,
): boolean {
  if (stage === "GA") {
    problemsOf(setting, report).report(
      "GATE138",
      "Forbidden",
      `${setting.name} is GA; GA gates cannot be set with --rules kep`,
      `remove ${setting.name} from the flag`,
    );
    return false;
  }
  if (stage === "Alpha" && setting.value && versions.emulationGiven && setting.name !== DESIGN_GATE) {
    refuseAlpha(setting, versions, report);
    return false;
  }
  return true;
}

/** The design's version flags need its own gate: off by default while it is alpha, on in beta. */
export function checkDesignGate(question: GateQuestion, report: Report): void {
  const { known, versions, rules, settings } = question;
  if (rules.set !== "kep" || !(versions.emulationGiven || versions.minCompatibilityGiven)) return;
  const gate = known.get(DESIGN_GATE);
  const setting = settings?.get(DESIGN_GATE);
  if (setting?.value ?? (gate !== undefined && holdingFor(gate, versions).default)) return;
  problemList(report, setting?.flag ?? "--emulated-version", setting?.place ?? NOWHERE).report(
    "VER008",
    "Forbidden",
    `the version flags require feature gate ${DESIGN_GATE}, which is off`,
    `set ${DESIGN_GATE}=true or remove the version flags`,
  );
}

function refuseAlpha(setting: GateSetting, { emulation }: EffectiveVersion, report: Report): void {
  problemsOf(setting, report).report(
    "GATE139",
    "Forbidden",
    `${setting.name} is Alpha and cannot be enabled at an emulated version (${formatMinor(emulation)}) with --rules kep`,
    "remove the emulated version or the gate",
  );
}

/**
 * Every gate that is on needs every gate that it depends on (docs/reference/compatibility-versions.md §4.5); the design
 * knows no dependencies.
 */
function checkEnabled(
  { dependencies, known, versions, rules, settings }: GateQuestion,
  values: ReadonlyMap<string, Value>,
  report: Report,
): void {
  if (rules.set === "kep") return;
  const enabled = (name: string): boolean => {
    const gate = known.get(name);
    return values.get(name)?.value ?? (gate === undefined ? false : holdingFor(gate, versions).default);
  };
  for (const [gate, { needs }] of dependencies) {
    if (!known.has(gate) || !enabled(gate)) continue;
    const missing = needs.filter(({ name }) => known.has(name) && !enabled(name));
    if (missing.length === 0) continue;
    const names = missing.map(({ name }) => name);
    const setting = [gate, ...names].map((name) => settings?.get(name)).find((each) => each !== undefined);
    const bySwitch = SWITCHES.map((name) => settings?.get(name)).find((each) => each !== undefined);
    const cause = setting ?? bySwitch;
    problemList(report, cause?.flag ?? gate, cause?.place ?? NOWHERE).report(
      "GATE125",
      "Invalid",
      `${gate} is on but depends on ${names.join(", ")}, which ${names.length === 1 ? "is" : "are"} off`,
      `set ${names.map((name) => `${name}=true`).join(",")} or ${gate}=false`,
    );
  }
}

/** Shipped rules accept alpha gates under emulation and warn (docs/reference/compatibility-versions.md §4.4). */
function warnOfAlpha(
  { known, versions, settings }: GateQuestion,
  values: ReadonlyMap<string, Value>,
  report: Report,
): void {
  if (!isEmulating(versions)) return;
  for (const gate of known.values()) {
    if (isSwitch(gate.name)) continue;
    const holding = holdingFor(gate, versions);
    if (holding.stage !== "Alpha" || !(values.get(gate.name)?.value ?? holding.default)) continue;
    const cause = settings?.get(gate.name) ?? settings?.get("AllAlpha");
    problemList(report, cause?.flag ?? gate.name, cause?.place ?? NOWHERE).warnings.report(
      "GATE137",
      "Invalid",
      `enabling the Alpha gate ${gate.name} at emulated version ${formatMinor(versions.emulation)} is not supported`,
      "disable it while an earlier version is emulated",
    );
  }
}
