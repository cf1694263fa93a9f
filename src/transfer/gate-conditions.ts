/** What each gate of order R waits for (facts/pvc-transfer.md §3, §6). */
import { commandLine } from "../text/shell.js";
import { type Name, nameText } from "./api.js";
import { claimIs, claimRef, type GateCondition, markedBy, volumeRef } from "./gates.js";
import { type ClaimOwner, type ClaimUser, type Transfer, volumeOf } from "./model.js";
import { keepClaimsLine, stopHint, stopsBy } from "./workloads.js";

/** Gate 2, and again when the source is gone. */
export const retainConditions = (transfer: Transfer): readonly GateCondition[] => {
  const { name } = volumeOf(transfer);
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
    markedBy(volumeRef(name), transfer.id),
  ];
};

/** Gate 4. */
export const idleConditions = (transfer: Transfer): readonly GateCondition[] => [
  ...(transfer.kind === "move"
    ? [
        {
          says: `no volume attachment of ${volumeOf(transfer).name} is left`,
          condition: { type: "no-attachments", volume: volumeOf(transfer).name } as const,
          otherwise: "wait until the node has detached the volume",
        },
      ]
    : [
        {
          says: `claim ${nameText(transfer.source)} is still Pending`,
          condition: claimIs(transfer.source, ["status", "phase"], "Pending"),
          otherwise: "stop: it was bound in the meantime and may hold data; plan again",
        },
      ]),
  {
    says: `no pod uses claim ${nameText(transfer.source)}, running or not`,
    condition: { type: "no-pods", claim: transfer.source },
    otherwise: "stop the workload; a claim in use cannot be deleted, and its deletion cannot be undone",
  },
  {
    says: `claim ${nameText(transfer.source)} is still the one with uid ${transfer.source.uid}`,
    condition: claimIs(transfer.source, ["metadata", "uid"], transfer.source.uid),
    otherwise: "stop; run slipway transfer resume with a fresh dump",
  },
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

/** Gate of step 5. */
export const goneConditions = (transfer: Transfer, kept: boolean): readonly GateCondition[] => [
  {
    says: `there is no claim ${nameText(transfer.source)}`,
    condition: { type: "absent", object: claimRef(transfer.source) },
    otherwise:
      "wait while it is Terminating; a new one under this name was made by a controller or delivery tool: stop that and delete the new one, which is empty",
  },
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
