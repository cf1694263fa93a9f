import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { textFile } from "../../src/core/files.js";
import { checkEmpty, writeNewDirectory } from "../../src/directory/new-directory.js";
import { readModes, readTree, tempFolder } from "../helpers/temp.js";

const test = suite("directory: new directory");

const FILES = [
  textFile(".openshift_install_state.json", "{}"),
  textFile("manifests/a.yaml", "a"),
  textFile("openshift/b.yaml", "b"),
];
const WRITTEN = {
  ".openshift_install_state.json": "{}",
  "manifests/a.yaml": "a",
  "openshift/b.yaml": "b",
};
const modeOf = (path: string): number => statSync(path).mode & 0o777;
const content = (folder: string): Record<string, string> =>
  Object.fromEntries([...readTree(folder)].map(([path, data]) => [path, data.toString()]));

function assertWritten(folder: string): void {
  assert.equal(content(folder), WRITTEN);
  assert.equal([...new Set(readModes(folder).values())], [0o600]);
  for (const each of ["", "manifests", "openshift"]) assert.is(modeOf(join(folder, each)), 0o700, each);
}

test("a new one, with folders above it, all of it for the owner alone", async () => {
  const base = tempFolder();
  const folder = join(base, "x/y/z");
  assert.equal(await checkEmpty(folder), { ok: true, value: undefined });
  assert.ok((await writeNewDirectory(folder, FILES, base)).ok);
  assertWritten(folder);
  assert.equal(readdirSync(join(base, "x/y")), ["z"], "nothing beside it");
});

test("an empty one, also through a link", async () => {
  const base = tempFolder();
  mkdirSync(join(base, "real"));
  symlinkSync("real", join(base, "link"));
  assert.ok((await writeNewDirectory(join(base, "link"), FILES, "/")).ok);
  assertWritten(join(base, "real"));
  assert.equal(readdirSync(base).sort(), ["link", "real"]);
});

test("the working folder stays the folder that it is", async () => {
  const folder = tempFolder();
  const { ino } = statSync(folder);
  assert.ok((await writeNewDirectory(folder, FILES, join(folder))).ok);
  assertWritten(folder);
  assert.is(statSync(folder).ino, ino);
});

test("nothing is mixed with what is there", async () => {
  for (const make of [
    (folder: string) => writeFileSync(join(folder, ".hidden"), ""),
    (folder: string) => mkdirSync(join(folder, "manifests")),
    (folder: string) => symlinkSync("nowhere", join(folder, "x")),
  ]) {
    const folder = tempFolder();
    make(folder);
    const before = readdirSync(folder);
    for (const result of [await checkEmpty(folder), await writeNewDirectory(folder, FILES, "/")]) {
      assert.ok(!result.ok);
      assert.is(result.problem.code, "REC017");
    }
    assert.equal(readdirSync(folder), before);
  }
});

test("a file, and a link to nothing, are no directory", async () => {
  const base = tempFolder();
  writeFileSync(join(base, "file"), "");
  symlinkSync("nowhere", join(base, "link"));
  for (const name of ["file", "link"]) {
    const result = await writeNewDirectory(join(base, name), FILES, "/");
    assert.ok(!result.ok && result.problem.code === "DIR006", name);
  }
  const below = await writeNewDirectory(join(base, "file/x"), FILES, "/");
  assert.ok(!below.ok);
  assert.equal(readdirSync(base).sort(), ["file", "link"]);
});

test("a name that the file system cannot hold leaves nothing behind", async () => {
  const base = tempFolder();
  const files = [...FILES, textFile(`manifests/${"x".repeat(300)}.yaml`, "")];
  const result = await writeNewDirectory(join(base, "a/b"), files, "/");
  assert.ok(!result.ok);
  assert.equal(readdirSync(base), []);
});

test("what a killed run left is swept, what belongs to others stays", async () => {
  const base = tempFolder();
  const own = /^(\.slipway-[0-9a-f]{12}-)/;
  assert.ok((await writeNewDirectory(join(base, "probe"), FILES, "/")).ok);
  const { temporaryName } = await import("../../src/directory/temporary.js");
  const [, prefix = ""] = own.exec(temporaryName()) ?? [];
  // No process has this identifier: it is beyond what the kernel gives.
  const dead = join(base, `${prefix}4194999-1-0.tmp`);
  const foreign = join(base, ".slipway-000000000000-1-1-0.tmp");
  for (const each of [dead, foreign]) {
    mkdirSync(join(each, "manifests"), { recursive: true });
    writeFileSync(join(each, "manifests/a.yaml"), "secret");
    chmodSync(each, 0o700);
  }
  assert.ok((await writeNewDirectory(join(base, "next"), FILES, "/")).ok);
  assert.ok(!existsSync(dead));
  assert.ok(existsSync(foreign));
});

test.run();
