/** `slipway create`: compile up to a target, compare with the directory, commit everything at once. */
import type { Problem, Report } from "../core/diagnostics.js";
import { equalBytes, type OutputFile } from "../core/files.js";
import { problem, warning } from "../core/problem.js";
import {
  AGENT_CONFIG,
  type AssetDirectory,
  type Attempt,
  type CommitRequest,
  type Committed,
  conflictProblems,
  type Decisions,
  INSTALL_CONFIG,
  isConsumed,
  isManifestName,
  type NetworkKeyfiles,
  PHASES,
  type PhaseName,
  type PhasePlan,
  RECORD_FILE,
  type Sealing,
  STATE_FILE,
  unreadConflicts,
} from "../directory/index.js";
import { releaseImageProblem } from "../kubernetes/images.js";
import { FIRST_CONFIG, type Form } from "../phases/ignition-configs/forms.js";
import type { Certification, Expiry } from "../pki/cluster.js";
import { committable, type SupplementItem } from "../platforms/supplement.js";
import { asCommitted } from "../text/yaml-content.js";
import { clusterApiCompilation, listedFiles, manifestsCompilation } from "./adopted.js";
import { compileManifests, stateOf, stateToWrap } from "./compile.js";
import { expiryProblems, RENEWAL } from "./expiry.js";
import type { CompiledIgnition } from "./ignition.js";
import { recordedForms } from "./ignition-forms.js";
import type { CreatedInfrastructure } from "./infrastructure.js";
import { type Behind, leftBehind, otherPhases } from "./later-phases.js";
import { keepingMachines, keptMachines, machinesElsewhere } from "./machine-management.js";
import { manifestsAfter } from "./manifest-files.js";
import { isOfAgent, type Method, methodOf, readsManifests } from "./method.js";
import { type NamedInputs, ownOptions, recordedOptions } from "./options.js";
import { type Compiled, type CompileRequest, watched } from "./request.js";
import { workloadProblems } from "./workloads.js";

export const TARGETS = [
  "manifests",
  "infrastructure-manifests",
  "ignition-configs",
  "single-node-ignition-config",
  "agent-manifests",
  "agent-config-image",
  "image-based-config-image",
] as const;
export type Target = (typeof TARGETS)[number];

/** The way of installing that a target writes configs for; others write none. */
const FORMS: { readonly [T in Target]?: Form } = {
  "ignition-configs": "machines",
  "single-node-ignition-config": "in place",
};

/** The phases beside the manifests that a target writes. */
export const phasesOf = (target: Target): readonly PhaseName[] =>
  target === "manifests" ? ["cluster-api"] : [phaseOf(target)];

/** The phase that a target is about: both kinds of Ignition configs are one phase. */
export const phaseOf = (target: Target): PhaseName =>
  target === "single-node-ignition-config" ? "ignition-configs" : target;

export const TEMPLATE_FOLDERS: Readonly<Record<Target, readonly string[]>> = {
  manifests: ["manifests", "openshift", "cluster-api"],
  "infrastructure-manifests": ["manifests", "openshift", "cluster-api", "infrastructure-manifests"],
  "ignition-configs": ["manifests", "openshift"],
  "single-node-ignition-config": ["manifests", "openshift"],
  "agent-manifests": ["agent-manifests"],
  "agent-config-image": ["agent-manifests"],
  "image-based-config-image": [],
};

export interface CreateRequest extends CompileRequest {
  readonly directory: AssetDirectory;
  readonly target: Target;
  readonly decisions: Decisions | undefined;
  /** Input files by flag, relative to the directory, to be remembered; with their bytes for the digest. */
  readonly named: NamedInputs;
  readonly consume: boolean;
  /** Secret files are encrypted on disk. */
  readonly sealing?: Sealing | undefined;
  /** ignition-configs: sign again what ends soon. */
  readonly renew: boolean;
  /** ignition-configs: milliseconds that every certificate has to last. */
  readonly minValidity: number;
}

