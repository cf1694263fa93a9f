/**
 * The single steps of order R (docs/reference/pvc-transfer.md §6), each made for one transfer from the volume and
 * claims as they are seen. Which of them are needed, and in what order, is decided elsewhere.
 */
import type { JsonObject } from "../core/json.js";
import { APPROVAL_PLURAL, REQUEST_PLURAL, TRANSFER_GROUP } from "../crd/storage-transfer.js";
import { parseApiVersion } from "../kubernetes/identity.js";
import { type Name, nameText } from "./api.js";
import {
  askable,
  type BeforeDelete,
  boundConditions,
  goneConditions,
  idleConditions,
  retainConditions,
} from "./gate-conditions.js";
import { claimRef, type GateCondition, gateContent, volumeRef } from "./gates.js";
import { ARTEFACT, type Stage, type StepSpec, type Transfer, type TransferRef, volumeOf } from "./model.js";
import {
  type ClaimTest,
  type JsonPatch,
  policyOf,
  repointPatch,
  reservePatch,
  restorePatch,
  retainPatch,
  statusPatch,
} from "./patches.js";

export const asList = (patch: JsonPatch): readonly JsonObject[] =>
  patch.map((operation) => ({ ...operation }));

export const describeTest = (who: ClaimTest): string =>
  who === "unclaimed"
    ? "has no claim"
    : "uid" in who
      ? `is bound to the claim with uid ${who.uid}`
      : `is reserved for ${nameText(who.reservedFor)}`;

/** Step 0: the API server is asked whether it would take the target claim. */
export const checkStep = (transfer: Transfer): StepSpec => ({
  key: "check",
  stage: 0,
  action: "check",
  does: `Check with the API server that it would accept claim ${nameText(transfer.target)}`,
  precondition: null,
  reversible: true,
  artefact: null,
  on: null,
  conditions: [],
  run: ["kubectl", "create", "--dry-run=server", "--filename", ARTEFACT],
});

/** Step 1. */
export function retainStep(transfer: Transfer, volume: JsonObject, claim: ClaimTest): StepSpec {
  const { name, uid, policy } = volumeOf(transfer);
  return {
    key: "retain",
    stage: 1,
    action: "patch-pv",
    does: `Protect the data: set reclaim policy Retain on volume ${name} and save its previous policy (${policy}) in an annotation`,
    precondition: `volume ${name} has uid ${uid} and ${describeTest(claim)}; its policy is ${policyOf(volume)}`,
    reversible: true,
    artefact: {
      folder: "cluster",
      form: "json-patch",
      label: "retain",
      content: asList(
        retainPatch(volume, { id: transfer.id, sourceUid: transfer.source.uid, original: policy, claim }),
      ),
    },
    on: volumeRef(name),
    conditions: [],
    run: patchVolume(name),
  };
}

export const patchVolume = (name: string): readonly string[] => [
  "kubectl",
  "patch",
  "persistentvolume",
  name,
  "--type=json",
  "--patch-file",
  ARTEFACT,
];

export const gate = (
  key: string,
  stage: Stage,
  label: string,
  does: string,
  conditions: readonly GateCondition[],
): StepSpec => ({
  key,
  stage,
  action: "gate",
  does,
  precondition: conditions.map(({ says }) => says).join("; "),
  reversible: true,
  artefact: { folder: "cluster", form: "gate", label, content: gateContent(conditions) },
  on: null,
  conditions,
  run: [],
});

/** Step 2: provisioners act on what they have in their caches, so Retain has to be seen, not only sent (B10). */
export const retainedGate = (transfer: Transfer): StepSpec =>
  gate(
    "retained",
    2,
    "retained",
    `Wait until reclaim policy Retain is observed on volume ${volumeOf(transfer).name}`,
    retainConditions(transfer),
  );

/** Step 3. */
export const createStep = (transfer: Transfer): StepSpec => ({
  key: "create",
  stage: 3,
  action: "create-pvc",
  does:
    transfer.kind === "move"
      ? `Create claim ${nameText(transfer.target)} for volume ${volumeOf(transfer).name}`
      : `Create the new claim ${nameText(transfer.target)}; no data are transferred`,
  precondition: `claim ${nameText(transfer.target)} does not exist`,
  reversible: true,
  artefact: { folder: "target", form: "manifest", label: "claim", content: transfer.targetObject },
  // Not `apply`: it would take over a claim that is there.
  on: claimRef(transfer.target),
  conditions: [],
  run: ["kubectl", "create", "--filename", ARTEFACT],
});

/** Step 4. */
export const idleGate = (transfer: Transfer, seen: BeforeDelete): StepSpec =>
  gate(
    "idle",
    4,
    "idle",
    `Wait until nothing uses or re-creates claim ${nameText(transfer.source)}`,
    idleConditions(transfer, seen),
  );

/**
 * The uid says that it is the claim of the plan. Its resourceVersion says nothing: controllers write to a claim that is
 * at rest, too (owner references of a StatefulSet, the condition Unused of Kubernetes 1.37).
 */
export const deleteOptions = (uid: string): JsonObject => ({
  apiVersion: "v1",
  kind: "DeleteOptions",
  preconditions: { uid },
  propagationPolicy: "Background",
});

export const deleteClaim = (claim: Name): readonly string[] => [
  "kubectl",
  "delete",
  "--raw",
  `/api/v1/namespaces/${claim.namespace}/persistentvolumeclaims/${claim.name}`,
  "--filename",
  ARTEFACT,
];

