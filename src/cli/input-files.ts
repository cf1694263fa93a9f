/** Files that flags name: read here, so that everything behind works on texts. */
import { readdirSync, statSync } from "node:fs";
import { isAbsolute, join, relative, resolve, sep } from "node:path";
import { decode } from "../core/files.js";
import { type Problem, problem } from "../core/problem.js";
import { gitRoot, readInput, systemCode } from "../directory/index.js";
import { firstBadByte } from "../text/decode-text.js";
import { packed } from "../text/packed.js";

export interface NamedFile {
  /** As the user wrote it, or as it is recorded. */
  readonly file: string;
  readonly data: Uint8Array;
}

/** Why some files are not read, and what helps. */
const UNREAD: Readonly<Record<string, { readonly message: string; readonly hint: string }>> = {
  EISDIR: {
    message: "is a folder, not a file",
    hint: "specify a file in it",
  },
  ETOOLARGE: { message: "the file is endless or larger than 256 MiB", hint: "use a smaller file" },
};

/** The bytes of a file; what prevents reading is reported. */
export function readNamed(
  path: string,
  cwd: string,
  report: (problem: Problem) => void,
): NamedFile | undefined {
  try {
    return { file: path, data: readInput(resolve(cwd, path)) };
  } catch (error) {
    report({
      code: "DIR015",
      kind: "NotFound",
      file: path,
      ...(UNREAD[codeOf(error)] ?? {
        message: `the file cannot be read (${codeOf(error)})`,
        hint: "specify an existing file",
      }),
    });
    return undefined;
  }
}

/** The text of a file; anything but UTF-8 is reported. */
export function textOf({ file, data }: NamedFile, report: (problem: Problem) => void): string | undefined {
  const text = decode(data);
  if (text === undefined)
    report({
      code: "DIR015",
      kind: "Parse",
      file,
      ...(packed(data) ?? { ...firstBadByte(data), hint: "save it as UTF-8" }),
    });
  return text;
}

/** Every `*.hbs` below a folder: name of the template (path without the ending) to its source. */
export function readTemplates(
  folder: string,
  cwd: string,
  report: (problem: Problem) => void,
): ReadonlyMap<string, NamedFile> {
  const root = resolve(cwd, folder);
  const found = new Map<string, NamedFile>();
  try {
    if (!statSync(root).isDirectory()) throw Object.assign(new Error(), { code: "ENOTDIR" });
    for (const each of readdirSync(root, { recursive: true, withFileTypes: true })) {
      if (!each.isFile() || !each.name.endsWith(".hbs")) continue;
      const path = relative(root, join(each.parentPath, each.name)).replaceAll("\\", "/");
      found.set(path.slice(0, -".hbs".length), {
        file: join(folder, path),
        data: readInput(join(root, path)),
      });
    }
  } catch (error) {
    report(
      problem("DIR015", "NotFound", "", `the folder of templates cannot be read (${codeOf(error)})`, {
        file: folder,
        hint: "specify a folder with the layout of templates/ in the package",
      }),
    );
  }
  return found;
}

/** A path as it is recorded: relative to the asset directory. */
export const recordedPath = (path: string, cwd: string, directory: string): string =>
  relative(resolve(cwd, directory), resolve(cwd, path)).replaceAll("\\", "/");

/** True for a file that is committed along with the directory: in its repository or, without one, in itself. */
export function isShared(path: string, cwd: string, directory: string): boolean {
  const root = gitRoot(resolve(cwd, directory)) ?? resolve(cwd, directory);
  const below = relative(root, resolve(cwd, path));
  return below !== ".." && !below.startsWith(`..${sep}`) && !isAbsolute(below);
}

/** A recorded path, relative to the working folder. */
export const fromRecord = (path: string, directory: string): string =>
  isAbsolute(path) ? path : join(directory, path);

/** The name that the system has for what went wrong. */
export const codeOf = (error: unknown): string => systemCode(error) || "error";
