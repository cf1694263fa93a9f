/** Small clusters, and plans made for them, for the tests of transfers. */
import { diagnostic, type Problem } from "../../src/core/diagnostics.js";
import { isObject, type Json, type JsonObject } from "../../src/core/json.js";
import { createRenderer } from "../../src/text/render.js";
import type { TransferObject, TransferPair } from "../../src/transfer/api.js";
import { matchTransfers } from "../../src/transfer/match.js";
import { textAt } from "../../src/transfer/object.js";
import { type PlanResult, planTransfers } from "../../src/transfer/plan.js";
import { readTransferObjects } from "../../src/transfer/read.js";
import { type ClusterState, readState } from "../../src/transfer/state.js";
import type { PlanOptions } from "../../src/transfer/transfer-context.js";

export const NOW = new Date("2030-01-01T00:00:00Z");

/** Values laid over others, member by member; undefined takes a member away. */
export type Changes = { readonly [name: string]: Json | Changes | undefined };

export function changed(object: JsonObject, changes: Changes): JsonObject {
  const result: Record<string, Json> = { ...object };
  for (const [name, value] of Object.entries(changes)) {
    const old = result[name];
    if (value === undefined) delete result[name];
    else if (isChanges(value)) result[name] = changed(isObject(old) ? old : {}, value);
    else result[name] = value;
  }
  return result;
}

function isChanges(value: Json | Changes): value is Changes {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A bound claim of a CSI class, as a cluster shows it. */
export const claim = (namespace: string, name: string, volume: string, changes: Changes = {}): JsonObject =>
  changed(
    {
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: {
        namespace,
        name,
        uid: `claim-${namespace}-${name}`,
        resourceVersion: "100",
        creationTimestamp: "2029-01-01T00:00:00Z",
        finalizers: ["kubernetes.io/pvc-protection"],
        annotations: {
          "pv.kubernetes.io/bind-completed": "yes",
          "pv.kubernetes.io/bound-by-controller": "yes",
          "volume.kubernetes.io/storage-provisioner": "csi.example.com",
        },
        labels: { app: name },
      },
      spec: {
        accessModes: ["ReadWriteOnce"],
        resources: { requests: { storage: "10Gi" } },
        storageClassName: "fast",
        volumeMode: "Filesystem",
        volumeName: volume,
      },
      status: { phase: "Bound", accessModes: ["ReadWriteOnce"], capacity: { storage: "10Gi" } },
    },
    changes,
  );

/** The volume of `claim`. */
export const volume = (
  name: string,
  namespace: string,
  claimName: string,
  changes: Changes = {},
): JsonObject =>
  changed(
    {
      apiVersion: "v1",
      kind: "PersistentVolume",
      metadata: {
        name,
        uid: `volume-${name}`,
        resourceVersion: "200",
        annotations: {
          "pv.kubernetes.io/provisioned-by": "csi.example.com",
          "pv.kubernetes.io/bound-by-controller": "yes",
        },
        finalizers: ["kubernetes.io/pv-protection"],
      },
      spec: {
        accessModes: ["ReadWriteOnce"],
        capacity: { storage: "10Gi" },
        claimRef: {
          apiVersion: "v1",
          kind: "PersistentVolumeClaim",
          namespace,
          name: claimName,
          uid: `claim-${namespace}-${claimName}`,
          resourceVersion: "90",
        },
        csi: { driver: "csi.example.com", volumeHandle: `handle-${name}` },
        persistentVolumeReclaimPolicy: "Delete",
        storageClassName: "fast",
        volumeMode: "Filesystem",
      },
      status: { phase: "Bound" },
    },
    changes,
  );

export const namespace = (name: string, annotations: Changes = {}, labels: Changes = {}): JsonObject =>
  changed(
    {
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name, uid: `namespace-${name}`, annotations: {}, labels: {} },
      status: { phase: "Active" },
    },
    { metadata: { annotations, labels } },
  );

