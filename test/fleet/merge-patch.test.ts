import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { equalJson, type Json } from "../../src/core/json.js";
import { mergePatch } from "../../src/fleet/merge-patch.js";

const test = suite("JSON merge patches");

/** RFC 7386, appendix A. */
const CASES: readonly (readonly [Json, Json, Json])[] = [
  [{ a: "b" }, { a: "c" }, { a: "c" }],
  [{ a: "b" }, { b: "c" }, { a: "b", b: "c" }],
  [{ a: "b" }, { a: null }, {}],
  [{ a: "b", b: "c" }, { a: null }, { b: "c" }],
  [{ a: ["b"] }, { a: "c" }, { a: "c" }],
  [{ a: "c" }, { a: ["b"] }, { a: ["b"] }],
  [{ a: { b: "c" } }, { a: { b: "d", c: null } }, { a: { b: "d" } }],
  [{ a: [{ b: "c" }] }, { a: [1] }, { a: [1] }],
  [
    ["a", "b"],
    ["c", "d"],
    ["c", "d"],
  ],
  [{ a: "b" }, ["c"], ["c"]],
  [{ a: "foo" }, null, null],
  [{ a: "foo" }, "bar", "bar"],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [[1, 2], { a: "b", c: null }, { a: "b" }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
];

test("the examples of the RFC", () => {
  for (const [target, patch, result] of CASES) assert.equal(mergePatch(target, patch), result);
});

test("a patch twice is a patch once, a member named __proto__ is one like others", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (target, patch) => {
      const [a, b] = [target, patch].map((each): Json => JSON.parse(JSON.stringify(each)));
      const once = mergePatch(a, b ?? null);
      assert.ok(equalJson(mergePatch(once, b ?? null), once));
    }),
  );
  const patch: Json = JSON.parse('{"__proto__": {"a": 1}}');
  assert.is(JSON.stringify(mergePatch({}, patch)), '{"__proto__":{"a":1}}');
});

test.run();
