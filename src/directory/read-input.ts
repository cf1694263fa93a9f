/** The only way to the bytes of a file: bounded, and a pipe or a device is reported and not waited for. */
import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readFileSync,
  readSync,
  type Stats,
  statSync,
} from "node:fs";
import { systemCode } from "./fault.js";

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
    return readToEnd(descriptor, LARGEST_INPUT);
  } finally {
    closeSync(descriptor);
  }
}

/** Of what has no size, or says a wrong one. */
function readToEnd(descriptor: number, limit: number): Uint8Array {
  const parts: Uint8Array[] = [];
  for (let size = 0; ; ) {
    const part = Buffer.alloc(PIECE);
    const count = readSync(descriptor, part, 0, PIECE, null);
    if (count === 0) return Buffer.concat(parts);
    parts.push(part.subarray(0, count));
    size += count;
    if (size > limit) throw new TooLarge();
  }
}

/** What `ENOTREG` means: there is something, and it is no regular file. */
class NotRegular extends Error {
  readonly code = "ENOTREG";
}

export interface ReadOptions {
  /** False where the path must not be a symbolic link; Windows has no such way to open. Default: true. */
  readonly follow?: boolean;
  /** The most bytes. */
  readonly limit?: number;
}

/**
 * All bytes of a regular file that nobody named: one that is found in a directory. Throws what the operating system
 * says, `TooLarge`, or an error with the code `ENOTREG`.
 */
export function readRegular(
  path: string,
  { limit = LARGEST_INPUT, ...options }: ReadOptions = {},
): { readonly data: Uint8Array; readonly stat: Stats } {
  const descriptor = openRegular(path, options);
  try {
    const stat = fstatSync(descriptor);
    if (stat.size > limit) throw new TooLarge();
    const data = stat.size > 0 ? readFileSync(descriptor) : readToEnd(descriptor, limit);
    return { data, stat };
  } finally {
    closeSync(descriptor);
  }
}

/** Opens a regular file to read it; throws as `readRegular` does. */
export function openRegular(path: string, { follow = true }: Pick<ReadOptions, "follow"> = {}): number {
  // Opening alone does something to some devices.
  if (follow && !isReadable(statSync(path))) throw new NotRegular();
  const descriptor = openSync(
    path,
    constants.O_RDONLY | constants.O_NONBLOCK | (follow ? 0 : constants.O_NOFOLLOW),
  );
  if (isReadable(fstatSync(descriptor))) return descriptor;
  closeSync(descriptor);
  throw new NotRegular();
}

/** A folder is opened as well: reading it says EISDIR. */
const isReadable = (stat: Stats): boolean => stat.isFile() || stat.isDirectory();

/** The text of a regular file; undefined where there is none to read. */
export function textIfRegular(path: string): string | undefined {
  try {
    return Buffer.from(readRegular(path).data).toString("utf8");
  } catch (error) {
    if (systemCode(error) === "") throw error;
    return undefined;
  }
}
