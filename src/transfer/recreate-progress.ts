/** How far the exchange of an unbound claim for a fresh one is, and the steps that are left. */
import type { Problem } from "../core/diagnostics.js";
import { nameText } from "./api.js";
import type { BeforeDelete } from "./gate-conditions.js";
import type { StepSpec, Transfer } from "./model.js";
import { isBeingDeleted, textAt } from "./object.js";
import {
  type CrashPoint,
  departing,
  isRemade,
  note,
  type Progress,
  type Seen,
  type Siblings,
  sourceState,
  stopped,
  targetState,
} from "./progress.js";
import {
  checkStep,
  completeStatus,
  createStep,
  deleteStep,
  goneGate,
  idleGate,
  statusSteps,
} from "./step-specs.js";

/**
 * A claim without a volume: nothing moves, so nothing can be lost; but it may be bound while we look away
 * (docs/reference/pvc-transfer.md §5).
 */
export function recreateProgress(transfer: Transfer, seen: Seen, siblings: Siblings): Progress {
  const target = targetState(transfer, seen.target, siblings);
  const source = sourceState(transfer, seen.source, siblings);
  const report = seen.reported ? [] : statusSteps(transfer, completeStatus(transfer), "Report completion");
  const create = target === "absent" ? [createStep(transfer)] : [];
  const go = (
    crashPoint: CrashPoint,
    stepSpecs: readonly StepSpec[],
    notes: readonly Problem[] = [],
  ): Progress => ({
    transfer,
    crashPoint,
    stop: undefined,
    notes,
    stepSpecs,
  });
  const leaves = departing(transfer, target, seen.target);
  if (leaves !== undefined)
    return stopped(transfer, source === "ours" ? "C3" : "C5", leaves.message, leaves.hint);
  if (target === "foreign")
    return stopped(
      transfer,
      "C3",
      `claim ${nameText(transfer.target)} exists but was not created by this transfer`,
      "use another targetName",
    );
  if (source === "ours") {
    const claim = seen.source ?? {};
    if (textAt(claim, "spec", "volumeName") !== "" || textAt(claim, "status", "phase") !== "Pending")
      return stopped(
        transfer,
        target === "ours" ? "C3" : "C0",
        `claim ${nameText(transfer.source)} has been bound to a volume and may contain data`,
        "delete the new target claim and plan a transfer of the volume",
      );
    if (isBeingDeleted(claim))
      return go("C4", [
        ...(transfer.late ? [] : create),
        goneGate(transfer),
        ...(transfer.late ? create : []),
        ...report,
      ]);
    const early = transfer.late ? [] : create;
    const before: BeforeDelete = {
      source: claim,
      volume: undefined,
      claim: "unclaimed",
      targetMade: !transfer.late,
      consent: true,
    };
    return go(target === "ours" ? "C3" : "C0", [
      ...(early.length > 0 ? [checkStep(transfer)] : []),
      ...early,
      idleGate(transfer, before),
      deleteStep(transfer, before),
      goneGate(transfer),
      ...(transfer.late ? create : []),
      ...report,
    ]);
  }
  if (target === "absent" && (source === "other" || isRemade(transfer, seen.source)))
    return isRemade(transfer, seen.source)
      ? stopped(
          transfer,
          "C5",
          `claim ${nameText(transfer.source)} was re-created by a rollback that is in progress`,
          "finish the rollback: slipway transfer rollback --plan PLAN --state DUMP",
        )
      : stopped(
          transfer,
          "C0",
          `claim ${nameText(transfer.source)} was re-created by a rollback, a controller or a GitOps tool`,
          "after a rollback, nothing is left to do; otherwise stop the controller or tool, delete the claim, take a new dump, and run this command again",
        );
  const notes =
    source === "other"
      ? [
          note(
            transfer,
            `claim ${nameText(transfer.source)} was re-created`,
            "stop the controller or tool that created it, then delete the claim",
          ),
        ]
      : [];
  // A dump may leave the source out although it exists; only a report of completion shows that it was seen to be gone.
  const unseen = seen.source === undefined && !seen.reported;
  const gone = unseen ? [goneGate(transfer)] : [];
  if (target !== "ours") return go("C5", [...gone, ...create, ...report], notes);
  if (report.length > 0) return go("C8", [...gone, ...report], notes);
  const question = note(
    transfer,
    `the dump does not contain claim ${nameText(transfer.source)}: it was deleted, or the dump does not contain its namespace`,
    "if it may exist, take a dump of the claims of all namespaces, and run this command again",
  );
  return go("C8", report, unseen ? [...notes, question] : notes);
}
