/** The two stories of the design as the README tells them: every command works as it is printed. */
import { cpSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { slipway } from "../helpers/cli.js";
import { readTree, tempFolder } from "../helpers/temp.js";

const test = suite("transfers in the README");

const text = readFileSync("README.md", "utf8");
const section = /^## Moving a claim to another namespace$([\s\S]*?)^## /m.exec(text)?.[1] ?? "";
const stories = [...section.matchAll(/^```sh$([\s\S]*?)^```$/gm)].map(([, block = ""]) =>
  block
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== ""),
);

test("both stories are there", () => {
  assert.is(stories.length, 2);
  assert.ok(stories.flat().every((line) => line.startsWith("slipway transfer ")));
});

for (const [index, commands] of stories.entries())
  test(`story ${index + 1}: every command does what it says`, () => {
    const root = tempFolder();
    cpSync("examples", join(root, "examples"), { recursive: true });
    for (const command of commands) {
      const { code, stderr } = slipway(command.split(" ").slice(1), { cwd: root });
      assert.is(code, 0, `${command}\n${stderr}`);
    }
    const plans = readdirSync(join(root, "out")).filter((name) => name.endsWith("-plan"));
    assert.is(plans.length, 1);
    const files = readTree(join(root, "out", plans[0] ?? ""));
    for (const name of ["RUNBOOK.md", "plan.json"]) assert.ok(files.has(name), name);
    for (const side of ["source/", "target/", "cluster/"])
      assert.ok(
        [...files.keys()].some((path) => path.startsWith(side)),
        side,
      );
  });

test("the examples are what the golden cases run on", () => {
  for (const [example, golden] of [
    ["database-copy/dump.yaml", "transfer-database-copy/input/dump.yaml"],
    ["golden-images/dump.yaml", "transfer-golden-images/input/dump.yaml"],
    ["golden-images/tenants/vm-a.yaml", "transfer-golden-images/input/git/tenants/vm-a.yaml"],
    ["golden-images/tenants/vm-b.yaml", "transfer-golden-images/input/git/tenants/vm-b.yaml"],
  ] as const)
    assert.is(
      readFileSync(join("examples/transfer", example), "utf8"),
      readFileSync(join("golden", golden), "utf8"),
      example,
    );
});

test.run();
