/** Copies of etcd made in a test: bbolt files written from a list of records, and dumps. */
import { createHash } from "node:crypto";
import type { CopyFile } from "../../src/etcd/read/copy-file.js";

export function memoryFile(name: string, data: Uint8Array): CopyFile {
  return {
    name,
    size: data.length,
    readInto(target, position) {
      const part = data.subarray(
        Math.min(position, data.length),
        Math.min(position + target.length, data.length),
      );
      target.set(part);
      return part.length;
    },
  };
}

export interface TestRecord {
  readonly key: string;
  /** Undefined deletes the key. */
  readonly value: Uint8Array | undefined;
  readonly lease?: bigint;
}

interface Stored {
  readonly key: string;
  readonly create: bigint;
  readonly mod: bigint;
  readonly version: bigint;
  readonly lease: bigint;
  readonly value: Uint8Array;
}

const varint = (value: bigint): Buffer => {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, value);
  while (rest > 127n) {
    bytes.push(Number(rest & 127n) | 128);
    rest >>= 7n;
  }
  bytes.push(Number(rest));
  return Buffer.from(bytes);
};

export const field = (number: number, data: Uint8Array | string): Buffer => {
  const bytes = typeof data === "string" ? Buffer.from(data) : Buffer.from(data);
  return Buffer.concat([varint(BigInt(number * 8 + 2)), varint(BigInt(bytes.length)), bytes]);
};
const number = (of: number, value: bigint): Buffer => Buffer.concat([varint(BigInt(of * 8)), varint(value)]);

/** Kubernetes' protobuf envelope around an object with some metadata. */
export function envelope(
  apiVersion: string,
  kind: string,
  metadata: {
    name: string;
    namespace?: string;
    finalizers?: readonly string[];
    owners?: readonly { kind: string; name: string; apiVersion: string }[];
  },
  rest: Uint8Array = Buffer.alloc(0),
): Buffer {
  const meta = Buffer.concat([
    field(1, metadata.name),
    field(3, metadata.namespace ?? ""),
    field(5, "6d1e7a3c-0000-4000-8000-000000000000"),
    ...(metadata.owners ?? []).map((owner) =>
      field(
        13,
        Buffer.concat([
          field(1, owner.kind),
          field(3, owner.name),
          field(4, "uid"),
          field(5, owner.apiVersion),
        ]),
      ),
    ),
    ...(metadata.finalizers ?? []).map((each) => field(14, each)),
  ]);
  const raw = Buffer.concat([field(1, meta), rest]);
  const type = Buffer.concat([field(1, apiVersion), field(2, kind)]);
  return Buffer.concat([
    Buffer.from("k8s\0", "latin1"),
    field(1, type),
    field(2, raw),
    Buffer.from([0x1a, 0, 0x22, 0]),
  ]);
}

export const stored = ({ key, create, mod, version, lease, value }: Stored): Buffer =>
  Buffer.concat([
    field(1, Buffer.from(key)),
    number(2, create),
    number(3, mod),
    number(4, version),
    field(5, value),
    ...(lease === 0n ? [] : [number(6, lease)]),
  ]);

const PAGE = 4096;

/** A B+tree of leaf pages with one level of branches, written page after page. */
class Writer {
  private readonly pages: Buffer[] = [Buffer.alloc(PAGE), Buffer.alloc(PAGE)];

  /** Answers the root page of the entries, which are in order. */
  tree(entries: readonly (readonly [Buffer, Buffer, number?])[]): number {
    const leaves: { first: Buffer; id: number }[] = [];
    let part: (readonly [Buffer, Buffer, number?])[] = [];
    let size = 16;
    const flush = (): void => {
      leaves.push({ first: part[0]?.[0] ?? Buffer.alloc(0), id: this.leaf(part) });
      part = [];
      size = 16;
    };
    for (const entry of entries) {
      const own = 16 + entry[0].length + entry[1].length;
      if (part.length >= 2 && size + own > PAGE) flush();
      part.push(entry);
      size += own;
    }
    if (part.length > 0 || leaves.length === 0) flush();
    return leaves.length === 1 ? (leaves[0]?.id ?? 0) : this.branches(leaves);
  }

  private branches(children: readonly { first: Buffer; id: number }[]): number {
    const level: { first: Buffer; id: number }[] = [];
    for (let at = 0; at < children.length; at += 64) {
      const part = children.slice(at, at + 64);
      level.push({ first: part[0]?.first ?? Buffer.alloc(0), id: this.branch(part) });
    }
    return level.length === 1 ? (level[0]?.id ?? 0) : this.branches(level);
  }

  private branch(children: readonly { first: Buffer; id: number }[]): number {
    return this.write(
      1,
      children.length,
      (page) => {
        let at = 16 + children.length * 16;
        children.forEach(({ first, id }, i) => {
          const element = 16 + i * 16;
          page.writeUInt32LE(at - element, element);
          page.writeUInt32LE(first.length, element + 4);
          page.writeBigUInt64LE(BigInt(id), element + 8);
          at += first.copy(page, at);
        });
      },
      16 + children.reduce((sum, { first }) => sum + 16 + first.length, 0),
    );
  }

  private leaf(entries: readonly (readonly [Buffer, Buffer, number?])[]): number {
    const size = 16 + entries.reduce((sum, [key, value]) => sum + 16 + key.length + value.length, 0);
    return this.write(
      2,
      entries.length,
      (page) => {
        let at = 16 + entries.length * 16;
        entries.forEach(([key, value, flags = 0], i) => {
          const element = 16 + i * 16;
          page.writeUInt32LE(flags, element);
          page.writeUInt32LE(at - element, element + 4);
          page.writeUInt32LE(key.length, element + 8);
          page.writeUInt32LE(value.length, element + 12);
          at += key.copy(page, at);
          at += value.copy(page, at);
        });
      },
      size,
    );
  }

