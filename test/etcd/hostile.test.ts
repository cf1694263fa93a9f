/** Values of any bytes and prefixes of any name: the decoders answer, and a key's place does not depend on the order. */
import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Problem } from "../../src/core/diagnostics.js";
import { type Codec, decodeValue } from "../../src/etcd/decode/decode.js";
import { NO_ANSWERS } from "../../src/etcd/encryption/answers.js";
import { extract } from "../../src/etcd/extract.js";
import { type Copy, openCopy } from "../../src/etcd/read/copies.js";
import { keyText } from "../../src/etcd/read/record.js";
import { type ScanOptions, scan } from "../../src/etcd/scan.js";
import { runs } from "../helpers/runs.js";
import { dump, envelope, memoryFile, snapshot, type TestRecord } from "./copies.js";
import { cbor } from "./values.js";

const test = suite("etcd hostile values");

const CODECS: readonly Codec[] = ["typed", "unstructured", "any"];
const TAG = Buffer.from("d9d9f7", "hex");

/** What CBOR is made of, joined without sense: heads of every kind, with odd arguments behind them. */
const pieces = fc.array(
  fc.oneof(
    fc.integer({ min: 0, max: 255 }).map((byte) => Buffer.of(byte)),
    fc
      .tuple(fc.integer({ min: 0, max: 7 }), fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }))
      .map(([major, argument]) => {
        const data = Buffer.alloc(9);
        data[0] = major * 32 + 27;
        data.writeBigUInt64BE(argument, 1);
        return data;
      }),
    fc.double().map((value) => {
      const data = Buffer.alloc(9);
      data[0] = 0xfb;
      data.writeDoubleBE(value, 1);
      return data;
    }),
    fc
      .constantFrom("c0", "c1", "c2", "d6", "a1", "81", "9f", "bf", "ff", "6161", "f97e00")
      .map((hex) => Buffer.from(hex, "hex")),
  ),
  { maxLength: 12 },
);

test("CBOR of any bytes is read or refused", () => {
  fc.assert(
    fc.property(pieces, fc.boolean(), (parts, inside) => {
      // Inside a map, so that what is wrong with an item is reached.
      const data = Buffer.concat([TAG, ...(inside ? [Buffer.from("a14161", "hex")] : []), ...parts]);
      for (const codec of CODECS) decodeValue(data, codec);
    }),
    { numRuns: runs(3000) },
  );
});

test("values of any form with any damage are read or refused", () => {
  const forms = [
    cbor({ apiVersion: "example.com/v1", kind: "Widget", metadata: { name: "w", list: [1, true, null] } }),
    Buffer.from('{"apiVersion":"v1","kind":"Secret","metadata":{"name":"s","ownerReferences":[{}]}}'),
    envelope("v1", "Secret", { name: "s", finalizers: ["a"], owners: [] }, Buffer.alloc(20, 0x12)),
    Buffer.from("apiVersion: v1\nkind: Secret\nmetadata: {name: &a s, x: *a}\n"),
  ];
  const bytes = fc.uint8Array({ maxLength: 6 });
  fc.assert(
    fc.property(fc.nat(3), fc.nat(200), fc.nat(12), bytes, (form, at, cut, put) => {
      const sound = forms[form] ?? Buffer.alloc(0);
      const place = at % (sound.length + 1);
      const data = Buffer.concat([sound.subarray(0, place), put, sound.subarray(place + cut)]);
      for (const codec of CODECS) decodeValue(data, codec);
    }),
    { numRuns: runs(3000) },
  );
});

const errorOf = (data: Buffer, codec: Codec): string | undefined => {
  const decoded = decodeValue(data, codec);
  return decoded.ok ? undefined : decoded.error;
};

