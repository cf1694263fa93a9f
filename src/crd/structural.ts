/**
 * What an API server says of the schema of a CustomResourceDefinition (apiextensions-apiserver 0.37.2:
 * `schema.ValidateStructural`, `defaulting.ValidateDefaults`). Validation rules are compiled by the API server alone;
 * here they are only placed and counted.
 */
import { equalJson, isList, isObject, type Json, type JsonObject } from "../core/json.js";
import {
  forbidden,
  invalid,
  invalidStructure,
  required,
  type ServerError,
} from "../kubernetes/server-error.js";
import { compileGoPattern } from "../text/go-regexp.js";
import { checkValue } from "./check.js";
import { prepare } from "./defaults.js";
import { embeddedErrors } from "./embedded.js";
import { nodeErrors, type SchemaRules } from "./node-rules.js";
import { readSchema } from "./read.js";
import { childrenOf, isSet, isTrue, nodeAt, nodesAt, textAt, unstructured } from "./schema-nodes.js";

/** What the server says of the schema at `field`. */
export function schemaErrors(
  schema: JsonObject,
  field: string,
  hasStatus: boolean,
  rules: SchemaRules,
): ServerError[] {
  const errors: ServerError[] = [...(hasStatus ? rootWithStatusErrors(schema, field) : [])];
  if (isTrue(schema, "nullable"))
    errors.push(forbidden(`${field}.nullable`, "nullable cannot be true at the root"));
  const unreadable = rules.structural ? unstructured(schema) : undefined;
  const isRead = rules.structural && unreadable === undefined;
  const structural = isRead ? structuralErrors(schema, field) : [];
  const found =
    isRead && structural.length === 0 ? rootDefaultErrors(schema, field, rules.prunedDefaults) : structural;
  const own = nodeErrors(schema, field, rules, { isRoot: true, inMeta: false, noDefaults: undefined });
  errors.push(...found, ...own);
  if (isRead && found.length === 0) errors.push(...(rules.compiled?.(schema, field, own) ?? []));
  if (errors.length === 0 && unreadable !== undefined) errors.push(invalid(field, "", unreadable));
  return errors;
}

/** True where the schema breaks the rules of structural schemas. */
export const isStructural = (schema: JsonObject): boolean =>
  unstructured(schema) === undefined && structuralErrors(schema, "").length === 0;

export const hasUnprunedDefaults = (schema: JsonObject): boolean =>
  isStructural(schema) &&
  rootDefaultErrors(schema, "", true).some(({ message }) => message.endsWith(UNKNOWN_FIELDS));

// ---- The root, where the status subresource is on ----

/** In the order of the server's type; true for what may stand at the root. */
const ROOT_MEMBERS: readonly (readonly [string, boolean])[] = [
  ["id", false],
  ["$schema", false],
  ["$ref", false],
  ["description", true],
  ["type", true],
  ["nullable", false],
  ["default", false],
  ["enum", false],
  ["maxProperties", false],
  ["minProperties", false],
  ["allOf", false],
  ["oneOf", false],
  ["anyOf", false],
  ["not", false],
  ["additionalProperties", false],
  ["patternProperties", false],
  ["dependencies", false],
  ["additionalItems", false],
  ["definitions", false],
  ["x-kubernetes-embedded-resource", false],
  ["x-kubernetes-int-or-string", false],
  ["x-kubernetes-list-map-keys", false],
  ["x-kubernetes-list-type", false],
  ["x-kubernetes-map-type", false],
];
const ROOT_TEXT =
  "only [Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength Pattern MaxItems MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example XPreserveUnknownFields XValidations] fields are allowed at the root of the schema if the status subresource is enabled";

function rootWithStatusErrors(schema: JsonObject, field: string): ServerError[] {
  for (const [member, allowed] of ROOT_MEMBERS) {
    const value = schema[member];
    if (value === undefined || value === null || value === "" || value === false) {
      if (member !== "additionalProperties" || value !== false) continue;
    }
    if (member === "type" && value !== "object")
      return [
        invalid(
          `${field}.type`,
          textAt(schema, "type"),
          'only "object" is allowed as the type at the root of the schema if the status subresource is enabled',
        ),
      ];
    if (!allowed) return [invalidStructure(field, ROOT_TEXT)];
  }
  return [];
}

// ---- Structural schemas ----

const structuralErrors = (schema: JsonObject, field: string): ServerError[] =>
  [...invariantErrors(schema, "root", field), ...completeness(schema, schema, field, field)].sort((a, b) =>
    `${a.field}: ${a.message}` < `${b.field}: ${b.message}` ? -1 : 1,
  );

type Level = "root" | "item" | "field";
const EMPTY_TYPE = {
  root: "must not be empty at the root",
  item: "must not be empty for specified array items",
  field: "must not be empty for specified object fields",
} as const;

