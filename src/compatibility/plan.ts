/**
 * The stepwise upgrade of a cluster, or its way back: the route with what each step changes, what blocks it, how to check it and how far
 * back it still leads.
 */
import { createReporter, type Diagnostic, isError, type Report } from "../core/diagnostics.js";
import { byCodeUnit } from "../core/files.js";
import { type ApiTable, groupResource, groupVersion } from "./api-table.js";
import { servedApis } from "./apis.js";
import type { EffectiveVersion } from "./effective.js";
import { canSetMinimum, effectiveKube, kubeFloor } from "./effective.js";
import type { FlagText } from "./flags.js";
import { readGateSettings } from "./gate-flags.js";
import { knownGates } from "./gate-state.js";
import { type GateTable, newestRelease } from "./gate-table.js";
import { answerGates, type GateState } from "./gates.js";
import { settingsIn } from "./gates-in-effect.js";
import { asComponent } from "./gates-question.js";
import {
  type ComponentState,
  defaultState,
  isNode,
  type PlanMove,
  planRoute,
  type RouteStep,
} from "./plan-route.js";
import { noteSettings } from "./plan-settings.js";
import { allDependencies, type DependencyDeclaration } from "./read/dependencies.js";
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
import { type StoragePins, storageVersions } from "./storage-versions.js";
import {
  addMinors,
  compareMinors,
  equalMinors,
  formatMinor,
  type Minor,
  minMinor,
  ofMinor,
  parseMinor,
} from "./version.js";
import { reportsVersions, versionReport } from "./version-report.js";

export interface PlanQuestion extends PlanKnowledge {
  readonly from: Minor;
  readonly to: Minor;
  readonly components: readonly string[];
}

/** What the answers at any versions rest on. */
export interface PlanKnowledge {
  /** Tables of several releases; each binary takes the one of its own release or of the nearest before it. */
  readonly tables: readonly GateTable[];
  readonly dependencies: readonly DependencyDeclaration[];
  readonly lifecycle: ApiTable | undefined;
  readonly pins: StoragePins | undefined;
  readonly featureGates: readonly FlagText[];
  /** What is set on single components, beside `featureGates`, which is set on each. */
  readonly inEffect?: readonly InEffect[];
  readonly runtimeConfig: readonly FlagText[];
  readonly rules: Rules;
}

export interface GateChanges {
  readonly on: readonly string[];
  readonly off: readonly string[];
  readonly locked: readonly string[];
  readonly unlocked: readonly string[];
  readonly vanished: readonly string[];
  readonly introduced: readonly string[];
}

export interface StorageMove {
  readonly group: string;
  readonly resource: string;
  readonly from: string | null;
  readonly to: string | null;
}

