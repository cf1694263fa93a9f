/** Which provider and key reads a value, what counts as stale, and the server's words where none does. */
import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Problem } from "../../src/core/diagnostics.js";
import { NO_ANSWERS, readKmsAnswers } from "../../src/etcd/encryption/answers.js";
import { openCbc } from "../../src/etcd/encryption/ciphers.js";
import {
  type EncryptionConfig,
  providersOf,
  readEncryptionConfig,
} from "../../src/etcd/encryption/config.js";
import { parseGroupResource } from "../../src/etcd/encryption/group-resource.js";
import { encryptedBy, type KeyedKind, type Provider } from "../../src/etcd/encryption/providers.js";
import { Transformer } from "../../src/etcd/encryption/transform.js";
import { PLANTED } from "../helpers/planted.js";
import { runs } from "../helpers/runs.js";
import { field } from "./copies.js";
import { aescbc, aesgcm, keyOf, kmsV1, kmsV2, secretbox } from "./values.js";

const test = suite("etcd encryption");

const A = keyOf("a");
const B = keyOf("b");
const key = "/registry/secrets/ns/name";
const plain = Buffer.from("plain bytes of a value");

type Named = readonly [string, Buffer];
const keyed = (kind: KeyedKind, keys: readonly Named[]): Provider => ({
  kind,
  keys: keys.map(([name, secret]) => ({ name, secret })),
});
const cbc = (...keys: Named[]): Provider => keyed("aescbc", keys);
const gcm = (...keys: Named[]): Provider => keyed("aesgcm", keys);
const box = (...keys: Named[]): Provider => keyed("secretbox", keys);
const IDENTITY: Provider = { kind: "identity" };

const read = (
  providers: readonly Provider[] | undefined,
  value: Buffer,
  at = key,
): ReturnType<Transformer["read"]> => new Transformer(providers, NO_ANSWERS.unwrap).read(value, at);

const NO_PREFIX = "no matching prefix found";
const NO_AES = "no matching key was found for the provided AES transformer";
const GCM = "cipher: message authentication failed";
const short = (name: string, bytes: number): Buffer =>
  Buffer.concat([Buffer.from(name), Buffer.alloc(bytes, 7)]);

