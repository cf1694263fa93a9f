/** The answer of `slipway check`: pure. */

import { counted } from "../core/counted.js";
import { byCodeUnit, decode, equalBytes, type OutputFile } from "../core/files.js";
import type { Json } from "../core/json.js";
import { type Problem, problem, warning } from "../core/problem.js";
import { unifiedDiff } from "../text/diff.js";
import { isSecretName, REDACTED, redactJson } from "../text/redact.js";
import { pathWord } from "../text/shell.js";
import { hasLayout } from "../text/yaml-content.js";
import { readYaml } from "../text/yaml-read.js";
import { isKustomization, PHASES, type PhaseName, STATE_FILE } from "./layout.js";
import type { DiskFile, FieldConflict, PathPlan, PhasePlan, Status } from "./types.js";

/** A fresh compile would change the directory: always a difference. */
const DIFFERENCES: ReadonlySet<Status> = new Set(["stale", "conflict", "missing"]);
export const isDifference = (status: Status): boolean => DIFFERENCES.has(status);
/** The user's own changes, which every run keeps: a difference only with `--strict`. */
const OWN_CHANGES: ReadonlySet<Status> = new Set(["edited", "added", "removed"]);

export interface CheckResult {
  readonly clean: boolean;
  readonly files: readonly { readonly path: string; readonly status: Status }[];
  /** The phases whose commands bring everything up to date; none where nothing differs. */
  readonly targets?: readonly PhaseName[];
  /** A record says that a cluster was made, and its state is not here. */
  readonly isClone?: boolean;
  /** Of what cannot be verified: files that another working copy made, and that no secret would show. */
  readonly elsewhere?: readonly string[];
}

export interface CheckOptions {
  readonly strict: boolean;
  /** A key was given, and it does not open what is encrypted: with `strict`, what cannot be verified counts. */
  readonly keyFails?: boolean;
  /** The state is not here, and it belongs here: no run can bring anything up to date before it is put back. */
  readonly stateLost?: boolean;
  /** A record says that a cluster was made, and its state is not here. */
  readonly isClone?: boolean;
  /** Files that the next run encrypts: those with secrets in the open, where the others are encrypted. */
  readonly open?: readonly string[];
}

export function checkPlans(plans: readonly PhasePlan[], options: CheckOptions): CheckResult {
  const state = options.stateLost === true ? [{ path: STATE_FILE, status: "missing" as const }] : [];
  const open = new Set(options.open ?? []);
  const statusOf = ({ path, status }: PathPlan): Status =>
    open.has(path) && !isDifference(status) ? "stale" : status;
  const planned = inOrder(plans).map((plan) => ({ path: plan.path, status: statusOf(plan) }));
  const inPlans = new Set(planned.map(({ path }) => path));
  const others = [...open]
    .filter((path) => !inPlans.has(path))
    .map((path) => ({ path, status: "stale" as const }));
  const files = [...state, ...others, ...planned];
  const isStale = ({ paths }: PhasePlan): boolean => paths.some((plan) => isDifference(statusOf(plan)));
  const stale = PHASES.filter((phase) => plans.some((plan) => plan.phase === phase && isStale(plan)));
  // Each of the later phases makes the manifests as well, and none makes what the other wrote.
  const targets = stale.length > 1 ? stale.filter((phase) => phase !== "manifests") : stale;
  // Whoever asks strictly does not want to hear that nothing is wrong with nothing.
  const nothing = files.length === 0 && options.strict;
  const clean = !nothing && !files.some(({ status }) => counts(status, options));
  const elsewhere = plans
    .flatMap((plan) => plan.elsewhere)
    .flatMap(({ path, how }) => (how === "absent" ? [path] : []));
  const isClone = options.isClone === true ? { isClone: true } : {};
  return { clean, files, targets, ...isClone, ...(elsewhere.length === 0 ? {} : { elsewhere }) };
}

const counts = (status: Status, { strict, keyFails }: CheckOptions): boolean =>
  isDifference(status) ||
  (strict && (OWN_CHANGES.has(status) || (keyFails === true && status === "unverifiable")));

const inOrder = (plans: readonly PhasePlan[]): PathPlan[] =>
  plans.flatMap(({ paths }) => paths).sort((a, b) => byCodeUnit(a.path, b.path));

/**
 * One line for every path that is not as generated, and a sum.
 * @param commandOf the command that creates the files of a phase
 */
