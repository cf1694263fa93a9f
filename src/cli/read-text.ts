/** The text of a file that the command line names. */
import type { Problem } from "../core/diagnostics.js";
import { readNamed, textOf } from "./input-files.js";
import type { World } from "./world.js";

/** Relative to the working directory; what prevents reading is reported, and the answer is undefined. */
export function readTextFile(
  world: Pick<World, "cwd">,
  path: string,
  report: (problem: Problem) => void,
): string | undefined {
  const found = readNamed(path, world.cwd, report);
  return found === undefined ? undefined : textOf(found, report)?.replace(/^\ufeff/, "");
}
