/** Whether a claim and its volume are a sound pair that can be moved (docs/reference/pvc-transfer.md §3, §5). */
import type { Problem } from "../../core/diagnostics.js";
import type { JsonObject } from "../../core/json.js";
import { isDnsSubdomain } from "../../kubernetes/names.js";
import { objectFindings } from "../../kubernetes/object-rules.js";
import { parseQuantity } from "../../kubernetes/quantities.js";
import { ANNOTATIONS, nameText } from "../api.js";
import { isChange } from "../busy.js";
import { annotationOf, at, isBeingDeleted, listAt, objectAt, textAt, textsAt, uidOf } from "../object.js";
import { policyOf } from "../patches.js";
import { about, type Check, isUnbound, type SafetyCheck } from "../situation.js";
import { having, type KeysOf } from "../state.js";
import { storageIdOf, storageKey } from "../storage-id.js";
import { requestOf, storageClassOf, volumeModeOf } from "../target-claim.js";
import { vacantFault } from "../vacant.js";

/** Claim and volume are in the dump, with what identifies them. */
export const shown: Check = (situation) => {
  const { claim, volume, source, kind, vacant, candidates } = situation;
  const refuse = (message: string, hint: string, observed = claim): Problem[] => [
    about(observed, situation, { code: "TRF030", kind: "NotFound", field: "spec.source", message, hint }),
  ];
  if (candidates.length > 1)
    return refuse(
      `claim ${nameText(source)} is gone and has left several volumes: ${candidates.map(({ object }) => textAt(object, "metadata", "name")).join(", ")}`,
      `name the one that is meant on the approval: the annotation ${ANNOTATIONS.volume}`,
    );
  if (claim === undefined)
    return refuse(
      `the dump does not show claim ${nameText(source)}`,
      "kubectl get pv,pvc,pods,namespaces,… --all-namespaces --output yaml",
    );
  if (uidOf(claim.object) === "" && !vacant)
    return refuse(
      `claim ${nameText(source)} has no uid: this is not how a cluster shows it`,
      "dump it with kubectl get --output yaml",
    );
  if (textAt(claim.object, "status", "phase") === "")
    return refuse(
      `claim ${nameText(source)} has no status.phase: this is not how a cluster shows it`,
      "dump it with kubectl get --output yaml",
    );
  const illegal = illegalPart(claim.object);
  if (illegal !== undefined)
    return refuse(
      `claim ${nameText(source)} is not one that an API server keeps: ${illegal}`,
      "dump it with kubectl get --output yaml",
    );
  const name = textAt(claim.object, "spec", "volumeName");
  if (kind === "recreate" || name === "") return [];
  if (volume === undefined)
    return refuse(
      `the dump does not show volume ${name} of claim ${nameText(source)}`,
      "dump persistentvolumes too",
    );
  if (uidOf(volume.object) === "" || !isDnsSubdomain(name))
    return refuse(
      `volume ${name} has no uid: this is not how a cluster shows it`,
      "dump it with kubectl get --output yaml",
      volume,
    );
  return [];
};

const ACCESS_MODES = ["ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod"];

/** What core rules forbid in the parts of a claim that go along (core `ValidatePersistentVolumeClaim`). */
function illegalPart(claim: JsonObject): string | undefined {
  const modes = listAt(claim, "spec", "accessModes");
  if (modes.length === 0) return "it has no access modes";
  const odd = modes.find((mode) => typeof mode !== "string" || !ACCESS_MODES.includes(mode));
  if (odd !== undefined) return `there is no access mode ${JSON.stringify(odd)}`;
  if (new Set(modes).size < modes.length) return "an access mode appears twice";
  if (!["Filesystem", "Block"].includes(volumeModeOf(claim)))
    return `there is no volume mode ${volumeModeOf(claim)}`;
  const request = parseQuantity(requestOf(claim));
  if (request === undefined || request <= 0n) return "its request for storage is not a size";
  const storageClass = storageClassOf(claim) ?? "";
  if (storageClass !== "" && !isDnsSubdomain(storageClass)) return "its storage class has no legal name";
  const attributesClass = textAt(claim, "spec", "volumeAttributesClassName");
  if (attributesClass !== "" && !isDnsSubdomain(attributesClass))
    return "its class of attributes has no legal name";
  const [finding] = objectFindings(claim);
  return finding === undefined ? undefined : `${finding.field}: ${finding.message}`;
}

