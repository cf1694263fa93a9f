/**
 * An object as the cluster has it after a file was applied, and what that changes. Fields that the file does not have stay:
 * defaults, and what controllers wrote. What an earlier version of the file had and this one has not is removed.
 */
import { equalJson, isList, isObject, type Json, type JsonObject, textAt } from "../../core/json.js";
import { lookup } from "../../core/lookup.js";
import { annotationsOf } from "../../kubernetes/labels.js";
import { isSet } from "./refusals.js";

/** What `kubectl apply` and controllers that do the same were given last. */
export const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";

export interface FieldChange {
  readonly field: string;
  /** Absent on the side that has no such field. */
  readonly from: Json | undefined;
  readonly to: Json | undefined;
}

export interface Applied {
  readonly next: JsonObject;
  readonly changes: readonly FieldChange[];
}

/** `former` is an earlier version of the file, where one is known. */
export function applied(live: JsonObject, file: JsonObject, former: JsonObject | undefined): Applied {
  const changes: FieldChange[] = [];
  const own = appliedPart(live);
  const next = merge(
    own,
    appliedPart(file),
    former === undefined ? undefined : appliedPart(former),
    "",
    changes,
  );
  return { next: isObject(next) ? { ...next, status: live["status"] ?? {} } : own, changes };
}

/** The object that was applied last, where the object in the cluster says so. */
export function lastApplied(live: JsonObject): JsonObject | undefined {
  try {
    const value: Json = JSON.parse(annotationsOf(live).get(LAST_APPLIED) ?? "null");
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** What an apply changes of an object: its content, its labels and its annotations. */
function appliedPart(object: JsonObject): JsonObject {
  const { status: _, apiVersion: __, kind: ___, metadata, stringData, ...rest } = object;
  const { labels, annotations } = isObject(metadata) ? metadata : {};
  const { [LAST_APPLIED]: ____, ...own } = isObject(annotations) ? annotations : {};
  const isSecret = textAt(object, "kind") === "Secret" && isObject(stringData);
  return {
    ...rest,
    ...(isSecret
      ? { data: { ...(isObject(rest["data"]) ? rest["data"] : {}), ...encoded(stringData) } }
      : {}),
    metadata: { labels: labels ?? {}, annotations: own },
  };
}

const encoded = (texts: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(texts).map(([key, text]) => [key, Buffer.from(String(text)).toString("base64")]),
  );

function merge(
  live: Json,
  file: Json,
  former: Json | undefined,
  field: string,
  changes: FieldChange[],
): Json {
  if (isObject(live) && isObject(file)) {
    const before = isObject(former) ? former : undefined;
    const next = new Map(Object.entries(live));
    for (const [name, wanted] of Object.entries(file)) {
      const [found, known] = [lookup(live, name), lookup(before, name)];
      // An API server drops what is empty, and a zero that was written before is no change.
      const isNothing =
        wanted === null || (!isSet(wanted) && (before === undefined || equalJson(known, wanted)));
      if (found !== undefined && wanted !== null)
        next.set(name, merge(found, wanted, known, join(field, name), changes));
      else if (found === undefined && !isNothing) {
        changes.push({ field: join(field, name), from: undefined, to: wanted });
        next.set(name, wanted);
      }
    }
    for (const name of Object.keys(before ?? {})) {
      const found = lookup(live, name);
      if (found === undefined || lookup(file, name) !== undefined) continue;
      changes.push({ field: join(field, name), from: found, to: undefined });
      next.delete(name);
    }
    return Object.fromEntries(next);
  }
  if (isList(live) && isList(file) && live.length === file.length) {
    const items = isList(former) ? former : [];
    return live.map((each, i) => merge(each, file[i] ?? null, items[i], `${field}[${i}]`, changes));
  }
  if (equalJson(live, file)) return live;
  changes.push({ field, from: live, to: file });
  return file;
}

const join = (field: string, name: string): string =>
  /[./]/.test(name) ? `${field}[${name}]` : field === "" ? name : `${field}.${name}`;
