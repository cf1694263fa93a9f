/** Archives in the format that `cpio -H newc` reads: a header of hexadecimal digits, the name and the bytes of each file. */
import { encode } from "../core/files.js";

export interface ArchivedFile {
  /** Name in the archive, `/` as separator. */
  readonly path: string;
  readonly data: Uint8Array;
  /** Permissions. */
  readonly mode: number;
}

const MAGIC = "070701";
const REGULAR = 0o100000;
/** Name of the entry that ends an archive. */
const TRAILER = "TRAILER!!!";
const ALIGNMENT = 4;

/** The archive of files in their order; owned by root, of no time, so that the same files give the same bytes. */
export function cpioArchive(files: readonly ArchivedFile[]): Uint8Array {
  const parts = files.flatMap(({ path, data, mode }, index) => [
    ...header(path, { inode: index + 1, mode: REGULAR | mode, size: data.length }),
    data,
    padding(data.length),
  ]);
  return Buffer.concat([...parts, ...header(TRAILER, { inode: 0, mode: 0, size: 0 })]);
}

interface Entry {
  readonly inode: number;
  readonly mode: number;
  readonly size: number;
}

function header(name: string, { inode, mode, size }: Entry): Uint8Array[] {
  const bytes = Buffer.concat([encode(name), Buffer.alloc(1)]);
  const [uid, gid, links, mtime, devices, checksum] = [0, 0, 1, 0, [0, 0, 0, 0], 0] as const;
  const numbers = [inode, mode, uid, gid, links, mtime, size, ...devices, bytes.length, checksum];
  const text = MAGIC + numbers.map((each) => each.toString(16).padStart(8, "0")).join("");
  return [encode(text), bytes, padding(text.length + bytes.length)];
}

const padding = (length: number): Uint8Array => Buffer.alloc(-length & (ALIGNMENT - 1));
