/** `--installer`: a script stands for the release's binary. */
import { chmodSync, cpSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { redactorOf } from "../../src/cli/installer.js";
import { slipway } from "../helpers/cli.js";
import { PLANTED } from "../helpers/planted.js";
import { tempFolder } from "../helpers/temp.js";

const test = suite("reconstruct: installer");

const cluster = join(tempFolder(), "cluster");
const CONFIG = join(process.cwd(), "golden/none/input/install-config.yaml");
cpSync(CONFIG, join(cluster, "install-config.yaml"));
assert.is(slipway(["create", "infrastructure-manifests", "--dir", cluster]).code, 0);

function script(body: string, mode = 0o755): string {
  const path = join(tempFolder(), "openshift-install");
  writeFileSync(path, `#!/bin/sh\n${body}\n`);
  chmodSync(path, mode);
  return path;
}

interface Answer {
  readonly ok: boolean;
  readonly files: readonly { readonly path: string; readonly status: string; readonly source: string }[];
  readonly diagnostics: readonly { readonly code: string; readonly message: string; readonly file: string }[];
}

function reconstruct(installer: string, env: Readonly<Record<string, string>> = {}, from = cluster) {
  const dir = join(tempFolder(), "scratch");
  const args = ["reconstruct", "--from", from, "--dir", dir, "--installer", installer, "--output", "json"];
  const result = slipway(args, { env });
  const answer: Answer = JSON.parse(result.stdout);
  return { ...result, dir, answer, codes: answer.diagnostics.map(({ code }) => code) };
}

const WORKS = `
[ "$#" = 4 ] && [ "$1 $2 $3" = "create ignition-configs --dir" ] || exit 9
cd "$4" && [ -f .openshift_install_state.json ] || exit 8
env > env.txt
rm -r manifests openshift
for each in bootstrap master worker; do echo '{}' > $each.ign; done
echo '{}' > metadata.json; mkdir auth; echo x > auth/kubeconfig; chmod 0644 auth/kubeconfig`;

test("runs in the directory with an empty environment; its files are listed and nobody else's", () => {
  const { code, dir, answer, stderr } = reconstruct(script(WORKS), {
    AWS_SECRET_ACCESS_KEY: "x",
    HOME: "/root",
  });
  assert.is(code, 0, stderr);
  assert.ok(answer.ok);
  const variables = readFileSync(join(dir, "env.txt"), "utf8").trim().split("\n");
  // Those are the shell's own.
  assert.equal(
    variables.filter((each) => !/^(?:PWD|OLDPWD|SHLVL|_)=/.test(each)),
    [],
  );
  const made = answer.files.filter(({ source, status }) => source === "installer" && status === "created");
  assert.equal(
    made.map(({ path }) => path),
    [
      ".openshift_install_state.json",
      "auth/kubeconfig",
      "bootstrap.ign",
      "env.txt",
      "master.ign",
      "metadata.json",
      "worker.ign",
    ],
  );
  assert.ok(
    answer.files.some(({ path, status }) => path === "manifests/cluster-config.yaml" && status === "removed"),
  );
  assert.is(statSync(join(dir, "bootstrap.ign")).mode & 0o777, 0o600);
});

test("a failure keeps the directory, names it and the exit code", () => {
  const { code, dir, answer, codes, stderr } = reconstruct(script("echo first; echo second >&2; exit 3"));
  assert.is(code, 1);
  assert.not.ok(answer.ok);
  assert.equal(codes, ["REC020"]);
  assert.match(answer.diagnostics[0]?.message ?? "", /exit code 3/);
  assert.ok(existsSync(join(dir, "manifests/cluster-config.yaml")));
  assert.ok(answer.files.length > 20);
  assert.match(stderr, /^first$/m);
  assert.match(stderr, /^second$/m);
});

test("a signal, nothing made, and what cannot be run", () => {
  assert.match(reconstruct(script("kill -9 $$")).answer.diagnostics[0]?.message ?? "", /SIGKILL/);
  assert.equal(reconstruct(script("exit 0")).codes, ["REC021", "REC021", "REC021", "REC021"]);
  const notExecutable = reconstruct(script("", 0o644));
  assert.equal(notExecutable.codes, ["REC020"]);
  assert.not.ok(existsSync(notExecutable.dir), "nothing was written");
  for (const path of ["/nowhere/openshift-install", "/tmp"])
    assert.equal(reconstruct(path).codes, ["REC020"]);
  const noProgram = join(tempFolder(), "data");
  writeFileSync(noProgram, Buffer.from([0, 1, 2, 3]));
  chmodSync(noProgram, 0o755);
  const { code, codes } = reconstruct(noProgram);
  assert.is(code, 1);
  assert.equal(codes, ["REC020"]);
});

test("it is not started with keys that it does not go on from", () => {
  const from = join(tempFolder(), "ecdsa");
  cpSync(CONFIG, join(from, "install-config.yaml"));
  const words = ["create", "infrastructure-manifests", "--dir", from, "--key-algorithm", "ecdsa-p256"];
  assert.is(slipway(words).code, 0);
  const { codes, dir, code } = reconstruct(script(WORKS), {}, from);
  assert.is(code, 1);
  assert.equal(codes, ["REC023"]);
  assert.not.ok(existsSync(dir), "nothing was written");
});

test("its log is passed on without secrets", () => {
  const state: Record<string, { Password: string }> = JSON.parse(
    readFileSync(join(cluster, ".openshift_install_state.json"), "utf8"),
  );
  const password = state["*password.KubeadminPassword"]?.Password ?? "";
  assert.ok(password.length > 20);
  const log = `
echo "level=info msg=login with kubeadmin $(echo ${Buffer.from(password).toString("base64")} | base64 -d)"
echo '{"pullSecret": "${PLANTED.pullSecretAuth}"}' >&2
echo '-----BEGIN RSA PRIVATE KEY-----'; echo ${PLANTED.token}; echo '-----END RSA PRIVATE KEY-----'; echo after
exit 1`;
  const { stderr, stdout } = reconstruct(script(log));
  assert.match(stderr, /login with kubeadmin <redacted>/);
  for (const secret of [password, PLANTED.pullSecretAuth, PLANTED.token])
    assert.ok(!(stderr + stdout).includes(secret));
  assert.match(stderr, /^after$/m);
});

test("what holds a secret once it is decoded is hidden, however deep, and the rest is not", () => {
  const hide = redactorOf(["abcdefgh"]);
  const encoded = (text: string): string => Buffer.from(text).toString("base64");
  const file = encoded("proxy: {httpProxy: http://user:word@proxy.example.org}");
  for (const secret of [encoded("this is abcdefgh, a password"), file, encoded(`data: {a: ${file}}`)])
    assert.is(hide(`{"Data":"${secret}"}`), '{"Data":"<redacted>"}');
  const open = `{"Data":"${encoded("name: heron, in the open")}"}`;
  assert.is(hide(open), open);
});

test("private keys over several lines are hidden, one after another", () => {
  const hide = redactorOf(["abcdefgh", "abc", ""]);
  const lines = [
    "a abcdefgh abc",
    "x -----BEGIN PRIVATE KEY-----",
    "MII",
    "-----END PRIVATE KEY-----",
    "y",
    "-----BEGIN EC PRIVATE KEY-----a-----END EC PRIVATE KEY----- z",
    "w",
  ];
  assert.equal(lines.map(hide), [
    "a <redacted> abc",
    "x <redacted>",
    "<redacted>",
    "<redacted>",
    "y",
    "<redacted> z",
    "w",
  ]);
});

test.run();
