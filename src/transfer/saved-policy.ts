/**
 * The reclaim policy that a volume had before: what is noted on the volume is the only truth
 * (docs/reference/pvc-transfer.md §6, C8).
 */
import type { Problem } from "../core/diagnostics.js";
import type { JsonObject } from "../core/json.js";
import { ANNOTATIONS } from "./api.js";
import { type Transfer, volumeOf } from "./model.js";
import { annotationOf } from "./object.js";
import { note } from "./progress.js";

/** The transfer with the policy that its volume says, and a note where the plan says another. */
export function withSavedPolicy(
  plan: Transfer,
  volume: JsonObject | undefined,
  marked: boolean,
): { readonly transfer: Transfer; readonly notes: readonly Problem[] } {
  const saved = volume !== undefined && marked ? annotationOf(volume, ANNOTATIONS.originalPolicy) : undefined;
  if (saved === undefined || plan.volume === null || saved === plan.volume.policy)
    return { transfer: plan, notes: [] };
  return {
    transfer: { ...plan, volume: { ...plan.volume, policy: saved } },
    notes: [
      note(
        plan,
        `the saved policy of volume ${plan.volume.name} is ${saved}, the one in the plan is ${plan.volume.policy}; using the saved policy`,
        "",
      ),
    ],
  };
}

/** Policies that a volume may get back: a plan refuses Recycle. */
const RESTORABLE: readonly string[] = ["Retain", "Delete"];

/** Why the policy that the volume notes cannot be given back; undefined when it can. */
export function oddPolicy(
  transfer: Transfer,
): { readonly message: string; readonly hint: string } | undefined {
  const { name, policy } = volumeOf(transfer);
  if (RESTORABLE.includes(policy)) return undefined;
  return {
    message: `volume ${name} has the saved policy ${JSON.stringify(policy)}, which no transfer writes`,
    hint: `set the annotation ${ANNOTATIONS.originalPolicy} to ${RESTORABLE.join(" or ")}`,
  };
}
