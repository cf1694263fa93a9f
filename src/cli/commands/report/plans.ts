/** Saved plans of a report: plan.json of `transfer plan` and `etcd plan`, and what `compat plan --output json` printed. */
import { dirname, join } from "node:path";
import { parseMinor } from "../../../compatibility/version.js";
import { counted } from "../../../core/counted.js";
import type { Report } from "../../../core/diagnostics.js";
import { isObject, type Json } from "../../../core/json.js";
import { problem } from "../../../core/problem.js";
import type { EtcdRepairPlan } from "../../../generated/types/EtcdRepairPlan.js";
import type { UpgradePlan } from "../../../generated/types/UpgradePlan.js";
import type { Validator } from "../../../generated/validators/UpgradePlan.js";
import type { PlanReport, StepReport } from "../../../report/sections/plans.js";
import { commandLine } from "../../../text/shell.js";
import type { TransferPlan } from "../../../transfer/model.js";
import type { CliContext } from "../../cli-context.js";
import type { Arguments } from "../../flags.js";
import { readNamed } from "../../input-files.js";
import type { PlanPage } from "../../plan-page.js";
import { readTextInput, STDIN } from "../../read-text.js";
import * as flags from "./flags.js";

export async function planParts(
  args: Arguments,
  cli: CliContext,
  report: Report,
): Promise<readonly PlanReport[]> {
  const plans: PlanReport[] = [];
  for (const path of args.get(flags.plans)) {
    const text = await readTextInput(cli, path, report);
    const file = path === "-" ? STDIN : path;
    const plan = text === undefined ? undefined : await readPlanOf(text, file, cli, report);
    if (plan !== undefined) plans.push(plan);
  }
  return plans;
}

async function readPlanOf(
  text: string,
  file: string,
  cli: CliContext,
  report: Report,
): Promise<PlanReport | undefined> {
  const { parseJson, readPlan } = await import("../../../transfer/plan-file.js");
  const value = parseJson(text);
  switch (isObject(value) ? value["kind"] : undefined) {
    case "TransferPlan": {
      const plan = readPlan(text, file, report);
      return plan && transferReport(plan, file);
    }
    case "EtcdRepairPlan": {
      const { default: validate } = await import("../../../generated/validators/EtcdRepairPlan.js");
      const isPlan = (each: unknown): each is EtcdRepairPlan => validate(each);
      return isPlan(value)
        ? repairReport(value, file, runbookBeside(file, cli))
        : refused(file, validate, report);
    }
    case "UpgradePlan": {
      const { default: validate } = await import("../../../generated/validators/UpgradePlan.js");
      const isPlan = (each: unknown): each is UpgradePlan => validate(each);
      return isPlan(value) ? upgradeReport(value, file, report) : refused(file, validate, report);
    }
    default:
      return refused(file, undefined, report, value);
  }
}

function refused(file: string, validate: Validator | undefined, report: Report, value?: Json): undefined {
  const [first] = validate?.errors ?? [];
  const found =
    first === undefined
      ? isObject(value) && typeof value["kind"] === "string"
        ? `its kind is ${JSON.stringify(value["kind"])}`
        : "it is not a JSON document with a kind"
      : `${first.instancePath === "" ? "" : `${first.instancePath} `}${first.message ?? "is invalid"}`;
  report(
    problem("REP002", "Invalid", "--plan", `the file is not a saved plan: ${found}`, {
      file,
      hint: "use plan.json of transfer plan or etcd plan, or the output of compat plan --output json",
    }),
  );
}

/** What a page of the terminal is in a report. */
const fromPage = (page: Pick<PlanPage, "title" | "summary">): Pick<PlanReport, "title" | "summary"> => ({
  title: page.title,
  summary: page.summary,
});

async function upgradeReport(
  plan: UpgradePlan,
  file: string,
  report: Report,
): Promise<PlanReport | undefined> {
  const { from, to, hops = "minor", steps } = plan;
  const [first, last] = [parseMinor(from), parseMinor(to)];
  if (first === undefined || last === undefined)
    return void report(
      problem("REP002", "Invalid", "--plan", "the file is not a saved plan: from or to is not a release", {
        file,
        hint: "use the output of compat plan --output json, unchanged",
      }),
    );
  const { upgradePage } = await import("../compat/plan-text.js");
  const page = upgradePage({ from: first, to: last, hops, steps, notChecked: [], verbose: false });
  const blocked = steps.filter(({ blockers }) => blockers.length > 0).length;
  return {
    kind: "upgrade",
    file,
    ...fromPage(page),
    verdict: blocked > 0 ? page.verdict : "No step of this plan is blocked.",
    tone: blocked > 0 ? "bad" : "good",
    steps: page.steps.map(({ does, notes, verbatim = [] }, i) => ({
      kind: (steps[i]?.blockers.length ?? 0) > 0 ? "blocked" : "step",
      does,
      notes,
      verbatim,
    })),
    tables: page.parts
      .filter(({ title }) => title !== "More")
      .map(({ title, rows }) => ({ caption: title, head: ["Of", "Content"], rows })),
  };
}

