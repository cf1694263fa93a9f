/** Reading what somebody names: a device, or a pipe that never ends, is told and not waited for. */
import { closeSync, fstatSync, openSync, readFileSync, readSync } from "node:fs";

/** No input is larger: a text beyond this could not be held as one. Copies of etcd are read in pieces, elsewhere. */
export const LARGEST_INPUT = 1 << 28;

/** What `ETOOLARGE` means; thrown with this code as the operating system's errors are with theirs. */
export class TooLarge extends Error {
  readonly code = "ETOOLARGE";
}

const PIECE = 1 << 16;

/** All bytes of a file, or of a pipe up to its end. Throws what the operating system says, and `TooLarge`. */
export function readInput(path: string): Uint8Array {
  const descriptor = openSync(path, "r");
  try {
    const stat = fstatSync(descriptor);
    if (stat.size > LARGEST_INPUT) throw new TooLarge();
    if (stat.isFile() && stat.size > 0) return readFileSync(descriptor);
    const parts: Uint8Array[] = [];
    let size = 0;
    for (;;) {
      const part = Buffer.alloc(PIECE);
      const count = readSync(descriptor, part, 0, PIECE, null);
      if (count === 0) return Buffer.concat(parts);
      parts.push(part.subarray(0, count));
      size += count;
      if (size > LARGEST_INPUT) throw new TooLarge();
    }
  } finally {
    closeSync(descriptor);
  }
}
