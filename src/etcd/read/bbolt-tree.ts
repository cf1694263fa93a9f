/**
 * Buckets of a bbolt file: look-up of a bucket by name, and a walk over a bucket from its last key to its first.
 */
import { damaged, PAGE_FLAGS, type Page, type Pages } from "./bbolt-pages.js";

const HEADER = 16;
const BUCKET_FLAG = 1;
const MAX_DEPTH = 64;

/** A bucket: the page of its root, or its only page inline in the element that names it. */
export interface Bucket {
  readonly name: string;
  readonly root: number;
  readonly inline: Page | undefined;
}

/** One key and value, as places in `data`; valid until the next step. */
export interface Element {
  readonly page: number;
  readonly data: Buffer;
  readonly flags: number;
  readonly keyStart: number;
  readonly keyEnd: number;
  readonly valueEnd: number;
}

/** Every bucket at the top of the file. */
export function buckets(pages: Pages): Map<string, Bucket> {
  const found = new Map<string, Bucket>();
  for (const element of elementsBackwards(pages, { name: "root", root: pages.root, inline: undefined })) {
    const { data, keyStart, keyEnd, valueEnd, page } = element;
    if ((element.flags & BUCKET_FLAG) === 0) continue;
    const name = data.toString("latin1", keyStart, keyEnd);
    if (valueEnd - keyEnd < 16)
      throw damaged(pages.file, page, `the bucket ${JSON.stringify(name)} has no header`);
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
  if (flags !== PAGE_FLAGS.leaf || HEADER + count * 16 > data.length)
    throw damaged(pages.file, owner, "an inline bucket is not a leaf page");
  return { id: owner, flags, count, data };
}

/** The elements of a bucket in falling order of their keys. Refuses a tree that is not one. */
export function* elementsBackwards(pages: Pages, bucket: Bucket): Generator<Element> {
  if (bucket.inline !== undefined) {
    yield* leafBackwards(pages, bucket.inline);
    return;
  }
  const trail: number[][] = [];
  let next: number | undefined = bucket.root;
  while (next !== undefined) {
    const page: Page = pages.load(next, PAGE_FLAGS.branch | PAGE_FLAGS.leaf);
    if (page.flags === PAGE_FLAGS.leaf) yield* leafBackwards(pages, page);
    else {
      if (trail.length >= MAX_DEPTH)
        throw damaged(pages.file, page.id, `the tree is deeper than ${MAX_DEPTH} pages`);
      trail.push(children(pages, page));
    }
    while (trail.length > 0 && trail.at(-1)?.length === 0) trail.pop();
    next = trail.at(-1)?.pop();
  }
}

function children(pages: Pages, { id, count, data }: Page): number[] {
  if (count === 0) throw damaged(pages.file, id, "a branch page without children");
  return Array.from({ length: count }, (_, i) => {
    const at = HEADER + i * 16 + 8;
    return data.readUInt32LE(at) + data.readUInt32LE(at + 4) * 2 ** 32;
  });
}

function* leafBackwards(pages: Pages, { id, count, data }: Page): Generator<Element> {
  for (let i = count - 1; i >= 0; i--) {
    const at = HEADER + i * 16;
    const keyStart = at + data.readUInt32LE(at + 4);
    const keyEnd = keyStart + data.readUInt32LE(at + 8);
    const valueEnd = keyEnd + data.readUInt32LE(at + 12);
    if (keyStart < HEADER + count * 16 || valueEnd > data.length)
      throw damaged(pages.file, id, `element ${i} lies outside the page`);
    yield { page: id, data, flags: data.readUInt32LE(at), keyStart, keyEnd, valueEnd };
  }
}
