/** The plan for people: what moves, what is known to be in the way, every step with its command, and the way back. */

import { counted } from "../core/counted.js";
import type { Problem } from "../core/diagnostics.js";
import { byCodeUnit } from "../core/files.js";
import { codeBlock, codeSpan, markdownText } from "../text/markdown.js";
import { oneLine } from "../text/quote.js";
import { commandLine, shell } from "../text/shell.js";
import { nameText } from "./api.js";
import { commandText } from "./command.js";
import { dumpCommand } from "./dump-command.js";
import { type GateCondition, type Query, queryOf } from "./gates.js";
import type { StepSpec, Transfer } from "./model.js";
import { at, stringsAt } from "./object.js";
import type { MadePlan } from "./plan.js";
import { carrierOf, type NumberedStep } from "./steps.js";

export const RUNBOOK_FILE = "RUNBOOK.md";

/** @param warnings what the checks found short of an error */
export function runbook(
  { plan, steps, dropped }: MadePlan,
  warnings: readonly Problem[],
  onFailure: readonly NumberedStep[],
): string {
  const blocks = [
    "# Runbook of a storage transfer",
    `Plan ${plan.id}: ${counted(plan.transfers.length, "transfer")}, ${steps.length} steps. Run all commands from this folder.`,
    "Run the steps in order. If a step fails, do not continue. No step loses data.",
    ...afterFailure("plan.json", "after-a-stop"),
    "Do not scale down or delete workloads before the step that waits for reclaim policy Retain has succeeded.",
    "## Transfers",
    ...plan.transfers.map((transfer) => overview(transfer, dropped.get(nameText(transfer.request)) ?? [])),
    ...(warnings.length === 0 ? [] : ["## Warnings", warnings.map(warningLine).sort(byCodeUnit).join("\n")]),
    "## Steps",
    ...steps.map(stepBlock),
    "## To stop the transfer",
    ...(onFailure.length === 0
      ? ["Roll back. The requests and approvals exist only in Git, so they have no status to report to."]
      : [
          "Roll back first, which also reports the rollback. If you do not want to roll back, report that the transfer was stopped:",
          codeBlock(onFailure.map(({ step }) => commandLine(step.run))),
        ]),
    "## Afterwards",
    [
      "- Remove both objects of each pair from Git. A pair is executed only once.",
      "- Add the target claim to the Git repository of its owner, with the manifest of this plan.",
      "- Check the first pod of the target: file owners, SELinux level, and the node that it runs on.",
    ].join("\n"),
    "## States after an interruption",
    STOPS,
  ];
  return `${blocks.join("\n\n")}\n`;
}

/**
 * What to do when a step fails, or a gate says stop: with a dump of that moment, forth or back.
 *
 * @param plan plan.json, as it is found from the folder of the runbook
 * @param out beginning of the names of folders that the answers are written to
 */
function afterFailure(plan: string, out: string): string[] {
  const ask = (word: "resume" | "rollback"): string =>
    shell`slipway transfer ${word} --plan ${plan} --state ${DUMP} --out ${out}-${word === "resume" ? "forth" : "back"}`;
  return [
    "If a step fails, or a condition says to stop, take a new dump. Add the kinds that the first dump contained in addition to these:",
    codeBlock([dumpCommand(DUMP)]),
    "Then run one of these commands. Each writes a new folder with its own runbook. The first continues the transfer, or reports why it cannot. The second rolls it back, which is possible until the target is bound.",
    codeBlock([ask("resume"), ask("rollback")]),
  ];
}

const DUMP = "later.yaml";

const warningLine = ({ code, message, hint }: Problem): string =>
  `- ${code}: ${markdownText(message)}${hint === undefined || hint === "" ? "" : `. ${markdownText(capital(hint))}`}`;

const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