function invariantErrors(schema: JsonObject, level: Level, field: string): ServerError[] {
  const errors: ServerError[] = [];
  const type = textAt(schema, "type");
  const items = nodeAt(schema, "items");
  const properties = childrenOf(schema, "properties");
  const additional = schema["additionalProperties"];
  const embedded = isTrue(schema, "x-kubernetes-embedded-resource");
  const preserves = isTrue(schema, "x-kubernetes-preserve-unknown-fields");
  const intOrString = isTrue(schema, "x-kubernetes-int-or-string");
  if (type === "array" && items === undefined) errors.push(required(`${field}.items`, "must be specified"));
  if (items !== undefined) errors.push(...invariantErrors(items, "item", `${field}.items`));
  for (const [name, each] of properties)
    errors.push(...invariantErrors(each, "field", `${field}.properties[${name}]`));
  if (isSet(schema, "additionalProperties")) {
    if (level === "root")
      errors.push(forbidden(`${field}.additionalProperties`, "must not be used at the root"));
    if (isObject(additional))
      errors.push(...invariantErrors(additional, "field", `${field}.additionalProperties`));
  }
  if (intOrString && preserves)
    errors.push(
      invalid(
        `${field}.x-kubernetes-preserve-unknown-fields`,
        true,
        "must be false if x-kubernetes-int-or-string is true",
      ),
    );
  if (intOrString && embedded)
    errors.push(
      invalid(
        `${field}.x-kubernetes-embedded-resource`,
        true,
        "must be false if x-kubernetes-int-or-string is true",
      ),
    );
  errors.push(
    ...valueErrors(
      schema,
      field,
      isIntOrString(schema["anyOf"]),
      isIntOrString(nodesAt(schema, "allOf")[0]?.["anyOf"]),
    ),
  );
  const meta = level === "root" || embedded;
  if (embedded && type !== "object")
    errors.push(
      type === ""
        ? required(`${field}.type`, "must be object if x-kubernetes-embedded-resource is true")
        : invalid(`${field}.type`, type, "must be object if x-kubernetes-embedded-resource is true"),
    );
  else if (type === "" && !intOrString && !preserves)
    errors.push(required(`${field}.type`, EMPTY_TYPE[level]));
  if (embedded && isSet(schema, "additionalProperties"))
    errors.push(
      forbidden(`${field}.additionalProperties`, "must not be used if x-kubernetes-embedded-resource is set"),
    );
  if (level === "root" && type !== "" && type !== "object")
    errors.push(invalid(`${field}.type`, type, "must be object at the root"));
  for (const [name, each] of properties) {
    const at = `${field}.properties[${name}]`;
    if ((name === "kind" || name === "apiVersion") && meta && textAt(each, "type") !== "string")
      errors.push(invalid(`${at}.type`, textAt(each, "type"), "must be string"));
    if (name !== "metadata") continue;
    if (meta && textAt(each, "type") !== "object")
      errors.push(invalid(`${at}.type`, textAt(each, "type"), "must be object"));
    if (level === "root" && !isPlainMetadata(each))
      errors.push(
        forbidden(
          at,
          "must not specify anything other than name and generateName, but metadata is implicitly specified",
        ),
      );
  }
  if (embedded && !preserves && properties.length === 0)
    errors.push(
      required(
        `${field}.properties`,
        "must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields",
      ),
    );
  return errors;
}

/** The root may restrict the name of an object, nothing else of its metadata. */
function isPlainMetadata(schema: JsonObject): boolean {
  const { type: _t, default: _d, properties, ...rest } = schema;
  const names = isObject(properties) ? Object.keys(properties) : [];
  return (
    names.every((name) => name === "name" || name === "generateName") &&
    Object.keys(withoutEmpty(rest)).length === 0
  );
}

/** True for the one way in which a junctor may name types. */
const isIntOrString = (list: Json | undefined): boolean =>
  isList(list) &&
  equalJson(
    list.map((each) => (isObject(each) ? withoutEmpty(each) : each)),
    [{ type: "integer" }, { type: "string" }],
  );

const isEmpty = (value: Json | undefined): boolean =>
  value === undefined ||
  value === null ||
  value === false ||
  value === "" ||
  (isList(value) && value.length === 0);
/** Members whose empty list the server tells apart from none. */
const KEPT_EMPTY = new Set(["required", "x-kubernetes-list-map-keys", "x-kubernetes-validations"]);
const withoutEmpty = (schema: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(schema).filter(
      ([key, value]) => !isEmpty(value) || (isList(value) && KEPT_EMPTY.has(key)),
    ),
  );

function valueErrors(
  schema: JsonObject,
  field: string,
  skipAnyOf: boolean,
  skipFirstAllOf: boolean,
): ServerError[] {
  const errors: ServerError[] = [];
  if (!skipAnyOf)
    nodesAt(schema, "anyOf").forEach(
      (each, i) => void errors.push(...nestedErrors(each, `${field}.anyOf[${i}]`, false)),
    );
  nodesAt(schema, "allOf").forEach(
    (each, i) => void errors.push(...nestedErrors(each, `${field}.allOf[${i}]`, skipFirstAllOf && i === 0)),
  );
  nodesAt(schema, "oneOf").forEach(
    (each, i) => void errors.push(...nestedErrors(each, `${field}.oneOf[${i}]`, false)),
  );
  const not = nodeAt(schema, "not");
  if (not !== undefined) errors.push(...nestedErrors(not, `${field}.not`, false));
  const pattern = textAt(schema, "pattern");
  if (pattern !== "" && compileGoPattern(pattern) === undefined)
    errors.push({
      ...invalid(`${field}.pattern`, pattern, "must be a valid regular expression, but isn't"),
      exact: false,
    });
  return errors;
}

