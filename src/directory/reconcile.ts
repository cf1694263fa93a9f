/**
 * The three-way comparison: what was generated, what is on disk, what we would generate now. Pure.
 *
 * Per path, the user changed something when the disk says what no known generation said, and we changed something
 * when the compilation is not what it was. One change alone wins. Both at once are merged field by field; where that
 * does not work they are a conflict, which only the user decides. No value that the user wrote is ever replaced or
 * deleted without `--theirs` for its path.
 */
import { byCodeUnit, type OutputFile } from "../core/files.js";
import { asCommitted, hasLayout } from "../text/yaml-content.js";
import { type Digester, isKeyed } from "./digest.js";
import { type History, type Known, keptText } from "./history.js";
import { FOLDERS, folderOf, isKustomization, remembersRemovals } from "./layout.js";
import { isOdd } from "./record.js";
import { isClosed, placeholderOf } from "./sealing.js";
import type {
  Compilation,
  DiskFile,
  DiskFiles,
  Outcome,
  PathPlan,
  PhasePlan,
  RecordEntry,
  Side,
  Status,
} from "./types.js";
import { closed, entryOf, evaluate, evaluateWithoutKey, type PathVerdict, type Sides } from "./verdict.js";
import { type Copy, nextCopy } from "./working-copy.js";

export interface ReconcileInput {
  readonly compilation: Compilation;
  readonly history: History;
  readonly disk: DiskFiles;
  /** Folders that exist. */
  readonly folders: ReadonlySet<string>;
  readonly digester: Digester;
  /** What the user decided with --ours and --theirs. */
  decide?(path: string): Decision | undefined;
}

export interface Decision {
  readonly side: Side;
  /** The path itself was named; else a folder or glob, which decides conflicts only. */
  readonly exact: boolean;
}

const UNKNOWN: Known = {
  recorded: undefined,
  removals: 0,
  copy: undefined,
  wasHere: false,
  contents: [],
  listed: [],
};

export async function reconcile(input: ReconcileInput): Promise<PhasePlan> {
  const { compilation, history, disk } = input;
  const desired = new Map(compilation.files.map((file) => [file.path, file]));
  const unverifiable = new Set(compilation.unverifiable ?? []);
  const paths = new Set([...history.paths.keys(), ...desired.keys(), ...unverifiable, ...additions(input)]);
  const gone = goneFolders(input);
  const context = { digester: input.digester, hasAny: history.hasAny };
  const plans: PathPlan[] = [];
  const entries = new Map<string, RecordEntry>();
  const removed = new Map<string, number>();
  const copies = new Map<string, Copy>();
  const elsewhere: { path: string; how: "absent" | "differs" }[] = [];
  const desiredNames = new Set([...desired.keys()].map(nameIn));
  for (const path of [...paths].sort(byCodeUnit)) {
    const known = history.paths.get(path) ?? UNKNOWN;
    const sides = { path, known, disk: disk.get(path), desired: desired.get(path) };
    const isAbsent = isMadeElsewhere(sides) && !unverifiable.has(path) && !desiredNames.has(nameIn(path));
    if (isAbsent && input.decide?.(path)?.side === "theirs") continue;
    if (isAbsent) elsewhere.push({ path, how: "absent" });
    else if (isMadeOtherwise(sides, input.digester)) elsewhere.push({ path, how: "differs" });
    const verdict = isAbsent
      ? absentHere(known)
      : isClosed(sides.disk)
        ? { ...closed(sides), entry: known.recorded }
        : unverifiable.has(path)
          ? evaluateWithoutKey(sides, input.digester)
          : await evaluate(sides, context, gone.has(folderOf(path)) || !remembersRemovals(compilation.phase));
    const decided = verdict === undefined ? undefined : await applyDecision(sides, verdict, input);
    const { entry, removals } = decided ?? { entry: undefined, removals: known.removals };
    if (entry !== undefined) entries.set(path, entry);
    if (removals > 0) removed.set(path, removals);
    const plan = decided === undefined ? undefined : planOf(sides, decided);
    const copy = copyOf(sides, plan, removals, input.digester);
    if (copy !== undefined) copies.set(path, copy);
    if (plan !== undefined) plans.push(plan);
  }
  // What another copy made stays in the record, and the list of it too: else the two would write it in turns.
  for (const { path } of elsewhere)
    for (const each of [path, `${folderOf(path)}/kustomization.yaml`]) {
      const recorded = history.paths.get(each)?.recorded;
      if (recorded !== undefined) entries.set(each, recorded);
    }
  return {
    phase: compilation.phase,
    paths: plans,
    conflicts: plans.filter(({ status }) => status === "conflict"),
    after: plans.flatMap((plan) => after(plan, history.paths.get(plan.path))),
    entries,
    removed,
    copies,
    elsewhere,
  };
}

