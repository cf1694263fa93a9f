/**
 * The three-way comparison: what we generated, what is on disk, what we would generate now. Pure.
 *
 * Per path, the user changed something when the disk is not what we generated, and we changed something when the
 * compilation is not what it was. One change alone wins; both at once are a conflict, which only the user decides.
 * No byte that the user wrote is ever replaced or deleted without `--theirs` for its path.
 */
import { byCodeUnit, equalBytes, type OutputFile } from "../core/files.js";
import type { Digester } from "./digest.js";
import { FOLDERS, folderOf, remembersRemovals } from "./layout.js";
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

export interface Situation {
  readonly compilation: Compilation;
  /** What counts as generated: from the record, or adopted from a state (`adopt.ts`). */
  readonly base: ReadonlyMap<string, RecordEntry>;
  /** False when nothing is known of earlier runs: neither a record nor the lists of a state. */
  readonly hasBase: boolean;
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
interface Verdict {
  readonly status: Status;
  readonly action: PathPlan["action"];
  readonly entry: RecordEntry | undefined;
  readonly why?: string;
}

interface Sides {
  readonly path: string;
  readonly base: RecordEntry | undefined;
  readonly disk: DiskFile | undefined;
  readonly fresh: OutputFile | undefined;
}

export function reconcile(situation: Situation): PhasePlan {
  const { compilation, base, disk } = situation;
  const fresh = new Map(compilation.files.map((file) => [file.path, file]));
  const unverifiable = new Set(compilation.unverifiable ?? []);
  const paths = new Set([...base.keys(), ...fresh.keys(), ...unverifiable, ...additions(situation)]);
  const gone = goneFolders(situation);
  const plans: PathPlan[] = [];
  const entries = new Map<string, RecordEntry>();
  for (const path of [...paths].sort(byCodeUnit)) {
    const sides = { path, base: base.get(path), disk: disk.get(path), fresh: fresh.get(path) };
    const verdict = unverifiable.has(path)
      ? judgeBlind(sides, situation.digester)
      : judge(sides, situation, gone.has(folderOf(path)) || !remembersRemovals(compilation.phase));
    if (verdict === undefined) {
      if (sides.base !== undefined) entries.set(path, sides.base);
      continue;
    }
    const decided = applyDecision(sides, verdict, situation);
    if (decided.entry !== undefined) entries.set(path, decided.entry);
    plans.push(planOf(sides, decided));
  }
  return {
    phase: compilation.phase,
    paths: plans,
    conflicts: plans.filter(({ status }) => status === "conflict"),
    after: plans.flatMap((plan) => after(plan, base.get(plan.path))),
    entries,
  };
}

/** Files in the folders of the phase that nobody generated. */
function additions({ compilation, disk }: Situation): string[] {
  const folders = new Set(
    FOLDERS.filter((each) => each.phase === compilation.phase && each.additions).map(({ path }) => path),
  );
  return [...disk.keys()].filter((path) => folders.has(folderOf(path)));
}

/**
 * Folders whose generated files are gone as a whole. Somebody who deletes a folder wants it made anew (upstream does
 * the same, facts/install-config-and-manifests.md §2.4), so nothing in it counts as removed by the user. One file
 * of a folder that is still there does.
 */
function goneFolders({ base, disk, folders }: Situation): ReadonlySet<string> {
  const groups = new Map<string, { count: number; present: boolean }>();
  for (const [path, entry] of base) {
    if (entry.removed === true) continue;
    const group = groups.get(folderOf(path)) ?? { count: 0, present: false };
    groups.set(folderOf(path), { count: group.count + 1, present: group.present || disk.has(path) });
  }
  const gone = [...groups].filter(
    ([folder, { count, present }]) => !present && (count > 1 || (folder !== "" && !folders.has(folder))),
  );
  return new Set(gone.map(([folder]) => folder));
}

/** Undefined when there is nothing to say: neither on disk nor compiled. */
function judge(sides: Sides, { digester, hasBase }: Situation, gone: boolean): Verdict | undefined {
  const { base, disk, fresh } = sides;
  if (disk === undefined) return judgeAbsent(base, fresh, digester, gone);
  if (fresh !== undefined && equalBytes(disk.data, fresh.data))
    return { status: "untouched", action: "none", entry: entryOf(fresh, digester, base) };
  if (base === undefined)
    return fresh === undefined
      ? { status: "added", action: "none", entry: undefined }
      : { status: "conflict", action: "none", entry: undefined, why: unknownFile(hasBase) };

  const asGenerated = digester.matches(base.digest, disk.data);
  if (asGenerated === undefined) return { status: "unverifiable", action: "none", entry: base };
  const entry = withoutTombstone(base);
  if (!hasChanged(base, fresh, digester))
    return { status: asGenerated ? "untouched" : "edited", action: "none", entry };
  if (!asGenerated)
    return {
      status: "conflict",
      action: "none",
      entry,
      why:
        fresh === undefined
          ? "it was edited, and is no longer generated"
          : "it was edited, and its input changed",
    };
  return fresh === undefined
    ? { status: "stale", action: "delete", entry: undefined, why: "no longer generated" }
    : { status: "stale", action: "write", entry: entryOf(fresh, digester) };
}

const unknownFile = (hasBase: boolean): string =>
  hasBase
    ? "a file that slipway did not write stands where one is generated"
    : "it differs from what is compiled, and no record tells who changed it";

function judgeAbsent(
  base: RecordEntry | undefined,
  fresh: OutputFile | undefined,
  digester: Digester,
  gone: boolean,
): Verdict | undefined {
  if (fresh === undefined) return undefined;
  if (base === undefined || (gone && base.removed !== true))
    return { status: "missing", action: "write", entry: entryOf(fresh, digester) };
  return { status: "removed", action: "none", entry: { ...base, removed: true }, why: "removed by the user" };
}

/** A path that cannot be compiled for want of a secret: what can be said from record and disk alone. */
function judgeBlind({ base, disk }: Sides, digester: Digester): Verdict {
  const entry = base;
  if (base !== undefined && disk !== undefined && digester.matches(base.digest, disk.data) === false)
    return { status: "edited", action: "none", entry };
  return { status: "unverifiable", action: "none", entry, why: "needs a secret that is not there" };
}

/** Whether the compilation gives something else than when the file was generated or adopted. */
function hasChanged(base: RecordEntry, fresh: OutputFile | undefined, digester: Digester): boolean {
  const compiled = base.compiled === undefined ? base.digest : base.compiled;
  if (fresh === undefined || compiled === null) return (fresh === undefined) !== (compiled === null);
  return digester.matches(compiled, fresh.data) !== true;
}

/** The entry of a file as compiled; a secret one keeps its old entry where the key is missing. */
function entryOf(fresh: OutputFile, digester: Digester, old?: RecordEntry): RecordEntry | undefined {
  const digest = digester.of(fresh.data, fresh.secret);
  return digest === undefined ? old : { digest };
}

function withoutTombstone({ removed: _, ...entry }: RecordEntry): RecordEntry {
  return entry;
}

/**
 * `ours`: the disk stays as it is and counts as the user's choice over what is compiled now. `theirs`: the disk
 * becomes what is compiled now. A folder or glob decides conflicts only; a path named exactly also takes back an
 * edit, restores a removed file, or keeps an old one.
 */
function applyDecision(sides: Sides, verdict: Verdict, { decide, digester }: Situation): Verdict {
  const decision = decide?.(sides.path);
  if (decision === undefined || verdict.status === "unverifiable") return verdict;
  if (verdict.status !== "conflict" && !decision.exact) return verdict;
  const { disk, fresh } = sides;
  if (decision.side === "theirs") {
    if (verdict.action !== "none" || verdict.status === "untouched" || verdict.status === "added")
      return verdict;
    const action = fresh === undefined ? "delete" : "write";
    const status = verdict.status === "conflict" ? "stale" : verdict.status;
    const entry = fresh === undefined ? undefined : entryOf(fresh, digester);
    return { status, action, entry, why: "taken as compiled (--theirs)" };
  }
  if (verdict.status !== "conflict" && verdict.action === "none") return verdict;
  const entry = fresh === undefined ? undefined : entryOf(fresh, digester);
  const why = "kept as it is (--ours)";
  if (disk === undefined)
    return { status: "removed", action: "none", entry: entry && { ...entry, removed: true }, why };
  return { status: entry === undefined ? "added" : "edited", action: "none", entry, why };
}

function planOf({ path, disk, fresh }: Sides, { status, action, why }: Verdict): PathPlan {
  return { path, status, action, outcome: outcomeOf(status, action, disk), fresh, disk, why: why ?? "" };
}

function outcomeOf(status: Status, action: PathPlan["action"], disk: DiskFile | undefined): Outcome {
  if (action === "write") return disk === undefined ? "created" : "updated";
  if (action === "delete" || status === "removed") return "removed";
  return status === "untouched" || status === "unverifiable" ? "unchanged" : "kept";
}

function after({ path, action, fresh, disk }: PathPlan, base: RecordEntry | undefined): OutputFile[] {
  if (action === "write") return fresh === undefined ? [] : [fresh];
  if (action === "delete" || disk === undefined) return [];
  const secret = fresh?.secret ?? (base?.digest.startsWith("hmac-") === true || (disk.mode & 0o077) === 0);
  return [{ path, data: disk.data, secret }];
}
