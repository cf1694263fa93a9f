/** What is left to do after a phase, as text and for scripts. */
import type { Prepared, Target } from "../../pipeline/create.js";
import { formatSupplement, type SupplementItem } from "../../platforms/supplement.js";

export interface Steps {
  readonly steps: readonly object[];
  readonly supplement: readonly SupplementItem[];
  readonly text: string;
}

export function nextSteps(target: Target, dir: string, prepared: Prepared): Steps {
  if (target === "manifests") {
    const line = `slipway create infrastructure-manifests --dir ${dir}`;
    return {
      steps: [
        { action: "create", command: line, why: "wraps the manifests and compiles the Cluster API objects" },
      ],
      supplement: [],
      text: `Next: edit manifests/ and openshift/ as needed, then\n  ${line}`,
    };
  }
  const supplement = formatSupplement(prepared.supplement);
  return { steps: [], supplement: prepared.supplement, text: supplement };
}
