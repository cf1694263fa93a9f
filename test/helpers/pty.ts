/** The built command line on a terminal, by `script` of util-linux. */
import { spawnSync } from "node:child_process";
import { BINARY, record } from "./cli.js";

/** True where a terminal can be made. */
export const hasTerminal: boolean = /util-linux/.test(
  spawnSync("script", ["--version"], { encoding: "utf8" }).stdout ?? "",
);

/** `slipway ARGS…` on a terminal of so many columns; `typed` is what the person types, `\x04` is Ctrl-D. */
export function onTerminal(
  args: readonly string[],
  options: { readonly cwd: string; readonly columns?: number; readonly typed?: string },
): { readonly code: number | null; readonly screen: string } {
  const { cwd, columns = 80, typed = "" } = options;
  const words = [process.execPath, BINARY, ...args].map((word) => `'${word}'`).join(" ");
  const { status, stdout } = spawnSync("script", ["-qec", `stty cols ${columns}; ${words}`, "/dev/null"], {
    cwd,
    input: typed,
    encoding: "utf8",
    env: { PATH: process.env["PATH"], SHELL: "/bin/sh", TERM: "dumb" },
  });
  record(stdout);
  return { code: status, screen: stdout.replaceAll("\r\n", "\n") };
}
