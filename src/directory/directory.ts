/** The asset directory: opened, compared with what is compiled, committed. */
import { join, resolve } from "node:path";
import type { Problem, Report } from "../core/diagnostics.js";
import { byCodeUnit, decode, type OutputFile } from "../core/files.js";
import { problem } from "../core/problem.js";
import { besideOf, pathWord, wordIn } from "../text/shell.js";
import { carryOut, closePrivateFolders } from "./commit.js";
import { type CommitPlan, type CommitRequest, type Committed, planCommit } from "./commit-plan.js";
import type { Decisions } from "./decisions.js";
import { createDigester, type Digester } from "./digest.js";
import { type Attempt, attempt, Fault } from "./fault.js";
import { type ExcludeChange, excludeOnEveryBranch, exclusionsOn } from "./git-exclude.js";
import { IGNORE_FILE } from "./git-files.js";
import { isIgnoredByGit } from "./git-ignored.js";
import { gitRoot } from "./git-root.js";
import { historyOf } from "./history.js";
import {
  FOLDERS,
  folderOf,
  INPUT_FILES,
  isImage,
  JOURNAL_FILE,
  OWN_ATTRIBUTES_FILE,
  OWN_FOLDER,
  OWN_IGNORE_FILE,
  PHASES,
  type PhaseName,
  RECORD_FILE,
  STATE_FILE,
  WORKING_COPY_FILE,
} from "./layout.js";
import { acquireLock, type Lock } from "./lock.js";
import { tellExposure } from "./modes.js";
import { withFolders } from "./open-folders.js";
import { type DirectoryFiles, type ReadFile, readDirectory, readOne } from "./read-files.js";
import { reconcile } from "./reconcile.js";
import {
  type DirectoryRecord,
  entriesOf,
  type OptionValue,
  parseRecord,
  recordedPaths,
  settleRecord,
} from "./record.js";
import { isClosed, openSealed, sealedFile, settleMerged } from "./sealing.js";
import { type InstallerState, parseState } from "./state.js";
import { realRoot, TargetResolver } from "./targets.js";
import { sweep } from "./temporary.js";
import type { Compilation, DiskFile, DiskFiles, PhasePlan } from "./types.js";
import { parseWorkingCopy, type WorkingCopy } from "./working-copy.js";

export interface OpenOptions {
  /** To write: takes the lock, makes the directory, and removes what killed runs left. To read: touches nothing. */
  readonly write: boolean;
  /** Private keys of age, for files that are encrypted. */
  readonly identities?: readonly string[];
  /** To read: files that count as if they lay in the directory. */
  readonly given?: ReadonlyMap<string, Uint8Array> | undefined;
}

export interface CompareOptions {
  /**
   * Private key of the root CA that the run uses: the state's, or the one just made. Left out, the state's; without
   * either, secret files cannot be compared with the record.
   */
  readonly rootKey?: string | undefined;
  readonly decisions?: Decisions | undefined;
}

