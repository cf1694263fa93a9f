/** What is found about transfer objects beside their syntax: set checks and checks of consent, as values. */
import type { Code } from "../core/codes.js";
import type { ErrorKind, Position, Severity } from "../core/diagnostics.js";

/** Names of checks; scripts may rely on them. */
export type CheckName =
  | "chain"
  | "cycle"
  | "differs-in-cluster"
  | "duplicate"
  | "executed"
  | "expired"
  | "groups"
  | "no-op"
  | "pin"
  | "recreated"
  | "same-source"
  | "same-target"
  | "stale"
  | "unpinned"
  | "volume";

export interface TransferFinding extends Position {
  readonly check: CheckName;
  readonly severity: Severity;
  readonly code: Code;
  readonly kind: ErrorKind;
  readonly field: string;
  readonly message: string;
  readonly hint: string;
  /** The objects concerned, as `KIND NAMESPACE/NAME`. */
  readonly objects: readonly string[];
}

/** Findings by which the source's side has not agreed to what would happen (exit 3 of `transfer plan`). */
export const NOT_CONSENTED: ReadonlySet<CheckName> = new Set([
  "executed",
  "expired",
  "pin",
  "recreated",
  "stale",
  "volume",
]);

/** An info does not count: what has no warning and no error is clean. */
export const isClean = (findings: readonly TransferFinding[]): boolean =>
  findings.every(({ severity }) => severity === "info");
