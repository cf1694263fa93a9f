/**
 * The observed state of a cluster: what `kubectl get … -o yaml` printed, as Lists and as documents, from one file or
 * several. Only objects that say something about transfers are kept.
 */

import type { Report } from "../core/diagnostics.js";
import { equalJson, type JsonObject } from "../core/json.js";
import { problem } from "../core/problem.js";
import { APPROVAL_KIND, REQUEST_KIND } from "../crd/storage-transfer.js";
import { parseApiVersion } from "../kubernetes/identity.js";
import { type Name, nameText } from "./api.js";
import { type Observed, readDump } from "./dump.js";
import { nameOf, textAt, uidOf } from "./object.js";
import { workloadKey, workloadKind } from "./workloads.js";

export type { Observed } from "./dump.js";

/** Objects of a kind by `namespace/name`, or by name where the kind has no namespace. */
type Table = ReadonlyMap<string, Observed>;

/** The kinds that matter, by group and kind. */
const KINDS = {
  claims: ["", "PersistentVolumeClaim"],
  volumes: ["", "PersistentVolume"],
  pods: ["", "Pod"],
  namespaces: ["", "Namespace"],
  nodes: ["", "Node"],
  quotas: ["", "ResourceQuota"],
  limitRanges: ["", "LimitRange"],
  clusterQuotas: ["quota.openshift.io", "ClusterResourceQuota"],
  attachments: ["storage.k8s.io", "VolumeAttachment"],
  snapshots: ["snapshot.storage.k8s.io", "VolumeSnapshot"],
  statefulSets: ["apps", "StatefulSet"],
  schedulers: ["config.openshift.io", "Scheduler"],
  applications: ["argoproj.io", "Application"],
} as const;
type TableName = keyof typeof KINDS;

export type ClusterState = { readonly [K in TableName]: Table } & {
  /** Requests and approvals as they are in the cluster, by kind and `namespace/name`. */
  readonly transferObjects: Table;
  /** Whatever has a pod template, StatefulSets too, by kind and `namespace/name`. */
  readonly workloads: Table;
  readonly files: readonly string[];
};

const TABLE_OF: ReadonlyMap<string, TableName> = new Map(
  tableNames().map((name): [string, TableName] => [KINDS[name].join("/"), name]),
);

function tableNames(): TableName[] {
  const isTableName = (name: string): name is TableName => Object.hasOwn(KINDS, name);
  return Object.keys(KINDS).filter(isTableName);
}

export interface StateText {
  readonly file: string;
  readonly text: string;
}

/** Reads dumps. One object that two places show differently is an error: nobody knows which is the newer one. */
export function readState(texts: readonly StateText[], report: Report): ClusterState {
  const tables = new Map<TableName, Map<string, Observed>>(tableNames().map((name) => [name, new Map()]));
  const transferObjects = new Map<string, Observed>();
  const workloads = new Map<string, Observed>();
  const tableOf = (object: JsonObject): Map<string, Observed> | undefined => {
    const { group } = parseApiVersion(textAt(object, "apiVersion"));
    const kind = textAt(object, "kind");
    if (kind === REQUEST_KIND || kind === APPROVAL_KIND) return transferObjects;
    const table = TABLE_OF.get(`${group}/${kind}`);
    if (table !== undefined) return tables.get(table);
    return workloadKind(object) === undefined ? undefined : workloads;
  };
  for (const { file, text } of texts)
    for (const observed of readDump(text, file, (object) => tableOf(object) !== undefined, report)) {
      const { object } = observed;
      const table = tableOf(object);
      if (table === undefined) continue;
      const kind = textAt(object, "kind");
      const key =
        table === transferObjects || table === workloads ? transferKey(kind, nameOf(object)) : keyOf(object);
      const before = table.get(key);
      if (before !== undefined && differs(before.object, object)) report(twice(before, observed));
      table.set(key, observed);
      // A StatefulSet makes claims, and its pods may name others.
      if (kind === "StatefulSet") workloads.set(workloadKey(kind, nameOf(object)), observed);
    }
  const table = (name: TableName): Table => tables.get(name) ?? new Map();
  return {
    claims: table("claims"),
    volumes: table("volumes"),
    pods: table("pods"),
    namespaces: table("namespaces"),
    nodes: table("nodes"),
    quotas: table("quotas"),
    limitRanges: table("limitRanges"),
    clusterQuotas: table("clusterQuotas"),
    attachments: table("attachments"),
    snapshots: table("snapshots"),
    statefulSets: table("statefulSets"),
    schedulers: table("schedulers"),
    applications: table("applications"),
    transferObjects,
    workloads,
    files: texts.map(({ file }) => file),
  };
}

export const transferKey = (kind: string, name: Name): string => `${kind} ${nameText(name)}`;

const keyOf = (object: JsonObject): string => {
  const name = nameOf(object);
  return name.namespace === "" ? name.name : nameText(name);
};

/** A dump from which somebody took the resourceVersion has nothing else to compare but the objects themselves. */
const differs = (a: JsonObject, b: JsonObject): boolean =>
  uidOf(a) !== uidOf(b) ||
  textAt(a, "metadata", "resourceVersion") !== textAt(b, "metadata", "resourceVersion") ||
  (textAt(a, "metadata", "resourceVersion") === "" && !equalJson(a, b));

const twice = (before: Observed, { object, file, line, column }: Observed) =>
  problem(
    "TRF005",
    "Duplicate",
    "metadata.resourceVersion",
    `${textAt(object, "kind")} ${keyOf(object)} is also in ${before.file}:${before.line} with different content`,
    { file, line, column, hint: "use dumps that were taken at the same time" },
  );

/** Texts by which objects of a table are looked up. */
export type KeysOf = (object: JsonObject) => readonly string[];
const indexed = new WeakMap<Table, Map<KeysOf, ReadonlyMap<string, readonly Observed[]>>>();

/**
 * Every object of a table that has this text among its keys. A batch asks thousands of times, so an index is made the
 * first time.
 *
 * @param keysOf the same function every time
 */
export function having(table: Table, keysOf: KeysOf, text: string): readonly Observed[] {
  let indexes = indexed.get(table);
  if (indexes === undefined) {
    indexes = new Map();
    indexed.set(table, indexes);
  }
  let index = indexes.get(keysOf);
  if (index === undefined) {
    index = indexOf(table, keysOf);
    indexes.set(keysOf, index);
  }
  return index.get(text) ?? [];
}

function indexOf(table: Table, keysOf: KeysOf): ReadonlyMap<string, readonly Observed[]> {
  const index = new Map<string, Observed[]>();
  for (const observed of table.values())
    for (const key of new Set(keysOf(observed.object))) {
      const same = index.get(key);
      if (same === undefined) index.set(key, [observed]);
      else same.push(observed);
    }
  return index;
}

const namespaceOf: KeysOf = (object) => [nameOf(object).namespace];

/** Every object of a namespace in a table. */
export const inNamespace = (table: Table, namespace: string): readonly Observed[] =>
  having(table, namespaceOf, namespace);
