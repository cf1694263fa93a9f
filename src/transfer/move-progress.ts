/** How far the move of a volume is, and the steps that are left; a plan is the same question before the first step. */
import type { Problem } from "../core/diagnostics.js";
import type { JsonObject } from "../core/json.js";
import { ANNOTATIONS, nameText } from "./api.js";
import type { BeforeDelete } from "./gate-conditions.js";
import { type StepSpec, type Transfer, volumeOf } from "./model.js";
import { annotationOf, isBeingDeleted, textAt, uidOf } from "./object.js";
import { type ClaimTest, policyOf } from "./patches.js";
import {
  type CrashPoint,
  departing,
  isRemade,
  note,
  type Progress,
  type Seen,
  type Siblings,
  type SourceState,
  sourceState,
  stopped,
  type TargetState,
  targetState,
} from "./progress.js";
import { isReleased, type Reference, referenceOf, sourceTest } from "./reference.js";
import { targetGoneGate } from "./rollback-step-specs.js";
import { oddPolicy, withSavedPolicy } from "./saved-policy.js";
import {
  boundGate,
  checkStep,
  completeStatus,
  createStep,
  deleteStep,
  goneGate,
  idleGate,
  repointStep,
  reserveStep,
  restoreStep,
  retainedGate,
  retainStep,
  statusSteps,
} from "./step-specs.js";

export class Move {
  private readonly notes: Problem[] = [];
  private readonly transfer: Transfer;
  private readonly marked: boolean;

  constructor(
    plan: Transfer,
    private readonly seen: Seen,
    private readonly siblings: Siblings,
  ) {
    this.marked = seen.volume !== undefined && annotationOf(seen.volume, ANNOTATIONS.plan) === plan.id;
    const { transfer, notes } = withSavedPolicy(plan, seen.volume, this.marked);
    this.transfer = transfer;
    this.notes.push(...notes);
  }

  progress(): Progress {
    const { transfer, seen } = this;
    const { name, uid } = volumeOf(transfer);
    const { volume } = seen;
    if (volume === undefined)
      return this.stop(
        "C5",
        `the dump does not contain volume ${name}`,
        "take a dump of all volumes; if the object does not exist, create it again from its storage first",
      );
    if (uidOf(volume) !== uid)
      return this.stop(
        "C5",
        `volume ${name} was replaced by another object (uid ${uidOf(volume)}, expected ${uid})`,
        "create a new plan from a new dump",
      );
    if (isBeingDeleted(volume))
      return this.stop(
        "C5",
        `volume ${name} is being deleted`,
        "note its source and create the object again first; with Retain its data are kept",
      );
    const mark = annotationOf(volume, ANNOTATIONS.plan);
    if (mark !== undefined && !this.marked)
      return this.stop(
        "C0",
        `volume ${name} is annotated with another transfer (${mark})`,
        "finish or roll back that transfer first",
      );
    const target = targetState(transfer, seen.target, this.siblings);
    const reference = referenceOf(transfer, volume, seen.target);
    const odd = oddPolicy(transfer);
    if (odd !== undefined) return this.stop(this.pointAt(volume, reference), odd.message, odd.hint);
    const leaves = departing(transfer, target, seen.target);
    if (leaves !== undefined) return this.stop(this.pointAt(volume, reference), leaves.message, leaves.hint);
    if (target === "foreign" && reference !== "target")
      return this.stop(
        this.pointAt(volume, reference),
        `claim ${nameText(transfer.target)} exists but was not created by this transfer`,
        "rename it or use another targetName; it may contain data",
      );
    if (
      target === "ours" &&
      reference === "target-reserved" &&
      textAt(seen.target, "status", "phase") === "Lost"
    )
      return this.stop(
        "C6",
        `claim ${nameText(transfer.target)} is Lost and cannot be bound anymore`,
        "delete the claim, which keeps its volume reserved, then run this command again to re-create it",
      );
    return this.byReference(volume, reference, target);
  }