/** A file that wraps a manifest for the cluster (phases/infrastructure-manifests/layout.ts). */
const WRAP = /^infrastructure-manifests(?:-secrets)?\/30_manifest-[^/]*\.yaml$/;
const nameIn = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

/** Nothing here makes the file or ever made it, and the record knows it. */
const isMadeElsewhere = ({ path, known, disk, desired }: Sides): boolean =>
  WRAP.test(path) &&
  disk === undefined &&
  desired === undefined &&
  known.recorded !== undefined &&
  known.copy === undefined &&
  !isOdd(known.removals);

/** Nothing changed here since the last run, and the record says that another copy made something else. */
const isMadeOtherwise = ({ path, known, desired }: Sides, digester: Digester): boolean =>
  WRAP.test(path) &&
  desired !== undefined &&
  [known.copy?.digest ?? []].flat().some((digest) => digester.matches(digest, desired.data) === true) &&
  (known.recorded?.digests ?? []).length > 0 &&
  known.recorded?.digests.every((digest) => digester.matches(digest, desired.data) === false) === true;

/** The record keeps what another copy made. */
const absentHere = ({ recorded, removals }: Known): PathVerdict => ({
  status: "unverifiable",
  action: "none",
  entry: recorded,
  removals,
  why: "created in another working copy",
});

/** Files in the folders of the phase that nobody generated. */
function additions({ compilation, disk }: ReconcileInput): string[] {
  const folders = new Set(
    FOLDERS.filter((each) => each.phase === compilation.phase && each.additions).map(({ path }) => path),
  );
  return [...disk.keys()].filter((path) => folders.has(folderOf(path)));
}

/**
 * Folders whose generated files are gone as a whole. Somebody who deletes a folder wants it made anew (upstream does
 * the same, docs/reference/install-config-and-manifests.md §2.4), so nothing in it counts as removed by the user. One
 * file of a folder that is still there does.
 */
function goneFolders({ history, disk, folders }: ReconcileInput): ReadonlySet<string> {
  const groups = new Map<string, { count: number; present: boolean }>();
  for (const [path, { removals, wasHere }] of history.paths) {
    if (isOdd(removals) || !wasHere) continue;
    const group = groups.get(folderOf(path)) ?? { count: 0, present: false };
    groups.set(folderOf(path), { count: group.count + 1, present: group.present || disk.has(path) });
  }
  const gone = [...groups].filter(
    ([folder, { count, present }]) => !present && (count > 1 || (folder !== "" && !folders.has(folder))),
  );
  return new Set(gone.map(([folder]) => folder));
}

/**
 * `ours`: the disk stays as it is and counts as the user's choice over what is compiled now. `theirs`: the disk
 * becomes what is compiled now. A folder or glob decides conflicts only; a path named exactly also takes back an
 * edit, restores a removed file, or keeps an old one.
 */
async function applyDecision(
  sides: Sides,
  verdict: PathVerdict,
  { decide, digester }: ReconcileInput,
): Promise<PathVerdict> {
  const decision = decide?.(sides.path);
  if (decision === undefined || verdict.status === "unverifiable") return verdict;
  if (verdict.status !== "conflict" && !decision.exact) return verdict;
  const { disk, desired, known } = sides;
  const { removals } = verdict;
  // What nobody could use is not kept; and a file of the user's has no other version here.
  if (verdict.isUnsettled === true && (decision.side === "ours" || desired === undefined)) return verdict;
  const isAway = isOdd(known.removals) && isOdd(removals) && disk !== undefined;
  const entry = desired === undefined ? undefined : entryOf(desired, digester);
  if (decision.side === "theirs") {
    // What the record says to be removed is taken as removed, unless the path itself is named.
    if (isAway && verdict.status === "conflict")
      return { status: "stale", action: "delete", entry, removals, why: "removed (--theirs)" };
    const isMerge = verdict.written !== undefined && verdict.status === "stale";
    if (
      (verdict.action !== "none" && !isMerge) ||
      verdict.status === "untouched" ||
      verdict.status === "added"
    )
      return verdict;
    return {
      status: verdict.status === "conflict" ? "stale" : verdict.status,
      action: desired === undefined ? "delete" : "write",
      entry,
      removals: isOdd(removals) ? removals + 1 : removals,
      why: "replaced with the compiled file (--theirs)",
    };
  }
  if (verdict.status !== "conflict" && verdict.action === "none") return verdict;
  const why = "kept (--ours)";
  if (disk === undefined)
    return {
      status: "removed",
      action: "none",
      entry,
      removals: isOdd(removals) ? removals : removals + 1,
      why,
    };
  return {
    status: entry === undefined ? "added" : "edited",
    action: "none",
    entry,
    removals: isOdd(removals) ? removals + 1 : removals,
    why,
  };
}

