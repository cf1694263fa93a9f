/**
 * What an API server holds every node of the schema of a CustomResourceDefinition to (apiextensions-apiserver 0.37.2:
 * `validation.ValidateCustomResourceDefinitionOpenAPISchema`).
 */
import { isList, isObject, type JsonObject } from "../core/json.js";
import {
  forbidden,
  invalid,
  invalidStructure,
  notSupported,
  required,
  type ServerError,
} from "../kubernetes/server-error.js";
import { followFieldPath } from "./field-path.js";
import {
  childrenOf,
  everyNode,
  isSet,
  isTrue,
  JUNCTORS,
  nodeAt,
  nodesAt,
  textAt,
  unstructured,
} from "./schema-nodes.js";

/** Rules that an update does not tighten where the stored definition breaks them already. */
export interface SchemaRules {
  readonly structural: boolean;
  readonly types: boolean;
  readonly prunedDefaults: boolean;
  readonly atomicSets: boolean;
  readonly mapKeys: boolean;
  /** What is wrong with validation rules, given the other errors; left out, they are not compiled. */
  readonly compiled?: RuleErrors | undefined;
}
type RuleErrors = (
  schema: JsonObject,
  field: string,
  others: readonly ServerError[],
) => readonly ServerError[];
export const ALL_SCHEMA_RULES: SchemaRules = {
  structural: true,
  types: true,
  prunedDefaults: true,
  atomicSets: true,
  mapKeys: true,
};

const TYPES = ["array", "boolean", "integer", "number", "object", "string"] as const;

interface NodeContext {
  readonly isRoot: boolean;
  readonly inMeta: boolean;
  /** Why no default may stand here. */
  readonly noDefaults: string | undefined;
}

/** What the server says of the node at `field` and of those below it. */
export function nodeErrors(
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
