/** SIGKILL while the directory is written: it is there whole or not at all, and the next run makes it. */
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { BINARY, slipway } from "../helpers/cli.js";
import { spread } from "../helpers/kill.js";
import { readTree, tempFolder } from "../helpers/temp.js";

const test = suite("reconstruct: kill");
const ROUNDS = Number(process.env["SLIPWAY_KILL_ROUNDS"] ?? 40);
const KILL_AT = join(process.cwd(), "scripts/kill-at.mjs");

const cluster = join(tempFolder(), "cluster");
cpSync(join(process.cwd(), "golden/none/input"), cluster, { recursive: true });
assert.is(slipway(["create", "infrastructure-manifests", "--dir", cluster]).code, 0);
const command = (dir: string): string[] => [
  "reconstruct",
  "--from",
  join(cluster, "infrastructure-manifests"),
  "--dir",
  dir,
];
const run = (dir: string, env: Readonly<Record<string, string>>) =>
  spawnSync(process.execPath, ["--import", KILL_AT, BINARY, ...command(dir)], {
    encoding: "utf8",
    env: { PATH: process.env["PATH"], ...env },
  });

const whole = join(tempFolder(), "whole");
const count = join(tempFolder(), "count");
assert.is(run(whole, { SLIPWAY_KILL_COUNT: count }).status, 0);
const steps = Number(readFileSync(count, "utf8"));
const expected = readTree(whole);

for (const kind of ["new", "empty"] as const)
  test(`a directory that is ${kind}, killed before single calls`, () => {
    assert.ok(steps > 60, `only ${steps} calls change the file system`);
    let [absent, complete] = [0, 0];
    for (const step of [...spread(Math.max(6, Math.ceil(ROUNDS / 2)), steps - 1), steps]) {
      const base = tempFolder();
      const dir = join(base, "scratch");
      if (kind === "empty") mkdirSync(dir);
      assert.is(run(dir, { SLIPWAY_KILL_AT: String(step) }).signal, "SIGKILL");
      const left = existsSync(dir) ? readTree(dir) : new Map<string, Buffer>();
      if (left.size === 0) {
        absent++;
        assert.is(existsSync(dir), kind === "empty");
        const again = slipway(command(dir));
        assert.is(again.code, 0, again.stderr);
      } else complete++;
      assert.equal(readTree(dir), expected, `step ${step}`);
      if (left.size === 0) assert.equal(readdirSync(base), ["scratch"], "what the killed run left is swept");
    }
    assert.ok(absent > 0, "some kills came before the directory was there");
    assert.ok(complete + absent > 6);
  });

test.run();