for (const [name, providers, value, expected] of [
  ["a resource without a rule, plain", undefined, plain, false],
  [
    "a resource without a rule, encrypted",
    undefined,
    aescbc("a", A, plain, key),
    "identity transformer tried to read encrypted data",
  ],
  ["the first key of the first provider", [cbc(["a", A])], aescbc("a", A, plain, key), false],
  ["the second key", [cbc(["b", B], ["a", A])], aescbc("a", A, plain, key), true],
  ["the second provider", [gcm(["a", A]), cbc(["a", A])], aescbc("a", A, plain, key), true],
  ["identity first, encrypted value", [IDENTITY, cbc(["a", A])], aescbc("a", A, plain, key), true],
  ["identity first, plain value", [IDENTITY, cbc(["a", A])], plain, false],
  ["identity last, plain value", [cbc(["a", A]), IDENTITY], plain, true],
  ["plain value, no identity", [cbc(["a", A])], plain, NO_PREFIX],
  ["identity alone, encrypted value", [IDENTITY], aescbc("a", A, plain, key), NO_PREFIX],
  ["the key's name is gone", [cbc(["b", B])], aescbc("a", A, plain, key), NO_AES],
  [
    "two providers of one kind, the second has the key",
    [cbc(["b", B]), cbc(["a", A])],
    aescbc("a", A, plain, key),
    true,
  ],
  [
    "two providers of one kind and one key name",
    [gcm(["a", B]), gcm(["a", A])],
    aesgcm("a", A, plain, key),
    true,
  ],
  [
    "a failure and a missing key",
    [gcm(["a", B]), gcm(["b", A])],
    aesgcm("a", A, plain, key),
    `[${GCM}, ${NO_AES}]`,
  ],
  ["two equal failures", [gcm(["a", B]), gcm(["a", B])], aesgcm("a", A, plain, key), GCM],
  ["a name twice in one provider", [gcm(["a", B], ["a", A])], aesgcm("a", A, plain, key), true],
  ["aesgcm with 16 bytes", [gcm(["a", keyOf("s", 16)])], aesgcm("a", keyOf("s", 16), plain, key), false],
  [
    "aesgcm copied from another key",
    [gcm(["a", A])],
    aesgcm("a", A, plain, "/registry/secrets/ns/other"),
    GCM,
  ],
  [
    "aescbc copied from another key",
    [cbc(["a", A])],
    aescbc("a", A, plain, "/registry/secrets/ns/other"),
    false,
  ],
  [
    "secretbox copied from another key",
    [box(["a", A])],
    secretbox("a", A, plain, "/registry/secrets/ns/other"),
    false,
  ],
  [
    "secretbox with a wrong key",
    [box(["a", B])],
    secretbox("a", A, plain, key),
    "output array was not large enough for encryption",
  ],
  [
    "secretbox, key gone",
    [box(["b", B])],
    secretbox("a", A, plain, key),
    "no matching key was found for the provided Secretbox transformer",
  ],
  [
    "aescbc below one block",
    [cbc(["a", A])],
    short("k8s:enc:aescbc:v1:a:", 15),
    "the stored data was shorter than the required size",
  ],
  [
    "aescbc not a multiple of a block",
    [cbc(["a", A])],
    short("k8s:enc:aescbc:v1:a:", 33),
    "the stored data is not a multiple of the block size",
  ],
  [
    "aescbc, one IV and nothing else",
    [cbc(["a", A])],
    short("k8s:enc:aescbc:v1:a:", 16),
    "invalid PKCS7 data (empty or not padded)",
  ],
  [
    "aesgcm below one nonce",
    [gcm(["a", A])],
    short("k8s:enc:aesgcm:v1:a:", 11),
    "the stored data was shorter than the required size",
  ],
  ["aesgcm below one tag", [gcm(["a", A])], short("k8s:enc:aesgcm:v1:a:", 20), GCM],
  [
    "secretbox below nonce and tag",
    [box(["a", A])],
    short("k8s:enc:secretbox:v1:a:", 39),
    "the stored data was shorter than the required size",
  ],
  ["a provider that nobody knows", [cbc(["a", A]), IDENTITY], short("k8s:enc:rot13:v1:a:", 9), NO_PREFIX],
  [
    "kms v1, no length",
    [{ kind: "kms", version: "v1", name: "p" }],
    short("k8s:enc:kms:v1:p:", 1),
    "invalid data encountered by envelope transformer: failed to read uint16 length prefixed data",
  ],
  [
    "kms v1, length beyond the value",
    [{ kind: "kms", version: "v1", name: "p" }],
    short("k8s:enc:kms:v1:p:", 30),
    "invalid data encountered by envelope transformer: failed to read uint16 length prefixed data",
  ],
  [
    "kms of another name",
    [{ kind: "kms", version: "v1", name: "p" }],
    short("k8s:enc:kms:v1:q:", 30),
    NO_PREFIX,
  ],
  [
    "kms v2 for a v1 value",
    [{ kind: "kms", version: "v2", name: "p" }],
    short("k8s:enc:kms:v1:p:", 30),
    NO_PREFIX,
  ],
] as const)
  test(`reading: ${name}`, () => {
    const result = read(providers, value);
    if (typeof expected === "boolean") {
      assert.ok(result.ok, result.ok ? "" : result.error);
      if (!result.ok) return;
      assert.is(result.data.toString("latin1"), plain.toString("latin1"));
      assert.is(result.stale, expected);
    } else {
      assert.not.ok(result.ok);
      if (!result.ok) assert.is(result.error, expected);
    }
  });

