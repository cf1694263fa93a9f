/** The json documents of every compat command fit their schemas; the example tables of the repository are used. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import Ajv from "ajv/dist/2020.js";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type CliResult, slipway } from "../helpers/cli.js";
import { withShared } from "../helpers/shared.js";

const test = suite("compat json");
const cwd = join(process.cwd(), "examples/compat");

const compat = (...words: string[]): CliResult => slipway(["compat", ...words], { cwd });

function checked(result: CliResult): { [key: string]: unknown } {
  const value: { [key: string]: unknown } = JSON.parse(result.stdout);
  const path = `schemas/outputs/${String(value["kind"])}.schema.json`;
  const input = "schemas/inputs/feature-gate-table.schema.json";
  const schema: object = JSON.parse(readFileSync(existsSync(path) ? path : input, "utf8"));
  const ajv = new Ajv.default({ strict: true, allowUnionTypes: true });
  ajv.addVocabulary(["x-slipway"]);
  const validate = ajv.compile(schema);
  assert.ok(validate(value), `${String(value["kind"])}: ${JSON.stringify(validate.errors?.slice(0, 3))}`);
  return value;
}

const CASES: readonly (readonly [string, number])[] = [
  ["gates --table gates.yaml", 0],
  ["gates --table gates.yaml --feature-gates Nope=true", 1],
  ["gates --table none.yaml", 1],
  ["apis --lifecycle apis.yaml", 0],
  ["apis --lifecycle apis.yaml --runtime-config v1", 1],
  ["storage-versions --lifecycle apis.yaml", 0],
  ["storage-versions --lifecycle apis.yaml --rules kep --emulated-version 1.33", 0],
  ["fields --table fields.yaml", 0],
  ["cel", 0],
  ["cel --table cel.yaml --rules kep", 0],
  ["skew --binary-version 1.35", 0],
  ["skew --inventory inventory.yaml", 3],
  ["version --binary-version 1.35", 0],
  ["version --binary-version 1.35 --rules kep", 0],
  ["lifecycle --table gates.yaml --current 1.40", 0],
  ["lint --table gates.yaml --base gates-1.34.yaml", 1],
  ["lint --table gates.yaml --base gates-1.34.yaml --policy policy.yaml", 0],
  ["diff gates-1.34.yaml gates.yaml", 0],
  ["matrix --table gates.yaml --per-gate", 0],
  ["plan --from 1.34 --to 1.36 --table gates-1.34.yaml gates.yaml --lifecycle apis.yaml", 0],
  ["plan --from 1.34 --to 1.36 --table gates-1.34.yaml gates.yaml --feature-gates WarmStart=true", 3],
];

for (const [line, code] of CASES)
  test(line, () => {
    const result = compat(...line.split(" "), "--output", "json");
    assert.is(result.code, code, result.stderr);
    assert.is(result.stderr, "");
    const document = checked(result);
    assert.is(document["apiVersion"], "slipway.dev/v1alpha1");
    assert.ok(Array.isArray(document["diagnostics"]));
  });

test("what import prints as json is a table that can be asked", () => {
  const list = join(cwd, "../../golden/compat-import/input");
  const result = slipway(
    ["compat", "import", "--from", "versioned-feature-list", "list.yaml", "minimums.yaml", "-o", "json"],
    { cwd: list },
  );
  assert.is(result.code, 0, result.stderr);
  checked(result);
});

test("import recognises the form of the files; an own table needs none, and two forms do not mix", () => {
  const list = join(cwd, "../../golden/compat-import/input");
  const read = (...words: string[]): CliResult =>
    slipway(["compat", "import", "list.yaml", "minimums.yaml", ...words], { cwd: list });
  const told = read("--from", "versioned-feature-list");
  assert.is(told.code, 0, told.stderr);
  assert.equal(read(), told);
  assert.match(read("--from", "list").stderr, /--from: unsupported value "list": supported values: /);
  const own = compat("import", "gates.yaml");
  assert.is(own.code, 1);
  assert.match(own.stderr, /TAB005.*FeatureGateTable; use it as is; no import is required/);
  assert.match(read(join(cwd, "gates.yaml")).stderr, /TAB005/);
});

test("lint: what stands in no line of a file has none, and help names the rules that there are", () => {
  const { stdout } = compat("lint", "--table", "kubernetes");
  assert.match(stdout, /^kubernetes\S*: (?:error|warning) L\d/m);
  assert.not.match(stdout, /:0:0/);
  const last = (letter: string, rules: readonly string[]): string =>
    `${letter}${Math.max(...rules.filter((each) => each[0] === letter).map((each) => Number(each.slice(1))))}`;
  const source = ["lint", "gate-rules", "removal-policy"]
    .map((name) => readFileSync(`src/compatibility/${name}.ts`, "utf8"))
    .join("\n");
  const rules = [...source.matchAll(/"([RDCLK][0-9]+)"|^ +([RK][0-9]+): "GATE/gm)].map(
    ([, quoted, key]) => quoted ?? key ?? "",
  );
  const help = compat("lint", "--help").stdout.replace(/\s+/g, " ");
  for (const letter of ["R", "D", "C", "L", "K"]) {
    const named = [...help.matchAll(new RegExp(`\\b${letter}[0-9]+\\b`, "g"))].map(([rule]) => rule);
    assert.is(last(letter, named), last(letter, rules), `${letter}: ${help}`);
  }
});

test("both spellings of the emulation flag are accepted, and a missing one is a usage error", () => {
  for (const flag of ["--emulated-version", "--emulation-version"])
    assert.match(compat("gates", "--table", "gates.yaml", flag, "1.34").stdout, /emulated 1\.34/);
  assert.is(compat("gates").code, 2);
  assert.is(compat("apis").code, 2);
  assert.is(compat("plan", "--from", "1.34").code, 2);
  assert.is(compat("version").code, 2);
  assert.is(compat("gates", "--table", "gates.yaml", "--stage", "alpha").code, 2);
  assert.is(compat("gates", "--table", "gates.yaml", "--rules", "other").code, 2);
});

/** A record of what the plan says for the real data, with the control plane's first component alone. */
const EXPECTED = "golden/compat-plan/real-1.34-to-1.37.json";

