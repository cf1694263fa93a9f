import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { splitDocuments } from "../../src/pipeline/split-documents.js";
import { readYaml, toJson } from "../../src/text/yaml-read.js";
import { slipway } from "../helpers/cli.js";
import { runs } from "../helpers/runs.js";
import { tempFolder } from "../helpers/temp.js";

const test = suite("split documents");

const cut = (texts: Readonly<Record<string, string>>, mode = 0o644) => {
  const files = Object.entries(texts).map(([path, text]) => ({ path, data: Buffer.from(text), mode }));
  const { files: written, problems } = splitDocuments(files);
  return {
    written: Object.fromEntries(written.map(({ path, data }) => [path, Buffer.from(data).toString()])),
    order: written.map(({ path }) => path),
    secret: written.some(({ secret }) => secret),
    codes: problems.map(({ code }) => code),
  };
};

const CASES: readonly (readonly [string, string, Readonly<Record<string, string>>])[] = [
  ["one document", "a: 1\n", {}],
  ["one document between markers", "---\na: 1\n---\n# nothing\n", {}],
  ["no YAML", "a: [\n---\nb: 1\n", {}],
  ["two documents", "a: 1\n---\nb: 2\n", { "manifests/x-2.yaml": "b: 2\n", "manifests/x.yaml": "a: 1\n" }],
  [
    "markers, comments and blank lines",
    "---\n# first\na: 1 # one\n\n---\n\n# second\nb: 2\n...\n---\n---\nc: 3",
    {
      "manifests/x-2.yaml": "# second\nb: 2\n",
      "manifests/x-3.yaml": "c: 3",
      "manifests/x.yaml": "# first\na: 1 # one\n\n",
    },
  ],
  [
    "content behind a marker",
    "--- {a: 1}\n--- {b: 2}\n",
    { "manifests/x-2.yaml": "{b: 2}\n", "manifests/x.yaml": "{a: 1}\n" },
  ],
  [
    "text that looks like a marker",
    "a: |\n  ---\n  x\n---\nb: 2\n",
    { "manifests/x-2.yaml": "b: 2\n", "manifests/x.yaml": "a: |\n  ---\n  x\n" },
  ],
  [
    "a text that keeps the blank lines at its end",
    "a: |+\n  x\n\n\n---\nb: |+\n  y\n\n\n",
    { "manifests/x-2.yaml": "b: |+\n  y\n\n\n", "manifests/x.yaml": "a: |+\n  x\n\n\n" },
  ],
  [
    "lines that end as on Windows",
    "a: 1\r\n---\r\nb: 2\r\n",
    { "manifests/x-2.yaml": "b: 2\r\n", "manifests/x.yaml": "a: 1\r\n" },
  ],
  ["a List of one", "kind: List\nitems: [{kind: A}]\n", { "manifests/x.yaml": "kind: A\n" }],
  ["a List of none beside an object", "kind: List\nitems: []\n---\nb: 1\n", { "manifests/x.yaml": "b: 1\n" }],
  [
    "a List",
    "apiVersion: v1\nkind: List\nitems:\n- {kind: A, b: '1'}\n- kind: C\n",
    { "manifests/x-2.yaml": "kind: C\n", "manifests/x.yaml": "b: '1'\nkind: A\n" },
  ],
];

for (const [name, text, expected] of CASES)
  test(name, () => {
    const { written, codes } = cut({ "manifests/x.yaml": text });
    assert.equal(written, expected);
    assert.equal(codes, []);
  });

test("the file itself comes last, a name that is taken is refused, a closed file stays closed", () => {
  const two = "a: 1\n---\nb: 2\n";
  assert.equal(cut({ "manifests/x.yaml": two }).order.at(-1), "manifests/x.yaml");
  const taken = cut({ "manifests/x.yaml": two, "manifests/x-2.yaml": "other: 1\n" });
  assert.equal([taken.written, taken.codes], [{}, ["BOOT008"]]);
  const hidden = cut({ "manifests/x.yaml": two, "openshift/x-2.yaml": "b: 2\n" });
  assert.equal([hidden.written, hidden.codes], [{}, ["BOOT008"]]);
  const huge = cut({ "manifests/x.yaml": "kind: List\nitems: [{a: 9007199254740993}]\n" });
  assert.equal([huge.written, huge.codes], [{}, ["BOOT008"]]);
  // As after a run that was killed before the last file.
  const again = cut({ "manifests/x.yaml": two, "manifests/x-2.yaml": "b: 2\n" });
  assert.equal(again.written["manifests/x.yaml"], "a: 1\n");
  assert.is(cut({ "manifests/x.yaml": two }, 0o600).secret, true);
});

