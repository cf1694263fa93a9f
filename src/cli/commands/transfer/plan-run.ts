/** `transfer match` and `transfer plan`. */

import { resolve } from "node:path";
import { counted } from "../../../core/counted.js";
import { createReporter, isError } from "../../../core/diagnostics.js";
import { info, problem } from "../../../core/problem.js";
import { describe, nameText, sourceOf, targetOf } from "../../../transfer/api.js";
import { dumpCommand } from "../../../transfer/dump-command.js";
import { isClean, type TransferFinding } from "../../../transfer/findings.js";
import { type MatchResult, matchTransfers, type Unmatched } from "../../../transfer/match.js";
import type { TransferPlan } from "../../../transfer/model.js";
import { findingProblems, unmatchedProblem } from "../../../transfer/problems.js";
import type { SimulatedStep } from "../../../transfer/simulate.js";
import type { PlanOptions } from "../../../transfer/transfer-context.js";
import type { Terminal } from "../../cli-context.js";
import type { Handler } from "../../command.js";
import { EXIT, UsageError } from "../../exit.js";
import type { Arguments } from "../../flags.js";
import { planText as pageText } from "../../plan-page.js";
import { print } from "../../print.js";
import * as flags from "./flags.js";
import { readDumps, readFolders } from "./input.js";
import { transferPage } from "./plan-page.js";

export const runMatch: Handler = async (args, cli) => {
  const reading = createReporter();
  const objects = readFolders(args.get(flags.dirs), cli, reading.report);
  const dump = await readDumps(args.get(flags.state), cli, reading.report);
  const result = matchTransfers(objects, {
    now: cli.clock.now(),
    allowCycles: args.get(flags.allowCycles),
  });
  const consent =
    dump === undefined
      ? []
      : (await import("../../../transfer/checks/consent.js")).consentOfPairs(result.pairs, dump);
  const findings = [...result.findings, ...consent];
  // What cannot be read is a wrong input; what can be read and does not fit is the answer "no".
  const unread = reading.diagnostics.some((each) => isError(each) && UNREAD.test(each.code));
  const clean = result.unmatched.length === 0 && isClean(findings) && !reading.failed;
  if (objects.length === 0 && !reading.failed)
    reading.report(
      info("TRF001", "NotFound", "", "no requests and no approvals found", {
        file: args.get(flags.dirs)[0] ?? "",
        hint: "",
      }),
    );
  const reporter = createReporter();
  reading.diagnostics.forEach(reporter.report);
  for (const each of result.unmatched) reporter.report(unmatchedProblem(each));
  findingProblems(findings).forEach(reporter.report);
  print(args, cli, {
    kind: "TransferMatchResult",
    json: {
      pairs: result.pairs.map(({ request, approval }) => ({
        request: nameText(request),
        approval: nameText(approval),
        source: nameText(sourceOf(request)),
        target: nameText(targetOf(request)),
        requestFile: request.file,
        requestLine: request.line,
        approvalFile: approval.file,
        approvalLine: approval.line,
      })),
      unmatched: result.unmatched.map(unmatchedJson),
      findings: findings.map(findingJson),
    },
    text: matchText(result, findings),
    diagnostics: reporter.diagnostics,
    fails: "warning",
  });
  if (unread) return EXIT.wrong;
  return clean ? EXIT.done : EXIT.no;
};

/** Codes of texts and files that cannot be read at all. */
const UNREAD = /^(YAML|TEXT|DIR|TRF001)/;

const unmatchedJson = ({ object, closest, failed }: Unmatched) => ({
  object: describe(object),
  file: object.file,
  line: object.line,
  closest: closest === undefined ? null : describe(closest),
  failed: failed.map(({ condition }) => condition),
  details: failed.map(({ condition, left, right, leftField, rightField, leftAt, rightAt, hint }) => {
    const own = object.type === "request" ? leftAt : rightAt;
    return {
      condition,
      left,
      right,
      leftField,
      rightField,
      file: own.file,
      line: own.line,
      leftFile: leftAt.file,
      leftLine: leftAt.line,
      rightFile: rightAt.file,
      rightLine: rightAt.line,
      hint,
    };
  }),
});

const findingJson = ({
  check,
  severity,
  code,
  kind,
  file,
  line,
  column,
  field,
  message,
  hint,
  objects,
}: TransferFinding) => ({ check, severity, code, kind, file, line, column, field, message, hint, objects });

function matchText({ pairs, unmatched }: MatchResult, findings: readonly TransferFinding[]): string {
  const lines = pairs.map(
    ({ request, approval }) =>
      `paired     ${nameText(sourceOf(request))} -> ${nameText(targetOf(request))}  (request ${nameText(request)}, approval ${nameText(approval)})`,
  );
  for (const { object, closest, failed } of unmatched) {
    lines.push(`unmatched  ${describe(object)}  (${object.file}:${object.line})`);
    if (closest !== undefined)
      lines.push(`  closest  ${describe(closest)}  (${closest.file}:${closest.line})`);
    for (const { condition, left, right, leftField, rightField, leftAt, rightAt, hint } of failed)
      lines.push(
        `  ${condition}       request ${leftField} ${JSON.stringify(left)} (${leftAt.file}:${leftAt.line}) is not approval ${rightField} ${JSON.stringify(right)} (${rightAt.file}:${rightAt.line})${hint === "" ? "" : `; ${hint}`}`,
      );
  }
  const counted = findings.filter(({ severity }) => severity !== "info").length;
  const notes = findings.length - counted;
  // The objects without a partner are findings too, and were counted.
  const others = unmatched.length === 0 ? "" : "other ";
  lines.push(
    `${pairs.length} paired, ${unmatched.length} unmatched, ${counted} ${others}${counted === 1 ? "finding" : "findings"}${notes === 0 ? "" : `, ${notes} ${notes === 1 ? "note" : "notes"}`}`,
  );
  return lines.join("\n");
}

