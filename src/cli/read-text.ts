/** Reading the files that a command line names. A file that cannot be read is a diagnostic, not an exception. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Problem } from "../core/diagnostics.js";
import { decode } from "../core/files.js";
import type { World } from "./world.js";

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "it does not exist",
  EISDIR: "it is a directory",
  EACCES: "permission denied",
};

/** The text of a file, relative to the working directory; reports and answers undefined when it cannot be read. */
export function readTextFile(
  world: Pick<World, "cwd">,
  path: string,
  report: (problem: Problem) => void,
): string | undefined {
  const refuse = (message: string, hint: string): undefined =>
    void report({ code: "TAB009", kind: "NotFound", file: path, message, hint });
  let data: Buffer;
  try {
    data = readFileSync(resolve(world.cwd, path));
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    return refuse(`the file cannot be read: ${REASONS[code] ?? code}`, "check the path");
  }
  return decode(data)?.replace(/^\ufeff/, "") ?? refuse("the file is not UTF-8 text", "save it as UTF-8");
}
