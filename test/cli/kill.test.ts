/**
 * The built command line, killed at random moments and before single calls that change the file system: a fresh and
 * an updating `create`, keys in the state; ignition-configs from nothing, after a change, and signing again. scripts/kill-test.mjs runs 200 rounds of each kind.
 */
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { BINARY, slipway } from "../helpers/cli.js";
import { type KillScenario, KillTest, spread } from "../helpers/kill.js";
import { tempFolder } from "../helpers/temp.js";

const test = suite("cli/kill");
const ROUNDS = Number(process.env["SLIPWAY_KILL_ROUNDS"] ?? 20);
const ENV = { SOURCE_DATE_EPOCH: "1700000000" };

const config = (changes: { replicas?: number; line?: string } = {}): string =>
  [
    "apiVersion: v1",
    "baseDomain: lab.example.org",
    "metadata: {name: heron}",
    `compute: [{name: worker, replicas: ${changes.replicas ?? 2}}]`,
    "networking: {machineNetwork: [{cidr: 192.0.2.0/24}]}",
    "platform: {none: {}}",
    `pullSecret: '{"auths":{"registry.example.org":{"auth":"dXNlcjpwYXNz"}}}'`,
    ...(changes.line === undefined ? [] : [changes.line]),
    "",
  ].join("\n");

function run(dir: string, target: string, ...more: readonly string[]): void {
  const { code, stderr } = slipway(["create", target, "--dir", dir, ...more], { env: ENV });
  assert.is(code, 0, stderr);
}

const configure = (dir: string, text: string): void => writeFileSync(join(dir, "install-config.yaml"), text);

/** Everything made once, for all scenarios. */
const made = join(tempFolder(), "made");
mkdirSync(made);
configure(made, config());
run(made, "infrastructure-manifests", "--key-algorithm", "ecdsa-p256");

const IMAGE = `registry.example.org/ocp/release@sha256:${"0".repeat(64)}`;
const ignition = (dir: string, ...more: readonly string[]): string[] => [
  BINARY,
  "create",
  "ignition-configs",
  "--dir",
  dir,
  "--release-image",
  IMAGE,
  ...more,
];

/** A directory whose configs were signed three days before the runs that are killed. */
const signed = join(tempFolder(), "signed");
cpSync(made, signed, { recursive: true });
const early = slipway(ignition(signed).slice(1), { env: { SOURCE_DATE_EPOCH: "1699740000" } });
assert.is(early.code, 0, early.stderr);

function withKeysOnly(dir: string): void {
  configure(dir, config());
  cpSync(join(made, ".openshift_install_state.json"), join(dir, ".openshift_install_state.json"));
}

function settled(dir: string): void {
  cpSync(made, dir, { recursive: true });
  writeFileSync(join(dir, "manifests/own.yaml"), "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: own}\n");
  rmSync(join(dir, "openshift/99_feature-gate.yaml"));
}

const SCENARIOS: Readonly<Record<string, KillScenario>> = {
  "a fresh create manifests": {
    command: (dir) => [BINARY, "create", "manifests", "--dir", dir],
    repeatable: true,
    prepare: withKeysOnly,
  },
  "an updating create infrastructure-manifests": {
    command: (dir) => [BINARY, "create", "infrastructure-manifests", "--dir", dir, "--secrets", "separate"],
    repeatable: true,
    prepare: (dir) => {
      settled(dir);
      configure(
        dir,
        config({
          replicas: 0,
          line: "sshKey: ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEAx2KnK03eS+pUvYfP2CX/8+zLS8lK//4iv/GOKDdii",
        }),
      );
    },
  },
  "a fresh create ignition-configs": {
    command: (dir) => ignition(dir),
    repeatable: true,
    prepare: withKeysOnly,
  },
  "create ignition-configs --renew over changed manifests": {
    command: (dir) => ignition(dir, "--renew"),
    repeatable: true,
    prepare: (dir) => {
      cpSync(signed, dir, { recursive: true });
      configure(dir, config({ replicas: 0 }));
      writeFileSync(
        join(dir, "openshift/own.yaml"),
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: own}\n",
      );
      rmSync(join(dir, "worker.ign"));
    },
  },
};

for (const [name, scenario] of Object.entries(SCENARIOS)) {
  test(`${name}, killed at random moments`, async () => {
    const kills = new KillTest(scenario);
    for (let i = 0; i < Math.ceil(ROUNDS / 2); i++) {
      const aimed = i % 2 === 0;
      await kills.killAfter(Math.random() * (aimed ? 25 : kills.duration), aimed);
    }
  });

  test(`${name}, killed before single calls`, () => {
    const kills = new KillTest(scenario);
    for (const step of spread(Math.ceil(ROUNDS / 4), kills.countSteps())) kills.killAtStep(step);
  });
}

test("create ignition-configs --consume, killed before single calls: what the user edited is never lost from bootstrap.ign", () => {
  const edited = join(tempFolder(), "edited");
  cpSync(signed, edited, { recursive: true });
  const scheduler = join(edited, "manifests/cluster-scheduler-02-config.yml");
  writeFileSync(scheduler, `${readFileSync(scheduler, "utf8")}# mine\n`);
  const own = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: own}\n";
  writeFileSync(join(edited, "manifests/00-own.yaml"), own);
  const copy = (): string => {
    const dir = join(tempFolder(), "copy");
    cpSync(edited, dir, { recursive: true });
    return dir;
  };
  const consuming = (
    dir: string,
    flags: readonly string[],
    env: Record<string, string>,
    ...more: readonly string[]
  ) =>
    spawnSync(process.execPath, [...flags, ...ignition(dir, "--renew", "--consume", ...more)], {
      encoding: "utf8",
      env: { PATH: process.env["PATH"], ...ENV, ...env },
    });
  const kill = ["--import", join(process.cwd(), "scripts/kill-at.mjs")];
  const count = join(tempFolder(), "count");
  const whole = copy();
  assert.is(consuming(whole, kill, { SLIPWAY_KILL_COUNT: count }).status, 0);
  assert.not.ok(existsSync(join(whole, "manifests")));
  const complete = readFileSync(join(whole, "bootstrap.ign"), "utf8");
  const seen = new Set<number | null>();
  // The files take their places and go in the second half of a run.
  const steps = Number(readFileSync(count, "utf8"));
  for (const each of spread(Math.ceil(ROUNDS / 4), Math.ceil(steps * 0.6))) {
    const step = steps + 1 - each;
    const dir = copy();
    assert.is(consuming(dir, kill, { SLIPWAY_KILL_AT: String(step) }).signal, "SIGKILL", `step ${step}`);
    const { status, stderr } = consuming(dir, [], {});
    seen.add(status);
    if (status !== 0) assert.match(stderr, /error DIR016/, `step ${step}`);
    assert.is(readFileSync(join(dir, "bootstrap.ign"), "utf8"), complete, `step ${step}`);
    if (status === 0) continue;
    // With the folders put back the run goes on; where all had been deleted nobody knows any more who wrote what.
    for (const folder of ["manifests", "openshift"])
      cpSync(join(edited, folder), join(dir, folder), { recursive: true });
    const again = consuming(dir, [], {}, "--ours", "manifests");
    assert.is(again.status, 0, `step ${step}: ${again.stderr}`);
    assert.is(readFileSync(join(dir, "bootstrap.ign"), "utf8"), complete, `step ${step}`);
    assert.not.ok(existsSync(join(dir, "manifests")), `step ${step}`);
  }
  assert.ok(seen.has(1), "some runs were killed while they deleted");
});

test.run();
