/** Values that look lost and are not: their key stands elsewhere, or a text tool changed the copy. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { slipway } from "../helpers/cli.js";
import { tempFolder } from "../helpers/temp.js";
import { dump, envelope, field, snapshot, type TestRecord } from "./copies.js";
import { aescbc, aesgcm, keyOf, kmsV2, secretbox } from "./values.js";

const test = suite("etcd lost keys");

const ONE = keyOf("material one");
const TWO = keyOf("material two");
const KEY = "/registry/configmaps/shop/prices";
const PLAIN = envelope("v1", "ConfigMap", { name: "prices", namespace: "shop" });

interface Rule {
  readonly resources: readonly string[];
  readonly providers: readonly object[];
}
const named = (name: string, key: Buffer): object => ({ name, secret: key.toString("base64") });
const keyed = (kind: string, ...keys: object[]): object => ({ [kind]: { keys } });
const rule = (resources: readonly string[], ...providers: object[]): Rule => ({ resources, providers });
const IDENTITY = { identity: {} };
const plugin = (name: string): object => ({ kms: { apiVersion: "v2", name, endpoint: "unix:///plug.sock" } });

interface Run {
  readonly audit: number | null;
  readonly stderr: string;
  readonly deletions: readonly unknown[];
  readonly why: readonly string[];
  readonly changes: readonly string[];
}

/** Audit and plan of one value with the given configurations, each a file `a.json`, `b.json`, …. */
function run(value: Buffer, configs: readonly (readonly Rule[])[], args: readonly string[] = []): Run {
  const folder = tempFolder();
  writeFileSync(join(folder, "etcd.db"), snapshot([{ key: KEY, value }]));
  const files = configs.map((resources, i) => {
    const file = `${"abc"[i]}.json`;
    const document = { apiVersion: "apiserver.config.k8s.io/v1", kind: "EncryptionConfiguration", resources };
    writeFileSync(join(folder, file), JSON.stringify(document, null, 1));
    return file;
  });
  const copy = [
    ...["--snapshot", "etcd.db", "--target", "1.36"],
    ...files.flatMap((file) => ["--encryption-config", file]),
    ...args,
  ];
  const audit = slipway(["etcd", "audit", ...copy], { cwd: folder });
  const made = slipway(["etcd", "plan", ...copy, "--out", "out"], { cwd: folder });
  assert.ok(made.code !== 70 && existsSync(join(folder, "out/plan.json")), made.stderr);
  const plan = JSON.parse(readFileSync(join(folder, "out/plan.json"), "utf8"));
  return {
    audit: audit.code,
    stderr: audit.stderr,
    deletions: plan.deletions,
    why: plan.leftAlone.map((each: { why: string }) => each.why),
    changes: (plan.configuration ?? []).map(
      (each: { file: string; change: string }) => `${each.file}: ${each.change}`,
    ),
  };
}

interface Case {
  readonly what: string;
  readonly value: Buffer;
  readonly now: readonly (readonly Rule[])[];
  readonly says: RegExp;
  /** What the configurations are after the change was made as it is said. */
  readonly corrected: readonly (readonly Rule[])[];
}

const own = keyed("aescbc", named("one", ONE));
const CASES: readonly Case[] = [
  {
    what: "the resource was dropped from its rule",
    value: aescbc("one", ONE, PLAIN, KEY),
    now: [[rule(["secrets"], own, IDENTITY)]],
    says: /^a\.json: add "configmaps" to the resources of rule 1 \(line \d+\), which has the aescbc key "one"$/,
    corrected: [[rule(["secrets", "configmaps"], own, IDENTITY)]],
  },
  {
    what: "the key was renamed",
    value: aesgcm("old:name", ONE, PLAIN, KEY),
    now: [[rule(["configmaps"], keyed("aesgcm", named("new", ONE)), IDENTITY)]],
    says: /append a key of aesgcm with the name "old:name" and the secret of the aesgcm key "new" to rule 1/,
    corrected: [[rule(["configmaps"], keyed("aesgcm", named("new", ONE), named("old:name", ONE)), IDENTITY)]],
  },
  {
    what: "two names were swapped",
    value: secretbox("one", ONE, PLAIN, KEY),
    now: [[rule(["configmaps"], keyed("secretbox", named("one", TWO), named("two", ONE)), IDENTITY)]],
    says: /with the name "one" and the secret of the secretbox key "two"/,
    corrected: [
      [
        rule(
          ["configmaps"],
          keyed("secretbox", named("one", TWO), named("two", ONE), named("one", ONE)),
          IDENTITY,
        ),
      ],
    ],
  },
  {
    what: "the key is in the rule of another resource",
    value: aescbc("one", ONE, PLAIN, KEY),
    now: [[rule(["secrets"], own), rule(["configmaps"], keyed("aesgcm", named("two", TWO)), IDENTITY)]],
    says: /^a\.json: append a key of aescbc .* "one" in rule 1 \(line \d+\) to rule 2 \(line \d+\), which has configmaps/,
    corrected: [
      [rule(["secrets"], own), rule(["configmaps"], keyed("aesgcm", named("two", TWO)), own, IDENTITY)],
    ],
  },
  {
    what: "the key is in the rule of another resource of another server, under another provider",
    value: aesgcm("one", ONE, PLAIN, KEY),
    now: [
      [rule(["configmaps"], IDENTITY)],
      [rule(["secrets"], own, IDENTITY), rule(["configmaps"], IDENTITY)],
    ],
    says: /^a\.json: append a key of aesgcm .* the secret of the aescbc key "one" in rule 1 \(line \d+\) of b\.json/,
    corrected: [
      [rule(["configmaps"], keyed("aesgcm", named("one", ONE)), IDENTITY)],
      [rule(["secrets"], own, IDENTITY), rule(["configmaps"], keyed("aesgcm", named("one", ONE)), IDENTITY)],
    ],
  },
  {
    what: "only a wildcard has the resource",
    value: aescbc("one", ONE, PLAIN, KEY),
    now: [[rule(["secrets"], own), rule(["*."], keyed("aesgcm", named("two", TWO)), IDENTITY)]],
    says: /to rule 2 \(line \d+\), which has configmaps/,
    corrected: [[rule(["secrets"], own), rule(["*."], keyed("aesgcm", named("two", TWO)), own, IDENTITY)]],
  },
];

