/** `slipway validate`: the inputs of a directory and everything that lies in it, edits included. */
import type { Diagnostic, Problem } from "../core/diagnostics.js";
import { distinct } from "../core/diagnostics.js";
import { problem } from "../core/problem.js";
import {
  conflictProblems,
  type DiskFiles,
  FOLDERS,
  folderOf,
  IMAGE_BASED_INSTALLATION_CONFIG,
  INSTALL_CONFIG,
  isClosed,
  madeElsewhere,
  type PhasePlan,
  removedSecrets,
  STATE_FILE,
  stateOfManifests,
  unreadConflicts,
} from "../directory/index.js";
import {
  emittedValidators,
  type History,
  type ValidationOptions,
  validateInfrastructure,
} from "../validate/infrastructure.js";
import { manifestProblems } from "../validate/manifests/index.js";
import { type CheckRequest, compareWithFreshCompile, lostState, withAbsentSecrets } from "./check.js";
import { compileConfig, validateInstallConfig } from "./config.js";
import { commandOf } from "./ignition-forms.js";
import {
  encryptsSecrets,
  openFileProblems,
  openFiles,
  ownProblems,
  undecryptedProblems,
} from "./in-the-open.js";
import { managedTwice } from "./infrastructure.js";
import { keptMachines, machinesElsewhere } from "./machine-management.js";
import { manifestFiles } from "./manifest-files.js";
import { isAgentBased, isImageBased, readsManifests } from "./method.js";
import type { CompiledConfig, CompileRequest, NamedText } from "./request.js";
import { cannotCompile } from "./sealed-inputs.js";
import { bootProblems, imageProblems } from "./validate-boot.js";

/** Every problem of the directory. */
export async function validateDirectory(
  request: CheckRequest,
  options: ValidationOptions,
  minValidity: number,
): Promise<readonly Diagnostic[]> {
  const { directory } = request;
  const found: Problem[] = [];
  const report = (problem: Problem): void => void found.push(problem);
  const inputs =
    directory.inputs.has(INSTALL_CONFIG) ||
    directory.state?.installConfig !== undefined ||
    readsManifests(directory);
  const known =
    (inputs || directory.record === undefined) && !cannotCompile(request)
      ? await compileInputs(withAbsentSecrets({ ...request, report }))
      : undefined;
  const infrastructure = FOLDERS.filter(({ phase }) => phase === "infrastructure-manifests").map(
    ({ path }) => path,
  );
  const hasInfrastructure = [...directory.files.keys()].some((path) =>
    infrastructure.includes(folderOf(path)),
  );
  if (!hasInfrastructure && directory.record?.phases["infrastructure-manifests"] !== undefined)
    report(
      problem("CAPI022", "NotFound", "", "the phase has run, but none of its files exists", {
        file: "infrastructure-manifests/",
        hint: "to create the folder again, run: slipway create infrastructure-manifests",
      }),
    );
  // What compiling says of the inputs was said above; here its result tells what was edited.
  const hasIgnition = directory.record?.phases["ignition-configs"] !== undefined;
  const ofState = (problem: Problem): void => {
    if (problem.file === STATE_FILE) report(problem);
  };
  const phases = directory.record?.phases;
  const isGrown =
    phases?.["agent-manifests"] !== undefined ||
    (phases?.manifests !== undefined && phases["infrastructure-manifests"] === undefined);
  const plans =
    hasInfrastructure || hasIgnition || isGrown
      ? ((await compareWithFreshCompile({ ...request, report: ofState })) ?? [])
      : [];
  const conflicts = conflictProblems(plans);
  // Of a folder that is gone as a whole it is said above, not file by file.
  const present = plans.filter(({ phase }) => hasInfrastructure || phase !== "infrastructure-manifests");
  found.push(...removedSecrets(present, commandOf(present.at(-1)?.phase ?? "manifests", present)));
  found.push(...madeElsewhere(present));
  const lost = lostState(directory);
  if (lost !== undefined) report(lost);
  found.push(...ownProblems(directory, present));
  found.push(...undecryptedProblems(directory, present, request.flags));
  if (encryptsSecrets(directory)) {
    const command = commandOf(present.at(-1)?.phase ?? "manifests", present);
    found.push(...openFileProblems(openFiles(directory), command));
  }
  if (known !== undefined && hasInfrastructure) {
    const { installConfig, platform, identity, facts, credentials } = known;
    const input = { config: installConfig.config, identity, facts, credentials, release: request.release };
    found.push(...managedTwice(platform, input, request, manifestFiles(directory.files)));
  }
  found.push(...bootProblems(request, known, minValidity));
  const controllerNamespace = request.flags.controllerNamespace;
  const objects = validateInfrastructure(
    {
      files: withStateToWrap(directory),
      closed: new Set([...directory.files].flatMap(([path, file]) => (isClosed(file) ? [path] : []))),
      history: historyOf(plans),
      compiled: plans.flatMap(({ paths }) => paths).flatMap(({ desired }) => desired ?? []),
      ...(controllerNamespace === undefined ? {} : { controllerNamespace }),
    },
    { ...options, emitted: await emittedValidators() },
  );
  const manifests = await manifestProblems(manifestFiles(directory.files), {
    ...options,
    release: request.release,
  });
  if (machinesElsewhere(request.flags)) keptMachines(manifestFiles(directory.files)).forEach(report);
  const unread = unreadConflicts(conflicts);
  const others = [...found, ...manifests, ...objects].filter(
    ({ kind, file = "" }) => kind !== "Parse" || !unread.has(file),
  );
  return distinct([...conflicts, ...others]);
}

