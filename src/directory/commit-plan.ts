/** What a commit writes and deletes: pure, so that `--dry-run` shows exactly what a run does. */
import { byCodeUnit, encode, equalBytes, type OutputFile } from "../core/files.js";
import { asCommitted } from "../text/yaml-content.js";
import { modeOf } from "./atomic.js";
import type { ExcludeChange } from "./git-exclude.js";
import { type GitLayout, IGNORE_FILE, refreshedIgnore } from "./git-files.js";
import {
  AGENT_CONFIG_IMAGE,
  IMAGE_BASED_CONFIG_IMAGE,
  isImage,
  isOutputOf,
  OWN_ATTRIBUTES_FILE,
  OWN_IGNORE_FILE,
  type PhaseName,
  RECORD_FILE,
  STATE_FILE,
  WORKING_COPY_FILE,
} from "./layout.js";
import { type DirectoryRecord, type OptionValue, type Phase, serialiseRecord } from "./record.js";
import { hasMergeMarks, isClosed, type Sealing } from "./sealing.js";
import type { DiskFile, DiskFiles, Outcome, PhasePlan, Status } from "./types.js";
import { type Copy, serialiseWorkingCopy, type WorkingCopy } from "./working-copy.js";

/** What the record says about a phase beside its files. */
export interface PhaseFacts {
  /** Name and version of the tool. */
  readonly tool: string;
}

export interface CommitRequest {
  /** One plan for each phase that was compiled. */
  readonly plans: readonly PhasePlan[];
  /** The state's new bytes (`writeState`). */
  readonly state: Uint8Array;
  readonly cluster: DirectoryRecord["cluster"];
  /** Options to remember; they are added to those that are recorded, `undefined` forgets one. */
  readonly options: Readonly<Record<string, OptionValue | undefined>>;
  /** Options that only this working copy remembers, such as where the pull secret of this person lies. */
  readonly ownOptions?: Readonly<Record<string, string>>;
  /** Digests of inputs that everybody has, by flag or file. */
  readonly inputs?: Readonly<Record<string, string>>;
  readonly facts: Readonly<Partial<Record<PhaseName, PhaseFacts>>>;
  /** In a Git work tree: how secrets lie, for the ignore file. */
  readonly gitLayout?: GitLayout | undefined;
  /** Secret files are encrypted on disk. */
  readonly sealing?: Sealing | undefined;
  /** `--consume`: inputs to delete, and phases whose files to delete, once everything is written. */
  readonly consume?: { readonly inputs: readonly string[]; readonly phases: readonly PhaseName[] };
}

/** One line of the result of `slipway create`. */
export interface FileResult {
  readonly path: string;
  readonly status: Outcome;
  /** The status that `slipway check` would have given before; absent for state and record. */
  readonly was?: Status;
}

/** What a commit did. */
export interface Committed {
  readonly results: readonly FileResult[];
  /** What Git passes over on every branch from now on; undefined where that is as it was. */
  readonly excluded: ExcludeChange | undefined;
}

export interface CommitPlan {
  /** Files to write, the state left out. */
  readonly files: readonly OutputFile[];
  readonly state: OutputFile | undefined;
  /** The record's bytes; `changed` when they differ from those on disk. */
  readonly record: { readonly data: Uint8Array; readonly changed: boolean };
  /** What this working copy knows afterwards; undefined where it knows that already. */
  readonly workingCopy: OutputFile | undefined;
  readonly deletes: readonly string[];
  /** Files whose content stays and whose mode is wrong. */
  readonly modes: readonly OutputFile[];
  readonly results: readonly FileResult[];
}

/** Keeps everything of `.slipway` but the record out of version control. */
const OWN_IGNORE = encode("*\n!.gitattributes\n!.gitignore\n!record.json\n");
/** Every line of the record is a fact, and the facts of both sides of a merge are facts. */
const OWN_ATTRIBUTES = encode("record.json text eol=lf merge=union\n");