/** What may not stand in a schema that only restricts a value, and what the server says. */
const FORBIDDEN_NESTED: readonly (readonly [string, string])[] = [
  ["type", "must be empty to be structural"],
  ["additionalProperties", "must be undefined to be structural"],
  ["default", "must be undefined to be structural"],
  ["title", "must be empty to be structural"],
  ["description", "must be empty to be structural"],
  ["nullable", "must be false to be structural"],
  ["x-kubernetes-preserve-unknown-fields", "must be false to be structural"],
  ["x-kubernetes-embedded-resource", "must be false to be structural"],
  ["x-kubernetes-int-or-string", "must be false to be structural"],
  ["x-kubernetes-list-map-keys", "must be empty to be structural"],
  ["x-kubernetes-list-type", "must be undefined to be structural"],
  ["x-kubernetes-map-type", "must be undefined to be structural"],
  ["x-kubernetes-validations", "must be empty to be structural"],
];

function nestedErrors(schema: JsonObject, field: string, skipAnyOf: boolean): ServerError[] {
  const errors = valueErrors(schema, field, skipAnyOf, false);
  const items = nodeAt(schema, "items");
  if (items !== undefined) errors.push(...nestedErrors(items, `${field}.items`, false));
  for (const [name, each] of childrenOf(schema, "properties")) {
    errors.push(...nestedErrors(each, `${field}.properties[${name}]`, false));
    if (name === "metadata")
      errors.push(forbidden(`${field}.properties[${name}]`, "must not be specified in a nested context"));
  }
  for (const [member, text] of FORBIDDEN_NESTED) {
    if (!isEmpty(schema[member])) errors.push(forbidden(`${field}.${member}`, text));
  }
  return errors;
}

/** Restrictions of members have to stand beside a schema of the member: here for `schema` as a junctor's whole. */
function completeness(
  schema: JsonObject,
  structural: JsonObject | undefined,
  own: string,
  at: string,
): ServerError[] {
  if (structural === undefined) return [required(own, `because it is defined in ${at}`)];
  const not = nodeAt(schema, "not");
  return [
    ...(not === undefined ? [] : nestedCompleteness(not, structural, own, `${at}.not`)),
    ...["allOf", "anyOf", "oneOf"].flatMap((key) =>
      nodesAt(schema, key).flatMap((each, i) =>
        nestedCompleteness(each, structural, own, `${at}.${key}[${i}]`),
      ),
    ),
  ];
}

function nestedCompleteness(
  schema: JsonObject,
  structural: JsonObject | undefined,
  own: string,
  at: string,
): ServerError[] {
  if (structural === undefined) return [required(own, `because it is defined in ${at}`)];
  const items = nodeAt(schema, "items");
  const known = nodeAt(structural, "properties");
  return [
    ...completeness(schema, structural, own, at),
    ...(items === undefined
      ? []
      : nestedCompleteness(items, nodeAt(structural, "items"), `${own}.items`, `${at}.items`)),
    ...childrenOf(schema, "properties").flatMap(([name, each]) => {
      const outside = known === undefined ? undefined : nodeAt(known, name);
      return nestedCompleteness(each, outside, `${own}.properties[${name}]`, `${at}.properties[${name}]`);
    }),
  ];
}

// ---- Defaults ----

const UNKNOWN_FIELDS = "must not have unknown fields";

/** A default at the root is that of a whole object, whatever the schema says. */
const rootDefaultErrors = (schema: JsonObject, field: string, pruned: boolean): ServerError[] =>
  defaultErrors({ ...schema, "x-kubernetes-embedded-resource": true }, field, pruned);

function defaultErrors(schema: JsonObject, field: string, pruned: boolean): ServerError[] {
  const errors: ServerError[] = [];
  const fallback = schema["default"];
  if (fallback !== undefined && fallback !== null) {
    const node = readSchema(schema);
    const at = `${field}.default`;
    if (
      pruned &&
      prepare(
        { value: fallback },
        readSchema({ type: "object", properties: { value: withoutDefaults(schema) } }),
      ).unknown.length > 0
    )
      errors.push(invalid(at, fallback, UNKNOWN_FIELDS));
    const embedded = embeddedErrors(fallback, node, at);
    errors.push(...embedded);
    if (embedded.length === 0)
      for (const fault of checkValue(fallback, node, at, "default"))
        if (fault.unchecked !== true)
          errors.push({ field: fault.field, kind: fault.kind, message: fault.message, exact: false });
  }
  const items = nodeAt(schema, "items");
  if (items !== undefined) errors.push(...defaultErrors(items, `${field}.items`, pruned));
  for (const [name, each] of childrenOf(schema, "properties"))
    errors.push(...defaultErrors(each, `${field}.properties[${name}]`, pruned));
  return errors;
}

const withoutDefaults = ({ default: _, ...schema }: JsonObject): JsonObject => schema;
