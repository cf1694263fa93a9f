/**
 * Validation rules of CustomResourceDefinitions (`x-kubernetes-validations`, CEL) for an object that is about to be
 * created, or was updated. The library is loaded by `loadCel` alone. Rules about a former value (`oldSelf`) say nothing on
 * creation and are evaluated for updates alone; a rule that needs a function which is not here counts as unchecked, never as broken.
 */
import { isIP, isIPv6 } from "node:net";
import type { ErrorKind } from "../core/diagnostics.js";
import { isList, isObject, type Json, type JsonObject } from "../core/json.js";
import { lookup } from "../core/lookup.js";
import { parseQuantity } from "../kubernetes/quantities.js";
import type { SchemaFault } from "./check.js";
import { fitsFormat } from "./formats.js";
import { memberSchema, type SchemaNode, type ValidationRule } from "./read.js";
import { escapeName } from "./rule-types.js";

export type CelVerdict = "holds" | "broken" | "unchecked" | "no such key";

export interface CelChecker {
  /** What a rule says of a value, which is in the form that `toCel` gives it; of an update, of the former value as well. */
  judge(rule: string, self: unknown, oldSelf?: unknown): CelVerdict;
}

/** As the functions of rules read addresses, which is stricter than the formats are. */
const isAddress = (text: string): boolean => isIP(text) !== 0 && !text.includes("%") && !isMapped(text);
/** True for an address of IPv4 in the form of IPv6. */
const isMapped = (text: string): boolean =>
  isIPv6(text) && /^\[::ffff:[0-9a-f]+:[0-9a-f]+\]$/.test(new URL(`http://[${text}]`).hostname);

function isNetwork(text: string): boolean {
  const [address = "", bits = "", ...rest] = text.split("/");
  const most = isIPv6(address) ? 128 : 32;
  return (
    isAddress(address) && rest.length === 0 && /^(?:0|[1-9][0-9]{0,2})$/.test(bits) && Number(bits) <= most
  );
}

export async function loadCel(): Promise<CelChecker> {
  const { Environment, EvaluationError } = await import("@marcbachmann/cel-js");
  const environment = new Environment({
    unlistedVariablesAreDyn: true,
    enableOptionalTypes: true,
    homogeneousAggregateLiterals: false,
  });
  environment
    .registerFunction("isIP(string): bool", isAddress)
    .registerFunction("isCIDR(string): bool", isNetwork)
    .registerFunction("isURL(string): bool", (text: string) => fitsFormat("uri", text))
    .registerFunction("isQuantity(string): bool", (text: string) => parseQuantity(text) !== undefined);
  const parsed = new Map<string, ((context: Record<string, unknown>) => unknown) | undefined>();
  const compile = (rule: string): ((context: Record<string, unknown>) => unknown) | undefined => {
    try {
      return environment.parse(rule);
    } catch {
      return undefined;
    }
  };
  return {
    judge(rule, self, oldSelf) {
      if (!parsed.has(rule)) parsed.set(rule, compile(rule));
      try {
        const answer = parsed.get(rule)?.(oldSelf === undefined ? { self } : { self, oldSelf });
        return typeof answer === "boolean" ? (answer ? "holds" : "broken") : "unchecked";
      } catch (error) {
        return error instanceof EvaluationError && error.code === "no_such_key" ? "no such key" : "unchecked";
      }
    },
  };
}

/** Every rule of the schema that the value breaks, from the root down. */
export function celFaults(value: Json, schema: SchemaNode, field: string, cel: CelChecker): SchemaFault[] {
  if (value === null) return [];
  const own = schema.rules.flatMap((rule) => ruleFaults(rule, value, schema, field, cel));
  return [...own, ...below(value, schema, field, cel)];
}

function below(value: Json, schema: SchemaNode, field: string, cel: CelChecker): SchemaFault[] {
  const { items } = schema;
  if (isList(value))
    return items === undefined
      ? []
      : value.flatMap((each, i) => celFaults(each, items, `${field}[${i}]`, cel));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, each]) => {
    const own = memberSchema(schema, name);
    return own === undefined ? [] : celFaults(each, own, field === "" ? name : `${field}.${name}`, cel);
  });
}

