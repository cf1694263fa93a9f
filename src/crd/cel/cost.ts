/**
 * What an expression in CEL may cost at most, as an API server estimates it before any object is there (google/cel-go
 * checker/cost.go, k8s.io/apiserver pkg/cel/library/cost.go). Sizes come from the bounds of the schema; what has none is
 * as large as a request may be. The estimate is followed in all that it does, what looks like an oversight included:
 * a server refuses by it. Each part of the expression is looked at once.
 */

import type { RuleValue } from "../rule-types.js";
import { type CallCost, type CostModel, type CostNode, callCost } from "./call-costs.js";
import type { Checked } from "./checked.js";
import type { CelCall, CelExpression, CelFold, CelSelect } from "./expressions.js";
import { ACCUMULATOR } from "./macros.js";
import {
  add,
  type FieldPath,
  fixedSize,
  multiply,
  namesOf,
  pathOf,
  pathThrough,
  type Size,
  sum,
  UNKNOWN_SIZE,
  unionOf,
} from "./sizes.js";
import type { CelType } from "./types.js";

const LIST_COST = 10;
const MAP_COST = 30;

/** @param self what variables stand for; a server looks the sizes of all of them up there */
export function estimateCost(checked: Checked, self: RuleValue, model: CostModel): number {
  return new Estimation(checked, self, model).costOf(checked.tree);
}

/** Sizes of the items of a list, or of the keys and values of a map. */
interface EntrySize {
  readonly isList: boolean;
  readonly key: Size;
  readonly value: Size;
}

/** A variable of a loop, or what it accumulates. */
interface Local {
  readonly path: FieldPath | undefined;
  readonly size: Size | undefined;
  readonly entries: EntrySize | undefined;
}

class Estimation {
  readonly #checked: Checked;
  readonly #self: RuleValue;
  readonly #model: CostModel;
  readonly #costs = new Map<CelExpression, number>();
  readonly #paths = new Map<CelExpression, FieldPath>();
  readonly #sizes = new Map<CelExpression, Size>();
  readonly #entries = new Map<CelExpression, EntrySize>();
  readonly #locals = new Map<string, Local[]>();

  constructor(checked: Checked, self: RuleValue, model: CostModel) {
    this.#checked = checked;
    this.#self = self;
    this.#model = model;
  }

  costOf(expression: CelExpression): number {
    const known = this.#costs.get(expression);
    if (known !== undefined) return known;
    const cost = this.#ownCost(expression);
    this.#costs.set(expression, cost);
    return cost;
  }

