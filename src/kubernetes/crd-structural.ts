/**
 * What an API server says of the schema of a CustomResourceDefinition (apiextensions-apiserver 0.37.2:
 * `schema.ValidateStructural`, `defaulting.ValidateDefaults`, `validation.ValidateCustomResourceDefinitionOpenAPISchema`).
 * Validation rules are compiled by the API server alone; here they are only placed and counted.
 */
import { equalJson, isList, isObject, type Json, type JsonObject } from "../core/json.js";
import { compileGoPattern } from "../text/go-regexp.js";
import { checkValue } from "./crd-check.js";
import { prepare } from "./crd-defaults.js";
import { followFieldPath } from "./crd-field-path.js";
import { readSchema } from "./crd-read.js";
import {
  forbidden,
  invalid,
  invalidStructure,
  notSupported,
  required,
  type ServerError,
} from "./server-error.js";

/** Rules that an update does not tighten where the stored definition breaks them already. */
export interface SchemaRules {
  readonly structural: boolean;
  readonly types: boolean;
  readonly prunedDefaults: boolean;
  readonly atomicSets: boolean;
  readonly mapKeys: boolean;
}
export const ALL_SCHEMA_RULES: SchemaRules = {
  structural: true,
  types: true,
  prunedDefaults: true,
  atomicSets: true,
  mapKeys: true,
};

const textAt = (schema: JsonObject, key: string): string => {
  const value = schema[key];
  return typeof value === "string" ? value : "";
};
const childrenOf = (schema: JsonObject, key: string): [string, JsonObject][] => {
  const value = schema[key];
  return isObject(value)
    ? Object.entries(value).flatMap(([name, each]): [string, JsonObject][] =>
        isObject(each) ? [[name, each]] : [],
      )
    : [];
};
const nodesAt = (schema: JsonObject, key: string): JsonObject[] => {
  const value = schema[key];
  return isList(value) ? value.filter(isObject) : [];
};
const nodeAt = (schema: JsonObject, key: string): JsonObject | undefined => {
  const value = schema[key];
  return isObject(value) ? value : undefined;
};
const isTrue = (schema: JsonObject, key: string): boolean => schema[key] === true;
const isSet = (schema: JsonObject, key: string): boolean => schema[key] !== undefined && schema[key] !== null;
const given = (node: JsonObject | undefined): JsonObject[] => (node === undefined ? [] : [node]);
const JUNCTORS = ["allOf", "oneOf", "anyOf"] as const;

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
  if (rules.structural && unreadable === undefined) {
    const structural = structuralErrors(schema, field);
    errors.push(...(structural.length > 0 ? structural : defaultErrors(schema, field, rules.prunedDefaults)));
  }
  errors.push(...nodeErrors(schema, field, rules, { isRoot: true, inMeta: false, noDefaults: undefined }));
  if (errors.length === 0 && unreadable !== undefined) errors.push(invalid(field, "", unreadable));
  return errors;
}

/** True where the schema breaks the rules of structural schemas. */
export const isStructural = (schema: JsonObject): boolean =>
  unstructured(schema) === undefined && structuralErrors(schema, "").length === 0;

export const hasUnprunedDefaults = (schema: JsonObject): boolean =>
  isStructural(schema) &&
  defaultErrors(schema, "", true).some(({ message }) => message.endsWith(UNKNOWN_FIELDS));

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

