/** Snapshots and dumps of arbitrary histories against a model of the store, and what readers say of damaged ones. */
import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Problem } from "../../src/core/diagnostics.js";
import { type CopyForm, openCopy } from "../../src/etcd/read/copies.js";
import { CopyFault } from "../../src/etcd/read/copy-file.js";
import { JsonTokens } from "../../src/etcd/read/json-tokens.js";
import { KeyArena, KeySet } from "../../src/etcd/read/key-set.js";
import { runs } from "../helpers/runs.js";
import { dump, memoryFile, snapshot, type TestRecord } from "./copies.js";

const test = suite("etcd readers");

interface Live {
  readonly value: string;
  readonly create: bigint;
  readonly mod: bigint;
  readonly version: bigint;
  readonly lease: bigint;
}

/** The live keys at a revision; record i has revision i + 2. */
function model(records: readonly TestRecord[], upTo: bigint): Map<string, Live> {
  const live = new Map<string, Live>();
  records.forEach(({ key, value, lease = 0n }, i) => {
    const mod = BigInt(i + 2);
    if (mod > upTo) return;
    const before = live.get(key);
    if (value === undefined) live.delete(key);
    else
      live.set(key, {
        value: Buffer.from(value).toString("latin1"),
        create: before?.create ?? mod,
        mod,
        version: (before?.version ?? 0n) + 1n,
        lease,
      });
  });
  return live;
}

function read(data: Uint8Array, form: CopyForm, at?: bigint): Map<string, Live> {
  const live = new Map<string, Live>();
  for (const record of openCopy(memoryFile("copy", data), form, () => {}).live(at)) {
    assert.not.ok(live.has(record.key), `${record.key} twice`);
    live.set(record.key, {
      value: record.value.toString("latin1"),
      create: record.createRevision,
      mod: record.modRevision,
      version: record.version,
      lease: record.lease,
    });
  }
  return live;
}

const sorted = (live: ReadonlyMap<string, Live>): [string, Live][] =>
  [...live].sort(([a], [b]) => (a < b ? -1 : 1));

const record: fc.Arbitrary<TestRecord> = fc.record(
  {
    key: fc.constantFrom("/registry/a/b", "/registry/a/c", "/registry/b", "x", "\0", "/registry/\u00e9"),
    value: fc.option(fc.uint8Array({ maxLength: 40 }), { nil: undefined }),
    lease: fc.constantFrom(0n, 1n, (1n << 53n) + 1n, (1n << 63n) - 1n),
  },
  { requiredKeys: ["key", "value", "lease"] },
);

test("any history, at any revision that is there", () => {
  fc.assert(
    fc.property(fc.array(record, { maxLength: 60 }), fc.nat(60), (records, cut) => {
      // Deleting what is not there writes nothing in etcd.
      const history: TestRecord[] = [];
      for (const each of records)
        if (each.value !== undefined || model(history, 1000n).has(each.key)) history.push(each);
      const newest = BigInt(history.length + 1);
      const keys = (live: Map<string, Live>): [string, Live][] =>
        sorted(new Map([...live].map(([key, value]) => [Buffer.from(key).toString("latin1"), value])));
      assert.equal(sorted(read(snapshot(history), "snapshot")), keys(model(history, newest)));
      assert.equal(sorted(read(dump(history), "dump")), keys(model(history, newest)));
      const at = BigInt(Math.min(cut, history.length) + 1);
      if (at > 1n) {
        assert.equal(sorted(read(snapshot(history), "db", at)), keys(model(history, at)));
        const compacted = snapshot(history, { compacted: at });
        assert.equal(sorted(read(compacted, "snapshot")), keys(model(history, newest)));
        assert.equal(sorted(read(compacted, "snapshot", at)), keys(model(history, at)));
      }
    }),
    { numRuns: runs(150) },
  );
});

test("thousands of keys, with branches above the leaves and values that fill pages", () => {
  const records = Array.from(
    { length: 6000 },
    (_, i): TestRecord => ({
      key: `/registry/configmaps/ns-${i % 7}/name-${i % 3000}`,
      value: i % 997 === 0 ? Buffer.alloc(20_000, i) : Buffer.from(`value ${i}`),
    }),
  );
  const live = read(snapshot(records), "snapshot");
  assert.is(live.size, model(records, 100_000n).size);
  assert.equal(sorted(live), sorted(model(records, 100_000n)));
});

const fault = (data: Uint8Array, form: CopyForm, at?: bigint): Problem => {
  try {
    for (const each of openCopy(memoryFile("copy", data), form, () => {}).live(at)) void each;
  } catch (error) {
    if (error instanceof CopyFault) return error.problem;
    throw error;
  }
  throw new Error("the copy was read");
};

const RECORDS: readonly TestRecord[] = Array.from({ length: 400 }, (_, i) => ({
  key: `/registry/secrets/ns/name-${i}`,
  value: Buffer.alloc(60, i),
}));
const SOUND = snapshot(RECORDS, { hash: false });
/** The file with some bytes changed. */
const changed = (change: (data: Buffer) => void, base: Buffer = SOUND): Buffer => {
  const data = Buffer.from(base);
  change(data);
  return data;
};
const pageOf = (flags: number): number => {
  for (let page = 2; page < SOUND.length / 4096; page++)
    if (SOUND.readUInt16LE(page * 4096 + 8) === flags && SOUND.readUInt16LE(page * 4096 + 10) > 3)
      return page;
  throw new Error("no such page");
};

