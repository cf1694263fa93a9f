/**
 * What each gate of order R waits for, and what each command asks once more (docs/reference/pvc-transfer.md §3, §6).
 */
import type { JsonObject } from "../core/json.js";
import { parseApiVersion } from "../kubernetes/identity.js";
import { APPROVAL_KIND, REQUEST_KIND } from "../kubernetes/storage-transfer.js";
import { commandLine } from "../text/shell.js";
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
      says: `volume ${name} has the reclaim policy Retain`,
      condition: {
        type: "field",
        object: volumeRef(name),
        path: ["spec", "persistentVolumeReclaimPolicy"],
        equals: "Retain",
      },
      otherwise: "apply the patch that sets it again; the source must not be deleted before",
    },
    {
      says: `volume ${name} is not being deleted`,
      condition: {
        type: "field",
        object: volumeRef(name),
        path: ["metadata", "deletionTimestamp"],
        equals: "",
      },
      otherwise: "stop: the volume object goes away; nothing of the plan applies any more",
    },
    {
      says: `volume ${name} is still the one with uid ${uid}`,
      condition: { type: "field", object: volumeRef(name), path: ["metadata", "uid"], equals: uid },
      otherwise: RESUME,
    },
    markedBy(volumeRef(name), transfer.id),
  ];
};

const RESUME = "stop; run slipway transfer resume with a fresh dump";

/** Whom the volume names. */
const heldBy = (volume: string, who: ClaimTest): GateCondition[] => {
  const field = (says: string, path: readonly string[], equals: string): GateCondition => ({
    says,
    condition: { type: "field", object: volumeRef(volume), path: ["spec", "claimRef", ...path], equals },
    otherwise: RESUME,
  });
  if (who === "nobody") return [];
  if ("uid" in who)
    return [field(`volume ${volume} is held by the claim with uid ${who.uid}`, ["uid"], who.uid)];
  const { namespace, name } = who.reservedFor;
  return [
    field(`volume ${volume} names a claim of namespace ${namespace}`, ["namespace"], namespace),
    field(`volume ${volume} names the claim ${name}`, ["name"], name),
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
    says: `no pod uses claim ${nameText(transfer.source)}, running or not`,
    condition: { type: "no-pods", claim: transfer.source },
    otherwise: "stop the workload; a claim in use cannot be deleted, and its deletion cannot be undone",
  },
  {
    says: `claim ${nameText(transfer.source)} is still the one with uid ${transfer.source.uid}`,
    condition: claimIs(transfer.source, ["metadata", "uid"], transfer.source.uid),
    otherwise: RESUME,
  },
  {
    says: `nothing holds claim ${nameText(transfer.source)} or changes it: no finalizer${transfer.waivedFinalizers.length === 0 ? "" : ` but ${transfer.waivedFinalizers.join(", ")}`}, no resize, no change of attributes`,
    condition: {
      type: "settled",
      claim: transfer.source,
      busy: { waived: transfer.waivedFinalizers },
    },
    otherwise: "wait until it has ended",
  },
  ...(seen.targetMade ? targetConditions(transfer) : []),
  ...(seen.consent ? consentConditions(transfer) : []),
  ...transfer.owners.flatMap((owner) => ownerConditions(transfer.source, owner)),
  ...transfer.users.map((user) => userCondition(transfer.source, user)),
  {
    says:
      transfer.deliveredBy === ""
        ? `Git no longer declares claim ${nameText(transfer.source)}, or its delivery is paused`
        : `${transfer.deliveredBy} no longer declares claim ${nameText(transfer.source)}, or is paused`,
    condition: { type: "manual" },
    otherwise: "remove it from Git first: a delivery tool that heals would make the claim again, empty",
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
      says: `no volume attachment of ${name} is left`,
      condition: { type: "no-attachments", volume: name },
      otherwise: "wait until the node has detached the volume",
    },
    ...(storage === undefined
      ? []
      : [
          {
            says: `no other volume stands for the storage of ${name}`,
            condition: { type: "sole", volume: name, storage } as const,
            otherwise: "remove the other one, with its policy set to Retain before",
          },
        ]),
    {
      says: `claim ${nameText(transfer.source)} still asks for ${request}`,
      condition: claimIs(transfer.source, ["spec", "resources", "requests", "storage"], request),
      otherwise: `wait until the volume has grown, then ${RESUME.slice("stop; ".length)}`,
    },
  ];
}

