/** Fields of a schema by path: references followed, lists passed through, names matched without regard to case. */
import { isList, isObject, type Json, type JsonObject } from "../core/json.js";
import { closest } from "../text/closest.js";
import { foldName } from "./documents.js";

export interface Field {
  /** Path below the document, in the schema's own spelling; empty for the document. */
  readonly path: string;
  /** The node with its references followed; what is said beside a reference wins. */
  readonly node: JsonObject;
  readonly required: boolean;
}

export interface Member {
  /** `<key>` for any key of a map. */
  readonly name: string;
  readonly node: JsonObject;
  readonly required: boolean;
}

export type FieldLookup =
  | { readonly found: true; readonly field: Field }
  | {
      readonly found: false;
      readonly within: Field;
      readonly missing: string;
      readonly near: readonly string[];
    };

export function findField(schema: JsonObject, path: string): FieldLookup {
  let field: Field = { path: "", node: resolve(schema, schema), required: false };
  for (const step of stepsOf(path)) {
    const inner = throughLists(field.node, schema);
    const member = memberOf(inner, schema, step);
    if (member === undefined)
      return { found: false, within: field, missing: step, near: suggestions(schema, field, inner, step) };
    const list = inner === field.node ? "" : "[]";
    const name = member.name === "<key>" ? step : member.name;
    const at = `${field.path}${list}`;
    field = { path: at === "" ? name : `${at}.${name}`, node: member.node, required: member.required };
  }
  return { found: true, field };
}

/** Names of a path; indices and other brackets after a name are passed over. */
const stepsOf = (path: string): string[] =>
  path
    .replace(/\[[^[\]]*\]/g, "")
    .split(".")
    .filter((step) => step !== "");

