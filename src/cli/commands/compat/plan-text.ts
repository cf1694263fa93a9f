/** The steps of `compat plan` as a page for people. */
import { groupResource } from "../../../compatibility/api-table.js";
import type { PlanStep } from "../../../compatibility/plan.js";
import { CONTROL_PLANE, type Hops } from "../../../compatibility/plan-route.js";
import { API_SERVER, canEmulate } from "../../../compatibility/skew.js";
import { compareMinors, formatMinor, type Minor, release } from "../../../compatibility/version.js";
import { counted } from "../../../core/counted.js";
import { type PlanPage, SharedLists, type StepText } from "../../plan-page.js";

/** A step as it was planned, or as a saved plan has it. */
type ShownStep = Omit<PlanStep, "blockers"> & {
  readonly blockers: readonly { readonly message: string; readonly hint: string }[];
};

export interface UpgradeText {
  readonly from: Minor;
  readonly to: Minor;
  readonly hops: Hops;
  readonly steps: readonly ShownStep[];
  /** What the plan was not given, and so does not look at. */
  readonly notChecked: readonly string[];
  /** Every list and every check, at each step. */
  readonly verbose: boolean;
}

/** One kind of change of a step. */
interface Kind {
  readonly of: "gates" | "APIs" | "storage";
  /** What happens to them, as the summary counts it: `turned on`. */
  readonly change: string;
  readonly title: string;
  readonly names: (step: Changes) => readonly string[];
  /** What a step says of so many. */
  readonly says: (count: number) => string;
  /** Its names are listed without --verbose, too. */
  readonly always: boolean;
}
type Changes = Pick<ShownStep, "gates" | "apis" | "storageVersions">;

/** What changes, in the order of how much it concerns somebody who runs the cluster. */
const KINDS: readonly Kind[] = [
  gates("turned on", "turns on", true, ({ on, introduced }) =>
    on.filter((name) => !introduced.includes(name)),
  ),
  gates("turned off", "turns off", true, ({ off }) => off),
  gates("locked", "locks", false, ({ locked }) => locked),
  gates("unlocked", "unlocks", false, ({ unlocked }) => unlocked),
  gates("removed", "removes", false, ({ vanished }) => vanished),
  gates("added", "adds", false, ({ on, introduced }) =>
    introduced.map((name) => (on.includes(name) ? `${name} (on)` : name)),
  ),
  {
    of: "APIs",
    change: "added",
    title: "added APIs",
    names: ({ apis }) => apis.added,
    says: (count) => `adds ${counted(count, "API")}`,
    always: true,
  },
  {
    of: "APIs",
    change: "removed",
    title: "removed APIs",
    names: ({ apis }) => apis.removed,
    says: (count) => `removes ${counted(count, "API")}`,
    always: true,
  },
  {
    of: "storage",
    change: "changed",
    title: "changed storage versions",
    names: ({ storageVersions }) =>
      storageVersions.moved.map(
        ({ group, resource, from, to }) =>
          `${groupResource(group, resource)} ${from ?? "none"} -> ${to ?? "none"}`,
      ),
    says: (count) => `changes ${counted(count, "storage version")}`,
    always: true,
  },
];

function gates(
  change: string,
  verb: string,
  always: boolean,
  names: (gates: ShownStep["gates"]) => readonly string[],
): Kind {
  return {
    of: "gates",
    change,
    title: change.startsWith("turned") ? `gates ${change}` : `${change} gates`,
    names: (step) => names(step.gates),
    says: (count) => `${verb} ${counted(count, "gate")}`,
    always,
  };
}

/** What changes, a line each with all names. */
export const changeLines = (changes: Changes): string[] =>
  KINDS.flatMap(({ title, names }) => {
    const found = names(changes);
    return found.length === 0 ? [] : [`${title}: ${found.join(", ")}`];
  });

