/** The answer of `slipway check`: pure. */
import type { Problem } from "../core/diagnostics.js";
import { byCodeUnit } from "../core/files.js";
import { unifiedDiff } from "../text/diff.js";
import type { PathPlan, PhasePlan, Status } from "./types.js";

/** A fresh compile would change the directory: always a difference. */
const DIFFERENCES: ReadonlySet<Status> = new Set(["stale", "conflict", "missing"]);
/** The user's own changes, which every run keeps: a difference only with `--strict`. */
const OWN_CHANGES: ReadonlySet<Status> = new Set(["edited", "added", "removed"]);

export interface CheckResult {
  readonly clean: boolean;
  readonly files: readonly { readonly path: string; readonly status: Status }[];
}

export function checkPlans(plans: readonly PhasePlan[], options: { readonly strict: boolean }): CheckResult {
  const files = inOrder(plans).map(({ path, status }) => ({ path, status }));
  return { clean: !files.some(({ status }) => isDifference(status, options)), files };
}

const isDifference = (status: Status, { strict }: { readonly strict: boolean }): boolean =>
  DIFFERENCES.has(status) || (strict && OWN_CHANGES.has(status));

const inOrder = (plans: readonly PhasePlan[]): PathPlan[] =>
  plans.flatMap(({ paths }) => paths).sort((a, b) => byCodeUnit(a.path, b.path));

/** One line for every path that is not as generated, and a sum. */
export function describeCheck({ clean, files }: CheckResult): string {
  const width = Math.max(...files.map(({ status }) => status.length), 0);
  const lines = files
    .filter(({ status }) => status !== "untouched")
    .map(({ path, status }) => `${status.padEnd(width)}  ${path}`);
  const same = files.length - lines.length;
  const unknown = files.filter(({ status }) => status === "unverifiable").length;
  const verdict = !clean
    ? "A fresh compile would change something"
    : unknown === 0
      ? "A fresh compile changes nothing"
      : "A fresh compile changes nothing of what can be verified here";
  const rest = unknown === 0 ? "" : `, ${unknown} cannot be verified without the secrets`;
  const sum = `${verdict}; ${same} of ${files.length} files are as generated${rest}.`;
  return [...lines, sum].join("\n");
}

/** The diffs from disk to what is compiled, of every path where they differ; without secrets. */
export async function diffPlans(plans: readonly PhasePlan[]): Promise<string> {
  const parts: string[] = [];
  for (const plan of inOrder(plans)) if (isShown(plan)) parts.push(await diffOf(plan));
  return parts.filter((part) => part !== "").join("");
}

const isShown = ({ status, action }: PathPlan): boolean =>
  action !== "none" || status === "edited" || status === "conflict" || status === "removed";

/** The diff of one path. */
export function diffOf({ path, disk, fresh }: PathPlan): Promise<string> {
  const secret = fresh?.secret ?? (disk !== undefined && (disk.mode & 0o077) === 0);
  return unifiedDiff(
    disk === undefined ? undefined : { data: disk.data, label: "on disk" },
    fresh === undefined ? undefined : { data: fresh.data, label: "compiled" },
    { path, secret },
  );
}

/** A problem for each conflict of the plans; with one of them nothing may be written. */
export function conflictProblems(plans: readonly PhasePlan[]): Problem[] {
  return plans
    .flatMap(({ conflicts }) => conflicts)
    .map(({ path, why }) => ({
      code: "DIR030",
      kind: "Invalid",
      file: path,
      message: `conflict: ${why}`,
      hint: `--ours ${path} keeps the file on disk, --theirs ${path} takes the compiled one`,
    }));
}
