/**
 * The stepwise upgrade of a cluster, or its way back: the route with what each step changes, what blocks it, how to check it and how far
 * back it still leads.
 */

import { type Diagnostic, isError, type Problem, type Report } from "../core/diagnostics.js";
import { problemList } from "../core/problem.js";
import {
  answerComponent,
  type ComponentAnswer,
  changes,
  type PlanKnowledge,
  type StateChanges,
  type StorageMove,
  type Stored,
  undecodable,
} from "./component-answer.js";
import { effectiveKube, kubeFloor } from "./effective.js";
import { newestRelease } from "./gate-table.js";
import { settingsIn } from "./gates-in-effect.js";
import {
  type ComponentState,
  defaultState,
  type Hops,
  isNode,
  type PlanMove,
  planRoute,
  type RouteStep,
} from "./plan-route.js";
import { noteSettings } from "./plan-settings.js";
import { deletions, describe, healthChecks, rewritten } from "./plan-words.js";
import type { InEffect } from "./read/gates-in-effect.js";
import type { Rules } from "./rules.js";
import {
  API_SERVER,
  canEmulate,
  type InventoryEntry,
  publishedViolations,
  skewRanges,
  skewViolations,
} from "./skew.js";
import {
  addMinors,
  compareMinors,
  equalMinors,
  formatMinor,
  type Minor,
  minMinor,
  minorOf,
  ofMinor,
  parseMinor,
} from "./version.js";

export interface PlanQuestion extends PlanKnowledge {
  readonly from: Minor;
  readonly to: Minor;
  readonly components: readonly string[];
  /** What keeps a component of the next release from starting with the flags that it is given. */
  readonly refusedFlags?:
    | ((component: string, before: Minor, after: Minor) => readonly Problem[])
    | undefined;
  /** Default: each minor release, as Kubernetes' policy asks. */
  readonly hops?: Hops;
}

export interface PlanStep extends StateChanges {
  readonly component: string;
  readonly move: PlanMove;
  readonly does: string;
  readonly binaryVersion: string;
  readonly emulatedVersion: string;
  readonly minCompatibilityVersion: string | null;
  /** What has to be done before the step. */
  readonly before: readonly string[];
  readonly blockers: readonly Pick<Diagnostic, "code" | "field" | "message" | "hint">[];
  readonly rollback: {
    /** Oldest binary that can take over; null when none but the present one can. */
    readonly binaryVersion: string | null;
    /** Lowest version to emulate without another binary. */
    readonly emulatedVersion: string | null;
    readonly notReadable: readonly string[];
    readonly note: string;
  };
  readonly healthChecks: readonly string[];
}

/** The steps in order; the state before is no step. */
export function upgradePlan(asked: PlanQuestion, report: Report): PlanStep[] {
  const question = { ...asked, inEffect: (asked.inEffect ?? []).map((each) => asSet(asked, each)) };
  const { from, to, components, rules, hops = "minor" } = question;
  noteTables(question, report);
  for (const each of question.inEffect) noteStart(each, from, report);
  const answers = new Map<string, ComponentAnswer>();
  const answerOf = (component: string, state: ComponentState): ComponentAnswer => {
    const key = `${component} ${stateKey(state)}`;
    const known = answers.get(key);
    if (known !== undefined) return known;
    const answer = answerComponent(question, component, state);
    answers.set(key, answer);
    return answer;
  };
  const seen = new Set<string>();
  const route = planRoute(from, to, components, rules, hops);
  if (rules.set === "shipped") notePublished(route, hops, report);
  noteSettings(route, (component, state) => answerOf(component, state).problems, report);
  return route.map((step) => {
    const made = planStep(step, answerOf, question);
    // What blocks one step of a component blocks all behind it until it is mended; it is said once.
    const blockers = made.blockers.filter(({ code, field, hint }) => {
      const key = `${step.component} ${code} ${field} ${hint}`;
      return !seen.has(key) && seen.add(key);
    });
    return { ...made, blockers };
  });
}

/**
 * What a step leaves beside each other outside the published skew policy, which counts binaries: each pair of versions
 * once, with the steps that it lasts.
 */