/** Of a claim that never had a volume (docs/reference/pvc-transfer.md §5). */
const unboundConditions = (transfer: Transfer): GateCondition[] => [
  {
    says: `claim ${nameText(transfer.source)} is still Pending`,
    condition: claimIs(transfer.source, ["status", "phase"], "Pending"),
    otherwise: "stop: it was bound in the meantime and may hold data; plan again",
  },
  {
    says: `claim ${nameText(transfer.source)} has no volume`,
    condition: claimIs(transfer.source, ["spec", "volumeName"], ""),
    otherwise: "stop: it is being bound and may hold data; plan again",
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
        says: `${kind} ${nameText(ref)} is there, with uid ${uid}`,
        condition: {
          type: "field",
          object: { kind, namespace, name, group },
          path: ["metadata", "uid"],
          equals: uid,
        },
        otherwise: "stop: one side has taken it back; slipway transfer rollback leads back",
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
            otherwise: "let the source's side approve again and plan anew, or slipway transfer rollback",
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
      says: `claim ${nameText(name)} is still the one with uid ${uidOf(target)}`,
      condition: claimIs(name, ["metadata", "uid"], uidOf(target)),
      otherwise: "stop; run slipway transfer rollback with a fresh dump",
    },
    {
      says: `claim ${nameText(name)} is ${phase}`,
      condition: claimIs(name, ["status", "phase"], phase),
      otherwise: "stop; run slipway transfer rollback with a fresh dump",
    },
    ...(transfer.kind === "recreate"
      ? [
          {
            says: `claim ${nameText(name)} has no volume`,
            condition: claimIs(name, ["spec", "volumeName"], ""),
            otherwise: "stop: it may hold data",
          },
        ]
      : [
          {
            says: `volume ${volumeOf(transfer).name} is not held by it`,
            condition: {
              type: "field",
              object: volumeRef(volumeOf(transfer).name),
              path: ["spec", "claimRef", "uid"],
              equals: textAt(volume, "spec", "claimRef", "uid"),
            } as const,
            otherwise: "stop; run slipway transfer rollback with a fresh dump",
          },
        ]),
  ];
};

/** Before the policy goes back while the source, which was bound all the time, holds the volume. */
export const sourceStays = ({ source }: Transfer): readonly GateCondition[] => [
  {
    says: `claim ${nameText(source)} is still the one with uid ${source.uid}`,
    condition: claimIs(source, ["metadata", "uid"], source.uid),
    otherwise: "stop; run slipway transfer rollback with a fresh dump",
  },
  {
    says: `claim ${nameText(source)} is not being deleted`,
    condition: claimIs(source, ["metadata", "deletionTimestamp"], ""),
    otherwise: "stop: with its policy back the volume would go with it",
  },
];

function ownerConditions(source: Name, owner: ClaimOwner): GateCondition[] {
  if (owner.kind !== "StatefulSet" || owner.replicas === null)
    return [
      {
        says: `${owner.kind} ${source.namespace}/${owner.name} does not make the claim again`,
        condition: { type: "manual" },
        otherwise: `pause or remove ${owner.kind} ${owner.name}: it would make the claim again, with an empty volume`,
      },
    ];
  const object = { kind: "StatefulSet", namespace: source.namespace, name: owner.name } as const;
  const keeps = (member: "whenDeleted" | "whenScaled"): GateCondition => ({
    says: `StatefulSet ${owner.name} keeps its claims (${member})`,
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
      says: `StatefulSet ${owner.name} has at most ${owner.replicas} replicas, so that it does not need the claim`,
      condition: { type: "at-most", object, path: ["spec", "replicas"], limit: owner.replicas },
      otherwise: commandLine([
        "kubectl",
        "scale",
        "statefulset",
        owner.name,
        "--namespace",
        source.namespace,
        `--replicas=${owner.replicas}`,
      ]),
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
        says: `${kind} ${name}, whose pods use the claim, starts no more of them`,
        condition: { type: "manual" },
        otherwise,
      };
  }
}

/** Of step 5, and before the volume is given back to the name of the source. */
export const sourceGoneConditions = ({ source }: Transfer): readonly GateCondition[] => [
  {
    says: `there is no claim ${nameText(source)}`,
    condition: { type: "absent", object: claimRef(source) },
    otherwise:
      "wait while it is Terminating; a new one under this name was made by a controller or delivery tool: stop that and delete the new one, which is empty",
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
    otherwise: "wait; its events say what is missing",
  },
  {
    says: `claim ${nameText(claim)} is bound to volume ${volume}`,
    condition: claimIs(claim, ["spec", "volumeName"], volume),
    otherwise: "stop: it is bound to another volume; the policy must stay Retain",
  },
  {
    says: `claim ${nameText(claim)} is not being deleted`,
    condition: claimIs(claim, ["metadata", "deletionTimestamp"], ""),
    otherwise:
      "stop: with its policy back the volume would go with it; run slipway transfer resume when it is gone",
  },
  {
    says: `volume ${volume} is Bound`,
    condition: { type: "field", object: volumeRef(volume), path: ["status", "phase"], equals: "Bound" },
    otherwise: "wait for the binding controller",
  },
  {
    says: `volume ${volume} is held by this claim and no other`,
    condition: {
      type: "same",
      object: volumeRef(volume),
      path: ["spec", "claimRef", "uid"],
      other: { object: claimRef(claim), path: ["metadata", "uid"] },
    },
    otherwise: "stop; run slipway transfer resume with a fresh dump",
  },
];
