/**
 * What each gate of order R waits for, and what each command asks once more (docs/reference/pvc-transfer.md §3, §6).
 */
import type { JsonObject } from "../core/json.js";
import { APPROVAL_KIND, REQUEST_KIND } from "../crd/storage-transfer.js";
import { parseApiVersion } from "../kubernetes/identity.js";
import { shell } from "../text/shell.js";
import { type Name, nameText } from "./api.js";
import { claimIs, claimRef, type GateCondition, markedBy, volumeRef } from "./gates.js";
import { type ClaimOwner, type ClaimUser, type Transfer, type TransferRef, volumeOf } from "./model.js";
import { textAt, uidOf } from "./object.js";
import type { ClaimTest } from "./patches.js";
import { parseMoment } from "./pins.js";
import { storageIdOf } from "./storage-id.js";
import { requestOf } from "./target-claim.js";
import { keepClaimsLine, stopHint, stopsBy } from "./workloads.js";

/** The volume of the plan is there, stays there, and is kept whatever happens to its claim. */
export const retainConditions = (transfer: Transfer): readonly GateCondition[] => {
  const { name, uid } = volumeOf(transfer);
  return [
    {
      says: `volume ${name} has reclaim policy Retain`,
      condition: {
        type: "field",
        object: volumeRef(name),
        path: ["spec", "persistentVolumeReclaimPolicy"],
        equals: "Retain",
      },
      otherwise: "apply the patch that sets it again, and do not delete the source before",
    },
    {
      says: `volume ${name} is not being deleted`,
      condition: {
        type: "field",
        object: volumeRef(name),
        path: ["metadata", "deletionTimestamp"],
        equals: "",
      },
      otherwise: "stop: this plan no longer applies, because the volume object is going away",
    },
    {
      says: `volume ${name} still has uid ${uid}`,
      condition: { type: "field", object: volumeRef(name), path: ["metadata", "uid"], equals: uid },
      otherwise: RESUME,
    },
    markedBy(volumeRef(name), transfer.id),
  ];
};

const RESUME = "stop; run slipway transfer resume with a new dump";

/** Whom the volume names. */
const heldBy = (volume: string, who: ClaimTest): GateCondition[] => {
  const field = (says: string, path: readonly string[], equals: string): GateCondition => ({
    says,
    condition: { type: "field", object: volumeRef(volume), path: ["spec", "claimRef", ...path], equals },
    otherwise: RESUME,
  });
  if (who === "unclaimed") return [];
  if ("uid" in who)
    return [field(`volume ${volume} is bound to the claim with uid ${who.uid}`, ["uid"], who.uid)];
  const { namespace, name } = who.reservedFor;
  return [
    field(`the claimRef of volume ${volume} has namespace ${namespace}`, ["namespace"], namespace),
    field(`the claimRef of volume ${volume} has name ${name}`, ["name"], name),
  ];
};

/** What was seen of a transfer whose source is to be deleted. */
export interface BeforeDelete {
  readonly source: JsonObject;
  /** Undefined for `recreate`. */
  readonly volume: JsonObject | undefined;
  /** Whom the volume has to name then. */
  readonly claim: ClaimTest;
  /** The target has been made by then. */
  readonly targetMade: boolean;
  /** Everything can still be taken back, so that both sides have to agree still. */
  readonly consent: boolean;
}

/**
 * Gate 4, and asked again by the command that deletes: every condition on which the deletion rests, since days may pass
 * between two steps.
 */
export const idleConditions = (transfer: Transfer, seen: BeforeDelete): readonly GateCondition[] => [
  ...(transfer.kind === "move" ? keptConditions(transfer, seen) : unboundConditions(transfer)),
  {
    says: `no pod, running or not, uses claim ${nameText(transfer.source)}`,
    condition: { type: "no-pods", claim: transfer.source },
    otherwise:
      "stop the workload; a claim that is in use stays Terminating, and its deletion cannot be undone",
  },
  {
    says: `claim ${nameText(transfer.source)} still has uid ${transfer.source.uid}`,
    condition: claimIs(transfer.source, ["metadata", "uid"], transfer.source.uid),
    otherwise: RESUME,
  },
  {
    says: `claim ${nameText(transfer.source)} has no finalizer${transfer.waivedFinalizers.length === 0 ? "" : ` except ${transfer.waivedFinalizers.join(", ")}`}, no resize and no change of attributes in progress`,
    condition: {
      type: "settled",
      claim: transfer.source,
      busy: { waived: transfer.waivedFinalizers },
    },
    otherwise: "wait until this is finished",
  },
  ...(seen.targetMade ? targetConditions(transfer) : []),
  ...(seen.consent ? consentConditions(transfer) : []),
  ...transfer.owners.flatMap((owner) => ownerConditions(transfer.source, owner)),
  ...transfer.users.map((user) => userCondition(transfer.source, user)),
  {
    says:
      transfer.deliveredBy === ""
        ? `claim ${nameText(transfer.source)} is no longer declared in Git, or its deployment is paused`
        : `${transfer.deliveredBy} no longer declares claim ${nameText(transfer.source)}, or is paused`,
    condition: { type: "manual" },
    otherwise:
      "remove it from Git first; a self-healing GitOps tool would re-create the claim without its data",
  },
];

