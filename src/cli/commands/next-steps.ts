/** What is left to do after a phase, as text and for scripts. */
import {
  nextSteps as afterInfrastructure,
  formatNextSteps,
  type NextStep,
} from "../../phases/infrastructure-manifests/next-steps.js";
import { hasPlaceholder, type Prepared, type Target } from "../../pipeline/create.js";
import { formatSupplement, type SupplementItem } from "../../platforms/supplement.js";

export interface Steps {
  readonly steps: readonly NextStep[];
  readonly supplement: readonly SupplementItem[];
  readonly text: string;
}

export const NO_STEPS: Steps = { steps: [], supplement: [], text: "" };

export function nextSteps(target: Target, directory: string, prepared: Prepared): Steps {
  const steps = target === "manifests" ? afterManifests(directory) : stepsOf(directory, prepared);
  const { supplement } = prepared;
  const parts = [formatSupplement(supplement), formatNextSteps(steps)];
  return { steps, supplement, text: parts.filter((part) => part !== "").join("\n") };
}

const afterManifests = (directory: string): NextStep[] => [
  {
    id: "infrastructure-manifests",
    what: "Edit manifests/ and openshift/ as needed, then wrap them and compile the Cluster API objects",
    commands: [`slipway create infrastructure-manifests --dir ${directory}`],
  },
];

function stepsOf(directory: string, { compiled, infrastructure, after }: Prepared): NextStep[] {
  if (infrastructure === undefined) return [];
  const { options } = infrastructure;
  const placeholders = after.some(hasPlaceholder);
  return afterInfrastructure({ identity: compiled.identity, options, files: after, placeholders, directory });
}