/** docs/reference/pvc-transfer.md §5: what an unbound claim can do. */
export const bound: Check = (situation) => {
  const { claim, source, kind, vacant } = situation;
  if (claim === undefined || vacant) return [];
  const { object } = claim;
  const refuse = (field: string, message: string, hint: string): Problem =>
    about(claim, situation, { code: "TRF032", kind: "Forbidden", field, message, hint });
  const phase = textAt(object, "status", "phase");
  const who = `claim ${nameText(source)}`;
  if (isBeingDeleted(object)) return [];
  if (phase === "Lost")
    return [
      refuse(
        "status.phase",
        `${who} is Lost: its volume is gone or held by another claim`,
        "nothing can be moved; restore the data first",
      ),
    ];
  if (phase !== "Pending") return [];
  if (!isUnbound(object))
    return [
      refuse(
        "status.phase",
        `${who} is Pending and names volume ${textAt(object, "spec", "volumeName")}: it is being bound`,
        "wait until it is Bound, and take a fresh dump",
      ),
    ];
  if (kind === "move")
    return [
      refuse(
        "status.phase",
        `${who} is Pending without a volume: there are no data that could move`,
        "wait until a pod uses it, or give --recreate-unbound for a fresh claim in the target namespace",
      ),
    ];
  const source_ = ["dataSource", "dataSourceRef"].find((member) => at(object, "spec", member) !== undefined);
  if (source_ !== undefined)
    return [
      about(claim, situation, {
        code: "TRF055",
        kind: "Forbidden",
        field: `spec.${source_}`,
        message: `${who} is to be filled from ${textAt(object, "spec", source_, "kind")} ${textAt(object, "spec", source_, "name")} of its own namespace; a fresh claim elsewhere would be empty`,
        hint: "let it be bound where it is, then transfer it",
      }),
    ];
  return [
    about(claim, situation, {
      code: "TRF032",
      kind: "Invalid",
      severity: "warning",
      field: "status.phase",
      message: `${who} has no volume: a fresh claim takes its place, and nothing is moved`,
      hint: "",
    }),
  ];
};

/** Bound to each other, and neither on its way out. */
export const sound: Check = (situation) => {
  const { claim, volume, source, kind, vacant } = situation;
  if (claim === undefined) return [];
  const problems: Problem[] = [];
  const refuse = (observed: typeof claim, field: string, message: string, hint: string): void =>
    void problems.push(about(observed, situation, { code: "TRF031", kind: "Invalid", field, message, hint }));
  const who = `claim ${nameText(source)}`;
  if (isBeingDeleted(claim.object))
    refuse(
      claim,
      "metadata.deletionTimestamp",
      `${who} is Terminating`,
      "when a transfer is under way, slipway transfer resume --plan PLAN --state DUMP goes on with it; otherwise the claim is lost to its owner",
    );
  if (volume === undefined || kind === "recreate") return problems;
  if (vacant) {
    const fault = isBeingDeleted(volume.object) ? undefined : vacantFault(volume.object);
    if (fault !== undefined) refuse(volume, "status.phase", fault.message, fault.hint);
  }
  const name = textAt(volume.object, "metadata", "name");
  const reference = objectAt(volume.object, "spec", "claimRef");
  const referred = `${textAt(reference, "namespace")}/${textAt(reference, "name")}`;
  if (isBeingDeleted(volume.object))
    refuse(
      volume,
      "metadata.deletionTimestamp",
      `volume ${name} is being deleted`,
      "nothing can keep the object; secure its data first",
    );
  if (vacant) return problems;
  const phase = textAt(volume.object, "status", "phase");
  if (phase !== "Bound")
    refuse(
      volume,
      "status.phase",
      `volume ${name} is ${phase === "" ? "without a phase" : phase}, not Bound`,
      "take a fresh dump when claim and volume are Bound",
    );
  if (Object.keys(reference).length === 0)
    refuse(
      volume,
      "spec.claimRef",
      `volume ${name} has no claimRef, although ${who} names it`,
      "wait for the binding controller, and take a fresh dump",
    );
  else if (referred !== nameText(source))
    refuse(
      volume,
      "spec.claimRef",
      `volume ${name} is held by ${referred}, not by ${who}`,
      "find out who pointed it there",
    );
  else if (textAt(reference, "uid") !== uidOf(claim.object))
    refuse(
      volume,
      "spec.claimRef.uid",
      `volume ${name} is held by uid ${textAt(reference, "uid") || "(none)"}, but ${who} has uid ${uidOf(claim.object)}`,
      "the claim was made anew under the same name; the volume belongs to the one before",
    );
  return problems;
};

