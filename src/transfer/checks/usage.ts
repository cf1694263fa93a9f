/**
 * Who uses, holds or makes the source claim (docs/reference/pvc-transfer.md §3). What only has to end before the delete
 * warns; the gate of step 4 stops there.
 */
import type { Problem } from "../../core/diagnostics.js";
import { byCodeUnit } from "../../core/files.js";
import type { JsonObject } from "../../core/json.js";
import { commandLine, shellWord } from "../../text/shell.js";
import { nameText } from "../api.js";
import { PROTECTION } from "../busy.js";
import { claimsUsedBy } from "../gates.js";
import type { ClaimOwner, ClaimUser } from "../model.js";
import { at, listAt, textAt, textsAt } from "../object.js";
import { deliveryOf, usesArgoInstance } from "../scrub.js";
import { about, type Check, type Context, type SafetyCheck, type Situation } from "../situation.js";
import { having, inNamespace, type KeysOf, type Observed } from "../state.js";
import { ordinalOf } from "../statefulset.js";
import {
  claimsNamedBy,
  controllerOf,
  isActive,
  keepClaimsLine,
  stopHint,
  workloadKind,
} from "../workloads.js";

const HALF_READ: ReadonlyMap<string, string> = new Map([
  ["provisioner.storage.kubernetes.io/cloning-protection", "a clone of it is being made"],
  ["snapshot.storage.kubernetes.io/pvc-as-source-protection", "a snapshot of it is being taken"],
]);

/** Phases in which nothing of a pod runs, and in which nobody but a delete takes it away. */
const FINISHED: readonly string[] = ["Succeeded", "Failed"];

/** A pod that uses the claim keeps it Terminating, running or not; a deletion cannot be undone. */
export const pods: Check = (situation, { state }) => {
  const { claim, source } = situation;
  return having(state.pods, claimsUsedBy, nameText(source)).map(({ object, file, line }) => {
    const [name, phase] = [textAt(object, "metadata", "name"), textAt(object, "status", "phase")];
    const remove = commandLine(["kubectl", "delete", "pod", name, "--namespace", source.namespace]);
    return about(claim, situation, {
      code: "TRF033",
      kind: "Forbidden",
      severity: "warning",
      field: "metadata.name",
      message: `pod ${nameText({ namespace: source.namespace, name })} (${phase || "phase unknown"}; ${file}:${line}) uses claim ${nameText(source)}`,
      hint: FINISHED.includes(phase)
        ? `it has ended and still holds the claim; once Retain is observed: ${remove}`
        : "stop its workload once Retain is observed; until then the gate before the delete stays shut",
    });
  });
};

/**
 * Workloads whose pod templates name the claim. One that another of the dump controls is left out: what has to be
 * stopped is the one above.
 */
function usersOf({ source }: Situation, { state }: Context): readonly Observed[] {
  return having(state.workloads, claimsNamedBy, nameText(source)).filter(({ object }) => {
    const controller = controllerOf(object);
    return controller === undefined || !state.workloads.has(controller);
  });
}

export const activeUsersOf = (situation: Situation, context: Context): ClaimUser[] =>
  usersOf(situation, context)
    .filter(({ object }) => isActive(object))
    .flatMap(({ object }): ClaimUser[] => {
      const kind = workloadKind(object);
      return kind === undefined ? [] : [{ kind, name: textAt(object, "metadata", "name") }];
    })
    .sort((a, b) => byCodeUnit(`${a.kind}/${a.name}`, `${b.kind}/${b.name}`));

/** A CronJob or a Deployment that is scaled up puts the claim in use again between two looks at its pods. */
export const workloads: Check = (situation, context) =>
  usersOf(situation, context).flatMap((observed): Problem[] => {
    const kind = workloadKind(observed.object);
    if (kind === undefined) return [];
    const name = { namespace: situation.source.namespace, name: textAt(observed.object, "metadata", "name") };
    const active = isActive(observed.object);
    return [
      about(observed, situation, {
        code: "TRF058",
        kind: "Forbidden",
        severity: active ? "warning" : "info",
        field: "spec",
        message: `${kind} ${nameText(name)} names claim ${nameText(situation.source)} in its pods${active ? "" : ", and is stopped"}`,
        hint: active
          ? `once Retain is observed: ${stopHint(kind, name)}; the gate before the delete looks at it`
          : "it will not find the claim any more",
      }),
    ];
  });

