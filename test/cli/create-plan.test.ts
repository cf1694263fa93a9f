import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { slipway } from "../helpers/cli.js";
import { PLANTED } from "../helpers/planted.js";
import { readTree, tempFolder } from "../helpers/temp.js";

const test = suite("cli create --dry-run");

const secret = (auth: string): string =>
  `'{"auths":{"registry.example.org":{"auth":"${Buffer.from(`user:${auth}`).toString("base64")}"}}}'`;

const CONFIG = `apiVersion: v1
baseDomain: reed.example.org
metadata:
  name: bittern
networking:
  clusterNetwork:
  - cidr: 10.132.0.0/14
    hostPrefix: 23
platform:
  none: {}
pullSecret: ${secret(PLANTED.token)}
`;

const run = (dir: string, ...words: readonly string[]) =>
  slipway(["create", "manifests", "--dir", dir, "--key-algorithm", "ecdsa-p256", ...words]);

function directory(): string {
  const dir = join(tempFolder(), "bittern");
  mkdirSync(dir);
  writeFileSync(join(dir, "install-config.yaml"), CONFIG);
  return dir;
}

test("an empty directory: every file is created, and the counts come last", () => {
  const { code, stdout } = run(directory(), "--dry-run");
  assert.is(code, 0);
  assert.match(stdout, /^Nothing blocks this run\. It removes nothing\.\n\n/);
  assert.match(stdout, /^\+ manifests\/cluster-network-02-config\.yml {2}Network cluster$/m);
  assert.match(stdout, /\nPlan: \d+ to create, 0 to change, 0 to remove, 0 unchanged\.\n$/);
});

test("a changed input: objects with the changed fields, secrets hidden, and nothing is written", () => {
  const dir = directory();
  assert.is(run(dir).code, 0);
  const changed = CONFIG.replace("hostPrefix: 23", "hostPrefix: 24").replace(
    secret(PLANTED.token),
    secret(PLANTED.password),
  );
  writeFileSync(join(dir, "install-config.yaml"), changed);
  const before = readTree(dir);
  const { code, stdout, stderr } = run(dir, "--dry-run");
  assert.is(code, 0, stderr);
  assert.match(
    stdout,
    /^~ manifests\/cluster-network-02-config\.yml {2}Network cluster\n {4}~ spec\.clusterNetwork\[0\]\.hostPrefix: 23 -> 24$/m,
  );
  assert.match(
    stdout,
    /^~ manifests\/openshift-config-secret-pull-secret\.yaml {2}Secret openshift-config\/pull-secret\n {4}~ data\.\S+: \(sensitive value\)$/m,
  );
  for (const planted of [PLANTED.token, PLANTED.password])
    assert.not.match(stdout, Buffer.from(`user:${planted}`).toString("base64"));
  assert.match(stdout, /\nPlan: 0 to create, \d to change, 0 to remove, \d+ unchanged\.\n$/);
  assert.equal(readTree(dir), before);
});

test("what the user removed and edited is named as such", () => {
  const dir = directory();
  assert.is(run(dir).code, 0);
  rmSync(join(dir, "manifests/cluster-proxy-01-config.yaml"));
  const scheduler = join(dir, "manifests/cluster-scheduler-02-config.yml");
  writeFileSync(scheduler, readFileSync(scheduler, "utf8").replace("name: cluster", "name: mine"));
  const { stdout } = run(dir, "--dry-run");
  assert.match(stdout, /^Nothing blocks this run\. It removes nothing and keeps 1 edit of yours\.$/m);
  assert.match(stdout, /^ {2}manifests\/cluster-proxy-01-config\.yaml {2}omitted: you removed it$/m);
  assert.match(stdout, /^ {2}manifests\/cluster-scheduler-02-config\.yml {2}kept: your edit$/m);
});

test("--diff ends with the same plan", () => {
  const dir = directory();
  assert.is(run(dir).code, 0);
  writeFileSync(join(dir, "install-config.yaml"), CONFIG.replace("10.132.0.0", "10.136.0.0"));
  const { stdout } = run(dir, "--diff");
  assert.match(stdout, /^\+.*10\.136\.0\.0/m);
  assert.match(stdout, /clusterNetwork\[0\]\.cidr: "10\.132\.0\.0\/14" -> "10\.136\.0\.0\/14"/);
  assert.match(stdout, /\nPlan: 0 to create, \d to change, 0 to remove, \d+ unchanged\.\n$/);
});

test.run();
