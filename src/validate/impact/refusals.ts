/** Whether an API server or a provider's webhook refuses an update, by the tables of src/platforms/update-rules.ts. */
import { equalJson, isList, isObject, type Json, type JsonObject } from "../../core/json.js";
import { lookup } from "../../core/lookup.js";
import type { UpdateCondition, UpdateRule } from "../../platforms/update-rules.js";

type Value = Json | undefined;

/** Why a change of a field is refused: true where it is. */
const CHANGES: Readonly<
  Record<string, { readonly why: string; refuses(before: Value, after: Value): boolean }>
> = {
  never: { why: "immutable", refuses: (before, after) => !isSame(before, after) },
  "once set": {
    why: "immutable once set",
    refuses: (before, after) => isSet(before) && !isSame(before, after),
  },
  "not removed": { why: "cannot be removed", refuses: (before, after) => isSet(before) && !isSet(after) },
  "only added": {
    why: "items can only be added",
    refuses: (before, after) => {
      const now = isList(after) ? after : [];
      return isList(before) && !before.every((each) => now.some((other) => equalJson(each, other)));
    },
  },
  "not enabled": {
    why: "cannot be enabled in this state of the object",
    refuses: (before, after) => before !== true && after === true,
  },
};

export const CHANGE_NAMES: readonly string[] = Object.keys(CHANGES);

export interface Refusal {
  readonly field: string;
  readonly why: string;
}

/** Every field whose change would be refused, the object being as it is in the cluster and as it would be applied. */
export const refusalsOf = (rules: readonly UpdateRule[], live: JsonObject, next: JsonObject): Refusal[] =>
  rules.flatMap((rule) => {
    const change = CHANGES[rule.change];
    if (change === undefined || !holds(rule, live)) return [];
    const [before, after] = [valuesAt(live, rule.field), valuesAt(next, rule.field)];
    const isOneValue = before.has("") || after.has("");
    const isRefused = [...before.keys(), ...(isOneValue ? [""] : [])].some((key) => {
      if (!isOneValue && !after.has(key)) return false;
      const [old, fresh] = [before.get(key) ?? rule.initial, after.get(key) ?? rule.initial];
      return change.refuses(compared(old, rule, fresh), compared(fresh, rule, old));
    });
    return isRefused ? [{ field: rule.field.replace(/\[[^[\]]*\]/g, "[]"), why: change.why }] : [];
  });

function holds({ ifPresent, onlyIf, unless = [] }: UpdateRule, live: JsonObject): boolean {
  if (ifPresent !== undefined && !isSet(valuesAt(live, ifPresent).get(""))) return false;
  const isMet = ({ field, values }: UpdateCondition): boolean => {
    const found = valuesAt(live, field).get("");
    const texts = isObject(found) ? Object.values(found) : [found];
    return texts.some((each) => values.includes(String(each)));
  };
  return (onlyIf === undefined || onlyIf.some(isMet)) && !unless.some(isMet);
}

/** The value as the rule looks at it, the other side being `other`. */
function compared(
  value: Value,
  { except = [], settable = [], ignoresCase }: UpdateRule,
  other: Value,
): Value {
  if (ignoresCase === true && typeof value === "string") return value.toLowerCase();
  let shown = value;
  for (const path of except) shown = without(shown, path.split("."));
  for (const path of settable) {
    const sides = [value, other].map((each) => isObject(each) && isSet(valuesAt(each, path).get("")));
    if (sides.includes(false)) shown = without(shown, path.split("."));
  }
  return shown;
}

function without(value: Value, path: readonly string[]): Value {
  const [step = "", ...rest] = path;
  if (isList(value)) return value.map((each) => without(each, path) ?? null);
  if (!isObject(value)) return value;
  const name = step.replace("[]", "");
  const { [name]: member, ...others } = value;
  if (member === undefined) return value;
  if (rest.length === 0) return others;
  return { ...others, [name]: without(member, rest) ?? null };
}

/** The values at a path, by the keys of the items on the way; a path without items has the one key "". */
function valuesAt(object: JsonObject, field: string): ReadonlyMap<string, Value> {
  let found: (readonly [key: string, value: Value])[] = [["", object]];
  for (const step of field.split(".")) {
    const [, name = "", keys] = /^([^[]*)(?:\[([^\]]*)\])?$/.exec(step) ?? [];
    found = found.flatMap(([key, value]) => {
      const member = isObject(value) ? lookup(value, name) : undefined;
      if (keys === undefined) return [[key, member]];
      return (isList(member) ? member : []).map((item): readonly [string, Value] => {
        const own = keys === "" || !isObject(item) ? [] : keys.split(",").map((each) => item[each] ?? null);
        return [own.length === 0 ? key : JSON.stringify([key, ...own]), item];
      });
    });
  }
  return new Map(found);
}

/** Go's zero values are what is not set. */
export const isSet = (value: Value): boolean =>
  isObject(value)
    ? Object.values(value).some(isSet)
    : isList(value)
      ? value.length > 0
      : value !== undefined && value !== null && value !== "" && value !== 0 && value !== false;

const isSame = (before: Value, after: Value): boolean =>
  equalJson(before, after) || [before, after].every(isBlank);

const isBlank = (value: Value): boolean => value === undefined || value === null || value === "";
