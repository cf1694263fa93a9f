/**
 * Flags as values: a flag knows its name, its help line and how to read itself, so that a command gets typed
 * values without repeating a name. The command line library only splits words.
 */
import { UsageError } from "./exit.js";

/** What the command line library hands over for one flag. */
export type RawFlag = string | boolean | readonly string[] | undefined;

export interface Flag<T> {
  readonly name: string;
  readonly describe: string;
  readonly kind: "text" | "switch" | "list";
  /** Shown in help as the value's name. */
  readonly value?: string;
  readonly alias?: string;
  readonly choices?: readonly string[];
  readonly initial?: string;
  /** Not shown in help. */
  readonly hidden?: boolean;
  /** Of a list: takes one value each time it stands, so that an operand may follow. */
  readonly oneEach?: boolean;
  read(raw: RawFlag): T;
}

interface Options {
  readonly value?: string;
  readonly alias?: string;
  readonly hidden?: boolean;
  readonly oneEach?: boolean;
}

const single = (name: string, raw: RawFlag): string | undefined => {
  if (raw === undefined) return undefined;
  if (typeof raw === "object") throw new UsageError(`--${name} is given more than once`);
  if (typeof raw !== "string") throw new UsageError(`--${name} needs one value`);
  if (raw === "") throw new UsageError(`--${name} needs a value that is not empty`);
  return raw;
};

/** A flag with a value that may be absent. */
export const text = (name: string, describe: string, options: Options = {}): Flag<string | undefined> => ({
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
    if (found === undefined) throw new UsageError(`--${name} ${word}: choose one of ${choices.join(", ")}`);
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
    if (typeof values === "boolean" || values.length === 0) throw new UsageError(`--${name} needs a value`);
    if (values.includes("")) throw new UsageError(`--${name} needs values that are not empty`);
    return values;
  },
});

/** An operand of a command, in the order written. */
export interface Operand<T> {
  readonly name: string;
  readonly describe: string;
  readonly required: boolean;
  readonly many: boolean;
  readonly choices?: readonly string[];
  read(raw: RawFlag): T;
}

export const operand = (name: string, describe: string): Operand<string> => ({
  name,
  describe,
  required: true,
  many: false,
  read: (raw) => {
    if (typeof raw !== "string") throw new UsageError(`${name.toUpperCase()} is missing`);
    return raw;
  },
});

export const optionalOperand = (name: string, describe: string): Operand<string | undefined> => ({
  name,
  describe,
  required: false,
  many: false,
  read: (raw) => (typeof raw === "string" ? raw : undefined),
});

export const operands = (
  name: string,
  describe: string,
  options: { required: boolean },
): Operand<readonly string[]> => ({
  name,
  describe,
  many: true,
  ...options,
  read: (raw) => (Array.isArray(raw) ? raw.map(String) : typeof raw === "string" ? [raw] : []),
});

/** The parsed command line of one command; `get` reads a flag or an operand with its own type. */
export interface Arguments {
  get<T>(of: Flag<T> | Operand<T>): T;
  /** True when the user gave the flag, as against its default. */
  given(flag: Flag<unknown>): boolean;
}

/** Flags that every command has. */
export const output = choiceWithDefault(
  "output",
  "text for people, json for scripts",
  ["text", "json"] as const,
  "text",
  {
    value: "FORM",
    alias: "o",
  },
);
export const logLevel = choiceWithDefault(
  "log-level",
  "how much is said on stderr",
  ["error", "warn", "info", "debug"] as const,
  "info",
  { value: "LEVEL" },
);
export const noColor = toggle("no-color", "no colours, as NO_COLOR does");
export const GLOBAL_FLAGS: readonly Flag<unknown>[] = [output, logLevel, noColor];
