/**
 * Who uses, holds or makes the source claim (docs/reference/pvc-transfer.md §3). What only has to end before the delete
 * warns; the gate of step 4 stops there.
 */
import type { Problem } from "../../core/diagnostics.js";
import { byCodeUnit } from "../../core/files.js";
import type { JsonObject } from "../../core/json.js";
import { shell, shellWord } from "../../text/shell.js";
import { nameText } from "../api.js";
import { PROTECTION } from "../busy.js";
import { claimsUsedBy } from "../gates.js";
import type { ClaimOwner, ClaimUser } from "../model.js";
import { at, listAt, textAt, textsAt } from "../object.js";
import { deliveryOf, usesArgoInstance } from "../scrub.js";
import { having, inNamespace, type KeysOf, type Observed } from "../state.js";
import { ordinalOf } from "../statefulset.js";
import {
  about,
  type Check,
  type Context,
  type SafetyCheck,
  type TransferContext,
} from "../transfer-context.js";
import {
  claimsNamedBy,
  controllerOf,
  isActive,
  keepClaimsLine,
  stopHint,
  workloadKind,
} from "../workloads.js";

const HALF_READ: ReadonlyMap<string, string> = new Map([
  ["provisioner.storage.kubernetes.io/cloning-protection", "it is being cloned"],
  ["snapshot.storage.kubernetes.io/pvc-as-source-protection", "a snapshot of it is being taken"],
]);

/** Phases in which nothing of a pod runs, and in which nobody but a delete takes it away. */
const FINISHED: readonly string[] = ["Succeeded", "Failed"];

/** A pod that uses the claim keeps it Terminating, running or not; a deletion cannot be undone. */
export const pods: Check = (transferContext, { state }) => {
  const { claim, source } = transferContext;
  return having(state.pods, claimsUsedBy, nameText(source)).map(({ object, file, line }) => {
    const [name, phase] = [textAt(object, "metadata", "name"), textAt(object, "status", "phase")];
    const remove = shell`kubectl delete pod ${name} --namespace ${source.namespace}`;
    return about(claim, transferContext).warning(
      "TRF033",
      "Forbidden",
      "metadata.name",
      `pod ${nameText({ namespace: source.namespace, name })} (${phase || "phase unknown"}; ${file}:${line}) uses claim ${nameText(source)}`,
      FINISHED.includes(phase)
        ? `delete the finished pod once the reclaim policy is Retain: ${remove}`
        : "stop its workload once the reclaim policy is Retain; the plan waits for this before it deletes the claim",
    );
  });
};

/**
 * Workloads whose pod templates name the claim. One that another of the dump controls is left out: what has to be
 * stopped is the one above.
 */
function usersOf({ source }: TransferContext, { state }: Context): readonly Observed[] {
  return having(state.workloads, claimsNamedBy, nameText(source)).filter(({ object }) => {
    const controller = controllerOf(object);
    return controller === undefined || !state.workloads.has(controller);
  });
}

export const activeUsersOf = (transferContext: TransferContext, context: Context): ClaimUser[] =>
  usersOf(transferContext, context)
    .filter(({ object }) => isActive(object))
    .flatMap(({ object }): ClaimUser[] => {
      const kind = workloadKind(object);
      return kind === undefined ? [] : [{ kind, name: textAt(object, "metadata", "name") }];
    })
    .sort((a, b) => byCodeUnit(`${a.kind}/${a.name}`, `${b.kind}/${b.name}`));

/** A CronJob or a Deployment that is scaled up puts the claim in use again between two looks at its pods. */
export const workloads: Check = (transferContext, context) =>
  usersOf(transferContext, context).flatMap((observed): Problem[] => {
    const kind = workloadKind(observed.object);
    if (kind === undefined) return [];
    const name = {
      namespace: transferContext.source.namespace,
      name: textAt(observed.object, "metadata", "name"),
    };
    const active = isActive(observed.object);
    return [
      about(observed, transferContext)[active ? "warning" : "info"](
        "TRF058",
        "Forbidden",
        "spec",
        `${kind} ${nameText(name)} uses claim ${nameText(transferContext.source)} in its pod template${active ? "" : ", but is stopped"}`,
        active
          ? `once the reclaim policy is Retain: ${stopHint(kind, name)}; the plan waits for this before it deletes the claim`
          : "remove the reference; the claim will not exist anymore",
      ),
    ];
  });

/** Finalizers on the source: a half-read source is refused, any other holder hangs the deletion. */
export const finalizers: SafetyCheck = (transferContext, { options }) => {
  const { claim, source } = transferContext;
  if (claim === undefined) return [];
  return textsAt(claim.object, "metadata", "finalizers").flatMap((name): Problem[] => {
    if (name === PROTECTION) return [];
    const halfRead = HALF_READ.get(name);
    if (halfRead !== undefined)
      return [
        about(claim, transferContext).error(
          "TRF034",
          "Forbidden",
          "metadata.finalizers",
          `claim ${nameText(source)} has finalizer ${name}: ${halfRead}`,
          "wait until this is finished, then take a new dump",
        ),
      ];
    const waived = options.waivedFinalizers.has(name);
    return [
      about(claim, transferContext)[waived ? "warning" : "error"](
        "TRF035",
        "Forbidden",
        "metadata.finalizers",
        `claim ${nameText(source)} has finalizer ${name}, which blocks its deletion`,
        waived ? "waived" : `have the owner of the finalizer remove it, or set --waive-finalizer ${name}`,
      ),
    ];
  });
};

