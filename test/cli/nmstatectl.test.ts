/** `--nmstatectl`: the program that the user names, how it is run, and what becomes of its answers. */
import { chmodSync, copyFileSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { slipway } from "../helpers/cli.js";
import { openArchive, openImage } from "../helpers/image.js";
import { tempFolder } from "../helpers/temp.js";

const test = suite("cli/nmstatectl");
const IMAGE = "agentconfig.noarch.iso";

/** A directory of hosts with static networks, and a program of the lines. */
function prepare(
  lines: readonly string[],
  mode = 0o755,
): { cwd: string; run(...more: string[]): ReturnType<typeof slipway> } {
  const cwd = tempFolder();
  for (const name of ["install-config.yaml", "agent-config.yaml", "seed"])
    copyFileSync(join("golden/agent-compact/input", name), join(cwd, name));
  writeFileSync(join(cwd, "nmstatectl"), ["#!/bin/sh", ...lines, ""].join("\n"));
  chmodSync(join(cwd, "nmstatectl"), mode);
  const words = ["create", "agent-config-image", "--release-image", "quay.io/a/b:4.22.3-x86_64"];
  return { cwd, run: (...more) => slipway([...words, "--seed", "seed", ...more], { cwd }) };
}

/** Answers with a keyfile that repeats its arguments, its environment and a line of what it reads. */
const ECHO = [
  'words="$*"',
  "IFS= read -r first",
  'printf "NetworkManager:\\n- - eno1.nmconnection\\n  - |\\n    [connection]\\n    words=%s\\n    first=%s\\n    home=%s\\n" "$words" "$first" "$HOME$SLIPWAY_PLANTED"',
];

function keyfileIn(cwd: string): string {
  const { files } = openImage(readFileSync(join(cwd, IMAGE)));
  const archive = openArchive(files.get("config.gz")?.data ?? new Uint8Array());
  return archive.get("/etc/assisted/network/host0/eno1.nmconnection")?.data.toString() ?? "";
}

test("gets a network on standard input and an empty environment", () => {
  process.env["SLIPWAY_PLANTED"] = "planted";
  const { cwd, run } = prepare(ECHO);
  const made = run("--nmstatectl", "nmstatectl");
  delete process.env["SLIPWAY_PLANTED"];
  assert.is(made.code, 0, made.stderr);
  assert.match(
    keyfileIn(cwd),
    /^\[connection\]\nwords=gc -\nfirst=\S+.*\nhome=\nautoconnect=true\nautoconnect-priority=1\n$/,
  );
  assert.is(statSync(join(cwd, IMAGE)).mode & 0o777, 0o600);
});

test("is not needed again for the same networks", () => {
  const { cwd, run } = prepare(ECHO);
  assert.is(run("--nmstatectl", "nmstatectl").code, 0);
  const before = readFileSync(join(cwd, IMAGE));
  const again = run();
  assert.is(again.code, 0, again.stderr);
  assert.ok(before.equals(readFileSync(join(cwd, IMAGE))));
  assert.is(slipway(["check", "--strict"], { cwd }).code, 0);
});

test("its refusal is the fault of the network, without what its log says before", () => {
  const { cwd, run } = prepare([
    "cat > /dev/null",
    'echo "[x INFO] version" >&2',
    'echo "NmstateError: InvalidArgument: unknown field" >&2',
    "exit 1",
  ]);
  const { code, stderr } = run("--nmstatectl", "nmstatectl");
  assert.is(code, 1);
  assert.match(
    stderr,
    /AGT007: spec\.config: nmstatectl refuses the network of the host \S+: InvalidArgument: unknown field/,
  );
  assert.not.match(stderr, /INFO/);
  assert.not.ok(existsSync(join(cwd, IMAGE)));
});

test("a program that ends without reading is no crash", () => {
  const { code, stderr } = prepare(["exit 3"]).run("--nmstatectl", "nmstatectl");
  assert.is(code, 1);
  assert.match(stderr, /AGT007/);
});

for (const [name, mode, why] of [
  ["missing", 0o755, /AGT025: --nmstatectl: no such file/],
  [".", 0o755, /AGT025: --nmstatectl: is not a file/],
  ["nmstatectl", 0o644, /AGT025: --nmstatectl: the file is not executable/],
] as const)
  test(`${name} with mode ${mode.toString(8)} is no program`, () => {
    const { code, stderr } = prepare(ECHO, mode).run("--nmstatectl", name);
    assert.is(code, 1);
    assert.match(stderr, why);
  });

test.run();
