/** What an etcd copy holds of a custom resource, by version: our own StorageCounts, or the answer of `etcd audit`. */
import { isList, isObject, type Json, type JsonObject } from "../core/json.js";
import { toJson } from "../text/yaml-read.js";
import { type Document, ownFields, ownKind, placeIn, type Report, readDocument } from "./compatibility.js";
import type { StorageCrd } from "./crd.js";

export interface StorageCounts {
  readonly file: string;
  /** Objects by version; a version that is not here has none. */
  readonly versions: ReadonlyMap<string, number>;
  /** Objects under the resource's key whose version cannot be told. */
  readonly unreadable: number;
}

export function readStorageCounts(
  text: string,
  file: string,
  crd: StorageCrd,
  report: Report,
): StorageCounts | undefined {
  const lines = objectLines(text);
  if (lines !== undefined) return audited(lines, file, crd);
  const document = readDocument(text, file, report);
  if (document === undefined) return undefined;
  const { root, source } = document;
  if (ownKind(root) === "StorageCounts") return ownCounts(document, crd);
  const value = toJson(root);
  if (isObject(value) && isList(value["objects"]))
    return audited(value["objects"].filter(isObject), file, crd);
  report({
    code: "TAB005",
    kind: "Invalid",
    ...placeIn(source, root),
    message: "this says nothing about what etcd holds",
    hint: "a StorageCounts document, or what etcd audit prints with --output json or --objects-out",
  });
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

function audited(objects: readonly JsonObject[], file: string, crd: StorageCrd): StorageCounts {
  const versions = new Map<string, number>();
  let unreadable = 0;
  for (const { key, apiVersion, kind } of objects) {
    if (typeof apiVersion === "string") {
      const [group, version, ...rest] = apiVersion.split("/");
      if (group !== crd.group || version === undefined || rest.length > 0 || kind !== crd.kind) continue;
      versions.set(version, (versions.get(version) ?? 0) + 1);
    } else if (typeof key === "string" && key.includes(`/${crd.group}/${crd.plural}/`)) unreadable++;
  }
  return { file, versions, unreadable };
}

function ownCounts(document: Document, crd: StorageCrd): StorageCounts | undefined {
  const fields = ownFields(document);
  if (fields === undefined) return undefined;
  if (!fields.has("counts")) fields.missing("counts", "list {group, resource, version, count}");
  const versions = new Map<string, number>();
  for (const each of fields.list("counts") ?? []) {
    const group = each.required("group", "the API group");
    const resource = each.required("resource", "the plural of the resource");
    const version = each.required("version", "the version that the objects are stored in");
    const count = each.integer("count");
    if (!each.has("count")) each.missing("count", "the number of objects");
    if (count !== undefined && count.value < 0)
      each.problem("count", {
        code: "STO034",
        kind: "Invalid",
        message: `C5 counts: ${count.value} objects`,
        hint: "0 or more",
      });
    each.done();
    if (group?.value !== crd.group || resource?.value !== crd.plural) continue;
    if (version !== undefined && count !== undefined)
      versions.set(version.value, (versions.get(version.value) ?? 0) + count.value);
  }
  fields.done();
  return { file: document.source.file, versions, unreadable: 0 };
}