test("padding of AES-CBC as the server checks it", () => {
  for (const length of [1, 15, 16, 17, 31, 32])
    assert.equal(
      openCbc(A, aescbc("", A, Buffer.alloc(length, 9), "x").subarray("k8s:enc:aescbc:v1::".length)),
      {
        ok: true,
        data: Buffer.alloc(length, 9),
      },
    );
  const outcomes = new Set<string>();
  for (let i = 0; i < 600; i++) {
    const body = aescbc("", A, Buffer.alloc(40, i), String(i)).subarray("k8s:enc:aescbc:v1::".length);
    const result = openCbc(B, body);
    outcomes.add(result.ok ? "passes by luck" : result.errors.join());
  }
  assert.equal([...outcomes].sort(), [
    "invalid PKCS7 data (empty or not padded)",
    "invalid padding on input",
    "passes by luck",
  ]);
});

const WRAPPED = keyOf("wrapped", 40);
const DEK = keyOf("dek");
const V2 = { provider: "p", keyID: "kek-1", wrapped: WRAPPED, source: DEK, seed: true };

test("kms with answers, without, and with refusals", () => {
  const problems: Problem[] = [];
  const answers = readKmsAnswers(
    JSON.stringify([
      {
        provider: "p",
        api: "v1",
        encryptedDEKSource: WRAPPED.toString("base64"),
        plaintext: DEK.toString("base64"),
      },
      {
        provider: "p",
        api: "v2",
        keyID: "kek-1",
        encryptedDEKSource: WRAPPED.toString("base64"),
        plaintext: DEK.toString("base64"),
      },
      {
        provider: "p",
        api: "v2",
        keyID: "kek-2",
        encryptedDEKSource: WRAPPED.toString("base64"),
        error: "rpc error: key destroyed",
      },
      {
        provider: "p",
        api: "v2",
        keyID: "kek-3",
        encryptedDEKSource: WRAPPED.toString("base64"),
        plaintext: keyOf("x", 20).toString("base64"),
      },
    ]),
    "answers.json",
    (each) => problems.push(each),
  );
  assert.equal(problems, []);
  if (answers === undefined) throw new Error("no answers");
  const v1 = new Transformer([{ kind: "kms", version: "v1", name: "p" }], answers.unwrap);
  const v2 = new Transformer([{ kind: "kms", version: "v2", name: "p" }], answers.unwrap);
  const fresh = v1.read(kmsV1("p", WRAPPED, DEK, plain, key), key);
  assert.ok(fresh.ok && !fresh.stale && fresh.data.equals(plain));
  const old = v1.read(kmsV1("p", WRAPPED, DEK, plain, key, true), key);
  assert.ok(old.ok && old.stale && old.data.equals(plain), "the form of 1.24 is stale");
  const moved = v1.read(kmsV1("p", WRAPPED, DEK, plain, "/elsewhere"), key);
  assert.ok(
    !moved.ok && moved.error.startsWith("[cipher: message authentication failed, "),
    "both forms fail",
  );
  assert.equal(v1.read(kmsV1("p", keyOf("other", 40), DEK, plain, key), key), {
    ok: false,
    error: "<plug-in error>",
    approximate: true,
  });

  const seeded = v2.read(kmsV2(V2, plain, key), key);
  assert.ok(seeded.ok && seeded.data.equals(plain) && seeded.state?.sourceType === 1);
  const direct = v2.read(kmsV2({ ...V2, seed: false }, plain, key), key);
  assert.ok(direct.ok && direct.data.equals(plain) && direct.state?.sourceType === 0);
  const error = (object: typeof V2): string => {
    const result = v2.read(kmsV2(object, plain, key), key);
    return result.ok ? "" : result.error;
  };
  assert.is(error({ ...V2, keyID: "kek-2" }), "failed to decrypt DEK, error: rpc error: key destroyed");
  assert.is(error({ ...V2, keyID: "kek-9" }), "failed to decrypt DEK, error: <plug-in error>");
  assert.is(error({ ...V2, keyID: "kek-3" }), "invalid seed length 20 used for key generation");
  assert.is(error({ ...V2, keyID: "kek-3", seed: false, source: DEK }), "crypto/aes: invalid key size 20");
});

