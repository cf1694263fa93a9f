/** docs/fleet.md: every block is run by a shell, in order, as a reader would. */
import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { BINARY, record } from "../helpers/cli.js";
import { tempFolder } from "../helpers/temp.js";

const test = suite("docs/fleet.md");
const page = readFileSync("docs/fleet.md", "utf8");

/** The page in a folder that has what it speaks of. */
function follow(title: string): { readonly folder: string; readonly output: string } {
  const section = page.split(/^## /m).find((each) => each.startsWith(`${title}\n`)) ?? "";
  const script = [...section.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block]) => block).join("");
  assert.is.not(script, "", `${title} has commands`);
  const folder = tempFolder();
  const bin = join(folder, "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "slipway"), `#!/bin/sh\nexec '${process.execPath}' '${BINARY}' "$@"\n`);
  chmodSync(join(bin, "slipway"), 0o755);
  mkdirSync(join(folder, "egret"));
  cpSync("examples/none/install-config.yaml", join(folder, "egret/install-config.yaml"));
  const { status, stdout, stderr } = spawnSync("sh", ["-eu", "-c", script], {
    cwd: folder,
    env: { PATH: `${bin}:${process.env["PATH"]}` },
    encoding: "utf8",
  });
  record(stdout + stderr);
  assert.is(status, 0, `${title}\n${stdout}\n${stderr}`);
  return { folder, output: stdout + stderr };
}

test("keys made ahead", () => {
  const { folder, output } = follow("Keys made ahead");
  assert.not.match(output, /KEY002/);
  assert.is(readFileSync(join(folder, "keys.pool"), "utf8").match(/BEGIN RSA/g)?.length, 56 - 26);
});

test.run();
