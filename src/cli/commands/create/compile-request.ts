/** From flags and the record to what the pipeline needs. */
import { relative, resolve } from "node:path";
import packageJson from "../../../../package.json" with { type: "json" };
import type { Report } from "../../../core/diagnostics.js";
import { decode, encode } from "../../../core/files.js";
import { type Problem, problem } from "../../../core/problem.js";
import { DEFAULT_RELEASE, insteadOf, minorIn, type Release } from "../../../core/release.js";
import { parseDuration } from "../../../core/time.js";
import {
  type AssetDirectory,
  lookAt,
  type OptionValue,
  PHASES,
  RECORD_FILE,
} from "../../../directory/index.js";
import { phaseOf, type Target, TEMPLATE_FOLDERS } from "../../../pipeline/create.js";
import { reportValues } from "../../../pipeline/flag-values.js";
import {
  type FileFlag,
  FLAGS as flags,
  flagsOf,
  recordedFlags,
  TEXT_FLAGS,
  type TextFlag,
} from "../../../pipeline/flags.js";
import {
  type CompileFlags,
  effectiveFlags,
  flagsInForce,
  type NamedInput,
  type NamedInputs,
  NONE,
  patchReleaseProblems,
  readRelease,
  releaseIn,
  textOption,
} from "../../../pipeline/options.js";
import { releaseChangeProblems } from "../../../pipeline/release-change.js";
import type { CompileRequest, CustomFile, NamedText } from "../../../pipeline/request.js";
import { ofSealed, openFolder, type SealedInputs } from "../../../pipeline/sealed-inputs.js";
import { seedProblem } from "../../../pipeline/seed.js";
import { FACTS_FILE } from "../../../platforms/cloud-facts.js";
import type { TemplateOverride } from "../../../text/render.js";
import { shellWord } from "../../../text/shell.js";
import { identitiesOf, type OpenedFile, openedFile } from "../../age.js";
import type { CliContext } from "../../cli-context.js";
import { UsageError } from "../../exit.js";
import type { Arguments, Flag } from "../../flags.js";
import { readDefinitionTexts, readInfrastructureFiles } from "../../folder-files.js";
import {
  fromRecord,
  isShared,
  type NamedFile,
  readNamed,
  readTemplates,
  recordedPath,
  textOf,
} from "../../input-files.js";

/** As much of an asset directory as a compile looks at. */
type Directory = CompileRequest["directory"] &
  Pick<AssetDirectory, "path"> &
  Partial<Pick<AssetDirectory, "options">>;

export const TOOL = `slipway ${packageJson.version}`;

export async function compileRequest(
  directory: Directory,
  target: Target,
  args: Arguments,
  cli: CliContext,
  report: Report,
  sealed: SealedInputs = "refused",
): Promise<CompileRequest & { readonly named: NamedInputs }> {
  const given = recordedFlags((flag) => (args.given(flag) ? args.get(flag) : undefined));
  const release = await releaseOf(releaseIn(given, directory), report);
  const files = await readTexts(directory, args, cli, report, sealed);
  const templates = await readOverrides(directory, args, cli, report);
  const folders = await readFolders(directory, args, cli, report, sealed);
  const named = { ...files.named, ...templates.named, ...folders.named };
  const inForce = flagsInForce(given, directory, phaseOf(target), release);
  reportDisputes(directory, args, report);
  reportValues(inForce, report);
  const isGiven = (flag: Flag<unknown>): boolean => args.given(flag);
  const change = { directory, release, flags: inForce, named, isGiven };
  (await releaseChangeProblems(change)).forEach(report);
  return {
    directory,
    release,
    flags: { ...inForce, shimSources: await shimSourcesOf(args, directory, report) },
    isGiven,
    given: { infraID: args.get(flags.infraID), clusterID: args.get(flags.clusterID) },
    texts: files.texts,
    sealedTexts: [...files.sealedTexts, ...folders.sealedTexts],
    custom: folders.custom,
    crds: folders.crds,
    readFile(path) {
      const file = readNamed(path, cli.cwd, () => undefined);
      return file === undefined ? undefined : textOf(file, () => undefined);
    },
    ...(await nmstateOf(args, cli, report)),
    named,
    overrides: templates.overrides,
    templateFolders: TEMPLATE_FOLDERS[target],
    inputs: cli,
    seed: await readSeed(args, cli, report),
    algorithm: args.get(flags.keyAlgorithm),
    tool: TOOL,
    report,
  };
}

