/**
 * Running the nmstatectl that a user names: a network comes in on its standard input, keyfiles go out. It gets an empty
 * environment and writes nothing.
 */
import { spawn } from "node:child_process";
import { text as textOf } from "node:stream/consumers";
import type { Report } from "../core/diagnostics.js";
import { problem } from "../core/problem.js";
import type { CompileRequest } from "../pipeline/request.js";
import { redactText } from "../text/redact.js";
import { programFault } from "./installer.js";
import { interruptible } from "./interrupt.js";

const FLAG = "--nmstatectl";
const NAMED = {
  code: "AGT025",
  flag: FLAG,
  what: "the nmstatectl program",
  binary: "the nmstatectl program itself",
} as const;

/**
 * Asks the program for the keyfiles of a network.
 * @param program absolute path
 * @param name as the user wrote it
 */
export function nmstatectl(
  program: string,
  name: string,
  report: Report,
): NonNullable<CompileRequest["nmstate"]> {
  const fault = programFault(program, name, NAMED);
  if (fault !== undefined) report(fault);
  return async (network) => {
    if (fault !== undefined) return undefined;
    const { code, error, stdout, stderr } = await run(program, network);
    if (error !== "") {
      report(
        problem("AGT025", "Invalid", FLAG, `the program cannot be started (${error})`, {
          file: name,
          hint: "use an nmstatectl for the operating system and architecture of this machine",
        }),
      );
      return undefined;
    }
    return code === 0 ? { ok: true, text: stdout } : { ok: false, text: redactText(messageIn(stderr)) };
  };
}

/** The error in what the program logs: its last line, without what goes before the message. */
const messageIn = (log: string): string =>
  (log.trim().split("\n").at(-1) ?? "").replace(/^(?:NmstateError|Error): /, "");

interface Ended {
  readonly code: number | null;
  readonly error: string;
  readonly stdout: string;
  readonly stderr: string;
}

async function run(program: string, input: string): Promise<Ended> {
  const child = spawn(program, ["gc", "-"], { env: {}, shell: false, stdio: ["pipe", "pipe", "pipe"] });
  const stop = (): void => void child.kill("SIGTERM");
  process.once("exit", stop);
  // A program that does not read ends the pipe; its exit code says what is wrong.
  child.stdin.on("error", () => undefined);
  child.stdin.end(input);
  const output = Promise.all([textOf(child.stdout), textOf(child.stderr)]);
  const ended = await interruptible(
    stop,
    () =>
      new Promise<Pick<Ended, "code" | "error">>((resolve) => {
        child.once("error", (error) =>
          resolve({ code: null, error: "code" in error ? String(error.code) : error.name }),
        );
        child.once("close", (code) => resolve({ code, error: "" }));
      }),
  );
  process.off("exit", stop);
  const [stdout, stderr] = ended.error === "" ? await output : ["", ""];
  return { ...ended, stdout, stderr };
}
