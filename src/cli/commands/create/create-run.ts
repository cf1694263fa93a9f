import { join, relative, resolve } from "node:path";
import { counted } from "../../../core/counted.js";
import { createReporter, isError, type Problem } from "../../../core/diagnostics.js";
import { decode, type OutputFile, textFile } from "../../../core/files.js";
import { info, problem } from "../../../core/problem.js";
import { formatMoment } from "../../../core/time.js";
import {
  type AssetDirectory,
  conflictProblems,
  diffOf,
  diffPlans,
  type ExcludeChange,
  type FileResult,
  lookAt,
  lostComments,
  madeElsewhere,
  type ObjectChange,
  objectChanges,
  openDirectory,
  readDecisions,
  removedSecrets,
  STATE_FILE,
  summed,
  writeFiles,
} from "../../../directory/index.js";
import { SHARED_FOLDER } from "../../../phases/infrastructure-manifests/layout.js";
import {
  type CreateRequest,
  commit,
  type Prepared,
  phaseOf,
  prepare,
  type Target,
} from "../../../pipeline/create.js";
import { FLAGS as flags } from "../../../pipeline/flags.js";
import { commandOf } from "../../../pipeline/ignition-forms.js";
import { misplacedSecrets, ownProblems, undecryptedProblems } from "../../../pipeline/in-the-open.js";
import { manifestFiles } from "../../../pipeline/manifest-files.js";
import { objectFiles } from "../../../pipeline/objects.js";
import { withPlaceholderKeys } from "../../../pipeline/placeholder-keys.js";
import { FACTS_FILE } from "../../../platforms/cloud-facts.js";
import { platformsWithScript } from "../../../platforms/registry.js";
import { formatSupplement, SUPPLEMENT_FILE } from "../../../platforms/supplement.js";
import { pathWord } from "../../../text/shell.js";
import { identitiesOf, sealingFor } from "../../age.js";
import { unlessDecrypted } from "../../argo-plugin.js";
import type { CliContext } from "../../cli-context.js";
import { printClosing } from "../../closing.js";
import type { Handler } from "../../command.js";
import { excludeNotes } from "../../exclude-notes.js";
import { EXIT, type ExitCode, lackSecrets, UsageError } from "../../exit.js";
import { type Arguments, output } from "../../flags.js";
import { recordedPath } from "../../input-files.js";
import { withProgress } from "../../key-progress.js";
import { pooledKeys } from "../../pooled-keys.js";
import { forReader, print, printDiagnostics } from "../../print.js";
import { compileRequest, minValidityOf } from "./compile-request.js";
import { NO_STEPS, nextSteps, type Steps } from "./next-steps.js";

interface Run {
  readonly prepared: Prepared | undefined;
  readonly results: readonly FileResult[];
  /** Unified diffs, without secrets. */
  readonly diff: string;
  /** What Git passes over from now on, or would. */
  readonly excluded?: ExcludeChange | undefined;
}

const NOTHING: Run = { prepared: undefined, results: [], diff: "" };

export const create =
  (target: Target): Handler =>
  async (args, cli) => {
    const reporter = createReporter();
    const stdout = args.get(flags.toStdout);
    if (stdout && args.get(output) === "json")
      throw new UsageError("--stdout prints the files themselves; remove --output json");
    const readOnly = stdout || args.get(flags.dryRun) || args.get(flags.diff);
    const identities = identitiesOf(args, cli, reporter.report);
    if (args.get(flags.splitDocuments)) await split(args, readOnly, identities, reporter.report);
    const opened = reporter.failed
      ? undefined
      : await openDirectory(args.get(flags.dir), { write: !readOnly, identities, given: cli.given });
    let run = NOTHING;
    if (opened?.ok === false) reporter.report(opened.problem);
    else if (opened !== undefined) {
      const directory = opened.value;
      try {
        directory.problems.forEach(reporter.report);
        // Nothing is compiled without what only these files hold.
        summed(directory.closed).forEach(reporter.report);
        if (!reporter.failed)
          run = await runIn(directory, target, args, cli, reporter.report, () => reporter.failed, readOnly);
      } finally {
        directory.close();
      }
    }
    if (reporter.diagnostics.some(({ code }) => code === "FACT001"))
      reporter.report(factsHint(args.get(flags.dir)));
    return report(target, args, cli, run, reporter);
  };

