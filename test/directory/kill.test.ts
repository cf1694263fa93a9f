/**
 * SIGKILL at random moments and before single file system calls, of a fresh and of an updating run, with keys in the
 * state and without. SLIPWAY_KILL_ROUNDS sets the number of kills of each kind (scripts/kill-test.mjs takes 200).
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type KillScenario, KillTest, spread } from "../helpers/kill.js";
import type { MiniConfig } from "../helpers/mini-pipeline.js";
import { programFile } from "../helpers/programs.js";

const test = suite("directory/kill");
const ROUNDS = Number(process.env["SLIPWAY_KILL_ROUNDS"] ?? 20);
const DRIVER = programFile("directory/driver");

const configure = (dir: string, config: MiniConfig): void =>
  writeFileSync(join(dir, "install-config.yaml"), JSON.stringify(config));
const run = (dir: string): void => {
  const { status, stderr, stdout } = spawnSync(process.execPath, [DRIVER, "create", dir], {
    encoding: "utf8",
  });
  assert.is(status, 0, stderr + stdout);
};
const isClean = (dir: string): void => {
  const { status, stdout } = spawnSync(process.execPath, [DRIVER, "check", dir], { encoding: "utf8" });
  assert.is(status, 0, stdout);
};

const OLD: MiniConfig = { name: "wren", text: "a", count: 12, secrets: 4 };

/** A first run made everything; then the user edited, added and removed files. */
function settled(dir: string): void {
  configure(dir, OLD);
  run(dir);
  writeFileSync(join(dir, "manifests/m1.yaml"), "user: edited\n");
  writeFileSync(join(dir, "manifests/own.yaml"), "user: added\n");
  rmSync(join(dir, "manifests/m3.yaml"));
  mkdirSync(join(dir, "manifests/sub"));
  run(dir);
}

const SCENARIOS: Readonly<Record<string, KillScenario>> = {
  "a fresh run with keys in the state": {
    command: (dir) => [DRIVER, "create", dir],
    repeatable: true,
    prepare: (dir) => {
      configure(dir, OLD);
      run(dir);
      for (const name of [
        ".slipway",
        "manifests",
        "openshift",
        "infrastructure-manifests",
        "infrastructure-manifests-secrets",
      ])
        rmSync(join(dir, name), { recursive: true });
    },
  },
  "a fresh run that makes its keys": {
    command: (dir) => [DRIVER, "create", dir],
    repeatable: false,
    prepare: (dir) => configure(dir, OLD),
    verify: isClean,
  },
  "an updating run: files change, appear and go, edits stay": {
    command: (dir) => [DRIVER, "create", dir],
    repeatable: true,
    prepare: (dir) => {
      settled(dir);
      configure(dir, { ...OLD, text: "b", count: 14, secrets: 2 });
    },
    verify: isClean,
  },
  "a run that decides a conflict with --theirs": {
    command: (dir) => [DRIVER, "create", dir, "--theirs"],
    repeatable: true,
    prepare: (dir) => {
      settled(dir);
      writeFileSync(join(dir, "manifests/m2.yaml"), "user: in conflict\n");
      configure(dir, { ...OLD, text: "b" });
    },
  },
};

for (const [name, scenario] of Object.entries(SCENARIOS)) {
  test(`${name}, killed at random moments`, async () => {
    const kills = new KillTest(scenario);
    for (let i = 0; i < Math.ceil(ROUNDS / 4); i++) {
      const aimed = i % 2 === 0;
      await kills.killAfter(Math.random() * (aimed ? 12 : kills.duration), aimed);
    }
  });

  test(`${name}, killed before single calls`, () => {
    const kills = new KillTest(scenario);
    const steps = kills.countSteps();
    assert.ok(steps > 50, `only ${steps} calls change the file system`);
    for (const step of spread(Math.ceil(ROUNDS / 4), steps)) kills.killAtStep(step);
  });
}

test.run();
