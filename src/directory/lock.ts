/**
 * The lock of an asset directory, or of a file that many runs share, against a second run.
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
import { linkSync, lstatSync, lutimesSync, readdirSync, rmdirSync, unlinkSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { basename, dirname, join } from "node:path";
import { type Problem, problem } from "../core/problem.js";
import { MODES } from "./atomic.js";
import { type Attempt, attempt, Fault, guarded, systemCode } from "./fault.js";
import { makeFolderPath } from "./folders.js";
import { folderOf, LOCK_FILE, OWN_FOLDER } from "./layout.js";
import { setMode } from "./modes.js";
import { OpenFolders } from "./open-folders.js";
import { lifeOf, ownProcess, type ProcessIdentity } from "./process-identity.js";
import { readRegular } from "./read-input.js";
import { realRoot, TargetResolver } from "./targets.js";
import { temporaryName } from "./temporary.js";

const TOUCH_MS = 20_000;
const FOREIGN_LIFE_MS = 120_000;
/** A lock file that cannot be read was cut off while it was made; after this long nobody is making it any more. */
const UNREADABLE_LIFE_MS = 10_000;
/** Others may finish or take over while we look; more rounds than this mean that something is wrong. */
const ROUNDS = 50;
/** No lock file is longer. */
const LONGEST = 1 << 16;
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

/** Where a lock lies, and what its holder is at work in, as the user knows it. */
interface Place {
  /** Its folder, through which nobody can lead it elsewhere. */
  readonly folder: string;
  /** The first file of the chain. */
  readonly lock: string;
  /** The same as messages name it. */
  readonly name: string;
  readonly subject: string;
}

/** Takes the lock, or says who holds it. Makes the directory when it is missing. */
export function acquireLock(root: string): Promise<Attempt<Lock>> {
  return attempt(() => {
    const found = realRoot(root);
    const above =
      found === undefined ? guarded("DIR002", "make", root, () => makeFolderPath(root, MODES.folder)) : [];
    const real = found ?? realRoot(root) ?? root;
    // Refuses a folder that is a link out of the directory.
    const own = new TargetResolver(real).folder(OWN_FOLDER);
    return acquire({ root: real, own, above, name: LOCK_FILE, subject: root });
  });
}

/**
 * Takes the lock of one file, which lies hidden beside it.
 * @param real where the file really lies, so that two names of it have one lock
 */
export function acquireFileLock(real: string, subject: string): Promise<Attempt<Lock>> {
  const root = dirname(real);
  const own = { real: root, missing: [] };
  return attempt(() => acquire({ root, own, above: [], name: `.${basename(real)}.lock`, subject }));
}

interface Wanted extends Pick<Place, "name" | "subject"> {
  /** Real path of an existing folder. */
  readonly root: string;
  /** The folder of the lock, and what of it must be made. */
  readonly own: { readonly real: string; readonly missing: readonly string[] };
  /** Folders that were made for the root. */
  readonly above: readonly string[];
}

let count = 0;

function acquire({ root, own: { real, missing }, above, name, subject }: Wanted): Lock {
  const folders = new OpenFolders(root);
  const made: string[] = [];
  const end = (isUndone: boolean): void => {
    if (isUndone) {
      for (const each of made.reverse()) removeFolder(folders.at(each));
      for (const each of [...above].reverse()) removeFolder(each);
    }
    folders.close();
  };
  try {
    guarded("DIR002", "make", folderOf(name), () => {
      for (const each of missing) {
        if (!folders.make(each)) continue;
        made.push(each);
        setMode(folders.folder(each).descriptor, MODES.folder);
      }
    });
    const folder = folders.folder(real);
    const place: Place = { folder: folder.base, lock: folder.at(basename(name)), name, subject };
    const holder: Holder = { ...ownProcess(), host: hostname() };
    const text = `${JSON.stringify({ ...holder, run: count++ })}\n`;
    const temporary = folder.at(temporaryName());
    try {
      guarded("DIR002", "write", name, () => writeFileSync(temporary, text, { mode: 0o644, flag: "wx" }));
      const own = takePlace(place, temporary, text);
      return held(place, own, text, end);
    } finally {
      remove(temporary);
    }
  } catch (error) {
    end(true);
    throw error;
  }
}