test("times in CBOR", () => {
  const time = (hex: string): Buffer =>
    Buffer.concat([TAG, Buffer.from(`a2446b696e6441574161${hex}`, "hex")]);
  assert.is(errorOf(time("c11a514b67b0"), "unstructured"), undefined);
  assert.is(errorOf(time("c1fb41d452d9ec200000"), "unstructured"), undefined);
  assert.is(errorOf(time("c11b7fffffffffffffff"), "unstructured"), "cbor: a time out of range");
  assert.is(errorOf(time("c13b7fffffffffffffff"), "unstructured"), "cbor: a time out of range");
  assert.is(errorOf(time("c16161"), "unstructured"), "cbor: a time that is not a number of seconds");
  assert.is(errorOf(time("c074323031332d30332d32315432303a30343a30305a"), "unstructured"), undefined);
  assert.is(errorOf(time("c06161"), "unstructured"), "cbor: a time that is not one of RFC 3339");
});

test("JSON that is cut short, is none, or is deeper than the server reads", () => {
  const first = "couldn't get version/kind; json parse error: ";
  const end = "unexpected end of JSON input";
  for (const text of ["{", '{"a', '{"a":', '{"a":[1,', '{"a":tru', '{"a":1']) {
    assert.is(errorOf(Buffer.from(text), "unstructured"), end, text);
    assert.is(errorOf(Buffer.from(text), "typed"), first + end, text);
  }
  assert.is(errorOf(Buffer.from('{"a":x}'), "typed"), `${first}the text is not JSON`);
  // Brackets inside a text do not count.
  const text = JSON.stringify(`"${"[".repeat(20_000)}\\`);
  const deep = (depth: number): Buffer =>
    Buffer.from(`{"kind":"A","a":${"[".repeat(depth)}${text}${"]".repeat(depth)}}`);
  assert.is(errorOf(deep(9_000), "unstructured"), undefined);
  assert.is(errorOf(deep(10_000), "unstructured"), "exceeded max depth");
});

const widget = Buffer.from('{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w"}}\n');
/** The custom resource is met before the key that shows the prefix, forwards and backwards. */
const RECORDS: readonly TestRecord[] = [
  { key: "/made/up/example.com/widgets/ns/a", value: widget },
  { key: "/made/up/secrets/ns/s", value: envelope("v1", "Secret", { name: "s" }) },
  { key: "/made/up/example.com/widgets/ns/b", value: Buffer.from('{"apiVersion":') },
  { key: "elsewhere", value: Buffer.from("1") },
];

const optionsOf = (copy: Copy, problems: Problem[], prefixes: readonly string[] = []): ScanOptions => ({
  copies: [copy],
  prefixes,
  configs: [],
  answers: NO_ANSWERS,
  report: (problem) => void problems.push(problem),
});

test("a prefix of its own counts for the keys that are read before it is known", async () => {
  for (const form of ["snapshot", "dump"] as const) {
    const data = form === "dump" ? dump(RECORDS) : snapshot(RECORDS);
    const places = async (prefixes: readonly string[]): Promise<string[]> => {
      const problems: Problem[] = [];
      const { table, order } = await scan(
        optionsOf(
          openCopy(memoryFile("copy", data), form, () => {}),
          problems,
          prefixes,
        ),
      );
      assert.equal(problems, []);
      return [...order()].map(
        (row) => `${keyText(table.key(row))} ${table.resourceOf(row).family} ${table.result(row)}`,
      );
    };
    const expected = [
      "/made/up/example.com/widgets/ns/a custom ok",
      "/made/up/example.com/widgets/ns/b custom undecodable",
      "/made/up/secrets/ns/s builtin ok",
      "elsewhere none not-an-object",
    ];
    assert.equal(await places([]), expected, form);
    assert.equal(await places(["/made/up"]), expected, `${form}, prefix given`);
    const problems: Problem[] = [];
    const { data: plain } = await extract(
      "/made/up/example.com/widgets/ns/a",
      optionsOf(
        openCopy(memoryFile("copy", data), form, () => {}),
        problems,
      ),
    );
    assert.ok(plain?.equals(widget), form);
  }
});

test.run();
