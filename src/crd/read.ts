/** Reads a CustomResourceDefinition into what the checks walk over. Rules of its own schema are in structural.ts. */
import { isList, isObject, type Json, type JsonObject } from "../core/json.js";
import { identityOf } from "../kubernetes/identity.js";
import { labelsOf } from "../kubernetes/labels.js";

export interface ValidationRule {
  readonly rule: string;
  readonly message: string | undefined;
  readonly reason: string | undefined;
  /** Field below the node that the fault is reported for. */
  readonly fieldPath: string | undefined;
  readonly optionalOldSelf: boolean;
}

/** One node of an OpenAPI v3 schema. Members that no check looks at (titles, examples) are left out. */
export interface SchemaNode {
  readonly type: string | undefined;
  readonly nullable: boolean;
  readonly intOrString: boolean;
  readonly preserveUnknown: boolean;
  readonly embeddedResource: boolean;
  readonly properties: ReadonlyMap<string, SchemaNode>;
  /** True allows any further member. */
  readonly additional: SchemaNode | boolean | undefined;
  readonly items: SchemaNode | undefined;
  readonly required: readonly string[];
  readonly defaultValue: Json | undefined;
  readonly enum: readonly Json[] | undefined;
  readonly format: string | undefined;
  readonly pattern: string | undefined;
  readonly bounds: ReadonlyMap<Bound, number>;
  readonly exclusiveMinimum: boolean;
  readonly exclusiveMaximum: boolean;
  readonly allOf: readonly SchemaNode[];
  readonly anyOf: readonly SchemaNode[];
  readonly oneOf: readonly SchemaNode[];
  readonly not: SchemaNode | undefined;
  readonly listType: string | undefined;
  readonly listKeys: readonly string[];
  readonly rules: readonly ValidationRule[];
}

const BOUNDS = [
  "minimum",
  "maximum",
  "multipleOf",
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
  "minProperties",
  "maxProperties",
] as const;
export type Bound = (typeof BOUNDS)[number];

export interface CrdVersion {
  readonly name: string;
  readonly served: boolean;
  readonly schema: SchemaNode | undefined;
}

export interface Crd {
  /** Name and labels of the definition itself; empty where what was read does not say. */
  readonly name: string;
  readonly labels: ReadonlyMap<string, string>;
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
  readonly versions: readonly CrdVersion[];
}

const textOf = (object: JsonObject, key: string): string | undefined => {
  const value = object[key];
  return typeof value === "string" ? value : undefined;
};
const textsOf = (value: Json | undefined): string[] =>
  isList(value) ? value.filter((each) => typeof each === "string") : [];
const nodesOf = (value: Json | undefined): SchemaNode[] => (isList(value) ? value.map(readSchema) : []);

/** The definition, or undefined when the object is not one of apiextensions.k8s.io/v1. */
export function readCrd(object: JsonObject): Crd | undefined {
  const { apiVersion, kind, spec } = object;
  if (apiVersion !== "apiextensions.k8s.io/v1" || kind !== "CustomResourceDefinition" || !isObject(spec))
    return undefined;
  const names = isObject(spec["names"]) ? spec["names"] : {};
  const [group, own, plural] = [textOf(spec, "group"), textOf(names, "kind"), textOf(names, "plural")];
  if (group === undefined || own === undefined || plural === undefined) return undefined;
  const versions = isList(spec["versions"]) ? spec["versions"].filter(isObject) : [];
  return {
    name: identityOf(object).name,
    labels: labelsOf(object),
    group,
    kind: own,
    plural,
    namespaced: spec["scope"] === "Namespaced",
    versions: versions.map((version) => {
      const schema = isObject(version["schema"]) ? version["schema"]["openAPIV3Schema"] : undefined;
      return {
        name: textOf(version, "name") ?? "",
        served: version["served"] === true,
        schema: schema === undefined ? undefined : readSchema(schema),
      };
    }),
  };
}

export function readSchema(value: Json): SchemaNode {
  const schema = isObject(value) ? value : {};
  const { properties, additionalProperties, items, not } = schema;
  const validations = schema["x-kubernetes-validations"];
  const bounds = BOUNDS.flatMap((bound): [Bound, number][] => {
    const limit = schema[bound];
    return typeof limit === "number" ? [[bound, limit]] : [];
  });
  return {
    type: textOf(schema, "type"),
    nullable: schema["nullable"] === true,
    intOrString: schema["x-kubernetes-int-or-string"] === true,
    preserveUnknown: schema["x-kubernetes-preserve-unknown-fields"] === true,
    embeddedResource: schema["x-kubernetes-embedded-resource"] === true,
    properties: new Map(
      isObject(properties)
        ? Object.entries(properties).map(([name, each]): [string, SchemaNode] => [name, readSchema(each)])
        : [],
    ),
    additional:
      typeof additionalProperties === "boolean"
        ? additionalProperties
        : isObject(additionalProperties)
          ? readSchema(additionalProperties)
          : undefined,
    items: isObject(items) ? readSchema(items) : undefined,
    required: textsOf(schema["required"]),
    defaultValue: schema["default"],
    // An empty list restricts nothing.
    enum: isList(schema["enum"]) && schema["enum"].length > 0 ? schema["enum"] : undefined,
    format: textOf(schema, "format"),
    pattern: textOf(schema, "pattern"),
    bounds: new Map(bounds),
    exclusiveMinimum: schema["exclusiveMinimum"] === true,
    exclusiveMaximum: schema["exclusiveMaximum"] === true,
    allOf: nodesOf(schema["allOf"]),
    anyOf: nodesOf(schema["anyOf"]),
    oneOf: nodesOf(schema["oneOf"]),
    not: isObject(not) ? readSchema(not) : undefined,
    listType: textOf(schema, "x-kubernetes-list-type"),
    listKeys: textsOf(schema["x-kubernetes-list-map-keys"]),
    rules: isList(validations) ? validations.filter(isObject).map(readRule) : [],
  };
}

const readRule = (rule: JsonObject): ValidationRule => ({
  rule: textOf(rule, "rule") ?? "",
  message: textOf(rule, "message"),
  reason: textOf(rule, "reason"),
  fieldPath: textOf(rule, "fieldPath"),
  optionalOldSelf: rule["optionalOldSelf"] === true,
});

/** The schema of a member of an object: its own, or that of additional members. */
export function memberSchema(node: SchemaNode, name: string): SchemaNode | undefined {
  const own = node.properties.get(name);
  if (own !== undefined) return own;
  return typeof node.additional === "object" ? node.additional : undefined;
}
