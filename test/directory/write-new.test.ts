import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { textFile } from "../../src/core/files.js";
import { writeNewFile } from "../../src/directory/write-new.js";
import { tempFolder } from "../helpers/temp.js";

const test = suite("write-new");

test("makes the file and its folders, whole, with the mode of its kind, and leaves nothing else", async () => {
  for (const [secret, mode] of [
    [true, 0o600],
    [false, 0o644],
  ] as const) {
    const root = join(tempFolder(), "a/b");
    const written = await writeNewFile(root, textFile("x.yaml", "text\n", { secret }));
    assert.equal(written, { ok: true, value: "created" });
    assert.is(readFileSync(join(root, "x.yaml"), "utf8"), "text\n");
    assert.is(statSync(join(root, "x.yaml")).mode & 0o777, mode);
    assert.equal(readdirSync(root), ["x.yaml"]);
  }
});

test("never writes over something, whatever it is, and changes nothing then", async () => {
  for (const prepare of [
    (path: string) => writeFileSync(path, "mine"),
    (path: string) => symlinkSync("nowhere", path),
    (path: string) => mkdirSync(path),
  ]) {
    const root = tempFolder();
    prepare(join(root, "x"));
    assert.equal(await writeNewFile(root, textFile("x", "other")), { ok: true, value: "exists" });
    assert.equal(readdirSync(root), ["x"]);
    assert.not.ok(existsSync(join(root, "nowhere")));
  }
});

test("of many writers at once one wins", async () => {
  const root = tempFolder();
  const results = await Promise.all(
    Array.from({ length: 20 }, (_, i) => writeNewFile(root, textFile("x", `writer ${i}`))),
  );
  const values = results.map((each) => (each.ok ? each.value : "failed"));
  assert.is(values.filter((each) => each === "created").length, 1);
  assert.is(values.filter((each) => each === "exists").length, 19);
  assert.is(readFileSync(join(root, "x"), "utf8"), `writer ${values.indexOf("created")}`);
  assert.equal(readdirSync(root), ["x"]);
});

test("a folder that cannot be made is a problem, not an exception", async () => {
  const root = tempFolder();
  writeFileSync(join(root, "file"), "");
  const written = await writeNewFile(join(root, "file/below"), textFile("x", ""));
  assert.not.ok(written.ok);
});

test.run();
