/**
 * Where each key of an install-config is carried when assisted-service installs the cluster: the table
 * tables/openshift-assisted-keys.json, and what follows from it for a config.
 */
import type { OutputFile } from "../../../core/files.js";
import { equalJson, isJson, isList, isObject, type Json, type JsonObject } from "../../../core/json.js";
import { type Problem, problem } from "../../../core/problem.js";
import { type Row, TABLE } from "../../../generated/tables/openshift-assisted-keys.js";
import type { NormalConfig } from "../../../platforms/config.js";
import type { SupplementItem } from "../../../platforms/supplement.js";

/** A row that says where a key is carried, old spellings followed. */
export type Carriage = Extract<Row, { readonly carried: string }>;

const ROWS: ReadonlyMap<string, Row> = new Map(TABLE.keys.map((row) => [row.key, row]));

/** The row of a key such as `compute[].name`, or of the nearest key above it; undefined where there is none. */
export function carriageOf(key: string): Carriage | undefined {
  for (let path = key; path !== ""; path = path.replace(/(?:^|\.)[^.]*$/, "")) {
    const row = ROWS.get(path) ?? ROWS.get(path.replace(/\[\]$/, ""));
    if (row !== undefined) return "as" in row ? carriageOf(row.as) : row;
  }
  return undefined;
}

/** A value of the config that stands alone: not a list or an object, or an empty one. */
interface Leaf {
  /** Members and indices that lead to it. */
  readonly path: readonly (string | number)[];
  readonly value: Json;
  readonly row: Carriage;
}

const keyOf = (path: Leaf["path"]): string =>
  path
    .map((step) => (typeof step === "number" ? "[]" : `.${step}`))
    .join("")
    .slice(1);
const fieldOf = (path: Leaf["path"]): string =>
  path
    .map((step) => (typeof step === "number" ? `[${step}]` : `.${step}`))
    .join("")
    .slice(1);

const isEmpty = (value: Json): boolean =>
  value === null ||
  value === "" ||
  value === false ||
  (isList(value) && value.length === 0) ||
  (isObject(value) && Object.keys(value).length === 0);

/** What of a config says something that such a cluster would not be anyway. */
function leavesOf(config: NormalConfig): Leaf[] {
  const walk = (value: Json, path: Leaf["path"]): Leaf[] => {
    if (isList(value) && value.length > 0)
      return value.flatMap((each, index) => walk(each, [...path, index]));
    if (isObject(value) && Object.keys(value).length > 0)
      return Object.entries(value).flatMap(([name, each]) => walk(each, [...path, name]));
    const row = carriageOf(keyOf(path));
    if (row === undefined) throw new Error(`no row for ${keyOf(path)} in the table of keys`);
    const same = "same" in row && isJson(row.same) ? row.same : undefined;
    return isEmpty(value) || (same !== undefined && equalJson(value, same)) ? [] : [{ path, value, row }];
  };
  return walk(plain(config), []);
}

function plain(config: NormalConfig): JsonObject {
  const value: unknown = JSON.parse(JSON.stringify(config));
  if (!isJson(value) || !isObject(value)) throw new Error("the install-config is not an object");
  return value;
}

/** Those of the generated manifests that carry what neither a field nor the override does. */
export function carryingManifests(config: NormalConfig, generated: readonly OutputFile[]): OutputFile[] {
  const patterns = new Set(
    leavesOf(config).flatMap(({ row }) => (row.carried === "manifest" ? [row.file] : [])),
  );
  return generated.filter(({ path }) => [...patterns].some((pattern) => new RegExp(pattern).test(path)));
}

/** The problems of keys that nothing carries: no field, no override, and none of the generated manifests. */
export function refusedKeys(config: NormalConfig, generated: readonly OutputFile[]): Problem[] {
  const isCarried = (pattern: string): boolean =>
    generated.some(({ path }) => new RegExp(pattern).test(path));
  const refused = leavesOf(config).flatMap(({ path, row }) =>
    row.carried === "refused" || (row.carried === "manifest" && !isCarried(row.file))
      ? [{ path: withinRow(path, row), why: row.why }]
      : [],
  );
  const byField = new Map(refused.map(({ path, why }) => [fieldOf(path), why]));
  return [...byField].map(([field, why]) =>
    problem(
      "CAPI041",
      "NotSupported",
      field,
      `not supported by the control plane provider openshift-assisted: ${why}`,
      "remove it, or use --control-plane-provider openshift",
    ),
  );
}

/** The path up to the key of the row. */
function withinRow(path: Leaf["path"], row: Carriage): Leaf["path"] {
  for (let length = 1; length < path.length; length += 1) {
    const part = path.slice(0, length);
    if (keyOf(part) === row.key) return part;
  }
  return path;
}

/**
 * The install-config override: the members that the provider has no field for, as an install-config has them. A list
 * is given whole, since it replaces the one of assisted-service (openshift/assisted-service
 * internal/installcfg/builder/builder.go).
 */
export function overrideOf(config: NormalConfig): JsonObject {
  const whole = plain(config);
  const override: { [name: string]: Json } = {};
  for (const { path, row } of leavesOf(config)) {
    if (row.carried !== "override") continue;
    const list = path.findIndex((step) => typeof step === "number");
    const target = list < 0 ? path : path.slice(0, list);
    const value = target.reduce<Json | undefined>(
      (inner, step) => (isObject(inner) ? inner[step] : undefined),
      whole,
    );
    const members = list < 0 ? undefined : [...(row.beside ?? []), ...path.slice(list + 1).map(String)];
    put(override, target.map(String), members === undefined ? (value ?? null) : onlyMembers(value, members));
  }
  return override;
}

/** The items of a list with some of their members; items that are no objects as they are. */
const onlyMembers = (list: Json | undefined, members: readonly string[]): Json =>
  (isList(list) ? list : []).map((item) =>
    isObject(item)
      ? Object.fromEntries(members.flatMap((name) => (item[name] === undefined ? [] : [[name, item[name]]])))
      : item,
  );

function put(into: { [name: string]: Json }, [name = "", ...rest]: readonly string[], value: Json): void {
  if (rest.length === 0) {
    into[name] = value;
    return;
  }
  const known = into[name];
  const inner = isObject(known) ? { ...known } : {};
  put(inner, rest, value);
  into[name] = inner;
}

/** What is left to the user, an item for each that the keys of the config name. */
export function leftToUser(config: NormalConfig): SupplementItem[] {
  const left = leavesOf(config).flatMap(({ path, row }) =>
    row.carried === "supplement" ? [{ item: row.item, field: fieldOf(path) }] : [],
  );
  return Object.entries(TABLE.items).flatMap(([area, item]): SupplementItem[] => {
    const fields = left.filter((each) => each.item === area).map(({ field }) => field);
    return fields.length === 0 ? [] : [{ area, ...item, details: { fields } }];
  });
}