function overview(
  transfer: Transfer,
  dropped: readonly { readonly key: string; readonly why: string }[],
): string {
  const { source, target, volume, targetObject } = transfer;
  const labels = Object.entries(stringsAt(targetObject, "metadata", "labels")).map(
    ([key, value]) => `${key}=${value}`,
  );
  const lines = [
    `### ${markdownText(nameText(source))} to ${markdownText(nameText(target))}`,
    "",
    `- request ${markdownText(nameText(transfer.request))}, approval ${markdownText(nameText(transfer.approval))}, transfer ${transfer.id}`,
    volume === null
      ? "- no volume: the claim was never bound; a new claim replaces it and no data are transferred"
      : `- volume ${markdownText(volume.name)}, reclaim policy ${markdownText(volume.policy)}, claim uid ${markdownText(source.uid)}`,
    transfer.late
      ? "- the target is created after the source is deleted: the data are kept, but the application is down if the target is rejected"
      : "- the target is created before the source is deleted",
    `- copied labels: ${labels.length === 0 ? "none" : labels.map(codeSpan).join(", ")}`,
    ...dropped.map(({ key, why }) => `- not copied: ${codeSpan(key)} (${markdownText(why)})`),
    ...(at(targetObject, "spec", "storageClassName") === ""
      ? ["- the empty storage class is kept, so that no default class is set"]
      : []),
  ];
  return lines.map(oneLine).join("\n");
}

function stepBlock(numbered: NumberedStep): string {
  const { step, stepSpec, transfer } = numbered;
  const lines = [
    `### ${step.id} ${markdownText(step.does)}`,
    "",
    `For ${step.transfer}; stage ${step.stage}${step.reversible ? "" : "; **cannot be undone**"}.`,
  ];
  if (step.precondition !== null && stepSpec.action !== "gate")
    lines.push("", `Requires that ${markdownText(step.precondition)}.`);
  if (step.run.length > 0) lines.push("", codeBlock([commandText(stepSpec, carrierOf(numbered))]));
  if (stepSpec.key === "create" && transfer.kind === "move" && !transfer.late)
    lines.push(
      "",
      "The claim stays Pending, with an event that its volume is bound to another claim, until the volume is reserved for it.",
    );
  for (const { says, otherwise, ask } of gateQuestions(stepSpec)) {
    lines.push("", `- [ ] ${capital(says)}. Otherwise: ${otherwise}.`);
    if (ask.length > 0) lines.push("", codeBlock(ask, "  "));
  }
  return lines.join("\n");
}

/** What a gate waits for, each with the lines that ask for it; none where only people can tell. */
export const gateQuestions = (
  stepSpec: StepSpec,
): readonly (GateCondition & { readonly ask: readonly string[] })[] =>
  stepSpec.action !== "gate"
    ? []
    : stepSpec.conditions.map((each) => {
        const query = queryOf(each.condition);
        const [says, otherwise] = [oneLine(each.says), oneLine(each.otherwise)];
        return { ...each, says, otherwise, ask: query === null ? [] : queryLines(query) };
      });

/**
 * The steps that are left, or lead back, for people.
 *
 * @param plan the plan's id, and its file as it is found from the folder
 */
export const stepsRunbook = (
  word: "resume" | "rollback",
  plan: { readonly id: string; readonly file: string },
  steps: readonly NumberedStep[],
): string => {
  const blocks = [
    `# ${word === "resume" ? "Remaining steps of a storage transfer" : "Rollback of a storage transfer"}`,
    `Of plan ${markdownText(plan.id)} in ${codeSpan(plan.file)}: ${counted(steps.length, "step")}. Run all commands from this folder.`,
    "Run the steps in order. If a step fails, do not continue. No step loses data.",
    ...afterFailure(plan.file, "again"),
    ...steps.map(stepBlock),
  ];
  return `${blocks.join("\n\n")}\n`;
};

function queryLines(query: Query): string[] {
  const ask = commandLine(query.run);
  if ("printsTheSameAs" in query)
    return [ask, "# prints the same as this, and not an empty line:", commandLine(query.printsTheSameAs)];
  if ("printsAtMost" in query) return [ask, `# prints at most ${query.printsAtMost}, or nothing`];
  return [ask, query.prints === "" ? "# prints nothing" : `# prints ${oneLine(query.prints)}`];
}

/** docs/reference/pvc-transfer.md §6, the table of crash points. */
const STOPS = `| stopped after | state | data loss |
|---|---|---|
| C1, C2 | the source is in use, its volume has reclaim policy Retain | none; if the claim is deleted now, the volume remains and must be cleaned up |
| C3 | the target is Pending | none |
| C4 | the source is Terminating while a pod uses it | none; the deletion cannot be stopped |
| C5 | the volume is Released with Retain | none; a claim that a controller re-creates under the old name is empty |
| C6 | the volume is reserved for the target | none; no other claim can bind to it |
| C7 | the target is bound, the policy is still Retain | none |
| C8 | everything is done except for the report | none |`;
