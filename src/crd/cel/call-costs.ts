/** What calls in CEL cost by the sizes of what they are given, as an API server estimates it; the figures are a table. */
import table from "../../../tables/kubernetes-cel-costs.json" with { type: "json" };
import { holdsAt, isSince, type Span } from "../../core/by-release.js";
import { compareMinors, type Minor, release as minorOf } from "../../core/minor.js";
import type { CelExpression } from "./expressions.js";
import type { CelOverload } from "./functions.js";
import {
  add,
  addSizes,
  fixedSize,
  MOST,
  multiply,
  multiplySizes,
  type Size,
  scale,
  sum,
  UNKNOWN_SIZE,
  unionOf,
} from "./sizes.js";
import { type CelType, isSameType } from "./types.js";

/** An argument or a receiver, with what is known of its size. */
export interface CostNode {
  readonly expression: CelExpression;
  readonly type: CelType;
  /** As functions of the language see it. */
  readonly size: Size;
  /** As functions of libraries see it. */
  readonly librarySize: Size;
  /** What the expression tells, where it tells something. */
  readonly computed: Size | undefined;
  /** Of the items of a list. */
  itemSize(): Size;
}

export interface CostedCall {
  readonly target: CostNode | undefined;
  readonly args: readonly CostNode[];
  readonly argCosts: readonly number[];
}

export interface CallCost {
  /** With that of the arguments, without that of the receiver. */
  readonly cost: number;
  /** Of the result, where it can be told. */
  readonly size?: Size | undefined;
}

interface Row extends Span {
  readonly cost: string;
  readonly factor?: number;
  readonly base?: number;
  readonly result?: string;
  readonly calls: readonly string[];
}

/** How a release of the server estimates. */
export interface CostModel {
  /** True where sizes of items and entries are followed through lists and maps that are written out. */
  readonly entrySizes: boolean;
  readonly boundedIntOrString: boolean;
  readonly boundedNames: boolean;
  readonly rows: ReadonlyMap<string, readonly Row[]>;
}

export const COST_LIMITS = table.limits;

/** @param release that of the server, the newest where it is left out; undefined for one older than the table */
export function costModelAt(release: Minor | undefined): CostModel | undefined {
  const newest = minorOf(table.reviewed);
  const at = release === undefined || compareMinors(release, newest) > 0 ? newest : release;
  if (!isSince(at, table.first)) return undefined;
  const rows = new Map<string, Row[]>();
  for (const row of table.calls)
    if (holdsAt(row, at)) for (const call of row.calls) rows.set(call, [...(rows.get(call) ?? []), row]);
  const { entrySizes, boundedIntOrString, boundedNames } = table.facts;
  return {
    entrySizes: holdsAt(entrySizes, at),
    boundedIntOrString: holdsAt(boundedIntOrString, at),
    boundedNames: holdsAt(boundedNames, at),
    rows,
  };
}

/** What a call costs by one of its signatures. */
export function callCost(model: CostModel, name: string, overload: CelOverload, call: CostedCall): CallCost {
  for (const row of [...(model.rows.get(overload.signature) ?? []), ...(model.rows.get(name) ?? [])]) {
    const found = ESTIMATES.get(row.cost)?.(call, row);
    if (found !== undefined) return found;
  }
  return { cost: add(1, sum(call.argCosts)) };
}

type Estimate = (call: CostedCall, row: Row) => CallCost | undefined;

/** For a call that costs this beside its arguments. */
const costing = ({ argCosts }: CostedCall, cost: number, size?: Size): CallCost => ({
  cost: add(cost, sum(argCosts)),
  size,
});

const TEXT_FACTOR = 0.1;
const PATTERN_FACTOR = 0.25;
const LIST_BASE = 10;
/** The longest pattern of a format that has a name. */
const FORMAT_PATTERN = 128;
const LONGEST_FORMAT_NAME = 64;

/** A list that is made: a call, the list, and what is done for it. */
const listCost = (call: CostedCall, factor: number, size: Size): CallCost =>
  costing(call, add(scale(size.max, factor), 1 + LIST_BASE), size);

