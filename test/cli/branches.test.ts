/** An asset directory on one branch of a Git repository, and `git add` on another that has neither it nor its ignore file. */
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type CliResult, slipway } from "../helpers/cli.js";
import { skipTest } from "../helpers/shared.js";
import { tempFolder } from "../helpers/temp.js";

const test = suite("cli/branches");

const CONFIG = readFileSync("examples/none/install-config.yaml", "utf8");
const DIR = "clusters/a [b]";

const git = (cwd: string, ...args: readonly string[]): string => {
  const { status, stdout, stderr } = spawnSync(
    "git",
    ["-c", "user.name=t", "-c", "user.email=t@example.org", ...args],
    { cwd, encoding: "utf8", env: { PATH: process.env["PATH"], HOME: cwd, GIT_CONFIG_NOSYSTEM: "1" } },
  );
  assert.is(status, 0, `git ${args.join(" ")}: ${stderr}`);
  return stdout;
};

/** A repository with a cluster on its branch `cluster`, and what Git would add on `main`. */
function switched(secrets: string, ignore?: string): { readonly repository: string; readonly added: string } {
  const repository = tempFolder();
  git(repository, "init", "-q", "-b", "main");
  git(repository, "commit", "-q", "--allow-empty", "-m", "x");
  git(repository, "switch", "-q", "-c", "cluster");
  mkdirSync(join(repository, DIR), { recursive: true });
  writeFileSync(join(repository, DIR, "install-config.yaml"), CONFIG);
  if (ignore !== undefined) writeFileSync(join(repository, DIR, ".gitignore"), ignore);
  create(repository, secrets);
  git(repository, "add", "-A");
  git(repository, "commit", "-q", "-m", "cluster");
  assert.is(git(repository, "status", "--porcelain"), "");
  git(repository, "switch", "-q", "main");
  return { repository, added: git(repository, "add", "-A", "-n") };
}

function create(repository: string, secrets: string, dir = DIR): void {
  const words = ["create", "infrastructure-manifests", "--dir", dir, "--secrets", secrets];
  const { code, stderr } = slipway([...words, "--key-algorithm", "ecdsa-p256"], { cwd: repository });
  assert.is(code, 0, stderr);
}

test("a .git that leads to no repository: nothing is made outside of the asset directory", () => {
  for (const text of ["", "hello", "gitdir: elsewhere/.git/worktrees/x\n"]) {
    const root = tempFolder();
    mkdirSync(join(root, DIR), { recursive: true });
    writeFileSync(join(root, ".git"), text);
    writeFileSync(join(root, DIR, "install-config.yaml"), CONFIG);
    create(root, "separate");
    assert.equal(readdirSync(root).sort(), [".git", "clusters"], text);
    assert.ok(readdirSync(join(root, DIR)).includes(".gitignore"), text);
  }
});

const REVIEWED = `/.openshift_install_state.json
/infrastructure-manifests-secrets/
/manifests/cluster-config.yaml
/manifests/*secret*.yaml
/openshift/*secret*.yaml
!/openshift/99_role-cloud-creds-secret-reader.yaml
`;

