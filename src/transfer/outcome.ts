/** Pairs, a dump and the moment to what `transfer plan` answers: refused, not agreed to, or a plan with its files. */

import type { Problem } from "../core/diagnostics.js";
import { type OutputFile, textFile } from "../core/files.js";
import { problem } from "../core/problem.js";
import type { Renderer } from "../text/render.js";
import { describe, nameText, type TransferObject } from "./api.js";
import { digestsOfFiles } from "./digests.js";
import { NOT_CONSENTED } from "./findings.js";
import type { MatchResult } from "./match.js";
import type { Step, TransferPlan } from "./model.js";
import { type MadePlan, planTransfers } from "./plan.js";
import { findingProblems, unmatchedProblem } from "./problems.js";
import { RUNBOOK_FILE, runbook } from "./runbook.js";
import type { Scheduled } from "./schedule.js";
import type { ClusterState } from "./state.js";
import { failedStatus, statusSteps } from "./step-specs.js";
import { artefactFiles, type NumberedStep, numberSteps } from "./steps.js";
import type { PlanOptions } from "./transfer-context.js";

/** The document that `resume` and `rollback` read. */
export const PLAN_FILE = "plan.json";

export interface PlanAnswer {
  readonly problems: readonly Problem[];
  /** The source's side has not agreed to something. */
  readonly notConsented: boolean;
  readonly made: MadePlan | undefined;
  /** The two status patches of each transfer that was given up. */
  readonly onFailure: readonly NumberedStep[];
}

/** @param only `namespace/name` of the requests to plan for; empty for all */
export function answerPlan(
  match: MatchResult,
  only: ReadonlySet<string>,
  state: ClusterState,
  options: PlanOptions,
  render: Renderer,
): PlanAnswer {
  const chosen = (object: TransferObject): boolean =>
    only.size === 0 || (object.type === "request" && only.has(nameText(object)));
  const pairs = match.pairs.filter(({ request }) => chosen(request));
  const labels = new Set(pairs.flatMap(({ request, approval }) => [describe(request), describe(approval)]));
  const findings = match.findings.filter(
    ({ objects }) => only.size === 0 || objects.some((label) => labels.has(label)),
  );
  const unmatched = match.unmatched.filter(({ object }) => chosen(object));
  const known = new Set(
    [...match.pairs.map(({ request }) => request), ...match.unmatched.map(({ object }) => object)].map(
      nameText,
    ),
  );
  const { consent, problems, made } = planTransfers(pairs, state, options, render);
  const all: Problem[] = [
    ...[...only].filter((name) => !known.has(name)).map(unknownRequest),
    ...unmatched.map(unmatchedProblem),
    ...findingProblems([...findings, ...consent]),
    ...problems,
  ];
  const failed = all.some(({ severity = "error" }) => severity === "error");
  const agreed = [...findings, ...consent].filter(
    ({ check, severity }) => severity === "error" && NOT_CONSENTED.has(check),
  );
  return {
    problems: all,
    notConsented: unmatched.length > 0 || agreed.length > 0,
    made: failed ? undefined : made,
    onFailure: made === undefined || failed ? [] : failureSteps(made.plan),
  };
}

const unknownRequest = (name: string): Problem =>
  problem(
    "TRF001",
    "NotFound",
    "--only",
    `request ${name} does not exist`,
    "use NAMESPACE/NAME of a StorageTransferRequest",
  );

function failureSteps({ transfers }: TransferPlan): NumberedStep[] {
  const stepSpecs = transfers.flatMap((transfer) =>
    statusSteps(
      transfer,
      failedStatus(
        transfer,
        "Failed",
        "Stopped",
        "The transfer was stopped. The data are safe; contact the operator of the transfer.",
      ),
      "Report that the transfer was stopped",
    ).map((stepSpec): Scheduled => ({ transfer, stepSpec })),
  );
  return numberSteps(stepSpecs, "F");
}

/** The plan's folder: artefacts, the plan for machines, the runbook for people. */
export function planFiles(answer: PlanAnswer): OutputFile[] {
  const { made, onFailure, problems } = answer;
  if (made === undefined) return [];
  const told = problems.filter(({ severity = "error" }) => severity === "warning");
  const files = [
    ...artefactFiles(made.steps),
    ...artefactFiles(onFailure),
    textFile(RUNBOOK_FILE, runbook(made, told, onFailure)),
  ];
  const document: TransferPlan & {
    readonly onFailure: readonly Step[];
    readonly digests: Readonly<Record<string, string>>;
  } = {
    ...made.plan,
    onFailure: onFailure.map(({ step }) => step),
    digests: digestsOfFiles(files),
  };
  return [...files, textFile(PLAN_FILE, `${JSON.stringify(document, null, 2)}\n`)];
}