export interface AssetDirectory {
  /** As the user wrote it. */
  readonly path: string;
  readonly state: InstallerState | undefined;
  /** What earlier runs generated; of a run that was cut off, what it did. */
  readonly record: DirectoryRecord | undefined;
  /** What was last written in this working copy; undefined in a clone. */
  readonly workingCopy: WorkingCopy | undefined;
  /** Recorded options, with those that only this working copy knows of. */
  readonly options: Readonly<Record<string, OptionValue>>;
  /** Everything that was read, by path. */
  readonly files: DiskFiles;
  /** install-config.yaml and files in tls/ that are there, by path. */
  readonly inputs: DiskFiles;
  /** Errors forbid to go on; warnings are for the user. */
  readonly problems: readonly Problem[];
  /** Phases whose files a run with `--consume` began to delete when it was cut off. */
  readonly consumedInPart: ReadonlySet<PhaseName>;
  /** Why files that are encrypted stay closed; they are errors for whoever needs what is in them. */
  readonly closed: readonly Problem[];
  /** Names of everything in the directory itself, read or not. */
  readonly rootNames: readonly string[];
  /** True where Git ignores a file of the directory itself. */
  isIgnored(name: string): boolean;
  digester(rootKey?: string): Digester;
  /** Compares a compilation with what is known and with the disk. Writes nothing. */
  compare(compilation: Compilation, options?: CompareOptions): Promise<PhasePlan>;
  /** What `commit` would do. Pure. */
  preview(request: CommitRequest): CommitPlan;
  /** What `commit` would change in the list of what Git passes over. Writes nothing. */
  exclusions(request: CommitRequest): ExcludeChange | undefined;
  /** Writes everything, or, on a problem before the first file, nothing. Only after opening to write. */
  commit(request: CommitRequest): Promise<Attempt<Committed>>;
  /** Warns where others can read the state, with all keys, though it was written for its owner alone. */
  tellExposure(report: Report): void;
  /** Releases the lock; a directory that was made and stayed empty is removed. */
  close(): void;
}

/** True when `--consume` deleted the files of a phase, or was cut off in doing so, and they have not come back. */
export function isConsumed(
  { record, files, consumedInPart }: Pick<AssetDirectory, "record" | "files" | "consumedInPart">,
  phase: PhaseName,
): boolean {
  if (consumedInPart.has(phase)) return true;
  const folders = FOLDERS.filter((each) => each.phase === phase).map(({ path }) => path);
  return (
    record?.phases[phase]?.consumed === true &&
    ![...files.keys()].some((path) => folders.includes(folderOf(path)))
  );
}

/** Opens an asset directory; one that does not exist is empty. The problem of a failure says what to do. */
export function openDirectory(path: string, options: OpenOptions): Promise<Attempt<AssetDirectory>> {
  return attempt(async () => {
    realRoot(path);
    if (!options.write) return read(path, undefined, options.identities ?? [], options.given);
    const acquired = await acquireLock(path);
    if (!acquired.ok) throw new Fault(acquired.problem);
    try {
      return await read(path, acquired.value, options.identities ?? []);
    } catch (error) {
      acquired.value.release();
      throw error;
    }
  });
}

const NOTHING: Content = { files: new Map(), folders: new Set(), rootNames: [], problems: [], closed: [] };

/** What was read, opened where it was encrypted. */
interface Content extends DirectoryFiles {
  readonly closed: readonly Problem[];
}

async function read(
  path: string,
  lock: Lock | undefined,
  identities: readonly string[],
  given: ReadonlyMap<string, Uint8Array> = new Map(),
): Promise<AssetDirectory> {
  const root = realRoot(path);
  if (root === undefined) {
    if (given.size === 0) return new OpenDirectory(path, resolve(path), NOTHING, {}, [], new Set(), lock);
    const found = filesInMemory(given);
    return opened({
      path,
      root: resolve(path),
      found,
      record: undefined,
      journal: undefined,
      lock,
      identities,
    });
  }
  if (lock !== undefined) await sweepAll(root);

  const [record, journal] = await Promise.all(
    [RECORD_FILE, JOURNAL_FILE].map((file) => parsedRecord(readOne(root, file), file)),
  );
  const found = readDirectory(root, [
    RECORD_FILE,
    JOURNAL_FILE,
    WORKING_COPY_FILE,
    OWN_IGNORE_FILE,
    OWN_ATTRIBUTES_FILE,
    IGNORE_FILE,
    ...recordedPaths(record?.record),
    ...recordedPaths(journal?.record),
  ]);
  const files = new Map([...found.files, ...filesInMemory(given).files]);
  return opened({ path, root, found: { ...found, files }, record, journal, lock, identities });
}

