/** Asset directories below a folder, known by the files that every one of them has. */
import { join } from "node:path";
import { byCodeUnit } from "../core/files.js";
import { INSTALL_CONFIG, RECORD_FILE, STATE_FILE } from "./layout.js";
import { entriesOf, lookAt } from "./look.js";

/** Deeper folders are not looked into, nor more of them. */
const DEEPEST = 8;
const MOST_FOLDERS = 20_000;

export const isAssetDirectory = (folder: string): boolean =>
  [INSTALL_CONFIG, STATE_FILE, RECORD_FILE].some((name) => lookAt(join(folder, name))?.isFile() === true);

/** Relative paths with `/` as separator, in order. Hidden folders, dependencies of Node.js and links are left out. */
export function assetDirectoriesBelow(root: string): readonly string[] {
  const found: string[] = [];
  let visited = 0;
  const visit = (path: string, depth: number): void => {
    for (const name of foldersIn(join(root, path))) {
      if (++visited > MOST_FOLDERS) return;
      const below = path === "" ? name : `${path}/${name}`;
      if (isAssetDirectory(join(root, below))) found.push(below);
      else if (depth < DEEPEST) visit(below, depth + 1);
    }
  };
  visit("", 1);
  return found.sort(byCodeUnit);
}

const foldersIn = (folder: string): readonly string[] =>
  entriesOf(folder)
    .filter((each) => each.isDirectory() && !each.name.startsWith(".") && each.name !== "node_modules")
    .map(({ name }) => name);
