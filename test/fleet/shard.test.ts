import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { parseShard, shardOf } from "../../src/fleet/shard.js";

const test = suite("shards of a fleet");

test("all shards together are the whole, each cluster once, whatever their number and the order", () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.string(), { maxLength: 200 }),
      fc.constantFrom(1, 2, 3, 7, 64),
      (names, count) => {
        const shards = Array.from({ length: count }, (_, index) =>
          names.filter((name) => shardOf(name, count) === index),
        );
        assert.equal(shards.flat().sort(), [...names].sort());
        const turned = [...names].reverse().filter((name) => shardOf(name, count) === 0);
        assert.equal(turned.sort(), shards[0]?.sort());
      },
    ),
  );
});

test("the split is a promise: these clusters are in these shards, by any implementation of SHA-256", () => {
  // printf egret | sha256sum | cut -c1-16, as a number, modulo 64
  assert.equal(
    ["egret", "heron", "clusters/stork"].map((name) => shardOf(name, 64)),
    [54, 3, 44],
  );
});

test("64 shards of a thousand clusters are of like size", () => {
  const sizes = new Map<number, number>();
  for (let i = 0; i < 1000; i++) {
    const shard = shardOf(`clusters/c${i}`, 64);
    sizes.set(shard, (sizes.get(shard) ?? 0) + 1);
  }
  assert.is(sizes.size, 64);
  assert.ok(Math.max(...sizes.values()) <= 40);
});

test("a shard is written I/N, from 0", () => {
  assert.equal(parseShard("0/1"), { index: 0, count: 1 });
  assert.equal(parseShard("63/64"), { index: 63, count: 64 });
  for (const text of [
    "1/1",
    "64/64",
    "-1/4",
    "0/0",
    "1",
    "1/",
    "/2",
    "1/2/3",
    "a/b",
    "1.5/2",
    "0x1/2",
    " 1/2",
  ])
    assert.is(parseShard(text), undefined, text);
});

test.run();
