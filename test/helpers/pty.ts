/** The built command line on a terminal, by `script` of util-linux. */
import { spawn, spawnSync } from "node:child_process";
import { BINARY, record } from "./cli.js";

/** True where a terminal can be made. */
export const hasTerminal: boolean = /util-linux/.test(
  spawnSync("script", ["--version"], { encoding: "utf8" }).stdout ?? "",
);

/** `slipway ARGS…` on a terminal of so many columns. */
export function onTerminal(
  args: readonly string[],
  options: { readonly cwd: string; readonly columns?: number },
): { readonly code: number | null; readonly screen: string } {
  const { cwd, columns = 80 } = options;
  const words = [process.execPath, BINARY, ...args].map((word) => `'${word}'`).join(" ");
  const { status, stdout } = spawnSync("script", ["-qec", `stty cols ${columns}; ${words}`, "/dev/null"], {
    cwd,
    input: "",
    encoding: "utf8",
    env: { PATH: process.env["PATH"], SHELL: "/bin/sh", TERM: "dumb" },
  });
  record(stdout);
  return { code: status, screen: stdout.replaceAll("\r\n", "\n") };
}

/** A dialogue that takes longer waits for an answer that no test gives. */
const PATIENCE_MS = 30_000;

/** The same, where each answer is typed when its question is on the screen. Enter is added. */
export async function answeredOnTerminal(
  args: readonly string[],
  options: {
    readonly cwd: string;
    readonly answers: readonly (readonly [question: string, answer: string])[];
    readonly home?: string;
  },
): Promise<{ readonly code: number | null; readonly screen: string }> {
  const words = [process.execPath, BINARY, ...args].map((word) => `'${word}'`).join(" ");
  const child = spawn("script", ["-qec", words, "/dev/null"], {
    cwd: options.cwd,
    env: {
      PATH: process.env["PATH"],
      SHELL: "/bin/sh",
      TERM: "xterm",
      COLUMNS: "80",
      HOME: options.home ?? options.cwd,
    },
  });
  const left = [...options.answers];
  let screen = "";
  let seen = 0;
  child.stdout.setEncoding("utf8");
  child.stdout.on("data", (text: string) => {
    screen += text;
    const [question, answer] = left[0] ?? [];
    const place = question === undefined ? -1 : screen.indexOf(question, seen);
    if (question === undefined) return;
    if (place < 0) return;
    seen = place + question.length;
    left.shift();
    child.stdin.write(`${answer}\r`);
  });
  // Another question would wait for its answer forever.
  const patience = setTimeout(() => child.kill(), PATIENCE_MS);
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  clearTimeout(patience);
  record(screen);
  return { code, screen: withoutMoves(screen).replaceAll("\r\n", "\n") };
}

/** What is written to a terminal, without the sequences that move its cursor. */
const withoutMoves = (screen: string): string =>
  screen
    .split("\u001b[")
    .map((part, index) => (index === 0 ? part : part.replace(/^[0-9;]*[A-Za-z]/, "")))
    .join("");