/** Of a claim whose volume moves. */
function keptConditions(transfer: Transfer, { source, volume, claim }: BeforeDelete): GateCondition[] {
  const { name } = volumeOf(transfer);
  const request = requestOf(source);
  const storage = volume === undefined ? undefined : storageIdOf(volume);
  return [
    ...retainConditions(transfer),
    ...heldBy(name, claim),
    {
      says: `volume ${name} has no VolumeAttachment`,
      condition: { type: "no-attachments", volume: name },
      otherwise: "wait until the node has detached the volume",
    },
    ...(storage === undefined
      ? []
      : [
          {
            says: `no other volume refers to the storage of ${name}`,
            condition: { type: "sole", volume: name, storage } as const,
            otherwise:
              "set the reclaim policy of the other one to Retain, then delete its PersistentVolume object",
          },
        ]),
    {
      says: `claim ${nameText(transfer.source)} still requests ${request}`,
      condition: claimIs(transfer.source, ["spec", "resources", "requests", "storage"], request),
      otherwise: `wait until the volume has been expanded, then ${RESUME.slice("stop; ".length)}`,
    },
  ];
}

/** Of a claim that never had a volume (docs/reference/pvc-transfer.md §5). */
const unboundConditions = (transfer: Transfer): GateCondition[] => [
  {
    says: `claim ${nameText(transfer.source)} is still Pending`,
    condition: claimIs(transfer.source, ["status", "phase"], "Pending"),
    otherwise: "stop: it has been bound and may contain data; create a new plan",
  },
  {
    says: `claim ${nameText(transfer.source)} has no volume`,
    condition: claimIs(transfer.source, ["spec", "volumeName"], ""),
    otherwise: "stop: it is being bound and may contain data; create a new plan",
  },
];

/** The target that was made before: without it the application would be down until it is made again. */
const targetConditions = (transfer: Transfer): GateCondition[] => [
  markedBy(claimRef(transfer.target), transfer.id),
  {
    says: `claim ${nameText(transfer.target)} is not being deleted`,
    condition: claimIs(transfer.target, ["metadata", "deletionTimestamp"], ""),
    otherwise: RESUME,
  },
];

/** Both sides agree still, as far as a cluster or the clock can tell. */
function consentConditions({ request, approval, expires }: Transfer): GateCondition[] {
  const moment = expires === null ? undefined : parseMoment(expires);
  const there = (kind: typeof REQUEST_KIND | typeof APPROVAL_KIND, ref: TransferRef): GateCondition[] => {
    const { namespace, name, uid } = ref;
    const { group } = parseApiVersion(ref.apiVersion);
    if (uid === "") return [];
    return [
      {
        says: `${kind} ${nameText(ref)} exists with uid ${uid}`,
        condition: {
          type: "field",
          object: { kind, namespace, name, group },
          path: ["metadata", "uid"],
          equals: uid,
        },
        otherwise: "stop: one side has withdrawn it; revert the transfer with slipway transfer rollback",
      },
    ];
  };
  return [
    ...there(REQUEST_KIND, request),
    ...there(APPROVAL_KIND, approval),
    ...(moment === undefined
      ? []
      : [
          {
            says: `the approval has not expired (${String(expires)})`,
            condition: { type: "before", moment } as const,
            otherwise:
              "have the owner of the source approve again and create a new plan, or run slipway transfer rollback",
          },
        ]),
  ];
}

/** What the command of a step can ask by itself. */
export const askable = (conditions: readonly GateCondition[]): readonly GateCondition[] =>
  conditions.filter(({ condition }) => condition.type !== "manual");

/** Before a target that never got the volume is deleted, in a rollback. */
export const unboundTargetConditions = (
  transfer: Transfer,
  target: JsonObject,
  volume: JsonObject | undefined,
): readonly GateCondition[] => {
  const { target: name } = transfer;
  const phase = textAt(target, "status", "phase");
  return [
    {
      says: `claim ${nameText(name)} still has uid ${uidOf(target)}`,
      condition: claimIs(name, ["metadata", "uid"], uidOf(target)),
      otherwise: "stop; run slipway transfer rollback with a new dump",
    },
    {
      says: `claim ${nameText(name)} is ${phase}`,
      condition: claimIs(name, ["status", "phase"], phase),
      otherwise: "stop; run slipway transfer rollback with a new dump",
    },
    ...(transfer.kind === "recreate"
      ? [
          {
            says: `claim ${nameText(name)} has no volume`,
            condition: claimIs(name, ["spec", "volumeName"], ""),
            otherwise: "stop: it may contain data",
          },
        ]
      : [
          {
            says: `volume ${volumeOf(transfer).name} is not bound to it`,
            condition: {
              type: "field",
              object: volumeRef(volumeOf(transfer).name),
              path: ["spec", "claimRef", "uid"],
              equals: textAt(volume, "spec", "claimRef", "uid"),
            } as const,
            otherwise: "stop; run slipway transfer rollback with a new dump",
          },
        ]),
  ];
};

