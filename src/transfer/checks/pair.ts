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
import { having, type KeysOf } from "../state.js";
import { storageIdOf, storageKey } from "../storage-id.js";
import { requestOf, storageClassOf, volumeModeOf } from "../target-claim.js";
import { about, type Check, isUnbound, type SafetyCheck } from "../transfer-context.js";
import { vacantFault } from "../vacant.js";

/** Claim and volume are in the dump, with what identifies them. */
export const shown: Check = (transferContext) => {
  const { claim, volume, source, kind, vacant, candidates } = transferContext;
  const refuse = (message: string, hint: string, observed = claim): Problem[] => [
    about(observed, transferContext).error("TRF030", "NotFound", "spec.source", message, hint),
  ];
  if (candidates.length > 1)
    return refuse(
      `claim ${nameText(source)} does not exist and several volumes refer to it: ${candidates.map(({ object }) => textAt(object, "metadata", "name")).join(", ")}`,
      `set the annotation ${ANNOTATIONS.volume} of the approval to the name of the volume`,
    );
  if (claim === undefined)
    return refuse(
      `the dump does not contain claim ${nameText(source)}`,
      "include all namespaces: kubectl get pv,pvc,pods,namespaces,… --all-namespaces --output yaml",
    );
  if (uidOf(claim.object) === "" && !vacant)
    return refuse(
      `claim ${nameText(source)} has no uid, so it was not read from a cluster`,
      "create the dump with kubectl get --output yaml",
    );
  if (textAt(claim.object, "status", "phase") === "")
    return refuse(
      `claim ${nameText(source)} has no status.phase, so it was not read from a cluster`,
      "create the dump with kubectl get --output yaml",
    );
  const illegal = illegalPart(claim.object);
  if (illegal !== undefined)
    return refuse(
      `an API server would not accept claim ${nameText(source)}: ${illegal}`,
      "create the dump with kubectl get --output yaml",
    );
  const name = textAt(claim.object, "spec", "volumeName");
  if (kind === "recreate" || name === "") return [];
  if (volume === undefined)
    return refuse(
      `the dump does not contain volume ${name} of claim ${nameText(source)}`,
      "add persistentvolumes to the dump",
    );
  if (uidOf(volume.object) === "" || !isDnsSubdomain(name))
    return refuse(
      `volume ${name} has no uid, so it was not read from a cluster`,
      "create the dump with kubectl get --output yaml",
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
  if (odd !== undefined) return `unsupported access mode ${JSON.stringify(odd)}`;
  if (new Set(modes).size < modes.length) return "duplicate access mode";
  if (!["Filesystem", "Block"].includes(volumeModeOf(claim)))
    return `unsupported volume mode ${volumeModeOf(claim)}`;
  const request = parseQuantity(requestOf(claim));
  if (request === undefined || request <= 0n) return "its storage request is not a quantity";
  const storageClass = storageClassOf(claim) ?? "";
  if (storageClass !== "" && !isDnsSubdomain(storageClass)) return "invalid name of the storage class";
  const attributesClass = textAt(claim, "spec", "volumeAttributesClassName");
  if (attributesClass !== "" && !isDnsSubdomain(attributesClass))
    return "invalid name of the VolumeAttributesClass";
  const [finding] = objectFindings(claim);
  return finding === undefined ? undefined : `${finding.field}: ${finding.message}`;
}

/** docs/reference/pvc-transfer.md §5: what an unbound claim can do. */
export const bound: Check = (transferContext) => {
  const { claim, source, kind, vacant } = transferContext;
  if (claim === undefined || vacant) return [];
  const { object } = claim;
  const refuse = (field: string, message: string, hint: string): Problem =>
    about(claim, transferContext).error("TRF032", "Forbidden", field, message, hint);
  const phase = textAt(object, "status", "phase");
  const who = `claim ${nameText(source)}`;
  if (isBeingDeleted(object)) return [];
  if (phase === "Lost")
    return [
      refuse(
        "status.phase",
        `${who} is Lost: its volume does not exist or is bound to another claim`,
        "restore the data first; there is no volume to transfer",
      ),
    ];
  if (phase !== "Pending") return [];
  if (!isUnbound(object))
    return [
      refuse(
        "status.phase",
        `${who} is Pending with spec.volumeName ${textAt(object, "spec", "volumeName")}: it is being bound`,
        "wait until it is Bound, then take a new dump",
      ),
    ];
  if (kind === "move")
    return [
      refuse(
        "status.phase",
        `${who} is Pending without a volume, so it has no data`,
        "wait until a pod uses it, or set --recreate-unbound to create a new claim in the target namespace",
      ),
    ];
  const source_ = ["dataSource", "dataSourceRef"].find((member) => at(object, "spec", member) !== undefined);
  if (source_ !== undefined)
    return [
      about(claim, transferContext).error(
        "TRF055",
        "Forbidden",
        `spec.${source_}`,
        `${who} is populated from ${textAt(object, "spec", source_, "kind")} ${textAt(object, "spec", source_, "name")} in its own namespace; a new claim in another namespace would be empty`,
        "wait until it is Bound, then transfer it",
      ),
    ];
  return [
    about(claim, transferContext).warning(
      "TRF032",
      "Invalid",
      "status.phase",
      `${who} has no volume; it is replaced by a new claim and no data are transferred`,
    ),
  ];
};

/** Bound to each other, and neither on its way out. */
export const sound: Check = (transferContext) => {
  const { claim, volume, source, kind, vacant } = transferContext;
  if (claim === undefined) return [];
  const problems: Problem[] = [];
  const refuse = (observed: typeof claim, field: string, message: string, hint: string): void =>
    void problems.push(about(observed, transferContext).error("TRF031", "Invalid", field, message, hint));
  const who = `claim ${nameText(source)}`;
  if (isBeingDeleted(claim.object))
    refuse(
      claim,
      "metadata.deletionTimestamp",
      `${who} is Terminating`,
      "continue an interrupted transfer with slipway transfer resume --plan PLAN --state DUMP; otherwise the claim is lost",
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
      "back up its data first; the deletion cannot be stopped",
    );
  if (vacant) return problems;
  const phase = textAt(volume.object, "status", "phase");
  if (phase !== "Bound")
    refuse(
      volume,
      "status.phase",
      `volume ${name} is ${phase === "" ? "without a phase" : phase}, not Bound`,
      "wait until claim and volume are Bound, then take a new dump",
    );
  if (Object.keys(reference).length === 0)
    refuse(
      volume,
      "spec.claimRef",
      `volume ${name} has no claimRef, although ${who} refers to it`,
      "wait for the PersistentVolume controller, then take a new dump",
    );
  else if (referred !== nameText(source))
    refuse(
      volume,
      "spec.claimRef",
      `volume ${name} is bound to ${referred}, not to ${who}`,
      "check who changed its claimRef",
    );
  else if (textAt(reference, "uid") !== uidOf(claim.object))
    refuse(
      volume,
      "spec.claimRef.uid",
      `volume ${name} is bound to uid ${textAt(reference, "uid") || "(none)"}, but ${who} has uid ${uidOf(claim.object)}`,
      "the claim was re-created under the same name; the volume belongs to the previous one",
    );
  return problems;
};

/** B3: a volume that is reserved by claimRef is bound without any check, so it has to be checked here. */
export const fits: SafetyCheck = (transferContext) => {
  const { claim, volume, source, kind } = transferContext;
  if (claim === undefined || volume === undefined || kind === "recreate") return [];
  const problems: Problem[] = [];
  const name = textAt(volume.object, "metadata", "name");
  const refuse = (field: string, what: string, own: string, its: string, hint: string): void =>
    void problems.push(
      about(claim, transferContext).error(
        "TRF051",
        "Invalid",
        field,
        `claim ${nameText(source)} and volume ${name} have different ${what}: ${own || '""'} and ${its || '""'}`,
        hint,
      ),
    );
  const [ownMode, itsMode] = [volumeModeOf(claim.object), volumeModeOf(volume.object)];
  if (ownMode !== itsMode)
    refuse(
      "spec.volumeMode",
      "volume modes",
      ownMode,
      itsMode,
      "use another claim; such a pair cannot be bound again",
    );
  const ownClass = storageClassOf(claim.object);
  const itsClass = storageClassOf(volume.object) ?? "";
  if (ownClass !== undefined && ownClass !== itsClass)
    refuse(
      "spec.storageClassName",
      "storage classes",
      ownClass,
      itsClass,
      "set spec.storageClassName of the volume to the storage class of the claim with kubectl patch persistentvolume",
    );
  const modes = textsAt(volume.object, "spec", "accessModes");
  const missing = textsAt(claim.object, "spec", "accessModes").filter((mode) => !modes.includes(mode));
  if (missing.length > 0)
    refuse(
      "spec.accessModes",
      "access modes",
      textsAt(claim.object, "spec", "accessModes").join(","),
      modes.join(","),
      "add the access modes of the claim to the volume",
    );
  const [request, capacity] = [requestOf(claim.object), textAt(volume.object, "spec", "capacity", "storage")];
  const [least, most] = [parseQuantity(request), parseQuantity(capacity)];
  if (least !== undefined && most !== undefined && least > most)
    refuse(
      "spec.resources.requests.storage",
      "sizes",
      request,
      capacity,
      "wait until the volume has been expanded, then take a new dump",
    );
  return problems;
};

/** A resize, or a change of attributes, would go on elsewhere; B3 does not look at the size. */
export const settled: SafetyCheck = (transferContext) => {
  const { claim, volume, source, kind } = transferContext;
  if (claim === undefined || kind === "recreate") return [];
  const { object } = claim;
  const refuse = (field: string, message: string): Problem[] => [
    about(claim, transferContext).error(
      "TRF044",
      "Forbidden",
      field,
      `claim ${nameText(source)}: ${message}`,
      "wait until this is finished, then take a new dump",
    ),
  ];
  const under = listAt(object, "status", "conditions").find(
    (each) => isChange(textAt(each, "type")) && textAt(each, "status") === "True",
  );
  if (under !== undefined) return refuse("status.conditions", `condition ${textAt(under, "type")} is True`);
  const resizing = Object.entries(objectAt(object, "status", "allocatedResourceStatuses"));
  if (resizing.length > 0)
    return refuse(
      "status.allocatedResourceStatuses",
      `a resize is in progress (${resizing.map(([key, value]) => `${key}: ${String(value)}`).join(", ")})`,
    );
  const [request, capacity] = [requestOf(object), textAt(object, "status", "capacity", "storage")];
  const [wanted, has] = [parseQuantity(request), parseQuantity(capacity)];
  if (wanted !== undefined && has !== undefined && wanted > has)
    return refuse(
      "spec.resources.requests.storage",
      `the requested size is ${request}, but the capacity is ${capacity}`,
    );
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
      `the requested VolumeAttributesClass is ${asked}, but the current one is ${given === "" ? "none" : given}`,
    );
  return [];
};

