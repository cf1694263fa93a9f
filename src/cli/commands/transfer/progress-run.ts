/** `transfer resume` and `transfer rollback`. */
import { dirname, relative, resolve } from "node:path";
import { API_VERSION } from "../../../core/api-version.js";
import { createReporter } from "../../../core/diagnostics.js";
import { type OutputFile, textFile } from "../../../core/files.js";
import { textIfRegular } from "../../../directory/index.js";
import { oneLine } from "../../../text/quote.js";
import { nameText } from "../../../transfer/api.js";
import { commandText } from "../../../transfer/command.js";
import { digestsOfFiles } from "../../../transfer/digests.js";
import { dumpCommand } from "../../../transfer/dump-command.js";
import type { Step, TransferPlan } from "../../../transfer/model.js";
import { readPlan } from "../../../transfer/plan-file.js";
import { type Only, type Resumed, resumePlan } from "../../../transfer/resume.js";
import { rollbackPlan } from "../../../transfer/rollback.js";
import { gateQuestions, RUNBOOK_FILE, stepsRunbook } from "../../../transfer/runbook.js";
import type { Scheduled } from "../../../transfer/schedule.js";
import type { ClusterState } from "../../../transfer/state.js";
import { failedStatus, statusSteps } from "../../../transfer/step-specs.js";
import {
  artefactFiles,
  artefactText,
  carrierOf,
  type NumberedStep,
  numberSteps,
  ownContent,
  selfContained,
} from "../../../transfer/steps.js";
import type { Handler } from "../../command.js";
import { EXIT, UsageError } from "../../exit.js";
import { print } from "../../print.js";
import { readTextFile } from "../../read-text.js";
import * as flags from "./flags.js";
import { readDumps } from "./input.js";
import { writePlanFolder } from "./output.js";

type Ask = (plan: TransferPlan, state: ClusterState, now: Date, only: Only) => Resumed;

const run =
  (ask: Ask, word: "resume" | "rollback"): Handler =>
  async (args, cli) => {
    const file = args.get(flags.plan);
    if (file === undefined)
      throw new UsageError("--plan FILE is required: plan.json of slipway transfer plan");
    if (args.get(flags.state).length === 0)
      throw new UsageError(`--state DUMP is required: a current dump, ${dumpCommand("later.yaml")}`);
    const reporter = createReporter();
    const text = readTextFile(cli, file, reporter.report);
    const plan = text === undefined ? undefined : readPlan(text, file, reporter.report);
    const dump = await readDumps(args.get(flags.state), cli, reporter.report);
    const only = new Set(args.get(flags.onlyOfPlan));
    const unknown = [...only].find((name) =>
      plan?.transfers.every(({ request }) => nameText(request) !== name),
    );
    if (unknown !== undefined)
      throw new UsageError(
        `--only ${unknown}: no such request in ${file}; it contains ${plan?.transfers.map(({ request }) => nameText(request)).join(", ") ?? ""}`,
      );
    const wrong = reporter.failed || plan === undefined || dump === undefined;
    const resumed = wrong ? undefined : ask(plan, dump, cli.clock.now(), only);
    resumed?.problems.forEach(reporter.report);
    const steps = numberSteps(resumed?.steps ?? [], word === "rollback" ? "B" : "");
    const onStop = numberSteps(resumed === undefined ? [] : stopReports(resumed), "F");
    const folder = args.get(flags.planOut);
    const shown =
      folder === undefined && plan !== undefined
        ? inPlanFolder(
            [...steps, ...onStop],
            word === "resume" ? plan.steps : [],
            resolve(cli.cwd, dirname(file)),
          )
        : [...steps, ...onStop];
    const mine = shown.slice(0, steps.length);
    const reports = shown.slice(steps.length).map(stepJson);
    const written =
      folder === undefined || resumed === undefined
        ? []
        : await writePlanFolder(
            resolve(cli.cwd, folder),
            folder,
            stepFiles(
              {
                id: plan?.id ?? "",
                file: relative(resolve(cli.cwd, folder), resolve(cli.cwd, file)),
              },
              steps,
              onStop,
              word,
            ),
            reporter.report,
          );
    const ok = !reporter.failed;
    print(args, cli, {
      kind: "TransferProgress",
      json: {
        crashPoint: resumed?.crashPoint ?? "C0",
        transfers: (resumed?.transfers ?? []).map(({ transfer, crashPoint, stop, stepSpecs }) => ({
          request: nameText(transfer.request),
          crashPoint,
          stop: stop?.message ?? null,
          steps: stepSpecs.length,
        })),
        steps: mine.map(stepJson),
        onStop: reports,
        files: written.map(({ path, status }) => ({ path, status })),
      },
      text: resumed === undefined ? "" : describeProgress(resumed, mine, word, folder),
      diagnostics: reporter.diagnostics,
      outcome: folder === undefined ? undefined : { files: written },
    });
    if (ok) return EXIT.done;
    const stopped = resumed?.transfers.some(({ stop }) => stop !== undefined) ?? false;
    return stopped ? EXIT.no : EXIT.wrong;
  };

