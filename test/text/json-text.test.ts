/** Where a text stops being JSON, and where the members of an object stand: against JSON.parse. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { jsonFault, placeAt, topLevelMembers } from "../../src/text/json-text.js";

const test = suite("json-text");

const parses = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

test("faults, each where it is", () => {
  for (const [text, at] of [
    ["", 0],
    ["  ", 2],
    ["hello", 0],
    ["{'a': 1}", 1],
    ['{"a": ', 6],
    ['{"a": 1', 7],
    ['{"a": 1,}', 8],
    ["[1,]", 3],
    ["[1 2]", 3],
    ['{"a" 1}', 5],
    ['{"a": 01}', 6],
    ['{"a": "x', 8],
    ['{"a": "x\ny"}', 8],
    ['{"a": "\\x"}', 7],
    ['{"a": "\\u12"}', 7],
    ["{} x", 3],
    ["[}", 1],
    ["nul", 0],
    ["true1", 0],
    ["\ufeff{}", 0],
  ] as const)
    assert.is(jsonFault(text), at, text);
});

test("texts of all kinds: no fault just where JSON.parse takes them", () => {
  let state = 7;
  const next = (below: number): number => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return state % below;
  };
  const PARTS = [
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    '"a"',
    '"\\n"',
    '"',
    "\\",
    "1",
    "-",
    "0",
    ".5",
    "e3",
    "true",
    "null",
    " ",
    "\n",
    "x",
  ];
  const SOUND = ['{"a":[1,2.5e3,"x\\u0041",{}],"b":null}', "[[],[{}],-0.1]", '"text"', " 12 "];
  let taken = 0;
  for (let run = 0; run < 20_000; run++) {
    const sound = SOUND[next(SOUND.length)] ?? "";
    const at = next(sound.length + 1);
    const text =
      run % 2 === 0
        ? Array.from({ length: 1 + next(8) }, () => PARTS[next(PARTS.length)]).join("")
        : sound.slice(0, at) + (PARTS[next(PARTS.length)] ?? "") + sound.slice(at + next(2));
    const fault = jsonFault(text);
    assert.is(fault === undefined, parses(text), JSON.stringify(text));
    if (fault === undefined) taken++;
    else assert.ok(fault >= 0 && fault <= text.length, JSON.stringify(text));
  }
  assert.ok(taken > 500, String(taken));
});

test("members in their order, one that is there twice both times", () => {
  const text = '{"a": 1, "b" : [1, {"a": "}"}] ,"a":"x\\"y", "c\\n": {}}';
  assert.equal(
    [...topLevelMembers(text)].map(([key, start, end]) => [key, text.slice(start, end)]),
    [
      ["a", "1"],
      ["b", '[1, {"a": "}"}]'],
      ["a", '"x\\"y"'],
      ["c\n", "{}"],
    ],
  );
  assert.equal([...topLevelMembers(" { } ")], []);
});

test("places, from 1", () => {
  const text = "ab\ncd\n\nx";
  assert.equal(
    [0, 2, 3, 6, 7, 8].map((at) => placeAt(text, at)),
    [
      { line: 1, column: 1 },
      { line: 1, column: 3 },
      { line: 2, column: 1 },
      { line: 3, column: 1 },
      { line: 4, column: 1 },
      { line: 4, column: 2 },
    ],
  );
});

test("a single string of megabytes, and a hundred thousand brackets", () => {
  const long = "a".repeat(16 << 20);
  assert.is(jsonFault(`{"a": "${long}"}`), undefined);
  assert.is(jsonFault(`{"a": "${long}`), long.length + 7);
  assert.equal(
    [...topLevelMembers(`{"a": "${long}"}`)].map(([key, start, end]) => [key, end - start]),
    [["a", long.length + 2]],
  );
  const deep = "[".repeat(100_000);
  assert.is(jsonFault(deep), 100_000);
  assert.is(jsonFault(deep + "]".repeat(100_000)), undefined);
});

test.run();