  /** How far the volume is, whatever stands in the way. */
  private pointAt(volume: JsonObject, reference: Reference): CrashPoint {
    switch (reference) {
      case "source":
        if (sourceState(this.transfer, this.seen.source, this.siblings) !== "ours") return "C5";
        return this.marked ? (policyOf(volume) === "Retain" ? "C2" : "C1") : "C0";
      case "source-name":
        // Notes are taken off last, when claim and volume are bound to each other.
        return this.marked ? "C5" : "C0";
      case "target-reserved":
        return "C6";
      case "target":
        return "C7";
      default:
        return "C5";
    }
  }

  private byReference(volume: JsonObject, reference: Reference, target: TargetState): Progress {
    const { transfer, seen } = this;
    const source = sourceState(transfer, seen.source, this.siblings);
    const { name } = volumeOf(transfer);
    switch (reference) {
      case "source":
        if (source === "ours") return this.beforeDelete(volume, target);
        return this.released(volume, target, sourceTest(transfer), this.sourceGone(source));
      case "target-reserved":
        if (source === "other") this.noteRecreated();
        return this.reserved(volume, target, source === "ours");
      case "target":
        if (source === "other") this.noteRecreated();
        return this.bound(volume, target);
      case "target-gone":
        return this.afterTarget(volume, target);
      case "unclaimed":
        if (source === "ours")
          return this.stop(
            "C0",
            `the claimRef of volume ${name} has no uid although its claim exists`,
            "wait for the PersistentVolume controller, then take a new dump",
          );
        this.notes.push(
          note(
            transfer,
            `volume ${name} has no claimRef: any matching claim in any namespace can bind to it`,
            "apply the first patch immediately to reserve it",
          ),
        );
        return this.released(volume, target, "unclaimed", this.sourceGone(source, false));
      case "source-name":
        return this.pointedBack(volume, target);
      case "other":
        return this.stop(
          "C5",
          `volume ${name} is bound to ${textAt(volume, "spec", "claimRef", "namespace")}/${textAt(volume, "spec", "claimRef", "name")}, which is not part of the transfer`,
          "check who changed its claimRef, and keep its reclaim policy Retain",
        );
    }
  }

  /**
   * The volume names the source without the uid of the plan: on the way back, or there. What is said has to be what
   * `rollback` says, which would otherwise lead here again.
   */
  private pointedBack(volume: JsonObject, target: TargetState): Progress {
    const { transfer, seen } = this;
    const { name } = volumeOf(transfer);
    if (this.marked || target === "ours" || isRemade(transfer, seen.source))
      return this.stop(
        this.pointAt(volume, "source-name"),
        `the claimRef of volume ${name} is ${nameText(transfer.source)} again: a rollback is in progress, or the claim was re-created`,
        "finish the rollback: slipway transfer rollback --plan PLAN --state DUMP",
      );
    const holds =
      seen.source !== undefined && uidOf(seen.source) === textAt(volume, "spec", "claimRef", "uid");
    return this.stop(
      "C0",
      `the transfer was rolled back, or claim ${nameText(transfer.source)} was re-created: volume ${name} ${
        holds ? "is bound to the new claim" : "refers to that name"
      } and has no annotations of the transfer`,
      "create a new plan from a new dump if you still want to transfer the claim; this plan is finished",
    );
  }

  /** C0 to C4: the source exists and holds the volume. */
  private beforeDelete(volume: JsonObject, target: TargetState): Progress {
    const { transfer, seen } = this;
    const retained = this.marked && policyOf(volume) === "Retain";
    const source = seen.source ?? {};
    const rest = [...this.bindingSteps(volume, { uid: transfer.source.uid }, target)];
    if (isBeingDeleted(source)) {
      this.notes.push(
        note(
          transfer,
          `claim ${nameText(transfer.source)} is being deleted (Terminating), which cannot be canceled`,
          "stop the pods that use it; it is deleted after that",
        ),
      );
      return this.go("C4", [
        ...this.retainSteps(volume, { uid: transfer.source.uid }),
        ...(target === "absent" && !transfer.late ? [createStep(transfer)] : []),
        goneGate(transfer),
        ...rest,
      ]);
    }
    const create = target === "absent" && !transfer.late;
    const before: BeforeDelete = {
      source,
      volume,
      claim: { uid: transfer.source.uid },
      targetMade: !transfer.late,
      consent: true,
    };
    const crash: CrashPoint = target === "ours" ? "C3" : retained ? "C2" : this.marked ? "C1" : "C0";
    return this.go(crash, [
      ...(create ? [checkStep(transfer)] : []),
      ...this.retainSteps(volume, { uid: transfer.source.uid }),
      retainedGate(transfer),
      ...(create ? [createStep(transfer)] : []),
      idleGate(transfer, before),
      deleteStep(transfer, before),
      goneGate(transfer),
      ...rest,
    ]);
  }

