/** Objects that were damaged in a running etcd: what an audit says of each, and what the server answers. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isObject, type JsonObject } from "../../src/core/json.js";
import { slipway } from "../helpers/cli.js";
import { kubeTests } from "../helpers/kube-servers.js";
import { tempFolder } from "../helpers/temp.js";
import { envelope, field } from "./copies.js";
import { looseDefinition, put } from "./live-store.js";
import { aescbc, aesgcm, cbor, keyOf, secretbox } from "./values.js";

const test = suite("etcd damage live");
const OWN = keyOf("own");
const LOST = keyOf("lost");
const keys = (kind: string): object => ({
  [kind]: { keys: [{ name: "own", secret: OWN.toString("base64") }] },
});
const CONFIG = JSON.stringify({
  apiVersion: "apiserver.config.k8s.io/v1",
  kind: "EncryptionConfiguration",
  resources: [
    {
      resources: ["secrets"],
      providers: [keys("aesgcm"), keys("aescbc"), keys("secretbox"), { identity: {} }],
    },
    { resources: ["endpoints"], providers: [keys("aesgcm")] },
  ],
});
const files = tempFolder();
writeFileSync(join(files, "encryption.json"), CONFIG);
const withKube = kubeTests(test, {
  apiServer: [`--encryption-provider-config=${join(files, "encryption.json")}`, "--watch-cache=false"],
});

const json = (value: object): Buffer => Buffer.from(`${JSON.stringify(value)}\n`);
const crd = (plural: string, versions: readonly string[]): JsonObject =>
  looseDefinition(
    { plural, kind: `${plural}kind`, singular: `${plural}one`, listKind: `${plural}list` },
    versions,
  );

type Make = (namespace: string, key: string) => Buffer;
const SECRET: Make = (namespace) => envelope("v1", "Secret", { name: "x", namespace });
const MAP: Make = (namespace) => envelope("v1", "ConfigMap", { name: "x", namespace });
const flipped = (data: Buffer, at: number): Buffer => {
  const copy = Buffer.from(data);
  copy[at] = (copy[at] ?? 0) ^ 0xff;
  return copy;
};
const widget = (apiVersion: string, namespace: string, kind = "widgetskind"): object => ({
  apiVersion,
  kind,
  metadata: { name: "x", namespace, uid: "u" },
});

/** What was done, path below the storage prefix, path of the resource in the API, the value. */
const DAMAGE: readonly (readonly [string, string, string, Make])[] = [
  ["sound", "configmaps", "api/v1", MAP],
  ["another name", "configmaps", "api/v1", (n) => envelope("v1", "ConfigMap", { name: "y", namespace: n })],
  [
    "another namespace",
    "configmaps",
    "api/v1",
    () => envelope("v1", "ConfigMap", { name: "x", namespace: "z" }),
  ],
  ["no name", "configmaps", "api/v1", (n) => envelope("v1", "ConfigMap", { name: "", namespace: n })],
  ["no namespace", "configmaps", "api/v1", () => envelope("v1", "ConfigMap", { name: "x" })],
  ["cut in the body", "configmaps", "api/v1", (n) => MAP(n, "").subarray(0, 40)],
  ["cut in the head", "configmaps", "api/v1", (n) => MAP(n, "").subarray(0, 9)],
  ["the magic alone", "configmaps", "api/v1", (n) => MAP(n, "").subarray(0, 4)],
  ["a flipped length", "configmaps", "api/v1", (n) => flipped(MAP(n, ""), 5)],
  ["a flipped tag in the body", "configmaps", "api/v1", (n) => flipped(MAP(n, ""), 25)],
  ["a flipped magic", "configmaps", "api/v1", (n) => flipped(MAP(n, ""), 0)],
  [
    "an unknown version",
    "configmaps",
    "api/v1",
    (n) => envelope("v9", "ConfigMap", { name: "x", namespace: n }),
  ],
  ["another kind", "configmaps", "api/v1", SECRET],
  [
    "an unknown group",
    "configmaps",
    "api/v1",
    (n) => envelope("a.example/v1", "ConfigMap", { name: "x", namespace: n }),
  ],
  ["empty", "configmaps", "api/v1", () => Buffer.alloc(0)],
  [
    "JSON",
    "configmaps",
    "api/v1",
    (n) => json({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "x", namespace: n } }),
  ],
  [
    "YAML",
    "configmaps",
    "api/v1",
    (n) => Buffer.from(`apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x, namespace: ${n}}\n`),
  ],
  [
    "CBOR",
    "configmaps",
    "api/v1",
    (n) => cbor({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "x", namespace: n } }),
  ],
  ["JSON without a kind", "configmaps", "api/v1", (n) => json({ metadata: { name: "x", namespace: n } })],
  [
    "JSON of a wrong type",
    "configmaps",
    "api/v1",
    (n) => json({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "x", namespace: n }, data: [1] }),
  ],
  ["JSON null", "configmaps", "api/v1", () => Buffer.from("null")],
  ["JSON cut", "configmaps", "api/v1", () => Buffer.from('{"apiVersion":"v1","kind":"ConfigMap"')],
  ["blanks", "configmaps", "api/v1", () => Buffer.from("  \n")],
  [
    "huge",
    "configmaps",
    "api/v1",
    (n) =>
      envelope(
        "v1",
        "ConfigMap",
        { name: "x", namespace: n },
        field(2, Buffer.concat([field(1, "k"), field(2, "v".repeat(1_200_000))])),
      ),
  ],
  ["encrypted, and no rule for it", "configmaps", "api/v1", (n, k) => aesgcm("own", OWN, MAP(n, k), k)],
  ["aesgcm", "secrets", "api/v1", (n, k) => aesgcm("own", OWN, SECRET(n, k), k)],
  ["aesgcm of another place", "secrets", "api/v1", (n, k) => aesgcm("own", OWN, SECRET(n, k), `${k}y`)],
  ["a key that is gone", "secrets", "api/v1", (n, k) => aesgcm("gone", OWN, SECRET(n, k), k)],
  ["a key of the same name", "secrets", "api/v1", (n, k) => aesgcm("own", LOST, SECRET(n, k), k)],
  ["aescbc", "secrets", "api/v1", (n, k) => aescbc("own", OWN, SECRET(n, k), k)],
  [
    "aescbc as aesgcm",
    "secrets",
    "api/v1",
    (n, k) =>
      Buffer.from(
        aescbc("own", OWN, SECRET(n, k), k).toString("latin1").replace("aescbc", "aesgcm"),
        "latin1",
      ),
  ],
  ["secretbox", "secrets", "api/v1", (n, k) => secretbox("own", OWN, SECRET(n, k), k)],
  ["secretbox cut", "secrets", "api/v1", (n, k) => secretbox("own", OWN, SECRET(n, k), k).subarray(0, 40)],
  ["an unknown provider", "secrets", "api/v1", () => Buffer.from("k8s:enc:kms:v2:none:abc")],
  ["a bare prefix", "secrets", "api/v1", () => Buffer.from("k8s:enc:aesgcm:v1:own:")],
  ["plain with identity", "secrets", "api/v1", SECRET],
  ["encrypted rubbish", "secrets", "api/v1", (_, k) => aesgcm("own", OWN, Buffer.from("rubbish"), k)],
  ["encrypted nothing", "secrets", "api/v1", (_, k) => aesgcm("own", OWN, Buffer.alloc(0), k)],
  [
    "plain without identity",
    "services/endpoints",
    "api/v1",
    (n) => envelope("v1", "Endpoints", { name: "x", namespace: n }),
  ],
  [
    "an older version",
    "leases",
    "apis/coordination.k8s.io/v1",
    (n) => envelope("coordination.k8s.io/v1beta1", "Lease", { name: "x", namespace: n }),
  ],
  [
    "a version that is gone",
    "cronjobs",
    "apis/batch/v1",
    (n) => envelope("batch/v2alpha1", "CronJob", { name: "x", namespace: n }),
  ],
  [
    "a custom resource",
    "example.com/widgets",
    "apis/example.com/v1",
    (n) => json(widget("example.com/v1", n)),
  ],
  [
    "a version that the definition lacks",
    "example.com/widgets",
    "apis/example.com/v1",
    (n) => json(widget("example.com/v1alpha1", n)),
  ],
  ["another group", "example.com/widgets", "apis/example.com/v1", (n) => json(widget("other.com/v1", n))],
  [
    "another custom kind",
    "example.com/widgets",
    "apis/example.com/v1",
    (n) => json(widget("example.com/v1", n, "Gadget")),
  ],
  [
    "custom without a kind",
    "example.com/widgets",
    "apis/example.com/v1",
    (n) => json({ metadata: { name: "x", namespace: n } }),
  ],
  [
    "custom in protobuf",
    "example.com/widgets",
    "apis/example.com/v1",
    (n) => envelope("example.com/v1", "widgetskind", { name: "x", namespace: n }),
  ],
  [
    "custom in YAML",
    "example.com/widgets",
    "apis/example.com/v1",
    (n) =>
      Buffer.from(`apiVersion: example.com/v1\nkind: widgetskind\nmetadata: {name: x, namespace: ${n}}\n`),
  ],
  [
    "custom in CBOR",
    "example.com/widgets",
    "apis/example.com/v1",
    (n) => cbor({ apiVersion: "example.com/v1", kind: "widgetskind", metadata: { name: "x", namespace: n } }),
  ],
  [
    "custom without a definition",
    "example.com/gadgets",
    "apis/example.com/v1",
    (n) => json(widget("example.com/v1", n)),
  ],
  [
    "custom, metadata no object",
    "example.com/widgets",
    "apis/example.com/v1",
    () => json({ apiVersion: "example.com/v1", kind: "widgetskind", metadata: 1 }),
  ],
];