test("what a kms v2 value may hold", () => {
  const transformer = new Transformer([{ kind: "kms", version: "v2", name: "p" }], NO_ANSWERS.unwrap);
  const value = (...fields: Buffer[]): Buffer => Buffer.concat([Buffer.from("k8s:enc:kms:v2:p:"), ...fields]);
  const error = (...fields: Buffer[]): string => {
    const result = transformer.read(value(...fields), key);
    return result.ok ? "" : result.error;
  };
  const data = field(1, "x");
  const id = field(2, "kek");
  const source = field(3, "wrapped");
  const annotation = (name: string, size = 1): Buffer =>
    field(4, Buffer.concat([field(1, name), field(2, Buffer.alloc(size))]));
  assert.is(error(id, source), "encrypted data is empty");
  assert.is(error(data, id), "failed to validate encrypted DEK source: encrypted DEK source is empty");
  assert.is(error(data, source), "failed to validate key id: keyID is empty");
  assert.is(
    error(data, source, field(2, "k".repeat(1025))),
    "failed to validate key id: keyID is 1025 bytes, which exceeds the max size of 1024",
  );
  assert.is(
    error(data, id, field(3, "w".repeat(1025))),
    "failed to validate encrypted DEK source: encrypted DEK source is 1025 bytes, which exceeds the max size of 1024",
  );
  assert.is(error(data, id, source, Buffer.from([0x28, 5])), "unknown encryptedDEKSourceType: 5");
  assert.match(error(data, id, source, annotation("short")), /^failed to validate annotations: /);
  assert.is(
    error(data, id, source, annotation("big.example.com", 32 * 1024)),
    "failed to validate annotations: total size of annotations is 32783, which exceeds the max size of 32768",
  );
  assert.is(
    error(data, id, source, annotation("fine.example.com")),
    "failed to decrypt DEK, error: <plug-in error>",
  );
  assert.match(error(Buffer.from([0x0a, 50, 1])), /^proto:/);
});

test("what an encrypted value says of itself", () => {
  const by = (text: string, providers?: readonly Provider[]): string => {
    const found = encryptedBy(Buffer.from(text, "latin1"), providers);
    return found === undefined ? "" : `${found.provider} ${found.keyName}`;
  };
  assert.is(by("k8s:enc:aescbc:v1:key1:xyz"), "aescbc/v1 key1");
  assert.is(by("k8s:enc:kms:v1:my:plugin:xyz"), "kms/v1 my:…");
  assert.is(by("k8s:enc:aescbc:v1:key1:a:\x01"), "aescbc/v1 key1");
  assert.is(
    by("k8s:enc:kms:v1:my:plugin:xyz", [{ kind: "kms", version: "v1", name: "my:plugin" }]),
    "kms/v1 my:plugin",
  );
  assert.is(by("k8s:enc:aescbc:v1:no-end"), "aescbc/v1 ");
  assert.is(by("k8s:enc:"), "/ ");
  assert.is(by("k8s\0anything"), "");
  assert.is(by("k8s:enc"), "");
});

const configOf = (resources: unknown): { config: EncryptionConfig | undefined; problems: Problem[] } => {
  const problems: Problem[] = [];
  const text = JSON.stringify({
    apiVersion: "apiserver.config.k8s.io/v1",
    kind: "EncryptionConfiguration",
    resources,
  });
  return { config: readEncryptionConfig(text, "config.yaml", (each) => problems.push(each)), problems };
};
const secretText = (length: number): string => Buffer.alloc(length, 1).toString("base64");
const oneKey = (kind: string, secret: string, name = "k"): unknown => ({
  [kind]: { keys: [{ name, secret }] },
});
const rule = (resources: readonly string[], ...providers: unknown[]): unknown => ({ resources, providers });
const identity = { identity: {} };

