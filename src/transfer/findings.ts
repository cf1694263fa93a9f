/** What is found about transfer objects beside their syntax: set checks and checks of consent, as values. */
import { type Diagnostic, diagnostic, type Position, type Problem } from "../core/diagnostics.js";
import { type PlacedProblems, problemsAt } from "../core/problem.js";
import { describe, type TransferObject } from "./api.js";

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

/** A problem that a check of transfers found. */
export interface TransferFinding extends Diagnostic {
  readonly check: CheckName;
  /** The objects concerned, as `KIND NAMESPACE/NAME`. */
  readonly objects: readonly string[];
}

/** Constructors of findings of a check about some objects, at a place. */
export function findingsOf(
  check: CheckName,
  place: Position,
  objects: readonly TransferObject[],
): PlacedProblems<TransferFinding> {
  const at = problemsAt(place);
  const found = (problem: Problem): TransferFinding => ({
    ...diagnostic(problem),
    check,
    objects: objects.map(describe),
  });
  return {
    error: (...words) => found(at.error(...words)),
    warning: (...words) => found(at.warning(...words)),
    info: (...words) => found(at.info(...words)),
  };
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
