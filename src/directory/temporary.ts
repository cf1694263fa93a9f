/**
 * Names of temporary files. A name tells which process made it, so that a later run removes what a killed one left
 * behind and nothing else.
 */
import { lstatSync, readdirSync, rmSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { systemCode } from "./fault.js";
import { lifeOf, ownProcess } from "./process-identity.js";

const NAME = /^\.slipway-([0-9a-f]{12})-([0-9]{1,10})-([0-9]{1,15})-[0-9]{1,9}\.tmp$/;
/** A file of another machine is left alone for this long: whether its process lives cannot be asked. */
const FOREIGN_AGE_MS = 60 * 60 * 1000;

let count = 0;

/** A name in the folder of the target that no other temporary file has. */
export function temporaryName(): string {
  const { machine, pid, start } = ownProcess();
  return `.slipway-${machine}-${pid}-${start}-${count++}.tmp`;
}

export const isTemporaryName = (name: string): boolean => NAME.test(name);

/**
 * Removes the temporary files of killed runs from a folder. With `exclusive` (the caller holds the lock of the
 * directory, so that no other run can be at work) those of other machines too, whatever their age.
 */
export function sweep(folder: string, options: { readonly exclusive: boolean }): void {
  for (const name of namesIn(folder)) {
    const found = NAME.exec(name);
    if (found === null || !isAbandoned(join(folder, name), found, options.exclusive)) continue;
    try {
      unlinkSync(join(folder, name));
    } catch (error) {
      if (systemCode(error) === "") throw error;
    }
  }
}

/**
 * Removes the temporary folders of killed runs from a folder that belongs to anybody, their content too. Names that
 * are ours stand for files as well; those are left to `sweep`.
 */
export function sweepFolders(folder: string): void {
  for (const name of namesIn(folder)) {
    const found = NAME.exec(name);
    const path = join(folder, name);
    if (found === null || lstatSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) continue;
    if (!isAbandoned(path, found, false)) continue;
    try {
      rmSync(path, { recursive: true, force: true });
    } catch (error) {
      if (systemCode(error) === "") throw error;
    }
  }
}

function isAbandoned(file: string, found: RegExpExecArray, exclusive: boolean): boolean {
  const [, machine = "", pid, start] = found;
  const life = lifeOf({ machine, pid: Number(pid), start: Number(start) });
  if (life !== "unknown") return life === "dead";
  if (exclusive) return true;
  const stat = lstatSync(file, { throwIfNoEntry: false });
  return stat !== undefined && Date.now() - stat.mtimeMs > FOREIGN_AGE_MS;
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (systemCode(error) === "") throw error;
    return [];
  }
}
