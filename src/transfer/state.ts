/**
 * The observed state of a cluster: what `kubectl get … -o yaml` printed, as Lists and as documents, from one file or
 * several. Only objects that say something about transfers are kept.
 */
import type { Position } from "../core/diagnostics.js";
import { isObject, type Json, type JsonObject } from "../core/json.js";
import { parseApiVersion } from "../kubernetes/identity.js";
import { APPROVAL_KIND, REQUEST_KIND } from "../kubernetes/storage-transfer.js";
import { child, readYaml, toJson, type YamlNode } from "../text/yaml-read.js";
import { type Name, nameText, type Report } from "./api.js";
import { nameOf, textAt, uidOf } from "./object.js";

/** An object of a dump, and where it stands there. */
export interface Observed extends Position {
  readonly object: JsonObject;
}

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
  const tableOf = (object: JsonObject): Map<string, Observed> | undefined => {
    const { group } = parseApiVersion(textAt(object, "apiVersion"));
    const kind = textAt(object, "kind");
    if (kind === REQUEST_KIND || kind === APPROVAL_KIND) return transferObjects;
    const table = TABLE_OF.get(`${group}/${kind}`);
    return table === undefined ? undefined : tables.get(table);
  };
  for (const { file, text } of texts)
    for (const observed of observedIn(text, file, report)) {
      const { object } = observed;
      const table = tableOf(object);
      if (table === undefined) continue;
      const key =
        table === transferObjects ? transferKey(textAt(object, "kind"), nameOf(object)) : keyOf(object);
      const before = table.get(key);
      if (before !== undefined && differs(before.object, object)) report(twice(before, observed));
      table.set(key, observed);
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
    files: texts.map(({ file }) => file),
  };
}

export const transferKey = (kind: string, name: Name): string => `${kind} ${nameText(name)}`;

const keyOf = (object: JsonObject): string => {
  const name = nameOf(object);
  return name.namespace === "" ? name.name : nameText(name);
};

const differs = (a: JsonObject, b: JsonObject): boolean =>
  uidOf(a) !== uidOf(b) ||
  textAt(a, "metadata", "resourceVersion") !== textAt(b, "metadata", "resourceVersion");

const twice = (before: Observed, { object, file, line, column }: Observed) =>
  ({
    code: "TRF005",
    kind: "Duplicate",
    file,
    line,
    column,
    field: "metadata.resourceVersion",
    message: `${textAt(object, "kind")} ${keyOf(object)} stands in ${before.file}:${before.line} too, in another state`,
    hint: "give dumps of one moment",
  }) as const;

function observedIn(text: string, file: string, report: Report): Observed[] {
  const { documents, problems } = readYaml(text, file);
  problems.forEach(report);
  return documents.flatMap(({ root }) => (root === undefined ? [] : itemsOf(root, file)));
}

/** A List, or a list of one kind (`PodList`) whose items leave out kind and version, as its items. */
function itemsOf(root: YamlNode, file: string, inherited?: { apiVersion: string; kind: string }): Observed[] {
  if (root.type !== "mapping") return [];
  const kind = scalarOf(child(root, "kind"));
  const apiVersion = scalarOf(child(root, "apiVersion"));
  const items = kind.endsWith("List") ? child(root, "items") : undefined;
  if (items?.type === "sequence") {
    const each = kind === "List" ? undefined : { apiVersion, kind: kind.slice(0, -"List".length) };
    return items.items.flatMap((item) => itemsOf(item, file, each));
  }
  const value: Json = toJson(root);
  if (!isObject(value)) return [];
  const object = kind === "" && inherited !== undefined ? { ...inherited, ...value } : value;
  return [{ object, file, line: root.line, column: root.column }];
}

const scalarOf = (node: YamlNode | undefined): string => (node?.type === "scalar" ? node.text : "");

/** Every object of a namespace in a table. */
export const inNamespace = (table: Table, namespace: string): Observed[] =>
  [...table.values()].filter(({ object }) => nameOf(object).namespace === namespace);
