/**
 * `slipway check`: would a fresh compile change anything? Compiles in memory with the recorded options and compares.
 *
 * In a clone without the state the secrets are not there. The phases are then compiled twice, with different made-up
 * secrets; what comes out different depends on a secret and cannot be verified, everything else can.
 */
import type { Problem, Report } from "../core/diagnostics.js";
import { decode, encode, equalBytes, type OutputFile } from "../core/files.js";
import { isObject } from "../core/json.js";
import { lookup } from "../core/lookup.js";
import {
  type AssetDirectory,
  type CheckResult,
  type Compilation,
  checkPlans,
  type DiskFiles,
  folderOf,
  INSTALL_CONFIG,
  type InstallerState,
  isClosed,
  isConsumed,
  isImage,
  isOutputOf,
  madeElsewhere,
  PHASES,
  type PhaseName,
  type PhasePlan,
  removedSecrets,
  STATE_FILE,
  stateGone,
} from "../directory/index.js";
import { KEY_NAMES } from "../pki/graph.js";
import { readYaml, rootsOf, toJson } from "../text/yaml-read.js";
import { writeYaml } from "../text/yaml-write.js";
import { manifestsCompilation } from "./adopted.js";
import { compileManifests } from "./compile.js";
import { commandOf } from "./ignition-forms.js";
import {
  encryptsSecrets,
  misplacedSecrets,
  openFileProblems,
  openFiles,
  ownProblems,
} from "./in-the-open.js";
import { compareLater, isLater } from "./later-phases.js";
import { manifestFiles } from "./manifest-files.js";
import { isAgentBased, isImageBased, readsManifests } from "./method.js";
import { placeholderKey } from "./placeholder-keys.js";
import type { CompileRequest } from "./request.js";
import { cannotCompile, hasSealedConfig, hasSealedSecrets, withPlaceholderSecrets } from "./sealed-inputs.js";

export interface CheckRequest extends CompileRequest {
  readonly directory: AssetDirectory;
}

/** The comparison of every phase that was run. Undefined when an error was reported. */
export async function compareWithFreshCompile(
  request: CheckRequest,
): Promise<readonly PhasePlan[] | undefined> {
  const { directory } = request;
  const phases = phasesOf(directory);
  if (isConsumed(directory, "manifests"))
    return fromRecordAlone(
      directory,
      phases.filter((phase) => phase !== "manifests"),
    );
  if (cannotCompile(request)) return fromRecordAlone(directory, phases);
  if (directory.state !== undefined && !hasSealedConfig(directory) && !hasSealedSecrets(request)) {
    const compiled = await compileAll(request, phases, (compilation) =>
      directory.compare(withoutAbsentImage(compilation, directory)),
    );
    return compiled?.plans;
  }
  if (!directory.inputs.has(INSTALL_CONFIG) && directory.record !== undefined && !readsManifests(directory))
    return fromRecordAlone(directory, phases);
  const variants = [madeUp(0), madeUp(1)];
  const [first, second] = await Promise.all(
    variants.map((variant, index) =>
      compileAll(
        withSecrets(index === 0 ? request : { ...request, report: () => undefined }, variant),
        phases,
        (compilation) => directory.compare(compilation),
      ),
    ),
  );
  if (first === undefined || second === undefined) return undefined;
  const plans = await Promise.all(
    first.compilations.map(async (compilation, index) => {
      const other = second.compilations[index]?.files ?? [];
      const secret = differing(compilation.files, other);
      const absent = leftOut(directory, compilation.files);
      const unverifiable = [...(compilation.unverifiable ?? []), ...secret, ...absent];
      const plan = await directory.compare({ ...compilation, unverifiable });
      const absentPlain = new Set(absent.filter((path) => !secret.includes(path)));
      return withLostFiles(withRecordedDigests(plan, directory, absentPlain), directory);
    }),
  );
  return plans.filter(
    ({ phase, paths }) => isPresent(directory, phase) || paths.some(({ status }) => status === "stale"),
  );
}

