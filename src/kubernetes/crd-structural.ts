/**
 * Whether an API server would take a CustomResourceDefinition: names, versions and the structural-schema rules
 * (apiextensions.k8s.io/v1 `ValidateCustomResourceDefinition`, `ValidateStructural`). Validation rules are compiled by
 * the API server alone; here they are only placed and counted.
 */
import { isList, isObject, type Json, type JsonObject } from "../core/json.js";
import { compileGoPattern } from "../text/go-regexp.js";
import { checkValue } from "./crd-check.js";
import { readSchema } from "./crd-read.js";
import { isDnsLabel, isDnsSubdomain } from "./names.js";
import type { Finding } from "./object-rules.js";

type Refuse = (field: string, message: string) => void;

/** Every reason for which the definition would be refused, with the field it is about. */
export function crdFindings(definition: JsonObject): Finding[] {
  const findings: Finding[] = [];
  const refuse: Refuse = (field, message) =>
    void findings.push({ code: "KUB007", kind: "Invalid", field, message });
  const spec = isObject(definition["spec"]) ? definition["spec"] : {};
  const names = isObject(spec["names"]) ? spec["names"] : {};
  checkNames(definition, spec, names, refuse);
  const versions = isList(spec["versions"]) ? spec["versions"].filter(isObject) : [];
  if (versions.length === 0) refuse("spec.versions", "needs at least one version");
  if (versions.filter((version) => version["storage"] === true).length !== 1)
    refuse("spec.versions", "exactly one version is the storage version");
  if (new Set(versions.map((version) => version["name"])).size < versions.length)
    refuse("spec.versions", "a version stands twice");
  versions.forEach((version, i) => {
    const at = `spec.versions[${i}]`;
    const name = version["name"];
    if (typeof name !== "string" || !isDnsLabel(name)) refuse(`${at}.name`, "is not a legal version name");
    const schema = isObject(version["schema"]) ? version["schema"]["openAPIV3Schema"] : undefined;
    const field = `${at}.schema.openAPIV3Schema`;
    if (!isObject(schema)) refuse(field, "every version needs a schema");
    else {
      if (schema["type"] !== "object") refuse(`${field}.type`, "the root is an object");
      if (schema["additionalProperties"] !== undefined)
        refuse(`${field}.additionalProperties`, "is not allowed at the root");
      checkRootMetadata(schema, field, refuse);
      checkNode(schema, field, refuse, true);
    }
  });
  return findings;
}

function checkNames(definition: JsonObject, spec: JsonObject, names: JsonObject, refuse: Refuse): void {
  const { group, scope } = spec;
  if (typeof group !== "string" || !isDnsSubdomain(group) || !group.includes("."))
    refuse("spec.group", "must be a DNS name with at least one dot");
  if (scope !== "Namespaced" && scope !== "Cluster") refuse("spec.scope", "must be Namespaced or Cluster");
  for (const member of ["plural", "singular"] as const) {
    const value = names[member];
    if (typeof value !== "string" || !isDnsLabel(value))
      refuse(`spec.names.${member}`, "must be a DNS label in lower case");
  }
  const { kind, listKind, shortNames, categories } = names;
  for (const [member, value] of Object.entries({ kind, listKind }))
    if (typeof value !== "string" || !isDnsLabel(value.toLowerCase()))
      refuse(`spec.names.${member}`, "must be a word such as Widget");
  if (kind === listKind) refuse("spec.names.listKind", "kind and listKind must differ");
  for (const [member, list] of Object.entries({ shortNames, categories }))
    if (isList(list) && !list.every((each) => typeof each === "string" && isDnsLabel(each)))
      refuse(`spec.names.${member}`, "must be DNS labels in lower case");
  const metadata = isObject(definition["metadata"]) ? definition["metadata"] : {};
  const expected = `${String(names["plural"])}.${String(group)}`;
  if (metadata["name"] !== expected) refuse("metadata.name", `must be ${expected}, plural and group`);
  const annotations = isObject(metadata["annotations"]) ? metadata["annotations"] : {};
  if (typeof group === "string" && /(?:^|\.)(?:k8s|kubernetes)\.io$/.test(group))
    if (typeof annotations["api-approved.kubernetes.io"] !== "string")
      refuse("metadata.annotations", `the group ${group} is protected and needs api-approved.kubernetes.io`);
}