/** Becomes the last link of the chain; answers the link's file. */
function takePlace(place: Place, temporary: string, text: string): string {
  const now = guarded("DIR001", "read", place.name, () => lstatSync(temporary).mtimeMs);
  for (let round = 0; round < ROUNDS; round++) {
    const last = readChain(place).at(-1);
    if (last !== undefined && isHeld(last, now)) throw new Fault(busy(place, last));
    const own = last?.next ?? place.lock;
    if (!tryMake(place, temporary, own, text)) continue;
    const chain = readChain(place);
    if (chain.at(-1)?.file === own && chain.at(-1)?.text === text) {
      removeOthers(place, chain);
      return own;
    }
    // The chain was released between reading and linking: this link hangs in the air.
    remove(own);
  }
  throw new Fault(busy(place, undefined));
}

/** Links that no chain reaches any more: a release was cut off. Only the holder may remove them. */
function removeOthers(place: Place, chain: readonly Link[]): void {
  const keep = new Set(chain.map(({ file }) => file));
  for (const name of readdirSync(place.folder)) {
    const file = join(place.folder, name);
    if (file.startsWith(`${place.lock}-`) && !keep.has(file)) remove(file);
  }
}

function tryMake(place: Place, temporary: string, own: string, text: string): boolean {
  try {
    linkSync(temporary, own);
    return true;
  } catch (error) {
    if (systemCode(error) === "EEXIST") return false;
    if (!NO_LINKS.has(systemCode(error)))
      return guarded("DIR002", "write", place.name, () => {
        throw error;
      });
  }
  return guarded("DIR002", "write", place.name, () => {
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
function readChain(place: Place): Link[] {
  const chain: Link[] = [];
  for (let file = place.lock; chain.length < 1000; ) {
    const link = guarded("DIR001", "read", place.name, () => readLink(place, file));
    if (link === undefined) break;
    chain.push(link);
    file = link.next;
  }
  return chain;
}

function readLink(place: Place, file: string): Link | undefined {
  try {
    // Mostly nothing is there, and an exception costs more than the question.
    const stat = lstatSync(file, { throwIfNoEntry: false });
    if (stat === undefined) return undefined;
    const { ino, mtimeMs } = stat;
    const text = Buffer.from(readRegular(file, { follow: false, limit: LONGEST }).data).toString("utf8");
    const digest = createHash("sha256").update(`${ino}\n${text}`).digest("hex").slice(0, 16);
    return { file, text, mtimeMs, next: `${place.lock}-${digest}` };
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

function isHeld(link: Link, now: number): boolean {
  const holder = parseHolder(link.text);
  const age = now - link.mtimeMs;
  // A clock that ran ahead leaves a time that nobody reaches for years; it is no sign of life.
  const isTouched = (life: number): boolean => age < life && age > -FOREIGN_LIFE_MS;
  if (holder === undefined) return isTouched(UNREADABLE_LIFE_MS);
  const life = lifeOf(holder);
  return life === "unknown" ? isTouched(FOREIGN_LIFE_MS) : life === "alive";
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

function busy(place: Place, link: Link | undefined): Problem {
  const holder = link === undefined ? undefined : parseHolder(link.text);
  const who = holder === undefined ? "another run" : `another run (process ${holder.pid} on ${holder.host})`;
  const foreign = holder !== undefined && lifeOf(holder) === "unknown";
  return problem("DIR007", "Forbidden", "", `${place.subject} is locked by ${who}`, {
    file: place.subject,
    hint: foreign
      ? `wait until it ends; a lock that is not renewed for ${FOREIGN_LIFE_MS / 60_000} minutes is taken over`
      : "wait until it ends, then run the command again",
  });
}

function held(place: Place, own: string, text: string, end: (isUndone: boolean) => void): Lock {
  let isReleased = false;
  const touch = setInterval(() => {
    const now = new Date();
    try {
      lutimesSync(own, now, now);
    } catch (error) {
      if (systemCode(error) === "") throw error;
    }
  }, TOUCH_MS);
  touch.unref();
  const isHeldIn = (chain: readonly Link[]): boolean => {
    const last = chain.at(-1);
    return last?.file === own && last.text === text;
  };
  return {
    assertHeld: () => {
      const chain = readChain(place);
      if (!isHeldIn(chain)) throw new Fault(busy(place, chain.at(-1)));
    },
    release: () => {
      clearInterval(touch);
      // The number of a closed folder is given to the next one that is opened.
      if (isReleased) return;
      isReleased = true;
      const chain = readChain(place);
      const isOwn = isHeldIn(chain);
      if (isOwn) for (const { file } of chain) remove(file);
      end(isOwn);
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
