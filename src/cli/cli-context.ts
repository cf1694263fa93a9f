/**
 * What a command gets from outside: streams, time, randomness, keys and the few environment variables that
 * count. Files are read through `files.ts` and written through `directory/` only.
 */
import type { Inputs } from "../core/inputs.js";
import type { Review } from "./findings/review.js";

export interface Terminal {
  readonly isTerminal: boolean;
  /** Width in columns; undefined where it is no terminal. */
  readonly columns?: number | undefined;
  readonly colour: boolean;
  /** A text for a person: what would steer the terminal is escaped. */
  write(text: string): void;
  /** What goes on as it is: a document, a file, or what moves the cursor on purpose. */
  pass(content: string | Uint8Array): void;
}

export type LogLevel = "error" | "warn" | "info" | "debug";

export interface Log {
  warn(text: string): void;
  info(text: string): void;
  debug(text: string): void;
}

/** A question that any text may answer. */
export interface TextQuestion {
  readonly message: string;
  /** What is wrong with an answer, and what would be right; undefined where it is accepted. */
  check(answer: string): string | undefined;
  /** The answer is a secret, and is not shown while it is typed. */
  readonly secret?: boolean;
  /** What stands there to be edited. */
  readonly initial?: string;
}

/** A question with a list to choose from. */
export interface ChoiceQuestion extends Omit<TextQuestion, "secret"> {
  readonly options: readonly { readonly value: string; readonly label?: string; readonly hint?: string }[];
  /** Any other text is an answer, too. */
  readonly free?: boolean;
}

/** Asks a person. The end of input throws `InputEnded`, Ctrl-C `Interrupted`. */
export interface Dialogue {
  text(question: TextQuestion): Promise<string>;
  choose(question: ChoiceQuestion): Promise<string>;
  note(title: string, text: string): void;
  close(): void;
}

/** How a run came by its keys, of a pool that it was given. */
export interface PoolUse {
  /** The pool. */
  readonly file: string;
  /** How many keys the run needed. */
  readonly needed: number;
  /** How many of them the pool did not hold. */
  readonly made: number;
}

export interface CliContext extends Inputs {
  readonly stdout: Terminal;
  readonly stderr: Terminal;
  readonly stdin: { readonly isTerminal: boolean; bytes(): Promise<Uint8Array> };
  /** Standard input, where a flag or an operand names it by `-` in the place of a file that is read. */
  readonly standardInput?: Uint8Array | undefined;
  /** Opens a dialogue with a person; absent where nobody can answer: no terminal, or CI is set. */
  readonly dialogue: (() => Promise<Dialogue>) | undefined;
  readonly log: Log;
  /** The json answer of the command, printed when it has ended: `ok` says whether its exit code is 0. */
  answer(document: object): void;
  /** Where a command that has findings hands them over: a baseline judges them, and reports show them. */
  readonly review?: Review;
  /** Files that count as if they lay in the asset directory, where a run only reads it. */
  readonly given?: ReadonlyMap<string, Uint8Array>;
  /** Where the run is one of many that share a pool of keys: told in the place of a warning of its own. */
  readonly usesPool?: (use: PoolUse) => void;
  /** Folder that relative paths start from. */
  readonly cwd: string;
  readonly environment: {
    /** What sops reads: private keys of age, and a file of them. */
    readonly ageKey: string | undefined;
    readonly ageKeyFile: string | undefined;
    /** A pool of private keys, in the place of `--keys`. */
    readonly keyPool: string | undefined;
  };
}
