/**
 * Pipelines that check clusters in Git. slipway is in no public registry, so where its executable or image is, only
 * the user knows: these values are marked, and the pipeline ends with an error until they are replaced.
 */
import { pathWord, shellWord, singleQuoted } from "../../../text/shell.js";

export type CI = "github" | "gitlab";
export type Distribution = "executable" | "image";

/** What a pipeline checks. */
export type Checked = { readonly dir: string } | { readonly fleet: string };

/** Stands for a value that only the user knows. */
export const MARK = "REPLACE-ME";

export const PIPELINE_FILES: Readonly<Record<CI | "pre-commit", string>> = {
  github: ".github/workflows/slipway.yaml",
  gitlab: ".gitlab-ci.yml",
  "pre-commit": ".pre-commit-config.yaml",
};

/** The text of a pipeline with its marks back, so that a file differs only where the user changed something else. */
export const withMarks = (text: string): string =>
  text
    .replace(/^( *SLIPWAY_(?:URL|SHA256): ).*$/gm, `$1${MARK}`)
    .replace(/^( *SLIPWAY_IMAGE: ).*$/gm, `$1${MARK}@sha256:${MARK}`);

/** The variables of a pipeline, and the commands that bring the executable into `$bin`. */
const INSTALL: Readonly<
  Record<Distribution, { readonly values: string; readonly commands: readonly string[] }>
> = {
  executable: {
    values: `# Replace both values: the address of the executable that npm run build:binary writes, and its sha256sum.
SLIPWAY_URL: ${MARK}
SLIPWAY_SHA256: ${MARK}`,
    commands: [
      'mkdir -p "$bin"',
      'curl --fail --silent --show-error --location --output "$bin/slipway" "$SLIPWAY_URL"',
      `printf '%s  %s\\n' "$SLIPWAY_SHA256" "$bin/slipway" | sha256sum --check --strict`,
      'chmod +x "$bin/slipway"',
    ],
  },
  image: {
    values: `# Replace this value: the image that you built from slipway's Containerfile, by digest.
SLIPWAY_IMAGE: ${MARK}@sha256:${MARK}`,
    commands: [
      'mkdir -p "$bin"',
      'docker create --name slipway "$SLIPWAY_IMAGE"',
      'docker cp slipway:/slipway "$bin/slipway"',
    ],
  },
};

/** Ends the job while a value is still marked, or an image is named without a digest. */
const guard = (distribution: Distribution, file: string): readonly string[] => [
  `if grep -rs '${MARK}' gitops; then echo 'Replace these values.' >&2; exit 1; fi`,
  ...guardOf(distribution, file),
];

const guardOf = (distribution: Distribution, file: string): readonly string[] =>
  distribution === "image"
    ? [
        `case "$SLIPWAY_IMAGE" in`,
        `*${MARK}*) echo 'Set SLIPWAY_IMAGE in ${file}.' >&2; exit 1 ;;`,
        `*@sha256:*) ;;`,
        `*) echo 'SLIPWAY_IMAGE must have a digest: REGISTRY/REPOSITORY@sha256:DIGEST.' >&2; exit 1 ;;`,
        `esac`,
      ]
    : [
        `case "$SLIPWAY_URL $SLIPWAY_SHA256" in`,
        `*${MARK}*) echo 'Set SLIPWAY_URL and SLIPWAY_SHA256 in ${file}.' >&2; exit 1 ;;`,
        `esac`,
      ];

const checkCommand = (checked: Checked): string =>
  "dir" in checked
    ? `slipway check --dir ${pathWord(checked.dir)}`
    : `slipway check --fleet ${pathWord(checked.fleet)}`;

/**
 * Checks the clusters with changes since `$BASE`; all of them where that commit is not known, or where the pipeline
 * itself changed, as slipway may be another one.
 */
const checkChanged = (checked: Checked, file: string): readonly string[] => [
  `if git cat-file -e "$BASE^{commit}" 2>/dev/null && git diff --quiet "$BASE...HEAD" -- ${shellWord(file)}; then`,
  `  git diff --name-only --no-renames -z "$BASE...HEAD" > "$list"`,
  `  ${checkCommand(checked)} --changed "$list"`,
  `else`,
  `  ${checkCommand(checked)}`,
  `fi`,
];

