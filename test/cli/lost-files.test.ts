/** Generated files that hold secrets, and the state, when somebody deletes them: what is told, and the way back. */
import { cpSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { generateX25519Identity, identityToRecipient } from "age-encryption";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createCluster, systemInputs } from "../../src/library/index.js";
import { seal } from "../../src/sops/file.js";
import { type CliResult, slipway, UNCHANGED } from "../helpers/cli.js";
import { tempFolder } from "../helpers/temp.js";

const test = suite("cli/lost-files");
const STATE = ".openshift_install_state.json";
const SECRET = "manifests/machine-config-server-tls-secret.yaml";
const recipient = await identityToRecipient(await generateX25519Identity());

const create = (dir: string, ...more: readonly string[]): CliResult =>
  slipway(["create", "infrastructure-manifests", "--dir", dir, "--key-algorithm", "ecdsa-p256", ...more]);
const check = (dir: string, ...more: readonly string[]): CliResult =>
  slipway(["check", "--dir", dir, ...more]);

function compiled(...more: readonly string[]): string {
  const dir = join(tempFolder(), "cluster");
  cpSync("golden/none/input", dir, { recursive: true });
  const made = create(dir, ...more);
  assert.is(made.code, 0, made.stderr);
  return dir;
}

test("a generated Secret that is gone is told by check and create, and the printed way brings it back", () => {
  const dir = compiled();
  const text = readFileSync(join(dir, SECRET), "utf8");
  rmSync(join(dir, SECRET));
  const told = new RegExp(
    `${SECRET}: warning DIR035: .*write it again: slipway create infrastructure-manifests --theirs ${SECRET} --dir `,
  );
  const found = check(dir);
  assert.is(found.code, 3);
  assert.match(found.stderr, told);
  for (const run of ["first", "again"]) {
    const made = create(dir);
    assert.is(made.code, 0, run);
    assert.match(made.stderr, told, run);
    assert.match(made.stdout, `omitted  ${SECRET} (you removed it)\n`, run);
    assert.not(existsSync(join(dir, SECRET)), run);
  }
  assert.is(check(dir).code, 0);
  assert.match(check(dir).stderr, told);
  const back = create(dir, "--theirs", SECRET);
  assert.not.match(back.stderr, "DIR035");
  assert.is(readFileSync(join(dir, SECRET), "utf8"), text);
  assert.is(check(dir, "--strict").code, 0);
});

test("a generated Secret that has another name by now is not lost", () => {
  const dir = compiled();
  renameSync(join(dir, SECRET), join(dir, "manifests/mine.yaml"));
  assert.not.match(check(dir).stderr, "DIR035");
  const made = create(dir);
  assert.is(made.code, 0, made.stderr);
  assert.not.match(made.stderr, "DIR035");
  assert.match(made.stdout, /^kept +manifests\/mine\.yaml$/m);
  writeFileSync(join(dir, "manifests/mine.yaml"), "apiVersion: v1\nkind: Namespace\nmetadata: {name: a}\n");
  assert.match(check(dir).stderr, `${SECRET}: warning DIR035`);
});

const validate = (dir: string): CliResult => slipway(["validate", "--dir", dir]);

test("an object that was removed is in no kustomization, and each hint brings it back", () => {
  const folders = ["infrastructure-manifests-secrets", "infrastructure-manifests"];
  for (const [folder, layout] of [
    [folders[0] ?? "", "separate"],
    [folders[1] ?? "", "inline"],
  ] as const) {
    const dir = compiled("--secrets", layout);
    const list = (): string => readFileSync(join(dir, folder, "kustomization.yaml"), "utf8");
    const whole = list();
    const wrapping = "30_manifest-manifests-openshift-config-secret-pull-secret.yaml";
    for (const [name, code] of [
      [wrapping, "CAPI018"],
      ["20_install-state.yaml", "CAPI012"],
    ] as const) {
      rmSync(join(dir, folder, name));
      assert.is(create(dir).code, 0);
      assert.is(list(), whole.replace(`- ${name}\n`, ""));
      assert.match(create(dir).stderr, UNCHANGED);
      assert.is(check(dir).code, 0);
      const { stderr } = validate(dir);
      assert.match(
        stderr,
        new RegExp(
          `${code}: .*(?:write|create) it again: slipway create infrastructure-manifests --theirs ${folder}/${name} `,
        ),
      );
      assert.not.match(stderr, "CAPI016");
      assert.is(create(dir, "--theirs", `${folder}/${name}`).code, 0);
      assert.is(list(), whole);
    }
  }
});

test("a generated object that was edited is brought back by the hint", () => {
  const dir = compiled("--secrets", "inline");
  for (const [name, from, to, code] of [
    ["20_install-state.yaml", /kind: Secret/, "kind: Sekret", "CAPI012"],
    ["20_install-state.yaml", /^ {2}\.openshift_install_state\.json: .*\n/m, "", "CAPI012"],
    ["30_manifest-manifests-cvo-overrides.yaml", /: YX/, ": Yy", "CAPI018"],
  ] as const) {
    const path = `infrastructure-manifests/${name}`;
    const file = join(dir, path);
    const whole = readFileSync(file, "utf8");
    writeFileSync(file, whole.replace(from, to));
    assert.is.not(readFileSync(file, "utf8"), whole);
    const [, hint = ""] =
      new RegExp(
        `${code}: .*; [^;]*: slipway (create infrastructure-manifests --theirs ${path} --dir \\S+)`,
      ).exec(validate(dir).stderr) ?? [];
    assert.is(slipway(hint.split(" ")).code, 0, validate(dir).stderr);
    assert.is(readFileSync(file, "utf8"), whole);
  }
});

