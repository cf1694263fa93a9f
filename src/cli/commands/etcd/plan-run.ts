import { createHash } from "node:crypto";
import { readdirSync } from "node:fs";
import { basename, dirname, relative, resolve } from "node:path";
import { counted } from "../../../core/counted.js";
import { createReporter, isError, type Report } from "../../../core/diagnostics.js";
import { decode, type OutputFile } from "../../../core/files.js";
import { problem } from "../../../core/problem.js";
import { type WriteResult, writeFiles } from "../../../directory/index.js";
import type { RepairPlan } from "../../../etcd/plan/compile.js";
import { type PlannedRepair, planRepair } from "../../../etcd/plan/repair.js";
import { readSubject } from "../../../etcd/plan/subject.js";
import { releaseName } from "../../../etcd/releases.js";
import { besideOf, pathWord } from "../../../text/shell.js";
import type { Handler } from "../../command.js";
import { EXIT, type ExitCode, UsageError } from "../../exit.js";
import type { Arguments } from "../../flags.js";
import { type PlanPage, planText } from "../../plan-page.js";
import { print } from "../../print.js";
import * as flags from "./flags.js";
import { minorOfFlag, openSession, type Session } from "./session.js";

export const runPlan: Handler = async (args, cli): Promise<ExitCode> => {
  const out = args.get(flags.out);
  if (out === undefined) throw new UsageError("--out is required: the folder to write the plan to");
  const reporter = createReporter();
  const session = await openSession(args, cli, reporter, { hash: true });
  let plan: RepairPlan | undefined;
  let results: readonly WriteResult[] = [];
  let refused = false;
  let runbook = "";
  try {
    const compiled =
      session === undefined
        ? undefined
        : await compile(
            args,
            session,
            cli.cwd,
            resolve(cli.cwd, out),
            reporter.report,
            () => reporter.failed,
          );
    refused = compiled?.refused ?? false;
    if (compiled !== undefined && !refused && !reporter.failed) {
      const folder = resolve(cli.cwd, out);
      strangers(folder, out, compiled.files, reporter.report);
      if (!reporter.failed) {
        const written = await writeFiles(folder, compiled.files);
        if (!written.ok) reporter.report(written.problem);
        else {
          plan = compiled.plan;
          runbook =
            decode(compiled.files.find(({ path }) => path === "RUNBOOK.md")?.data ?? new Uint8Array()) ?? "";
          results = written.value;
        }
      }
    }
  } finally {
    await session?.close();
  }
  print(args, cli, {
    kind: "EtcdPlanResult",
    json: {
      ...(plan === undefined
        ? {}
        : {
            digest: plan.digest,
            armed: plan.armed,
            deletions: plan.deletions.length,
            leftAlone: plan.input.candidates.leftAlone.length,
            migrations: plan.migrations.list.length,
          }),
      files: results.map(({ path, status }) => ({ path, status })),
    },
    text: plan === undefined ? "" : planText(pageOf(plan, out, results, runbook), cli.stdout),
    textFirst: true,
    diagnostics: reporter.diagnostics,
    outcome: { files: results },
  });
  if (refused) return EXIT.no;
  return plan === undefined || reporter.diagnostics.some(isError) ? EXIT.wrong : EXIT.done;
};

async function compile(
  args: Arguments,
  session: Session,
  cwd: string,
  folder: string,
  report: Report,
  failed: () => boolean,
): Promise<PlannedRepair | undefined> {
  const from = minorOfFlag(flags.from, args, report);
  const subject = readSubject(args.get(flags.subject), report);
  const image = args.get(flags.jobImage);
  if (image !== undefined && /\s/.test(image))
    report(problem("ETC048", "Invalid", "--job-image", "must not contain spaces", ""));
  const survey = await session.survey();
  if (!survey.complete || subject === undefined || failed()) return undefined;
  return planRepair(
    {
      survey,
      target: session.target,
      from,
      scan: session.options,
      namespace: args.get(flags.namespace),
      hasConfig: args.given(flags.encryptionConfig),
      unansweredIsLost: args.get(flags.unansweredIsLost),
      subject,
      image,
      migrator: args.get(flags.migrator),
      confirm: args.get(flags.confirm),
      ...flagWords(args, session, cwd, folder),
      sha256: (text) => createHash("sha256").update(text).digest("hex"),
    },
    report,
  );
}

