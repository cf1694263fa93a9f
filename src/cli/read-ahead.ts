/**
 * Reads a large file in a thread of its own, a few stretches before they are asked for, from the end to the start:
 * the walk over a store goes that way. The bytes are shared, not copied, and nobody waits for them: what has not
 * arrived is read by whoever needs it.
 */
import { Worker } from "node:worker_threads";
import type { AheadStretch, ReadAhead } from "../etcd/read/copy-file.js";

/** Stretches that wait to be taken, and room for those in use. */
const AHEAD = 8;
const SLOTS = 16;

/** Places in the shared numbers: moves of the reading, where it is, whether the thread sleeps; then the slots. */
const MOVES = 0;
const POSITION = 1;
const ASLEEP = 2;
const STATES = 3;
const INDEXES = STATES + SLOTS;
const FREE = 0;
const FILLED = 2;
const IN_USE = 3;

/** A slot belongs to the thread while its state is 1, and to the reader while it is 3. */
const THREAD = `
const { readSync } = require("node:fs");
const { descriptor, size, numbers, bytes } = require("node:worker_threads").workerData;
const state = new Int32Array(numbers);
for (let seen = 0; ; Atomics.store(state, ${ASLEEP}, 1), Atomics.wait(state, ${MOVES}, seen)) {
  Atomics.store(state, ${ASLEEP}, 0);
  let moved = true;
  while (moved) {
    seen = Atomics.load(state, ${MOVES});
    moved = false;
    const from = Atomics.load(state, ${POSITION});
    for (let index = from - 1; index >= Math.max(0, from - ${AHEAD}) && !moved; index--) {
      const slot = index % ${SLOTS};
      const before = Atomics.load(state, ${STATES} + slot);
      if (before === ${FILLED} && Atomics.load(state, ${INDEXES} + slot) === index) continue;
      if (before !== ${FREE} && before !== ${FILLED}) continue;
      if (Atomics.compareExchange(state, ${STATES} + slot, before, 1) !== before) continue;
      let read = 0;
      try {
        read = readSync(descriptor, new Uint8Array(bytes, slot * size, size), 0, size, index * size);
      } catch {}
      Atomics.store(state, ${INDEXES} + slot, index);
      Atomics.store(state, ${STATES} + slot, read === size ? ${FILLED} : ${FREE});
      moved = Atomics.load(state, ${MOVES}) !== seen;
    }
  }
}
`;

export interface StoppableReadAhead extends ReadAhead {
  /** Stretches that were there in time. */
  readonly hits: number;
  stop(): Promise<void>;
}

/** Starts the thread; `size` is the size of a stretch. */
export function startReadAhead(descriptor: number, size: number): StoppableReadAhead {
  const numbers = new SharedArrayBuffer((INDEXES + SLOTS) * Int32Array.BYTES_PER_ELEMENT);
  const bytes = new SharedArrayBuffer(SLOTS * size);
  const state = new Int32Array(numbers);
  const worker = new Worker(THREAD, { eval: true, workerData: { descriptor, size, numbers, bytes } });
  // Without the thread everything is read by whoever needs it.
  worker.on("error", () => {});
  worker.unref();
  let hits = 0;
  return {
    size,
    get hits() {
      return hits;
    },
    take(index): AheadStretch | undefined {
      Atomics.store(state, POSITION, index);
      Atomics.add(state, MOVES, 1);
      // Waking costs more than reading; a thread that is awake looks by itself.
      if (Atomics.load(state, ASLEEP) === 1) Atomics.notify(state, MOVES);
      const slot = index % SLOTS;
      if (Atomics.load(state, INDEXES + slot) !== index) return undefined;
      if (Atomics.compareExchange(state, STATES + slot, FILLED, IN_USE) !== FILLED) return undefined;
      // Between the two looks the thread may have begun with another stretch.
      if (Atomics.load(state, INDEXES + slot) !== index) {
        Atomics.store(state, STATES + slot, FREE);
        return undefined;
      }
      hits++;
      return {
        data: Buffer.from(bytes, slot * size, size),
        release: () => void Atomics.store(state, STATES + slot, FREE),
      };
    },
    stop: async () => void (await worker.terminate()),
  };
}
