/**
 * The phases after the manifests, compiled beside what is on disk: what `check` answers by, and what `create` says of
 * the files that it does not make itself.
 */
import { type Problem, warning } from "../core/problem.js";
import {
  type AssetDirectory,
  type Compilation,
  folderOf,
  isDifference,
  isOutputOf,
  PHASES,
  type PhaseName,
  type PhasePlan,
} from "../directory/index.js";
import { pathWord } from "../text/shell.js";
import { clusterApiCompilation, listedFiles } from "./adopted.js";
import { stateToWrap } from "./compile.js";
import { FLAGS } from "./flags.js";
import { commandOf, recordedForms } from "./ignition-forms.js";
import { manifestsAfter } from "./manifest-files.js";
import type { Compiled, CompileRequest } from "./request.js";
import { hasEveryKey } from "./secrets.js";

/** Those that wrap or use what the manifests phase makes; those of other ways of installing stand alone. */
const LATER = ["cluster-api", "infrastructure-manifests", "ignition-configs"] as const satisfies PhaseName[];
export type LaterPhase = (typeof LATER)[number];

export const isLater = (phase: PhaseName): phase is LaterPhase => LATER.some((each) => each === phase);

/** A phase as it is compiled now, and beside what is on disk. */
interface ComparedPhase {
  readonly compilation: Compilation;
  readonly plan: PhasePlan;
}

/** Undefined when an error was reported. */
export async function compareLater(
  phase: LaterPhase,
  compiled: Compiled,
  manifests: PhasePlan | undefined,
  request: CompileRequest & { readonly consume?: boolean },
  compare: (compilation: Compilation) => Promise<PhasePlan>,
): Promise<ComparedPhase | undefined> {
  const { flags, directory } = request;
  if (phase === "cluster-api") {
    const compilation = withoutUnknown(
      (await clusterApiCompilation(request, compiled)) ?? { phase, files: [] },
      directory,
    );
    return { compilation, plan: await compare(compilation) };
  }
  const manifestFiles = manifestsAfter(manifests);
  if (phase === "infrastructure-manifests") {
    const { compareInfrastructure } = await import("./infrastructure.js");
    const listed = listedFiles(compiled, manifests, directory.state?.files);
    const state = await stateToWrap(compiled, flags, directory.state, listed);
    const compared = await compareInfrastructure(compiled, flags, manifestFiles, state, request, compare);
    if (compared === undefined) return undefined;
    return { compilation: { phase, files: compared.infrastructure.files }, plan: compared.plan };
  }
  const { compileIgnition } = await import("./ignition.js");
  // What is said about using the configs was said when they were made.
  const report = (problem: Problem): void => {
    if ((problem.severity ?? "error") === "error") compiled.context.report(problem);
  };
  const ignition = await compileIgnition(
    { ...compiled, context: { ...compiled.context, report } },
    { flags, manifestFiles, known: recordedForms(directory) },
  );
  if (ignition === undefined) return undefined;
  const compilation = { phase, files: ignition.files };
  return { compilation, plan: await compare(compilation) };
}

/**
 * Of a directory that slipway never wrote, what is not there is not missing: openshift-install leaves the machines out where
 * it does not reach the cloud.
 */
const withoutUnknown = (
  compilation: Compilation,
  { record, state, files }: CompileRequest["directory"],
): Compilation => {
  if (record !== undefined) return compilation;
  const known = new Set([...(state?.clusterApi ?? []).map(({ path }) => path), ...files.keys()]);
  return { ...compilation, files: compilation.files.filter(({ path }) => known.has(path)) };
};

/** The phases that earlier runs made, whose files are here and which this run does not make. */
export const otherPhases = (
  { record, files }: Pick<AssetDirectory, "record" | "files">,
  made: readonly PhaseName[],
): readonly LaterPhase[] =>
  PHASES.filter(
    (phase): phase is LaterPhase =>
      isLater(phase) &&
      !made.includes(phase) &&
      record?.phases[phase] !== undefined &&
      [...files.keys()].some((path) => isOutputOf(phase, path)),
  );

