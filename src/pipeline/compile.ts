/**
 * The pipeline: from an install-config, what is known of its cluster and a few files to everything that the phases
 * generate. It asks the outside for time, randomness and keys only, through its request, and writes nothing.
 */
import type { EffectiveVersionFlags } from "../compatibility/installer.js";
import type { Problem } from "../core/diagnostics.js";
import type { OutputFile } from "../core/files.js";
import { isJson, isObject, type JsonObject } from "../core/json.js";
import {
  backFromSecret,
  type InstallerState,
  type NetworkKeyfiles,
  type StateChanges,
  type StateFile,
  type StateView,
  stateOfManifests,
  writeState,
} from "../directory/index.js";
import type { CloudFacts } from "../generated/types/cloud-facts.js";
import { keptAgentConfig, keptHost } from "../phases/agent/kept.js";
import type { AgentAccess, AgentAsset, ImageBasedAccess } from "../phases/assets.js";
import { clusterApi } from "../phases/cluster-api/index.js";
import { normalValue } from "../phases/install-config/index.js";
import { wantsInternalReleaseImage } from "../phases/internal-release-image.js";
import { manifests } from "../phases/manifests/phase.js";
import type { ClusterPki } from "../pki/cluster.js";
import { PKI } from "../pki/graph.js";
import { isRsaKey } from "../pki/public-key.js";
import { clusterDomain } from "../platforms/config.js";
import type { PlatformInput } from "../platforms/platform.js";
import { PLATFORMS } from "../platforms/registry.js";
import { inForce } from "../platforms/release-changes.js";
import { createRenderer, platformFolders } from "../text/render.js";
import { compileConfig } from "./config.js";
import { machinesElsewhere, mastersSchedulable } from "./machine-management.js";
import type { CompileFlags } from "./options.js";
import { type Compiled, type CompiledConfig, type CompileRequest, watched } from "./request.js";
import { gatherSecrets } from "./secrets.js";

/** Compiles up to the manifests phase. Undefined when an error was reported. */
export async function compileManifests(request: CompileRequest): Promise<Compiled | undefined> {
  const { failed, report } = watched(request.report);
  const known = await compileConfig({ ...request, report });
  const prepared = known === undefined ? undefined : await withSecrets(request, known, report);
  if (prepared === undefined) return undefined;
  const { installConfig, identity, platform, facts, credentials, secrets, context } = prepared;
  const { pki, kubeadmin } = secrets;
  const generated = manifests.run(
    { "install-config": installConfig, identity, pki, kubeadmin, facts, credentials, platform },
    context,
  );
  return failed() ? undefined : { ...prepared, files: generated };
}

/** What is known with the secrets of the cluster and what phases run with. Undefined when an error was reported. */
export async function withSecrets(
  request: CompileRequest,
  known: CompiledConfig,
  report: (problem: Problem) => void,
): Promise<Omit<Compiled, "files"> | undefined> {
  const { release, tool, algorithm, renewBefore } = request;
  const { installConfig, identity, platform, facts, credentials, inputs } = known;
  const { config } = installConfig;
  const names = {
    domain: clusterDomain(config),
    apiVips: platform.manifests.apiVips?.({ config, identity, facts, credentials, release }) ?? [],
    serviceNetwork: config.networking.serviceNetwork[0] ?? "",
  };
  const { state, inputs: files, files: onDisk, path } = request.directory;
  const internalReleaseImage = wantsInternalReleaseImage(config, release, [...onDisk.values()]);
  const [secrets, render] = await Promise.all([
    gatherSecrets({
      state,
      back: path === undefined ? "" : backFromSecret(onDisk, path),
      files,
      names,
      keyForm: inForce(release, "keysInPkcs8") ? "pkcs8" : "traditional",
      inputs,
      algorithm,
      renewBefore,
      internalReleaseImage,
      mediaServer: PLATFORMS[platform.name].traits.mediaServer,
      report,
    }),
    createRenderer(platformFolders(request.templateFolders, platform.name), report, request.overrides),
  ]);
  if (secrets === undefined) return undefined;
  const effectiveVersions = await effectiveVersionsOf(request, report);
  const context = {
    release,
    render,
    tool,
    effectiveVersions,
    machinesElsewhere: machinesElsewhere(request.flags),
    mastersSchedulable: mastersSchedulable(request.flags),
    report,
  };
  return { ...known, secrets, context };
}

