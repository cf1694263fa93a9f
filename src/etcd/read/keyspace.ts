/**
 * etcd's own data in a bbolt file: the revisions in the bucket `key`, newest first, and how far history was
 * compacted (facts/storage-and-encryption.md §2.2).
 */
import { damaged, Pages } from "./bbolt-pages.js";
import { type Bucket, buckets, type Element, elementsBackwards } from "./bbolt-tree.js";
import { CopyFault, type CopyFile } from "./copy-file.js";
import type { HistoryRecord } from "./record.js";
import { type Cursor, readInt64, readLength, readVarint, skipField, WireFault } from "./varint.js";

const REVISION = 17;
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
        `it is a bbolt file without etcd's buckets "key" and "meta"`,
        "give an etcd v3 snapshot or the db file of a member's data directory",
      );
    this.compacted = compactedRevision(pages, meta);
    this.revision = this.newestRevision();
  }

  /** Every record at or below a revision, newest first: the first of a key decides what became of it. */
  *newestFirst(upTo: bigint): Generator<HistoryRecord> {
    const pages = new Pages(this.file);
    let last: Buffer | undefined;
    for (const element of this.keyBucket(pages)) {
      const name = revisionName(pages, element);
      if (last !== undefined && last.compare(name) <= 0)
        throw damaged(this.file, element.page, "the revisions are not in order");
      last = name;
      const main = name.readBigUInt64BE(0);
      if (main > upTo || element.keyEnd === element.valueEnd) continue;
      yield recordOf(pages, element, name, main);
    }
  }

  private newestRevision(): bigint {
    const pages = new Pages(this.file);
    for (const element of this.keyBucket(pages)) {
      const newest = revisionName(pages, element).readBigUInt64BE(0);
      // A compaction removes the records of deletions, so it may lie above the newest record that is left.
      if (newest > this.compacted) return newest;
      break;
    }
    return this.compacted;
  }

  /** Buckets are looked up anew for each walk, since a walk may see every page once. */
  private keyBucket(pages: Pages): Generator<Element> {
    const bucket = buckets(pages).get("key");
    if (bucket === undefined) throw damaged(this.file, pages.root, "the bucket of keys is gone");
    return elementsBackwards(pages, bucket);
  }
}

/** The 17 bytes of a revision, copied since pages come and go; an 18th byte marks a tombstone. */
function revisionName(pages: Pages, { page, data, keyStart, keyEnd }: Element): Buffer {
  const length = keyEnd - keyStart;
  const whole =
    data[keyStart + 8] === SEPARATOR &&
    (length === REVISION || (length === REVISION + 1 && data[keyStart + REVISION] === TOMBSTONE));
  if (!whole) throw damaged(pages.file, page, "a key of the bucket of keys is not a revision");
  return Buffer.from(data.subarray(keyStart, keyEnd));
}

function compactedRevision(pages: Pages, meta: Bucket): bigint {
  let compacted = 0n;
  for (const { page, data, keyStart, keyEnd, valueEnd } of elementsBackwards(pages, meta)) {
    const name = data.toString("latin1", keyStart, keyEnd);
    if (name !== "finishedCompactRev" && name !== "scheduledCompactRev") continue;
    if (valueEnd - keyEnd < 8) throw damaged(pages.file, page, `${name} is not a revision`);
    const revision = data.readBigUInt64BE(keyEnd);
    // A compaction that was scheduled may have removed any part of what lies below it.
    if (revision > compacted) compacted = revision;
  }
  return compacted;
}

function recordOf(pages: Pages, element: Element, name: Buffer, main: bigint): HistoryRecord {
  const { page, data, keyEnd, valueEnd } = element;
  const cursor: Cursor = { data, at: keyEnd, end: valueEnd };
  let key: string | undefined;
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
        case 0x0a: {
          const end = readLength(cursor);
          key = data.toString("latin1", cursor.at, end);
          cursor.at = end;
          break;
        }
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
  const tombstone = name.length > REVISION;
  if (key === undefined) throw damaged(pages.file, page, `the record of revision ${main} names no key`);
  if (!tombstone && modRevision !== main)
    throw damaged(
      pages.file,
      page,
      `the record of revision ${main} says that it is of revision ${modRevision}`,
    );
  return {
    key,
    createRevision,
    modRevision: tombstone ? main : modRevision,
    version,
    lease,
    value: data.subarray(valueFrom, valueTo),
    tombstone,
  };
}
