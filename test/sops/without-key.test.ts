/**
 * What is encrypted is unknown, neither missing nor empty. A clone without the key has no diagnostic that there is none
 * of with the key, but for those that say that a file cannot be opened, and `check` ends as it does with the key.
 */
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { generateX25519Identity, identityToRecipient } from "age-encryption";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { PLATFORM_NAMES, PLATFORMS } from "../../src/platforms/registry.js";
import { seal } from "../../src/sops/file.js";
import type { EncryptionRule } from "../../src/sops/metadata.js";
import { type CliResult, slipway } from "../helpers/cli.js";
import { seededRandom } from "../helpers/inputs.js";
import { tempFolder } from "../helpers/temp.js";

const test = suite("without the key");

const identity = await generateX25519Identity();
const other = await generateX25519Identity();
const stranger = await generateX25519Identity();
const recipients = [await identityToRecipient(identity)];
const IMAGE = `quay.io/openshift-release-dev/ocp-release@sha256:${"a".repeat(64)}`;
const KEY = { SOPS_AGE_KEY: `${identity}\n${other}` };

const git = (cwd: string, ...words: readonly string[]): void => {
  const author = ["-c", "user.name=somebody", "-c", "user.email=somebody@example.org"];
  const { status, stderr } = spawnSync("git", [...author, ...words], { cwd, encoding: "utf8" });
  assert.is(status, 0, stderr);
};

interface Said {
  readonly code: string;
  readonly severity: string;
  readonly file?: string;
  readonly field?: string;
  readonly message: string;
  readonly hint?: string;
}

interface Answer {
  readonly diagnostics: readonly Said[];
  readonly files?: readonly { readonly path: string; readonly status: string }[];
}

const answerOf = ({ stdout, stderr }: CliResult): Answer => {
  assert.ok(stdout.startsWith("{"), stderr);
  return JSON.parse(stdout);
};

/** What tells one diagnostic from another: no line, since a file that was opened is in another layout. */
const nameOf = ({ code, file = "", field = "", message }: Said): string =>
  [code, file, field, message].join(" | ");

async function encrypt(
  file: string,
  rule: EncryptionRule,
  whom: readonly string[] = recipients,
): Promise<void> {
  const sealed = await seal({
    path: file,
    data: readFileSync(file),
    previous: undefined,
    recipients: whom,
    rules: [rule],
    now: "2027-01-15T08:00:00Z",
    random: seededRandom("without the key"),
  });
  assert.ok(sealed !== undefined, file);
  writeFileSync(file, sealed);
}

/** An example whose pull secret and logins are encrypted as CAPI008 says, compiled for both later phases. */
async function made(
  example: string,
  {
    fields = "",
    configFor = recipients,
  }: { readonly fields?: string; readonly configFor?: readonly string[] } = {},
): Promise<string> {
  const folder = join(tempFolder(), example);
  cpSync(join("examples", example), folder, { recursive: true });
  git(folder, "init", "--quiet");
  const facts = existsSync(join(folder, "facts.yaml")) ? ["--facts", "facts.yaml"] : [];
  const credentials = existsSync(join(folder, "clouds.yaml")) ? ["--credentials", "clouds.yaml"] : [];
  const layout = ["--secrets", "sops", ...recipients.flatMap((each) => ["--age-recipient", each])];
  const compile = (phase: string, words: readonly string[]): string => {
    const { code, stderr } = slipway(["create", phase, ...words], { cwd: folder, env: KEY });
    assert.is(code, 0, stderr);
    return stderr;
  };
  const first = compile("manifests", [...facts, ...credentials, ...layout, "--key-algorithm", "ecdsa-p256"]);
  const printed = /--encrypted-regex '([^']*)'/.exec(first)?.[1];
  assert.ok(printed !== undefined, first);
  const rule = { encrypted_regex: fields === "" ? printed : `${printed}|^(${fields})$` };
  await encrypt(join(folder, "install-config.yaml"), rule, configFor);
  compile("infrastructure-manifests", ["--release-image", IMAGE]);
  compile("ignition-configs", []);
  return folder;
}

const cloneOf = (folder: string): string => {
  git(folder, "add", ".");
  git(folder, "commit", "--quiet", "--message", "a cluster");
  const clone = join(tempFolder(), "clone");
  git(folder, "clone", "--quiet", folder, clone);
  return clone;
};

/** Compares check and validate without the key, or with one that opens nothing, with what they say with it. */
function compare(withKey: string, without: string): { readonly stdout: string } {
  const ask = (command: string, cwd: string, env: Readonly<Record<string, string>>): CliResult =>
    slipway([command, "--dir", ".", "--output", "json"], { cwd, env });
  for (const command of ["check", "validate"]) {
    const expected = ask(command, withKey, KEY);
    const known = new Set(answerOf(expected).diagnostics.map(nameOf));
    for (const env of [{}, { SOPS_AGE_KEY: stranger }]) {
      const found = ask(command, without, env);
      const answer = answerOf(found);
      const news = answer.diagnostics.filter((each) => each.code !== "SOPS002" && !known.has(nameOf(each)));
      assert.equal(news, [], `${command}: ${news.map(nameOf).join("\n")}`);
      assert.is(found.code, expected.code, `${command} ${found.stdout}`);
      const wrong = (answer.files ?? []).filter(
        ({ status }) => !["untouched", "unverifiable"].includes(status),
      );
      assert.equal(wrong, [], command);
    }
  }
  const { code, stdout, stderr } = slipway(["check", "--dir", "."], { cwd: without });
  assert.is(code, 0, stderr);
  assert.not.match(stdout, /^unverifiable/m);
  assert.match(stdout, /, \d+ cannot be verified without the secrets\.$/m);
  return { stdout };
}

