/**
 * How far a transfer is, inferred from the observed objects alone, and what is left of it
 * (docs/reference/pvc-transfer.md §6, crash points C0 to C8). This file holds what both kinds of transfer share.
 */

import type { Problem } from "../core/diagnostics.js";
import type { JsonObject } from "../core/json.js";
import { problem, warning } from "../core/problem.js";
import { ANNOTATIONS, nameText } from "./api.js";
import type { StepSpec, Transfer } from "./model.js";
import { annotationOf, isBeingDeleted, textAt, uidOf } from "./object.js";

/** The objects under the names of a transfer, as they are now. */
export interface Seen {
  readonly source: JsonObject | undefined;
  readonly target: JsonObject | undefined;
  readonly volume: JsonObject | undefined;
  /** Request and approval both say that the transfer is complete. */
  readonly reported: boolean;
}

/** What other transfers of the plan have to do with the names of this one. */
export interface Siblings {
  /** Uids of source claims of the plan. */
  readonly sources: ReadonlySet<string>;
  /** Ids of the transfers of the plan. */
  readonly ids: ReadonlySet<string>;
}

export const CRASH_POINTS = ["C0", "C1", "C2", "C3", "C4", "C5", "C6", "C7", "C8"] as const;
export type CrashPoint = (typeof CRASH_POINTS)[number];

export interface Progress {
  /** As in the plan; the policy is the one saved on the volume, which is the only truth. */
  readonly transfer: Transfer;
  readonly crashPoint: CrashPoint;
  /** Why nothing may be done; then there are no steps. */
  readonly stop: Problem | undefined;
  readonly notes: readonly Problem[];
  /** In order; empty when nothing is left. */
  readonly stepSpecs: readonly StepSpec[];
}

/** The claim under the target's name, as far as it concerns a transfer. */
export type TargetState = "absent" | "ours" | "foreign";

export const stopped = (
  transfer: Transfer,
  crashPoint: CrashPoint,
  message: string,
  hint: string,
  notes: readonly Problem[] = [],
): Progress => ({
  transfer,
  crashPoint,
  stop: problem("TRF061", "Forbidden", nameText(transfer.request), message, hint),
  notes,
  stepSpecs: [],
});

/** A target that is on its way out counts as made, and is gone a moment later. */
export const departing = (
  transfer: Transfer,
  state: TargetState,
  target: JsonObject | undefined,
): { readonly message: string; readonly hint: string } | undefined =>
  target === undefined || state === "absent" || !isBeingDeleted(target)
    ? undefined
    : {
        message: `claim ${nameText(transfer.target)} is being deleted`,
        hint: "wait until it is deleted, take a new dump, and run this command again",
      };

export const note = (transfer: Transfer, message: string, hint: string): Problem =>
  warning(problem("TRF063", "Invalid", nameText(transfer.request), message, hint));

export function targetState(
  transfer: Transfer,
  target: JsonObject | undefined,
  { sources }: Siblings,
): TargetState {
  if (target === undefined) return "absent";
  // The source of another transfer of the plan, which will be gone before this target is made.
  if (sources.has(uidOf(target))) return "absent";
  const named = transfer.volume === null || textAt(target, "spec", "volumeName") === transfer.volume.name;
  return annotationOf(target, ANNOTATIONS.plan) === transfer.id && named ? "ours" : "foreign";
}

/** The claim under the source's name is the one that a rollback of this transfer has made again. */
export const isRemade = (transfer: Transfer, source: JsonObject | undefined): source is JsonObject =>
  source !== undefined &&
  uidOf(source) !== transfer.source.uid &&
  annotationOf(source, ANNOTATIONS.plan) === transfer.id;

export type SourceState = "ours" | "other" | "gone";

/** The claim under the source's name: the one of the plan, another one, or none. */
export function sourceState(
  transfer: Transfer,
  source: JsonObject | undefined,
  { ids }: Siblings,
): SourceState {
  if (source === undefined) return "gone";
  if (uidOf(source) === transfer.source.uid) return "ours";
  // Another transfer of the plan has made its target under this name.
  return ids.has(annotationOf(source, ANNOTATIONS.plan) ?? "") ? "gone" : "other";
}
