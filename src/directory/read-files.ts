/** Reading an asset directory. Nothing is written here, and no run in progress is disturbed. */
import { lstatSync, readdirSync, realpathSync, type Stats, statSync } from "node:fs";
import { join, sep } from "node:path";
import { byCodeUnit, decode } from "../core/files.js";
import { type Problem, problem, warning } from "../core/problem.js";
import { compiledInPlace } from "../text/butane.js";
import { Fault, guarded, problemOf, systemCode } from "./fault.js";
import {
  FOLDERS,
  folderOf,
  INPUT_FILES,
  isManifestName,
  isRootOutput,
  STATE_FILE,
  takesManifests,
} from "./layout.js";
import { OpenFolders } from "./open-folders.js";
import { readRegular } from "./read-input.js";
import { isPlainPath, TargetResolver } from "./targets.js";
import { isTemporaryName } from "./temporary.js";
import type { DiskFile } from "./types.js";

/** A file beyond this is not read: no Secret could hold it (1 MiB), nor any other object. */
const SIZE_LIMIT = 16 * 1024 * 1024;

/** A file with what tells later whether somebody changed it meanwhile. */
export interface ReadFile extends DiskFile {
  readonly stamp: string;
}

export interface DirectoryFiles {
  /** Files of the phases' folders, generated files of the directory itself, and inputs. */
  readonly files: ReadonlyMap<string, ReadFile>;
  /** Folders of `FOLDERS` that exist. */
  readonly folders: ReadonlySet<string>;
  /** What is in the directory itself, read or not. */
  readonly rootNames: readonly string[];
  readonly problems: readonly Problem[];
}

/**
 * Reads everything that phases read or write.
 * @param root real path of the directory
 * @param also recorded paths, which are read wherever they lie
 */
export function readDirectory(root: string, also: readonly string[]): DirectoryFiles {
  const open = new OpenFolders(root);
  try {
    return readIn(new Reader(root, open), also);
  } finally {
    open.close();
  }
}

function readIn(reader: Reader, also: readonly string[]): DirectoryFiles {
  reader.rootNames = reader.names("");
  for (const name of reader.rootNames) if (isRootOutput(name)) reader.take(name);
  for (const { path } of FOLDERS) {
    if (!reader.isFolder(path)) continue;
    reader.folders.add(path);
    reader.checkLink(path);
    for (const name of reader.names(path)) if (!isTemporaryName(name)) reader.take(`${path}/${name}`);
  }
  // What a folder was asked for is known by its own names: some file systems answer to others as well.
  const elsewhere = also.filter((path) => !reader.folders.has(folderOf(path)));
  for (const path of [STATE_FILE, ...INPUT_FILES, ...elsewhere])
    if (!reader.files.has(path)) reader.take(path);
  return reader;
}

/** Reads one file; undefined when it is not there. A `Fault` when it cannot be read. */
export function readOne(root: string, path: string): ReadFile | undefined {
  return guarded("DIR001", "read", path, () => {
    try {
      const full = join(root, path);
      const stat = lstatSync(full);
      const { data } = readRegular(full, { follow: stat.isSymbolicLink() });
      return { path, data, mode: stat.mode & 0o7777, stamp: stampOf(stat) };
    } catch (error) {
      if (systemCode(error) === "ENOENT" || systemCode(error) === "ENOTDIR") return undefined;
      throw error;
    }
  });
}

const isManifestFolder = (path: string): boolean => takesManifests(folderOf(path));

const stampOf = (stat: Stats): string => `${stat.ino} ${stat.size} ${stat.mtimeMs}`;

/** What `ReadFile.stamp` would be now; `absent` when nothing is there. */
export function currentStamp(root: string, path: string): string {
  return guarded("DIR001", "look at", path, () => {
    try {
      const stat = lstatSync(join(root, path), { throwIfNoEntry: false });
      return stat === undefined ? "absent" : stampOf(stat);
    } catch (error) {
      if (systemCode(error) === "ENOTDIR") return "absent";
      throw error;
    }
  });
}

class Reader implements DirectoryFiles {
  readonly files = new Map<string, ReadFile>();
  readonly folders = new Set<string>();
  rootNames: readonly string[] = [];
  readonly problems: Problem[] = [];

  private readonly bases = new Map<string, string>();
  private readonly resolver: TargetResolver;

  constructor(
    private readonly root: string,
    private readonly open: OpenFolders,
  ) {
    this.resolver = new TargetResolver(root);
  }

  /** By which path the content of a folder is reached: held open, unless it is a link out of the directory. */
  private baseOf(folder: string): string {
    const known = this.bases.get(folder);
    if (known !== undefined) return known;
    let base = join(this.root, folder);
    try {
      const { real, missing } = this.resolver.folder(folder);
      if (missing.length === 0) base = this.open.folder(real).base;
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
    }
    this.bases.set(folder, base);
    return base;
  }

