/**
 * Running the installer that a user names. It gets the words of one phase, an empty environment and no input; its log
 * goes on, line by line and without secrets. The other program that slipway starts where a user names it is
 * nmstatectl (nmstatectl.ts).
 */
import { spawn } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { type Problem, problem } from "../core/problem.js";
import { lookAt } from "../directory/index.js";
import { REDACTED, redactText } from "../text/redact.js";
import { interruptible } from "./interrupt.js";

export interface InstallerRun {
  /** Absolute path of the program. */
  readonly program: string;
  /** As the user wrote it. */
  readonly name: string;
  /** Absolute path of the asset directory. */
  readonly directory: string;
  /** Texts that must not appear in the log. */
  readonly secrets: readonly string[];
  line(text: string): void;
}

/** How a program that a flag names is called where it cannot be run. */
interface Named {
  readonly code: Problem["code"];
  readonly flag: string;
  readonly what: string;
  readonly binary: string;
}

const INSTALLER: Named = {
  code: "REC020",
  flag: "--installer",
  what: "the openshift-install binary of the release",
  binary: "the openshift-install binary itself",
};

/** What is wrong with a program before it is started; undefined when it can be run. */
export function programFault(
  program: string,
  name: string,
  { code, flag, what, binary }: Named = INSTALLER,
): Problem | undefined {
  const refuse = (message: string, hint: string): Problem =>
    problem(code, "NotFound", flag, message, { file: name, hint });
  const stat = lookAt(program);
  if (stat === undefined) return refuse("no such file", `specify ${what}`);
  if (!stat.isFile()) return refuse("is not a file", `specify ${binary}`);
  try {
    accessSync(program, constants.X_OK);
  } catch {
    return refuse("the file is not executable", "chmod +x");
  }
  return undefined;
}

/** Runs `PROGRAM create ignition-configs --dir DIRECTORY`. Undefined when it ended well. */
export async function runInstaller(run: InstallerRun): Promise<Problem | undefined> {
  const failed = (message: string, hint: string): Problem =>
    problem("REC020", "Invalid", "--installer", message, { file: run.name, hint });
  // What the installer writes holds keys: nobody else may read it, whatever modes it asks for.
  const mask = process.umask(0o077);
  const child = spawn(run.program, ["create", "ignition-configs", "--dir", run.directory], {
    cwd: run.directory,
    env: {},
    shell: false,
    stdio: ["ignore", "pipe", "pipe"],
  });
  process.umask(mask);
  const stop = (): void => void child.kill("SIGTERM");
  process.once("exit", stop);
  const lines = [child.stdout, child.stderr].map((stream) => pass(stream, run));
  const ended = await interruptible(
    stop,
    () =>
      new Promise<{ code: number | null; signal: string | null; error: string }>((resolve) => {
        child.once("error", (error) =>
          resolve({ code: null, signal: null, error: "code" in error ? String(error.code) : error.name }),
        );
        child.once("close", (code, signal) => resolve({ code, signal, error: "" }));
      }),
  );
  process.off("exit", stop);
  if (ended.error !== "")
    return failed(
      `the program cannot be started (${ended.error})`,
      "use an openshift-install binary for the operating system and architecture of this machine",
    );
  await Promise.all(lines);
  if (ended.code === 0) return undefined;
  const how = ended.signal === null ? `exit code ${ended.code}` : `signal ${ended.signal}`;
  return failed(
    `openshift-install create ignition-configs failed with ${how}`,
    `see its log above; slipway did not clean up the directory ${run.directory}`,
  );
}

/** Hands on every line of a stream, without secrets. */
async function pass(stream: Readable, { secrets, line }: InstallerRun): Promise<void> {
  const hide = redactorOf(secrets);
  for await (const text of createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY }))
    line(hide(text));
}

/** Texts shorter than this are too common to be hidden wherever they stand. */
const SHORTEST = 6;

const BASE64 = /[A-Za-z0-9+/]{24,}={0,2}/g;
/** A file within a Secret within the state. */
const DEPTH = 3;

/** A text without what would hold secrets once it is decoded, as the files do that a state lists. */
const withoutEncoded = (text: string, plain: (text: string) => string, depth = DEPTH): string =>
  text.replaceAll(BASE64, (found) => {
    const inside = Buffer.from(found, "base64").toString("latin1");
    const shown = plain(depth === 0 ? inside : withoutEncoded(inside, plain, depth - 1));
    return shown === inside ? found : REDACTED;
  });

/** Hides known secrets, what looks like one, both in base64 as well, and private keys that go over several lines. */
export function redactorOf(secrets: readonly string[]): (line: string) => string {
  const known = [...new Set(secrets.filter((each) => each.length >= SHORTEST))].sort(
    (a, b) => b.length - a.length,
  );
  const plain = (text: string): string =>
    redactText(known.reduce((masked, secret) => masked.replaceAll(secret, REDACTED), text));
  let inKey = false;
  return (line) => {
    const ends = /-----END [A-Z0-9 ]*PRIVATE KEY-----/.test(line);
    if (inKey) {
      inKey = !ends;
      return REDACTED;
    }
    inKey = /-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----/.test(line) && !ends;
    return plain(withoutEncoded(line, plain));
  };
}
