/**
 * The pipeline: from an install-config, what is known of its cluster and a few files to everything that the phases
 * generate. It asks the outside for time, randomness and keys only, through its request, and writes nothing.
 */
import type { Problem } from "../core/diagnostics.js";
import { decode, type OutputFile } from "../core/files.js";
import type { Inputs, KeyAlgorithm } from "../core/inputs.js";
import type { Release } from "../core/release.js";
import {
  type AssetDirectory,
  checkCluster,
  INSTALL_CONFIG,
  type InstallerState,
  STATE_FILE,
  writeState,
} from "../directory/index.js";
import type { CloudFacts } from "../generated/types/cloud-facts.js";
import type { InstallConfigAsset, PhaseContext } from "../phases/assets.js";
import { createIdentity } from "../phases/identity.js";
import { compileInstallConfig, normalValue } from "../phases/install-config/index.js";
import { type ReadConfig, readInstallConfig } from "../phases/install-config/read.js";
import { manifests } from "../phases/manifests/phase.js";
import { type CloudFactsFile, readCloudFacts } from "../platforms/cloud-facts.js";
import { activePlatform, clusterDomain, type NormalConfig } from "../platforms/config.js";
import { readCoreosStream } from "../platforms/coreos-stream.js";
import { checkCredentials } from "../platforms/credentials-rule.js";
import type { Credentials, Identity, PlatformInput, PlatformModule } from "../platforms/platform.js";
import { loadPlatform, platformRules } from "../platforms/registry.js";
import { createRenderer, type TemplateOverride } from "../text/render.js";
import type { CompileFlags, FileFlag } from "./options.js";
import { gatherSecrets, type Secrets } from "./secrets.js";

/** A file that a flag names, already read. */
export interface NamedText {
  /** As the user knows it. */
  readonly file: string;
  readonly text: string;
}

export interface CompileRequest {
  readonly directory: Pick<AssetDirectory, "state" | "record" | "inputs">;
  readonly release: Release;
  /** The flags in force: those of this run over the recorded ones. */
  readonly flags: CompileFlags;
  readonly given: { readonly infraID?: string | undefined; readonly clusterID?: string | undefined };
  readonly texts: Readonly<Partial<Record<Exclude<FileFlag, "templates">, NamedText>>>;
  /** Stands for each credential that the record knows of and that is not at hand, as in a clone. */
  readonly standIn?: string;
  readonly overrides: ReadonlyMap<string, TemplateOverride>;
  /** Top folders of the templates that the target needs. */
  readonly templateFolders: readonly string[];
  readonly inputs: Inputs;
  readonly algorithm: KeyAlgorithm;
  /** Name and version of the tool. */
  readonly tool: string;
  report(problem: Problem): void;
}

/** The manifests phase with everything that it was made from. */
export interface Compiled {
  readonly installConfig: InstallConfigAsset;
  readonly identity: Identity;
  readonly secrets: Secrets;
  readonly platform: PlatformModule;
  readonly facts: CloudFacts;
  readonly credentials: Credentials | undefined;
  readonly context: PhaseContext & { report(problem: Problem): void };
  /** Files of manifests/ and openshift/. */
  readonly files: readonly OutputFile[];
}

/** What is known before anything is generated. */
export type CompiledConfig = Pick<
  Compiled,
  "installConfig" | "identity" | "platform" | "facts" | "credentials"
>;

/** The install-config with its identity and facts: every problem of the inputs. Undefined when one is an error. */
export async function compileConfig(request: CompileRequest): Promise<CompiledConfig | undefined> {
  const { failed, report } = watched(request.report);
  const read = readConfig(request, report);
  const factsFile = readFactsFile(request, report);
  const stream = readStream(request, report);
  if (read === undefined) return undefined;

  const platform = await platformOf(read);
  const { release } = request;
  const finish = platform?.finish;
  const installConfig = compileInstallConfig(
    read,
    {
      release,
      ...(finish === undefined ? {} : { finish: (config) => finish(config, factsFile?.facts) }),
    },
    report,
  );
  const identity = identityOf(request, read, report);
  if (installConfig === undefined || platform === undefined) return undefined;
  // What only such a file would tell is not missing when the file cannot be read.
  if (unread(request.texts.facts, factsFile) || unread(request.texts["coreos-stream"], stream))
    return undefined;

  const { config, position } = installConfig;
  const rules = {
    release,
    report: ({ at, ...problem }: Problem & { readonly at?: string }) =>
      report({ ...position(at ?? problem.field ?? ""), ...problem }),
  };
  const facts = platform.resolveFacts(
    config,
    {
      facts: factsFile?.facts,
      stream,
      ...(factsFile === undefined ? {} : { positionInFacts: factsFile.position }),
    },
    rules,
  );
  const credentials = credentialsOf(request, platform, config, rules);
  if (identity !== undefined && !unread(request.texts.credentials, credentials))
    checkCredentials(platform, { config, identity, facts, credentials, release }, rules);
  if (failed() || identity === undefined) return undefined;
  return { installConfig, identity, platform, facts, credentials };
}

