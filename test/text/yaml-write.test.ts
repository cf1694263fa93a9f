import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { load, YAML11_SCHEMA } from "js-yaml";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isList, isObject, type Json, sortKeys } from "../../src/core/json.js";
import { serialise } from "../../src/text/serialise.js";
import { readYaml, toJson } from "../../src/text/yaml-read.js";
import { resolvePlain } from "../../src/text/yaml-scalars.js";
import { dumpYaml, writeYaml } from "../../src/text/yaml-write.js";
import { everything, runs } from "../helpers/runs.js";

const test = suite("yaml-write");

const anyText = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string({
    unit: fc.constantFrom(
      "\n",
      " ",
      "a",
      ":",
      "-",
      "#",
      "{",
      "'",
      '"',
      "\t",
      "\0",
      "\u2028",
      "\ud800",
      "\udc00",
      "\u0085",
      "\ufeff",
    ),
  }),
  fc.constantFrom(
    "on",
    "y",
    "0644",
    "1:30",
    "1_000",
    "~",
    "null",
    "=",
    "<<",
    "2026-11-27",
    "1e3",
    ".5",
    "0o17",
    "0b1",
    "---",
    "...",
    "{{x}}",
  ),
);
const anyJson: fc.Arbitrary<Json> = fc.letrec<{ json: Json }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 3 },
    anyText,
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie("json"), { maxLength: 4 }),
    fc.dictionary(anyText, tie("json"), { maxKeys: 4, noNullPrototype: true }),
  ),
})).json;

/** What a file holds: never a text alone, whose block form Kubernetes' readers indent differently at the margin. */
const anyDocument: fc.Arbitrary<Json> = fc.oneof(
  fc.dictionary(anyText, anyJson, { maxKeys: 4, noNullPrototype: true }),
  fc.array(anyJson, { maxLength: 4 }),
);

/** True when every text and key has a UTF-8 form: no lone surrogates. */
function isEncodable(value: Json): boolean {
  if (typeof value === "string") return Buffer.from(value, "utf8").toString("utf8") === value;
  if (isList(value)) return value.every(isEncodable);
  return (
    !isObject(value) ||
    Object.entries(value).every(([key, member]) => isEncodable(key) && isEncodable(member))
  );
}

/** Kubernetes' readers know no lone surrogates, not even escaped; they must be refused, not read as something else. */
function readAsKubernetes(text: string, value: Json): unknown {
  const { documents, problems } = readYaml(text, "f");
  if (!isEncodable(value)) {
    assert.is(problems[0]?.code, "YAML001");
    return undefined;
  }
  assert.equal(problems, []);
  const root = documents[0]?.root;
  return root === undefined ? null : toJson(root);
}

const readers: [string, (text: string, value: Json) => unknown][] = [
  ["YAML 1.2", (text) => load(text)],
  ["YAML 1.1", (text) => load(text, { schema: YAML11_SCHEMA })],
  ["our reader", readAsKubernetes],
];

/** Reads a text with every reader; `whole` is the value that it must be. */
function comesBack(text: string, whole: Json): void {
  for (const [name, read] of readers) {
    const value = read(text, whole);
    if (value !== undefined) assert.equal(value, whole, `${name}: ${JSON.stringify(text)}`);
  }
}

test("whatever is written comes back equal in every dialect", () => {
  fc.assert(
    fc.property(anyDocument, (value) => {
      const text = writeYaml(value);
      assert.ok(text.endsWith("\n"));
      comesBack(text, value);
    }),
    { numRuns: runs(500) },
  );
});

test("the result is what js-yaml alone would write", () => {
  fc.assert(
    fc.property(anyJson, (value) => assert.is(writeYaml(value), dumpYaml(sortKeys(value)))),
    { numRuns: runs(2_000) },
  );
  const texts = [
    "a",
    "on",
    "No",
    "0x1F",
    "infinity",
    "A".repeat(60),
    "1".repeat(60),
    `${"e1".repeat(30)}==`,
    "a b",
    "a:",
    "a\nb",
    " a\nb\n",
    "\n",
    "",
    "é",
    "=",
    "<<",
    "null",
    "Null",
    "~",
    ".inf",
    "-",
    "a#b",
    "a #b",
    "a\n\n\nb\n\n",
  ];
  for (const text of texts)
    for (const value of [
      { x: text },
      { [text]: 1 },
      { x: [text, [text, { y: text }], {}] },
      { x: { y: [{ z: text, a: [] }] } },
    ])
      assert.is(writeYaml(value), dumpYaml(sortKeys(value)), JSON.stringify(value));
});