/** Removes what killed runs left in the folders that slipway writes to. */
function sweepAll(root: string): Promise<void> {
  const resolver = new TargetResolver(root);
  return withFolders(root, (folders) => {
    for (const path of ["", OWN_FOLDER, ...FOLDERS.map((each) => each.path)])
      try {
        const { real, missing } = resolver.folder(path);
        if (missing.length === 0) sweep(folders.folder(real).base, { exclusive: true });
      } catch (error) {
        // What cannot be opened, and a link out of the directory, holds nothing that this run may remove.
        if (!(error instanceof Fault)) throw error;
      }
  });
}

/** A directory that is in memory alone: compared with like one on disk, and never committed. */
export function directoryInMemory(
  files: ReadonlyMap<string, Uint8Array>,
  identities: readonly string[] = [],
): Promise<Attempt<AssetDirectory>> {
  return attempt(async () => {
    const found = filesInMemory(files);
    const [record, journal] = await Promise.all(
      [RECORD_FILE, JOURNAL_FILE].map((file) => parsedRecord(found.files.get(file), file)),
    );
    return opened({ path: ".", root: "", found, record, journal, lock: undefined, identities });
  });
}

function filesInMemory(files: ReadonlyMap<string, Uint8Array>): DirectoryFiles {
  const read = [...files].map(([path, data]): ReadFile => ({ path, data, mode: 0o600, stamp: "" }));
  return {
    files: new Map(read.map((file) => [file.path, file])),
    folders: new Set(read.map(({ path }) => folderOf(path))),
    rootNames: [...new Set(read.map(({ path }) => path.split("/")[0] ?? ""))].sort(byCodeUnit),
    problems: [],
  };
}

type ParsedRecord = Awaited<ReturnType<typeof parseRecord>>;

const parsedRecord = async (
  found: { readonly data: Uint8Array } | undefined,
  file: string,
): Promise<ParsedRecord | undefined> => (found === undefined ? undefined : parseRecord(found.data, file));

interface Found {
  readonly path: string;
  readonly root: string;
  readonly found: DirectoryFiles;
  readonly record: ParsedRecord | undefined;
  readonly journal: ParsedRecord | undefined;
  readonly lock: Lock | undefined;
  readonly identities: readonly string[];
}

/** What the files say of the cluster and of earlier runs. */
async function opened({
  path,
  root,
  found,
  record: { record, ...ofRecord } = { record: undefined, problems: [] },
  journal: { record: journal, ...ofJournal } = { record: undefined, problems: [] },
  lock,
  identities,
}: Found): Promise<AssetDirectory> {
  const problems: Problem[] = [...ofRecord.problems, ...ofJournal.problems, ...found.problems];
  const files = new Map(found.files);
  const closedFiles = await openSealed(files, identities, path);
  // Only a run that writes can settle what a merge left on disk. Nobody edits the state, and either version will do.
  const settlesMerges = lock !== undefined;
  const settledState = settlesMerges ? settleMerged(files, (each) => each === STATE_FILE) : new Set<string>();
  const stateFile = files.get(STATE_FILE);
  const bytes = isClosed(stateFile) ? undefined : stateFile?.data;
  const parsed = bytes === undefined ? undefined : await parseState(bytes, backFromSecret(files, path));
  problems.push(...(parsed?.problems ?? []));
  const state = parsed?.state;
  const digester = createDigester(state?.rootCA?.key);
  const settled = settleRecord(record, journal, {
    has: (each) => files.has(each),
    matches: (each, digests) => {
      const file = files.get(each);
      return file !== undefined && digests.some((digest) => digester.matches(digest, file.data) === true);
    },
    hasState: stateFile !== undefined,
  });
  const settledFiles = settlesMerges
    ? settleMerged(files, (each, data) =>
        PHASES.some((phase) =>
          entriesOf(settled, phase)
            .get(each)
            ?.digests.some((digest) => digester.matches(digest, data) === true),
        ),
      )
    : new Set<string>();
  const { folders, rootNames } = found;
  const closed = closedFiles.filter(({ file = "" }) => !settledState.has(file) && !settledFiles.has(file));
  const content: Content = { files, folders, rootNames, problems: found.problems, closed };
  const own = files.get(WORKING_COPY_FILE);
  const parsedCopy = own === undefined ? undefined : await parseWorkingCopy(own.data);
  const copy = parsedCopy?.clusterID === settled?.cluster.clusterID ? parsedCopy : undefined;
  const stateless = stateFile === undefined && settled !== undefined;
  // Somebody deleted the state and all that was generated here: the record speaks of nothing any more. In a clone it does.
  const voided = stateless && copy !== undefined && !recordedPaths(settled).some((each) => files.has(each));
  if (stateless && !voided && lock !== undefined)
    problems.push(stateGone(settled, files, copy === undefined, path));
  const inPart = new Set(PHASES.filter((phase) => isConsumedInPart(phase, record, journal, files)));
  const known = voided ? {} : { state, record: settled, copy };
  return new OpenDirectory(path, root, content, known, problems, inPart, lock);
}

