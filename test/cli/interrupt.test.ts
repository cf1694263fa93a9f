/** Ctrl-C and `kill`. */
import { spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { BINARY } from "../helpers/cli.js";
import { hasTerminal } from "../helpers/pty.js";
import { skipTest } from "../helpers/shared.js";
import { tempFolder } from "../helpers/temp.js";

const test = suite("cli/interrupt");

/** Sends a signal to a command and what it started, as a terminal does, and answers which one ended the command. */
async function interrupted(
  command: readonly [string, ...string[]],
  signal: NodeJS.Signals,
  isAtWork: () => boolean,
): Promise<NodeJS.Signals | null> {
  const [program, ...words] = command;
  const child = spawn(program, words, { stdio: ["pipe", "ignore", "ignore"], detached: true });
  const closed = new Promise<NodeJS.Signals | null>((resolve) => child.on("close", (_, by) => resolve(by)));
  while (!isAtWork()) await setTimeout(20);
  process.kill(-(child.pid ?? 0), signal);
  return closed;
}

test("an interrupt ends the loop of a shell around the command as well", async () => {
  const folder = tempFolder();
  const begun = join(folder, "0.pool");
  const script = `for i in 0 1; do "$0" "$1" keys --count 4000 --out ${folder}/$i.pool; done`;
  const by = await interrupted(
    ["bash", "-c", script, process.execPath, BINARY],
    "SIGINT",
    () => existsSync(begun) && /^-----BEGIN/m.test(readFileSync(begun, "utf8")),
  );
  assert.is(by, "SIGINT");
  assert.not(existsSync(join(folder, "1.pool")));
});

test("a computation that waits for nothing is ended at once", async () => {
  const folder = tempFolder();
  const file = join(folder, "list.yaml");
  // So much that no machine has read it before the signal comes.
  const item = "- apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: a}\n  data: {a: b}\n";
  writeFileSync(file, `apiVersion: v1\nkind: List\nitems:\n${item.repeat(400_000)}`);
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    const start = performance.now();
    const isAtWork = (): boolean => performance.now() - start > 1500;
    const by = await interrupted([process.execPath, BINARY, "validate", file], signal, isAtWork);
    assert.is(by, signal);
  }
});

if (hasTerminal)
  test("Ctrl-C at a question ends a loop as well", async () => {
    const folder = tempFolder();
    const ask = `'${process.execPath}' '${BINARY}' create install-config --dir ${folder}/new`;
    const loop = `for i in 0 1; do ${ask}; echo again; done`;
    const child = spawn("script", ["-qec", loop, "/dev/null"], {
      stdio: ["pipe", "pipe", "ignore"],
      env: { PATH: process.env["PATH"], SHELL: "/bin/bash", TERM: "dumb" },
    });
    let screen = "";
    child.stdout.on("data", (part) => {
      const asked = /Platform/.test(screen);
      screen += part;
      if (!asked && /Platform/.test(screen)) child.stdin.write("\x03");
      if (screen.includes("again")) child.stdin.end();
    });
    const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
    assert.is(code, 130, screen);
    assert.not.match(screen, /again/);
  });
else skipTest(test, "Ctrl-C at a question ends a loop as well", "needs script of util-linux");

test.run();
