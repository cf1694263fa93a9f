/** A plan as files and commands: manifests to apply, a script for the status, numbered in the order of the steps. */
import type { JsonObject } from "../core/json.js";
import type { StorageCrd } from "./crd.js";
import type { PlanStep } from "./crd-plan.js";
import { RESOURCE_VERSION } from "./crd-plan.js";
import type { MigrationApi } from "./migration-api.js";

export interface PlannedStep {
  readonly id: string;
  readonly action: PlanStep["action"];
  readonly summary: string;
  readonly command: string;
  /** File name below `--out`; undefined where nothing is written. */
  readonly artefact: string | undefined;
  readonly manifest: JsonObject | undefined;
  readonly patch: readonly JsonObject[] | undefined;
  readonly script: string | undefined;
}

/** Gives every step its number, file and command; migrations are rendered by the caller. */
export function plannedSteps(
  steps: readonly PlanStep[],
  crd: StorageCrd,
  api: MigrationApi,
  render: (step: PlanStep) => JsonObject | undefined,
): PlannedStep[] {
  return steps.map((step, i) => {
    const id = String((i + 1) * 10);
    const manifest = step.object ?? render(step);
    const script = step.patch === undefined ? undefined : patchScript(crd, step.patch);
    const artefact =
      script !== undefined
        ? `${id}-patch-status.sh`
        : manifest === undefined
          ? undefined
          : `${id}-${step.action === "migrate" ? "migrate" : "definition"}.yaml`;
    return {
      id,
      action: step.action,
      summary: step.summary,
      command: commandOf(step, artefact, api),
      artefact,
      manifest,
      patch: step.patch,
      script,
    };
  });
}

function commandOf({ action, migration }: PlanStep, artefact: string | undefined, api: MigrationApi): string {
  switch (action) {
    case "edit":
      return "";
    case "apply":
      return `kubectl apply --server-side -f ${artefact}`;
    case "patch-status":
      return `sh ${artefact}`;
    case "migrate": {
      const [group] = api.apiVersion.split("/");
      return `kubectl apply -f ${artefact} && kubectl wait --for=condition=Succeeded --timeout=-1s storageversionmigrations.${group}/${migration?.name}`;
    }
  }
}

/**
 * Reads the definition once, and patches only that very state: the test on resourceVersion makes the server refuse when
 * anybody was faster.
 */
function patchScript({ name }: StorageCrd, patch: readonly JsonObject[]): string {
  const [, , replace] = patch;
  const wanted = JSON.stringify(replace?.["value"] ?? []);
  const body = JSON.stringify(patch).replaceAll('"', '\\"').replaceAll(RESOURCE_VERSION, "$resource_version");
  return `#!/bin/sh
# Removes versions that hold no object any more from status.storedVersions.
set -eu
crd=${name}
stored=$(kubectl get crd "$crd" -o jsonpath='{.status.storedVersions}')
if [ "$stored" = '${wanted}' ]; then
  echo "nothing to do: $crd is stored as ${wanted.replaceAll('"', "")} alone"
  exit 0
fi
resource_version=$(kubectl get crd "$crd" -o jsonpath='{.metadata.resourceVersion}')
kubectl patch crd "$crd" --subresource=status --type=json -p "${body}"
`;
}