/** What was generated is deleted first, so that one missing file tells that the deleting had begun. */
const isConsumedInPart = (
  phase: PhaseName,
  record: DirectoryRecord | undefined,
  journal: DirectoryRecord | undefined,
  files: DiskFiles,
): boolean =>
  journal?.phases[phase]?.consumed === true &&
  [...entriesOf(record, phase).keys()].some(
    (path) => (record?.removed[path] ?? 0) % 2 === 0 && !files.has(path),
  );

const INFRASTRUCTURE = "infrastructure-manifests";
/** The Secret that has the state of the manifests phase in it, in the folders where it may lie. */
export const WRAPPED_STATE = /^(infrastructure-manifests(?:-secrets)?)\/20_install-state\.yaml$/;

/** That a directory with a record has no state, which nothing but a copy of it can replace. */
export const stateGone = (
  { cluster, options }: DirectoryRecord,
  files: DiskFiles,
  isClone: boolean,
  directory: string,
): Problem =>
  problem(
    isClone ? "DIR017" : "DIR013",
    "NotFound",
    "",
    `${STATE_FILE} of the cluster ${cluster.infraID} is missing; new keys would not match the existing files`,
    {
      file: STATE_FILE,
      hint: `${backFromSecret(files, directory)}restore the state from ${options["secrets"] === "sops" ? "the repository's history" : "the working copy where it was created"}; to start a new cluster instead, use another directory`,
    },
  );

/** How the state is taken out of the objects that wrap it, as the beginning of a hint; empty where none is there. */
export function backFromSecret(files: DiskFiles, directory: string): string {
  const folders = [...files.keys()].flatMap((path) => WRAPPED_STATE.exec(path)?.[1] ?? []);
  if (folders.length === 0) return "";
  // The control plane, which names the Secrets, lies in the first folder.
  const from = [...new Set([INFRASTRUCTURE, ...folders])]
    .map((folder) => `--from ${wordIn(directory, folder)} `)
    .join("");
  const made = besideOf(directory, "reconstructed");
  return `run slipway reconstruct ${from}--dir ${pathWord(made)} to extract it from the wrapped objects, cp -p ${wordIn(made, STATE_FILE)} ${wordIn(directory, STATE_FILE)} to restore it, and rm -r ${pathWord(made)} to remove the extracted keys; otherwise `;
}

interface Known {
  readonly state?: InstallerState | undefined;
  readonly record?: DirectoryRecord | undefined;
  readonly copy?: WorkingCopy | undefined;
}

class OpenDirectory implements AssetDirectory {
  readonly inputs: DiskFiles;
  readonly state: InstallerState | undefined;
  readonly record: DirectoryRecord | undefined;
  readonly workingCopy: WorkingCopy | undefined;

