/** One command line in this process, in a folder, with what stands on its standard input. */
import { Readable } from "node:stream";
import { run } from "../../src/cli/frame.js";
import type { OutStream } from "../../src/cli/streams.js";
import { BINARY } from "../helpers/cli.js";

export interface Answer {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

const memoryStream = (parts: string[]): OutStream => ({
  isTerminal: false,
  columns: undefined,
  fault: undefined,
  write: (content) =>
    void parts.push(typeof content === "string" ? content : Buffer.from(content).toString()),
});

/** `slipway WORDS… --log-level debug`; leaves the folder of this process as it was. */
export async function answer(
  words: readonly string[],
  folder: string,
  stdin: Uint8Array = Buffer.alloc(0),
): Promise<Answer> {
  const [out, err]: [string[], string[]] = [[], []];
  const before = process.cwd();
  const own = Object.getOwnPropertyDescriptor(process, "stdin");
  const [, program = ""] = process.argv;
  // A fleet starts processes of the program that this process is to be.
  process.argv[1] = BINARY;
  process.chdir(folder);
  Object.defineProperty(process, "stdin", { configurable: true, value: Readable.from([Buffer.from(stdin)]) });
  try {
    const code = await run([...words, "--log-level", "debug"], {
      stdout: memoryStream(out),
      stderr: memoryStream(err),
    });
    return { code, stdout: out.join(""), stderr: err.join("") };
  } finally {
    process.chdir(before);
    process.argv[1] = program;
    if (own !== undefined) Object.defineProperty(process, "stdin", own);
  }
}

/**
 * What is wrong with an answer, whatever the input was: a crash, an exit code that is not documented, a refusal
 * without a diagnostic. Undefined where it is an answer.
 */
export function faultOf({ code, stdout, stderr }: Answer): string | undefined {
  if (code === 70) {
    const stack = stderr.slice(stderr.indexOf("this is a bug"));
    return stack.split("\n").slice(0, 6).join("\n");
  }
  if (code === 1 && !/\b[A-Z]+[0-9]+\b/.test(stdout + stderr))
    return `exit 1 without a diagnostic: ${stderr.slice(0, 500)}`;
  if (![0, 1, 2, 3].includes(code)) return `exit ${code}: ${stderr.slice(0, 500)}`;
  return undefined;
}
