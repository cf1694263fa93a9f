import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { generateX25519Identity, identityToRecipient } from "age-encryption";
import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Problem } from "../../src/core/diagnostics.js";
import { isSealed, isTorn, type Opened, open, seal } from "../../src/sops/file.js";
import type { EncryptionRule } from "../../src/sops/metadata.js";
import { parseYaml } from "../../src/text/yaml-parse.js";
import { writeYaml } from "../../src/text/yaml-write.js";
import { seededRandom } from "../helpers/inputs.js";
import { runs } from "../helpers/runs.js";
import { skipTest } from "../helpers/shared.js";
import { noSops, sops } from "../helpers/sops.js";
import { tempFolder } from "../helpers/temp.js";

const test = suite("files encrypted with SOPS");
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const text = (data: Uint8Array | undefined): string => new TextDecoder().decode(data);

const identity = await generateX25519Identity();
const other = await generateX25519Identity();
const recipient = await identityToRecipient(identity);
const NOW = "2027-01-15T08:00:00Z";
const RULE = { encrypted_regex: "^(data|stringData)$" };

const SECRET = writeYaml({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name: "pull-secret", namespace: "heron", labels: { on: "true", "12": "x" } },
  stringData: {
    "9": "nine",
    "10": "ten",
    ".dockerconfigjson": '{"auths":{}}\n',
    empty: "",
    lines: "a\n b\n\n",
  },
  type: "Opaque",
});

async function sealed(
  path: string,
  data: string,
  previous?: Opened,
  rules: readonly EncryptionRule[] = [RULE],
): Promise<Uint8Array> {
  const random = seededRandom(`${path}${data}`);
  const file = await seal({
    path,
    data: bytes(data),
    previous,
    recipients: [recipient],
    rules,
    now: NOW,
    random,
  });
  assert.ok(file !== undefined);
  return file;
}

async function opened(
  path: string,
  data: Uint8Array,
  keys = [identity],
): Promise<Opened | readonly Problem[]> {
  const problems: Problem[] = [];
  return (await open(path, data, keys, (problem) => problems.push(problem))) ?? problems;
}

async function plain(path: string, data: Uint8Array): Promise<string> {
  const result = await opened(path, data);
  assert.ok("data" in result, JSON.stringify(result));
  return text(result.data);
}

test("what was sealed opens to the same bytes, and shows no value that is secret", async () => {
  for (const [path, data] of [
    ["a/secret.yaml", SECRET],
    ["state.json", '{"a": 1e400, "b": [null]}\n'],
    ["auth/kubeadmin-password", "abcde-fghij"],
  ] as const) {
    const file = await sealed(path, data);
    assert.ok(isSealed(path, file));
    assert.not(isSealed(path, bytes(data)));
    assert.not.match(text(file), /auths|nine|abcde|1e400/);
    assert.is(await plain(path, file), data);
  }
  assert.match(text(await sealed("a.yaml", SECRET)), /^kind: Secret$/m);
});

test("a value that stays keeps its ciphertext, and recipients that others added stay", async () => {
  const first = await sealed("s.yaml", SECRET);
  const result = await opened("s.yaml", first);
  assert.ok("data" in result);
  const metadata = { ...result.metadata, raw: { ...result.metadata.raw, pgp: [{ fp: "AB", enc: "x" }] } };
  const second = await sealed("s.yaml", SECRET.replace("nine", "neuf"), { ...result, metadata });
  const values = (data: Uint8Array): Record<string, unknown> => Object(parseYaml(text(data)))["stringData"];
  for (const name of ["10", ".dockerconfigjson", "lines"])
    assert.is(values(second)[name], values(first)[name], name);
  assert.is.not(values(second)["9"], values(first)["9"]);
  assert.match(text(second), /fp: AB/);
  assert.match(await plain("s.yaml", second), /neuf/);
});

