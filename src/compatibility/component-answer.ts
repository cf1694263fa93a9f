/** What one component does at one combination of versions, and what it does otherwise at another. */
import { createReporter, type Diagnostic, isError, type Report } from "../core/diagnostics.js";
import { byCodeUnit } from "../core/files.js";
import { type ApiKind, type ApiTable, groupVersion } from "./api-table.js";
import { type ApiQuestion, servedApis } from "./apis.js";
import type { EffectiveVersion } from "./effective.js";
import { effectiveKube } from "./effective.js";
import type { FlagText } from "./flags.js";
import { namesIn } from "./gate-dependencies.js";
import { readGateSettings } from "./gate-flags.js";
import { knownGates } from "./gate-state.js";
import { type GateTable, newestRelease } from "./gate-table.js";
import { answerGates, type GateState } from "./gates.js";
import { asComponent } from "./gates-question.js";
import type { ComponentState } from "./plan-route.js";
import { allDependencies, type DependencyDeclaration } from "./read/dependencies.js";
import type { InEffect } from "./read/gates-in-effect.js";
import type { Rules } from "./rules.js";
import { API_SERVER, canEmulate } from "./skew.js";
import { type StoragePins, storageVersions } from "./storage-versions.js";
import { compareMinors, type Minor, ofMinor } from "./version.js";
import { checkWatches, servedForward, unservedWatches } from "./watches.js";

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

/** How objects of a resource are stored. */
export interface Stored extends StorageMove {
  /** True when what is stored did not exist at the minimum compatibility version. */
  readonly unreadable: boolean;
  /** The group and the kind that they are stored as. */
  readonly as: { readonly group: string; readonly kind: string };
}

/** What one component does at one combination of versions. */
export interface ComponentAnswer {
  readonly gates: readonly GateState[];
  readonly apis: readonly string[];
  readonly storage: ReadonlyMap<string, Stored>;
  /** True where the server serves what it watches only with `--emulation-forward-compatible`. */
  readonly forwardCompatible: boolean;
  readonly problems: readonly Diagnostic[];
}

/** The answer of one component, with what keeps it from starting. */
export function answerComponent(
  question: PlanKnowledge,
  component: string,
  state: ComponentState,
): ComponentAnswer {
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
    return {
      gates,
      apis: [],
      storage: new Map(),
      forwardCompatible: false,
      problems: reporter.diagnostics,
    };
  const shared = { table: lifecycle, versions, rules, runtimeConfig: question.runtimeConfig };
  const on = new Set(gates.flatMap(({ name, enabled }) => (enabled ? [name] : [])));
  const asked: ApiQuestion = {
    ...shared,
    gateOn: table === undefined ? undefined : (name) => on.has(name),
    forwardCompatible: false,
    runtimeConfigForwardCompatible: false,
    strictRemovedInAlpha: false,
    serveRemovedOneMore: false,
  };
  const plain = servedApis(asked, reporter.report);
  const wider = unservedWatches(asked, plain).length === 0 ? undefined : servedForward(asked);
  const forward =
    wider !== undefined && unservedWatches(wider.question, wider.served).length === 0 ? wider : undefined;
  const served = forward?.served ?? plain;
  checkWatches(forward?.question ?? asked, served, reporter.report);
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
          as: { group: storedGroup, kind },
          unreadable:
            served.some(
              (each) => each.group === group && each.resources.some((member) => member.resource === resource),
            ) && cameAfter(lifecycle, { group: storedGroup, version, kind }, state.minCompatibility),
        },
      ]),
    ),
    forwardCompatible: forward !== undefined,
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

const isNewer = ({ registered, introduced }: ApiKind, binary: Minor): boolean => {
  const since = registered?.first ?? introduced;
  return since !== undefined && compareMinors(since, binary) > 0;
};

/** What is stored by one component and cannot be decoded by the binary of another release, as that has no such version. */
export const undecodable = (
  { storage }: ComponentAnswer,
  binary: Minor,
  lifecycle: ApiTable | undefined,
): Stored[] =>
  lifecycle === undefined
    ? []
    : [...storage.values()].filter(({ as, to }) => {
        const found = lifecycle.kinds.find(
          ({ group, version, kind }) => group === as.group && version === to && kind === as.kind,
        );
        const others = lifecycle.kinds.filter(({ group, kind }) => group === as.group && kind === as.kind);
        // A binary that does not have the kind at all does not look at its objects.
        return found !== undefined && isNewer(found, binary) && others.some((kind) => !isNewer(kind, binary));
      });

function gatesOf(
  { dependencies, featureGates, rules }: PlanKnowledge,
  table: GateTable,
  versions: EffectiveVersion,
  report: Report,
  ofComponent: readonly FlagText[],
): GateState[] {
  const read = readGateSettings([...ofComponent, ...featureGates], [table.component], report);
  const settings = read.has(table.component) ? read.get(table.component) : new Map();
  const all = allDependencies(table, dependencies);
  return answerGates(
    {
      known: knownGates(table, rules, new Set([...(settings?.keys() ?? []), ...namesIn(all)])),
      dependencies: all,
      versions,
      settings,
      rules,
      sound: true,
    },
    report,
  );
}

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

/** What a component does otherwise than before. */
export interface StateChanges {
  readonly gates: GateChanges;
  readonly apis: { readonly added: readonly string[]; readonly removed: readonly string[] };
  readonly storageVersions: { readonly moved: readonly StorageMove[] };
}

/** What an API server does otherwise at the second versions than at the first, and what keeps it from starting there. */
export function stateDifference(
  knowledge: PlanKnowledge,
  before: ComponentState,
  after: ComponentState,
): StateChanges & { readonly problems: readonly Diagnostic[] } {
  const [was, now] = [before, after].map((state) => answerComponent(knowledge, API_SERVER, state));
  if (was === undefined || now === undefined) throw new Error("the two states have different answers");
  return { ...changes(was, now), problems: now.problems.filter(isError) };
}

/** What is otherwise in the second answer. */
export const changes = (was: ComponentAnswer, now: ComponentAnswer): StateChanges => ({
  gates: gateChanges(was.gates, now.gates),
  apis: {
    added: now.apis.filter((each) => !was.apis.includes(each)),
    removed: was.apis.filter((each) => !now.apis.includes(each)),
  },
  storageVersions: { moved: storageMoves(was, now) },
});

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