  /**
   * A dump may leave the source out although it exists, and repointing its volume then would make it Lost under its
   * pods (W6); so the API server is asked again, unless the volume itself shows that its claim is gone. A name that
   * another transfer of the plan has taken over is left out.
   */
  private sourceGone(source: SourceState, kept = true): StepSpec[] {
    const { transfer, seen } = this;
    if (source === "other") this.noteRecreated();
    else if (seen.source !== undefined || isReleased(seen.volume)) return [];
    return [goneGate(transfer, kept)];
  }

  private noteRecreated(): void {
    const { transfer } = this;
    this.notes.push(
      note(
        transfer,
        `claim ${nameText(transfer.source)} was re-created by a controller or GitOps tool, with an empty volume`,
        "stop that controller or tool, then delete the claim",
      ),
    );
  }

  /**
   * C5: the volume is free of the source, and reserved for a claim that is gone, or for nobody.
   *
   * @param gone gates by which the claim that held the volume is seen to be gone
   */
  private released(
    volume: JsonObject,
    target: TargetState,
    claim: ClaimTest,
    gone: readonly StepSpec[],
  ): Progress {
    const { transfer } = this;
    const held = textAt(volume, "status", "phase") === "Bound" && claim !== "unclaimed";
    if (held)
      this.notes.push(
        note(
          transfer,
          `volume ${volumeOf(transfer).name} is Bound to a claim that the dump does not contain`,
          "continue; the next step checks the claim in the cluster, as the dump may be incomplete or the claim may just have been deleted",
        ),
      );
    const untouched = transfer.vacated !== undefined && !this.marked;
    if (textAt(volume, "status", "phase") === "Failed")
      this.notes.push(
        note(
          transfer,
          `volume ${volumeOf(transfer).name} is Failed: deleting or recycling its storage was attempted`,
          "check its status.message and its data before using it",
        ),
      );
    if (policyOf(volume) !== "Retain" && !untouched)
      this.notes.push(
        note(
          transfer,
          held
            ? `volume ${volumeOf(transfer).name} has reclaim policy ${policyOf(volume)}: it is destroyed when its claim is deleted`
            : `volume ${volumeOf(transfer).name} has no claim and reclaim policy ${policyOf(volume)}: it may be destroyed at any time`,
          "apply the first patch immediately",
        ),
      );
    // A target that names a volume which names nobody would be bound to it before it is kept.
    const create = target === "absent" && !transfer.late && claim !== "unclaimed";
    return this.go(transfer.vacated === undefined ? "C5" : untouched ? "C0" : "C2", [
      ...(untouched && target === "absent" ? [checkStep(transfer)] : []),
      ...(claim === "unclaimed" ? [] : this.retainAgain(volume, claim)),
      ...gone.filter(({ stage }) => stage <= 3),
      ...(create ? [createStep(transfer)] : []),
      ...gone.filter(({ stage }) => stage > 3),
      ...this.bindingSteps(volume, claim, create ? "ours" : target),
    ]);
  }

  /** C6: reserved for the target. */
  private reserved(volume: JsonObject, target: TargetState, sourceExists: boolean): Progress {
    const { transfer, seen } = this;
    const claim = { reservedFor: transfer.target };
    if (sourceExists)
      this.notes.push(
        note(
          transfer,
          `claim ${nameText(transfer.source)} exists although its volume refers to another claim: it becomes Lost while pods use it`,
          "continue; no data are lost",
        ),
      );
    const source = seen.source;
    const drop = (source: JsonObject): StepSpec[] => {
      if (isBeingDeleted(source)) return [goneGate(transfer)];
      const before: BeforeDelete = { source, volume, claim, targetMade: false, consent: false };
      return [idleGate(transfer, before), deleteStep(transfer, before), goneGate(transfer)];
    };
    return this.go("C6", [
      ...this.retainSteps(volume, claim),
      ...(sourceExists && source !== undefined ? drop(source) : []),
      ...(target === "absent" ? [createStep(transfer)] : []),
      ...this.endSteps(volume),
    ]);
  }

