/**
 * What the controllers of a cluster do with claims and volumes: the binding controller (rules B1 to B9), the
 * provisioner that deletes (B10), the protection of claims in use, and whoever makes missing claims again
 * (docs/reference/pvc-transfer.md §2; kubernetes pkg/controller/volume/persistentvolume). Each action is one write, so
 * that an adversary can put anything between two of them.
 */
import type { JsonObject } from "../../core/json.js";
import { parseQuantity } from "../../kubernetes/quantities.js";
import { nameText } from "../api.js";
import { PROTECTION } from "../busy.js";
import { usesClaim } from "../gates.js";
import { annotationOf, at, isBeingDeleted, nameOf, objectAt, textAt, textsAt, uidOf } from "../object.js";
import { claimReference, policyOf } from "../patches.js";
import { requestOf, storageClassOf, volumeModeOf } from "../target-claim.js";
import { type Cluster, handleOf, isDynamic } from "./cluster.js";

const BIND_COMPLETED = "pv.kubernetes.io/bind-completed";
const BOUND_BY_CONTROLLER = "pv.kubernetes.io/bound-by-controller";
const PROVISIONED_BY = "pv.kubernetes.io/provisioned-by";

/** Something a controller can do now. */
export interface Move {
  readonly name: string;
  /** False when it changed nothing. */
  run(): boolean;
}

/** Everything that any controller could try now. */
export function movesOf(cluster: Cluster): Move[] {
  const moves: Move[] = [];
  for (const key of cluster.claims.keys()) {
    moves.push({ name: `claim ${key}`, run: () => syncClaim(cluster, key) });
    moves.push({ name: `protection ${key}`, run: () => release(cluster, key) });
    moves.push({ name: `provision ${key}`, run: () => provision(cluster, key) });
  }
  for (const name of cluster.volumes.keys()) {
    moves.push({ name: `volume ${name}`, run: () => syncVolume(cluster, name) });
    moves.push({ name: `provisioner sees ${name}`, run: () => refresh(cluster, name) });
    moves.push({ name: `provisioner deletes ${name}`, run: () => reclaim(cluster, name) });
  }
  for (const key of cluster.surroundings.healed?.keys() ?? [])
    moves.push({ name: `healer ${key}`, run: () => heal(cluster, key) });
  return moves;
}

/** Runs every controller until none changes anything. */
export function settle(cluster: Cluster): void {
  for (let round = 0; round < 200; round++) {
    const changed = movesOf(cluster).map((move) => move.run());
    if (!changed.includes(true)) return;
  }
  throw new Error("the controllers do not come to rest");
}

const withAnnotation = (object: JsonObject, key: string, value: string | undefined): JsonObject => {
  const metadata = objectAt(object, "metadata");
  const { [key]: _, ...others } = objectAt(metadata, "annotations");
  return {
    ...object,
    metadata: { ...metadata, annotations: value === undefined ? others : { ...others, [key]: value } },
  };
};
const withSpec = (object: JsonObject, members: JsonObject): JsonObject => ({
  ...object,
  spec: { ...objectAt(object, "spec"), ...members },
});
const withPhase = (object: JsonObject, phase: string): JsonObject => ({
  ...object,
  status: { ...objectAt(object, "status"), phase },
});
const phaseOf = (object: JsonObject): string => textAt(object, "status", "phase");

/** Name and namespace fit, and the uid is empty or the claim's (IsVolumeBoundToClaim). */
function isReservedFor(volume: JsonObject, claim: JsonObject): boolean {
  const reference = objectAt(volume, "spec", "claimRef");
  const uid = textAt(reference, "uid");
  return nameText(namedBy(reference)) === nameText(nameOf(claim)) && (uid === "" || uid === uidOf(claim));
}
const namedBy = (reference: JsonObject) => ({
  namespace: textAt(reference, "namespace"),
  name: textAt(reference, "name"),
});
const hasClaim = (volume: JsonObject): boolean => at(volume, "spec", "claimRef") !== undefined;

export function syncClaim(cluster: Cluster, key: string): boolean {
  const claim = cluster.claims.get(key);
  if (claim === undefined) return false;
  return annotationOf(claim, BIND_COMPLETED) === undefined
    ? syncUnbound(cluster, claim)
    : syncOnceBound(cluster, claim);
}

