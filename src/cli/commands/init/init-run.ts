import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { createReporter, isError, type Problem, type Report } from "../../../core/diagnostics.js";
import { encode, textFile } from "../../../core/files.js";
import { problem, warning } from "../../../core/problem.js";
import { assetDirectoriesBelow, isAssetDirectory } from "../../../directory/find-directories.js";
import {
  ATTRIBUTES,
  ATTRIBUTES_FILE,
  GIT_LAYOUTS,
  type GitLayout,
  IGNORE_FILE,
  relaid,
  withLines,
} from "../../../directory/git-files.js";
import {
  type AssetDirectory,
  gitRoot,
  INSTALL_CONFIG,
  lookAt,
  openDirectory,
  problemOf,
  readRegular,
  systemCode,
  writeFiles,
} from "../../../directory/index.js";
import type { FleetCluster } from "../../../fleet/read.js";
import type { GitOpsController } from "../../../phases/assets.js";
import { FLAGS } from "../../../pipeline/flags.js";
import { pathWord } from "../../../text/shell.js";
import { writeYaml } from "../../../text/yaml-write.js";
import type { CliContext } from "../../cli-context.js";
import type { Handler } from "../../command.js";
import { EXIT, UsageError } from "../../exit.js";
import type { Arguments } from "../../flags.js";
import { clustersOf } from "../../fleet/table.js";
import { refuseWithout } from "../../idle-flags.js";
import { print } from "../../print.js";
import { controllerFiles } from "./controllers.js";
import * as flags from "./flags.js";
import {
  type Checked,
  checkStep,
  githubWorkflow,
  gitlabPipeline,
  MARK,
  PIPELINE_FILES,
  preCommitConfig,
  withMarks,
} from "./pipelines.js";
import type { Target, Wanted } from "./wanted.js";

/** Beside the settings that name it: `.slipway` is kept out of Git, and whoever clones would have the one without the other. */
const SCHEMA_FOLDER = ".vscode/schemas";
/** Where schemas lay before. Settings that name it and nothing else are our own, and are brought up to date. */
const FORMER_SCHEMA_FOLDER = ".slipway/schemas";
/** Schema of each input, by the names of its files. */
const EDITED = { "install-config": [INSTALL_CONFIG], "cloud-facts": ["facts.yaml", "*-facts.yaml"] } as const;
const EDITOR_FILE = ".vscode/settings.json";

/** `slipway init`: everything is compared first and written together, or nothing is. */
export const runInit: Handler = async (args, cli) => {
  const reporter = createReporter();
  refuseWithout(args, [flags.ci], [flags.distribution]);
  if (args.get(flags.ci) === "gitlab" && args.get(flags.distribution) === "image")
    throw new UsageError(
      "--slipway image requires --ci github: the image has no shell, which a GitLab job needs",
    );
  const fleet = args.get(flags.fleet);
  const place = fleet === undefined ? args.get(FLAGS.dir) : ".";
  const repository = gitRoot(resolve(cli.cwd, place)) ?? resolve(cli.cwd, place);
  const scope =
    fleet === undefined
      ? ofOne(args, cli, reporter.report)
      : await ofFleet(fleet, args, cli, reporter.report);
  const targets = await layouts(scope.directories, args, reporter.report);
  const layout = targets[0]?.layout ?? args.get(flags.secrets) ?? "separate";
  const checked: Checked =
    fleet === undefined ? { dir: slashed(relative(repository, resolve(cli.cwd, place))) || "." } : { fleet };
  const readText = reader(cli.cwd, reporter.report);
  const wanted = [
    ...scope.files,
    ...targets.flatMap((each) => gitFiles(each, readText)),
    ...(await editorFiles(fleet === undefined ? place : repository, readText)),
    ...pipelines(repository, checked, args),
    ...(await controllerFiles(targets, repository, args, cli, reporter.report)),
  ];
  const files = wanted.filter(({ root, file, extends: isExtended, isSame, isOptional }) => {
    const old = readText(join(root, file.path));
    if (old === undefined || isExtended) return true;
    const text = Buffer.from(file.data).toString("utf8");
    if (old !== text && isSame?.(old, text) !== true) {
      const found = alreadyThere(relative(cli.cwd, join(root, file.path)), text, checked);
      reporter.report(isOptional === true ? warning({ ...found, hint: KEPT }) : found);
    }
    return false;
  });
  const results: { path: string; status: string }[] = [];
  for (const root of new Set(files.map((each) => each.root))) {
    if (reporter.failed) break;
    const own = files.filter((each) => each.root === root).map(({ file }) => file);
    const written = await writeFiles(root, own, { replace: true });
    if (written.ok)
      results.push(
        ...written.value.map((each) => ({ ...each, path: join(relative(cli.cwd, root), each.path) })),
      );
    else reporter.report(written.problem);
  }
  const ok = !reporter.diagnostics.some(isError);
  const marked = wanted.flatMap(({ root, file }) =>
    isMarked(readText(join(root, file.path))) ? [relative(cli.cwd, join(root, file.path))] : [],
  );
  print(args, cli, {
    kind: "InitResult",
    json: { secrets: layout, files: results },
    text: ok
      ? summary({
          results,
          layout,
          of: fleet === undefined ? { dir: place } : { fleet },
          marked,
          gitops: args.get(flags.gitops),
          isCompiled: targets.every(({ compiledFor }) => compiledFor !== undefined),
        })
      : "",
    diagnostics: reporter.diagnostics,
    outcome: { files: results },
  });
  return ok ? EXIT.done : EXIT.wrong;
};

