/** What a user can do about a diagnostic, and why it exists. */
import type { Code } from "../../core/codes.js";

export interface Remedy {
  /** What to do, as an imperative in one line. */
  readonly remedy: string;
}

/** Of a code that ordinary runs meet. */
export interface CommonRemedy extends Remedy {
  /** What goes wrong otherwise. */
  readonly why: string;
  /** Lines of a file or of a shell. */
  readonly example: string;
}

/** A row for each code with one of the prefixes: a missing row is a type error. */
export type Remedies<P extends string> = {
  readonly [C in Extract<Code, `${P}${number}`>]: Remedy | CommonRemedy;
};
