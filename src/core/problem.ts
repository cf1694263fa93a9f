/**
 * Constructors of problems, in the words of Kubernetes' field errors (apimachinery pkg/util/validation/field), so that one kind
 * of fault reads the same everywhere: `field: invalid value "X": must be …`. A hint is an imperative with a value or a
 * command that works as it is printed.
 */
import type { Code } from "./codes.js";
import type { ErrorKind, Problem, Report, Severity } from "./diagnostics.js";

/**
 * What a problem has besides code, field and message; only a text is the hint. A `kind` replaces that of the constructor,
 * where the installer reports another one.
 */
export type More = string | Partial<Omit<Problem, "code" | "field" | "message">>;

/** Stands for a value that is never shown, such as a password. */
export const HIDDEN = Symbol("hidden");
/** A value as it is shown in a message; `undefined` is left out. */
export type Shown = string | number | boolean | null | undefined | typeof HIDDEN;

const LONGEST = 60;

function shown(value: Shown): string {
  if (value === undefined || value === HIDDEN) return "";
  if (typeof value !== "string") return ` ${value}`;
  return ` ${JSON.stringify(value.length > LONGEST ? `${value.slice(0, LONGEST - 1)}…` : value)}`;
}

/** Any problem; the constructors below serve the kinds that have words of their own. */
export const problem = (
  code: Code,
  kind: ErrorKind,
  field: string,
  message: string,
  more: More = {},
): Problem => ({ code, kind, field, message, ...(typeof more === "string" ? { hint: more } : more) });

const detailed = (what: string, detail: string): string => (detail === "" ? what : `${what}: ${detail}`);

/** `field: required value is missing: DETAIL`. */
export const required = (code: Code, field: string, detail = "", more?: More): Problem =>
  problem(code, "Required", field, detailed("required value is missing", detail), more);

/** `field: invalid value "X": must be …`; a secret value is `HIDDEN`. */
export const invalid = (code: Code, field: string, value: Shown, must: string, more?: More): Problem =>
  problem(code, "Invalid", field, detailed(`invalid value${shown(value)}`, must), more);

/** `field: unsupported value "X": supported values: "a", "b"`. */
export const unsupported = (
  code: Code,
  field: string,
  value: Shown,
  supported: readonly string[],
  more?: More,
): Problem =>
  problem(
    code,
    "NotSupported",
    field,
    detailed(
      `unsupported value${shown(value)}`,
      supported.length === 0
        ? ""
        : `supported values: ${supported.map((each) => JSON.stringify(each)).join(", ")}`,
    ),
    more,
  );

/** `field: forbidden: WHY`. */
export const forbidden = (code: Code, field: string, why: string, more?: More): Problem =>
  problem(code, "Forbidden", field, `forbidden: ${why}`, more);

/** `field: duplicate value "X"`. */
export const duplicate = (code: Code, field: string, value: Shown, more?: More): Problem =>
  problem(code, "Duplicate", field, `duplicate value${shown(value)}`, more);

/** `field: must have at most 63 characters`; `unit` is what is counted, in the plural. */
export const tooLong = (
  code: Code,
  field: string,
  most: number,
  unit: "bytes" | "characters",
  more?: More,
): Problem => problem(code, "TooLong", field, `must have at most ${most} ${unit}`, more);

/** `field: must have at most 16 items, has 20`. */
export const tooMany = (code: Code, field: string, count: number, most: number, more?: More): Problem =>
  problem(code, "TooMany", field, `must have at most ${most} items, has ${count}`, more);

/** Two fields that cannot both be set, or that contradict each other: `field: conflicts with OTHER: DETAIL`. */
export const conflict = (code: Code, field: string, other: string, detail = "", more?: More): Problem =>
  problem(code, "Invalid", field, detailed(`conflicts with ${other}`, detail), more);

/** A fact that only the cloud knows and no file gives: `field: WHAT is not listed in the facts file`. */
export const missingFact = (code: Code, field: string, what: string, more?: More): Problem =>
  problem(code, "Required", field, `${what} is not listed in the facts file`, more);

/** A file that earlier inputs made: `field: out of date: WHY`; a warning. */
export const outdated = (code: Code, field: string, why: string, more?: More): Problem =>
  warning(problem(code, "Invalid", field, `out of date: ${why}`, more));

/** A field that another one replaces: `field: deprecated: use REPLACEMENT`; a warning. */
export const deprecated = (code: Code, field: string, replacement: string, more?: More): Problem =>
  warning(problem(code, "Invalid", field, `deprecated: use ${replacement}`, more));

const graded =
  (severity: Severity) =>
  <T extends Problem>(each: T): T & { readonly severity: Severity } => ({ ...each, severity });

/** The problem as a warning, or as information. */
export const warning = graded("warning");
export const info = graded("info");

/** Where problems of one subject go: `at` puts a field's path before theirs, `when` drops them where it does not apply. */
export interface ProblemList {
  add(...problems: readonly (Problem | undefined)[]): void;
  /** The same list for what lies below a field: `at("networking").at("clusterNetwork[0]")`. */
  at(prefix: string): ProblemList;
  /** The same list where the condition holds, else one that drops everything. */
  when(condition: boolean): ProblemList;
}

/** The path of a field below another one; an index or a key in brackets follows without a dot. */
export const below = (prefix: string, field: string): string =>
  prefix === "" || field === "" || field.startsWith("[") ? `${prefix}${field}` : `${prefix}.${field}`;

const NOWHERE: ProblemList = {
  add: () => undefined,
  at: () => NOWHERE,
  when: () => NOWHERE,
};

/** A list that hands everything to `report`. */
export const problemList = (report: Report, prefix = ""): ProblemList => ({
  add: (...problems) => {
    for (const each of problems)
      if (each !== undefined)
        report({
          ...each,
          field: below(prefix, each.field ?? ""),
          ...(each.at === undefined ? {} : { at: below(prefix, each.at) }),
        });
  },
  at: (further) => problemList(report, below(prefix, further)),
  when: (condition) => (condition ? problemList(report, prefix) : NOWHERE),
});