/** A whole number that is written out; the other where there is none. */
function wholeOr(node: CostNode | undefined, other: number): number {
  if (node?.expression.kind !== "literal" || typeof node.expression.value !== "bigint") return other;
  return Math.max(0, Number(node.expression.value));
}

const isText = ({ name }: CelType): boolean => name === "string" || name === "bytes";

const RESULTS: ReadonlyMap<string, (size: Size) => Size> = new Map([
  ["same", (size) => size],
  ["bytes", (size) => ({ min: size.min, max: multiply(size.max, 4) })],
  ["text", (size) => ({ min: Math.floor(size.min / 4), max: size.max })],
  ["quoted", (size) => ({ min: add(size.min, 2), max: add(multiply(size.max, 2), 2) })],
  ["matches", (size) => ({ min: 0, max: size.max })],
]);
const resultOf = ({ result }: Row, size: Size): Size | undefined => RESULTS.get(result ?? "")?.(size);

/** Going over a text, by the factor of the row. */
function traversal(call: CostedCall, node: CostNode | undefined, row: Row): CallCost | undefined {
  if (node === undefined) return undefined;
  const cost = add(scale(node.librarySize.max, row.factor ?? 1), row.base ?? 0);
  return costing(call, cost, resultOf(row, node.librarySize));
}

const ESTIMATES: ReadonlyMap<string, Estimate> = new Map<string, Estimate>([
  ["fixed", (call, { base = 1 }) => costing(call, base)],
  ["argument", (call, row) => traversal(call, call.args[0], row)],
  ["receiver", (call, row) => traversal(call, call.target, row)],
  [
    "product",
    (call, { factor = 1 }) => {
      const [a, b] = call.args;
      if (a === undefined || b === undefined) return undefined;
      return costing(call, add(scale(multiply(a.librarySize.max, b.librarySize.max), factor), 1));
    },
  ],
  [
    "slice",
    (call) => {
      if (call.target === undefined) return undefined;
      const [start, end] = [wholeOr(call.args[0], 0), wholeOr(call.args[1], call.target.librarySize.max)];
      // What is negative is a large number of a server.
      return listCost(call, 1, fixedSize(end >= start ? end - start : MOST));
    },
  ],
  ["range", (call) => listCost(call, 1, fixedSize(wholeOr(call.args[0], MOST)))],
  ["reverse", (call) => (call.target === undefined ? undefined : listCost(call, 1, call.target.librarySize))],
  [
    "flatten",
    (call) => {
      if (call.target === undefined) return undefined;
      const depth = call.args.length === 0 ? 1 : wholeOr(call.args[0], MOST);
      return listCost(call, depth, call.target.librarySize);
    },
  ],
  ["square", (call, { factor = 1 }) => squareCost(call, call.target, factor)],
  ["square-of-keys", (call, { factor = 1 }) => squareCost(call, call.args[0], factor)],
  [
    "scan",
    (call, { factor = 1 }) => {
      const { target } = call;
      if (target === undefined) return undefined;
      const { librarySize: size, type } = target;
      const [item] = type.of;
      if (item === undefined) return costing(call, scale(size.max, factor));
      const each = isText(item) ? add(1, scale(target.itemSize().max, TEXT_FACTOR)) : 1;
      return costing(call, multiply(size.max, each));
    },
  ],
  ["replace", replaceCost],
  [
    "split",
    (call) => {
      if (call.target === undefined) return undefined;
      const { librarySize: size } = call.target;
      const [, count] = call.args;
      const isCount = count?.expression.kind === "literal" && typeof count.expression.value === "bigint";
      const given =
        isCount && typeof count.expression.value === "bigint" ? Number(count.expression.value) : 0;
      const max = isCount ? (given < 0 ? MOST : given) : size.max;
      return costing(call, scale(size.max, 2 * TEXT_FACTOR), { min: 0, max });
    },
  ],
  [
    "join",
    (call) => {
      const { target } = call;
      if (target === undefined) return undefined;
      const { librarySize: count } = target;
      const texts = target.type.of.length === 0 ? fixedSize(0) : multiplySizes(count, target.itemSize());
      const [separator] = call.args;
      const between = { min: Math.max(0, count.min - 1), max: Math.max(0, count.max - 1) };
      const size =
        separator === undefined ? texts : addSizes(texts, multiplySizes(separator.librarySize, between));
      return costing(call, scale(size.max, TEXT_FACTOR), size);
    },
  ],
  [
    "pattern",
    (call, row) => {
      const [text, pattern] = call.target === undefined ? call.args : [call.target, call.args[0]];
      if (text === undefined || pattern === undefined) return undefined;
      const own = scale(add(text.librarySize.max, 1), TEXT_FACTOR);
      const cost = multiply(own, scale(pattern.librarySize.max, PATTERN_FACTOR));
      return costing(call, cost, resultOf(row, text.librarySize));
    },
  ],
  [
    "format",
    (call) => {
      const [text] = call.args;
      if (text === undefined) return undefined;
      return costing(call, scale(scale(text.librarySize.max, TEXT_FACTOR), FORMAT_PATTERN * PATTERN_FACTOR));
    },
  ],
  ["library-equality", libraryEquality],
  ["member", (call) => costing(call, call.args[1]?.size.max ?? MOST)],
  [
    "contains",
    (call) => {
      const [part] = call.args;
      if (call.target === undefined || part === undefined) return undefined;
      return costing(
        call,
        multiply(scale(call.target.size.max, TEXT_FACTOR), scale(part.size.max, TEXT_FACTOR)),
      );
    },
  ],
  ["logical", ({ argCosts }) => ({ cost: sum(argCosts) })],
  [
    "conditional",
    ({ args, argCosts: [condition = 0, yes = 0, no = 0] }) => ({
      cost: add(condition, Math.max(yes, no)),
      size: unionOf(args[1]?.size ?? UNKNOWN_SIZE, args[2]?.size ?? UNKNOWN_SIZE),
    }),
  ],
  [
    "concatenate",
    (call, { factor = 0 }) => {
      const [a, b] = call.args;
      if (a === undefined || b === undefined) return undefined;
      const size = addSizes(a.size, b.size);
      return costing(call, factor === 0 ? 1 : scale(size.max, factor), size);
    },
  ],
  [
    "compare",
    (call) => {
      const [a, b] = call.args;
      return costing(call, scale(Math.min(a?.size.max ?? MOST, b?.size.max ?? MOST), TEXT_FACTOR));
    },
  ],
]);