/** Which directories a run is about, and the files that say so. */
interface Scope {
  readonly directories: readonly Pick<FleetCluster, "directory" | "flags" | "name">[];
  readonly files: readonly Wanted[];
}

const NOTHING: Scope = { directories: [], files: [] };

/** The directory of `--dir`; a folder that only contains asset directories is none. */
function ofOne(args: Arguments, cli: CliContext, report: Report): Scope {
  const directory = args.get(FLAGS.dir);
  const folder = resolve(cli.cwd, directory);
  const below = isAssetDirectory(folder) ? [] : assetDirectoriesBelow(folder);
  if (below.length > 0) {
    const shown = below.slice(0, 3).join(", ") + (below.length > 3 ? ` and ${below.length - 3} more` : "");
    report(
      problem("INIT002", "Invalid", "", `not an asset directory; it contains asset directories: ${shown}`, {
        file: directory,
        hint: `for all clusters, run in the top folder of the repository: slipway init --fleet fleet.txt; for one: slipway init --dir ${pathWord(join(directory, below[0] ?? ""))}`,
      }),
    );
    return NOTHING;
  }
  return { directories: [{ name: directory, directory, flags: {} }], files: [] };
}

/** The clusters of a fleet file; where it does not exist, a file with those that lie below. */
async function ofFleet(fleet: string, args: Arguments, cli: CliContext, report: Report): Promise<Scope> {
  const repository = gitRoot(cli.cwd);
  if (repository !== undefined && resolve(repository) !== resolve(cli.cwd))
    throw new UsageError(
      `--fleet: run slipway init in the top folder of the repository, where the pipeline runs: cd ${pathWord(relative(cli.cwd, repository))}`,
    );
  const below = assetDirectoriesBelow(cli.cwd);
  if (lookAt(resolve(cli.cwd, fleet)) === undefined && below.length > 0) {
    if (args.given(FLAGS.dir)) throw new UsageError("--dir and --fleet are mutually exclusive");
    const file = { path: basename(fleet), data: encode(fleetText(fleet, below)), secret: false };
    return {
      directories: below.map((directory) => ({ name: directory, directory, flags: {} })),
      files: [{ root: join(cli.cwd, dirname(fleet)), file, extends: false }],
    };
  }
  const clusters = await clustersOf(args, cli, report);
  if (clusters === undefined) return NOTHING;
  const known = new Set(clusters.map(({ directory }) => resolve(cli.cwd, directory)));
  for (const each of below)
    if (!known.has(resolve(cli.cwd, each)))
      report(
        warning("INIT003", "NotFound", "", `${each} is an asset directory, but not in the fleet file`, {
          file: fleet,
          hint: "add the directory, or its cluster is neither checked nor deployed",
        }),
      );
  return { directories: clusters, files: [] };
}

/** A list, or a table where the name asks for YAML. Directories in a table are relative to it, those in a list to the user. */
const fleetText = (fleet: string, directories: readonly string[]): string =>
  /\.ya?ml$/.test(fleet)
    ? writeYaml({
        apiVersion: "slipway.dev/v1alpha1",
        kind: "Fleet",
        clusters: directories.map((dir) => ({ dir: slashed(relative(dirname(fleet), dir)) })),
      })
    : `${directories.join("\n")}\n`;

/** How each directory lays out its secrets: as this run, an earlier one or the table says. */
async function layouts(
  directories: Scope["directories"],
  args: Arguments,
  report: Report,
): Promise<readonly Target[]> {
  const targets: Target[] = [];
  for (const { name, directory, flags: ofTable } of directories) {
    const opened = await openDirectory(directory, { write: false });
    if (!opened.ok) report(opened.problem);
    const options = opened.ok ? opened.value.options : {};
    const said = [ofTable["secrets"], options["secrets"]].flatMap((value) =>
      GIT_LAYOUTS.filter((each) => each === value),
    );
    targets.push({
      name,
      directory,
      layout: args.get(flags.secrets) ?? said[0] ?? "separate",
      compiledFor: opened.ok && hasObjects(opened.value) ? (options["gitops"] ?? "none") : undefined,
    });
  }
  return targets;
}

const hasObjects = ({ record }: AssetDirectory): boolean =>
  record?.phases["infrastructure-manifests"] !== undefined;

function gitFiles({ directory: root, layout }: Target, readText: ReadText): readonly Wanted[] {
  const extended = (name: string, text: string | undefined): Wanted[] =>
    text === undefined ? [] : [{ root, file: textFile(name, text), extends: true }];
  return [
    ...extended(IGNORE_FILE, relaid(readText(join(root, IGNORE_FILE)), layout)),
    ...extended(ATTRIBUTES_FILE, withLines(readText(join(root, ATTRIBUTES_FILE)), ATTRIBUTES)),
  ];
}