/** Step 5, the point of no return for the claim; the data stay. */
export const deleteStep = (transfer: Transfer, seen: BeforeDelete): StepSpec => {
  const conditions = askable(idleConditions(transfer, seen));
  return {
    key: "delete",
    stage: 5,
    action: "delete-pvc",
    does: `Delete claim ${nameText(transfer.source)}`,
    precondition: `it has uid ${transfer.source.uid}, and the conditions of the previous step still hold; the command checks them again`,
    reversible: false,
    artefact: {
      folder: "source",
      form: "delete-options",
      label: "delete",
      content: deleteOptions(transfer.source.uid),
    },
    on: claimRef(transfer.source),
    conditions,
    run: deleteClaim(transfer.source),
  };
};

/** @param kept the volume carries the mark of the transfer and Retain already */
export const goneGate = (transfer: Transfer, kept = true): StepSpec =>
  gate(
    "gone",
    5,
    "gone",
    `Wait until claim ${nameText(transfer.source)} is deleted`,
    goneConditions(transfer, kept),
  );

/** Step 6. */
export const repointStep = (
  transfer: Transfer,
  volume: JsonObject,
  claim: Exclude<ClaimTest, "unclaimed">,
): StepSpec => {
  const { name, uid } = volumeOf(transfer);
  return {
    key: "repoint",
    stage: 6,
    action: "patch-pv",
    does: `Reserve volume ${name} for ${nameText(transfer.target)}`,
    precondition: `volume ${name} has uid ${uid}, reclaim policy Retain and annotation ${transfer.id}, and ${describeTest(claim)}`,
    reversible: true,
    artefact: {
      folder: "cluster",
      form: "json-patch",
      label: "repoint",
      content: asList(repointPatch(volume, transfer.id, claim, transfer.target)),
    },
    on: volumeRef(name),
    conditions: [],
    run: patchVolume(name),
  };
};

/** Step 6 for a volume that nobody holds: reserved and kept in one patch. */
export function reserveStep(transfer: Transfer, volume: JsonObject): StepSpec {
  const { name, uid, policy } = volumeOf(transfer);
  const options = { id: transfer.id, sourceUid: transfer.source.uid, original: policy };
  return {
    ...repointStep(transfer, volume, { uid: "" }),
    precondition: `volume ${name} has uid ${uid} and ${describeTest("unclaimed")}`,
    artefact: {
      folder: "cluster",
      form: "json-patch",
      label: "repoint",
      content: asList(reservePatch(volume, options, transfer.target)),
    },
  };
}

/** Step 7: the policy may come back only when the target is bound to this volume (B8). */
export const boundGate = (transfer: Transfer): StepSpec =>
  gate(
    "bound",
    7,
    "bound",
    `Wait until claim ${nameText(transfer.target)} is bound to volume ${volumeOf(transfer).name}`,
    boundConditions(volumeOf(transfer).name, transfer.target),
  );

/** Step 8. */
export function restoreStep(
  transfer: Transfer,
  volume: JsonObject,
  claim: Name = transfer.target,
  uid: string | undefined = undefined,
): StepSpec {
  const { name, uid: volumeUid, policy } = volumeOf(transfer);
  return {
    key: "restore",
    stage: 8,
    action: "patch-pv",
    does: `Restore the reclaim policy of volume ${name} (${policy}) and remove the annotations of the transfer`,
    precondition: `volume ${name} has uid ${volumeUid} and annotation ${transfer.id} and is Bound to ${nameText(claim)}${uid === undefined ? ", whose uid is the one in its claimRef (see the previous step)" : ` with uid ${uid}`}`,
    reversible: true,
    artefact: {
      folder: "cluster",
      form: "json-patch",
      label: "restore",
      content: asList(restorePatch(volume, { id: transfer.id, original: policy, claim, uid })),
    },
    on: volumeRef(name),
    // A claim that is being deleted would take its volume along once the policy is back.
    conditions: boundConditions(name, claim),
    run: patchVolume(name),
  };
}

/** The status that ends a transfer. */
export const completeStatus = (transfer: Transfer): JsonObject => ({
  complete: true,
  phase: "Complete",
  sourceUID: transfer.source.uid,
  ...(transfer.volume === null
    ? {}
    : { volumeName: transfer.volume.name, savedReclaimPolicy: transfer.volume.policy }),
});

export const failedStatus = (
  transfer: Transfer,
  phase: "Failed" | "RolledBack",
  reason: string,
  message: string,
): JsonObject => ({
  ...completeStatus(transfer),
  complete: false,
  phase,
  error: { reason, message },
});

/**
 * Step 9: the status of both objects, which is what the design's users watch. One that lives in Git alone has none: a
 * patch of it would fail for ever.
 */
export const statusSteps = (transfer: Transfer, status: JsonObject, does: string): readonly StepSpec[] =>
  (["request", "approval"] as const).flatMap((side): StepSpec[] => {
    const object = transfer[side];
    return object.uid === "" ? [] : [statusStep(side, object, status, does)];
  });

function statusStep(
  side: "request" | "approval",
  object: TransferRef,
  status: JsonObject,
  does: string,
): StepSpec {
  const { group } = parseApiVersion(object.apiVersion);
  const resource = side === "request" ? REQUEST_PLURAL : APPROVAL_PLURAL;
  const folder = side === "request" ? "target" : "source";
  return {
    key: `status-${side}`,
    stage: 9,
    action: "patch-status",
    does: `${does} in the status of ${side} ${nameText(object)}`,
    precondition: `its spec is unchanged and its uid is ${object.uid}`,
    reversible: true,
    artefact: {
      folder,
      form: "json-patch",
      label: `status-${side}`,
      content: asList(statusPatch(object, status)),
    },
    on: null,
    conditions: [],
    run: [
      "kubectl",
      "patch",
      `${resource}.${group === "" ? TRANSFER_GROUP : group}`,
      object.name,
      "--namespace",
      object.namespace,
      "--subresource=status",
      "--type=json",
      "--patch-file",
      ARTEFACT,
    ],
  };
}
