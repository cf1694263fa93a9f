import { suite } from "uvu";
import * as assert from "uvu/assert";
import { pooled } from "../../src/pki/pooled.js";
import { quickKeys } from "../helpers/inputs.js";

const test = suite("keys of a pool");

test("keys that are asked for together are taken in one grip, the rest is made and told", async () => {
  const pool = ["a", "b", "c"];
  const grips: number[] = [];
  const missed: number[] = [];
  const fresh = quickKeys();
  const source = pooled(
    fresh,
    async (count) => {
      grips.push(count);
      return pool.splice(0, count);
    },
    (count) => void missed.push(count),
  );
  const first = await Promise.all(["x", "y"].map((name) => source.generate("rsa-2048", name)));
  assert.equal(first, ["a", "b"]);
  assert.equal(fresh.asked, []);
  const second = await Promise.all(["p", "q", "r"].map((name) => source.generate("rsa-2048", name)));
  assert.is(second[0], "c");
  assert.equal(grips, [2, 3]);
  assert.equal(missed, [2]);
  assert.equal(fresh.asked, ["rsa-2048", "rsa-2048"]);
});

test("keys of other algorithms do not come from the pool", async () => {
  const fresh = quickKeys();
  const source = pooled(
    fresh,
    async () => [],
    () => assert.unreachable(),
  );
  await source.generate("ecdsa-p256", "x");
  assert.equal(fresh.asked, ["ecdsa-p256"]);
});

test.run();
