import { suite } from "uvu";
import * as assert from "uvu/assert";
import { factsAt, holdsAt, rowAt, rowsAt } from "../../src/core/by-release.js";
import { release } from "../../src/core/minor.js";

const test = suite("what differs by release");

test("since counts, before does not, and an end that is left out is open", () => {
  const span = { since: "4.19", before: "4.21" };
  const held = ["4.9", "4.18", "4.19", "4.20", "4.21", "5.0"].filter((each) => holdsAt(span, release(each)));
  assert.equal(held, ["4.19", "4.20"]);
  assert.ok(holdsAt({ since: "4.19" }, release("5.0")));
  assert.ok(holdsAt({ before: "4.21" }, release("4.3")));
  assert.not.ok(holdsAt({ before: "4.21" }, release("4.21")));
  assert.ok(holdsAt({}, release("1.37")));
});

test("rows that hold stay in their order; of rows that replace each other the last one counts", () => {
  const rows = [{ name: "a" }, { name: "b", since: "1.30", before: "1.36" }, { name: "c", since: "1.35" }];
  assert.equal(
    rowsAt(rows, release("1.35")).map(({ name }) => name),
    ["a", "b", "c"],
  );
  const names = ["1.29", "1.30", "1.35", "1.36"].map((each) => rowAt(rows, release(each))?.name);
  assert.equal(names, ["a", "b", "c", "c"]);
  assert.is(rowAt([{ since: "1.30" }], release("1.29")), undefined);
});

test("a fact is asked for by its name", () => {
  const at = factsAt({ wheels: { since: "4.19" }, sails: { before: "4.19" } });
  assert.equal([at(release("4.18"), "wheels"), at(release("4.18"), "sails")], [false, true]);
});

test("a table that names no release is a fault of ours", () => {
  assert.throws(() => holdsAt({ since: "4" }, release("4.18")), /4 is not a release/);
});

test.run();
