/** The entry of the executable, which holds the files of the package (scripts/build-binary.mjs) and what they need. */
import { getRawAsset } from "node:sea";
import { loadFile, type Place } from "./code-cache.js";
import { start } from "./start.js";

/** Files by their names; the executable alone knows what it holds. */
const loaded = new Map<string, unknown>();

const inside: Place = {
  folder: process.execPath,
  read(name) {
    try {
      const bytes = getRawAsset(name);
      return typeof bytes === "string" ? Buffer.from(bytes) : Buffer.from(bytes);
    } catch {
      return undefined;
    }
  },
  require(id) {
    if (!/^\.\/|^ts-morph$/.test(id)) return require(id);
    if (!loaded.has(id)) loaded.set(id, load(id));
    return loaded.get(id);
  },
};

/** `./NAME`, and the one library that the package has installed along with it. */
function load(id: string): unknown {
  const name = id === "ts-morph" ? "ts-morph.js" : id.slice(2);
  return name.endsWith(".json")
    ? JSON.parse(inside.read(name)?.toString() ?? "")
    : loadFile(name, inside).exports;
}

start(async () => loadFile("frame.js", inside));
