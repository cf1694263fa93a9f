/** What servers of Kubernetes do from a release on, and the rules by which they choose the version that they store. */
import data from "../../tables/kubernetes-behavior.json" with { type: "json" };
import { factsAt, rowAt, rowsAt, type Span } from "../core/by-release.js";
import { type Minor, release } from "../core/minor.js";

export type Behavior = keyof typeof data.facts;

/** The newest release that the facts were compared with; what is newer is not guessed. */
export const NEWEST_KNOWN: Minor = release(data.reviewed);

const FACTS: Readonly<Record<Behavior, { readonly since: string }>> = data.facts;

/** True when servers of the release do it. */
export const behaves: (release: Minor, name: Behavior) => boolean = factsAt(FACTS);

/** The first release that does it. */
export const behavesSince = (name: Behavior): string => FACTS[name].since;

interface ExitRow extends Span {
  readonly group: string;
  readonly resources: readonly string[];
  /** Only objects of these names; left out for all. */
  readonly names?: readonly string[];
  readonly hook: string;
}
const EXITS: readonly ExitRow[] = data.exitsOver;

/** The hook that ends a server which is started while the object cannot be read; undefined where it goes on. */
export const exitHook = (at: Minor, group: string, resource: string, name: string): string | undefined =>
  rowsAt(EXITS, at).find(
    (row) =>
      row.group === group &&
      row.resources.includes(resource) &&
      (row.names === undefined || row.names.includes(name)),
  )?.hook;

/** How the version to store is chosen where nothing pins it. */
export interface StoredVersionRule {
  readonly name: string;
  /** Only what the minimum compatibility version knows; otherwise the preferred version. */
  readonly byMinimum: boolean;
  readonly skipsReplaced: boolean;
  readonly skipsAlpha: boolean;
  /** What the emulated version knows is the last resort. */
  readonly orEmulated: boolean;
}

export const STORED_VERSION_RULES: readonly StoredVersionRule[] = data.rules;

interface RuleRow extends Span {
  readonly rule: string;
}
const RULES_BY_RELEASE: readonly RuleRow[] = data.rulesByRelease;

/** The first release whose servers do not merely store the preferred version. */
const BY_MINIMUM_SINCE = release(
  RULES_BY_RELEASE.find(({ rule }) => storedVersionRule(rule).byMinimum)?.since ?? "0.0",
);

/** The rule of that name. */
export function storedVersionRule(name: string): StoredVersionRule {
  const found = STORED_VERSION_RULES.find((each) => each.name === name);
  if (found === undefined) throw new Error(`no rule ${name} in kubernetes-behavior.json`);
  return found;
}

/** The rule of a release; `byMinimum` for that of the first release that asked for the minimum compatibility version. */
export function storedVersionRuleOf(at: Minor, byMinimum: boolean): StoredVersionRule {
  const rule = storedVersionRule(rowAt(RULES_BY_RELEASE, at)?.rule ?? "");
  if (rule.byMinimum || !byMinimum) return rule;
  return storedVersionRule(rowAt(RULES_BY_RELEASE, BY_MINIMUM_SINCE)?.rule ?? "");
}