  constructor(
    readonly path: string,
    private readonly root: string,
    private readonly content: Content,
    { state, record, copy }: Known,
    readonly problems: readonly Problem[],
    readonly consumedInPart: ReadonlySet<PhaseName>,
    private readonly lock: Lock | undefined,
  ) {
    this.state = state;
    this.record = record;
    this.workingCopy = copy;
    const inputs: [string, DiskFile][] = INPUT_FILES.flatMap((each) => {
      const file = content.files.get(each);
      return file === undefined ? [] : [[each, file]];
    });
    this.inputs = new Map(inputs);
  }

  get options(): Readonly<Record<string, OptionValue>> {
    return { ...this.record?.options, ...this.workingCopy?.options };
  }

  get closed(): readonly Problem[] {
    return this.content.closed;
  }

  get rootNames(): readonly string[] {
    return this.content.rootNames;
  }

  get files(): ReadonlyMap<string, ReadFile> {
    return this.content.files;
  }

  digester(rootKey = this.state?.rootCA?.key): Digester {
    return createDigester(rootKey);
  }

  compare(compilation: Compilation, { rootKey, decisions }: CompareOptions = {}): Promise<PhasePlan> {
    const digester = this.digester(rootKey);
    return reconcile({
      compilation,
      history: historyOf(compilation, {
        record: this.record,
        copy: this.workingCopy,
        listed: { manifests: this.state?.files, "cluster-api": this.state?.clusterApi },
        disk: this.files,
        digester,
      }),
      disk: this.files,
      folders: this.content.folders,
      digester,
      ...(decisions === undefined ? {} : { decide: (path: string) => decisions.decide(path) }),
    });
  }

  preview(request: CommitRequest): CommitPlan {
    const conflict = request.plans.find(({ conflicts }) => conflicts.length > 0);
    if (conflict !== undefined)
      throw new Error(`the phase ${conflict.phase} has conflicts; report them first`);
    const gitLayout = gitRoot(this.root) === undefined ? undefined : request.gitLayout;
    return planCommit({ ...request, gitLayout }, this.files, this.record, this.workingCopy);
  }

  exclusions(request: CommitRequest): ExcludeChange | undefined {
    return request.gitLayout === undefined
      ? undefined
      : exclusionsOn(this.root, this.ignoreText(this.preview(request)));
  }

  /** The ignore file as a commit leaves it. */
  private ignoreText({ files }: CommitPlan): string {
    const ignore = files.find(({ path }) => path === IGNORE_FILE) ?? this.files.get(IGNORE_FILE);
    return ignore === undefined ? "" : (decode(ignore.data) ?? "");
  }

  commit(request: CommitRequest): Promise<Attempt<Committed>> {
    const plan = this.preview(request);
    return attempt(async () => {
      if (this.lock === undefined) throw new Error("the directory was opened for reading");
      this.lock.assertHeld();
      const excluded =
        request.gitLayout === undefined ? undefined : excludeOnEveryBranch(this.root, this.ignoreText(plan));
      await carryOut(await this.sealed(plan, request), {
        root: this.root,
        read: this.files,
        hasJournal: this.files.has(JOURNAL_FILE),
      });
      await closePrivateFolders(this.root, this.content.folders);
      return { results: plan.results, excluded };
    });
  }

  isIgnored(name: string): boolean {
    return isIgnoredByGit(this.root, name);
  }

  tellExposure(report: Report): void {
    tellExposure(join(this.root, STATE_FILE), STATE_FILE, report);
  }

  /** The plan with its secret files as they are to lie on disk. */
  private async sealed(plan: CommitPlan, { sealing }: CommitRequest): Promise<CommitPlan> {
    if (sealing === undefined) return plan;
    const seal = (file: OutputFile): Promise<OutputFile> =>
      sealedFile(file, this.files.get(file.path), sealing);
    return {
      ...plan,
      files: await Promise.all(
        plan.files.map((file) => (file.secret && !isImage(file.path) ? seal(file) : file)),
      ),
      state: plan.state === undefined ? undefined : await seal(plan.state),
    };
  }

  close(): void {
    this.lock?.release();
  }
}