async function nmstateOf(
  args: Arguments,
  cli: CliContext,
  report: Report,
): Promise<Pick<CompileRequest, "nmstate">> {
  const path = args.get(flags.nmstatectl);
  if (path === undefined) return {};
  const { nmstatectl } = await import("../../nmstatectl.js");
  return { nmstate: nmstatectl(resolve(cli.cwd, path), path, report) };
}

/** Options that two branches changed at once: which value counts, only people know. */
function reportDisputes({ record }: Directory, args: Arguments, report: Report): void {
  const byName = new Map(flagsOf("create ignition-configs").map((flag) => [flag.name, flag]));
  const phase = PHASES.findLast((each) => record?.phases[each] !== undefined) ?? "manifests";
  for (const [name, values] of Object.entries(record?.disputed ?? {})) {
    const flag = byName.get(name);
    if (flag !== undefined && args.given(flag)) continue;
    const commands = values
      .filter((value) => isTaken(name, value))
      .map((value) => `slipway create ${phase} --${name}=${shellWord(String(value))}`);
    report(
      problem(
        "DIR021",
        "Invalid",
        name,
        `--${name} has several values after a Git merge: ${values.join(", ")}`,
        {
          file: RECORD_FILE,
          hint:
            commands.length > 0
              ? `run one of: ${commands.join(", or ")}`
              : `set --${name} to a valid value; none of these is valid`,
        },
      ),
    );
  }
}

/** Whether a recorded value would be taken if it were given: a merge may leave what no run ever wrote. */
function isTaken(name: string, value: OptionValue): boolean {
  let taken = true;
  reportValues(effectiveFlags({}, { [name]: value }), ({ severity }) => {
    if (severity !== "warning") taken = false;
  });
  return taken;
}

async function readSeed(args: Arguments, cli: CliContext, report: Report): Promise<Uint8Array | undefined> {
  const path = args.get(flags.seed);
  const named = path === undefined ? undefined : readNamed(path, cli.cwd, report);
  const file = await openedFile(
    named,
    identitiesOf(args, cli, () => undefined),
    report,
  );
  const problem = file === undefined ? undefined : seedProblem(file.file, file.plain);
  if (problem !== undefined) report(problem);
  return file?.plain;
}

/** Addresses of this run over those that the state keeps. */
async function shimSourcesOf(
  args: Arguments,
  { state }: Directory,
  report: Report,
): Promise<CompileFlags["shimSources"]> {
  const given = args.get(flags.shimSource);
  const kept = Object.entries(state?.shimSources ?? {}).map(([role, source]) => `${role}=${source}`);
  if (given.length + kept.length === 0) return undefined;
  const { readShimSources } = await import("../../../phases/ignition-configs/shims.js");
  const isNone = (text: string): boolean => /^(?:[a-z]+=)?none$/.test(text);
  const roles = new Set(given.map((text) => /^([a-z]+)=/.exec(text)?.[1] ?? "bootstrap"));
  const remaining = kept.filter((text) => !roles.has(text.slice(0, text.indexOf("="))));
  return readShimSources([...remaining, ...given.filter((text) => !isNone(text))], report);
}

/** Milliseconds of `--min-validity`; 0 when it is not given. */
export function minValidityOf(args: Arguments): number {
  const text = args.get(flags.minValidity);
  if (text === undefined) return 0;
  const duration = parseDuration(text);
  if (duration === undefined)
    throw new UsageError(
      `--min-validity: invalid value ${JSON.stringify(text)}: must be a duration such as 90m, 12h or 1d12h`,
    );
  return duration;
}