for (const [name, resources, field, message] of [
  ["no resources", [], "resources", "at least one resources is required"],
  [
    "a rule without resources",
    [rule([], identity)],
    "resources[0].resources",
    "at least one resources[0].resources is required",
  ],
  [
    "a rule without providers",
    [rule(["secrets"])],
    "resources[0].providers",
    "at least one resources[0].providers is required",
  ],
  [
    "capital letters",
    [rule(["Secrets"], identity)],
    "resources[0].resources[0]",
    "resource name should not contain capital letters",
  ],
  [
    "a bare star",
    [rule(["*"], identity)],
    "resources[0].resources[0]",
    "use '*.' to encrypt all the resources from core API group or *.* to encrypt all resources",
  ],
  [
    "a resource across groups",
    [rule(["secrets.*"], identity)],
    "resources[0].resources[0]",
    "encrypting the same resource across groups is not supported",
  ],
  [
    "events.k8s.io",
    [rule(["events.events.k8s.io"], identity)],
    "resources[0].resources[0]",
    /stored using the 'events' API group/,
  ],
  [
    "extensions",
    [rule(["ingresses.extensions"], identity)],
    "resources[0].resources[0]",
    /'extensions' group has been removed/,
  ],
  [
    "no REST API",
    [rule(["serviceipallocations"], identity)],
    "resources[0].resources[0]",
    "resources which do not have REST API/s cannot be encrypted",
  ],
  [
    "twice in one list",
    [rule(["secrets", "secrets"], identity)],
    "resources[0].resources",
    "the same resource cannot be specified multiple times",
  ],
  [
    "overlap in one list",
    [rule(["secrets", "*."], identity)],
    "resources[0].resources",
    /overlapping resources/,
  ],
  [
    "overlap with everything",
    [rule(["deployments.apps", "*.*"], identity)],
    "resources[0].resources",
    /overlapping resources/,
  ],
  [
    "masked by an earlier rule",
    [rule(["*."], identity), rule(["secrets"], identity)],
    "resources[1].resources[0]",
    'resource "secrets" is masked by earlier rule "*."',
  ],
  [
    "masked by *.*",
    [rule(["*.*"], identity), rule(["deployments.apps"], identity)],
    "resources[1].resources[0]",
    'resource "deployments.apps" is masked by earlier rule "*.*"',
  ],
  [
    "no provider in an item",
    [rule(["secrets"], {})],
    "resources[0].providers[0]",
    /does not contain any of the expected providers/,
  ],
  [
    "two providers in an item",
    [rule(["secrets"], { identity: {}, kms: {} })],
    "resources[0].providers[0]",
    /more than one provider/,
  ],
  [
    "no keys",
    [rule(["secrets"], { aescbc: {} })],
    "resources[0].providers[0].aescbc.keys",
    "at least one keys is required",
  ],
  [
    "no name",
    [rule(["secrets"], oneKey("aesgcm", secretText(32), ""))],
    "resources[0].providers[0].aesgcm.keys[0].name",
    "name is a mandatory field for a key",
  ],
  [
    "no secret",
    [rule(["secrets"], oneKey("aesgcm", ""))],
    "resources[0].providers[0].aesgcm.keys[0].secret",
    "secret is a mandatory field for a key",
  ],
  [
    "not base64",
    [rule(["secrets"], oneKey("aesgcm", PLANTED.token))],
    "resources[0].providers[0].aesgcm.keys[0].secret",
    "REDACTED: secrets must be base64 encoded",
  ],
  [
    "a size that AES has not",
    [rule(["secrets"], oneKey("aescbc", secretText(20)))],
    "resources[0].providers[0].aescbc.keys[0].secret",
    "REDACTED: secret is not of the expected length, got 20, expected one of [16 24 32]",
  ],
  [
    "a size that secretbox has not",
    [rule(["secrets"], oneKey("secretbox", secretText(16)))],
    "resources[0].providers[0].secretbox.keys[0].secret",
    "REDACTED: secret is not of the expected length, got 16, expected one of [32]",
  ],
  [
    "kms without endpoint",
    [rule(["secrets"], { kms: { name: "p" } })],
    "resources[0].providers[0].kms.endpoint",
    "endpoint is a mandatory field for a kms",
  ],
  [
    "kms over the network",
    [rule(["secrets"], { kms: { name: "p", endpoint: "https://kms" } })],
    "resources[0].providers[0].kms.endpoint",
    'unsupported scheme "https" for KMS provider, only unix is supported',
  ],
  [
    "kms without time",
    [rule(["secrets"], { kms: { name: "p", endpoint: "unix:///p", timeout: "0s" } })],
    "resources[0].providers[0].kms.timeout",
    "timeout should be a positive value",
  ],
  [
    "kms v1 without cache",
    [rule(["secrets"], { kms: { name: "p", endpoint: "unix:///p", cachesize: 0 } })],
    "resources[0].providers[0].kms.cachesize",
    "cachesize should be a positive value, or negative to disable",
  ],
  [
    "kms v2 with cache",
    [rule(["secrets"], { kms: { apiVersion: "v2", name: "p", endpoint: "unix:///p", cachesize: 1 } })],
    "resources[0].providers[0].kms.cachesize",
    "cachesize is not supported in v2",
  ],
  [
    "kms v3",
    [rule(["secrets"], { kms: { apiVersion: "v3", name: "p", endpoint: "unix:///p" } })],
    "resources[0].providers[0].kms.apiVersion",
    /only v1 and v2 are supported/,
  ],
  [
    "a colon in a v2 name",
    [rule(["secrets"], { kms: { apiVersion: "v2", name: "p:q", endpoint: "unix:///p" } })],
    "resources[0].providers[0].kms.name",
    "invalid KMS provider name p:q, must not contain ':'",
  ],
  [
    "a v2 name twice",
    [
      rule(["secrets"], { kms: { name: "p", endpoint: "unix:///p" } }),
      rule(["configmaps"], { kms: { apiVersion: "v2", name: "p", endpoint: "unix:///p" } }),
    ],
    "resources[1].providers[0].kms.name",
    "duplicate KMS provider name p, names must be unique",
  ],
] as const)
  test(`refused configuration: ${name}`, () => {
    const { config, problems } = configOf(resources);
    assert.is(config, undefined);
    const found = problems.find((each) => each.field === field);
    assert.ok(found !== undefined, JSON.stringify(problems));
    if (message instanceof RegExp) assert.match(found?.message ?? "", message);
    else assert.is(found?.message, message);
    assert.ok((found?.line ?? 0) > 0, "a position");
    assert.not.ok(JSON.stringify(problems).includes(PLANTED.token));
  });

