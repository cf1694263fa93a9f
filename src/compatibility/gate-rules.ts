/**
 * The rules for a gate's list of specs, as registration applies them: R1 to R15 of
 * docs/reference/compatibility-versions.md §4.2. The first violation of a gate ends its check.
 */
import type { Code } from "../core/codes.js";
import type { Position, Problem } from "../core/diagnostics.js";
import { problem } from "../core/problem.js";
import type { CompleteSpec, Gate, GateSpec } from "./gate-table.js";
import type { Rules } from "./rules.js";
import { compareVersions, formatVersion, minorOf, type Version } from "./version.js";

/** R17 (registration after the flag exists) cannot be said in a table. */
export type RegistrationRule =
  | `R${1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12 | 13 | 14 | 15 | 16}`
  | "K1"
  | "K2";

/** A broken rule; the field is the name of the gate. */
export type Violation = Problem & { readonly rule: RegistrationRule };

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

export const violation = (
  rule: RegistrationRule,
  gate: string,
  place: Position,
  [message, hint]: readonly [message: string, hint: string],
): Violation => ({ ...problem(CODE_OF_RULE[rule], "Invalid", gate, message, { ...place, hint }), rule });

/** What the check remembers of the specs before. */
interface Past {
  last: CompleteSpec | undefined;
  beta: boolean;
  ga: boolean;
  deprecated: boolean;
  removed: boolean;
  locked: boolean;
}

/** What is wrong, and the hint. */
type Check = (spec: CompleteSpec, past: Past) => readonly [message: string, hint: string] | undefined;

/** A rule, with the rule sets that have it. */
type GateRule = readonly [RegistrationRule, sets: readonly Rules["set"][], Check];

const BOTH = ["kep", "shipped"] as const;
const ONLY_DEFAULT = "if two specs have the same version, change only the default";
const text = (version: Version | undefined): string =>
  version === undefined ? "none" : formatVersion(version);
const sameVersion = (a: Version | undefined, b: Version | undefined): boolean =>
  a === undefined || b === undefined ? a === b : compareVersions(a, b) === 0;

