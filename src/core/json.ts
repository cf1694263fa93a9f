/** Plain JSON values, as they are rendered and written. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json;
}

export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const isList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value);

/** The text under a key; empty where there is none, or something else. Unlike `String(…)`, never an exception. */
export function textAt(object: JsonObject, key: string): string {
  const value = object[key];
  return typeof value === "string" ? value : "";
}

/** As deep as a document may be nested; what walks a value can rely on it. */
export const DEPTH_LIMIT = 1000;

/**
 * True for what JSON can hold: no undefined, function, date, bigint or instance of a class. False for what is nested
 * deeper than `DEPTH_LIMIT`, which `JSON.parse` takes.
 */
export const isJson = (value: unknown): value is Json => isJsonWithin(value, DEPTH_LIMIT);

function isJsonWithin(value: unknown, depth: number): boolean {
  if (value === null || typeof value === "string" || typeof value === "boolean" || typeof value === "number")
    return true;
  if (typeof value !== "object" || depth === 0) return false;
  if (Array.isArray(value)) return value.every((each) => isJsonWithin(each, depth - 1));
  const prototype: unknown = Object.getPrototypeOf(value);
  return (
    (prototype === Object.prototype || prototype === null) &&
    Object.values(value).every((each) => isJsonWithin(each, depth - 1))
  );
}

/** The same value with the keys of every object in code-unit order. */
export function sortKeys(value: Json): Json {
  if (isList(value)) return value.map(sortKeys);
  if (!isObject(value)) return value;
  const keys = Object.keys(value).sort();
  return Object.fromEntries(keys.map((key) => [key, sortKeys(value[key] ?? null)]));
}

/** Structural equality; the order of keys does not count. */
export function equalJson(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true;
  if (isList(a) && isList(b)) return a.length === b.length && a.every((each, i) => equalJson(each, b[i]));
  if (!isObject(a) || !isObject(b)) return false;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && equalJson(a[key], b[key]))
  );
}

/** The value with the object at the path changed; the value itself where there is none. */
export function inside(
  value: Json,
  path: readonly string[],
  change: (found: JsonObject) => JsonObject,
): Json {
  const [step, ...rest] = path;
  if (!isObject(value)) return value;
  if (step === undefined) return change(value);
  const member = value[step];
  return member === undefined ? value : { ...value, [step]: inside(member, rest, change) };
}