export function githubWorkflow(checked: Checked, distribution: Distribution): string {
  const file = PIPELINE_FILES.github;
  const { values, commands } = INSTALL[distribution];
  const install = [
    ...guard(distribution, file),
    'bin="$RUNNER_TEMP/slipway-bin"',
    ...commands,
    'echo "$bin" >> "$GITHUB_PATH"',
  ];
  const run = (script: readonly string[]): string => `run: ${scriptValue(script.map(forGitHub), 6)}`;
  return `name: slipway
on: [push, pull_request]
permissions:
  contents: read
env:
${indented(values, 2)}
jobs:
  check:
    runs-on: ubuntu-latest
    steps:
    - uses: actions/checkout@v4
${
  "dir" in checked
    ? ""
    : `      with:
        fetch-depth: 0
`
}    - name: Install slipway
      ${run(install)}
${
  "dir" in checked
    ? `    - name: Check the cluster
      ${run([checkCommand(checked)])}
`
    : `    - name: Check changed clusters
      env:
        BASE: $${"{{"} github.event.pull_request.base.sha || github.event.before }}
      ${run(['list="$RUNNER_TEMP/changed"', ...checkChanged(checked, file)])}
`
}`;
}

export function gitlabPipeline(checked: Checked): string {
  const file = PIPELINE_FILES.gitlab;
  const { values, commands } = INSTALL.executable;
  const item = (script: readonly string[]): string => `  - ${scriptValue(script, 2)}\n`;
  return `slipway-check:
  # It needs git, curl, sha256sum and glibc 2.28 or later.
  image: buildpack-deps:bookworm-scm
  variables:
    GIT_DEPTH: "0"
${indented(values, 4)}
  script:
${item([...guard("executable", file), 'bin="$PWD/.slipway-bin"', ...commands, 'PATH="$bin:$PATH"'])}${
  "dir" in checked
    ? item([checkCommand(checked)])
    : item([
        'BASE="$CI_COMMIT_BEFORE_SHA"',
        // biome-ignore lint/suspicious/noTemplateCurlyInString: an expansion of the shell
        'BASE="${CI_MERGE_REQUEST_DIFF_BASE_SHA:-$BASE}"',
        'list="$PWD/.slipway-bin/changed"',
        ...checkChanged(checked, file),
      ])
}`;
}

export function preCommitConfig(checked: Checked): string {
  const command =
    "dir" in checked
      ? checkCommand(checked)
      : `sh -c ${singleQuoted(`git diff --cached --name-only --no-renames -z | ${checkCommand(checked)} --changed -`)}`;
  return `repos:
- repo: local
  hooks:
  - id: slipway-check
    name: slipway check
    language: system
    entry: ${scalar(command)}
    pass_filenames: false
`;
}

/** The step to add to a pipeline of the user's own. */
export const checkStep = (checked: Checked): string => checkCommand(checked);

/** Commands as a value of YAML behind a key that is indented by so much. */
const scriptValue = (lines: readonly string[], indent: number): string => {
  const [only, ...more] = lines;
  if (only !== undefined && more.length === 0) return scalar(only);
  return lines.every((line) => /^[\x20-\x7e]*$/.test(line))
    ? `|\n${indented(lines.join("\n"), indent + 2)}`
    : JSON.stringify(lines.join("\n"));
};

const indented = (text: string, by: number): string => text.replace(/^/gm, " ".repeat(by));

/** GitHub puts in what stands between these and }} before a shell reads the line, so that they have to be put in as well. */
const BRACES = `$${"{{"}`;
const forGitHub = (line: string): string => line.replaceAll(BRACES, `${BRACES} '${BRACES}' }}`);

/** A command as a value of YAML, plain where nothing in it could be read as anything else. */
const scalar = (command: string): string =>
  /^[\w ./@%+,=-]+$/.test(command) ? command : JSON.stringify(command);