function planOf({ path, disk, desired }: Sides, verdict: PathVerdict): PathPlan {
  const { status, action, why, fields = [], losesComments = false, isUnsettled = false } = verdict;
  const written = action === "write" ? (verdict.written ?? desired) : undefined;
  const outcome = outcomeOf(status, action, disk);
  return {
    path,
    status,
    action,
    outcome,
    desired,
    written,
    disk,
    why: why ?? "",
    fields,
    losesComments,
    isUnsettled,
  };
}

function outcomeOf(status: Status, action: PathPlan["action"], disk: DiskFile | undefined): Outcome {
  if (action === "write") return disk === undefined ? "created" : "updated";
  if (action === "delete" || status === "removed") return "removed";
  return status === "untouched" || status === "unverifiable" ? "unchanged" : "kept";
}

/** The files as they will be, with the line ends of the repository. */
function after({ path, action, desired, written, disk }: PathPlan, known: Known | undefined): OutputFile[] {
  const settled = (file: OutputFile): OutputFile =>
    hasLayout(path) ? { ...file, data: asCommitted(file.data) } : file;
  if (action === "write") return written === undefined ? [] : [settled(written)];
  if (action === "delete" || disk === undefined) return [];
  // Later phases must not read ciphertext. What is compiled here says what kind of object the file holds.
  if (isClosed(disk)) return [settled(desired ?? { path, data: placeholderOf(disk), secret: true })];
  const digests = known?.recorded?.digests ?? [];
  const secret = desired?.secret ?? (digests.some(isKeyed) || (disk.mode & 0o077) === 0);
  return [settled({ path, data: disk.data, secret })];
}

/** What the working copy knows of a path afterwards. */
function copyOf(
  { known, desired, disk }: Sides,
  plan: PathPlan | undefined,
  removals: number,
  digester: Digester,
): Copy | undefined {
  const { copy, recorded } = known;
  const isOurs = desired !== undefined || recorded !== undefined || copy !== undefined || removals > 0;
  if (!isOurs) return undefined;
  if (plan?.status === "unverifiable" || plan?.status === "conflict") return copy;
  const left =
    plan?.action === "write" ? plan.written?.data : plan?.action === "delete" ? undefined : disk?.data;
  const isAdopted = recorded?.compiled !== undefined && plan?.action === "none";
  const digest = isAdopted
    ? recorded.digests[0]
    : desired === undefined
      ? undefined
      : digester.of(desired.data, desired.secret);
  const text =
    desired === undefined || isAdopted
      ? undefined
      : keptText(desired.data, desired.secret && !isKustomization(desired.path));
  const isTheirs =
    left !== undefined && plan?.action === "none" && (plan?.status === "edited" || plan?.status === "added");
  const seen = isTheirs ? digester.of(left, desired?.secret ?? true) : undefined;
  const next = nextCopy(
    copy,
    {
      ...(digest === undefined ? {} : { digest }),
      ...(text === undefined || !isEditable(plan?.path ?? "") ? {} : { text }),
      ...(seen === undefined ? {} : { seen }),
      ...(left === undefined ? { absent: true } : {}),
      ...(removals > 0 ? { changes: removals } : {}),
    },
    recorded?.digests ?? [],
  );
  return next.digest === undefined && next.earlier === undefined && removals === 0 ? undefined : next;
}

/** manifests/ and openshift/ are kept by the state, and nobody edits configs of machines field by field. */
const isEditable = (path: string): boolean =>
  /^infrastructure-manifests(?:-shared|-secrets)?\/.*\.ya?ml$/.test(path);
