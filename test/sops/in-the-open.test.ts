/** Secrets in the open, and files that Git passes over, in a directory whose secrets are encrypted to be committed. */
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { generateX25519Identity, identityToRecipient } from "age-encryption";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { open } from "../../src/sops/file.js";
import { type CliResult, slipway } from "../helpers/cli.js";
import { tempFolder } from "../helpers/temp.js";

const test = suite("secrets in the open");

const identity = await generateX25519Identity();
const recipient = await identityToRecipient(identity);

const run = (cwd: string, ...words: readonly string[]): CliResult =>
  slipway(words, { cwd, env: { SOPS_AGE_KEY: identity } });

/** An encrypted directory of an example, with what the run said. */
function made(example: string): { readonly folder: string; readonly said: string } {
  const folder = join(tempFolder(), "work");
  cpSync(join("examples", example), folder, { recursive: true });
  const { code, stderr } = run(
    folder,
    "create",
    "manifests",
    "--secrets",
    "sops",
    "--age-recipient",
    recipient,
  );
  assert.is(code, 0, stderr);
  return { folder, said: stderr };
}

const again = (folder: string): CliResult => run(folder, "create", "manifests", "--age-recipient", recipient);

test("a generated file that somebody opened is told, and check answers no until a run has encrypted it", async () => {
  const { folder } = made("none");
  assert.is(run(folder, "check", "--strict").code, 0);
  for (const path of [".openshift_install_state.json", "openshift/99_kubeadmin-password-secret.yaml"]) {
    const file = join(folder, path);
    const sealed = readFileSync(file);
    const opened = await open(path, sealed, [identity], ({ message }) => assert.unreachable(message));
    writeFileSync(file, opened?.data ?? "");
    const { code, stdout, stderr } = run(folder, "check");
    assert.is(code, 3, stderr);
    assert.match(stdout, `stale      ${path}`);
    assert.not.match(stdout, "is missing");
    assert.match(stderr, `${path}: warning CAPI008: contains unencrypted secrets`);
    assert.match(run(folder, "validate", "--dir", ".").stderr, `${path}: warning CAPI008`);
    assert.is(again(folder).code, 0);
    assert.not.equal(readFileSync(file), Buffer.from(opened?.data ?? ""));
    const { code: after, stderr: then } = run(folder, "check", "--strict");
    assert.is(after, 0, then);
    assert.not.match(then, `${path}: warning`);
  }
});

test("every secret of the install-config is told, not the pull secret alone", () => {
  const { folder, said } = made("vsphere");
  assert.match(said, "warning CAPI008: pullSecret: the pull secret is not encrypted");
  assert.match(said, "warning CAPI008: platform.vsphere.vcenters[0].password: the secret is not encrypted");
  assert.match(said, "--encrypted-regex '^(pullSecret|sshKey|password)$' install-config.yaml");
  for (const words of [["check"], ["validate", "--dir", "."]])
    assert.match(run(folder, ...words).stderr, "CAPI008: platform.vsphere.vcenters[0].password");
});

test("lines of slipway's own that keep from Git what is encrypted are told, and init takes them out", () => {
  const { folder } = made("none");
  const file = join(folder, ".gitignore");
  writeFileSync(file, "mine\n/manifests/\n/.openshift_install_state.json\n");
  const told =
    "warning CAPI009: .gitignore excludes encrypted files that are meant to be committed: /manifests/, /.openshift_install_state.json";
  assert.match(again(folder).stderr, told);
  assert.match(run(folder, "check").stderr, told);
  assert.is(run(folder, "init", "--secrets", "sops").code, 0);
  // The configuration image is never committed: sops has no form for it.
  assert.is(readFileSync(file, "utf8"), "mine\n/agentconfig.noarch.iso\n/tls/\n");
  assert.not.match(again(folder).stderr, "CAPI009");
});

test("an edited manifest with the marks of a merge is a conflict", () => {
  const { folder } = made("none");
  const path = "manifests/cluster-network-02-config.yml";
  const text = readFileSync(join(folder, path), "utf8");
  const merged = text.replace("spec:\n", "<<<<<<< HEAD\nspec:\n=======\nspec: # theirs\n>>>>>>> other\n");
  assert.is.not(merged, text);
  writeFileSync(join(folder, path), merged.replace("cidr: 10.128", "cidr: 10.132"));
  const { code, stderr } = again(folder);
  assert.is(code, 1);
  assert.match(stderr, `${path}: error DIR030: conflict: it contains Git merge conflict markers`);
  assert.match(stderr, `resolve the merge in an editor`);
  assert.is(run(folder, "check").code, 3);
  const kept = run(folder, "create", "manifests", "--age-recipient", recipient, "--ours", path);
  assert.is(kept.code, 1);
  assert.match(kept.stderr, `${path}: error DIR030`);
  assert.is(run(folder, "create", "manifests", "--age-recipient", recipient, "--theirs", path).code, 0);
  assert.is(readFileSync(join(folder, path), "utf8"), text);
});

test("a manifest of the user's with the marks of a merge is never wrapped, kept or deleted", () => {
  const { folder } = made("none");
  const path = "openshift/99_own.yaml";
  const text =
    "<<<<<<< HEAD\nkind: ConfigMap\n=======\nkind: Secret\n>>>>>>> other\napiVersion: v1\nmetadata: {name: own}\n";
  writeFileSync(join(folder, path), text);
  for (const words of [[], ["--ours", path], ["--theirs", path]]) {
    const { code, stderr } = run(
      folder,
      "create",
      "infrastructure-manifests",
      "--age-recipient",
      recipient,
      ...words,
    );
    assert.is(code, 1, words.join(" "));
    assert.match(stderr, `${path}: error DIR030: conflict: it contains Git merge conflict markers`);
    assert.not.match(stderr, "--theirs openshift");
    assert.is(readFileSync(join(folder, path), "utf8"), text);
  }
});

