/**
 * The SHA-256 that `etcdctl snapshot save` appends: there if and only if the size leaves 32 when divided by 512, over
 * all bytes before it (docs/reference/storage-and-encryption.md §2.2).
 */
import { createHash } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import type { Problem } from "../../core/diagnostics.js";
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
    report({
      code: "ETC004",
      kind: "NotFound",
      severity: "info",
      file: file.name,
      message: "there is no hash at the end, as in a file copied from a data directory",
      hint: "a snapshot from etcdctl snapshot save can be checked for damage",
    });
    return;
  }
  if (!wanted) {
    report({
      code: "ETC004",
      kind: "Invalid",
      severity: "info",
      file: file.name,
      message: "the hash at the end was not checked",
      hint: "--hash check",
    });
    return;
  }
  if (await matches(file)) return;
  report({
    code: "ETC004",
    kind: "Invalid",
    file: file.name,
    message:
      "the SHA-256 at the end is not the one of the content: the copy was damaged or changed after it was taken",
    hint: "take it again; nothing that is said about its content can be trusted",
  });
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