const HANDLED = PLATFORM_NAMES.filter((name) => typeof PLATFORMS[name].handling === "object");

for (const platform of HANDLED)
  test(`${platform}: a clone without the key reports nothing new`, async () => {
    const folder = await made(platform);
    const clone = cloneOf(folder);
    compare(folder, clone);
    const { stdout } = slipway(["check", "--dir", ".", "--output", "json"], { cwd: clone });
    // Most files hold no secret, and are compared all the same.
    const statuses = answerOf({ code: 0, stdout, stderr: "" }).files ?? [];
    const verified = statuses.filter(({ status }) => status === "untouched");
    assert.ok(verified.length >= 15, `${verified.length} of ${statuses.length}`);
  });
test("the same in the directory itself, on the platforms with logins in install-config.yaml", async () => {
  for (const platform of ["vsphere", "baremetal", "nutanix"]) {
    const folder = await made(platform, { fields: "user|username" });
    compare(folder, folder);
  }
});

test("Argo CD, which decrypts nothing, is warned of once", async () => {
  const folder = await made("none");
  const warned = (...words: readonly string[]): number => {
    const { stderr } = slipway(words, { cwd: folder, env: KEY });
    return stderr.split("warning CAPI049").length - 1;
  };
  assert.is(warned("create", "infrastructure-manifests", "--gitops", "argocd"), 1);
  assert.is(warned("validate", "--dir", "."), 1);
  assert.is(warned("create", "infrastructure-manifests", "--gitops", "flux"), 0);
  assert.is(warned("validate", "--dir", "."), 0);
});

test("an encrypted value that decides what is generated leaves every file unverified", async () => {
  const folder = await made("baremetal", { fields: "networking|bootMACAddress|replicas|address" });
  compare(folder, cloneOf(folder));
});

test("with one of two keys, nothing new is reported either", async () => {
  for (const platform of ["vsphere", "baremetal"]) {
    const folder = await made(platform, { configFor: [await identityToRecipient(other)] });
    const clone = cloneOf(folder);
    for (const cwd of [folder, clone])
      for (const command of ["check", "validate"]) {
        const ask = (...keys: readonly string[]): CliResult =>
          slipway([command, "--dir", ".", "--output", "json"], {
            cwd,
            env: { SOPS_AGE_KEY: keys.join("\n") },
          });
        const expected = ask(identity, other);
        assert.is(expected.code, 0, expected.stdout);
        const known = new Set(answerOf(expected).diagnostics.map(nameOf));
        for (const key of [identity, other]) {
          const found = ask(key);
          const { diagnostics, files = [] } = answerOf(found);
          const news = diagnostics.filter((each) => each.code !== "SOPS002" && !known.has(nameOf(each)));
          assert.equal(news.map(nameOf), []);
          assert.is(found.code, 0, found.stdout);
          assert.equal(
            files.filter(({ status }) => !["untouched", "unverifiable"].includes(status)),
            [],
          );
        }
      }
    const again = slipway(["create", "infrastructure-manifests"], {
      cwd: clone,
      env: { SOPS_AGE_KEY: identity },
    });
    assert.is(again.code, 3, again.stderr);
    assert.match(again.stderr, "error SOPS002");
  }
});

test("encrypted facts are unknown", async () => {
  const folder = await made("vsphere");
  await encrypt(join(folder, "facts.yaml"), { unencrypted_suffix: "_unencrypted" });
  for (const phase of ["infrastructure-manifests", "ignition-configs"])
    assert.is(slipway(["create", phase], { cwd: folder, env: KEY }).code, 0);
  compare(folder, cloneOf(folder));
});

test("an encrypted manifest of the user's is neither read nor missing", async () => {
  const folder = await made("none");
  const secret =
    "apiVersion: v1\nkind: Secret\nmetadata:\n  name: own\n  namespace: default\nstringData:\n  a: b\n";
  for (const [name, rule] of [
    ["own", { encrypted_regex: "^(data|stringData)$" }],
    ["other", { unencrypted_suffix: "_unencrypted" }],
  ] as const) {
    const file = join(folder, "openshift", `99_${name}.yaml`);
    writeFileSync(file, secret.replace("name: own", `name: ${name}`));
    await encrypt(file, rule);
  }
  for (const phase of ["infrastructure-manifests", "ignition-configs"])
    assert.is(slipway(["create", phase], { cwd: folder, env: KEY }).code, 0);
  compare(folder, cloneOf(folder));
});

test.run();
