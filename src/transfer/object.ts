/** Reading members of Kubernetes objects whose form is not known: missing or wrong ones are absent. */
import { isList, isObject, type Json, type JsonObject } from "../core/json.js";
import type { Name } from "./api.js";

/** The value at a path; undefined when a step is missing or null. */
export function at(object: Json | undefined, ...path: readonly (string | number)[]): Json | undefined {
  let value: Json | undefined = object;
  for (const step of path) {
    if (typeof step === "number") value = isList(value) ? value[step] : undefined;
    else value = isObject(value) && Object.hasOwn(value, step) ? value[step] : undefined;
  }
  return value === null ? undefined : value;
}

/** A text; a number or truth value that lost its quotes on the way counts as its text. Empty when absent. */
export function textAt(object: Json | undefined, ...path: readonly (string | number)[]): string {
  const value = at(object, ...path);
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean"
    ? String(value)
    : "";
}

export function objectAt(object: Json | undefined, ...path: readonly (string | number)[]): JsonObject {
  const value = at(object, ...path);
  return isObject(value) ? value : {};
}

export function listAt(object: Json | undefined, ...path: readonly (string | number)[]): readonly Json[] {
  const value = at(object, ...path);
  return isList(value) ? value : [];
}

/** The texts of a list. */
export const textsAt = (object: Json | undefined, ...path: readonly (string | number)[]): readonly string[] =>
  listAt(object, ...path).filter((each) => typeof each === "string");

/** The members of a mapping whose values are texts. */
export const stringsAt = (
  object: Json | undefined,
  ...path: readonly (string | number)[]
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(objectAt(object, ...path)).flatMap(([key, value]): [string, string][] =>
      typeof value === "string" ? [[key, value]] : [],
    ),
  );

export const nameOf = (object: JsonObject): Name => ({
  namespace: textAt(object, "metadata", "namespace"),
  name: textAt(object, "metadata", "name"),
});

export const uidOf = (object: JsonObject): string => textAt(object, "metadata", "uid");
export const annotationOf = (object: JsonObject, key: string): string | undefined => {
  const value = at(object, "metadata", "annotations", key);
  return typeof value === "string" ? value : undefined;
};
export const isBeingDeleted = (object: JsonObject): boolean =>
  at(object, "metadata", "deletionTimestamp") !== undefined;
