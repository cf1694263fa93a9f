/**
 * Making a directory that appears whole or not at all: everything is written into a temporary folder beside it, which
 * then takes its name. The directory must be new or empty.
 */
import { mkdirSync, readdirSync, renameSync, rmdirSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join, resolve, sep } from "node:path";
import type { OutputFile } from "../core/files.js";
import { problem } from "../core/problem.js";
import { flushFolders, MODES, writeFiles } from "./atomic.js";
import { noteChange } from "./changes.js";
import { type Attempt, attempt, Fault, guarded, systemCode } from "./fault.js";
import { makeFolderPath } from "./folders.js";
import { folderOf, STATE_FILE } from "./layout.js";
import { setMode } from "./modes.js";
import { OpenFolder, replaced } from "./open-folders.js";
import { realRoot } from "./targets.js";
import { sweepFolders, temporaryName } from "./temporary.js";

/** Errors of renaming a folder over an empty one that only say that this folder cannot be replaced. */
const CANNOT_REPLACE = new Set(["EBUSY", "EACCES", "EPERM", "EXDEV", "EINVAL"]);

/** Fails when a path is there and is anything but an empty folder; what killed runs left in it does not count. */
export function checkEmpty(path: string): Promise<Attempt<void>> {
  return attempt(() => {
    const real = realRoot(path);
    if (real !== undefined) refuseContent(real, path);
  });
}

/** @param own name of a temporary folder in it that is this run's */
function refuseContent(real: string, path: string, own = ""): void {
  sweepFolders(real);
  const names = guarded("DIR001", "read", path, () => readdirSync(real)).filter((name) => name !== own);
  if (names.length > 0) throw new Fault(notEmpty(path, names));
}

const notEmpty = (path: string, names: readonly string[]) =>
  problem(
    "REC017",
    "Forbidden",
    "",
    `the directory is not empty: ${[...names].sort().slice(0, 3).join(", ")}${names.length > 3 ? ` and ${names.length - 3} more` : ""}`,
    {
      file: path,
      hint: "specify a new or empty directory with --dir",
    },
  );

/**
 * Writes a directory of secrets: modes 0700 and 0600 throughout. A process that is killed leaves the directory as it
 * was, with one exception: an empty directory that cannot be replaced (the working folder, a mount point, one whose
 * parent must not be written, one of another owner) gets its folders first and the state last, one after another.
 * @param working the working folder of the user, which must stay the folder that it is
 */
export function writeNewDirectory(
  path: string,
  files: readonly OutputFile[],
  working: string,
): Promise<Attempt<void>> {
  return attempt(async () => {
    const existing = realRoot(path);
    if (existing !== undefined) refuseContent(existing, path);
    const target = existing ?? resolve(path);
    if (existing === undefined || isReplaceable(existing, realRoot(working) ?? working)) {
      const parent = dirname(target);
      const made = guarded("DIR002", "make", path, () => makeFolderPath(parent, MODES.folder));
      try {
        sweepFolders(parent);
        if (await replace(parent, target, files, path, existing !== undefined)) return;
      } catch (error) {
        for (const folder of made.reverse()) quietly(() => rmdirSync(folder));
        throw error;
      }
    }
    await fill(target, files, path);
  });
}

/** Replacing a folder gives it this process's owner, and takes it away from whoever works in it. */
const isReplaceable = (folder: string, working: string): boolean =>
  !`${working}${sep}`.startsWith(`${folder}${sep}`) && statSync(folder).uid === process.getuid?.();

/** False when the folder that is there cannot be replaced. */
async function replace(
  parent: string,
  target: string,
  files: readonly OutputFile[],
  path: string,
  exists: boolean,
): Promise<boolean> {
  const temporary = join(parent, temporaryName());
  try {
    mkdirSync(temporary, { mode: MODES.privateFolder });
  } catch (error) {
    if (exists && CANNOT_REPLACE.has(systemCode(error))) return false;
    guarded("DIR002", "make", path, () => {
      throw error;
    });
  }
  try {
    await writeAll(temporary, files, path);
    renameSync(temporary, target);
    noteChange();
  } catch (error) {
    rmSync(temporary, { recursive: true, force: true });
    const code = systemCode(error);
    if (code === "ENOTEMPTY" || code === "EEXIST") throw new Fault(notEmpty(path, readdirSync(target)));
    if (exists && CANNOT_REPLACE.has(code)) return false;
    guarded("DIR002", "write", path, () => {
      throw error;
    });
  }
  await flushFolders([parent]);
  return true;
}

/** Moves the content in, the state last: without it the directory is nothing that any phase goes on from. */
async function fill(target: string, files: readonly OutputFile[], path: string): Promise<void> {
  const temporary = join(target, temporaryName());
  const done: string[] = [];
  try {
    guarded("DIR002", "make", path, () => mkdirSync(temporary, { mode: MODES.privateFolder }));
    quietly(() => setMode(target, MODES.privateFolder));
    await writeAll(temporary, files, path);
    refuseContent(target, path, basename(temporary));
    const names = readdirSync(temporary).sort((a, b) => Number(a === STATE_FILE) - Number(b === STATE_FILE));
    for (const name of names)
      guarded("DIR002", "write", join(path, name), () => {
        renameSync(join(temporary, name), join(target, name));
        done.push(name);
      });
    rmdirSync(temporary);
    noteChange();
  } catch (error) {
    for (const each of [...done.map((name) => join(target, name)), temporary])
      rmSync(each, { recursive: true, force: true });
    throw error;
  }
  await flushFolders([target]);
}

/** @param folder just made, and nobody else's */
async function writeAll(folder: string, files: readonly OutputFile[], path: string): Promise<void> {
  const secret = files.map((file) => ({ ...file, secret: true }));
  const privateFolders = new Set(secret.map(({ path }) => folderOf(path)).filter((each) => each !== ""));
  const opened = guarded("DIR002", "make", path, () => OpenFolder.open(folder));
  try {
    if (!opened.isOwn()) throw replaced(path);
    const written = await writeFiles(folder, secret, { privateFolders, opened });
    if (!written.ok) throw new Fault(written.problem);
    if (!opened.isInPlace()) throw replaced(path);
  } finally {
    opened.close();
  }
}

function quietly(work: () => void): void {
  try {
    work();
  } catch (error) {
    if (systemCode(error) === "") throw error;
  }
}
