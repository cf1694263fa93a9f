/** What a plan is made of. A plan holds everything that `resume` and `rollback` need beside a fresh dump. */
import type { JsonObject } from "../core/json.js";
import type { Name } from "./api.js";
import type { GateCondition, ObjectRef } from "./gates.js";
import type { WorkloadKindName } from "./workloads.js";

/** `move` rebinds a volume; `recreate` makes a fresh claim for one that never had a volume: nothing moves. */
export type TransferKind = "move" | "recreate";

export interface TransferSource extends Name {
  readonly uid: string;
  readonly resourceVersion: string;
}

export interface TransferVolume {
  readonly name: string;
  readonly uid: string;
  /** The reclaim policy before the transfer. */
  readonly policy: string;
}

/** A request or approval as a plan refers to it. */
export interface TransferRef extends Name {
  readonly apiVersion: string;
  readonly spec: JsonObject;
  /** Empty when the plan was made from Git alone. */
  readonly uid: string;
}

/** What makes a claim again, or deletes it, and has to be stopped first. */
export interface ClaimOwner {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  /** Of a StatefulSet: with more replicas than this it makes the claim again. */
  readonly replicas: number | null;
  /** Of a StatefulSet whose claims are deleted with it or with a replica. */
  readonly deletesClaims: boolean;
}

/** What names the claim in its pod template and has or starts pods. */
export interface ClaimUser {
  readonly kind: WorkloadKindName;
  readonly name: string;
}

export interface Transfer {
  /** Identifies the transfer in the cluster: from what was approved, the claim's uid and the volume's uid. */
  readonly id: string;
  readonly kind: TransferKind;
  readonly request: TransferRef;
  readonly approval: TransferRef;
  readonly source: TransferSource;
  readonly target: Name;
  /** Null for `recreate`. */
  readonly volume: TransferVolume | null;
  /** The target is made after the source is deleted (docs/reference/pvc-transfer.md §6, late-create variant). */
  readonly late: boolean;
  /** Transfers with the same number delete all their sources before the first of their targets is made. */
  readonly group: number;
  readonly owners: readonly ClaimOwner[];
  readonly users: readonly ClaimUser[];
  /** Finalizers of the source that somebody takes care of. */
  readonly waivedFinalizers: readonly string[];
  /** Names of the delivery tool that declares the source; empty when none was seen. */
  readonly deliveredBy: string;
  /** From this moment on the approval is void; null when it has no expiry. */
  readonly expires: string | null;
  /** The claim that is made in the target namespace. */
  readonly targetObject: JsonObject;
  /** The claim that a rollback makes again in the source namespace. */
  readonly sourceObject: JsonObject;
  /** Of a volume whose claim was gone before the transfer: the claimRef that a rollback gives back, null for none. */
  readonly vacated?: { readonly claimRef: JsonObject | null };
}

/** The volume of a transfer that moves one; a `recreate` has none, and asking is a bug. */
export function volumeOf(transfer: Transfer): TransferVolume {
  if (transfer.volume === null) throw new Error(`transfer ${transfer.id} moves no volume`);
  return transfer.volume;
}

/** Parts of order R (docs/reference/pvc-transfer.md §6). */
export type Stage = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9;

export type Action =
  | "check"
  | "patch-pv"
  | "gate"
  | "create-pvc"
  | "patch-pvc"
  | "delete-pvc"
  | "patch-status";

export interface Artefact {
  /** Whose review it needs: the two sides, or who administers volumes. */
  readonly folder: "source" | "target" | "cluster";
  readonly form: "manifest" | "json-patch" | "delete-options" | "gate";
  /** Part of the file's name. */
  readonly label: string;
  readonly content: JsonObject | readonly JsonObject[];
}

/** One step of one transfer, before it has a number and a place. */
export interface StepSpec {
  /** Unique within the transfer. */
  readonly key: string;
  readonly stage: Stage;
  readonly action: Action;
  readonly does: string;
  readonly precondition: string | null;
  readonly reversible: boolean;
  readonly artefact: Artefact | null;
  /** What is written; null for a gate, a check and the status of a transfer object. */
  readonly on: ObjectRef | null;
  /** Of a gate: what it waits for. Of any other step: what its command asks before it does anything. */
  readonly conditions: readonly GateCondition[];
  /** A command line; ARTEFACT stands for the path of the artefact. Empty for a gate, which holds its own. */
  readonly run: readonly string[];
}

/** Stands in `run` for the path of a step's artefact. */
export const ARTEFACT = "{artefact}";

export interface Step {
  readonly id: string;
  /** `namespace/name` of the request. */
  readonly transfer: string;
  readonly stage: Stage;
  readonly key: string;
  readonly action: Action;
  /** Path relative to the output folder; null when the step has none. */
  readonly artefact: string | null;
  readonly precondition: string | null;
  readonly reversible: boolean;
  readonly does: string;
  readonly run: readonly string[];
}

export interface TransferPlan {
  readonly apiVersion: "slipway.dev/v1alpha1";
  readonly kind: "TransferPlan";
  readonly id: string;
  readonly transfers: readonly Transfer[];
  readonly steps: readonly Step[];
}