/** Once, where facts are missing: what writes the file that they go into. */
const factsHint = (dir: string): Problem =>
  info("FACT012", "Required", "", "facts about the cloud are missing", {
    file: join(dir, FACTS_FILE),
    hint: `to create or complete this file, run: slipway create facts --dir ${pathWord(dir)}; for a script that asks the cloud (${platformsWithScript()}), add --script facts.sh`,
  });

/** Cuts files before anything else looks at the folders; the directory is locked meanwhile. */
async function split(
  args: Arguments,
  readOnly: boolean,
  identities: readonly string[],
  report: CreateRequest["report"],
): Promise<void> {
  const path = args.get(flags.dir);
  const opened = await openDirectory(path, { write: !readOnly, identities });
  if (!opened.ok) return report(opened.problem);
  try {
    const { splitDocuments } = await import("../../../pipeline/split-documents.js");
    const { files, problems } = splitDocuments(manifestFiles(opened.value.files));
    problems.forEach(report);
    for (const file of files)
      report(
        info(
          "BOOT003",
          "TooMany",
          "",
          readOnly
            ? "would contain one document of a file that is split"
            : "contains one document of a file that was split",
          { file: file.path },
        ),
      );
    if (readOnly || files.length === 0) return;
    const written = await writeFiles(path, files, { replace: true });
    if (!written.ok) report(written.problem);
  } finally {
    opened.value.close();
  }
}

async function runIn(
  directory: AssetDirectory,
  target: Target,
  args: Arguments,
  cli: CliContext,
  report: CreateRequest["report"],
  failed: () => boolean,
  readOnly: boolean,
): Promise<Run> {
  const decisions = await readDecisions(
    { ours: args.get(flags.ours), theirs: args.get(flags.theirs) },
    directory.path,
    cli.cwd,
  );
  const { source, reportShortage, giveBack } = pooledKeys(args, cli, report);
  const base = await compileRequest(directory, target, args, cli, report);
  if (args.get(flags.toStdout) && directory.state === undefined && base.seed === undefined)
    report(noCluster(directory.path));
  if (failed()) return NOTHING;
  const watched = { ...cli, keys: withProgress(source, cli.stderr) };
  const request: CreateRequest = {
    ...base,
    inputs: readOnly && !args.get(flags.toStdout) ? withPlaceholderKeys(cli) : watched,
    directory,
    target,
    decisions,
    consume: args.get(flags.consume),
    renew: args.get(flags.renew),
    minValidity: minValidityOf(args),
    sealing:
      base.flags.secrets === "sops"
        ? sealingFor(directory.path, base.flags.ageRecipients ?? [], cli)
        : undefined,
  };
  const prepared = await prepare(request);
  reportShortage(report);
  if (prepared === undefined || prepared.plans.some(({ conflicts }) => conflicts.length > 0) || failed())
    await giveBack();
  if (prepared === undefined) return NOTHING;
  const conflicts = conflictProblems(prepared.plans);
  if (conflicts.length > 0) {
    conflicts.forEach(report);
    const diffs = await Promise.all(prepared.plans.flatMap((plan) => plan.conflicts).map(diffOf));
    return { prepared: undefined, results: [], diff: diffs.join("") };
  }
  if (failed()) return NOTHING;
  lostComments(prepared.plans).forEach(report);
  removedSecrets(prepared.plans, commandOf(phaseOf(target), prepared.plans)).forEach(report);
  madeElsewhere(prepared.plans).forEach(report);
  ownProblems(directory, prepared.plans, base.flags.secrets).forEach(report);
  misplacedSecrets(directory, prepared.plans, base.flags.secrets).forEach(report);
  if (args.get(flags.toStdout)) {
    const files = prepared.plans.flatMap(({ after }) => after);
    // Several Applications of Argo CD must not own one object: what clusters share has an Application of its own.
    const isOwn = ({ path }: OutputFile): boolean =>
      base.flags.gitops !== "argocd" || !path.startsWith(`${SHARED_FOLDER}/`);
    cli.stdout.pass(streamOf(objectFiles(files, phaseOf(target)).filter(isOwn)));
    return { prepared, results: [], diff: "" };
  }
  unlessDecrypted(
    undecryptedProblems(directory, prepared.plans, base.flags),
    resolve(cli.cwd, directory.path),
  ).forEach(report);
  for (const { problem } of prepared.behind) report(problem);
  if (readOnly) {
    const { results } = directory.preview(prepared.commit);
    return {
      prepared,
      results,
      diff: args.get(flags.diff) ? await diffPlans(prepared.plans, "written") : "",
      excluded: directory.exclusions(prepared.commit),
    };
  }
  const stateFile = join(directory.path, STATE_FILE);
  const stateOnDisk = (): string => {
    const { ino, size, mtimeMs } = lookAt(stateFile) ?? {};
    return [ino, size, mtimeMs].join();
  };
  const before = stateOnDisk();
  const written = await commit(request, prepared);
  // The state goes first: without it nothing was written that holds a key.
  if (!written.ok && before === stateOnDisk()) await giveBack();
  const noted = written.ok ? await writeSupplement(directory.path, prepared) : written;
  if (written.ok && noted.ok) return { prepared, ...written.value, diff: "" };
  if (!noted.ok) report(noted.problem);
  return NOTHING;
}

