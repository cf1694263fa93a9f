/** An encrypted install-config that two people changed: what the message says keeps the changes of both. */
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { generateX25519Identity, identityToRecipient } from "age-encryption";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { slipway } from "../helpers/cli.js";
import { skipTest } from "../helpers/shared.js";
import { noSops } from "../helpers/sops.js";
import { tempFolder } from "../helpers/temp.js";

const test = suite("an input that was merged");

const FILE = "my heron/install-config.yaml";

test("of an input that is torn, no side is recommended; of a generated file either is", () => {
  const root = tempFolder();
  mkdirSync(join(root, "my heron/openshift"), { recursive: true });
  const torn =
    "<<<<<<< a\nsops:\n  mac: ENC[AES256_GCM,data:a]\n=======\n  mac: ENC[AES256_GCM,data:b]\n>>>>>>> b\n";
  for (const path of [FILE, "my heron/openshift/99_x.yaml"]) writeFileSync(join(root, path), torn);
  const { code, stderr } = slipway(["create", "manifests", "--dir", "my heron"], { cwd: root });
  assert.is(code, 1);
  const [input = "", generated = ""] = stderr
    .split("\n")
    .filter((line) => line.includes(" SOPS001: "))
    .sort();
  assert.match(
    input,
    /^install-config\.yaml: error SOPS001: .* --ignore-mac 'my heron\/install-config\.yaml'$/m,
  );
  assert.not.match(input, /either side/);
  assert.match(generated, /use either side \(git checkout --theirs 'my heron\/openshift\/99_x\.yaml'\)/);
});

const MERGED = "the marks settled and the command of the message run, both changes count";
if (noSops !== "") skipTest(test, MERGED, noSops);
else
  test(MERGED, async () => {
    const root = tempFolder();
    const identity = await generateX25519Identity();
    const sh = (script: string): void => {
      const env = { PATH: process.env["PATH"], SOPS_AGE_KEY: identity, HOME: root };
      const { status, stderr } = spawnSync("sh", ["-c", script], { cwd: root, env, encoding: "utf8" });
      assert.is(status, 0, `${script}\n${stderr}`);
    };
    mkdirSync(join(root, "my heron"));
    const file = join(root, FILE);
    writeFileSync(file, readFileSync("examples/none/install-config.yaml"));
    writeFileSync(
      join(root, ".sops.yaml"),
      `creation_rules: [{age: ${await identityToRecipient(identity)}}]\n`,
    );
    sh(`sops encrypt --in-place --encrypted-regex '^pullSecret$' '${FILE}'`);
    const set = (member: string, value: string): string => {
      sh(`sops set '${FILE}' '["${member}"]' '${value}'`);
      return readFileSync(file, "utf8");
    };
    set("cpuPartitioningMode", '"None"');
    const ours = set("publish", '"Internal"');
    // Git keeps what both changed, and the code of one side.
    writeFileSync(file, ours.replace("publish: Internal", "publish: External"));
    const run = () =>
      slipway(["validate", "--dir", "my heron"], { cwd: root, env: { SOPS_AGE_KEY: identity } });
    const [, command = ""] = /was intended, run: (sops .*)/.exec(run().stderr) ?? [];
    assert.match(command, /^sops --rotate/);
    sh(command);
    assert.is(run().code, 0, run().stderr);
    assert.match(readFileSync(file, "utf8"), /publish: External/);
  });

test.run();