/** What a run would do or did. */
export interface Prepared {
  /** Undefined where manifests are the input. */
  readonly compiled: Compiled | undefined;
  readonly infrastructure: CreatedInfrastructure | undefined;
  /** When each certificate ends, the soonest first; undefined where no target needs them. */
  readonly expiries: readonly Expiry[] | undefined;
  /** Certificates that were known and are signed again in this run. */
  readonly renewed: readonly string[];
  readonly plans: readonly PhasePlan[];
  readonly commit: CommitRequest;
  readonly supplement: readonly SupplementItem[];
  /** What the run leaves as earlier runs made it, and would be otherwise now. */
  readonly behind: readonly Behind[];
  /** Files of infrastructure-manifests as they will be. */
  readonly after: readonly OutputFile[];
}

/** Everything but writing. Undefined when an error was reported. */
export async function prepare(request: CreateRequest): Promise<Prepared | undefined> {
  const { directory, target, flags } = request;
  const method = methodOf(target);
  const otherMethod = methodProblem(directory, method);
  if (otherMethod !== undefined) return void request.report(otherMethod);
  if (method === "agent") return prepareAgent(request);
  if (method === "image-based") return prepareImageBased(request);
  if (target !== "manifests" && isConsumed(directory, "manifests"))
    return void request.report(consumedProblem(directory));
  if (FORMS[target] !== undefined && flags.controlPlaneProvider === "openshift-assisted") {
    request.report(CONFIGS_OF_ASSISTED);
    return undefined;
  }
  const others = otherPhases(directory, phasesOf(target));
  const { report, divert } = divertible(request.report);
  const compiled = await compileManifests({
    ...request,
    renewBefore: renewBeforeOf(request),
    templateFolders: foldersFor(target, others),
    report,
  });
  if (compiled === undefined) return undefined;
  const { decisions } = request;
  const options = {
    rootKey: compiled.secrets.pki.rootCA.key,
    decisions: machinesElsewhere(flags) ? keepingMachines(decisions) : decisions,
  };
  if (target === "manifests" && reportReleaseImage(request)) return undefined;
  const plans = [await directory.compare(await manifestsCompilation(request, compiled), options)];
  const listed = listedFiles(compiled, plans[0], directory.state?.files);
  workloadProblems(compiled, manifestsAfter(plans[0])).forEach(request.report);
  if (machinesElsewhere(flags)) keptMachines(manifestsAfter(plans[0])).forEach(request.report);
  const made = target === "manifests" ? await clusterApiCompilation(request, compiled) : undefined;
  const clusterApiPlan = made === undefined ? undefined : await directory.compare(made, options);
  if (clusterApiPlan !== undefined) plans.push(clusterApiPlan);
  let infrastructure: CreatedInfrastructure | undefined;
  let certification: Certification | undefined;
  if (target === "infrastructure-manifests") {
    const files = manifestsAfter(plans[0]);
    await warnOfManifests(files, plans, compiled.files, request);
    const { createInfrastructure } = await import("./infrastructure.js");
    infrastructure = await createInfrastructure(
      compiled,
      flags,
      files,
      await stateToWrap(compiled, flags, directory.state, listed),
      request,
      (compilation) => directory.compare(compilation, options),
    );
    if (infrastructure === undefined) return undefined;
    plans.push(infrastructure.plan);
  }
  const form = FORMS[target];
  if (form !== undefined) {
    const files = manifestsAfter(plans[0]);
    await warnOfManifests(files, plans, compiled.files, request);
    const ignition = await certifiedIgnition(request, compiled, files, form);
    if (ignition === undefined) return undefined;
    certification = ignition.certification;
    plans.push(await directory.compare({ phase: phaseOf(target), files: ignition.files }, options));
  }
  reportDecisions(request, plans);
  const keys = target === "manifests" ? "known" : "all";
  const state = await stateOf(compiled, flags, directory.state, listed, keys, {
    pki: certification?.pki,
    clusterApi:
      made === undefined ? undefined : listedFiles(made, clusterApiPlan, directory.state?.clusterApi),
  });
  return {
    behind: plans.some(({ conflicts }) => conflicts.length > 0)
      ? []
      : await leftBehind(others, {
          request,
          compiled,
          manifests: plans[0],
          consumes: request.consume && consumedBy(target).length > 0,
          // What is to be said of other phases is said when they run.
          reported: divert(),
        }),
    compiled,
    infrastructure,
    expiries: certification?.expiries,
    renewed: certification?.renewed ?? [],
    plans,
    commit: commitRequest(request, named(compiled), plans, state),
    supplement: committable(infrastructure?.supplement ?? []),
    after: plans.at(-1)?.after ?? [],
  };
}

