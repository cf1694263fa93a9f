/**
 * A file of private keys that are made ahead: a line that says what it is, then keys as PEM. Who takes keys cuts them
 * off at the end of the file and flushes that before any is used, so that no key is taken twice, whatever process is
 * killed at whatever moment. What is added stands at the end too; a piece that was cut off is removed by whoever
 * comes next. A lock beside the file keeps takers apart.
 */
import {
  closeSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  lstatSync,
  openSync,
  readlinkSync,
  readSync,
  realpathSync,
  statSync,
  writeSync,
} from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { setTimeout } from "node:timers/promises";
import { textFile } from "../core/files.js";
import { type Problem, problem } from "../core/problem.js";
import { isRsaKey } from "../pki/public-key.js";
import { commandLine } from "../text/shell.js";
import { MODES } from "./atomic.js";
import { noteChange } from "./changes.js";
import { type Attempt, attempt, Fault, guarded, systemCode } from "./fault.js";
import { acquireFileLock, type Lock } from "./lock.js";
import { setMode } from "./modes.js";
import { sweep } from "./temporary.js";
import { writeNewFile } from "./write-new.js";

const HEADER = "# slipway key pool v1: secret, and each key is used once; move this file, never copy it\n";
const BEGIN = "-----BEGIN RSA PRIVATE KEY-----\n";
const END = "-----END RSA PRIVATE KEY-----\n";
const KEY_BITS = 2048;
/** A key of so many bits takes less than this. */
const KEY_BYTES = 2048;
const PIECE = 1 << 20;
/** Others hold the lock for milliseconds; who holds it longer is stuck. */
const PATIENCE_MS = 30_000;
const PAUSE_MS = 5;

/** Takes up to `count` keys out of a pool; they are out of the file before this answers. */
export const takeKeys = (path: string, count: number): Promise<Attempt<readonly string[]>> =>
  attempt(() =>
    inPool(path, ({ descriptor, end, lock }) => {
      const { keys, start } = lastKeys(path, descriptor, end, count);
      // Nothing to cut off; and an empty file would grow.
      if (keys.length === 0) return keys;
      lock.assertHeld();
      ftruncateSync(descriptor, start);
      noteChange();
      fsyncSync(descriptor);
      return keys;
    }),
  );

/** Adds keys to a pool. */
export const addKeys = (path: string, keys: readonly string[]): Promise<Attempt<void>> =>
  attempt(() =>
    inPool(path, ({ descriptor, end, lock }) => {
      lock.assertHeld();
      ftruncateSync(descriptor, end);
      noteChange();
      writeAll(descriptor, keys.join(""), end);
      fsyncSync(descriptor);
    }),
  );

/** The number of keys in a pool; undefined where no such file is. */
export const countKeys = (path: string): Promise<Attempt<number | undefined>> =>
  attempt(() => {
    const real = realPathOf(path);
    if (real === undefined) return undefined;
    const descriptor = guarded("DIR001", "read", path, () => openSync(real, "r"));
    try {
      return guarded("DIR001", "read", path, () => {
        const size = checkPool(path, descriptor);
        let count = 0;
        let rest = "";
        for (let at = 0; at < size; at += PIECE) {
          const text = rest + readAt(descriptor, at, Math.min(PIECE, size - at));
          const parts = text.split(END);
          count += parts.length - 1;
          rest = parts.at(-1) ?? "";
        }
        return count;
      });
    } finally {
      closeSync(descriptor);
    }
  });

/** Makes an empty pool where there is none; refuses a file of somebody else. */
export const makePool = (path: string): Promise<Attempt<void>> =>
  attempt(async () => {
    const written = await writeNewFile(dirname(path), { ...textFile(basename(path), HEADER), secret: true });
    if (!written.ok) throw new Fault({ ...written.problem, file: path });
    if (written.value === "created") return;
    await inPool(path, ({ descriptor, end, lock }) => {
      setMode(descriptor, MODES.secret);
      if (end > 0) return;
      lock.assertHeld();
      writeAll(descriptor, HEADER, 0);
      fsyncSync(descriptor);
    });
  });

interface OpenPool {
  readonly descriptor: number;
  /** Where the last whole key ends; 0 in an empty file. */
  readonly end: number;
  readonly lock: Lock;
}

