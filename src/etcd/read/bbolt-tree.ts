/**
 * Buckets of a bbolt file: look-up of a bucket by name, and a walk over a bucket from its last key to its first.
 */
import { damaged, PAGE_FLAGS, type Page, type Pages } from "./bbolt-pages.js";

const HEADER = 16;
const ELEMENT = 16;
const BUCKET_FLAG = 1;
const MAX_DEPTH = 64;

/** A bucket: the page of its root, or its only page inline in the element that names it. */
export interface Bucket {
  readonly name: string;
  readonly root: number;
  readonly inline: Page | undefined;
}

/** Every bucket at the top of the file. */
export function buckets(pages: Pages): Map<string, Bucket> {
  const found = new Map<string, Bucket>();
  const cursor = new BackwardsCursor(pages, { name: "root", root: pages.root, inline: undefined });
  while (cursor.next()) {
    const { data, keyStart, keyEnd, valueEnd, page } = cursor;
    if ((cursor.flags & BUCKET_FLAG) === 0) continue;
    const name = data.toString("latin1", keyStart, keyEnd);
    if (valueEnd - keyEnd < 16)
      throw damaged(pages.file, page, `bucket ${JSON.stringify(name)} has no header`);
    const root = data.readBigUInt64LE(keyEnd);
    const inline =
      root === 0n ? inlinePage(pages, page, Buffer.from(data.subarray(keyEnd + 16, valueEnd))) : undefined;
    found.set(name, { name, root: Number(root), inline });
  }
  return found;
}

function inlinePage(pages: Pages, owner: number, data: Buffer): Page {
  if (data.length < HEADER) throw damaged(pages.file, owner, "an inline bucket has no page header");
  const flags = data.readUInt16LE(8);
  const count = data.readUInt16LE(10);
  if (flags !== PAGE_FLAGS.leaf || HEADER + count * ELEMENT > data.length)
    throw damaged(pages.file, owner, "an inline bucket is not a leaf page");
  return { id: owner, flags, count, data };
}

/**
 * Walks over the elements of a bucket in falling order of their keys; refuses a tree that is not one. After `next` the
 * fields tell where key and value stand in `data`, until it is called again.
 */
export class BackwardsCursor {
  page = 0;
  data: Buffer = Buffer.alloc(0);
  flags = 0;
  keyStart = 0;
  keyEnd = 0;
  valueEnd = 0;
  /** Elements of the leaf that are not visited yet. */
  private left = 0;
  private tableEnd = 0;
  /** How many branches led to the leaf before; 0 when there was none. */
  private leafDepth = 0;
  /** Pages still to visit, below each branch on the way down. */
  private readonly trail: number[][] = [];

  constructor(
    private readonly pages: Pages,
    bucket: Bucket,
  ) {
    if (bucket.inline === undefined) this.trail.push([bucket.root]);
    else this.enter(bucket.inline);
  }

  /** False when there are no more elements. */
  next(): boolean {
    while (this.left === 0) if (!this.nextLeaf()) return false;
    const index = --this.left;
    const { data } = this;
    const at = HEADER + index * ELEMENT;
    this.flags = data.readUInt32LE(at);
    this.keyStart = at + data.readUInt32LE(at + 4);
    this.keyEnd = this.keyStart + data.readUInt32LE(at + 8);
    this.valueEnd = this.keyEnd + data.readUInt32LE(at + 12);
    if (this.keyStart < this.tableEnd || this.valueEnd > data.length)
      throw damaged(this.pages.file, this.page, `element ${index} is outside the page`);
    return true;
  }

  private enter({ id, count, data }: Page): void {
    this.page = id;
    this.data = data;
    this.left = count;
    this.tableEnd = HEADER + count * ELEMENT;
  }

  private nextLeaf(): boolean {
    for (;;) {
      const level = this.trail.at(-1);
      if (level === undefined) return false;
      const id = level.pop();
      if (id === undefined) {
        this.trail.pop();
        continue;
      }
      // Leaves lie at one depth and mostly side by side; branches lie between or behind them.
      const alone = this.trail.length < this.leafDepth;
      const page = this.pages.load(id, PAGE_FLAGS.branch | PAGE_FLAGS.leaf, alone);
      if (page.flags === PAGE_FLAGS.leaf) {
        this.leafDepth = this.trail.length;
        this.enter(page);
        return true;
      }
      if (this.trail.length > MAX_DEPTH)
        throw damaged(this.pages.file, page.id, `the tree is deeper than ${MAX_DEPTH} pages`);
      this.trail.push(children(this.pages, page));
    }
  }
}

function children(pages: Pages, { id, count, data }: Page): number[] {
  if (count === 0) throw damaged(pages.file, id, "a branch page has no children");
  return Array.from({ length: count }, (_, i) => {
    const at = HEADER + i * ELEMENT + 8;
    return data.readUInt32LE(at) + data.readUInt32LE(at + 4) * 2 ** 32;
  });
}
