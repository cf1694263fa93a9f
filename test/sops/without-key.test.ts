/**
 * What is encrypted is unknown, neither missing nor empty. A clone without the key has no diagnostic that there is none
 * of with the key, but for those that say that a file cannot be opened, and `check` ends as it does with the key.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { generateX25519Identity, identityToRecipient } from "age-encryption";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type CliResult, slipway } from "../helpers/cli.js";
import {
  answerOf,
  cloneOf,
  type EncryptedCluster,
  encrypt,
  encryptedCluster,
  git,
  nameOf,
} from "../helpers/encrypted-cluster.js";
import { tempFolder } from "../helpers/temp.js";

const test = suite("without the key");

const identity = await generateX25519Identity();
const other = await generateX25519Identity();
const stranger = await generateX25519Identity();
const recipients = [await identityToRecipient(identity)];
const KEY = { SOPS_AGE_KEY: `${identity}\n${other}` };

/** An example compiled for both later phases. */
const made = (
  example: string,
  more: Partial<Pick<EncryptedCluster, "fields" | "configFor" | "phases">> = {},
): Promise<string> => encryptedCluster(example, { recipients, key: KEY, ...more });

const statusOf = (found: CliResult, path: string): string | undefined =>
  answerOf(found).files?.find((each) => each.path === path)?.status;

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
  await encrypt(join(folder, "facts.yaml"), { unencrypted_suffix: "_unencrypted" }, recipients);
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
    await encrypt(file, rule, recipients);
  }
  for (const phase of ["infrastructure-manifests", "ignition-configs"])
    assert.is(slipway(["create", phase], { cwd: folder, env: KEY }).code, 0);
  compare(folder, cloneOf(folder));
});

test("validate FILE judges what can be read of an encrypted file", async () => {
  for (const platform of ["vsphere", "baremetal", "none"]) {
    const folder = await made(platform, { fields: "user|username", phases: [] });
    const file = join(folder, "install-config.yaml");
    const ask = (env: Readonly<Record<string, string>>, input = ""): CliResult =>
      slipway(["validate", input === "" ? file : "-", "--output", "json"], { cwd: folder, env, input });
    const expected = ask(KEY);
    const news = (found: CliResult): readonly string[] =>
      answerOf(found)
        .diagnostics.map(nameOf)
        .filter((each) => !answerOf(expected).diagnostics.map(nameOf).includes(each))
        .map((each) => each.replace(/ .*/, ""));
    for (const found of [ask({}), ask({}, readFileSync(file, "utf8"))]) {
      assert.is(found.code, 0, found.stdout);
      assert.equal(news(found), ["SOPS002"]);
    }
    writeFileSync(file, readFileSync(file, "utf8").replace(/^baseDomain: .*$/m, "baseDomain: -wrong-"));
    const wrong = ask({});
    assert.is(wrong.code, 1);
    assert.match(wrong.stdout, '"field": "baseDomain"');
  }
  const folder = await made("none", { phases: [] });
  const file = join(folder, "install-config.yaml");
  writeFileSync(file, "apiVersion: v1\nmetadata:\n  name: heron\n");
  await encrypt(file, { unencrypted_suffix: "_unencrypted" }, recipients);
  const closed = slipway(["validate", file], { cwd: folder });
  assert.is(closed.code, 1);
  assert.match(closed.stderr, "error SOPS002");
});

test("encrypted files of flags are unknown to validate FILE", async () => {
  const folder = tempFolder();
  const config = readFileSync("examples/vsphere/install-config.yaml", "utf8");
  const pullSecret = /^pullSecret: '(.*)'$/m.exec(config)?.[1];
  assert.ok(pullSecret !== undefined);
  writeFileSync(join(folder, "install-config.yaml"), config.replace(/^pullSecret: .*\n/m, ""));
  writeFileSync(join(folder, "pull-secret.json"), pullSecret);
  writeFileSync(join(folder, "facts.yaml"), readFileSync("examples/vsphere/facts.yaml"));
  const words = ["--pull-secret", "pull-secret.json", "--facts", "facts.yaml"];
  const ask = (env: Readonly<Record<string, string>>): CliResult =>
    slipway(["validate", "install-config.yaml", ...words], { cwd: folder, env });
  assert.is(ask({}).code, 0);
  for (const name of ["pull-secret.json", "facts.yaml"])
    await encrypt(join(folder, name), { unencrypted_suffix: "_unencrypted" }, recipients);
  assert.is(ask(KEY).code, 0);
  assert.not.match(ask(KEY).stderr, "SOPS");
  const { code, stderr } = ask({});
  assert.is(code, 0, stderr);
  assert.match(stderr, /^(?:.*: warning SOPS002.*\n)+2 warnings\n$/);
});