function notePublished(route: readonly RouteStep[], hops: Hops, report: Report): void {
  const found = new Map<string, { component: string; what: string; first: number; last: number }>();
  for (const [index, step] of route.entries()) {
    const number = index + 1;
    // The newer one of two servers beside each other says what it allows.
    const server = step.back && step.component === API_SERVER ? step.before : step.cluster.get(API_SERVER);
    if (server === undefined) continue;
    const ranges = skewRanges([{ ...server, binary: ofMinor(server.binary) }]);
    const entries = [...step.cluster, [step.component, step.before] as const].map((each) => entryOf(...each));
    for (const { component, version, min, max } of publishedViolations(ranges, entries)) {
      const what = `${version} with kube-apiserver ${formatMinor(server.binary)}, which supports ${min} to ${max}`;
      const known = found.get(`${component} ${what}`);
      if (known === undefined)
        found.set(`${component} ${what}`, { component, what, first: number, last: number });
      else known.last = number;
    }
  }
  for (const { component, what, first, last } of found.values())
    problemList(report, component).warnings.report(
      "SKEW005",
      "Invalid",
      `${first === last ? `step ${first} violates` : `steps ${first} to ${last} violate`} the Kubernetes version skew policy: ${component} ${what}`,
      hops === "fewest"
        ? "use --hops minor if your support depends on the policy"
        : "see whether your support depends on the policy",
    );
}

const stateKey = ({ binary, emulation, minCompatibility }: ComponentState): string =>
  [binary, emulation, minCompatibility].map(formatMinor).join(" ");

/** What a running component shows, as flags: what differs from the state of its release by default was set. */
function asSet(question: PlanQuestion, shown: InEffect): InEffect {
  const { component, flags, observed } = shown;
  if (observed === undefined) return shown;
  const start = runningState(shown, question);
  const { gates } = answerComponent({ ...question, featureGates: [], inEffect: [] }, component, start);
  return {
    ...shown,
    flags: { ...flags, "feature-gates": [settingsIn(observed, gates)] },
    observed: undefined,
  };
}

/** The versions at which the gates of a running component were seen. */
function runningState({ reported }: InEffect, { from, rules }: PlanQuestion): ComponentState {
  if (reported === undefined) return defaultState(from, rules);
  const { binary, emulation, minCompatibility } = reported;
  return { binary: minorOf(binary), emulation, minCompatibility };
}

function noteTables({ tables, from: start, to }: PlanQuestion, report: Report): void {
  if (tables.length === 0) return;
  const from = minMinor(start, to);
  const releases = tables.flatMap((table) => newestRelease(table) ?? []);
  if (releases.some((release) => compareMinors(release, from) <= 0)) return;
  problemList(report).infos.report(
    "PLAN001",
    "NotFound",
    `no table of release ${formatMinor(from)} or earlier is specified, so gates removed since then are not reported`,
    "add the list of that release: --table OLD --table NEW",
  );
}

/** A plan begins with the versions that its first release has by default. */
function noteStart({ component, flags, reported }: InEffect, from: Minor, report: Report): void {
  if (
    reported !== undefined &&
    !(equalMinors(reported.emulation, from) && equalMinors(minorOf(reported.binary), from))
  )
    problemList(report, "--gates-from", reported.place).warnings.report(
      "PLAN004",
      "Invalid",
      `${component} ${formatMinor(minorOf(reported.binary))} runs and emulates ${formatMinor(reported.emulation)}, but the plan starts with ${component} ${formatMinor(from)} emulating its own release`,
      equalMinors(reported.emulation, from)
        ? "finish the upgrade to the running binary first"
        : `finish the upgrade to the running binary first, or plan from the emulated version: --from ${formatMinor(reported.emulation)}`,
    );
  for (const { flag, text, place } of flags["emulated-version"]) {
    const emulated = parseMinor(text.replace(/^kube=/, ""));
    if (emulated === undefined || equalMinors(emulated, from)) continue;
    problemList(report, flag, place).warnings.report(
      "PLAN004",
      "Invalid",
      `${component} runs with ${flag}=${text}, but the plan starts with ${component} ${formatMinor(from)} emulating its own release`,
      `finish the current upgrade first, or plan from the emulated version: --from ${formatMinor(emulated)}`,
    );
  }
}

function planStep(
  step: RouteStep,
  answerOf: (component: string, state: ComponentState) => ComponentAnswer,
  question: PlanQuestion,
): PlanStep {
  const { component, move, before, after } = step;
  const was = answerOf(component, before);
  const now = answerOf(component, after);
  const changed = changes(was, now);
  const lost = step.back && move === "binary" ? undecodable(was, after.binary, question.lifecycle) : [];
  return {
    component,
    move,
    does: describe(step, question.rules, now.forwardCompatible),
    binaryVersion: formatMinor(after.binary),
    emulatedVersion: formatMinor(after.emulation),
    minCompatibilityVersion: canEmulate(component) ? formatMinor(after.minCompatibility) : null,
    ...changed,
    before: deletions(lost, step),
    blockers: [
      ...now.problems
        .filter(isError)
        .map(({ code, field, message, hint }) => ({ code, field, message, hint })),
      ...(move === "binary" || move === "node"
        ? (question.refusedFlags?.(component, before.binary, after.binary) ?? [])
        : []
      ).map(({ code, field = "", message, hint = "" }) => ({ code, field, message, hint })),
      ...skewBlockers(step, question.rules),
      ...(step.back && !step.emulated ? [noWayBack(step)] : []),
    ],
    rollback: rollbackOf(step, now, answerOf, question.rules),
    healthChecks: [
      ...healthChecks(step, question.rules),
      ...(step.back ? rewritten(changed.storageVersions.moved.filter((move) => !isOf(lost, move))) : []),
    ],
  };
}