/** An image is never committed, so that a clone where none was made does not miss it. */
const withoutAbsentImage = (
  compilation: Compilation,
  { files, workingCopy }: AssetDirectory,
): Compilation => {
  const absent = compilation.files
    .map(({ path }) => path)
    .filter((path) => isImage(path) && !files.has(path) && workingCopy?.files[path] === undefined);
  return absent.length === 0 ? compilation : { ...compilation, unverifiable: absent };
};

/**
 * A clone leaves out files that hold secrets, or their folders as a whole; what is not there cannot be told from what
 * was deleted.
 */
function leftOut({ files }: AssetDirectory, compiled: readonly OutputFile[]): string[] {
  const there = new Set([...files.keys()].map(folderOf));
  return compiled
    .filter(({ path, secret }) => !there.has(folderOf(path)) || (secret && !files.has(path)))
    .map(({ path }) => path);
}

/**
 * That the state is gone from where it belongs: a repository of encrypted files, or the working copy that made it. A
 * clone of a directory whose secrets are not committed never has it.
 */
export function lostState(directory: AssetDirectory): Problem | undefined {
  const { record, files, workingCopy, path } = directory;
  if (record === undefined || files.has(STATE_FILE)) return undefined;
  const isClone = workingCopy === undefined;
  if (isClone && !encryptsSecrets(directory)) return undefined;
  return { ...stateGone(record, files, isClone, path), severity: "warning" };
}

/** The answer of `slipway check`. A state that is gone is told, and counts as a difference. */
export function answerCheck(
  directory: AssetDirectory,
  plans: readonly PhasePlan[],
  { strict, hasKey, report }: { readonly strict: boolean; readonly hasKey: boolean; readonly report: Report },
): CheckResult {
  const lost = lostState(directory);
  const command = commandOf(plans.at(-1)?.phase ?? "manifests", plans);
  removedSecrets(plans, command).forEach(report);
  madeElsewhere(plans).forEach(report);
  if (lost !== undefined) report(lost);
  const open = encryptsSecrets(directory) ? openFiles(directory) : [];
  ownProblems(directory, plans).forEach(report);
  misplacedSecrets(directory, plans).forEach(report);
  openFileProblems(open, command).forEach(report);
  const closed = hasKey ? directory.closed.filter(({ code }) => code === "SOPS002") : [];
  return checkPlans(plans, {
    strict,
    keyFails: closed.length > 0,
    stateLost: lost !== undefined,
    isClone: directory.record !== undefined && !directory.files.has(STATE_FILE),
    open,
  });
}

/** Files that are encrypted and committed are here in a clone as well: what is not was deleted. */
const withLostFiles = (plan: PhasePlan, directory: AssetDirectory): PhasePlan => {
  if (!encryptsSecrets(directory)) return plan;
  const folders = new Set([...directory.files.keys()].map(folderOf));
  return {
    ...plan,
    paths: plan.paths.map((each) =>
      each.status === "unverifiable" && each.disk === undefined && folders.has(folderOf(each.path))
        ? { ...each, status: "missing" as const }
        : each,
    ),
  };
};

/** The digest of a file that is not here still tells that its input changed. */
function withRecordedDigests(
  plan: PhasePlan,
  directory: AssetDirectory,
  absent: ReadonlySet<string>,
): PhasePlan {
  const digester = directory.digester();
  const recorded = directory.record?.phases[plan.phase]?.files ?? {};
  return {
    ...plan,
    paths: plan.paths.map((each) => {
      const digests = lookup(recorded, each.path)?.digests ?? [];
      const { desired } = each;
      const isStale =
        absent.has(each.path) &&
        each.status === "unverifiable" &&
        desired !== undefined &&
        digests.length > 0 &&
        digests.every((digest) => digester.matches(digest, desired.data) === false);
      return isStale ? { ...each, status: "stale" as const } : each;
    }),
  };
}

/**
 * Without an install-config, without what is encrypted in it, or after the manifests were consumed, nothing can be
 * compiled; record and disk still tell edits from what was generated.
 */
const fromRecordAlone = (
  directory: AssetDirectory,
  phases: readonly PhaseName[],
): Promise<readonly PhasePlan[]> =>
  Promise.all(
    phases
      .filter((phase) => isPresent(directory, phase))
      .map((phase) => {
        const unverifiable = Object.keys(directory.record?.phases[phase]?.files ?? {});
        return directory.compare({ phase, files: [], unverifiable });
      }),
  );

