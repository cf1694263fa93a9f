/** No key, no plaintext and no password in any output, whatever is wrong with a value; `extract` alone writes plaintext. */
import { existsSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { slipway } from "../helpers/cli.js";
import { PLANTED } from "../helpers/planted.js";
import { readTree, tempFolder } from "../helpers/temp.js";
import { dump, envelope, field, snapshot, type TestRecord } from "./copies.js";
import { aescbc, aesgcm, cbor, kmsV1, kmsV2, secretbox } from "./values.js";

const test = suite("etcd secrets");

/** 32 bytes that begin with a marker. */
const keyFrom = (marker: string): Buffer => Buffer.from(`${marker}${"#".repeat(32)}`).subarray(0, 32);
const KEYS = {
  gcm: keyFrom(PLANTED.token),
  cbc: keyFrom(PLANTED.password),
  box: keyFrom(PLANTED.proxyPassword),
  dek: keyFrom(PLANTED.sshKeyComment),
};
const MARKERS = Object.values(PLANTED);

const config = (keys: object): string =>
  JSON.stringify({
    apiVersion: "apiserver.config.k8s.io/v1",
    kind: "EncryptionConfiguration",
    resources: [
      {
        resources: ["secrets", "widgets.example.com"],
        providers: [
          keys,
          { aescbc: { keys: [{ name: "k", secret: KEYS.cbc.toString("base64") }] } },
          { secretbox: { keys: [{ name: "k", secret: KEYS.box.toString("base64") }] } },
          { kms: { name: "old", endpoint: "unix:///old" } },
          { kms: { apiVersion: "v2", name: "new", endpoint: "unix:///new" } },
          { identity: {} },
        ],
      },
    ],
  });
const GCM = { aesgcm: { keys: [{ name: "k", secret: KEYS.gcm.toString("base64") }] } };
const WRAPPED = Buffer.from("wrapped by a plug-in");
const ANSWERS = JSON.stringify([
  {
    provider: "old",
    api: "v1",
    encryptedDEKSource: WRAPPED.toString("base64"),
    plaintext: KEYS.dek.toString("base64"),
  },
  {
    provider: "new",
    api: "v2",
    keyID: "id",
    encryptedDEKSource: WRAPPED.toString("base64"),
    plaintext: KEYS.dek.toString("base64"),
  },
]);

const marker = PLANTED.cloudSecretKey;
const secret = (name: string): Buffer =>
  envelope("v1", "Secret", { name }, field(2, Buffer.concat([field(1, "password"), field(2, marker)])));
const at = (name: string): string => `/registry/secrets/ns/${name}`;
const text = (name: string, value: string): TestRecord => ({ key: at(name), value: Buffer.from(value) });

const RECORDS: readonly TestRecord[] = [
  { key: at("plain"), value: secret("plain") },
  { key: at("gcm"), value: aesgcm("k", KEYS.gcm, secret("gcm"), at("gcm")) },
  { key: at("cbc"), value: aescbc("k", KEYS.cbc, secret("cbc"), at("cbc")) },
  { key: at("box"), value: secretbox("k", KEYS.box, secret("box"), at("box")) },
  { key: at("old"), value: kmsV1("old", WRAPPED, KEYS.dek, secret("old"), at("old")) },
  {
    key: at("new"),
    value: kmsV2(
      { provider: "new", keyID: "id", wrapped: WRAPPED, source: KEYS.dek, seed: true },
      secret("new"),
      at("new"),
    ),
  },
  { key: at("lost"), value: aescbc("lost", KEYS.gcm, secret("lost"), at("lost")) },
  { key: at("truncated"), value: secret("truncated").subarray(0, 70) },
  // Texts that a parser would quote in its complaint.
  text("json-broken", `{"apiVersion":"v1","kind":"Secret","stringData":{"a":"${marker}"`),
  text("json-garbage", `{"apiVersion":"v1","kind":"Secret"} ${marker}`),
  text("json-type", `{"apiVersion":"v1","kind":"Secret","metadata":"${marker}"}`),
  text("json-name", `{"apiVersion":"v1","kind":"Secret","metadata":{"name":["${marker}"]}}`),
  text("json-no-kind", `{"stringData":{"a":"${marker}"}}`),
  text("yaml-broken", `kind: Secret\nstringData: [${marker}\n  - :: {`),
  text("yaml-text", marker),
  text("yaml-list", `- ${marker}\n`),
  { key: at("binary"), value: Buffer.concat([Buffer.from([0, 1, 2]), Buffer.from(marker)]) },
  { key: "/registry/example.com/widgets/ns/no-kind", value: Buffer.from(`{"spec":{"a":"${marker}"}}`) },
  {
    key: "/registry/example.com/widgets/ns/cbor",
    value: Buffer.concat([cbor({ a: marker }), Buffer.from([1])]),
  },
  {
    key: "/registry/example.com/widgets/ns/cbor-key",
    value: Buffer.concat([
      Buffer.from("d9d9f7a2", "hex"),
      ...[1, 2].map(() =>
        Buffer.concat([Buffer.from([0x58, marker.length]), Buffer.from(marker), Buffer.from([0x01])]),
      ),
    ]),
  },
  { key: "/registry/configmaps/ns/other-kind", value: secret("other-kind") },
  // Before OpenShift 4.6 the name of a token was the token.
  {
    key: `/openshift.io/oauth/accesstokens/${marker}`,
    value: envelope("oauth.openshift.io/v1", "OAuthAccessToken", { name: marker }),
  },
  {
    key: `/openshift.io/oauth/authorizetokens/${marker}`,
    value: Buffer.from(`k8s:enc:aescbc:v1:lost:${marker}`),
  },
];

/** Every way in which a marker could stand in a text. */
function leaks(output: string): string[] {
  const forms = MARKERS.flatMap((each) => [
    each,
    Buffer.from(each).toString("hex"),
    // Base64 of the marker at each of the three places in a group.
    ...[0, 1, 2].map((shift) =>
      Buffer.concat([Buffer.alloc(shift), Buffer.from(each)])
        .toString("base64")
        .slice(shift === 0 ? 0 : 4, -4),
    ),
  ]);
  return forms.filter((each) => output.includes(each));
}

test("no output of any command holds a key or a plaintext", () => {
  const folder = tempFolder();
  const file = (name: string, data: string | Uint8Array): void => writeFileSync(join(folder, name), data);
  file("etcd.db", snapshot(RECORDS));
  file("member.db", snapshot(RECORDS, { hash: false }));
  file("etcd.json", dump(RECORDS));
  file("broken.json", dump(RECORDS).subarray(0, 900));
  file("config.json", config(GCM));
  file("other.json", config({ aesgcm: { keys: [{ name: "other", secret: KEYS.gcm.toString("base64") }] } }));
  file(
    "bad.json",
    config({
      aesgcm: {
        keys: [
          { name: "k", secret: PLANTED.token },
          { name: "l", secret: KEYS.gcm.subarray(0, 20).toString("base64") },
        ],
        [PLANTED.pullSecretAuth]: 1,
      },
    }).replace(PLANTED.pullSecretAuth, "unknown"),
  );
  file("answers.json", ANSWERS);
  file("answers-bad.json", ANSWERS.slice(0, -3));
  const copies = [
    ["--snapshot", "etcd.db"],
    ["--dump", "etcd.json"],
    ["--dump", "broken.json"],
    ["--snapshot", "etcd.json"],
    ["--snapshot", "etcd.db", "--db", "member.db"],
  ];
  const configs = [
    [],
    ["--encryption-config", "config.json", "--kms-answers", "answers.json"],
    ["--encryption-config", "config.json", "--encryption-config", "other.json"],
    ["--encryption-config", "bad.json"],
    ["--encryption-config", "config.json", "--kms-answers", "answers-bad.json"],
  ];
  let outputs = 0;
  const run = (...args: string[]): void => {
    const { stdout, stderr } = slipway(args, { cwd: folder });
    assert.equal(leaks(stdout + stderr), [], args.join(" "));
    outputs += stdout.length;
  };
  for (const copy of copies)
    for (const each of configs) {
      run("etcd", "inventory", ...copy, ...each);
      run("etcd", "audit", ...copy, ...each, "--target", "1.36", "--output", "json", "--log-level", "debug");
    }
  run("etcd", "audit", "--snapshot", "etcd.db", ...(configs[1] ?? []), "--objects-out", "objects.jsonl");
  run(
    "etcd",
    "inventory",
    "--snapshot",
    "etcd.db",
    ...(configs[1] ?? []),
    "--output",
    "json",
    "--kms-requests-out",
    "requests.json",
  );
  for (const target of ["1.36", "1.37"])
    run(
      "etcd",
      "plan",
      "--snapshot",
      "etcd.db",
      ...(configs[2] ?? []),
      "--target",
      target,
      "--out",
      `plan-${target}`,
      "--unanswered-is-lost",
    );
  run(
    "etcd",
    "extract",
    "--snapshot",
    "etcd.db",
    ...(configs[1] ?? []),
    "--key",
    at("lost"),
    "--out",
    "lost.bin",
  );
  run(
    "etcd",
    "extract",
    "--snapshot",
    "etcd.db",
    ...(configs[1] ?? []),
    "--key",
    at("gcm"),
    "--out",
    "gcm.bin",
    "--output",
    "json",
  );
  assert.ok(outputs > 50_000);

  const inputs = new Set([
    "etcd.db",
    "member.db",
    "etcd.json",
    "broken.json",
    "config.json",
    "other.json",
    "bad.json",
    "answers.json",
    "answers-bad.json",
  ]);
  const written = [...readTree(folder)].filter(([path]) => !inputs.has(path));
  assert.ok(written.length > 30);
  for (const [path, data] of written)
    if (path !== "gcm.bin") assert.equal(leaks(data.toString("latin1")), [], path);
  // The one file that may hold plaintext does, and is for its owner alone.
  assert.ok(readFileSync(join(folder, "gcm.bin")).equals(secret("gcm")));
  assert.is(statSync(join(folder, "gcm.bin")).mode & 0o777, 0o600);
  assert.not.ok(written.some(([path]) => path === "lost.bin"));
});

test("extract: every form, and its exit codes", () => {
  const folder = tempFolder();
  writeFileSync(join(folder, "etcd.db"), snapshot(RECORDS));
  writeFileSync(join(folder, "config.json"), config(GCM));
  writeFileSync(join(folder, "answers.json"), ANSWERS);
  const extract = (key: string, ...more: string[]): number | null =>
    slipway(
      [
        "etcd",
        "extract",
        "--snapshot",
        "etcd.db",
        "--encryption-config",
        "config.json",
        "--kms-answers",
        "answers.json",
        "--key",
        key,
        "--out",
        "out.bin",
        ...more,
      ],
      { cwd: folder },
    ).code;
  const out = join(folder, "out.bin");
  for (const name of ["plain", "gcm", "cbc", "box", "old", "new"]) {
    assert.is(extract(at(name)), 0, name);
    assert.ok(readFileSync(out).equals(secret(name)), name);
    assert.is(statSync(out).mode & 0o777, 0o600);
    rmSync(out);
  }
  writeFileSync(out, "somebody's");
  assert.is(extract(at("plain")), 1, "a file that exists is not overwritten");
  assert.is(readFileSync(out, "utf8"), "somebody's");
  rmSync(out);
  symlinkSync("elsewhere", out);
  assert.is(extract(at("plain")), 1, "nor is a link followed");
  assert.not.ok(existsSync(join(folder, "elsewhere")));
  rmSync(out);
  assert.is(extract(at("plain"), "--out", "-"), 2, "plain bytes never go to the terminal");
  assert.is(extract(at("lost")), 3);
  assert.is(extract(at("never")), 1);
  assert.is(extract(at("gcm"), "--revision", "2"), 1);
  assert.is(extract(at("plain"), "--revision", "2"), 0);
  assert.is(extract(at("plain"), "--revision", "x"), 2);
  assert.is(slipway(["etcd", "extract", "--snapshot", "etcd.db"], { cwd: folder }).code, 2);
  assert.is(slipway(["etcd", "audit"], { cwd: folder }).code, 2);
});

test.run();
