/** A directory that was moved away from the files that earlier runs were given: what to set is said, and setting it works. */
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { slipway } from "../helpers/cli.js";
import { tempFolder } from "../helpers/temp.js";

const test = suite("moved directory");
const EXAMPLES = join(process.cwd(), "examples");
const CHECKS: readonly (readonly string[])[] = [
  ["check", "--strict"],
  ["validate"],
  ["create", "infrastructure-manifests"],
];

/** A cluster two folders below its inputs, and the same moved to where they are not. */
function moved(platform: string, words: readonly string[], prepare: (root: string) => void) {
  const root = tempFolder();
  prepare(root);
  const dir = join(root, "clusters", "a");
  mkdirSync(dir, { recursive: true });
  cpSync(join(EXAMPLES, platform, "install-config.yaml"), join(dir, "install-config.yaml"));
  const create = ["create", "infrastructure-manifests", "--key-algorithm", "ecdsa-p256", ...words];
  const { code, stderr } = slipway(create, { cwd: dir });
  assert.is(code, 0, stderr);
  cpSync(dir, join(root, "elsewhere"), { recursive: true });
  return root;
}

function expectWayOut(
  root: string,
  flags: readonly (readonly [flag: string, recorded: string, now: string])[],
) {
  const given = flags.flatMap(([flag, , now]) => [flag, now]);
  for (const words of CHECKS) {
    const run = (...more: readonly string[]) =>
      slipway([...words, "--dir", "elsewhere", ...more], { cwd: root });
    const lost = run();
    assert.is(lost.code, 1, lost.stderr);
    for (const [flag, recorded] of flags) {
      assert.match(lost.stderr, `for ${flag}, recorded as ${recorded} relative to the asset directory`);
      assert.match(lost.stderr, `if the asset directory was moved, set ${flag} to the new path`);
    }
    const found = run(...given);
    assert.is(found.code, 0, found.stderr);
    assert.not.match(found.stderr, "DIR015");
  }
  // The last of them recorded the new paths.
  for (const words of CHECKS) assert.is(slipway([...words, "--dir", "elsewhere"], { cwd: root }).code, 0);
}

test("facts above the directory", () => {
  const root = moved("vsphere", ["--facts", "../../facts.yaml"], (folder) =>
    cpSync(join(EXAMPLES, "vsphere", "facts.yaml"), join(folder, "facts.yaml")),
  );
  cpSync(join(root, "facts.yaml"), join(root, "new-facts.yaml"));
  expectWayOut(root, [["--facts", "../../facts.yaml", "new-facts.yaml"]]);
});

test("folders above the directory", () => {
  const own = ["--custom-infrastructure", "../../own", "--templates", "../../templates"];
  const root = moved("external", ["--namespace", "osprey", ...own], (folder) => {
    mkdirSync(join(folder, "own"));
    mkdirSync(join(folder, "templates"));
    for (const [kind, name] of [
      ["LakeCluster", "lake"],
      ["LakeMachineTemplate", "wader"],
    ])
      writeFileSync(
        join(folder, "own", `${name}.yaml`),
        `apiVersion: infrastructure.cluster.x-k8s.io/v1beta1\nkind: ${kind}\nmetadata:\n  name: ${name}\n  namespace: osprey\nspec: {}\n`,
      );
  });
  expectWayOut(root, [
    ["--custom-infrastructure", "../../own", "own"],
    ["--templates", "../../templates", "templates"],
  ]);
});

test.run();