/** cluster-api/, for which the renderer of the compilation needs that folder of templates. */
export const compileClusterApi = ({
  installConfig,
  identity,
  facts,
  credentials,
  platform,
  context,
}: Compiled): readonly OutputFile[] =>
  clusterApi.run({ "install-config": installConfig, identity, facts, credentials, platform }, context);

/** The word that takes a recorded version flag back. */
const NO_VERSION = "none";

/** The version flags of the control plane, validated; the tables behind them load only where a flag is given. */
async function effectiveVersionsOf(
  { flags, release }: CompileRequest,
  report: (problem: Problem) => void,
): Promise<EffectiveVersionFlags | undefined> {
  const value = (text: string | undefined): string | undefined => (text === NO_VERSION ? undefined : text);
  const given = {
    emulated: value(flags.emulatedVersion),
    minCompatibility: value(flags.minCompatibilityVersion),
  };
  if (given.emulated === undefined && given.minCompatibility === undefined) return undefined;
  const { effectiveVersionFlags } = await import("../compatibility/installer.js");
  return effectiveVersionFlags(given, release, report);
}

/** What platform rules and the supplement look at. */
export const platformInput = (compiled: Compiled): PlatformInput => ({
  config: compiled.installConfig.config,
  identity: compiled.identity,
  facts: compiled.facts,
  credentials: compiled.credentials,
  release: compiled.context.release,
});

/** True when there is more than the head of the document. */
const hasFacts = ({ apiVersion: _version, kind: _kind, ...facts }: CloudFacts): boolean =>
  Object.values(facts).some((each) => each !== undefined);

function plainFacts(facts: CloudFacts): JsonObject {
  const plain: unknown = JSON.parse(JSON.stringify(facts));
  return isJson(plain) && isObject(plain) ? plain : {};
}

/** The ignition-configs phase refuses what is no such key. */
const boundKey = (key: string | undefined): Pick<StateView, "boundServiceAccountKey"> =>
  key === undefined || !isRsaKey(key) ? {} : { boundServiceAccountKey: key };

/** What an agent-based installation adds to the state. */
export interface AgentSecrets {
  readonly access: AgentAccess;
  readonly asset: AgentAsset;
  /** Undefined where the run made no image. */
  readonly keyfiles?: NetworkKeyfiles | undefined;
}

const certifiedPairs = (certified: AgentAccess["certified"]): NonNullable<StateChanges["agentPairs"]> =>
  new Map(
    PKI.flatMap(({ kind, name }) => {
      const pair = kind === "plain" ? undefined : certified[name];
      return kind === "plain" || pair === undefined ? [] : [[name, pair] as const];
    }),
  );

export const agentChanges = ({ access, asset, keyfiles }: AgentSecrets): Partial<StateChanges> => ({
  ...(asset.config === undefined || asset.file === undefined
    ? {}
    : {
        agentConfig: {
          data: asset.file,
          config: keptAgentConfig(asset.config),
          hosts: asset.hosts.map(({ host }) => keptHost(host)),
        },
      }),
  agentPairs: certifiedPairs(access.certified),
  agentTokens: access.tokens,
  infraEnvID: access.infraEnvID,
  ...(keyfiles === undefined ? {} : { networkKeyfiles: keyfiles }),
});

/** What an image-based installation adds to the state. */
const imageBasedChanges = ({ certified, ingressSigner }: ImageBasedAccess): Partial<StateChanges> => ({
  agentPairs: certifiedPairs(certified),
  ingressSigner,
});

