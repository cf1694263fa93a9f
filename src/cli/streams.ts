/**
 * Standard output and standard error of the process: written in full, or known not to be. Node's own streams write
 * once and take what a full disk left out for written; here every write goes on to the last byte.
 */
import { writeSync } from "node:fs";
import { isatty } from "node:tty";
import { systemCode } from "../directory/fault.js";
import { EXIT } from "./exit.js";

export interface OutStream {
  readonly isTerminal: boolean;
  /** Width of the terminal in columns; undefined where there is none. */
  readonly columns: number | undefined;
  /** Why a write failed; what comes after it is dropped. */
  readonly fault: string | undefined;
  write(content: string | Uint8Array): void;
}

export interface Streams {
  readonly stdout: OutStream;
  readonly stderr: OutStream;
}

/** Waiting time between tries where another process made the stream non-blocking, in milliseconds. */
const WAIT_MS = 2;

/** The stream of a file descriptor. */
export function outStream(descriptor: 1 | 2): OutStream {
  const isTerminal = isatty(descriptor);
  let fault: string | undefined;
  return {
    isTerminal,
    get columns() {
      return isTerminal ? (descriptor === 1 ? process.stdout : process.stderr).columns : undefined;
    },
    get fault() {
      return fault;
    },
    write(content) {
      const bytes = typeof content === "string" ? Buffer.from(content) : content;
      try {
        for (let written = 0; fault === undefined && written < bytes.length; )
          written += writeSome(descriptor, bytes, written);
      } catch (error) {
        fault = reasonOf(error);
      }
    },
  };
}

function writeSome(descriptor: number, bytes: Uint8Array, from: number): number {
  try {
    const count = writeSync(descriptor, bytes, from);
    if (count === 0) throw new Error("writing failed");
    return count;
  } catch (error) {
    if (systemCode(error) !== "EAGAIN") throw error;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, WAIT_MS);
    return 0;
  }
}

/** The reader took what it wanted, as `head` does: nothing that anybody has to be told. */
const CLOSED_PIPE = "EPIPE";

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) throw error;
  if (systemCode(error) === "EPIPE") return CLOSED_PIPE;
  const code = systemCode(error);
  // Node has no words for an error that it does not know.
  return error.message.startsWith("Unknown") && code !== "" ? code : error.message.replace(/, write$/, "");
}

/**
 * The exit code of a run that wanted to end with `code`: 1 where an answer (0 or 3) did not reach its reader in full,
 * with the reason on stderr unless a pipe was closed.
 */
export function exitCodeOf(code: number, { stdout, stderr }: Streams): number {
  const answered = code === EXIT.done || code === EXIT.no;
  if (stdout.fault !== undefined && stdout.fault !== CLOSED_PIPE)
    stderr.write(`slipway: standard output is incomplete: ${stdout.fault}\n`);
  const failed = stdout.fault !== undefined || stderr.fault !== undefined;
  return failed && answered ? EXIT.wrong : code;
}
