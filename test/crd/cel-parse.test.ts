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

test("what is short is read", () => assert.ok(parse("self.a == -1", new Set()).tree !== undefined));

test.run();