  /** C7 and C8: held by the target. */
  private bound(volume: JsonObject, target: TargetState): Progress {
    const { transfer, seen } = this;
    const uid = uidOf(seen.target ?? {});
    const isBound =
      textAt(seen.target, "status", "phase") === "Bound" &&
      textAt(seen.target, "spec", "volumeName") === volumeOf(transfer).name;
    if (target === "foreign")
      this.notes.push(
        note(
          transfer,
          `claim ${nameText(transfer.target)} was not created by this transfer, but the volume is bound to it`,
          "check who created it",
        ),
      );
    const pristine = !this.marked && policyOf(volume) === volumeOf(transfer).policy;
    if (isBound && pristine) return this.go("C8", this.reportSteps());
    const restore = [
      ...this.retainSteps(volume, { uid }),
      ...(isBound ? [] : [boundGate(transfer)]),
      restoreStep(transfer, volume, transfer.target, uid),
      ...this.reportSteps(),
    ];
    return this.go(isBound ? "C7" : "C6", restore);
  }

  /** The volume names a target claim that is gone: deleted while the transfer ran, or since it ended. */
  private afterTarget(volume: JsonObject, target: TargetState): Progress {
    const { transfer } = this;
    if (!this.marked)
      return isReleased(volume) || this.seen.target !== undefined
        ? this.stop(
            "C8",
            `the transfer was complete, and claim ${nameText(transfer.target)} has been deleted since`,
            "nothing is left to do for this plan",
          )
        : this.stop(
            "C8",
            `volume ${volumeOf(transfer).name} has no annotations of the transfer and is bound to claim ${nameText(transfer.target)}, which the dump does not contain`,
            "take a dump of all namespaces; the transfer is complete unless that claim was just deleted",
          );
    return this.released(
      volume,
      target,
      { uid: textAt(volume, "spec", "claimRef", "uid") },
      isReleased(volume) ? [] : [targetGoneGate(transfer, false)],
    );
  }

  /** Step 1 where it is not in force: missing marks are added, a saved policy stays. */
  private retainSteps(volume: JsonObject, claim: ClaimTest): StepSpec[] {
    return this.marked && policyOf(volume) === "Retain" ? [] : [retainStep(this.transfer, volume, claim)];
  }

  /** The same where nobody holds the volume: whoever reclaims it acts on what it saw last (B10). */
  private retainAgain(volume: JsonObject, claim: ClaimTest): StepSpec[] {
    const stepSpecs = this.retainSteps(volume, claim);
    return stepSpecs.length === 0 ? [] : [...stepSpecs, retainedGate(this.transfer)];
  }

  /** From step 6 on; the late variant makes the target after it. */
  private bindingSteps(volume: JsonObject, claim: ClaimTest, target: TargetState): StepSpec[] {
    const { transfer } = this;
    return [
      claim === "unclaimed" ? reserveStep(transfer, volume) : repointStep(transfer, volume, claim),
      ...(target === "absent" && (transfer.late || claim === "unclaimed") ? [createStep(transfer)] : []),
      ...this.endSteps(volume),
    ];
  }

  private endSteps(volume: JsonObject): StepSpec[] {
    const { transfer } = this;
    return [boundGate(transfer), restoreStep(transfer, volume), ...this.reportSteps()];
  }

  private reportSteps(): readonly StepSpec[] {
    const { transfer, seen } = this;
    return seen.reported ? [] : statusSteps(transfer, completeStatus(transfer), "Report completion");
  }

  private go(crashPoint: CrashPoint, stepSpecs: readonly StepSpec[]): Progress {
    return { transfer: this.transfer, crashPoint, stop: undefined, notes: this.notes, stepSpecs };
  }

  private stop(crashPoint: CrashPoint, message: string, hint: string): Progress {
    return stopped(this.transfer, crashPoint, message, hint, this.notes);
  }
}