export const pod = (space: string, name: string, claimName: string, changes: Changes = {}): JsonObject =>
  changed(
    {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { namespace: space, name, uid: `pod-${space}-${name}` },
      spec: { volumes: [{ name: "data", persistentVolumeClaim: { claimName } }], containers: [] },
      status: { phase: "Running" },
    },
    changes,
  );

export interface Move {
  readonly from: string;
  readonly to: string;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly kind?: string;
}

const split = (text: string): { namespace: string; name: string } => {
  const [space = "", name = ""] = text.split("/");
  return { namespace: space, name };
};

/** The pair of a move `ns/name` to `ns/name`, as objects. */
export function pairObjects({
  from,
  to,
  annotations = {},
  kind = "PersistentVolumeClaim",
}: Move): readonly [JsonObject, JsonObject] {
  const [source, target] = [split(from), split(to)];
  return [
    {
      apiVersion: "transfer.slipway.dev/v1alpha1",
      kind: "StorageTransferRequest",
      metadata: { namespace: target.namespace, name: `transfer-${target.name}` },
      spec: {
        source: { kind, namespace: source.namespace, name: source.name },
        approvalName: `approve-${source.name}`,
        targetName: target.name,
      },
    },
    {
      apiVersion: "transfer.slipway.dev/v1alpha1",
      kind: "StorageTransferApproval",
      metadata: {
        namespace: source.namespace,
        name: `approve-${source.name}`,
        annotations: { ...annotations },
      },
      spec: {
        source: { kind, name: source.name },
        targetNamespace: target.namespace,
        requestName: `transfer-${target.name}`,
      },
    },
  ];
}

/** The pairs as a cluster shows them, in which they were applied. */
export const appliedPairs = (moves: readonly Move[]): JsonObject[] =>
  moves.flatMap((move) =>
    pairObjects(move).map((object) =>
      changed(object, {
        metadata: { uid: `${textAt(object, "kind")}-${textAt(object, "metadata", "name")}` },
      }),
    ),
  );

export const textOf = (objects: readonly JsonObject[]): string =>
  objects.map((object) => JSON.stringify(object)).join("\n---\n");

/** Reads objects as `match` does; problems are collected. */
export function readObjects(text: string, problems: Problem[] = [], file = "pairs.yaml"): TransferObject[] {
  return readTransferObjects(text, file, (problem) => void problems.push(problem));
}

export function pairsOf(moves: readonly Move[]): readonly TransferPair[] {
  const problems: Problem[] = [];
  const objects = readObjects(textOf(moves.flatMap((move) => [...pairObjects(move)])), problems);
  const { pairs } = matchTransfers(objects, { now: NOW, allowCycles: true });
  if (problems.length > 0 || pairs.length !== moves.length) throw new Error(JSON.stringify(problems));
  return pairs;
}

export function stateOf(objects: readonly JsonObject[]): ClusterState {
  const problems: Problem[] = [];
  const list = { apiVersion: "v1", kind: "List", items: objects };
  const state = readState(
    [{ file: "dump.yaml", text: JSON.stringify(list) }],
    (each) => void problems.push(each),
  );
  if (problems.length > 0) throw new Error(JSON.stringify(problems));
  return state;
}

export const OPTIONS: PlanOptions = {
  allowCycles: false,
  recreateUnbound: false,
  waivedFinalizers: new Set(),
  keepLabels: undefined,
  lateCreate: false,
};

const rendering = createRenderer(["transfer"], () => {});

export async function planFor(
  moves: readonly Move[],
  objects: readonly JsonObject[],
  options: Partial<PlanOptions> = {},
): Promise<PlanResult> {
  return planTransfers(pairsOf(moves), stateOf(objects), { ...OPTIONS, ...options }, await rendering);
}

/** `severity code message` of problems, for comparison. */
export const summary = (problems: readonly Problem[]): string[] =>
  problems.map(diagnostic).map(({ severity, code, message }) => `${severity} ${code} ${message}`);

export const codesOf = (problems: readonly Problem[], severity = "error"): string[] =>
  problems.filter((each) => (each.severity ?? "error") === severity).map(({ code }) => code);
