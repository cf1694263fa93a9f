import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { commandLine, pathWord, shell, shellWord, singleQuoted, words } from "../../src/text/shell.js";
import { HOSTILE } from "../helpers/hostile.js";
import { tempFolder } from "../helpers/temp.js";

const test = suite("text shell words");

/** What a program is given as its arguments where a shell runs the line. */
function argumentsOf(line: string): string[] {
  const folder = tempFolder();
  writeFileSync(join(folder, "show"), '#!/bin/sh\nfor each; do printf "%s\\0" "$each"; done\n', {
    mode: 0o755,
  });
  const output = execFileSync("sh", ["-c", `./show ${line}`], { cwd: folder, encoding: "utf8" });
  return output.split("\0").slice(0, -1);
}

const WORDS = [
  ...HOSTILE,
  "",
  "plain",
  "a=b",
  "=ls",
  "~",
  "*",
  "#",
  "!",
  "\\",
  "''",
  "é",
  "{a,b}",
  "-n",
  "--",
];

test("splits a command at its own blanks only", () => {
  assert.equal(words`oc get ${"a b"} --name=${"x y"}-${3}`, ["oc", "get", "a b", "--name=x y-3"]);
  assert.equal(
    words`oc ${[]} ${["a", "b c"]} ${""} ${undefined}
    --all`,
    ["oc", "a", "b c", "", "--all"],
  );
  assert.equal(words`${["a"]}${"b"}`, ["a", "b"]);
  for (const value of HOSTILE)
    assert.is(shell`show ${value} x=${value}`, commandLine(["show", value, `x=${value}`]));
});

test("a shell gives a program every text as it was", () => {
  assert.equal(argumentsOf(commandLine(WORDS)), WORDS);
  assert.equal(argumentsOf(WORDS.map(singleQuoted).join(" ")), WORDS);
});

test("plain words stay as they are", () => {
  for (const word of ["widgets.example.com", "/registry/a/b", "--dir", "a,b:c%d+e@f", "demo_1"])
    assert.is(shellWord(word), word);
});

test("a path that begins with a dash is not a flag", () => {
  assert.equal(argumentsOf(["-rf", "--help", "a b", "/x"].map(pathWord).join(" ")), [
    "./-rf",
    "./--help",
    "a b",
    "/x",
  ]);
});

test("NUL, which no argument can hold, is shown as the replacement character", () => {
  assert.equal(argumentsOf(shellWord("a\0b")), ["a\ufffdb"]);
});

test.run();
