/**
 * etcd's own data in a bbolt file: the revisions in the bucket `key`, newest first, and how far history was
 * compacted (docs/reference/storage-and-encryption.md §2.2).
 */
import { damaged, Pages } from "./bbolt-pages.js";
import { BackwardsCursor, type Bucket, buckets } from "./bbolt-tree.js";
import { CopyFault, type CopyFile } from "./copy-file.js";
import { KeySet } from "./key-set.js";
import type { HistoryRecord } from "./record.js";
import { type Cursor, readInt64, readLength, readVarint, skipField, WireFault } from "./varint.js";

const REVISION = 17;
/** A guess at how many bytes of a file there are for each key. */
const BYTES_PER_KEY = 4096;
const SEPARATOR = 0x5f;
const TOMBSTONE = 0x74;

export class Keyspace {
  /** Newest revision in the file. */
  readonly revision: bigint;
  /** Oldest revision whose state is still complete. */
  readonly compacted: bigint;

  constructor(private readonly file: CopyFile) {
    const pages = new Pages(file);
    const found = buckets(pages);
    const meta = found.get("meta");
    if (found.get("key") === undefined || meta === undefined)
      throw new CopyFault(
        file,
        "ETC001",
        `the bbolt file does not have etcd's buckets "key" and "meta"`,
        "use an etcd v3 snapshot or the db file of a member's data directory",
      );
    this.compacted = compactedRevision(pages, meta);
    this.revision = this.newestRevision();
  }

  /** Every record at or below a revision, newest first. */
  newestFirst(upTo: bigint): Generator<HistoryRecord> {
    return this.records(upTo, undefined);
  }

  /** The first record of each key, which decides what became of it. */
  newestOfEach(upTo: bigint): Generator<HistoryRecord> {
    return this.records(upTo, new KeySet(this.file.size / BYTES_PER_KEY));
  }

  private *records(upTo: bigint, seen: KeySet | undefined): Generator<HistoryRecord> {
    const pages = new Pages(this.file);
    const cursor = this.keyBucket(pages);
    const last: Revision = { mainHigh: 2 ** 32, mainLow: 0, subHigh: 0, subLow: 0 };
    while (cursor.next()) {
      const { data, keyStart, keyEnd, valueEnd } = cursor;
      const tombstone = isTombstone(pages, cursor);
      if (!movesBack(last, data, keyStart))
        throw damaged(this.file, cursor.page, "the revisions are not in order");
      const main =
        last.mainHigh < HIGH_EXACT
          ? BigInt(last.mainHigh * 2 ** 32 + last.mainLow)
          : data.readBigUInt64BE(keyStart);
      // `snapshot restore --bump-revision` leaves an entry without a value.
      if (main > upTo || keyEnd === valueEnd) continue;
      const record = recordOf(pages, cursor, main, tombstone, seen);
      if (record !== undefined) yield record;
    }
  }

  private newestRevision(): bigint {
    const pages = new Pages(this.file);
    const cursor = this.keyBucket(pages);
    if (!cursor.next()) return this.compacted;
    isTombstone(pages, cursor);
    const newest = cursor.data.readBigUInt64BE(cursor.keyStart);
    // A compaction removes the records of deletions, so it may lie above the newest record that is left.
    if (newest > this.compacted) return newest;
    return this.compacted;
  }

  /** Buckets are looked up anew for each walk, since a walk may see every page once. */
  private keyBucket(pages: Pages): BackwardsCursor {
    const bucket = buckets(pages).get("key");
    if (bucket === undefined) throw damaged(this.file, pages.root, "the key bucket is missing");
    return new BackwardsCursor(pages, bucket);
  }
}

/** A revision as four numbers, which compare faster than bigints. */
interface Revision {
  mainHigh: number;
  mainLow: number;
  subHigh: number;
  subLow: number;
}

/** Below this the upper half and the lower half make a number that is exact. */
const HIGH_EXACT = 2 ** 21;

