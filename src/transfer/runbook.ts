/** The plan for people: what moves, what is known to be in the way, every step with its command, and the way back. */

import { counted } from "../core/counted.js";
import type { Problem } from "../core/diagnostics.js";
import { byCodeUnit } from "../core/files.js";
import { codeBlock, codeSpan, markdownText } from "../text/markdown.js";
import { oneLine } from "../text/quote.js";
import { commandLine } from "../text/shell.js";
import { nameText } from "./api.js";
import { commandText } from "./command.js";
import { dumpCommand } from "./dump-command.js";
import { type GateCondition, type Query, queryOf } from "./gates.js";
import type { Piece, Transfer } from "./model.js";
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
    `Plan ${plan.id}: ${counted(plan.transfers.length, "transfer")}, ${steps.length} steps. Commands start from this folder.`,
    "Take the steps in order. A step that fails stops everything: nothing is lost at any point.",
    ...afterFailure("plan.json", "after-a-stop"),
    "Do not scale down or delete workloads before the gate that finds Retain on the volume has opened.",
    "## What moves",
    ...plan.transfers.map((transfer) => overview(transfer, dropped.get(nameText(transfer.request)) ?? [])),
    ...(warnings.length === 0
      ? []
      : ["## What to know before", warnings.map(warningLine).sort(byCodeUnit).join("\n")]),
    "## Steps",
    ...steps.map(stepBlock),
    "## If it is given up",
    ...(onFailure.length === 0
      ? [
          "Roll back. Requests and approvals live in Git alone, so there is no status in which it could be reported.",
        ]
      : [
          "Roll back first, which reports the rollback itself. Where that is not wanted, these report that the transfer stopped:",
          codeBlock(onFailure.map(({ step }) => commandLine(step.run))),
        ]),
    "## Afterwards",
    [
      "- Remove both objects of each pair from Git: a pair is executed once.",
      "- Put the target claim under the delivery of the target's side, with the manifest of this plan.",
      "- Look at the first pod of the target: owners of files, SELinux level, and the node it runs on.",
    ].join("\n"),
    "## Where it may stop",
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
    commandLine([
      ...["slipway", "transfer", word, "--plan", plan, "--state", DUMP, "--out"],
      `${out}-${word === "resume" ? "forth" : "back"}`,
    ]);
  return [
    "If a step fails, or a gate says stop, take a fresh dump; add the kinds that the first one had beside these:",
    codeBlock([dumpCommand(DUMP)]),
    "Then one of these, each into a new folder with a runbook of its own: the first says what is left or why not to go on, the second leads back as long as the target is not bound.",
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
      ? "- no volume: a fresh claim takes the place of one that was never bound; nothing moved"
      : `- volume ${markdownText(volume.name)}, reclaim policy ${markdownText(volume.policy)}, claim uid ${markdownText(source.uid)}`,
    transfer.late
      ? "- the target is made after the source is gone: the data are as safe, but if the target is refused then, the application is down until that is solved"
      : "- the target is made before the source is deleted",
    `- labels that go along: ${labels.length === 0 ? "none" : labels.map(codeSpan).join(", ")}`,
    ...dropped.map(({ key, why }) => `- stays behind: ${codeSpan(key)} (${markdownText(why)})`),
    ...(at(targetObject, "spec", "storageClassName") === ""
      ? ["- the empty storage class is kept, so that no default is filled in"]
      : []),
  ];
  return lines.map(oneLine).join("\n");
}

function stepBlock(numbered: NumberedStep): string {
  const { step, piece, transfer } = numbered;
  const lines = [
    `### ${step.id} ${markdownText(step.does)}`,
    "",
    `For ${step.transfer}; part ${step.stage} of the order${step.reversible ? "" : "; **cannot be taken back**"}.`,
  ];
  if (step.precondition !== null && piece.action !== "gate")
    lines.push("", `Applies only if ${markdownText(step.precondition)}.`);
  if (step.run.length > 0) lines.push("", codeBlock([commandText(piece, carrierOf(numbered))]));
  if (piece.key === "create" && transfer.kind === "move" && !transfer.late)
    lines.push(
      "",
      "It stays Pending, with the event that its volume is bound to another claim, until the volume is reserved for it.",
    );
  for (const { says, otherwise, ask } of gateQuestions(piece)) {
    lines.push("", `- [ ] ${capital(says)}. Otherwise: ${otherwise}.`);
    if (ask.length > 0) lines.push("", codeBlock(ask, "  "));
  }
  return lines.join("\n");
}

/** What a gate waits for, each with the lines that ask for it; none where only people can tell. */
export const gateQuestions = (
  piece: Piece,
): readonly (GateCondition & { readonly ask: readonly string[] })[] =>
  piece.action !== "gate"
    ? []
    : piece.conditions.map((each) => {
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
    `# ${word === "resume" ? "What is left of a storage transfer" : "The way back of a storage transfer"}`,
    `Of plan ${markdownText(plan.id)} in ${codeSpan(plan.file)}: ${counted(steps.length, "step")}. Commands start from this folder.`,
    "Take the steps in order. A step that fails stops everything: nothing is lost at any point.",
    ...afterFailure(plan.file, "again"),
    ...steps.map(stepBlock),
  ];
  return `${blocks.join("\n\n")}\n`;
};

function queryLines(query: Query): string[] {
  const ask = commandLine(query.run);
  if ("printsTheSameAs" in query)
    return [ask, "# prints the same as, and not nothing:", commandLine(query.printsTheSameAs)];
  if ("printsAtMost" in query) return [ask, `# prints at most ${query.printsAtMost}, or nothing`];
  return [ask, query.prints === "" ? "# prints nothing" : `# prints ${oneLine(query.prints)}`];
}

/** docs/reference/pvc-transfer.md §6, the table of crash points. */
const STOPS = `| stopped after | what is so | what is lost |
|---|---|---|
| C1, C2 | the source is in use as before, its volume has Retain | nothing; if the claim is deleted now, the volume stays and has to be cleaned up |
| C3 | the target waits, Pending | nothing |
| C4 | the source is Terminating and held by a pod | nothing; the deletion cannot be stopped any more |
| C5 | the volume is Released, with Retain | nothing; a claim that a controller makes again under the old name is empty |
| C6 | the volume is reserved for the target | nothing; nobody else can take it |
| C7 | the target is bound, the policy is still Retain | nothing |
| C8 | all is done but the report | nothing |`;