export function upgradePage(plan: UpgradeText): PlanPage {
  const { from, to, hops, steps, verbose } = plan;
  const back = compareMinors(to, from) < 0;
  const blocked = steps.filter(({ blockers }) => blockers.length > 0).length;
  const lists = new SharedLists();
  const common = verbose ? new Map<string, readonly string[]>() : commonChecks(steps);
  const texts = steps.map((step, i) => stepText(step, steps.slice(0, i), lists, common, verbose));
  const far = Math.abs(to.minor - from.minor) > 1;
  const way = hops === "minor" ? ", one minor release at a time" : ", in as few hops as emulation allows";
  return {
    title: `${back ? "Rollback" : "Upgrade"} from ${formatMinor(from)} to ${formatMinor(to)}${far ? way : ""}: ${counted(steps.length, "step")}`,
    verdict: verdictOf(blocked, steps.length, plan.notChecked.length > 0),
    summary: [
      ["blocked by", blockedBy(steps)],
      ["do first", steps.flatMap((step, i) => step.before.map((each) => `before step ${i + 1}: ${each}`))],
      ["cannot be undone", notUndone(plan, back)],
      ["changes", changesOf(steps)],
      ["stays safe", safety(plan, back)],
      ["hops", hopRanges(steps, back)],
      ["not checked", plan.notChecked],
    ],
    steps: texts,
    parts: [
      { title: "Lists", rows: lists.rows },
      {
        title: "After each step, check",
        rows: [...common].map(([component, checks]) => [`${component}:`, checks.join("; ")] as const),
      },
      ...(verbose
        ? []
        : [
            {
              title: "More",
              rows: [["", "--verbose lists all gates, and shows every check at its step"]] as const,
            },
          ]),
    ],
  };
}

function verdictOf(blocked: number, all: number, partly: boolean): string {
  if (blocked > 0)
    return `Do not start: ${blocked} of ${counted(all, "step")} ${blocked === 1 ? "is" : "are"} blocked.`;
  return partly ? "Nothing that was checked blocks this plan." : "Nothing blocks this plan.";
}

/** Each cause once, with the steps that it blocks. */
function blockedBy(steps: readonly ShownStep[]): string[] {
  const causes = new Map<string, number[]>();
  for (const [i, { blockers }] of steps.entries())
    for (const { message, hint } of blockers) {
      const cause = `${message}${hint === "" ? "" : `; ${hint}`}`;
      causes.set(cause, [...(causes.get(cause) ?? []), i + 1]);
    }
  return causes.size === 0
    ? ["nothing"]
    : [...causes].map(([cause, at]) => `${at.length === 1 ? "step" : "steps"} ${at.join(", ")}: ${cause}`);
}

/** The oldest release that can take over after each step, of all components that emulate; undefined before any did. */
function floors(steps: readonly ShownStep[]): (Minor | undefined)[] {
  const states = new Map<string, Minor>();
  return steps.map(({ component, rollback }) => {
    if (canEmulate(component) && rollback.binaryVersion !== null)
      states.set(component, release(rollback.binaryVersion));
    return [...states.values()].sort(compareMinors).at(-1);
  });
}

function notUndone({ from, steps }: UpgradeText, back: boolean): string[] {
  const lines: string[] = [];
  const at = floors(steps).findIndex((floor) => floor !== undefined && compareMinors(floor, from) > 0);
  if (!back && at >= 0) lines.push(`step ${at + 1}: from here ${formatMinor(from)} cannot take over again`);
  let before = "";
  for (const [i, { rollback }] of steps.entries()) {
    const unreadable = rollback.notReadable.join(", ");
    if (unreadable !== "" && unreadable !== before)
      lines.push(
        `step ${i + 1}: ${rollback.binaryVersion ?? "an older release"} cannot read objects of ${unreadable}`,
      );
    if (unreadable !== "") before = unreadable;
  }
  return lines.length === 0 ? ["nothing"] : lines;
}

/** How long the release that the plan starts from can take over, then how far back the way leads. */
function safety({ from, steps }: UpgradeText, back: boolean): string[] {
  const all = floors(steps);
  if (all.every((floor) => floor === undefined)) return ["each component can return to its old binary"];
  const ranges: { first: number; last: number; floor: Minor | undefined }[] = [];
  for (const [i, floor] of all.entries()) {
    const lowest = floor !== undefined && !back && compareMinors(floor, from) < 0 ? from : floor;
    const range = ranges.at(-1);
    if (range !== undefined && (lowest === undefined || sameRelease(range.floor, lowest))) range.last = i + 1;
    else ranges.push({ first: i + 1, last: i + 1, floor: lowest });
  }
  return ranges.map(({ first, last, floor }) => {
    const span = first === 1 && last === steps.length ? "after every step" : `after ${stepSpan(first, last)}`;
    return floor === undefined
      ? `${span}: the old binary can be started again`
      : `${span}: ${formatMinor(floor)}${!back && sameRelease(floor, from) ? "" : " or later"} can take over again`;
  });
}

