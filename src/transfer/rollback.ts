/**
 * The way back from C1 to C6 (docs/reference/pvc-transfer.md §6). Before the source is deleted it was bound all the
 * time, and policy and notes are put back; after it, the claim is made again for its volume, and only then the policy
 * returns. From C7 on the target holds the volume, and the way back is a transfer in the other direction.
 */

import type { Problem } from "../core/diagnostics.js";
import type { JsonObject } from "../core/json.js";
import { problem } from "../core/problem.js";
import { shellWord } from "../text/shell.js";
import { ANNOTATIONS, nameText } from "./api.js";
import { type StepSpec, type Transfer, type TransferPlan, volumeOf } from "./model.js";
import { annotationOf, at, isBeingDeleted, textAt, uidOf } from "./object.js";
import { type ClaimTest, policyOf } from "./patches.js";
import { siblingsOf } from "./plan.js";
import { isRemade, note, type Progress, type Seen, type Siblings, stopped, targetState } from "./progress.js";
import { progressOf } from "./progress-of.js";
import { isReleased, referenceOf, sourceTest } from "./reference.js";
import { ALL, earliest, isNamed, type Only, type Resumed, seenOf } from "./resume.js";
import {
  deleteTargetStep,
  pointBackStep,
  recreateSourceStep,
  restoreSourceStep,
  sourceBoundGate,
  targetGoneGate,
  undoRetainStep,
  unmarkSourceStep,
  vacateStep,
} from "./rollback-step-specs.js";
import { oddPolicy } from "./saved-policy.js";
import type { Scheduled } from "./schedule.js";
import type { ClusterState } from "./state.js";
import { failedStatus, goneGate, retainedGate, retainStep, statusSteps } from "./step-specs.js";

/** The way back of each transfer by itself: one that has to stop keeps the others from nothing but its name. */
export function rollbackPlan(plan: TransferPlan, state: ClusterState, only: Only = ALL): Resumed {
  const siblings = siblingsOf(plan.transfers);
  const all = plan.transfers.map((transfer) => wayBack(transfer, seenOf(transfer, state), siblings));
  const transfers = withoutTakenNames(all, state, only).filter(({ transfer }) => isNamed(transfer, only));
  return {
    crashPoint: earliest(transfers),
    transfers,
    steps: scheduleBack(transfers.filter(({ stop }) => stop === undefined)),
    problems: transfers.flatMap(({ stop, notes }) => [...notes, ...(stop === undefined ? [] : [stop])]),
  };
}

/** A source cannot be made again under a name that the target of a transfer has which is not led back. */
function withoutTakenNames(all: readonly Progress[], state: ClusterState, only: Only): readonly Progress[] {
  const staying = all.filter(({ transfer, stop }) => stop !== undefined || !isNamed(transfer, only));
  const taken = new Map(staying.map(({ transfer }) => [nameText(transfer.target), transfer] as const));
  let changed = false;
  const next = all.map((progress): Progress => {
    const { transfer, stop, stepSpecs } = progress;
    const name = nameText(transfer.source);
    const holder = taken.get(name);
    if (stop !== undefined || holder === undefined || !state.claims.has(name)) return progress;
    if (stepSpecs.every(({ key }) => key !== "recreate-source")) return progress;
    changed = true;
    return refused(
      transfer,
      progress,
      `claim ${name} is now the target of ${nameText(holder.request)}, which is not rolled back`,
      "finish it with slipway transfer resume --plan PLAN --state DUMP",
    );
  });
  return changed ? withoutTakenNames(next, state, only) : next;
}

const isTarget = ({ stepSpec }: Scheduled): boolean =>
  stepSpec.key === "delete-target" || stepSpec.key === "target-gone";

/**
 * Targets go before the sources that are made again, since a name that is taken back may be the one of a target. What a
 * transfer does before it deletes its target comes first.
 */
const scheduleBack = (transfers: readonly Progress[]): Scheduled[] => {
  const works = transfers.map(({ transfer, stepSpecs }) => {
    const all = stepSpecs.map((stepSpec): Scheduled => ({ transfer, stepSpec }));
    const at = Math.max(all.findIndex(isTarget), 0);
    return { first: all.slice(0, at), others: all.slice(at) };
  });
  const others = works.flatMap((each) => each.others);
  return [
    ...works.flatMap(({ first }) => first),
    ...others.filter(isTarget),
    ...others.filter((each) => !isTarget(each)),
  ];
};

const refused = (transfer: Transfer, progress: Progress, message: string, hint: string): Progress => ({
  ...stopped(transfer, progress.crashPoint, message, hint),
  stop: problem("TRF062", "Forbidden", nameText(transfer.request), message, hint),
});

