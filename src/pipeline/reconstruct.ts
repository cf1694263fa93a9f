/**
 * `slipway reconstruct`: the files of a scratch directory from which the ignition phase goes on, ours or that of the
 * release's own installer: state, manifests/ and openshift/, no install-config.yaml, since that would make the
 * installer throw the manifests away (docs/reference/ignition-configs.md §7c; docs/reference/source-designs.md §1.3).
 */
import { diagnostic, isError } from "../core/diagnostics.js";
import { byCodeUnit, type OutputFile } from "../core/files.js";
import { info, type Problem, problem, warning } from "../core/problem.js";
import { INSTALL_CONFIG_KEY, STATE_KEY } from "../crd/openshift-control-plane.js";
import { type DiskFile, INSTALL_CONFIG, type InstallerState, STATE_FILE } from "../directory/index.js";
import { parseState } from "../directory/state.js";
import { parseManifestPath } from "../kubernetes/manifest-secrets.js";
import { checkIdentity } from "../phases/identity.js";
import { SELECTOR_FIELD } from "../reconstruct/control-plane.js";
import { at, placeOf } from "../reconstruct/documents.js";
import type { ReconstructionPlan, WrappedFile } from "../reconstruct/plan.js";
import { shellWord } from "../text/shell.js";
import type { CompileRequest } from "./request.js";

/** A file of the directory, and where it comes from. */
export interface ReconstructedFile extends OutputFile {
  /** `file:line` of the Secret; `compiled` for what was made from an install-config. */
  readonly source: string;
}

export interface Reconstruction {
  readonly files: readonly ReconstructedFile[];
  readonly state: InstallerState;
  /** What the control plane says to bootstrap with, where the state does not. */
  readonly releaseImage: string | undefined;
}

export interface ReconstructRequest {
  readonly plan: ReconstructionPlan;
  /** Lay out install-config.yaml too. */
  readonly installConfig: boolean;
  /** What compiles an install-config that comes without a state; directory and report are put in. */
  compileRequest(directory: CompileRequest["directory"]): Promise<CompileRequest>;
  report(problem: Problem): void;
}

/** Undefined when an error was reported. */
export async function reconstruct(request: ReconstructRequest): Promise<Reconstruction | undefined> {
  const { plan } = request;
  let failed = false;
  const report = (problem: Problem): void => {
    failed ||= isError(diagnostic(problem));
    request.report(problem);
  };
  const base =
    plan.state === undefined
      ? await compiled({ ...request, report }, plan.installConfig ?? new Uint8Array())
      : await wrapped(plan, plan.state, report);
  if (base === undefined) return undefined;
  const { state } = base;
  reportCluster(plan, state, report);
  reportRemoved(plan, base, report);
  const own = new Map(base.files.map((file) => [file.path, file]));
  for (const file of plan.files ?? []) own.set(file.path, outputOf(file));
  refuseShadows(plan, own, report);
  const place = placeOf(plan.installState);
  if (request.installConfig) {
    if (plan.installConfig === undefined)
      report(
        at(
          plan.installState,
          warning("REC006", "Required", "data", `the Secret contains no ${INSTALL_CONFIG_KEY}`),
        ),
      );
    else
      own.set(INSTALL_CONFIG, {
        path: INSTALL_CONFIG,
        data: plan.installConfig,
        secret: true,
        source: place,
      });
  }
  own.set(STATE_FILE, {
    path: STATE_FILE,
    data: state.bytes,
    secret: true,
    source: plan.state === undefined ? "compiled" : place,
  });
  const image = plan.controlPlane.releaseImage;
  const known = state.options?.["release-image"];
  if (image !== undefined && known === undefined)
    report(
      at(
        plan.controlPlane.source,
        info(
          "REC022",
          "Required",
          "metadata.annotations",
          "the control plane specifies a release image that the state does not contain",
          `set it in the next phase: slipway create ignition-configs --release-image ${shellWord(image)}`,
        ),
      ),
    );
  if (image !== undefined && known !== undefined && known !== image)
    report(
      at(
        plan.controlPlane.source,
        warning(
          "REC022",
          "Invalid",
          "metadata.annotations",
          `the annotation and the state specify different release images; using the state's: ${String(known)}`,
          "to use another one, set --release-image in the next phase",
        ),
      ),
    );
  return failed
    ? undefined
    : {
        files: [...own.values()].sort((a, b) => byCodeUnit(a.path, b.path)),
        state,
        releaseImage: known === undefined ? image : undefined,
      };
}

