import { suite } from "uvu";
import * as assert from "uvu/assert";
import { readCbor } from "../../src/etcd/decode/cbor.js";

const test = suite("CBOR of stored objects");

/** The self-describing tag, then a value (RFC 8949, appendix A). */
const read = (hex: string): unknown => readCbor(Buffer.from(`d9d9f7${hex}`, "hex"));

const VALUES: readonly (readonly [hex: string, expected: unknown])[] = [
  ["a0", {}],
  ["bfff", {}],
  ["a16161f5", { a: true }],
  ["bf616101616202ff", { a: 1, b: 2 }],
  ["a161619f01029f03ffff", { a: [1, 2, [3]] }],
  ["a161617f657374726561646d696e67ff", { a: "streaming" }],
  ["a161611a000f4240", { a: 1_000_000 }],
  ["a161613903e7", { a: -1000 }],
];
for (const [hex, expected] of VALUES) test(`reads ${hex}`, () => assert.equal(read(hex), expected));

const FAULTS: readonly (readonly [hex: string, message: RegExp])[] = [
  ["bf6161", /unexpected EOF/],
  ["a161619f01", /unexpected EOF/],
  ["a161617f41", /wrong element type/],
  ["a161617f6161", /EOF/],
  ["a161611c", /additional information 28/],
];
for (const [hex, message] of FAULTS) test(`refuses ${hex}`, () => assert.throws(() => read(hex), message));

test.run();
