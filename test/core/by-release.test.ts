import { suite } from "uvu";
import * as assert from "uvu/assert";
import { factsAt, holdsAt, rowAt, rowsAt } from "../../src/core/by-release.js";
import { release } from "../../src/core/minor.js";
import { RELEASE_ROWS, releaseNamed } from "../../src/core/release.js";

const test = suite("what differs by release");

test("since counts, before does not, and an end that is left out is open", () => {
  const span = { since: "4.19", before: "4.21" };
  const held = RELEASE_ROWS.filter((each) => holdsAt(span, each)).map(({ name }) => name);
  assert.equal(held, ["4.19", "4.20"]);
  const of = (kubernetes: string): boolean => holdsAt({ since: "1.9", before: "1.36" }, release(kubernetes));
  assert.equal(["1.8", "1.9", "1.35", "1.36"].map(of), [false, true, true, false]);
  assert.ok(holdsAt({ since: "4.19" }, releaseNamed("5.0")));
  assert.ok(holdsAt({ before: "later" }, releaseNamed("5.0")));
  assert.not.ok(holdsAt({ since: "later" }, releaseNamed("5.0")));
  assert.ok(holdsAt({ since: "4.3" }, releaseNamed("4.18")));
  assert.not.ok(holdsAt({ before: "4.21" }, releaseNamed("4.21")));
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
  assert.equal([at(releaseNamed("4.18"), "wheels"), at(releaseNamed("4.18"), "sails")], [false, true]);
});

test("a table that names no release is a fault of ours", () => {
  assert.throws(() => holdsAt({ since: "4" }, releaseNamed("4.18")), /4 is not an OpenShift release/);
  assert.throws(() => holdsAt({ since: "1" }, release("1.35")), /1 is not a release/);
});

test.run();