const outputOf = ({ path, data, source }: WrappedFile): ReconstructedFile => ({
  path,
  data,
  secret: true,
  source: placeOf(source),
});

interface Base {
  readonly state: InstallerState;
  /** What is there before the selected files are laid over it. */
  readonly files: readonly ReconstructedFile[];
}

/** What upstream's binary cannot go on without (found by leaving out one after another; SOURCES.md of upstream-4.22). */
const NEEDED: readonly { readonly member: string; readonly without: string; readonly fatal?: true }[] = [
  {
    member: "*installconfig.InstallConfig",
    without: "reconstruction requires it",
    fatal: true,
  },
  {
    member: "*installconfig.ClusterID",
    without: "the cluster would get an identity that differs from its infrastructure",
    fatal: true,
  },
  {
    member: "*openshiftinstall.Config",
    without: "openshift-install would discard openshift/",
  },
  {
    member: "*password.KubeadminPassword",
    without: "openshift-install would discard openshift/ and generate another password",
  },
  {
    member: "*tls.RootCA",
    without: "openshift-install would generate a new root CA, which the manifests do not contain",
  },
  {
    member: "*tls.MCSCertKey",
    without: "openshift-install would generate a new certificate, which the manifests do not contain",
  },
];

/** The state as it was wrapped; with no selector the files that it lists as generated. */
async function wrapped(
  { installState, files }: ReconstructionPlan,
  bytes: Uint8Array,
  report: (problem: Problem) => void,
): Promise<Base | undefined> {
  const parsed = await parseState(bytes);
  const field = `data[${STATE_KEY}]`;
  for (const { code, kind, message } of parsed.problems)
    report(
      at(
        installState,
        problem(
          code,
          kind,
          field,
          message,
          isGzip(bytes)
            ? "decompress the value before you store it in the Secret"
            : "get the Secret from the cluster or the repository again",
        ),
      ),
    );
  const { state } = parsed;
  if (state === undefined) return undefined;
  const missing = NEEDED.filter(({ member }) => !state.members.has(member));
  for (const { member, without, fatal } of missing)
    report(
      at(
        installState,
        problem("REC018", "Required", field, `the state has no ${member}: ${without}`, {
          severity: fatal === true ? "error" : "warning",
          hint: "use the state that create manifests wrote",
        }),
      ),
    );
  if (missing.some(({ fatal }) => fatal)) return undefined;
  const all = files === undefined ? (state.files ?? []) : [];
  const listed = all.filter(({ path }) => parseManifestPath(path) !== undefined);
  const source = placeOf(installState);
  return { state, files: listed.map(({ path, data }) => ({ path, data, secret: true, source })) };
}

const isGzip = ([first, second]: Uint8Array): boolean => first === 0x1f && second === 0x8b;