/** Manifests that were generated and may be edited. */
async function judgeGenerated({ directory, release, flags, report }: CompileRequest): Promise<void> {
  const [{ judgeAgentManifests }, { agentFilesOf }] = await Promise.all([
    import("../phases/agent/manifests.js"),
    import("./agent-input.js"),
  ]);
  const files = agentFilesOf(directory);
  const closed = [...directory.files.values()].some(isClosed);
  if (files.length > 0 && !closed)
    judgeAgentManifests(files, { release, releaseImage: flags.releaseImage, report });
}

/** The inputs of the way of installing that the directory serves. */
async function compileInputs(request: CompileRequest): Promise<CompiledConfig | undefined> {
  const { inputs, state } = request.directory;
  // It may lie alone: the image is one for many clusters.
  const hasInstallation = inputs.has(IMAGE_BASED_INSTALLATION_CONFIG);
  if (hasInstallation) {
    const { judgeInstallationConfig } = await import("./image-based.js");
    judgeInstallationConfig(request);
  }
  if (isImageBased(request.directory)) {
    const { compileImageBasedConfigs } = await import("./image-based.js");
    return (await compileImageBasedConfigs(request))?.known;
  }
  if (!isAgentBased(request.directory))
    return hasInstallation && !inputs.has(INSTALL_CONFIG) && state === undefined
      ? undefined
      : compileConfig(request);
  if (readsManifests(request.directory)) {
    const { judgeManifestInput } = await import("./agent-input.js");
    judgeManifestInput(request);
    return undefined;
  }
  if (request.directory.record?.phases["agent-manifests"] !== undefined) await judgeGenerated(request);
  const { compileAgentConfigs } = await import("./agent.js");
  return (await compileAgentConfigs(request))?.known;
}

/** Every problem of an install-config that lies in no directory. */
export async function validateFile(
  named: NamedText,
  request: CompileRequest,
): Promise<readonly Diagnostic[]> {
  const found: Problem[] = [];
  const known = await validateInstallConfig(named, {
    ...request,
    report: (problem) => void found.push(problem),
  });
  return distinct([...found, ...imageProblems(request.flags, known)]);
}

/** The files, with the state in the form in which it is wrapped: without what ignition-configs adds. */
function withStateToWrap({ files, state }: CheckRequest["directory"]): DiskFiles {
  const file = files.get(STATE_FILE);
  if (file === undefined || state === undefined) return files;
  return new Map(files).set(STATE_FILE, { ...file, data: stateOfManifests(state).bytes });
}

function historyOf(plans: readonly PhasePlan[]): (path: string) => History {
  const statuses = new Map(plans.flatMap(({ paths }) => paths).map(({ path, status }) => [path, status]));
  return (path) => {
    switch (statuses.get(path)) {
      case "untouched":
      case "stale":
        return "untouched";
      case "edited":
      case "conflict":
        return "edited";
      case "removed":
        return "removed";
      case "added":
        return "added";
      default:
        return "unknown";
    }
  };
}
