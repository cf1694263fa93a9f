/**
 * The three-way comparison: what was generated, what is on disk, what we would generate now. Pure.
 *
 * Per path, the user changed something when the disk says what no known generation said, and we changed something
 * when the compilation is not what it was. One change alone wins. Both at once are merged field by field; where that
 * does not work they are a conflict, which only the user decides. No value that the user wrote is ever replaced or
 * deleted without `--theirs` for its path.
 */
import { byCodeUnit, decode, encode, type OutputFile } from "../core/files.js";
import { asCommitted, hasLayout, mergeSides, valuesOf } from "../text/yaml-content.js";
import { saysSame } from "./contents.js";
import { type Digester, isKeyed } from "./digest.js";
import { keepLayout } from "./keep-layout.js";
import { contentOf, type Knowledge, type Known, keptText } from "./knowledge.js";
import { FOLDERS, folderOf, remembersRemovals } from "./layout.js";
import { mergeValues } from "./merge.js";
import { isClosed } from "./sealing.js";
import type {
  Compilation,
  DiskFile,
  DiskFiles,
  FieldConflict,
  Outcome,
  PathPlan,
  PhasePlan,
  RecordEntry,
  Side,
  Status,
} from "./types.js";
import { type Copy, nextCopy } from "./working-copy.js";