/** Everything that `create manifests` makes of the install-config, as a new cluster with the control plane's name. */
async function compiled(
  { plan, compileRequest, report }: ReconstructRequest,
  installConfig: Uint8Array,
): Promise<Base | undefined> {
  // Rarely needed, and heavy.
  const { compileManifests, stateOf } = await import("./compile.js");
  const selected = (plan.files ?? []).map(({ path, data }): [string, DiskFile] => [
    path,
    { path, data, mode: 0o600 },
  ]);
  const input: DiskFile = { path: INSTALL_CONFIG, data: installConfig, mode: 0o600 };
  const inside = `${plan.installState.file}#${INSTALL_CONFIG_KEY}`;
  const base = await compileRequest({
    state: undefined,
    record: undefined,
    inputs: new Map([[INSTALL_CONFIG, input]]),
    files: new Map(selected),
  });
  const cluster = plan.controlPlane.cluster ?? "";
  const infraID =
    base.given.infraID ??
    (cluster !== "" && checkIdentity({ infraID: cluster }).length === 0 ? cluster : undefined);
  const flags = { ...base.flags, releaseImage: base.flags.releaseImage ?? plan.controlPlane.releaseImage };
  const result = await compileManifests({
    ...base,
    flags,
    given: { ...base.given, infraID },
    report: (problem) => report(problem.file === INSTALL_CONFIG ? { ...problem, file: inside } : problem),
  });
  if (result === undefined) return undefined;
  const bytes = await stateOf(result, flags, undefined, result.files, "known");
  const { state } = await parseState(bytes);
  if (state === undefined) throw new Error("the generated state cannot be read");
  return { state, files: result.files.map((file) => ({ ...file, secret: true, source: "compiled" })) };
}

function reportCluster(
  { controlPlane, installState }: ReconstructionPlan,
  { clusterID }: InstallerState,
  report: (problem: Problem) => void,
): void {
  const { cluster } = controlPlane;
  if (clusterID === undefined || cluster === undefined || cluster === clusterID.infraID) return;
  report(
    at(
      controlPlane.source,
      warning(
        "REC019",
        "Invalid",
        "metadata.labels",
        `the control plane belongs to the Cluster ${JSON.stringify(cluster)}, but the state (${placeOf(installState)}) belongs to ${JSON.stringify(clusterID.infraID)}`,
        "check that this is the correct Secret; the machines use resources with the name in the state",
      ),
    ),
  );
}

/** Files that were generated and are not wrapped: removed on purpose, or not given with --from. */
function reportRemoved(
  { files, state: wrappedState, controlPlane }: ReconstructionPlan,
  { state }: Base,
  report: (problem: Problem) => void,
): void {
  if (files === undefined || wrappedState === undefined) return;
  const there = new Set(files.map(({ path }) => path));
  const about = (path: string, without: string): void =>
    report(
      at(
        controlPlane.source,
        warning(
          "REC014",
          "NotFound",
          SELECTOR_FIELD,
          `no selected Secret contains ${path}: ${without}`,
          "add the folder that contains the Secret to --from, unless it was removed on purpose",
        ),
      ),
    );
  for (const { path } of state.files ?? [])
    if (!there.has(path) && path !== CLUSTER_CONFIG)
      about(path, "the state lists it as generated, so it is treated as removed");
  if (!there.has(CLUSTER_CONFIG) && files.some(({ path }) => path.startsWith("manifests/")))
    about(CLUSTER_CONFIG, "without it openshift-install ignores manifests/");
}

const CLUSTER_CONFIG = "manifests/cluster-config.yaml";

/** A selected file may hide one that was compiled. */
function refuseShadows(
  { files = [], state }: ReconstructionPlan,
  all: ReadonlyMap<string, OutputFile>,
  report: (problem: Problem) => void,
): void {
  if (state !== undefined) return;
  for (const { path, source, field } of files) {
    const slash = path.indexOf("/");
    const other = `${path.slice(0, slash) === "manifests" ? "openshift" : "manifests"}${path.slice(slash)}`;
    if (all.has(other) && !files.some((each) => each.path === other))
      report(
        at(
          source,
          problem(
            "REC012",
            "Duplicate",
            field,
            `${JSON.stringify(path)} and ${JSON.stringify(other)}, which is generated from the install-config, would be the same file on the bootstrap node`,
            "rename the file",
          ),
        ),
      );
  }
}