for (const { what, value, now, says, corrected } of CASES)
  test(`nothing is deleted where ${what}, and the change that is said makes it readable`, () => {
    const found = run(value, now);
    assert.is(found.audit, 3);
    assert.match(found.stderr, "ETC027");
    assert.equal(found.deletions, []);
    assert.equal(found.why, ["configuration"]);
    assert.match(found.changes[0] ?? "", says);
    assert.is(run(value, corrected).audit, 0);
  });

test("a plain value whose rule has no identity provider is left alone", () => {
  const found = run(PLAIN, [[rule(["configmaps"], own)]]);
  assert.equal(found.deletions, []);
  assert.equal(found.why, ["configuration"]);
});

test("a key that no configuration has stays lost, also where a wrong one seems to open AES-CBC", () => {
  const opened = aescbc("one", ONE, Buffer.from("no object"), KEY);
  for (const value of [aescbc("one", keyOf("lost"), PLAIN, KEY), opened]) {
    const found = run(value, [[rule(["secrets"], own, IDENTITY)]]);
    assert.is(found.deletions.length, 1);
    assert.equal(found.changes, []);
  }
});

test("a plug-in that may still unwrap the key is asked before anything is deleted", () => {
  const wrapped = keyOf("wrapped");
  const value = kmsV2({ provider: "before", keyID: "k", wrapped, source: ONE, seed: true }, PLAIN, KEY);
  const now = [[rule(["secrets"], plugin("after"), IDENTITY)]];
  const unknown = run(value, now);
  assert.equal(unknown.deletions, []);
  assert.equal(unknown.why, ["undetermined"]);
  const answers = join(tempFolder(), "answers.json");
  const entry = {
    provider: "before",
    api: "v2",
    keyID: "k",
    encryptedDEKSource: wrapped.toString("base64"),
    plaintext: ONE.toString("base64"),
  };
  writeFileSync(answers, JSON.stringify([entry]));
  const known = run(value, now, ["--kms-answers", answers]);
  assert.equal(known.deletions, []);
  assert.equal(known.why, ["configuration"]);
  assert.match(known.changes[0] ?? "", '"before"');
});

/** What programs on the way do to bytes that they take for text. */
const MANGLED: readonly { readonly how: RegExp; readonly mangle: (value: Buffer) => Buffer }[] = [
  { how: /a newline/, mangle: (value) => Buffer.concat([value, Buffer.from("\n")]) },
  { how: /a newline/, mangle: (value) => Buffer.concat([value, Buffer.from("\r\n")]) },
  {
    how: /CR LF/,
    mangle: (value) => Buffer.from(value.toString("latin1").replaceAll("\n", "\r\n"), "latin1"),
  },
  { how: /byte order mark/, mangle: (value) => Buffer.concat([Buffer.from("\ufeff"), value]) },
  { how: /UTF-16/, mangle: (value) => Buffer.from(`\ufeff${value.toString("latin1")}`, "utf16le") },
  { how: /Latin-1/, mangle: (value) => Buffer.from(value.toString("latin1")) },
  { how: /U\+FFFD/, mangle: (value) => Buffer.from(value.toString("utf8")) },
  { how: /base64/, mangle: (value) => Buffer.from(value.toString("base64")) },
  { how: /hexadecimal/, mangle: (value) => Buffer.from(value.toString("hex")) },
  { how: /escapes/, mangle: (value) => Buffer.from(value.toString("latin1").replaceAll("\0", "\\x00")) },
  { how: /NUL/, mangle: (value) => Buffer.from(value.toString("latin1").replaceAll("\0", ""), "latin1") },
];

