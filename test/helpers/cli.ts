/** Runs the built command line as a user would, and records everything it printed for the scan for secrets. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { record, recordRun } from "./notes.js";

export { record } from "./notes.js";

export const BINARY = join(process.cwd(), "dist/slipway.js");

export interface CliResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CliOptions {
  readonly cwd?: string;
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** With `SLIPWAY_EXECUTABLE` the tests run that executable (`npm run build:binary`) instead. */
const executable = process.env["SLIPWAY_EXECUTABLE"];

/** `slipway ARGS…` in a child process with an almost empty environment. */
export function slipway(args: readonly string[], options: CliOptions = {}): CliResult {
  const words = executable === undefined ? [BINARY, ...args] : args;
  const { status, stdout, stderr } = spawnSync(executable ?? process.execPath, words, {
    cwd: options.cwd ?? process.cwd(),
    input: options.input ?? "",
    encoding: "utf8",
    maxBuffer: 1 << 28,
    env: { PATH: process.env["PATH"], ...options.env },
  });
  record(stdout + stderr);
  if (stdout.startsWith("{")) record(stdout, "answers");
  recordRun({
    args,
    cwd: options.cwd ?? process.cwd(),
    env: options.env ?? {},
    stdout,
    stderr,
  });
  return { code: status, stdout, stderr };
}
