/**
 * Loads a bundled CommonJS file through V8's code cache, which saves more than half of the start: compiling the
 * functions that nearly every run needs. The cache is a file of its own and is made by the build; one that does not
 * fit (another version of Node, other flags) is rejected by V8, and the file is compiled as usual.
 */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { Script } from "node:vm";

/** Where bundled files are: a folder, or the inside of the executable. */
export interface Place {
  /** What the files take for their folder. */
  readonly folder: string;
  read(name: string): Buffer | undefined;
  readonly require: (id: string) => unknown;
}

export interface LoadedFile {
  readonly exports: unknown;
  /** The cache as V8 would write it now, with every function that ran. */
  cache(): Uint8Array;
}

export const cacheOf = (name: string): string => `${name}.cache`;

/** The files of a folder. */
export const inFolder = (folder: string): Place => ({
  folder,
  read(name) {
    try {
      return readFileSync(join(folder, name));
    } catch {
      return undefined;
    }
  },
  require: createRequire(join(folder, "slipway.js")),
});

/** The build writes it around the largest file already: joining the two would copy megabytes. */
const HEAD = "(function (exports, require, module, __filename, __dirname) {";

export function loadFile(name: string, place: Place): LoadedFile {
  const { folder, require } = place;
  const cachedData = place.read(cacheOf(name));
  // The bundle is ASCII, so that the cheapest decoding gives the right text.
  const source = place.read(name)?.toString("latin1");
  if (source === undefined) throw new Error(`${folder} has no ${name}`);
  const script = new Script(source.startsWith(HEAD) ? source : `${HEAD}${source}\n})`, {
    // Without its folder: the name is in the cache, and two builds give the same bytes.
    filename: name,
    ...(cachedData === undefined ? {} : { cachedData }),
  });
  const module: { exports: unknown } = { exports: {} };
  const run: unknown = script.runInThisContext();
  if (typeof run !== "function") throw new Error(`${name} is not a module`);
  run(module.exports, require, module, join(folder, name), folder);
  return { exports: module.exports, cache: () => script.createCachedData() };
}
