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

/** JSON of built-in kinds with a member of a type that a server takes, or does not take. */
const TYPED: readonly (readonly [
  path: string,
  api: string,
  apiVersion: string,
  kind: string,
  rest: string,
])[] = [
  ...[
    '"data": 5',
    '"data": "a"',
    '"data": [1]',
    '"data": {"a": 1}',
    '"data": {"a": null}',
    '"data": null',
    '"Data": 5',
    '"data": 5, "data": {}',
    '"binaryData": {"a": "YQ=="}',
    '"binaryData": {"a": "no base64"}',
    '"binaryData": {"a": [1, 255]}',
    '"binaryData": {"a": [256]}',
    '"immutable": "true"',
    '"immutable": true',
    '"other": {"a": [1]}',
  ].map((rest) => ["configmaps", "api/v1", "v1", "ConfigMap", rest] as const),
  ...[
    '"spec": {"ports": [{"port": 80, "targetPort": "http"}, {"port": 81, "targetPort": 1}]}',
    '"spec": {"ports": [{"port": 80.0}]}',
    '"spec": {"ports": [{"port": 8e1}]}',
    '"spec": {"ports": [{"port": 2147483648}]}',
    '"spec": {"ports": [{"port": "80"}]}',
    '"spec": {"ports": [null]}',
    '"spec": {"ports": {}}',
    '"spec": {"ports": [{"targetPort": 1.5}]}',
    '"spec": {"ports": [{"targetPort": true}]}',
    '"spec": {"selector": {"a": true}}',
    '"spec": []',
  ].map((rest) => ["services/specs", "api/v1", "v1", "Service", rest] as const),
  ...[
    '"spec": {"renewTime": "2026-01-02T03:04:05.123456Z"}',
    '"spec": {"renewTime": "2026-01-02T03:04:05Z"}',
    '"spec": {"renewTime": 5}',
    '"spec": {"leaseDurationSeconds": "5"}',
    '"spec": {"holderIdentity": 5}',
  ].map(
    (rest) => ["leases", "apis/coordination.k8s.io/v1", "coordination.k8s.io/v1", "Lease", rest] as const,
  ),
  ...[
    '"spec": {"resources": {"requests": {"storage": "1Gi"}}}',
    '"spec": {"resources": {"requests": {"storage": 5}}}',
    '"spec": {"resources": {"requests": {"storage": "much"}}}',
    '"spec": {"resources": {"requests": {"storage": true}}}',
    '"spec": {"accessModes": "ReadWriteOnce"}',
    '"status": {"conditions": [{"lastProbeTime": "2026-02-30T00:00:00Z"}]}',
  ].map((rest) => ["persistentvolumeclaims", "api/v1", "v1", "PersistentVolumeClaim", rest] as const),
  ...['"revision": 9007199254740993, "data": [1]', '"revision": 9223372036854775808', '"revision": 1.0'].map(
    (rest) => ["controllerrevisions", "apis/apps/v1", "apps/v1", "ControllerRevision", rest] as const,
  ),
  ...[
    '"spec": {"volumeClaimTemplates": [{"kind": "PersistentVolumeClaim", "metadata": {}}]}',
    '"spec": {"volumeClaimTemplates": [{"kind": 5}]}',
    '"spec": {"template": {"spec": {"containers": [{"env": [{"value": 5}]}]}}}',
    '"spec": {"replicas": null, "updateStrategy": {"rollingUpdate": {"maxUnavailable": "10%"}}}',
  ].map((rest) => ["statefulsets", "apis/apps/v1", "apps/v1", "StatefulSet", rest] as const),
];
const METADATA: readonly string[] = [
  '"labels": {"a": 5}',
  '"labels": []',
  '"finalizers": [5]',
  '"creationTimestamp": "yesterday"',
  '"creationTimestamp": "2026-01-02T3:04:05,5+01:00"',
  '"generation": "1"',
  '"ownerReferences": [{"controller": "true"}]',
  '"managedFields": [{"fieldsV1": 5, "time": null}]',
  '"managedFields": [{"fieldsType": 5}]',
];

/** The same, as rows of {@link DAMAGE}. */
const typed = (
  path: string,
  api: string,
  apiVersion: string,
  kind: string,
  rest: string,
  meta = "",
): (typeof DAMAGE)[number] => [
  `${kind} ${rest}${meta}`,
  path,
  api,
  (n) =>
    Buffer.from(
      `{"apiVersion": "${apiVersion}", "kind": "${kind}", "metadata": {"name": "x", "namespace": "${n}"${meta}}${rest === "" ? "" : `, ${rest}`}}`,
    ),
];
const ROWS: typeof DAMAGE = [
  ...DAMAGE,
  ...TYPED.map((row) => typed(...row)),
  ...METADATA.map((each) => typed("configmaps", "api/v1", "v1", "ConfigMap", "", `, ${each}`)),
  [
    "YAML of a wrong type",
    "configmaps",
    "api/v1",
    (n) =>
      Buffer.from(`apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x, namespace: ${n}}\ndata: {a: 1}\n`),
  ],
];

const READS = new Set(["ok", "rewritten", "misplaced"]);
const GONE = new Set(["orphaned", "not-served"]);

withKube("an audit says of damaged objects what the server answers", async (kube) => {
  kube.kubectlOk(["create", "-f", "-"], JSON.stringify(crd("widgets", ["v1"])));
  kube.kubectlOk(["wait", "--for=condition=Established", "crd/widgets.example.com", "--timeout=600s"]);
  const rows = ROWS.map(([what, path, api, make], i) => {
    const namespace = `damage-${i}`;
    const key = `/registry/${path}/${namespace}/x`;
    const resource = path === "services/specs" ? "services" : path.slice(path.lastIndexOf("/") + 1);
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
  assert.equal(wrong, []);
});

test.run();
