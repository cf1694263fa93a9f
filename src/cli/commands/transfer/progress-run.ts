/** `transfer resume` and `transfer rollback`. */
import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { API_VERSION } from "../../../core/api-version.js";
import { createReporter } from "../../../core/diagnostics.js";
import { type OutputFile, textFile } from "../../../core/files.js";
import { nameText } from "../../../transfer/api.js";
import { digestsOfFiles } from "../../../transfer/digests.js";
import type { Step, TransferPlan } from "../../../transfer/model.js";
import { failedStatus, statusPieces } from "../../../transfer/pieces.js";
import { readPlan } from "../../../transfer/plan-file.js";
import { type Resumed, resumePlan } from "../../../transfer/resume.js";
import { rollbackPlan } from "../../../transfer/rollback.js";
import type { Scheduled } from "../../../transfer/schedule.js";
import type { ClusterState } from "../../../transfer/state.js";
import { artefactFiles, artefactText, type NumberedStep, numberSteps } from "../../../transfer/steps.js";
import type { Handler } from "../../command.js";
import { EXIT, UsageError } from "../../exit.js";
import { print } from "../../print.js";
import { readTextFile } from "../../read-text.js";
import * as flags from "./flags.js";
import { readDumps } from "./input.js";
import { writePlanFolder } from "./output.js";

type Ask = (plan: TransferPlan, state: ClusterState, now: Date) => Resumed;

const run =
  (ask: Ask, word: "resume" | "rollback"): Handler =>
  async (args, world) => {
    const file = args.get(flags.plan);
    if (file === undefined)
      throw new UsageError("--plan FILE is missing: plan.json of slipway transfer plan");
    if (args.get(flags.state).length === 0) throw new UsageError("--state DUMP is missing: a fresh dump");
    const reporter = createReporter();
    const text = readTextFile(world, file, reporter.report);
    const plan = text === undefined ? undefined : readPlan(text, file, reporter.report);
    const dump = await readDumps(args.get(flags.state), world, reporter.report);
    const wrong = reporter.failed || plan === undefined || dump === undefined;
    const resumed = wrong ? undefined : ask(plan, dump, world.clock.now());
    resumed?.problems.forEach(reporter.report);
    const steps = numberSteps(resumed?.steps ?? [], word === "rollback" ? "B" : "");
    const onStop = numberSteps(resumed === undefined ? [] : stopReports(resumed), "F");
    const folder = args.get(flags.planOut);
    const shown =
      folder === undefined && plan !== undefined
        ? inPlanFolder(
            [...steps, ...onStop],
            word === "resume" ? plan.steps : [],
            resolve(world.cwd, dirname(file)),
          )
        : [...steps, ...onStop];
    const mine = shown.slice(0, steps.length).map(stepJson);
    const reports = shown.slice(steps.length).map(stepJson);
    const written =
      folder === undefined || resumed === undefined
        ? []
        : await writePlanFolder(
            resolve(world.cwd, folder),
            folder,
            stepFiles(plan?.id ?? "", steps, onStop),
            reporter.report,
          );
    const ok = !reporter.failed;
    print(args, world, {
      kind: "TransferProgress",
      json: {
        ok,
        crashPoint: resumed?.crashPoint ?? "C0",
        transfers: (resumed?.transfers ?? []).map(({ transfer, crashPoint, stop, pieces }) => ({
          request: nameText(transfer.request),
          crashPoint,
          stop: stop?.message ?? null,
          steps: pieces.length,
        })),
        steps: mine,
        onStop: reports,
        files: written.map(({ path, status }) => ({ path, status })),
      },
      text: resumed === undefined ? "" : describeProgress(resumed, mine, word),
      diagnostics: reporter.diagnostics,
    });
    if (ok) return EXIT.done;
    const stopped = resumed?.transfers.some(({ stop }) => stop !== undefined) ?? false;
    return stopped ? EXIT.no : EXIT.wrong;
  };

export const runResume: Handler = run(resumePlan, "resume");
export const runRollback: Handler = run((plan, state) => rollbackPlan(plan, state), "rollback");

/** The folder of what is left: artefacts, and the steps for machines. */
function stepFiles(
  plan: string,
  steps: readonly NumberedStep[],
  onStop: readonly NumberedStep[],
): OutputFile[] {
  const files = artefactFiles([...steps, ...onStop]);
  const document = {
    apiVersion: API_VERSION,
    kind: "TransferSteps",
    plan,
    steps: steps.map(({ step }) => step),
    onStop: onStop.map(({ step }) => step),
    digests: digestsOfFiles(files),
  };
  return [...files, textFile("steps.json", `${JSON.stringify(document, null, 2)}\n`)];
}

/** What a transfer that has to stop reports on both of its objects. */
const stopReports = ({ transfers }: Resumed): Scheduled[] =>
  transfers.flatMap(({ transfer, stop }) =>
    stop === undefined
      ? []
      : statusPieces(
          transfer,
          failedStatus(transfer, "Failed", "Blocked", `${stop.message}.`),
          "Report that the transfer cannot go on",
        ).map((piece): Scheduled => ({ transfer, piece })),
  );

type Shown = NumberedStep;

const stepJson = ({ step, artefact }: Shown): Step & { readonly content: unknown } => ({
  ...step,
  content: artefact?.content ?? null,
});

/** Steps that are in the plan keep their numbers; their files are named where they still say the same. */
function inPlanFolder(steps: readonly NumberedStep[], planned: readonly Step[], root: string): Shown[] {
  const known = new Map(planned.map((step) => [`${step.transfer} ${step.key}`, step]));
  return steps.map((numbered): Shown => {
    const { step, artefact } = numbered;
    const before = known.get(`${step.transfer} ${step.key}`);
    const same =
      before !== undefined &&
      before.artefact !== null &&
      artefact !== null &&
      contentOf(resolve(root, before.artefact)) === artefactText(artefact);
    const path = same ? (before?.artefact ?? null) : null;
    return {
      ...numbered,
      step: {
        ...step,
        id: before?.id ?? (known.size === 0 ? step.id : `R${step.id}`),
        artefact: path,
        run: step.run.map((word) => (word === step.artefact ? (path ?? "/dev/stdin") : word)),
      },
    };
  });
}

function contentOf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

function describeProgress(
  { crashPoint, transfers, problems }: Resumed,
  steps: readonly (Step & { readonly content: unknown })[],
  word: "resume" | "rollback",
): string {
  const lines = transfers.map(
    ({ transfer, crashPoint: own }) => `${own}  ${nameText(transfer.source)} -> ${nameText(transfer.target)}`,
  );
  const stopped = problems.some(({ severity = "error" }) => severity === "error");
  if (!stopped && steps.length === 0)
    lines.push(
      word === "resume"
        ? `${crashPoint}: nothing is left to do`
        : `${crashPoint}: nothing is to be taken back`,
    );
  for (const { id, action, does, artefact, content, reversible } of steps) {
    lines.push(`${id}  ${action}  ${does}${reversible ? "" : "  [cannot be taken back]"}`);
    if (artefact !== null) lines.push(`      ${artefact}`);
    else if (content !== null)
      lines.push(
        ...JSON.stringify(content, null, 2)
          .split("\n")
          .map((line) => `      ${line}`),
      );
  }
  return lines.join("\n");
}
