/**
 * Writing one file that is too large to hold: its text comes in pieces, and the file is either old or whole and new.
 */
import { closeSync, fsyncSync, openSync, readSync, renameSync, unlinkSync, writeSync } from "node:fs";
import { basename, dirname } from "node:path";
import { problem } from "../core/problem.js";
import { flushOpen, MODES } from "./atomic.js";
import { noteChange } from "./changes.js";
import { type Attempt, attempt, Fault, guarded, systemCode } from "./fault.js";
import { type OpenFolder, withFolders } from "./open-folders.js";
import { foreign, isSameForm } from "./ours.js";
import { openRegular } from "./read-input.js";
import { realRoot, type Target, TargetResolver } from "./targets.js";
import { sweep, temporaryName } from "./temporary.js";

const PIECE = 1 << 20;

/**
 * Writes the texts, JSON documents of a line each, one after the other to a file in a folder that exists; answers how
 * many bytes there were. A file that is no such list is not replaced (DIR019).
 */
export function writeStream(file: string, texts: Iterable<string>): Promise<Attempt<number>> {
  return attempt(async () => {
    const root = realRoot(dirname(file));
    if (root === undefined)
      throw new Fault(
        problem("DIR002", "NotFound", "", `cannot write ${file}: the folder does not exist`, {
          file,
          hint: "create it first",
        }),
      );
    const target = new TargetResolver(root).resolve(basename(file));
    return withFolders(root, (folders) => writeIn(folders.folder(target.folder), target, file, texts));
  });
}

async function writeIn(
  folder: OpenFolder,
  target: Target,
  file: string,
  texts: Iterable<string>,
): Promise<number> {
  sweep(folder.base, { exclusive: false });
  const temporary = folder.at(temporaryName());
  const place = folder.at(basename(target.real));
  const descriptor = guarded("DIR002", "write", file, () => openSync(temporary, "wx", MODES.file));
  try {
    let bytes = 0;
    guarded("DIR002", "write", file, () => {
      for (const piece of pieces(texts)) bytes += writeWhole(descriptor, piece);
      fsyncSync(descriptor);
    });
    const [old, line] = [firstLine(place), firstLine(temporary)];
    if (old !== undefined && old !== "" && line !== "" && !isSameForm(old, line ?? "")) throw foreign(file);
    guarded("DIR002", "write", file, () => renameSync(temporary, place));
    noteChange();
    await flushOpen([folder]);
    return bytes;
  } catch (error) {
    remove(temporary);
    throw error;
  } finally {
    closeSync(descriptor);
  }
}

/** The first line of a file, as far as it is of a usual length; undefined where there is no file. */
function firstLine(path: string): string | undefined {
  let descriptor: number;
  try {
    descriptor = openRegular(path, { follow: false });
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw error;
  }
  try {
    const start = Buffer.alloc(PIECE);
    return start.toString("utf8", 0, readSync(descriptor, start)).split("\n", 1)[0];
  } finally {
    closeSync(descriptor);
  }
}

function remove(temporary: string): void {
  try {
    unlinkSync(temporary);
  } catch (error) {
    if (systemCode(error) === "") throw error;
  }
}

function* pieces(texts: Iterable<string>): Generator<Buffer> {
  let held: string[] = [];
  let length = 0;
  for (const text of texts) {
    held.push(text);
    length += text.length;
    if (length < PIECE) continue;
    yield Buffer.from(held.join(""), "utf8");
    held = [];
    length = 0;
  }
  if (held.length > 0) yield Buffer.from(held.join(""), "utf8");
}

function writeWhole(descriptor: number, piece: Buffer): number {
  for (let written = 0; written < piece.length; ) written += writeSync(descriptor, piece, written);
  return piece.length;
}
