import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { JsonObject } from "../../src/core/json.js";
import {
  fileOfSecretKey,
  manifestSecret,
  parseManifestPath,
  secretKeyOf,
  shortName,
  unwrapManifest,
} from "../../src/kubernetes/manifest-secrets.js";
import { isDnsSubdomain } from "../../src/kubernetes/names.js";
import { encodeBase64, isSecretKey } from "../../src/kubernetes/secrets.js";
import { runs } from "../helpers/runs.js";

const test = suite("manifest Secrets");
const manifest = (file: string) => ({ folder: "manifests", file }) as const;

test("paths that the ignition phase loads", () => {
  for (const path of ["manifests/a.yaml", "openshift/.a.yml", "manifests/a b.json", "openshift/..yaml"])
    assert.ok(parseManifestPath(path) !== undefined, path);
  for (const path of [
    "a.yaml",
    "manifests/",
    "manifests/a",
    "manifests/a.YAML",
    "manifests/b/a.yaml",
    "tls/a.yaml",
    "manifests/a\0.yaml",
    "manifests\\a.yaml",
  ])
    assert.is(parseManifestPath(path), undefined, path);
});

test("plain names stand for themselves", () => {
  const table: readonly [string, string][] = [
    ["cluster-config.yaml", "manifests-cluster-config"],
    ["cluster-dns-02-config.yml", "manifests-cluster-dns-02-config.yml"],
    ["a.json", "manifests-a.json"],
    ["90_cluster-mco-02-config.yaml", "manifests-90--cluster-mco-02-config"],
    ["a.b-c.yaml", "manifests-a.b-c"],
  ];
  for (const [file, name] of table) assert.is(shortName(manifest(file)), name);
});

test("names that would meet do not", () => {
  const files = [
    ...["a_b", "a-b", "a--b", "A-b", "a b", "a+b", "a.b", "a__b", "-a-b", "a-b-", "\u00e4-b", "a---b"],
    ...["a.yml", "a.json", "a", "..", ".", "\u0430"],
  ].flatMap((stem) => [".yaml", ".yml", ".json"].map((ending) => `${stem}${ending}`));
  const names = files.flatMap((file) => [
    shortName(manifest(file)),
    shortName({ folder: "openshift", file }),
  ]);
  assert.is(new Set(names).size, names.length);
});

test("every name and key is legal, distinct and stable, whatever the file is called", () => {
  const stem = fc.oneof(
    fc.string({ unit: "binary", maxLength: 260 }),
    fc.string({ unit: fc.constantFrom("a", "A", "-", "_", ".", "x", "h", "0", "é"), maxLength: 12 }),
  );
  const file = fc
    .tuple(stem, fc.constantFrom(".yaml", ".yml", ".json"))
    .map(([name, ending]) => `${Buffer.from(name, "utf8").toString("utf8").replace(/[/\0]/g, "_")}${ending}`);
  fc.assert(
    fc.property(file, file, (a, b) => {
      const [first, second] = [manifest(a), manifest(b)];
      for (const path of [first, second]) {
        const { name, key } = manifestSecret(path, "x".repeat(63));
        assert.ok(isDnsSubdomain(name), name);
        assert.ok(isSecretKey(key), key);
        const back = fileOfSecretKey(key);
        if (key.startsWith("_h_")) assert.is(back, undefined);
        else assert.is(back, path.file);
      }
      if (a !== b) {
        assert.is.not(shortName(first), shortName(second));
        assert.is.not(secretKeyOf(first), secretKeyOf(second));
      }
    }),
    { numRuns: runs(2000) },
  );
});

const KEYS: readonly [string, string][] = [
  ["a.yaml", "a.yaml"],
  ["99_a-B.yaml", "99_a-B.yaml"],
  ["a b.yaml", "_x_a_20b.yaml"],
  ["a+_b.yaml", "_x_a_2B_5Fb.yaml"],
  ["\u00e9.yaml", "_x__C3_A9.yaml"],
  ["..yaml", "_x_..yaml"],
  ["_x_a.yaml", "_x__5Fx_5Fa.yaml"],
  ["_h_a.yaml", "_x__5Fh_5Fa.yaml"],
];
test("keys are base names, or the reversible encoding of them", () => {
  for (const [file, key] of KEYS) {
    assert.is(secretKeyOf(manifest(file)), key);
    assert.is(fileOfSecretKey(key), file);
  }
  for (const key of ["_x_a_2", "_x_a_2g", "_x_a_2b", "_x__FF", "_h_abc", "a/b", "..a"])
    assert.is(fileOfSecretKey(key), undefined, key);
});

const secretOf = (change: JsonObject): JsonObject => {
  const { labels, annotations, key } = manifestSecret(manifest("a b.yaml"), "egret-abcde");
  const metadata = { name: "x", labels, annotations };
  return { metadata, data: { [key]: encodeBase64(Buffer.from("text")) }, ...change };
};

test("a manifest Secret is read back from its annotation, or from label and key", () => {
  const { labels } = manifestSecret(manifest("a b.yaml"), "egret-abcde");
  for (const secret of [
    secretOf({}),
    secretOf({ metadata: { labels } }),
    secretOf({ metadata: { labels }, data: {}, stringData: { "_x_a_20b.yaml": "text" } }),
  ]) {
    const { path, data, faults } = unwrapManifest(secret);
    assert.equal(path, manifest("a b.yaml"));
    assert.is(Buffer.from(data ?? []).toString(), "text");
    assert.equal(faults, []);
  }
  const asPath = unwrapManifest(
    secretOf({ metadata: { labels }, data: {}, stringData: { "manifests/c.yaml": "text" } }),
  );
  assert.equal(asPath.path, manifest("c.yaml"));
  assert.equal(asPath.faults, []);
});

test("what contradicts itself is said", () => {
  const { labels, annotations } = manifestSecret(manifest("a b.yaml"), "egret-abcde");
  const path = "cluster.openshift.io/manifest-path";
  const folder = "cluster.openshift.io/manifest-folder";
  const table: readonly [JsonObject, readonly string[]][] = [
    [{ data: {} }, ["data"]],
    [{ data: { "a.yaml": "", "b.yaml": "" } }, ["data", "data"]],
    [{ data: { "a.yaml": "" } }, ["data"]],
    [{ metadata: { annotations } }, [`metadata.labels[${folder}]`]],
    [
      { metadata: { annotations, labels: { ...labels, [folder]: "openshift" } } },
      [`metadata.labels[${folder}]`],
    ],
    [
      { metadata: { labels, annotations: { [path]: "manifests/../x.yaml" } } },
      [`metadata.annotations[${path}]`],
    ],
    [{ metadata: { labels: {} } }, [`metadata.annotations[${path}]`]],
  ];
  for (const [change, fields] of table)
    assert.equal(
      unwrapManifest(secretOf(change)).faults.map(({ field }) => field),
      fields,
      JSON.stringify(change),
    );
});

test.run();