test("the file of the cluster version that was removed is brought back by the hint", () => {
  const dir = compiled();
  rmSync(join(dir, "manifests/cvo-overrides.yaml"));
  const { stderr } = slipway([
    "create",
    "ignition-configs",
    "--dir",
    dir,
    "--release-image",
    "example.org/a:b",
  ]);
  const [, hint = ""] = /IGN004: .*: slipway (create manifests --theirs \S+ --dir \S+)$/m.exec(stderr) ?? [];
  assert.is(slipway(hint.split(" ")).code, 0, stderr);
  assert.ok(existsSync(join(dir, "manifests/cvo-overrides.yaml")));
});

test("validate and the library tell it as well, also before there are Cluster API objects", async () => {
  const dir = join(tempFolder(), "cluster");
  cpSync("golden/none/input", dir, { recursive: true });
  assert.is(slipway(["create", "manifests", "--dir", dir]).code, 0);
  assert.not.match(validate(dir).stderr, "DIR035");
  rmSync(join(dir, SECRET));
  assert.match(
    validate(dir).stderr,
    new RegExp(`${SECRET}: warning DIR035: .*slipway create manifests --theirs ${SECRET} --dir `),
  );
  const { diagnostics } = await createCluster(dir, {
    target: "manifests",
    inputs: systemInputs(),
    tool: "slipway 0.0.0",
  });
  assert.equal(
    diagnostics.filter(({ code }) => code === "DIR035").map(({ file }) => file),
    [SECRET],
  );
});

for (const [layout, folder] of [
  ["inline", "infrastructure-manifests"],
  ["separate", "infrastructure-manifests-secrets"],
] as const)
  test(`a kustomization with names of the user's goes on taking what is new: ${layout}`, () => {
    const dir = compiled("--secrets", layout);
    const file = join(dir, folder, "kustomization.yaml");
    const names = (): string => readFileSync(file, "utf8");
    writeFileSync(
      file,
      names()
        .replace(/^- 20_.*\n/m, "")
        .replace(/^sort/m, "- 90_mine.yaml\n$&"),
    );
    writeFileSync(
      join(dir, "openshift/99_own.yaml"),
      "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: own, namespace: default}\n",
    );
    const { code, stderr } = create(dir);
    assert.is(code, 0, stderr);
    assert.match(names(), /^- 30_manifest-openshift-99--own\.yaml$/m);
    assert.match(names(), /^- 90_mine\.yaml$/m);
    assert.not.match(names(), /^- 20_/m);
    assert.match(create(dir).stderr, UNCHANGED);
  });

test("a manifest that only another copy has is told where nothing commits it, and the record goes on", () => {
  const here = compiled("--secrets", "separate");
  const there = join(tempFolder(), "cluster");
  cpSync(here, there, {
    recursive: true,
    filter: (path) => !/(?:\/manifests|\/openshift|-secrets|local\.json)$/.test(path),
  });
  const record = (dir: string): string => readFileSync(join(dir, ".slipway/record.json"), "utf8");
  const pull = (): void => cpSync(join(here, ".slipway/record.json"), join(there, ".slipway/record.json"));
  assert.is(create(there).code, 0);
  assert.is(record(there), record(here));
  writeFileSync(
    join(here, "openshift/99_own.yaml"),
    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: own, namespace: default}\ndata: {a: b}\n",
  );
  assert.is(create(here).code, 0);
  pull();
  const wrap = "infrastructure-manifests-secrets/30_manifest-openshift-99--own.yaml";
  const told = `${wrap}: warning DIR036: in another working copy, this file contains a manifest that does not exist here`;
  for (const run of [check, validate, create, create]) {
    const { code, stderr } = run(there);
    assert.is(code, run === validate ? 1 : 0, stderr);
    assert.match(stderr, told);
    assert.is(record(there), record(here));
  }
  assert.not.match(check(here).stderr, "DIR036");
  // No secret would show it, and none is missing for what a run is to bring up to date.
  const config = join(there, "install-config.yaml");
  const before = readFileSync(config);
  writeFileSync(config, `${before}proxy: {httpProxy: "http://p.example.org:3128"}\n`);
  const { stdout } = check(there);
  assert.match(
    stdout,
    "1 belongs to another working copy.\nTo update them, run: slipway create infrastructure-manifests --dir ",
  );
  assert.not.match(stdout, "without the secrets");
  writeFileSync(config, before);
  const dropped = create(there, "--theirs", wrap);
  assert.is(dropped.code, 0, dropped.stderr);
  assert.not.match(create(there).stderr, "DIR036");
  assert.not.match(record(there), "own.yaml");
  const edited = join(here, "manifests/cluster-proxy-01-config.yaml");
  writeFileSync(
    edited,
    readFileSync(edited, "utf8").replace("spec:", "spec: # mine\n  noProxy: a.example.org"),
  );
  rmSync(join(here, "openshift/99_own.yaml"));
  assert.is(create(here).code, 0);
  pull();
  assert.match(
    check(there).stderr,
    "cluster-proxy-01-config.yaml: warning DIR036: the manifest in this file was edited in another working copy",
  );
});

