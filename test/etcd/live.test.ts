/**
 * A real etcd on loopback: values of every form and provider are written, and the product has to find exactly what was
 * written, in a snapshot, after a compaction and a defragmentation, in the file of the data directory and in a dump.
 */
import { copyFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isList, isObject, type Json, type JsonObject } from "../../src/core/json.js";
import { slipway } from "../helpers/cli.js";
import { skipTest } from "../helpers/shared.js";
import { tempFolder } from "../helpers/temp.js";
import { envelope } from "./copies.js";
import { Etcd, hasEtcd } from "./server.js";
import { aescbc, aesgcm, cbor, keyOf, kmsV1, kmsV2, secretbox } from "./values.js";

const test = suite("etcd live");

const KEYS = {
  first: keyOf("first"),
  second: keyOf("second", 24),
  small: keyOf("small", 16),
  box: keyOf("box"),
  lost: keyOf("lost"),
};
const base64 = (data: Uint8Array): string => Buffer.from(data).toString("base64");

const CONFIG = {
  apiVersion: "apiserver.config.k8s.io/v1",
  kind: "EncryptionConfiguration",
  resources: [
    {
      resources: ["secrets", "widgets.example.com"],
      providers: [
        {
          aesgcm: {
            keys: [
              { name: "first", secret: base64(KEYS.first) },
              { name: "small", secret: base64(KEYS.small) },
            ],
          },
        },
        { aescbc: { keys: [{ name: "second", secret: base64(KEYS.second) }] } },
        { secretbox: { keys: [{ name: "box", secret: base64(KEYS.box) }] } },
        { kms: { apiVersion: "v1", name: "old", endpoint: "unix:///old" } },
        { kms: { apiVersion: "v2", name: "new", endpoint: "unix:///new" } },
        { identity: {} },
      ],
    },
    {
      resources: ["configmaps"],
      providers: [{ kms: { apiVersion: "v2", name: "own", endpoint: "unix:///own" } }, { identity: {} }],
    },
  ],
};

const OLD = { wrapped: keyOf("wrapped old", 40), dek: keyOf("dek old") };
const NEW = {
  provider: "new",
  keyID: "kek-7",
  wrapped: keyOf("wrapped new", 48),
  source: keyOf("source new"),
  seed: false,
};
const SEED = {
  provider: "new",
  keyID: "kek-8",
  wrapped: keyOf("wrapped seed", 48),
  source: keyOf("source seed"),
  seed: true,
};
const OWN = {
  provider: "own",
  keyID: "kek-1",
  wrapped: keyOf("wrapped own", 48),
  source: keyOf("source own"),
  seed: true,
};
const ROTATED = { ...OWN, keyID: "kek-2", wrapped: keyOf("wrapped own 2", 48) };
const ANSWERS = [
  { provider: "old", api: "v1", encryptedDEKSource: base64(OLD.wrapped), plaintext: base64(OLD.dek) },
  ...[NEW, SEED, OWN, ROTATED].map(({ provider, keyID, wrapped, source }) => ({
    provider,
    api: "v2",
    keyID,
    encryptedDEKSource: base64(wrapped),
    plaintext: base64(source),
  })),
];

/** What has to be found of a key, besides its revisions. */
interface Expected {
  readonly provider?: string;
  readonly keyName?: string;
  readonly stale?: boolean;
  readonly media?: string;
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly result: string;
  readonly error?: string;
}

const secret = (name: string): Buffer => envelope("v1", "Secret", { name, namespace: "live" });
const configMap = (name: string): Buffer => envelope("v1", "ConfigMap", { name, namespace: "live" });
const SECRET = { media: "protobuf", apiVersion: "v1", kind: "Secret", result: "ok" };
const at = (name: string): string => `/registry/secrets/live/${name}`;
const ok = (provider: string, keyName: string, stale: boolean): Expected => ({
  provider,
  keyName,
  stale,
  ...SECRET,
});
const widget = { apiVersion: "example.com/v1", kind: "Widget", metadata: { name: "w", namespace: "live" } };
const CUSTOM = { apiVersion: "example.com/v1", kind: "Widget", result: "ok" };

