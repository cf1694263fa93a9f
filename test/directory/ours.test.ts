/** What slipway did not write is not replaced, by any command that writes files outside an asset directory. */
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { slipway } from "../helpers/cli.js";
import { readTree, tempFolder } from "../helpers/temp.js";

const test = suite("files of others");
const golden = (path: string): string => join(process.cwd(), "golden", path);

/** Commands that write, the file among theirs that somebody has already, and an input that changes what is written. */
const gates = golden("generate-tables/input/gates.yaml");
const apis = golden("generate-tables/input/apis.yaml");
const WRITERS: readonly { readonly words: readonly string[]; readonly file: string }[] = [
  { words: ["generate", "feature-gates", "--input", gates, "--out", "out/gates.ts"], file: "out/gates.ts" },
  {
    words: ["generate", "feature-gates", "--lang", "go", "--input", gates, "--out", "out/g.go"],
    file: "out/g.go",
  },
  { words: ["generate", "api-availability", "--input", apis, "--out", "out/apis.ts"], file: "out/apis.ts" },
  {
    words: ["generate", "crds", "--out", "out"],
    file: "out/openshiftcontrolplanes.cluster.openshift.io.yaml",
  },
  { words: ["generate", "schemas", "--out", "out"], file: "out/inputs/cloud-facts.schema.json" },
  { words: ["report", "--html", "out/page.html", "--table", gates], file: "out/page.html" },
  {
    words: ["transfer", "new", "--source", "a/b", "--target", "c/d", "--out", "out"],
    file: "out/target/c/request-transfer-d.yaml",
  },
];

const HTML = "<!doctype html>\n<title>mine</title>\n";

for (const { words, file } of WRITERS)
  test(`${words.slice(0, 2).join(" ")}: a file of somebody else stays, its own is brought up to date`, () => {
    const cwd = tempFolder();
    const own = slipway(words, { cwd });
    assert.is(own.code, 0, own.stderr);
    const tree = readTree(cwd);
    assert.ok(tree.has(file), [...tree.keys()].join());
    assert.is(slipway(words, { cwd }).code, 0, "unchanged");
    const cwd2 = tempFolder();
    mkdirSync(join(cwd2, file, ".."), { recursive: true });
    writeFileSync(join(cwd2, file), file.endsWith(".html") ? HTML : "mine\n");
    const refused = slipway(words, { cwd: cwd2 });
    assert.is(refused.code, 1, refused.stdout);
    assert.match(refused.stderr, /DIR019.*was not written by slipway|TRF072/);
    assert.equal([...readTree(cwd2).keys()], [file], "nothing else is written");
  });

test("an input that is named as output stays", () => {
  const cwd = tempFolder();
  cpSync(gates, join(cwd, "gates.yaml"));
  const before = readFileSync(join(cwd, "gates.yaml"), "utf8");
  for (const words of [
    ["generate", "feature-gates", "--input", "gates.yaml", "--lang", "ts", "--out", "gates.yaml"],
    ["report", "--html", "gates.yaml", "--table", "gates.yaml"],
  ])
    assert.is(slipway(words, { cwd }).code, 1, words.join(" "));
  assert.is(readFileSync(join(cwd, "gates.yaml"), "utf8"), before);
});

test("generated code and pages follow their inputs", () => {
  const cwd = tempFolder();
  cpSync(golden("generate-tables/input/gates-1.34.yaml"), join(cwd, "gates.yaml"));
  const all = [
    ["generate", "feature-gates", "--input", "gates.yaml", "--out", "gates.ts"],
    ["report", "--html", "page.html", "--table", "gates.yaml"],
  ];
  for (const words of all) assert.is(slipway(words, { cwd }).code, 0);
  const old = readTree(cwd);
  cpSync(gates, join(cwd, "gates.yaml"));
  for (const words of all) {
    const { code, stderr } = slipway(words, { cwd });
    assert.is(code, 0, stderr);
  }
  for (const file of ["gates.ts", "page.html"])
    assert.not.equal(readFileSync(join(cwd, file)), old.get(file), file);
});

test.run();
