/** `slipway secrets update-keys`: people who join and leave, with the real sops where it is on the machine. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { generateX25519Identity, identityToRecipient } from "age-encryption";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { acquireLock } from "../../src/directory/index.js";
import { type Opened, open } from "../../src/sops/file.js";
import { type CliResult, slipway } from "../helpers/cli.js";
import { skipTest } from "../helpers/shared.js";
import { noSops, sops } from "../helpers/sops.js";
import { readTree, tempFolder } from "../helpers/temp.js";

const test = suite("sops/update-keys");
const STATE = "clusters/heron/.openshift_install_state.json";
const SECRET = "clusters/heron/infrastructure-manifests-secrets/20_install-state.yaml";

const [ann, ben] = [await generateX25519Identity(), await generateX25519Identity()];
const [toAnn, toBen] = [await identityToRecipient(ann), await identityToRecipient(ben)];

const run = (cwd: string, words: string, key: string): CliResult =>
  slipway(words.split(" "), { cwd, env: key === "" ? {} : { SOPS_AGE_KEY: key } });
const rules = (root: string, ...recipients: readonly string[]): void =>
  writeFileSync(join(root, ".sops.yaml"), `creation_rules:\n- age: ${recipients.join(",")}\n`);

async function opened(root: string, path: string, identity: string): Promise<Opened | undefined> {
  return open(path, readFileSync(join(root, path)), [identity], () => undefined);
}

function repository(): string {
  const root = tempFolder();
  mkdirSync(join(root, "clusters/heron"), { recursive: true });
  writeFileSync(
    join(root, "clusters/heron/install-config.yaml"),
    readFileSync("examples/none/install-config.yaml"),
  );
  writeFileSync(join(root, "fleet.txt"), "clusters/heron\n");
  rules(root, toAnn);
  const { code, stderr } = run(
    root,
    "create infrastructure-manifests --dir clusters/heron --secrets sops --key-algorithm ecdsa-p256",
    ann,
  );
  assert.is(code, 0, stderr);
  return root;
}

test("nothing is written while another run works in a directory, or where a folder takes no file", async () => {
  const root = repository();
  const other = join(root, "clusters/heron");
  rules(root, toAnn, toBen);
  const lock = await acquireLock(other);
  assert.ok(lock.ok);
  const before = readTree(root);
  try {
    const refused = run(root, "secrets update-keys --fleet fleet.txt", ann);
    assert.is(refused.code, 1, refused.stdout);
    assert.match(refused.stderr, "error DIR007");
  } finally {
    lock.value.release();
  }
  const isLock = ([path]: readonly [string, Buffer]): boolean => path.includes(".slipway/lock");
  const files = (tree: ReadonlyMap<string, Buffer>) => [...tree].filter((each) => !isLock(each));
  assert.equal(files(readTree(root)), files(before));
});

test("a file that a merge tore is an error, and nothing is written", () => {
  const root = repository();
  rules(root, toAnn, toBen);
  const text = readFileSync(join(root, SECRET), "utf8");
  writeFileSync(join(root, SECRET), `<<<<<<< ours\n${text}=======\n${text}>>>>>>> theirs\n`);
  const before = readTree(root);
  const refused = run(root, "secrets update-keys --fleet fleet.txt", ann);
  assert.is(refused.code, 1, refused.stdout);
  assert.match(refused.stderr, "error SOPS001");
  assert.equal(readTree(root), before);
});

test("a newcomer gets the data key, and no value is encrypted again", async () => {
  const root = repository();
  const before = await opened(root, SECRET, ann);
  rules(root, toAnn, toBen);
  const updated = run(root, "secrets update-keys --fleet fleet.txt", ann);
  assert.is(updated.code, 0, updated.stderr);
  assert.match(updated.stdout, `updated  ${SECRET}: added ${toBen}`);
  assert.not.match(updated.stderr, "SOPS004");
  for (const identity of [ann, ben]) {
    const after = await opened(root, SECRET, identity);
    assert.equal(after?.values, before?.values);
    assert.equal(after?.metadata.mac, before?.metadata.mac);
    assert.ok((await opened(root, STATE, identity)) !== undefined);
    const { code, stdout } = run(root, "check --dir clusters/heron --strict", identity);
    assert.is(code, 0, stdout);
  }
  if (noSops === "") {
    assert.match(sops(["decrypt", join(root, SECRET)], ben), "kind: Secret");
    sops(["decrypt", "--input-type", "binary", "--output-type", "binary", join(root, STATE)], ben);
  }
  const tree = readTree(root);
  assert.match(run(root, "secrets update-keys --fleet fleet.txt", ben).stderr, "files unchanged");
  assert.equal(readTree(root), tree);
});

test("who leaves can open nothing that is written from then on, and what they read is said", async () => {
  const root = repository();
  const before = await opened(root, SECRET, ann);
  rules(root, toBen);
  const { code, stdout, stderr } = run(root, "secrets update-keys --dir clusters/heron", ann);
  assert.is(code, 0, stderr);
  assert.match(stdout, `added ${toBen} removed ${toAnn}`);
  assert.match(stderr, /info SOPS004: .* had access to the old values, and Git keeps them/);
  assert.is(await opened(root, SECRET, ann), undefined);
  const after = await opened(root, SECRET, ben);
  assert.equal(after?.data, before?.data);
  assert.not.equal(after?.dataKey, before?.dataKey);
  assert.is(run(root, "check --dir clusters/heron --strict", ben).code, 0);
  if (noSops === "") assert.match(sops(["decrypt", join(root, SECRET)], ben), "kind: Secret");
});

test("nothing is written where one file cannot be updated", async () => {
  const root = repository();
  rules(root, toBen);
  const before = readTree(root);
  assert.match(
    run(root, "secrets update-keys --dir clusters/heron", "").stderr,
    /SOPS002.*more files? (?:has|have) the same problem/,
  );
  assert.equal(readTree(root), before);
  const file = join(root, SECRET);
  // A value on two lines, which is the same YAML.
  const text = readFileSync(file, "utf8");
  writeFileSync(file, text.replace(/: (ENC\[[^\]]*,)(iv:[^\]]*\])/, ': "$1\\\n    $2"'));
  const folded = readTree(root);
  const { code, stderr } = run(root, "secrets update-keys --dir clusters/heron", ann);
  assert.is(code, 1);
  assert.match(stderr, `run: sops rotate --in-place --add-age ${toBen} --rm-age ${toAnn} ${SECRET}`);
  assert.equal(readTree(root), folded);
});

test("comments stay where a recipient is only added", async () => {
  const root = repository();
  const file = join(root, SECRET);
  writeFileSync(file, `# a comment\n${readFileSync(file, "utf8")}`);
  rules(root, toAnn, toBen);
  assert.is(run(root, "secrets update-keys --dir clusters/heron", ann).code, 0);
  assert.match(readFileSync(file, "utf8"), /^# a comment\n/);
  assert.ok((await opened(root, SECRET, ben)) !== undefined);
});

test("comments and layout stay where a recipient leaves", async () => {
  const root = repository();
  const file = join(root, SECRET);
  const text = readFileSync(file, "utf8");
  const commented = `# a comment\n${text.replace(/^sops:/m, "# another\nsops:")}`;
  writeFileSync(file, commented);
  rules(root, toBen);
  const { code, stderr } = run(root, "secrets update-keys --dir clusters/heron", ann);
  assert.is(code, 0, stderr);
  const plain = (each: string): string =>
    each
      .replace(/ENC\[.*\]|\d{4}-\d\d-\d\dT[\d:]+Z|^ {6}[\w+/=]+$|age1\w+/gm, "…")
      .replace(/(?:…\n)+/g, "…\n");
  assert.is(plain(readFileSync(file, "utf8")), plain(commented));
  const kept = new Set(text.match(/ENC\[[^\]]*\]/g));
  for (const word of readFileSync(file, "utf8").match(/ENC\[[^\]]*\]/g) ?? []) assert.not(kept.has(word));
  assert.ok((await opened(root, SECRET, ben)) !== undefined);
});

const COMMENTED = `# at the top
a: one # beside a value
# before a mapping
map:
  # in a mapping
  b: 2
  list:
  # in a list
  - x
  - c: true # beside an item
  empty: ""
  nothing: null
# at the end
`;

const KEPT = "sops decrypts comments that it encrypted after somebody has left";
if (noSops !== "") skipTest(test, KEPT, noSops);
else
  test(KEPT, async () => {
    const root = tempFolder();
    const file = join(root, "values.yaml");
    writeFileSync(file, COMMENTED);
    sops(["encrypt", "--in-place", "--age", `${toAnn},${toBen}`, file], ann);
    const before = sops(["decrypt", file], ann);
    rules(root, toBen);
    writeFileSync(join(root, "install-config.yaml"), "");
    const { code, stderr } = run(root, "secrets update-keys --dir .", ann);
    assert.is(code, 0, stderr);
    assert.is(await opened(root, "values.yaml", ann), undefined);
    assert.is(sops(["decrypt", file], ben), before);
    assert.match(before, "# in a list");
  });

test.run();
