/** A plan as files and commands: manifests to apply, scripts for the rest, numbered in the order of the steps. */
import type { JsonObject } from "../core/json.js";
import type { MigrationApi } from "../kubernetes/storage-migration.js";
import { migrationRef, migrationScript } from "../kubernetes/storage-migration-script.js";
import { commandLine, pathWord, shellWord } from "../text/shell.js";
import type { StorageCrd } from "./crd.js";
import type { PlanStep } from "./crd-plan.js";
import { RESOURCE_VERSION } from "./crd-plan.js";

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
  /** File name of the script, where it is not the artefact itself. */
  readonly scriptFile: string | undefined;
}

/** Gives every step its number, files and command; migrations are rendered by the caller. */
export function plannedSteps(
  steps: readonly PlanStep[],
  crd: StorageCrd,
  api: MigrationApi,
  render: (step: PlanStep) => JsonObject | undefined,
): PlannedStep[] {
  return steps.map((step, i) => {
    const id = String((i + 1) * 10);
    const { action, summary, patch } = step;
    const manifest = step.object ?? render(step);
    const manifestFile =
      manifest === undefined ? undefined : `${id}-${action === "migrate" ? "migrate" : "definition"}.yaml`;
    const script = scriptOf(step, manifestFile ?? "", crd, api);
    const scriptFile = script === undefined ? undefined : `${id}-${action}.sh`;
    return {
      id,
      action,
      summary,
      command:
        scriptFile !== undefined
          ? `sh ${pathWord(scriptFile)}`
          : manifestFile === undefined
            ? ""
            : `${step.withoutWebhook ? `${withoutWebhook(crd)} && ` : ""}${applyLine(manifestFile)}`,
      artefact: manifestFile ?? scriptFile,
      manifest,
      patch,
      script,
      scriptFile: manifestFile === undefined ? undefined : scriptFile,
    };
  });
}

/** Whoever made the definition owns its fields: taking them over is what the plan is for. */
const applyLine = (file: string): string =>
  `kubectl apply --server-side --force-conflicts -f ${pathWord(file)}`;

const withoutWebhook = ({ name }: StorageCrd): string =>
  commandLine([
    "kubectl",
    "patch",
    "crd",
    name,
    "--type=merge",
    "--patch",
    JSON.stringify({ spec: { conversion: { strategy: "None", webhook: null } } }),
  ]);

function scriptOf(step: PlanStep, file: string, crd: StorageCrd, api: MigrationApi): string | undefined {
  const { action, patch, migration, versions = [] } = step;
  switch (action) {
    case "patch-status":
      return patch === undefined ? undefined : patchScript(crd, patch);
    case "migrate":
      return migration === undefined
        ? undefined
        : migrationScript(file, migrationRef(api.apiVersion, migration.name));
    case "gate":
      return gateScript(crd, versions);
    case "export":
      return exportScript(crd, versions);
    case "edit":
    case "apply":
      return undefined;
  }
}

/** A version of the resource as kubectl names it. */
const resourceIn = ({ plural, group }: StorageCrd, version: string): string =>
  shellWord(`${plural}.${version}.${group}`);

/** Reading every object in a version has the webhook convert each that is stored in another one. */
const gateScript = (crd: StorageCrd, versions: readonly string[]): string => `#!/bin/sh
# Fails where an object cannot be read in one of the versions: the webhook is away, or does not speak it.
set -eu
${versions
  .map(
    (version) =>
      `kubectl get ${resourceIn(crd, version)} --all-namespaces -o name >/dev/null\necho ${shellWord(`every object can be read in ${version}`)}`,
  )
  .join("\n")}
`;

const exportScript = (crd: StorageCrd, versions: readonly string[]): string => `#!/bin/sh
# Keeps every object as it is, beside this script. The file is not replaced when it is there.
set -eu
umask 077
cd "$(dirname "$0")"
set -C
${versions
  .map(
    (version) =>
      `kubectl get ${resourceIn(crd, version)} --all-namespaces -o yaml > ${pathWord(`${crd.plural}-${version}.yaml`)}`,
  )
  .join("\n")}
`;

/**
 * Reads the definition once, and patches only that very state: the test on resourceVersion makes the server refuse when
 * anybody was faster.
 */
function patchScript({ name }: StorageCrd, patch: readonly JsonObject[]): string {
  const [, , replace] = patch;
  const wanted = shellWord(JSON.stringify(replace?.["value"] ?? []));
  const [before = "", after = ""] = JSON.stringify(patch).split(RESOURCE_VERSION);
  return `#!/bin/sh
# Removes versions that hold no object any more from status.storedVersions.
set -eu
crd=${shellWord(name)}
wanted=${wanted}
stored=$(kubectl get crd "$crd" -o jsonpath='{.status.storedVersions}')
if [ "$stored" = "$wanted" ]; then
  echo "nothing to do: $crd is stored as $wanted alone"
  exit 0
fi
resource_version=$(kubectl get crd "$crd" -o jsonpath='{.metadata.resourceVersion}')
kubectl patch crd "$crd" --subresource=status --type=json -p ${shellWord(before)}"$resource_version"${shellWord(after)}
`;
}