export function describeCheck(result: CheckResult, commandOf: (phase: PhaseName) => string): string {
  const { clean, files, targets = [] } = result;
  if (files.length === 0)
    return result.isClone === true
      ? `No generated files and no ${STATE_FILE} found. First restore it from the working copy where the cluster was created.`
      : "No generated files found. Run slipway create manifests.";
  // What cannot be verified is counted, not listed: in a clone without the key it may be nearly every file.
  const shown = files.filter(({ status }) => status !== "untouched" && status !== "unverifiable");
  const width = Math.max(...files.map(({ status }) => status.length), 0);
  const lines = shown.map(({ path, status }) => `${status.padEnd(width)}  ${path}`);
  const same = files.filter(({ status }) => status === "untouched").length;
  const { elsewhere = [] } = result;
  const unknown = files.filter(
    ({ path, status }) => status === "unverifiable" && !elsewhere.includes(path),
  ).length;
  const isLost = files.some(({ path, status }) => path === STATE_FILE && status === "missing");
  const verdict = isLost
    ? `${STATE_FILE} is missing, and is required to compile for this cluster`
    : files.some(({ status }) => isDifference(status))
      ? "Compiling again would change files"
      : unknown === 0
        ? "Compiling again would not change any file"
        : "Compiling again would not change any file that can be verified here";
  const rest = [
    unknown === 0 ? "" : `, ${unknown} cannot be verified without the secrets`,
    elsewhere.length === 0
      ? ""
      : `, ${elsewhere.length} ${elsewhere.length === 1 ? "belongs" : "belong"} to another working copy`,
  ].join("");
  const next =
    clean || isLost
      ? []
      : targets.length === 0
        ? files.some(({ status }) => OWN_CHANGES.has(status))
          ? [OWN_ALONE]
          : []
        : unknown > 0
          ? [WITH_KEY]
          : [
              nextOf(
                result,
                targets.map((phase) => `slipway ${commandOf(phase)}`),
              ),
            ];
  const sum = `${verdict}; ${same} of ${counted(files.length, "file")} ${files.length === 1 ? "is" : "are"} as generated${rest}.`;
  return [...lines, sum, ...next].join("\n");
}

/** With `--strict`, where nothing differs but what the user changed. */
const OWN_ALONE =
  "These are your own changes, and every run keeps them. To accept them, run check without --strict; otherwise undo the edit, restore the removed file, or move the added file away.";

/** Where files cannot be verified, a run could not compile either. */
const WITH_KEY =
  "To update them, run the create command where the secrets are available (with the age key, or in the working copy where the cluster was created).";

/** A run writes nothing as long as a conflict is not decided. */
function nextOf({ files }: CheckResult, commands: readonly string[]): string {
  const conflicts = files.filter(({ status }) => status === "conflict").map(({ path }) => path);
  const [first] = conflicts;
  const all = commands.join(" and ");
  if (first === undefined) return `To update them, run: ${all}`;
  const each = conflicts.length === 1 ? first : `${first} and ${conflicts.length - 1} more`;
  return `First resolve ${each}: --ours PATH keeps the file on disk, --theirs PATH replaces it with the compiled file. Then run: ${all}`;
}

/**
 * The diffs from disk to what is compiled, without secrets.
 * @param what of every path where they differ, or of those that a run would write
 */
export async function diffPlans(
  plans: readonly PhasePlan[],
  what: "all" | "written" = "all",
): Promise<string> {
  const parts: string[] = [];
  for (const plan of inOrder(plans))
    if (what === "all" ? isShown(plan) : plan.action !== "none") parts.push(await diffOf(plan));
  return parts.filter((part) => part !== "").join("");
}

const isShown = ({ status, action }: PathPlan): boolean =>
  action !== "none" || status === "edited" || status === "conflict" || status === "removed";

/** The diff of one path; of a conflict with the values that each field has on all sides. */
export async function diffOf(plan: PathPlan): Promise<string> {
  const { path, disk, desired, written, fields } = plan;
  const next = written ?? desired;
  const diff = await unifiedDiff(
    disk === undefined ? undefined : { data: disk.data, label: "on disk" },
    next === undefined ? undefined : { data: next.data, label: "compiled" },
    { path, secret: holdsSecret(plan) },
  );
  const lines = fields.map((field) => `# ${describeField(plan, field)}\n`);
  return diff + lines.join("");
}

export const holdsSecret = ({ path, desired, disk }: PathPlan): boolean =>
  !isKustomization(path) && (desired?.secret ?? (disk !== undefined && (disk.mode & 0o077) === 0));

/** So many fields of one file are told. */
const FIELDS = 4;

