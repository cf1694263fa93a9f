/** Scheduled pieces to numbered steps, and to the files that hold their artefacts. */
import { createHash } from "node:crypto";
import { type OutputFile, textFile } from "../core/files.js";
import type { Json } from "../core/json.js";
import { writeYaml } from "../text/yaml-write.js";
import { nameText } from "./api.js";
import { type Carrier, commandWords } from "./command.js";
import type { Artefact, Step, Transfer } from "./model.js";
import type { Scheduled } from "./schedule.js";

/** Part of a file name; file systems take 255 bytes of a name, object names have up to 253. */
const LONGEST_SLUG = 100;

/** `namespace.name` of the request, shortened where it would be too long. */
export function slugOf({ request }: Transfer): string {
  const whole = `${request.namespace}.${request.name}`;
  if (whole.length <= LONGEST_SLUG) return whole;
  const digest = createHash("sha256").update(whole, "utf8").digest("hex").slice(0, 12);
  return `${whole.slice(0, LONGEST_SLUG - digest.length - 1)}-${digest}`;
}

const endingOf = ({ form }: Artefact): string => (form === "manifest" ? "yaml" : "json");

export const artefactText = (artefact: Artefact): string => {
  const content: Json = artefact.content;
  return artefact.form === "manifest" ? writeYaml(content) : `${JSON.stringify(content, null, 2)}\n`;
};

export interface NumberedStep extends Scheduled {
  readonly step: Step;
  readonly artefact: Artefact | null;
}

/** Numbers steps from 1, behind a prefix; a check shares the artefact of the step that makes what it asks about. */
export function numberSteps(scheduled: readonly Scheduled[], prefix = ""): NumberedStep[] {
  const width = Math.max(2, String(scheduled.length).length);
  const idOf = (index: number): string => `${prefix}${String(index + 1).padStart(width, "0")}`;
  const created = new Map<Transfer, { path: string; artefact: Artefact }>();
  const paths = scheduled.map(({ transfer, stepSpec }, index): string | null => {
    const { artefact } = stepSpec;
    if (artefact === null) return null;
    const path = `${artefact.folder}/${idOf(index)}-${artefact.label}-${slugOf(transfer)}.${endingOf(artefact)}`;
    if (stepSpec.key === "create") created.set(transfer, { path, artefact });
    return path;
  });
  return scheduled.map(({ transfer, stepSpec }, index): NumberedStep => {
    const shared = stepSpec.key === "check" ? created.get(transfer) : undefined;
    const path = shared?.path ?? paths[index] ?? null;
    return {
      transfer,
      stepSpec,
      artefact: shared?.artefact ?? stepSpec.artefact,
      step: {
        id: idOf(index),
        transfer: nameText(transfer.request),
        stage: stepSpec.stage,
        key: stepSpec.key,
        action: stepSpec.action,
        artefact: path,
        precondition: stepSpec.precondition,
        reversible: stepSpec.reversible,
        does: stepSpec.does,
        run: commandWords(stepSpec, path === null ? undefined : { path }),
      },
    };
  });
}

/** Where the command of a step finds its artefact. */
export const carrierOf = ({ step }: NumberedStep): Carrier | undefined =>
  step.artefact === null ? undefined : { path: step.artefact };

/** Steps whose artefacts are in no file: each command carries its own. JSON is YAML, and stays it when it is indented. */
export const selfContained = (steps: readonly NumberedStep[]): NumberedStep[] =>
  steps.map((numbered) => ({
    ...numbered,
    step: { ...numbered.step, artefact: null, run: commandWords(numbered.stepSpec, ownContent(numbered)) },
  }));

export const ownContent = ({ artefact }: NumberedStep): Carrier | undefined =>
  artefact === null ? undefined : { content: JSON.stringify(artefact.content, null, 2) };

/** The files of the artefacts, each once. */
export function artefactFiles(steps: readonly NumberedStep[]): OutputFile[] {
  const files = new Map<string, OutputFile>();
  for (const { step, artefact } of steps)
    if (step.artefact !== null && artefact !== null)
      files.set(step.artefact, textFile(step.artefact, artefactText(artefact)));
  return [...files.values()];
}
