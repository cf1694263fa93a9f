/** What the transfer commands read: folders of objects, dumps, plans. */
import { readdirSync, realpathSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Report } from "../../../core/diagnostics.js";
import { decode } from "../../../core/files.js";
import { problem } from "../../../core/problem.js";
import { lookAt, readInput } from "../../../directory/index.js";
import type { TransferObject } from "../../../transfer/api.js";
import { readTransferObjects } from "../../../transfer/read.js";
import type { ClusterState, StateText } from "../../../transfer/state.js";
import type { CliContext } from "../../cli-context.js";
import { UsageError } from "../../exit.js";
import { codeOf } from "../../input-files.js";
import { readTextInput, STDIN } from "../../read-text.js";

const ENDING = /\.(ya?ml|json)$/i;

/**
 * Every transfer object below folders, in the order of paths; what cannot be read is reported.
 *
 * A folder may hold none: once its transfers are over, a repository is clean. Who names a file means what is in it, so one
 * without any is the wrong one, unless it stands among others, as the shell's `*` puts it there.
 */
export function readFolders(folders: readonly string[], cli: CliContext, report: Report): TransferObject[] {
  if (folders.length === 0) throw new UsageError("DIR is required: a folder with requests and approvals");
  const seen = new Set<string>();
  const empty: string[] = [];
  /** Whether what stands below one of them was reported, or read before. */
  let known = false;
  const noted: Report = (problem) => {
    known = true;
    report(problem);
  };
  const objects = folders.flatMap((folder) => {
    known = false;
    const found = filesBelow(folder, cli.cwd, noted).flatMap((path) => {
      const full = resolve(cli.cwd, path);
      // A file and a link to it are one file.
      const real = realPath(full);
      if (seen.has(real)) {
        known = true;
        return [];
      }
      seen.add(real);
      return objectsIn(path, full, noted);
    });
    if (found.length === 0 && !known && isFile(folder, cli.cwd)) empty.push(folder);
    return found;
  });
  for (const file of empty)
    report(
      problem("TRF001", "NotFound", "", "the file contains no request and no approval", {
        severity: objects.length === 0 ? "error" : "info",
        file,
        hint: "specify the files of a transfer, or their folder",
      }),
    );
  return objects;
}

const isFile = (path: string, cwd: string): boolean =>
  statSync(resolve(cwd, path), { throwIfNoEntry: false })?.isFile() ?? false;

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function objectsIn(path: string, full: string, report: Report): TransferObject[] {
  let data: Uint8Array;
  try {
    data = readInput(full);
  } catch (error) {
    report(unreadable(path, error));
    return [];
  }
  // Most files of a repository are about something else, and may be anything.
  if (!Buffer.from(data.buffer, data.byteOffset, data.length).includes("StorageTransfer")) return [];
  const text = decode(data);
  if (text === undefined) {
    report(
      problem("TRF001", "Parse", "", "the file is not UTF-8 text", {
        file: path,
        hint: "save it as UTF-8",
      }),
    );
    return [];
  }
  return readTransferObjects(text.replace(/^\ufeff/, ""), path, report);
}

function filesBelow(path: string, cwd: string, report: Report): string[] {
  try {
    if (statSync(resolve(cwd, path)).isFile()) return [path];
    const entries = readdirSync(resolve(cwd, path), { withFileTypes: true }).sort((a, b) =>
      a.name < b.name ? -1 : 1,
    );
    return entries.flatMap((entry) => {
      const inner = join(path, entry.name);
      if (entry.isDirectory()) return entry.name.startsWith(".") ? [] : filesBelow(inner, cwd, report);
      const isFile =
        entry.isFile() || (entry.isSymbolicLink() && lookAt(resolve(cwd, inner))?.isFile() === true);
      return isFile && ENDING.test(entry.name) ? [inner] : [];
    });
  } catch (error) {
    report(unreadable(path, error));
    return [];
  }
}

const unreadable = (file: string, error: unknown) =>
  problem("TRF001", "NotFound", "", `the file or folder cannot be read (${codeOf(error)})`, {
    file,
    hint: "specify an existing one",
  });

/** The dumps of `--state`, as one state; undefined when none is given or one cannot be read. */
export async function readDumps(
  paths: readonly string[],
  cli: CliContext,
  report: Report,
): Promise<ClusterState | undefined> {
  if (paths.length === 0) return undefined;
  const texts: StateText[] = [];
  for (const path of paths) {
    const text = await readTextInput(cli, path, report);
    if (text !== undefined) texts.push({ file: path === "-" ? STDIN : path, text });
  }
  if (texts.length < paths.length) return undefined;
  const { readState } = await import("../../../transfer/state.js");
  return readState(texts, report);
}