/** Without either the keys of another cluster would be drawn at every run. */
const noCluster = (path: string): Problem =>
  problem(
    "FUN002",
    "Required",
    "",
    "the directory has no state and --stdout stores nothing, so each run would generate keys for another cluster",
    {
      file: path,
      hint: "set --seed FILE to a file with 32 secret bytes, or create the state first: slipway create manifests",
    },
  );

/** Files as one stream: each a document behind a comment that names it. */
const streamOf = (files: readonly OutputFile[]): string =>
  files
    .map(({ path, data }) => {
      const text = decode(data) ?? "";
      const document = /\.(?:ya?ml|json|ign)$|kubeconfig$/.test(path) ? text : `${JSON.stringify(text)}\n`;
      return `---\n# ${path}\n${document.endsWith("\n") ? document : `${document}\n`}`;
    })
    .join("");

/** What is left to do by hand, anew in each run: nothing that is kept or compared. */
const writeSupplement = (directory: string, { supplement }: Prepared): ReturnType<typeof writeFiles> =>
  writeFiles(
    directory,
    supplement.length === 0 ? [] : [textFile(SUPPLEMENT_FILE, formatSupplement(supplement))],
    { replace: true },
  );

function report(
  target: Target,
  args: Arguments,
  cli: CliContext,
  { prepared, results, diff, excluded }: Run,
  { diagnostics }: ReturnType<typeof createReporter>,
): ExitCode {
  const ok = prepared !== undefined && !diagnostics.some(isError);
  if (args.get(flags.toStdout)) {
    printDiagnostics(forReader(args, diagnostics), cli.stderr);
    printClosing(args, cli, diagnostics);
    return ok ? EXIT.done : EXIT.wrong;
  }
  const steps = ok ? nextSteps(target, args.get(flags.dir), prepared, cli.clock) : NO_STEPS;
  if (args.get(output) === "text" && diff !== "") cli[ok ? "stdout" : "stderr"].write(diff);
  print(args, cli, {
    kind: "CreateResult",
    json: {
      dryRun: args.get(flags.dryRun) || args.get(flags.diff),
      files: results.map(({ path, status }) => ({ path, status })),
      nextSteps: steps.steps,
      supplement: steps.supplement,
      ...(ok && prepared.behind.length > 0
        ? { leftBehind: prepared.behind.map(({ phase, files }) => ({ phase, files })) }
        : {}),
      ...(ok && prepared.expiries?.[0] !== undefined
        ? { useBefore: formatMoment(prepared.expiries[0].notAfter.getTime()), renewed: prepared.renewed }
        : {}),
      ...(excluded === undefined ? {} : { gitExclude: excludedIn(excluded, args, cli) }),
      ...(diff === "" ? {} : { diff }),
    },
    text: ok
      ? summary(
          args,
          results,
          steps,
          [...signedAgain(args, prepared.renewed), ...gitNotes(args, excluded, cli)],
          objectChanges(prepared.plans),
        )
      : "",
    diagnostics,
    outcome: { files: results.filter((each) => !isLeftOut(each)), dry: isDry(args) },
  });
  if (ok) return EXIT.done;
  return lackSecrets(diagnostics) ? EXIT.no : EXIT.wrong;
}

const isDry = (args: Arguments): boolean => args.get(flags.dryRun) || args.get(flags.diff);