  private write(flags: number, count: number, fill: (page: Buffer) => void, size: number): number {
    const id = this.pages.reduce((sum, page) => sum + page.length / PAGE, 0);
    const pages = Math.ceil(size / PAGE);
    const page = Buffer.alloc(pages * PAGE);
    page.writeBigUInt64LE(BigInt(id), 0);
    page.writeUInt16LE(flags, 8);
    page.writeUInt16LE(count, 10);
    page.writeUInt32LE(pages - 1, 12);
    fill(page);
    this.pages.push(page);
    return id;
  }

  finish(root: number): Buffer {
    const end = this.pages.reduce((sum, page) => sum + page.length / PAGE, 0);
    [0, 1].forEach((which) => {
      const page = this.pages[which];
      if (page === undefined) return;
      page.writeBigUInt64LE(BigInt(which), 0);
      page.writeUInt16LE(4, 8);
      page.writeUInt32LE(0xed0cdaed, 16);
      page.writeUInt32LE(2, 20);
      page.writeUInt32LE(PAGE, 24);
      page.writeBigUInt64LE(BigInt(root), 32);
      page.writeBigUInt64LE(0xffffffffffffffffn, 48);
      page.writeBigUInt64LE(BigInt(end), 56);
      page.writeBigUInt64LE(BigInt(9 - which), 64);
      let hash = 0xcbf29ce484222325n;
      for (const byte of page.subarray(16, 72))
        hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
      page.writeBigUInt64LE(hash, 72);
    });
    return Buffer.concat(this.pages);
  }
}

const bucketValue = (root: number): Buffer => {
  const value = Buffer.alloc(16);
  value.writeBigUInt64LE(BigInt(root), 0);
  return value;
};

const revisionName = (main: bigint, tombstone: boolean): Buffer => {
  const name = Buffer.alloc(tombstone ? 18 : 17);
  name.writeBigUInt64BE(main, 0);
  name[8] = 0x5f;
  if (tombstone) name[17] = 0x74;
  return name;
};

/** A snapshot in which each record is a transaction of its own, from revision 2 on. */
export function snapshot(
  records: readonly TestRecord[],
  options: { readonly compacted?: bigint; readonly hash?: boolean } = {},
): Buffer {
  const lives = new Map<string, { create: bigint; version: bigint }>();
  const entries = records.map(({ key, value, lease = 0n }, i): readonly [Buffer, Buffer] => {
    const main = BigInt(i + 2);
    if (value === undefined) {
      lives.delete(key);
      return [revisionName(main, true), field(1, Buffer.from(key))];
    }
    const life = lives.get(key) ?? { create: main, version: 0n };
    life.version++;
    lives.set(key, life);
    return [
      revisionName(main, false),
      stored({ key, create: life.create, mod: main, version: life.version, lease, value }),
    ];
  });
  const compacted = options.compacted;
  const kept = compacted === undefined ? entries : afterCompaction(entries, records, compacted);
  const writer = new Writer();
  const key = writer.tree(kept);
  const meta = writer.tree(
    compacted === undefined
      ? [[Buffer.from("consistent_index"), Buffer.alloc(8)]]
      : [
          [Buffer.from("consistent_index"), Buffer.alloc(8)],
          [Buffer.from("finishedCompactRev"), revisionName(compacted, false)],
          [Buffer.from("scheduledCompactRev"), revisionName(compacted, false)],
        ],
  );
  const root = writer.tree([
    [Buffer.from("key"), bucketValue(key), 1],
    [Buffer.from("meta"), bucketValue(meta), 1],
  ]);
  const file = writer.finish(root);
  return options.hash === false ? file : Buffer.concat([file, createHash("sha256").update(file).digest()]);
}

/** What a compaction leaves: the newest record of each key at or below it, unless that is a deletion, and all above. */
function afterCompaction(
  entries: readonly (readonly [Buffer, Buffer])[],
  records: readonly TestRecord[],
  compacted: bigint,
): (readonly [Buffer, Buffer])[] {
  return entries.filter((_, i) => {
    if (BigInt(i + 2) > compacted) return true;
    const { key, value } = records[i] ?? { key: "", value: undefined };
    const later = records.some((other, j) => j > i && BigInt(j + 2) <= compacted && other.key === key);
    return !later && value !== undefined;
  });
}

/** The same live keys as `etcdctl get --prefix "" -w json` prints them. */
export function dump(records: readonly TestRecord[]): Buffer {
  const live = new Map<string, Stored>();
  records.forEach(({ key, value, lease = 0n }, i) => {
    const mod = BigInt(i + 2);
    const before = live.get(key);
    if (value === undefined) live.delete(key);
    else
      live.set(key, {
        key,
        create: before?.create ?? mod,
        mod,
        version: (before?.version ?? 0n) + 1n,
        lease,
        value,
      });
  });
  const kvs = [...live.values()]
    .sort((a, b) => Buffer.compare(Buffer.from(a.key), Buffer.from(b.key)))
    .map(
      ({ key, create, mod, version, lease, value }) =>
        `{"key":"${Buffer.from(key).toString("base64")}","create_revision":${create},"mod_revision":${mod},"version":${version},"value":"${Buffer.from(value).toString("base64")}"${lease === 0n ? "" : `,"lease":${lease}`}}`,
    );
  const header = `"header":{"cluster_id":14841639068965178418,"member_id":10276657743932975437,"revision":${records.length + 1},"raft_term":2}`;
  return Buffer.from(
    kvs.length === 0 ? `{${header}}\n` : `{${header},"kvs":[${kvs.join(",")}],"count":${kvs.length}}\n`,
  );
}
