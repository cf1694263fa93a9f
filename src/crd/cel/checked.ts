/** What is known of an expression in CEL once it is compiled: what builds programs and estimates costs goes by it. */
import type { CelCall, CelExpression, CelSelect } from "./expressions.js";
import type { CelOverload } from "./functions.js";
import type { CelType } from "./types.js";

/** An expression whose types are known. */
export interface Checked {
  readonly tree: CelExpression;
  typeOf(expression: CelExpression): CelType;
  /** True for a select that is no member of anything, such as the name of a type with dots in it. */
  isName(expression: CelSelect): boolean;
  /** What is called; undefined for a call that fits no function. */
  callOf(expression: CelCall): CheckedCall | undefined;
}

export interface CheckedCall {
  readonly name: string;
  /** The receiver; undefined for a function, one whose name has dots in it as well. */
  readonly target: CelExpression | undefined;
  /** Signatures that fit, several where the type of an argument is not known beforehand. */
  readonly overloads: readonly CelOverload[];
}
