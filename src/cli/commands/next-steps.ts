/** What is left to do after a phase, as text and for scripts. */
import { decode, type OutputFile } from "../../core/files.js";
import { isPlaceholder } from "../../kubernetes/labels.js";
import {
  formatNextSteps,
  type NextStep,
  nextSteps as stepsOfInfrastructure,
} from "../../phases/infrastructure-manifests/next-steps.js";
import type { Prepared, Target } from "../../pipeline/create.js";
import { formatSupplement, type SupplementItem } from "../../platforms/supplement.js";

export interface Steps {
  readonly steps: readonly (NextStep | CreateStep)[];
  readonly supplement: readonly SupplementItem[];
  readonly text: string;
}

/** The step that leads to the next phase; of the same form as those that lead to a cluster. */
interface CreateStep {
  readonly id: "create";
  readonly what: string;
  readonly commands: readonly string[];
}

export function nextSteps(target: Target, dir: string, prepared: Prepared): Steps {
  if (target === "manifests") {
    const line = `slipway create infrastructure-manifests --dir ${dir}`;
    return {
      steps: [
        {
          id: "create",
          what: "Wrap the manifests and compile the Cluster API objects",
          commands: [line],
        },
      ],
      supplement: [],
      text: `Next: edit manifests/ and openshift/ as needed, then\n  ${line}`,
    };
  }
  const { namespace, secrets } = prepared.commit.options;
  const steps = stepsOfInfrastructure({
    identity: prepared.compiled.identity,
    options: {
      namespace: typeof namespace === "string" ? namespace : prepared.compiled.identity.infraID,
      secrets: secrets === "separate" ? "separate" : "inline",
    },
    files: prepared.after,
    placeholders: prepared.after.some(hasPlaceholder),
    directory: dir,
  });
  const supplement = formatSupplement(prepared.supplement);
  return {
    steps,
    supplement: prepared.supplement,
    text: [...(supplement === "" ? [] : [supplement, ""]), formatNextSteps(steps)].join("\n"),
  };
}

const hasPlaceholder = ({ secret, data }: OutputFile): boolean =>
  !secret && isPlaceholder(decode(data) ?? "");
