/**
 * Folders that are held open, so that what is done in them is done in these folders, whatever another process lets take
 * their paths meanwhile. Node has no `openat`; on Linux a path through /proc/self/fd/N is the same. Elsewhere the path is
 * used, after a look at whether it still leads to the folder that was opened (docs/hardening.md).
 */
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  type Stats,
  statSync,
} from "node:fs";
import { basename, dirname, join, relative, sep } from "node:path";
import { problem } from "../core/problem.js";
import { Fault, guarded, systemCode } from "./fault.js";

/** What opens a folder and nothing else, and follows no link at the end of its path. */
const AS_FOLDER = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
/** What the system says of such a path that leads to a link or a file by now, or to nothing. */
const REPLACED = new Set(["ELOOP", "ENOTDIR", "ENOENT"]);

export class OpenFolder {
  private constructor(
    /** Its path when it was opened. */
    readonly real: string,
    readonly descriptor: number,
    private readonly opened: Stats,
    /** A path that leads to this folder wherever it is by now; its own where the system has none. */
    readonly base: string,
  ) {}

  /**
   * @param real a real path
   * @param through a path that leads to the same, through an open folder
   */
  static open(real: string, through = real): OpenFolder {
    const descriptor = openSync(through, AS_FOLDER);
    const opened = fstatSync(descriptor);
    const base = `/proc/self/fd/${descriptor}`;
    const isReachable =
      process.platform === "linux" &&
      isSame(
        quiet(() => statSync(base)),
        opened,
      );
    return new OpenFolder(real, descriptor, opened, isReachable ? base : real);
  }

  /** The path by which to change what has this name in the folder. A `Fault` where the folder is not in its place any more. */
  at(name: string): string {
    if (this.base === this.real && !this.isInPlace()) throw replaced(this.real);
    return join(this.base, name);
  }

  /** Whether its path still leads to it, and not through a link. */
  isInPlace(): boolean {
    return isSame(
      quiet(() => lstatSync(this.real, { throwIfNoEntry: false })),
      this.opened,
    );
  }

  is(other: OpenFolder): boolean {
    return isSame(other.opened, this.opened);
  }

  /** Whether the user of this process owns it; Windows has no such owner. */
  isOwn(): boolean {
    const user = process.geteuid?.();
    return user === undefined || this.opened.uid === user;
  }

  close(): void {
    closeSync(this.descriptor);
  }
}

/** The folders of one root, each opened once and below the one that it is in, and closed together. */
export class OpenFolders {
  private readonly folders = new Map<string, OpenFolder>();

  /**
   * @param root real path of an existing folder
   * @param expected the same, where it was opened before
   */
  constructor(
    private readonly root: string,
    private readonly expected?: OpenFolder,
  ) {}

  /** @param real a path inside the root without links in it, as `TargetResolver` finds it */
  folder(real: string): OpenFolder {
    const known = this.folders.get(real);
    if (known !== undefined) return known;
    const below = relative(this.root, real);
    if (below === ".." || below.startsWith(`..${sep}`)) throw new Error(`${real} is outside of the root`);
    const shown = below === "" ? real : below;
    const opened = guarded("DIR001", "open", shown, () => {
      if (below === "") return this.openRoot();
      const through = this.folder(dirname(real)).at(basename(real));
      try {
        return OpenFolder.open(real, through);
      } catch (error) {
        throw REPLACED.has(systemCode(error)) ? replaced(shown) : error;
      }
    });
    this.folders.set(real, opened);
    return opened;
  }

  private openRoot(): OpenFolder {
    const opened = OpenFolder.open(this.root);
    if (this.expected?.is(opened) !== false) return opened;
    opened.close();
    throw replaced(this.root);
  }

  /** The path by which to change a file or folder in the root. */
  at(real: string): string {
    return real === this.root ? this.folder(real).base : this.folder(dirname(real)).at(basename(real));
  }

  /** Makes a folder, and opens it; one that exists is only opened. True where it was made. */
  make(real: string): boolean {
    try {
      mkdirSync(this.at(real));
    } catch (error) {
      if (systemCode(error) !== "EEXIST") throw error;
      this.folder(real);
      return false;
    }
    this.folder(real);
    return true;
  }

  /** A `Fault` where another folder, or a link, has taken the place of an open one. */
  assertInPlace(real: string): void {
    for (let each = real; ; each = dirname(each)) {
      if (!this.folder(each).isInPlace()) throw replaced(relative(this.root, each) || each);
      if (each === this.root) return;
    }
  }

  close(): void {
    for (const each of this.folders.values()) each.close();
    this.folders.clear();
  }
}

/** Does something with the folders of a root, and closes them. */
export async function withFolders<T>(
  root: string,
  work: (folders: OpenFolders) => T | Promise<T>,
  expected?: OpenFolder,
): Promise<T> {
  const folders = new OpenFolders(root, expected);
  try {
    return await work(folders);
  } finally {
    folders.close();
  }
}

const isSame = (stat: Stats | undefined, opened: Stats): boolean =>
  stat !== undefined && stat.dev === opened.dev && stat.ino === opened.ino;

function quiet(look: () => Stats | undefined): Stats | undefined {
  try {
    return look();
  } catch (error) {
    if (systemCode(error) === "") throw error;
    return undefined;
  }
}

export const replaced = (path: string): Fault =>
  new Fault(
    problem("DIR008", "Invalid", "", `another process replaced or moved ${path} during the run`, {
      file: path,
      hint: "make sure that nothing else changes the directory, then run the command again",
    }),
  );