/** Before the policy goes back while the source, which was bound all the time, holds the volume. */
export const sourceStays = ({ source }: Transfer): readonly GateCondition[] => [
  {
    says: `claim ${nameText(source)} still has uid ${source.uid}`,
    condition: claimIs(source, ["metadata", "uid"], source.uid),
    otherwise: "stop; run slipway transfer rollback with a new dump",
  },
  {
    says: `claim ${nameText(source)} is not being deleted`,
    condition: claimIs(source, ["metadata", "deletionTimestamp"], ""),
    otherwise: "stop: the volume would be deleted with it once its reclaim policy is restored",
  },
];

function ownerConditions(source: Name, owner: ClaimOwner): GateCondition[] {
  if (owner.kind !== "StatefulSet" || owner.replicas === null)
    return [
      {
        says: `${owner.kind} ${source.namespace}/${owner.name} does not re-create the claim`,
        condition: { type: "manual" },
        otherwise: `pause or delete ${owner.kind} ${owner.name}, which would re-create the claim with an empty volume`,
      },
    ];
  const object = { kind: "StatefulSet", namespace: source.namespace, name: owner.name } as const;
  const keeps = (member: "whenDeleted" | "whenScaled"): GateCondition => ({
    says: `StatefulSet ${owner.name} retains its claims (${member})`,
    condition: {
      type: "field",
      object,
      path: ["spec", "persistentVolumeClaimRetentionPolicy", member],
      equals: "Retain",
    },
    otherwise: `before scaling down: ${keepClaimsLine({ namespace: source.namespace, name: owner.name })}`,
  });
  return [
    ...(owner.deletesClaims ? [keeps("whenDeleted"), keeps("whenScaled")] : []),
    {
      says: `StatefulSet ${owner.name} has at most ${owner.replicas} replicas and does not need the claim`,
      condition: { type: "at-most", object, path: ["spec", "replicas"], limit: owner.replicas },
      otherwise: shell`kubectl scale statefulset ${owner.name} --namespace ${source.namespace}
        --replicas=${owner.replicas}`,
    },
  ];
}

function userCondition({ namespace }: Name, { kind, name }: ClaimUser): GateCondition {
  const otherwise = stopHint(kind, { namespace, name });
  const object = { kind, namespace, name } as const;
  switch (stopsBy(kind)) {
    case "replicas":
      return {
        says: `${kind} ${name}, whose pods use the claim, has no replicas`,
        condition: { type: "at-most", object, path: ["spec", "replicas"], limit: 0 },
        otherwise,
      };
    case "suspend":
      return {
        says: `${kind} ${name}, whose pods use the claim, is suspended`,
        condition: { type: "suspended", object },
        otherwise,
      };
    case "people":
      return {
        says: `${kind} ${name}, whose pods use the claim, does not start any more of them`,
        condition: { type: "manual" },
        otherwise,
      };
  }
}

/** Of step 5, and before the volume is given back to the name of the source. */
export const sourceGoneConditions = ({ source }: Transfer): readonly GateCondition[] => [
  {
    says: `claim ${nameText(source)} does not exist`,
    condition: { type: "absent", object: claimRef(source) },
    otherwise:
      "wait while it is Terminating; if a controller or GitOps tool has re-created it, stop that tool and delete the new claim, which is empty",
  },
];

/** Gate of step 5. */
export const goneConditions = (transfer: Transfer, kept: boolean): readonly GateCondition[] => [
  ...sourceGoneConditions(transfer),
  ...(transfer.kind === "move" && kept ? retainConditions(transfer) : []),
];

/** Gate 7, for the target or, in a rollback, for the source. */
export const boundConditions = (volume: string, claim: Name): readonly GateCondition[] => [
  {
    says: `claim ${nameText(claim)} is Bound`,
    condition: claimIs(claim, ["status", "phase"], "Bound"),
    otherwise: "wait and check its events",
  },
  {
    says: `claim ${nameText(claim)} is bound to volume ${volume}`,
    condition: claimIs(claim, ["spec", "volumeName"], volume),
    otherwise: "stop: it is bound to another volume; keep the reclaim policy Retain",
  },
  {
    says: `claim ${nameText(claim)} is not being deleted`,
    condition: claimIs(claim, ["metadata", "deletionTimestamp"], ""),
    otherwise:
      "stop: the volume would be deleted with it once its reclaim policy is restored; run slipway transfer resume after it is deleted",
  },
  {
    says: `volume ${volume} is Bound`,
    condition: { type: "field", object: volumeRef(volume), path: ["status", "phase"], equals: "Bound" },
    otherwise: "wait for the PersistentVolume controller",
  },
  {
    says: `volume ${volume} is bound to exactly this claim`,
    condition: {
      type: "same",
      object: volumeRef(volume),
      path: ["spec", "claimRef", "uid"],
      other: { object: claimRef(claim), path: ["metadata", "uid"] },
    },
    otherwise: "stop; run slipway transfer resume with a new dump",
  },
];
