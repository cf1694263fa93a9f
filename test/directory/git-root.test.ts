/** The work tree around a folder, as Git sees it. */
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { excludeFromGit } from "../../src/directory/git-exclude.js";
import { gitRoot } from "../../src/directory/git-root.js";
import { skipTest } from "../helpers/shared.js";
import { tempFolder } from "../helpers/temp.js";

const test = suite("directory/git-root");

const git = (cwd: string, ...args: readonly string[]): string | undefined => {
  const identity = ["-c", "user.name=t", "-c", "user.email=t@example.org"];
  const env = { PATH: process.env["PATH"], HOME: cwd, GIT_CONFIG_NOSYSTEM: "1" };
  const { status, stdout } = spawnSync("git", [...identity, ...args], { cwd, encoding: "utf8", env });
  return status === 0 ? stdout.trim() : undefined;
};

/** What lies in a folder `.git`, and whether that is a repository. */
const INSIDE: readonly (readonly [name: string, isRepository: boolean, make: (git: string) => void])[] = [
  ["nothing", false, () => undefined],
  ["info alone", false, (at) => mkdirSync(join(at, "info"))],
  ["HEAD alone", false, (at) => writeFileSync(join(at, "HEAD"), "ref: refs/heads/main\n")],
  ["no objects", false, (at) => made(at, ["refs"], "ref: refs/heads/main\n")],
  ["no refs", false, (at) => made(at, ["objects"], "ref: refs/heads/main\n")],
  ["no HEAD", false, (at) => made(at, ["objects", "refs"], undefined)],
  ["a HEAD that says nothing", false, (at) => made(at, ["objects", "refs"], "hello\n")],
  ["a branch without a commit", true, (at) => made(at, ["objects", "refs"], "ref: refs/heads/main\n")],
  ["a commit", true, (at) => made(at, ["objects", "refs"], `${"0".repeat(39)}1\n`)],
  [
    "a link to a branch",
    true,
    (at) => {
      made(at, ["objects", "refs"], undefined);
      symlinkSync("refs/heads/main", join(at, "HEAD"));
    },
  ],
];

function made(at: string, folders: readonly string[], head: string | undefined): void {
  for (const folder of folders) mkdirSync(join(at, folder));
  if (head !== undefined) writeFileSync(join(at, "HEAD"), head);
}

if (git(".", "--version") === undefined) skipTest(test, "as Git sees it", "needs git");
else {
  test("a folder .git that is no repository hides none around it", () => {
    const outer = realpathSync(tempFolder());
    git(outer, "init", "-q");
    INSIDE.forEach(([name, isRepository, make], index) => {
      const inner = join(outer, String(index));
      mkdirSync(join(inner, ".git"), { recursive: true });
      mkdirSync(join(inner, "clusters/a"), { recursive: true });
      make(join(inner, ".git"));
      const expected = isRepository ? inner : outer;
      assert.is(git(join(inner, "clusters/a"), "rev-parse", "--show-toplevel"), expected, `${name}: Git`);
      assert.is(gitRoot(join(inner, "clusters/a")), expected, name);
    });
  });

  test("what is kept from Git is kept from the repository around a .git that is none", () => {
    const outer = realpathSync(tempFolder());
    git(outer, "init", "-q");
    mkdirSync(join(outer, "a/.git"), { recursive: true });
    assert.equal(excludeFromGit(join(outer, "a/keys.pool")), { line: "/a/keys.pool", done: true });
    assert.match(readFileSync(join(outer, ".git/info/exclude"), "utf8"), /^\/a\/keys\.pool$/m);
    writeFileSync(join(outer, "a/keys.pool"), "");
    assert.is(git(outer, "status", "--porcelain"), "");
  });

  test("a linked work tree and a submodule are work trees, and list what they pass over where Git reads it", () => {
    const outer = realpathSync(tempFolder());
    git(outer, "init", "-q", "main");
    const main = join(outer, "main");
    git(main, "commit", "-q", "--allow-empty", "-m", "x");
    git(main, "worktree", "add", "-q", "../linked");
    git(main, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", main, "sub");
    for (const place of [join(outer, "linked"), join(main, "sub")]) {
      mkdirSync(join(place, "a"));
      assert.is(git(join(place, "a"), "rev-parse", "--show-toplevel"), place);
      assert.is(gitRoot(join(place, "a")), place);
      assert.equal(excludeFromGit(join(place, "a/pool")), { line: "/a/pool", done: true });
      writeFileSync(join(place, "a/pool"), "");
      assert.is(git(place, "status", "--porcelain", "a"), "");
    }
  });
}

test("a file .git ends the search: Git looks no further either", () => {
  const root = tempFolder();
  mkdirSync(join(root, "a/b"), { recursive: true });
  writeFileSync(join(root, "a/.git"), "gitdir: ../nowhere\n");
  assert.is(gitRoot(join(root, "a/b")), join(root, "a"));
  assert.equal(excludeFromGit(join(root, "a/pool")), { line: "/pool", done: false });
});

test.run();