withShared(
  test,
  "data",
  "the plan of the real data from 1.34 to 1.37 is what it was (acceptance 5)",
  (folder) => {
    const lists = ["1.34", "1.37"].map((release) =>
      join(folder, `feature-gates/kubernetes-${release}-dev.versioned_feature_list.yaml`),
    );
    const { stdout, code } = compat(
      ...["plan", "--from", "1.34", "--to", "1.37", "--components", "kube-apiserver", "--hops", "fewest"],
      ...["--table", ...lists, "--lifecycle", join(folder, "api-lifecycle/api-lifecycle.yaml")],
      ...["--output", "json"],
    );
    assert.is(code, 0);
    const plan = checked({ stdout, stderr: "", code });
    const text = `${JSON.stringify({ ...plan, diagnostics: [] }, null, 2)}\n`;
    if (process.env["GOLDEN"] === "update") {
      mkdirSync(dirname(EXPECTED), { recursive: true });
      writeFileSync(EXPECTED, text);
    }
    assert.is(text, readFileSync(EXPECTED, "utf8"));
  },
);

test("lint counts what it could not read", () => {
  const folder = mkdtempSync(join(tmpdir(), "lint-"));
  for (const [name, text] of [
    ["no-stage", '- name: Heron\n  versionedSpecs:\n  - {version: "1.35", default: true}\n'],
    ["no-name", '- versionedSpecs:\n  - {version: "1.35", default: true, preRelease: Beta}\n'],
    ["none", "- 7\n"],
  ] as const) {
    const path = join(folder, name);
    writeFileSync(path, text);
    const { code, stdout } = compat("lint", "--table", path);
    assert.is(code, 1, name);
    assert.not.match(stdout, /\b0 errors/, name);
  }
});

test.run();
