/** What a command found, in the one form that reports for reviewers and baselines work with. */
import type { Diagnostic, Position, Severity } from "../../core/diagnostics.js";

export interface Finding extends Position {
  /** The code of a diagnostic, or the rule of a command that has rules of its own, such as R4 of `compat lint`. */
  readonly rule: string;
  readonly severity: Severity;
  /** Field path, gate or key; empty for the whole file. */
  readonly field: string;
  readonly message: string;
  readonly hint: string;
  /** The diagnostic that it is; absent for what the command's own text shows. */
  readonly diagnostic?: Diagnostic;
}

/** Rules that are no codes: what a command answers with statuses or verdicts. */
const RULES = {
  "check-stale": "a generated file is out of date",
  "check-conflict": "a generated file was edited, and its inputs changed",
  "check-missing": "a generated file is missing",
  "check-edited": "a generated file was edited",
  "check-added": "a file was added to a generated folder",
  "check-removed": "a generated file was removed",
  "check-unverifiable": "a generated file cannot be verified without the secrets",
  "generate-differs": "a generated file differs from what would be generated",
  "crd-refused": "the API server rejects the new CustomResourceDefinition",
  "crd-unsafe": "stored objects become unreadable or lose fields with the new CustomResourceDefinition",
  "etcd-unreadable": "values in etcd cannot be decrypted or decoded",
  "etcd-fails-list": "the target release cannot decode values in etcd",
  "etcd-misplaced": "objects in etcd have a name or namespace that differs from their key",
  "etcd-unwritable": "objects in etcd cannot be encoded as JSON",
  "etcd-orphaned": "custom resources in etcd have no CustomResourceDefinition",
  "etcd-not-served": "the target release does not serve resources that etcd contains",
} as const;

export type OwnRule = keyof typeof RULES;

/** What an own rule means; undefined for a code and for the rules of gate tables. */
export const meaningOf = (rule: string): string | undefined =>
  Object.entries(RULES).find(([name]) => name === rule)?.[1];

export const findingOf = (diagnostic: Diagnostic): Finding => {
  const { code, severity, file, line, column, field, message, hint } = diagnostic;
  return { rule: code, severity, file, line, column, field, message, hint, diagnostic };
};

/** A finding about a file as a whole, by an own rule. */
export const ownFinding = (
  rule: OwnRule,
  file: string,
  message: string,
  more: Partial<Pick<Finding, "severity" | "field" | "hint" | "line" | "column">> = {},
): Finding => ({ rule, severity: "error", file, line: 0, column: 0, field: "", message, hint: "", ...more });

/** True for a severity that is as bad as another one, or worse. */
export const isAtLeast = (severity: Severity, least: Severity): boolean =>
  ORDER.indexOf(severity) <= ORDER.indexOf(least);
const ORDER: readonly Severity[] = ["error", "warning", "info"];

/** What a reader of a report gets to see as one text. */
export const textOfFinding = ({ field, file, message, hint }: Finding): string =>
  `${field === "" || field === file ? "" : `${field}: `}${message}${hint === "" ? "" : `; ${hint}`}`;
