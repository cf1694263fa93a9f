/**
 * The built command line, killed at random moments and before single calls that change the file system: a fresh and
 * an updating `create`, keys in the state. scripts/kill-test.mjs runs 200 rounds of each kind.
 */
import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { BINARY, slipway } from "../helpers/cli.js";
import { type KillScenario, KillTest, spread } from "../helpers/kill.js";
import { tempFolder } from "../helpers/temp.js";

const test = suite("cli/kill");
const ROUNDS = Number(process.env["SLIPWAY_KILL_ROUNDS"] ?? 40);
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

function withKeysOnly(dir: string): void {
  configure(dir, config());
  cpSync(join(made, ".openshift_install_state.json"), join(dir, ".openshift_install_state.json"));
}

function settled(dir: string): void {
  cpSync(made, dir, { recursive: true });
  writeFileSync(join(dir, "manifests/own.yaml"), "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: own}\n");
  rmSync(join(dir, "openshift/99_osimagestream.yaml"));
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

test.run();
