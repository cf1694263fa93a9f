/**
 * A cluster in memory, as far as claims and volumes are concerned: the objects, the storage behind them, and the API
 * server with its admission. It is the judge of plans: what the controllers of controllers.ts do to it is what the real
 * ones do (docs/reference/pvc-transfer.md §2).
 */
import { applyPatch, Pointer } from "rfc6902";
import { isObject, type Json, type JsonObject } from "../../core/json.js";
import { APPROVAL_KIND, REQUEST_KIND } from "../../crd/storage-transfer.js";
import { type Name, nameText } from "../api.js";
import { PROTECTION } from "../busy.js";
import type { GateWorld, ObjectRef } from "../gates.js";
import { annotationOf, at, nameOf, objectAt, textAt, uidOf } from "../object.js";
import { type ClusterState, transferKey } from "../state.js";
import { workloadKey } from "../workloads.js";

/** A piece of storage; what is written on it is told apart by a text. */
export interface Storage {
  readonly bytes: string;
  readonly destroyed: boolean;
}

export type Answer = { readonly ok: true } | { readonly ok: false; readonly reason: string };
const OK: Answer = { ok: true };
const no = (reason: string): Answer => ({ ok: false, reason });

/** What the cluster is told beside its objects. */
export interface Surroundings {
  /** Filled into claims without a class. */
  readonly defaultClass?: string;
  /** Milliseconds since 1970; left out, no moment has passed. */
  readonly now?: number;
  /** Classes whose provisioner makes a volume for a claim that has none. */
  readonly provisioned?: ReadonlySet<string>;
  /** Why a claim is refused; undefined when it is admitted. */
  readonly admit?: (claim: JsonObject, cluster: Cluster) => string | undefined;
  /** Claims that a controller or a delivery tool makes again whenever they are missing. */
  readonly healed?: ReadonlyMap<string, JsonObject>;
}

export class Cluster implements GateWorld {
  readonly claims = new Map<string, JsonObject>();
  readonly volumes = new Map<string, JsonObject>();
  readonly podObjects = new Map<string, JsonObject>();
  readonly statefulSets = new Map<string, JsonObject>();
  /** Other workloads, by kind and `namespace/name`. */
  readonly workloads = new Map<string, JsonObject>();
  readonly attachmentObjects = new Map<string, JsonObject>();
  /** Requests and approvals, by kind and `namespace/name`. */
  readonly transferObjects = new Map<string, JsonObject>();
  /** By the handle of the volume. */
  readonly storage = new Map<string, Storage>();
  /** What the provisioner last saw of each volume. */
  readonly provisionerCache = new Map<string, JsonObject>();
  private counter = 0;

  constructor(readonly surroundings: Surroundings = {}) {}

  /** The claims, volumes, pods, attachments and StatefulSets of a dump, each volume with bytes of its own. */
  static from(state: ClusterState, surroundings: Surroundings = {}): Cluster {
    const cluster = new Cluster(surroundings);
    for (const [key, { object }] of state.claims) cluster.claims.set(key, object);
    for (const [key, { object }] of state.volumes) cluster.addVolume(key, object);
    for (const [key, { object }] of state.pods) cluster.podObjects.set(key, object);
    for (const [key, { object }] of state.statefulSets) cluster.statefulSets.set(key, object);
    for (const [key, { object }] of state.workloads)
      if (textAt(object, "kind") !== "StatefulSet") cluster.workloads.set(key, object);
    for (const [key, { object }] of state.transferObjects) cluster.transferObjects.set(key, object);
    for (const [key, { object }] of state.attachments) cluster.attachmentObjects.set(key, object);
    return cluster;
  }

  /** A copy that goes its own way, if wanted in other surroundings. */
  clone(surroundings: Surroundings = this.surroundings): Cluster {
    const copy = new Cluster(surroundings);
    const tables = [
      "claims",
      "volumes",
      "podObjects",
      "statefulSets",
      "workloads",
      "attachmentObjects",
      "transferObjects",
      "provisionerCache",
    ] as const;
    for (const table of tables) for (const [key, value] of this[table]) copy[table].set(key, value);
    for (const [key, value] of this.storage) copy.storage.set(key, value);
    copy.counter = this.counter;
    return copy;
  }

  addVolume(name: string, volume: JsonObject): void {
    this.volumes.set(name, volume);
    this.provisionerCache.set(name, volume);
    this.storage.set(handleOf(volume), { bytes: `bytes of ${name}`, destroyed: false });
  }

  /** A fresh number for uids and resourceVersions. */
  next(): number {
    return ++this.counter;
  }

  find({ kind, namespace, name }: ObjectRef): JsonObject | undefined {
    if (kind === "PersistentVolume") return this.volumes.get(name);
    const key = nameText({ namespace, name });
    if (kind === "PersistentVolumeClaim") return this.claims.get(key);
    if (kind === REQUEST_KIND || kind === APPROVAL_KIND)
      return this.transferObjects.get(transferKey(kind, { namespace, name }));
    return kind === "StatefulSet"
      ? this.statefulSets.get(key)
      : this.workloads.get(workloadKey(kind, { namespace, name }));
  }

  pods(namespace: string): readonly JsonObject[] {
    return [...this.podObjects.values()].filter((pod) => nameOf(pod).namespace === namespace);
  }