test("the function refuses encrypted inputs, once for each key", async () => {
  const folder = await made("vsphere", { phases: ["infrastructure-manifests"] });
  const list = (spec: object, items: readonly object[] = []): string =>
    JSON.stringify({
      apiVersion: "config.kubernetes.io/v1",
      kind: "ResourceList",
      functionConfig: { apiVersion: "slipway.dev/v1alpha1", kind: "ClusterFunction", spec },
      items,
    });
  const ask = (input: string, env: Readonly<Record<string, string>>): CliResult =>
    slipway(["function"], { cwd: folder, env, input });
  const refused = ({ code, stdout, stderr }: CliResult, what: string): void => {
    assert.is(code, 1, stderr);
    assert.equal(stdout.match(/code: \w+/g), ["code: SOPS002"]);
    assert.match(stdout, what);
  };
  const facts = readFileSync(join(folder, "facts.yaml"), "utf8");
  const plain = list({ directory: ".", inputs: { facts } });
  assert.is(ask(plain, KEY).code, 0);
  refused(ask(plain, {}), " more files have the same problem");
  await encrypt(join(folder, "facts.yaml"), { unencrypted_suffix: "_unencrypted" }, recipients);
  const encrypted = list({
    directory: ".",
    inputs: { facts: readFileSync(join(folder, "facts.yaml"), "utf8") },
  });
  const items = ({ stdout }: CliResult): string => stdout.slice(stdout.indexOf("\nitems:"));
  assert.is(items(ask(encrypted, KEY)), items(ask(plain, KEY)));
  // The state in the open, and only the install-config encrypted.
  for (const phase of ["manifests", "infrastructure-manifests"]) {
    const again = slipway(["create", phase, "--secrets", "separate"], { cwd: folder, env: KEY });
    assert.is(again.code, 0, again.stderr);
  }
  refused(ask(plain, {}), "path: install-config.yaml");
  const item = {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "facts", annotations: { "slipway.dev/input": "facts" } },
    data: { "facts.yaml": "ENC[AES256_GCM,data:AAAA,iv:AAAA,tag:AAAA,type:str]" },
  };
  refused(ask(list({ directory: "." }, [item]), KEY), "path: items[0]");
});

test("an encrypted Secret in the folder of the user's infrastructure is unknown", async () => {
  const folder = tempFolder();
  const [own, cluster] = [join(folder, "own"), join(folder, "cluster")];
  for (const each of [own, cluster]) mkdirSync(each);
  git(folder, "init", "--quiet");
  writeFileSync(join(cluster, "install-config.yaml"), readFileSync("examples/external/install-config.yaml"));
  const object = (kind: string, name: string, rest: string): void =>
    writeFileSync(
      join(own, `${name}.yaml`),
      `apiVersion: ${kind === "Secret" ? "v1" : "infrastructure.cluster.x-k8s.io/v1beta1"}\nkind: ${kind}\nmetadata:\n  name: ${name}\n  namespace: osprey\n${rest}`,
    );
  object("LakeCluster", "lake", "spec: {}\n");
  object("LakeMachineTemplate", "wader", "spec:\n  template:\n    spec:\n      size: large\n");
  object("Secret", "login", "stringData:\n  password: planted\ndata:\n  user: YWRtaW4=\n");
  const secret = join(own, "login.yaml");
  await encrypt(secret, { encrypted_regex: "^(data|stringData)$" }, recipients);
  const command = ["create", "infrastructure-manifests", "--namespace", "osprey"];
  const words = ["--custom-infrastructure", "../own", "--secrets", "sops", "--age-recipient", ...recipients];
  const create = slipway([...command, ...words, "--key-algorithm", "ecdsa-p256"], { cwd: cluster, env: KEY });
  assert.is(create.code, 0, create.stderr);
  const written = "infrastructure-manifests-secrets/12_secret-login.yaml";
  assert.match(readFileSync(join(cluster, written), "utf8"), /user: ENC\[/);
  const ask = (env: Readonly<Record<string, string>>): CliResult =>
    slipway(["check", "--output", "json"], { cwd: cluster, env });
  assert.equal(statusOf(ask(KEY), written), "untouched");
  const compareIt = (): void => {
    const { code, stdout } = ask({});
    assert.is(code, 0, stdout);
    const { diagnostics } = answerOf({ code, stdout, stderr: "" });
    const problems = diagnostics.filter(({ severity }) => severity !== "info");
    assert.equal(problems.map(({ code: each, file = "" }) => `${each} ${file}`).sort(), [
      "CAPI008 install-config.yaml",
      "SOPS002 ../own/login.yaml",
    ]);
    assert.is(statusOf(ask({}), written), "unverifiable");
    assert.is(statusOf(ask({}), "infrastructure-manifests/50_machine-template.yaml"), "untouched");
  };
  compareIt();
  // Only the folder's file is closed.
  const other = { SOPS_AGE_KEY: identity };
  const plain = slipway(["check", "--output", "json"], { cwd: cluster, env: other });
  assert.is(plain.code, 0, plain.stdout);
  rmSync(secret);
  object("Secret", "login", "stringData:\n  password: planted\ndata:\n  user: YWRtaW4=\n");
  await encrypt(secret, { encrypted_regex: "^(data|stringData)$" }, [await identityToRecipient(stranger)]);
  const half = ask(other);
  assert.is(half.code, 0, half.stdout);
  assert.is(statusOf(half, written), "unverifiable");
  assert.is(statusOf(half, "infrastructure-manifests/50_machine-template.yaml"), "untouched");
  const refused = slipway(["create", "infrastructure-manifests"], { cwd: cluster, env: other });
  assert.is(refused.code, 3, refused.stderr);
  assert.match(refused.stderr, "../own/login.yaml: error SOPS002");
});

test("fleet and report count what cannot be verified", async () => {
  const folder = await made("none", { phases: [] });
  writeFileSync(join(folder, "fleet.txt"), ".\n");
  const fleet = slipway(["check", "--fleet", "fleet.txt"], { cwd: folder });
  assert.is(fleet.code, 0, fleet.stderr);
  assert.match(fleet.stdout, /^ok +\.: 0 of \d+ files differ, \d+ cannot be verified without the secrets$/m);
  assert.match(fleet.stderr, /(?:^|; )\d+ of \d+ files checked; no differences$/m);
  const page = slipway(["report", "--dir", ".", "--html", "-"], { cwd: folder });
  assert.is(page.code, 0, page.stderr);
  assert.match(page.stdout, /not verified<\/dt>\s*<dd>\d+ files: the secrets are not available/);
  assert.match(page.stdout, "is missing or encrypted");
});

test.run();
