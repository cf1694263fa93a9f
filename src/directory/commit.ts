/**
 * Carrying out a commit so that a kill at any moment leaves every file old or new, and the next run goes on.
 *
 * Order: everything is staged (temporary files, flushed); the journal — the record as it will be — takes its place;
 * then the state, so that identity and keys are safe before anything made with them appears; then the files, and what
 * this working copy knows of them; then the journal becomes the record. A run that finds a journal knows both digests of every file (`settleRecord`).
 */
import { lstatSync, renameSync, rmdirSync, unlinkSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { OutputFile } from "../core/files.js";
import { problem } from "../core/problem.js";
import { closeToOthers, flushOpen, repairMode, Stage } from "./atomic.js";
import { noteChange } from "./changes.js";
import type { CommitPlan } from "./commit-plan.js";
import { Fault, guarded, systemCode } from "./fault.js";
import { IGNORE_FILE } from "./git-files.js";
import {
  FOLDERS,
  folderOf,
  JOURNAL_FILE,
  OWN_ATTRIBUTES_FILE,
  OWN_IGNORE_FILE,
  RECORD_FILE,
  STATE_FILE,
} from "./layout.js";
import { type OpenFolders, withFolders } from "./open-folders.js";
import { currentStamp, type ReadFile } from "./read-files.js";
import { type Target, TargetResolver } from "./targets.js";

export const PRIVATE_FOLDERS: ReadonlySet<string> = new Set(
  FOLDERS.filter((folder) => folder.private).map(({ path }) => path),
);

export interface CommitContext {
  /** Real path of the directory. */
  readonly root: string;
  /** The files as they were read, to notice changes meanwhile. */
  readonly read: ReadonlyMap<string, ReadFile>;
  /** A journal of a run that was cut off is there. */
  readonly hasJournal: boolean;
}

export function carryOut(plan: CommitPlan, context: CommitContext): Promise<void> {
  return withFolders(context.root, (folders) => carryOutIn(folders, plan, context));
}

async function carryOutIn(folders: OpenFolders, plan: CommitPlan, context: CommitContext): Promise<void> {
  const { root, hasJournal } = context;
  const resolver = new TargetResolver(root);
  const deletes = plan.deletes.map((path) => resolver.resolve(path));
  const quiet =
    plan.files.length === 0 &&
    deletes.length === 0 &&
    plan.state === undefined &&
    plan.workingCopy === undefined &&
    !plan.record.changed;
  if (!quiet) await write(folders, plan, deletes, context);
  else if (hasJournal) await dropJournal(root, folders);
  for (const file of plan.modes) repair(root, folders, file);
}

async function write(
  folders: OpenFolders,
  plan: CommitPlan,
  deletes: readonly Target[],
  context: CommitContext,
): Promise<void> {
  const { root } = context;
  const journal: OutputFile = { path: JOURNAL_FILE, data: plan.record.data, secret: false };
  const state = plan.state === undefined ? [] : [plan.state];
  const isForGit = ({ path }: OutputFile): boolean =>
    path === OWN_IGNORE_FILE || path === OWN_ATTRIBUTES_FILE || path === IGNORE_FILE;
  const own = plan.files.filter(isForGit);
  const files = plan.files.filter((file) => !isForGit(file));
  const copy = plan.workingCopy === undefined ? [] : [plan.workingCopy];
  const stage = await Stage.create(root, [journal, ...own, ...state, ...files, ...copy], {
    privateFolders: PRIVATE_FOLDERS,
  });
  try {
    assertUnchanged([...files, ...state].map(({ path }) => path).concat(plan.deletes, RECORD_FILE), context);
    stage.publish([...own.map(({ path }) => path), JOURNAL_FILE]);
    await stage.settle();
    if (state.length > 0) {
      stage.publish([STATE_FILE]);
      await stage.settle();
    }
    stage.publish(files.map(({ path }) => path));
    for (const { path, own: file, missing } of deletes)
      guarded("DIR002", "delete", path, () => {
        if (missing.length > 0) return;
        const place = folders.at(file);
        if (lstatSync(place, { throwIfNoEntry: false }) === undefined) return;
        unlinkSync(place);
        noteChange();
      });
    stage.publish(copy.map(({ path }) => path));
    await stage.settle();
    const emptied = deletes
      .filter(({ missing }) => missing.length === 0)
      .map(({ own: file }) => dirname(file));
    await flushOpen([...new Set(emptied)].map((each) => folders.folder(each)));
  } catch (error) {
    stage.discard();
    throw error;
  } finally {
    stage.close();
  }
  if (plan.record.changed) await journalToRecord(root, folders);
  else await dropJournal(root, folders);
  removeEmptyFolders(root, folders, plan.deletes);
}

/** Refuses to go on when somebody changed a target after it was read. */
function assertUnchanged(paths: readonly string[], { root, read }: CommitContext): void {
  for (const path of paths) {
    if (currentStamp(root, path) === (read.get(path)?.stamp ?? "absent")) continue;
    const other = read.has(path)
      ? undefined
      : [...read.keys()].find((each) => each.toLowerCase() === path.toLowerCase());
    if (other !== undefined)
      throw new Fault(
        problem(
          "DIR004",
          "Duplicate",
          "",
          `${other} exists, and this file system does not distinguish names by case; nothing was written`,
          { file: path, hint: `rename ${other}` },
        ),
      );
    throw new Fault(
      problem("DIR008", "Invalid", "", `${path} was changed during the run; nothing was written`, {
        file: path,
        hint: "run the command again",
      }),
    );
  }
}

async function journalToRecord(root: string, folders: OpenFolders): Promise<void> {
  const { folder, own } = new TargetResolver(root).resolve(RECORD_FILE);
  const open = folders.folder(folder);
  const journal = open.at(JOURNAL_FILE.slice(folderOf(JOURNAL_FILE).length + 1));
  guarded("DIR002", "write", RECORD_FILE, () => {
    folders.assertInPlace(folder);
    renameSync(journal, open.at(basename(own)));
  });
  await flushOpen([open]);
}

async function dropJournal(root: string, folders: OpenFolders): Promise<void> {
  const { folder, own } = new TargetResolver(root).resolve(JOURNAL_FILE);
  guarded("DIR002", "delete", JOURNAL_FILE, () => {
    try {
      unlinkSync(folders.at(own));
    } catch (error) {
      if (systemCode(error) !== "ENOENT") throw error;
    }
  });
  await flushOpen([folders.folder(folder)]);
}

/** Folders of phases that became empty because their last file was deleted. */
function removeEmptyFolders(root: string, folders: OpenFolders, deleted: readonly string[]): void {
  const emptied = new Set(deleted.map(folderOf));
  for (const { path } of FOLDERS)
    if (emptied.has(path))
      try {
        rmdirSync(folders.at(join(root, path)));
      } catch (error) {
        if (!(error instanceof Fault) && systemCode(error) === "") throw error;
      }
}

/** A wrong mode is repaired where that is possible; it is no reason to fail. */
function repair(root: string, folders: OpenFolders, file: OutputFile): void {
  try {
    const { real, missing } = new TargetResolver(root).resolve(file.path);
    if (missing.length === 0) repairMode(folders.at(real), file);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
  }
}

/** Secret folders of an earlier run, or made by hand, are closed to others. */
export function closePrivateFolders(root: string, present: ReadonlySet<string>): Promise<void> {
  const resolver = new TargetResolver(root);
  return withFolders(root, (folders) => {
    for (const path of PRIVATE_FOLDERS) {
      if (!present.has(path)) continue;
      try {
        const { real, missing } = resolver.folder(path);
        if (missing.length === 0) closeToOthers(folders.folder(real));
      } catch (error) {
        if (!(error instanceof Fault) && systemCode(error) === "") throw error;
      }
    }
  });
}