/** Key → value and what has to be said of it. */
const VALUES: readonly (readonly [string, Buffer, Expected])[] = [
  [at("plain"), secret("plain"), { stale: true, ...SECRET }],
  [at("gcm"), aesgcm("first", KEYS.first, secret("gcm"), at("gcm")), ok("aesgcm/v1", "first", false)],
  [at("gcm-16"), aesgcm("small", KEYS.small, secret("gcm-16"), at("gcm-16")), ok("aesgcm/v1", "small", true)],
  [
    at("cbc-24"),
    aescbc("second", KEYS.second, secret("cbc-24"), at("cbc-24")),
    ok("aescbc/v1", "second", true),
  ],
  [at("box"), secretbox("box", KEYS.box, secret("box"), at("box")), ok("secretbox/v1", "box", true)],
  [at("v1"), kmsV1("old", OLD.wrapped, OLD.dek, secret("v1"), at("v1")), ok("kms/v1", "old", true)],
  [
    at("v1-cbc"),
    kmsV1("old", OLD.wrapped, OLD.dek, secret("v1-cbc"), at("v1-cbc"), true),
    ok("kms/v1", "old", true),
  ],
  [at("v2"), kmsV2(NEW, secret("v2"), at("v2")), ok("kms/v2", "new", true)],
  [at("v2-seed"), kmsV2(SEED, secret("v2-seed"), at("v2-seed")), ok("kms/v2", "new", true)],
  [
    at("json"),
    aesgcm(
      "first",
      KEYS.first,
      Buffer.from(JSON.stringify({ kind: "Secret", apiVersion: "v1", metadata: { name: "json" } })),
      at("json"),
    ),
    { ...ok("aesgcm/v1", "first", false), media: "json" },
  ],
  [
    at("yaml"),
    aesgcm(
      "first",
      KEYS.first,
      Buffer.from("kind: Secret\napiVersion: v1\nmetadata:\n  name: yaml\n"),
      at("yaml"),
    ),
    { ...ok("aesgcm/v1", "first", false), media: "yaml" },
  ],
  [
    at("lost"),
    aesgcm("lost", KEYS.lost, secret("lost"), at("lost")),
    {
      provider: "aesgcm/v1",
      keyName: "lost",
      result: "untransformable",
      error: "no matching key was found for the provided AES transformer",
    },
  ],
  [
    at("moved"),
    aesgcm("first", KEYS.first, secret("moved"), at("elsewhere")),
    {
      provider: "aesgcm/v1",
      keyName: "first",
      result: "untransformable",
      error: "cipher: message authentication failed",
    },
  ],
  [
    at("box-wrong"),
    secretbox("box", KEYS.lost, secret("box-wrong"), at("box-wrong")),
    {
      provider: "secretbox/v1",
      keyName: "box",
      result: "untransformable",
      error: "output array was not large enough for encryption",
    },
  ],
  [
    at("box-lost"),
    secretbox("none", KEYS.lost, secret("box-lost"), at("box-lost")),
    {
      provider: "secretbox/v1",
      keyName: "none",
      result: "untransformable",
      error: "no matching key was found for the provided Secretbox transformer",
    },
  ],
  [
    at("v2-other"),
    kmsV2({ ...NEW, provider: "gone" }, secret("v2-other"), at("v2-other")),
    { provider: "kms/v2", keyName: "gone", result: "untransformable", error: "no matching prefix found" },
  ],
  [
    at("v1-short"),
    Buffer.from("k8s:enc:kms:v1:old:\0"),
    {
      provider: "kms/v1",
      keyName: "old",
      result: "untransformable",
      error: "invalid data encountered by envelope transformer: failed to read uint16 length prefixed data",
    },
  ],
  [
    at("truncated"),
    secret("truncated").subarray(0, 40),
    {
      stale: true,
      media: "protobuf",
      apiVersion: "v1",
      kind: "Secret",
      result: "undecodable",
      error: "unexpected EOF",
    },
  ],
  [
    at("other-kind"),
    configMap("other-kind"),
    { stale: true, media: "protobuf", apiVersion: "v1", kind: "ConfigMap", result: "undecodable" },
  ],
  [
    "/registry/configmaps/live/before",
    kmsV2(OWN, configMap("before"), "/registry/configmaps/live/before"),
    {
      provider: "kms/v2",
      keyName: "own",
      stale: true,
      media: "protobuf",
      apiVersion: "v1",
      kind: "ConfigMap",
      result: "ok",
    },
  ],
  [
    "/registry/configmaps/live/rotated",
    kmsV2(ROTATED, configMap("rotated"), "/registry/configmaps/live/rotated"),
    {
      provider: "kms/v2",
      keyName: "own",
      stale: false,
      media: "protobuf",
      apiVersion: "v1",
      kind: "ConfigMap",
      result: "ok",
    },
  ],
  [
    "/registry/example.com/widgets/live/as-json",
    Buffer.from(`${JSON.stringify({ ...widget, metadata: { name: "as-json" } })}\n`),
    { stale: true, media: "json", ...CUSTOM },
  ],
  [
    "/registry/example.com/widgets/live/as-cbor",
    aesgcm(
      "first",
      KEYS.first,
      cbor({ ...widget, metadata: { name: "as-cbor" } }),
      "/registry/example.com/widgets/live/as-cbor",
    ),
    { provider: "aesgcm/v1", keyName: "first", stale: false, media: "cbor", ...CUSTOM },
  ],
  [
    "/registry/example.com/widgets/live/as-protobuf",
    envelope("example.com/v1", "Widget", { name: "as-protobuf" }),
    { stale: true, result: "undecodable" },
  ],
  [
    "/registry/services/specs/live/svc",
    envelope("v1", "Service", { name: "svc" }),
    { stale: false, media: "protobuf", apiVersion: "v1", kind: "Service", result: "ok" },
  ],
  [
    "/registry/pods/live/encrypted",
    aesgcm("first", KEYS.first, secret("encrypted"), "/registry/pods/live/encrypted"),
    {
      provider: "aesgcm/v1",
      keyName: "first",
      result: "untransformable",
      error: "identity transformer tried to read encrypted data",
    },
  ],
  ["compact_rev_key", Buffer.from("1"), { result: "not-an-object" }],
];