function syncUnbound(cluster: Cluster, claim: JsonObject): boolean {
  const name = textAt(claim, "spec", "volumeName");
  if (name === "") {
    const match = bestMatch(cluster, claim);
    return match === undefined ? pending(cluster, claim) : bind(cluster, match, claim);
  }
  const volume = cluster.volumes.get(name);
  if (volume === undefined) return pending(cluster, claim);
  // B2: a volume that nobody holds is checked; B3: one that names this claim is not.
  if (!hasClaim(volume))
    return satisfies(volume, claim) ? bind(cluster, volume, claim) : pending(cluster, claim);
  if (isReservedFor(volume, claim)) return bind(cluster, volume, claim);
  // B4: somebody else's; wait.
  return pending(cluster, claim);
}

/** B1. */
function syncOnceBound(cluster: Cluster, claim: JsonObject): boolean {
  const volume = cluster.volumes.get(textAt(claim, "spec", "volumeName"));
  if (volume === undefined) return lost(cluster, claim);
  if (!hasClaim(volume)) return bind(cluster, volume, claim);
  return textAt(volume, "spec", "claimRef", "uid") === uidOf(claim)
    ? bind(cluster, volume, claim)
    : lost(cluster, claim);
}

const setClaimPhase = (cluster: Cluster, claim: JsonObject, phase: string): boolean => {
  if (phaseOf(claim) === phase) return false;
  cluster.putClaim(withPhase(claim, phase));
  return true;
};
const pending = (cluster: Cluster, claim: JsonObject): boolean => setClaimPhase(cluster, claim, "Pending");
const lost = (cluster: Cluster, claim: JsonObject): boolean => setClaimPhase(cluster, claim, "Lost");

/** The first write of a binding that is outstanding: volume, its phase, claim, its phase. */
function bind(cluster: Cluster, volume: JsonObject, claim: JsonObject): boolean {
  const uid = uidOf(claim);
  if (!isReservedFor(volume, claim) || textAt(volume, "spec", "claimRef", "uid") !== uid) {
    const reserved = withSpec(volume, { claimRef: { ...claimReference(nameOf(claim)), uid } });
    cluster.putVolume(
      isReservedFor(volume, claim) ? reserved : withAnnotation(reserved, BOUND_BY_CONTROLLER, "yes"),
    );
    return true;
  }
  if (phaseOf(volume) !== "Bound") {
    cluster.putVolume(withPhase(volume, "Bound"));
    return true;
  }
  const name = nameOf(volume).name;
  if (textAt(claim, "spec", "volumeName") !== name) {
    const named = withSpec(claim, { volumeName: name });
    cluster.putClaim(
      withAnnotation(withAnnotation(named, BOUND_BY_CONTROLLER, "yes"), BIND_COMPLETED, "yes"),
    );
    return true;
  }
  if (annotationOf(claim, BIND_COMPLETED) === undefined) {
    cluster.putClaim(withAnnotation(claim, BIND_COMPLETED, "yes"));
    return true;
  }
  if (phaseOf(claim) === "Bound") return false;
  const status = {
    ...objectAt(claim, "status"),
    phase: "Bound",
    capacity: objectAt(volume, "spec", "capacity"),
  };
  cluster.putClaim({ ...claim, status });
  return true;
}

const capacityOf = (volume: JsonObject): bigint =>
  parseQuantity(textAt(volume, "spec", "capacity", "storage")) ?? 0n;
const sizeOf = (claim: JsonObject): bigint => parseQuantity(requestOf(claim)) ?? 0n;

/** CheckVolumeSatisfyClaim: size, class, mode, access modes, and not on its way out. */
function satisfies(volume: JsonObject, claim: JsonObject): boolean {
  const modes = textsAt(volume, "spec", "accessModes");
  return (
    !isBeingDeleted(volume) &&
    capacityOf(volume) >= sizeOf(claim) &&
    (storageClassOf(volume) ?? "") === (storageClassOf(claim) ?? "") &&
    volumeModeOf(volume) === volumeModeOf(claim) &&
    textsAt(claim, "spec", "accessModes").every((mode) => modes.includes(mode))
  );
}

/** B6: a reserved volume goes to its claim alone; an Available one that names nobody to any claim that it satisfies. */
function bestMatch(cluster: Cluster, claim: JsonObject): JsonObject | undefined {
  const volumes = [...cluster.volumes.values()].filter((volume) => !isBeingDeleted(volume));
  const reserved = volumes.find(
    (volume) =>
      hasClaim(volume) &&
      isReservedFor(volume, claim) &&
      volumeModeOf(volume) === volumeModeOf(claim) &&
      capacityOf(volume) >= sizeOf(claim),
  );
  if (reserved !== undefined) return reserved;
  return volumes.find(
    (volume) => !hasClaim(volume) && phaseOf(volume) === "Available" && satisfies(volume, claim),
  );
}

