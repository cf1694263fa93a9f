/** Claims of StatefulSets: `<template>-<set>-<ordinal>` (docs/reference/pvc-transfer.md §3). */
import type { JsonObject } from "../core/json.js";
import { listAt, textAt } from "./object.js";

/** Names of the claim templates of a StatefulSet. */
export const templatesOf = (set: JsonObject): string[] =>
  listAt(set, "spec", "volumeClaimTemplates").map((template) => textAt(template, "metadata", "name"));

/** The ordinal whose replica uses a claim of this name; undefined when the set makes no such claim. */
export function ordinalOf(set: JsonObject, claim: string): number | undefined {
  const name = textAt(set, "metadata", "name");
  for (const template of templatesOf(set)) {
    const start = `${template}-${name}-`;
    const ordinal = claim.startsWith(start) ? parseOrdinal(claim.slice(start.length)) : undefined;
    if (ordinal !== undefined) return ordinal;
  }
  return undefined;
}

/** An ordinal as a StatefulSet writes it, without leading zeros. */
export const parseOrdinal = (text: string): number | undefined =>
  /^(0|[1-9][0-9]{0,8})$/.test(text) ? Number(text) : undefined;
