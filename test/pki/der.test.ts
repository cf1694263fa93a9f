import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  directoryString,
  integer,
  octetString,
  oid,
  readOid,
  readTime,
  readValue,
  readValues,
  sequence,
  setOf,
  TAG,
  time,
} from "../../src/pki/der.js";

const test = suite("der");
const hex = (bytes: Buffer): string => bytes.toString("hex");

test("integers are as short as possible and never negative", () => {
  for (const [bytes, expected] of [
    [[0], "020100"],
    [[0, 0], "020100"],
    [[], "020100"],
    [[127], "02017f"],
    [[128], "02020080"],
    [[0, 0, 255], "020200ff"],
    [[1, 0], "02020100"],
  ] as const)
    assert.is(hex(integer(Buffer.from(bytes))), expected);
});

test("lengths have the shortest form at every boundary", () => {
  for (const [length, head] of [
    [0, "0400"],
    [127, "047f"],
    [128, "048180"],
    [255, "0481ff"],
    [256, "04820100"],
    [65535, "0482ffff"],
    [65536, "0483010000"],
  ] as const)
    assert.ok(hex(octetString(Buffer.alloc(length))).startsWith(head), `${length}`);
});

test("object identifiers are written and read", () => {
  assert.is(hex(oid("1.2.840.113549.1.1.11")), "06092a864886f70d01010b");
  for (const dotted of ["2.5.29.15", "1.3.6.1.5.5.7.3.1", "2.999.3", "0.39.1", "1.2.840.10045.4.3.2"])
    assert.is(readOid(readValue(oid(dotted)).content), dotted);
});

test("times change their type with the year 2050", () => {
  for (const [text, expected] of [
    ["2026-11-27T23:14:15.999Z", "170d3236313132373233313431355a"],
    ["2049-12-31T23:59:59Z", "170d3439313233313233353935395a"],
    ["2050-01-01T00:00:00Z", "180f32303530303130313030303030305a"],
  ] as const) {
    const written = time(new Date(text));
    assert.is(hex(written), expected);
    assert.is(readTime(readValue(written)).toISOString(), text.replace(/(\.\d+)?Z$/, ".000Z"));
  }
});

test("a text is printable or UTF-8", () => {
  assert.is(directoryString("system:serviceaccount:x-y")[0], TAG.printableString);
  assert.is(directoryString("a_b")[0], TAG.utf8String);
  assert.is(directoryString("möwe")[0], TAG.utf8String);
});

test("members of a set stand in the order of their bytes", () => {
  const [short, long] = [octetString(Buffer.alloc(2)), octetString(Buffer.alloc(3))];
  assert.equal(setOf(long, short), setOf(short, long));
  assert.equal(readValues(readValue(setOf(long, short)).content)[0]?.raw, short);
});

test("what is written is read, and a cut is an error", () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 400 }), { minLength: 1, maxLength: 5 }), (contents) => {
      const written = sequence(...contents.map(octetString));
      const read = readValues(readValue(written).content);
      assert.equal(
        read.map(({ content }) => hex(content)),
        contents.map((content) => hex(Buffer.from(content))),
      );
      assert.throws(() => readValue(written.subarray(0, written.length - 1)));
    }),
  );
});

test.run();