function wayBack(plan: Transfer, seen: Seen, siblings: Siblings): Progress {
  const progress = progressOf(plan, seen, siblings);
  const { transfer, crashPoint } = progress;
  const over = (stepSpecs: readonly StepSpec[], notes: readonly Problem[] = []): Progress => ({
    transfer,
    crashPoint,
    stop: undefined,
    notes,
    stepSpecs: [
      ...stepSpecs,
      ...(stepSpecs.length === 0
        ? []
        : statusSteps(
            transfer,
            failedStatus(
              transfer,
              "RolledBack",
              "RolledBack",
              `The transfer of claim ${nameText(transfer.source)} was rolled back.`,
            ),
            "Report the rollback",
          )),
    ],
  });
  if (transfer.kind === "recreate") return recreateBack(progress, seen, siblings, over);
  const { volume, source, target } = seen;
  if (volume === undefined || uidOf(volume) !== volumeOf(transfer).uid || isBeingDeleted(volume))
    return progress;
  const mark = annotationOf(volume, ANNOTATIONS.plan);
  if (mark !== undefined && mark !== transfer.id) return progress;
  if (oddPolicy(transfer) !== undefined) return progress;
  const removeTarget = targetsEnd(transfer, seen, siblings, mark !== undefined);
  const reference = referenceOf(transfer, volume, target);
  switch (reference) {
    case "target":
      // What keeps the transfer from being finished keeps it from being sent there.
      if (progress.stop !== undefined) return progress;
      return crashPoint === "C7" || crashPoint === "C8" || textAt(target, "status", "phase") === "Bound"
        ? refused(
            transfer,
            progress,
            `claim ${nameText(transfer.target)} is bound to the volume: the transfer can no longer be rolled back`,
            progress.stepSpecs.length === 0
              ? "it is complete; to move the data back, create a transfer in the other direction"
              : `finish it with slipway transfer resume --plan PLAN --state DUMP${siblings.ids.size > 1 ? ` --only ${shellWord(nameText(transfer.request))}` : ""}; to move the data back, create a transfer in the other direction`,
          )
        : refused(
            transfer,
            progress,
            `claim ${nameText(transfer.target)} is being bound`,
            "wait until it is bound, then take a new dump",
          );
    case "source":
      if (transfer.vacated !== undefined)
        return vacatedAgain(transfer, volume, removeTarget, over, sourceTest(transfer));
      if (source !== undefined && uidOf(source) === transfer.source.uid && !isBeingDeleted(source))
        return over(
          [...removeTarget, ...(mark === undefined ? [] : [undoRetainStep(transfer, volume)])],
          leftRetained(transfer, volume),
        );
      return sourceAgain(transfer, seen, removeTarget, over, { uid: transfer.source.uid });
    case "target-reserved":
      if (transfer.vacated !== undefined)
        return vacatedAgain(transfer, volume, removeTarget, over, { reservedFor: transfer.target });
      return sourceAgain(transfer, seen, removeTarget, over, { reservedFor: transfer.target });
    case "target-gone":
      if (transfer.vacated !== undefined && mark !== undefined)
        return vacatedAgain(
          transfer,
          volume,
          removeTarget.length > 0 || isReleased(volume)
            ? removeTarget
            : [targetGoneGate(transfer, target !== undefined)],
          over,
          { uid: textAt(volume, "spec", "claimRef", "uid") },
        );
      return mark === undefined
        ? progress
        : sourceAgain(
            transfer,
            seen,
            // A target that the dump left out would lose its volume.
            isReleased(volume) || removeTarget.length > 0
              ? removeTarget
              : [targetGoneGate(transfer, target !== undefined)],
            over,
            { uid: textAt(volume, "spec", "claimRef", "uid") },
          );
    case "source-name":
      return pointedBack(transfer, seen, removeTarget, over);
    case "unclaimed":
      // As it was found, before the transfer or after a way back.
      if (transfer.vacated?.claimRef === null && mark === undefined) return over(removeTarget);
      return noHolder(transfer, progress);
    case "other":
      return progress;
  }
}

/**
 * What ends the target. A dump that does not show it may lack its namespace: where the transfer has left its notes, it may
 * have been made, or made anew beside a volume that shows its first claim to be gone, so the API server is asked.
 */
function targetsEnd(
  transfer: Transfer,
  { target, volume }: Seen,
  siblings: Siblings,
  begun: boolean,
): readonly StepSpec[] {
  if (target === undefined) return begun ? [targetGoneGate(transfer, false)] : [];
  if (targetState(transfer, target, siblings) !== "ours") return [];
  return isBeingDeleted(target)
    ? [targetGoneGate(transfer, true)]
    : [deleteTargetStep(transfer, target, volume), targetGoneGate(transfer, true)];
}

const noHolder = (transfer: Transfer, progress: Progress): Progress =>
  progress.stop === undefined
    ? refused(
        transfer,
        progress,
        `volume ${volumeOf(transfer).name} has no claimRef`,
        "reserve it with slipway transfer resume --plan PLAN --state DUMP, then roll back",
      )
    : progress;

