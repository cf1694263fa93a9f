/** Holds a value against a schema as the API server does (kube-openapi `validate`, apiextensions `listtype`). */
import type { ErrorKind } from "../core/diagnostics.js";
import { equalJson, isList, isObject, type Json, type JsonObject, sortKeys } from "../core/json.js";
import type { Found } from "../core/problem.js";
import { compileGoPattern, type GoPattern } from "../text/go-regexp.js";
import { fitsFormat, isKnownFormat } from "./formats.js";
import type { Bound, SchemaNode } from "./read.js";

export interface SchemaFault extends Pick<Found, "field" | "kind" | "message"> {
  /** What keeps the API server from looking at the validation rules. */
  readonly blocking: boolean;
  /** Set where the schema itself could not be applied: nothing is known to be wrong with the value. */
  readonly unchecked?: boolean;
}

/**
 * What a value is held against a schema for. In the schema of an `object` formats count that go with their type; a
 * `default` is held against the schema as it is written, where any format does, and x-kubernetes-int-or-string none.
 */
export type Purpose = "object" | "default";

export function checkValue(
  value: Json,
  schema: SchemaNode,
  field: string,
  purpose: Purpose = "object",
): SchemaFault[] {
  const faults: SchemaFault[] = [];
  visit(value, schema, field, { purpose, refuse: (fault) => void faults.push(fault) });
  return faults;
}

interface Walk {
  readonly purpose: Purpose;
  readonly refuse: (fault: SchemaFault) => void;
}

const BLOCKING: readonly ErrorKind[] = ["NotSupported", "Required", "TooLong", "TooMany"];
const fault = (field: string, kind: ErrorKind, message: string): SchemaFault => ({
  field,
  kind,
  message,
  blocking: BLOCKING.includes(kind),
});

const join = (field: string, name: string): string => (field === "" ? name : `${field}.${name}`);

/** Beyond it the server has no integers. */
const LARGEST = 2 ** 63;

function typeOf(value: Json): string {
  if (value === null) return "null";
  if (isList(value)) return "array";
  return typeof value === "number" && Number.isInteger(value) && Math.abs(value) < LARGEST
    ? "integer"
    : typeof value;
}

/** The format that the server looks at. */
const formatOf = ({ format, type, intOrString }: SchemaNode, purpose: Purpose): string =>
  format !== undefined && (purpose === "default" || isKnownFormat(format, intOrString ? undefined : type))
    ? format
    : "";

/** In a schema with a format the server leaves texts and lists to the format, unless it is one of numbers. */
function fitsType(value: Json, schema: SchemaNode, purpose: Purpose): boolean {
  const types = typesOf(schema, purpose);
  const actual = typeOf(value);
  if (actual === "null") return types.length === 0;
  const fits = types.includes(actual) || (actual === "integer" && types.includes("number"));
  if (formatOf(schema, purpose) === "") return fits || types.length === 0;
  const isNumeric = types.includes("number") || types.includes("integer");
  return fits || (!isNumeric && (actual === "string" || actual === "array"));
}

function typesOf({ type, intOrString }: SchemaNode, purpose: Purpose): readonly string[] {
  if (intOrString && purpose === "object") return ["integer", "string"];
  return type === undefined ? [] : [type];
}

function visit(value: Json, schema: SchemaNode, field: string, walk: Walk): void {
  if (value === null && schema.nullable) return;
  if (!fitsType(value, schema, walk.purpose)) {
    const wanted = typesOf(schema, walk.purpose).join(" or ") || `of the format ${schema.format}`;
    const message = `must be ${wanted}, not ${typeOf(value)}`;
    walk.refuse({ ...fault(field, "Invalid", message), blocking: true });
  }
  if (schema.enum !== undefined && !schema.enum.some((each) => equalJson(each, value))) {
    const known = schema.enum.map((each) => JSON.stringify(each)).join(", ");
    walk.refuse(fault(field, "NotSupported", `must be one of ${known}`));
  }
  if (value === null) return;
  if (typeof value === "string") visitText(value, schema, field, walk);
  else if (typeof value === "number") visitNumber(value, schema, field, walk);
  else if (isList(value)) visitList(value, schema, field, walk);
  else if (isObject(value)) visitObject(value, schema, field, walk);
  visitJunctors(value, schema, field, walk);
}

/** Calls back when a size lies outside its bounds. */
function holdBounds(
  measure: () => number,
  { bounds }: SchemaNode,
  [least, most]: readonly [Bound, Bound],
  unit: string,
  refuse: (message: string, tooMuch: boolean) => void,
): void {
  const [minimum, maximum] = [bounds.get(least), bounds.get(most)];
  if (minimum === undefined && maximum === undefined) return;
  const size = measure();
  if (minimum !== undefined && size < minimum) refuse(`must have at least ${minimum} ${unit}`, false);
  if (maximum !== undefined && size > maximum)
    refuse(`must have at most ${maximum} ${unit}, has ${size}`, true);
}

const patterns = new Map<string, GoPattern | undefined>();

function compile(pattern: string): GoPattern | undefined {
  if (!patterns.has(pattern)) patterns.set(pattern, compileGoPattern(pattern));
  return patterns.get(pattern);
}

