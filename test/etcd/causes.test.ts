/** The audit by cause: each once, with resources, the first keys and one remedy; extracted objects can be piped. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { slipway, slipwayProcess } from "../helpers/cli.js";
import { withShared } from "../helpers/shared.js";
import { tempFolder } from "../helpers/temp.js";

const test = suite("etcd audit by cause");

const INPUT = join(process.cwd(), "golden/etcd-lost-key/input");
const folder = tempFolder();
/** The store of a lost key with more objects of the same cause. */
const dump = JSON.parse(readFileSync(join(INPUT, "etcd.json"), "utf8"));
const lost = dump.kvs.find(({ key }: { key: string }) =>
  Buffer.from(key, "base64").toString().endsWith("/billing/ledger"),
);
for (let i = 0; i < 120; i++)
  dump.kvs.push({ ...lost, key: Buffer.from(`/registry/secrets/many/s-${1000 + i}`).toString("base64") });
dump.kvs.sort((a: { key: string }, b: { key: string }) =>
  Buffer.compare(Buffer.from(a.key, "base64"), Buffer.from(b.key, "base64")),
);
writeFileSync(join(folder, "etcd.json"), JSON.stringify({ ...dump, count: dump.kvs.length }));

const audit = (...more: readonly string[]) =>
  slipway(["etcd", "audit", "--dump", "etcd.json", "--release", "1.36", ...more], { cwd: folder });

test("123 objects of one cause are one block with one remedy", () => {
  const { code, stdout } = audit("--encryption-config", join(INPUT, "encryption.yaml"));
  assert.is(code, 3);
  assert.match(stdout, /^Evaluated for Kubernetes 1\.36\. 123 of 130 objects cannot be read: 1 cause\.$/m);
  assert.is(stdout.split("remedy").length - 1, 1);
  assert.match(stdout, "123 objects: no matching prefix found\n  secrets 122, configmaps 1\n");
  assert.match(stdout, "    … and 120 more; --output json or --objects-out FILE has all\n");
  assert.match(stdout, /\n {4}slipway etcd plan --out NEW-FOLDER --dump etcd\.json --encryption-config .*\n/);
  for (const line of stdout.split("\n")) assert.ok(line.length <= 80 || line.includes("slipway "), line);
});

test("without a configuration the remedy names its flag", () => {
  const { stdout } = audit();
  assert.match(stdout, "remedy 1: set --encryption-config FILE to the configuration of the API server\n");
});

test("JSON has the same causes", () => {
  const { causes, summary } = JSON.parse(audit("--output", "json").stdout);
  assert.is(causes.length, 1);
  const [{ verdict, count, resources, keys }] = causes;
  assert.equal([verdict, count, resources], ["unreadable", 124, { secrets: 123, configmaps: 1 }]);
  assert.is(keys.length, 3);
  assert.is(summary.unreadable, 124);
});

withShared(test, "data/etcd/sample", "a remedy that several causes share is printed once", (sample) => {
  const { stdout } = slipway(
    [
      ...["etcd", "audit", "--snapshot", join(sample, "snapshot-etcd-3.4.db"), "--release", "1.36"],
      ...["--encryption-config", join(sample, "encryption-config.yaml")],
    ],
    { cwd: folder },
  );
  const numbers = [...stdout.matchAll(/^ {2}remedy (\d+): /gm)].map(([, number]) => Number(number));
  assert.equal(
    numbers,
    numbers.map((_, i) => i + 1),
  );
  const texts = stdout.split(/^ {2}remedy \d+: /m).slice(1);
  assert.is(new Set(texts.map((text) => text.split("\n\n")[0])).size, texts.length);
  assert.match(stdout, /^ {2}remedy \d+, see above$/m);
  assert.not.match(stdout, ", , ");
  assert.ok(stdout.split("\n").length < 220);
});

const KEY = "/registry/namespaces/billing";
test("an object is extracted to standard output as to a file", () => {
  const words = ["etcd", "extract", "--dump", "etcd.json", "--key", KEY];
  for (const as of ["raw", "yaml", "json"]) {
    const file = slipway([...words, "--as", as, "--out", `object.${as}`], { cwd: folder });
    assert.is(file.code, 0, file.stderr);
    const { code, stdout } = slipwayProcess([...words, "--as", as, "--out", "-"], { cwd: folder });
    assert.is(code, 0);
    assert.is(stdout, readFileSync(join(folder, `object.${as}`), "utf8"), as);
  }
  assert.is(existsSync(join(folder, "-")), false);
  assert.is(slipway([...words, "--out", "-", "--output", "json"], { cwd: folder }).code, 2);
});

test("several objects are documents of one stream, and the list of objects is, too", () => {
  const all = slipway(
    ["etcd", "extract", "--dump", "etcd.json", "--resource", "namespaces", "--as", "yaml", "--out", "-"],
    { cwd: folder },
  );
  assert.is(all.code, 0, all.stderr);
  assert.is(all.stdout.split("---\n").length, 2);
  const lines = audit("--objects-out", "-").stdout.trimEnd().split("\n");
  assert.is(lines.length, dump.kvs.length);
  for (const line of lines) assert.type(JSON.parse(line).key, "string");
});

test.run();