export const runResume: Handler = run(resumePlan, "resume");
export const runRollback: Handler = run(
  (plan, state, _, only) => rollbackPlan(plan, state, only),
  "rollback",
);

/** The folder of what is left: artefacts, and the steps for machines. */
function stepFiles(
  plan: { readonly id: string; readonly file: string },
  steps: readonly NumberedStep[],
  onStop: readonly NumberedStep[],
  word: "resume" | "rollback",
): OutputFile[] {
  const files = [
    ...artefactFiles([...steps, ...onStop]),
    ...(steps.length === 0 ? [] : [textFile(RUNBOOK_FILE, stepsRunbook(word, plan, steps))]),
  ];
  const document = {
    apiVersion: API_VERSION,
    kind: "TransferSteps",
    plan: plan.id,
    steps: steps.map(({ step }) => step),
    onStop: onStop.map(({ step }) => step),
    digests: digestsOfFiles(files),
  };
  return [...files, textFile("steps.json", `${JSON.stringify(document, null, 2)}\n`)];
}

/** What a transfer that has to stop reports on both of its objects. */
const stopReports = ({ transfers }: Resumed): Scheduled[] =>
  transfers.flatMap(({ transfer, stop }) =>
    // One that can no longer be rolled back can still be finished.
    stop === undefined || stop.code === "TRF062"
      ? []
      : statusSteps(
          transfer,
          failedStatus(transfer, "Failed", "Blocked", `${stop.message}.`),
          "Report that the transfer cannot continue",
        ).map((stepSpec): Scheduled => ({ transfer, stepSpec })),
  );

const stepJson = ({ step, artefact }: NumberedStep): Step & { readonly content: unknown } => ({
  ...step,
  content: artefact?.content ?? null,
});

/**
 * Steps that are in the plan keep their numbers; their files are named where they still say the same. No file is
 * written, so that every command carries what it applies.
 */
function inPlanFolder(
  steps: readonly NumberedStep[],
  planned: readonly Step[],
  root: string,
): NumberedStep[] {
  const known = new Map(planned.map((step) => [`${step.transfer} ${step.key}`, step]));
  return selfContained(steps).map((numbered): NumberedStep => {
    const { step, artefact } = numbered;
    const before = known.get(`${step.transfer} ${step.key}`);
    const path = before?.artefact ?? null;
    const same =
      path !== null && artefact !== null && textIfRegular(resolve(root, path)) === artefactText(artefact);
    return {
      ...numbered,
      step: {
        ...step,
        id: before?.id ?? (known.size === 0 ? step.id : `R${step.id}`),
        artefact: same ? path : null,
      },
    };
  });
}

function describeProgress(
  { crashPoint, transfers, problems }: Resumed,
  steps: readonly NumberedStep[],
  word: "resume" | "rollback",
  folder: string | undefined,
): string {
  const lines = transfers.map(
    ({ transfer, crashPoint: own }) => `${own}  ${nameText(transfer.source)} -> ${nameText(transfer.target)}`,
  );
  const stopped = problems.some(({ severity = "error" }) => severity === "error");
  if (!stopped && steps.length === 0)
    lines.push(word === "resume" ? `${crashPoint}: no steps left` : `${crashPoint}: nothing to roll back`);
  for (const numbered of steps) {
    const { id, action, does, artefact, reversible } = numbered.step;
    lines.push(`${id}  ${action}  ${oneLine(does)}${reversible ? "" : "  [irreversible]"}`);
    if (artefact !== null) lines.push(`      ${artefact}`);
    lines.push(...stepLines(numbered, folder !== undefined).map((line) => `      ${line}`));
  }
  if (folder !== undefined && steps.length > 0)
    lines.push("", `run the commands in ${folder}; see also ${folder}/${RUNBOOK_FILE}`);
  return lines.join("\n");
}

/** What is to be typed for a step, or looked at. */
function stepLines(numbered: NumberedStep, written: boolean): string[] {
  const { stepSpec } = numbered;
  if (stepSpec.action === "gate")
    return gateQuestions(stepSpec).flatMap(({ says, otherwise, ask }) => [
      `- ${says}. Otherwise: ${otherwise}.`,
      ...ask.map((line) => `    ${line}`),
    ]);
  return commandText(stepSpec, written ? carrierOf(numbered) : ownContent(numbered)).split("\n");
}