/** The phases that the record names; without a record those whose folders are there. */
function phasesOf(directory: AssetDirectory): readonly PhaseName[] {
  const { record } = directory;
  const run = (phase: PhaseName): boolean =>
    record === undefined ? isPresent(directory, phase) : record.phases[phase] !== undefined;
  if (isAgentBased(directory))
    return PHASES.filter(
      (phase) =>
        (phase === "agent-manifests" && !readsManifests(directory)) ||
        (phase === "agent-config-image" && run(phase)),
    );
  if (isImageBased(directory)) return ["image-based-config-image"];
  return PHASES.filter((phase) => phase === "manifests" || (isLater(phase) && run(phase)));
}

/** A clone may leave out folders that hold secrets. */
const isPresent = ({ files }: AssetDirectory, phase: PhaseName): boolean =>
  [...files.keys()].some((path) => isOutputOf(phase, path));

/**
 * The request as far as the inputs go: in a clone without the state the pull secret may be elsewhere, so that its
 * absence is not a fault.
 */
export const withAbsentSecrets = (request: CheckRequest): CompileRequest =>
  request.directory.state === undefined && request.directory.record !== undefined
    ? withSecrets(request, madeUp(0))
    : request;

interface CompiledAll {
  readonly compilations: readonly Compilation[];
  readonly plans: readonly PhasePlan[];
}

async function compileAll(
  request: CompileRequest,
  phases: readonly PhaseName[],
  compare: (compilation: Compilation) => Promise<PhasePlan>,
): Promise<CompiledAll | undefined> {
  if (isAgentBased(request.directory)) return compileAgentAlone(request, phases, compare);
  if (isImageBased(request.directory)) return compileImageAlone(request, compare);
  const compiled = await compileManifests(request);
  if (compiled === undefined) return undefined;
  const manifests = await manifestsCompilation(request, compiled);
  const compilations = [manifests];
  const plans = [await compare(manifests)];
  const closed = closedManifests(request.directory.files);
  for (const phase of phases) {
    if (!isLater(phase)) continue;
    const compared = await compareLater(phase, compiled, plans[0], request, compare);
    if (compared === undefined) return undefined;
    const { compilation } = compared;
    if (closed.size === 0) {
      compilations.push(compilation);
      plans.push(compared.plan);
      continue;
    }
    const silent = { ...compiled, context: { ...compiled.context, report: () => undefined } };
    const other = withOtherContent(plans[0], closed);
    const varied = await compareLater(phase, silent, other, request, compare);
    const unverifiable = differing(compilation.files, varied?.compilation.files ?? []);
    compilations.push({ ...compilation, unverifiable });
    plans.push(await compare({ ...compilation, unverifiable }));
  }
  return { compilations, plans };
}

/** Manifests that are encrypted and stay closed. */
const closedManifests = (files: DiskFiles): ReadonlySet<string> =>
  new Set(manifestFiles(files).flatMap((file) => (isClosed(file) ? [file.path] : [])));

/** The manifests with closed ones changed, so that what differs afterwards follows from what nobody can read. */
const withOtherContent = (plan: PhasePlan | undefined, closed: ReadonlySet<string>): PhasePlan | undefined =>
  plan === undefined
    ? undefined
    : {
        ...plan,
        after: plan.after.map((file) =>
          closed.has(file.path) ? { ...file, data: withAnnotation(file) } : file,
        ),
      };

/** The object of a file with an annotation that it does not have. */
function withAnnotation({ path, data }: OutputFile): Uint8Array {
  const [root] = rootsOf(readYaml(decode(data) ?? "", path).documents);
  const object = root === undefined ? {} : toJson(root);
  if (!isObject(object)) return data;
  const { metadata } = object;
  const annotations = { "slipway.dev/unknown-content": "" };
  return encode(writeYaml({ ...object, metadata: { ...(isObject(metadata) ? metadata : {}), annotations } }));
}