/** Recycle scrubs a volume when it is released. */
export const notRecycled: Check = (transferContext) => {
  const { volume } = transferContext;
  if (volume === undefined || policyOf(volume.object) !== "Recycle") return [];
  return [
    about(volume, transferContext).error(
      "TRF045",
      "NotSupported",
      "spec.persistentVolumeReclaimPolicy",
      `volume ${textAt(volume.object, "metadata", "name")} has the reclaim policy Recycle, which deletes its data when it is released`,
      "set its reclaim policy permanently to Retain or Delete",
    ),
  ];
};

/** The mark of another transfer on the volume. */
export const free: Check = (transferContext) => {
  const { volume, id, vacant } = transferContext;
  if (volume === undefined) return [];
  const mark = annotationOf(volume.object, ANNOTATIONS.plan);
  // Of a claim that is gone a plan knows more than its volume: what it said, and whether it was this plan that deleted it.
  if (mark === undefined || (mark === id && !vacant)) return [];
  return [
    about(volume, transferContext).error(
      "TRF054",
      "Forbidden",
      `metadata.annotations[${ANNOTATIONS.plan}]`,
      `volume ${textAt(volume.object, "metadata", "name")} is annotated with ${mark === id ? "this transfer, which is in progress" : `another transfer (${mark})`}`,
      "finish it with slipway transfer resume --plan PLAN --state DUMP, or revert it with slipway transfer rollback --plan PLAN --state DUMP",
    ),
  ];
};

const storageIds: KeysOf = (volume) => {
  const id = storageIdOf(volume);
  return id === undefined ? [] : [storageKey(id)];
};

/** Two volume objects for one piece of storage: deleting one destroys the data of the other. */
export const sole: SafetyCheck = (transferContext, { state }) => {
  const { volume } = transferContext;
  const id = volume === undefined ? undefined : storageIdOf(volume.object);
  if (volume === undefined || id === undefined) return [];
  const own = textAt(volume.object, "metadata", "name");
  return having(state.volumes, storageIds, storageKey(id))
    .filter(({ object }) => textAt(object, "metadata", "name") !== own)
    .map((other) =>
      about(volume, transferContext).error(
        "TRF046",
        "Duplicate",
        "spec",
        `volumes ${own} and ${textAt(other.object, "metadata", "name")} (${other.file}:${other.line}) refer to the same storage; deleting one destroys the data of the other`,
        "set the reclaim policy of the unused one to Retain, then delete its PersistentVolume object",
      ),
    );
};
