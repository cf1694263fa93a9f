import { readFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import packageJson from "../../../../package.json" with { type: "json" };
import { createReporter, isError, type Problem } from "../../../core/diagnostics.js";
import { type OutputFile, textFile } from "../../../core/files.js";
import { problem } from "../../../core/problem.js";
import {
  ATTRIBUTES,
  ATTRIBUTES_FILE,
  GIT_LAYOUTS,
  type GitLayout,
  IGNORE_FILE,
  relaid,
  withLines,
} from "../../../directory/git-files.js";
import { gitRoot, INSTALL_CONFIG, openDirectory, writeFiles } from "../../../directory/index.js";
import { FLAGS } from "../../../pipeline/flags.js";
import { pathWord } from "../../../text/shell.js";
import type { Handler } from "../../command.js";
import { EXIT } from "../../exit.js";
import { print } from "../../print.js";
import * as flags from "./flags.js";

/** Beside the settings that name it: `.slipway` is kept out of Git, and whoever clones would have the one without the other. */
const SCHEMA_FOLDER = ".vscode/schemas";
/** Where schemas lay before. Settings that name it and nothing else are our own, and are brought up to date. */
const FORMER_SCHEMA_FOLDER = ".slipway/schemas";
/** Schema of each input, by the names of its files. */
const EDITED = { "install-config": [INSTALL_CONFIG], "cloud-facts": ["facts.yaml", "*-facts.yaml"] } as const;
const EDITOR_FILE = ".vscode/settings.json";

interface Wanted {
  readonly root: string;
  readonly file: OutputFile;
  /** A file that is there may be written over: it is ours, or keeps all that the user has in it. */
  readonly extends: boolean;
}

/** `slipway init`: everything is compared first and written together, or nothing is. */
export const runInit: Handler = async (args, world) => {
  const reporter = createReporter();
  const path = args.get(FLAGS.dir);
  const opened = await openDirectory(path, { write: false });
  if (!opened.ok) reporter.report(opened.problem);
  const recorded = opened.ok ? opened.value.options["secrets"] : undefined;
  const layout: GitLayout =
    args.get(flags.secrets) ?? GIT_LAYOUTS.find((each) => each === recorded) ?? "separate";
  const repository = gitRoot(resolve(world.cwd, path)) ?? resolve(world.cwd, path);
  const place = relative(repository, resolve(world.cwd, path)).split(sep).join("/") || ".";
  const wanted = [
    ...(await inDirectory(path, layout)),
    ...inRepository(repository, place, args.get(flags.ci), args.get(flags.preCommit)),
  ];
  const files = wanted.filter(({ root, file, extends: isExtended }) => {
    const old = readText(join(root, file.path));
    if (old === undefined || isExtended) return true;
    const text = Buffer.from(file.data).toString("utf8");
    if (old !== text) reporter.report(alreadyThere(relative(world.cwd, join(root, file.path)), text, place));
    return false;
  });
  const results: { path: string; status: string }[] = [];
  if (!reporter.failed)
    for (const root of new Set(files.map((each) => each.root))) {
      const own = files.filter((each) => each.root === root).map(({ file }) => file);
      const written = await writeFiles(root, own, { replace: true });
      if (written.ok)
        results.push(
          ...written.value.map((each) => ({ ...each, path: join(relative(world.cwd, root), each.path) })),
        );
      else reporter.report(written.problem);
    }
  const ok = !reporter.diagnostics.some(isError);
  print(args, world, {
    kind: "InitResult",
    json: { secrets: layout, files: results },
    text: ok ? summary(results, layout, path) : "",
    diagnostics: reporter.diagnostics,
    outcome: { files: results },
  });
  return ok ? EXIT.done : EXIT.wrong;
};

async function inDirectory(root: string, layout: GitLayout): Promise<readonly Wanted[]> {
  const { schemaFiles } = await import("../../../generators/schemas.js");
  const names = Object.keys(EDITED).map((name) => `inputs/${name}.schema.json`);
  const schemas = (await schemaFiles()).filter((each) => names.includes(each.path));
  const extended = (name: string, text: string | undefined): Wanted[] =>
    text === undefined ? [] : [{ root, file: textFile(name, text), extends: true }];
  return [
    ...extended(IGNORE_FILE, relaid(readText(join(root, IGNORE_FILE)), layout)),
    ...extended(ATTRIBUTES_FILE, withLines(readText(join(root, ATTRIBUTES_FILE)), ATTRIBUTES)),
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

/** The name that `npm pack` gives this version. */
const TARBALL = `./${packageJson.name}-${packageJson.version}.tgz`;

/** Files of the repository around the directory. */
function inRepository(
  root: string,
  place: string,
  ci: "github" | "gitlab" | undefined,
  preCommit: boolean,
): readonly Wanted[] {
  const check = `slipway check --dir ${pathWord(place)}`;
  const file = (path: string, text: string): Wanted => ({ root, file: textFile(path, text), extends: false });
  return [
    ...(ci === "github"
      ? [
          file(
            ".github/workflows/slipway.yaml",
            `name: slipway
on: [push, pull_request]
permissions:
  contents: read
jobs:
  check:
    runs-on: ubuntu-latest
    steps:
    - uses: actions/checkout@v4
    - uses: actions/setup-node@v4
      with:
        node-version: 24
    # slipway is not published to a registry. Create this file with npm pack in a slipway checkout and commit it, or use the URL of your copy.
    - run: npm install --global ${TARBALL}
    - run: ${scalar(check.replaceAll(BRACES, `${BRACES} '${BRACES}' }}`))}
`,
          ),
        ]
      : []),
    ...(ci === "gitlab"
      ? [
          file(
            ".gitlab-ci.yml",
            `slipway-check:
  image: node:24
  script:
  # slipway is not published to a registry. Create this file with npm pack in a slipway checkout and commit it, or use the URL of your copy.
  - npm install --global ${TARBALL}
  - ${scalar(check)}
`,
          ),
        ]
      : []),
    ...(preCommit
      ? [
          file(
            ".pre-commit-config.yaml",
            `repos:
- repo: local
  hooks:
  - id: slipway-check
    name: slipway check
    language: system
    entry: ${scalar(check)}
    pass_filenames: false
`,
          ),
        ]
      : []),
  ];
}

/** GitHub puts in what stands between these and }} before a shell reads the line, so that they have to be put in as well. */
const BRACES = `$${"{{"}`;

/** A command as a value of YAML, plain where nothing in it could be read as anything else. */
const scalar = (command: string): string =>
  /^[\w ./@%+,=-]+$/.test(command) ? command : JSON.stringify(command);

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

const alreadyThere = (path: string, text: string, place: string): Problem =>
  problem(
    "INIT001",
    "Duplicate",
    "",
    "the file already exists and was not written by slipway; it is not changed",
    {
      file: path,
      hint: path.endsWith("settings.json")
        ? `add this to the file: ${text.replace(/\s+/g, " ").trim()}`
        : `add a step that runs slipway check --dir ${pathWord(dirname(join(place, "x")))}`,
    },
  );

function summary(
  results: readonly { readonly path: string; readonly status: string }[],
  layout: GitLayout,
  directory: string,
): string {
  const lines = results.map(({ path, status }) => `${status.padEnd("unchanged".length)}  ${path}`);
  return [
    ...lines,
    "",
    "For editors other than VS Code, add this first line to install-config.yaml:",
    `  # yaml-language-server: $schema=./${SCHEMA_FOLDER}/install-config.schema.json`,
    ...(layout === "sops"
      ? ["List the age recipients in .sops.yaml, or set --age-recipient; see docs/git.md."]
      : []),
    `Next, add install-config.yaml to the folder and run: slipway create infrastructure-manifests --dir ${pathWord(directory)} --secrets ${layout}`,
  ].join("\n");
}