export function syncVolume(cluster: Cluster, name: string): boolean {
  const volume = cluster.volumes.get(name);
  if (volume === undefined) return false;
  const setPhase = (phase: string): boolean => {
    if (phaseOf(volume) === phase) return false;
    cluster.putVolume(withPhase(volume, phase));
    return true;
  };
  // B6.
  if (!hasClaim(volume) || textAt(volume, "spec", "claimRef", "uid") === "") return setPhase("Available");
  const found = cluster.claims.get(nameText(namedBy(objectAt(volume, "spec", "claimRef"))));
  const claim =
    found !== undefined && uidOf(found) === textAt(volume, "spec", "claimRef", "uid") ? found : undefined;
  // B7: nobody has this uid.
  if (claim === undefined) return phaseOf(volume) === "Failed" ? false : setPhase("Released");
  const bound = textAt(claim, "spec", "volumeName");
  if (bound === "") return false;
  if (bound === name) return setPhase("Bound");
  // B8, B9: the claim is bound elsewhere.
  if (isDynamic(volume) && policyOf(volume) === "Delete") return setPhase("Released");
  const phase = withPhase(volume, "Available");
  if (annotationOf(volume, BOUND_BY_CONTROLLER) === undefined) {
    const { uid: _, ...reference } = objectAt(volume, "spec", "claimRef");
    cluster.putVolume(withSpec(phase, { claimRef: reference }));
  } else {
    const { claimRef: _, ...spec } = objectAt(phase, "spec");
    cluster.putVolume(withAnnotation({ ...phase, spec }, BOUND_BY_CONTROLLER, undefined));
  }
  return true;
}

function refresh(cluster: Cluster, name: string): boolean {
  const volume = cluster.volumes.get(name);
  if (volume === undefined || cluster.provisionerCache.get(name) === volume) return false;
  cluster.provisionerCache.set(name, volume);
  return true;
}

/** B10: Released and Delete, as the provisioner's cache has it. */
function reclaim(cluster: Cluster, name: string): boolean {
  const cached = cluster.provisionerCache.get(name);
  if (cached === undefined || !cluster.volumes.has(name)) return false;
  if (phaseOf(cached) !== "Released" || policyOf(cached) !== "Delete" || !isDynamic(cached)) return false;
  const handle = handleOf(cached);
  cluster.storage.set(handle, { bytes: "", destroyed: true });
  cluster.volumes.delete(name);
  cluster.provisionerCache.delete(name);
  return true;
}

/** A claim that is being deleted goes when no pod uses it. */
function release(cluster: Cluster, key: string): boolean {
  const claim = cluster.claims.get(key);
  if (claim === undefined || !isBeingDeleted(claim)) return false;
  const others = textsAt(claim, "metadata", "finalizers").filter((name) => name !== PROTECTION);
  const { namespace } = nameOf(claim);
  if (others.length > 0 || cluster.pods(namespace).some((pod) => usesClaim(pod, nameOf(claim)))) return false;
  cluster.claims.delete(key);
  return true;
}

/** A fresh, empty volume for a claim that names none. */
function provision(cluster: Cluster, key: string): boolean {
  const claim = cluster.claims.get(key);
  if (claim === undefined || textAt(claim, "spec", "volumeName") !== "" || isBeingDeleted(claim))
    return false;
  const storageClass = storageClassOf(claim) ?? "";
  if (cluster.surroundings.provisioned?.has(storageClass) !== true || bestMatch(cluster, claim) !== undefined)
    return false;
  const name = `pvc-${uidOf(claim)}`;
  if (cluster.volumes.has(name)) return false;
  cluster.addVolume(name, {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: {
      name,
      uid: `uid-${cluster.next()}`,
      resourceVersion: String(1_000_000 + cluster.next()),
      annotations: { [PROVISIONED_BY]: "csi.example.com" },
    },
    spec: {
      capacity: { storage: requestOf(claim) },
      accessModes: textsAt(claim, "spec", "accessModes"),
      volumeMode: volumeModeOf(claim),
      storageClassName: storageClass,
      persistentVolumeReclaimPolicy: "Delete",
      csi: { driver: "csi.example.com", volumeHandle: name },
      claimRef: { ...claimReference(nameOf(claim)), uid: uidOf(claim) },
    },
    status: { phase: "Bound" },
  });
  cluster.storage.set(name, { bytes: "", destroyed: false });
  return true;
}

function heal(cluster: Cluster, key: string): boolean {
  const manifest = cluster.surroundings.healed?.get(key);
  if (manifest === undefined || cluster.claims.has(key)) return false;
  return cluster.createClaim(manifest).ok;
}