export const runPlan: Handler = async (args, cli) => {
  const reporter = createReporter();
  const paths = args.get(flags.state);
  if (paths.length === 0) throw new UsageError(`--state DUMP is required: ${dumpCommand("dump.yaml")}`);
  const objects = readFolders(args.get(flags.dirs), cli, reporter.report);
  const dump = await readDumps(paths, cli, reporter.report);
  const wrongInput = reporter.failed;
  if (objects.length === 0 && !wrongInput)
    reporter.report(
      problem("TRF001", "NotFound", "", "no requests and no approvals found", {
        file: args.get(flags.dirs)[0] ?? "",
        hint: "create them: slipway transfer new --source NAMESPACE/NAME --target OTHER/NAME --state DUMP",
      }),
    );
  const options = planOptions(args);
  const match = matchTransfers(objects, { now: cli.clock.now(), allowCycles: options.allowCycles });
  const [{ createRenderer }, { answerPlan, planFiles }] = await Promise.all([
    import("../../../text/render.js"),
    import("../../../transfer/outcome.js"),
  ]);
  const render = await createRenderer(["transfer"], reporter.report);
  const answer =
    dump === undefined ? undefined : answerPlan(match, new Set(args.get(flags.only)), dump, options, render);
  answer?.problems.forEach(reporter.report);
  const made = reporter.failed ? undefined : answer?.made;
  const folder = args.get(flags.planOut);
  let written: readonly { readonly path: string; readonly status: "created" | "updated" | "unchanged" }[] =
    [];
  if (made !== undefined && answer !== undefined && folder !== undefined) {
    const { writePlanFolder } = await import("./output.js");
    written = await writePlanFolder(resolve(cli.cwd, folder), folder, planFiles(answer), reporter.report);
  }
  const ok = made !== undefined && !reporter.failed;
  const simulation =
    ok && args.get(flags.simulate) && dump !== undefined
      ? (await import("../../../transfer/simulate.js")).simulatePlan(made.steps, dump)
      : undefined;
  const warnings = reporter.diagnostics.filter(({ severity }) => severity === "warning").length;
  print(args, cli, {
    kind: "TransferPlanResult",
    json: {
      id: ok ? made.plan.id : null,
      steps: ok ? made.plan.steps : [],
      files: written.map(({ path, status }) => ({ path, status })),
      ...(simulation === undefined ? {} : { simulation }),
    },
    text: ok ? planText(made.plan, folder, written, simulation, warnings, cli.stdout) : "",
    textFirst: true,
    diagnostics: reporter.diagnostics,
    outcome: folder === undefined ? undefined : { files: written },
  });
  if (ok) return EXIT.done;
  return !wrongInput && answer?.notConsented === true ? EXIT.no : EXIT.wrong;
};

const planOptions = (args: Arguments): PlanOptions => {
  const labels = args.get(flags.keepLabel);
  return {
    allowCycles: args.get(flags.allowCycles),
    recreateUnbound: args.get(flags.recreateUnbound),
    waivedFinalizers: new Set(args.get(flags.waiveFinalizer)),
    keepLabels: labels.length === 0 ? undefined : new Set(labels),
    lateCreate: args.get(flags.lateCreate),
  };
};

function planText(
  plan: TransferPlan,
  folder: string | undefined,
  written: readonly { readonly status: string }[],
  simulation: readonly SimulatedStep[] | undefined,
  warnings: number,
  terminal: Terminal,
): string {
  const lines = [pageText(transferPage(plan, folder, warnings), terminal).trimEnd()];
  if (simulation !== undefined) lines.push("", ...simulationTable(simulation));
  if (folder !== undefined) {
    const changed = written.filter(({ status }) => status !== "unchanged").length;
    lines.push(
      "",
      `${changed} of ${counted(written.length, "file")} written to ${folder}; start with ${folder}/RUNBOOK.md`,
    );
  }
  return lines.join("\n");
}

const COLUMNS = ["step", "transfer", "source", "target", "volume", "policy", "claimRef"] as const;

function simulationTable(rows: readonly SimulatedStep[]): string[] {
  const table = [COLUMNS.map(String), ...rows.map((row) => COLUMNS.map((column) => row[column]))];
  const widths = COLUMNS.map((_, index) => Math.max(...table.map((row) => (row[index] ?? "").length)));
  const lines = table.map((row) =>
    row
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join("  ")
      .trimEnd(),
  );
  return [
    ...lines,
    ...rows.filter(({ ok }) => !ok).map(({ step, reason }) => `step ${step} was rejected: ${reason}`),
  ];
}
