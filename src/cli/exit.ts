import type { Code } from "../core/codes.js";
import { type Diagnostic, isError } from "../core/diagnostics.js";
import { hasChangedFiles } from "../directory/changes.js";

/** Exit codes, documented in the README; they are told apart by type, never by the text of a message. */
export const EXIT = {
  done: 0,
  /** The input or the directory is wrong; diagnostics say how. */
  wrong: 1,
  /** The command line is wrong, or asks for something outside our scope. */
  usage: 2,
  /** The question was answered "no": differs, unsafe, refused, blocked. */
  no: 3,
  /** A bug of ours. */
  bug: 70,
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

const LACKS_A_SECRET: readonly Code[] = ["DIR013", "DIR017", "SOPS002"];

/** True where the inputs are right, and what only the state or a key of this person can tell is not at hand. */
export const lackSecrets = (diagnostics: readonly Diagnostic[]): boolean =>
  diagnostics.filter(isError).every(({ code }) => LACKS_A_SECRET.includes(code));

export { UsageError } from "../core/flags.js";

/** What an exception is called where a user sees it. */
export const apology = (name: string): string =>
  `internal error (${name}); report this bug with the command line, without secrets`;

/** What a run says that was interrupted. */
export const interruptedText = (): string =>
  hasChangedFiles()
    ? "interrupted; every file has either its old or its new content"
    : "interrupted; nothing was written";

/** What a fleet says: its processes write, and know alone what. */
export const INTERRUPTED_FLEET = "interrupted; every file has either its old or its new content";

/** Ctrl-C where a person was asked. */
export class Interrupted extends Error {
  override readonly name = "Interrupted";
}

/** The end of input (Ctrl-D) where a person was asked: as an interrupt, nothing has happened. */
export class InputEnded extends Error {
  override readonly name = "InputEnded";
}
