/** Members of a CustomResourceDefinition and the nodes of its schemas, read without trust in their form. */
import { equalJson, isList, isObject, type Json, type JsonObject } from "../core/json.js";

/** A text member; empty where it is none. */
export const textAt = (schema: JsonObject, key: string): string => {
  const value = schema[key];
  return typeof value === "string" ? value : "";
};
/** The schemas of a member that names each, such as properties. */
export const childrenOf = (schema: JsonObject, key: string): [string, JsonObject][] => {
  const value = schema[key];
  return isObject(value)
    ? Object.entries(value).flatMap(([name, each]): [string, JsonObject][] =>
        isObject(each) ? [[name, each]] : [],
      )
    : [];
};
/** The schemas of a member that lists them, such as allOf. */
export const nodesAt = (schema: JsonObject, key: string): JsonObject[] => {
  const value = schema[key];
  return isList(value) ? value.filter(isObject) : [];
};
/** The schema of a member that holds one, such as not. */
export const nodeAt = (schema: JsonObject, key: string): JsonObject | undefined => {
  const value = schema[key];
  return isObject(value) ? value : undefined;
};
export const isTrue = (schema: JsonObject, key: string): boolean => schema[key] === true;
/** As the server tells a pointer that is set. */
export const isSet = (schema: JsonObject, key: string): boolean =>
  schema[key] !== undefined && schema[key] !== null;
const given = (node: JsonObject | undefined): JsonObject[] => (node === undefined ? [] : [node]);
export const JUNCTORS = ["allOf", "oneOf", "anyOf"] as const;

/** The texts of a member that lists some. */
export const textsAt = (object: JsonObject, key: string): string[] => {
  const value = object[key];
  return isList(value) ? value.flatMap((each) => (typeof each === "string" ? [each] : [])) : [];
};
/** As {@link nodeAt}, an empty object where there is none. */
export const objectAt = (object: JsonObject, key: string): JsonObject => nodeAt(object, key) ?? {};

/** Every node of the schema, wherever it stands. */
export function* everyNode(schema: JsonObject): Generator<JsonObject> {
  yield schema;
  const below = [
    ...["items", "not", "additionalProperties", "additionalItems"].flatMap((key) =>
      given(nodeAt(schema, key)),
    ),
    ...JUNCTORS.flatMap((key) => nodesAt(schema, key)),
    ...nodesAt(schema, "items"),
    ...["properties", "patternProperties", "definitions", "dependencies"].flatMap((key) =>
      childrenOf(schema, key).map(([, each]) => each),
    ),
  ];
  for (const each of below) yield* everyNode(each);
}

/** Why the server cannot even read the schema as a structural one. */
export function unstructured(schema: JsonObject): string | undefined {
  for (const [member, name] of [
    ["id", "id"],
    ["$schema", "schema"],
    ["$ref", "$ref"],
  ] as const)
    if (textAt(schema, member) !== "") return `OpenAPIV3Schema '${name}' is not supported`;
  for (const member of ["patternProperties", "dependencies"] as const)
    if (Object.keys(nodeAt(schema, member) ?? {}).length > 0)
      return `OpenAPIV3Schema '${member}' is not supported`;
  if (isSet(schema, "additionalItems")) return "OpenAPIV3Schema 'additionalItems' is not supported";
  if (Object.keys(nodeAt(schema, "definitions") ?? {}).length > 0)
    return "OpenAPIV3Schema 'definitions' is not supported";
  if (isList(schema["items"]) && schema["items"].length > 0)
    return "OpenAPIV3Schema 'items' must be a schema, but is an array";
  if (schema["x-kubernetes-preserve-unknown-fields"] === false)
    return "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined";
  const below = [
    ...["items", "not", "additionalProperties"].flatMap((key) => given(nodeAt(schema, key))),
    ...JUNCTORS.flatMap((key) => nodesAt(schema, key)),
    ...childrenOf(schema, "properties").map(([, each]) => each),
  ];
  for (const each of below) {
    const found = unstructured(each);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** True where the server reads the same from both: an empty list, text or false is to it as if nothing were there. */
export const isSameToServer = (a: Json, b: Json): boolean => equalJson(told(a), told(b));

/** Values of the user's, of which everything counts. */
const VALUES = new Set(["default", "example"]);
/** Members that the server tells from absent ones whatever they hold. */
const POINTERS = new Set([
  "$ref",
  "additionalItems",
  "additionalProperties",
  "items",
  "x-kubernetes-list-type",
  "x-kubernetes-map-type",
  "x-kubernetes-preserve-unknown-fields",
]);

function told(value: Json): Json {
  if (isList(value)) return value.map(told);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, each]): [string, Json][] => {
      if (each === null) return [];
      const isValue = VALUES.has(key) || (key === "enum" && isList(each) && each.length > 0);
      const own = isValue ? each : told(each);
      if (isValue || POINTERS.has(key)) return [[key, own]];
      const isNothing = own === "" || own === false || (isList(own) && own.length === 0);
      return isNothing ? [] : [[key, own]];
    }),
  );
}

const HOLD_SCHEMAS = new Set<string>([
  "additionalItems",
  "additionalProperties",
  "items",
  "not",
  ...JUNCTORS,
]);
const NAME_SCHEMAS = new Set(["definitions", "dependencies", "patternProperties", "properties"]);
/** The other members that a schema has for the server. */
const MEMBERS = new Set([
  ...["id", "$schema", "$ref", "description", "type", "format", "title", "default", "nullable", "example"],
  ...["maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum", "multipleOf", "enum", "pattern"],
  ...["maxLength", "minLength", "maxItems", "minItems", "uniqueItems", "maxProperties", "minProperties"],
  ...["required", "externalDocs", "x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource"],
  ...["x-kubernetes-int-or-string", "x-kubernetes-list-map-keys", "x-kubernetes-list-type"],
  ...["x-kubernetes-map-type", "x-kubernetes-validations"],
]);

/** A schema as the server reads it: members that it does not know, such as readOnly, are dropped. */
export function readableSchema(schema: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(schema).flatMap(([key, each]): [string, Json][] => {
      if (HOLD_SCHEMAS.has(key)) return [[key, readableAt(each)]];
      if (NAME_SCHEMAS.has(key) && isObject(each))
        return [
          [key, Object.fromEntries(Object.entries(each).map(([name, own]) => [name, readableAt(own)]))],
        ];
      return MEMBERS.has(key) || NAME_SCHEMAS.has(key) ? [[key, each]] : [];
    }),
  );
}

const readableAt = (value: Json): Json =>
  isList(value) ? value.map(readableAt) : isObject(value) ? readableSchema(value) : value;
