/**
 * Pairs and a dump to a plan: every check, then the steps that are left, which before the first step are all of them.
 * A plan is made for all pairs or for none.
 */

import { createHash } from "node:crypto";
import { API_VERSION } from "../core/api-version.js";
import type { Problem } from "../core/diagnostics.js";
import { byCodeUnit } from "../core/files.js";
import type { JsonObject } from "../core/json.js";
import { unsupported } from "../core/problem.js";
import { CLAIM_KIND, TRANSFER_GROUP } from "../crd/storage-transfer.js";
import type { Renderer } from "../text/render.js";
import { ANNOTATIONS, kindOf, nameText, type TransferObject, type TransferPair } from "./api.js";
import { consentInState } from "./checks/consent.js";
import { dumpProblems } from "./checks/dump.js";
import * as pairChecks from "./checks/pair.js";
import * as placeChecks from "./checks/place.js";
import { decideQuotas, limits, type QuotaDecision } from "./checks/quota.js";
import * as usage from "./checks/usage.js";
import type { TransferFinding } from "./findings.js";
import type { Transfer, TransferPlan, TransferRef } from "./model.js";
import { annotationOf, at, objectAt, textAt, uidOf } from "./object.js";
import { policyOf } from "./patches.js";
import { pinsOf } from "./pins.js";
import type { Progress, Seen, Siblings } from "./progress.js";
import { progressOf } from "./progress-of.js";
import { schedule } from "./schedule.js";
import { type Dropped, deliveryOf, scrubMetadata, usesArgoInstance } from "./scrub.js";
import { type ClusterState, transferKey } from "./state.js";
import { type NumberedStep, numberSteps } from "./steps.js";
import { claimView } from "./target-claim.js";
import {
  type Check,
  type Context,
  type PlanOptions,
  type TransferContext,
  transferContextOf,
} from "./transfer-context.js";

/** What is looked at once claim and volume are known to be what a cluster shows. */
const PAIR_CHECKS: readonly Check[] = [
  pairChecks.bound,
  pairChecks.sound,
  pairChecks.fits,
  pairChecks.settled,
  pairChecks.notRecycled,
  pairChecks.free,
  pairChecks.sole,
];
const OTHER_CHECKS: readonly Check[] = [
  usage.pods,
  usage.workloads,
  usage.finalizers,
  usage.owners,
  usage.retention,
  usage.ordinals,
  usage.attachments,
  usage.snapshots,
  usage.delivery,
  placeChecks.namespaces,
  placeChecks.target,
  placeChecks.ranges,
  placeChecks.nodes,
  placeChecks.secrets,
  limits,
];

/** The rows of docs/reference/pvc-transfer.md §3, §5 for one transfer. */
function checkProblems(transferContext: TransferContext, context: Context): Problem[] {
  const unknown = pairChecks.shown(transferContext, context);
  const checks = unknown.length > 0 ? OTHER_CHECKS : [...PAIR_CHECKS, ...OTHER_CHECKS];
  return [...unknown, ...checks.flatMap((check) => check(transferContext, context))];
}

export interface PlanResult {
  /** Findings by which the source's side has not agreed. */
  readonly consent: readonly TransferFinding[];
  readonly problems: readonly Problem[];
  /** Undefined when a problem is an error or consent is missing. */
  readonly made: MadePlan | undefined;
}

export interface MadePlan {
  readonly plan: TransferPlan;
  readonly steps: readonly NumberedStep[];
  /** What does not go along with each claim, by request. */
  readonly dropped: ReadonlyMap<string, readonly Dropped[]>;
}

export function planTransfers(
  pairs: readonly TransferPair[],
  state: ClusterState,
  options: PlanOptions,
  render: Renderer,
): PlanResult {
  const transferContexts = pairs.map((pair) => transferContextOf(pair, state, options));
  const context: Context = { state, transferContexts, options };
  const consent = transferContexts.flatMap((transferContext) => consentInState(transferContext, context));
  const quotas = decideQuotas(context);
  const problems: Problem[] = once([
    ...dumpProblems(context),
    ...pairs.flatMap(supportedKind),
    ...transferContexts.flatMap((transferContext) => checkProblems(transferContext, context)),
    ...quotas.problems,
  ]);
  const refused =
    problems.some(({ severity = "error" }) => severity === "error") ||
    consent.some(({ severity }) => severity === "error");
  if (refused || transferContexts.length === 0) return { consent, problems, made: undefined };
  const made = assemble(context, quotas, render, problems);
  return { consent, problems, made };
}

/** What is true of two namespaces is true of every claim that moves between them, and is told once. */
const once = (problems: readonly Problem[]): Problem[] => [
  ...new Map(problems.map((each) => [JSON.stringify(each), each])).values(),
];

/**
 * Other kinds could be added to the API one day; what follows knows claims only (docs/reference/source-designs.md §5).
 */
const supportedKind = ({ request }: TransferPair): Problem[] =>
  request.sourceKind === CLAIM_KIND
    ? []
    : [
        unsupported(
          "TRF006",
          "spec.source.kind",
          request.sourceKind,
          [CLAIM_KIND],
          request.place("sourceKind"),
        ),
      ];