/** The root may restrict the name of an object, nothing else of its metadata. */
function checkRootMetadata(schema: JsonObject, field: string, refuse: Refuse): void {
  const properties = isObject(schema["properties"]) ? schema["properties"] : {};
  const { apiVersion, kind, metadata } = properties;
  for (const [name, value] of Object.entries({ apiVersion, kind }))
    if (isObject(value) && value["type"] !== "string")
      refuse(`${field}.properties[${name}].type`, "must be string");
  if (!isObject(metadata)) return;
  if (metadata["type"] !== "object") refuse(`${field}.properties[metadata].type`, "must be object");
  const inner = isObject(metadata["properties"]) ? Object.keys(metadata["properties"]) : [];
  const others = Object.keys(metadata).filter((key) => !["type", "properties", "description"].includes(key));
  if (inner.some((key) => key !== "name" && key !== "generateName") || others.length > 0)
    refuse(`${field}.properties[metadata]`, "may specify name and generateName only");
}

const TYPES = new Set(["object", "array", "string", "boolean", "integer", "number"]);
const UNSUPPORTED = ["$ref", "definitions", "dependencies", "patternProperties", "additionalItems", "id"];
const JUNCTORS = ["allOf", "anyOf", "oneOf"] as const;

/** A node that says what the value is, as against one inside a junctor, which only restricts it. */
function checkNode(schema: JsonObject, field: string, refuse: Refuse, isRoot = false): void {
  const { type, properties, additionalProperties, items, default: fallback } = schema;
  const loose =
    schema["x-kubernetes-int-or-string"] === true || schema["x-kubernetes-preserve-unknown-fields"] === true;
  if (type === undefined ? !loose : typeof type !== "string" || !TYPES.has(type))
    refuse(`${field}.type`, "must be one of object, array, string, boolean, integer, number");
  for (const member of UNSUPPORTED)
    if (schema[member] !== undefined) refuse(`${field}.${member}`, "is not supported");
  if (schema["uniqueItems"] === true) refuse(`${field}.uniqueItems`, "must not be true");
  if (properties !== undefined && additionalProperties !== undefined)
    refuse(field, "properties and additionalProperties exclude each other");
  if (additionalProperties === false) refuse(`${field}.additionalProperties`, "must not be false");
  if (type === "array" && !isObject(items)) refuse(`${field}.items`, "must be specified");
  checkRestrictions(schema, isRoot ? schema : undefined, field, refuse);
  checkList(schema, field, refuse);
  if (fallback !== undefined && checkValue(fallback, readSchema(schema), "").length > 0)
    refuse(`${field}.default`, "does not fit the schema that it stands in");
  if (isObject(properties))
    for (const [name, each] of Object.entries(properties))
      if (isObject(each) && !(name === "metadata" && isRoot))
        checkNode(each, `${field}.properties[${name}]`, refuse);
  if (isObject(additionalProperties))
    checkNode(additionalProperties, `${field}.additionalProperties`, refuse);
  if (isObject(items)) checkNode(items, `${field}.items`, refuse);
}

/**
 * What holds for value validation wherever it stands. `counterpart` is the node outside of junctors that describes the
 * same value; the API server looks for it only where the junctor stands at the root.
 */
