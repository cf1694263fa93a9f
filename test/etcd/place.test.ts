/** Objects that are not the ones of their keys, answers that say what they were limited to, configurations inside others. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { slipway } from "../helpers/cli.js";
import { tempFolder } from "../helpers/temp.js";
import { dump, envelope, snapshot, type TestRecord } from "./copies.js";
import { aesgcm, keyOf } from "./values.js";

const test = suite("etcd place and scope");

const json = (value: object): Buffer => Buffer.from(`${JSON.stringify(value)}\n`);
const configMap = (name: string, namespace?: string): Buffer =>
  envelope("v1", "ConfigMap", { name, ...(namespace === undefined ? {} : { namespace }) });

interface Audit {
  readonly code: number | null;
  readonly verdicts: ReadonlyMap<string, string>;
  readonly document: { readonly scope: { readonly [name: string]: unknown } };
  readonly folder: string;
}

function audit(records: readonly TestRecord[], args: readonly string[] = [], form = "snapshot"): Audit {
  const folder = tempFolder();
  writeFileSync(join(folder, "etcd"), form === "snapshot" ? snapshot(records) : dump(records));
  const words = ["etcd", "audit", `--${form}`, "etcd", "--target", "1.37", "--output", "json", ...args];
  const { code, stdout } = slipway(words, { cwd: folder });
  const document = JSON.parse(stdout);
  const objects: { key: string; verdict: { server: string } }[] = document.objects;
  return {
    code,
    verdicts: new Map(objects.map(({ key, verdict }) => [key, verdict.server])),
    document,
    folder,
  };
}

test("an object without a name, or that names another place, is a problem of its own", () => {
  const crd = json({
    apiVersion: "apiextensions.k8s.io/v1beta1",
    kind: "CustomResourceDefinition",
    metadata: { name: "widgets.example.com" },
    spec: {
      group: "example.com",
      names: { plural: "widgets", kind: "Widget" },
      scope: "Namespaced",
      versions: [{ name: "v1", served: true, storage: true }],
    },
    status: { storedVersions: ["v1"] },
  });
  const widget = (metadata: object): Buffer =>
    json({ apiVersion: "example.com/v1", kind: "Widget", metadata });
  const cases: readonly (readonly [string, Buffer, string])[] = [
    ["/registry/configmaps/a/right", configMap("right", "a"), "ok"],
    ["/registry/configmaps/a/empty", envelope("v1", "ConfigMap", { name: "" }), "misplaced"],
    ["/registry/configmaps/a/null", Buffer.from("null"), "misplaced"],
    ["/registry/configmaps/a/name", configMap("other", "a"), "misplaced"],
    ["/registry/configmaps/a/space", configMap("space", "b"), "misplaced"],
    ["/registry/configmaps/a/none", configMap("none"), "misplaced"],
    [
      "/registry/priorityclasses/high",
      envelope("scheduling.k8s.io/v1", "PriorityClass", { name: "high" }),
      "ok",
    ],
    [
      "/registry/priorityclasses/low",
      envelope("scheduling.k8s.io/v1", "PriorityClass", { name: "high" }),
      "misplaced",
    ],
    ["/registry/masterleases/192.0.2.1", envelope("v1", "Endpoints", { name: "" }), "ok"],
    ["/registry/apiextensions.k8s.io/customresourcedefinitions/widgets.example.com", crd, "ok"],
    ["/registry/example.com/widgets/a/w", widget({ name: "w", namespace: "a" }), "ok"],
    ["/registry/example.com/widgets/a/x", widget({ name: "x", namespace: "b" }), "misplaced"],
    [
      "/registry/example.com/widgets/a/y",
      json({ apiVersion: "example.com/v1", kind: "Widget" }),
      "misplaced",
    ],
  ];
  const { code, verdicts, folder } = audit(cases.map(([key, value]) => ({ key, value })));
  assert.is(code, 3);
  for (const [key, , expected] of cases) assert.is(verdicts.get(key), expected, key);
  // The text names what is in the way, not only how many.
  const shown = slipway(["etcd", "audit", "--snapshot", "etcd", "--target", "1.37"], { cwd: folder }).stdout;
  for (const verdict of ["misplaced", "orphaned"]) {
    const keys = cases.filter(([, , expected]) => expected === verdict).map(([key]) => key);
    const blocks = [...shown.matchAll(new RegExp(`^(\\d+) objects? ${verdict}: .*\\n((?:  .*\\n)*)`, "gm"))];
    assert.is(
      blocks.reduce((sum, [, count]) => sum + Number(count), 0),
      keys.length,
      verdict,
    );
    // The first three of each cause.
    for (const [, count, lines = ""] of blocks) {
      const listed = [...lines.matchAll(/^ {4}(\/.*)$/gm)].map(([, key = ""]) => key);
      assert.is(listed.length, Math.min(3, Number(count)), lines);
      for (const key of listed) assert.ok(keys.includes(key), key);
    }
  }
  // A key without its first slash is recognised.
  for (const form of [[], ["--as", "yaml"]]) {
    const key = "registry/configmaps/a/space";
    const forgot = ["etcd", "extract", "--snapshot", "etcd", "--key", key, ...form, "--out", "one"];
    assert.match(slipway(forgot, { cwd: folder }).stderr, `use "/${key}"`);
  }
  const words = ["etcd", "plan", "--snapshot", "etcd", "--target", "1.37", "--out", "out"];
  assert.is(slipway(words, { cwd: folder }).code, 0);
  const plan = JSON.parse(readFileSync(join(folder, "out/plan.json"), "utf8"));
  assert.equal(plan.deletions, []);
  const bare = "/registry/example.com/widgets/a/y";
  assert.equal(
    plan.removals.map(({ key, exits }: { key: string; exits: string }) => `${key} ${exits}`),
    [`${bare} read`],
  );
  assert.equal(
    [...plan.misplaced.map(({ key }: { key: string }) => key), bare].sort(),
    cases
      .filter(([, , expected]) => expected === "misplaced")
      .map(([key]) => key)
      .sort(),
  );
  const extract = [
    "etcd",
    "extract",
    "--plan",
    "out/plan.json",
    "--as",
    "json",
    "--out",
    "found",
    "--snapshot",
    "etcd",
  ];
  slipway(extract, { cwd: folder });
  const made = JSON.parse(readFileSync(join(folder, "found/2_configmaps_a_space.json"), "utf8"));
  assert.equal(made.metadata, { name: "space", namespace: "a" });
});

test("an answer says what it was limited to", () => {
  const records = [
    { key: "/registry/configmaps/a/one", value: configMap("one", "a") },
    { key: "/registry/configmaps/b/two", value: configMap("two", "b") },
    { key: "/registry/namespaces/a", value: envelope("v1", "Namespace", { name: "a" }) },
  ];
  const scope = (args: readonly string[], form = "snapshot"): { readonly [name: string]: unknown } =>
    audit(records, args, form).document.scope;
  // A dump of the keys that begin with /registry/configmaps/ says nothing of others.
  assert.is(audit(records.slice(0, 2), [], "dump").document.scope["complete"], false);
  assert.is(scope([])["complete"], true);
  assert.is(scope([], "dump")["complete"], true);
  assert.is(scope(["--namespace", "a"])["complete"], false);
  assert.is(scope(["--namespace", "a"])["namespace"], "a");
  assert.equal(scope(["--prefix", "/registry"])["prefix"], ["/registry"]);
  assert.is(scope(["--prefix", "/registry"])["complete"], false);
  assert.is(scope(["--problems-only"])["complete"], false);
  assert.is(scope(["--objects-out", "lines"])["complete"], false);
  assert.is(scope(["--revision", "2"])["complete"], false);
  assert.is(scope(["--revision", "2"])["revision"], "2");
});

const OWN = keyOf("own");
const CONFIG = JSON.stringify({
  apiVersion: "apiserver.config.k8s.io/v1",
  kind: "EncryptionConfiguration",
  resources: [
    {
      resources: ["secrets"],
      providers: [{ aesgcm: { keys: [{ name: "own", secret: OWN.toString("base64") }] } }, { identity: {} }],
    },
  ],
});
const base64 = (text: string | Buffer): string => Buffer.from(text).toString("base64");
const file = (source: string): object => ({
  apiVersion: "machineconfiguration.openshift.io/v1",
  kind: "MachineConfig",
  spec: { config: { storage: { files: [{ path: "/etc/encryption.yaml", contents: { source } }] } } },
});

/** What clusters keep the configuration in. */
const HOLDERS: ReadonlyMap<string, object> = new Map<string, object>([
  ["a Secret", { apiVersion: "v1", kind: "Secret", data: { "encryption-config": base64(CONFIG) } }],
  ["a Secret with texts", { apiVersion: "v1", kind: "Secret", stringData: { "c.yaml": CONFIG } }],
  ["a List of Secrets", { kind: "List", items: [{ kind: "Secret", data: { x: base64(CONFIG) } }] }],
  ["a MachineConfig", file(`data:,${encodeURIComponent(CONFIG)}`)],
  ["a MachineConfig in base64", file(`data:;base64,${base64(CONFIG)}`)],
  ["a compressed MachineConfig", file(`data:;base64,${base64(gzipSync(CONFIG))}`)],
  [
    "a Secret with a MachineConfig",
    { kind: "Secret", data: { m: base64(JSON.stringify(file(`data:,${encodeURIComponent(CONFIG)}`))) } },
  ],
  ["a KubeadmConfig", { kind: "KubeadmConfig", spec: { files: [{ path: "/e.yaml", content: CONFIG }] } }],
]);