/** Owners by reference, and StatefulSets whose templates make the claim. */
export function ownersOf({ claim, source }: TransferContext, { state }: Context): ClaimOwner[] {
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
export const owners: Check = (transferContext, context) =>
  ownersOf(transferContext, context).map(({ kind, name }) =>
    about(transferContext.claim, transferContext).warning(
      "TRF036",
      "Forbidden",
      "metadata.ownerReferences",
      `${kind} ${transferContext.source.namespace}/${name} would re-create claim ${nameText(transferContext.source)} without its data`,
      kind === "StatefulSet"
        ? "scale it down once the reclaim policy is Retain; the plan checks its replicas before it deletes the claim"
        : "pause or delete it once the reclaim policy is Retain, before the claim is deleted",
    ),
  );

/** With the retention policy Delete a scale-down deletes claims: Retain has to be on the volume, and on the set, before. */
export const retention: Check = (transferContext, context) => {
  const { claim, source } = transferContext;
  const owned = listAt(claim?.object, "metadata", "ownerReferences").filter((reference) =>
    ["StatefulSet", "Pod"].includes(textAt(reference, "kind")),
  );
  const sets = ownersOf(transferContext, context).filter(({ deletesClaims }) => deletesClaims);
  const problems = sets.map(({ name }) =>
    about(claim, transferContext).warning(
      "TRF037",
      "Forbidden",
      "metadata.ownerReferences",
      `StatefulSet ${source.namespace}/${name} deletes claim ${nameText(source)} when it is deleted or scaled down (persistentVolumeClaimRetentionPolicy)`,
      `once the reclaim policy is Retain, and before scaling down: ${keepClaimsLine({ namespace: source.namespace, name })}`,
    ),
  );
  if (sets.length > 0 || owned.length === 0) return problems;
  return owned.map((reference) =>
    about(claim, transferContext).warning(
      "TRF037",
      "Forbidden",
      "metadata.ownerReferences",
      `claim ${nameText(source)} has an owner reference to ${textAt(reference, "kind")} ${textAt(reference, "name")} and is deleted together with it`,
      "remove the owner reference once the reclaim policy is Retain, before you stop the workload",
    ),
  );
};

/** All ordinals of a StatefulSet move together, or the set finds some of its claims empty. */
export const ordinals: Check = (transferContext, { state, transferContexts }) => {
  const { claim, source } = transferContext;
  return inNamespace(state.statefulSets, source.namespace).flatMap((set): Problem[] => {
    if (ordinalOf(set.object, source.name) === undefined) return [];
    const moved = new Set(transferContexts.map((each) => nameText(each.source)));
    const siblings = inNamespace(state.claims, source.namespace)
      .map(({ object }) => textAt(object, "metadata", "name"))
      .filter((name) => ordinalOf(set.object, name) !== undefined);
    const left = siblings
      .filter((name) => !moved.has(nameText({ namespace: source.namespace, name })))
      .sort();
    if (left.length === 0) return [];
    return [
      about(claim, transferContext).warning(
        "TRF038",
        "Invalid",
        "metadata.name",
        `StatefulSet ${source.namespace}/${textAt(set.object, "metadata", "name")} has further claims that this plan does not transfer: ${left.join(", ")}`,
        `transfer all of them with slipway transfer new --statefulset ${shellWord(`old=${source.namespace}/${textAt(set.object, "metadata", "name")}`)} ${shellWord(`new=${transferContext.target.namespace}/${textAt(set.object, "metadata", "name")}`)} --state DUMP`,
      ),
    ];
  });
};

/** On first use at the target a volume that is still attached waits for its detachment. */
export const attachments: Check = (transferContext, { state }) => {
  const { volume } = transferContext;
  if (volume === undefined) return [];
  const name = textAt(volume.object, "metadata", "name");
  return having(state.attachments, attachedVolume, name).map(({ object }) =>
    about(volume, transferContext).warning(
      "TRF047",
      "Forbidden",
      "metadata.name",
      `volume ${name} is attached to node ${textAt(object, "spec", "nodeName") || "(unknown)"} (VolumeAttachment ${textAt(object, "metadata", "name")})`,
      "stop the workload; the plan waits for the detachment before it deletes the claim",
    ),
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
export const snapshots: SafetyCheck = (transferContext, { state }) => {
  const { claim, source } = transferContext;
  return having(state.snapshots, snapshotSource, nameText(source)).map(({ object, file, line }) => {
    const name = nameText({ namespace: source.namespace, name: textAt(object, "metadata", "name") });
    return isBeingTaken(object)
      ? about(claim, transferContext).error(
          "TRF034",
          "Forbidden",
          "metadata.name",
          `VolumeSnapshot ${name} (${file}:${line}) of claim ${nameText(source)} is being taken`,
          "wait until it is ready to use, or delete it, then take a new dump",
        )
      : about(claim, transferContext).warning(
          "TRF048",
          "Invalid",
          "metadata.name",
          `VolumeSnapshot ${name} of claim ${nameText(source)} remains in its namespace`,
          "restore it in its own namespace if needed; its source claim will not exist there",
        );
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
export const delivery: Check = (transferContext, context) => {
  const { claim, source } = transferContext;
  if (claim === undefined) return [];
  const argo = usesArgoInstance(claim.object, applicationNames(context));
  const tool = deliveryOf(claim.object, argo);
  if (tool === "") return [];
  return [
    about(claim, transferContext).warning(
      "TRF053",
      "Forbidden",
      "metadata",
      `${tool} manages claim ${nameText(source)} and would re-create it without its data`,
      "before the claim is deleted, remove it from Git with pruning disabled, or pause the tool; its labels are not copied to the target",
    ),
  ];
};
