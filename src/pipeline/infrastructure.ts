/** The infrastructure-manifests phase over a compiled manifests phase: with the user's own infrastructure, and compared. */
import type { Problem } from "../core/diagnostics.js";
import { decode, type OutputFile } from "../core/files.js";
import { isObject } from "../core/json.js";
import { INSTALL_CONFIG_KEY } from "../crd/openshift-control-plane.js";
import {
  type AssetDirectory,
  type Compilation,
  INSTALL_CONFIG,
  isClosed,
  type PhasePlan,
  WRAPPED_STATE,
} from "../directory/index.js";
import { secretData } from "../kubernetes/secrets.js";
import type { InfrastructureOptions } from "../phases/assets.js";
import { FIRST_CONFIG } from "../phases/ignition-configs/forms.js";
import { assistedSupplement } from "../phases/infrastructure-manifests/assisted/supplement.js";
import type { CustomInfrastructure } from "../phases/infrastructure-manifests/custom.js";
import { stillNamed } from "../phases/infrastructure-manifests/immutable.js";
import { infrastructureManifests } from "../phases/infrastructure-manifests/index.js";
import { CONTROL_PLANE_FILE, INFRASTRUCTURE_FOLDER } from "../phases/infrastructure-manifests/layout.js";
import { withOwnTemplates } from "../phases/infrastructure-manifests/machine-management.js";
import type { PlatformInput, PlatformModule, Referent } from "../platforms/platform.js";
import type { SupplementItem } from "../platforms/supplement.js";
import { DECRYPT_WHOLE, makePrivateFolder, wordIn } from "../text/shell.js";
import { asCommitted } from "../text/yaml-content.js";
import { readYaml, rootsOf, toJson } from "../text/yaml-read.js";
import { changedTemplateProblems, machineTemplateProblems } from "../validate/machine-template.js";
import { platformInput } from "./compile.js";
import { machineOptions, machineSupplement } from "./machine-management.js";
import type { CompileFlags } from "./options.js";
import { hasPlaceholder } from "./placeholders.js";
import { type Compiled, type CompileRequest, watched } from "./request.js";

interface CompiledInfrastructure {
  readonly files: readonly OutputFile[];
  readonly options: InfrastructureOptions;
}

export interface CreatedInfrastructure extends CompiledInfrastructure {
  readonly plan: PhasePlan;
  /** What a Git repository or a cluster still needs beside the files. */
  readonly supplement: readonly SupplementItem[];
}

/** The phase beside what is on disk. */
interface ComparedInfrastructure {
  readonly infrastructure: CompiledInfrastructure;
  readonly custom: CustomInfrastructure | undefined;
  readonly plan: PhasePlan;
}

/** What is written, with what is wrong with files as they will be reported. Undefined when an error was. */
export async function createInfrastructure(
  compiled: Compiled,
  flags: CompileFlags,
  manifestFiles: readonly OutputFile[],
  state: Uint8Array,
  request: CompileRequest & { readonly directory: AssetDirectory; readonly consume: boolean },
  compare: (compilation: Compilation) => Promise<PhasePlan>,
): Promise<CreatedInfrastructure | undefined> {
  const { report } = request;
  const placeholders: Problem[] = [];
  const compared = await compareInfrastructure(
    withReport(compiled, (problem) => {
      if (problem.code === "CAPI004") placeholders.push(problem);
      else report(problem);
    }),
    flags,
    manifestFiles,
    state,
    request,
    compare,
  );
  if (compared === undefined) return undefined;
  // A placeholder that the user has replaced on disk is none any more.
  const open = new Set(compared.plan.after.filter(hasPlaceholder).map(({ path }) => path));
  for (const problem of placeholders) if (open.has(problem.file ?? "")) report(problem);
  reportMachineTemplate(compared.plan, report);
  managedTwice(compiled.platform, platformInput(compiled), { ...request, flags }, manifestFiles).forEach(
    report,
  );
  const { infrastructure, custom, plan } = compared;
  return { ...infrastructure, plan, supplement: supplementOf(compiled, flags, custom) };
}

/** Manifests by which the new cluster would manage what the objects for the management cluster manage. */
export const managedTwice = (
  { openManifests }: PlatformModule,
  input: PlatformInput,
  { flags, custom }: Pick<CompileRequest, "flags" | "custom">,
  files: readonly Pick<OutputFile, "path" | "data">[],
): readonly Problem[] =>
  assistedVersion(flags) === undefined && custom === undefined ? (openManifests?.(input, files) ?? []) : [];

/**
 * The phase compared with the directory; templates of earlier runs stay in it as long as a file as it will be names
 * them, and kustomizations list nothing that the user removed. Undefined when an error was reported.
 */