export interface Situation {
  readonly compilation: Compilation;
  readonly knowledge: Knowledge;
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

/** A verdict on one path, before decisions of the user. */
interface PathVerdict {
  readonly status: Status;
  readonly action: PathPlan["action"];
  /** What the record says of the file afterwards. */
  readonly entry: RecordEntry | undefined;
  /** The number of the record's removal afterwards. */
  readonly removals: number;
  readonly why?: string;
  /** What is written in the place of the compiled file: the same with what the user changed in it. */
  readonly written?: OutputFile;
  readonly fields?: readonly FieldConflict[];
  readonly losesComments?: boolean;
}

interface Sides {
  readonly path: string;
  readonly known: Known;
  readonly disk: DiskFile | undefined;
  readonly fresh: OutputFile | undefined;
}

const UNKNOWN: Known = { recorded: undefined, removals: 0, copy: undefined, wasHere: false, contents: [] };

export async function reconcile(situation: Situation): Promise<PhasePlan> {
  const { compilation, knowledge, disk } = situation;
  const fresh = new Map(compilation.files.map((file) => [file.path, file]));
  const unverifiable = new Set(compilation.unverifiable ?? []);
  const paths = new Set([
    ...knowledge.paths.keys(),
    ...fresh.keys(),
    ...unverifiable,
    ...additions(situation),
  ]);
  const gone = goneFolders(situation);
  const plans: PathPlan[] = [];
  const entries = new Map<string, RecordEntry>();
  const removed = new Map<string, number>();
  const copies = new Map<string, Copy>();
  for (const path of [...paths].sort(byCodeUnit)) {
    const known = knowledge.paths.get(path) ?? UNKNOWN;
    const sides = { path, known, disk: disk.get(path), fresh: fresh.get(path) };
    const verdict = isClosed(sides.disk)
      ? { ...closed(known), entry: known.recorded }
      : unverifiable.has(path)
        ? judgeBlind(sides, situation.digester)
        : await judge(sides, situation, gone.has(folderOf(path)) || !remembersRemovals(compilation.phase));
    const decided = verdict === undefined ? undefined : await applyDecision(sides, verdict, situation);
    const { entry, removals } = decided ?? { entry: undefined, removals: known.removals };
    if (entry !== undefined) entries.set(path, entry);
    if (removals > 0) removed.set(path, removals);
    const plan = decided === undefined ? undefined : planOf(sides, decided);
    const copy = copyOf(sides, plan, removals, situation.digester);
    if (copy !== undefined) copies.set(path, copy);
    if (plan !== undefined) plans.push(plan);
  }
  return {
    phase: compilation.phase,
    paths: plans,
    conflicts: plans.filter(({ status }) => status === "conflict"),
    after: plans.flatMap((plan) => after(plan, knowledge.paths.get(plan.path))),
    entries,
    removed,
    copies,
  };
}

/** A file that no key opens stays as it is. */
const closed = ({ removals }: Known): Omit<PathVerdict, "entry"> => ({
  status: "unverifiable",
  action: "none",
  removals,
  why: "it is encrypted, and no key at hand opens it",
});

/** Files in the folders of the phase that nobody generated. */
function additions({ compilation, disk }: Situation): string[] {
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
function goneFolders({ knowledge, disk, folders }: Situation): ReadonlySet<string> {
  const groups = new Map<string, { count: number; present: boolean }>();
  for (const [path, { removals, wasHere }] of knowledge.paths) {
    if (isOdd(removals) || !wasHere) continue;
    const group = groups.get(folderOf(path)) ?? { count: 0, present: false };
    groups.set(folderOf(path), { count: group.count + 1, present: group.present || disk.has(path) });
  }
  const gone = [...groups].filter(
    ([folder, { count, present }]) => !present && (count > 1 || (folder !== "" && !folders.has(folder))),
  );
  return new Set(gone.map(([folder]) => folder));
}

const isOdd = (number: number): boolean => number % 2 === 1;

/** Undefined when there is nothing to say: neither on disk nor compiled. */
async function judge(sides: Sides, situation: Situation, gone: boolean): Promise<PathVerdict | undefined> {
  const { known, disk, fresh } = sides;
  if (disk === undefined) return judgeAbsent(sides, situation.digester, gone);
  const { removals, copy } = known;
  // Somebody else removed the file, and it is still here: not the same as one that was brought back here.
  const isNews = isOdd(removals) && (copy?.changes ?? 0) < removals;
  const generated = isGenerated(sides, situation.digester);
  const isFresh = fresh !== undefined && saysSame(disk.path, disk.data, fresh.data);
  const entry = fresh === undefined ? known.recorded : entryOf(fresh, situation.digester, known.recorded);
  if (isNews && !isFresh && generated === undefined)
    return { status: "unverifiable", action: "none", entry, removals };
  if (isNews)
    return isFresh || generated === true
      ? { status: "stale", action: "delete", entry, removals, why: "the record says that it was removed" }
      : {
          status: "conflict",
          action: "none",
          entry,
          removals,
          why: "it was edited here, and the record says that it was removed",
        };
  const verdict = await judgePresent({ ...sides, disk }, situation, isFresh, generated);
  return { ...verdict, removals: isOdd(removals) ? removals + 1 : removals };
}

type Present = Sides & { readonly disk: DiskFile };

async function judgePresent(
  { path, known, disk, fresh }: Present,
  { digester, knowledge }: Situation,
  isFresh: boolean,
  generated: boolean | undefined,
): Promise<Omit<PathVerdict, "removals">> {
  const { recorded, copy } = known;
  if (isFresh && fresh !== undefined)
    return { status: "untouched", action: "none", entry: entryOf(fresh, digester, recorded) };
  // Of a path that is only known from earlier, what stands there now is the user's, unless it is just that.
  const isUnknown = recorded === undefined && copy?.digest === undefined && known.contents.length === 0;
  if (isUnknown && generated !== true)
    return fresh === undefined
      ? { status: "added", action: "none", entry: undefined }
      : {
          status: "conflict",
          action: "none",
          entry: undefined,
          why: unknownFile(knowledge.hasAny),
        };
  if (
    recorded?.compiled !== undefined &&
    (generated === true || hasChanged(recorded, fresh, digester) === false)
  )
    return judgeAdopted(recorded, fresh, generated, digester);
  if (generated === true) {
    if (fresh === undefined)
      return { status: "stale", action: "delete", entry: undefined, why: "no longer generated" };
    const values = hasLayout(path) ? valuesOf(fresh.data) : undefined;
    const kept = values === undefined ? undefined : await keepLayout(disk.data, values);
    return {
      status: "stale",
      action: "write",
      entry: entryOf(fresh, digester),
      ...(kept === undefined
        ? {}
        : { written: { ...fresh, data: kept.data }, losesComments: !kept.keepsComments }),
    };
  }
  if (generated === undefined) return { status: "unverifiable", action: "none", entry: recorded };
  if (fresh === undefined)
    return {
      status: "conflict",
      action: "none",
      entry: recorded,
      why: "it was edited, and is no longer generated",
    };
  return judgeEdited({ path, known, disk, fresh }, digester);
}

/** A file taken over from openshift-install keeps its form until what slipway would write changes. */
function judgeAdopted(
  recorded: RecordEntry,
  fresh: OutputFile | undefined,
  generated: boolean | undefined,
  digester: Digester,
): Omit<PathVerdict, "removals"> {
  if (hasChanged(recorded, fresh, digester) === false) {
    const status = generated === undefined ? "unverifiable" : generated ? "untouched" : "edited";
    return { status, action: "none", entry: recorded };
  }
  return fresh === undefined
    ? { status: "stale", action: "delete", entry: undefined, why: "no longer generated" }
    : { status: "stale", action: "write", entry: entryOf(fresh, digester) };
}

/** Whether the compilation gives something else than when the file was adopted; undefined for a file that was not. */
function hasChanged(
  { compiled }: RecordEntry,
  fresh: OutputFile | undefined,
  digester: Digester,
): boolean | undefined {
  if (compiled === undefined) return undefined;
  if (fresh === undefined || compiled === null) return (fresh === undefined) !== (compiled === null);
  return digester.matches(compiled, fresh.data) !== true;
}

/** A file in which the user changed something: what of it stays. */
async function judgeEdited(
  { path, known, disk, fresh }: Present & { readonly fresh: OutputFile },
  digester: Digester,
): Promise<Omit<PathVerdict, "removals">> {
  const { recorded, copy } = known;
  const entry = entryOf(fresh, digester, recorded);
  const isNow = (digest: string): boolean => digester.matches(digest, fresh.data) === true;
  const edited = { status: "edited", action: "none", entry } as const;
  const bases = copy?.digest === undefined ? (recorded?.digests ?? []) : [copy.digest];
  if (bases.some(isNow)) return edited;
  // The file may have come from Git as somebody edited it over what is generated now.
  const cameEdited =
    (recorded?.digests ?? []).some(isNow) &&
    !(copy?.seen !== undefined && digester.matches(copy.seen, disk.data) === true);
  const base = contentOf(known.contents, bases, digester);
  const [yours, now] = [valuesOf(disk.data), valuesOf(fresh.data)];
  const why = "it was edited, and its input changed";
  if (!hasLayout(path) || yours === undefined || now === undefined)
    return cameEdited
      ? edited
      : {
          status: "conflict",
          action: "none",
          entry: recorded,
          why:
            mergeSides(decode(disk.data) ?? "") === undefined ? why : "it holds a merge that is not settled",
        };
  const old = base === undefined ? undefined : valuesOf(base);
  if (old === undefined)
    return cameEdited
      ? edited
      : {
          status: "conflict",
          action: "none",
          entry: recorded,
          why,
        };
  const isSingle = old.length === 1 && yours.length === 1 && now.length === 1;
  const { value, conflicts } = isSingle
    ? mergeValues(old[0], yours[0], now[0])
    : mergeValues([...old], [...yours], [...now]);
  if (conflicts.length > 0)
    return cameEdited
      ? edited
      : { status: "conflict", action: "none", entry: recorded, why, fields: conflicts };
  const values = isSingle ? [value ?? null] : Array.isArray(value) ? value : [];
  const kept = await keepLayout(disk.data, values);
  if (saysSame(path, kept.data, disk.data)) return edited;
  return {
    status: "stale",
    action: "write",
    entry,
    why: "merged with what you changed",
    written: { ...fresh, data: kept.data },
    losesComments: !kept.keepsComments,
  };
}

/**
 * True when the disk says what a known generation said, here or elsewhere, in one version or in both that a merge
 * left between its markers; undefined where that needs the key of secret files.
 */
function isGenerated({ known, disk }: Sides, digester: Digester): boolean | undefined {
  if (disk === undefined) return false;
  const { recorded, copy } = known;
  const digests = [...(recorded?.digests ?? []), ...[copy?.digest ?? []].flat(), ...(copy?.earlier ?? [])];
  const isOne = (data: Uint8Array): boolean | undefined => {
    const answers = digests.map((digest) => digester.matches(digest, data));
    return answers.includes(true) ? true : answers.includes(undefined) ? undefined : false;
  };
  // What the last run left as the user's stays the user's, also where it is an old version that they keep.
  if (copy?.seen !== undefined && digester.matches(copy.seen, disk.data) === true) return false;
  const whole = isOne(disk.data);
  if (whole !== false) return whole;
  if (known.contents.some((content) => saysSame(disk.path, content, disk.data))) return true;
  const sides = mergeSides(decode(disk.data) ?? "");
  return sides?.every((side) => isOne(encode(side)) === true) ?? false;
}

const unknownFile = (hasAny: boolean): string =>
  hasAny
    ? "a file that slipway did not write stands where one is generated"
    : "it differs from what is compiled, and no record tells who changed it";

function judgeAbsent({ known, fresh }: Sides, digester: Digester, gone: boolean): PathVerdict | undefined {
  if (fresh === undefined) return undefined;
  const { recorded, removals, wasHere } = known;
  const entry = entryOf(fresh, digester, recorded);
  if (!gone && !isOdd(removals) && recorded !== undefined && wasHere)
    return { status: "removed", action: "none", entry, removals: removals + 1, why: "removed by the user" };
  if (isOdd(removals))
    return { status: "removed", action: "none", entry, removals, why: "removed by the user" };
  return { status: "missing", action: "write", entry, removals };
}

/** A path that cannot be compiled for want of a secret: what can be said from record and disk alone. */
function judgeBlind(sides: Sides, digester: Digester): PathVerdict {
  const { known, disk } = sides;
  const { recorded: entry, removals } = known;
  if (disk === undefined && isOdd(removals))
    return { status: "removed", action: "none", entry, removals, why: "removed by the user" };
  if (entry !== undefined && disk !== undefined && isGenerated(sides, digester) === false)
    return { status: "edited", action: "none", entry, removals };
  return { status: "unverifiable", action: "none", entry, removals, why: "needs a secret that is not there" };
}

/** The entry of a file as compiled; a secret one keeps its old entry where the key is missing. */
function entryOf(fresh: OutputFile, digester: Digester, old?: RecordEntry): RecordEntry | undefined {
  const digest = digester.of(fresh.data, fresh.secret);
  return digest === undefined ? old : { digests: [digest] };
}

/**
 * `ours`: the disk stays as it is and counts as the user's choice over what is compiled now. `theirs`: the disk
 * becomes what is compiled now. A folder or glob decides conflicts only; a path named exactly also takes back an
 * edit, restores a removed file, or keeps an old one.
 */
async function applyDecision(
  sides: Sides,
  verdict: PathVerdict,
  { decide, digester }: Situation,
): Promise<PathVerdict> {
  const decision = decide?.(sides.path);
  if (decision === undefined || verdict.status === "unverifiable") return verdict;
  if (verdict.status !== "conflict" && !decision.exact) return verdict;
  const { disk, fresh, known } = sides;
  const { removals } = verdict;
  const isAway = isOdd(known.removals) && isOdd(removals) && disk !== undefined;
  const entry = fresh === undefined ? undefined : entryOf(fresh, digester);
  if (decision.side === "theirs") {
    // What the record says to be removed is taken as removed, unless the path itself is named.
    if (isAway && verdict.status === "conflict")
      return { status: "stale", action: "delete", entry, removals, why: "taken as removed (--theirs)" };
    const isMerge = verdict.written !== undefined && verdict.status === "stale";
    if (
      (verdict.action !== "none" && !isMerge) ||
      verdict.status === "untouched" ||
      verdict.status === "added"
    )
      return verdict;
    return {
      status: verdict.status === "conflict" ? "stale" : verdict.status,
      action: fresh === undefined ? "delete" : "write",
      entry,
      removals: isOdd(removals) ? removals + 1 : removals,
      why: "taken as compiled (--theirs)",
    };
  }
  if (verdict.status !== "conflict" && verdict.action === "none") return verdict;
  const why = "kept as it is (--ours)";
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

function planOf({ path, disk, fresh }: Sides, verdict: PathVerdict): PathPlan {
  const { status, action, why, fields = [], losesComments = false } = verdict;
  const written = action === "write" ? (verdict.written ?? fresh) : undefined;
  const outcome = outcomeOf(status, action, disk);
  return {
    path,
    status,
    action,
    outcome,
    fresh,
    written,
    disk,
    why: why ?? "",
    fields,

    losesComments,
  };
}

function outcomeOf(status: Status, action: PathPlan["action"], disk: DiskFile | undefined): Outcome {
  if (action === "write") return disk === undefined ? "created" : "updated";
  if (action === "delete" || status === "removed") return "removed";
  return status === "untouched" || status === "unverifiable" ? "unchanged" : "kept";
}

/** The files as they will be, with the line ends of the repository. */
function after({ path, action, fresh, written, disk }: PathPlan, known: Known | undefined): OutputFile[] {
  const settled = (file: OutputFile): OutputFile =>
    hasLayout(path) ? { ...file, data: asCommitted(file.data) } : file;
  if (action === "write") return written === undefined ? [] : [settled(written)];
  if (action === "delete" || disk === undefined) return [];
  const digests = known?.recorded?.digests ?? [];
  const secret = fresh?.secret ?? (digests.some(isKeyed) || (disk.mode & 0o077) === 0);
  return [settled({ path, data: disk.data, secret })];
}

/** What the working copy knows of a path afterwards. */
function copyOf(
  { known, fresh, disk }: Sides,
  plan: PathPlan | undefined,
  removals: number,
  digester: Digester,
): Copy | undefined {
  const { copy, recorded } = known;
  const isOurs = fresh !== undefined || recorded !== undefined || copy !== undefined || removals > 0;
  if (!isOurs) return undefined;
  if (plan?.status === "unverifiable" || plan?.status === "conflict") return copy;
  const left =
    plan?.action === "write" ? plan.written?.data : plan?.action === "delete" ? undefined : disk?.data;
  const isAdopted = recorded?.compiled !== undefined && plan?.action === "none";
  const digest = isAdopted
    ? recorded.digests[0]
    : fresh === undefined
      ? undefined
      : digester.of(fresh.data, fresh.secret);
  const text = fresh === undefined || isAdopted ? undefined : keptText(fresh.data, fresh.secret);
  const isTheirs =
    left !== undefined && plan?.action === "none" && (plan?.status === "edited" || plan?.status === "added");
  const seen = isTheirs ? digester.of(left, fresh?.secret ?? true) : undefined;
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
const isEditable = (path: string): boolean => /^infrastructure-manifests\/.*\.ya?ml$/.test(path);
