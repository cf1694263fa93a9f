import fc from "fast-check";
import { dump } from "js-yaml";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { equalJson, type Json, sortKeys } from "../../src/core/json.js";
import { restore, shortenAll } from "../../src/text/long-texts.js";
import { parseYaml } from "../../src/text/yaml-parse.js";
import { writeYaml } from "../../src/text/yaml-write.js";

const test = suite("long texts on their way through YAML");

const WORD = "slipway-long-text-";
const long = fc.oneof(
  fc.uint8Array({ minLength: 100, maxLength: 900 }).map((bytes) => Buffer.from(bytes).toString("base64")),
  fc.constantFrom("1".repeat(400), "0x".padEnd(400, "a"), "e".repeat(301), "A".repeat(257), "A".repeat(256)),
  fc.string({ unit: "binary", minLength: 257, maxLength: 600 }),
  fc.constantFrom(" ".repeat(300), "a: b\n".repeat(100), `${WORD}0-`.repeat(40)),
);
const short = fc.oneof(fc.string(), fc.constantFrom(`${WORD}0-`, `${WORD}1`, WORD, "x"));
const json: fc.Arbitrary<Json> = fc.letrec<{ json: Json }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 3 },
    long,
    short,
    fc.integer(),
    fc.constant(null),
    fc.array(tie("json"), { maxLength: 4 }),
    fc.dictionary(fc.oneof(short, long), tie("json"), { maxKeys: 4 }),
  ),
})).json;

test("what is written is what the writer alone would write", () => {
  fc.assert(
    fc.property(json, (value) => {
      const plain = dump(sortKeys(value), { noRefs: true, lineWidth: -1, seqNoIndent: true });
      assert.is(writeYaml(value), plain);
    }),
    { numRuns: 2000 },
  );
});

test("what is shortened and put back is what it was", () => {
  fc.assert(
    fc.property(json, (value) => {
      const { value: copy, texts } = shortenAll(value);
      assert.ok(equalJson(restore(copy, texts), value));
      if (texts.length > 0) assert.ok(JSON.stringify(copy).length < JSON.stringify(value).length);
    }),
    { numRuns: 2000 },
  );
});

test("a Secret of 1 MiB comes back", () => {
  const value = { data: { key: Buffer.alloc(1_048_576, 97).toString("base64") } };
  assert.equal(parseYaml(writeYaml(value)), value);
});

test.run();
