import { lstatSync } from "node:fs";
import { dirname, join } from "node:path";

/** The top folder of the Git work tree that a folder lies in; undefined outside of one. */
export function gitRoot(folder: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    if (lstatSync(join(at, ".git"), { throwIfNoEntry: false }) !== undefined) return at;
    if (dirname(at) === at) return undefined;
  }
}