export async function compareInfrastructure(
  compiled: Compiled,
  flags: CompileFlags,
  manifestFiles: readonly OutputFile[],
  state: Uint8Array,
  given: Pick<CompileRequest, "custom" | "crds"> & {
    readonly directory: CompileRequest["directory"] & Partial<Pick<AssetDirectory, "problems">>;
    readonly consume?: boolean;
  },
  compare: (compilation: Compilation) => Promise<PhasePlan>,
): Promise<ComparedInfrastructure | undefined> {
  const phase = "infrastructure-manifests";
  const custom = await customOf(compiled, flags, given);
  if (given.custom !== undefined && custom === undefined) return undefined;
  const request = { ...given, custom };
  const notTaken = new Set(
    (given.directory.problems ?? []).flatMap(({ code, file }) => (code === "DIR040" ? [file] : [])),
  );
  const once = withReport(compiled, (problem) => {
    // The directory told that already, where it lies on a disk.
    if (problem.code !== "CAPI002" || !notTaken.has(problem.file)) compiled.context.report(problem);
  });
  const infrastructure = compileInfrastructure(once, flags, manifestFiles, state, request);
  if (infrastructure === undefined) return undefined;
  const plan = await compare({ phase, files: infrastructure.files });
  const disk = [...request.directory.files.values()].map((file) => ({ ...file, secret: false }));
  const kept = stillNamed(plan.after, disk);
  const leftOut = new Set(
    plan.paths.flatMap(({ path, status, action }) =>
      status === "removed" && action === "none" ? [path] : [],
    ),
  );
  if (kept.length === 0 && leftOut.size === 0) return { infrastructure, custom, plan };
  const silent = withReport(compiled, () => undefined);
  const changes = { kept, leftOut };
  const again =
    compileInfrastructure(silent, flags, manifestFiles, state, request, changes) ?? infrastructure;
  return { infrastructure: again, custom, plan: await compare({ phase, files: again.files }) };
}

/** The user's own infrastructure, where it is given. Undefined as well when an error was reported. */
async function customOf(
  compiled: Compiled,
  flags: CompileFlags,
  { custom, crds }: Pick<CompileRequest, "custom" | "crds">,
): Promise<CustomInfrastructure | undefined> {
  if (custom === undefined) return undefined;
  const { customInfrastructure } = await import("./custom-infrastructure.js");
  const { report } = compiled.context;
  // The name of the Cluster, which what belongs to it may name.
  const infraID =
    assistedVersion(flags) === undefined
      ? compiled.identity.infraID
      : compiled.installConfig.config.metadata.name;
  return customInfrastructure(custom, {
    ...namespacesOf(compiled, flags),
    infraID,
    pools: compiled.installConfig.config.compute.map(({ name }) => name),
    definitions: crds,
    report,
  });
}

/** What the objects of infrastructure-manifests are placed by. */
function namespacesOf(
  { identity, platform }: Compiled,
  flags: CompileFlags,
): Pick<InfrastructureOptions, "namespace" | "controllerNamespace" | "contract"> {
  const namespace = flags.namespace ?? identity.infraID;
  return {
    namespace,
    controllerNamespace: flags.controllerNamespace ?? platform.controllerNamespace ?? namespace,
    contract: flags.contract ?? (assistedVersion(flags) === "v1alpha3" ? "v1beta2" : "v1beta1"),
  };
}

function machineItems(
  compiled: Compiled,
  flags: CompileFlags,
  custom: CustomInfrastructure | undefined,
): SupplementItem[] {
  const { identity, platform, installConfig } = compiled;
  const ofPlatform = platform.compute?.({ ...platformInput(compiled), ...namespacesOf(compiled, flags) });
  const own = custom?.poolTemplates ?? new Map<string, Referent>();
  return machineSupplement(
    identity.infraID,
    withOwnTemplates(ofPlatform, own, installConfig.config.compute, identity),
  );
}

/** The phase by itself. Undefined when an error was reported. */
function compileInfrastructure(
  compiled: Compiled,
  flags: CompileFlags,
  manifestFiles: readonly OutputFile[],
  state: Uint8Array,
  {
    directory,
    custom,
    consume = false,
  }: Pick<CompileRequest, "directory"> & {
    readonly custom?: CustomInfrastructure | undefined;
    readonly consume?: boolean;
  },
  { kept = [], leftOut }: Pick<InfrastructureOptions, "kept" | "leftOut"> = {},
): CompiledInfrastructure | undefined {
  const { failed, report } = watched(compiled.context.report);
  const { installConfig, identity, facts, credentials, platform, context } = compiled;
  const options: InfrastructureOptions = {
    ...namespacesOf(compiled, flags),
    controlPlaneApiVersion: assistedVersion(flags),
    secrets: flags.secrets ?? "inline",
    sharedObjects: flags.sharedObjects,
    gitops: flags.gitops === "none" ? undefined : flags.gitops,
    releaseImage: flags.releaseImage,
    mastersSchedulable: context.mastersSchedulable,
    machines: machineOptions(flags, report),
    nameKey: compiled.secrets.pki.rootCA.key,
    kept,
    ...(leftOut === undefined ? {} : { leftOut }),
  };
  const files = infrastructureManifests.run(
    {
      "install-config": installConfig,
      // A file that is deleted at the end of the run is wrapped in the form in which the state keeps it.
      "install-config-file": consume ? undefined : wrappedConfig(directory),
      identity,
      facts,
      credentials,
      platform,
      "manifest-files": manifestFiles,
      "generated-manifests": compiled.files,
      state,
      "infrastructure-options": options,
      "custom-infrastructure": custom,
    },
    { ...context, report },
  );
  return failed() ? undefined : { files, options };
}

