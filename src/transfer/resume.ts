/** What is left of a plan, from a later dump alone (docs/reference/pvc-transfer.md §6). */

import type { Problem } from "../core/diagnostics.js";
import { problem } from "../core/problem.js";
import { APPROVAL_KIND, REQUEST_KIND } from "../crd/storage-transfer.js";
import { nameText } from "./api.js";
import * as pairChecks from "./checks/pair.js";
import * as usage from "./checks/usage.js";
import type { Transfer, TransferPlan } from "./model.js";
import { at } from "./object.js";
import { parseMoment } from "./pins.js";
import { siblingsOf } from "./plan.js";
import { CRASH_POINTS, type CrashPoint, type Progress, type Seen, stopped } from "./progress.js";
import { progressOf } from "./progress-of.js";
import { type Scheduled, schedule } from "./schedule.js";
import { type ClusterState, transferKey } from "./state.js";
import type { ClaimBinding, SafetyCheck } from "./transfer-context.js";

export interface Resumed {
  /** The earliest of all transfers. */
  readonly crashPoint: CrashPoint;
  readonly transfers: readonly Progress[];
  /** Of the transfers that need not stop. */
  readonly steps: readonly Scheduled[];
  readonly problems: readonly Problem[];
}

/** The objects of a dump under the names of a transfer. */
export function seenOf(transfer: Transfer, state: ClusterState): Seen {
  const complete = (kind: string, ref: Transfer["request"]): boolean =>
    at(state.transferObjects.get(transferKey(kind, ref))?.object, "status", "complete") === true;
  return {
    source: state.claims.get(nameText(transfer.source))?.object,
    target: state.claims.get(nameText(transfer.target))?.object,
    volume: transfer.volume === null ? undefined : state.volumes.get(transfer.volume.name)?.object,
    reported: complete(REQUEST_KIND, transfer.request) && complete(APPROVAL_KIND, transfer.approval),
  };
}

/** Consent is looked at again as long as everything can be taken back. */
const LAST_REVERSIBLE = CRASH_POINTS.indexOf("C3");

function withConsent(progress: Progress, now: Date): Progress {
  const { transfer, crashPoint, stepSpecs, stop } = progress;
  const expires = transfer.expires === null ? undefined : parseMoment(transfer.expires);
  if (stop !== undefined || stepSpecs.length === 0 || expires === undefined || expires > now.getTime())
    return progress;
  if (CRASH_POINTS.indexOf(crashPoint) > LAST_REVERSIBLE) return progress;
  return {
    ...progress,
    stepSpecs: [],
    stop: problem(
      "TRF020",
      "Forbidden",
      nameText(transfer.request),
      `the approval expired at ${transfer.expires} before the claim was deleted`,
      "have the owner of the source approve again and create a new plan, or run slipway transfer rollback --plan PLAN --state DUMP",
    ),
  };
}

/** What may have begun since the plan was made, and must have ended before the source is deleted. */
const BEFORE_DELETE: readonly SafetyCheck[] = [
  usage.finalizers,
  usage.snapshots,
  pairChecks.fits,
  pairChecks.settled,
  pairChecks.sole,
];

/** The delete names the uid alone: what has begun since the plan was made is seen only by looking again. */
function stillSafe(progress: Progress, state: ClusterState): Progress {
  const { transfer, stepSpecs, stop, notes } = progress;
  if (stop !== undefined || transfer.volume === null || stepSpecs.every(({ key }) => key !== "delete"))
    return progress;
  const binding: ClaimBinding = {
    source: transfer.source,
    target: transfer.target,
    claim: state.claims.get(nameText(transfer.source)),
    volume: state.volumes.get(transfer.volume.name),
    kind: transfer.kind,
    id: transfer.id,
    place: { file: state.files[0] ?? "", line: 0, column: 0 },
  };
  const options = { waivedFinalizers: new Set(transfer.waivedFinalizers) };
  const found = BEFORE_DELETE.flatMap((check) => check(binding, { state, options })).filter(
    ({ severity = "error" }) => severity === "error",
  );
  const [first, ...others] = found;
  return first === undefined
    ? progress
    : { ...progress, stepSpecs: [], stop: first, notes: [...notes, ...others] };
}

/** The transfers of a plan that are asked for, by their requests (`namespace/name`); empty: all of them. */
export type Only = ReadonlySet<string>;
export const ALL: Only = new Set();
export const isNamed = ({ request }: Transfer, only: Only): boolean =>
  only.size === 0 || only.has(nameText(request));

export function resumePlan(plan: TransferPlan, state: ClusterState, now: Date, only: Only = ALL): Resumed {
  const siblings = siblingsOf(plan.transfers);
  const all = plan.transfers.map((transfer) =>
    withConsent(stillSafe(progressOf(transfer, seenOf(transfer, state), siblings), state), now),
  );
  const transfers = withTheirGroup(all, only).filter(({ transfer }) => isNamed(transfer, only));
  // Transfers that share names or a quota go on together, or not at all.
  const halted = new Set(
    transfers.flatMap(({ transfer, stop }) => (stop === undefined ? [] : [transfer.group])),
  );
  return {
    crashPoint: earliest(transfers),
    transfers,
    steps: schedule(transfers.filter(({ transfer }) => !halted.has(transfer.group))),
    problems: transfers.flatMap(({ stop, notes }) => [...notes, ...(stop === undefined ? [] : [stop])]),
  };
}

/** A transfer that has yet to take its place needs those that share names or a quota with it. */
function withTheirGroup(all: readonly Progress[], only: Only): readonly Progress[] {
  if (only.size === 0) return all;
  return all.map((progress): Progress => {
    const { transfer, crashPoint, stop } = progress;
    if (stop !== undefined || CRASH_POINTS.indexOf(crashPoint) > LAST_ALONE) return progress;
    const other = all.find(
      (each) =>
        each.transfer.group === transfer.group &&
        !isNamed(each.transfer, only) &&
        CRASH_POINTS.indexOf(each.crashPoint) <= LAST_ALONE,
    );
    if (other === undefined) return progress;
    return stopped(
      transfer,
      crashPoint,
      `the transfer shares names or a quota with ${nameText(other.transfer.request)}`,
      `add --only ${nameText(other.transfer.request)}`,
    );
  });
}

/** Until here the claims of a group wait for each other. */
const LAST_ALONE = CRASH_POINTS.indexOf("C5");

export const earliest = (transfers: readonly { readonly crashPoint: CrashPoint }[]): CrashPoint =>
  CRASH_POINTS.find((point) => transfers.some(({ crashPoint }) => crashPoint === point)) ?? "C8";