/** The phases of an agent-based installation, which need no other. */
async function prepareAgent(request: CreateRequest): Promise<Prepared | undefined> {
  const { directory, flags, decisions, target } = request;
  if (target === "agent-config-image" && readsManifests(directory)) return prepareManifestImage(request);
  const { compileAgentManifests } = await import("./agent.js");
  const compiled = await compileAgentManifests(request);
  if (compiled === undefined) return undefined;
  const options = { rootKey: compiled.secrets.pki.rootCA.key, decisions };
  const plans = [await directory.compare({ phase: "agent-manifests", files: compiled.files }, options)];
  if (!(await judgeEdits(plans, request))) return undefined;
  const [{ agentAccess }, { compileAgentImage, staleImage }] = await Promise.all([
    import("./agent-access.js"),
    import("./agent-image.js"),
  ]);
  const access = await agentAccess(compiled, directory.state);
  if (access === undefined) return undefined;
  const { agent, secrets, context } = compiled;
  const after = plans.flatMap((plan) => plan.after);
  const image = { request, agent, access, kubeadmin: secrets.kubeadmin, context, after };
  let keyfiles: NetworkKeyfiles | undefined;
  let behind: readonly Behind[] = [];
  if (target === "agent-config-image") {
    const made = await compileAgentImage({ ...image, purpose: "written" });
    if (made === undefined) return undefined;
    keyfiles = made.keyfiles;
    plans.push(await directory.compare({ phase: "agent-config-image", files: made.files }, options));
  } else if (plans.every(({ conflicts }) => conflicts.length === 0))
    behind = await staleImage(image, (compilation) => directory.compare(compilation, options));
  reportDecisions(request, plans);
  const state = await stateOf(compiled, flags, directory.state, undefined, "known", {
    agent: { access, asset: agent, keyfiles },
  });
  return {
    compiled,
    infrastructure: undefined,
    expiries: undefined,
    renewed: [],
    plans,
    commit: commitRequest(request, named(compiled), plans, state),
    supplement: [],
    behind,
    after: plans.at(-1)?.after ?? [],
  };
}

/** Manifests with edits are judged as those that are the input. False when there is an error. */
async function judgeEdits(plans: readonly PhasePlan[], request: CreateRequest): Promise<boolean> {
  const isEdited = plans.some(({ paths }) => paths.some(({ status }) => status === "edited"));
  if (!isEdited || plans.some(({ conflicts }) => conflicts.length > 0)) return true;
  const { failed, report } = watched(request.report);
  const { judgeAgentManifests } = await import("../phases/agent/manifests.js");
  judgeAgentManifests(
    plans.flatMap(({ after }) => after),
    { release: request.release, releaseImage: request.flags.releaseImage, report },
  );
  return !failed();
}

/** The image from manifests that are the input, which stay as they are. */
async function prepareManifestImage(request: CreateRequest): Promise<Prepared | undefined> {
  const { directory, decisions } = request;
  const { compileManifestInput, stateOfManifestInput } = await import("./agent-input.js");
  const made = await compileManifestInput(request, "written");
  if (made === undefined) return undefined;
  const plan = await directory.compare(
    { phase: "agent-config-image", files: made.files },
    { rootKey: made.secrets.pki.rootCA.key, decisions },
  );
  reportDecisions(request, [plan]);
  const { secrets, identity, clusterName } = made;
  const state = await stateOfManifestInput(made, request);
  return {
    compiled: undefined,
    infrastructure: undefined,
    expiries: undefined,
    renewed: [],
    plans: [plan],
    commit: commitRequest(request, { secrets, identity, name: clusterName }, [plan], state),
    supplement: [],
    behind: [],
    after: plan.after,
  };
}

/** The image of an image-based installation, which needs no other phase. */
async function prepareImageBased(request: CreateRequest): Promise<Prepared | undefined> {
  const { directory, flags, decisions, target } = request;
  const { compileImageBased } = await import("./image-based.js");
  const compiled = await compileImageBased(request);
  if (compiled === undefined) return undefined;
  const plan = await directory.compare(
    { phase: phaseOf(target), files: compiled.files },
    { rootKey: compiled.secrets.pki.rootCA.key, decisions },
  );
  reportDecisions(request, [plan]);
  const state = await stateOf(compiled, flags, directory.state, undefined, "known", {
    imageBased: compiled.access,
  });
  return {
    compiled,
    infrastructure: undefined,
    expiries: undefined,
    renewed: [],
    plans: [plan],
    commit: commitRequest(request, named(compiled), [plan], state),
    supplement: [],
    behind: [],
    after: plan.after,
  };
}

