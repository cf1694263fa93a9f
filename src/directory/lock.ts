/**
 * The lock of an asset directory against a second run.
 *
 * The lock is a chain of files. `.slipway/lock` says who holds the directory; when that process is dead, the next
 * holder does not touch the file but adds a link of the chain, `lock-<digest of the file before>`, and so on. Only
 * one process can make a link (hard links are exclusive), so two that find the same dead holder cannot both win,
 * which removing and re-making one file cannot promise. The holder is the last link that is reached from the first
 * file. Releasing removes the first file first, so that a half-removed chain is not a chain any more.
 *
 * Another machine's process cannot be asked whether it lives; its lock counts while it is touched, which every
 * holder does regularly.
 */
import { createHash } from "node:crypto";
import {
  linkSync,
  lstatSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import type { Problem } from "../core/diagnostics.js";
import { MODES } from "./atomic.js";
import { type Attempt, attempt, Fault, guarded, systemCode } from "./fault.js";
import { makeFolderPath } from "./folders.js";
import { LOCK_FILE, OWN_FOLDER } from "./layout.js";
import { lifeOf, ownProcess, type ProcessIdentity } from "./process-identity.js";
import { realRoot, TargetResolver } from "./targets.js";
import { temporaryName } from "./temporary.js";

const TOUCH_MS = 20_000;
const FOREIGN_LIFE_MS = 120_000;
/** A lock file that cannot be read was cut off while it was made; after this long nobody is making it any more. */
const UNREADABLE_LIFE_MS = 10_000;
/** Others may finish or take over while we look; more rounds than this mean that something is wrong. */
const ROUNDS = 50;
/** Errors of `link` on file systems that have no hard links. */
const NO_LINKS = new Set(["EPERM", "ENOSYS", "ENOTSUP", "EOPNOTSUPP", "EMLINK", "EACCES"]);

export interface Lock {
  /** Throws a `Fault` when the lock was lost: the machine slept so long that another one took over. */
  assertHeld(): void;
  release(): void;
}

interface Holder extends ProcessIdentity {
  readonly host: string;
}

interface Link {
  readonly file: string;
  readonly text: string;
  /** Name of the file that continues the chain. */
  readonly next: string;
  readonly mtimeMs: number;
}

/** Takes the lock, or says who holds it. Makes the directory when it is missing. */
export function acquireLock(root: string): Promise<Attempt<Lock>> {
  return attempt(() => acquire(root));
}

let count = 0;

function acquire(root: string): Lock {
  const folder = join(root, OWN_FOLDER);
  const real = realRoot(root);
  // Refuses a folder that is a link out of the directory.
  if (real !== undefined) new TargetResolver(real).resolve(LOCK_FILE);
  const made = guarded("DIR002", "make", OWN_FOLDER, () => makeFolderPath(folder, MODES.folder).reverse());
  const holder: Holder = { ...ownProcess(), host: hostname() };
  const text = `${JSON.stringify({ ...holder, run: count++ })}\n`;
  const temporary = join(folder, temporaryName());
  try {
    guarded("DIR002", "write", LOCK_FILE, () => writeFileSync(temporary, text, { mode: 0o644, flag: "wx" }));
    const own = takePlace(root, temporary, text);
    remove(temporary);
    return held(root, own, text, made);
  } catch (error) {
    remove(temporary);
    for (const each of made) removeFolder(each);
    throw error;
  }
}

/** Becomes the last link of the chain; answers the link's file. */
function takePlace(root: string, temporary: string, text: string): string {
  const now = guarded("DIR001", "read", LOCK_FILE, () => lstatSync(temporary).mtimeMs);
  for (let round = 0; round < ROUNDS; round++) {
    const last = readChain(root).at(-1);
    if (last !== undefined && isHeld(last, now)) throw new Fault(busy(root, last));
    const own = last?.next ?? join(root, LOCK_FILE);
    if (!tryMake(temporary, own, text)) continue;
    const chain = readChain(root);
    if (chain.at(-1)?.file === own && chain.at(-1)?.text === text) {
      removeOthers(root, chain);
      return own;
    }
    // The chain was released between reading and linking: this link hangs in the air.
    remove(own);
  }
  throw new Fault(busy(root, undefined));
}

/** Links that no chain reaches any more: a release was cut off. Only the holder may remove them. */
function removeOthers(root: string, chain: readonly Link[]): void {
  const folder = join(root, OWN_FOLDER);
  const keep = new Set(chain.map(({ file }) => file));
  for (const name of readdirSync(folder)) {
    const file = join(folder, name);
    if (file.startsWith(join(root, `${LOCK_FILE}-`)) && !keep.has(file)) remove(file);
  }
}

function tryMake(temporary: string, own: string, text: string): boolean {
  try {
    linkSync(temporary, own);
    return true;
  } catch (error) {
    if (systemCode(error) === "EEXIST") return false;
    if (!NO_LINKS.has(systemCode(error)))
      return guarded("DIR002", "write", LOCK_FILE, () => {
        throw error;
      });
  }
  return guarded("DIR002", "write", LOCK_FILE, () => {
    try {
      writeFileSync(own, text, { mode: 0o644, flag: "wx" });
      return true;
    } catch (error) {
      if (systemCode(error) === "EEXIST") return false;
      throw error;
    }
  });
}

/** The links that are reached from the first file. */
function readChain(root: string): Link[] {
  const chain: Link[] = [];
  for (let file = join(root, LOCK_FILE); chain.length < 1000; ) {
    const link = guarded("DIR001", "read", LOCK_FILE, () => readLink(root, file));
    if (link === undefined) break;
    chain.push(link);
    file = link.next;
  }
  return chain;
}

function readLink(root: string, file: string): Link | undefined {
  try {
    const text = readFileSync(file, "utf8");
    const { ino, mtimeMs } = lstatSync(file);
    const digest = createHash("sha256").update(`${ino}\n${text}`).digest("hex").slice(0, 16);
    return { file, text, mtimeMs, next: join(root, `${LOCK_FILE}-${digest}`) };
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

function isHeld(link: Link, now: number): boolean {
  const holder = parseHolder(link.text);
  if (holder === undefined) return now - link.mtimeMs < UNREADABLE_LIFE_MS;
  const life = lifeOf(holder);
  return life === "unknown" ? now - link.mtimeMs < FOREIGN_LIFE_MS : life === "alive";
}

function parseHolder(text: string): Holder | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== "object" || value === null) return undefined;
  const { machine, pid, start, host } = { machine: "", pid: 0, start: 0, host: "", ...value };
  const valid =
    typeof machine === "string" &&
    typeof host === "string" &&
    typeof pid === "number" &&
    typeof start === "number" &&
    Number.isSafeInteger(pid) &&
    pid > 0;
  return valid ? { machine, pid, start, host } : undefined;
}

function busy(root: string, link: Link | undefined): Problem {
  const holder = link === undefined ? undefined : parseHolder(link.text);
  const who = holder === undefined ? "another run" : `another run (process ${holder.pid} on ${holder.host})`;
  const foreign = holder !== undefined && lifeOf(holder) === "unknown";
  return {
    code: "DIR007",
    kind: "Forbidden",
    file: root,
    message: `${who} is at work in ${root}`,
    hint: foreign
      ? `wait until it has ended; a lock that nobody touches for ${FOREIGN_LIFE_MS / 60_000} minutes is taken over`
      : "wait until it has ended, then run again",
  };
}

function held(root: string, own: string, text: string, made: readonly string[]): Lock {
  const touch = setInterval(() => {
    const now = new Date();
    try {
      utimesSync(own, now, now);
    } catch (error) {
      if (systemCode(error) === "") throw error;
    }
  }, TOUCH_MS);
  touch.unref();
  const isHolder = (): boolean => {
    const last = readChain(root).at(-1);
    return last?.file === own && last.text === text;
  };
  return {
    assertHeld: () => {
      if (!isHolder()) throw new Fault(busy(root, readChain(root).at(-1)));
    },
    release: () => {
      clearInterval(touch);
      if (!isHolder()) return;
      for (const { file } of readChain(root)) remove(file);
      for (const each of made) removeFolder(each);
    },
  };
}

function remove(file: string): void {
  try {
    unlinkSync(file);
  } catch (error) {
    if (systemCode(error) === "") throw error;
  }
}

/** Removes a folder that we made for the lock, unless something lies in it by now. */
function removeFolder(folder: string): void {
  try {
    rmdirSync(folder);
  } catch (error) {
    if (systemCode(error) === "") throw error;
  }
}