const OPENSHIFT_INSTALL = "openshift/openshift-install-manifests.yaml";

/**
 * The state with `files` listed as generated, on top of what an old one holds; undefined: the phase lists none.
 * @param keys whether every key of the cluster has to be in it, as where it is wrapped
 * @param made what later phases made, where they run: what ignition-configs certified, and the files of cluster-api/
 */
export async function stateOf(
  compiled: Compiled,
  flags: CompileFlags,
  old: InstallerState | undefined,
  files: readonly StateFile[] | undefined,
  keys: "all" | "known",
  {
    pki,
    clusterApi,
    agent,
    imageBased,
  }: {
    readonly pki?: ClusterPki | undefined;
    readonly clusterApi?: readonly StateFile[] | undefined;
    readonly agent?: AgentSecrets | undefined;
    readonly imageBased?: ImageBasedAccess | undefined;
  } = {},
): Promise<Uint8Array> {
  const { installConfig, identity, secrets, credentials, platform, others, context } = compiled;
  const metadata = platform.installerMetadata?.(installConfig.config);
  const images = platform.installerImages?.({
    config: installConfig.config,
    identity,
    facts: compiled.facts,
    credentials,
    release: context.release,
  });
  const image = flags.releaseImage === undefined ? {} : { "release-image": flags.releaseImage };
  const { "release-image": _early, ...options } = old?.options ?? {};
  const { "release-image": late, ...ignitionOptions } = old?.ignitionOptions ?? {};
  const install = files?.find(({ path }) => path === OPENSHIFT_INSTALL);
  return writeState(old, {
    installConfig: {
      config: normalValue(installConfig.config, context.release, platform, others),
      ...(metadata === undefined ? {} : { metadata: { [platform.name]: metadata } }),
    },
    clusterID: { uuid: identity.clusterID, infraID: identity.infraID },
    ...(images === undefined ? {} : { images }),
    kubeadmin: secrets.kubeadmin,
    rootCA: secrets.pki.rootCA,
    machineConfigServer: secrets.pki.machineConfigServer,
    ...(secrets.pki.internalReleaseImage === undefined
      ? {}
      : { internalReleaseImage: secrets.pki.internalReleaseImage }),
    ...(install === undefined ? {} : { openshiftInstall: install }),
    ...(flags.releaseImageIsLate === true && pki !== undefined ? { ignitionOptions: image } : {}),
    ...(flags.releaseImageIsTakenBack === true && late !== undefined ? { ignitionOptions } : {}),
    ...(files === undefined ? {} : { files }),
    ...(clusterApi === undefined ? {} : { clusterApi }),
    keys: await secrets.keys(keys),
    ...boundKey(secrets.boundServiceAccountKey),
    options: {
      ...options,
      release: context.release.name,
      ...(flags.releaseImageIsLate === true ? {} : image),
    },
    ...(agent === undefined ? {} : agentChanges(agent)),
    ...(imageBased === undefined ? {} : imageBasedChanges(imageBased)),
    ...(hasFacts(compiled.facts) ? { facts: plainFacts(compiled.facts) } : {}),
    ...(credentials === undefined ? {} : { credentials }),
    ...(pki === undefined
      ? {}
      : {
          pki: { ...pki, mediaServerLogin: PLATFORMS[platform.name].traits.mediaServer?.login },
          shimSources: Object.fromEntries(flags.shimSources ?? []),
        }),
  });
}

/** The state as the manifests phase leaves it, which is what gets wrapped; no later phase changes it. */
export const stateToWrap = (
  compiled: Compiled,
  flags: CompileFlags,
  old: InstallerState | undefined,
  files: readonly StateFile[],
): Promise<Uint8Array> =>
  stateOf(compiled, flags, old === undefined ? undefined : stateOfManifests(old), files, "all");