  #ownCost(expression: CelExpression): number {
    switch (expression.kind) {
      case "name":
        return this.#nameCost(expression, expression.name);
      case "select":
        return this.#selectCost(expression);
      case "call":
        return this.#callCost(expression);
      case "list":
        return this.#listCost(expression, expression.items);
      case "map":
        return this.#mapCost(expression, expression.entries);
      case "fold":
        return isBinding(expression) && this.#model.entrySizes
          ? this.#bindingCost(expression)
          : this.#foldCost(expression);
      default:
        return 0;
    }
  }

  #nameCost(expression: CelExpression, name: string): number {
    const local = this.#local(name);
    const path = local === undefined ? pathOf(name) : local.path;
    if (path !== undefined) this.#paths.set(expression, path);
    return 1;
  }

  #selectCost(expression: CelSelect): number {
    const { operand, field, isTest } = expression;
    if (isTest) return this.costOf(operand);
    if (this.#checked.isName(expression)) return this.#nameCost(expression, dotted(expression));
    const cost = this.costOf(operand);
    const { name, fields } = this.#checked.typeOf(operand);
    const isObject = fields !== undefined || name === "map" || name.startsWith("kubernetes.");
    this.#paths.set(expression, pathThrough(this.#pathOf(operand), field));
    return add(cost, isObject ? 1 : 0);
  }

  #callCost(expression: CelCall): number {
    const called = this.#checked.callOf(expression);
    const [first] = expression.args;
    if (this.#model.entrySizes && called?.name === "dyn" && first !== undefined) {
      const cost = this.costOf(first);
      this.#copySizes(expression, first);
      return add(1, cost);
    }
    const argCosts: number[] = [];
    const args: CostNode[] = [];
    for (const each of expression.args) {
      argCosts.push(this.costOf(each));
      args.push(this.#nodeOf(each));
    }
    if (called === undefined || called.overloads.length === 0) return 0;
    const before = called.target === undefined ? 0 : this.costOf(called.target);
    const target = called.target === undefined ? undefined : this.#nodeOf(called.target);
    let most = 0;
    let size: Size | undefined;
    for (const overload of called.overloads) {
      const own = callCost(this.#model, called.name, overload, { target, args, argCosts });
      most = Math.max(most, own.cost);
      size = joinedSize(size, own);
      const index = INDEXED.get(overload.signature);
      if (index !== undefined && first !== undefined) {
        if (this.#model.entrySizes) size = this.#entriesOf(first)?.value;
        this.#paths.set(expression, pathThrough(this.#pathOf(first), index));
      }
      if (this.#model.entrySizes) {
        this.#noteEntries(expression, overload.signature);
        size ??= this.#sizeOf(expression);
      }
    }
    if (size !== undefined) this.#sizes.set(expression, size);
    return add(before, most);
  }

  /** What two lists or texts have in common, where they become one. */
  #noteEntries(expression: CelCall, signature: string): void {
    const [a, b] = JOINED.has(signature) ? expression.args.slice(-2) : [];
    const [first, second] = [a && this.#entriesOf(a), b && this.#entriesOf(b)];
    if (first === undefined || second === undefined) return;
    this.#entries.set(expression, {
      isList: first.isList,
      key: unionOf(first.key, second.key),
      value: unionOf(first.value, second.value),
    });
  }

  #listCost(expression: CelExpression, items: readonly CelExpression[]): number {
    const costs: number[] = [];
    const sizes: Size[] = [];
    for (const each of items) {
      costs.push(this.costOf(each));
      sizes.push(this.#coreSize(each));
    }
    this.#setEntries(expression, { isList: true, key: fixedSize(1), value: unionOfAll(sizes) });
    return add(sum(costs), LIST_COST);
  }

  #mapCost(expression: CelExpression, entries: readonly (readonly [CelExpression, CelExpression])[]): number {
    const costs: number[] = [];
    const keys: Size[] = [];
    const values: Size[] = [];
    for (const [key, value] of entries) {
      costs.push(this.costOf(key), this.costOf(value));
      keys.push(this.#coreSize(key));
      values.push(this.#coreSize(value));
    }
    this.#setEntries(expression, { isList: false, key: unionOfAll(keys), value: unionOfAll(values) });
    return add(sum(costs), MAP_COST);
  }

  // ---- loops ----

  #foldCost(fold: CelFold): number {
    const before = add(this.costOf(fold.range), this.costOf(fold.start));
    if (!this.#model.entrySizes) return this.#plainFoldCost(fold, before);
    this.#push(fold.accumulator, this.#bound(fold.start));
    const [first = "", second] = fold.names;
    this.#push(first, this.#iterated(fold.range, second === undefined ? "single" : "key"));
    if (second !== undefined) this.#push(second, this.#iterated(fold.range, "value"));
    const condition = this.costOf(fold.condition);
    const step = this.costOf(fold.step);
    for (const name of fold.names) this.#pop(name);
    const result = this.costOf(fold.result);
    this.#pop(fold.accumulator);
    const range = this.#coreSize(fold.range);
    if (fold.start.kind === "literal") this.#setSize(fold, this.#sizeOf(fold.start));
    if (fold.start.kind === "list" || fold.start.kind === "map") {
      this.#sizes.set(fold, range);
      this.#setEntries(fold, this.#entriesOf(fold.step));
    }
    return sum([before, result, multiply(range.max, add(step, condition))]);
  }

  /** As servers did it before they followed sizes: of two names the second is nothing that they know. */
  #plainFoldCost(fold: CelFold, before: number): number {
    const [first = ""] = fold.names;
    const part = PLAIN_PARTS.get(this.#checked.typeOf(fold.range).name);
    const range = this.#pathOf(fold.range);
    const path = part === undefined ? undefined : pathThrough(range, part);
    this.#push(first, { path, size: undefined, entries: undefined });
    const condition = this.costOf(fold.condition);
    const step = this.costOf(fold.step);
    this.#pop(first);
    const result = this.costOf(fold.result);
    const size = this.#nodeOf(fold.range).size;
    this.#sizes.set(fold, size);
    return sum([before, result, multiply(size.max, add(step, condition))]);
  }

  #bindingCost(fold: CelFold): number {
    const before = add(this.costOf(fold.range), this.costOf(fold.start));
    this.#push(fold.accumulator, this.#bound(fold.start));
    const result = this.costOf(fold.result);
    this.#pop(fold.accumulator);
    this.#copySizes(fold, fold.result);
    return add(before, result);
  }

  #bound(expression: CelExpression): Local {
    return {
      path: this.#pathOf(expression),
      size: this.#sizeOf(expression),
      entries: this.#entriesOf(expression),
    };
  }

  #iterated(range: CelExpression, part: "single" | "key" | "value"): Local {
    const entries = this.#entriesOf(range);
    const isList = entries?.isList ?? this.#checked.typeOf(range).name === "list";
    const isValue = part === "value" || (part === "single" && isList);
    const under = isValue ? (isList ? "@items" : "@values") : isList ? "@indices" : "@keys";
    return {
      path: pathThrough(this.#pathOf(range), under),
      size: isValue ? entries?.value : entries?.key,
      entries: undefined,
    };
  }

  #push(name: string, local: Local): void {
    const stack = this.#locals.get(name) ?? [];
    stack.push(local);
    this.#locals.set(name, stack);
  }

  #pop(name: string): void {
    this.#locals.get(name)?.pop();
  }

  #local(name: string): Local | undefined {
    return this.#locals.get(name)?.at(-1);
  }

  // ---- sizes ----

  #pathOf(expression: CelExpression): FieldPath | undefined {
    const local = expression.kind === "name" ? this.#local(expression.name) : undefined;
    return local !== undefined && this.#model.entrySizes ? local.path : this.#paths.get(expression);
  }

  /** What is known of an argument now, and of its items when somebody asks. */
  #nodeOf(expression: CelExpression): CostNode {
    const own = this.#pathOf(expression);
    const path = own?.cells[0] === ACCUMULATOR ? undefined : own;
    const type = this.#checked.typeOf(expression);
    const computed = this.#model.entrySizes
      ? this.#sizeOf(expression)
      : (this.#sizes.get(expression) ?? writtenSize(expression));
    const librarySize = computed ?? this.#declaredSize(path) ?? UNKNOWN_SIZE;
    return {
      expression,
      type,
      computed,
      librarySize,
      size:
        this.#model.entrySizes || computed !== undefined
          ? (computed ?? UNKNOWN_SIZE)
          : (this.#declaredSize(path) ?? (isScalar(type, false) ? fixedSize(1) : UNKNOWN_SIZE)),
      itemSize: () =>
        (path === undefined ? undefined : this.#declaredSize(pathThrough(copyOf(path), "@items"))) ??
        UNKNOWN_SIZE,
    };
  }

  #coreSize(expression: CelExpression): Size {
    return (this.#model.entrySizes ? this.#sizeOf(expression) : undefined) ?? UNKNOWN_SIZE;
  }

  #sizeOf(expression: CelExpression): Size | undefined {
    const known = this.#sizes.get(expression) ?? writtenSize(expression);
    if (known !== undefined) return known;
    const declared = this.#declaredSize(this.#pathOf(expression));
    if (declared !== undefined) {
      this.#sizes.set(expression, declared);
      return declared;
    }
    if (isScalar(this.#checked.typeOf(expression), true)) return fixedSize(1);
    return expression.kind === "name" ? this.#local(expression.name)?.size : undefined;
  }

  /** The size that the schema gives what the path leads to; the variable that it begins with is not looked at. */
  #declaredSize(path: FieldPath | undefined): Size | undefined {
    if (path === undefined || path.length === 0) return undefined;
    let value: RuleValue | undefined = this.#self;
    for (const name of namesOf(path).slice(1)) {
      if (name === "@items" || name === "@values") value = value.item;
      else value = name === "@keys" ? value.key : value.members?.get(name);
      if (value === undefined) return undefined;
    }
    return { min: 0, max: value.most };
  }

  #setSize(expression: CelExpression, size: Size | undefined): void {
    if (size !== undefined) this.#sizes.set(expression, size);
  }

  #setEntries(expression: CelExpression, entries: EntrySize | undefined): void {
    if (entries !== undefined) this.#entries.set(expression, entries);
  }

  #entriesOf(expression: CelExpression): EntrySize | undefined {
    const own = this.#entries.get(expression);
    if (own !== undefined || expression.kind !== "name") return own;
    return this.#local(expression.name)?.entries;
  }

  #copySizes(to: CelExpression, from: CelExpression): void {
    this.#setSize(to, this.#sizeOf(from));
    this.#setEntries(to, this.#entriesOf(from));
  }
}