async function compileImageAlone(
  request: CompileRequest,
  compare: (compilation: Compilation) => Promise<PhasePlan>,
): Promise<CompiledAll | undefined> {
  const { compileImageBased } = await import("./image-based.js");
  const compiled = await compileImageBased(request);
  if (compiled === undefined) return undefined;
  const image: Compilation = { phase: "image-based-config-image", files: compiled.files };
  return { compilations: [image], plans: [await compare(image)] };
}

async function compileAgentAlone(
  request: CompileRequest,
  phases: readonly PhaseName[],
  compare: (compilation: Compilation) => Promise<PhasePlan>,
): Promise<CompiledAll | undefined> {
  if (readsManifests(request.directory)) {
    const { compileManifestInput } = await import("./agent-input.js");
    const made = await compileManifestInput(request, "compared");
    if (made === undefined) return undefined;
    const image: Compilation = { phase: "agent-config-image", files: made.files };
    return { compilations: [image], plans: [await compare(image)] };
  }
  const { compileAgentManifests } = await import("./agent.js");
  const compiled = await compileAgentManifests(request);
  if (compiled === undefined) return undefined;
  const compilations: Compilation[] = [{ phase: "agent-manifests", files: compiled.files }];
  const plans = await Promise.all(compilations.map(compare));
  if (!phases.includes("agent-config-image")) return { compilations, plans };
  const [{ agentAccess }, { compileAgentImage }] = await Promise.all([
    import("./agent-access.js"),
    import("./agent-image.js"),
  ]);
  const access = await agentAccess(compiled, request.directory.state);
  if (access === undefined) return undefined;
  const { agent, secrets, context } = compiled;
  const after = plans.flatMap((plan) => plan.after);
  const made = await compileAgentImage({
    request,
    agent,
    access,
    kubeadmin: secrets.kubeadmin,
    // What is wrong with the inputs was reported above.
    context: { ...context, report: () => undefined },
    after,
    purpose: "compared",
  });
  const image: Compilation = { phase: "agent-config-image", files: made?.files ?? [] };
  return { compilations: [...compilations, image], plans: [...plans, await compare(image)] };
}

const differing = (a: readonly OutputFile[], b: readonly OutputFile[]): string[] => {
  const other = new Map(b.map(({ path, data }) => [path, data]));
  return a
    .filter(({ path, data }) => {
      const same = other.get(path);
      return same === undefined || !equalBytes(same, data);
    })
    .map(({ path }) => path);
};

interface MadeUp {
  readonly word: string;
  readonly state: InstallerState;
  readonly pullSecret: string;
  readonly key: string;
}

/** Secrets of no cluster; `variant` tells two sets apart. */
function madeUp(variant: number): MadeUp {
  const key = placeholderKey();
  const auth = Buffer.from(`made-up:${variant}`).toString("base64");
  return {
    word: `made-up-${variant}`,
    key,
    pullSecret: JSON.stringify({ auths: { "registry.invalid": { auth } } }),
    state: {
      members: new Map(),
      bytes: new Uint8Array(),
      kubeadmin: { password: `made-up-${variant}`, hash: `made-up-${variant}` },
      keys: new Map(KEY_NAMES.map((name) => [name, key])),
    },
  };
}

/** The request with made-up secrets in the place of those that are not there; identity comes from the record. */
function withSecrets(request: CheckRequest, { word, state, pullSecret, key }: MadeUp): CompileRequest {
  const { state: kept, record, inputs, files, rootNames } = request.directory;
  const custom = request.custom === undefined ? undefined : withPlaceholderSecrets(request.custom, word);
  if (kept !== undefined) return { ...request, custom, sealedWord: word };
  const identity =
    record === undefined
      ? {}
      : { clusterID: { infraID: record.cluster.infraID, uuid: record.cluster.clusterID } };
  return {
    ...request,
    custom,
    sealedWord: word,
    ...(record?.options["credentials"] === undefined ? {} : { placeholder: word }),
    // The pipeline takes from the state's config what the install-config leaves out.
    directory: {
      state: {
        ...state,
        ...identity,
        ...(inputs.has(INSTALL_CONFIG) ? { installConfig: { config: { pullSecret }, text: "" } } : {}),
      },
      record,
      inputs,
      files,
      rootNames,
    },
    inputs: { ...request.inputs, keys: { generate: async () => key } },
  };
}
