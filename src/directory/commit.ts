/**
 * Carrying out a commit so that a kill at any moment leaves every file old or new, and the next run goes on.
 *
 * Order: everything is staged (temporary files, flushed); the journal — the record as it will be — takes its place;
 * then the state, so that identity and keys are safe before anything made with them appears; then the files, and what
 * this working copy knows of them; then the journal becomes the record. A run that finds a journal knows both digests of every file (`settleRecord`).
 */
import { lstatSync, renameSync, rmdirSync, unlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import type { OutputFile } from "../core/files.js";
import { problem } from "../core/problem.js";
import { flushFolders, repairMode, Stage } from "./atomic.js";
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
import { setMode } from "./modes.js";
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

export async function carryOut(plan: CommitPlan, context: CommitContext): Promise<void> {
  const { root, hasJournal } = context;
  const resolver = new TargetResolver(root);
  const deletes = plan.deletes.map((path) => resolver.resolve(path));
  const quiet =
    plan.files.length === 0 &&
    deletes.length === 0 &&
    plan.state === undefined &&
    plan.workingCopy === undefined &&
    !plan.record.changed;
  if (!quiet) await write(plan, deletes, context);
  else if (hasJournal) await dropJournal(root);
  for (const file of plan.modes) repair(root, file);
}

async function write(plan: CommitPlan, deletes: readonly Target[], context: CommitContext): Promise<void> {
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
    for (const { path, own: file } of deletes)
      guarded("DIR002", "delete", path, () => {
        if (lstatSync(file, { throwIfNoEntry: false }) === undefined) return;
        unlinkSync(file);
        noteChange();
      });
    stage.publish(copy.map(({ path }) => path));
    await stage.settle();
    await flushFolders([...new Set(deletes.map(({ own: file }) => dirname(file)))]);
  } catch (error) {
    stage.discard();
    throw error;
  }
  if (plan.record.changed) await journalToRecord(root);
  else await dropJournal(root);
  removeEmptyFolders(root, plan.deletes);
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

async function journalToRecord(root: string): Promise<void> {
  const target = new TargetResolver(root).resolve(RECORD_FILE);
  const journal = join(target.folder, JOURNAL_FILE.slice(folderOf(JOURNAL_FILE).length + 1));
  guarded("DIR002", "write", RECORD_FILE, () => renameSync(journal, target.own));
  await flushFolders([target.folder]);
}

async function dropJournal(root: string): Promise<void> {
  const journal = new TargetResolver(root).resolve(JOURNAL_FILE);
  guarded("DIR002", "delete", JOURNAL_FILE, () => {
    try {
      unlinkSync(journal.own);
    } catch (error) {
      if (systemCode(error) !== "ENOENT") throw error;
    }
  });
  await flushFolders([journal.folder]);
}

/** Folders of phases that became empty because their last file was deleted. */
function removeEmptyFolders(root: string, deleted: readonly string[]): void {
  const folders = new Set(deleted.map(folderOf));
  for (const { path } of FOLDERS)
    if (folders.has(path))
      try {
        rmdirSync(join(root, path));
      } catch (error) {
        if (systemCode(error) === "") throw error;
      }
}

/** A wrong mode is repaired where that is possible; it is no reason to fail. */
function repair(root: string, file: OutputFile): void {
  try {
    repairMode(new TargetResolver(root).resolve(file.path).real, file);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
  }
}

/** Secret folders of an earlier run, or made by hand, are closed to others. */
export function closePrivateFolders(root: string, present: ReadonlySet<string>): void {
  const resolver = new TargetResolver(root);
  for (const path of PRIVATE_FOLDERS) {
    if (!present.has(path)) continue;
    try {
      const { folder } = resolver.resolve(`${path}/x`);
      if ((lstatSync(folder).mode & 0o077) !== 0) setMode(folder, 0o700);
    } catch (error) {
      if (!(error instanceof Fault) && systemCode(error) === "") throw error;
    }
  }
}
