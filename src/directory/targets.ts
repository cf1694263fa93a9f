/**
 * Where a path of ours really lies. Nothing is written outside the root: not through `..`, not through an absolute
 * path, not through a symbolic link in the root. The root itself may be a link.
 */
import { lstatSync, realpathSync, statSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { problem } from "../core/problem.js";
import { Fault, guarded, systemCode } from "./fault.js";
import { folderOf } from "./layout.js";

/** A path to write: what the user sees, and where it lies. */
export interface Target {
  readonly path: string;
  /** The real path of the file, links of the root resolved. */
  readonly real: string;
  /** The same with the last link, if the path is one, not followed. */
  readonly own: string;
  /** The real path of its folder. */
  readonly folder: string;
  /** Folders that must be made first, outermost first: real paths. */
  readonly missing: readonly string[];
}

/** The real path of the root; undefined when nothing is there. A `Fault` when it is not a folder. */
export function realRoot(root: string): string | undefined {
  const real = guarded("DIR001", "read", root, () => {
    try {
      return realpathSync.native(root);
    } catch (error) {
      if (systemCode(error) === "ENOENT") return undefined;
      throw error;
    }
  });
  if (real === undefined) {
    if (isLink(root))
      throw new Fault(
        problem("DIR006", "NotFound", "", `${root} is a dangling symbolic link`, {
          file: root,
          hint: "remove the link, or create its target folder",
        }),
      );
    return undefined;
  }
  if (!guarded("DIR001", "read", root, () => statSync(real)).isDirectory())
    throw new Fault(
      problem("DIR006", "Invalid", "", `${root} is not a folder`, {
        file: root,
        hint: "specify another directory",
      }),
    );
  return real;
}

const isLink = (path: string): boolean => {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch {
    return false;
  }
};

/** True for `a/b.yaml`; false for absolute paths, `..`, empty segments, backslashes and NUL. */
export const isPlainPath = (path: string): boolean =>
  path !== "" &&
  !/[\\\0]/.test(path) &&
  path.split("/").every((part) => part !== "" && part !== "." && part !== "..");

/** Resolves targets below one root; folders are looked up once. */
export class TargetResolver {
  private readonly folders = new Map<string, { real: string; missing: readonly string[] }>();

  /** @param root real path of an existing folder */
  constructor(private readonly root: string) {}

  resolve(path: string): Target {
    if (!isPlainPath(path))
      throw new Fault(
        problem("DIR003", "Forbidden", "", `${JSON.stringify(path)} is not a path inside the directory`, {
          file: path,
          hint: 'use a relative path without ".."',
        }),
      );
    const { real: folder, missing } = this.folder(folderOf(path));
    const own = join(folder, path.slice(path.lastIndexOf("/") + 1));
    const kind = missing.length > 0 ? undefined : this.kindOf(own, path);
    if (kind === "link") {
      const real = this.insideTarget(own, path);
      if (guarded("DIR001", "look at", path, () => statSync(real)).isFile())
        return { path, real, own, folder: dirname(real), missing };
    }
    if (kind === "other" || kind === "link")
      throw new Fault(
        problem("DIR006", "Invalid", "", `${path} is not a regular file`, {
          file: path,
          hint: "move it away",
        }),
      );
    return { path, real: own, own, folder, missing };
  }

  /** The real folder of a relative folder path, and what of it must still be made. */
  folder(path: string): { readonly real: string; readonly missing: readonly string[] } {
    if (path === "") return { real: this.root, missing: [] };
    const known = this.folders.get(path);
    if (known !== undefined) return known;
    const parent = this.folder(folderOf(path));
    const own = join(parent.real, path.slice(path.lastIndexOf("/") + 1));
    const found = this.existing(own, path, parent);
    this.folders.set(path, found);
    return found;
  }

  private existing(
    own: string,
    path: string,
    parent: { missing: readonly string[] },
  ): { real: string; missing: readonly string[] } {
    if (parent.missing.length > 0) return { real: own, missing: [...parent.missing, own] };
    const kind = this.kindOf(own, path);
    if (kind === undefined) return { real: own, missing: [own] };
    const real = kind === "link" ? this.insideTarget(own, path) : own;
    // It may be gone since the last look.
    if (!guarded("DIR001", "look at", path, () => statSync(real)).isDirectory())
      throw new Fault(
        problem("DIR006", "Invalid", "", `${path} is not a folder`, {
          file: path,
          hint: "move it away",
        }),
      );
    return { real, missing: [] };
  }

  private kindOf(real: string, path: string): "file" | "link" | "other" | undefined {
    return guarded("DIR001", "look at", path, () => {
      const stat = lstatSync(real, { throwIfNoEntry: false });
      if (stat === undefined) return undefined;
      if (stat.isSymbolicLink()) return "link";
      return stat.isFile() ? "file" : "other";
    });
  }

  /** Follows a link that must stay inside the root. */
  private insideTarget(link: string, path: string): string {
    let real: string;
    try {
      real = realpathSync.native(link);
    } catch (error) {
      const dangling = systemCode(error) === "ENOENT";
      throw new Fault(
        problem(
          "DIR005",
          "Forbidden",
          "",
          `${path} is a symbolic link that ${dangling ? "is dangling" : "cannot be followed"}`,
          { file: path, hint: "remove the link" },
        ),
      );
    }
    const inside = this.root.endsWith(sep) ? this.root : this.root + sep;
    if (real !== this.root && !real.startsWith(inside))
      throw new Fault(
        problem(
          "DIR005",
          "Forbidden",
          "",
          `${path} is a symbolic link out of the directory; slipway does not write through it`,
          { file: path, hint: "replace the link with a copy of its target" },
        ),
      );
    return real;
  }
}