/** Finalizers on the source: a half-read source is refused, any other holder hangs the deletion. */
export const finalizers: SafetyCheck = (situation, { options }) => {
  const { claim, source } = situation;
  if (claim === undefined) return [];
  return textsAt(claim.object, "metadata", "finalizers").flatMap((name): Problem[] => {
    if (name === PROTECTION) return [];
    const halfRead = HALF_READ.get(name);
    if (halfRead !== undefined)
      return [
        about(claim, situation, {
          code: "TRF034",
          kind: "Forbidden",
          field: "metadata.finalizers",
          message: `claim ${nameText(source)} has the finalizer ${name}: ${halfRead}`,
          hint: "wait until it has ended, and take a fresh dump",
        }),
      ];
    const waived = options.waivedFinalizers.has(name);
    return [
      about(claim, situation, {
        code: "TRF035",
        kind: "Forbidden",
        severity: waived ? "warning" : "error",
        field: "metadata.finalizers",
        message: `claim ${nameText(source)} has the finalizer ${name}: its deletion hangs until that is removed`,
        hint: waived ? "waived" : `have its owner release the claim, or give --waive-finalizer ${name}`,
      }),
    ];
  });
};

/** Owners by reference, and StatefulSets whose templates make the claim. */
export function ownersOf({ claim, source }: Situation, { state }: Context): ClaimOwner[] {
  const sets = inNamespace(state.statefulSets, source.namespace).flatMap(({ object }): ClaimOwner[] => {
    const ordinal = ordinalOf(object, source.name);
    if (ordinal === undefined) return [];
    return [
      {
        apiVersion: "apps/v1",
        kind: "StatefulSet",
        name: textAt(object, "metadata", "name"),
        replicas: Math.max(0, ordinal - startOf(object)),
        deletesClaims: ["whenDeleted", "whenScaled"].some(
          (member) => textAt(object, "spec", "persistentVolumeClaimRetentionPolicy", member) === "Delete",
        ),
      },
    ];
  });
  const referred = listAt(claim?.object, "metadata", "ownerReferences")
    .map(
      (reference): ClaimOwner => ({
        apiVersion: textAt(reference, "apiVersion"),
        kind: textAt(reference, "kind"),
        name: textAt(reference, "name"),
        replicas: null,
        deletesClaims: false,
      }),
    )
    .filter(
      ({ kind, name }) => kind !== "Pod" && !sets.some((set) => set.kind === kind && set.name === name),
    );
  return [...sets, ...referred];
}

const startOf = (set: Observed["object"]): number => Number(textAt(set, "spec", "ordinals", "start") || 0);

/** A controller that makes the source again gives it an empty volume: a silent wrong start. */
export const owners: Check = (situation, context) =>
  ownersOf(situation, context).map(({ kind, name }) =>
    about(situation.claim, situation, {
      code: "TRF036",
      kind: "Forbidden",
      severity: "warning",
      field: "metadata.ownerReferences",
      message: `${kind} ${situation.source.namespace}/${name} would make claim ${nameText(situation.source)} again, empty`,
      hint:
        kind === "StatefulSet"
          ? "scale it down once Retain is observed; the gate before the delete looks at its replicas"
          : "pause or remove it once Retain is observed, before the source is deleted",
    }),
  );

/** With the retention policy Delete a scale-down deletes claims: Retain has to be on the volume, and on the set, before. */
export const retention: Check = (situation, context) => {
  const { claim, source } = situation;
  const owned = listAt(claim?.object, "metadata", "ownerReferences").filter((reference) =>
    ["StatefulSet", "Pod"].includes(textAt(reference, "kind")),
  );
  const sets = ownersOf(situation, context).filter(({ deletesClaims }) => deletesClaims);
  const problems = sets.map(({ name }) =>
    about(claim, situation, {
      code: "TRF037",
      kind: "Forbidden",
      severity: "warning",
      field: "metadata.ownerReferences",
      message: `StatefulSet ${source.namespace}/${name} deletes claim ${nameText(source)} when it is deleted or scaled down (persistentVolumeClaimRetentionPolicy)`,
      hint: `once Retain is observed, and before scaling down: ${keepClaimsLine({ namespace: source.namespace, name })}`,
    }),
  );
  if (sets.length > 0 || owned.length === 0) return problems;
  return owned.map((reference) =>
    about(claim, situation, {
      code: "TRF037",
      kind: "Forbidden",
      severity: "warning",
      field: "metadata.ownerReferences",
      message: `claim ${nameText(source)} goes when ${textAt(reference, "kind")} ${textAt(reference, "name")} goes: it has an owner reference to it`,
      hint: "once Retain is observed, and before anything is stopped, remove the owner reference, or let the plan's Retain carry the data",
    }),
  );
};

