/** Copies of etcd in which every value that can hold a secret holds a mark, and the keys that they are encrypted with are marks. */
import { dump, envelope, field, snapshot, type TestRecord } from "../etcd/copies.js";
import { aescbc, aesgcm, kmsV1, kmsV2, secretbox } from "../etcd/values.js";
import { mark } from "./taint.js";

/** 32 bytes with a mark. */
const key = (): Buffer => Buffer.from(`${mark()}${"#".repeat(32)}`).subarray(0, 32);

const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";

/** What a Secret holds in the protobuf of Kubernetes, and in an annotation of `kubectl apply`. */
function secret(name: string): Buffer {
  const applied = JSON.stringify({ kind: "Secret", stringData: { password: mark() } });
  const annotation = field(12, Buffer.concat([field(1, LAST_APPLIED), field(2, applied)]));
  const data = field(2, Buffer.concat([field(1, "password"), field(2, mark())]));
  // Two messages of one field are merged: a second metadata adds the annotation.
  return envelope("v1", "Secret", { name, namespace: "ns" }, Buffer.concat([field(1, annotation), data]));
}

const json = (value: object): Buffer => Buffer.from(JSON.stringify(value));
const at = (name: string): string => `/registry/secrets/ns/${name}`;

/** The files of command lines that read copies of etcd, by the names of test/hostile/command-lines.ts. */
export function markedCopies(): Map<string, Buffer> {
  const keys = { gcm: key(), cbc: key(), box: key(), lost: key(), dek: key() };
  const wrapped = Buffer.from("wrapped by a plug-in");
  const widget = (name: string, more: object): TestRecord => ({
    key: `/registry/example.com/widgets/ns/${name}`,
    value: json({
      apiVersion: "example.com/v1",
      kind: "Widget",
      metadata: { name, namespace: "ns", ...more },
    }),
  });
  const records: TestRecord[] = [
    { key: "/registry/namespaces/ns", value: envelope("v1", "Namespace", { name: "ns" }) },
    { key: at("s"), value: secret("s") },
    { key: at("gcm"), value: aesgcm("2026-07", keys.gcm, secret("gcm"), at("gcm")) },
    { key: at("cbc"), value: aescbc("k", keys.cbc, secret("cbc"), at("cbc")) },
    { key: at("box"), value: secretbox("k", keys.box, secret("box"), at("box")) },
    { key: at("old"), value: kmsV1("q", wrapped, keys.dek, secret("old"), at("old")) },
    {
      key: at("new"),
      value: kmsV2(
        { provider: "p", keyID: "1", wrapped, source: keys.dek, seed: true },
        secret("new"),
        at("new"),
      ),
    },
    { key: at("lost"), value: aescbc("gone", keys.lost, secret("lost"), at("lost")) },
    { key: at("cut"), value: secret("cut").subarray(0, 60) },
    { key: at("text"), value: Buffer.from(mark()) },
    {
      key: at("utf16"),
      value: Buffer.from(`\ufeff${JSON.stringify({ kind: "Secret", stringData: { a: mark() } })}`, "utf16le"),
    },
    {
      key: at("bom"),
      value: Buffer.from(
        `\ufeff${JSON.stringify({ apiVersion: "v1", kind: "Secret", stringData: { a: mark() } })}`,
      ),
    },
    {
      key: at("json"),
      value: json({
        apiVersion: "v1",
        kind: "Secret",
        metadata: { name: "json" },
        stringData: { a: mark() },
      }),
    },
    { key: "/registry/configmaps/ns/lost", value: Buffer.from(`k8s:enc:kms:v2:p:${mark()}`) },
    widget("w", { annotations: { [LAST_APPLIED]: JSON.stringify({ spec: { password: mark() } }) } }),
    { key: "/registry/example.com/widgets/ns/no-kind", value: json({ spec: { password: mark() } }) },
    {
      key: "/registry/example.com/widgets/ns/broken",
      value: Buffer.from(`{"kind": "Widget", "spec": {"password": "${mark()}"`),
    },
    {
      key: `/openshift.io/oauth/accesstokens/${mark()}`,
      value: envelope("oauth.openshift.io/v1", "OAuthAccessToken", { name: mark() }),
    },
  ];
  const provider = (name: string, of: Buffer, keyName: string): object => ({
    [name]: { keys: [{ name: keyName, secret: of.toString("base64") }] },
  });
  const answer = { encryptedDEKSource: wrapped.toString("base64"), plaintext: keys.dek.toString("base64") };
  return new Map([
    ["etcd.json", dump(records)],
    ["copy.snapshot", snapshot(records)],
    ["member.db", snapshot(records, { hash: false })],
    [
      "encryption.yaml",
      json({
        apiVersion: "apiserver.config.k8s.io/v1",
        kind: "EncryptionConfiguration",
        resources: [
          {
            resources: ["secrets", "configmaps"],
            providers: [
              provider("aesgcm", keys.gcm, "2026-07"),
              provider("aescbc", keys.cbc, "k"),
              provider("secretbox", keys.box, "k"),
              { kms: { apiVersion: "v2", name: "p", endpoint: "unix:///p" } },
              { kms: { name: "q", endpoint: "unix:///q" } },
              { identity: {} },
            ],
          },
        ],
      }),
    ],
    [
      "kms.json",
      json({
        apiVersion: "slipway.dev/v1alpha1",
        kind: "KMSAnswers",
        answers: [
          { provider: "p", api: "v2", keyID: "1", ...answer, current: true },
          { provider: "q", api: "v1", ...answer },
        ],
      }),
    ],
  ]);
}