const READS = new Set(["ok", "rewritten", "misplaced"]);
const GONE = new Set(["orphaned", "not-served"]);

withKube("an audit says of damaged objects what the server answers", async (kube) => {
  kube.kubectlOk(["create", "-f", "-"], JSON.stringify(crd("widgets", ["v1"])));
  kube.kubectlOk(["wait", "--for=condition=Established", "crd/widgets.example.com", "--timeout=600s"]);
  const rows = DAMAGE.map(([what, path, api, make], i) => {
    const namespace = `damage-${i}`;
    const key = `/registry/${path}/${namespace}/x`;
    const resource = path.slice(path.lastIndexOf("/") + 1);
    return { what, key, list: `/${api}/namespaces/${namespace}/${resource}`, value: make(namespace, key) };
  });
  for (const { key, value } of rows) await put(kube, key, value);
  const folder = tempFolder();
  const saved = kube.shell(
    `export ETCDCTL_API=3; etcdctl --endpoints ${kube.etcdUrl} snapshot save etcd.db`,
    folder,
  );
  assert.is(saved.code, 0, saved.stderr);
  const { stdout } = slipway(
    [
      "etcd",
      "audit",
      "--snapshot",
      "etcd.db",
      "--encryption-config",
      join(files, "encryption.json"),
      "--target",
      "1.37",
      "--output",
      "json",
    ],
    { cwd: folder },
  );
  const { objects } = JSON.parse(stdout);
  const wrong: string[] = [];
  for (const { what, key, list } of rows) {
    const found = objects.find((each: { key: string }) => each.key === key);
    const verdict: string = found?.verdict.server ?? "missing";
    const get = await kube.request("GET", `${list}/x`);
    const all = await kube.request("GET", list);
    const expected = READS.has(verdict) ? [200, 200] : GONE.has(verdict) ? [404, 404] : [500, 500];
    if (get.status !== expected[0] || all.status !== expected[1]) {
      const said = isObject(get.body) ? String(get.body["message"]) : "";
      wrong.push(`${what}: ${verdict}, GET ${get.status}, LIST ${all.status}: ${said}`);
    }
  }
  // Fields of built-in kinds are typed in Go; an audit reads JSON without their types (docs/etcd.md).
  assert.equal(
    wrong.map((each) => each.slice(0, each.indexOf(":"))),
    ["JSON of a wrong type"],
    wrong.join("\n"),
  );
});

test.run();