interface Surroundings {
  readonly request: CompileRequest & { readonly directory: AssetDirectory; readonly consume: boolean };
  readonly compiled: Compiled;
  readonly manifests: PhasePlan | undefined;
  /** The run deletes what the phases are compiled from. */
  readonly consumes: boolean;
  /** What compiling the phases reported, for nobody else to read. */
  readonly reported: readonly Problem[];
}

/** Files of a phase that would be otherwise now, and what is said of them. */
export interface Behind {
  readonly phase: PhaseName;
  readonly files: readonly string[];
  readonly problem: Problem;
}

/**
 * The phases that a run leaves behind: what the run was given, and what its inputs say by now, has not reached their
 * files. These may have been applied, so that making them anew is a command of its own, and a warning names it.
 */
export async function leftBehind(
  phases: readonly LaterPhase[],
  surroundings: Surroundings,
): Promise<readonly Behind[]> {
  const found: Behind[] = [];
  for (const phase of phases) {
    const behind = await compareOther(phase, surroundings);
    if (behind !== undefined) found.push(behind);
  }
  return found;
}

async function compareOther(phase: LaterPhase, surroundings: Surroundings): Promise<Behind | undefined> {
  const { request, compiled, manifests, reported } = surroundings;
  const { directory } = request;
  const before = reported.length;
  // No key is drawn for a comparison: files that are older than the keys of the state are of another cluster's life.
  const compared = (await hasEveryKey(compiled.secrets))
    ? await compareLater(phase, compiled, manifests, request, (compilation) =>
        directory.compare(compilation, { rootKey: compiled.secrets.pki.rootCA.key }),
      )
    : undefined;
  const recorded = Object.keys(directory.record?.phases[phase]?.files ?? {});
  const files =
    compared === undefined
      ? recorded.filter((path) => directory.files.has(path))
      : compared.plan.paths.filter(({ status }) => isDifference(status)).map(({ path }) => path);
  const fault = reported.slice(before).find(({ severity = "error" }) => severity === "error");
  const command = [
    `slipway ${commandOf(phase, compared === undefined ? [] : [compared.plan])}`,
    ...givenAgain(request.texts),
  ].join(" ");
  const [first] = files;
  return first === undefined
    ? undefined
    : { phase, files, problem: behindProblem(files, first, command, fault, surroundings) };
}

/** Flags of the run that stand in for fields and that no run remembers; without them the command would take them back. */
const givenAgain = (texts: CompileRequest["texts"]): readonly string[] =>
  ([FLAGS.pullSecret.name, FLAGS.sshKey.name] as const).flatMap((name) => {
    const { file } = texts[name] ?? {};
    return file === undefined ? [] : [`--${name} ${pathWord(file)}`];
  });

/** So many files are named; a phase that is of other inputs as a whole has dozens. */
const NAMED = 10;

export function behindProblem(
  files: readonly string[],
  first: string,
  command: string,
  fault: Problem | undefined,
  { consumes }: Pick<Surroundings, "consumes">,
): Problem {
  const isOne = files.length === 1;
  const [them, they] = isOne ? ["it", "it was"] : ["them", "they were"];
  const why =
    fault === undefined ? "" : `, and cannot be generated from the inputs of this run (${fault.message})`;
  const names = files.slice(0, NAMED).join(", ");
  const more = files.length - NAMED;
  return warning(
    "DIR022",
    "Invalid",
    "",
    isOne
      ? `${names} is out of date${why}`
      : `${files.length} files are out of date${why}: ${names}${more > 0 ? ` and ${more} more` : ""}`,
    {
      file: folderOf(first) === "" ? first : `${folderOf(first)}/`,
      hint: [
        consumes
          ? `first restore manifests/ and openshift/ from a backup: ${they} generated from them, and this run deletes both`
          : fault?.hint !== undefined && fault.hint !== ""
            ? fault.hint
            : `update ${them} with: ${command}`,
        ...(more > 0 ? ["to list all, run slipway check"] : []),
      ].join("; "),
    },
  );
}