/** Without the notes of the transfer nobody can tell who set Retain, so it stays. */
const leftRetained = (transfer: Transfer, volume: JsonObject): Problem[] =>
  annotationOf(volume, ANNOTATIONS.plan) !== undefined || policyOf(volume) === volumeOf(transfer).policy
    ? []
    : [
        note(
          transfer,
          `volume ${volumeOf(transfer).name} has reclaim policy ${policyOf(volume)} and no annotations of the transfer; the policy in the plan is ${volumeOf(transfer).policy}`,
          "set the reclaim policy manually, unless it was changed on purpose",
        ),
      ];

type Over = (stepSpecs: readonly StepSpec[], notes?: readonly Problem[]) => Progress;

/** From C4, C5 and C6: wait for the source to be gone, point the volume back, make the claim again. */
function sourceAgain(
  transfer: Transfer,
  seen: Seen,
  removeTarget: readonly StepSpec[],
  over: Over,
  claim: { readonly uid: string } | { readonly reservedFor: typeof transfer.target },
): Progress {
  const volume = seen.volume ?? {};
  const marked = annotationOf(volume, ANNOTATIONS.plan) === transfer.id;
  const keep =
    marked && policyOf(volume) === "Retain"
      ? []
      : [retainStep(transfer, volume, claim), retainedGate(transfer)];
  // A dump may leave the source out although it exists; pointing its volume at its bare name would make it Lost.
  const wait =
    seen.source === undefined && ("reservedFor" in claim || isReleased(volume)) ? [] : [goneGate(transfer)];
  // A volume that is reserved for the target is taken from it first: the patch fails where the claim has been bound
  // meanwhile, and then nothing has changed. A target that is deleted first may be bound until it is gone.
  const back = [...keep, ...wait, pointBackStep(transfer, volume, claim)];
  return over([
    ...("reservedFor" in claim ? [...back, ...removeTarget] : [...removeTarget, ...back]),
    recreateSourceStep(transfer),
    sourceBoundGate(transfer),
    restoreSourceStep(transfer, volume, undefined),
    unmarkSourceStep(transfer),
  ]);
}

/** Of a volume whose claim was gone before: there is nothing to make again, and the volume is left as it was found. */
const vacatedAgain = (
  transfer: Transfer,
  volume: JsonObject,
  removeTarget: readonly StepSpec[],
  over: Over,
  claim: Exclude<ClaimTest, "unclaimed">,
): Progress =>
  over([
    ...removeTarget,
    ...(annotationOf(volume, ANNOTATIONS.plan) === undefined
      ? []
      : [vacateStep(transfer, volume, claim, transfer.vacated?.claimRef ?? null)]),
  ]);

/** A rollback that stopped after the volume was pointed back. */
function pointedBack(
  transfer: Transfer,
  seen: Seen,
  removeTarget: readonly StepSpec[],
  over: Over,
): Progress {
  const volume = seen.volume ?? {};
  const marked = annotationOf(volume, ANNOTATIONS.plan) === transfer.id;
  const uid = textAt(volume, "spec", "claimRef", "uid");
  const { source } = seen;
  const again = source !== undefined && uidOf(source) === uid && uid !== "";
  const remade = isRemade(transfer, source);
  const unmark = remade ? [unmarkSourceStep(transfer)] : [];
  if (!marked) return over([...removeTarget, ...unmark], leftRetained(transfer, volume));
  if (again && textAt(source, "status", "phase") === "Bound")
    return over([...removeTarget, restoreSourceStep(transfer, volume, uid), ...unmark]);
  if (uid !== "" && !again) return sourceAgain(transfer, seen, removeTarget, over, { uid });
  return over([
    ...removeTarget,
    ...(remade || again ? [] : [recreateSourceStep(transfer)]),
    sourceBoundGate(transfer),
    restoreSourceStep(transfer, volume, undefined),
    ...(remade || !again ? [unmarkSourceStep(transfer)] : []),
  ]);
}

/** Of an unbound claim: the fresh one goes; the old one is there still, or is made again. */
function recreateBack(progress: Progress, seen: Seen, siblings: Siblings, over: Over): Progress {
  const { transfer } = progress;
  const { source, target } = seen;
  const sourceBack =
    source === undefined
      ? [recreateSourceStep(transfer), unmarkSourceStep(transfer)]
      : isRemade(transfer, source)
        ? [unmarkSourceStep(transfer)]
        : [];
  if (target !== undefined && targetState(transfer, target, siblings) === "ours") {
    if (textAt(target, "spec", "volumeName") !== "" || at(target, "status", "phase") !== "Pending")
      return refused(
        transfer,
        progress,
        `claim ${nameText(transfer.target)} has been bound to a volume and may contain data`,
        "keep the claim",
      );
  }
  const ended = targetsEnd(transfer, seen, siblings, source === undefined);
  return over(
    [...ended, ...sourceBack],
    target === undefined && source !== undefined && uidOf(source) === transfer.source.uid
      ? [
          note(
            transfer,
            `the dump does not contain claim ${nameText(transfer.target)}: it was not created, or the dump does not contain its namespace`,
            "if it may exist, take a dump of the claims of all namespaces, and run this command again",
          ),
        ]
      : [],
  );
}