/** What is said of a directory that another way of installing was begun in. */
const BEGUN: Readonly<Record<Exclude<Method, "bootstrap">, string>> = {
  agent:
    "create agent-manifests was run in this directory, so the cluster is installed by the agent-based installer",
  "image-based":
    "create image-based-config-image was run in this directory, so the cluster is installed by the image-based installer",
};

/**
 * A directory serves one way of installing: what the manifests phase writes to openshift/ would be applied by the
 * agent-based installer as the user's own manifests.
 */
function methodProblem({ record }: AssetDirectory, method: Method): Problem | undefined {
  // cluster-api comes with the manifests.
  const other = PHASES.find(
    (phase) => phase !== "cluster-api" && record?.phases[phase] !== undefined && methodOf(phase) !== method,
  );
  if (other === undefined) return undefined;
  const begun = methodOf(other);
  return problem(
    "AGT021",
    "Forbidden",
    "",
    begun !== "bootstrap"
      ? BEGUN[begun]
      : method === "agent"
        ? `create ${other} was run in this directory, and the agent-based installer would apply its files in openshift/ as extra manifests`
        : `create ${other} was run in this directory, so the cluster is installed with a bootstrap machine`,
    { file: RECORD_FILE, hint: "copy the inputs to another directory, and run the command there" },
  );
}

/** manifests/ and openshift/ stay until ignition-configs, which takes them in as well. */
const consumedBy = (target: Target): readonly PhaseName[] =>
  FORMS[target] === undefined ? [] : ["manifests"];

/** The templates of a target, and of the other phases that are compared after it. */
const foldersFor = (target: Target, others: readonly PhaseName[]): readonly string[] => {
  const folders =
    TEMPLATE_FOLDERS[others.includes("infrastructure-manifests") ? "infrastructure-manifests" : target];
  return others.includes("cluster-api") && !folders.includes("cluster-api")
    ? [...folders, "cluster-api"]
    : folders;
};

/** A reporter whose problems go elsewhere once it was diverted. */
function divertible(report: Report): { readonly report: Report; divert(): readonly Problem[] } {
  const diverted: Problem[] = [];
  let to = report;
  return {
    report: (problem) => to(problem),
    divert: () => {
      to = (problem) => diverted.push(problem);
      return diverted;
    },
  };
}

const NO_BYTES = new Uint8Array();

/**
 * What the bootstrap would lose or the cluster would refuse is not a fault of this phase, which takes the files along as they are. Folders in which
 * nobody changed anything hold nothing of the kind, and are not read again.
 */
async function warnOfManifests(
  files: readonly OutputFile[],
  plans: readonly PhasePlan[],
  generated: readonly OutputFile[],
  { release, report }: Pick<CreateRequest, "release" | "report">,
): Promise<void> {
  const own = new Map(generated.map(({ path, data }) => [path, data]));
  const isOwn = ({ path, data }: OutputFile): boolean => equalBytes(own.get(path) ?? NO_BYTES, data);
  if (files.length === own.size && files.every(isOwn)) return;
  const [{ manifestProblems }, { bootManifestProblems }] = await Promise.all([
    import("../validate/manifests/index.js"),
    import("../validate/boot/manifests.js"),
  ]);
  const unread = unreadConflicts(conflictProblems(plans));
  const taken = files.filter(({ path }) => isManifestName(path) && !unread.has(path));
  for (const problem of [...bootManifestProblems(taken), ...(await manifestProblems(taken, { release }))])
    if (problem.severity !== "info") report({ ...problem, severity: "warning" });
}

/** True when the image that this phase only keeps is none; the later phases look at it themselves. */
function reportReleaseImage({ flags, report }: CreateRequest): boolean {
  const problem = flags.releaseImage === undefined ? undefined : releaseImageProblem(flags.releaseImage);
  if (problem !== undefined) report({ ...problem, file: "--release-image" });
  return problem !== undefined;
}

