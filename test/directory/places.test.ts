import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { placeProblems } from "../../src/directory/places.js";
import { tempFolder } from "../helpers/temp.js";

const test = suite("directory/places");

const root = tempFolder();
for (const each of ["a", "b", "a/inner"]) mkdirSync(join(root, each));
writeFileSync(join(root, "file"), "");
symlinkSync("a", join(root, "link"));
symlinkSync("loop", join(root, "loop"));
symlinkSync("nowhere", join(root, "dangling"));

async function messages(names: readonly string[], mustExist = true): Promise<readonly string[]> {
  const places = names.map((name, index) => ({
    directory: join(root, name),
    position: { file: "fleet", line: index + 1, column: 1 },
    mustExist,
  }));
  const problems = await placeProblems(places);
  for (const { code, file } of problems) assert.equal([code, file], ["FLEET002", "fleet"]);
  return problems.map(({ line, message }) => `${line}: ${message.replaceAll(`${root}/`, "")}`);
}

test("directories of their own are right, and those that are to be made", async () => {
  assert.equal(await messages(["a", "b"]), []);
  assert.equal(await messages(["new/x", "new/y", "a"], false), []);
});

test("one directory under two names, through a link too, there or not", async () => {
  assert.equal(await messages(["a", "b/../a"]), ["2: a is also the directory of line 1"]);
  assert.equal(await messages(["a", "link"]), ["2: link is also the directory of line 1"]);
  assert.equal(await messages(["a/new", "link/new"], false), ["2: link/new is also the directory of line 1"]);
});

test("a directory inside another one, in either order, through a link too", async () => {
  assert.equal(await messages(["a", "a/inner"]), ["2: a/inner is inside the directory of line 1"]);
  assert.equal(await messages(["link/inner", "a"]), ["1: link/inner is inside the directory of line 2"]);
  assert.equal(await messages(["a/new/x", "b", "a"], false), [
    "1: a/new/x is inside the directory of line 3",
  ]);
});

test("what is missing, no folder, or cannot be reached", async () => {
  assert.equal(await messages(["a", "gone"]), ["2: no such directory"]);
  assert.equal(await messages(["file"]), ["1: file is not a folder"]);
  for (const mustExist of [true, false])
    assert.equal(await messages(["dangling"], mustExist), ["1: dangling is a dangling symbolic link"]);
  assert.match((await messages(["loop"]))[0] ?? "", /too many levels of symbolic links/);
  assert.match((await messages(["file/below"], false))[0] ?? "", /not a folder/);
});

test.run();
