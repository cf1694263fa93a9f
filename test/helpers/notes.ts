/** What a test process keeps for the end of the test run, which looks at all of it (`scripts/test-checks.mjs`). */
import { appendFileSync, cpSync, mkdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { threadId, workerData } from "node:worker_threads";
import type { Problem } from "../../src/core/diagnostics.js";
import { keyOf, printedCommands } from "./printed-commands.js";
import { tempFolderOf } from "./temp.js";

const folder = process.env["SLIPWAY_TEST_LOGS"] ?? logsOfThread();
/** Test processes and their threads write files of their own. */
const own = `${process.pid}-${threadId}`;
const seenProblems = new Set<string>();
let problems: string[] = [];

function logsOfThread(): string | undefined {
  const data: { readonly logs?: string } | null = workerData;
  return data?.logs;
}

/** Keeps what was reported: its code, the remedy that it names, and what scripts rely on (SLIPWAY_TEST_DIAGNOSTICS). */
export function noteProblem(problem: Problem): void {
  if (folder === undefined) return;
  const {
    code,
    hint = "",
    severity = "error",
    kind,
    field = "",
    line: row = 0,
    column = 0,
    message,
  } = problem;
  const line = JSON.stringify([code, hint, severity, kind, field, row, column, message]);
  if (seenProblems.has(line)) return;
  seenProblems.add(line);
  problems.push(line);
}

/** Writes what was reported since the last time. */
export function flushNotes(): void {
  if (folder === undefined || problems.length === 0) return;
  mkdirSync(folder, { recursive: true });
  appendFileSync(join(folder, `${own}.problems`), `${problems.join("\n")}\n`);
  problems = [];
}

process.on("exit", flushNotes);

/** Keeps an output for what looks at all of them: for secrets, and answers by their schemas. */
export function record(output: string, kind: "log" | "answers" = "log"): void {
  if (folder === undefined) return;
  mkdirSync(folder, { recursive: true });
  appendFileSync(join(folder, `${own}.${kind}`), kind === "log" ? output : `${output}\0`);
}

/** A run that printed commands, as it is kept in `run.json`, beside copies of the temporary folders that it names. */
export interface RecordedRun {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly stdout: string;
  readonly stderr: string;
  /** Temporary folders that the command line names, in the order of the copies `0`, `1`, …. */
  readonly folders: readonly string[];
}

/** How often a command was printed for the same reason in this process; a few times are kept. */
const seen = new Map<string, number>();
const KEPT = 3;
let runs = 0;

/** Keeps a run whose output names a command that no earlier run of this process named for the same reason. */
export function recordRun(run: Omit<RecordedRun, "folders">): void {
  if (
    folder === undefined ||
    process.env["SLIPWAY_FOLLOW_REMEDIES"] === undefined ||
    !/\bslipway [a-z]/.test(run.stdout + run.stderr)
  )
    return;
  const fresh = printedCommands(run.stdout, run.stderr)
    .map(keyOf)
    .filter((key) => (seen.get(key) ?? 0) < KEPT);
  if (fresh.length === 0) return;
  for (const key of fresh) seen.set(key, (seen.get(key) ?? 0) + 1);
  runs++;
  const place = join(
    folder,
    "runs",
    `${basename(process.argv[2] ?? "", ".test.js")}-${process.pid}-${String(runs).padStart(4, "0")}`,
  );
  const folders = [...new Set([run.cwd, ...run.args].flatMap((word) => tempFolderOf(word) ?? []))];
  mkdirSync(place, { recursive: true });
  folders.forEach(
    (each, i) => void cpSync(each, join(place, String(i)), { recursive: true, verbatimSymlinks: true }),
  );
  writeFileSync(join(place, "run.json"), JSON.stringify({ ...run, folders }));
}
