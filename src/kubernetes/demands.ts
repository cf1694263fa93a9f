/** What servers demand of the fields of built-in kinds: members that must be there, and members with fixed values. */
import table from "../../tables/kubernetes-demands.json" with { type: "json" };
import { holdsAt } from "../core/by-release.js";
import { lookup } from "../core/lookup.js";
import type { Minor } from "../core/minor.js";

interface ValuesRow {
  readonly message: string;
  readonly member: string;
  readonly values: readonly string[];
  readonly since?: string;
}

const REQUIRED: Readonly<Record<string, string>> = table.required;

/** The members without which a server refuses a message, such as `containers` of `core.v1.PodSpec`. */
export const demandedMembers = (message: string): readonly string[] =>
  lookup(REQUIRED, message)?.split(" ") ?? [];

let rows: ReadonlyMap<string, readonly ValuesRow[]> | undefined;

function rowsByMember(): ReadonlyMap<string, readonly ValuesRow[]> {
  const groups = new Map<string, ValuesRow[]>();
  for (const row of table.values) {
    const key = `${row.message}.${row.member}`;
    if (!table.open.includes(key)) groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  return groups;
}

/** The values that a server takes for a member; undefined where it takes any. */
export function valuesAt(message: string, member: string, release: Minor): readonly string[] | undefined {
  rows ??= rowsByMember();
  const [first, ...later] = rows.get(`${message}.${member}`) ?? [];
  // Definitions may have come long after the member itself: only what was added to them is new in a release.
  if (first === undefined) return undefined;
  return [...first.values, ...later.filter((row) => holdsAt(row, release)).flatMap((row) => row.values)];
}