export interface PlanStep {
  readonly component: string;
  readonly move: PlanMove;
  readonly does: string;
  readonly binaryVersion: string;
  readonly emulatedVersion: string;
  readonly minCompatibilityVersion: string | null;
  readonly gates: GateChanges;
  readonly apis: { readonly added: readonly string[]; readonly removed: readonly string[] };
  readonly storageVersions: { readonly moved: readonly StorageMove[] };
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
  const { from, to, components, rules } = question;
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
  const route = planRoute(from, to, components, rules);
  if (rules.set === "shipped") notePublished(route, report);
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
function notePublished(route: readonly RouteStep[], report: Report): void {
  const found = new Map<string, { component: string; what: string; first: number; last: number }>();
  for (const [index, step] of route.entries()) {
    // The newer one of two servers beside each other says what it allows.
    const server = step.back && step.component === API_SERVER ? step.before : step.cluster.get(API_SERVER);
    if (server === undefined) continue;
    const ranges = skewRanges([{ ...server, binary: ofMinor(server.binary) }]);
    const entries = [...step.cluster, [step.component, step.before] as const].map((each) => entryOf(...each));
    for (const { component, version, min, max } of publishedViolations(ranges, entries)) {
      const what = `${version} beside kube-apiserver ${formatMinor(server.binary)}, where it allows ${min} to ${max}`;
      const known = found.get(`${component} ${what}`);
      if (known === undefined)
        found.set(`${component} ${what}`, { component, what, first: index, last: index });
      else known.last = index;
    }
  }
  for (const { component, what, first, last } of found.values())
    report({
      severity: "warning",
      code: "SKEW005",
      kind: "Invalid",
      field: component,
      message: `step${first === last ? ` ${first} leaves` : `s ${first} to ${last} leave`} the published skew policy: ${component} ${what}`,
      hint: "upgrade one minor at a time where support depends on the policy",
    });
}

const stateKey = ({ binary, emulation, minCompatibility }: ComponentState): string =>
  [binary, emulation, minCompatibility].map(formatMinor).join(" ");

/** What one component does at one combination of versions. */
interface ComponentAnswer {
  readonly gates: readonly GateState[];
  readonly apis: readonly string[];
  readonly storage: ReadonlyMap<string, StorageMove & { readonly unreadable: boolean }>;
  readonly problems: readonly Diagnostic[];
}

function answerComponent(question: PlanKnowledge, component: string, state: ComponentState): ComponentAnswer {
  const { rules, lifecycle, tables } = question;
  const reporter = createReporter();
  const versions: EffectiveVersion = effectiveKube(
    ofMinor(state.binary),
    rules,
    canEmulate(component) ? { emulation: state.emulation, minCompatibility: state.minCompatibility } : {},
  );
  const table = tableFor(tables, state.binary);
  const gates =
    table === undefined
      ? []
      : gatesOf(
          question,
          asComponent(table, component),
          versions,
          reporter.report,
          (question.inEffect ?? [])
            .filter((each) => each.component === component)
            .flatMap(({ flags }) => flags["feature-gates"]),
        );
  if (component !== API_SERVER || lifecycle === undefined)
    return { gates, apis: [], storage: new Map(), problems: reporter.diagnostics };
  const shared = { table: lifecycle, versions, rules, runtimeConfig: question.runtimeConfig };
  const on = new Set(gates.flatMap(({ name, enabled }) => (enabled ? [name] : [])));
  const served = servedApis(
    {
      ...shared,
      gateOn: table === undefined ? undefined : (name) => on.has(name),
      forwardCompatible: false,
      runtimeConfigForwardCompatible: false,
      strictRemovedInAlpha: false,
      serveRemovedOneMore: false,
    },
    reporter.report,
  );
  const quiet = createReporter();
  const stored = storageVersions({ ...shared, rule: undefined, pins: question.pins }, quiet.report);
  return {
    gates,
    apis: served
      .flatMap((each) => each.resources.map(({ resource }) => `${groupVersion(each)}/${resource}`))
      .sort(byCodeUnit),
    storage: new Map(
      stored.map(({ group, resource, version, storedGroup, kind }) => [
        `${group}/${resource}`,
        {
          group,
          resource,
          from: null,
          to: version,
          unreadable:
            served.some(
              (each) => each.group === group && each.resources.some((member) => member.resource === resource),
            ) && cameAfter(lifecycle, { group: storedGroup, version, kind }, state.minCompatibility),
        },
      ]),
    ),
    problems: reporter.diagnostics,
  };
}

/** True when the stored version did not exist at the minimum compatibility version; only what is served is written. */
function cameAfter(
  { kinds }: ApiTable,
  stored: { group: string; version: string | null; kind: string },
  minimum: Minor,
): boolean {
  const found = kinds.find(
    ({ group, version, kind }) =>
      group === stored.group && version === stored.version && kind === stored.kind,
  );
  const since = found?.introduced ?? found?.registered?.first;
  return since !== undefined && compareMinors(since, minimum) > 0;
}

function gatesOf(
  { dependencies, featureGates, rules }: PlanKnowledge,
  table: GateTable,
  versions: EffectiveVersion,
  report: Report,
  ofComponent: readonly FlagText[],
): GateState[] {
  const read = readGateSettings([...ofComponent, ...featureGates], [table.component], report);
  const settings = read.has(table.component) ? read.get(table.component) : new Map();
  return answerGates(
    {
      known: knownGates(table, rules, settings),
      dependencies: allDependencies(table, dependencies),
      versions,
      settings,
      rules,
      sound: true,
    },
    report,
  );
}

/** What a running component shows, as flags: what differs from the state of its release by default was set. */
function asSet(question: PlanQuestion, { component, flags, observed }: InEffect): InEffect {
  if (observed === undefined) return { component, flags, observed };
  const start = defaultState(question.from, question.rules);
  const { gates } = answerComponent({ ...question, featureGates: [], inEffect: [] }, component, start);
  return {
    component,
    flags: { ...flags, "feature-gates": [settingsIn(observed, gates)] },
    observed: undefined,
  };
}

/** What an API server does otherwise at the second versions than at the first, and what keeps it from starting there. */
export function stateDifference(
  knowledge: PlanKnowledge,
  before: ComponentState,
  after: ComponentState,
): Pick<PlanStep, "gates" | "apis" | "storageVersions"> & { readonly problems: readonly Diagnostic[] } {
  const [was, now] = [before, after].map((state) => answerComponent(knowledge, API_SERVER, state));
  if (was === undefined || now === undefined) throw new Error("two states give two answers");
  return { ...changes(was, now), problems: now.problems.filter(isError) };
}

const changes = (
  was: ComponentAnswer,
  now: ComponentAnswer,
): Pick<PlanStep, "gates" | "apis" | "storageVersions"> => ({
  gates: gateChanges(was.gates, now.gates),
  apis: {
    added: now.apis.filter((each) => !was.apis.includes(each)),
    removed: was.apis.filter((each) => !now.apis.includes(each)),
  },
  storageVersions: { moved: storageMoves(was, now) },
});

/** The table of the release, else that of the nearest release before it, else the oldest. */
function tableFor(tables: readonly GateTable[], binary: Minor): GateTable | undefined {
  const dated = tables
    .flatMap((table) => {
      const release = newestRelease(table);
      return release === undefined ? [] : [{ table, release }];
    })
    .sort((a, b) => compareMinors(a.release, b.release));
  return (dated.filter(({ release }) => compareMinors(release, binary) <= 0).at(-1) ?? dated[0])?.table;
}

function noteTables({ tables, from: start, to }: PlanQuestion, report: Report): void {
  if (tables.length === 0) return;
  const from = minMinor(start, to);
  const releases = tables.flatMap((table) => newestRelease(table) ?? []);
  if (releases.some((release) => compareMinors(release, from) <= 0)) return;
  report({
    severity: "info",
    code: "PLAN001",
    kind: "NotFound",
    message: `no table of release ${formatMinor(from)} or older is given: gates that were deleted since then cannot be seen`,
    hint: "give that release's list as well: --table OLD --table NEW",
  });
}

/** A plan begins with the versions that its first release has by default. */
function noteStart({ component, flags }: InEffect, from: Minor, report: Report): void {
  for (const { flag, text, place } of flags["emulated-version"]) {
    const emulated = parseMinor(text.replace(/^kube=/, ""));
    if (emulated === undefined || equalMinors(emulated, from)) continue;
    report({
      severity: "warning",
      code: "PLAN004",
      kind: "Invalid",
      ...place,
      field: flag,
      message: `${component} runs with ${flag}=${text}, and the plan begins with ${component} ${formatMinor(from)} that behaves as its own release`,
      hint: `finish the upgrade that is under way first, or plan from what it behaves as: --from ${formatMinor(emulated)}`,
    });
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
  return {
    component,
    move,
    does: describe(step, question.rules),
    binaryVersion: formatMinor(after.binary),
    emulatedVersion: formatMinor(after.emulation),
    minCompatibilityVersion: canEmulate(component) ? formatMinor(after.minCompatibility) : null,
    ...changed,
    blockers: [
      ...now.problems
        .filter(isError)
        .map(({ code, field, message, hint }) => ({ code, field, message, hint })),
      ...skewBlockers(step, question.rules),
      ...(step.back && !step.emulated ? [noWayBack(step)] : []),
    ],
    rollback: rollbackOf(step, now, answerOf, question.rules),
    healthChecks: [
      ...healthChecks(step, question.rules),
      ...(step.back ? rewritten(changed.storageVersions.moved) : []),
    ],
  };
}

/** What was stored as the newer release stores it stays so until it is written again. */
const rewritten = (moved: readonly StorageMove[]): string[] =>
  moved.length === 0
    ? []
    : [
        `every object of ${moved.map(({ group, resource }) => groupResource(group, resource)).join(", ")} was written again (a StorageVersionMigration of each succeeded)`,
      ];

const noWayBack = ({ component, before, after }: RouteStep): PlanStep["blockers"][number] => ({
  code: "PLAN003",
  field: component,
  message: `no emulation leads back from ${component} ${formatMinor(before.binary)} to ${formatMinor(after.binary)}`,
  hint: "restore the backup of etcd that was taken with the older release",
});

function describe({ component, move, before, after, emulated, back }: RouteStep, rules: Rules): string {
  const [b, e, m] = [after.binary, after.emulation, after.minCompatibility].map(formatMinor);
  const own = canSetMinimum(after.binary, rules);
  const flags = `--emulated-version=${e}${own ? ` --min-compatibility-version=${m}` : ""}`;
  const last = !own && equalMinors(after.emulation, after.binary);
  switch (move) {
    case "binary":
      if (back && !emulated) return `run the ${b} binary of ${component} again`;
      if (!canEmulate(component)) return `run the ${b} binary of ${component}`;
      return emulated
        ? `run the ${b} binary of ${component} with ${flags}`
        : `run the ${b} binary of ${component}; it cannot emulate ${formatMinor(before.emulation)}`;
    case "emulated-version":
      return `restart ${component} with ${flags}${last ? "; as this is the default, the flag can be dropped" : ""}`;
    case "min-compatibility-version":
      if (back) return `restart ${component} with ${flags}`;
      return `restart ${component} with --min-compatibility-version=${m}; as these are the defaults, the version flags can be dropped`;
    case "node":
      return `${back ? "return" : "upgrade"} ${component} to ${b} node by node, each one drained`;
  }
}

function gateChanges(was: readonly GateState[], now: readonly GateState[]): GateChanges {
  const before = new Map(was.map((gate) => [gate.name, gate]));
  const after = new Map(now.map((gate) => [gate.name, gate]));
  const exists = (gate: GateState | undefined): gate is GateState =>
    gate !== undefined && gate.stage !== "PreAlpha" && gate.stage !== "Removed";
  const names = [...new Set([...before.keys(), ...after.keys()])].sort(byCodeUnit);
  const pick = (test: (a: GateState | undefined, b: GateState | undefined) => boolean): string[] =>
    names.filter((name) => test(before.get(name), after.get(name)));
  return {
    on: pick((a, b) => exists(b) && b.enabled && a?.enabled !== true),
    off: pick((a, b) => exists(a) && a.enabled && exists(b) && !b.enabled),
    locked: pick((a, b) => exists(b) && b.locked && a?.locked !== true),
    unlocked: pick((a, b) => exists(a) && a.locked && exists(b) && !b.locked),
    vanished: pick((a, b) => exists(a) && !exists(b)),
    introduced: pick((a, b) => !exists(a) && exists(b)),
  };
}

function storageMoves(was: ComponentAnswer, now: ComponentAnswer): StorageMove[] {
  return [...now.storage.values()].flatMap(({ group, resource, to }): StorageMove[] => {
    const from = was.storage.get(`${group}/${resource}`)?.to;
    return from === undefined || from === to ? [] : [{ group, resource, from, to }];
  });
}

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
      message: `${name} would be out of skew: ${reason}`,
      hint: "upgrade it in an order that keeps it in range",
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
        ? `a node can be drained and returned to the ${other} version`
        : `the ${other} binary can run again`,
    };
  const { minCompatibility, emulation } = after;
  const floor = effectiveKube(ofMinor(after.binary), rules).floor;
  const lowest = compareMinors(minCompatibility, floor) < 0 ? floor : minCompatibility;
  const notReadable = [...storage.values()]
    .filter(({ unreadable }) => unreadable)
    .map(({ group, resource, to }) => `${resource}${group === "" ? "" : `.${group}`} (${to})`);
  const note =
    move === "min-compatibility-version" && !back
      ? `from here on nothing older than ${formatMinor(minCompatibility)} can take over`
      : `any release from ${formatMinor(minCompatibility)} can take over, alpha features aside`;
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
            `objects of ${notReadable.length === 1 ? "a resource" : `${notReadable.length} resources`} that did not exist there would not be readable`,
          ]),
      ...(refused.size === 0
        ? []
        : [`first take out of --feature-gates what it refuses: ${[...refused].join("; ")}`]),
    ].join("; "),
  };
}