test("which rule reads a resource", () => {
  const { config } = configOf([
    rule(["secrets"], oneKey("aescbc", secretText(32), "one")),
    rule(["*.apps"], oneKey("aescbc", secretText(32), "two")),
    rule(["secrets"], oneKey("aescbc", secretText(16), "three")),
    rule(["*.*"], oneKey("aescbc", secretText(24), "four")),
  ]);
  if (config === undefined) throw new Error("refused");
  const names = (text: string): string =>
    (providersOf(config, parseGroupResource(text)) ?? [])
      .flatMap((each) => (each.kind === "aescbc" ? each.keys.map(({ name }) => name) : []))
      .join(",");
  assert.is(names("secrets"), "one,three");
  assert.is(names("deployments.apps"), "two");
  assert.is(names("widgets.example.com"), "four");
  assert.is(
    providersOf(configOf([rule(["secrets"], identity)]).config ?? config, parseGroupResource("configmaps")),
    undefined,
  );
});

const HEAD = "apiVersion: apiserver.config.k8s.io/v1\nkind: EncryptionConfiguration\nresources:\n";
const SOUND = `${HEAD}- {resources: [secrets], providers: [{identity: {}}]}\n`;
const kmsRule = (fields: string): string =>
  `${HEAD}- {resources: [secrets], providers: [{kms: {name: a, ${fields}}}]}\n`;