/**
 * Every rule about a former value that an update breaks, from the root down. Values that cannot be related, such as the
 * items of an atomic list, are left out, as an API server does.
 */
export function transitionFaults(
  before: Json,
  after: Json,
  schema: SchemaNode,
  field: string,
  cel: CelChecker,
): SchemaFault[] {
  if (before === null || after === null) return [];
  const own = schema.rules.flatMap(({ rule, message }): SchemaFault[] => {
    if (!/\boldSelf\b/.test(rule)) return [];
    const verdict = cel.judge(rule, toCel(after, schema), toCel(before, schema));
    if (verdict === "holds") return [];
    const fault = { field, kind: "Invalid", blocking: false } as const;
    return verdict === "unchecked"
      ? [{ ...fault, message: `rule cannot be checked: ${rule}`, unchecked: true }]
      : [{ ...fault, message: message ?? `failed rule: ${rule}` }];
  });
  if (isList(before) && isList(after)) {
    const { items, listType, listKeys } = schema;
    if (items === undefined || listType !== "map") return own;
    const keyOf = (item: Json): string =>
      JSON.stringify(isObject(item) ? listKeys.map((key) => item[key] ?? null) : item);
    const old = new Map(before.map((item) => [keyOf(item), item]));
    return [
      ...own,
      ...after.flatMap((item, i) =>
        transitionFaults(old.get(keyOf(item)) ?? null, item, items, `${field}[${i}]`, cel),
      ),
    ];
  }
  if (!isObject(before) || !isObject(after)) return own;
  return [
    ...own,
    ...Object.entries(after).flatMap(([name, each]) => {
      const member = memberSchema(schema, name);
      const path = field === "" ? name : `${field}.${name}`;
      return member === undefined
        ? []
        : transitionFaults(lookup(before, name) ?? null, each, member, path, cel);
    }),
  ];
}

const REASONS: ReadonlyMap<string, ErrorKind> = new Map([
  ["FieldValueForbidden", "Forbidden"],
  ["FieldValueRequired", "Required"],
  ["FieldValueDuplicate", "Duplicate"],
]);

function ruleFaults(
  { rule, message, reason, fieldPath = "" }: ValidationRule,
  value: Json,
  schema: SchemaNode,
  field: string,
  cel: CelChecker,
): SchemaFault[] {
  if (/\boldSelf\b/.test(rule)) return [];
  const verdict = cel.judge(rule, toCel(value, schema));
  if (verdict === "holds") return [];
  const at = `${field}${fieldPath}`.replace(/^\./, "");
  const kind = REASONS.get(reason ?? "") ?? "Invalid";
  const text = message ?? `failed rule: ${rule}`;
  const fault = { field: at, kind, blocking: false } as const;
  if (verdict === "unchecked")
    return [{ ...fault, message: `rule cannot be checked: ${rule}`, unchecked: true }];
  return [
    { ...fault, message: verdict === "broken" ? text : `${text} (a field that the rule reads is missing)` },
  ];
}

/** Integers become bigint; members of objects get the names under which rules know them. */
function toCel(value: Json, schema: SchemaNode | undefined): unknown {
  if (typeof value === "number")
    return Number.isInteger(value) && schema?.type !== "number" ? BigInt(value) : value;
  if (typeof value === "string" && schema?.format === "date-time") return new Date(value);
  if (isList(value)) return value.map((each) => toCel(each, schema?.items));
  return isObject(value) ? objectToCel(value, schema) : value;
}

const objectToCel = (value: JsonObject, schema: SchemaNode | undefined): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(value).map(([name, each]) => {
      const own = schema === undefined ? undefined : memberSchema(schema, name);
      return [schema?.properties.has(name) ? (escapeName(name) ?? name) : name, toCel(each, own)];
    }),
  );