function assemble(
  context: Context,
  quotas: QuotaDecision,
  render: Renderer,
  problems: Problem[],
): MadePlan | undefined {
  const groups = groupsOf(context.transferContexts, quotas);
  const dropped = new Map<string, readonly Dropped[]>();
  const sources = new Set(context.transferContexts.map(({ source }) => nameText(source)));
  const transfers = context.transferContexts.map((transferContext, index): Transfer => {
    const made = transferOf(transferContext, context, quotas, groups[index] ?? index, sources, render);
    dropped.set(nameText(transferContext.request), made.dropped);
    return made.transfer;
  });
  const siblings = siblingsOf(transfers);
  const progress = transfers.map((transfer, index): Progress => {
    const transferContext = context.transferContexts[index];
    return progressOf(
      transfer,
      transferContext === undefined ? NOTHING : seenBy(transferContext, context),
      siblings,
    );
  });
  for (const { stop, notes } of progress) problems.push(...notes, ...(stop === undefined ? [] : [stop]));
  if (progress.some(({ stop }) => stop !== undefined)) return undefined;
  const steps = numberSteps(schedule(progress));
  const final = progress.map(({ transfer }) => transfer);
  return {
    plan: {
      apiVersion: API_VERSION,
      kind: "TransferPlan",
      id: planId(final),
      transfers: final,
      steps: steps.map(({ step }) => step),
    },
    steps,
    dropped,
  };
}

const NOTHING: Seen = { source: undefined, target: undefined, volume: undefined, reported: false };

const seenBy = ({ claim, volume, target, vacant }: TransferContext, { state }: Context): Seen => ({
  source: vacant ? undefined : claim?.object,
  target: state.claims.get(nameText(target))?.object,
  volume: volume?.object,
  reported: false,
});

export const siblingsOf = (transfers: readonly Transfer[]): Siblings => ({
  sources: new Set(transfers.map(({ source }) => source.uid)),
  ids: new Set(transfers.map(({ id }) => id)),
});

const claimRefOf = (volume: JsonObject | undefined): JsonObject | null =>
  at(volume, "spec", "claimRef") === undefined ? null : objectAt(volume, "spec", "claimRef");

const planId = (transfers: readonly Transfer[]): string =>
  createHash("sha256")
    .update(JSON.stringify(transfers.map(({ id, late, group }) => [id, late, group])), "utf8")
    .digest("hex")
    .slice(0, 16);

/** A number for each transfer; those that share one delete all their sources first. */
function groupsOf(transferContexts: readonly TransferContext[], { together }: QuotaDecision): number[] {
  const groups = transferContexts.map((_, index) => index);
  const join = (a: number, b: number): void => {
    const [from, to] = [groups[a] ?? a, groups[b] ?? b].sort((x, y) => y - x);
    if (from === undefined || to === undefined || from === to) return;
    groups.forEach((group, index) => {
      if (group === from) groups[index] = to;
    });
  };
  const bySource = new Map(transferContexts.map(({ source }, index) => [nameText(source), index]));
  transferContexts.forEach(({ target }, index) => {
    const other = bySource.get(nameText(target));
    if (other !== undefined) join(index, other);
  });
  for (const members of together) {
    const [first, ...others] = members.map((member) => transferContexts.indexOf(member));
    if (first !== undefined) for (const other of others) join(first, other);
  }
  return groups;
}

function transferOf(
  transferContext: TransferContext,
  context: Context,
  quotas: QuotaDecision,
  group: number,
  sources: ReadonlySet<string>,
  render: Renderer,
): { transfer: Transfer; dropped: readonly Dropped[] } {
  const { pair, claim, volume, source, target, kind, id, request } = transferContext;
  const { options, state } = context;
  if (claim === undefined) throw new Error(`no claim for ${nameText(request)}`);
  const object = claim.object;
  const argoInstance = usesArgoInstance(object, usage.applicationNames(context));
  const moved = kind === "move" ? volume?.object : undefined;
  const away = scrubMetadata(object, { delivery: true, argoInstance, keepLabels: options.keepLabels });
  const back = scrubMetadata(object, { delivery: false, argoInstance, keepLabels: undefined });
  const make = (name: typeof source, scrubbed: typeof away): JsonObject =>
    render.object("transfer/claim.yaml", { ...claimView(object, moved, name, scrubbed, id) });
  const refer = (each: TransferObject): TransferRef => ({
    apiVersion: `${each.group === "" ? TRANSFER_GROUP : each.group}/${each.version}`,
    namespace: each.namespace,
    name: each.name,
    spec: each.spec(),
    uid: each.uid || uidOf(state.transferObjects.get(transferKey(kindOf(each), each))?.object ?? {}),
  });
  return {
    dropped: away.dropped,
    transfer: {
      id,
      kind,
      request: refer(pair.request),
      approval: refer(pair.approval),
      source: {
        ...source,
        uid: uidOf(object),
        resourceVersion: textAt(object, "metadata", "resourceVersion"),
      },
      target,
      volume:
        moved === undefined
          ? null
          : {
              name: textAt(moved, "metadata", "name"),
              uid: uidOf(moved),
              policy: annotationOf(moved, ANNOTATIONS.originalPolicy) ?? policyOf(moved),
            },
      late: options.lateCreate || sources.has(nameText(target)) || quotas.late.has(transferContext),
      group,
      owners: usage.ownersOf(transferContext, context),
      users: usage.activeUsersOf(transferContext, context),
      waivedFinalizers: [...options.waivedFinalizers].sort(byCodeUnit),
      deliveredBy: deliveryOf(object, argoInstance),
      expires: pinsOf(pair.approval).expires ?? null,
      targetObject: make(target, away),
      sourceObject: make(source, back),
      ...(transferContext.vacant ? { vacated: { claimRef: claimRefOf(volume?.object) } } : {}),
    },
  };
}