  isFolder(path: string): boolean {
    try {
      return statSync(join(this.root, path), { throwIfNoEntry: false })?.isDirectory() ?? false;
    } catch (error) {
      if (systemCode(error) === "") throw error;
      return false;
    }
  }

  names(folder: string): readonly string[] {
    try {
      return readdirSync(this.baseOf(folder)).sort(byCodeUnit);
    } catch (error) {
      this.problems.push(problemOf(error, "DIR001", "read", folder === "" ? this.root : folder));
      return [];
    }
  }

  take(path: string): void {
    if (!isPlainPath(path)) {
      this.reportName(path);
      return;
    }
    try {
      const full = join(this.baseOf(folderOf(path)), path.slice(path.lastIndexOf("/") + 1));
      const link = lstatSync(full, { throwIfNoEntry: false });
      if (link === undefined) {
        if (path.includes("\ufffd")) this.reportName(path);
        return;
      }
      const stat = link.isSymbolicLink() ? statSync(full) : link;
      if (link.isSymbolicLink()) this.checkLink(path);
      if (!this.isReadable(stat, path)) return;
      const { data } = readRegular(full, { follow: link.isSymbolicLink(), limit: SIZE_LIMIT });
      this.files.set(path, { path, data, mode: stat.mode & 0o7777, stamp: stampOf(link) });
      this.checkText(path, data);
    } catch (error) {
      if (systemCode(error) === "ENOTDIR") return;
      this.problems.push(problemOf(error, "DIR001", "read", path));
    }
  }

  private reportName(path: string): void {
    if (!isManifestFolder(path)) return;
    this.problems.push(
      warning(
        "DIR040",
        "NotSupported",
        "",
        `${JSON.stringify(path)} is ignored: its name contains a backslash or is not UTF-8`,
        { file: path, hint: "rename it" },
      ),
    );
  }

  private isReadable(stat: Stats, path: string): boolean {
    if (stat.isFile() && stat.size <= SIZE_LIMIT) return true;
    const folder = stat.isDirectory();
    if (!stat.isFile()) {
      if (!isManifestFolder(path) || FOLDERS.some((each) => each.path === path)) return false;
      this.problems.push(
        warning(
          "DIR040",
          "NotSupported",
          "",
          `${path} is ignored: it is ${folder ? "a folder" : "not a regular file"}`,
          {
            file: path,
            hint: folder
              ? "move the files up; only files directly in the folder are read"
              : "replace it with a regular file",
          },
        ),
      );
    } else
      this.problems.push(
        problem(
          "DIR042",
          "TooLong",
          "",
          `${path} is too large: ${stat.size} bytes; must have at most ${SIZE_LIMIT}`,
          { file: path, hint: "move it out of the asset directory" },
        ),
      );
    return false;
  }

  private checkText(path: string, data: Uint8Array): void {
    if (!isManifestFolder(path)) return;
    const hidden = path.slice(path.lastIndexOf("/") + 1).startsWith(".");
    if (!isManifestName(path))
      this.problems.push(
        problem(
          "DIR040",
          "NotSupported",
          "",
          "the file is ignored: its name does not end with .yaml, .yml or .json",
          {
            severity: hidden ? "info" : "warning",
            file: path,
            hint: /\.bu$/.test(path)
              ? `the file is a Butane config; compile it: ${compiledInPlace(path)}`
              : "rename it, or move it out of the folder",
          },
        ),
      );
    else if (decode(data) === undefined)
      this.problems.push(
        problem("DIR041", "Invalid", "", `${path} is not UTF-8 text, which some cluster components require`, {
          file: path,
          hint: "save it as UTF-8",
        }),
      );
  }

  /** A link may lead anywhere; what it names counts as the user's, and nothing is ever written there. */
  checkLink(path: string): void {
    if (isInside(this.root, path)) return;
    this.problems.push(
      warning(
        "DIR043",
        "Invalid",
        "",
        `${path} is a symbolic link out of the directory; its target is treated as your own file`,
        { file: path, hint: "replace it with a copy to make the directory self-contained" },
      ),
    );
  }
}

/** Whether what a path names really lies in the root. False for a link to nothing. */
export function isInside(root: string, path: string): boolean {
  try {
    const full = join(root, path);
    if (statSync(full, { throwIfNoEntry: false }) === undefined) return false;
    const real = realpathSync.native(full);
    return real === root || real.startsWith(root.endsWith(sep) ? root : root + sep);
  } catch (error) {
    if (systemCode(error) === "") throw error;
    return false;
  }
}
