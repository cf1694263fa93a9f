/**
 * The partner that an unpaired object probably means: the one with which most of the six conditions hold. Instead of
 * comparing everything with everything, candidates are found by the values that they share, in tables of every
 * combination of conditions, the large combinations first; so the cost grows with the number of objects, not with
 * its square.
 */
import { byCodeUnit } from "../core/files.js";
import { describe, type TransferApproval, type TransferRequest } from "./api.js";
import { MATCH } from "./conditions.js";

/** Candidates of one table entry that are compared one by one; more share so little that any will do. */
const COMPARED = 32;

/** Sets of conditions as bits, grouped by their number, those with more first; the kind alone says nothing. */
const KIND = 1 << MATCH.findIndex(({ name }) => name === "M5");
const ALL_SUBSETS: readonly number[] = Array.from({ length: 1 << MATCH.length }, (_, bits) => bits);
const SUBSETS: readonly (readonly number[])[] = MATCH.map((_, i) => MATCH.length - i).map((count) =>
  ALL_SUBSETS.filter((bits) => countOf(bits) === count && bits !== KIND),
);

function countOf(bits: number): number {
  let count = 0;
  for (let rest = bits; rest !== 0; rest &= rest - 1) count++;
  return count;
}

interface Keyed<T> {
  readonly object: T;
  /** The values of the six conditions. */
  readonly values: readonly string[];
  readonly label: string;
}

const requestKeys = (object: TransferRequest): Keyed<TransferRequest> => ({
  object,
  values: MATCH.map(({ left }) => left.of(object)),
  label: describe(object),
});
const approvalKeys = (object: TransferApproval): Keyed<TransferApproval> => ({
  object,
  values: MATCH.map(({ right }) => right.of(object)),
  label: describe(object),
});

/** Answers, for each object of one side, the closest of the other side; undefined when the other side is empty. */
export interface ClosestPartner {
  approvalFor(request: TransferRequest): TransferApproval | undefined;
  requestFor(approval: TransferApproval): TransferRequest | undefined;
}

/** @param free those without a partner, which are preferred to `paired` ones that share as much */
export function closestPartner(
  free: { readonly requests: readonly TransferRequest[]; readonly approvals: readonly TransferApproval[] },
  paired: { readonly requests: readonly TransferRequest[]; readonly approvals: readonly TransferApproval[] },
): ClosestPartner {
  const approvals = [free.approvals, paired.approvals].map((each) => new Side(each.map(approvalKeys)));
  const requests = [free.requests, paired.requests].map((each) => new Side(each.map(requestKeys)));
  return {
    approvalFor: (request) => closestOf(approvals, requestKeys(request).values),
    requestFor: (approval) => closestOf(requests, approvalKeys(approval).values),
  };
}

type Table<T> = ReadonlyMap<string, readonly Keyed<T>[]>;

class Side<T> {
  private readonly tables = new Map<number, Table<T>>();

  constructor(readonly members: readonly Keyed<T>[]) {}

  /** Those that share the values of a set of conditions. */
  sharing(values: readonly string[], bits: number): readonly Keyed<T>[] | undefined {
    const key = keyOf(values, bits);
    return key === undefined ? undefined : this.tableOf(bits).get(key);
  }

  private tableOf(bits: number): Table<T> {
    const known = this.tables.get(bits);
    if (known !== undefined) return known;
    const table = new Map<string, Keyed<T>[]>();
    for (const each of this.members) {
      const key = keyOf(each.values, bits);
      if (key === undefined) continue;
      const same = table.get(key);
      if (same === undefined) table.set(key, [each]);
      else if (same.length < COMPARED) same.push(each);
    }
    this.tables.set(bits, table);
    return table;
  }
}

function closestOf<T>(sides: readonly Side<T>[], values: readonly string[]): T | undefined {
  for (const group of SUBSETS)
    for (const side of sides)
      for (const bits of group) {
        const found = side.sharing(values, bits);
        if (found !== undefined) return nearest(found, values).object;
      }
  const rest = sides.find(({ members }) => members.length > 0);
  return rest === undefined ? undefined : nearest(rest.members, values).object;
}

/** The values of a set of conditions; undefined when one of them is missing. */
function keyOf(values: readonly string[], bits: number): string | undefined {
  let key = "";
  for (let i = 0; i < values.length; i++) {
    if ((bits & (1 << i)) === 0) continue;
    const value = values[i] ?? "";
    if (value === "") return undefined;
    key += `${value}\n`;
  }
  return key;
}

/** The one whose values are most alike, then the first by name. */
function nearest<T>(candidates: readonly Keyed<T>[], values: readonly string[]): Keyed<T> {
  const ranked = candidates
    .slice(0, COMPARED)
    .map((candidate) => ({ candidate, distance: distanceOf(candidate.values, values) }))
    .sort((a, b) => a.distance - b.distance || byCodeUnit(a.candidate.label, b.candidate.label));
  const [best] = ranked;
  if (best === undefined) throw new Error("there are no candidates");
  return best.candidate;
}

/** How unlike two lists of values are: what is left when common beginnings and ends are taken off. */
function distanceOf(a: readonly string[], b: readonly string[]): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) {
    const [left, right] = [a[i] ?? "", b[i] ?? ""];
    if (left === right) continue;
    const longest = Math.max(left.length, right.length);
    const shortest = Math.min(left.length, right.length);
    let start = 0;
    while (start < shortest && left[start] === right[start]) start++;
    let end = 0;
    while (end < shortest - start && left[left.length - 1 - end] === right[right.length - 1 - end]) end++;
    sum += longest - start - end;
  }
  return sum;
}