/** Works in a pool that nobody else changes meanwhile. */
async function inPool<T>(path: string, work: (pool: OpenPool) => T): Promise<T> {
  const real = realPathOf(path);
  if (real === undefined) throw new Fault(missing(path));
  const lock = await patiently(real, path);
  try {
    sweep(dirname(real), { exclusive: false });
    return guarded("DIR002", "write", path, () => {
      const descriptor = openSync(real, "r+");
      try {
        return work({ descriptor, end: endOf(path, descriptor), lock });
      } finally {
        closeSync(descriptor);
      }
    });
  } finally {
    lock.release();
  }
}

async function patiently(real: string, path: string): Promise<Lock> {
  for (const until = Date.now() + PATIENCE_MS; ; await setTimeout(PAUSE_MS * (1 + Math.random()))) {
    const acquired = await acquireFileLock(real, path);
    if (acquired.ok) return acquired.value;
    if (acquired.problem.code !== "DIR007" || Date.now() > until) throw new Fault(acquired.problem);
  }
}

/** Where the file really lies; undefined where there is none. */
const realPathOf = (path: string): string | undefined =>
  guarded("DIR001", "read", path, () => {
    try {
      const real = realpathSync(path);
      // Opening a pipe would wait for somebody at its other end.
      if (!statSync(real).isFile()) throw new Fault(noPool(path));
      return real;
    } catch (error) {
      if (systemCode(error) === "ENOENT") return undefined;
      throw error;
    }
  });

/** The size of a file that is a pool; another one is refused. */
function checkPool(path: string, descriptor: number): number {
  const stat = fstatSync(descriptor);
  // Of a pool that was just being made there may be less than the first line.
  if (!HEADER.startsWith(readAt(descriptor, 0, HEADER.length))) throw new Fault(noPool(path));
  if (stat.nlink > 1)
    throw new Fault(
      problem(
        "KEY001",
        "Invalid",
        "",
        "the key pool has a hard link, through which another run could use the same keys",
        { file: path, hint: "remove the other link" },
      ),
    );
  return stat.size;
}

/** Where the last whole key ends: adding more may have been cut off. */
function endOf(path: string, descriptor: number): number {
  const size = checkPool(path, descriptor);
  if (size < HEADER.length) return 0;
  const from = Math.max(0, size - PIECE);
  const found = readAt(descriptor, from, size - from).lastIndexOf(END);
  return found < 0 ? HEADER.length : from + found + END.length;
}

/** The last keys before `end`, and where the first of them starts. */
function lastKeys(
  path: string,
  descriptor: number,
  end: number,
  count: number,
): { readonly keys: readonly string[]; readonly start: number } {
  const from = Math.max(HEADER.length, end - (count + 1) * KEY_BYTES);
  const text = readAt(descriptor, from, Math.max(0, end - from));
  const keys: string[] = [];
  let start = text.length;
  for (let left = count; left > 0 && start > 0; left--) {
    const begin = text.lastIndexOf(BEGIN, start - 1);
    const key = text.slice(Math.max(0, begin), start);
    if (begin < 0 || key.indexOf(END) !== key.length - END.length || !isRsaKey(key, KEY_BITS))
      throw new Fault(damaged(path));
    keys.push(key);
    start = begin;
  }
  return { keys, start: from + start };
}

/** Every byte of a pool is ASCII. */
function readAt(descriptor: number, from: number, length: number): string {
  const bytes = Buffer.alloc(length);
  let done = 0;
  while (done < length) {
    const count = readSync(descriptor, bytes, done, length - done, from + done);
    if (count === 0) break;
    done += count;
  }
  return bytes.toString("latin1", 0, done);
}

function writeAll(descriptor: number, text: string, from: number): void {
  const bytes = Buffer.from(text, "latin1");
  for (let done = 0; done < bytes.length; )
    done += writeSync(descriptor, bytes, done, bytes.length - done, from + done);
}

function missing(path: string): Problem {
  const makes = (file: string): string => commandLine(["slipway", "keys", "--count", "100", "--out", file]);
  const problem = { code: "KEY001", kind: "NotFound", file: path } as const;
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined)
    return { ...problem, message: "the key pool does not exist", hint: `create it with ${makes(path)}` };
  const target = resolve(dirname(path), readlinkSync(path));
  return {
    ...problem,
    message: "the key pool is a dangling symbolic link",
    hint: `remove the link, or create its target with ${makes(target)}`,
  };
}

const noPool = (path: string): Problem =>
  problem("KEY001", "Invalid", "", "not a key pool created by slipway", {
    file: path,
    hint: "specify another file, or move this one away",
  });

const damaged = (path: string): Problem =>
  problem("KEY001", "Invalid", "", `a key in the pool is damaged or does not have ${KEY_BITS} bits`, {
    file: path,
    hint: "move the file away and create another pool with slipway keys",
  });
