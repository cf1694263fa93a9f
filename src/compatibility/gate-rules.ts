/**
 * The rules for a gate's list of specs, as registration applies them: R1 to R15 of
 * docs/reference/compatibility-versions.md §4.2. The first violation of a gate ends its check.
 */
import type { Code } from "../core/codes.js";
import type { Position } from "../core/diagnostics.js";
import type { CompleteSpec, Gate, GateSpec } from "./gate-table.js";
import type { Rules } from "./rules.js";
import { compareVersions, formatVersion, minorOf, type Version } from "./version.js";

/** R17 (registration after the flag exists) cannot be said in a table. */
export type RegistrationRule =
  | `R${1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12 | 13 | 14 | 15 | 16}`
  | "K1"
  | "K2";

export interface Violation {
  readonly rule: RegistrationRule;
  readonly gate: string;
  readonly place: Position;
  readonly message: string;
  readonly hint: string;
}

const CODE_OF_RULE: Readonly<Record<RegistrationRule, Code>> = {
  R1: "GATE101",
  R2: "GATE102",
  R3: "GATE103",
  R4: "GATE104",
  R5: "GATE105",
  R6: "GATE106",
  R7: "GATE107",
  R8: "GATE108",
  R9: "GATE109",
  R10: "GATE110",
  R11: "GATE111",
  R12: "GATE112",
  R13: "GATE113",
  R14: "GATE114",
  R15: "GATE115",
  R16: "GATE116",
  K1: "GATE117",
  K2: "GATE118",
};

export const codeOfRule = (rule: RegistrationRule): Code => CODE_OF_RULE[rule];

/** What the check remembers of the specs before. */
interface Past {
  last: CompleteSpec | undefined;
  beta: boolean;
  ga: boolean;
  deprecated: boolean;
  removed: boolean;
  locked: boolean;
}

type Check = (spec: CompleteSpec, past: Past) => Omit<Violation, "gate" | "place" | "rule"> | undefined;

interface GateRule {
  readonly id: RegistrationRule;
  /** The rule sets that have it. */
  readonly sets: readonly Rules["set"][];
  readonly check: Check;
}

const BOTH = ["kep", "shipped"] as const;
const text = (version: Version | undefined): string =>
  version === undefined ? "none" : formatVersion(version);
const sameVersion = (a: Version | undefined, b: Version | undefined): boolean =>
  a === undefined || b === undefined ? a === b : compareVersions(a, b) === 0;

