/** `slipway init --fleet`: one run for a repository of several clusters, and the pipeline that it writes. */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { load } from "js-yaml";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isJson, isList, isObject, type Json, type JsonObject, textAt } from "../../src/core/json.js";
import { assetDirectoriesBelow } from "../../src/directory/find-directories.js";
import { BINARY, type CliResult, record, slipway } from "../helpers/cli.js";
import { skipTest } from "../helpers/shared.js";
import { readTree, tempFolder } from "../helpers/temp.js";

const test = suite("cli/init-fleet");
const CONFIG = readFileSync("examples/none/install-config.yaml", "utf8");
const NAMES = ["egret", "heron", "stork"] as const;

function repository(): string {
  const root = tempFolder();
  assert.is(spawnSync("git", ["init", "--quiet", "--initial-branch=main"], { cwd: root }).status, 0);
  for (const name of NAMES) addCluster(root, name);
  return root;
}

function addCluster(root: string, name: string): void {
  mkdirSync(join(root, "clusters", name), { recursive: true });
  writeFileSync(
    join(root, "clusters", name, "install-config.yaml"),
    CONFIG.replace(/^ {2}name: .*$/m, `  name: ${name}`),
  );
}

const run = (cwd: string, words: string, input = ""): CliResult => slipway(words.split(" "), { cwd, input });

/** Git in the repository; its words where it fails. */
function git(cwd: string, ...words: readonly string[]): string {
  const author = ["-c", "user.name=a", "-c", "user.email=a@example.org"];
  const { status, stdout, stderr } = spawnSync("git", [...author, ...words], { cwd, encoding: "utf8" });
  assert.is(status, 0, stderr);
  return stdout;
}

test("refuses a folder that only contains asset directories", () => {
  const root = repository();
  const before = readTree(root);
  const { code, stderr } = run(root, "init");
  assert.is(code, 1);
  assert.match(stderr, /INIT002: .*clusters\/egret, clusters\/heron, clusters\/stork/);
  assert.match(stderr, "slipway init --dir clusters/egret");
  assert.equal(readTree(root), before);
  assert.is(run(root, "init --dir clusters/new").code, 0);
});

test("finds asset directories, but not in hidden folders, dependencies or each other", () => {
  const root = repository();
  for (const path of ["node_modules/a", ".cache/a", "clusters/egret/old", "deep/b/c"]) {
    mkdirSync(join(root, path), { recursive: true });
    writeFileSync(join(root, path, "install-config.yaml"), CONFIG);
  }
  assert.equal(assetDirectoriesBelow(root), [...NAMES.map((name) => `clusters/${name}`), "deep/b/c"]);
});

