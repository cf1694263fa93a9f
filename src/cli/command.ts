/**
 * A command as data: what `--help` shows is here and light; what it does is loaded only when it runs.
 */

import type { CliContext } from "./cli-context.js";
import type { ExitCode } from "./exit.js";
import type { Arguments, Flag, Operand } from "./flags.js";

export type Handler = (args: Arguments, cli: CliContext) => Promise<ExitCode>;

export interface Command {
  /** The words after `slipway`, such as `create manifests`. */
  readonly path: string;
  readonly summary: string;
  /** What `--help` of the command says below the summary: files read and written, exit codes. */
  readonly details?: string;
  readonly examples?: readonly { readonly line: string; readonly does: string }[];
  readonly operands?: readonly Operand<unknown>[];
  readonly flags: readonly Flag<unknown>[];
  /**
   * The command changes files, and an interrupt is answered with what became of them. A command that computes for long
   * without a pause is ended by the signal itself instead, since it would hear of it too late.
   */
  readonly writes?: true;
  /** The command answers with findings: it gives reports of them, and reads a baseline. */
  readonly findings?: true;
  load(): Promise<Handler>;
}

/** A word that groups commands, such as `create`. */
export interface Group {
  readonly word: string;
  readonly summary: string;
  readonly commands: readonly Command[];
}
