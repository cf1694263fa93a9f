/**
 * What a release serves with a feature set: rows of a table, and schemas whose differences are rows beside their members
 * (`x-slipway`, as scripts/openshift-definitions.mjs writes it).
 */
import { holdsAt, type Span } from "../../core/by-release.js";
import { isList, isObject, type Json, type JsonObject, textAt } from "../../core/json.js";
import type { Release } from "../../core/release.js";

/** The feature sets, each with what those before it serve; a custom set serves what any gate allows. */
export const FEATURE_SETS = [
  "Default",
  "TechPreviewNoUpgrade",
  "DevPreviewNoUpgrade",
  "CustomNoUpgrade",
] as const;
export type FeatureSet = (typeof FEATURE_SETS)[number];

/** The release and the feature set of a cluster. */
export interface ServedBy {
  readonly release: Release;
  readonly featureSet: FeatureSet;
}

/** The feature set of that name; OKD serves what the default set does, and without a name it is the default set. */
export const featureSetNamed = (name: string): FeatureSet =>
  FEATURE_SETS.find((set) => set === name) ?? "Default";

/** A row that holds at some releases, and from a feature set on. */
export interface ServedRow extends Span {
  readonly set?: string | undefined;
}

const NAMES: readonly string[] = FEATURE_SETS;
const rankOf = (set: string): number => NAMES.indexOf(set);

/** True when the row holds in the cluster. */
export const isServed = (row: ServedRow, { release, featureSet }: ServedBy): boolean =>
  holdsAt(row, release) && rankOf(row.set ?? "Default") <= rankOf(featureSet);

const optional = (row: JsonObject, name: string): string | undefined =>
  Object.hasOwn(row, name) ? textAt(row, name) : undefined;

/** The rows that hold, of a list in a table that has been read as JSON. */
const heldRows = (rows: Json | undefined, by: ServedBy): JsonObject[] =>
  (isList(rows) ? rows : [])
    .filter(isObject)
    .filter((row) =>
      isServed(
        { since: optional(row, "since"), before: optional(row, "before"), set: optional(row, "set") },
        by,
      ),
    );

/** Members of a schema that are schemas. */
const SCHEMAS = ["items", "additionalProperties", "not"];

/** The schema as it is served. */
export function servedSchema(schema: JsonObject, by: ServedBy): JsonObject {
  const members = new Map<string, Json>();
  for (const [name, value] of Object.entries(schema)) {
    if (name === "x-slipway") continue;
    if (name === "properties" && isObject(value))
      members.set(name, Object.fromEntries(Object.entries(value).flatMap((each) => servedMember(each, by))));
    else if (SCHEMAS.includes(name) && isObject(value))
      for (const [, below] of servedMember([name, value], by)) members.set(name, below);
    else members.set(name, value);
  }
  const notes = schema["x-slipway"];
  const changes = isObject(notes) && isObject(notes["members"]) ? Object.entries(notes["members"]) : [];
  for (const [name, rows] of changes) {
    const value = heldRows(rows, by).at(-1)?.["value"];
    if (value === null) members.delete(name);
    else if (value !== undefined) members.set(name, value);
  }
  return Object.fromEntries(members);
}

/** The member with its schema, or nothing where it is not served. */
function servedMember([name, value]: [string, Json], by: ServedBy): [string, Json][] {
  if (!isObject(value)) return [[name, value]];
  const notes = value["x-slipway"];
  const rows = isObject(notes) ? notes["served"] : undefined;
  return rows === undefined || heldRows(rows, by).length > 0 ? [[name, servedSchema(value, by)]] : [];
}