test("a file that is cut off, torn by a merge or of several documents is not a plain file", async () => {
  const file = text(await sealed("s.yaml", SECRET));
  const cuts = ["recipient:", "lastmodified:", "mac:"].map((word) => file.slice(0, file.indexOf(word)));
  const merged = `<<<<<<< HEAD\n${file}=======\n${file}>>>>>>> main\n`;
  const state = text(await sealed("state.json", "{}"));
  for (const torn of [...cuts, merged, state.slice(0, 200), state.slice(0, -3)])
    assert.ok(!isSealed("s.yaml", bytes(torn)) && isTorn("s.yaml", bytes(torn)), torn);
  const quoted = writeYaml({
    data: { "secret.yaml": `a:\n  b: ENC[AES256_GCM,data:AA==]\n` },
    kind: "ConfigMap",
  });
  assert.not(isTorn("c.yaml", bytes(quoted)));
  assert.ok(isSealed("s.yaml", bytes(`${file}---\n${file}`)));
  const problems = await opened("s.yaml", bytes(`${file}---\n${file}`));
  assert.match(JSON.stringify(problems), /several documents/);
});

test("a file in any order is sealed; comments go", async () => {
  const file = await sealed(
    "s.yaml",
    "# mine\nkind: Secret\nstringData:\n  b: '1' # one\n  a: x\napiVersion: v1\n",
  );
  assert.is(await plain("s.yaml", file), "apiVersion: v1\nkind: Secret\nstringData:\n  a: x\n  b: '1'\n");
});