/** B3: a volume that is reserved by claimRef is bound without any check, so it has to be checked here. */
export const fits: SafetyCheck = (situation) => {
  const { claim, volume, source, kind } = situation;
  if (claim === undefined || volume === undefined || kind === "recreate") return [];
  const problems: Problem[] = [];
  const name = textAt(volume.object, "metadata", "name");
  const refuse = (field: string, what: string, own: string, its: string, hint: string): void =>
    void problems.push(
      about(claim, situation, {
        code: "TRF051",
        kind: "Invalid",
        field,
        message: `claim ${nameText(source)} and volume ${name} differ in ${what}: ${own || '""'} and ${its || '""'}`,
        hint,
      }),
    );
  const [ownMode, itsMode] = [volumeModeOf(claim.object), volumeModeOf(volume.object)];
  if (ownMode !== itsMode)
    refuse("spec.volumeMode", "volume mode", ownMode, itsMode, "such a pair cannot be bound again");
  const ownClass = storageClassOf(claim.object);
  const itsClass = storageClassOf(volume.object) ?? "";
  if (ownClass !== undefined && ownClass !== itsClass)
    refuse(
      "spec.storageClassName",
      "storage class",
      ownClass,
      itsClass,
      "give the volume the class of the claim: kubectl patch persistentvolume",
    );
  const modes = textsAt(volume.object, "spec", "accessModes");
  const missing = textsAt(claim.object, "spec", "accessModes").filter((mode) => !modes.includes(mode));
  if (missing.length > 0)
    refuse(
      "spec.accessModes",
      "access modes",
      textsAt(claim.object, "spec", "accessModes").join(","),
      modes.join(","),
      "give the volume the access modes of the claim",
    );
  const [request, capacity] = [requestOf(claim.object), textAt(volume.object, "spec", "capacity", "storage")];
  const [least, most] = [parseQuantity(request), parseQuantity(capacity)];
  if (least !== undefined && most !== undefined && least > most)
    refuse(
      "spec.resources.requests.storage",
      "size",
      request,
      capacity,
      "wait until the volume has grown, and take a fresh dump",
    );
  return problems;
};

