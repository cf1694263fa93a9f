/**
 * A copy of etcd as bytes at positions. The file itself enters from outside; nothing here opens one, and nothing
 * holds more of it than a few pages.
 */

import type { Code } from "../../core/codes.js";
import type { ErrorKind, Problem } from "../../core/diagnostics.js";
import { problem } from "../../core/problem.js";

export interface CopyFile {
  /** As the user named it, for messages. */
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  /** Fills `target` from `position` on and answers how many bytes there were; fewer than asked only at the end. */
  readInto(target: Uint8Array, position: number): number;
  /** Reads ahead while other work is done; absent where nothing does. */
  readonly ahead?: ReadAhead | undefined;
}

/** Stretches of one size, numbered from the start of the file. */
export interface ReadAhead {
  /** Bytes of a stretch. */
  readonly size: number;
  /** The stretch when it has been read already, and a word on where the reading is. Never waits. */
  take(index: number): AheadStretch | undefined;
}

export interface AheadStretch {
  readonly data: Buffer;
  /** Gives the room back; `data` must not be used any more. */
  release(): void;
}

/** Why a copy is not read on. It never leaves this folder: `scan` turns it into a diagnostic. */
export class CopyFault extends Error {
  override readonly name = "CopyFault";
  readonly problem: Problem;

  constructor(file: CopyFile, code: Code, message: string, hint: string, kind: ErrorKind = "Invalid") {
    super(message);
    this.problem = problem(code, kind, "", message, { file: file.name, hint });
  }
}