test("a state that is gone where it was made is told by check and validate too; in a clone it is not missed", () => {
  const dir = compiled();
  rmSync(join(dir, STATE));
  const told = /\.openshift_install_state\.json: (?:error|warning) DIR013: .*slipway reconstruct --from /;
  assert.match(create(dir).stderr, told);
  assert.match(validate(dir).stderr, told);
  const found = check(dir);
  assert.is(found.code, 3);
  assert.match(found.stderr, told);
  assert.match(found.stdout, /^missing +\.openshift_install_state\.json$/m);
  rmSync(join(dir, ".slipway/local.json"));
  assert.is(check(dir).code, 0);
  for (const { stderr } of [check(dir), validate(dir)]) assert.not.match(stderr, /DIR01[37]/);
});

test("a state that is broken, or a key in it: the objects that wrap it bring it back", () => {
  const dir = compiled();
  const text = readFileSync(join(dir, STATE), "utf8");
  const members = JSON.parse(text);
  for (const [broken, code] of [
    [text.slice(0, 200), "DIR010"],
    [JSON.stringify({ ...members, "*installconfig.ClusterID": {} }), "DIR011"],
    [JSON.stringify({ ...members, "*tls.RootCA": { ...members["*tls.RootCA"], KeyRaw: "AAAA" } }), "DIR011"],
  ] as const) {
    writeFileSync(join(dir, STATE), broken);
    const { stderr } = create(dir);
    const [, from = "", made = ""] =
      new RegExp(`error ${code}: .*slipway reconstruct (--from \\S+ )--dir (\\S+) to extract`).exec(stderr) ??
      [];
    assert.is.not(made, "", stderr);
    const taken = slipway(["reconstruct", ...from.trim().split(" "), "--dir", made]);
    assert.is(taken.code, 0, taken.stderr);
    cpSync(join(made, STATE), join(dir, STATE));
    rmSync(made, { recursive: true });
    assert.is(check(dir, "--strict").code, 0, code);
  }
});

test("check --strict says what to do about changes that are the user's alone", () => {
  const dir = compiled();
  writeFileSync(
    join(dir, "openshift/99_mine.yaml"),
    "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: mine\n  namespace: default\n",
  );
  assert.is(create(dir).code, 0);
  const { code, stdout } = check(dir, "--strict");
  assert.is(code, 3);
  assert.match(stdout, /^added +openshift\/99_mine\.yaml$/m);
  assert.match(stdout, /To accept them, run check without --strict/);
});

test("validate says no where nothing opens the install-config, a warning where it is there in the open", async () => {
  const dir = compiled("--secrets", "sops", "--age-recipient", recipient);
  assert.match(validate(dir).stderr, /warning SOPS002/);
  const path = join(dir, "install-config.yaml");
  const data = readFileSync(path);
  rmSync(path);
  assert.match(validate(dir).stderr, /error SOPS002/);
  const sealed = await seal({
    path: "install-config.yaml",
    data,
    previous: undefined,
    recipients: [recipient],
    rules: [],
    now: "2027-01-15T08:00:00Z",
    random: systemInputs().random,
  });
  writeFileSync(path, sealed ?? "");
  const { code, stderr } = validate(dir);
  assert.is(code, 1);
  assert.match(stderr, /^install-config\.yaml: error SOPS002/m);
  assert.match(stderr, /warning SOPS002: .*more files have the same problem/);
});

test("a removed file without secrets is the user's choice, and nothing is said", () => {
  const dir = compiled();
  rmSync(join(dir, "manifests/machine-config-server-ca-configmap.yaml"));
  assert.not.match(create(dir).stderr, "DIR035");
});

test("in a clone with everything encrypted and no key, what is gone is missing, the rest cannot be verified", () => {
  const dir = compiled("--secrets", "sops", "--age-recipient", recipient);
  // What a clone has not.
  rmSync(join(dir, ".slipway/local.json"));
  assert.is(check(dir, "--strict").code, 0);
  rmSync(join(dir, SECRET));
  const found = check(dir);
  assert.is(found.code, 3);
  assert.match(found.stdout, new RegExp(`^missing +${SECRET}$`, "m"));
  assert.match(found.stdout, "with the age key");
  rmSync(join(dir, STATE));
  const stateless = check(dir, "--strict");
  assert.is(stateless.code, 3);
  assert.match(stateless.stdout, new RegExp(`^missing +${STATE.replaceAll(".", "\\.")}$`, "m"));
  assert.not.match(stateless.stdout, "To update them");
  assert.match(stateless.stderr, /warning DIR017.*restore the state from the repository's history/);
});

test.run();