test("a rule that leaves a secret readable does not count, whether for a new file or from an earlier one", async () => {
  const rules = [{ encrypted_regex: "^pullSecret$" }, { encrypted_suffix: "_secret" }, RULE];
  const first = await sealed("s.yaml", SECRET, undefined, rules);
  assert.not.match(text(first), /auths|nine/);
  assert.match(text(first), /encrypted_regex: \^\(data/);
  const weak = await sealed("s.yaml", SECRET, undefined, rules.slice(0, 1));
  assert.match(text(weak), /nine/);
  const before = await opened("s.yaml", weak);
  assert.ok("data" in before);
  const second = await sealed("s.yaml", SECRET, before, rules);
  assert.not.match(text(second), /auths|nine|pullSecret/);
  assert.is(await plain("s.yaml", second), SECRET);
});

test("property: any mapping comes back as it was", async () => {
  const key = fc.oneof(
    fc.string({ minLength: 1 }),
    fc.constantFrom("data", "on", "12", "__proto__", "sops2", "a:b"),
  );
  const leaf = fc.oneof(
    fc.string(),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.constantFrom("yes", "0777", "2027-01-15"),
  );
  const value = fc.letrec((tie) => ({
    any: fc.oneof(
      { depthSize: "small" },
      leaf,
      fc.array(tie("any"), { maxLength: 3 }),
      fc.dictionary(key, tie("any"), { maxKeys: 4 }),
    ),
  })).any;
  await fc.assert(
    fc.asyncProperty(fc.dictionary(key, value, { minKeys: 1, maxKeys: 5 }), async (object) => {
      const yaml = writeYaml(JSON.parse(JSON.stringify(object)));
      assert.is(await plain("x.yaml", await sealed("x.yaml", yaml)), yaml);
    }),
    { numRuns: runs(60) },
  );
});

const TAMPERED: readonly (readonly [string, (file: string) => string, string])[] = [
  [
    "a value that is not encrypted",
    (file) => file.replace("namespace: heron", "namespace: egret"),
    "SOPS001",
  ],
  [
    "two encrypted values swapped",
    (file) => file.replace(/(?<='9': )(.*)([\s\S]*'10': )(.*)/, "$3$2$1"),
    "SOPS001",
  ],
  ["a value taken out", (file) => file.replace(/^ {2}'10': .*\n/m, ""), "SOPS001"],
  [
    "the code itself",
    (file) => file.replace(/mac: ENC\[AES256_GCM,data:..../, "mac: ENC[AES256_GCM,data:AAAA"),
    "SOPS001",
  ],
  ["cut off in the middle", (file) => file.slice(0, file.indexOf("sops:") + 200), "SOPS001"],
  [
    "the wrapped key",
    (file) => file.replace(/(BEGIN AGE ENCRYPTED FILE-----\n\s*)..../, "$1AAAA"),
    "SOPS002",
  ],
];
for (const [what, change, code] of TAMPERED)
  test(`changed without sops: ${what}`, async () => {
    const file = text(await sealed("s.yaml", SECRET));
    const result = await opened("s.yaml", bytes(change(file)));
    assert.is.not(change(file), file);
    assert.ok(!("data" in result), "it opens");
    assert.equal(
      result.map((problem) => problem.code),
      [code],
    );
  });

test("without the key, or with another one, the recipients are named and the flags that help", async () => {
  const file = await sealed("s.yaml", SECRET);
  for (const keys of [[], [other]]) {
    const result = await opened("s.yaml", file, keys);
    assert.ok(!("data" in result));
    assert.is(result[0]?.code, "SOPS002");
    assert.ok(result[0]?.message.includes(recipient));
    assert.match(result[0]?.hint ?? "", /--age-key-file/);
  }
});

const real: typeof test = test;
function withSops(name: string, body: () => Promise<void>): void {
  if (noSops === "") real(name, body);
  else skipTest(test, name, noSops);
}

function onDisk(path: string, data: Uint8Array | string): string {
  const file = join(tempFolder(), path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, data);
  return file;
}

withSops(
  "the real sops opens what we seal: the same value of YAML, the same bytes of anything else",
  async () => {
    const yaml = onDisk("s.yaml", await sealed("s.yaml", SECRET));
    assert.equal(parseYaml(sops(["decrypt", yaml], identity)), parseYaml(SECRET));
    const state = onDisk("state.json", await sealed("state.json", '{"a": [1, null]}\n'));
    const binary = ["--input-type", "binary", "--output-type", "binary"];
    assert.is(sops(["decrypt", ...binary, state], identity), '{"a": [1, null]}\n');
    const password = onDisk("kubeadmin-password", await sealed("kubeadmin-password", "abcde"));
    assert.is(sops(["decrypt", password], identity), "abcde");
  },
);

withSops("the real sops opens a file that was in another order before", async () => {
  const given = "kind: Secret\nstringData: {b: '1', a: x}\napiVersion: v1\n";
  const path = onDisk("s.yaml", await sealed("s.yaml", given));
  assert.equal(parseYaml(sops(["decrypt", path], identity)), parseYaml(given));
});

withSops("what the real sops encrypted, changed, rotated or gave to another recipient is read", async () => {
  const path = onDisk("s.yaml", SECRET);
  sops(
    ["encrypt", "--in-place", "--age", recipient, "--encrypted-regex", RULE.encrypted_regex, path],
    identity,
  );
  assert.is(await plain(path, readFileSync(path)), SECRET);
  sops(["set", path, '["stringData"]["9"]', '"neuf"'], identity);
  assert.is(await plain(path, readFileSync(path)), SECRET.replace("nine", "neuf"));
  sops(["rotate", "--in-place", "--add-age", await identityToRecipient(other), path], identity);
  const result = await opened(path, readFileSync(path), [other]);
  assert.ok("data" in result);
  assert.is(text(result.data), SECRET.replace("nine", "neuf"));
  const changed = await sealed(path, SECRET, result);
  writeFileSync(path, changed);
  for (const key of [identity, other])
    assert.equal(parseYaml(sops(["decrypt", path], key)), parseYaml(SECRET));
});

const ROWS: Readonly<Record<string, string>> = {
  types: "a: 12\nb: 1.50\nc: true\nd: null\ne: [1, two, {x: 0x1F}]\nf: ~\ng: 2027-01-15\nh: 1e3\n",
  "words of YAML 1.1": "a: yes\nb: off\nc: 0777\nd: 1_000\ne: '0777'\n",
  comments: "# one\na: b # two\nl:\n# three\n- x\n- y # four\n",
  "text in blocks": 'a: |\n  x\n  y\nb: >-\n  folded\n  text\nc: "esc\\n"\n',
};
for (const [what, yaml] of Object.entries(ROWS))
  withSops(`read as the real sops reads it: ${what}`, async () => {
    const path = onDisk("x.yaml", yaml);
    sops(["encrypt", "--in-place", "--age", recipient, path], identity);
    const result = await opened(path, readFileSync(path));
    assert.ok("data" in result, JSON.stringify(result));
    assert.equal(parseYaml(text(result.data)), parseYaml(sops(["decrypt", path], identity)));
  });

test.run();
