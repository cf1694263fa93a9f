/**
 * A cluster compiled in memory: files in, files out. The same as `slipway create` in a directory that holds the files,
 * edits of the user and what earlier runs recorded among them; nothing is read or written beside.
 */
import { createReporter, type Diagnostic, type Report, sortDiagnostics } from "../core/diagnostics.js";
import { byCodeUnit, decode, encode, type OutputFile } from "../core/files.js";
import type { Inputs, KeyAlgorithm } from "../core/inputs.js";
import { lookup } from "../core/lookup.js";
import { problem } from "../core/problem.js";
import { DEFAULT_RELEASE, insteadOf, minorIn, type Release } from "../core/release.js";
import {
  type AssetDirectory,
  type Attempt,
  type CheckResult,
  checkPlans,
  conflictProblems,
  directoryInMemory,
  type FileResult,
  isClosed,
  lostComments,
  madeElsewhere,
  openDirectory,
  openInput,
  removedSecrets,
  STATE_FILE,
} from "../directory/index.js";
import type { NormalConfig } from "../platforms/config.js";
import type { SupplementItem } from "../platforms/supplement.js";
import { answerCheck, compareWithFreshCompile } from "./check.js";
import { validateInstallConfig } from "./config.js";
import {
  type CreateRequest,
  commit,
  type Prepared,
  phaseOf,
  prepare,
  type Target,
  TEMPLATE_FOLDERS,
} from "./create.js";
import { reportValues } from "./flag-values.js";
import { FLAGS, RECORDED, TEXT_FLAGS, type TextFlag } from "./flags.js";
import { commandOf } from "./ignition-forms.js";
import { type CompileFlags, flagsInForce, patchReleaseProblems, readRelease, releaseIn } from "./options.js";
import { type CompileRequest, type CustomFile, type NamedText, watched } from "./request.js";
import { closedProblems, ofSealed, openFolder, type SealedInputs } from "./sealed-inputs.js";
import { seedProblem } from "./seed.js";

export interface ClusterInput {
  /**
   * The files of an asset directory by path: install-config.yaml, and where they are there the state and the record of
   * an earlier run, tls/ and everything in the phases' folders.
   */
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** The phase to compile; what it needs is compiled with it. */
  readonly target: Target;
  readonly flags?: CompileFlags;
  /** Texts of what other flags name, such as facts and credentials. */
  readonly texts?: CompileRequest["texts"];
  /** Infrastructure of the user's, by path, in the place of the platform's: files as `--custom-infrastructure` names them. */
  readonly customInfrastructure?: ReadonlyMap<string, Uint8Array>;
  /** Texts of CustomResourceDefinitions by file, to hold that infrastructure against. */
  readonly crds?: ReadonlyMap<string, string>;
  readonly infraID?: string;
  readonly clusterID?: string;
  /** 32 bytes from which every secret of a new cluster follows; without them they are drawn. */
  readonly seed?: Uint8Array;
  readonly keyAlgorithm?: KeyAlgorithm;
  /** Private keys of age, for files that are encrypted. */
  readonly identities?: readonly string[];
  /** What `nmstatectl gc` answers to a network in YAML, for hosts with a static network in agent-config-image. */
  readonly nmstate?: CompileRequest["nmstate"];
  /** Time, randomness and fresh keys. */
  readonly inputs: Inputs;
  /** Name and version of what compiles, as the files say it. */
  readonly tool: string;
}