/** Where an index leads. */
const INDEXED: ReadonlyMap<string, string> = new Map([
  ["_[_](list(A), int)", "@items"],
  ["_[_](map(A, B), A)", "@values"],
]);
const PLAIN_PARTS: ReadonlyMap<string, string> = new Map([
  ["list", "@items"],
  ["map", "@keys"],
]);
const JOINED = new Set([
  "_?_:_(bool, A, A)",
  "_+_(string, string)",
  "_+_(bytes, bytes)",
  "_+_(list(A), list(A))",
]);

/** A name for a value, and no loop. */
const isBinding = ({ range, condition }: CelFold): boolean =>
  range.kind === "list" &&
  range.items.length === 0 &&
  condition.kind === "literal" &&
  condition.value === false;

const joinedSize = (size: Size | undefined, { size: own }: CallCost): Size | undefined =>
  size === undefined || own === undefined ? (size ?? own) : unionOf(size, own);

const unionOfAll = (sizes: readonly Size[]): Size =>
  sizes.reduce<Size | undefined>(
    (before, each) => (before === undefined ? each : unionOf(before, each)),
    undefined,
  ) ?? fixedSize(0);

const copyOf = ({ cells, length }: FieldPath): FieldPath => ({
  cells: cells.slice(0, length),
  capacity: length,
  length,
});

const dotted = ({ operand, field }: CelSelect): string =>
  operand.kind === "name"
    ? `${operand.name}.${field}`
    : operand.kind === "select"
      ? `${dotted(operand)}.${field}`
      : field;

/** The size of what is written out. */
function writtenSize(expression: CelExpression): Size | undefined {
  if (expression.kind === "list") return fixedSize(expression.items.length);
  if (expression.kind === "map") return fixedSize(expression.entries.length);
  if (expression.kind !== "literal") return undefined;
  const { value } = expression;
  if (typeof value === "string") return fixedSize([...value].length);
  return fixedSize(value instanceof Uint8Array ? value.length : 1);
}

const SCALARS = new Set(["bool", "double", "duration", "int", "timestamp", "uint"]);
const isScalar = ({ name, of: [inner] }: CelType, isOptionalToo: boolean): boolean =>
  SCALARS.has(name) ||
  (isOptionalToo && name === "optional_type" && inner !== undefined && isScalar(inner, true));