function healthChecks({ component, after }: RouteStep, rules: Rules): string[] {
  const versions = effectiveKube(ofMinor(after.binary), rules, {
    emulation: after.emulation,
    minCompatibility: after.minCompatibility,
  });
  switch (component) {
    case API_SERVER: {
      const fields = Object.entries(versionReport(versions, rules))
        .filter(
          ([name]) =>
            name !== "gitVersion" &&
            (reportsVersions(after.binary, rules) || name === "major" || name === "minor"),
        )
        .map(([name, value]) => `${name}=${String(value)}`)
        .join(" ");
      return [
        "every instance answers /readyz?verbose without a failed check",
        `every instance answers /version with ${fields}`,
        "kubectl get apiservices shows no unavailable group",
      ];
    }
    case "kubelet":
      return [
        `every Node is Ready and reports kubeletVersion ${formatMinor(after.binary)}`,
        "the drained pods run again",
      ];
    case "kube-proxy":
      return [`/healthz of kube-proxy on every node; version ${formatMinor(after.binary)}`];
    default:
      return [
        `/healthz of every instance of ${component}`,
        `its Lease in kube-system is held and renewed${canEmulate(component) ? `; where CoordinatedLeaderElection is on, its LeaseCandidate reports emulationVersion ${formatMinor(after.emulation)}` : ""}`,
      ];
  }
}
