/**
 * Writing files so that each is either old or new, whatever happens: a temporary file beside the target gets the
 * content and the mode, is flushed to the disk, and only then takes the target's name.
 *
 * Writing has two steps. `stage` does everything that can fail for want of space or permission and leaves every
 * target as it was; `publish` only renames.
 */
import {
  closeSync,
  fstatSync,
  fsync,
  openSync,
  renameSync,
  rmdirSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { promisify } from "node:util";
import { equalBytes, type OutputFile } from "../core/files.js";
import { problem } from "../core/problem.js";
import { noteChange } from "./changes.js";
import { type Attempt, attempt, Fault, guarded, problemOf, systemCode } from "./fault.js";
import { makeFolderPath } from "./folders.js";
import { folderOf } from "./layout.js";
import { setMode } from "./modes.js";
import { type OpenFolder, OpenFolders, withFolders } from "./open-folders.js";
import { foreign, foreignFile, type PresentFile } from "./ours.js";
import { openRegular, readRegular } from "./read-input.js";
import { realRoot, type Target, TargetResolver } from "./targets.js";
import { sweep, temporaryName } from "./temporary.js";

const flush = promisify(fsync);

/** Permission bits of what we write. */
export const MODES = { file: 0o644, secret: 0o600, folder: 0o755, privateFolder: 0o700 } as const;
export const modeOf = (file: OutputFile): number => (file.secret ? MODES.secret : MODES.file);

/** So many files are open at once at most. */
const BATCH = 64;

/** Errors of flushing that only say that the file system cannot flush this. */
const CANNOT_FLUSH = new Set([
  "EINVAL",
  "ENOSYS",
  "ENOTSUP",
  "EOPNOTSUPP",
  "EPERM",
  "EACCES",
  "EISDIR",
  "ENOENT",
]);

export interface WriteOptions extends StageOptions {
  /** Replace what somebody else wrote, too: where the user named the file to have it changed. */
  readonly replace?: boolean;
}

export interface StageOptions {
  /** Folders, relative to the root, whose files are all secret. */
  readonly privateFolders?: ReadonlySet<string>;
  /** True where the root, if it is made, holds secrets alone. */
  readonly privateRoot?: boolean;
  /** The root as it was opened when it was made. */
  readonly opened?: OpenFolder;
}

interface StagedFile {
  readonly target: Target;
  /** Its name in the target's folder. */
  readonly temporary: string;
}

/** Files that are ready to take their places. `close` it in the end: it holds folders open. */
export class Stage {
  private readonly touched = new Set<string>();
  private readonly known = new Set<string>();
  private readonly staged = new Map<string, StagedFile>();
  /** Folders that were made below the root, and those of the root itself. */
  private readonly made: string[] = [];
  private readonly madeRoot: string[] = [];
  private open: OpenFolders | undefined;

  private constructor() {}

  /**
   * Writes temporary files for all of `files`, and makes the folders that are missing, the root too. A `Fault`
   * leaves nothing behind.
   */
  static async create(
    root: string,
    files: readonly OutputFile[],
    options: StageOptions = {},
  ): Promise<Stage> {
    const stage = new Stage();
    try {
      const real = realRoot(root) ?? stage.makeRoot(root, options);
      stage.open = new OpenFolders(real, options.opened);
      const resolver = new TargetResolver(real);
      const targets = files.map((file) => ({ file, target: resolver.resolve(file.path) }));
      refuseDoubles(targets.map(({ target }) => target));
      for (const { target } of targets) stage.makeFolders(target, options);
      for (let at = 0; at < targets.length; at += BATCH) await stage.write(targets.slice(at, at + BATCH));
      return stage;
    } catch (error) {
      stage.discard();
      stage.close();
      throw error;
    }
  }

  private get folders(): OpenFolders {
    if (this.open === undefined) throw new Error("nothing was staged");
    return this.open;
  }

  /** The path by which to reach a name in the folder of a target. */
  at({ folder }: Target, name: string): string {
    return this.folders.folder(folder).at(name);
  }

  /** Lets the staged files of these paths take their places, in this order. */
  publish(paths: readonly string[]): void {
    for (const path of paths) {
      const entry = this.staged.get(path);
      if (entry === undefined) throw new Error(`${path} was not staged`);
      const { target, temporary } = entry;
      guarded("DIR002", "write", path, () => {
        this.folders.assertInPlace(target.folder);
        renameSync(this.at(target, temporary), this.at(target, basename(target.real)));
      });
      noteChange();
      this.staged.delete(path);
      this.touched.add(entry.target.folder);
    }
  }

  /** Makes everything published so far survive a loss of power. */
  async settle(): Promise<void> {
    for (const folder of this.made) this.touched.add(dirname(folder));
    await flushOpen([...this.touched].map((each) => this.folders.folder(each)));
    await flushFolders(this.madeRoot.map((each) => dirname(each)));
    this.touched.clear();
  }

  /** Removes what was staged and not published, and the folders that were made for it, where they are empty. */
  discard(): void {
    for (const { target, temporary } of this.staged.values())
      quietly(() => unlinkSync(this.at(target, temporary)));
    this.staged.clear();
    for (const folder of this.made.reverse()) quietly(() => rmdirSync(this.folders.at(folder)));
    for (const folder of this.madeRoot.reverse()) quietly(() => rmdirSync(folder));
    this.made.length = 0;
    this.madeRoot.length = 0;
  }

  close(): void {
    this.open?.close();
  }

  private makeRoot(root: string, { privateRoot = false }: StageOptions): string {
    this.madeRoot.push(...guarded("DIR002", "make", root, () => makeFolderPath(root, MODES.folder)));
    if (privateRoot) guarded("DIR002", "make", root, () => setMode(root, MODES.privateFolder));
    return realRoot(root) ?? resolve(root);
  }

  private makeFolders(target: Target, options: StageOptions): void {
    const isPrivate = options.privateFolders?.has(folderOf(target.path)) ?? false;
    const mode = isPrivate ? MODES.privateFolder : MODES.folder;
    for (const folder of target.missing) {
      if (this.known.has(folder)) continue;
      this.known.add(folder);
      guarded("DIR002", "make", folderOf(target.path), () => {
        if (!this.folders.make(folder)) return;
        this.made.push(folder);
        setMode(this.folders.folder(folder).descriptor, folder === target.folder ? mode : MODES.folder);
      });
    }
    if (isPrivate && target.missing.length === 0)
      guarded("DIR002", "change the mode of", folderOf(target.path), () =>
        closeToOthers(this.folders.folder(target.folder)),
      );
  }

  /** All files of a batch are written before the first is flushed: one flush then carries most of them. */
  private async write(batch: readonly { file: OutputFile; target: Target }[]): Promise<void> {
    const open: { path: string; descriptor: number }[] = [];
    try {
      for (const { file, target } of batch)
        guarded("DIR002", "write", file.path, () => {
          const temporary = temporaryName();
          const descriptor = openSync(this.at(target, temporary), "wx", modeOf(file));
          open.push({ path: file.path, descriptor });
          this.staged.set(file.path, { target, temporary });
          writeFileSync(descriptor, file.data);
          if ((fstatSync(descriptor).mode & 0o7777) !== modeOf(file)) setMode(descriptor, modeOf(file));
        });
      const results = await Promise.allSettled(open.map(({ descriptor }) => flush(descriptor)));
      results.forEach((result, i) => {
        if (result.status === "rejected" && !CANNOT_FLUSH.has(systemCode(result.reason)))
          throw new Fault(problemOf(result.reason, "DIR002", "write", open[i]?.path ?? ""));
      });
    } finally {
      for (const { descriptor } of open) closeSync(descriptor);
    }
  }
}

function quietly(work: () => void): void {
  try {
    work();
  } catch (error) {
    if (systemCode(error) === "") throw error;
  }
}

/** Takes the modes for others from a folder of secrets. */
export function closeToOthers({ descriptor }: OpenFolder): void {
  if ((fstatSync(descriptor).mode & 0o077) !== 0) setMode(descriptor, MODES.privateFolder);
}

/** Flushes folders, so that names in them survive a loss of power. */
export async function flushFolders(folders: readonly string[]): Promise<void> {
  const open: number[] = [];
  try {
    for (const folder of folders) quietly(() => open.push(openSync(folder, "r")));
    await flushAll(open);
  } finally {
    for (const descriptor of open) closeSync(descriptor);
  }
}

export const flushOpen = (folders: readonly OpenFolder[]): Promise<void> =>
  flushAll(folders.map(({ descriptor }) => descriptor));

async function flushAll(folders: readonly number[]): Promise<void> {
  for (const result of await Promise.allSettled(folders.map((each) => flush(each))))
    if (result.status === "rejected" && !CANNOT_FLUSH.has(systemCode(result.reason)))
      throw new Fault(problemOf(result.reason, "DIR002", "write", "the directory"));
}

/** Two writers for one path, by name or through a link, or a file where another writer needs a folder. */
function refuseDoubles(targets: readonly Target[]): void {
  const seen = new Map<string, string>();
  const refuse = (path: string, other: string): never => {
    throw new Fault(
      problem(
        "DIR004",
        "Duplicate",
        "",
        path === other ? `${path} would be written twice` : `${path} and ${other} would be the same file`,
        { file: path, hint: "rename one of them" },
      ),
    );
  };
  for (const { path, real } of targets) {
    const other = seen.get(real);
    if (other !== undefined) refuse(path, other);
    seen.set(real, path);
  }
  for (const { path, folder } of targets)
    for (let above = folder; above !== dirname(above); above = dirname(above)) {
      const other = seen.get(above);
      if (other !== undefined) refuse(path, other);
    }
}

export interface WriteResult {
  readonly path: string;
  readonly status: "created" | "updated" | "unchanged";
}

/**
 * Writes files below a root that is not an asset directory (generated code, plans, transfer objects): each atomically,
 * all staged before the first is published, a file whose content is right left as it is with its mtime. A file that
 * slipway did not write is not replaced (DIR019), and then nothing is written.
 */
export function writeFiles(
  root: string,
  files: readonly OutputFile[],
  options: WriteOptions = {},
): Promise<Attempt<readonly WriteResult[]>> {
  return attempt(async () => {
    const results = await compareFiles(root, files, options);
    const changed = new Set(results.filter(({ status }) => status !== "unchanged").map(({ path }) => path));
    if (changed.size === 0) return results;
    const stage = await Stage.create(
      root,
      files.filter(({ path }) => changed.has(path)),
      options,
    );
    try {
      stage.publish([...changed]);
      await stage.settle();
    } catch (error) {
      stage.discard();
      throw error;
    } finally {
      stage.close();
    }
    return results;
  });
}

/** What `writeFiles` would do; repairs wrong modes of files whose content is right, and sweeps. */
async function compareFiles(
  root: string,
  files: readonly OutputFile[],
  { replace = false, opened }: WriteOptions,
): Promise<WriteResult[]> {
  const real = realRoot(root);
  if (real === undefined) return files.map(({ path }) => ({ path, status: "created" }));
  return withFolders(real, (folders) => compareIn(real, folders, files, replace), opened);
}

function compareIn(
  real: string,
  folders: OpenFolders,
  files: readonly OutputFile[],
  replace: boolean,
): WriteResult[] {
  const resolver = new TargetResolver(real);
  const targets = files.map((file) => ({ file, target: resolver.resolve(file.path) }));
  refuseDoubles(targets.map(({ target }) => target));
  const present = new Set(
    targets.flatMap(({ target }) => (target.missing.length === 0 ? [target.folder] : [])),
  );
  for (const folder of present) sweep(folders.folder(folder).base, { exclusive: false });
  const found: PresentFile[] = [];
  const results = targets.map(({ file, target }): WriteResult => {
    if (target.missing.length > 0) return { path: file.path, status: "created" };
    const old = guarded("DIR001", "read", file.path, () => {
      try {
        return readRegular(folders.at(target.real), { follow: false }).data;
      } catch (error) {
        if (systemCode(error) === "ENOENT") return undefined;
        throw error;
      }
    });
    if (old === undefined) return { path: file.path, status: "created" };
    const changed = !equalBytes(old, file.data);
    found.push({ path: file.path, old, data: file.data, changed });
    if (changed) return { path: file.path, status: "updated" };
    repairMode(folders.at(target.real), file);
    return { path: file.path, status: "unchanged" };
  });
  const other = replace ? undefined : foreignFile(found);
  if (other !== undefined) throw foreign(other.path);
  return results;
}

/**
 * Gives a file whose content is right its mode; its mtime stays.
 * @param path through its open folder
 */
export function repairMode(path: string, file: OutputFile): void {
  guarded("DIR002", "change the mode of", file.path, () => {
    const descriptor = openRegular(path, { follow: false });
    try {
      if ((fstatSync(descriptor).mode & 0o7777) !== modeOf(file)) setMode(descriptor, modeOf(file));
    } finally {
      closeSync(descriptor);
    }
  });
}
