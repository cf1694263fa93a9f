/** Files that flags name, encrypted as those of the directory are. */
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { generateX25519Identity, identityToRecipient } from "age-encryption";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { seal } from "../../src/sops/file.js";
import { type CliResult, slipway } from "../helpers/cli.js";
import { skipTest } from "../helpers/shared.js";
import { noSops, sops } from "../helpers/sops.js";
import { tempFolder } from "../helpers/temp.js";

const test = suite("encrypted files that flags name");

const identity = await generateX25519Identity();
const recipient = await identityToRecipient(identity);
const PULL_SECRET = JSON.stringify({ auths: { "registry.example.org": { auth: "dXNlcjpwYXNz" } } });
const PATH = "cluster/manifests/openshift-config-secret-pull-secret.yaml";

const run = (cwd: string, key: string | undefined, ...words: readonly string[]): CliResult =>
  slipway([...words, "--dir", "cluster"], {
    cwd,
    ...(key === undefined ? {} : { env: { SOPS_AGE_KEY: key } }),
  });

/** A folder with a cluster whose pull secret is in an encrypted file of its own. */
function folderWith(sealed: Uint8Array | string): string {
  const folder = tempFolder();
  const config = readFileSync("examples/none/install-config.yaml", "utf8").replace(/^pullSecret:.*\n/m, "");
  mkdirSync(join(folder, "cluster"));
  writeFileSync(join(folder, "cluster/install-config.yaml"), config);
  writeFileSync(join(folder, "pull-secret.json"), sealed);
  return folder;
}

function expectOpened(folder: string): void {
  const words = ["create", "manifests", "--pull-secret", "pull-secret.json", "--key-algorithm", "ecdsa-p256"];
  const locked = run(folder, undefined, ...words);
  assert.is.not(locked.code, 0);
  assert.match(locked.stderr, /pull-secret\.json: error SOPS002: the file is encrypted for age1/);
  assert.not(existsSync(join(folder, PATH)));
  const starter = [
    "create",
    "install-config",
    "--platform",
    "none",
    "--name",
    "a",
    "--base-domain",
    "example.org",
  ];
  const refused = slipway([...starter, "--dir", "new", "--pull-secret", "pull-secret.json"], { cwd: folder });
  assert.is(refused.code, 1);
  assert.match(
    refused.stderr,
    /SOPS002.*: the file is encrypted, and its content would be stored unencrypted in the install-config/,
  );
  assert.not(existsSync(join(folder, "new/install-config.yaml")));
  const { code, stderr } = run(folder, identity, ...words);
  assert.is(code, 0, stderr);
  const [, text = ""] = /\.dockerconfigjson: (\S+)/.exec(readFileSync(join(folder, PATH), "utf8")) ?? [];
  assert.equal(JSON.parse(Buffer.from(text, "base64").toString()), JSON.parse(PULL_SECRET));
  // The state has it for whoever has no key.
  for (const key of [identity, undefined]) {
    const again = run(folder, key, "check", "--strict");
    assert.is(again.code, 0, again.stderr);
    assert.not.match(again.stderr, /SOPS/);
  }
}

test("a pull secret that is encrypted as a whole is opened with the key, and is none without it", async () => {
  const sealed = await seal({
    path: "pull-secret.json",
    data: Buffer.from(PULL_SECRET),
    previous: undefined,
    recipients: [recipient],
    rules: [],
    now: "2026-01-01T00:00:00Z",
    random: { bytes: (count) => randomBytes(count) },
  });
  expectOpened(folderWith(sealed ?? ""));
});

const EACH = "a pull secret that sops encrypted value by value is opened as well";
if (noSops !== "") skipTest(test, EACH, noSops);
else
  test(EACH, () => {
    const folder = folderWith(PULL_SECRET);
    sops(["encrypt", "--in-place", "--age", recipient, join(folder, "pull-secret.json")], identity);
    expectOpened(folder);
  });

test.run();