export interface ClusterOutput {
  /** False when an error was found; then there are no files. */
  readonly ok: boolean;
  /** The files of all phases as they are to lie in the directory, in the order of their paths. */
  readonly files: readonly OutputFile[];
  /** The state: identity, keys and passwords, for the next compile. */
  readonly state: OutputFile | undefined;
  /** The record of what was generated, so that the next compile knows edits from its own work. */
  readonly record: Uint8Array | undefined;
  /** What became of each file. */
  readonly results: readonly FileResult[];
  /** What is to be done by hand. */
  readonly supplement: readonly SupplementItem[];
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * What a directory is asked; undefined when something about it is wrong, which is then reported.
 * @param sealed what is encrypted and cannot be opened: refused where something is compiled to be used, else unknown
 */
async function requestOf(
  input: Omit<ClusterInput, "target" | "files">,
  opened: Attempt<AssetDirectory>,
  target: Target,
  report: Report,
  sealed: SealedInputs = "refused",
): Promise<CreateRequest | undefined> {
  const { failed, report: tell } = watched(report);
  if (!opened.ok) return void tell(opened.problem);
  const directory = opened.value;
  const { customInfrastructure, crds, identities = [] } = input;
  directory.problems.forEach(tell);
  closedProblems(directory, identities, sealed).forEach(tell);
  const { texts, sealedTexts } = await openTexts(input.texts ?? {}, identities, sealed, tell);
  const own = await openFolder(filesOf(customInfrastructure), identities, sealed, tell);
  const definitions = await openFolder(filesOf(crds), identities, sealed, tell);
  const { flags = {}, seed, keyAlgorithm, infraID, clusterID, inputs, tool } = input;
  const release = await releaseOf(releaseIn(flags, directory), tell);
  const unfit = seed === undefined ? undefined : seedProblem("seed", seed);
  if (unfit !== undefined) tell(unfit);
  if (failed() || release === undefined) return undefined;
  const inForce = flagsInForce(flags, directory, phaseOf(target), release);
  reportValues(inForce, report);
  return {
    directory,
    target,
    release,
    flags: inForce,
    isGiven: ({ name }) =>
      lookup(texts, name) !== undefined ||
      RECORDED.some((member) => FLAGS[member].name === name && flags[member] !== undefined),
    given: { infraID, clusterID },
    texts,
    sealedTexts: [
      ...sealedTexts,
      ...(own.isClosed ? [FLAGS.customInfrastructure.name] : []),
      ...(definitions.isClosed ? [FLAGS.crds.name] : []),
    ],
    custom:
      customInfrastructure === undefined ? undefined : { folder: "customInfrastructure", files: own.files },
    crds:
      crds === undefined
        ? undefined
        : definitions.files.map(({ file, data }) => ({ file, text: decode(data) ?? "" })),
    ...(input.nmstate === undefined ? {} : { nmstate: input.nmstate }),
    named: {},
    overrides: new Map(),
    templateFolders: TEMPLATE_FOLDERS[target],
    inputs,
    seed,
    algorithm: keyAlgorithm,
    tool,
    decisions: undefined,
    consume: false,
    renew: false,
    minValidity: 0,
    report,
  };
}

const filesOf = (files: ReadonlyMap<string, Uint8Array | string> = new Map()): readonly CustomFile[] =>
  [...files].map(([file, data]) => ({ file, data: typeof data === "string" ? encode(data) : data }));

/** The texts, opened where they are encrypted. */
async function openTexts(
  given: CompileRequest["texts"],
  identities: readonly string[],
  sealed: SealedInputs,
  report: Report,
): Promise<Required<Pick<CompileRequest, "texts" | "sealedTexts">>> {
  const texts: Partial<Record<TextFlag, NamedText>> = {};
  const sealedTexts: TextFlag[] = [];
  for (const { name } of TEXT_FLAGS) {
    const named = given[name];
    if (named === undefined) continue;
    const { file, problems } = await openInput(named.file, encode(named.text), identities);
    for (const problem of problems) report(ofSealed(problem, sealed));
    if (isClosed(file)) sealedTexts.push(name);
    else if (file.sealed === undefined) texts[name] = named;
    else texts[name] = { ...named, text: decode(file.data) ?? "" };
  }
  return { texts, sealedTexts };
}

async function releaseOf(text = DEFAULT_RELEASE, report: Report): Promise<Release | undefined> {
  const release = await readRelease(text);
  if (release === undefined)
    report(
      problem(
        "VER012",
        "NotSupported",
        "release",
        `unsupported release ${JSON.stringify(text)}`,
        insteadOf(minorIn(text)),
      ),
    );
  else patchReleaseProblems(text, release).forEach(report);
  return release;
}

/** What the comparison with the directory has to say. */
function reportPlans({ plans }: Pick<Prepared, "plans">, target: Target, report: Report): void {
  conflictProblems(plans).forEach(report);
  lostComments(plans).forEach(report);
  removedSecrets(plans, commandOf(phaseOf(target), plans)).forEach(report);
  madeElsewhere(plans).forEach(report);
}

/** Compiles a phase of a cluster, and everything before it. */
export async function compileCluster(input: ClusterInput): Promise<ClusterOutput> {
  const reporter = createReporter();
  const { report } = reporter;
  const output = (made: Partial<ClusterOutput> = {}): ClusterOutput => ({
    ok: false,
    files: [],
    state: undefined,
    record: undefined,
    results: [],
    supplement: [],
    ...made,
    diagnostics: sortDiagnostics(reporter.diagnostics),
  });
  const { files: given, target } = input;
  const opened = await directoryInMemory(given, input.identities);
  const request = await requestOf(input, opened, target, report);
  const prepared = request === undefined ? undefined : await prepare(request);
  if (request === undefined || prepared === undefined) return output();
  reportPlans(prepared, target, report);
  if (reporter.failed) return output();
  const { state, record, results } = request.directory.preview(prepared.commit);
  const files = new Map(prepared.plans.flatMap(({ after }) => after).map((file) => [file.path, file]));
  return output({
    ok: true,
    files: [...files.values()].sort((a, b) => byCodeUnit(a.path, b.path)),
    state: state ?? stateIn(given),
    record: record.data,
    results,
    supplement: prepared.supplement,
  });
}

export interface CreatedCluster {
  /** False when an error was found; then nothing was written. */
  readonly ok: boolean;
  readonly results: readonly FileResult[];
  readonly supplement: readonly SupplementItem[];
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Compiles a phase in an asset directory on disk, as `slipway create` does: locked meanwhile, edits of the user kept,
 * every file written whole or not at all.
 */
export async function createCluster(
  path: string,
  input: Omit<ClusterInput, "files">,
): Promise<CreatedCluster> {
  const reporter = createReporter();
  const { report } = reporter;
  const answer = (made: Partial<CreatedCluster> = {}): CreatedCluster => ({
    ok: false,
    results: [],
    supplement: [],
    ...made,
    diagnostics: sortDiagnostics(reporter.diagnostics),
  });
  const opened = await openDirectory(path, { write: true, identities: input.identities ?? [] });
  try {
    const request = await requestOf(input, opened, input.target, report);
    const prepared = request === undefined ? undefined : await prepare(request);
    if (request === undefined || prepared === undefined) return answer();
    reportPlans(prepared, input.target, report);
    if (reporter.failed) return answer();
    const written = await commit(request, prepared);
    if (written.ok)
      return answer({ ok: true, results: written.value.results, supplement: prepared.supplement });
    report(written.problem);
    return answer();
  } finally {
    if (opened.ok) opened.value.close();
  }
}

/** A state that stays as it is. */
function stateIn(files: ClusterInput["files"]): OutputFile | undefined {
  const data = files.get(STATE_FILE);
  return data === undefined ? undefined : { path: STATE_FILE, data, secret: true };
}

export interface ClusterComparison extends CheckResult {
  /** False when the files cannot be compared; then there is no result. */
  readonly ok: boolean;
  readonly diagnostics: readonly Diagnostic[];
}

/** Would a fresh compile change anything? The answer of `slipway check` for files in memory. */
export async function compareCluster(
  input: Omit<ClusterInput, "target">,
  { strict = false }: { readonly strict?: boolean } = {},
): Promise<ClusterComparison> {
  const reporter = createReporter();
  const opened = await directoryInMemory(input.files, input.identities);
  const request = await requestOf(input, opened, "infrastructure-manifests", reporter.report, "unknown");
  const plans = request === undefined ? undefined : await compareWithFreshCompile(request);
  const ok = plans !== undefined && !reporter.failed;
  const result =
    ok && request !== undefined
      ? answerCheck(request.directory, plans, {
          strict,
          hasKey: (input.identities ?? []).length > 0,
          report: reporter.report,
        })
      : checkPlans([], { strict });
  return { ...result, clean: ok && result.clean, ok, diagnostics: sortDiagnostics(reporter.diagnostics) };
}

export interface JudgedConfig {
  readonly ok: boolean;
  /** The config with everything that an installer fills in; undefined where an error was found. */
  readonly config: NormalConfig | undefined;
  /** The same as the installer writes it again. */
  readonly normalForm: string | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Judges the text of an install-config by itself, as `slipway validate FILE` does. With facts it is also asked what a
 * compile would ask of them.
 */
export async function judgeInstallConfig(
  text: string,
  options: {
    /** As the diagnostics name it. */
    readonly file?: string;
    readonly release?: string;
    /** Unknown fields are warnings. */
    readonly lenient?: boolean;
    readonly texts?: CompileRequest["texts"];
    /** The moment by which certificates in it are judged. */
    readonly now: Date;
  },
): Promise<JudgedConfig> {
  const { file = "install-config.yaml", release, lenient, texts = {}, now } = options;
  const reporter = createReporter();
  const nothing = (): never => {
    throw new Error("validation generates no keys");
  };
  const request = await requestOf(
    {
      flags: { release, lenient },
      texts,
      // Where identity and dates do not count, any will do.
      infraID: "judged-00000",
      clusterID: "00000000-0000-4000-8000-000000000000",
      inputs: {
        clock: { now: () => now },
        random: { bytes: nothing },
        keys: { generate: nothing },
      },
      tool: "",
    },
    await directoryInMemory(new Map()),
    "manifests",
    reporter.report,
    "unknown",
  );
  const known = request === undefined ? undefined : await validateInstallConfig({ file, text }, request);
  const asset = reporter.failed ? undefined : known?.installConfig;
  return {
    ok: asset !== undefined,
    config: asset?.config,
    normalForm: asset?.normalForm,
    diagnostics: sortDiagnostics(reporter.diagnostics),
  };
}
