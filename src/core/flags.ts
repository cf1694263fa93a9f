/**
 * Flags as values: a flag knows its name, its help line and how to read itself, so that a command gets typed
 * values without repeating a name. The command line library only splits words.
 */

import type { Problem } from "./diagnostics.js";
import { problem } from "./problem.js";

/** A command line that cannot be obeyed; carries what to tell the user. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** What the command line library hands over for one flag. */
export type RawFlag = string | boolean | readonly string[] | undefined;

export interface Flag<T, N extends string = string> {
  readonly name: N;
  readonly describe: string;
  readonly kind: "text" | "switch" | "list";
  /** Shown in help as the value's name. */
  readonly value?: string;
  readonly alias?: string;
  /** Names that it had before: accepted, and not shown. */
  readonly formerly?: readonly string[];
  readonly choices?: readonly string[];
  readonly initial?: string;
  /** Help of a command with many flags shows those with a topic below it, after the flags of every day. */
  readonly topic?: string;
  /** Not shown in help. */
  readonly hidden?: boolean;
  /**
   * Says what the command reads, or makes for the next one: a remedy that names a command which reads it there names it
   * with the same value.
   */
  readonly names?: "input" | "result";
  /** Of a list: takes one value each time it stands, so that an operand may follow. */
  readonly oneEach?: boolean;
  /**
   * What `-` means in the place of a file: standard input, which is read before the command runs; or the command itself
   * reads or writes the stream. Absent, `-` is refused, so that no file of that name comes about.
   */
  readonly stream?: "input" | "own";
  read(raw: RawFlag): T;
}

/** The names of a flag beside its own. */
export const otherNames = ({ alias, formerly = [] }: Flag<unknown>): readonly string[] => [
  ...(alias === undefined ? [] : [alias]),
  ...formerly,
];

/** The problem of a flag that is given and changes nothing; as a warning where the answer is given nevertheless. */
export const idleFlag = (
  { name }: Flag<unknown>,
  why: string,
  hint: string,
  severity: "error" | "warning" = "error",
): Problem => {
  const more = { severity, file: `--${name}`, hint };
  return problem("FLAG001", "Forbidden", "", `the flag has no effect: ${why}`, more);
};

interface Options {
  readonly topic?: string;
  readonly value?: string;
  readonly alias?: string;
  readonly formerly?: readonly string[];
  readonly hidden?: boolean;
  readonly names?: "input" | "result";
  readonly oneEach?: boolean;
  readonly stream?: "input" | "own";
}

const single = (name: string, raw: RawFlag): string | undefined => {
  if (raw === undefined) return undefined;
  if (typeof raw === "object") throw new UsageError(`--${name} must be set only once`);
  if (typeof raw !== "string") throw new UsageError(`--${name} requires one value`);
  if (raw === "") throw new UsageError(`--${name} requires a non-empty value`);
  return raw;
};

/** A flag with a value that may be absent. */
export const text = <const N extends string>(
  name: N,
  describe: string,
  options: Options = {},
): Flag<string | undefined, N> => ({
  name,
  describe,
  kind: "text",
  ...options,
  read: (raw) => single(name, raw),
});

/** A flag with a value and a default. */
export const textWithDefault = (
  name: string,
  describe: string,
  initial: string,
  options: Options = {},
): Flag<string> => ({
  name,
  describe,
  kind: "text",
  initial,
  ...options,
  read: (raw) => single(name, raw) ?? initial,
});

/** A flag whose value is one of a few words. */
export const choice = <const C extends string>(
  name: string,
  describe: string,
  choices: readonly C[],
  options: Options = {},
): Flag<C | undefined> => ({
  name,
  describe,
  kind: "text",
  choices,
  ...options,
  read: (raw) => {
    const word = single(name, raw);
    if (word === undefined) return undefined;
    const found = choices.find((each) => each === word);
    if (found === undefined)
      throw new UsageError(
        `--${name}: unsupported value ${JSON.stringify(word)}: supported values: ${choices.join(", ")}`,
      );
    return found;
  },
});

/** As `choice`, with a default. */
export const choiceWithDefault = <const C extends string>(
  name: string,
  describe: string,
  choices: readonly C[],
  initial: C,
  options: Options = {},
): Flag<C> => {
  const { read, ...rest } = choice(name, describe, choices, options);
  return { ...rest, initial, read: (raw) => read(raw) ?? initial };
};

/** A flag that is there or not. */
export const toggle = (name: string, describe: string, options: Options = {}): Flag<boolean> => ({
  name,
  describe,
  kind: "switch",
  ...options,
  read: (raw) => raw === true || (typeof raw === "object" && raw.includes("true")),
});

/** A flag that takes one value or more, and may be repeated. */
export const list = (name: string, describe: string, options: Options = {}): Flag<readonly string[]> => ({
  name,
  describe,
  kind: "list",
  ...options,
  read: (raw) => {
    if (raw === undefined) return [];
    const values = typeof raw === "string" ? [raw] : raw;
    if (typeof values === "boolean" || values.length === 0)
      throw new UsageError(`--${name} requires a value`);
    if (values.includes("")) throw new UsageError(`--${name} requires non-empty values`);
    return values;
  },
});
