/**
 * Loads a bundled CommonJS file through V8's code cache, which saves more than half of the start: compiling the
 * functions that nearly every run needs. The cache lies beside the file and is made by the build; one that does not
 * fit (another version of Node, other flags) is rejected by V8, and the file is compiled as usual.
 */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname } from "node:path";
import { Script } from "node:vm";

export interface LoadedFile {
  readonly exports: unknown;
  /** The cache as V8 would write it now, with every function that ran. */
  cache(): Uint8Array;
}

export const cacheOf = (file: string): string => `${file}.cache`;

export function loadFile(file: string): LoadedFile {
  // The bundle is ASCII, so that the cheapest decoding gives the right text.
  const source = readFileSync(file, "latin1");
  const cachedData = cacheIn(cacheOf(file));
  const script = new Script(`(function (exports, require, module, __filename, __dirname) {${source}\n})`, {
    // Without its folder: the name is in the cache, and two builds give the same bytes.
    filename: basename(file),
    ...(cachedData === undefined ? {} : { cachedData }),
  });
  const module: { exports: unknown } = { exports: {} };
  const run: unknown = script.runInThisContext();
  if (typeof run !== "function") throw new Error(`${file} is no module`);
  run(module.exports, createRequire(file), module, file, dirname(file));
  return { exports: module.exports, cache: () => script.createCachedData() };
}

function cacheIn(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}