test("every document keeps what it says", () => {
  const value = fc.dictionary(
    fc.constantFrom("a", "b", "kind"),
    fc.oneof(fc.string(), fc.integer(), fc.constant("---"), fc.constant("x\n---\ny")),
    { minKeys: 1, noNullPrototype: true },
  );
  fc.assert(
    fc.property(fc.array(value, { minLength: 2, maxLength: 4 }), fc.boolean(), (documents, leading) => {
      const text = `${leading ? "---\n" : ""}${documents.map((each) => JSON.stringify(each)).join("\n---\n")}\n`;
      const { written } = cut({ "openshift/d.yaml": text });
      const names = ["openshift/d.yaml", ...documents.slice(1).map((_, i) => `openshift/d-${i + 2}.yaml`)];
      const read = names.map((name) => {
        const root = readYaml(written[name] ?? "", name).documents[0]?.root;
        return root === undefined ? undefined : toJson(root);
      });
      assert.equal(read, documents);
    }),
    { numRuns: runs(200) },
  );
});

test("a text over several lines keeps what it says, whatever ends it", () => {
  const block = fc.tuple(
    fc.constantFrom("|", "|-", "|+", ">", ">-", ">+"),
    fc.array(fc.constantFrom("x", "", "---", "# y")),
  );
  const text = fc.array(block, { minLength: 2, maxLength: 4 });
  fc.assert(
    fc.property(text, fc.constantFrom("\n", ""), (blocks, end) => {
      const documents = blocks.map(([style, lines]) =>
        [`a: ${style}`, "  first", ...lines.map((line) => (line === "" ? "" : `  ${line}`))].join("\n"),
      );
      const whole = `${documents.join("\n---\n")}${end}`;
      const before = readYaml(whole, "x").documents.map(({ root }) => root && toJson(root));
      const { written } = cut({ "openshift/d.yaml": whole });
      const names = ["openshift/d.yaml", ...blocks.slice(1).map((_, i) => `openshift/d-${i + 2}.yaml`)];
      const after = names.map((name) => readYaml(written[name] ?? "", name).documents[0]?.root);
      assert.equal(
        after.map((root) => root && toJson(root)),
        before,
      );
    }),
    { numRuns: runs(300) },
  );
});

test("the command cuts, keeps and wraps; a dry run says what it would do", () => {
  const cwd = tempFolder();
  cpSync("examples/none/install-config.yaml", join(cwd, "install-config.yaml"));
  assert.is(slipway(["create", "manifests", "--dir", cwd, "--key-algorithm", "ecdsa-p256"]).code, 0);
  const object = (name: string): string =>
    `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}, namespace: openshift-config}\n`;
  writeFileSync(join(cwd, "openshift/mine.yaml"), `${object("a")}---\n${object("b")}`);
  assert.is(slipway(["validate", "--dir", cwd]).code, 1);
  const dry = slipway(["create", "manifests", "--dir", cwd, "--split-documents", "--dry-run"]);
  assert.is(dry.code, 0);
  assert.match(dry.stderr, "openshift/mine-2.yaml");
  assert.not.ok(readdirSync(join(cwd, "openshift")).includes("mine-2.yaml"));
  assert.is(slipway(["create", "manifests", "--dir", cwd, "--split-documents"]).code, 0);
  assert.is(readFileSync(join(cwd, "openshift/mine.yaml"), "utf8"), object("a"));
  assert.is(readFileSync(join(cwd, "openshift/mine-2.yaml"), "utf8"), object("b"));
  assert.is(slipway(["validate", "--dir", cwd]).code, 0);
});

test.run();
