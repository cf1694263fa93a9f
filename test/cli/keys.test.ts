/** `slipway keys`, and `create --keys`. */
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type CliResult, slipway } from "../helpers/cli.js";
import { RELEASE_IMAGE } from "../helpers/ignition.js";
import { hasTerminal, onTerminal } from "../helpers/pty.js";
import { skipTest } from "../helpers/shared.js";
import { tempFolder } from "../helpers/temp.js";

const test = suite("cli/keys");
const STATE = ".openshift_install_state.json";

const root = tempFolder();
const run = (words: string, env: Readonly<Record<string, string>> = {}): CliResult =>
  slipway(words.split(" "), { cwd: root, env });
const done = (result: CliResult): CliResult => {
  assert.is(result.code, 0, result.stderr);
  return result;
};

/** A directory with an install-config. */
function cluster(name: string): string {
  mkdirSync(join(root, name));
  cpSync("examples/none/install-config.yaml", join(root, name, "install-config.yaml"));
  return name;
}

const pems = (path: string): string[] =>
  readFileSync(join(root, path), "utf8").match(/-----BEGIN RSA PRIVATE KEY-----[^-]*-----END RSA/g) ?? [];

/** Bodies of the RSA keys that a state holds. */
const inState = (name: string): string =>
  readFileSync(join(root, name, STATE), "utf8").replaceAll("\\n", "\n");
const base64 = (pem: string): string => Buffer.from(`${pem} PRIVATE KEY-----\n`).toString("base64");
const holds = (name: string, pem: string): boolean =>
  inState(name).includes(base64(pem)) || inState(name).includes(pem);

test("a pool is filled to a number, again too, and a dry run makes nothing", () => {
  assert.is(done(run("keys --count 3 --out pool --dry-run")).stdout, "pool: 0 keys; 3 would be generated\n");
  assert.not.ok(existsSync(join(root, "pool")));
  assert.is(done(run("keys --count 3 --out pool")).stdout, "pool: 3 keys, 3 of them new\n");
  assert.is(statSync(join(root, "pool")).mode & 0o777, 0o600);
  const before = pems("pool");
  const { stdout } = done(run("keys --count 5 --out pool --output json"));
  const { kind, keys, made, missing, dryRun } = JSON.parse(stdout);
  assert.equal([kind, keys, made, missing, dryRun], ["KeysResult", 5, 2, 0, false]);
  assert.equal(pems("pool").slice(0, 3), before);
  assert.is(new Set(pems("pool")).size, 5);
  assert.match(done(run("keys --count 4 --out pool")).stdout, /5 keys, 0 of them new/);
});

test("a run takes its keys out of the pool; another one takes others", () => {
  const pool = pems("pool");
  const taken: string[] = [];
  for (const name of ["egret", "heron"]) {
    const { stderr } = done(run(`create manifests --dir ${cluster(name)} --keys pool`));
    assert.not.match(stderr, /KEY002/);
    const left = pems("pool");
    const own = pool.filter((pem) => !left.includes(pem) && !taken.includes(pem));
    assert.is(own.length, 2);
    for (const pem of own) assert.ok(holds(name, pem), "the key is in the state");
    taken.push(...own);
  }
});

test("the environment names the pool as well; what it lacks is made, and the run says so", () => {
  const { stderr } = done(run(`create manifests --dir ${cluster("stork")}`, { SLIPWAY_KEYS: "pool" }));
  assert.match(
    stderr,
    /^pool: warning KEY002: the pool has too few keys: 1 of the 2 required keys was generated now; refill it: slipway keys --count 2 --out pool$/m,
  );
  assert.equal(pems("pool"), []);
  done(run("keys --count 1 --out pool"));
  assert.is(pems("pool").length, 1);
});

test("what writes nothing, and a cluster that has its keys, take none", () => {
  done(run("create infrastructure-manifests --dir stork --keys pool --dry-run"));
  done(run("create manifests --dir stork --keys pool"));
  assert.is(pems("pool").length, 1);
  done(run("create manifests --dir stork --keys gone"));
});

test("a pool that is none stops the run before it writes", () => {
  cluster("crane");
  writeFileSync(join(root, "notes"), "mine\n");
  for (const [file, code] of [
    ["gone", "KEY001"],
    ["notes", "KEY001"],
    ["crane", "KEY001"],
  ]) {
    const { code: status, stderr } = run(`create manifests --dir crane --keys ${file}`);
    assert.is(status, 1);
    assert.match(stderr, new RegExp(`error ${code}`));
  }
  assert.is(readFileSync(join(root, "notes"), "utf8"), "mine\n");
  assert.equal(readdirSync(join(root, "crane")), ["install-config.yaml"]);
  assert.is(run("keys --count 1 --out notes").code, 1);
  assert.is(run("create manifests --dir crane --keys pool --seed seed").code, 2);
  for (const words of [
    "keys --out pool",
    "keys --count 1",
    "keys --count 0 --out pool",
    "keys --count x --out p",
    "keys --count 1 --out -",
  ])
    assert.is(run(words).code, 2, words);
});

test("a run that fails before it writes puts its keys back", () => {
  done(run("keys --count 2 --out back"));
  const before = pems("back").sort();
  cluster("egret2");
  writeFileSync(join(root, "egret2", "manifests"), "in the way\n");
  const { code, stderr } = run("create manifests --dir egret2 --keys back");
  assert.is(code, 1);
  assert.match(stderr, /DIR006/);
  assert.not.ok(existsSync(join(root, "egret2", STATE)));
  assert.equal(pems("back").sort(), before);
  // Fails before any key is needed, and when all are there and one config is not.
  rmSync(join(root, "egret2", "manifests"));
  const ignition = "create ignition-configs --dir egret2 --keys back";
  const missing = run(ignition).stderr;
  assert.match(missing, /IGN001/);
  assert.not.match(missing, /KEY002/, "no key was made for nothing");
  assert.equal(pems("back").sort(), before);
  const arbiter = `--shim-source arbiter=https://example.com/arbiter.ign --release-image ${RELEASE_IMAGE}`;
  const { stderr: late } = run(`${ignition} ${arbiter}`);
  assert.match(late, /IGN051/);
  assert.match(late, /KEY002/);
  assert.equal(pems("back").sort(), before);
});

if (!hasTerminal) skipTest(test, "a terminal shows how far it is", "needs script of util-linux");
else
  test("a terminal shows how far it is", () => {
    const { code, screen } = onTerminal(["keys", "--count", "24", "--out", "watched"], { cwd: root });
    assert.is(code, 0);
    assert.match(screen, /\rgenerating private keys: 24 \[#+ *\] \d+ %/);
    assert.match(screen, /watched: 24 keys, 24 of them new\n$/);
  });

test.run();