function squareCost(call: CostedCall, node: CostNode | undefined, factor: number): CallCost | undefined {
  return node === undefined
    ? undefined
    : listCost(call, factor, multiplySizes(node.librarySize, node.librarySize));
}

/** The longest result: the shortest texts are replaced by the longest, as often as there is room for them. */
function replaceCost(call: CostedCall): CallCost | undefined {
  const [old, by] = call.args.map((each) => each.librarySize);
  if (call.target === undefined || old === undefined || by === undefined) return undefined;
  const { librarySize: size } = call.target;
  const times = (length: number, part: number): number => Math.ceil(length / part);
  const [most, keptMost] =
    old.min === 0
      ? [add(size.max, 1), size.max]
      : by.max <= old.min
        ? [0, size.max]
        : [times(size.max, old.min), 0];
  const [least, keptLeast] =
    old.max === 0
      ? [add(size.min, 1), size.min]
      : old.max <= by.min
        ? [0, size.min]
        : [times(size.min, old.max), 0];
  const result = {
    min: add(multiply(least, by.min), keptLeast),
    max: add(multiply(most, by.max), keptMost),
  };
  return costing(call, scale(size.max, 2 * TEXT_FACTOR), result);
}

/** Values of libraries are compared in a moment, whatever they hold. */
function libraryEquality(call: CostedCall): CallCost | undefined {
  const [a, b] = call.args;
  if (a === undefined || b === undefined || !isSameType(a.type, b.type)) return undefined;
  switch (a.type.name) {
    case "net.IP":
    case "net.CIDR":
    case "kubernetes.Quantity":
    case "kubernetes.Semver":
      return costing(call, 1);
    case "kubernetes.NamedFormat":
      return costing(call, scale(LONGEST_FORMAT_NAME, TEXT_FACTOR));
    case "kubernetes.URL":
      return costing(call, scale(b.computed?.max ?? 1, TEXT_FACTOR));
    default:
      return undefined;
  }
}
