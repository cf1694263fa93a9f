/** The thread that runs commands for `cli.ts`, one at a time, each with an environment and an input of its own. */
import { Readable } from "node:stream";
import { type MessagePort, workerData } from "node:worker_threads";
import { answer } from "../../src/cli/start.js";
import { exitCodeOf, type OutStream, type Streams } from "../../src/cli/streams.js";
import { flushNotes } from "./notes.js";

export interface CliJob {
  readonly args: readonly string[];
  readonly input: string;
  readonly env: Readonly<Record<string, string>>;
}

export interface CliResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface ThreadData {
  readonly port: MessagePort;
  readonly signal: Int32Array;
  readonly program: string;
}

const { port, signal, program }: ThreadData = workerData;
let printed: { readonly out: string[]; readonly err: string[] } = { out: [], err: [] };

const memoryStream = (parts: string[]): OutStream => ({
  isTerminal: false,
  columns: undefined,
  fault: undefined,
  // As through a pipe, where half of a surrogate pair is lost.
  write: (content) => {
    const lossless = typeof content === "string" && !/[\uD800-\uDFFF]/.test(content);
    parts.push(lossless ? content : Buffer.from(content).toString());
  },
});

function reply(code: number | null, more = ""): void {
  flushNotes();
  port.postMessage({ code, stdout: printed.out.join(""), stderr: printed.err.join("") + more });
  Atomics.store(signal, 0, 1);
  Atomics.notify(signal, 0);
}

// A process would end with 1 and print it.
process.on("uncaughtException", (error) => reply(1, `${error.stack}\n`));

port.on("message", ({ args, input, env }: CliJob) => {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  // A fleet starts processes of the program that this thread is to be.
  process.argv = [process.execPath, program, ...args];
  Object.defineProperty(process, "stdin", {
    configurable: true,
    value: Readable.from(input === "" ? [] : [Buffer.from(input)]),
  });
  printed = { out: [], err: [] };
  const streams: Streams = { stdout: memoryStream(printed.out), stderr: memoryStream(printed.err) };
  const loadFrame = async () => ({ exports: await import("../../src/cli/frame.js") });
  void answer(args, streams, loadFrame).then((code) => reply(exitCodeOf(code, streams)));
});
