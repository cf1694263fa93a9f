/** A plan as files and commands: manifests to apply, scripts for the rest, numbered in the order of the steps. */
import type { JsonObject } from "../core/json.js";
import type { MigrationApi } from "../kubernetes/storage-migration.js";
import { migrationRef, migrationScript } from "../kubernetes/storage-migration-script.js";
import { pathWord, shell, shellWord } from "../text/shell.js";
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
  const migrated = steps.find(({ migration }) => migration !== undefined)?.migration;
  const ref = migrated === undefined ? undefined : migrationRef(api.apiVersion, migrated.name);
  return steps.map((step, i) => {
    const id = String((i + 1) * 10);
    const { action, summary, patch } = step;
    const manifest = step.object ?? render(step);
    const manifestFile =
      manifest === undefined ? undefined : `${id}-${action === "migrate" ? "migrate" : "definition"}.yaml`;
    const script = scriptOf(step, manifestFile ?? "", crd, ref);
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
  shell`kubectl patch crd ${name} --type=merge
    --patch ${JSON.stringify({ spec: { conversion: { strategy: "None", webhook: null } } })}`;

/** @param ref the migration of the plan, as kubectl names it; undefined where there is none */
function scriptOf(
  { action, patch, versions = [] }: PlanStep,
  file: string,
  crd: StorageCrd,
  ref: string | undefined,
): string | undefined {
  switch (action) {
    case "patch-status":
      return patch === undefined ? undefined : patchScript(crd, patch, ref);
    case "migrate":
      return ref === undefined ? undefined : migrationScript(file, ref);
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
# Fails if an object cannot be read in one of the versions: the webhook is unavailable or does not support the version.
set -eu
${versions
  .map(
    (version) =>
      `kubectl get ${resourceIn(crd, version)} --all-namespaces -o name >/dev/null\necho ${shellWord(`every object can be read in ${version}`)}`,
  )
  .join("\n")}
`;

/** A file under its name is whole: one that kubectl did not finish would be taken for the export, and its objects deleted. */
const exportScript = (crd: StorageCrd, versions: readonly string[]): string => `#!/bin/sh
# Saves every object next to this script. An existing file is complete and is not replaced.
set -eu
umask 077
cd "$(dirname "$0")"
keep() {
  if [ -e "$2" ]; then
    echo "already exists, not replaced: $2"
    return
  fi
  rm -f "$2.part"
  kubectl get "$1" --all-namespaces -o yaml > "$2.part"
  mv "$2.part" "$2"
  echo "saved: $2"
}
${versions
  .map((version) => `keep ${resourceIn(crd, version)} ${pathWord(`${crd.plural}-${version}.yaml`)}`)
  .join("\n")}
`;

/**
 * A definition that was changed after the migration began may have had another storage version meanwhile, in which
 * objects were written that the migration did not see. Times have no fractions, and sort as texts.
 */
const sinceMigration = (ref: string): string => `migration=${shellWord(ref)}
began=$(kubectl get "$migration" -o jsonpath='{.metadata.creationTimestamp}')
succeeded=$(kubectl get "$migration" -o jsonpath='{.status.conditions[?(@.type=="Succeeded")].status}')
if [ "$succeeded" != True ]; then
  echo "the migration has not succeeded; run it again before you continue" >&2
  exit 1
fi
changes=$(kubectl get crd "$crd" --show-managed-fields -o jsonpath='{range .metadata.managedFields[*]}{.time} {.subresource}{"\\n"}{end}')
last=$(printf '%s\\n' "$changes" | sed -n 's/ $//p' | sort | tail -n 1)
newest=$(printf '%s\\n' "$began" "$last" | sort | tail -n 1)
if [ -z "$last" ] || [ "$newest" != "$began" ]; then
  echo "$crd was changed at \${last:-an unknown time}, after the migration was started at $began; run the migration again, then this script" >&2
  exit 1
fi
`;

/**
 * Reads the definition once, and patches only that very state: the test on resourceVersion makes the server refuse when
 * anybody was faster.
 */
function patchScript({ name }: StorageCrd, patch: readonly JsonObject[], ref: string | undefined): string {
  const [, , replace] = patch;
  const wanted = shellWord(JSON.stringify(replace?.["value"] ?? []));
  const [before = "", after = ""] = JSON.stringify(patch).split(RESOURCE_VERSION);
  return `#!/bin/sh
# Removes versions that no object is stored in from status.storedVersions.
set -eu
crd=${shellWord(name)}
wanted=${wanted}
stored=$(kubectl get crd "$crd" -o jsonpath='{.status.storedVersions}')
if [ "$stored" = "$wanted" ]; then
  echo "nothing to do: $crd is stored only as $wanted"
  exit 0
fi
resource_version=$(kubectl get crd "$crd" -o jsonpath='{.metadata.resourceVersion}')
${ref === undefined ? "" : sinceMigration(ref)}kubectl patch crd "$crd" --subresource=status --type=json -p ${shellWord(before)}"$resource_version"${shellWord(after)}
`;
}