if (spawnSync("git", ["--version"]).status !== 0) skipTest(test, "branches", "needs git");
else {
  test("what is kept for a working copy alone has the same lines for all directories", () => {
    const root = tempFolder();
    git(root, "init", "-q");
    const lines = (): readonly string[] => readFileSync(join(root, ".git/info/exclude"), "utf8").split("\n");
    for (const dir of [DIR, "clusters/b"]) {
      mkdirSync(join(root, dir), { recursive: true });
      writeFileSync(join(root, dir, "install-config.yaml"), CONFIG);
      create(root, "separate", dir);
    }
    assert.is(lines().filter((line) => line.includes(".slipway")).length, 3);
    assert.match(git(root, "check-ignore", "clusters/b/.slipway/local.json"), /local/);
  });

  test("a run says what it adds to the list of what Git passes over, a dry run line by line", () => {
    const root = tempFolder();
    git(root, "init", "-q");
    const list = join(root, ".git/info/exclude");
    const before = readFileSync(list, "utf8");
    mkdirSync(join(root, DIR), { recursive: true });
    writeFileSync(join(root, DIR, "install-config.yaml"), CONFIG);
    const run = (...words: readonly string[]): CliResult =>
      slipway(["create", "manifests", "--dir", DIR, "--key-algorithm", "ecdsa-p256", ...words], {
        cwd: root,
      });
    const line = "/clusters/a \\[b]/manifests/";
    const dry = run("--dry-run").stdout;
    assert.match(dry, /^Would add 15 patterns to \.git\/info\/exclude, so that secrets stay ignored/m);
    assert.ok(dry.split("\n").includes(`  ${line}`), dry);
    assert.is(readFileSync(list, "utf8"), before);
    const json = JSON.parse(run("--dry-run", "--output", "json").stdout).gitExclude;
    assert.is(json.file, "../../.git/info/exclude");
    assert.ok(json.added.includes(line));
    const { stdout } = run();
    assert.match(stdout, /^Added 15 patterns to \.git\/info\/exclude, so that secrets stay ignored/m);
    const added = readFileSync(list, "utf8").slice(before.length).trim().split("\n");
    assert.equal(added, json.added);
    // Once: what is there is no news.
    for (const words of [[], ["--dry-run"]]) assert.not.match(run(...words).stdout, /exclude/);
    assert.is(JSON.parse(run("--output", "json").stdout).gitExclude, undefined);
    // What the user took out of the ignore file is told as well.
    writeFileSync(join(root, DIR, ".gitignore"), REVIEWED);
    assert.match(
      run().stdout,
      /^Removed \d+ patterns from \.git\/info\/exclude that are no longer in \.gitignore\.$/m,
    );
  });

  test("a list that cannot be written is not said to be", () => {
    const root = tempFolder();
    git(root, "init", "-q");
    rmSync(join(root, ".git/info"), { recursive: true });
    writeFileSync(join(root, ".git/info"), "in the way\n");
    writeFileSync(join(root, "install-config.yaml"), CONFIG);
    const { code, stdout } = slipway(["create", "manifests", "--key-algorithm", "ecdsa-p256"], { cwd: root });
    assert.is(code, 0);
    assert.not.match(stdout, /exclude/);
  });

  test("a fleet says it once, and each cluster in its answer", () => {
    const root = tempFolder();
    git(root, "init", "-q");
    for (const name of ["a", "b"]) {
      mkdirSync(join(root, name));
      writeFileSync(join(root, name, "install-config.yaml"), CONFIG.replace("heron", name));
    }
    writeFileSync(join(root, "list"), "a\nb\n");
    const run = (...words: readonly string[]): CliResult =>
      slipway(
        ["create", "manifests", "--fleet", "list", "--key-algorithm", "ecdsa-p256", "--jobs", "1", ...words],
        { cwd: root },
      );
    const [a] = run("--dry-run", "--output", "json").stdout.split("\n");
    assert.is(JSON.parse(a ?? "").result.gitExclude.file, "../.git/info/exclude");
    assert.match(run("--dry-run").stdout, /^Would add 27 patterns to \.git\/info\/exclude/m);
    const { stdout } = run();
    assert.is(stdout.match(/exclude/g)?.length, 1);
    assert.match(stdout, /^Added 27 patterns to \.git\/info\/exclude, so that .*\n2 clusters: 2 ok$/m);
    assert.not.match(run().stdout, /exclude/);
  });

  test("a switch to a branch without the cluster leaves nothing that git add takes", () => {
    for (const [secrets, ignore] of [
      ["inline", undefined],
      ["separate", undefined],
      ["separate", REVIEWED],
    ] as const) {
      const { repository, added } = switched(secrets, ignore);
      assert.is(added, "", secrets);
      // Back, and everything is as it was.
      git(repository, "switch", "-q", "cluster");
      assert.is(git(repository, "status", "--porcelain"), "");
    }
  });

  test("what the user takes out of the ignore file, Git takes after the next run", () => {
    const { repository } = switched("separate");
    git(repository, "switch", "-q", "cluster");
    const ignore = join(repository, DIR, ".gitignore");
    const exclude = join(repository, ".git/info/exclude");
    writeFileSync(exclude, `${readFileSync(exclude, "utf8")}/notes.txt`);
    writeFileSync(ignore, REVIEWED);
    create(repository, "separate");
    const added = git(repository, "add", "-A", "-n");
    assert.match(added, /openshift\/99_feature-gate\.yaml/);
    assert.not.match(added, /secret/);
    assert.match(readFileSync(exclude, "utf8"), /^\/notes\.txt$/m);
  });
}

test.run();
