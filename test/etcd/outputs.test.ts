/** Every json document fits its schema in schemas/outputs; text and progress go where they belong. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Ajv from "ajv/dist/2020.js";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isList, isObject, type Json } from "../../src/core/json.js";
import { slipway } from "../helpers/cli.js";
import { tempFolder } from "../helpers/temp.js";
import { goldenInputs } from "./golden-inputs.js";

const test = suite("etcd outputs");

const folder = tempFolder();
for (const { path, data } of goldenInputs()) writeFileSync(join(folder, path.replace("/input/", "-")), data);
const COPY = ["--dump", "etcd-lost-key-etcd.json", "--encryption-config", "etcd-lost-key-encryption.yaml"];

function validator(kind: string): (text: string) => void {
  const ajv = new Ajv.default({ allErrors: true, strict: true, strictRequired: false });
  ajv.addVocabulary(["x-slipway"]);
  const schema: object = JSON.parse(
    readFileSync(join(process.cwd(), `schemas/outputs/${kind}.schema.json`), "utf8"),
  );
  const validate = ajv.compile(schema);
  return (text) => {
    const value: unknown = JSON.parse(text);
    assert.ok(validate(value), `${kind}: ${JSON.stringify(validate.errors)}\n${text.slice(0, 2000)}`);
  };
}

test("the example of the page is a golden case", () => {
  const inputs = goldenInputs().filter(({ path }) => path.startsWith("etcd-lost-key/"));
  assert.is(inputs.length, 2);
  for (const { path, data } of inputs) {
    const example = path.replace("etcd-lost-key/input", "examples/etcd");
    assert.equal(readFileSync(example), Buffer.from(data), example);
    assert.ok(readFileSync("docs/etcd.md", "utf8").includes(example));
  }
});

const run = (...args: string[]): { code: number | null; stdout: string; stderr: string } =>
  slipway(["etcd", ...args, "--output", "json"], { cwd: folder });

test("a dump without values is refused, and nothing else is said of it", () => {
  const folder = tempFolder();
  const keys = ["/registry/pods/default/a", "/registry/secrets/default/b"];
  const kvs = keys.map((key) => ({ key: Buffer.from(key).toString("base64"), mod_revision: 2 }));
  writeFileSync(join(folder, "keys.json"), JSON.stringify({ header: { revision: 2 }, kvs, count: 2 }));
  for (const words of ["inventory", "audit"]) {
    const command = ["etcd", words, "--dump", "keys.json", "--target", "1.36"];
    const { code, stdout, stderr } = slipway(command, { cwd: folder });
    assert.is(code, 1);
    assert.is(stdout, "", words);
    assert.match(stderr, /^keys\.json: error ETC008: [^\n]*\n1 error \(slipway explain ETC008\)[^\n]*\n$/);
  }
});

test("inventory", () => {
  const fits = validator("EtcdInventory");
  const { code, stdout, stderr } = run("inventory", ...COPY, "--target", "1.36");
  assert.is(code, 0);
  assert.is(stderr, "");
  fits(stdout);
  fits(run("inventory", "--dump", "nothing.json").stdout);
  fits(run("inventory", "--snapshot", "etcd-lost-key-etcd.json").stdout);
});

test("audit, and its lines", () => {
  const fits = validator("EtcdAudit");
  const { code, stdout } = run("audit", ...COPY, "--target", "1.36");
  assert.is(code, 3);
  fits(stdout);
  const value: Json = JSON.parse(stdout);
  const objects = isObject(value) && isList(value["objects"]) ? value["objects"] : [];
  run("audit", ...COPY, "--target", "1.36", "--objects-out", "objects.jsonl");
  const lines = readFileSync(join(folder, "objects.jsonl"), "utf8").trim().split("\n");
  assert.equal(
    lines.map((line): Json => JSON.parse(line)),
    objects,
  );
  const some = run("audit", ...COPY, "--target", "1.36", "--problems-only");
  fits(some.stdout);
  assert.ok(some.stdout.length < stdout.length);
  fits(run("audit", ...COPY, "--target", "1.99").stdout);
  fits(run("audit", ...COPY, "--encryption-config", "etcd-statuses-encryption.yaml").stdout);
  assert.is(run("audit", ...COPY, "--objects-out", "no/such/folder.jsonl").code, 1);
});

test("plan and its result", () => {
  const { code, stdout } = run("plan", ...COPY, "--target", "1.36", "--out", "repair");
  assert.is(code, 0);
  validator("EtcdPlanResult")(stdout);
  validator("EtcdRepairPlan")(readFileSync(join(folder, "repair/plan.json"), "utf8"));
  run(
    "plan",
    "--dump",
    "etcd-stuck-namespace-etcd.json",
    "--encryption-config",
    "etcd-lost-key-encryption.yaml",
    "--target",
    "1.37",
    "--from",
    "1.36",
    "--out",
    "stuck",
  );
  validator("EtcdRepairPlan")(readFileSync(join(folder, "stuck/plan.json"), "utf8"));
  validator("EtcdPlanResult")(run("plan", ...COPY, "--confirm", "sha256:0", "--out", "other").stdout);
});

test("extract", () => {
  const fits = validator("EtcdExtractResult");
  for (const [key, code] of [
    ["/registry/secrets/shop/database", 0],
    ["/registry/secrets/billing/ledger", 3],
    ["/none", 1],
  ] as const) {
    const result = run("extract", ...COPY, "--key", key, "--out", "bytes");
    assert.is(result.code, code);
    fits(result.stdout);
  }
});

test("a target that is not known is refused, and one that is not given is named", () => {
  const refused = slipway(["etcd", "audit", ...COPY, "--target", "1.38"], { cwd: folder });
  assert.is(refused.code, 1);
  assert.match(refused.stderr, /ETC040: --release: invalid value "1.38": slipway has no data/);
  assert.is(refused.stdout, "");
  assert.match(
    slipway(["etcd", "audit", ...COPY], { cwd: folder }).stderr,
    /info ETC040: --release: no target release set; using .*1\.37/,
  );
});

test.run();
