/**
 * The bytes of many keys outside the heap: a few large buffers instead of a million texts, which would cost twice the
 * memory and most of the time of a walk.
 */

const CHUNK = 1 << 20;
/** Positions are numbered chunk by chunk; only a key that has a chunk of its own may be longer. */
const STRIDE = 1 << 21;

/** Texts of one character a byte, by number, in the order in which they were added. */
export class KeyArena {
  private readonly chunks: Buffer[] = [];
  private used = CHUNK;
  private places = new Float64Array(1024);
  private lengths = new Uint32Array(1024);
  length = 0;

  /** Adds the bytes of `data` and answers their number. */
  add(data: Buffer, start: number, end: number): number {
    data.copy(this.room(end - start), this.used, start, end);
    return this.note(end - start);
  }

  /** Adds a text of one character a byte and answers its number. */
  addText(text: string): number {
    this.room(text.length).write(text, this.used, text.length, "latin1");
    return this.note(text.length);
  }

  /** A chunk in which so many bytes are free from `used` on. */
  private room(size: number): Buffer {
    if (this.chunks.length === 0 || size > CHUNK - this.used) {
      this.chunks.push(Buffer.allocUnsafeSlow(Math.max(CHUNK, size)));
      this.used = 0;
    }
    const chunk = this.chunks.at(-1);
    if (chunk === undefined) throw new Error("an arena without chunks");
    return chunk;
  }

  private note(size: number): number {
    const number = this.length++;
    if (number >= this.places.length) this.grow();
    this.places[number] = (this.chunks.length - 1) * STRIDE + this.used;
    this.lengths[number] = size;
    this.used += size;
    return number;
  }

  text(number: number): string {
    const place = this.places[number] ?? 0;
    const start = place % STRIDE;
    const chunk = this.chunks[Math.floor(place / STRIDE)];
    return chunk?.toString("latin1", start, start + (this.lengths[number] ?? 0)) ?? "";
  }

  equals(number: number, data: Buffer, start: number, end: number): boolean {
    if (this.lengths[number] !== end - start) return false;
    const place = this.places[number] ?? 0;
    const own = place % STRIDE;
    const chunk = this.chunks[Math.floor(place / STRIDE)];
    return chunk !== undefined && chunk.compare(data, start, end, own, own + end - start) === 0;
  }

  private grow(): void {
    const places = new Float64Array(this.places.length * 2);
    places.set(this.places);
    const lengths = new Uint32Array(places.length);
    lengths.set(this.lengths);
    this.places = places;
    this.lengths = lengths;
  }
}

/** So many steps to find one key mean that the keys were made to collide. */
const MOST_PROBES = 512;

/** A guess takes no more room than this many keys. */
const MOST_EXPECTED = 1 << 19;

/** A set of keys. Nothing but speed depends on its hash. */
export class KeySet {
  private readonly arena = new KeyArena();
  /** Number of a key plus one; 0 for a free slot. */
  private slots: Uint32Array;
  private hashes: Uint32Array;
  private crowded: Set<string> | undefined;

  /** `expected`: how many keys there will be, as far as that can be guessed. */
  constructor(expected = 0) {
    const room = 2 ** Math.ceil(Math.log2(Math.max(2048, Math.min(expected, MOST_EXPECTED)) * 2));
    this.slots = new Uint32Array(room);
    this.hashes = new Uint32Array(room);
  }

  /** True when the key was not in the set before. */
  add(data: Buffer, start: number, end: number): boolean {
    if (this.crowded !== undefined) return addText(this.crowded, data.toString("latin1", start, end));
    if (this.arena.length * 2 >= this.slots.length) this.grow();
    const hash = hashOf(data, start, end);
    const mask = this.slots.length - 1;
    for (let probe = 0, at = hash & mask; probe < MOST_PROBES; probe++, at = (at + 1) & mask) {
      const slot = this.slots[at] ?? 0;
      if (slot === 0) {
        this.slots[at] = this.arena.add(data, start, end) + 1;
        this.hashes[at] = hash;
        return true;
      }
      if (this.hashes[at] === hash && this.arena.equals(slot - 1, data, start, end)) return false;
    }
    this.crowded = new Set(Array.from({ length: this.arena.length }, (_, i) => this.arena.text(i)));
    return addText(this.crowded, data.toString("latin1", start, end));
  }

  private grow(): void {
    const { slots, hashes } = this;
    this.slots = new Uint32Array(slots.length * 2);
    this.hashes = new Uint32Array(slots.length * 2);
    const mask = this.slots.length - 1;
    for (let i = 0; i < slots.length; i++) {
      const slot = slots[i] ?? 0;
      if (slot === 0) continue;
      const hash = hashes[i] ?? 0;
      let at = hash & mask;
      while (this.slots[at] !== 0) at = (at + 1) & mask;
      this.slots[at] = slot;
      this.hashes[at] = hash;
    }
  }
}

function addText(set: Set<string>, text: string): boolean {
  const before = set.size;
  return set.add(text).size > before;
}

/** So many bytes at the end of a key go into its hash: keys differ in their names, and start alike. */
const HASHED = 32;

/** FNV-1a with a last mixing. */
function hashOf(data: Buffer, start: number, end: number): number {
  let hash = 0x811c9dc5 ^ (end - start);
  for (let i = Math.max(start, end - HASHED); i < end; i++)
    hash = Math.imul(hash ^ (data[i] ?? 0), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
