/** `--data-secrets`, `--shim-source` and `--user-data` through the command line: remembered, and taken back. */
import { cpSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { excessOf } from "../../../src/phases/ignition-configs/user-data.js";
import { FLAGS } from "../../../src/pipeline/flags.js";
import { USER_DATA_LIMITS } from "../../../src/platforms/user-data.js";
import { slipway } from "../../helpers/cli.js";
import { PLANTED } from "../../helpers/planted.js";
import { readModes, readTree, tempFolder } from "../../helpers/temp.js";

const test = suite("ignition-configs: flags for what machines are given");

const IMAGE = `registry.example.com/ocp/release@sha256:${"0".repeat(64)}`;
const SOURCE = `https://bucket.example.com/bootstrap.ign?signature=${PLANTED.token}`;

const dir = join(tempFolder(), "cluster");
cpSync(join(process.cwd(), "golden/none/input"), dir, { recursive: true });
const run = (...args: readonly string[]) =>
  slipway(args, { cwd: dir, env: { SOURCE_DATE_EPOCH: "1800000000" } });
const create = (...args: readonly string[]) => run("create", "ignition-configs", ...args);
const handed = (): string[] =>
  [...readTree(dir).keys()].filter((path) => /^data-secrets\/|-shim\.ign$/.test(path)).sort();
const record = (): string => readFileSync(join(dir, ".slipway/record.json"), "utf8");

test("the choices are the places of the table", () => {
  assert.equal([...(FLAGS.userData.choices ?? [])].sort(), [...USER_DATA_LIMITS.keys()].sort());
  assert.ok(excessOf(new Uint8Array(1 << 20), "aws") !== undefined);
});

test("Secrets and shim are written for their owner alone, the address stays out of what is committed", () => {
  const { code, stderr } = create("--release-image", IMAGE, "--data-secrets", "--user-data", "hetzner");
  assert.is(code, 0, stderr);
  assert.match(stderr, /bootstrap\.ign: warning IGN050: .*Hetzner.*--shim-source bootstrap=URL/);
  assert.equal(handed(), [
    "data-secrets/bootstrap.yaml",
    "data-secrets/master.yaml",
    "data-secrets/worker.yaml",
  ]);
  const shim = create("--shim-source", SOURCE);
  assert.is(shim.code, 0, shim.stderr);
  assert.ok(!/IGN050/.test(shim.stderr), "the shim fits");
  assert.equal(handed(), [
    "bootstrap-shim.ign",
    "data-secrets/bootstrap.yaml",
    "data-secrets/master.yaml",
    "data-secrets/worker.yaml",
  ]);
  const text = readFileSync(join(dir, "bootstrap-shim.ign"), "utf8");
  assert.is(JSON.parse(text).ignition.config.replace.source, SOURCE);
  const secret = readFileSync(join(dir, "data-secrets/bootstrap.yaml"), "utf8");
  assert.ok(secret.includes(Buffer.from(text).toString("base64")));
  const modes = readModes(dir);
  for (const path of handed()) assert.is(modes.get(path), 0o600, path);
  assert.ok(!record().includes(PLANTED.token));
});

test("a run without the flags changes nothing, and check agrees", () => {
  const before = readTree(dir);
  const { code, stderr } = create();
  assert.is(code, 0, stderr);
  assert.equal(readTree(dir), before);
  assert.is(run("check", "--strict").code, 0);
});

test("what is wrapped does not depend on it", () => {
  assert.is(run("create", "infrastructure-manifests").code, 0);
  const wrapped = readFileSync(join(dir, "infrastructure-manifests/20_install-state.yaml"), "utf8");
  const [, state = ""] = /\.openshift_install_state\.json: (\S+)/.exec(wrapped) ?? [];
  assert.ok(!Buffer.from(state, "base64").toString("utf8").includes("shim-sources"));
  assert.is(run("check", "--strict").code, 0);
});

test("a wrong address changes nothing and is not shown", () => {
  const before = readTree(dir);
  const { code, stdout, stderr } = create("--shim-source", `ftp://x/${PLANTED.token}`);
  assert.is(code, 1);
  assert.match(stderr, /IGN051/);
  assert.ok(!(stdout + stderr).includes(PLANTED.token));
  assert.equal(readTree(dir), before);
});

test("both are taken back", () => {
  const { code, stderr } = create("--data-secrets=false", "--shim-source", "none");
  assert.is(code, 0, stderr);
  assert.equal(handed(), []);
  assert.ok(!existsSync(join(dir, "data-secrets/bootstrap.yaml")));
  assert.is(create().code, 0);
  assert.equal(handed(), []);
  assert.is(run("check", "--strict").code, 0);
});

test.run();
