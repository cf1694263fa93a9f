import { suite } from "uvu";
import * as assert from "uvu/assert";
import { decode, encode } from "../../src/core/files.js";
import type { Json } from "../../src/core/json.js";
import { keepLayout } from "../../src/directory/keep-layout.js";
import { mergeValues } from "../../src/directory/merge.js";
import { asCommitted, mergeSides, saysSame, valuesOf } from "../../src/text/yaml-content.js";

const test = suite("directory/keep-layout");

const kept = async (text: string, ...values: readonly Json[]) => {
  const { data, keepsComments } = await keepLayout(encode(text), values);
  return { text: decode(data), keepsComments };
};

const CASES: readonly (readonly [name: string, before: string, values: readonly Json[], after: string])[] = [
  ["a comment and a quote", '# why\na: "1" # one\nb: 2\n', [{ a: "1", b: 3 }], '# why\na: "1" # one\nb: 3\n'],
  ["line ends", "# x\r\na: 1\r\nb: 2\r\n", [{ a: 1, b: 3 }], "# x\r\na: 1\r\nb: 3\r\n"],
  ["a marker", "---\nb: 1\na: 2\n", [{ a: 3, b: 1 }], "---\nb: 1\na: 3\n"],
  [
    "order, and a new field",
    "b: 1\na: 2\n",
    [{ a: 2, b: 1, c: { d: [1] } }],
    "b: 1\na: 2\nc:\n  d:\n  - 1\n",
  ],
  [
    "indentation",
    "a:\n    b:\n        - 1 # one\n    c: 2\n",
    [{ a: { b: [1], c: 3 } }],
    "a:\n    b:\n        - 1 # one\n    c: 3\n",
  ],
  ["a field that goes", "# x\na: 1\nb: 2 # gone\n", [{ a: 1 }], "# x\na: 1\n"],
  ["several documents", "a: 1 # x\n---\nb: 1\n", [{ a: 1 }, { b: 2 }], "a: 1 # x\n---\nb: 2\n"],
  ["the canonical form stays it", "a: 1\nb: 2\n", [{ c: 1, b: 2 }], "b: 2\nc: 1\n"],
];

for (const [name, before, values, after] of CASES)
  test(name, async () => {
    const result = await kept(before, ...values);
    assert.is(result.text, after);
    assert.is(result.keepsComments, true);
  });

test("a document with an anchor says the right values, and whether comments went", async () => {
  const { text, keepsComments } = await kept("# why\na: &x {k: 1}\nb: *x\n", { a: { k: 2 }, b: { k: 1 } });
  assert.equal(valuesOf(encode(text ?? "")), [{ a: { k: 2 }, b: { k: 1 } }]);
  assert.is(keepsComments, text?.includes("# why"));
});

const MERGES: readonly (readonly [
  name: string,
  base: Json,
  yours: Json,
  now: Json,
  value: Json,
  fields: readonly string[],
])[] = [
  ["different fields", { a: 1, b: 1 }, { a: 2, b: 1 }, { a: 1, b: 2 }, { a: 2, b: 2 }, []],
  ["the same change", { a: 1 }, { a: 2 }, { a: 2 }, { a: 2 }, []],
  ["the same field", { a: { b: 1 } }, { a: { b: 2 } }, { a: { b: 3 } }, { a: { b: 2 } }, ["a.b"]],
  ["removed, and changed", { a: 1, b: 1 }, { b: 1 }, { a: 2, b: 1 }, { b: 1 }, ["a"]],
  ["added on both sides", {}, { a: 1 }, { b: 1 }, { a: 1, b: 1 }, []],
  ["a name with dots", { "a.b": 1 }, { "a.b": 2 }, { "a.b": 3 }, { "a.b": 2 }, ['["a.b"]']],
  ["items of a list", { l: [1, 2] }, { l: [3, 2] }, { l: [1, 4] }, { l: [3, 4] }, []],
  ["a list that grew", { l: [1] }, { l: [1, 2] }, { l: [3] }, { l: [1, 2] }, ["l"]],
];

for (const [name, base, yours, now, value, fields] of MERGES)
  test(`merge: ${name}`, () => {
    const merged = mergeValues(base, yours, now);
    assert.equal(merged.value, value);
    assert.equal(
      merged.conflicts.map(({ field }) => field),
      fields,
    );
  });

test("lists of names merge name by name, where they are known to be some", () => {
  const [base, yours, now] = [{ l: ["a", "c"] }, { l: ["a", "mine", "d"] }, { l: ["a", "b", "c", "d"] }];
  assert.equal(mergeValues(base, yours, now, "", ["l"]), {
    value: { l: ["a", "mine", "b", "d"] },
    conflicts: [],
  });
  assert.is(mergeValues(base, yours, now).conflicts.length, 1);
  const objects = mergeValues({ l: [{}] }, { l: [{}, { a: 1 }] }, { l: [{ a: 2 }] }, "", ["l"]);
  assert.is(objects.conflicts.length, 1);
});

test("contents: layout does not count, values do, numbers beyond a double are not rounded", () => {
  const same = (a: string, b: string) => saysSame("manifests/a.yaml", encode(a), encode(b));
  assert.ok(same("a: 1\nb: x\n", "---\r\nb: 'x'\r\na: 1 # one\r\n"));
  assert.not.ok(same("a: 1\n", "a: '1'\n"));
  assert.not.ok(same("a: 9007199254740993\n", "a: 9007199254740992\n"));
  assert.not.ok(saysSame("auth/kubeadmin-password", encode("a: 1\n"), encode("a:  1\n")));
});

test("sides of a merge, and line ends of Git", () => {
  const text = "a\n<<<<<<< HEAD\nb\n||||||| base\nx\n=======\nc\n>>>>>>> other\nd\n";
  assert.equal(mergeSides(text), ["a\nb\nd\n", "a\nc\nd\n"]);
  assert.is(mergeSides("a\n=======\nb\n"), undefined);
  assert.is(mergeSides("<<<<<<< HEAD\na\n"), undefined);
  assert.is(decode(asCommitted(encode("a\r\nb\r\n"))), "a\nb\n");
  assert.is(decode(asCommitted(encode("a\r\nb"))), "a\r\nb");
});

test.run();
