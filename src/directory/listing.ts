/**
 * What a kustomization said before somebody edited it, where no copy of that is kept: in a clone that never ran. It
 * lists what was generated beside it, and the record has a line for each of these files. Pure.
 */
import { encode } from "../core/files.js";
import { isList, isObject, type Json, type JsonObject } from "../core/json.js";
import { valuesOf } from "../text/yaml-content.js";
import { writeYaml } from "../text/yaml-write.js";
import { mergeValues } from "./merge.js";

/** The one field of a kustomization that merges name by name. */
export const NAMES = ["resources"];

/** @param isKnown whether these bytes are what some known generation wrote */
export type IsKnown = (data: Uint8Array) => boolean;

/**
 * The base of a merge of a kustomization; undefined where nobody can tell what the user took out of it.
 *
 * @param listed names of the files beside it that the record says were generated, in order
 */
export function baseOfListing(
  yours: Json | undefined,
  now: Json | undefined,
  listed: readonly string[],
  isKnown: IsKnown,
): Json | undefined {
  if (!isListing(yours) || !isListing(now)) return undefined;
  const recorded = withNames(now, listed);
  const bases = [recorded, withoutOwn(yours, now, listed)];
  const base = bases.find((each) => isKnown(encode(writeYaml(each))));
  if (base !== undefined) return base;
  // Of two branches the record has the files of both, and the digest of neither list is that of all. As long as no
  // file of an earlier run is missing in the list, the user took none out.
  return now.resources.some((name) => listed.includes(name) && !yours.resources.includes(name))
    ? undefined
    : recorded;
}

/**
 * The kustomization that keeps what each side of an unsettled merge put in, over what is compiled now; undefined where a
 * side has more than additions to what some run wrote.
 */
export function settledListing(
  sides: readonly string[],
  now: Json | undefined,
  listed: readonly string[],
  isKnown: IsKnown,
): Json | undefined {
  if (!isListing(now)) return undefined;
  let settled: Json | undefined = now;
  for (const side of sides) {
    const data = encode(side);
    if (isKnown(data)) continue;
    const [yours, ...more] = valuesOf(data) ?? [];
    if (!isListing(yours) || more.length > 0) return undefined;
    const base = withoutOwn(yours, now, listed);
    if (!isKnown(encode(writeYaml(base)))) return undefined;
    const merged = mergeValues(base, yours, settled, "", NAMES);
    if (merged.conflicts.length > 0) return undefined;
    settled = merged.value;
  }
  return settled;
}

type Listing = JsonObject & { readonly resources: readonly string[] };

const isListing = (value: Json | undefined): value is Listing => {
  const names = isObject(value) ? value["resources"] : undefined;
  return isList(names) && names.every((each) => typeof each === "string");
};

const withNames = (now: Listing, resources: readonly string[]): Json => ({ ...now, resources });

/** The list without the names that no run ever put there. */
const withoutOwn = (yours: Listing, now: Listing, listed: readonly string[]): Json =>
  withNames(
    now,
    yours.resources.filter((name) => listed.includes(name) || now.resources.includes(name)),
  );
