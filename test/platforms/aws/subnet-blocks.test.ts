import fc from "fast-check";
import ipaddr from "ipaddr.js";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { managedSubnets } from "../../../src/platforms/aws/infrastructure/managed-subnets.js";
import { splitIPv4, startsWithin } from "../../../src/platforms/subnet-blocks.js";

const test = suite("aws: splitting of networks");

const SPLITS: readonly (readonly [string, number, readonly string[] | undefined])[] = [
  ["10.0.0.0/16", 1, ["10.0.0.0/16"]],
  ["10.0.0.0/16", 2, ["10.0.0.0/17", "10.0.128.0/17"]],
  ["10.0.0.0/16", 3, ["10.0.0.0/18", "10.0.64.0/18", "10.0.128.0/18"]],
  ["10.0.96.0/19", 3, ["10.0.96.0/21", "10.0.104.0/21", "10.0.112.0/21"]],
  ["192.168.0.0/31", 2, ["192.168.0.0/32", "192.168.0.1/32"]],
  ["192.168.0.0/31", 3, undefined],
  [
    "255.255.255.0/24",
    4,
    ["255.255.255.0/26", "255.255.255.64/26", "255.255.255.128/26", "255.255.255.192/26"],
  ],
  ["10.0.0.0/8", 5, ["10.0.0.0/11", "10.32.0.0/11", "10.64.0.0/11", "10.96.0.0/11", "10.128.0.0/11"]],
  ["0.0.0.0/0", 2, ["0.0.0.0/1", "128.0.0.0/1"]],
  ["fd00::/48", 2, undefined],
  ["nonsense", 2, undefined],
];

for (const [block, count, parts] of SPLITS)
  test(`${block} into ${count}`, () => assert.equal(splitIPv4(block, count), parts));

const lines = (...given: Parameters<typeof managedSubnets>): string[] | undefined =>
  managedSubnets(...given)?.map(({ zone, cidr, public: open, edge }) =>
    [zone, cidr, open ? "public" : "private", ...(edge ? ["edge"] : [])].join(" "),
  );

test("a published cluster of three zones", () =>
  assert.equal(lines("10.0.0.0/16", ["a", "b", "c"], [], true), [
    "a 10.0.0.0/19 private",
    "a 10.0.96.0/21 public",
    "b 10.0.32.0/19 private",
    "b 10.0.104.0/21 public",
    "c 10.0.64.0/19 private",
    "c 10.0.112.0/21 public",
  ]));

test("a private cluster of three zones", () =>
  assert.equal(lines("10.0.0.0/16", ["a", "b", "c"], [], false), [
    "a 10.0.0.0/18 private",
    "b 10.0.64.0/18 private",
    "c 10.0.128.0/18 private",
  ]));

test("edge zones come last and share one part", () =>
  assert.equal(lines("10.0.0.0/16", ["a"], ["x", "y"], true), [
    "a 10.0.0.0/18 private",
    "a 10.0.64.0/18 public",
    "x 10.0.128.0/21 private edge",
    "x 10.0.144.0/21 public edge",
    "y 10.0.136.0/21 private edge",
    "y 10.0.152.0/21 public edge",
  ]));

test("edge zones of a private cluster have no public subnets", () =>
  assert.equal(lines("10.0.0.0/16", ["a"], ["x"], false), [
    "a 10.0.0.0/18 private",
    "x 10.0.128.0/19 private edge",
  ]));

test("too small a network", () => assert.is(lines("10.0.0.0/30", ["a", "b", "c"], [], true), undefined));

const block = fc
  .tuple(fc.integer({ min: 1, max: 24 }), fc.integer({ min: 0, max: 2 ** 24 - 1 }))
  .map(([prefix, seed]) => {
    const size = 2 ** (32 - prefix);
    const start = seed * 2 ** 8 - ((seed * 2 ** 8) % size);
    return `${[24, 16, 8, 0].map((shift) => Math.floor(start / 2 ** shift) % 256).join(".")}/${prefix}`;
  });
const names = (count: number, of: string): string[] => Array.from({ length: count }, (_, i) => `${of}${i}`);

const range = (cidr: string): [number, number] => {
  const [address, prefix] = ipaddr.IPv4.parseCIDR(cidr);
  const start = address.octets.reduce((sum, octet) => sum * 256 + octet, 0);
  return [start, start + 2 ** (32 - prefix)];
};

test("subnets lie in the network and do not overlap", () =>
  fc.assert(
    fc.property(
      block,
      fc.integer({ min: 1, max: 6 }),
      fc.integer({ min: 0, max: 4 }),
      fc.boolean(),
      (network, zones, edge, external) => {
        const subnets = managedSubnets(network, names(zones, "z"), names(edge, "e"), external);
        if (subnets === undefined) return;
        assert.is(subnets.length, (zones + edge) * (external ? 2 : 1));
        const [from, to] = range(network);
        const ranges = subnets.map(({ cidr }) => range(cidr)).sort(([a], [b]) => a - b);
        let end = from;
        for (const [start, next] of ranges) {
          assert.ok(start >= end, "no overlap");
          end = next;
        }
        assert.ok(end <= to, "inside");
      },
    ),
  ));

test("where a block starts decides whether it is within a network", () => {
  assert.ok(startsWithin("10.1.0.0/24", ["10.0.0.0/16", "10.1.0.0/16"]));
  assert.not.ok(startsWithin("10.2.0.0/24", ["10.0.0.0/16"]));
  assert.ok(startsWithin("10.0.0.0/8", ["10.0.0.0/16"]), "its size does not count");
  assert.ok(startsWithin("fd00:1::/64", ["10.0.0.0/16", "fd00::/16"]));
  assert.not.ok(startsWithin("10.0.0.0/24", ["fd00::/16"]));
  assert.not.ok(startsWithin("10.0.0.0", ["10.0.0.0/16"]));
});

test.run();
