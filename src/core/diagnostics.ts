/**
 * Diagnostics: the one form in which every problem reaches a user.
 *
 * A problem in an input, in a directory or in an answer is a value, never an exception; an exception is a
 * bug of ours. Nothing branches on the text of a message.
 */
import type { Code } from "./codes.js";

export type Severity = "error" | "warning" | "info";

/** The error kinds of Kubernetes' field errors, plus `Parse` for text that cannot be read at all. */
export type ErrorKind =
  | "Required"
  | "Invalid"
  | "NotSupported"
  | "Forbidden"
  | "Duplicate"
  | "TooMany"
  | "TooLong"
  | "NotFound"
  | "InternalError"
  | "Parse";

/** A place in an input text. Lines and columns start at 1; 0 means "the file as a whole". */
export interface Position {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

export interface Diagnostic extends Position {
  readonly severity: Severity;
  /** Stable identifier, listed in `codes.ts`; scripts may rely on it. */
  readonly code: Code;
  readonly kind: ErrorKind;
  /** Kubernetes field path, such as `networking.clusterNetwork[0].hostPrefix`; empty for a whole document. */
  readonly field: string;
  /** What is wrong. Never holds a secret. */
  readonly message: string;
  /** What would be right. */
  readonly hint: string;
}

/** A diagnostic as scripts get it in JSON. */
export interface DocumentedDiagnostic extends Diagnostic {
  /** Where the documentation explains the code. */
  readonly help: string;
}

/** The place of a code in the documentation. */
export const helpOf = (code: Code): string => `docs/reference/diagnostics.md#${code}`;

export const documented = (each: Diagnostic): DocumentedDiagnostic => ({ ...each, help: helpOf(each.code) });

/**
 * How a problem of a document gets its position. Code that knows the document resolves it to a position; a diagnostic does not have it.
 * `at` is the field to look at where the installer names another one. `below` says that something is missing below the
 * field, which is not reported where it is present and cannot be read. `inFile` replaces members where the value comes
 * from a file that a flag names.
 */
interface Placement {
  readonly at?: string;
  readonly below?: boolean;
  readonly inFile?: Partial<Pick<Diagnostic, "line" | "column" | "message" | "hint">>;
  /** The fact of the cloud that is missing, and what nothing is known of. */
  readonly fact?: MissingFact;
}

export interface MissingFact {
  /** Path in the facts file, such as `aws.subnets`. */
  readonly path: string;
  /** Names of the things that the fact is about; empty where there is one value of the kind. */
  readonly names: readonly string[];
}

/** Everything of a diagnostic but where it is; `report` of a `Reporter` adds what is left out. */
export type Problem = Pick<Diagnostic, "code" | "kind" | "message"> & Partial<Diagnostic> & Placement;

/** Completes a problem: severity `error`, no position, no field and no hint unless given. */
export function diagnostic({
  at: _at,
  below: _below,
  inFile: _inFile,
  fact: _fact,
  ...problem
}: Problem): Diagnostic {
  return { severity: "error", file: "", line: 0, column: 0, field: "", hint: "", ...problem };
}

/** A problem at a place, unless it names a file of its own: lines of one file are none of another. */
export const placed = (problem: Problem, position: Position): Problem =>
  problem.file === undefined ? { ...position, ...problem } : problem;

/** Takes what is found wrong. */
export type Report = (problem: Problem) => void;

/** Collects diagnostics; handed to everything that can find a problem. */
export interface Reporter {
  report(problem: Problem): void;
  readonly diagnostics: readonly Diagnostic[];
  /** True once an error was reported. */
  readonly failed: boolean;
}

export function createReporter(): Reporter {
  const diagnostics: Diagnostic[] = [];
  const seen = new Set<string>();
  return {
    report(problem) {
      const found = diagnostic(problem);
      const key = keyOf(found);
      // What is found twice at one place, by two readers of a file, is one problem.
      if (!seen.has(key)) diagnostics.push(found);
      seen.add(key);
    },
    get diagnostics() {
      return diagnostics;
    },
    get failed() {
      return diagnostics.some(isError);
    },
  };
}

export const isError = (each: Diagnostic): boolean => each.severity === "error";

const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const keyOf = ({ code, severity, kind, file, line, column, field, message, hint }: Diagnostic): string =>
  JSON.stringify([code, severity, kind, file, line, column, field, message, hint]);

/** What two readers of the same files found, each problem once. */
export function distinct(problems: readonly Problem[]): readonly Diagnostic[] {
  const { report, diagnostics } = createReporter();
  problems.forEach(report);
  return diagnostics;
}

/** Orders by file, line, column, field, code. */
export const sortDiagnostics = (diagnostics: readonly Diagnostic[]): Diagnostic[] =>
  [...diagnostics].sort(
    (a, b) =>
      order(a.file, b.file) ||
      a.line - b.line ||
      a.column - b.column ||
      order(a.field, b.field) ||
      order(a.code, b.code) ||
      order(a.message, b.message),
  );

/** `file:line:column`, as far as it is known. */
export const placeOf = ({ file, line, column }: Position): string =>
  file === "" || line === 0 ? file : `${file}:${line}:${column}`;

/** `file:line:column: severity code: field.path: what is wrong; what would be right` */
export function formatDiagnostic(each: Diagnostic): string {
  const place = each.file === "" ? "" : `${placeOf(each)}: `;
  // A flag that a problem is about stands for its file.
  const field = each.field === "" || each.field === each.file ? "" : `${each.field}: `;
  const hint = each.hint === "" ? "" : `; ${each.hint}`;
  return `${place}${each.severity} ${each.code}: ${field}${each.message}${hint}`;
}