/** Compiles up to the manifests phase. Undefined when an error was reported. */
export async function compileManifests(request: CompileRequest): Promise<Compiled | undefined> {
  const { failed, report } = watched(request.report);
  const known = await compileConfig({ ...request, report });
  if (known === undefined) return undefined;
  const { release, tool, inputs, algorithm } = request;
  const { installConfig, identity, platform, facts, credentials } = known;
  const { config } = installConfig;
  const names = {
    domain: clusterDomain(config),
    apiVips: platform.manifests.apiVips?.({ config, identity, facts, credentials, release }) ?? [],
    serviceNetwork: config.networking.serviceNetwork[0] ?? "",
  };
  const { state, inputs: files } = request.directory;
  const [secrets, render] = await Promise.all([
    gatherSecrets({ state, files, names, inputs, algorithm, report }),
    createRenderer(request.templateFolders, report, request.overrides),
  ]);
  if (secrets === undefined) return undefined;
  const { pki, kubeadmin } = secrets;
  const context = { release, render, tool, report };
  const generated = manifests.run(
    { "install-config": installConfig, identity, pki, kubeadmin, facts, credentials, platform },
    context,
  );
  return failed() ? undefined : { ...known, secrets, context, files: generated };
}

/** A reporter that remembers whether an error went through it. */
function watched(report: (problem: Problem) => void): { failed(): boolean; report(problem: Problem): void } {
  let failed = false;
  return {
    failed: () => failed,
    report(problem) {
      failed ||= (problem.severity ?? "error") === "error";
      report(problem);
    },
  };
}

/** True for a file that was named and could not be read, which is reported. */
const unread = (given: NamedText | undefined, read: object | undefined): boolean =>
  given !== undefined && read === undefined;

/** What platform rules and the supplement look at. */
export const platformInput = (compiled: Compiled): PlatformInput => ({
  config: compiled.installConfig.config,
  identity: compiled.identity,
  facts: compiled.facts,
  credentials: compiled.credentials,
  release: compiled.context.release,
});

const OPENSHIFT_INSTALL = "openshift/openshift-install-manifests.yaml";

/** The state as the manifests phase leaves it; no later phase changes it. */
export async function stateOf(
  compiled: Compiled,
  flags: CompileFlags,
  old: InstallerState | undefined,
): Promise<Uint8Array> {
  const { installConfig, identity, secrets, files, credentials, context } = compiled;
  const install = files.find(({ path }) => path === OPENSHIFT_INSTALL);
  return writeState(old, {
    installConfig: {
      config: normalValue(installConfig.config, context.release),
      text: installConfig.normalForm,
    },
    clusterID: { uuid: identity.clusterID, infraID: identity.infraID },
    kubeadmin: secrets.kubeadmin,
    rootCA: secrets.pki.rootCA,
    machineConfigServer: secrets.pki.machineConfigServer,
    ...(install === undefined ? {} : { openshiftInstall: install }),
    files,
    keys: await secrets.keys(),
    options: {
      ...old?.options,
      release: `${context.release.major}.${context.release.minor}`,
      ...(flags.releaseImage === undefined ? {} : { "release-image": flags.releaseImage }),
    },
    ...(credentials === undefined ? {} : { credentials }),
  });
}

