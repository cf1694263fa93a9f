/** Which files Git ignores, compared with Git itself. */
import { spawnSync } from "node:child_process";
import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isIgnoredByGit } from "../../src/directory/git-ignored.js";
import { cpuMs } from "../helpers/cpu.js";
import { tempFolder } from "../helpers/temp.js";

const test = suite("directory/git-ignored");

const git = (cwd: string, ...words: readonly string[]) =>
  spawnSync("git", words, { cwd, env: { PATH: process.env["PATH"], HOME: cwd }, encoding: "utf8" });

const LISTS: readonly (readonly [file: string, text: string])[] = [
  [".gitignore", "install-config.yaml\n"],
  [".gitignore", "/install-config.yaml\n"],
  [".gitignore", "a/b/install-config.yaml\n"],
  [".gitignore", "a/*/install-config.yaml\n"],
  [".gitignore", "a/**\n"],
  [".gitignore", "a/**/install-config.yaml\n"],
  [".gitignore", "**/b\n"],
  [".gitignore", "b/\n"],
  [".gitignore", "install-config.yaml/\n"],
  [".gitignore", "*.yaml\n!install-config.yaml\n"],
  [".gitignore", "a\n!install-config.yaml\n"],
  [".gitignore", "a/*\n!a/b\n"],
  [".gitignore", "install-conf[hi]g.yaml\n"],
  [".gitignore", "install-conf[!i]g.yaml\n"],
  [".gitignore", "# install-config.yaml\n\\install-config.yaml  \n"],
  [".gitignore", "install?config.yaml\n"],
  [".gitignore", "a?b\n*\n!*\n"],
  ["a/.gitignore", "b/install-config.yaml\n"],
  ["a/.gitignore", "/install-config.yaml\n"],
  ["a/b/.gitignore", "/*\n"],
  ["a/b/.gitignore", "!*\n"],
  [".git/info/exclude", "install-config.yaml\n"],
  [".gitignore", "install-conf[z-a]g.yaml\n"],
  [".gitignore", "install-conf[i\n"],
  [".gitignore", "install-config.yaml\\ \n"],
  [".gitignore", "install-config.yaml \\  \n"],
  [".gitignore", "[[]\n*.[y]aml\n"],
];

for (const [file, text] of LISTS)
  test(`agrees with git check-ignore: ${file} ${JSON.stringify(text)}`, () => {
    const root = realpathSync(tempFolder());
    assert.is(git(root, "init", "--quiet").status, 0);
    const folder = join(root, "a/b");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "install-config.yaml"), "");
    writeFileSync(join(root, file), text);
    const expected = git(root, "check-ignore", "--quiet", "a/b/install-config.yaml").status === 0;
    assert.is(isIgnoredByGit(folder, "install-config.yaml"), expected);
  });

test("a pattern that is made to take long does not", () => {
  const name = `${"a".repeat(200)}b`;
  const folder = realpathSync(tempFolder());
  writeFileSync(
    join(folder, ".gitignore"),
    `${"*a".repeat(40)}\n${"**/a".repeat(40)}\n${"[".repeat(100_000)}\n`,
  );
  assert.ok(cpuMs(() => isIgnoredByGit(folder, name)) < 5_000);
});

test("uses only the folder's own list outside of a work tree", () => {
  const folder = realpathSync(tempFolder());
  assert.not.ok(isIgnoredByGit(folder, "install-config.yaml"));
  writeFileSync(join(folder, ".gitignore"), "/install-config.yaml\n");
  assert.ok(isIgnoredByGit(folder, "install-config.yaml"));
});

test.run();
