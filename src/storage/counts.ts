/** What an etcd copy holds of a custom resource, by version: our own StorageCounts, or the answer of `etcd audit`. */

import type { Report } from "../core/diagnostics.js";
import { isList, isObject, type Json, type JsonObject } from "../core/json.js";
import { problemList } from "../core/problem.js";
import { toJson } from "../text/yaml-read.js";
import { type Document, ownFields, ownKind, placeIn, readDocument } from "./compatibility.js";
import type { StorageCrd } from "./crd.js";

export interface StorageCounts {
  readonly file: string;
  /** Objects by version. */
  readonly versions: ReadonlyMap<string, number>;
  /** True where a version that is not named has no object; otherwise nothing is known of it. */
  readonly complete: boolean;
  /** Objects under the resource's key whose version cannot be told. */
  readonly unreadable: number;
}

/** How many objects of a version there are; undefined where nothing is known. */
export const countOf = ({ versions, complete }: StorageCounts, version: string): number | undefined =>
  versions.get(version) ?? (complete ? 0 : undefined);

/**
 * Reads the counts. What was limited to a part, what comes from a copy without the definition, and what has no object
 * of the resource says nothing about how many there are: it is refused (STO036).
 */
export function readStorageCounts(
  text: string,
  file: string,
  crd: StorageCrd,
  report: Report,
): StorageCounts | undefined {
  const lines = objectLines(text);
  if (lines !== undefined)
    return audited(lines, lines.find((each) => "scope" in each)?.["scope"], file, crd, report);
  const document = readDocument(text, file, report);
  if (document === undefined) return undefined;
  const { root, source } = document;
  if (ownKind(root) === "StorageCounts") return ownCounts(document, crd, report);
  const value = toJson(root);
  if (isObject(value) && isList(value["objects"]))
    return audited(value["objects"].filter(isObject), value["scope"], file, crd, report);
  problemList(report, "", placeIn(source, root)).report(
    "TAB005",
    "Invalid",
    "not a table of stored objects",
    "use a StorageCounts document, or the output of slipway etcd audit with --output json or --objects-out",
  );
  return undefined;
}

/** JSON lines with a `key` each; undefined for anything else. */
function objectLines(text: string): JsonObject[] | undefined {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const objects: JsonObject[] = [];
  for (const line of lines) {
    if (!line.startsWith("{")) return undefined;
    try {
      const value: Json = JSON.parse(line);
      if (!isObject(value) || typeof value["key"] !== "string") return undefined;
      objects.push(value);
    } catch {
      return undefined;
    }
  }
  return objects.length === 0 ? undefined : objects;
}

/** What limits an audit to a part of the copy, in words; undefined when nothing does. */
function limitOf(scope: Json | undefined): string | undefined {
  if (!isObject(scope)) return undefined;
  for (const member of ["namespace", "prefix", "subject"]) {
    const value = scope[member];
    if (value !== undefined && value !== null && value !== "") return `${member} ${JSON.stringify(value)}`;
  }
  if (scope["complete"] !== false) return undefined;
  const { revision } = scope;
  return typeof revision === "string" ? `the earlier revision ${revision}` : "part of the objects";
}

function audited(
  objects: readonly JsonObject[],
  scope: Json | undefined,
  file: string,
  crd: StorageCrd,
  report: Report,
): StorageCounts | undefined {
  const refuse = (message: string): undefined => refuseCounts(file, message, report);
  const limit = limitOf(scope);
  if (limit !== undefined) return refuse(`the audit was limited to ${limit}`);
  const definition = `/apiextensions.k8s.io/customresourcedefinitions/${crd.name}`;
  if (!objects.some(({ key }) => typeof key === "string" && key.endsWith(definition)))
    return refuse(
      `the audit does not contain the definition ${crd.name}: it was limited to a part, or the copy is of another store`,
    );
  const versions = new Map<string, number>();
  let unreadable = 0;
  for (const { key, apiVersion } of objects) {
    if (typeof key !== "string" || !key.includes(`/${crd.group}/${crd.plural}/`)) continue;
    const [group, version, ...rest] = typeof apiVersion === "string" ? apiVersion.split("/") : [];
    if (group !== crd.group || version === undefined || rest.length > 0) unreadable++;
    else versions.set(version, (versions.get(version) ?? 0) + 1);
  }
  if (versions.size === 0 && unreadable === 0) return refuse(`the audit contains no object of ${crd.name}`);
  return { file, versions, complete: true, unreadable };
}

function refuseCounts(file: string, message: string, report: Report): undefined {
  problemList(report, "", { file, line: 0, column: 0 }).report(
    "STO036",
    "Invalid",
    `C7 evidence: ${message}; this does not prove that no objects remain`,
    "use the output of slipway etcd audit --snapshot FILE --target RELEASE --output json for a whole copy, without --namespace, --problems-only and --objects-out; or omit --storage-counts to migrate everything",
  );
  return undefined;
}

function ownCounts(document: Document, crd: StorageCrd, report: Report): StorageCounts | undefined {
  const fields = ownFields(document);
  if (fields === undefined) return undefined;
  if (!fields.has("counts")) fields.missing("counts", "a list of {group, resource, version, count}");
  const versions = new Map<string, number>();
  for (const each of fields.list("counts") ?? []) {
    const group = each.required("group", "the API group");
    const resource = each.required("resource", "the plural name of the resource");
    const version = each.required("version", "the version that the objects are stored in");
    const count = each.integer("count");
    if (!each.has("count")) each.missing("count", "the number of objects");
    if (count !== undefined && count.value < 0)
      each
        .at("count")
        .report("STO034", "Invalid", `C5 counts: invalid value ${count.value}: must be 0 or more`);
    each.done();
    if (group?.value !== crd.group || resource?.value !== crd.plural) continue;
    if (version !== undefined && count !== undefined)
      versions.set(version.value, (versions.get(version.value) ?? 0) + count.value);
  }
  fields.done();
  if (versions.size === 0 && fields.has("counts"))
    return refuseCounts(document.source.file, `no count of ${crd.name}`, report);
  return { file: document.source.file, versions, complete: false, unreadable: 0 };
}
