/**
 * Debian's Ignition: its validator, and the engine itself, which applies a config to a scratch root in the stages fetch
 * and files (docs/reference/ignition-configs.md §5b). The engine runs as root in a mount namespace of its own, so that
 * a name of the cluster can be given an address of this machine.
 */
import { execFile, execFileSync } from "node:child_process";
import { chmodSync, chownSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { tempFolder } from "./temp.js";

const ENGINE = "/usr/lib/dracut/modules.d/30ignition/ignition";
const CORE = 1000;

const run = promisify(execFile);

const works = (program: string, ...options: readonly string[]): boolean => {
  try {
    execFileSync(program, options, { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
};

/** Why the validator cannot be run here; undefined when it can. */
export const validatorIsMissing = (): string | undefined =>
  works("ignition-validate", "--version") ? undefined : "needs ignition-validate";

/** Why the engine cannot be run here; undefined when it can. */
export function engineIsMissing(): string | undefined {
  if (!existsSync(ENGINE)) return "needs Debian's package ignition";
  if (process.getuid?.() !== 0) return "needs root";
  return works("unshare", "--mount", "true") ? undefined : "needs a mount namespace";
}

/** What ignition-validate says of a config; empty when it finds nothing to say. Throws with its text on an error. */
export function validated(config: string): string {
  const file = join(tempFolder(), "config.ign");
  writeFileSync(file, config);
  return execFileSync("ignition-validate", [file], { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

/** Applies a config; `hosts` are names with their addresses. Returns the scratch root. */
export async function applied(
  config: string,
  hosts: { readonly [name: string]: string } = {},
): Promise<string> {
  const folder = tempFolder();
  // The engine writes the keys of the user as that user.
  chmodSync(folder, 0o755);
  const root = join(folder, "root");
  const write = (path: string, text: string): void => {
    mkdirSync(join(root, path, ".."), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  write("etc/passwd", `root:x:0:0:root:/root:/bin/sh\ncore:x:${CORE}:${CORE}:core:/home/core:/bin/sh\n`);
  write("etc/group", `root:x:0:\ncore:x:${CORE}:\n`);
  write("etc/selinux/config", "SELINUX=disabled\nSELINUXTYPE=targeted\n");
  write("etc/motd", "The operating system's own words.\n");
  mkdirSync(join(root, "home/core"), { recursive: true });
  chownSync(join(root, "home/core"), CORE, CORE);
  const tools = join(folder, "bin");
  mkdirSync(tools);
  writeFileSync(join(tools, "setfiles"), "#!/bin/sh\n");
  chmodSync(join(tools, "setfiles"), 0o755);
  writeFileSync(join(folder, "config.ign"), config);
  writeFileSync(
    join(folder, "hosts"),
    Object.entries({ localhost: "127.0.0.1", ...hosts })
      .map(([name, address]) => `${address} ${name}\n`)
      .join(""),
  );
  const stages = ["fetch", "files"].map(
    (stage) =>
      `${ENGINE} -root $PWD/root -platform file -stage ${stage} -config-cache cache.json -state-file state -neednet neednet -log-to-stdout`,
  );
  const script = ["mount --bind hosts /etc/hosts", ...stages].join("\n");
  const options = {
    cwd: folder,
    timeout: 600_000,
    maxBuffer: 64 * 1024 * 1024,
    env: {
      PATH: `${tools}:${process.env["PATH"] ?? ""}`,
      IGNITION_CONFIG_FILE: join(folder, "config.ign"),
    },
  };
  try {
    await run("unshare", ["--mount", "sh", "-ec", script], options);
  } catch (error) {
    throw new Error(`the engine failed:\n${complaintsOf(error)}`);
  }
  return root;
}

/** The engine prints the config, keys and all; of its output only what it complains about is shown. */
function complaintsOf(error: unknown): string {
  const output = typeof error === "object" && error !== null && "stdout" in error ? String(error.stdout) : "";
  return output
    .split("\n")
    .filter((line) => /^(CRITICAL|ERROR|WARNING)|failed/.test(line) && !line.includes("journal"))
    .join("\n");
}
