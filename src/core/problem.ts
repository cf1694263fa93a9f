/**
 * Constructors of problems, in the words of Kubernetes' field errors (apimachinery pkg/util/validation/field), so that one kind
 * of fault reads the same everywhere: `field: invalid value "X": must be …`. A hint is an imperative with a value or a
 * command that works as it is printed.
 */
import type { Code } from "./codes.js";
import { counted } from "./counted.js";
import type { Diagnostic, ErrorKind, Position, Problem, Severity } from "./diagnostics.js";

export type { Problem };

/** What the constructors make: a problem that names its field. */
export type Found = Problem & Pick<Diagnostic, "field">;

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
): Found => ({ code, kind, field, message, ...(typeof more === "string" ? { hint: more } : more) });

const detailed = (what: string, detail: string): string => (detail === "" ? what : `${what}: ${detail}`);

/** `field: required value is missing: DETAIL`. */
export const required = (code: Code, field: string, detail = "", more?: More): Found =>
  problem(code, "Required", field, detailed("required value is missing", detail), more);

/** `field: invalid value "X": must be …`; a secret value is `HIDDEN`. */
export const invalid = (code: Code, field: string, value: Shown, must: string, more?: More): Found =>
  problem(code, "Invalid", field, detailed(`invalid value${shown(value)}`, must), more);

/** `field: unsupported value "X": supported values: "a", "b"`. */
export const unsupported = (
  code: Code,
  field: string,
  value: Shown,
  supported: readonly string[],
  more?: More,
): Found =>
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
export const forbidden = (code: Code, field: string, why: string, more?: More): Found =>
  problem(code, "Forbidden", field, `forbidden: ${why}`, more);

/** `field: duplicate value "X"`. */
export const duplicate = (code: Code, field: string, value: Shown, more?: More): Found =>
  problem(code, "Duplicate", field, `duplicate value${shown(value)}`, more);

/** `field: must have at most 63 characters`; `unit` is what is counted, in the plural. */
export const tooLong = (
  code: Code,
  field: string,
  most: number,
  unit: "bytes" | "characters",
  more?: More,
): Found => problem(code, "TooLong", field, `must have at most ${most} ${unit}`, more);

/** `field: must have at most 16 items, has 20`. */
export const tooMany = (code: Code, field: string, count: number, most: number, more?: More): Found =>
  problem(code, "TooMany", field, `must have at most ${counted(most, "item")}, has ${count}`, more);

/** Two fields that cannot both be set, or that contradict each other: `field: conflicts with OTHER: DETAIL`. */
export const conflict = (code: Code, field: string, other: string, detail = "", more?: More): Found =>
  problem(code, "Invalid", field, detailed(`conflicts with ${other}`, detail), more);

/** A fact that only the cloud knows and no file gives: `field: WHAT is not listed in the facts file`. */
export const missingFact = (code: Code, field: string, what: string, more?: More): Found =>
  problem(code, "Required", field, `${what} is not listed in the facts file`, more);

/** A file that earlier inputs made: `field: out of date: WHY`; a warning. */
export const outdated = (code: Code, field: string, why: string, more?: More): Found =>
  warning(problem(code, "Invalid", field, `out of date: ${why}`, more));

/** A field that another one replaces: `field: deprecated: use REPLACEMENT`; a warning. */
export const deprecated = (code: Code, field: string, replacement: string, more?: More): Found =>
  warning(problem(code, "Invalid", field, `deprecated: use ${replacement}`, more));

/** A field that another setting leaves without effect: `field: ignored because WHY`; a warning. */
export const ignored = (code: Code, field: string, why: string, more?: More): Found =>
  warning(problem(code, "Invalid", field, `ignored because ${why}`, more));

interface Graded {
  /** The same problem with this severity. */
  <T extends Problem>(each: T): T & { readonly severity: Severity };
  /** Any problem with this severity, as `problem` makes it. */
  (...words: Parameters<typeof problem>): Found;
}

const graded = (severity: Severity): Graded => {
  function grade<T extends Problem>(each: T): T & { readonly severity: Severity };
  function grade(...words: Parameters<typeof problem>): Found;
  function grade(...words: readonly [Problem] | Parameters<typeof problem>): Problem {
    return { ...(words.length === 1 ? words[0] : problem(...words)), severity };
  }
  return grade;
};

/** The problem as a warning, or as information: `warning(invalid(…))`, or `warning(CODE, KIND, FIELD, MESSAGE, MORE)`. */
export const warning = graded("warning");
export const info = graded("info");

type Words = Parameters<typeof problem>;

/** Constructors by severity, for code that returns problems instead of reporting them. */
export interface PlacedProblems<T = Problem> {
  error(...words: Words): T;
  warning(...words: Words): T;
  info(...words: Words): T;
}

/** Constructors of problems at a place in a file. */
export const problemsAt = (place: Partial<Position>): PlacedProblems => ({
  error: (...words) => ({ ...problem(...words), ...place }),
  warning: (...words) => warning({ ...problem(...words), ...place }),
  info: (...words) => info({ ...problem(...words), ...place }),
});

/**
 * Where problems of one subject go. The methods with the names of constructors report a problem of the list's own field;
 * `report` serves the kinds that have no words of their own.
 */
export interface ProblemList {
  add(...problems: readonly (Problem | undefined)[]): void;
  report(code: Code, kind: ErrorKind, message: string, more?: More): void;
  required(code: Code, detail?: string, more?: More): void;
  invalid(code: Code, value: Shown, must: string, more?: More): void;
  unsupported(code: Code, value: Shown, supported: readonly string[], more?: More): void;
  forbidden(code: Code, why: string, more?: More): void;
  duplicate(code: Code, value: Shown, more?: More): void;
  /** The same list for what lies below a field, and at a place: `at("networking").at("clusterNetwork[0]")`. */
  at(prefix: string, place?: Partial<Position>): ProblemList;
  /** The same list where the condition holds, else one that drops everything. */
  when(condition: boolean): ProblemList;
  /** The same list, where everything is a warning, or information. */
  readonly warnings: ProblemList;
  readonly infos: ProblemList;
}

/** The path of a field below another one; an index or a key in brackets follows without a dot. */
export const below = (prefix: string, field: string): string =>
  prefix === "" || field === "" || field.startsWith("[") ? `${prefix}${field}` : `${prefix}.${field}`;

/** A list that hands everything to `report`: below a field, and at a place unless a problem names its own. */
export const problemList = (
  report: (problem: Found) => void,
  prefix = "",
  place: Partial<Position> = {},
): ProblemList => {
  const add = (each: Problem): void =>
    report({
      ...(each.file === undefined ? { ...each, ...place } : each),
      field: below(prefix, each.field ?? ""),
      ...(prefix === "" || each.at === undefined ? {} : { at: below(prefix, each.at) }),
    });
  return {
    add: (...problems) => {
      for (const each of problems) if (each !== undefined) add(each);
    },
    report: (code, kind, ...rest) => add(problem(code, kind, "", ...rest)),
    required: (code, ...rest) => add(required(code, "", ...rest)),
    invalid: (code, ...rest) => add(invalid(code, "", ...rest)),
    unsupported: (code, ...rest) => add(unsupported(code, "", ...rest)),
    forbidden: (code, ...rest) => add(forbidden(code, "", ...rest)),
    duplicate: (code, ...rest) => add(duplicate(code, "", ...rest)),
    at: (further, at) => problemList(add, further, at),
    when: (condition) => problemList(condition ? add : () => undefined),
    get warnings() {
      return problemList((each) => add(warning(each)));
    },
    get infos() {
      return problemList((each) => add(info(each)));
    },
  };
};
