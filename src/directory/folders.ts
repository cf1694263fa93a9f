/** Making folders with those above them. */
import { mkdirSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { systemCode } from "./fault.js";
import { setMode } from "./modes.js";

/**
 * Makes a folder and what is missing above it, and answers what was made, outermost first. Errors are the system's.
 *
 * `mkdirSync` with `recursive` is not used: it never comes back below a file system that refuses new folders with
 * ENOENT, as /proc does.
 */
export function makeFolderPath(folder: string, mode: number): string[] {
  const missing: string[] = [];
  for (let each = resolve(folder); !exists(each) && dirname(each) !== each; each = dirname(each))
    missing.unshift(each);
  return missing.filter((each) => {
    try {
      mkdirSync(each);
    } catch (error) {
      // Another run may have made it meanwhile; anything but a folder fails at the next step.
      if (systemCode(error) === "EEXIST") return false;
      throw error;
    }
    setMode(each, mode);
    return true;
  });
}

const exists = (path: string): boolean => statSync(path, { throwIfNoEntry: false }) !== undefined;
