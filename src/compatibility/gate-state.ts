/**
 * Which spec of a gate holds at an emulation and a minimum compatibility version
 * (docs/reference/compatibility-versions.md §4.3).
 */
import type { EffectiveVersion } from "./effective.js";
import {
  type CompleteSpec,
  completeSpecs,
  type Gate,
  type GateTable,
  isSwitch,
  type Stage,
  SWITCHES,
  type Switch,
} from "./gate-table.js";
import type { Rules } from "./rules.js";
import {
  addMinors,
  compareVersions,
  formatVersion,
  isAlways,
  type Minor,
  minorOf,
  ofMinor,
} from "./version.js";

/** A gate with complete specs, ready to be asked. */
export interface KnownGate {
  readonly name: string;
  readonly specs: readonly CompleteSpec[];
  readonly gate: Gate | undefined;
  /** True for a gate that the table's source leaves out. */
  readonly unlisted?: boolean | undefined;
}

export type KnownGates = ReadonlyMap<string, KnownGate>;

/** What holds at a version pair: the spec, or the computed state before the first one. */
export interface Holding {
  readonly stage: Stage;
  readonly default: boolean;
  readonly locked: boolean;
  /** Undefined for PreAlpha. */
  readonly spec: CompleteSpec | undefined;
  /** Newer specs that the emulation allows and the minimum compatibility version hides. */
  readonly hidden: readonly CompleteSpec[];
}

const SWITCH_STAGE: Readonly<Record<Switch, "Alpha" | "Beta">> = { AllAlpha: "Alpha", AllBeta: "Beta" };

/** The spec of the two built-in switches: off, known at every version. */
export function switchSpec(name: Switch): CompleteSpec {
  return {
    version: ofMinor({ major: 0, minor: 0 }),
    stage: SWITCH_STAGE[name],
    default: false,
    locked: false,
    minCompatibility: undefined,
    place: { file: "", line: 0, column: 0 },
  };
}

/** The gate that guards the version flags in the source design; no release has it. */
export const DESIGN_GATE = "CompatibilityVersions";

/**
 * The gates of a table by name, with the two switches and, for the design, the gate of its own. The first of two gates
 * of one name counts. Of the gates that the table's source leaves out, those that are `named`, by a setting or a
 * dependency, are known.
 */
export function knownGates(
  table: Pick<GateTable, "gates" | "unlisted">,
  rules: Rules,
  named: ReadonlySet<string> = new Set(),
): KnownGates {
  const known = new Map<string, KnownGate>();
  for (const name of SWITCHES) known.set(name, { name, specs: [switchSpec(name)], gate: undefined });
  if (rules.set === "kep" && !table.gates.some(({ name }) => name === DESIGN_GATE)) {
    const beta = rules.stage === "beta";
    const spec = { ...switchSpec(beta ? "AllBeta" : "AllAlpha"), default: beta };
    known.set(DESIGN_GATE, { name: DESIGN_GATE, specs: [spec], gate: undefined });
  }
  const unlisted = (table.unlisted ?? []).filter(({ name }) => named.has(name));
  for (const gate of [...table.gates, ...unlisted])
    if (!known.has(gate.name))
      known.set(gate.name, {
        name: gate.name,
        specs: completeSpecs(gate.specs, rules.set === "shipped"),
        gate,
        unlisted: unlisted.includes(gate),
      });
  return known;
}

/** The spec that holds; `minCompatibility` undefined counts as one minor below the emulation. */
export function holdingAt(
  specs: readonly CompleteSpec[],
  emulation: Minor,
  minCompatibility: Minor | undefined,
): Holding {
  const top = ofMinor(emulation);
  const minimum = ofMinor(minCompatibility ?? addMinors(emulation, -1));
  const hidden: CompleteSpec[] = [];
  for (let i = specs.length - 1; i >= 0; i--) {
    const spec = specs[i];
    if (spec === undefined || compareVersions(spec.version, top) > 0) continue;
    if (spec.minCompatibility !== undefined && compareVersions(minimum, spec.minCompatibility) < 0) {
      hidden.push(spec);
      continue;
    }
    return { stage: spec.stage, default: spec.default, locked: spec.locked, spec, hidden };
  }
  return { stage: "PreAlpha", default: false, locked: false, spec: undefined, hidden };
}

/** As `holdingAt`, for a component. */
export const holdingFor = (
  { specs }: KnownGate,
  { emulation, minCompatibility }: Pick<EffectiveVersion, "emulation" | "minCompatibility">,
): Holding => holdingAt(specs, emulation, minCompatibility);

/** True when a flag may set the gate to the value that it does not have by default. */
export function isSettable(
  name: string,
  { stage, locked }: Holding,
  { emulationGiven }: Pick<EffectiveVersion, "emulationGiven">,
  rules: Rules,
): boolean {
  if (isSwitch(name)) return true;
  if (stage === "PreAlpha" || stage === "Removed" || locked) return false;
  if (rules.set === "shipped") return true;
  return stage !== "GA" && !(stage === "Alpha" && emulationGiven);
}

/** One sentence on why a gate is in its state by default. */
export function explainHolding(
  { stage, spec, hidden, ...rest }: Holding,
  { emulation, minCompatibility }: Pick<EffectiveVersion, "emulation" | "minCompatibility">,
): string {
  const at = `${emulation.major}.${emulation.minor}`;
  const minimum = `${minCompatibility.major}.${minCompatibility.minor}`;
  const skipped =
    hidden.length === 0
      ? ""
      : `; ${hidden.map((each) => `${each.stage} of ${formatVersion(each.version)}`).join(", ")} requires minimum compatibility version ${hidden.map((each) => (each.minCompatibility === undefined ? "" : formatVersion(each.minCompatibility))).at(-1)}, which is ${minimum}`;
  if (spec === undefined) return `no spec applies at ${at}${skipped}`;
  if (stage === "Removed") return `removed in ${formatVersion(spec.version)}`;
  const lock = rest.locked ? ", locked" : "";
  const since = isAlways(spec.version)
    ? ", at every emulated version"
    : ` since ${formatVersion(spec.version)}`;
  return `${stage}${since}, ${rest.default ? "on" : "off"} by default${lock}${skipped}`;
}

/** The release in which the gate was first locked; undefined when it never was, or is in every release. */
export function lockedSince(specs: readonly CompleteSpec[]): Minor | undefined {
  const spec = specs.find(({ locked }) => locked);
  return spec === undefined || isAlways(spec.version) ? undefined : minorOf(spec.version);
}
