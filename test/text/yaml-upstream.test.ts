import { readFileSync } from "node:fs";
import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { equalJson, isJson } from "../../src/core/json.js";
import { readYaml, toJson } from "../../src/text/yaml-read.js";
import { compareKeys, writeUpstreamYaml } from "../../src/text/yaml-upstream.js";
import { withShared } from "../helpers/shared.js";

const test = suite("text/yaml-upstream");

const LONG = "word ".repeat(20).trim();
const WORD = "x".repeat(90);

/** The value under the key `k`, as Go's writer (sigs.k8s.io/yaml 1.6) puts it. */
const TABLE: readonly (readonly [value: string, written: string])[] = [
  ["plain text", "plain text"],
  ["", '""'],
  ["true", '"true"'],
  ["on", '"on"'],
  ["y", '"y"'],
  ["~", '"~"'],
  ["null", '"null"'],
  ["22623", '"22623"'],
  ["0x1f", '"0x1f"'],
  ["0x1f9223372036854775808", "0x1f9223372036854775808"],
  ["1_000", '"1_000"'],
  ["1e3", '"1e3"'],
  ["1e31000", "1e31000"],
  ["1:30", '"1:30"'],
  ["1:61", "1:61"],
  ["2001-01-01", '"2001-01-01"'],
  ["2001-13-01", "2001-13-01"],
  ["2001-1-2 3:4:5", '"2001-1-2 3:4:5"'],
  ["2001-01-01T00:00:00Z", '"2001-01-01T00:00:00Z"'],
  [".inf", '".inf"'],
  ["<<", "<<"],
  ["-", "'-'"],
  ["-x", "-x"],
  ["?", "'?'"],
  ["a: b", "'a: b'"],
  ["a:b", "a:b"],
  ["a #b", "'a #b'"],
  ["a#b", "a#b"],
  ["a:", "'a:'"],
  ["'quoted'", "'''quoted'''"],
  ['"x"', `'"x"'`],
  ["{}", "'{}'"],
  ["[a]", "'[a]'"],
  ["*", "'*'"],
  ["---", "'---'"],
  [" a", "' a'"],
  ["a ", "'a '"],
  ["a\tb", '"a\\tb"'],
  ["\u0000", '"\\0"'],
  ["\u{1f600}", '"\\U0001F600"'],
  ["é\u00a0", "é\u00a0"],
  ["\u0001\u00a0é", '"\\x01\u00a0é"'],
  ["a\nb", "|-\n  a\n  b"],
  ["a\nb\n", "|\n  a\n  b"],
  ["a\n\n", "|+\n  a\n"],
  ["\na", "|2-\n\n  a"],
  [" a\nb", "|2-\n   a\n  b"],
  ["a \nb", '"a \\nb"'],
  ["a\nb ", '"a\\nb "'],
  [LONG, `${"word ".repeat(16).trim()}\n  ${"word ".repeat(4).trim()}`],
  [`${WORD} a b`, `${WORD}\n  a b`],
  [`${WORD}  a b`, `${WORD}  a\n  b`],
  [`'${WORD} a`, `'''${WORD}\n  a'`],
  [`\t${WORD}  a`, `"\\t${WORD}\n  \\ a"`],
];

for (const [value, written] of TABLE)
  test(`text: ${JSON.stringify(value).slice(0, 40)}`, () => {
    const text = writeUpstreamYaml({ k: value });
    assert.is(text, `k: ${written}\n`);
  });

test("lists are flush with their key, empty ones stand in the line", () => {
  assert.is(
    writeUpstreamYaml({ a: [1, { x: [], y: {} }, ["p", ["q"]]], b: { c: null, d: [true] }, e: {} }),
    'a:\n- 1\n- x: []\n  "y": {}\n- - p\n  - - q\nb:\n  c: null\n  d:\n  - true\ne: {}\n',
  );
});

test("long keys and keys with line breaks get a line of their own", () => {
  const long = "k".repeat(129);
  assert.is(writeUpstreamYaml({ [long]: "v" }), `? ${long}\n: v\n`);
  assert.is(writeUpstreamYaml({ a: { "x\ny": "v" } }), "a:\n  ? |-\n    x\n    y\n  : v\n");
});

test("numbers as Go prints them once they went through JSON", () => {
  for (const [value, written] of [
    [1500, "1500"],
    [-0.5, "-0.5"],
    [123456789012, "123456789012"],
    [100000.5, "100000.5"],
    [1234567.5, "1.2345675e+06"],
    [0.0001, "0.0001"],
    [0.00001, "1e-05"],
    [1e-7, "1e-07"],
    [1e19, "10000000000000000000"],
    [1e20, "1e+20"],
    [-1e19, "-1e+19"],
    [1e21, "1e+21"],
  ] as const)
    assert.is(writeUpstreamYaml({ k: value }), `k: ${written}\n`);
});

test("order of keys: numbers by value, letters behind everything else", () => {
  const keys = ["b", "a10", "a2", "a02", "A", "10", "2", "a-b", "a_b", "ab", "a.b", "a"];
  assert.equal([...keys].sort(compareKeys), [
    "2",
    "10",
    "A",
    "a",
    "a-b",
    "a.b",
    "a_b",
    "a2",
    "a02",
    "a10",
    "ab",
    "b",
  ]);
});

test("a key that readers would take for a merge is quoted", () => {
  assert.is(writeUpstreamYaml({ k: [{ "<<": {} }] }), 'k:\n- "<<": {}\n');
});

test("whatever is written is read back", () => {
  const text = fc.oneof(
    fc.string({ unit: "grapheme" }),
    fc.string(),
    fc.constantFrom(...TABLE.map(([value]) => value)),
  );
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      text,
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie("value"), { maxLength: 3 }),
      fc.dictionary(fc.string({ maxLength: 8 }), tie("value"), { maxKeys: 4, noNullPrototype: true }),
    ),
  }));
  fc.assert(
    fc.property(fc.dictionary(fc.string({ minLength: 1 }), value, { noNullPrototype: true }), (object) => {
      if (!isJson(object)) throw new Error("not JSON");
      const written = writeUpstreamYaml(object);
      const { documents, problems } = readYaml(written, "");
      const root = documents[0]?.root;
      assert.equal(problems, [], written);
      assert.ok(equalJson(root === undefined ? null : toJson(root), object), written);
    }),
  );
});

for (const name of ["none-dual-stack", "none-workers-ecdsa", "external-proxy-mirrors", "aws-public"])
  withShared(
    test,
    `data/upstream-4.22/${name}/normal-form.yaml`,
    `the installer's own text: ${name}`,
    (file) => {
      const text = readFileSync(file, "utf8");
      const root = readYaml(text, "").documents[0]?.root;
      if (root === undefined) throw new Error("empty");
      assert.is(writeUpstreamYaml(toJson(root)), text);
    },
  );

test.run();