test("writes ignore rules for every cluster, and the fleet file that is missing", () => {
  const root = repository();
  const { code, stdout, stderr } = run(root, "init --fleet fleet.txt --ci github --pre-commit");
  assert.is(code, 0, stderr);
  assert.match(stdout, "slipway create infrastructure-manifests --fleet fleet.txt --secrets separate");
  assert.is(
    readFileSync(join(root, "fleet.txt"), "utf8"),
    "clusters/egret\nclusters/heron\nclusters/stork\n",
  );
  for (const name of NAMES)
    assert.match(
      readFileSync(join(root, "clusters", name, ".gitignore"), "utf8"),
      "/infrastructure-manifests-secrets/",
    );
  const before = readTree(root);
  const again = run(root, "init --fleet fleet.txt --ci github --pre-commit");
  assert.is(again.code, 0, again.stderr);
  assert.equal(readTree(root), before);
  const create = run(
    root,
    "create infrastructure-manifests --fleet fleet.txt --secrets separate --key-algorithm ecdsa-p256",
  );
  assert.is(create.code, 0, create.stderr);
  git(root, "add", "--all");
  const held = git(root, "ls-files");
  assert.match(held, /^clusters\/heron\/infrastructure-manifests\/70_cluster\.yaml$/m);
  assert.not.match(held, /install_state|-secrets\//);
});

test("writes a table where the file's name asks for YAML, and keeps the layout that a table sets", () => {
  const root = repository();
  mkdirSync(join(root, "fleets"));
  assert.is(run(root, "init --fleet fleets/all.yaml").code, 0);
  const table = join(root, "fleets/all.yaml");
  assert.match(readFileSync(table, "utf8"), "- dir: ../clusters/egret");
  assert.is(run(root, "validate --fleet fleets/all.yaml --jobs 1").code, 0);
  writeFileSync(table, `${readFileSync(table, "utf8")}defaults:\n  flags: {secrets: sops}\n`);
  assert.is(run(root, "init --fleet fleets/all.yaml").code, 0);
  assert.is(
    readFileSync(join(root, "clusters/egret/.gitignore"), "utf8").includes(
      "infrastructure-manifests-secrets",
    ),
    false,
  );
});

test("reports an asset directory that the fleet file lacks", () => {
  const root = repository();
  assert.is(run(root, "init --fleet fleet.txt").code, 0);
  addCluster(root, "tern");
  const { code, stderr } = run(root, "init --fleet fleet.txt");
  assert.is(code, 0);
  assert.match(stderr, /INIT003: clusters\/tern is an asset directory/);
});

test("refuses what no pipeline could use", () => {
  const root = repository();
  mkdirSync(join(root, "sub"));
  const refused = (words: string, cwd = root): string => {
    const { code, stderr } = run(cwd, words);
    assert.is(code, 2, stderr);
    return stderr;
  };
  assert.match(refused("init --fleet -"), "--fleet -: standard input is not supported here");
  assert.match(refused("init --fleet fleet.txt", join(root, "sub")), "cd ..");
  assert.match(refused("init --fleet fleet.txt --dir clusters/egret"), "mutually exclusive");
  assert.match(refused("init --fleet fleet.txt --slipway image"), "--slipway requires --ci");
  assert.match(refused("init --fleet fleet.txt --ci gitlab --slipway image"), "requires --ci github");
});

interface Pipeline {
  readonly scripts: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
}

const objectsIn = (value: Json): JsonObject[] =>
  isList(value)
    ? value.flatMap(objectsIn)
    : isObject(value)
      ? [value, ...Object.values(value).flatMap(objectsIn)]
      : [];

/** The commands of a pipeline, each as the system starts it, and its variables. */
function pipelineOf(root: string, file: string): Pipeline {
  const document = load(readFileSync(join(root, file), "utf8"));
  const objects = objectsIn(isJson(document) ? document : null);
  const variables = objects.flatMap((each) => [each["env"], each["variables"]]).filter(isObject);
  const [script] = objects.flatMap((each) => (isList(each["script"]) ? [each["script"].join("\n")] : []));
  return {
    // GitHub starts a shell for each step; GitLab one for all items.
    scripts:
      script === undefined
        ? objects.map((each) => textAt(each, "run")).filter((each) => each !== "")
        : [script],
    variables: Object.fromEntries(
      variables.flatMap((each) => Object.keys(each).map((name) => [name, textAt(each, name)])),
    ),
  };
}

/** An executable as the user would have it on a server, and its values. */
function executable(): Readonly<Record<string, string>> {
  const file = join(tempFolder(), "slipway");
  writeFileSync(file, `#!/bin/sh\nexec '${process.execPath}' '${BINARY}' "$@"\n`);
  chmodSync(file, 0o755);
  return {
    SLIPWAY_URL: `file://${file}`,
    SLIPWAY_SHA256: createHash("sha256").update(readFileSync(file)).digest("hex"),
  };
}

/** Runs a pipeline as its system does. The answer is the exit code and all output. */
function runPipeline(
  root: string,
  { scripts, variables }: Pipeline,
  values: Readonly<Record<string, string>>,
): { readonly code: number | null; readonly text: string } {
  const folder = tempFolder();
  const path = join(folder, "path");
  writeFileSync(path, "");
  let text = "";
  for (const script of scripts) {
    const added = readFileSync(path, "utf8").trim();
    const { status, stdout, stderr } = spawnSync("bash", ["-e", "-c", script], {
      cwd: root,
      encoding: "utf8",
      env: {
        ...variables,
        ...values,
        PATH: `${added === "" ? "" : `${added}:`}${process.env["PATH"]}`,
        HOME: folder,
        RUNNER_TEMP: folder,
        GITHUB_PATH: path,
      },
    });
    record(stdout + stderr);
    text += stdout + stderr;
    if (status !== 0) return { code: status, text };
  }
  return { code: 0, text };
}

const noCurl = spawnSync("curl", ["--version"]).status === 0 ? "" : "curl is not on the path";

for (const [ci, file, base] of [
  ["github", ".github/workflows/slipway.yaml", "BASE"],
  ["gitlab", ".gitlab-ci.yml", "CI_COMMIT_BEFORE_SHA"],
] as const) {
  const title = `a pipeline of ${ci} runs with replaced values only, and checks changed clusters only`;
  if (noCurl !== "") {
    skipTest(test, title, noCurl);
    continue;
  }
  test(title, () => {
    const root = repository();
    assert.is(run(root, `init --fleet fleet.txt --ci ${ci}`).code, 0);
    const created = run(
      root,
      "create infrastructure-manifests --fleet fleet.txt --secrets separate --key-algorithm ecdsa-p256",
    );
    assert.is(created.code, 0, created.stderr);
    const commit = (): string => {
      git(root, "add", "--all");
      git(root, "commit", "--quiet", "--message=x");
      return git(root, "rev-parse", "HEAD").trim();
    };
    const first = commit();
    const pipeline = pipelineOf(root, file);
    const values = executable();
    const marked = runPipeline(root, pipeline, { [base]: first });
    assert.is(marked.code, 1, marked.text);
    assert.match(marked.text, `Set SLIPWAY_URL and SLIPWAY_SHA256 in ${file}.`);
    const half = runPipeline(root, pipeline, { ...values, SLIPWAY_SHA256: "REPLACE-ME", [base]: first });
    assert.is(half.code, 1, half.text);
    const other = runPipeline(root, pipeline, { ...values, SLIPWAY_SHA256: "0".repeat(64), [base]: first });
    assert.is.not(other.code, 0, other.text);
    assert.match(other.text, "FAILED");

    const checked = (since: string, code: number): string => {
      const { code: ended, text } = runPipeline(root, pipeline, { ...values, [base]: since });
      assert.is(ended, code, text);
      return [...text.matchAll(/^(?:ok|no|failed) +(\S+):/gm)].map(([, name]) => name).join(" ");
    };
    const all = NAMES.map((name) => `clusters/${name}`).join(" ");
    assert.is(checked("0".repeat(40), 0), all);
    writeFileSync(join(root, "README.md"), "x\n");
    const second = commit();
    assert.is(checked(first, 0), "");
    const config = join(root, "clusters/heron/install-config.yaml");
    writeFileSync(config, readFileSync(config, "utf8").replace("10.128.0.0/14", "10.132.0.0/14"));
    const third = commit();
    assert.is(checked(second, 3), "clusters/heron");
    // A new executable compiles everything again.
    writeFileSync(join(root, file), `${readFileSync(join(root, file), "utf8")}# x\n`);
    commit();
    assert.is(checked(third, 3), all);
    // Values that the user replaced are no difference.
    const replaced = readFileSync(join(root, file), "utf8").replace("# x\n", "");
    writeFileSync(
      join(root, file),
      replaced
        .replace("SLIPWAY_URL: REPLACE-ME", "SLIPWAY_URL: https://files.example.org/slipway")
        .replace("SLIPWAY_SHA256: REPLACE-ME", `SLIPWAY_SHA256: ${"a".repeat(64)}`),
    );
    const again = run(root, `init --fleet fleet.txt --ci ${ci}`);
    assert.is(again.code, 0, again.stderr);
    assert.not.match(again.stdout, "REPLACE-ME");
    writeFileSync(join(root, file), `${readFileSync(join(root, file), "utf8")}# x\n`);
    assert.is(run(root, `init --fleet fleet.txt --ci ${ci}`).code, 1);
  });
}

test("a pipeline with an image refuses one without a digest", () => {
  const root = repository();
  assert.is(run(root, "init --fleet fleet.txt --ci github --slipway image").code, 0);
  const pipeline = pipelineOf(root, ".github/workflows/slipway.yaml");
  const log = join(tempFolder(), "log");
  const bin = tempFolder();
  // In the place of docker: an image that contains the executable.
  writeFileSync(
    join(bin, "docker"),
    `#!/bin/sh
echo "$@" >> '${log}'
if test "$1" = cp; then printf '#!/bin/sh\\nexec "${process.execPath}" "${BINARY}" "$@"\\n' > "$3"; chmod +x "$3"; fi
`,
  );
  chmodSync(join(bin, "docker"), 0o755);
  const path = process.env["PATH"] ?? "";
  process.env["PATH"] = `${bin}:${path}`;
  try {
    assert.match(runPipeline(root, pipeline, {}).text, "Set SLIPWAY_IMAGE");
    assert.match(
      runPipeline(root, pipeline, { SLIPWAY_IMAGE: "registry.example.org/slipway:1" }).text,
      "must have a digest",
    );
    const image = `registry.example.org/slipway@sha256:${"a".repeat(64)}`;
    const { text } = runPipeline(root, pipeline, { SLIPWAY_IMAGE: image, BASE: "" });
    assert.match(text, "clusters/egret");
    assert.match(readFileSync(log, "utf8"), `create --name slipway ${image}`);
  } finally {
    process.env["PATH"] = path;
  }
});

test("selects clusters by a list of changed paths", () => {
  const root = repository();
  mkdirSync(join(root, "secrets"));
  writeFileSync(
    join(root, "secrets/pull.json"),
    '{"auths":{"registry.example.org":{"auth":"dXNlcjpwYXNz"}}}',
  );
  writeFileSync(
    join(root, "fleet.yaml"),
    `apiVersion: slipway.dev/v1alpha1
kind: Fleet
clusters:
- {dir: clusters/egret, name: egret, flags: {pull-secret: secrets/pull.json}}
- {dir: clusters/heron, name: heron}
`,
  );
  const names = (list: string, ...more: readonly string[]): string => {
    const { stdout } = slipway(
      ["validate", "--fleet", "fleet.yaml", "--jobs", "1", "--changed", "-", ...more],
      { cwd: root, input: list },
    );
    return [...stdout.matchAll(/^(?:ok|failed) +(\S+):/gm)].map(([, name]) => name).join(" ");
  };
  assert.is(names("clusters/heron/install-config.yaml\n"), "heron");
  assert.is(names("secrets/pull.json\0README.md\0"), "egret");
  assert.is(names("fleet.yaml\n"), "egret heron");
  assert.is(names("README.md\n"), "");
  const damaged = join(root, "clusters/heron/.slipway");
  mkdirSync(damaged);
  writeFileSync(join(damaged, "record.json"), "{");
  assert.is(names("README.md\n"), "heron", "what a damaged record names is not known");
  rmSync(damaged, { recursive: true });
  const quoted = run(root, "validate --fleet fleet.yaml --changed -", '"h\\303\\251ron"\n');
  assert.is(quoted.code, 1);
  assert.match(quoted.stderr, "FLEET005");
  assert.is(run(root, "validate --fleet - --changed -").code, 2);
  assert.is(run(root, "validate --dir clusters/egret --changed list").code, 2);
});

test.run();
