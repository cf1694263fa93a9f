/** gofmt, where this machine has it. */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

const FOLDERS = [...(process.env["PATH"] ?? "").split(delimiter), "/usr/local/go/bin", "/usr/lib/go/bin"];

/** The path of gofmt, or undefined. */
export const gofmt = FOLDERS.map((folder) => join(folder, "gofmt")).find((path) => existsSync(path));

/** What gofmt makes of a source; throws on a syntax error. */
export function formatted(path: string, source: string): string {
  const { status, stdout, stderr } = spawnSync(path, [], { input: source, encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
  return stdout;
}
