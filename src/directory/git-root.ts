import { dirname, join } from "node:path";
import { lookAt } from "./look.js";

/** The top folder of the Git work tree that a folder lies in; undefined outside of one. */
export function gitRoot(folder: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    if (lookAt(join(at, ".git")) !== undefined) return at;
    if (dirname(at) === at) return undefined;
  }
}