test("keys that are numbers come first, by their size, as in every object that is read again", () => {
  const key = fc.oneof(
    fc.nat({ max: 30 }).map(String),
    fc.constantFrom("-1", "01", "1.5", "4294967294", "4294967295", "99999999999", "a", "B", ""),
  );
  fc.assert(
    fc.property(fc.dictionary(key, fc.dictionary(key, fc.nat({ max: 3 }))), (value) => {
      assert.is(writeYaml(value), dumpYaml(sortKeys(value)));
      assert.is(writeYaml({ x: [value] }), dumpYaml(sortKeys({ x: [value] })));
    }),
    { numRuns: runs(1_000) },
  );
});

test("long texts of several lines are what js-yaml alone would write", () => {
  const line = fc.oneof(
    fc.string({ unit: "grapheme-ascii", maxLength: 40 }),
    fc.constantFrom(
      "",
      " ",
      "  a",
      "a ",
      "# a",
      "- a",
      "a: b",
      "---",
      "...",
      "%YAML",
      "\t",
      "é",
      "'",
      '"',
      "|",
      "!a",
    ),
  );
  const text = fc
    .array(line, { minLength: 2, maxLength: 8 })
    .map((lines) => `${lines.join("\n")}${"\n#".repeat(lines.length % 2)}${"x".repeat(100)}`);
  const ending = fc.constantFrom("", "\n", " \n", "\n\n", "\n ");
  fc.assert(
    fc.property(text, ending, (start, end) => {
      const value = { a: { b: [`${start}${end}`, { c: `${"y".repeat(100)}\n${start}${end}` }] } };
      assert.is(writeYaml(value), dumpYaml(sortKeys(value)));
    }),
    { numRuns: runs(2_000) },
  );
});

test("words, paths, addresses, times and numbers are what js-yaml alone would write, and come back", () => {
  const unit = fc.constantFrom(..."0123456789abefgnostxyzENOTZ_./:-() ");
  fc.assert(
    fc.property(fc.string({ unit, minLength: 1, maxLength: 12 }), fc.double(), (text, number) => {
      const value = { x: [text, number, { [text]: {} }, []] };
      // Only Go's reader takes some for numbers, such as 1_0 and 0O7.
      if (resolvePlain(text).kind === "string" || load(text) !== text)
        assert.is(writeYaml(value), dumpYaml(sortKeys(value)), JSON.stringify(value));
      comesBack(writeYaml({ x: text, [text]: "x" }), { x: text, [text]: "x" });
    }),
    { numRuns: runs(1_000) },
  );
  for (const text of [
    "0e_0",
    "1_0.5e3",
    "0x_1g",
    "2026-11-28",
    "10.0.0.0/16",
    "1/2",
    "12:30:45",
    "0o_7",
    "0O7",
    "0X1f",
    "0B1",
  ])
    comesBack(writeYaml({ x: text, [text]: "x" }), { x: text, [text]: "x" });
});

test("a serialised value is one line and stays in its place", () => {
  fc.assert(
    fc.property(anyJson, (value) => {
      const text = serialise(value);
      assert.not.ok(text.includes("\n"));
      comesBack(`a:\n  b: ${text}\nc: 1\n`, { a: { b: value }, c: 1 });
    }),
    { numRuns: runs(500) },
  );
});

test("keys are sorted and lists stand flush with their key", () => {
  assert.is(writeYaml({ b: [{ y: 1, x: 2 }], a: "on" }), "a: 'on'\nb:\n- x: 2\n  'y': 1\n");
});

test("a text of many megabytes is written, and read back as it was", () => {
  for (const unit of ["QUJD", "a: b ", "x\n", "\u0085é\u2028"]) {
    const value = { a: unit.repeat((everything ? 6_000_000 : 600_000) / unit.length), b: 1 };
    const text = writeYaml(value);
    assert.ok(isDeepStrictEqual(load(text), value), JSON.stringify(unit));
  }
});

test.run();
