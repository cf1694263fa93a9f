/** A pair and what the dump shows about it: what every check of a plan is given. */

import { createHash } from "node:crypto";
import type { Position, Problem } from "../core/diagnostics.js";
import type { JsonObject } from "../core/json.js";
import { type PlacedProblems, problemsAt } from "../core/problem.js";
import {
  ANNOTATIONS,
  type Name,
  nameText,
  sourceOf,
  type TransferPair,
  type TransferRequest,
  targetOf,
} from "./api.js";
import type { TransferKind } from "./model.js";
import { annotationOf, textAt, uidOf } from "./object.js";
import { pinsOf, requestDigest } from "./pins.js";
import type { ClusterState, Observed } from "./state.js";
import { claimOfVacant, vacatedBy } from "./vacant.js";

export interface PlanOptions {
  /** Transfers that run in a circle are taken. */
  readonly allowCycles: boolean;
  /** A claim without a volume is replaced by a fresh one. */
  readonly recreateUnbound: boolean;
  /** Finalizers of source claims that somebody takes care of. */
  readonly waivedFinalizers: ReadonlySet<string>;
  /** Labels that go along; undefined for all. */
  readonly keepLabels: ReadonlySet<string> | undefined;
  /** Make every target after its source is gone. */
  readonly lateCreate: boolean;
}

/** Claim and volume of a transfer as a dump shows them, now or when it is resumed. */
export interface ClaimBinding {
  readonly source: Name;
  readonly target: Name;
  readonly claim: Observed | undefined;
  /** The volume that the claim names, or that a claim which is gone has left. */
  readonly volume: Observed | undefined;
  readonly kind: TransferKind;
  readonly id: string;
  /** Where it is asked for, for problems about what the dump does not show. */
  readonly place: Position;
}

export interface TransferContext extends ClaimBinding {
  readonly pair: TransferPair;
  readonly request: TransferRequest;
  /** The source is gone; `claim` is then what its volume says about it. */
  readonly vacant: boolean;
  /** Volumes that a claim which is gone may have left: with several of them nobody knows which one is meant. */
  readonly candidates: readonly Observed[];
}

export interface Context {
  readonly state: ClusterState;
  readonly transferContexts: readonly TransferContext[];
  readonly options: PlanOptions;
}

/** A row of docs/reference/pvc-transfer.md §3 or a part of it. */
export type Check = (transferContext: TransferContext, context: Context) => Problem[];
/** One that is looked at again before the source is deleted. */
export type SafetyCheck = (
  binding: ClaimBinding,
  context: {
    readonly state: ClusterState;
    readonly options: Pick<PlanOptions, "waivedFinalizers">;
  },
) => Problem[];

/** The id of a transfer; two transfers of one pair differ when the claim or its volume was made anew. */
export const transferId = (digest: string, claimUid: string, volumeUid: string): string =>
  createHash("sha256")
    .update(JSON.stringify([digest, claimUid, volumeUid]), "utf8")
    .digest("hex")
    .slice(0, 16);

export function transferContextOf(
  pair: TransferPair,
  state: ClusterState,
  options: PlanOptions,
): TransferContext {
  const { request } = pair;
  const source = sourceOf(request);
  const present = state.claims.get(nameText(source));
  const candidates = present === undefined ? vacatedBy(source, pinsOf(pair.approval).volume, state) : [];
  const [left] = candidates.length === 1 ? candidates : [];
  const claim = left === undefined ? present : claimOfVacant(source, left);
  const volumeName = textAt(claim?.object, "spec", "volumeName");
  const volume = volumeName === "" ? undefined : state.volumes.get(volumeName);
  const recreate = options.recreateUnbound && claim !== undefined && isUnbound(claim.object);
  return {
    pair,
    request,
    source,
    target: targetOf(request),
    claim,
    volume,
    kind: recreate ? "recreate" : "move",
    vacant: left !== undefined,
    candidates,
    place: request.place("sourceName"),
    id: transferId(
      requestDigest(request),
      claim === undefined ? "" : uidOf(claim.object),
      volume === undefined ? "" : uidOf(volume.object),
    ),
  };
}

/** Pending without a volume: nothing was ever written (docs/reference/pvc-transfer.md §5). */
export const isUnbound = (claim: JsonObject): boolean =>
  textAt(claim, "status", "phase") === "Pending" && textAt(claim, "spec", "volumeName") === "";

/** Whether an object carries the mark of this transfer: a run that stopped half way. */
export const carriesMark = (object: JsonObject, { id }: TransferContext): boolean =>
  annotationOf(object, ANNOTATIONS.plan) === id;

/** Where an object of the dump stands; without one, where the request stands. */
export const placeOf = (observed: Observed | undefined, { place }: Pick<ClaimBinding, "place">): Position =>
  observed === undefined ? place : { file: observed.file, line: observed.line, column: observed.column };

/** Constructors of problems about an object of the dump. */
export const about = (
  observed: Observed | undefined,
  transferContext: Pick<ClaimBinding, "place">,
): PlacedProblems => problemsAt(placeOf(observed, transferContext));