async function editorFiles(root: string, readText: ReadText): Promise<readonly Wanted[]> {
  const { schemaFiles } = await import("../../../generators/schemas.js");
  const names = Object.keys(EDITED).map((name) => `inputs/${name}.schema.json`);
  const schemas = (await schemaFiles()).filter((each) => names.includes(each.path));
  return [
    ...schemas.map((file) => ({
      root,
      file: { ...file, path: file.path.replace(/^inputs/, SCHEMA_FOLDER) },
      extends: true,
    })),
    {
      root,
      file: textFile(EDITOR_FILE, editorSettings(SCHEMA_FOLDER)),
      extends: readText(join(root, EDITOR_FILE)) === editorSettings(FORMER_SCHEMA_FOLDER),
    },
  ];
}

function editorSettings(folder: string): string {
  const schemas = Object.entries(EDITED).map(([name, files]) => [`./${folder}/${name}.schema.json`, files]);
  return `${JSON.stringify({ "yaml.schemas": Object.fromEntries(schemas) }, null, 2)}\n`;
}

/** Files of the repository around the clusters. */
function pipelines(root: string, checked: Checked, args: Arguments): readonly Wanted[] {
  const file = (name: keyof typeof PIPELINE_FILES, text: string): Wanted => ({
    root,
    file: textFile(PIPELINE_FILES[name], text),
    extends: false,
    isSame: (old, fresh) => withMarks(old) === fresh,
  });
  const ci = args.get(flags.ci);
  return [
    ...(ci === "github" ? [file(ci, githubWorkflow(checked, args.get(flags.distribution)))] : []),
    ...(ci === "gitlab" ? [file(ci, gitlabPipeline(checked))] : []),
    ...(args.get(flags.preCommit) ? [file("pre-commit", preCommitConfig(checked))] : []),
  ];
}

/** Reads a file of the repository; undefined where there is none. What cannot be read is reported. */
type ReadText = (path: string) => string | undefined;

function reader(cwd: string, report: Report): ReadText {
  const reported = new Set<string>();
  return (path) => {
    try {
      return Buffer.from(readRegular(path).data).toString("utf8");
    } catch (error) {
      const code = systemCode(error);
      if (code === "ENOENT" || code === "ENOTDIR" || reported.has(path)) return undefined;
      reported.add(path);
      report(problemOf(error, "DIR001", "read", relative(cwd, path)));
      return undefined;
    }
  };
}

const slashed = (path: string): string => path.split(sep).join("/");

/** A value that the user has not replaced yet. */
const isMarked = (text = ""): boolean => new RegExp(`^ *\\w+: \\S*${MARK}`, "m").test(text);

const KEPT = "to get slipway's version, move the file away and run the command again";

const alreadyThere = (path: string, text: string, checked: Checked): Problem =>
  problem(
    "INIT001",
    "Duplicate",
    "",
    "the file already exists and was not written by slipway; it is not changed",
    {
      file: path,
      hint: path.endsWith("settings.json")
        ? `add this to the file: ${text.replace(/\s+/g, " ").trim()}`
        : `add a step that runs ${checkStep(checked)}`,
    },
  );

interface Summary {
  readonly results: readonly { readonly path: string; readonly status: string }[];
  readonly layout: GitLayout;
  readonly of: Checked;
  /** Files with values that the user has to replace. */
  readonly marked: readonly string[];
  readonly gitops: GitOpsController | undefined;
  /** Every cluster has its objects. */
  readonly isCompiled: boolean;
}

function summary({ results, layout, of, marked, gitops, isCompiled }: Summary): string {
  const lines = results.map(({ path, status }) => `${status.padEnd("unchanged".length)}  ${path}`);
  const create = "slipway create infrastructure-manifests";
  const more = `--secrets ${layout}${gitops === undefined ? "" : ` --gitops ${gitops}`}`;
  return [
    ...lines,
    "",
    "For editors other than VS Code, add this first line to install-config.yaml:",
    `  # yaml-language-server: $schema=./${SCHEMA_FOLDER}/install-config.schema.json`,
    ...(layout === "sops"
      ? ["List the age recipients in .sops.yaml, or set --age-recipient; see docs/git.md."]
      : []),
    ...(marked.length === 0
      ? []
      : [`Replace the values that are marked ${MARK}; until then the pipeline fails: ${marked.join(", ")}`]),
    ...(gitops === undefined
      ? []
      : [
          ...(layout === "separate"
            ? [
                "The Secrets stay outside Git: apply infrastructure-manifests-secrets/ of each cluster yourself.",
              ]
            : []),
          "See docs/gitops.md for the steps in the management cluster.",
        ]),
    "fleet" in of
      ? `Next, run: ${create} --fleet ${pathWord(of.fleet)} ${more}`
      : `Next, add install-config.yaml to the folder and run: ${create} --dir ${pathWord(of.dir)} ${more}`,
    ...(gitops === undefined || isCompiled
      ? []
      : ["After that, run init again, so that the controller also applies the objects that clusters share."]),
  ].join("\n");
}
