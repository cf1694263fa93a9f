/** Copies of etcd as files that are read in place: the only code that opens them. */

import { closeSync, fstatSync, readSync } from "node:fs";
import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import { type Problem, problem } from "../core/problem.js";
import { openRegular } from "../directory/index.js";
import type { CopyFile } from "../etcd/read/copy-file.js";
import { LARGEST } from "../etcd/read/stretches.js";
import { codeOf } from "./input-files.js";
import { startReadAhead } from "./read-ahead.js";

export interface OpenFile extends CopyFile {
  /** Bytes read so far, for a progress bar. */
  readonly read: number;
  close(): Promise<void>;
}

/** Below this size a thread costs more than it saves. */
const AHEAD_FROM = 64 << 20;

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "no such file",
  EACCES: "permission denied",
  EISDIR: "is a directory",
};

/** Opens a file for reading at positions; what prevents it is reported. */
export function openForReading(
  path: string,
  cwd: string,
  report: (problem: Problem) => void,
): OpenFile | undefined {
  const refuse = (message: string, hint: string): undefined =>
    void report(problem("ETC005", "NotFound", "", message, { file: path, hint }));
  let descriptor: number;
  try {
    descriptor = openRegular(resolve(cwd, path));
  } catch (error) {
    const code = codeOf(error);
    if (code === "ENOTREG")
      return refuse(
        "must be a regular file, because it is read with random access",
        "save it to a file first",
      );
    return refuse(`the file cannot be opened: ${REASONS[code] ?? code}`, "check the path");
  }
  const stat = fstatSync(descriptor);
  if (stat.isDirectory()) {
    closeSync(descriptor);
    return refuse("is a folder", "in a data directory, specify the file member/snap/db with --db");
  }
  let read = 0;
  const ahead =
    stat.size >= AHEAD_FROM && availableParallelism() > 1 ? startReadAhead(descriptor, LARGEST) : undefined;
  return {
    name: path,
    size: stat.size,
    ahead,
    get read() {
      return read + (ahead === undefined ? 0 : ahead.hits * ahead.size);
    },
    readInto(target, position) {
      let filled = 0;
      while (filled < target.length) {
        const now = readSync(descriptor, target, filled, target.length - filled, position + filled);
        if (now === 0) break;
        filled += now;
      }
      read += filled;
      return filled;
    },
    async close() {
      await ahead?.stop();
      closeSync(descriptor);
    },
  };
}
