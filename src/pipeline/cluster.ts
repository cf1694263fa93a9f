/**
 * A cluster compiled in memory: files in, files out. The same as `slipway create` in a directory that holds the files,
 * edits of the user and what earlier runs recorded among them; nothing is read or written beside.
 */
import { createReporter, type Diagnostic, isError, sortDiagnostics } from "../core/diagnostics.js";
import { byCodeUnit, type OutputFile } from "../core/files.js";
import type { Inputs, KeyAlgorithm } from "../core/inputs.js";
import { DEFAULT_RELEASE, parseRelease, RELEASES } from "../core/release.js";
import { conflictProblems, directoryInMemory, type FileResult, STATE_FILE } from "../directory/index.js";
import type { SupplementItem } from "../platforms/supplement.js";
import { prepare, type Target, TEMPLATE_FOLDERS } from "./create.js";
import { type CompileFlags, flagsInForce, releaseIn } from "./options.js";
import type { CompileRequest } from "./request.js";
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
  readonly infraID?: string;
  readonly clusterID?: string;
  /** 32 bytes from which every secret of a new cluster follows; without them they are drawn. */
  readonly seed?: Uint8Array;
  readonly keyAlgorithm?: KeyAlgorithm;
  /** Private keys of age, for files that are encrypted. */
  readonly identities?: readonly string[];
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
  const opened = await directoryInMemory(input.files, input.identities);
  if (!opened.ok) {
    report(opened.problem);
    return output();
  }
  const directory = opened.value;
  [...directory.problems, ...directory.closed].forEach(report);
  const { target, flags = {}, texts = {}, seed, keyAlgorithm, infraID, clusterID, inputs, tool } = input;
  const written = releaseIn(flags, directory) ?? DEFAULT_RELEASE;
  const release = parseRelease(written);
  if (release === undefined)
    report({
      code: "VER001",
      kind: "NotSupported",
      field: "release",
      message: `${JSON.stringify(written)} is no release that slipway has tables for`,
      hint: `one of ${RELEASES.join(", ")}`,
    });
  const unfit = seed === undefined ? undefined : seedProblem("seed", seed);
  if (unfit !== undefined) report(unfit);
  if (reporter.failed || release === undefined) return output();
  const prepared = await prepare({
    directory,
    target,
    release,
    flags: flagsInForce(flags, directory, target, release),
    given: { infraID, clusterID },
    texts,
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
  });
  if (prepared === undefined) return output();
  conflictProblems(prepared.plans).forEach(report);
  if (reporter.diagnostics.some(isError)) return output();
  const { state, record, results } = directory.preview(prepared.commit);
  const files = new Map(prepared.plans.flatMap(({ after }) => after).map((file) => [file.path, file]));
  return output({
    ok: true,
    files: [...files.values()].sort((a, b) => byCodeUnit(a.path, b.path)),
    state: state ?? stateOf(input.files),
    record: record.data,
    results,
    supplement: prepared.supplement,
  });
}

/** A state that stays as it is. */
function stateOf(files: ClusterInput["files"]): OutputFile | undefined {
  const data = files.get(STATE_FILE);
  return data === undefined ? undefined : { path: STATE_FILE, data, secret: true };
}
