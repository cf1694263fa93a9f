/**
 * What infrastructure-manifests wraps comes out again: in memory for any names and bytes, and through the command line
 * for the inputs of the golden cases, with files added, edited and removed.
 */
import { appendFileSync, cpSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { OutputFile } from "../../src/core/files.js";
import { CLUSTER_API_MEMBERS } from "../../src/directory/state-pki.js";
import { slipway } from "../helpers/cli.js";
import { INSTALL_CONFIG, options, runPhase, STATE } from "../helpers/infrastructure.js";
import { rsaKey } from "../helpers/inputs.js";
import { planOf } from "../helpers/reconstruct.js";
import { runs } from "../helpers/runs.js";
import { readModes, readTree, tempFolder } from "../helpers/temp.js";

const test = suite("reconstruct: round trip");
const bytes = (data: Uint8Array | undefined): string => Buffer.from(data ?? []).toString("latin1");

const stem = fc.oneof(
  fc.string({ unit: "grapheme", minLength: 1, maxLength: 40 }),
  fc.string({ unit: fc.constantFrom("a", "A", "-", "_", ".", " ", "x", "h", "é", "+", "0"), maxLength: 12 }),
  fc.constantFrom(
    "",
    ".",
    "..",
    "_x_a",
    "_h_a",
    "x".repeat(240),
    "ü".repeat(120),
    "𝄞",
    "a\nb",
    "'\"",
    "{{value}}",
    "null",
    "~",
  ),
);
const name = fc
  .tuple(stem, fc.constantFrom(".yaml", ".yml", ".json"))
  .map(([own, ending]) => `${own.replace(/[/\0\\]/g, "_")}${ending}`);
const file = fc.record({
  name,
  folder: fc.constantFrom("manifests", "openshift"),
  data: fc.oneof(
    fc.uint8Array({ maxLength: 60 }),
    fc.constantFrom("", "a: 1\n").map((text) => Buffer.from(text)),
  ),
});
const files = fc.uniqueArray(file, { minLength: 1, maxLength: 8, selector: (each) => each.name });

test("any file name and any bytes, secrets inline and apart, documents in any order", () => {
  fc.assert(
    fc.property(files, fc.constantFrom("inline", "separate"), fc.boolean(), (given, secrets, reversed) => {
      const manifests = given.map(
        ({ name: own, folder, data }): OutputFile => ({ path: `${folder}/${own}`, data, secret: false }),
      );
      const run = runPhase({ "manifest-files": manifests, "infrastructure-options": options({ secrets }) });
      const texts = run.files
        .filter(({ path }) => path.endsWith(".yaml"))
        .map(({ data }) => Buffer.from(data).toString("utf8"));
      const { plan, diagnostics } = planOf(reversed ? [texts.reverse().join("---\n")] : texts);
      assert.equal(diagnostics, []);
      assert.is(bytes(plan?.state), bytes(STATE));
      assert.is(bytes(plan?.installConfig), bytes(INSTALL_CONFIG));
      assert.equal(
        new Map(plan?.files?.map((each) => [each.path, bytes(each.data)])),
        new Map(
          [...manifests]
            .sort((a, b) => (a.path < b.path ? -1 : 1))
            .map((each) => [each.path, bytes(each.data)]),
        ),
      );
    }),
    { numRuns: runs(400) },
  );
});

const golden = join(process.cwd(), "golden");
const CASES: Readonly<Record<string, readonly string[]>> = {
  none: [],
  external: [],
  aws: ["--facts", "facts.yaml"],
  "aws-subnets": ["--facts", "facts.yaml"],
};

const UGLY = ["My Own+Ä.yaml", "a b.yml", "..json", "-x-.yaml", "𝄞.yaml", `${"long".repeat(60)}.yaml`];

const configMap = (own: string): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${own}\n  namespace: default\n`;

/** The asset directory of a case, with the user's changes. */
function directoryOf(name: string, flags: readonly string[], changes: boolean, ownKey = false): string {
  const dir = join(tempFolder(), "cluster");
  cpSync(join(golden, name, "input"), dir, { recursive: true });
  if (ownKey) {
    mkdirSync(join(dir, "tls"));
    writeFileSync(join(dir, "tls/bound-service-account-signing-key.key"), rsaKey());
  }
  const run = (...args: string[]): void => {
    const { code, stderr } = slipway([...args, ...flags], {
      cwd: dir,
      env: { SOURCE_DATE_EPOCH: "1800000000" },
    });
    assert.is(code, 0, stderr);
  };
  run("create", "manifests");
  if (changes) {
    for (const [i, each] of UGLY.entries())
      writeFileSync(join(dir, "openshift", each), configMap(`own-${i}`));
    appendFileSync(join(dir, "manifests/cluster-dns-02-config.yml"), "# edited\n");
    // With CR LF in every line it would count as changed by Git, and be wrapped with LF.
    const crLf = `\ufeff${configMap("cr-lf")}`.replaceAll("\n", "\r\n").concat("# one line\n");
    writeFileSync(join(dir, "manifests/cr-lf.yaml"), crLf);
    rmSync(join(dir, "openshift/99_feature-gate.yaml"), { force: true });
    const [first = ""] = readdirSync(join(dir, "openshift")).filter((each) => each.includes("kubeadmin"));
    rmSync(join(dir, "openshift", first));
  }
  run("create", "infrastructure-manifests", "--secrets", changes ? "separate" : "inline");
  return dir;
}

/** A file's text; of the state without the members of cluster-api/, which is not wrapped. */
function textOf(path: string, data: Buffer): string {
  const text = data.toString("latin1");
  if (path !== ".openshift_install_state.json") return text;
  // As Go prints it, each member of the object begins a line with four blanks.
  const members = text.slice(2, text.lastIndexOf("\n}")).split(/,?\n(?= {4}")/);
  const wrapped = members.filter((each) => !CLUSTER_API_MEMBERS.some((name) => each.includes(`"${name}": `)));
  return `{\n${wrapped.join(",\n")}\n}`;
}

/** What the ignition phase goes on from. */
const essence = (dir: string): Map<string, string> =>
  new Map(
    [...readTree(dir)]
      .filter(([path]) => /^(?:manifests|openshift)\/|^\.openshift_install_state\.json$/.test(path))
      .map(([path, data]) => [path, textOf(path, data)]),
  );

for (const [name, flags] of Object.entries(CASES))
  for (const changes of [false, true])
    test(`golden case ${name}, ${changes ? "with the user's changes, secrets apart" : "as generated"}`, () => {
      const dir = directoryOf(name, flags, changes);
      const from = changes
        ? [join(dir, "infrastructure-manifests-secrets"), join(dir, "infrastructure-manifests")]
        : [join(dir, "infrastructure-manifests")];
      const out = join(tempFolder(), "scratch");
      const { code, stdout, stderr } = slipway([
        "reconstruct",
        "--from",
        ...from,
        "--dir",
        out,
        "--output",
        "json",
      ]);
      assert.is(code, 0, stdout + stderr);
      const tree = readTree(out);
      assert.equal(new Map([...tree].map(([path, data]) => [path, textOf(path, data)])), essence(dir));
      assert.equal([...new Set(readModes(out).values())], [0o600]);
      const answer: { files: { path: string }[]; diagnostics: { code: string; message: string }[] } =
        JSON.parse(stdout);
      assert.equal(
        answer.files.map(({ path }) => path),
        [...tree.keys()].sort(),
      );
      const removed = answer.diagnostics.filter(({ code: each }) => each === "REC014");
      assert.is(
        removed.length,
        changes ? (existsSync(join(dir, "openshift/99_feature-gate.yaml")) ? 1 : 2) : 0,
      );
    });

const RELEASE_IMAGE = `registry.example.com/ocp/release@sha256:${"0123456789abcdef".repeat(4)}`;
/** What the ignition-configs phase writes, and the state that it leaves. */
const outcome = (dir: string): Map<string, string> =>
  new Map(
    [...readTree(dir)]
      .filter(([path]) =>
        /^[^/]+\.ign$|^metadata\.json$|^(?:auth|data-secrets|manifests|openshift)\/|^\.openshift_/.test(path),
      )
      .map(([path, data]) => [path, textOf(path, data)]),
  );

for (const [name, flags] of Object.entries(CASES))
  for (const changes of [false, true])
    test(`ignition-configs in the directory of ${name}${changes ? " with the user's changes" : ""} and in the reconstructed one: the same bytes`, () => {
      const dir = directoryOf(name, flags, changes, changes);
      const out = join(tempFolder(), "scratch");
      assert.is(slipway(["reconstruct", "--from", dir, "--dir", out]).code, 0);
      for (const each of [dir, out]) {
        const own = each === dir ? flags : [];
        const { code, stderr } = slipway(
          ["create", "ignition-configs", "--release-image", RELEASE_IMAGE, "--data-secrets", ...own],
          { cwd: each, env: { SOURCE_DATE_EPOCH: "1800000600" } },
        );
        assert.is(code, 0, stderr);
      }
      const made = outcome(out);
      assert.equal(made, outcome(dir));
      assert.ok(
        made.has("bootstrap.ign") && made.has("auth/kubeconfig") && made.has("data-secrets/master.yaml"),
      );
      assert.is(/bound-service-account-signing-key/.test(made.get("bootstrap.ign") ?? ""), changes);
    });

test("without a selector the default manifests are laid out, not the user's", () => {
  const dir = directoryOf("none", [], true);
  const generated = essence(directoryOf("none", [], false));
  const path = join(dir, "infrastructure-manifests/60_openshift-control-plane.yaml");
  const text =
    readTree(join(dir, "infrastructure-manifests")).get("60_openshift-control-plane.yaml")?.toString() ?? "";
  writeFileSync(path, text.slice(0, text.indexOf("  manifestsSelector:")));
  const out = join(tempFolder(), "scratch");
  mkdirSync(out);
  const { code, stderr } = slipway(["reconstruct", "--from", dir, "--dir", out]);
  assert.is(code, 0, stderr);
  assert.match(stderr, /REC008/);
  assert.equal(new Map([...readTree(out)].map(([each, data]) => [each, data.toString("latin1")])), generated);
});

test("an install-config alone is compiled, and the selected files are laid over", () => {
  const dir = directoryOf("none", [], true);
  const secrets = join(dir, "infrastructure-manifests-secrets");
  const text = readTree(secrets).get("20_install-state.yaml")?.toString() ?? "";
  writeFileSync(
    join(secrets, "20_install-state.yaml"),
    text.replace(/^ {2}\.openshift_install_state\.json: .*\n/m, ""),
  );
  const out = join(tempFolder(), "scratch");
  const { code, stdout, stderr } = slipway([
    "reconstruct",
    "--from",
    dir,
    "--dir",
    out,
    "--key-algorithm",
    "ecdsa-p256",
    "--output",
    "json",
  ]);
  assert.is(code, 0, stderr + stdout);
  const [now, before] = [essence(out), essence(dir)];
  // What the user removed cannot be told from what was never there.
  assert.ok(
    now.has("openshift/99_feature-gate.yaml") && now.has("openshift/99_kubeadmin-password-secret.yaml"),
  );
  for (const [path, data] of before) if (!path.startsWith(".")) assert.is(now.get(path), data, path);
  const state: Record<string, { InfraID?: string }> = JSON.parse(
    now.get(".openshift_install_state.json") ?? "{}",
  );
  assert.is(state["*installconfig.ClusterID"]?.InfraID, "heron-abcde");
  assert.ok(!existsSync(join(out, "install-config.yaml")));
  const sources = new Set(
    JSON.parse(stdout).files.map((each: { source: string }) => each.source === "compiled"),
  );
  assert.equal(sources, new Set([true, false]));
});

test("the install-config is laid out when asked for, and problems of one that is compiled name it", () => {
  const dir = directoryOf("none", [], false);
  const out = join(tempFolder(), "scratch");
  assert.is(slipway(["reconstruct", "--from", dir, "--dir", out, "--with-install-config"]).code, 0);
  assert.equal(readTree(out).get("install-config.yaml"), readTree(dir).get("install-config.yaml"));
  const secret = join(dir, "infrastructure-manifests/20_install-state.yaml");
  const text = readTree(join(dir, "infrastructure-manifests")).get("20_install-state.yaml")?.toString() ?? "";
  const broken = Buffer.from("apiVersion: v1\nbaseDomain: [\n").toString("base64");
  writeFileSync(
    secret,
    text
      .replace(/^ {2}\.openshift_install_state\.json: .*\n/m, "")
      .replace(/(install-config\.yaml: ).*/, `$1${broken}`),
  );
  const failed = join(tempFolder(), "scratch");
  const { code, stderr } = slipway(["reconstruct", "--from", dir, "--dir", failed]);
  assert.is(code, 1);
  assert.match(stderr, /20_install-state\.yaml#install-config\.yaml:[0-9]+:[0-9]+: error YAML001/);
  assert.not.ok(existsSync(failed));
});

test.run();
