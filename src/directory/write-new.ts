/** Writing a file that must not exist yet: complete or not at all, and never over another one. */
import {
  closeSync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  realpathSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import type { OutputFile } from "../core/files.js";
import { flushOpen, modeOf, Stage, type StageOptions } from "./atomic.js";
import { noteChange } from "./changes.js";
import { type Attempt, attempt, guarded, systemCode } from "./fault.js";
import { setMode } from "./modes.js";
import { OpenFolders } from "./open-folders.js";
import { temporaryName } from "./temporary.js";

/** Errors of `link` on file systems that have no hard links. */
const NO_LINKS = new Set(["EPERM", "ENOSYS", "ENOTSUP", "EOPNOTSUPP", "EMLINK", "EXDEV"]);

/** True when something has a name already, a link to nowhere too. */
export const isTaken = (root: string, path: string): boolean =>
  lstatSync(join(root, path), { throwIfNoEntry: false }) !== undefined;

/**
 * Makes a file below a root, the root too where it is missing; `exists` when something (a link to nowhere too) has
 * the name already, and then nothing has changed. A process that is killed leaves the file complete or absent.
 */
export function writeNewFile(
  root: string,
  file: OutputFile,
  options: Pick<StageOptions, "privateRoot"> = {},
): Promise<Attempt<"created" | "exists">> {
  return attempt(async () => {
    const stage = await Stage.create(root, [], options);
    const real = guarded("DIR001", "read", root, () => realpathSync(join(root, dirname(file.path))));
    const folders = new OpenFolders(real);
    let made = false;
    try {
      const folder = folders.folder(real);
      const target = folder.at(basename(file.path));
      const temporary = folder.at(temporaryName());
      try {
        guarded("DIR002", "write", file.path, () => writeTemporary(temporary, file));
        made = guarded("DIR002", "write", file.path, () => takeName(temporary, target, file));
      } finally {
        removeTemporary(temporary);
        if (!made) stage.discard();
      }
      if (made) {
        await stage.settle();
        await flushOpen([folder]);
      }
    } finally {
      folders.close();
      stage.close();
    }
    return made ? "created" : "exists";
  });
}

function writeTemporary(path: string, file: OutputFile): void {
  const descriptor = openSync(path, "wx", modeOf(file));
  try {
    writeFileSync(descriptor, file.data);
    setMode(descriptor, modeOf(file));
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Gives the temporary file its name as well, which fails when the name is taken. */
function takeName(temporary: string, target: string, file: OutputFile): boolean {
  try {
    linkSync(temporary, target);
    noteChange();
    return true;
  } catch (error) {
    if (systemCode(error) === "EEXIST") return false;
    if (!NO_LINKS.has(systemCode(error))) throw error;
  }
  try {
    writeTemporary(target, file);
    noteChange();
    return true;
  } catch (error) {
    if (systemCode(error) === "EEXIST") return false;
    throw error;
  }
}

function removeTemporary(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if (systemCode(error) === "") throw error;
  }
}
