/**
 * The checks of infrastructure-manifests/ as it lies on disk, edits included: pure, over files that were read. With
 * `--crds` the objects are also held against the definitions of the providers.
 */
import { type Diagnostic, distinct, type Problem, sortDiagnostics } from "../core/diagnostics.js";
import { decode } from "../core/files.js";
import { problem, warning } from "../core/problem.js";
import {
  INFRASTRUCTURE_FOLDER,
  INSTALL_STATE_FILE,
  KUSTOMIZATION_FILE,
  SECRETS_FOLDER,
  SHARED_FOLDER,
} from "../phases/infrastructure-manifests/layout.js";
import { checkAssisted } from "./assisted.js";
import {
  at,
  type Check,
  type Context,
  contextOf,
  type InfrastructureDirectory,
  type ValidationOptions,
} from "./context.js";
import { readObjects } from "./documents.js";
import { checkInstallState } from "./install-state.js";
import { checkKustomizations, isObjectFile } from "./kustomization.js";
import { checkMachineTemplate, checkTemplateNames, checkTemplateValues } from "./machine-template.js";
import { checkWraps } from "./manifest-wraps.js";
import { checkDuplicates, checkNamespaces, checkObjects } from "./objects.js";
import { checkPlaceholders } from "./placeholders.js";
import { checkReferences } from "./references.js";

export type { History, InfrastructureDirectory, ValidationOptions } from "./context.js";
export { machineTemplateProblems } from "./machine-template.js";
export { emittedValidators } from "./objects.js";

const ALWAYS: readonly Check[] = [
  checkObjects,
  checkDuplicates,
  checkNamespaces,
  checkReferences,
  checkPlaceholders,
  checkMachineTemplate,
  checkTemplateNames,
  checkTemplateValues,
  checkKustomizations,
];
const WITH_SECRETS: readonly Check[] = [checkInstallState, checkWraps, checkAssisted];

/** Every problem of the folders, in the order of file and line; none where the phase was not run. */
export function validateInfrastructure(
  directory: InfrastructureDirectory,
  options: ValidationOptions = {},
): Diagnostic[] {
  const files = [...directory.files.values()].filter(({ path }) => isObjectFile(path));
  if (files.length === 0) return [];
  const text = readObjects(files);
  const context = contextOf(directory, options, text);
  const apart = secretsApart(context);
  const checks = apart.absent ? ALWAYS : [...ALWAYS, ...WITH_SECRETS];
  const found = [...text.problems, ...apart.problems, ...checks.flatMap((check) => check(context))];
  return sortDiagnostics(distinct(found));
}

/**
 * With `--secrets separate` no Secret lies in the folder that is committed, and a clone has no other: then there is
 * nothing to say about Secrets but that they are not here.
 */
function secretsApart({ directory, secrets, sealed }: Context): {
  readonly absent: boolean;
  readonly problems: readonly Problem[];
} {
  const paths = [...directory.files.keys()];
  if (paths.some((path) => path.startsWith(`${SECRETS_FOLDER}/`))) {
    const outside = secrets.filter(({ file }) =>
      [INFRASTRUCTURE_FOLDER, SHARED_FOLDER].some((folder) => file.startsWith(`${folder}/`)),
    );
    return {
      absent: false,
      problems: outside.map((known) =>
        at(
          known,
          problem(
            "CAPI021",
            "Forbidden",
            "kind",
            `the folder is meant to be committed, but contains this Secret; Secrets belong in ${SECRETS_FOLDER}/`,
            `move the file to ${SECRETS_FOLDER}/ and its entry to the kustomization.yaml there`,
          ),
        ),
      ),
    };
  }
  const list = directory.files.get(`${INFRASTRUCTURE_FOLDER}/${KUSTOMIZATION_FILE}`);
  const listed = (decode(list?.data ?? new Uint8Array()) ?? "").includes(INSTALL_STATE_FILE);
  if (secrets.length > 0 || sealed.length > 0 || list === undefined || listed)
    return { absent: false, problems: [] };
  return {
    absent: true,
    problems: [
      warning(
        "CAPI012",
        "NotFound",
        "",
        "the folder with the Secrets does not exist here, so they are not checked",
        {
          file: `${SECRETS_FOLDER}/`,
          hint: "the folder is not committed; create it where the state exists: slipway create infrastructure-manifests",
        },
      ),
    ],
  };
}
