import { suite } from "uvu";
import * as assert from "uvu/assert";
import { problemOf, systemCode } from "../../src/directory/fault.js";

const test = suite("faults of the file system");

/** What Node throws for an error of the system. */
const thrown = (code: string, errno: number): Error => Object.assign(new Error(code), { code, errno });

const TABLE: readonly (readonly [thrown: unknown, code: string])[] = [
  [thrown("ENOENT", -2), "ENOENT"],
  // libuv has no name for these.
  [thrown("Unknown system error -122", -122), process.platform === "linux" ? "EDQUOT" : "E122"],
  [thrown("Unknown system error -99999", -99_999), "E99999"],
  [Object.assign(new Error("bad"), { code: "ERR_INVALID_ARG_VALUE" }), ""],
  [new Error("bad"), ""],
  ["ENOENT", ""],
];
for (const [error, code] of TABLE)
  test(`${String(error)} is ${code || "none of the system's"}`, () => assert.is(systemCode(error), code));

test("an error without words is told by its number, and what is none of the system's is thrown on", () => {
  const { message } = problemOf(thrown("Unknown system error -99999", -99_999), "DIR002", "write", "a.yaml");
  assert.is(message, "cannot write a.yaml: E99999");
  assert.throws(() => problemOf(new TypeError("bug"), "DIR002", "write", "a.yaml"), /bug/);
});

test.run();