/** The node that a reference stands for, with what is said beside the reference. */
export function resolve(node: JsonObject, schema: JsonObject): JsonObject {
  const { $ref, ...beside } = node;
  if (typeof $ref !== "string") return node;
  const target = $ref
    .replace(/^#\//, "")
    .split("/")
    .reduce<Json | undefined>((at, step) => (isObject(at) ? at[unescapePointer(step)] : undefined), schema);
  if (!isObject(target)) throw new Error(`the schema has no ${$ref}`);
  const resolved = resolve(target, schema);
  const notes = { ...noteObject(resolved), ...noteObject(beside) };
  return { ...resolved, ...beside, ...(Object.keys(notes).length === 0 ? {} : { "x-slipway": notes }) };
}

const unescapePointer = (step: string): string => step.replaceAll("~1", "/").replaceAll("~0", "~");

const noteObject = (node: JsonObject): JsonObject => {
  const notes = node["x-slipway"];
  return isObject(notes) ? notes : {};
};

/** Our own annotations of a node. */
export const notesOfNode = noteObject;

/** The node itself, or the item of a list (of lists). */
export function throughLists(node: JsonObject, schema: JsonObject): JsonObject {
  const { items } = node;
  return isObject(items) ? throughLists(resolve(items, schema), schema) : node;
}

/** The members of an object, in the order of the schema. */
export function membersOf(node: JsonObject, schema: JsonObject): Member[] {
  const members = new Map<string, Member>();
  for (const part of [node, ...alternatives(node, schema)]) {
    const required = isList(part["required"]) ? part["required"] : [];
    for (const [name, child] of Object.entries(isObject(part["properties"]) ? part["properties"] : {}))
      if (isObject(child) && !members.has(name)) {
        const resolved = resolve(child, schema);
        members.set(name, {
          name,
          node: resolved,
          required: required.includes(name) || noteObject(resolved)["required"] === true,
        });
      }
  }
  const any = node["additionalProperties"];
  if (isObject(any)) members.set("<key>", { name: "<key>", node: resolve(any, schema), required: false });
  return [...members.values()];
}

function alternatives(node: JsonObject, schema: JsonObject): JsonObject[] {
  return ["allOf", "anyOf", "oneOf"].flatMap((keyword) => {
    const parts = node[keyword];
    return isList(parts) ? parts.filter(isObject).map((part) => resolve(part, schema)) : [];
  });
}

function memberOf(node: JsonObject, schema: JsonObject, step: string): Member | undefined {
  const members = membersOf(node, schema);
  return (
    members.find(({ name }) => name === step) ??
    members.find(({ name }) => foldName(name) === foldName(step)) ??
    members.find(({ name }) => name === "<key>")
  );
}

/** Full paths of fields that may have been meant: near by name here, or of the same name elsewhere. */
function suggestions(schema: JsonObject, within: Field, inner: JsonObject, step: string): string[] {
  const names = membersOf(inner, schema).map(({ name }) => name);
  const near = closest(step, names);
  const list = inner === within.node ? "" : "[]";
  const at = (name: string): string => (within.path === "" ? name : `${within.path}${list}.${name}`);
  if (near !== undefined) return [at(near)];
  const all = allFields(schema);
  const same = all.filter(({ name }) => foldName(name) === foldName(step)).map(({ path }) => path);
  if (same.length > 0) return same.slice(0, 5);
  const misspelt = closest(step, new Set(all.map(({ name }) => name)));
  return all
    .filter(({ name }) => name === misspelt)
    .slice(0, 3)
    .map(({ path }) => path);
}

/** Every field of a schema, outer ones first. */
export function allFields(schema: JsonObject): { readonly name: string; readonly path: string }[] {
  const fields: { name: string; path: string }[] = [];
  let level = [{ node: resolve(schema, schema), path: "", above: new Set<JsonObject>() }];
  while (level.length > 0) {
    const next: typeof level = [];
    for (const { node, path, above } of level) {
      const inner = throughLists(node, schema);
      const raw = inner["properties"];
      if (!isObject(raw) || above.has(raw)) continue;
      const list = inner === node ? "" : "[]";
      for (const member of membersOf(inner, schema)) {
        const at = path === "" ? member.name : `${path}${list}.${member.name}`;
        fields.push({ name: member.name, path: at });
        next.push({ node: member.node, path: at, above: new Set([...above, raw]) });
      }
    }
    level = next;
  }
  return fields;
}

/** The node with all references replaced, for readers that follow none. Recursion ends with the reference kept. */
export function expand(node: JsonObject, schema: JsonObject, above: readonly string[] = []): JsonObject {
  const reference = node["$ref"];
  if (typeof reference === "string" && above.includes(reference)) return node;
  const further = typeof reference === "string" ? [...above, reference] : above;
  const { $defs: _defs, definitions: _definitions, ...resolved } = resolve(node, schema);
  return Object.fromEntries(
    Object.entries(resolved).map(([key, value]) => [key, expandValue(key, value, schema, further)]),
  );
}

/** Keywords whose members are named by the user of the schema, and are schemas each. */
const MAPS_OF_SCHEMAS = new Set(["properties", "patternProperties", "dependentSchemas"]);
const SCHEMA_KEYWORDS = new Set([
  "items",
  "additionalProperties",
  "not",
  "if",
  "then",
  "else",
  "contains",
  "propertyNames",
]);
const LISTS_OF_SCHEMAS = new Set(["allOf", "anyOf", "oneOf", "prefixItems"]);

function expandValue(key: string, value: Json, schema: JsonObject, above: readonly string[]): Json {
  if (SCHEMA_KEYWORDS.has(key) && isObject(value)) return expand(value, schema, above);
  if (MAPS_OF_SCHEMAS.has(key) && isObject(value))
    return Object.fromEntries(
      Object.entries(value).map(([name, child]) => [
        name,
        isObject(child) ? expand(child, schema, above) : child,
      ]),
    );
  if (LISTS_OF_SCHEMAS.has(key) && isList(value))
    return value.map((child) => (isObject(child) ? expand(child, schema, above) : child));
  return value;
}
