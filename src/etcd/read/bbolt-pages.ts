/**
 * Pages of a bbolt file: the two metas, page headers, and the checks that let a reader trust what it follows
 * (docs/reference/storage-and-encryption.md §2.1). Every page is handed out at most once, so that whatever a damaged or
 * hostile file says, no more is read than the file holds.
 */
import { CopyFault, type CopyFile } from "./copy-file.js";
import { Stretches } from "./stretches.js";

const MAGIC = 0xed0cdaed;
const VERSION = 2;
const HEADER = 16;
const META_SIZE = 64;
/** Page sizes that bbolt itself tries when the first meta is damaged. */
const PAGE_SIZES = Array.from({ length: 15 }, (_, n) => 1024 << n);
/** The largest page with its overflow that is read: many times the largest value that etcd accepts by default. */
const LARGEST_PAGE = 64 << 20;

export const PAGE_FLAGS = { branch: 1, leaf: 2, meta: 4, freelist: 16 } as const;

export interface Page {
  readonly id: number;
  readonly flags: number;
  /** Number of elements. */
  readonly count: number;
  /** The page with its overflow, header included; valid until the next page is loaded. */
  readonly data: Buffer;
}

interface Meta {
  readonly pageSize: number;
  readonly root: bigint;
  readonly highWater: bigint;
  readonly transaction: bigint;
}

export class Pages {
  readonly pageSize: number;
  /** The page that the newest valid meta names as root of all buckets. */
  readonly root: number;
  private readonly handedOut: Uint8Array;
  private readonly stretches: Stretches;

  constructor(readonly file: CopyFile) {
    const meta = newestMeta(file);
    this.pageSize = meta.pageSize;
    this.stretches = new Stretches(file, meta.pageSize);
    this.handedOut = new Uint8Array(Math.ceil(file.size / meta.pageSize / 8) + 1);
    if (meta.root >= meta.highWater)
      throw damaged(file, 0, `the root page is ${meta.root}, but the last page is before ${meta.highWater}`);
    this.root = Number(meta.root);
  }

  /**
   * Loads a page with its overflow; refuses one that lies outside the file, is not what it says or was read before.
   * `alone` says that its neighbours are not wanted next.
   */
  load(id: number, expected: number, alone = false): Page {
    const { file, pageSize } = this;
    const position = id * pageSize;
    if (id < 2 || position + pageSize > file.size)
      throw new CopyFault(
        file,
        "ETC003",
        `page ${id} is referenced but beyond the end of the file (${file.size} bytes)`,
        "the copy is truncated; take it again",
      );
    let data = this.stretches.read(position, pageSize, alone);
    const own = data.readUInt32LE(0) + data.readUInt32LE(4) * 2 ** 32;
    const flags = data.readUInt16LE(8);
    const count = data.readUInt16LE(10);
    const overflow = data.readUInt32LE(12);
    if (own !== id) throw damaged(file, id, `the page header contains page number ${own}`);
    if ((flags & expected) === 0 || (flags & (flags - 1)) !== 0)
      throw damaged(
        file,
        id,
        `the page has flags 0x${flags.toString(16)}, expected a ${kindOf(expected)} page`,
      );
    const size = (overflow + 1) * pageSize;
    if (size > LARGEST_PAGE || position + size > file.size)
      throw damaged(file, id, `the page has an overflow of ${overflow} pages`);
    this.handOut(id, overflow);
    if (HEADER + count * 16 > size) throw damaged(file, id, `the page has ${count} elements`);
    if (overflow > 0) data = this.stretches.read(position, size, alone);
    return { id, flags, count, data };
  }

  private handOut(id: number, overflow: number): void {
    for (let each = id; each <= id + overflow; each++) {
      const bit = 1 << (each & 7);
      const at = each >> 3;
      const before = this.handedOut[at] ?? 0;
      if ((before & bit) !== 0) throw damaged(this.file, each, "the page is part of the tree twice");
      this.handedOut[at] = before | bit;
    }
  }
}

const kindOf = (flags: number): string =>
  flags === PAGE_FLAGS.leaf ? "leaf" : flags === PAGE_FLAGS.branch ? "branch" : "branch or leaf";

export const damaged = (file: CopyFile, page: number, reason: string): CopyFault =>
  new CopyFault(
    file,
    "ETC002",
    `page ${page}: ${reason}`,
    "the copy is damaged; take it again or use that of another member",
  );

/** True when either meta page has the magic number of bbolt, whatever else is wrong with it. */
export function looksLikeBbolt(file: CopyFile): boolean {
  const magic = Buffer.alloc(4);
  return [0, ...PAGE_SIZES].some(
    (page) => file.readInto(magic, page + HEADER) === 4 && magic.readUInt32LE(0) === MAGIC,
  );
}

function newestMeta(file: CopyFile): Meta {
  const reasons: string[] = [];
  const first = metaAt(file, 0, reasons);
  const candidates = first === undefined ? PAGE_SIZES : [first.pageSize];
  let best = first;
  for (const size of candidates) {
    const second = metaAt(file, size, reasons);
    if (second === undefined || second.pageSize !== size) continue;
    if (best === undefined || second.transaction > best.transaction) best = second;
  }
  if (best === undefined)
    throw new CopyFault(
      file,
      "ETC001",
      `neither of the two bbolt meta pages is valid: ${[...new Set(reasons)].slice(0, 3).join(", ")}`,
      "use an etcd snapshot or the db file of a data directory; use --dump for a JSON dump",
    );
  return best;
}

function metaAt(file: CopyFile, position: number, reasons: string[]): Meta | undefined {
  const refuse = (reason: string): undefined => void reasons.push(reason);
  const data = Buffer.alloc(HEADER + META_SIZE);
  if (file.readInto(data, position) < data.length) return refuse(`the file has ${file.size} bytes`);
  const magic = data.readUInt32LE(HEADER);
  if (magic !== MAGIC)
    return data.readUInt32BE(HEADER) === MAGIC
      ? refuse("the file was written on a big-endian machine")
      : refuse("the magic number is missing");
  const version = data.readUInt32LE(HEADER + 4);
  if (version !== VERSION) return refuse(`the format version is ${version}, expected ${VERSION}`);
  if (fnv1a(data.subarray(HEADER, HEADER + 56)) !== data.readBigUInt64LE(HEADER + 56))
    return refuse("the checksum of the meta page is wrong");
  const pageSize = data.readUInt32LE(HEADER + 8);
  if (!PAGE_SIZES.includes(pageSize)) return refuse(`the page size is ${pageSize}`);
  return {
    pageSize,
    root: data.readBigUInt64LE(HEADER + 16),
    highWater: data.readBigUInt64LE(HEADER + 40),
    transaction: data.readBigUInt64LE(HEADER + 48),
  };
}

/** FNV-1a, 64 bits. */
function fnv1a(data: Uint8Array): bigint {
  let hash = 0xcbf29ce484222325n;
  for (const byte of data) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  return hash;
}