/** In the order in which registration applies them to one spec; R1 comes before all. */
const RULES: readonly GateRule[] = [
  [
    "R2",
    BOTH,
    ({ version }) =>
      version.numbers.length === 2
        ? undefined
        : [`version ${text(version)} includes a patch version`, "set version to major.minor"],
  ],
  [
    "K1",
    ["shipped"],
    ({ stage }) =>
      stage !== "Removed"
        ? undefined
        : [
            "stage Removed is not supported with --rules shipped",
            "lock the gate as Deprecated and delete it three releases later, or use --rules kep",
          ],
  ],
  [
    "R3",
    ["shipped"],
    ({ minCompatibility, version }, { last }) =>
      minCompatibility === undefined || (last !== undefined && sameVersion(version, last.version))
        ? undefined
        : [
            `the minimum compatibility version ${text(minCompatibility)} has no preceding spec at the same version`,
            `add a spec at ${text(version)} without a minimum before it, or use --rules kep`,
          ],
  ],
  [
    "R4",
    BOTH,
    ({ minCompatibility }) =>
      minCompatibility === undefined || minCompatibility.numbers.length === 2
        ? undefined
        : [
            `minimum compatibility version ${text(minCompatibility)} includes a patch version`,
            "set minCompatibilityVersion to major.minor",
          ],
  ],
  [
    "R5",
    BOTH,
    ({ minCompatibility, version }) =>
      minCompatibility === undefined || compareVersions(minCompatibility, version) <= 0
        ? undefined
        : [
            `minimum compatibility version ${text(minCompatibility)} is greater than version ${text(version)}`,
            `set it to ${text(version)} or earlier`,
          ],
  ],
  [
    "R6",
    ["shipped"],
    ({ stage, version }, { last }) =>
      last !== undefined || stage !== "Deprecated" || minorOf(version).minor === 0
        ? undefined
        : [
            "a gate that starts as Deprecated must have a spec with its initial state",
            "add a spec at version 1.0 with its previous stage and default",
          ],
  ],
  [
    "R7",
    BOTH,
    ({ version }, { last }) =>
      last === undefined || compareVersions(version, last.version) >= 0
        ? undefined
        : [
            `versions must be in ascending order: ${text(version)} follows ${text(last.version)}`,
            "list the specs from the earliest release to the latest",
          ],
  ],
  [
    "R8",
    BOTH,
    ({ minCompatibility }, { last }) =>
      minCompatibility === undefined ||
      last?.minCompatibility === undefined ||
      compareVersions(minCompatibility, last.minCompatibility) >= 0
        ? undefined
        : [
            `minimum compatibility versions must be in ascending order: ${text(minCompatibility)} follows ${text(last.minCompatibility)}`,
            `set it to ${text(last.minCompatibility)} or later`,
          ],
  ],
  [
    "R9",
    BOTH,
    ({ version, minCompatibility }, { last }) =>
      last === undefined ||
      !sameVersion(version, last.version) ||
      !sameVersion(minCompatibility, last.minCompatibility)
        ? undefined
        : [
            `duplicate specs at version ${text(version)}`,
            "set another minimum compatibility version in the second spec",
          ],
  ],
  [
    "R10",
    ["shipped"],
    ({ version, stage }, { last }) =>
      last === undefined || !sameVersion(version, last.version) || stage === last.stage
        ? undefined
        : [`the stage changes from ${last.stage} to ${stage} at version ${text(version)}`, ONLY_DEFAULT],
  ],
  [
    "R11",
    ["shipped"],
    ({ version, locked }, { last }) =>
      last === undefined || !sameVersion(version, last.version) || locked === last.locked
        ? undefined
        : [
            `lockToDefault changes from ${last.locked} to ${locked} at version ${text(version)}`,
            ONLY_DEFAULT,
          ],
  ],
  [
    "R12",
    BOTH,
    (spec, { last }) =>
      last === undefined ||
      spec.stage !== last.stage ||
      spec.default !== last.default ||
      spec.locked !== last.locked
        ? undefined
        : [
            `the spec at ${text(spec.version)} repeats the stage, default and lock of the spec at ${text(last.version)}`,
            "remove it",
          ],
  ],
  [
    "R13",
    BOTH,
    ({ locked }, past) =>
      locked || !past.locked ? undefined : ["a locked gate must stay locked", "set lockToDefault to true"],
  ],
  [
    "K2",
    ["kep"],
    ({ stage }, { removed }) =>
      !removed ? undefined : [`stage ${stage} follows Removed`, "remove the specs after Removed"],
  ],
  [
    "R14",
    BOTH,
    ({ stage }, { deprecated }) =>
      !deprecated || stage === "Deprecated" || stage === "Removed"
        ? undefined
        : [`a Deprecated gate cannot become ${stage} again`, "remove the specs after Deprecated"],
  ],
  [
    "R15",
    BOTH,
    ({ stage, version }, { beta, ga }) =>
      !((stage === "Alpha" && (beta || ga)) || (stage === "Beta" && ga))
        ? undefined
        : [
            `the gate returns to stage ${stage} in ${text(version)}`,
            "keep the higher stage, or use Deprecated",
          ],
  ],
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
    const broken = brokenRule(spec, past, rules);
    if (broken !== undefined) return violation(broken[0], gate.name, spec.place, broken[1]);
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

function brokenRule(
  spec: GateSpec,
  past: Past,
  rules: Rules,
): [RegistrationRule, NonNullable<ReturnType<Check>>] | undefined {
  const { version } = spec;
  if (version === undefined)
    return ["R1", ["a spec has no version", "set version to the first release that it applies to"]];
  for (const [id, sets, check] of RULES) {
    const found = sets.includes(rules.set) ? check({ ...spec, version }, past) : undefined;
    if (found !== undefined) return [id, found];
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
