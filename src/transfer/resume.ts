/** What is left of a plan, from a later dump alone (facts/pvc-transfer.md §6, "resume rule"). */
import type { Problem } from "../core/diagnostics.js";
import { APPROVAL_KIND, REQUEST_KIND } from "../kubernetes/storage-transfer.js";
import { nameText } from "./api.js";
import type { Transfer, TransferPlan } from "./model.js";
import { at } from "./object.js";
import { parseMoment } from "./pins.js";
import { siblingsOf } from "./plan.js";
import { CRASH_POINTS, type CrashPoint, type Progress, type Seen } from "./progress.js";
import { progressOf } from "./progress-of.js";
import { type Scheduled, schedule } from "./schedule.js";
import { type ClusterState, transferKey } from "./state.js";

export interface Resumed {
  /** The earliest of all transfers. */
  readonly crashPoint: CrashPoint;
  readonly transfers: readonly Progress[];
  /** Empty when a transfer has to stop, or when nothing is left. */
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
  const { transfer, crashPoint, pieces, stop } = progress;
  const expires = transfer.expires === null ? undefined : parseMoment(transfer.expires);
  if (stop !== undefined || pieces.length === 0 || expires === undefined || expires > now.getTime())
    return progress;
  if (CRASH_POINTS.indexOf(crashPoint) > LAST_REVERSIBLE) return progress;
  return {
    ...progress,
    pieces: [],
    stop: {
      code: "TRF020",
      kind: "Forbidden",
      field: nameText(transfer.request),
      message: `the approval expired at ${transfer.expires}, and the claim has not been deleted yet`,
      hint: "let the source's side approve again and plan anew, or slipway transfer rollback",
    },
  };
}

export function resumePlan(plan: TransferPlan, state: ClusterState, now: Date): Resumed {
  const siblings = siblingsOf(plan.transfers);
  const transfers = plan.transfers.map((transfer) =>
    withConsent(progressOf(transfer, seenOf(transfer, state), siblings), now),
  );
  return {
    crashPoint: earliest(transfers),
    transfers,
    // One transfer that has to stop stops the batch, as one that fails does.
    steps: transfers.some(({ stop }) => stop !== undefined) ? [] : schedule(transfers),
    problems: transfers.flatMap(({ stop, notes }) => [...notes, ...(stop === undefined ? [] : [stop])]),
  };
}

export const earliest = (transfers: readonly { readonly crashPoint: CrashPoint }[]): CrashPoint =>
  CRASH_POINTS.find((point) => transfers.some(({ crashPoint }) => crashPoint === point)) ?? "C8";