/** The flags that read the same copies again, with paths as they are found from the folder of the plan. */
function flagWords(
  args: Arguments,
  { copies }: Session,
  cwd: string,
  folder: string,
): { copyFlags: string[]; readFlags: string[]; planFlags: string[] } {
  const found = (path: string): string => relative(folder, resolve(cwd, path));
  const answers = args.get(flags.kmsAnswers);
  const revision = args.get(flags.revision);
  return {
    copyFlags: [
      ...copies.flatMap(({ file, form }) => [`--${form}`, found(file.name)]),
      ...(revision === undefined ? [] : ["--revision", revision]),
    ],
    readFlags: [
      ...args.get(flags.encryptionConfig).flatMap((path) => ["--encryption-config", found(path)]),
      ...(answers === undefined ? [] : ["--kms-answers", found(answers)]),
      ...args.get(flags.prefix).flatMap((prefix) => ["--prefix", prefix]),
    ],
    planFlags: [
      ...[flags.from, flags.namespace, flags.subject, flags.migrator].flatMap((flag) => {
        const value = args.get(flag);
        return value === undefined ? [] : [`--${flag.name}`, value];
      }),
      ...(args.get(flags.unansweredIsLost) ? [`--${flags.unansweredIsLost.name}`] : []),
    ],
  };
}

/** A role or a Job of an earlier plan must not lie beside this one. */
function strangers(folder: string, out: string, files: readonly OutputFile[], report: Report): void {
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch {
    return;
  }
  const own = new Set(files.map(({ path }) => path));
  const others = names.filter((name) => /^[0-9]{2}_/.test(name) && !own.has(name)).sort();
  if (others.length > 0)
    report(
      problem(
        "ETC052",
        "Invalid",
        "--out",
        `the folder contains files from another plan: ${others.slice(0, 3).join(", ")}${others.length > 3 ? ", …" : ""}`,
        `move the previous plan, so that it cannot be applied by mistake: ${setAside(folder, out)}; then run this command again, or choose an empty folder`,
      ),
    );
}

/** The command that gives a folder a name which nobody has. */
function setAside(folder: string, out: string): string {
  // What is no name of its own, such as `.`, is moved by its whole path.
  const own = basename(folder) === basename(out) ? out : folder;
  const names = new Set(readdirSync(dirname(folder)));
  let former = "former";
  for (let count = 2; names.has(basename(besideOf(folder, former))); count++) former = `former-${count}`;
  return `mv ${pathWord(own)} ${pathWord(besideOf(own, former))}`;
}

/** The plan as a page, with the headings of its runbook as steps. */
function pageOf(
  { digest, armed, deletions, input, migrations, removal, requests }: RepairPlan,
  out: string,
  results: readonly WriteResult[],
  runbook: string,
): PlanPage {
  const left = input.candidates.leftAlone.length;
  const fatal = input.candidates.fatal.length;
  const steps = [...runbook.matchAll(/^## [0-9]+\. (.*)$/gm)].map(([, heading = ""]) => heading);
  const deleting = steps.findIndex((heading) => heading.startsWith("Delete"));
  const hasJob = requests.some(({ path }) => path.startsWith("45_"));
  const job = !hasJob
    ? []
    : [armed ? "The Job sends the deletions once it is applied." : "The Job is suspended."];
  return {
    title: `Repair plan for Kubernetes ${releaseName(input.judge.target)}: ${counted(steps.length, "step")} in ${out}/RUNBOOK.md`,
    verdict:
      deletions.length === 0 ? "The plan deletes nothing." : ["The plan deletes objects.", ...job].join(" "),
    summary: [
      [
        "blocked by",
        hasJob && input.image === undefined
          ? ["the Job cannot be armed without --job-image; requests can be sent by hand"]
          : ["nothing"],
      ],
      [
        "cannot be undone",
        deletions.length === 0
          ? ["nothing"]
          : [
              `step ${deleting + 1}: ${counted(deletions.length, "deletion")}, without finalizers, owner references and dependents`,
            ],
      ],
      [
        "changes",
        [
          `${counted(deletions.length, "deletion")}, ${counted(migrations.list.length, "migration")}, ${counted(removal.length, "object")} to remove at the end`,
          ...(fatal === 0
            ? []
            : [`${counted(fatal, "object")} to remove from etcd before an API server is started`]),
          ...(left === 0
            ? []
            : [
                `${counted(left, "unreadable object is", "unreadable objects are")} not touched; see the reasons below`,
              ]),
        ],
      ],
      [
        "stays safe",
        deletions.length === 0 || deleting < 0
          ? ["after every step"]
          : [`before step ${deleting + 1}; after it only the backup of step 1 has the deleted values`],
      ],
      ...(hasJob ? [["digest", [digest]] as const] : []),
    ],
    steps: steps.map((does) => ({ does, notes: [] })),
    parts: [
      { title: "Files", rows: [["", `${results.length} files in ${out}; start with ${out}/RUNBOOK.md`]] },
    ],
  };
}