const sameRelease = (a: Minor | undefined, b: Minor): boolean => a !== undefined && compareMinors(a, b) === 0;
const stepSpan = (first: number, last: number): string =>
  first === last ? `step ${first}` : `steps ${first} to ${last}`;

/** What changes on the whole, by the API server or else the first component. */
function changesOf(steps: readonly ShownStep[]): string[] {
  const component = steps.some((step) => step.component === API_SERVER) ? API_SERVER : steps[0]?.component;
  const own = steps.filter((step) => step.component === component);
  const sums = KINDS.map(({ of, change, names }) => ({
    of,
    change,
    names: [...new Set(own.flatMap(names))],
  })).filter(({ names }) => names.length > 0);
  const sumsOf = (kind: Kind["of"]) => sums.filter(({ of }) => of === kind);
  const gateSums = sumsOf("gates").map(({ change, names }) => `${names.length} ${change}`);
  const resources = new Set(
    sumsOf("storage").flatMap(({ names }) => names.map((each) => each.split(" ")[0])),
  );
  const lines = [
    ...(gateSums.length === 0 ? [] : [`gates: ${gateSums.join(", ")}`]),
    ...sumsOf("APIs").map(
      ({ change, names }) =>
        `APIs: ${names.length} ${change}${change === "removed" ? `: ${names.join(", ")}` : ""}`,
    ),
    ...(resources.size === 0
      ? []
      : [`storage: ${counted(resources.size, "resource is", "resources are")} written in another version`]),
  ];
  return lines.length === 0 ? ["only versions"] : lines;
}

/** Which steps lead to which binary. */
function hopRanges(steps: readonly ShownStep[], back: boolean): string[] {
  const first = steps[0]?.component;
  const starts = steps.flatMap(({ component, move, binaryVersion }, i) =>
    component === first && move === "binary" ? [{ binaryVersion, at: i + 1 }] : [],
  );
  if (back || starts.length < 2) return [];
  return [
    starts
      .map(({ binaryVersion, at }, i) => {
        const next = starts[i + 1];
        return `${binaryVersion} (${stepSpan(at, next === undefined ? steps.length : next.at - 1)})`;
      })
      .join(", "),
  ];
}

function stepText(
  step: ShownStep,
  earlier: readonly ShownStep[],
  lists: SharedLists,
  common: ReadonlyMap<string, readonly string[]>,
  verbose: boolean,
): StepText {
  const { component, does, before, blockers, rollback, healthChecks } = step;
  const changes = KINDS.flatMap(({ title, names, says, always }) => {
    const found = names(step);
    if (found.length === 0) return [];
    return [always || verbose ? `${says(found.length)} ${lists.refer(title, found)}` : says(found.length)];
  });
  const known = CONTROL_PLANE.map((name) => earlier.findLast((each) => each.component === name));
  const isNews =
    verbose ||
    (canEmulate(component) &&
      !known.some((each) => each !== undefined && rollbackText(each) === rollbackText(step)));
  const shared = common.get(component) ?? [];
  return {
    does,
    notes: [
      ...blockers.map(({ message, hint }) => `BLOCKED: ${message}${hint === "" ? "" : `; ${hint}`}`),
      ...before.map((each) => `before: ${each}`),
      ...(changes.length === 0 ? [] : [changes.join(", ")]),
      ...(isNews ? [rollbackText(step)] : []),
      ...(isNews && rollback.notReadable.length > 0
        ? [`unreadable after rollback: ${rollback.notReadable.join(", ")}`]
        : []),
      ...healthChecks.filter((check) => !shared.includes(check)).map((check) => `check: ${check}`),
    ],
  };
}

const rollbackText = ({ rollback }: ShownStep): string =>
  `rollback: ${rollback.binaryVersion === null ? "none" : `binary ${rollback.binaryVersion}`}${rollback.emulatedVersion === null ? "" : `, emulated version ${rollback.emulatedVersion}`}; ${rollback.note}`;

/** The checks that every one of several steps of a component has. */
function commonChecks(steps: readonly ShownStep[]): Map<string, readonly string[]> {
  const found = new Map<string, readonly string[]>();
  for (const component of new Set(steps.map((step) => step.component))) {
    const [first, ...others] = steps.filter((step) => step.component === component);
    const shared = (first?.healthChecks ?? []).filter((check) =>
      others.every(({ healthChecks }) => healthChecks.includes(check)),
    );
    if (others.length > 0 && shared.length > 0) found.set(component, shared);
  }
  return found;
}
