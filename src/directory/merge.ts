/**
 * The three-way merge of values, field by field: what only one side changed wins, what both changed to the same is
 * agreed, and what both changed to different things is a conflict of that field alone. Pure.
 *
 * Lists of the same length on all sides merge item by item; any other list is one value, since nobody can tell which
 * item became which. A list that is known to be one of names merges name by name.
 */
import { equalJson, isList, isObject, type Json, type JsonObject } from "../core/json.js";
import { setMember } from "../text/yaml-read.js";
import type { FieldConflict } from "./types.js";

export interface Merged {
  /** The merged value; in a conflict the user's. */
  readonly value: Json | undefined;
  readonly conflicts: readonly FieldConflict[];
}

type Side = Json | undefined;

/**
 * An absent side is undefined.
 * @param names the fields that are lists of names, each of which is there or not
 */
export function mergeValues(
  base: Side,
  yours: Side,
  now: Side,
  field = "",
  names: readonly string[] = [],
): Merged {
  if (equalJson(yours, now) || equalJson(base, now)) return { value: yours, conflicts: [] };
  if (equalJson(base, yours)) return { value: now, conflicts: [] };
  if (isObject(yours) && isObject(now) && (isObject(base) || base === undefined))
    return mergeObjects(base ?? {}, yours, now, field, names);
  const merged = names.includes(field) ? mergeNames(base, yours, now) : undefined;
  if (merged !== undefined) return { value: merged, conflicts: [] };
  if (
    isList(base) &&
    isList(yours) &&
    isList(now) &&
    base.length === yours.length &&
    base.length === now.length
  ) {
    const items = base.map((each, i) => mergeValues(each, yours[i], now[i], `${field}[${i}]`));
    return {
      value: items.map(({ value }) => value ?? null),
      conflicts: items.flatMap(({ conflicts }) => conflicts),
    };
  }
  return { value: yours, conflicts: [{ field, base, yours, now }] };
}

/**
 * What is there now, without the names that the user took out, and with those that the user put in: each behind the nearest
 * one before it that is still there, since objects are applied in this order.
 */
function mergeNames(base: Side, yours: Side, now: Side): Json[] | undefined {
  if (!areNames(base) || !areNames(yours) || !areNames(now)) return undefined;
  const merged = now.filter((name) => yours.includes(name) || !base.includes(name));
  for (const [i, name] of yours.entries())
    if (!base.includes(name) && !merged.includes(name))
      merged.splice(
        merged.indexOf(yours.slice(0, i).findLast((each) => merged.includes(each)) ?? "") + 1,
        0,
        name,
      );
  return merged;
}

const areNames = (value: Side): value is string[] =>
  isList(value) && value.every((each) => typeof each === "string");

function mergeObjects(
  base: JsonObject,
  yours: JsonObject,
  now: JsonObject,
  field: string,
  names: readonly string[],
): Merged {
  const value: Record<string, Json> = {};
  const conflicts: FieldConflict[] = [];
  const own = (object: JsonObject, key: string): Side =>
    Object.hasOwn(object, key) ? object[key] : undefined;
  for (const key of new Set([...Object.keys(yours), ...Object.keys(now)])) {
    const merged = mergeValues(own(base, key), own(yours, key), own(now, key), fieldIn(field, key), names);
    conflicts.push(...merged.conflicts);
    if (merged.value !== undefined) setMember(value, key, merged.value);
  }
  return { value, conflicts };
}

const fieldIn = (field: string, key: string): string => {
  const word = /^[A-Za-z0-9_-]+$/.test(key) ? key : `[${JSON.stringify(key)}]`;
  return field === "" || word.startsWith("[") ? `${field}${word}` : `${field}.${word}`;
};
