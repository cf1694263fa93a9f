/**
 * The SHA-256 that `etcdctl snapshot save` appends: there if and only if the size leaves 32 when divided by 512, over
 * all bytes before it (docs/reference/storage-and-encryption.md §2.2).
 */

import { createHash } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import type { Problem } from "../../core/diagnostics.js";
import { problemList } from "../../core/problem.js";
import type { Copy } from "./copies.js";
import type { CopyFile } from "./copy-file.js";

const HASH = 32;
const ALIGNMENT = 512;
const CHUNK = 1 << 20;

export const hasHash = ({ size }: CopyFile): boolean => size % ALIGNMENT === HASH;

/** Compares the hash of a snapshot with its content, in pieces, so that other work goes on meanwhile. */
export async function checkHash(
  copy: Copy,
  wanted: boolean,
  report: (problem: Problem) => void,
): Promise<void> {
  const { file, form } = copy;
  if (form !== "snapshot") return;
  if (!hasHash(file)) {
    problemList(report, "", { file: file.name }).infos.report(
      "ETC004",
      "NotFound",
      "the file has no hash at the end, as it was copied from a data directory; damage cannot be detected",
      "use the file of etcdctl snapshot save, which has a hash",
    );
    return;
  }
  if (!wanted) {
    problemList(report, "", { file: file.name }).infos.report(
      "ETC004",
      "Invalid",
      "the hash at the end was not checked",
      "set --hash check",
    );
    return;
  }
  if (await matches(file)) return;
  problemList(report, "", { file: file.name }).report(
    "ETC004",
    "Invalid",
    "the SHA-256 hash at the end does not match the content: the copy was damaged or changed",
    "make a new copy; the content of this one cannot be trusted",
  );
}

async function matches(file: CopyFile): Promise<boolean> {
  const hash = createHash("sha256");
  const buffer = Buffer.allocUnsafe(CHUNK);
  const end = file.size - HASH;
  for (let at = 0; at < end; ) {
    const part = buffer.subarray(0, Math.min(CHUNK, end - at));
    const read = file.readInto(part, at);
    if (read === 0) return false;
    hash.update(part.subarray(0, read));
    at += read;
    await setImmediate();
  }
  const expected = Buffer.alloc(HASH);
  return file.readInto(expected, end) === HASH && hash.digest().equals(expected);
}
