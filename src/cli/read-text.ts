/** The text of a file that the command line names. */
import type { Problem } from "../core/diagnostics.js";
import type { CliContext } from "./cli-context.js";
import { readNamed, textOf } from "./input-files.js";

type Report = (problem: Problem) => void;

/** A byte order mark is no text. */
export const withoutMark = (text: string | undefined): string | undefined => text?.replace(/^\ufeff/, "");

/** What a problem calls standard input. */
export const STDIN = "stdin";

/**
 * Relative to the working directory, or standard input where `-` names it; what prevents reading is reported, and the
 * answer is undefined.
 */
export function readTextFile(
  { cwd, standardInput }: Pick<CliContext, "cwd" | "standardInput">,
  path: string,
  report: Report,
): string | undefined {
  const found =
    path === "-" && standardInput !== undefined
      ? { file: STDIN, data: standardInput }
      : readNamed(path, cwd, report);
  return found === undefined ? undefined : withoutMark(textOf(found, report));
}

/** The text of standard input; anything but UTF-8 is reported. */
export const readStdinText = async (
  cli: Pick<CliContext, "stdin">,
  report: Report,
): Promise<string | undefined> => withoutMark(textOf({ file: STDIN, data: await cli.stdin.bytes() }, report));

/** As `readTextFile`; `-` is standard input. */
export const readTextInput = async (
  cli: Pick<CliContext, "cwd" | "stdin">,
  path: string,
  report: Report,
): Promise<string | undefined> =>
  path === "-" ? readStdinText(cli, report) : readTextFile(cli, path, report);