/** All ordinals of a StatefulSet move together, or the set finds some of its claims empty. */
export const ordinals: Check = (situation, { state, situations }) => {
  const { claim, source } = situation;
  return inNamespace(state.statefulSets, source.namespace).flatMap((set): Problem[] => {
    if (ordinalOf(set.object, source.name) === undefined) return [];
    const moved = new Set(situations.map((each) => nameText(each.source)));
    const siblings = inNamespace(state.claims, source.namespace)
      .map(({ object }) => textAt(object, "metadata", "name"))
      .filter((name) => ordinalOf(set.object, name) !== undefined);
    const left = siblings
      .filter((name) => !moved.has(nameText({ namespace: source.namespace, name })))
      .sort();
    if (left.length === 0) return [];
    return [
      about(claim, situation, {
        code: "TRF038",
        kind: "Invalid",
        severity: "warning",
        field: "metadata.name",
        message: `StatefulSet ${source.namespace}/${textAt(set.object, "metadata", "name")} keeps ${left.join(", ")}, which no transfer of this plan takes`,
        hint: `slipway transfer new --statefulset ${shellWord(`old=${source.namespace}/${textAt(set.object, "metadata", "name")}`)} ${shellWord(`new=${situation.target.namespace}/${textAt(set.object, "metadata", "name")}`)} --state DUMP takes all of them`,
      }),
    ];
  });
};

/** On first use at the target a volume that is still attached waits for its detachment. */
export const attachments: Check = (situation, { state }) => {
  const { volume } = situation;
  if (volume === undefined) return [];
  const name = textAt(volume.object, "metadata", "name");
  return having(state.attachments, attachedVolume, name).map(({ object }) =>
    about(volume, situation, {
      code: "TRF047",
      kind: "Forbidden",
      severity: "warning",
      field: "metadata.name",
      message: `volume ${name} is attached to node ${textAt(object, "spec", "nodeName") || "(unknown)"} (VolumeAttachment ${textAt(object, "metadata", "name")})`,
      hint: "it goes when the workload has stopped; the gate before the delete waits for it",
    }),
  );
};

const attachedVolume: KeysOf = (attachment) => [textAt(attachment, "spec", "source", "persistentVolumeName")];

const snapshotSource: KeysOf = (snapshot) => {
  const name = textAt(snapshot, "spec", "source", "persistentVolumeClaimName");
  return name === "" ? [] : [nameText({ namespace: textAt(snapshot, "metadata", "namespace"), name })];
};

/** The snapshot controller holds the claim until a snapshot is ready; one with an error may never be. */
const isBeingTaken = (snapshot: JsonObject): boolean =>
  at(snapshot, "status", "readyToUse") === false && at(snapshot, "status", "error") === undefined;

/** Snapshots belong to the old namespace and stay there; one that is being taken holds its source. */
export const snapshots: SafetyCheck = (situation, { state }) => {
  const { claim, source } = situation;
  return having(state.snapshots, snapshotSource, nameText(source)).map(({ object, file, line }) => {
    const name = nameText({ namespace: source.namespace, name: textAt(object, "metadata", "name") });
    return isBeingTaken(object)
      ? about(claim, situation, {
          code: "TRF034",
          kind: "Forbidden",
          field: "metadata.name",
          message: `VolumeSnapshot ${name} (${file}:${line}) of claim ${nameText(source)} is being taken`,
          hint: "wait until it is ready to use, or remove it, and take a fresh dump",
        })
      : about(claim, situation, {
          code: "TRF048",
          kind: "Invalid",
          severity: "warning",
          field: "metadata.name",
          message: `VolumeSnapshot ${name} was taken of claim ${nameText(source)} and stays behind`,
          hint: "it can still be restored in its own namespace; nothing there will have the name of its source",
        });
  });
};

const applicationsOf = new WeakMap<object, ReadonlySet<string>>();

/** Names of the applications of Argo CD that the dump shows. */
export function applicationNames({ state: { applications } }: Context): ReadonlySet<string> {
  const known = applicationsOf.get(applications);
  if (known !== undefined) return known;
  const names = new Set([...applications.values()].map(({ object }) => textAt(object, "metadata", "name")));
  applicationsOf.set(applications, names);
  return names;
}

/** G2: what Git still declares is made again by a delivery tool that heals. */
export const delivery: Check = (situation, context) => {
  const { claim, source } = situation;
  if (claim === undefined) return [];
  const argo = usesArgoInstance(claim.object, applicationNames(context));
  const tool = deliveryOf(claim.object, argo);
  if (tool === "") return [];
  return [
    about(claim, situation, {
      code: "TRF053",
      kind: "Forbidden",
      severity: "warning",
      field: "metadata",
      message: `${tool} delivers claim ${nameText(source)} and would make it again, empty`,
      hint: "before the source is deleted, remove the claim from Git with pruning off, or pause the tool; its keys are not copied to the target",
    }),
  ];
};