/** What a field was generated as, what it is on disk, and what it would be generated as now. */
function describeField(plan: PathPlan, { field, base, yours, now }: FieldConflict): string {
  const hidden =
    holdsSecret(plan) ||
    /^(?:data|stringData)(?:$|[.[])/.test(field) ||
    field.split(/[.[\]"]+/).some(isSecretName);
  const show = (value: Json | undefined): string => {
    if (value === undefined) return "nothing";
    if (hidden) return REDACTED;
    const text = JSON.stringify(redactJson(value));
    return text.length > 80 ? `${text.slice(0, 77)}...` : text;
  };
  return `${field === "" ? "the document" : field} was generated as ${show(base)}, is ${show(yours)} on disk, and would now be ${show(now)}`;
}

/** Files whose conflict reports that their text cannot be read; for other readers of the text it is reported then. */
export const unreadConflicts = (conflicts: readonly Problem[]): ReadonlySet<string> =>
  new Set(conflicts.flatMap(({ kind, file = "" }) => (kind === "Parse" ? [file] : [])));

/** A problem for each conflict of the plans; with one of them nothing may be written. */
export function conflictProblems(plans: readonly PhasePlan[]): Problem[] {
  return plans
    .flatMap(({ conflicts }) => conflicts)
    .map((plan) => {
      const { path, why, fields, isUnsettled, desired, disk } = plan;
      const told = fields.slice(0, FIELDS).map((field) => describeField(plan, field));
      const more = fields.length > FIELDS ? [`${fields.length - FIELDS} more fields`] : [];
      const fault = isUnsettled ? undefined : faultOfText(path, disk);
      const decide = `keep the file on disk with --ours ${path}, or replace it with the compiled file with --theirs ${path}`;
      return problem(
        "DIR030",
        isUnsettled || fault !== undefined ? "Parse" : "Invalid",
        "",
        [
          `conflict: ${why}`,
          ...(fault === undefined ? [] : [`the file cannot be parsed: ${fault.message}`]),
          ...told,
          ...more,
        ].join("; "),
        {
          file: path,
          line: fault?.line ?? 0,
          column: fault?.column ?? 0,
          hint: isUnsettled
            ? `resolve the merge in an editor and remove the lines that start with <<<<<<<, ======= and >>>>>>>${desired === undefined ? "" : `, or discard all edits with --theirs ${path}`}`
            : fault === undefined
              ? decide
              : `fix the file so that its fields can be compared, or ${decide}`,
        },
      );
    });
}

/** Why the text of a file in conflict has no values to compare. */
const faultOfText = (path: string, disk: DiskFile | undefined): Problem | undefined =>
  disk !== undefined && hasLayout(path)
    ? readYaml(decode(disk.data) ?? "", path).problems.find(({ kind }) => kind === "Parse")
    : undefined;

/**
 * A warning for each generated file with secrets that is gone and stays so: a removal on purpose looks the same as a
 * loss, and what such a file holds is made nowhere else.
 * @param command the command that compiles these plans, such as `create manifests`
 */
export function removedSecrets(
  plans: readonly {
    readonly paths: readonly Pick<PathPlan, "path" | "status" | "action" | "disk" | "desired">[];
  }[],
  command: string,
): Problem[] {
  const paths = plans.flatMap((plan) => plan.paths);
  // A file that has another name by now is not lost.
  const added = paths.flatMap(({ status, disk }) =>
    status === "added" && disk !== undefined ? [disk.data] : [],
  );
  const isRenamed = ({ data }: OutputFile): boolean => added.some((each) => equalBytes(each, data));
  return paths
    .filter(
      ({ status, action, disk, desired }) =>
        status === "removed" &&
        action === "none" &&
        disk === undefined &&
        desired?.secret === true &&
        !isRenamed(desired),
    )
    .map(({ path }) =>
      warning(
        "DIR035",
        "NotFound",
        "",
        "this generated file contains secrets that the cluster may require; it was removed and is not written again",
        {
          file: path,
          hint: `if that was not intended, write it again: slipway ${command} --theirs ${pathWord(path)}`,
        },
      ),
    );
}

/**
 * A warning for each file that wraps a manifest of another working copy: where manifests are not committed, two people
 * with the same commit would apply different Secrets.
 */
export function madeElsewhere(plans: readonly Pick<PhasePlan, "elsewhere">[]): Problem[] {
  return plans
    .flatMap(({ elsewhere }) => elsewhere)
    .map(({ path, how }) =>
      warning(
        "DIR036",
        how === "absent" ? "NotFound" : "Invalid",
        "",
        how === "absent"
          ? "in another working copy, this file contains a manifest that does not exist here"
          : "the manifest in this file was edited in another working copy",
        {
          file: path,
          hint:
            how === "absent"
              ? `copy its file in manifests/ or openshift/ from there, or discard it: slipway create infrastructure-manifests --theirs ${pathWord(path)}`
              : "copy manifests/ and openshift/ from there, or commit them with --secrets sops",
        },
      ),
    );
}

/** A word on every file whose comments an update does not keep. */
export function lostComments(plans: readonly PhasePlan[]): Problem[] {
  return plans
    .flatMap(({ paths }) => paths)
    .filter(({ losesComments }) => losesComments)
    .map(({ path }) =>
      warning(
        "DIR033",
        "NotSupported",
        "",
        "the update removes the comments: the document cannot be edited in place",
        { file: path, hint: "add them again, or keep them in a separate file" },
      ),
    );
}
