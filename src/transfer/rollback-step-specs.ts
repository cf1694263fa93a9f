/** The single steps of a rollback: the way back from C1 to C6 (docs/reference/pvc-transfer.md §6). */
import type { JsonObject } from "../core/json.js";
import { nameText } from "./api.js";
import {
  boundConditions,
  sourceGoneConditions,
  sourceStays,
  unboundTargetConditions,
} from "./gate-conditions.js";
import { claimRef, volumeRef } from "./gates.js";
import { ARTEFACT, type StepSpec, type Transfer, volumeOf } from "./model.js";
import { annotationOf, uidOf } from "./object.js";
import {
  type ClaimTest,
  MARKS,
  policyOf,
  repointPatch,
  restorePatch,
  unmarkPatch,
  vacatePatch,
} from "./patches.js";
import {
  asList,
  deleteClaim,
  deleteOptions,
  describeTest,
  gate,
  patchVolume,
  restoreStep,
} from "./step-specs.js";

/** Removes a target claim that never got the volume, in a rollback. */
export const deleteTargetStep = (
  transfer: Transfer,
  target: JsonObject,
  volume: JsonObject | undefined,
): StepSpec => ({
  key: "delete-target",
  stage: 3,
  action: "delete-pvc",
  does: `Delete claim ${nameText(transfer.target)}, which is not bound`,
  precondition: `it has uid ${uidOf(target)} and is not bound; the command checks this`,
  reversible: true,
  artefact: {
    folder: "target",
    form: "delete-options",
    label: "delete-target",
    content: deleteOptions(uidOf(target)),
  },
  on: claimRef(transfer.target),
  conditions: unboundTargetConditions(transfer, target, volume),
  run: deleteClaim(transfer.target),
});

/** @param shown the dump shows the claim, on its way out or with a step before that deletes it */
export const targetGoneGate = (transfer: Transfer, shown: boolean): StepSpec =>
  gate("target-gone", 3, "target-gone", `Wait until claim ${nameText(transfer.target)} is deleted`, [
    {
      says: `claim ${nameText(transfer.target)} does not exist`,
      condition: { type: "absent", object: claimRef(transfer.target) },
      otherwise: shown
        ? "wait while it is Terminating"
        : "wait while it is Terminating; if it remains, it is not in the dump: take a dump of all namespaces and run this command again",
    },
  ]);

/** Gives the volume back to the name of the source, in a rollback. */
export const pointBackStep = (
  transfer: Transfer,
  volume: JsonObject,
  claim: Exclude<ClaimTest, "unclaimed">,
): StepSpec => {
  const { name, uid } = volumeOf(transfer);
  return {
    key: "point-back",
    stage: 6,
    action: "patch-pv",
    does: `Reserve volume ${name} for ${nameText(transfer.source)} again`,
    precondition: `volume ${name} has uid ${uid}, reclaim policy Retain and annotation ${transfer.id}, and ${describeTest(claim)}`,
    reversible: true,
    artefact: {
      folder: "cluster",
      form: "json-patch",
      label: "point-back",
      content: asList(repointPatch(volume, transfer.id, claim, transfer.source)),
    },
    on: volumeRef(name),
    // A claim that somebody has made under the name meanwhile would take the volume.
    conditions: sourceGoneConditions(transfer),
    run: patchVolume(name),
  };
};

export const recreateSourceStep = (transfer: Transfer): StepSpec => ({
  key: "recreate-source",
  stage: 5,
  action: "create-pvc",
  does: `Create claim ${nameText(transfer.source)} again${transfer.kind === "recreate" ? "" : " for its volume"}`,
  precondition: `claim ${nameText(transfer.source)} does not exist`,
  reversible: true,
  artefact: { folder: "source", form: "manifest", label: "recreate-source", content: transfer.sourceObject },
  on: claimRef(transfer.source),
  conditions: [],
  run: ["kubectl", "create", "--filename", ARTEFACT],
});

export const sourceBoundGate = (transfer: Transfer): StepSpec =>
  gate(
    "source-bound",
    7,
    "source-bound",
    `Wait until claim ${nameText(transfer.source)} is bound to volume ${volumeOf(transfer).name}`,
    boundConditions(volumeOf(transfer).name, transfer.source),
  );

/** In a rollback before the source was deleted: policy and notes as they were; the source was bound all the time. */
export function undoRetainStep(transfer: Transfer, volume: JsonObject): StepSpec {
  const { policy } = volumeOf(transfer);
  const patch = restorePatch(volume, {
    id: transfer.id,
    original: policy,
    claim: transfer.source,
    uid: transfer.source.uid,
    current: policyOf(volume),
    marks: MARKS.filter((key) => annotationOf(volume, key) !== undefined),
  });
  const stepSpec = restoreStep(transfer, volume, transfer.source, transfer.source.uid);
  if (stepSpec.artefact === null) throw new Error("a patch has an artefact");
  return {
    ...stepSpec,
    key: "undo-retain",
    conditions: sourceStays(transfer),
    artefact: { ...stepSpec.artefact, content: asList(patch) },
  };
}

/** Gives the policy back when the source, made again, holds the volume. */
export const restoreSourceStep = (
  transfer: Transfer,
  volume: JsonObject,
  uid: string | undefined,
): StepSpec => ({
  ...restoreStep(transfer, volume, transfer.source, uid),
  key: "restore-source",
});

/** Takes the note from the source that was made again, when nothing asks for it any more. */
export const unmarkSourceStep = (transfer: Transfer): StepSpec => ({
  key: "unmark-source",
  stage: 8,
  action: "patch-pvc",
  does: `Remove the annotation of the transfer from claim ${nameText(transfer.source)}`,
  precondition: `claim ${nameText(transfer.source)} has annotation ${transfer.id}`,
  reversible: true,
  artefact: {
    folder: "source",
    form: "json-patch",
    label: "unmark-source",
    content: asList(unmarkPatch(transfer.id)),
  },
  on: claimRef(transfer.source),
  conditions: [],
  run: [
    "kubectl",
    "patch",
    "persistentvolumeclaim",
    transfer.source.name,
    "--namespace",
    transfer.source.namespace,
    "--type=json",
    "--patch-file",
    ARTEFACT,
  ],
});

/** Gives a volume back as it was found: without a claim. */
export function vacateStep(
  transfer: Transfer,
  volume: JsonObject,
  claim: Exclude<ClaimTest, "unclaimed">,
  claimRef: JsonObject | null,
): StepSpec {
  const { name, uid, policy } = volumeOf(transfer);
  return {
    key: "vacate",
    stage: 8,
    action: "patch-pv",
    does: `Restore the reclaim policy of volume ${name} (${policy}) and remove the annotations of the transfer`,
    precondition: `volume ${name} has uid ${uid} and annotation ${transfer.id}, and ${describeTest(claim)}`,
    reversible: true,
    artefact: {
      folder: "cluster",
      form: "json-patch",
      label: "vacate",
      content: asList(vacatePatch(volume, transfer.id, policy, claim, claimRef)),
    },
    on: volumeRef(name),
    conditions: [],
    run: patchVolume(name),
  };
}