test("damage is named with its page and its reason", () => {
  const leaf = pageOf(2);
  const branch = pageOf(1);
  for (const [name, data, code, message] of [
    ["an empty file", Buffer.alloc(0), "ETC001", /meta pages/],
    ["something else", Buffer.from("hello ".repeat(2000)), "ETC001", /magic number/],
    [
      "both metas damaged",
      changed((d) => d.fill(0xff, 16, 80).fill(0xff, 4112, 4176)),
      "ETC001",
      /magic number/,
    ],
    ["both checksums", changed((d) => d.fill(99, 40, 41).fill(99, 4136, 4137)), "ETC001", /checksum/],
    [
      "a big-endian file",
      changed((d) => d.fill(0, 0, 8192) && d.writeUInt32BE(0xed0cdaed, 16)),
      "ETC001",
      /big-endian/,
    ],
    ["cut in the middle", SOUND.subarray(0, 3 * 4096), "ETC003", /beyond the end/],
    ["cut inside the last page", SOUND.subarray(0, SOUND.length - 100), "ETC003", /page/],
    [
      "a page with another number",
      changed((d) => d.writeBigUInt64LE(77n, leaf * 4096)),
      "ETC002",
      new RegExp(`page ${leaf}: the page header contains page number 77`),
    ],
    ["a page of another kind", changed((d) => d.writeUInt16LE(16, leaf * 4096 + 8)), "ETC002", /flags 0x10/],
    ["a page of two kinds", changed((d) => d.writeUInt16LE(3, leaf * 4096 + 8)), "ETC002", /flags 0x3/],
    [
      "too many elements",
      changed((d) => d.writeUInt16LE(60000, leaf * 4096 + 10)),
      "ETC002",
      /has 60000 elements/,
    ],
    [
      "overflow beyond the file",
      changed((d) => d.writeUInt32LE(1 << 30, leaf * 4096 + 12)),
      "ETC002",
      /overflow/,
    ],
    [
      "an element outside its page",
      changed((d) => d.writeUInt32LE(1 << 20, leaf * 4096 + 16 + 8)),
      "ETC002",
      /element 0 is outside/,
    ],
    [
      "an element inside the table",
      changed((d) => d.writeUInt32LE(0, leaf * 4096 + 16 + 4)),
      "ETC002",
      /element 0 is outside/,
    ],
    [
      "a child that is its parent",
      changed((d) => d.writeBigUInt64LE(BigInt(branch), branch * 4096 + 16 + 8)),
      "ETC002",
      /part of the tree twice/,
    ],
    [
      "a child beyond the file",
      changed((d) => d.writeBigUInt64LE(1n << 60n, branch * 4096 + 16 + 8)),
      "ETC003",
      /beyond the end/,
    ],
    [
      "a meta page as a child",
      changed((d) => d.writeBigUInt64LE(1n, branch * 4096 + 16 + 8)),
      "ETC003",
      /page 1 /,
    ],
    [
      "the same child twice",
      changed((d) => d.copy(d, branch * 4096 + 24, branch * 4096 + 40, branch * 4096 + 48)),
      "ETC002",
      /part of the tree twice/,
    ],
    [
      "a branch without children",
      changed((d) => d.writeUInt16LE(0, branch * 4096 + 10)),
      "ETC002",
      /has no children/,
    ],
  ] as const) {
    const problem = fault(data, "db");
    assert.is(problem.code, code, `${name}: ${problem.message}`);
    assert.match(problem.message, message, name);
    assert.ok((problem.hint ?? "") !== "", name);
  }
});

test("one damaged meta page is not in the way", () => {
  const expected = sorted(read(SOUND, "db"));
  for (const at of [0, 4096]) {
    assert.equal(
      sorted(
        read(
          changed((d) => d.fill(0xff, at, at + 80)),
          "db",
        ),
      ),
      expected,
    );
    assert.equal(
      sorted(
        read(
          changed((d) => d.writeUInt8(9, at + 20)),
          "db",
        ),
      ),
      expected,
    );
  }
});

test("revisions out of bounds", () => {
  const data = snapshot(RECORDS, { compacted: 100n });
  assert.match(fault(data, "snapshot", 99n).message, /compacted at revision 100/);
  assert.match(fault(data, "snapshot", 402n).message, /newest revision in the copy is 401/);
  assert.match(fault(dump(RECORDS), "dump", 7n).message, /contains only revision 401/);
  assert.is(read(dump(RECORDS), "dump", 401n).size, 400);
});

test("a form that is not the one of the flag", () => {
  assert.match(fault(dump(RECORDS), "snapshot").hint ?? "", /--dump/);
  assert.match(fault(SOUND, "dump").hint ?? "", /--snapshot/);
});

