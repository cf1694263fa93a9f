/**
 * Runs the command line and records everything it printed for the scan for secrets. A command runs in a thread of the
 * test process (`cli-thread.program.ts`), since starting Node for each costs most of the time of a test. Tests of the
 * process itself, such as its signals or its pipes, start `BINARY`.
 */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { MessageChannel, receiveMessageOnPort, type TransferListItem, Worker } from "node:worker_threads";
import type { CliJob, CliResult } from "./cli-thread.program.js";
import { record, recordRun } from "./notes.js";
import { programFile } from "./programs.js";

export type { CliResult } from "./cli-thread.program.js";
export { record } from "./notes.js";

/** The built command line. */
export const BINARY = process.env["SLIPWAY_CLI"] ?? join(process.cwd(), "dist/slipway.js");

/** The closing line of a run that changed no file. */
export const UNCHANGED = /(?:^|; )\d+ files? (?:kept|unchanged)/m;

export interface CliOptions {
  readonly cwd?: string;
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** With `SLIPWAY_EXECUTABLE` the tests run that executable (`npm run build:binary`) instead. */
const executable = process.env["SLIPWAY_EXECUTABLE"];

/** `slipway ARGS…` with an almost empty environment. */
export function slipway(args: readonly string[], options: CliOptions = {}): CliResult {
  // A thread cannot set the umask, which the command does for the installer that it starts.
  const needsProcess = executable !== undefined || args.some((word) => word.startsWith("--installer"));
  const result = needsProcess ? slipwayProcess(args, options) : inThread(args, options);
  const { stdout, stderr } = result;
  record(stdout + stderr);
  // A report in SARIF has a schema of its own.
  if (stdout.startsWith("{") && !stdout.startsWith(`{\n  "$schema"`)) record(stdout, "answers");
  recordRun({ args, cwd: options.cwd ?? process.cwd(), env: options.env ?? {}, stdout, stderr });
  return result;
}

/** `slipway ARGS…` as a process, for tests of what only a process has. */
export function slipwayProcess(args: readonly string[], options: CliOptions = {}): CliResult {
  const words = executable === undefined ? [BINARY, ...args] : args;
  const { status, stdout, stderr } = spawnSync(executable ?? process.execPath, words, {
    cwd: options.cwd ?? process.cwd(),
    input: options.input ?? "",
    encoding: "utf8",
    maxBuffer: 1 << 28,
    env: { PATH: process.env["PATH"], ...options.env },
  });
  return { code: status, stdout, stderr };
}

interface Thread {
  run(job: CliJob): CliResult;
}

/** No command of a test takes this long: a thread that does not answer is a failure of the test, not of the whole run. */
const PATIENCE_MS = 30 * 60_000;

let thread: Thread | undefined;

function startThread(): Thread {
  const signal = new Int32Array(new SharedArrayBuffer(4));
  const { port1, port2 } = new MessageChannel();
  const transferList: TransferListItem[] = [port2];
  const worker = new Worker(pathToFileURL(programFile("helpers/cli-thread")), {
    workerData: { port: port2, signal, program: BINARY, logs: process.env["SLIPWAY_TEST_LOGS"] },
    transferList,
    env: {},
  });
  worker.unref();
  port1.unref();
  return {
    run(job) {
      Atomics.store(signal, 0, 0);
      port1.postMessage(job);
      // The thread's call that wakes a waiter may come late, and be about the answer before.
      while (Atomics.load(signal, 0) === 0)
        if (Atomics.wait(signal, 0, 0, PATIENCE_MS) === "timed-out") {
          thread = undefined;
          void worker.terminate();
          throw new Error(`no answer in ${PATIENCE_MS / 60_000} minutes: slipway ${job.args.join(" ")}`);
        }
      const answer: { readonly message: CliResult } | undefined = receiveMessageOnPort(port1);
      if (answer === undefined) throw new Error(`no answer: slipway ${job.args.join(" ")}`);
      return answer.message;
    },
  };
}

function inThread(args: readonly string[], { cwd, input = "", env = {} }: CliOptions): CliResult {
  thread ??= startThread();
  const before = process.cwd();
  const path = process.env["PATH"];
  if (cwd !== undefined) process.chdir(cwd);
  try {
    return thread.run({ args, input, env: { ...(path === undefined ? {} : { PATH: path }), ...env } });
  } finally {
    if (cwd !== undefined) process.chdir(before);
  }
}
