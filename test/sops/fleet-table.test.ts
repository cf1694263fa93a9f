/** The file of `--fleet`, encrypted as other inputs may be. */
import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { generateX25519Identity, identityToRecipient } from "age-encryption";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { seal } from "../../src/sops/file.js";
import { type CliResult, slipway } from "../helpers/cli.js";
import { skipTest } from "../helpers/shared.js";
import { noSops, sops } from "../helpers/sops.js";
import { tempFolder } from "../helpers/temp.js";

const test = suite("an encrypted fleet");

const identity = await generateX25519Identity();
const recipient = await identityToRecipient(identity);

const TABLE = `apiVersion: slipway.dev/v1alpha1
kind: Fleet
defaults:
  flags: {key-algorithm: ecdsa-p256}
  installConfig:
    apiVersion: v1
    baseDomain: lab.example.org
    compute: [{name: worker, replicas: 2}]
    networking: {machineNetwork: [{cidr: 192.0.2.0/24}]}
    platform: {none: {}}
    pullSecret: '{"auths":{"registry.example.org":{"auth":"dXNlcjpwYXNz"}}}'
clusters:
- {dir: clusters/a, name: a}
- {dir: clusters/b, name: b}
`;

const sealed = (path: string, text: string): Promise<Uint8Array | undefined> =>
  seal({
    path,
    data: Buffer.from(text),
    previous: undefined,
    recipients: [recipient],
    rules: [],
    now: "2026-01-01T00:00:00Z",
    random: { bytes: (count) => randomBytes(count) },
  });

const run = (cwd: string, words: string, key?: string, input = ""): CliResult =>
  slipway(words.split(" "), { cwd, input, ...(key === undefined ? {} : { env: { SOPS_AGE_KEY: key } }) });

/** Every command opens the table with the key, and says without it who has one. */
function expectOpened(root: string): void {
  for (const [words, exit] of [
    ["create manifests", 3],
    ["validate", 1],
    ["check", 1],
  ] as const) {
    const locked = run(root, `${words} --fleet fleet.yaml`);
    assert.is(locked.code, exit, words);
    assert.match(
      locked.stderr,
      /^fleet\.yaml: error SOPS002: the file is encrypted for age1\S+, and no available key/,
    );
    const [, closing = "", ...more] = locked.stderr.trim().split("\n");
    assert.match(closing, /^1 error \(slipway explain SOPS002\)/);
    assert.equal(more, []);
  }
  assert.not(existsSync(join(root, "clusters")));
  const made = run(root, "create manifests --fleet fleet.yaml", identity);
  assert.is(made.code, 0, made.stderr);
  assert.match(made.stdout, /2 clusters: 2 ok/);
  for (const words of ["validate", "check"]) {
    assert.is(run(root, `${words} --fleet fleet.yaml`, identity).code, 0);
    assert.is(
      run(root, `${words} --fleet -`, identity, readFileSync(join(root, "fleet.yaml"), "utf8")).code,
      0,
    );
  }
}

test("a table is opened with the key", async () => {
  const root = tempFolder();
  writeFileSync(join(root, "fleet.yaml"), (await sealed("fleet.yaml", TABLE)) ?? "");
  expectOpened(root);
});

test("the hint about a secret in the install-config that comes from a table holds when it is followed", async () => {
  const root = tempFolder();
  const pullSecret = /^ *pullSecret: '(.*)'\n/m;
  const flags = (more: string): string =>
    TABLE.replace("flags: {", `flags: {secrets: sops, age-recipient: [${recipient}]${more}, `);
  writeFileSync(join(root, "fleet.yaml"), (await sealed("fleet.yaml", flags(""))) ?? "");
  const before = run(root, "create manifests --fleet fleet.yaml", identity);
  assert.match(
    before.stderr,
    /CAPI008: pullSecret: .*; move it to a file, which may be encrypted, and set the file in the table: flags: \{pull-secret: FILE\}/,
  );
  assert.not.match(before.stderr, /sops encrypt/, "the table writes the file anew");
  const secret = await sealed("secret.json", pullSecret.exec(TABLE)?.[1] ?? "");
  writeFileSync(join(root, "secret.json"), secret ?? "");
  const table = flags(", pull-secret: secret.json").replace(pullSecret, "");
  writeFileSync(join(root, "fleet.yaml"), (await sealed("fleet.yaml", table)) ?? "");
  const after = run(root, "create manifests --fleet fleet.yaml", identity);
  assert.is(after.code, 0, after.stderr);
  assert.not.match(after.stderr, /CAPI008/);
  assert.not.match(readFileSync(join(root, "clusters/a/install-config.yaml"), "utf8"), /pullSecret/);
});

test("a list is opened as well", async () => {
  const root = tempFolder();
  writeFileSync(join(root, "fleet.yaml"), TABLE);
  run(root, "create manifests --fleet fleet.yaml");
  writeFileSync(join(root, "list"), (await sealed("list", "clusters/a\nclusters/b\n")) ?? "");
  const { code, stdout, stderr } = run(root, "validate --fleet list", identity);
  assert.is(code, 0, stderr);
  assert.match(stdout, /2 clusters: 2 ok/);
});

test("a table that is torn is the user's to mend: no side is recommended", async () => {
  const root = tempFolder();
  const text = Buffer.from((await sealed("fleet.yaml", TABLE)) ?? "").toString();
  writeFileSync(join(root, "fleet.yaml"), `<<<<<<< a\n${text}=======\n>>>>>>> b\n`);
  const { code, stderr } = run(root, "create manifests --fleet fleet.yaml", identity);
  assert.is(code, 1);
  assert.match(stderr, /^fleet\.yaml: error SOPS001: .* --ignore-mac fleet\.yaml/);
  assert.not.match(stderr, /either side/);
});

test("a key that is none is told with the table that it does not open", async () => {
  const root = tempFolder();
  writeFileSync(join(root, "fleet.yaml"), (await sealed("fleet.yaml", TABLE)) ?? "");
  const { code, stderr } = run(root, "create manifests --fleet fleet.yaml", "AGE-SECRET-KEY-1NONE");
  assert.is(code, 1);
  assert.match(stderr, /SOPS_AGE_KEY: error SOPS003: a line is not an age private key/);
});

const PART = "a table of which sops encrypted some values is opened as well";
if (noSops !== "") skipTest(test, PART, noSops);
else
  test(PART, () => {
    const root = tempFolder();
    writeFileSync(join(root, "fleet.yaml"), TABLE);
    const words = ["encrypt", "--in-place", "--encrypted-regex", "^pullSecret$", "--age", recipient];
    sops([...words, join(root, "fleet.yaml")], identity);
    expectOpened(root);
  });

test.run();
