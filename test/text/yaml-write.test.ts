import fc from "fast-check";
import { load, YAML11_SCHEMA } from "js-yaml";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Json } from "../../src/core/json.js";
import { serialise } from "../../src/text/serialise.js";
import { readYaml, toJson } from "../../src/text/yaml-read.js";
import { writeYaml } from "../../src/text/yaml-write.js";

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

/** Lone surrogates have no UTF-8 form; a reader may only see them escaped. */
const readers: [string, (text: string) => unknown][] = [
  ["YAML 1.2", (text) => load(text)],
  ["YAML 1.1", (text) => load(text, { schema: YAML11_SCHEMA })],
  [
    "our reader",
    (text) => {
      const { documents, problems } = readYaml(text, "f");
      assert.equal(problems, []);
      const root = documents[0]?.root;
      return root === undefined ? null : toJson(root);
    },
  ],
];

test("whatever is written comes back equal in every dialect", () => {
  fc.assert(
    fc.property(anyJson, (value) => {
      const text = writeYaml(value);
      assert.ok(text.endsWith("\n"));
      for (const [name, read] of readers) assert.equal(read(text), value, `${name}: ${JSON.stringify(text)}`);
    }),
    { numRuns: 500 },
  );
});

test("a serialised value is one line and stays in its place", () => {
  fc.assert(
    fc.property(anyJson, (value) => {
      const text = serialise(value);
      assert.not.ok(text.includes("\n"));
      for (const [name, read] of readers)
        assert.equal(
          read(`a:\n  b: ${text}\nc: 1\n`),
          { a: { b: value }, c: 1 },
          `${name}: ${JSON.stringify(text)}`,
        );
    }),
    { numRuns: 500 },
  );
});

test("keys are sorted and lists stand flush with their key", () => {
  assert.is(writeYaml({ b: [{ y: 1, x: 2 }], a: "on" }), "a: 'on'\nb:\n- x: 2\n  'y': 1\n");
});

test.run();