for (const [what, holder] of HOLDERS)
  test(`an encryption configuration inside ${what} is found`, () => {
    const folder = tempFolder();
    const key = "/registry/secrets/a/s";
    const value = aesgcm("own", OWN, envelope("v1", "Secret", { name: "s", namespace: "a" }), key);
    writeFileSync(join(folder, "etcd"), snapshot([{ key, value }]));
    writeFileSync(join(folder, "holder.json"), JSON.stringify(holder));
    const words = [
      "etcd",
      "audit",
      "--snapshot",
      "etcd",
      "--target",
      "1.37",
      "--encryption-config",
      "holder.json",
    ];
    const { code, stdout, stderr } = slipway(words, { cwd: folder });
    assert.is(code, 0, stderr);
    assert.not.match(stdout + stderr, OWN.toString("base64"));
  });

test("an object without a configuration in it is refused as before", () => {
  const folder = tempFolder();
  writeFileSync(join(folder, "etcd"), snapshot([]));
  writeFileSync(join(folder, "holder.json"), JSON.stringify({ apiVersion: "v1", kind: "Secret", data: {} }));
  const words = ["etcd", "audit", "--snapshot", "etcd", "--encryption-config", "holder.json"];
  const { code, stderr } = slipway(words, { cwd: folder });
  assert.is(code, 1);
  assert.match(stderr, "is not an EncryptionConfiguration");
});

test.run();