const signedAgain = (args: Arguments, renewed: readonly string[]): readonly string[] =>
  renewed.length === 0
    ? []
    : [`${isDry(args) ? "Would renew" : "Renewed"} certificates: ${renewed.join(", ")}.`];

/** What a run changed outside of the directory, or would: a dry run names each line. */
const gitNotes = (
  args: Arguments,
  excluded: ExcludeChange | undefined,
  cli: CliContext,
): readonly string[] =>
  excluded === undefined
    ? []
    : excludeNotes({ ...excluded, file: relative(cli.cwd, excluded.file) }, isDry(args)).flatMap(
        ({ note, lines }) => [note, ...(isDry(args) ? lines.map((line) => `  ${line}`) : [])],
      );

/** The change with the list as paths of results are: relative to the asset directory. */
const excludedIn = (
  { file, added, removed }: ExcludeChange,
  args: Arguments,
  cli: CliContext,
): ExcludeChange => ({
  file: recordedPath(file, cli.cwd, args.get(flags.dir)),
  added,
  removed,
});

const LEFT_OUT = "omitted";

/** What the user removed earlier stays removed; that is no change of this run. */
const isLeftOut = ({ status, was }: FileResult): boolean => was === "removed" && status === "removed";

/** So many fields of one object are shown; `--diff` shows every line. */
const MOST_FIELDS = 8;

/** What a run would do, as a plan: whether to go on, a sign for each object, the changed fields below it, and the counts as the last line. */
function planned(
  results: readonly FileResult[],
  changes: readonly ObjectChange[],
  notes: readonly string[],
): readonly string[] {
  const byPath = new Map(changes.map((each) => [each.path, each]));
  const signOf = (result: FileResult): string =>
    isLeftOut(result)
      ? " "
      : (byPath.get(result.path)?.sign ??
        { created: "+", updated: "~", removed: "-" }[String(result.status)] ??
        " ");
  const shown = results.filter(({ status }) => status !== "unchanged");
  const lines = shown.flatMap((result) => {
    const { object = "", fields = [] } = byPath.get(result.path) ?? {};
    const why = isLeftOut(result)
      ? "omitted: you removed it"
      : result.status === "kept"
        ? "kept: your edit"
        : object;
    return [
      `${signOf(result)} ${result.path}${why === "" ? "" : `  ${why}`}`,
      ...fields.slice(0, MOST_FIELDS).map(({ sign, field, before, after }) => {
        const isHidden = before === after;
        const values = isHidden
          ? "(sensitive value)"
          : sign === "~"
            ? `${before} -> ${after}`
            : (after ?? before);
        return `    ${sign} ${field}: ${values}`;
      }),
      ...(fields.length > MOST_FIELDS ? [`    ${fields.length - MOST_FIELDS} more fields; see --diff`] : []),
    ];
  });
  const count = (sign: string): number => shown.filter((result) => signOf(result) === sign).length;
  const counts = `Plan: ${count("+")} to create, ${count("~")} to change, ${count("-")} to remove, ${results.length - shown.length} unchanged.`;
  const removes = count("-") === 0 ? "removes nothing" : `removes ${counted(count("-"), "file")}`;
  const kept = shown.filter(({ status }) => status === "kept").length;
  const keeps = kept === 0 ? "" : ` and keeps ${counted(kept, "edit")} of yours`;
  const verdict = shown.length === 0 ? [] : [`Nothing blocks this run. It ${removes}${keeps}.`, ""];
  return [...verdict, ...lines, ...notes, ...(lines.length + notes.length === 0 ? [] : [""]), counts];
}

function summary(
  args: Arguments,
  results: readonly FileResult[],
  steps: Steps,
  notes: readonly string[],
  changes: readonly ObjectChange[],
): string {
  if (isDry(args)) return `${planned(results, changes, notes).join("\n")}\n`;
  const shown = results.filter(({ status }) => status !== "unchanged");
  const width = Math.max(0, ...shown.map((each) => (isLeftOut(each) ? LEFT_OUT : each.status).length));
  const lines = shown.map((each) =>
    isLeftOut(each)
      ? `${LEFT_OUT.padEnd(width)}  ${each.path} (you removed it)`
      : `${each.status.padEnd(width)}  ${each.path}`,
  );
  const next = steps.text === "" ? [] : [steps.text];
  const files = [...lines, ...notes];
  return [...files, ...(files.length === 0 || next.length === 0 ? [] : [""]), ...next].join("\n");
}
