/** Standard output and standard error that cannot be written, on real devices, pipes and limits. */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { BINARY, record } from "../helpers/cli.js";
import { skipTest } from "../helpers/shared.js";
import { tempFolder } from "../helpers/temp.js";

const test = suite("standard output and error");
const lifecycle = join(process.cwd(), "golden/storage-behaviors/input/api-lifecycle.yaml");
const BEHAVIORS = `storage behaviors --lifecycle '${lifecycle}'`;

/** A line of bash in which `slipway` is the built command line. */
function bash(line: string) {
  const script = `slipway() { '${process.execPath}' '${BINARY}' "$@"; }; ${line}`;
  const result = spawnSync("bash", ["--norc", "-c", script], {
    stdio: ["ignore", "pipe", "pipe"],
    encoding: "utf8",
    env: { PATH: process.env["PATH"] },
  });
  record(result.stdout + result.stderr);
  return result;
}

/** A line of each way in which something reaches stdout. */
const ANSWERS = [
  "--version",
  "--help",
  "create --help",
  "compat gates --help",
  "explain",
  "explain install-config --output json",
  "graph --format svg",
  "completion bash",
  BEHAVIORS,
  `${BEHAVIORS} --output json`,
];

if (existsSync("/dev/full")) {
  test("on a full disk every command ends in 1 and says why", () => {
    for (const words of ANSWERS) {
      const { status, stderr } = bash(`slipway ${words} > /dev/full`);
      assert.is(status, 1, words);
      assert.match(stderr, /^slipway: standard output is incomplete: ENOSPC.*\n$/, words);
    }
  });

  test("a failure keeps its own exit code", () => {
    assert.is(bash("slipway no-such-command --output json > /dev/full").status, 2);
    assert.is(bash("slipway validate no-such-file --output json > /dev/full").status, 1);
  });

  test("standard error on a full disk: 0 becomes 1, another code stays", () => {
    const warns = `storage migrations --from 1.33 --to 1.36 --lifecycle '${lifecycle}'`;
    assert.is(bash(`slipway ${warns}`).status, 0);
    assert.is(bash(`slipway ${warns} 2> /dev/full`).status, 1);
    assert.is(bash("slipway no-such-command 2> /dev/full").status, 2);
  });
} else skipTest(test, "on a full disk every command ends in 1 and says why", "there is no /dev/full");

test("a pipe whose reader has gone ends in 1 silently", () => {
  for (const words of ANSWERS) {
    const { status, stderr } = bash(`exec 3> >(exit 0); wait $!; slipway ${words} >&3`);
    assert.is(status, 1, words);
    assert.is(stderr, "", words);
  }
});

test("a write that is taken in parts goes on, and what does not fit is told", () => {
  const folder = tempFolder();
  const file = join(folder, "out.json");
  // A limit on the size of files takes the first part of a write and refuses the rest, as a disk that fills up does.
  const { status, stderr } = bash(
    `trap '' XFSZ; ulimit -f 2; slipway ${BEHAVIORS} --output json > '${file}'`,
  );
  assert.is(status, 1);
  assert.match(stderr, /^slipway: standard output is incomplete: EFBIG.*\n$/);
  assert.is(readFileSync(file).length % 1024, 0);
  const slow = bash(`slipway explain install-config --output json | { sleep 0.2; wc -c; }`);
  const whole = bash(`slipway explain install-config --output json > '${file}.2'; wc -c < '${file}.2'`);
  assert.is(slow.stdout.trim(), whole.stdout.trim());
});

test.run();
