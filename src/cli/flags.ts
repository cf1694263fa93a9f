/** What the command line adds to flags: operands, what was parsed, and the flags of every command. */
import { choiceWithDefault, type Flag, type RawFlag, text, toggle, UsageError } from "../core/flags.js";

export {
  choice,
  choiceWithDefault,
  type Flag,
  list,
  type RawFlag,
  text,
  textWithDefault,
  toggle,
} from "../core/flags.js";

/** An operand of a command, in the order written. */
export interface Operand<T> {
  readonly name: string;
  readonly describe: string;
  readonly required: boolean;
  readonly many: boolean;
  readonly choices?: readonly string[];
  /** `-` is standard input, which is read before the command runs. */
  readonly stream?: "input";
  read(raw: RawFlag): T;
}

/** What a command line says that lacks an operand. */
export const missingArgument = ({ name, choices }: Pick<Operand<unknown>, "name" | "choices">): string =>
  `missing argument: ${name.toUpperCase()}${choices === undefined ? "" : ` (${alternatives(choices)})`}`;

/** `bash, zsh or fish`. */
export const alternatives = (words: readonly string[]): string =>
  words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;

export const operand = (
  name: string,
  describe: string,
  options: Pick<Operand<string>, "stream"> = {},
): Operand<string> => ({
  name,
  describe,
  ...options,
  required: true,
  many: false,
  read: (raw) => {
    if (typeof raw !== "string") throw new UsageError(missingArgument({ name }));
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
  options: { required: boolean; stream?: "input" },
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
  /** A text for people, in which every command of slipway has the inputs of this run and can be typed as it stands. */
  readonly complete: (text: string) => string;
  /** The flags that were given, by name. */
  readonly raw: Readonly<Record<string, RawFlag>>;
}

const FORMAT = { value: "FORMAT", alias: "o" };
/** Reports of findings, for those who review changes. */
const REPORT_FORMS = ["sarif", "github", "junit"] as const;
export type ReportForm = (typeof REPORT_FORMS)[number];
export const reportForm = (word: string): ReportForm | undefined =>
  REPORT_FORMS.find((each) => each === word);

/** Flags that every command has. A command that finds something takes more formats, which are all read by this one. */
export const output = choiceWithDefault(
  "output",
  "output format; sarif, github (annotations) and junit are reports of the findings",
  ["text", "json", ...REPORT_FORMS],
  "text",
  FORMAT,
);
const plainOutput = choiceWithDefault("output", "output format", ["text", "json"], "text", FORMAT);
export const baseline = text(
  "baseline",
  "accepted findings, each with a reason and an end date; see slipway explain baseline",
  { value: "FILE" },
);
export const logLevel = choiceWithDefault(
  "log-level",
  "verbosity of messages on stderr",
  ["error", "warn", "info", "debug"] as const,
  "info",
  { value: "LEVEL" },
);
export const noColor = toggle("no-color", "disable colors; same as setting the variable NO_COLOR");
export const GLOBAL_FLAGS: readonly Flag<unknown>[] = [plainOutput, logLevel, noColor];
const FINDING_FLAGS: readonly Flag<unknown>[] = [output, baseline, logLevel, noColor];
/** The flags that a command has besides its own. */
export const globalFlagsOf = ({ findings }: { readonly findings?: true }): readonly Flag<unknown>[] =>
  findings === true ? FINDING_FLAGS : GLOBAL_FLAGS;
