/**
 * What the API server does to a custom resource before it validates it: unknown members are pruned, nulls that the
 * schema does not allow are dropped or replaced, and defaults are filled in (apiextensions `pruning`, `defaulting`).
 */
import { isList, isObject, type Json, type JsonObject } from "../core/json.js";
import { memberSchema, readSchema, type SchemaNode } from "./read.js";

export interface Prepared {
  /** The object as it is validated and stored. */
  readonly object: JsonObject;
  /** Field paths of members that the schema does not have. */
  readonly unknown: readonly string[];
}

export function prepare(object: JsonObject, schema: SchemaNode): Prepared {
  const unknown: string[] = [];
  const pruned = pruneObject(object, schema, "", true, unknown);
  return { object: defaultObject(dropNullsOfObject(pruned, schema), schema), unknown };
}

const join = (path: string, name: string): string => (path === "" ? name : `${path}.${name}`);
const RESOURCE_MEMBERS = new Set(["apiVersion", "kind", "metadata"]);

/** `undefined` as schema means that nothing is known about the value: no member of an object in it survives. */
function prune(value: Json, schema: SchemaNode | undefined, path: string, unknown: string[]): Json {
  if (isList(value)) return value.map((each, i) => prune(each, itemSchema(schema), `${path}[${i}]`, unknown));
  return isObject(value)
    ? pruneObject(value, schema, path, schema?.embeddedResource ?? false, unknown)
    : value;
}

/** Items of a list that is preserved as it is are preserved too, but for what their own schema says. */
const itemSchema = (schema: SchemaNode | undefined): SchemaNode | undefined =>
  schema?.preserveUnknown === true
    ? { ...(schema.items ?? PRESERVED), preserveUnknown: true }
    : schema?.items;
const PRESERVED = readSchema({});

function pruneObject(
  value: JsonObject,
  schema: SchemaNode | undefined,
  path: string,
  isResource: boolean,
  unknown: string[],
): JsonObject {
  const kept: [string, Json][] = [];
  for (const [name, each] of Object.entries(value)) {
    const at = join(path, name);
    if (isResource && RESOURCE_MEMBERS.has(name)) kept.push([name, each]);
    else if (schema !== undefined && (schema.properties.has(name) || schema.additional !== undefined))
      kept.push([name, prune(each, memberSchema(schema, name), at, unknown)]);
    else if (schema?.preserveUnknown) kept.push([name, each]);
    else unknown.push(at);
  }
  return Object.fromEntries(kept);
}

const isForbiddenNull = (value: Json, schema: SchemaNode | undefined): boolean =>
  value === null && schema !== undefined && !schema.nullable;

function dropNulls(value: Json, schema: SchemaNode | undefined): Json {
  if (schema === undefined) return value;
  if (isObject(value)) return dropNullsOfObject(value, schema);
  return isList(value) ? value.map((each) => dropNulls(each, schema.items)) : value;
}

const dropNullsOfObject = (value: JsonObject, schema: SchemaNode): JsonObject =>
  Object.fromEntries(
    Object.entries(value).flatMap(([name, each]): [string, Json][] => {
      const own = memberSchema(schema, name);
      if (isForbiddenNull(each, own) && own?.defaultValue === undefined) return [];
      return [[name, dropNulls(each, own)]];
    }),
  );

function fill(value: Json, schema: SchemaNode | undefined): Json {
  if (schema === undefined) return value;
  if (isObject(value)) return defaultObject(value, schema);
  if (!isList(value)) return value;
  const { items } = schema;
  return value.map((each) =>
    fill(isForbiddenNull(each, items) ? (items?.defaultValue ?? null) : each, items),
  );
}

function defaultObject(value: JsonObject, schema: SchemaNode): JsonObject {
  const filled = new Map(Object.entries(value));
  for (const [name, own] of schema.properties) {
    if (own.defaultValue === undefined) continue;
    const present = filled.get(name);
    if (present === undefined || isForbiddenNull(present, own)) filled.set(name, own.defaultValue);
  }
  return Object.fromEntries(
    [...filled].map(([name, each]) => {
      const own = memberSchema(schema, name);
      return [name, fill(isForbiddenNull(each, own) ? (own?.defaultValue ?? null) : each, own)];
    }),
  );
}
