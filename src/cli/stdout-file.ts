/** A file that a flag such as `--out -` sends to standard output. */
import type { Diagnostic } from "../core/diagnostics.js";
import type { CliContext } from "./cli-context.js";
import { printClosing } from "./closing.js";
import { UsageError } from "./exit.js";
import { type Arguments, output } from "./flags.js";
import { forReader, printDiagnostics } from "./print.js";

/** Stands for standard output in the place of a file. */
export const STDOUT = "-";

/** Refuses a command line that asks for two documents on standard output. */
export function refuseTwoOutputs(args: Arguments, flag: string): void {
  const form = args.get(output);
  if (form !== "text")
    throw new UsageError(
      `${flag} - and --output ${form} both write to standard output; set ${flag} to a file`,
    );
}

/** Prints the file, as it is; diagnostics go to standard error. */
export function printStream(
  args: Arguments,
  cli: CliContext,
  flag: string,
  content: string | Uint8Array,
  diagnostics: readonly Diagnostic[],
): void {
  refuseTwoOutputs(args, flag);
  printDiagnostics(forReader(args, diagnostics), cli.stderr);
  cli.stdout.pass(content);
  printClosing(args, cli, diagnostics);
}