test("a value that a text tool mangled says so, and is not planned for deletion from a dump", () => {
  const folder = tempFolder();
  // An entry of binaryData.
  const data = field(
    3,
    Buffer.concat([field(1, "k"), field(2, Buffer.from([0xff, 0xfe, 0x80, 0x81, 7, 7]))]),
  );
  const binary = envelope("v1", "ConfigMap", { name: "prices", namespace: "shop" }, data);
  const records: TestRecord[] = MANGLED.map(({ mangle }, i) => ({
    key: `/registry/configmaps/shop/v${i}`,
    value: mangle(binary),
  }));
  const secret = envelope("v1", "Secret", { name: "crypt", namespace: "shop" });
  const encrypted = aesgcm("one", ONE, secret, "/registry/secrets/shop/crypt");
  records.push({ key: "/registry/secrets/shop/crypt", value: Buffer.concat([encrypted, Buffer.from("\n")]) });
  writeFileSync(join(folder, "dump.json"), dump(records));
  const resources = [rule(["secrets"], keyed("aesgcm", named("one", ONE)), IDENTITY)];
  const config = { apiVersion: "apiserver.config.k8s.io/v1", kind: "EncryptionConfiguration", resources };
  writeFileSync(join(folder, "config.json"), JSON.stringify(config));
  const copy = ["--dump", "dump.json", "--target", "1.36", "--encryption-config", "config.json"];
  const audit = slipway(["etcd", "audit", ...copy, "-o", "json"], { cwd: folder });
  assert.is(audit.code, 3);
  const objects: { key: string; note?: string }[] = JSON.parse(audit.stdout).objects;
  for (const [i, { how }] of MANGLED.entries())
    assert.match(objects.find(({ key }) => key.endsWith(`/v${i}`))?.note ?? "", how, `value ${i}`);
  assert.match(objects.find(({ key }) => key.endsWith("/crypt"))?.note ?? "", /a newline/);
  slipway(["etcd", "plan", ...copy, "--out", "out"], { cwd: folder });
  const plan = JSON.parse(readFileSync(join(folder, "out/plan.json"), "utf8"));
  assert.equal(plan.deletions, []);
});

test("an entry without a key, which etcd never has, is a fault of the dump", () => {
  const folder = tempFolder();
  const value = aesgcm("gone", TWO, PLAIN, "");
  for (const records of [
    [{ key: "", value }],
    [
      { key: KEY, value: PLAIN },
      { key: "", value: PLAIN },
    ],
  ]) {
    writeFileSync(join(folder, "dump.json"), dump(records));
    for (const command of ["audit", "inventory", "plan"]) {
      const out = command === "plan" ? ["--out", "out"] : [];
      const { code, stderr } = slipway(["etcd", command, "--dump", "dump.json", ...out], { cwd: folder });
      assert.is(code, 1);
      assert.match(stderr, "ETC007");
    }
  }
});

const namesFor = (written: readonly string[]): string[] => {
  const folder = tempFolder();
  const records = written.map((name, i) => {
    const key = `/registry/secrets/shop/s${i}`;
    return {
      key,
      value: aescbc(name, ONE, envelope("v1", "Secret", { name: `s${i}`, namespace: "shop" }), key),
    };
  });
  writeFileSync(join(folder, "etcd.db"), snapshot(records));
  const { stdout } = slipway(
    ["etcd", "inventory", "--snapshot", "etcd.db", "--release", "1.36", "--output", "json"],
    { cwd: folder },
  );
  const rows: { keyName?: string }[] = JSON.parse(stdout).encryptionKeys;
  return rows.flatMap(({ keyName }) => keyName ?? []);
};

test("the names of k3s are read whole", () => {
  const names = [
    "aescbckey-2026-03-09T09:10:00+01:00",
    "aescbckey-2026-03-09T09:46:54+01:00",
    "aescbckey-2026-03-09T09:46:54Z",
  ];
  assert.equal(namesFor(names), names);
  assert.equal(namesFor(["plain"]), ["plain"]);
});

test("another name with colons is known by its beginning", () => {
  assert.equal(namesFor(["team:2026-03"]), ["team:…"]);
  const value = aescbc("team:2026-03", ONE, PLAIN, KEY);
  const folder = tempFolder();
  writeFileSync(join(folder, "etcd.db"), snapshot([{ key: KEY, value }]));
  slipway(["etcd", "plan", "--snapshot", "etcd.db", "--release", "1.36", "--out", "out"], { cwd: folder });
  const list = readFileSync(join(folder, "out/10_keys-to-restore.yaml"), "utf8");
  assert.match(list, /its name starts with .{1,3}team:/);
});

test.run();