/** The first fault only, as the API server has it: length, then pattern; the format is looked at on its own. */
function visitText(value: string, schema: SchemaNode, field: string, walk: Walk): void {
  const { pattern } = schema;
  const format = formatOf(schema, walk.purpose);
  let fits = true;
  const characters = (): number => [...value].length;
  holdBounds(characters, schema, ["minLength", "maxLength"], "characters", (message, tooMuch) => {
    fits = false;
    walk.refuse(fault(field, tooMuch ? "TooLong" : "Invalid", message));
  });
  if (fits && pattern !== undefined) {
    const compiled = compile(pattern);
    if (compiled === undefined)
      walk.refuse({
        ...fault(field, "Invalid", `pattern ${pattern} cannot be checked`),
        unchecked: true,
      });
    else if (!compiled.test(value)) walk.refuse(fault(field, "Invalid", `must match ${pattern}`));
  }
  if (!fitsFormat(format, value))
    walk.refuse({ ...fault(field, "Invalid", `must have the format ${format}`), blocking: true });
}

function visitNumber(value: number, schema: SchemaNode, field: string, walk: Walk): void {
  const { bounds, exclusiveMinimum, exclusiveMaximum } = schema;
  const [least, most, step] = [bounds.get("minimum"), bounds.get("maximum"), bounds.get("multipleOf")];
  if (least !== undefined && (value < least || (exclusiveMinimum && value === least)))
    walk.refuse(fault(field, "Invalid", `must be ${exclusiveMinimum ? "more than" : "at least"} ${least}`));
  if (most !== undefined && (value > most || (exclusiveMaximum && value === most)))
    walk.refuse(fault(field, "Invalid", `must be ${exclusiveMaximum ? "less than" : "at most"} ${most}`));
  if (step !== undefined && !Number.isInteger(value / step))
    walk.refuse(fault(field, "Invalid", `must be a multiple of ${step}`));
}

function visitList(value: readonly Json[], schema: SchemaNode, field: string, walk: Walk): void {
  holdBounds(
    () => value.length,
    schema,
    ["minItems", "maxItems"],
    "items",
    (message, tooMuch) => walk.refuse(fault(field, tooMuch ? "TooMany" : "Invalid", message)),
  );
  const { items } = schema;
  if (items !== undefined)
    value.forEach((each, i) => {
      visit(each, items, `${field}[${i}]`, walk);
    });
  if (schema.listType === "set") reportRepeated(value, field, walk);
  if (schema.listType === "map") {
    const keyOf = (entry: JsonObject): Json =>
      schema.listKeys.map((key) => entry[key] ?? items?.properties.get(key)?.defaultValue ?? null);
    reportRepeated(
      value.map((each) => (isObject(each) ? keyOf(each) : undefined)),
      field,
      walk,
    );
  }
}

/** Reports every entry whose key stands before it already; entries without a key are passed over. */
function reportRepeated(keys: readonly (Json | undefined)[], field: string, walk: Walk): void {
  const seen = new Map<string, number>();
  keys.forEach((key, i) => {
    if (key === undefined) return;
    const text = JSON.stringify(sortKeys(key));
    const first = seen.get(text);
    if (first === undefined) seen.set(text, i);
    else walk.refuse(fault(`${field}[${i}]`, "Duplicate", `duplicate of ${field}[${first}]`));
  });
}

function visitObject(value: JsonObject, schema: SchemaNode, field: string, walk: Walk): void {
  const entries = Object.entries(value);
  holdBounds(
    () => entries.length,
    schema,
    ["minProperties", "maxProperties"],
    "members",
    (message, tooMuch) => walk.refuse(fault(field, tooMuch ? "TooMany" : "Invalid", message)),
  );
  for (const [name, each] of entries) {
    const own = schema.properties.get(name);
    if (own !== undefined) visit(each, own, join(field, name), walk);
    else if (typeof schema.additional === "object") visit(each, schema.additional, join(field, name), walk);
  }
  for (const name of schema.required)
    if (!Object.hasOwn(value, name))
      walk.refuse(fault(join(field, name), "Required", "required value is missing"));
}

function visitJunctors(value: Json, schema: SchemaNode, field: string, walk: Walk): void {
  const holds = (each: SchemaNode): boolean =>
    checkValue(value, each, field, walk.purpose).every((one) => one.unchecked);
  const { allOf, anyOf, oneOf, not } = schema;
  for (const each of allOf) visit(value, each, field, walk);
  if (anyOf.length > 0 && !anyOf.some(holds))
    walk.refuse(fault(field, "Invalid", `must satisfy at least one of: ${describe(anyOf)}`));
  if (oneOf.length > 0) {
    const valid = oneOf.filter(holds).length;
    if (valid !== 1)
      walk.refuse(
        fault(field, "Invalid", `must satisfy exactly one of: ${describe(oneOf)}; satisfies ${valid}`),
      );
  }
  if (not !== undefined && holds(not))
    walk.refuse(fault(field, "Invalid", `must not be: ${describe([not])}`));
}

/** What an alternative asks for, in a few words. */
const describe = (nodes: readonly SchemaNode[]): string =>
  nodes
    .map(({ type, required, pattern, properties }) => {
      if (required.length > 0) return `has ${required.join(" and ")}`;
      if (type !== undefined) return `is ${type}`;
      if (pattern !== undefined) return `matches ${pattern}`;
      return `fits in ${[...properties.keys()].join(", ") || "its rule"}`;
    })
    .join(" | ");
