import { type Dirent, readdirSync, type Stats, statSync } from "node:fs";
import { systemCode } from "./fault.js";

/** What a path leads to; undefined where it leads nowhere: into nothing, through a file, in a circle, past a closed door. */
export function lookAt(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (systemCode(error) === "") throw error;
    return undefined;
  }
}

/** What is in a folder; nothing where no folder can be read. */
export function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (systemCode(error) === "") throw error;
    return [];
  }
}