const FIELDS = ["provider", "keyName", "stale", "media", "apiVersion", "kind", "result"] as const;

/** Revisions of the live keys as etcd's own client prints them; numbers beyond 2^53 as texts. */
function liveKeys(printed: string): Map<string, JsonObject> {
  const value: Json = JSON.parse(printed.replace(/:(\d{15,})/g, ':"$1"'));
  const kvs = isObject(value) && isList(value["kvs"]) ? value["kvs"].filter(isObject) : [];
  return new Map(kvs.map((each) => [Buffer.from(String(each["key"]), "base64").toString(), each]));
}

function audit(
  folder: string,
  ...copy: string[]
): { objects: JsonObject[]; code: number | null; stderr: string } {
  const { code, stdout, stderr } = slipway(
    [
      ...["etcd", "audit", ...copy, "--target", "1.36", "--output", "json"],
      ...["--encryption-config", "config.json", "--kms-answers", "answers.json"],
    ],
    { cwd: folder },
  );
  const value: Json = JSON.parse(stdout);
  return {
    objects: isObject(value) && isList(value["objects"]) ? value["objects"].filter(isObject) : [],
    code,
    stderr,
  };
}

function compare(
  objects: readonly JsonObject[],
  oracle: ReadonlyMap<string, JsonObject>,
  expected: ReadonlyMap<string, Expected>,
): void {
  assert.equal(
    objects.map(({ key }) => key),
    [...oracle.keys()].sort(),
  );
  for (const object of objects) {
    const key = String(object["key"]);
    const revisions = oracle.get(key) ?? {};
    const wanted = expected.get(key);
    for (const [own, theirs] of [
      ["createRevision", "create_revision"],
      ["modRevision", "mod_revision"],
      ["version", "version"],
      ["lease", "lease"],
    ] as const)
      assert.is(
        object[own],
        revisions[theirs] === undefined ? undefined : String(revisions[theirs]),
        `${own} of ${key}`,
      );
    if (wanted === undefined) throw new Error(`${key} was never written`);
    for (const field of FIELDS) assert.is(object[field], wanted[field], `${field} of ${key}`);
    if (wanted.error !== undefined) assert.is(object["error"], wanted.error, `error of ${key}`);
  }
}

if (!hasEtcd())
  skipTest(test, "what a real etcd holds", "needs etcd and etcdctl (Debian: etcd-server, etcd-client)");
