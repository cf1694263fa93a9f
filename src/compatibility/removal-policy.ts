/** When a gate may be deleted, as data: projects differ (docs/reference/compatibility-versions.md §9). */
import design from "../../tables/design-removal-policy.json" with { type: "json" };
import kubernetes from "../../tables/kubernetes-removal-policy.json" with { type: "json" };
import type { CompleteSpec, WrittenStage } from "./gate-table.js";
import type { RuleSet } from "./rules.js";
import { addMinors, compareMinors, formatMinor, type Minor, minorOf, parseMinor } from "./version.js";

export const LINT_RULES = [
  "L1",
  "L2",
  "L3",
  "L4",
  "L5",
  "L6",
  "L7",
  "L8",
  "L9",
  "L10",
  "L11",
  "L12",
  "L13",
] as const;
export type LintRule = (typeof LINT_RULES)[number];
export const LEVELS = ["off", "warning", "error"] as const;
export type Level = (typeof LEVELS)[number];

export const REMOVAL_WHEN = ["always", "never", "locked", "listed"] as const;

export interface StageRemoval {
  /** `locked`: a number of releases after a last spec that is locked; `listed`: after the last spec, locked or not. */
  readonly when: (typeof REMOVAL_WHEN)[number];
  readonly afterReleases: number;
}

export interface RemovalPolicy {
  readonly name: string;
  readonly removal: Readonly<Record<WrittenStage, StageRemoval>>;
  /** L10: locks up to a release may go at once while the current release is in a range. */
  readonly exemption:
    | { readonly lockedUpTo: Minor; readonly currentFrom: Minor; readonly currentTo: Minor }
    | undefined;
  readonly overdueAfterReleases: number;
  /** Releases that a gate is Deprecated before it is Removed; 0 asks for none. */
  readonly deprecatedReleasesBeforeRemoved: number;
  /** Gates that may be Alpha and on by default (L11). */
  readonly alphaOnByDefault: readonly string[];
  /** Level of each linter rule; error unless it says otherwise. */
  readonly levels: ReadonlyMap<LintRule, Level>;
}

const STAGES: readonly WrittenStage[] = ["Alpha", "Beta", "GA", "Deprecated", "Removed"];

interface PolicyData {
  readonly metadata: { readonly name: string };
  readonly removal: Readonly<
    Record<WrittenStage, { readonly when: string; readonly afterReleases?: number }>
  >;
  readonly exemption?: {
    readonly lockedUpTo: string;
    readonly currentFrom: string;
    readonly currentTo: string;
  };
  readonly overdueAfterReleases: number;
  readonly deprecatedReleasesBeforeRemoved?: number;
  readonly alphaOnByDefault?: readonly string[];
  readonly rules: Readonly<Record<string, string>>;
}

/** The policy that goes with a rule set when none is given. */
export const defaultPolicy = (set: RuleSet): RemovalPolicy => policyOf(set === "kep" ? design : kubernetes);

function policyOf(data: PolicyData): RemovalPolicy {
  const removalOf = (stage: WrittenStage): StageRemoval => {
    const { when, afterReleases } = data.removal[stage];
    const known = REMOVAL_WHEN.find((each) => each === when);
    if (known === undefined) throw new Error(`${data.metadata.name}: ${when} is not a kind of removal`);
    return { when: known, afterReleases: afterReleases ?? 0 };
  };
  const minor = (text: string): Minor => {
    const found = parseMinor(text);
    if (found === undefined) throw new Error(`${data.metadata.name}: ${text} is not a release`);
    return found;
  };
  const { exemption } = data;
  return {
    name: data.metadata.name,
    removal: {
      Alpha: removalOf("Alpha"),
      Beta: removalOf("Beta"),
      GA: removalOf("GA"),
      Deprecated: removalOf("Deprecated"),
      Removed: removalOf("Removed"),
    },
    exemption: exemption && {
      lockedUpTo: minor(exemption.lockedUpTo),
      currentFrom: minor(exemption.currentFrom),
      currentTo: minor(exemption.currentTo),
    },
    overdueAfterReleases: data.overdueAfterReleases,
    deprecatedReleasesBeforeRemoved: data.deprecatedReleasesBeforeRemoved ?? 0,
    alphaOnByDefault: data.alphaOnByDefault ?? [],
    levels: new Map(
      LINT_RULES.flatMap((rule): [LintRule, Level][] => {
        const level = LEVELS.find((each) => each === data.rules[rule]);
        return level === undefined ? [] : [[rule, level]];
      }),
    ),
  };
}

export const levelOf = ({ levels }: RemovalPolicy, rule: LintRule): Level => levels.get(rule) ?? "error";

/** What the policy says about deleting a gate at the end of its list. */
export type Removal =
  | { readonly allowed: "always" }
  | { readonly allowed: "never"; readonly rule: LintRule; readonly why: string }
  | { readonly allowed: "from"; readonly from: Minor; readonly why: string };

/**
 * By the last spec of the gate: a further spec starts the count again (docs/reference/compatibility-versions.md §9).
 */
export function removalOf(specs: readonly CompleteSpec[], policy: RemovalPolicy): Removal {
  const last = specs.at(-1);
  if (last === undefined) return { allowed: "always" };
  const { when, afterReleases } = policy.removal[last.stage];
  if (when === "always") return { allowed: "always" };
  if (when === "never")
    return {
      allowed: "never",
      rule: last.stage === "Beta" ? "L7" : "L8",
      why: `a ${last.stage} gate must not be removed`,
    };
  if (when === "locked" && !last.locked)
    return {
      allowed: "never",
      rule: "L8",
      why: `a ${last.stage} gate can only be removed after it is locked`,
    };
  const from = addMinors(minorOf(last.version), afterReleases);
  const what = when === "locked" ? `locked as ${last.stage}` : last.stage;
  return {
    allowed: "from",
    from,
    why: `${what} in ${formatMinor(minorOf(last.version))}, and the next ${afterReleases} releases must still be able to emulate a release in which it could be set`,
  };
}

/** True when L10 lets a lock of long ago go at once. */
export function isExempt(
  specs: readonly CompleteSpec[],
  { exemption }: RemovalPolicy,
  current: Minor,
): boolean {
  const last = specs.at(-1);
  if (exemption === undefined || last === undefined || !last.locked) return false;
  return (
    compareMinors(minorOf(last.version), exemption.lockedUpTo) <= 0 &&
    compareMinors(current, exemption.currentFrom) >= 0 &&
    compareMinors(current, exemption.currentTo) <= 0
  );
}

export { STAGES as POLICY_STAGES };