/** The install-config on disk, else the one of the state; pull secret and ssh keys of flags laid over. */
function readConfig(request: CompileRequest, report: (problem: Problem) => void): ReadConfig | undefined {
  const { directory, release, flags, texts } = request;
  const onDisk = directory.inputs.get(INSTALL_CONFIG);
  const kept = directory.state?.installConfig;
  const lenient = flags.lenient === true;
  const source =
    onDisk !== undefined
      ? { text: decode(onDisk.data), file: INSTALL_CONFIG }
      : kept !== undefined
        ? { text: kept.text, file: STATE_FILE }
        : undefined;
  if (source === undefined)
    return void report({
      code: "DIR014",
      kind: "NotFound",
      file: INSTALL_CONFIG,
      message: `the directory has no ${INSTALL_CONFIG}, and no state of an earlier run`,
      hint: "slipway create install-config writes a commented one to start from",
    });
  if (source.text === undefined)
    return void report({
      code: "DIR015",
      kind: "Parse",
      file: source.file,
      message: "the file is not UTF-8 text",
      hint: "save it as UTF-8",
    });
  const read = readInstallConfig(source.text, source.file, { release, lenient }, report);
  if (read === undefined) return undefined;
  const { pullSecret } = read.config;
  return withTexts(read, {
    pullSecret: trimmed(texts["pull-secret"]) ?? pullSecret ?? textIn(kept?.config, "pullSecret"),
    sshKey: trimmed(texts["ssh-key"]),
  });
}

/** The text of a file without its final newlines. */
const trimmed = (named: NamedText | undefined): string | undefined => named?.text.replace(/\s+$/, "");

/** The config with a pull secret and ssh keys from elsewhere. */
function withTexts(
  read: ReadConfig,
  { pullSecret, sshKey }: { pullSecret: string | undefined; sshKey: string | undefined },
): ReadConfig {
  return {
    ...read,
    config: {
      ...read.config,
      ...(pullSecret === undefined ? {} : { pullSecret }),
      ...(sshKey === undefined ? {} : { sshKey }),
    },
  };
}

/** Every problem of a single install-config. */
export function validateInstallConfig(
  { text, file }: NamedText,
  options: {
    readonly release: Release;
    readonly lenient: boolean;
    readonly pullSecret: string | undefined;
    readonly sshKey: string | undefined;
  },
  report: (problem: Problem) => void,
): void {
  const read = readInstallConfig(text, file, options, report);
  if (read === undefined) return;
  const pullSecret = options.pullSecret ?? read.config.pullSecret;
  compileInstallConfig(withTexts(read, { ...options, pullSecret }), options, report);
}

const textIn = (object: Readonly<Record<string, unknown>> | undefined, name: string): string | undefined => {
  const value = object?.[name];
  return typeof value === "string" && value !== "" ? value : undefined;
};

function readFactsFile(
  request: CompileRequest,
  report: (problem: Problem) => void,
): CloudFactsFile | undefined {
  const given = request.texts.facts;
  return given === undefined ? undefined : readCloudFacts(given.text, given.file, report);
}

function readStream(request: CompileRequest, report: (problem: Problem) => void) {
  const given = request.texts["coreos-stream"];
  return given === undefined ? undefined : readCoreosStream(given.text, given.file, report);
}

/** Undefined for a platform that is missing, unknown or not handled; the rules of the install-config say so. */
async function platformOf(read: ReadConfig): Promise<PlatformModule | undefined> {
  const name = activePlatform(read.config);
  return name === undefined || platformRules(name) === undefined ? undefined : loadPlatform(name);
}

/** The identity of the state or of the record; for a new cluster the given one, else a random one. */
function identityOf(
  { directory: { state, record }, given, inputs }: CompileRequest,
  read: ReadConfig,
  report: (problem: Problem) => void,
): Identity | undefined {
  const name = read.config.metadata?.name;
  const claims = checkCluster({
    state,
    record,
    ...given,
    ...(name === undefined ? {} : { name: { value: name, ...read.position("metadata.name") } }),
  });
  claims.forEach(report);
  if (claims.length > 0) return undefined;
  if (state?.clusterID !== undefined)
    return { infraID: state.clusterID.infraID, clusterID: state.clusterID.uuid };
  if (record !== undefined) return { infraID: record.cluster.infraID, clusterID: record.cluster.clusterID };
  return name === undefined ? undefined : createIdentity(name, given, inputs.random, report);
}

function credentialsOf(
  { texts, directory, standIn }: CompileRequest,
  platform: PlatformModule,
  config: NormalConfig,
  rules: Parameters<PlatformModule["readCredentials"]>[2],
): Credentials | undefined {
  const given = texts.credentials;
  if (given === undefined && directory.state?.credentials !== undefined) return directory.state.credentials;
  if (given === undefined)
    return standIn === undefined || platform.credentialNames === undefined
      ? undefined
      : Object.fromEntries(platform.credentialNames.map((name) => [name, standIn]));
  return platform.readCredentials(given.text, given.file, rules, config);
}