else
  test("what a real etcd holds", async () => {
    const folder = tempFolder();
    writeFileSync(join(folder, "config.json"), JSON.stringify(CONFIG));
    writeFileSync(join(folder, "answers.json"), JSON.stringify(ANSWERS));
    const etcd = await Etcd.start(folder);
    try {
      const expected = new Map<string, Expected>(VALUES.map(([key, , each]) => [key, each]));
      for (const [key, value] of VALUES) await etcd.put(key, value);
      // History: an update, a deletion, a deletion with re-creation, keys that share a revision, a large lease.
      await etcd.put(at("plain"), aesgcm("lost", KEYS.lost, secret("plain"), at("plain")));
      await etcd.put(at("plain"), secret("plain"));
      await etcd.put(at("deleted"), secret("deleted"));
      await etcd.delete(at("deleted"));
      await etcd.put(at("again"), secret("again"));
      await etcd.delete(at("again"));
      await etcd.put(at("again"), aesgcm("first", KEYS.first, secret("again"), at("again")));
      expected.set(at("again"), ok("aesgcm/v1", "first", false));
      await etcd.transaction(["one", "two", "three"].map((name) => [at(name), secret(name)]));
      for (const name of ["one", "two", "three"]) expected.set(at(name), { stale: true, ...SECRET });
      const lease = 9223372036854775000n;
      await etcd.grant(lease);
      await etcd.put("/registry/masterleases/192.0.2.1", envelope("v1", "Endpoints", { name: "" }), lease);
      expected.set("/registry/masterleases/192.0.2.1", {
        stale: false,
        media: "protobuf",
        apiVersion: "v1",
        kind: "Endpoints",
        result: "ok",
      });
      // A value that fills pages, and many keys, so that the tree has branches.
      const large = envelope(
        "v1",
        "Secret",
        { name: "large" },
        Buffer.concat([Buffer.from([0x12, 0x80, 0x80, 0x40]), Buffer.alloc(1 << 20)]),
      );
      await etcd.put(at("large"), large);
      expected.set(at("large"), { stale: true, ...SECRET });
      for (let i = 0; i < 300; i++) {
        await etcd.put(at(`many-${i}`), secret(`many-${i}`));
        expected.set(at(`many-${i}`), { stale: true, ...SECRET });
      }
      const oracle = liveKeys(etcd.ctl("get", "--prefix", "", "-w", "json"));
      assert.is(oracle.size, expected.size);

      const check = (...copy: string[]): void => {
        const { objects, code, stderr } = audit(folder, ...copy);
        assert.is(code, 3, stderr);
        compare(objects, oracle, expected);
      };
      writeFileSync(join(folder, "dump.json"), etcd.ctl("get", "--prefix", "", "-w", "json"));
      check("--dump", "dump.json");
      etcd.ctl("snapshot", "save", join(folder, "full.db"));
      check("--snapshot", "full.db");

      // The past, as long as it is there.
      const past = Number(oracle.get(at("again"))?.["create_revision"]);
      const before = audit(folder, "--snapshot", "full.db", "--revision", String(past - 1));
      assert.is(
        before.objects.some(({ key }) => key === at("again")),
        false,
      );
      assert.is(
        before.objects.some(({ key }) => key === at("one")),
        false,
      );
      const then = audit(folder, "--snapshot", "full.db", "--revision", String(past - 2));
      assert.is(then.objects.find(({ key }) => key === at("again"))?.["modRevision"], String(past - 2));

      await etcd.compact(BigInt(past + 1));
      etcd.ctl("snapshot", "save", join(folder, "compacted.db"));
      check("--snapshot", "compacted.db");
      const gone = slipway(["etcd", "audit", "--snapshot", "compacted.db", "--revision", String(past)], {
        cwd: folder,
      });
      assert.is(gone.code, 1);
      assert.match(gone.stderr, /ETC006/);

      etcd.ctl("defrag");
      etcd.ctl("snapshot", "save", join(folder, "defragmented.db"));
      check("--snapshot", "defragmented.db");
      await etcd.stop();
      copyFileSync(join(folder, "data/member/snap/db"), join(folder, "member.db"));
      check("--db", "member.db");

      // Both at once: every key is found twice, and counts once.
      const twice = audit(folder, "--snapshot", "full.db", "--dump", "dump.json");
      assert.is(twice.objects.length, oracle.size);
    } finally {
      await etcd.stop();
    }
  });

test.run();