/** In the order in which registration applies them to one spec; R1 stands before all. */
const RULES: readonly GateRule[] = [
  {
    id: "R2",
    sets: BOTH,
    check: ({ version }) =>
      version.numbers.length === 2
        ? undefined
        : {
            message: `version ${text(version)} names a patch release`,
            hint: "a version of a spec is major.minor",
          },
  },
  {
    id: "K1",
    sets: ["shipped"],
    check: ({ stage }) =>
      stage !== "Removed"
        ? undefined
        : {
            message: "there is no stage Removed in the shipped rules",
            hint: "lock the gate as Deprecated and delete it three releases later; --rules kep reads this stage",
          },
  },
  {
    id: "R3",
    sets: ["shipped"],
    check: ({ minCompatibility, version }, { last }) =>
      minCompatibility === undefined || (last !== undefined && sameVersion(version, last.version))
        ? undefined
        : {
            message: `the minimum compatibility version ${text(minCompatibility)} has no preceding entry at the same version`,
            hint: `put a spec at ${text(version)} without a minimum before it; --rules kep allows it on any spec`,
          },
  },
  {
    id: "R4",
    sets: BOTH,
    check: ({ minCompatibility }) =>
      minCompatibility === undefined || minCompatibility.numbers.length === 2
        ? undefined
        : {
            message: `the minimum compatibility version ${text(minCompatibility)} names a patch release`,
            hint: "write major.minor",
          },
  },
  {
    id: "R5",
    sets: BOTH,
    check: ({ minCompatibility, version }) =>
      minCompatibility === undefined || compareVersions(minCompatibility, version) <= 0
        ? undefined
        : {
            message: `the minimum compatibility version ${text(minCompatibility)} is greater than the version ${text(version)}`,
            hint: `at most ${text(version)}`,
          },
  },
  {
    id: "R6",
    sets: ["shipped"],
    check: ({ stage, version }, { last }) =>
      last !== undefined || stage !== "Deprecated" || minorOf(version).minor === 0
        ? undefined
        : {
            message: "a gate that starts as Deprecated must give an entry with its initial state",
            hint: "add a spec at version 1.0 with the stage and default that it had before",
          },
  },
  {
    id: "R7",
    sets: BOTH,
    check: ({ version }, { last }) =>
      last === undefined || compareVersions(version, last.version) >= 0
        ? undefined
        : {
            message: `versions are in decreasing order (${text(version)} after ${text(last.version)})`,
            hint: "list the specs from the oldest release to the newest",
          },
  },
  {
    id: "R8",
    sets: BOTH,
    check: ({ minCompatibility }, { last }) =>
      minCompatibility === undefined ||
      last?.minCompatibility === undefined ||
      compareVersions(minCompatibility, last.minCompatibility) >= 0
        ? undefined
        : {
            message: `minimum compatibility versions are in decreasing order (${text(minCompatibility)} after ${text(last.minCompatibility)})`,
            hint: `at least ${text(last.minCompatibility)}`,
          },
  },
  {
    id: "R9",
    sets: BOTH,
    check: ({ version, minCompatibility }, { last }) =>
      last === undefined ||
      !sameVersion(version, last.version) ||
      !sameVersion(minCompatibility, last.minCompatibility)
        ? undefined
        : {
            message: `duplicate entries at version ${text(version)}`,
            hint: "a second spec at one version needs another minimum compatibility version",
          },
  },
  {
    id: "R10",
    sets: ["shipped"],
    check: ({ version, stage }, { last }) =>
      last === undefined || !sameVersion(version, last.version) || stage === last.stage
        ? undefined
        : {
            message: `the stage changes from ${last.stage} to ${stage} at the same version ${text(version)}`,
            hint: "specs of one version differ in their default only",
          },
  },
  {
    id: "R11",
    sets: ["shipped"],
    check: ({ version, locked }, { last }) =>
      last === undefined || !sameVersion(version, last.version) || locked === last.locked
        ? undefined
        : {
            message: `lockToDefault changes from ${last.locked} to ${locked} at the same version ${text(version)}`,
            hint: "specs of one version differ in their default only",
          },
  },
  {
    id: "R12",
    sets: BOTH,
    check: (spec, { last }) =>
      last === undefined ||
      spec.stage !== last.stage ||
      spec.default !== last.default ||
      spec.locked !== last.locked
        ? undefined
        : {
            message: `the step from ${text(last.version)} to ${text(spec.version)} changes neither stage nor default nor lock`,
            hint: "leave it out",
          },
  },
  {
    id: "R13",
    sets: BOTH,
    check: ({ locked }, past) =>
      locked || !past.locked
        ? undefined
        : { message: "a locked gate must not unlock", hint: "keep lockToDefault true" },
  },
  {
    id: "K2",
    sets: ["kep"],
    check: ({ stage }, { removed }) =>
      !removed
        ? undefined
        : { message: `the stage ${stage} follows Removed`, hint: "nothing comes after Removed" },
  },
  {
    id: "R14",
    sets: BOTH,
    check: ({ stage }, { deprecated }) =>
      !deprecated || stage === "Deprecated" || stage === "Removed"
        ? undefined
        : {
            message: `a Deprecated gate must not resurrect as ${stage}`,
            hint: "only Deprecated may follow Deprecated",
          },
  },
  {
    id: "R15",
    sets: BOTH,
    check: ({ stage, version }, { beta, ga }) =>
      !((stage === "Alpha" && (beta || ga)) || (stage === "Beta" && ga))
        ? undefined
        : {
            message: `the gate regresses to ${stage} in ${text(version)}`,
            hint: "a stage never goes back; use Deprecated",
          },
  },
];

/** The first broken rule of a gate's specs, or undefined. */
export function checkSpecs(gate: Gate, rules: Rules): Violation | undefined {
  const past: Past = {
    last: undefined,
    beta: false,
    ga: false,
    deprecated: false,
    removed: false,
    locked: false,
  };
  for (const spec of gate.specs) {
    const violation = checkSpec(spec, past, rules);
    if (violation !== undefined) return { ...violation, gate: gate.name, place: spec.place };
    if (spec.version === undefined) continue;
    const inherited = rules.set === "shipped" ? past.last?.minCompatibility : undefined;
    past.last = {
      ...spec,
      version: spec.version,
      minCompatibility: spec.minCompatibility ?? inherited,
    };
    past.beta ||= spec.stage === "Beta";
    past.ga ||= spec.stage === "GA";
    past.deprecated ||= spec.stage === "Deprecated";
    past.removed ||= spec.stage === "Removed";
    past.locked ||= spec.locked;
  }
  return undefined;
}

function checkSpec(spec: GateSpec, past: Past, rules: Rules): Omit<Violation, "gate" | "place"> | undefined {
  const { version } = spec;
  if (version === undefined)
    return {
      rule: "R1",
      message: "a spec has no version",
      hint: "add version: the first release it holds for",
    };
  for (const { id, sets, check } of RULES) {
    if (!sets.includes(rules.set)) continue;
    const found = check({ ...spec, version }, past);
    if (found !== undefined) return { ...found, rule: id };
  }
  return undefined;
}

/** True when two lists say the same, as R16 compares them. */
export function sameSpecs(a: readonly CompleteSpec[], b: readonly CompleteSpec[]): boolean {
  return (
    a.length === b.length &&
    a.every((spec, i) => {
      const other = b[i];
      return (
        other !== undefined &&
        sameVersion(spec.version, other.version) &&
        sameVersion(spec.minCompatibility, other.minCompatibility) &&
        spec.stage === other.stage &&
        spec.default === other.default &&
        spec.locked === other.locked
      );
    })
  );
}