const parts = (text: string): string => Buffer.from(text).toString("base64");
const kv = (extra = ""): string => `{"key":"${parts("k")}","value":"${parts("v")}","mod_revision":5${extra}}`;

test("dumps as other tools print them", () => {
  const value = (text: string): string =>
    [...read(Buffer.from(text), "dump")].map(([key, each]) => `${key}=${each.value}@${each.mod}`).join(" ");
  assert.is(value(`{"header":{},"kvs":[${kv()}],"count":1}`), "k=v@5");
  // The gateway prints numbers as strings, other printers add blanks and other members.
  assert.is(
    value(
      `{ "kvs" : [ {"mod_revision" : "5", "key" : "${parts("k")}", "value" : "${parts("v")}", "other": {"a": [1, "]"]} } ] , "count" : "1" }\n\n`,
    ),
    "k=v@5",
  );
  assert.is(
    value(`{"kvs":[{"key":"${parts("k").replace("=", "\\u003d")}","value":"a\\/8=","modRevision":"6"}]}`),
    "k=k\u00ff@6",
  );
  assert.is(value(`{"header":{"revision":9}}`), "");
  assert.is(
    value(
      `{"kvs":[${kv()}],"count":1}{"kvs":[{"key":"${parts("l")}","value":"","mod_revision":7}],"count":1}`,
    ),
    "k=v@5 l=@7",
  );
});

test("dumps that are incomplete or none", () => {
  const problems = (text: string): string => {
    const found: Problem[] = [];
    try {
      for (const each of openCopy(memoryFile("d.json", Buffer.from(text)), "dump", (p) =>
        found.push(p),
      ).live())
        void each;
    } catch (error) {
      if (!(error instanceof CopyFault)) throw error;
      found.push(error.problem);
    }
    return found.map(({ code, message }) => `${code} ${message}`).join("; ");
  };
  assert.match(problems(`{"kvs":[${kv()}],"count":3}`), /ETC008 the dump contains 1 of 3 keys/);
  assert.match(
    problems(`{"kvs":[${kv()}],"more":true,"count":1}`),
    /ETC008 the dump is incomplete: it was taken with a limit/,
  );
  assert.match(
    problems(`{"kvs":[{"key":"YQ=="},{"key":"Yg==","value":""}]}`),
    /ETC008 the dump contains 2 keys without values, as with --keys-only/,
  );
  assert.is(problems(`{"kvs":[{"key":"YQ=="},${kv()}]}`), "");
  for (const text of [
    "",
    "  ",
    "[]",
    "{}",
    '{"a":1}',
    `{"kvs":[${kv()}`,
    `{"kvs":[{}]}`,
    `{"kvs":[{"key":5}]}`,
    `{"kvs":[{"key":"?"}]}`,
    `{"kvs":[{"key":"abc"}]}`,
    `{"kvs":[{"key":"a-b_"}]}`,
    `{"kvs":[${kv(',"lease":99999999999999999999')}]}`,
    `{"kvs":[${kv(',"lease":1.5')}]}`,
    `{"kvs":[${kv()}]]`,
    `{"kvs":[${kv()}],}`,
    `{"kvs":["x"]}`,
    `{"kvs":{}}`,
    '{"header":{"revision":tru}}',
    '{"x":"\\q"}',
    `{"kvs":[${kv()}]} trailing`,
    `{"x":${"9".repeat(80)}}`,
  ])
    assert.match(problems(text), /ETC007 byte \d+: /, text);
});

test("tokens across the ends of what is read at once", () => {
  const long = "A".repeat(1_500_000);
  for (let shift = 0; shift < 8; shift++) {
    const text = `${" ".repeat((1 << 20) - 4 + shift)}["${long}","\\\\",12345678901234567890,true]`;
    const tokens = new JsonTokens(memoryFile("t.json", Buffer.from(text)));
    const seen: string[] = [];
    for (let token = tokens.next(); token.type !== "end"; token = tokens.next()) seen.push(token.text);
    assert.equal(seen, ["[", long, ",", "\\", ",", "12345678901234567890", ",", "true", "]"]);
  }
});

test("a set of keys", () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: fc.constantFrom("a", "b", "/"), maxLength: 6 }), { maxLength: 300 }),
      (texts) => {
        const set = new KeySet();
        const reference = new Set<string>();
        const arena = new KeyArena();
        texts.forEach((text, i) => {
          const data = Buffer.from(`..${text}..`);
          assert.is(set.add(data, 2, 2 + text.length), !reference.has(text));
          reference.add(text);
          assert.is(arena.addText(text), i);
        });
        assert.equal(
          texts.map((_, i) => arena.text(i)),
          texts,
        );
      },
    ),
  );
  const arena = new KeyArena();
  const large = "x".repeat(3 << 20);
  assert.equal(
    [arena.addText("a"), arena.addText(large), arena.addText("b")].map((i) => arena.text(i)),
    ["a", large, "b"],
  );
  const set = new KeySet();
  for (let round = 0; round < 2; round++)
    for (let i = 0; i < 20_000; i++) {
      const data = Buffer.from(`/registry/pods/ns/pod-${i}`);
      assert.is(set.add(data, 0, data.length), round === 0);
    }
});

test.run();
