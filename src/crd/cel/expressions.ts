/**
 * Expressions in CEL as an API server holds them once they are parsed, macros written out (google/cel-go common/ast).
 * An expression is what it is by its identity: what a checker or an estimator finds of it is kept beside it. One that a
 * macro uses twice is one object, though a server makes a copy.
 */

/** A whole number without a sign. */
export interface CelUnsigned {
  readonly unsigned: bigint;
}
export type CelConstant = string | bigint | number | boolean | null | Uint8Array | CelUnsigned;

export interface CelLiteral {
  readonly kind: "literal";
  readonly value: CelConstant;
}
export interface CelName {
  readonly kind: "name";
  readonly name: string;
}
export interface CelSelect {
  readonly kind: "select";
  readonly operand: CelExpression;
  readonly field: string;
  /** True for has(), which asks whether the member is there. */
  readonly isTest: boolean;
}
export interface CelCall {
  readonly kind: "call";
  readonly name: string;
  readonly target: CelExpression | undefined;
  readonly args: readonly CelExpression[];
}
export interface CelList {
  readonly kind: "list";
  readonly items: readonly CelExpression[];
}
export interface CelMap {
  readonly kind: "map";
  readonly entries: readonly (readonly [CelExpression, CelExpression])[];
}
/** A loop over a range, as most macros are: `step` makes the next value of the accumulator, of which `result` is made. */
export interface CelFold {
  readonly kind: "fold";
  readonly range: CelExpression;
  /** Of an item or a key; two are those of index and item, or of key and value. */
  readonly names: readonly string[];
  readonly accumulator: string;
  readonly start: CelExpression;
  readonly condition: CelExpression;
  readonly step: CelExpression;
  readonly result: CelExpression;
}
/** A macro whose arguments are not what it takes. */
export interface CelFault {
  readonly kind: "fault";
  readonly fault: string;
}
export type CelExpression =
  | CelLiteral
  | CelName
  | CelSelect
  | CelCall
  | CelList
  | CelMap
  | CelFold
  | CelFault;

export const literal = (value: CelConstant): CelLiteral => ({ kind: "literal", value });
export const nameOf = (name: string): CelName => ({ kind: "name", name });
export const listOfItems = (...items: CelExpression[]): CelList => ({ kind: "list", items });
export const call = (name: string, ...args: CelExpression[]): CelCall => ({
  kind: "call",
  name,
  target: undefined,
  args,
});
export const memberCall = (target: CelExpression, name: string, ...args: CelExpression[]): CelCall => ({
  kind: "call",
  name,
  target,
  args,
});

/** `a.b.c`, where the expression is nothing but names. */
export function dottedName(expression: CelExpression): string | undefined {
  if (expression.kind === "name") return expression.name;
  if (expression.kind !== "select" || expression.isTest) return undefined;
  const before = dottedName(expression.operand);
  return before === undefined ? undefined : `${before}.${expression.field}`;
}
