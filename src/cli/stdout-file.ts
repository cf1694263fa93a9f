/** A file that a flag such as `--out -` sends to standard output. */
import type { Diagnostic } from "../core/diagnostics.js";
import { printClosing } from "./closing.js";
import { UsageError } from "./exit.js";
import { type Arguments, output } from "./flags.js";
import { forReader, printDiagnostics } from "./print.js";
import type { World } from "./world.js";

/** Stands for standard output in the place of a file. */
export const STDOUT = "-";

/** Refuses a command line that asks for two documents on standard output. */
export function refuseTwoOutputs(args: Arguments, flag: string): void {
  if (args.get(output) === "json")
    throw new UsageError(`${flag} - and --output json both write to standard output; set ${flag} to a file`);
}

/** Prints the file, as it is; diagnostics go to standard error. */
export function printStream(
  args: Arguments,
  world: World,
  flag: string,
  content: string | Uint8Array,
  diagnostics: readonly Diagnostic[],
): void {
  refuseTwoOutputs(args, flag);
  printDiagnostics(forReader(args, diagnostics), world.stderr);
  world.stdout.pass(content);
  printClosing(args, world, diagnostics);
}