/** Moves `last` to the revision at `at`; false when that is not older. */
function movesBack(last: Revision, data: Buffer, at: number): boolean {
  const mainHigh = data.readUInt32BE(at);
  const mainLow = data.readUInt32BE(at + 4);
  const subHigh = data.readUInt32BE(at + 9);
  const subLow = data.readUInt32BE(at + 13);
  const older =
    mainHigh !== last.mainHigh
      ? mainHigh < last.mainHigh
      : mainLow !== last.mainLow
        ? mainLow < last.mainLow
        : subHigh !== last.subHigh
          ? subHigh < last.subHigh
          : subLow < last.subLow;
  last.mainHigh = mainHigh;
  last.mainLow = mainLow;
  last.subHigh = subHigh;
  last.subLow = subLow;
  return older;
}

/** A key of the bucket is a revision of 17 bytes; an 18th byte marks a deletion. */
function isTombstone(pages: Pages, { page, data, keyStart, keyEnd }: BackwardsCursor): boolean {
  const length = keyEnd - keyStart;
  const marked = length === REVISION + 1 && data[keyStart + REVISION] === TOMBSTONE;
  if ((length !== REVISION && !marked) || data[keyStart + 8] !== SEPARATOR)
    throw damaged(pages.file, page, "the key bucket contains a key that is not a revision");
  return marked;
}

function compactedRevision(pages: Pages, meta: Bucket): bigint {
  let compacted = 0n;
  const cursor = new BackwardsCursor(pages, meta);
  while (cursor.next()) {
    const { page, data, keyStart, keyEnd, valueEnd } = cursor;
    const name = data.toString("latin1", keyStart, keyEnd);
    if (name !== "finishedCompactRev" && name !== "scheduledCompactRev") continue;
    if (valueEnd - keyEnd < 8) throw damaged(pages.file, page, `${name} is not a revision`);
    const revision = data.readBigUInt64BE(keyEnd);
    // A compaction that was scheduled may have removed any part of what lies below it.
    if (revision > compacted) compacted = revision;
  }
  return compacted;
}

function recordOf(
  pages: Pages,
  { page, data, keyEnd, valueEnd }: BackwardsCursor,
  main: bigint,
  tombstone: boolean,
  seen: KeySet | undefined,
): HistoryRecord | undefined {
  const cursor: Cursor = { data, at: keyEnd, end: valueEnd };
  let keyFrom = 0;
  let keyTo = -1;
  let createRevision = 0n;
  let modRevision = 0n;
  let version = 0n;
  let lease = 0n;
  let valueFrom = 0;
  let valueTo = 0;
  try {
    while (cursor.at < cursor.end) {
      const tag = readVarint(cursor);
      switch (tag) {
        case 0x0a:
          keyTo = readLength(cursor);
          keyFrom = cursor.at;
          cursor.at = keyTo;
          break;
        case 0x10:
          createRevision = readInt64(cursor);
          break;
        case 0x18:
          modRevision = readInt64(cursor);
          break;
        case 0x20:
          version = readInt64(cursor);
          break;
        case 0x2a:
          valueTo = readLength(cursor);
          valueFrom = cursor.at;
          cursor.at = valueTo;
          break;
        case 0x30:
          lease = readInt64(cursor);
          break;
        default:
          if (tag < 8) throw new WireFault("a field without a number");
          skipField(cursor, tag & 7);
      }
    }
  } catch (error) {
    if (!(error instanceof WireFault)) throw error;
    throw damaged(pages.file, page, `the record of revision ${main} cannot be read: ${error.message}`);
  }
  if (keyTo <= keyFrom) throw damaged(pages.file, page, `the record of revision ${main} has no key`);
  if (!tombstone && modRevision !== main)
    throw damaged(pages.file, page, `the record of revision ${main} has mod_revision ${modRevision}`);
  if (seen !== undefined && !seen.add(data, keyFrom, keyTo)) return undefined;
  return {
    key: data.toString("latin1", keyFrom, keyTo),
    createRevision,
    modRevision: tombstone ? main : modRevision,
    version,
    lease,
    value: data.subarray(valueFrom, valueTo),
    tombstone,
  };
}