/** Each was loaded by apiserver 0.36.0 as well; what is refused here is refused there. */
for (const [name, text, accepted, said] of [
  ["nothing", "", false, "the file is empty"],
  ["null", "null", false, "the document is empty"],
  ["a comment alone", "# nothing\n", false, "empty"],
  ["a marker in front", `---\n${SOUND}`, true, undefined],
  ["a marker at the end", `${SOUND}---\n`, true, undefined],
  ["an end marker and a comment", `${SOUND}...\n# end\n`, true, undefined],
  ["a second document", `${SOUND}---\n- any: thing\n`, true, "contains more than one document"],
  ["a second document that is not YAML", `${SOUND}---\n{[\n`, true, "contains more than one document"],
  [
    "a merge key that sets what is set",
    `${HEAD}- &x {resources: [secrets], providers: [{identity: {}}]}\n- <<: *x\n  resources: [pods]\n`,
    false,
    "",
  ],
  ["kms v1", kmsRule("endpoint: unix:///a"), true, "KMSv1"],
  ["kms v2", kmsRule("apiVersion: v2, endpoint: unix:///a"), true, undefined],
  ["an endpoint with a bad escape", kmsRule("apiVersion: v2, endpoint: 'unix:///%zz'"), false, "endpoint"],
  ["an endpoint with an escape", kmsRule("apiVersion: v2, endpoint: 'unix:///%20a'"), true, undefined],
  [
    "a cache of more than 32 bits",
    kmsRule("endpoint: unix:///a, cachesize: 99999999999"),
    false,
    "32-bit integer",
  ],
] as const)
  test(`configuration as text: ${name}`, () => {
    const problems: Problem[] = [];
    const config = readEncryptionConfig(text, "config.yaml", (each) => problems.push(each));
    assert.is(config !== undefined, accepted, JSON.stringify(problems));
    if (said === undefined) assert.equal(problems, []);
    else assert.ok(problems.some(({ message }) => message.includes(said)));
  });

test("an answers file that cannot be used says so without its content", () => {
  for (const text of [
    "{",
    "[1]",
    `[{"provider":"p","api":"v3","plaintext":"${PLANTED.token}"}]`,
    `[{"provider":"p","api":"v1","encryptedDEKSource":"AAAA"}]`,
    `{"apiVersion":"slipway.dev/v1alpha1","kind":"KMSAnswers","answers":{}}`,
  ]) {
    const problems: Problem[] = [];
    assert.is(
      readKmsAnswers(text, "a.json", (each) => problems.push(each)),
      undefined,
      text,
    );
    assert.ok(problems.length > 0 && problems.every(({ code }) => code === "ETC023"), text);
    assert.not.ok(JSON.stringify(problems).includes(PLANTED.token));
  }
});

test("no bytes make the reading fail otherwise than in words", () => {
  const providers: Provider[] = [
    cbc(["a", A]),
    gcm(["a", A]),
    box(["a", A]),
    { kind: "kms", version: "v1", name: "p" },
    { kind: "kms", version: "v2", name: "p" },
    IDENTITY,
  ];
  const answered = new Transformer(providers, () => ({ ok: true, data: DEK }));
  const heads = [
    "k8s:enc:aescbc:v1:a:",
    "k8s:enc:aesgcm:v1:a:",
    "k8s:enc:secretbox:v1:a:",
    "k8s:enc:kms:v1:p:",
    "k8s:enc:kms:v2:p:",
    "k8s:enc:",
    "",
  ];
  fc.assert(
    fc.property(fc.constantFrom(...heads), fc.uint8Array({ maxLength: 200 }), (head, body) => {
      const value = Buffer.concat([Buffer.from(head), body]);
      const result = answered.read(value, key);
      return result.ok || result.error !== "";
    }),
    { numRuns: runs(3000) },
  );
});

test.run();