  allVolumes(): readonly JsonObject[] {
    return [...this.volumes.values()];
  }

  now(): number {
    return this.surroundings.now ?? 0;
  }

  attachments(): readonly JsonObject[] {
    return [...this.attachmentObjects.values()];
  }

  /** Every object, as a dump would list them. */
  dump(): JsonObject {
    const items = [
      this.claims,
      this.volumes,
      this.podObjects,
      this.statefulSets,
      this.workloads,
      this.attachmentObjects,
      this.transferObjects,
    ];
    return { apiVersion: "v1", kind: "List", items: items.flatMap((table) => [...table.values()]) };
  }

  /** An update by a controller or a patch; the object gets a new resourceVersion. */
  putVolume(volume: JsonObject): void {
    const name = nameOf(volume).name;
    this.volumes.set(name, this.touched(volume));
  }

  putClaim(claim: JsonObject): void {
    this.claims.set(nameText(nameOf(claim)), this.touched(claim));
  }

  private touched(object: JsonObject): JsonObject {
    const metadata = objectAt(object, "metadata");
    return { ...object, metadata: { ...metadata, resourceVersion: String(1_000_000 + this.next()) } };
  }

  patchVolume(name: string, patch: Json): Answer {
    const volume = this.volumes.get(name);
    if (volume === undefined) return no(`persistentvolumes "${name}" not found`);
    const patched = applied(volume, patch);
    if ("reason" in patched) return no(patched.reason);
    this.putVolume(patched.object);
    return OK;
  }

  patchClaim(name: Name, patch: Json): Answer {
    const claim = this.claims.get(nameText(name));
    if (claim === undefined) return no(`persistentvolumeclaims "${nameText(name)}" not found`);
    const patched = applied(claim, patch);
    if ("reason" in patched) return no(patched.reason);
    this.putClaim(patched.object);
    return OK;
  }

  createClaim(manifest: JsonObject): Answer {
    const name = nameText(nameOf(manifest));
    const present = this.claims.get(name);
    if (present !== undefined)
      return no(
        at(present, "metadata", "deletionTimestamp") === undefined
          ? `persistentvolumeclaims "${name}" already exists`
          : `object is being deleted: persistentvolumeclaims "${name}" already exists`,
      );
    const refused = this.surroundings.admit?.(manifest, this);
    if (refused !== undefined) return no(refused);
    const metadata = objectAt(manifest, "metadata");
    const spec = objectAt(manifest, "spec");
    const { defaultClass } = this.surroundings;
    this.putClaim({
      ...manifest,
      metadata: { ...metadata, uid: `uid-${this.next()}`, finalizers: [PROTECTION] },
      // The default class is filled in where the field is missing; an empty text stands.
      spec: {
        ...(defaultClass === undefined ? {} : { storageClassName: defaultClass }),
        volumeMode: "Filesystem",
        ...spec,
      },
      status: { phase: "Pending" },
    });
    return OK;
  }

  deleteClaim(name: Name, options: JsonObject): Answer {
    const claim = this.claims.get(nameText(name));
    if (claim === undefined) return no(`persistentvolumeclaims "${nameText(name)}" not found`);
    const wanted = objectAt(options, "preconditions");
    for (const [key, actual] of [
      ["uid", uidOf(claim)],
      ["resourceVersion", textAt(claim, "metadata", "resourceVersion")],
    ] as const) {
      const value = textAt(wanted, key);
      if (value !== "" && value !== actual)
        return no(`precondition failed: ${key} is ${actual}, not ${value}`);
    }
    if (at(claim, "metadata", "deletionTimestamp") !== undefined) return OK;
    const metadata = objectAt(claim, "metadata");
    this.putClaim({ ...claim, metadata: { ...metadata, deletionTimestamp: "2030-01-01T00:00:00Z" } });
    return OK;
  }

  removePod(name: Name): void {
    this.podObjects.delete(nameText(name));
  }
}

/** A patch on a copy; a failed `test` or a missing path refuses the whole patch, as the API server does. */
export function applied(object: JsonObject, patch: Json): { object: JsonObject } | { reason: string } {
  const copy: Json = structuredClone(object);
  if (!Array.isArray(patch)) return { reason: "a JSON patch is a list" };
  // For the API server a missing member equals null; the library is stricter.
  const operations = structuredClone(patch).filter(
    (operation) =>
      !(operation.op === "test" && operation.value === null && isMissing(object, operation.path)),
  );
  const faults = applyPatch(copy, operations).filter((fault) => fault !== null);
  const [fault] = faults;
  if (fault !== undefined)
    return { reason: `the server rejected the patch: ${fault.name}: ${fault.message}` };
  return isObject(copy) ? { object: copy } : { reason: "the patch leaves no object" };
}

const isMissing = (object: JsonObject, path: string): boolean =>
  Pointer.fromJSON(path).get(object) === undefined;

/** What identifies the storage of a volume. */
export const handleOf = (volume: JsonObject): string =>
  textAt(volume, "spec", "csi", "volumeHandle") || textAt(volume, "metadata", "name");

export const isDynamic = (volume: JsonObject): boolean =>
  annotationOf(volume, "pv.kubernetes.io/provisioned-by") !== undefined;
