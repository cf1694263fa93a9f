/** What is found wrong with an object. */
import type { Code } from "../core/codes.js";
import type { ErrorKind, Severity } from "../core/diagnostics.js";

/** Something wrong with an object, at a Kubernetes field path; keys with dots stand in brackets. */
export interface ObjectFinding {
  readonly code: Code;
  readonly kind: ErrorKind;
  readonly field: string;
  readonly message: string;
  readonly hint?: string;
  /** `error` when absent. */
  readonly severity?: Severity;
}

export type Refuse = (finding: ObjectFinding) => void;