export function planCommit(
  request: CommitRequest,
  disk: DiskFiles,
  settled: DirectoryRecord | undefined,
  copy: WorkingCopy | undefined,
): CommitPlan {
  const consumed = consumedPaths(request, disk, settled);
  const paths = request.plans.flatMap(({ paths: each }) => each).filter(({ path }) => !consumed.has(path));
  const files: OutputFile[] = [];
  const modes: OutputFile[] = [];
  const rewritten = new Set<string>();
  const deletes: string[] = [...consumed].filter((path) => disk.has(path));
  for (const { path, action, status, desired, written, disk: old } of paths) {
    if (action === "delete") deletes.push(path);
    if (action === "write" && written !== undefined) files.push(written);
    // What stays as it is and lies on disk in the other form: encrypted, or not.
    const secret = desired?.secret === true;
    const resealed =
      action === "none" && desired !== undefined && isOtherForm(request, secret && !isImage(path), old);
    if (resealed && old !== undefined) files.push({ path, data: old.data, secret });
    if (resealed) rewritten.add(path);
    if (action === "none" && desired !== undefined && old !== undefined && needsMode(status, desired, old))
      modes.push(desired);
  }
  const oldState = disk.get(STATE_FILE);
  const data = serialiseRecord(nextRecord(request, settled));
  const own = [
    compared(
      { path: STATE_FILE, data: request.state, secret: true },
      oldState,
      isOtherForm(request, true, oldState),
    ),
    compared({ path: RECORD_FILE, data, secret: false }, disk.get(RECORD_FILE)),
    compared(
      { path: WORKING_COPY_FILE, data: nextWorkingCopy(request, copy, consumed), secret: false },
      disk.get(WORKING_COPY_FILE),
    ),
    compared({ path: OWN_IGNORE_FILE, data: OWN_IGNORE, secret: false }, disk.get(OWN_IGNORE_FILE)),
    compared(
      { path: OWN_ATTRIBUTES_FILE, data: OWN_ATTRIBUTES, secret: false },
      disk.get(OWN_ATTRIBUTES_FILE),
    ),
  ] as const;
  const ignore =
    request.gitLayout === undefined
      ? undefined
      : refreshedIgnore(disk.get(IGNORE_FILE)?.data, request.gitLayout, newFolders(request, settled));
  if (ignore !== undefined) files.push({ path: IGNORE_FILE, data: encode(ignore), secret: false });
  const [state, record, workingCopy, ...forGit] = own;
  for (const each of own) if (each.status === "unchanged" && each.wrongMode) modes.push(each.file);
  files.push(...forGit.filter(({ status }) => status !== "unchanged").map(({ file }) => file));
  const results: FileResult[] = [
    ...paths.map(({ path, outcome, status }) => ({
      path,
      status: rewritten.has(path) ? ("updated" as const) : outcome,
      was: status,
    })),
    ...[...consumed].filter((path) => disk.has(path)).map((path) => ({ path, status: "removed" as const })),
    { path: STATE_FILE, status: state.status },
    { path: RECORD_FILE, status: record.status },
  ];
  return {
    files,
    state: state.status === "unchanged" ? undefined : state.file,
    record: { data, changed: record.status !== "unchanged" },
    workingCopy: workingCopy.status === "unchanged" ? undefined : workingCopy.file,
    deletes,
    modes,
    results: results.sort((a, b) => byCodeUnit(a.path, b.path)),
  };
}

interface Compared {
  readonly file: OutputFile;
  readonly status: "created" | "updated" | "unchanged";
  readonly wrongMode: boolean;
}

/** Lines for a folder or file that no earlier run wrote, so that nobody can have taken the line out. */
const newFolders = ({ plans }: CommitRequest, settled: DirectoryRecord | undefined): readonly string[] =>
  FIRST_WRITTEN.flatMap(([of, line]) =>
    plans.some(({ phase, after }) => phase === of && after.length > 0) && settled?.phases[of] === undefined
      ? [line]
      : [],
  );

const FIRST_WRITTEN = [
  ["cluster-api", "/cluster-api/"],
  ["agent-config-image", `/${AGENT_CONFIG_IMAGE}`],
  ["image-based-config-image", `/${IMAGE_BASED_CONFIG_IMAGE}`],
] as const;

/**
 * True for a file that is encrypted on disk and should not be, or the other way round, and for one with the marks of a
 * merge; one that is closed stays.
 */