const isOf = (lost: readonly Stored[], { group, resource }: Stored | StorageMove): boolean =>
  lost.some((each) => each.group === group && each.resource === resource);

const noWayBack = ({ component, before, after }: RouteStep): PlanStep["blockers"][number] => ({
  code: "PLAN003",
  field: component,
  message: `${component} cannot be downgraded from ${formatMinor(before.binary)} to ${formatMinor(after.binary)} by emulation`,
  hint: "restore the etcd backup that was taken with the earlier release",
});

/**
 * Skew while the step rolls out, when both states of the component run, and after it. A server that cannot emulate
 * anything older is compatible with the release before it, as published; its own minimum cannot say so.
 */
function skewBlockers({ component, before, cluster }: RouteStep, rules: Rules): PlanStep["blockers"] {
  const server = cluster.get(API_SERVER);
  if (server === undefined) return [];
  const servers = component === API_SERVER ? [before, server] : [server];
  const ranges = skewRanges(
    servers.map(({ binary, emulation, minCompatibility }) => ({
      binary: ofMinor(binary),
      emulation,
      minCompatibility: equalMinors(kubeFloor(binary, rules), binary)
        ? addMinors(binary, -1)
        : minCompatibility,
    })),
  );
  const running = [...cluster].map(([name, state]) => entryOf(name, state));
  const leaving = entryOf(component, before);
  const others = component === API_SERVER ? running.filter((each) => each.component !== API_SERVER) : running;
  return skewViolations(ranges, component === API_SERVER ? others : [...others, leaving]).map(
    ({ component: name, reason }) => ({
      code: "SKEW004" as const,
      field: name,
      message: `${name} would violate the version skew policy: ${reason}`,
      hint: "change the order of the upgrade so that it stays in range",
    }),
  );
}

const entryOf = (
  component: string,
  { binary, emulation, minCompatibility }: ComponentState,
): InventoryEntry => ({
  component,
  name: "",
  node: "",
  version: ofMinor(binary),
  emulated: emulation,
  minCompatibility,
  place: { file: "", line: 0, column: 0 },
});

/** Back to the minimum compatibility version, as the design promises, unless an object could then not be read. */
function rollbackOf(
  { component, move, after, before, back }: RouteStep,
  { storage }: ComponentAnswer,
  answerOf: (component: string, state: ComponentState) => ComponentAnswer,
  rules: Rules,
): PlanStep["rollback"] {
  const other = back ? "newer" : "old";
  if (!canEmulate(component))
    return {
      binaryVersion: formatMinor(before.binary),
      emulatedVersion: null,
      notReadable: [],
      note: isNode(component)
        ? `drain a node to return it to the ${other} version`
        : `the ${other} binary can be started again`,
    };
  const { minCompatibility, emulation } = after;
  const floor = effectiveKube(ofMinor(after.binary), rules).floor;
  const lowest = compareMinors(minCompatibility, floor) < 0 ? floor : minCompatibility;
  const notReadable = [...storage.values()]
    .filter(({ unreadable }) => unreadable)
    .map(({ group, resource, to }) => `${resource}${group === "" ? "" : `.${group}`} (${to})`);
  const note =
    move === "min-compatibility-version" && !back
      ? `releases before ${formatMinor(minCompatibility)} can no longer take over`
      : `any release from ${formatMinor(minCompatibility)} can take over, except for alpha features`;
  // Gates that are set keep the older binary, or the same one at the lower version, from starting where it refuses them.
  const older = defaultState(minCompatibility, rules);
  const refused = new Set(
    [older, { ...after, emulation: lowest, minCompatibility: minMinor(minCompatibility, lowest) }].flatMap(
      (state) =>
        answerOf(component, state)
          .problems.filter((each) => isError(each) && each.code.startsWith("GATE"))
          .map(({ message }) => message),
    ),
  );
  return {
    binaryVersion: formatMinor(minCompatibility),
    emulatedVersion: compareMinors(lowest, emulation) < 0 ? formatMinor(lowest) : null,
    notReadable,
    note: [
      note,
      ...(notReadable.length === 0
        ? []
        : [
            `objects of ${notReadable.length === 1 ? "a resource" : `${notReadable.length} resources`} that did not exist in that release would not be readable`,
          ]),
      ...(refused.size === 0
        ? []
        : [`first remove the gates from --feature-gates that it rejects: ${[...refused].join("; ")}`]),
    ].join("; "),
  };
}