/** Refuses a release that slipway has no tables for: the command line is wrong. */
export async function releaseOf(text: string = DEFAULT_RELEASE, report: Report): Promise<Release> {
  const release = await readRelease(text);
  if (release === undefined)
    throw new UsageError(`--release: unsupported value ${JSON.stringify(text)}; ${insteadOf(minorIn(text))}`);
  patchReleaseProblems(text, release).forEach(report);
  return release;
}

async function readTexts(
  directory: Directory,
  args: Arguments,
  cli: CliContext,
  report: Report,
  sealed: SealedInputs,
) {
  const sealedTexts: TextFlag[] = [];
  const texts: Partial<Record<TextFlag, NamedText>> = {};
  const named: Partial<Record<FileFlag, NamedInput>> = {};
  const identities = identitiesOf(args, cli, () => undefined);
  const read = async (flag: (typeof TEXT_FLAGS)[number]): Promise<OpenedFile | undefined> => {
    const { name, input } = flag;
    const now = args.get(flag);
    if (now !== undefined)
      return openedFile(readNamed(now, cli.cwd, report), identities, (problem) => {
        if (problem.code === "SOPS002") sealedTexts.push(name);
        report(ofSealed(problem, sealed));
      });
    const recorded = textOption(directory.options, name) ?? defaultOf(flag, directory, cli);
    if (recorded === undefined) return undefined;
    const silent: Report =
      input.kept === true ? () => undefined : (problem) => report(ofRecorded(problem, name, recorded));
    const there = readNamed(fromRecord(recorded, directory.path), cli.cwd, silent);
    // Where its value is kept, the state has it for whoever has no key.
    return openedFile(there, identities, (problem) => {
      const isSealed = problem.code === "SOPS002";
      if (isSealed) sealedTexts.push(name);
      if (input.kept !== true) report(ofSealed(problem, sealed));
    });
  };
  for (const flag of TEXT_FLAGS) {
    const { name, input } = flag;
    const file = await read(flag);
    const text = file === undefined ? undefined : textOf({ ...file, data: file.plain }, report);
    if (file === undefined || text === undefined) continue;
    texts[name] = { file: file.file, text };
    named[name] = {
      path: recordedPath(file.file, cli.cwd, directory.path),
      data: file.data,
      isShared: input.own !== true && isShared(file.file, cli.cwd, directory.path),
    };
  }
  return { texts, sealedTexts, named };
}

/** The file that is read where neither the command line nor an earlier run names one, relative to the directory. */
const defaultOf = (
  { name }: Flag<string | undefined>,
  { path, inputs, state }: Directory,
  { cwd }: CliContext,
): string | undefined =>
  // A single file that is validated has no directory.
  name === flags.facts.name &&
  (inputs.size > 0 || state !== undefined) &&
  lookAt(resolve(cwd, path, FACTS_FILE)) !== undefined
    ? FACTS_FILE
    : undefined;

/**
 * The problem of a file or folder that an earlier run was given: its path was right where the directory was then.
 * @param none the value that unsets the flag, where there is one
 */
const ofRecorded = (problem: Problem, name: FileFlag, recorded: string, none?: string): Problem => ({
  ...problem,
  message: `an earlier run used this path for --${name}, recorded as ${recorded} relative to the asset directory, and it cannot be read`,
  hint: `restore it; if the asset directory was moved, set --${name} to the new path${none === undefined ? "" : `; --${name} ${none} unsets it`}`,
});

/** The folders of definitions and of the user's own infrastructure, of this run or as recorded. */
async function readFolders(
  directory: Directory,
  args: Arguments,
  cli: CliContext,
  report: Report,
  sealed: SealedInputs,
): Promise<
  Pick<CompileRequest, "custom" | "crds"> & {
    readonly named: NamedInputs;
    readonly sealedTexts: readonly FileFlag[];
  }