test("no name runs in the commands that encrypt", () => {
  const place = tempFolder();
  const name = "a $(touch ran)'b`touch ran`";
  const folder = join(place, name);
  cpSync("examples/none", folder, { recursive: true });
  const create = ["create", "manifests", "--dir", name, "--secrets", "sops", "--age-recipient", recipient];
  assert.is(run(place, ...create).code, 0);
  const own = "manifests/x$(touch ran).yaml";
  writeFileSync(
    join(folder, own),
    "apiVersion: v1\nkind: Secret\nmetadata: {name: own, namespace: default}\nstringData: {word: plain}\n",
  );
  const { stderr } = run(place, ...create);
  const commands = [...stderr.matchAll(/encrypt it with: (sops .*?)(?:; or .*)?$/gm)].map(
    ([, command = ""]) => command,
  );
  assert.is(commands.length, 2, stderr);
  const program = join(place, "sops");
  writeFileSync(program, '#!/bin/sh\nprintf "%s\\n" "$@" >> said\n', { mode: 0o755 });
  for (const command of commands)
    spawnSync("sh", ["-c", command], { cwd: place, env: { PATH: `${place}:${process.env["PATH"]}` } });
  assert.not.ok(existsSync(join(place, "ran")));
  const said = readFileSync(join(place, "said"), "utf8").split("\n");
  assert.ok(said.includes(join(name, "install-config.yaml")), said.join());
  assert.ok(said.includes(join(name, own)), said.join());
});

test("hosts of the control plane that two clusters would switch are told until they are paused", () => {
  const folder = join(tempFolder(), "work");
  cpSync("examples/baremetal", folder, { recursive: true });
  const create = (): CliResult => run(folder, "create", "infrastructure-manifests", "--facts", "facts.yaml");
  const files = [0, 1, 2].map((i) => `openshift/99_openshift-cluster-api_hosts-${i}.yaml`);
  const first = create();
  assert.is(first.code, 0, first.stderr);
  const judged = run(folder, "validate", "--dir", ".").stderr;
  for (const path of files) {
    for (const said of [first.stderr, judged])
      assert.match(said, new RegExp(`${path}[:,].* warning CAPI048`));
    const text = readFileSync(join(folder, path), "utf8");
    const paused = text.replace(
      "metadata:\n",
      'metadata:\n  annotations:\n    baremetalhost.metal3.io/paused: ""\n',
    );
    assert.is.not(paused, text);
    writeFileSync(join(folder, path), paused);
  }
  const { code, stderr } = create();
  assert.is(code, 0, stderr);
  assert.not.match(stderr, "CAPI048");
});

test("sees without the key which Secret an encrypted file describes", () => {
  const folder = join(tempFolder(), "work");
  cpSync("examples/none", folder, { recursive: true });
  const create = run(
    folder,
    "create",
    "infrastructure-manifests",
    "--secrets",
    "sops",
    "--age-recipient",
    recipient,
  );
  assert.is(create.code, 0, create.stderr);
  const secrets = "infrastructure-manifests-secrets";
  const names = readdirSync(join(folder, secrets))
    .filter((name) => name.startsWith("30_manifest-"))
    .sort();
  const [first = "", last = ""] = [names[0], names.at(-1)];
  assert.ok(first !== last);
  cpSync(join(folder, secrets, first), join(folder, secrets, last));
  const without = (...words: readonly string[]): CliResult => slipway(words, { cwd: folder });
  const judged = without("validate", "--dir", ".").stderr;
  assert.match(
    judged,
    new RegExp(`${secrets}/${last}:\\d+:\\d+: error CAPI017: metadata.name: duplicate object Secret`),
  );
  assert.match(
    judged,
    new RegExp(`${secrets}/${last}:\\d+:\\d+: error CAPI018: .* is already wrapped in ${secrets}/${first}`),
  );
  assert.match(judged, /error CAPI018: the file is not wrapped, so it will not be applied to the cluster/);
  const strict = without("check", "--strict");
  assert.is(strict.code, 3, strict.stderr);
  assert.match(strict.stdout, `edited        ${secrets}/${last}`);
});

test("reports a Secret in a folder that is committed", () => {
  const folder = join(tempFolder(), "work");
  cpSync("examples/none", folder, { recursive: true });
  const create = (): CliResult => run(folder, "create", "infrastructure-manifests", "--secrets", "separate");
  assert.not.match(create().stderr, "CAPI021");
  const added = "infrastructure-manifests/99_own.yaml";
  writeFileSync(
    join(folder, added),
    "apiVersion: v1\nkind: Secret\nmetadata: {name: own, namespace: heron}\nstringData: {token: made-up}\n",
  );
  const second = create();
  assert.is(second.code, 0, second.stderr);
  assert.match(second.stderr, `${added}: warning CAPI021: kind: the folder is meant to be committed`);
  assert.not.match(second.stderr, "only this folder and .slipway/ do not");
  assert.match(run(folder, "check").stderr, `${added}: warning CAPI021`);
  assert.match(run(folder, "validate", "--dir", ".").stderr, new RegExp(`${added}:2:7: error CAPI021`));
});

test.run();