const isOtherForm = ({ sealing }: CommitRequest, secret: boolean, old: DiskFile | undefined): boolean =>
  old !== undefined &&
  !isClosed(old) &&
  (hasMergeMarks(old) || (old.sealed !== undefined) !== (secret && sealing !== undefined));

function compared(file: OutputFile, old: DiskFile | undefined, otherForm = false): Compared {
  if (old === undefined) return { file, status: "created", wrongMode: false };
  // Git may have changed the line ends.
  const same = equalBytes(file.path === STATE_FILE ? old.data : asCommitted(old.data), file.data);
  const status = same && !otherForm ? "unchanged" : "updated";
  return { file, status, wrongMode: old.mode !== modeOf(file) };
}

/** A file as generated gets exactly its mode; of an edited one only a secret is closed to others. */
function needsMode(status: Status, desired: OutputFile, old: DiskFile): boolean {
  if (status === "untouched") return old.mode !== modeOf(desired);
  return desired.secret && (old.mode & 0o077) !== 0;
}

/** Everything that `--consume` deletes: inputs, and all files of the phases, the user's too, as upstream does. */
function consumedPaths(
  { consume, plans }: CommitRequest,
  disk: DiskFiles,
  settled: DirectoryRecord | undefined,
): ReadonlySet<string> {
  if (consume === undefined) return new Set();
  const ofPhases = plans
    .filter(({ phase }) => consume.phases.includes(phase))
    .flatMap(({ paths }) => paths.map(({ path }) => path));
  // What was generated goes first: of a run that was cut off it tells whether anything was deleted (`isConsumed`).
  const isGenerated = (path: string): boolean =>
    consume.phases.some((phase) => Object.hasOwn(settled?.phases[phase]?.files ?? {}, path));
  const inputs = consume.inputs.filter((path) => disk.has(path));
  return new Set([
    ...ofPhases.filter(isGenerated),
    ...ofPhases.filter((path) => !isGenerated(path)),
    ...inputs,
  ]);
}

function nextRecord(request: CommitRequest, settled: DirectoryRecord | undefined): DirectoryRecord {
  const phases: Partial<Record<PhaseName, Phase>> = { ...settled?.phases };
  const removed: Record<string, number> = { ...settled?.removed };
  for (const { phase, entries, removed: own } of request.plans) {
    const facts = request.facts[phase];
    if (facts === undefined) throw new Error(`the commit has no facts about the phase ${phase}`);
    const consumed = request.consume?.phases.includes(phase) ?? false;
    phases[phase] = {
      tool: facts.tool,
      files: consumed ? {} : Object.fromEntries(entries),
      ...(consumed ? { consumed } : {}),
    };
    for (const path of Object.keys(removed)) if (isOutputOf(phase, path)) delete removed[path];
    if (!consumed) for (const [path, changes] of own) removed[path] = changes;
  }
  const options: Record<string, OptionValue> = { ...settled?.options };
  const optionChanges: Record<string, number> = { ...settled?.optionChanges };
  for (const [name, value] of Object.entries(request.options)) {
    if (value === undefined) delete options[name];
    else if (options[name] !== value) {
      optionChanges[name] = (optionChanges[name] ?? 0) + 1;
      options[name] = value;
    }
  }
  const inputs = Object.entries(request.inputs ?? {}).map(([flag, digest]) => [flag, [digest]] as const);
  return {
    cluster: request.cluster,
    options,
    optionChanges,
    disputed: {},
    inputs: Object.fromEntries(inputs),
    removed,
    phases,
  };
}

function nextWorkingCopy(
  request: CommitRequest,
  copy: WorkingCopy | undefined,
  consumed: ReadonlySet<string>,
): Uint8Array {
  const files: Record<string, Copy> = { ...copy?.files };
  for (const { phase, copies } of request.plans) {
    for (const path of Object.keys(files)) if (isOutputOf(phase, path)) delete files[path];
    for (const [path, known] of copies) files[path] = consumed.has(path) ? { ...known, absent: true } : known;
  }
  return serialiseWorkingCopy({
    clusterID: request.cluster.clusterID,
    options: request.ownOptions ?? copy?.options ?? {},
    files,
  });
}