/** A resize, or a change of attributes, would go on elsewhere; B3 does not look at the size. */
export const settled: SafetyCheck = (situation) => {
  const { claim, volume, source, kind } = situation;
  if (claim === undefined || kind === "recreate") return [];
  const { object } = claim;
  const refuse = (field: string, message: string): Problem[] => [
    about(claim, situation, {
      code: "TRF044",
      kind: "Forbidden",
      field,
      message: `claim ${nameText(source)}: ${message}`,
      hint: "wait until it has ended, and take a fresh dump",
    }),
  ];
  const under = listAt(object, "status", "conditions").find(
    (each) => isChange(textAt(each, "type")) && textAt(each, "status") === "True",
  );
  if (under !== undefined)
    return refuse("status.conditions", `the condition ${textAt(under, "type")} is True`);
  const resizing = Object.entries(objectAt(object, "status", "allocatedResourceStatuses"));
  if (resizing.length > 0)
    return refuse(
      "status.allocatedResourceStatuses",
      `a resize is under way (${resizing.map(([key, value]) => `${key}: ${String(value)}`).join(", ")})`,
    );
  const [request, capacity] = [requestOf(object), textAt(object, "status", "capacity", "storage")];
  const [wanted, has] = [parseQuantity(request), parseQuantity(capacity)];
  if (wanted !== undefined && has !== undefined && wanted > has)
    return refuse("spec.resources.requests.storage", `it asks for ${request} and has ${capacity}`);
  if (at(object, "status", "modifyVolumeStatus") !== undefined)
    return refuse("status.modifyVolumeStatus", "the attributes of the volume are being changed");
  const [asked, current] = [
    textAt(object, "spec", "volumeAttributesClassName"),
    textAt(object, "status", "currentVolumeAttributesClassName"),
  ];
  // Before the first change the claim says nothing, and its volume has the class that it was made with.
  const given = current || textAt(volume?.object, "spec", "volumeAttributesClassName");
  if (asked !== "" && asked !== given)
    return refuse(
      "spec.volumeAttributesClassName",
      `it asks for the attributes ${asked} and has ${given === "" ? "none" : given}`,
    );
  return [];
};

/** Recycle scrubs a volume when it is released. */
export const notRecycled: Check = (situation) => {
  const { volume } = situation;
  if (volume === undefined || policyOf(volume.object) !== "Recycle") return [];
  return [
    about(volume, situation, {
      code: "TRF045",
      kind: "NotSupported",
      field: "spec.persistentVolumeReclaimPolicy",
      message: `volume ${textAt(volume.object, "metadata", "name")} has the reclaim policy Recycle, which scrubs it when it is released`,
      hint: "give it the policy Retain or Delete for good",
    }),
  ];
};

/** The mark of another transfer on the volume. */
export const free: Check = (situation) => {
  const { volume, id, vacant } = situation;
  if (volume === undefined) return [];
  const mark = annotationOf(volume.object, ANNOTATIONS.plan);
  // Of a claim that is gone a plan knows more than its volume: what it said, and whether it was this plan that deleted it.
  if (mark === undefined || (mark === id && !vacant)) return [];
  return [
    about(volume, situation, {
      code: "TRF054",
      kind: "Forbidden",
      field: `metadata.annotations[${ANNOTATIONS.plan}]`,
      message: `volume ${textAt(volume.object, "metadata", "name")} carries the mark of ${mark === id ? "this transfer, which is under way" : `another transfer (${mark})`}`,
      hint: "finish it with slipway transfer resume --plan PLAN --state DUMP, or take it back with slipway transfer rollback --plan PLAN --state DUMP",
    }),
  ];
};

const storageIds: KeysOf = (volume) => {
  const id = storageIdOf(volume);
  return id === undefined ? [] : [storageKey(id)];
};

/** Two volume objects for one piece of storage: deleting one destroys the data of the other. */
export const sole: SafetyCheck = (situation, { state }) => {
  const { volume } = situation;
  const id = volume === undefined ? undefined : storageIdOf(volume.object);
  if (volume === undefined || id === undefined) return [];
  const own = textAt(volume.object, "metadata", "name");
  return having(state.volumes, storageIds, storageKey(id))
    .filter(({ object }) => textAt(object, "metadata", "name") !== own)
    .map((other) =>
      about(volume, situation, {
        code: "TRF046",
        kind: "Duplicate",
        field: "spec",
        message: `volumes ${own} and ${textAt(other.object, "metadata", "name")} (${other.file}:${other.line}) stand for the same storage; deleting one destroys the data of the other`,
        hint: "remove the one that nobody uses, with its policy set to Retain before",
      }),
    );
};