> {
  const sealedTexts: FileFlag[] = [];
  const identities = identitiesOf(args, cli, () => undefined);
  const open = async (name: FileFlag, found: readonly NamedFile[]): Promise<readonly CustomFile[]> => {
    const { files, isClosed } = await openFolder(found, identities, sealed, report);
    if (isClosed) sealedTexts.push(name);
    return files;
  };
  const named: Partial<Record<FileFlag, NamedInput | typeof NONE>> = {};
  const folderOf = (
    flag: typeof flags.customInfrastructure | typeof flags.crds,
  ): { readonly folder: string; readonly report: Report } | undefined => {
    const { name } = flag;
    const now = args.get(flag);
    if (now === NONE) named[name] = NONE;
    if (now !== undefined) return now === NONE ? undefined : { folder: now, report };
    const recorded = textOption(directory.options, name);
    if (recorded === undefined) return undefined;
    const folder = fromRecord(recorded, directory.path);
    const isGone = lookAt(resolve(cli.cwd, folder)) === undefined;
    return {
      folder,
      report: (problem) => report(isGone ? ofRecorded(problem, name, recorded, NONE) : problem),
    };
  };
  const remember = (name: FileFlag, folder: string, files: readonly NamedFile[]): void => {
    const parts = files.flatMap(({ file, data }) => [Buffer.from(`${relative(folder, file)}\n`), data]);
    named[name] = {
      path: recordedPath(folder, cli.cwd, directory.path),
      data: Buffer.concat(parts),
      isShared: isShared(folder, cli.cwd, directory.path),
    };
  };
  const own = folderOf(flags.customInfrastructure);
  const files =
    own === undefined ? undefined : readInfrastructureFiles(own.folder, cli.cwd, directory.path, own.report);
  if (own !== undefined && files !== undefined) remember(flags.customInfrastructure.name, own.folder, files);
  const definitions = folderOf(flags.crds);
  const crds =
    definitions === undefined
      ? undefined
      : readDefinitionTexts(definitions.folder, cli.cwd, definitions.report);
  if (definitions !== undefined && crds !== undefined)
    remember(
      flags.crds.name,
      definitions.folder,
      crds.map(({ file, text }) => ({ file, data: Buffer.from(text) })),
    );
  const openedCrds =
    crds === undefined
      ? undefined
      : await open(
          flags.crds.name,
          crds.map(({ file, text }) => ({ file, data: encode(text) })),
        );
  return {
    crds: openedCrds?.map(({ file, data }) => ({ file, text: decode(data) ?? "" })),
    custom:
      own === undefined || files === undefined
        ? undefined
        : { folder: own.folder, files: await open(flags.customInfrastructure.name, files) },
    named,
    sealedTexts,
  };
}

async function readOverrides(
  directory: Directory,
  args: Arguments,
  cli: CliContext,
  report: Report,
): Promise<{ overrides: ReadonlyMap<string, TemplateOverride>; named: NamedInputs }> {
  const recorded = textOption(directory.options, "templates");
  const given = args.get(flags.templates);
  const folder = given ?? (recorded === undefined ? undefined : fromRecord(recorded, directory.path));
  if (folder === undefined) return { overrides: new Map(), named: {} };
  const sources = new Map<string, { file: string; text: string }>();
  const parts: Uint8Array[] = [];
  const unread: Report = (problem) =>
    report(
      given === undefined && recorded !== undefined
        ? ofRecorded(problem, flags.templates.name, recorded)
        : problem,
    );
  for (const [name, file] of readTemplates(folder, cli.cwd, unread)) {
    const text = textOf(file, report);
    if (text === undefined) continue;
    sources.set(name, { file: file.file, text });
    parts.push(Buffer.from(`${name}\n`), file.data);
  }
  const { compileOverrides } = await import("../../../text/template-overrides.js");
  const data = Buffer.concat(parts);
  return {
    overrides: await compileOverrides(sources, report),
    named: {
      templates: {
        path: recordedPath(folder, cli.cwd, directory.path),
        data,
        isShared: isShared(folder, cli.cwd, directory.path),
      },
    },
  };
}