/**
 * The install-config as it goes into the install-state Secret: the file. Of one that no available key opens, what was
 * wrapped last, which may have been encrypted for other recipients.
 */
function wrappedConfig({ inputs, files }: CompileRequest["directory"]): Uint8Array | undefined {
  const file = inputs.get(INSTALL_CONFIG);
  if (file === undefined) return undefined;
  if (!isClosed(file)) return asCommitted(file.data);
  const [secret] = [...files.values()].filter(({ path }) => WRAPPED_STATE.test(path));
  if (secret === undefined || isClosed(secret)) return undefined;
  const [root] = rootsOf(readYaml(decode(secret.data) ?? "", secret.path).documents);
  const object = root === undefined ? undefined : toJson(root);
  return isObject(object) ? secretData(object).get(INSTALL_CONFIG_KEY) : undefined;
}

/** The version of OpenshiftAssistedControlPlane, where that is the control plane; else the one that the provider stores. */
const assistedVersion = (flags: CompileFlags): InfrastructureOptions["controlPlaneApiVersion"] =>
  flags.controlPlaneProvider === "openshift-assisted"
    ? flags.controlPlaneApiVersion === "v1alpha2"
      ? "v1alpha2"
      : "v1alpha3"
    : undefined;

function supplementOf(
  compiled: Compiled,
  flags: CompileFlags,
  custom: CustomInfrastructure | undefined,
): readonly SupplementItem[] {
  const { platform } = compiled;
  const input = platformInput(compiled);
  if (assistedVersion(flags) !== undefined) return assistedSupplement(input, platform);
  const isClusterApi = flags.machineManagement === "cluster-api";
  const items = [
    ...platform.supplement(input),
    ...(isClusterApi ? machineItems(compiled, flags, custom) : []),
  ];
  const isHandedOn = flags.secrets === "sops" && JSON.stringify(items).includes(BOOTSTRAP_CONFIG);
  return [...(isHandedOn ? [DECRYPTED_CONFIG] : []), ...items];
}

const BOOTSTRAP_CONFIG = FIRST_CONFIG.machines;
const PLAIN = "plain";
/** Whatever a platform does with the config of the bootstrap machine, it does with what a machine can read. */
const DECRYPTED_CONFIG: SupplementItem = {
  area: "encryption",
  when: "during",
  what: `Decrypt ${BOOTSTRAP_CONFIG}, and use ${PLAIN}/${BOOTSTRAP_CONFIG} instead of ${BOOTSTRAP_CONFIG} in the following steps. Remove the folder when the cluster is running.`,
  why: "The file in the directory is encrypted; machines cannot read it.",
  details: {
    commands: [
      ...makePrivateFolder(PLAIN),
      `${DECRYPT_WHOLE} ${BOOTSTRAP_CONFIG} > ${wordIn(PLAIN, BOOTSTRAP_CONFIG)}`,
    ],
  },
};

/** The same compilation, whose problems go elsewhere. */
const withReport = (compiled: Compiled, report: (problem: Problem) => void): Compiled => ({
  ...compiled,
  context: { ...compiled.context, report },
});

/** Templates that keep their name when they change: that of the control plane, and those of the user's for pools. */
const TEMPLATES_OF_USER =
  /^infrastructure-manifests\/(?:50_machine-template|51_machine-template-[^/]+)\.yaml$/;
const CONTROL_PLANE = `${INFRASTRUCTURE_FOLDER}/${CONTROL_PLANE_FILE}`;

/** Warns where a file that may have been applied gets another machine template, or one of the user's another spec. */
function reportMachineTemplate({ paths }: PhasePlan, report: CompileRequest["report"]): void {
  for (const { path, action, disk, desired } of paths) {
    if (action !== "write" || disk === undefined || desired === undefined) continue;
    if (path === CONTROL_PLANE) machineTemplateProblems(disk, desired).forEach(report);
    if (TEMPLATES_OF_USER.test(path)) changedTemplateProblems(disk, desired).forEach(report);
  }
}