async function transferReport(plan: TransferPlan, file: string): Promise<PlanReport> {
  const { transferPage } = await import("../transfer/plan-page.js");
  const page = transferPage(plan, undefined, 0);
  const irreversible = plan.steps.some(({ reversible }) => !reversible);
  return {
    kind: "transfer",
    file,
    ...fromPage(page),
    verdict: irreversible ? "One or more steps cannot be undone." : "Every step can be undone.",
    tone: irreversible ? "warn" : "good",
    steps: plan.steps.map(({ action, reversible, does, precondition, run, artefact }) => ({
      kind: action === "gate" ? "gate" : reversible ? "step" : "irreversible",
      does,
      notes: precondition === null ? [] : precondition.split("; ").map((each) => `requires: ${each}`),
      verbatim: run.length > 0 ? [commandLine(run)] : artefact === null ? [] : [artefact],
    })),
    tables: [],
  };
}

/** RUNBOOK.md in the folder of a plan; empty for a plan from standard input, or without its folder. */
function runbookBeside(file: string, cli: CliContext): string {
  if (file === STDIN) return "";
  const found = readNamed(join(dirname(file), "RUNBOOK.md"), cli.cwd, () => undefined);
  return found === undefined ? "" : Buffer.from(found.data).toString();
}

/** What waits or looks, and changes nothing, by the headings of a runbook. */
const GATE = /^(?:Check|Wait|Take a new copy)/;
const IRREVERSIBLE = /^(?:Delete|Remove)/;

/** The steps of the runbook beside the plan, with the plan's files that each names. */
function runbookSteps(runbook: string, files: readonly string[]): StepReport[] {
  const [, ...parts] = runbook.split(/^## [0-9]+\. /m);
  return parts.map((part) => {
    const [does = "", text = ""] = [/^.*/.exec(part)?.[0], part.split(/^## /m)[0]];
    return {
      kind: GATE.test(does) ? "gate" : IRREVERSIBLE.test(does) ? "irreversible" : "step",
      does,
      notes: [],
      verbatim: files.filter((file) => text.includes(file)),
    };
  });
}

function repairReport(plan: EtcdRepairPlan, file: string, runbook: string): PlanReport {
  const { target, copies, armed, digest, deletions, leftAlone, migrations, keysToRestore, settings } = plan;
  const deletes = deletions.length > 0;
  const steps = runbookSteps(runbook, plan.files);
  return {
    kind: "repair",
    file,
    title: `Repair for Kubernetes ${target}${steps.length === 0 ? "" : `: ${counted(steps.length, "step")}`}`,
    verdict: deletes ? "The plan deletes objects." : "The plan deletes nothing.",
    tone: deletes ? "warn" : "good",
    summary: [
      ["copies", copies.map(({ file: copy, revision }) => `${copy} at revision ${revision}`)],
      [
        "cannot be undone",
        [
          deletes
            ? `${counted(deletions.length, "deletion")}, without finalizers, owner references and dependents`
            : "nothing",
        ],
      ],
      ["Job", deletes ? [armed ? "sends the deletions once it is applied" : "is suspended"] : []],
      ["digest", [digest]],
    ],
    steps,
    tables: [
      {
        caption: "Keys to look for before anything is deleted",
        head: ["Key", "Provider", "Objects", "Error"],
        rows: keysToRestore.map(({ provider, keyName, objects, error }) => [
          keyName,
          provider,
          String(objects),
          error,
        ]),
      },
      {
        caption: "Settings of the servers",
        head: ["Component", "On", "Setting", "Why"],
        rows: [...settings.before, ...settings.after].map(({ component, on, setting, why }) => [
          component,
          on,
          setting,
          why,
        ]),
      },
      {
        caption: "Deletions",
        head: ["Request", "Error of the server", "Warning"],
        rows: deletions.map(({ request, error, warning }) => [request, error, warning.text.join("; ")]),
      },
      {
        caption: "Not touched",
        head: ["Key", "Why"],
        rows: leftAlone.map(({ key, why }) => [key, why]),
      },
      {
        caption: "Rewritten resources",
        head: ["Resource", "In an older version", "With an older key"],
        rows: migrations.list.map(({ group, resource, older, stale }) => [
          group === "" ? resource : `${resource}.${group}`,
          String(older),
          String(stale),
        ]),
      },
    ],
  };
}
