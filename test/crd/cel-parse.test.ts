import { suite } from "uvu";
import * as assert from "uvu/assert";
import { loadParse } from "../../src/crd/cel/parse.js";

const test = suite("CEL is read");
const parse = await loadParse();

const DEEP: readonly (readonly [what: string, text: string])[] = [
  ["signs", "-\n".repeat(20_000)],
  ["negations", `${"!".repeat(50_000)}true`],
  ["parentheses", `${"(".repeat(50_000)}1${")".repeat(50_000)}`],
  ["lists", `${"[".repeat(50_000)}${"]".repeat(50_000)}`],
  ["choices", `${"true ? 1 : ".repeat(20_000)}1`],
  ["indexes", `a${"[b".repeat(20_000)}${"]".repeat(20_000)}`],
];
for (const [what, text] of DEEP)
  test(`${what} without end are left to the server`, () => {
    const { tree, fault, unknown } = parse(text, new Set());
    assert.is(tree, undefined);
    assert.ok(fault !== undefined || unknown !== undefined);
  });

const chain = (count: number, join: string): string => new Array(count).fill("a").join(join);
const DEPTHS: readonly (readonly [what: string, accepted: string, refused: string])[] = [
  ["sums", chain(251, " + "), chain(252, " + ")],
  ["members", chain(251, "."), chain(252, ".")],
  ["calls of methods", `a${".b()".repeat(250)}`, `a${".b()".repeat(251)}`],
  ["sums in a list in a comparison", `[${chain(250, " + ")}] == a`, `[${chain(251, " + ")}] == a`],
];
for (const [what, accepted, refused] of DEPTHS)
  test(`counts the depth of ${what} as a server does`, () => {
    assert.is(parse(accepted, new Set()).fault, undefined);
    assert.is(parse(refused, new Set()).fault, "max recursion depth exceeded");
  });

test("does not count && and || as steps down", () => {
  for (const join of [" && ", " || "]) assert.is(parse(chain(300, join), new Set()).fault, undefined);
});

test("refuses a text of more than 100,000 code points", () => {
  const text = (count: number): string => `'${"\u{1f600}".repeat(count - 2)}'`;
  assert.is(parse(text(100_000), new Set()).fault, undefined);
  assert.is(
    parse(text(100_001), new Set()).fault,
    "expression code point size exceeds limit: size: 100001, limit 100000",
  );
});

test("what is short is read", () => assert.ok(parse("self.a == -1", new Set()).tree !== undefined));

test.run();