const renewBeforeOf = ({ target, renew, inputs }: CreateRequest): Date | undefined =>
  renew && FORMS[target] !== undefined ? new Date(inputs.clock.now().getTime() + RENEWAL) : undefined;

/** The phase with its certificates; those that do not last long enough are reported. */
async function certifiedIgnition(
  { directory, flags, inputs, minValidity, report }: CreateRequest,
  compiled: Compiled,
  manifestFiles: readonly OutputFile[],
  asked: Form,
): Promise<CompiledIgnition | undefined> {
  const { compileIgnition } = await import("./ignition.js");
  const now = inputs.clock.now();
  const known = recordedForms(directory).filter((form) => directory.files.has(FIRST_CONFIG[form]));
  const ignition = await compileIgnition(compiled, { flags, manifestFiles, asked, known });
  if (ignition !== undefined)
    expiryProblems(ignition.certification.expiries, now, minValidity, STATE_FILE, [asked]).forEach(report);
  return ignition;
}

/** Writes what was prepared. */
export async function commit(
  { directory, report }: CreateRequest,
  prepared: Prepared,
): Promise<Attempt<Committed>> {
  const written = await directory.commit(prepared.commit);
  if (written.ok) directory.tellExposure(report);
  return written;
}

const CONFIGS_OF_ASSISTED: Problem = problem(
  "CAPI047",
  "Forbidden",
  "--control-plane-provider",
  "assisted-service generates the Ignition configs of this cluster, with its own keys",
  "run create infrastructure-manifests for its input, or use --control-plane-provider openshift for Ignition configs from slipway",
);

/** Compiling again would give the manifests without what the user did to them. */
const consumedProblem = ({ path }: AssetDirectory): Problem =>
  problem(
    "DIR016",
    "NotFound",
    "",
    "manifests/ and openshift/ were consumed by an earlier run, together with all user edits",
    {
      file: path,
      hint: "restore the folders from version control, or create them again without the edits: slipway create manifests",
    },
  );

function reportDecisions({ decisions, report }: CreateRequest, plans: readonly PhasePlan[]): void {
  decisions?.problems().forEach(report);
  for (const { path, status } of plans.flatMap((plan) => plan.paths)) {
    const decision = status === "added" ? decisions?.decide(path) : undefined;
    if (decision?.side === "theirs" && decision.exact)
      report(
        warning(
          "DIR034",
          "NotFound",
          "",
          "--theirs has no effect on this file: slipway does not generate it, so your file is kept",
          { file: path, hint: "delete the file if you do not want it" },
        ),
      );
  }
}

const named = (compiled: Compiled): Compiled & { readonly name: string } => ({
  ...compiled,
  name: compiled.installConfig.config.metadata.name,
});

function commitRequest(
  request: CreateRequest,
  { secrets, identity, name }: Pick<Compiled, "secrets" | "identity"> & { readonly name: string },
  plans: readonly PhasePlan[],
  state: Uint8Array,
): CommitRequest {
  const { directory, flags, named, tool, consume, target } = request;
  const digester = directory.digester(secrets.pki.rootCA.key);
  const facts = { tool };
  const shared = [
    ...[...directory.inputs].map(([path, { data }]) => [path, data] as const),
    ...Object.entries(named).flatMap(([name, file]) =>
      typeof file === "object" && file.isShared ? [[name, file.data] as const] : [],
    ),
  ];
  const inputs = shared.flatMap(([name, data]): [string, string][] => {
    const digest = digester.of(asCommitted(data), true);
    return digest === undefined ? [] : [[name, digest]];
  });
  return {
    plans,
    state,
    sealing: request.sealing,
    gitLayout: flags.secrets ?? "inline",
    cluster: {
      name,
      infraID: identity.infraID,
      clusterID: identity.clusterID,
    },
    options: recordedOptions(flags, named),
    ownOptions: ownOptions(named, directory.workingCopy?.options),
    inputs: Object.fromEntries(inputs),
    facts: Object.fromEntries(plans.map(({ phase }) => [phase, facts])),
    ...(consume
      ? {
          consume: {
            inputs: isOfAgent(target) ? [INSTALL_CONFIG, AGENT_CONFIG] : [INSTALL_CONFIG],
            phases: consumedBy(target),
          },
        }
      : {}),
  };
}
