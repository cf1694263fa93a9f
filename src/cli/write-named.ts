/** Writing the single file that a flag names. */
import { basename, dirname, resolve } from "node:path";
import type { Problem } from "../core/diagnostics.js";
import type { OutputFile } from "../core/files.js";
import type { CliContext } from "./cli-context.js";

/**
 * Writes a file whose path is relative to the working directory; answers what became of it, undefined on a fault.
 * `replace` where the user asks for a change of that very file.
 */
export async function writeNamed(
  cli: Pick<CliContext, "cwd">,
  file: OutputFile,
  report: (problem: Problem) => void,
  options: { readonly replace?: boolean } = {},
): Promise<string | undefined> {
  const { writeFiles } = await import("../directory/atomic.js");
  const full = resolve(cli.cwd, file.path);
  const result = await writeFiles(dirname(full), [{ ...file, path: basename(full) }], options);
  if (result.ok) return result.value[0]?.status;
  report({ ...result.problem, file: file.path });
  return undefined;
}