function checkRestrictions(
  schema: JsonObject,
  counterpart: JsonObject | undefined,
  field: string,
  refuse: Refuse,
): void {
  const { pattern, required, not } = schema;
  if (pattern !== undefined && (typeof pattern !== "string" || compileGoPattern(pattern) === undefined))
    refuse(`${field}.pattern`, "is not a regular expression that can be read here");
  if (isList(required) && new Set(required).size < required.length)
    refuse(`${field}.required`, "a name stands twice");
  const rules = schema["x-kubernetes-validations"];
  if (isList(rules))
    rules.forEach((each, i) => {
      const rule = isObject(each) ? each["rule"] : undefined;
      if (typeof rule !== "string" || rule.trim() === "")
        refuse(`${field}.x-kubernetes-validations[${i}].rule`, "must be an expression");
    });
  const intOrString = schema["x-kubernetes-int-or-string"] === true;
  for (const junctor of JUNCTORS) {
    const list = schema[junctor];
    if (!isList(list)) continue;
    list.forEach((each, i) => {
      if (isObject(each) && !(intOrString && junctor !== "oneOf" && namesTypesOnly(each)))
        checkNested(each, counterpart, `${field}.${junctor}[${i}]`, refuse);
    });
  }
  if (isObject(not)) checkNested(not, counterpart, `${field}.not`, refuse);
}

/** `type: integer`, `type: string`, or both under anyOf: what an int-or-string may say in its junctors. */
function namesTypesOnly(schema: JsonObject): boolean {
  const { type, anyOf, ...rest } = schema;
  if (Object.keys(rest).length > 0) return false;
  return isList(anyOf)
    ? anyOf.every((each) => isObject(each) && namesTypesOnly(each))
    : type === "integer" || type === "string";
}

const FORBIDDEN_NESTED = [
  "type",
  "default",
  "title",
  "description",
  "nullable",
  "additionalProperties",
  "x-kubernetes-preserve-unknown-fields",
  "x-kubernetes-embedded-resource",
  "x-kubernetes-int-or-string",
  "x-kubernetes-list-type",
  "x-kubernetes-list-map-keys",
  "x-kubernetes-map-type",
  "x-kubernetes-validations",
];

function checkNested(
  schema: JsonObject,
  counterpart: JsonObject | undefined,
  field: string,
  refuse: Refuse,
): void {
  for (const member of FORBIDDEN_NESTED)
    if (schema[member] !== undefined)
      refuse(`${field}.${member}`, "must stand outside of allOf, anyOf, oneOf and not");
  checkRestrictions(schema, counterpart, field, refuse);
  const inner = (at: string, each: Json | undefined, other: Json | undefined): void => {
    if (!isObject(each)) return;
    if (counterpart !== undefined && !isObject(other)) refuse(at, "must be specified outside as well");
    checkNested(each, isObject(other) ? other : undefined, at, refuse);
  };
  const known = counterpart?.["properties"];
  for (const [name, each] of Object.entries(isObject(schema["properties"]) ? schema["properties"] : {})) {
    const at = `${field}.properties[${name}]`;
    if (name === "metadata") refuse(at, "must not be specified here");
    inner(at, each, isObject(known) ? known[name] : undefined);
  }
  inner(`${field}.items`, schema["items"], counterpart?.["items"]);
}

function checkList(schema: JsonObject, field: string, refuse: Refuse): void {
  const listType = schema["x-kubernetes-list-type"];
  const keys = schema["x-kubernetes-list-map-keys"];
  if (listType !== undefined) {
    if (schema["type"] !== "array") refuse(`${field}.x-kubernetes-list-type`, "is for arrays only");
    if (listType !== "atomic" && listType !== "set" && listType !== "map")
      refuse(`${field}.x-kubernetes-list-type`, "must be atomic, set or map");
  }
  if (listType !== "map") {
    if (keys !== undefined) refuse(`${field}.x-kubernetes-list-map-keys`, "is for the list type map only");
    return;
  }
  if (!isList(keys) || keys.length === 0)
    return void refuse(`${field}.x-kubernetes-list-map-keys`, "a list of type map needs keys");
  const items = isObject(schema["items"]) ? schema["items"] : {};
  const properties = isObject(items["properties"]) ? items["properties"] : {};
  const required = isList(items["required"]) ? items["required"] : [];
  for (const key of keys) {
    const own = typeof key === "string" ? properties[key] : undefined;
    if (!isObject(own)) refuse(`${field}.items.properties`, `the list key ${String(key)} is not specified`);
    else if (own["default"] === undefined && !required.includes(key))
      refuse(`${field}.items.required`, `the list key ${String(key)} must be required or have a default`);
  }
}