/** Why the server cannot even read the schema as a structural one. */
function unstructured(schema: JsonObject): string | undefined {
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
    names.every((name) => name === "name" || name === "generateName") && Object.values(rest).every(isEmpty)
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
    for (const fault of checkValue(fallback, node, at))
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

// ---- What every node is held to ----

const TYPES = ["array", "boolean", "integer", "number", "object", "string"] as const;

interface NodeContext {
  readonly isRoot: boolean;
  readonly inMeta: boolean;
  /** Why no default may stand here. */
  readonly noDefaults: string | undefined;
}

function nodeErrors(
  schema: JsonObject,
  field: string,
  rules: SchemaRules,
  context: NodeContext,
): ServerError[] {
  const errors = standardErrors(schema, field, rules, context);
  const inside: NodeContext = { ...context, isRoot: false };
  const visit = (each: JsonObject | undefined, at: string, own = inside): void => {
    if (each !== undefined) errors.push(...nodeErrors(each, `${field}.${at}`, rules, own));
  };
  if (isTrue(schema, "uniqueItems"))
    errors.push(
      forbidden(
        `${field}.uniqueItems`,
        "uniqueItems cannot be set to true since the runtime complexity becomes quadratic",
      ),
    );
  const properties = childrenOf(schema, "properties");
  const additional = schema["additionalProperties"];
  if (isSet(schema, "additionalProperties")) {
    if (properties.length > 0 && additional !== true)
      errors.push(
        forbidden(
          `${field}.additionalProperties`,
          "additionalProperties and properties are mutual exclusive",
        ),
      );
    visit(
      nodeAt(schema, "additionalProperties"),
      "additionalProperties",
      context.inMeta
        ? { ...inside, noDefaults: "inside additionalProperties applying to object metadata" }
        : inside,
    );
  }
  for (const [name, each] of properties) {
    const isMeta = META.has(name) && (context.isRoot || isTrue(schema, "x-kubernetes-embedded-resource"));
    visit(each, `properties[${name}]`, {
      isRoot: false,
      inMeta: context.inMeta || isMeta,
      noDefaults: isMeta && context.isRoot ? `in top-level ${name}` : context.noDefaults,
    });
  }
  visit(nodeAt(schema, "not"), "not");
  for (const key of JUNCTORS) nodesAt(schema, key).forEach((each, i) => void visit(each, `${key}[${i}]`));
  for (const key of ["definitions", "dependencies"])
    for (const [name, each] of childrenOf(schema, key)) visit(each, `${key}[${name}]`);
  visit(nodeAt(schema, "items"), "items");
  nodesAt(schema, "items").forEach((each, i) => void visit(each, `items[${i}]`));
  if (schema["x-kubernetes-preserve-unknown-fields"] === false)
    errors.push(invalid(`${field}.x-kubernetes-preserve-unknown-fields`, false, "must be true or undefined"));
  errors.push(...listErrors(schema, field, rules), ...ruleErrors(schema, field));
  return errors;
}

const META = new Set(["metadata", "kind", "apiVersion"]);

function standardErrors(
  schema: JsonObject,
  field: string,
  rules: SchemaRules,
  { inMeta, noDefaults }: NodeContext,
): ServerError[] {
  const type = textAt(schema, "type");
  const not = (member: string): ServerError => forbidden(`${field}.${member}`, `${member} is not supported`);
  return [
    ...(rules.types && type !== "" && !TYPES.some((each) => each === type)
      ? [notSupported(`${field}.type`, type, TYPES)]
      : []),
    ...(isSet(schema, "default") && noDefaults !== undefined
      ? [forbidden(`${field}.default`, `must not be set ${noDefaults}`)]
      : []),
    ...(textAt(schema, "id") === "" ? [] : [not("id")]),
    ...(isSet(schema, "additionalItems") ? [not("additionalItems")] : []),
    ...(Object.keys(nodeAt(schema, "patternProperties") ?? {}).length > 0 ? [not("patternProperties")] : []),
    ...(Object.keys(nodeAt(schema, "definitions") ?? {}).length > 0 ? [not("definitions")] : []),
    ...(isObject(schema["dependencies"]) ? [not("dependencies")] : []),
    ...(typeof schema["$ref"] === "string" ? [not("$ref")] : []),
    ...(type === "null"
      ? [forbidden(`${field}.type`, "type cannot be set to null, use nullable as an alternative")]
      : []),
    ...(nodesAt(schema, "items").length > 0
      ? [forbidden(`${field}.items`, "items must be a schema object and not an array")]
      : []),
    ...(inMeta && isTrue(schema, "x-kubernetes-embedded-resource")
      ? [forbidden(`${field}.x-kubernetes-embedded-resource`, "must not be used inside of resource meta")]
      : []),
  ];
}

function listErrors(schema: JsonObject, field: string, rules: SchemaRules): ServerError[] {
  const errors: ServerError[] = [];
  const type = textAt(schema, "type");
  const needs = (wanted: string, member: string): ServerError =>
    type === ""
      ? required(`${field}.type`, `must be ${wanted} if ${member} is specified`)
      : invalid(`${field}.type`, type, `must be ${wanted} if ${member} is specified`);
  const mapType = schema["x-kubernetes-map-type"];
  const listType = schema["x-kubernetes-list-type"];
  const items = nodeAt(schema, "items");
  if (typeof mapType === "string") {
    if (type !== "object") errors.push(needs("object", "x-kubernetes-map-type"));
    if (mapType !== "atomic" && mapType !== "granular")
      errors.push(notSupported(`${field}.x-kubernetes-map-type`, mapType, ["atomic", "granular"]));
  }
  if (typeof listType === "string" && type !== "array") errors.push(needs("array", "x-kubernetes-list-type"));
  else if (rules.atomicSets && listType === "set" && items !== undefined && !isAtomic(items)) {
    const member = textAt(items, "type") === "array" ? "x-kubernetes-list-type" : "x-kubernetes-map-type";
    const value = items["x-kubernetes-list-type"] ?? null;
    errors.push(
      invalid(
        `${field}.items.${member}`,
        value,
        "must be atomic as item of a list with x-kubernetes-list-type=set",
      ),
    );
  }
  if (typeof listType === "string" && !["atomic", "set", "map"].includes(listType))
    errors.push(notSupported(`${field}.x-kubernetes-list-type`, listType, ["atomic", "set", "map"]));
  const keys = isList(schema["x-kubernetes-list-map-keys"]) ? schema["x-kubernetes-list-map-keys"] : [];
  const texts = keys.flatMap((key) => (typeof key === "string" ? [key] : []));
  if (keys.length > 0 && listType !== "map") {
    const detail = "must be map if x-kubernetes-list-map-keys is non-empty";
    const at = `${field}.x-kubernetes-list-type`;
    errors.push(typeof listType === "string" ? invalid(at, listType, detail) : required(at, detail));
  }
  if (listType === "map") errors.push(...listMapErrors(schema, items, texts, field));
  if (rules.mapKeys) errors.push(...mapKeyErrors(schema, field));
  return errors;
}

/** False for items that server-side apply would merge, in a list that is a set. */
function isAtomic(items: JsonObject): boolean {
  const type = textAt(items, "type");
  const listType = items["x-kubernetes-list-type"];
  if (type === "array") return typeof listType !== "string" || listType === "atomic";
  return type !== "object" || items["x-kubernetes-map-type"] === "atomic";
}

export const hasNonAtomicSet = (schema: JsonObject): boolean =>
  [...everyNode(schema)].some((node) => {
    const items = nodeAt(node, "items");
    return node["x-kubernetes-list-type"] === "set" && items !== undefined && !isAtomic(items);
  });

export const hasFaultyMapKeys = (schema: JsonObject): boolean =>
  [...everyNode(schema)].some((node) => mapKeyErrors(node, "").length > 0);

export const hasUnknownType = (schema: JsonObject): boolean =>
  [...everyNode(schema)].some((node) => {
    const type = textAt(node, "type");
    return type !== "" && !TYPES.some((each) => each === type);
  });

function listMapErrors(
  schema: JsonObject,
  items: JsonObject | undefined,
  keys: readonly string[],
  field: string,
): ServerError[] {
  const errors: ServerError[] = [];
  if (keys.length === 0)
    errors.push(
      required(`${field}.x-kubernetes-list-map-keys`, "must not be empty if x-kubernetes-list-type is map"),
    );
  if (!isSet(schema, "items"))
    errors.push(required(`${field}.items`, "must have a schema if x-kubernetes-list-type is map"));
  else if (items === undefined)
    errors.push(
      invalidStructure(`${field}.items`, "must only have a single schema if x-kubernetes-list-type is map"),
    );
  if (items === undefined) return errors;
  if (textAt(items, "type") !== "object")
    return [
      ...errors,
      invalid(
        `${field}.items.type`,
        textAt(items, "type"),
        "must be object if parent array's x-kubernetes-list-type is map",
      ),
    ];
  const properties = nodeAt(items, "properties") ?? {};
  const seen = new Set<string>();
  for (const key of keys) {
    const own = nodeAt(properties, key);
    if (own === undefined)
      errors.push(
        invalid(
          `${field}.x-kubernetes-list-map-keys`,
          [...keys],
          "entries must all be names of item properties",
        ),
      );
    else if (["array", "object"].includes(textAt(own, "type")))
      errors.push(
        invalid(
          `${field}.items.properties[${key}].type`,
          "object",
          "must be a scalar type if parent array's x-kubernetes-list-type is map",
        ),
      );
    if (seen.has(key))
      errors.push(
        invalid(`${field}.x-kubernetes-list-map-keys`, [...keys], "must not contain duplicate entries"),
      );
    seen.add(key);
  }
  return errors;
}

function mapKeyErrors(schema: JsonObject, field: string): ServerError[] {
  const listType = schema["x-kubernetes-list-type"];
  const items = nodeAt(schema, "items");
  if (items === undefined || (listType !== "set" && listType !== "map")) return [];
  const errors: ServerError[] = isTrue(items, "nullable")
    ? [forbidden(`${field}.items.nullable`, `cannot be nullable when x-kubernetes-list-type is ${listType}`)]
    : [];
  if (listType === "set") return errors;
  const keys = isList(schema["x-kubernetes-list-map-keys"]) ? schema["x-kubernetes-list-map-keys"] : [];
  const needed = isList(items["required"]) ? items["required"] : [];
  for (const key of keys) {
    const own = typeof key === "string" ? nodeAt(nodeAt(items, "properties") ?? {}, key) : undefined;
    if (own === undefined) continue;
    const at = `${field}.items.properties[${String(key)}]`;
    if (!needed.includes(key) && !isSet(own, "default"))
      errors.push(
        required(
          `${at}.default`,
          "this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property",
        ),
      );
    if (isTrue(own, "nullable"))
      errors.push(
        forbidden(
          `${at}.nullable`,
          "this property is in x-kubernetes-list-map-keys, so it cannot be nullable",
        ),
      );
  }
  return errors;
}

const REASONS = [
  "FieldValueDuplicate",
  "FieldValueForbidden",
  "FieldValueInvalid",
  "FieldValueRequired",
] as const;
const hasNewlines = (text: string): boolean => /[\n\r]/.test(text);

/** What can be said of validation rules without compiling them. */
function ruleErrors(schema: JsonObject, field: string): ServerError[] {
  return nodesAt(schema, "x-kubernetes-validations").flatMap((rule, i): ServerError[] => {
    const at = `${field}.x-kubernetes-validations[${i}]`;
    const [text, message, expression, path] = ["rule", "message", "messageExpression", "fieldPath"].map(
      (key) => textAt(rule, key),
    );
    const errors: ServerError[] = [];
    if (text === undefined || message === undefined || expression === undefined || path === undefined)
      return errors;
    if (text.trim() === "") errors.push(required(`${at}.rule`, "rule is not specified"));
    else if (message !== "" && message.trim() === "")
      errors.push(invalid(`${at}.message`, message, "must be non-empty if specified"));
    else if (hasNewlines(message.trim()))
      errors.push(invalid(`${at}.message`, message, "must not contain line breaks"));
    else if (hasNewlines(text.trim()) && message.trim() === "")
      errors.push(required(`${at}.message`, "message must be specified if rule contains line breaks"));
    if (expression !== "" && expression.trim() === "")
      errors.push(required(`${at}.messageExpression`, "messageExpression must be non-empty if specified"));
    const reason = rule["reason"];
    if (typeof reason === "string" && !REASONS.some((each) => each === reason))
      errors.push(notSupported(`${at}.reason`, reason, REASONS));
    if (path === "") return errors;
    if (path.trim() === "") errors.push(invalid(`${at}.fieldPath`, path, "must be non-empty if specified"));
    if (hasNewlines(path)) errors.push(invalid(`${at}.fieldPath`, path, "must not contain line breaks"));
    if (unstructured(schema) === undefined && "fault" in followFieldPath(path, schema, true))
      errors.push(invalid(`${at}.fieldPath`, path, "must be a valid path"));
    return errors;
  });
}
