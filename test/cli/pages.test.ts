/** Pages of docs whose commands a reader can paste: every block runs, in order, in one shell, from the checkout. */
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { BINARY, record } from "../helpers/cli.js";
import { tempFolder } from "../helpers/temp.js";

const test = suite("pages");

/** What a page's commands print, in a folder that looks like the checkout. */
function run(page: string): string {
  const blocks = [...readFileSync(page, "utf8").matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(
    ([, text]) => text,
  );
  assert.ok(blocks.length > 0);
  const cwd = tempFolder();
  symlinkSync(resolve("examples"), join(cwd, "examples"));
  mkdirSync(join(cwd, ".bin"));
  const program = join(cwd, ".bin/slipway");
  writeFileSync(program, `#!/bin/sh\nexec ${process.execPath} ${resolve(BINARY)} "$@"\n`);
  chmodSync(program, 0o755);
  const { status, stdout, stderr } = spawnSync("bash", ["-euo", "pipefail", "-c", blocks.join("")], {
    cwd,
    encoding: "utf8",
    env: {
      ...process.env,
      PATH: `${join(cwd, ".bin")}:${process.env["PATH"]}`,
      SOURCE_DATE_EPOCH: "1800000000",
    },
  });
  record(stdout + stderr);
  assert.is(status, 0, stdout + stderr);
  return stdout;
}

test("docs/custom-infrastructure.md: both references name the objects of the folder", () => {
  const printed = run("docs/custom-infrastructure.md");
  assert.match(printed, /kind: LakeCluster\n +name: north-shore/);
  assert.match(printed, /kind: LakeMachineTemplate\n +name: wader/);
  assert.match(printed, "A fresh compile changes nothing");
});

test("docs/machine-management.md: a MachineDeployment for each zone, bounds spread over them, and back", () => {
  const printed = run("docs/machine-management.md");
  assert.is(printed.match(/^80_machine-deployment-/gm)?.length, 3);
  assert.match(printed, "group-max-size: '3'");
  assert.match(printed, "A fresh compile changes nothing");
  assert.match(printed, "mastersSchedulable: false");
});

test.run();
