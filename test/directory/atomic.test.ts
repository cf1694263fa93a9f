import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { encode, type OutputFile } from "../../src/core/files.js";
import { Stage, writeFiles } from "../../src/directory/atomic.js";
import { ownProcess } from "../../src/directory/process-identity.js";
import { isTemporaryName, sweep, temporaryName } from "../../src/directory/temporary.js";
import { readModes, readTree, tempFolder } from "../helpers/temp.js";

const test = suite("directory/atomic");

const file = (path: string, text = path, secret = false): OutputFile => ({
  path,
  data: encode(text),
  secret,
});
const texts = (root: string): Record<string, string> =>
  Object.fromEntries([...readTree(root)].map(([path, data]) => [path, data.toString("utf8")]));

async function refused(root: string, files: readonly OutputFile[], code: string): Promise<void> {
  const before = texts(root);
  const result = await writeFiles(root, files);
  assert.is(result.ok, false);
  if (!result.ok) assert.is(result.problem.code, code, result.problem.message);
  assert.equal(texts(root), before);
}

test("files, folders and modes, whatever the umask", async () => {
  const root = join(tempFolder(), "a/b");
  const old = process.umask(0o077);
  try {
    const result = await writeFiles(root, [file("x.yaml"), file("auth/key", "k", true), file("deep/er/y")], {
      privateFolders: new Set(["auth"]),
    });
    assert.ok(result.ok);
  } finally {
    process.umask(old);
  }
  assert.equal(texts(root), { "auth/key": "k", "deep/er/y": "deep/er/y", "x.yaml": "x.yaml" });
  assert.equal(
    readModes(root),
    new Map([
      ["auth/key", 0o600],
      ["deep/er/y", 0o644],
      ["x.yaml", 0o644],
    ]),
  );
  assert.is(statSync(join(root, "auth")).mode & 0o777, 0o700);
  assert.is(statSync(join(root, "deep")).mode & 0o777, 0o755);
  assert.is(statSync(root).mode & 0o777, 0o755);
});

test("an unchanged file keeps its mtime; a wrong mode is repaired", async () => {
  const root = tempFolder();
  await writeFiles(root, [file("a"), file("s", "s", true)]);
  for (const name of ["a", "s"]) utimesSync(join(root, name), 1000, 1000);
  chmodSync(join(root, "s"), 0o644);
  const result = await writeFiles(root, [file("a"), file("s", "s", true), file("new")]);
  assert.ok(result.ok);
  if (result.ok)
    assert.equal(
      result.value.map(({ path, status }) => `${path} ${status}`),
      ["a unchanged", "s unchanged", "new created"],
    );
  assert.is(statSync(join(root, "a")).mtimeMs, 1_000_000);
  assert.is(statSync(join(root, "s")).mtimeMs, 1_000_000);
  assert.is(statSync(join(root, "s")).mode & 0o777, 0o600);
});

test("a changed file is replaced as a whole, its mode too", async () => {
  const root = tempFolder();
  writeFileSync(join(root, "a"), "a much longer old text", { mode: 0o600 });
  const result = await writeFiles(root, [file("a", "new")], { replace: true });
  assert.ok(result.ok && result.value[0]?.status === "updated");
  assert.equal(texts(root), { a: "new" });
  assert.is(statSync(join(root, "a")).mode & 0o777, 0o644);
});

for (const path of ["../x", "a/../../x", "/etc/x", "a//b", "./a", "a/.", "", "a\\b", "a\0b"])
  test(`a path that is not inside is refused: ${JSON.stringify(path)}`, async () => {
    const root = join(tempFolder(), "root");
    mkdirSync(root);
    await refused(root, [file("good"), file(path, "x")], "DIR003");
  });

test("two writers for one path are refused, by name, through a link and as folder", async () => {
  const root = tempFolder();
  mkdirSync(join(root, "real"));
  symlinkSync("real", join(root, "link"));
  await refused(root, [file("a"), file("a")], "DIR004");
  await refused(root, [file("real/x"), file("link/x")], "DIR004");
  await refused(root, [file("c"), file("c/d")], "DIR004");
});

test("links that lead outside are not written through", async () => {
  const base = tempFolder();
  const [root, outside] = [join(base, "root"), join(base, "outside")];
  for (const folder of [root, outside]) mkdirSync(folder);
  writeFileSync(join(outside, "target"), "precious");
  symlinkSync("../outside", join(root, "folder"));
  symlinkSync("../outside/target", join(root, "file"));
  symlinkSync("../outside/nothing", join(root, "dangling"));
  symlinkSync(join(outside, "target"), join(root, "absolute"));
  for (const path of ["folder/x", "folder/deep/x", "file", "dangling", "absolute"])
    await refused(root, [file("good"), file(path, "new")], "DIR005");
  assert.equal(texts(outside), { target: "precious" });
  assert.not.ok(existsSync(join(root, "good")));
});

test("links that stay inside are followed, a root that is a link is the folder that it names", async () => {
  const base = tempFolder();
  mkdirSync(join(base, "root/real"), { recursive: true });
  writeFileSync(join(base, "root/real/f"), "old");
  symlinkSync("real", join(base, "root/link"));
  symlinkSync("real/f", join(base, "root/short"));
  symlinkSync("root", join(base, "alias"));
  const result = await writeFiles(join(base, "alias"), [file("link/x", "1"), file("short", "2")], {
    replace: true,
  });
  assert.ok(result.ok);
  assert.is(readFileSync(join(base, "root/real/x"), "utf8"), "1");
  assert.is(readFileSync(join(base, "root/real/f"), "utf8"), "2");
  assert.is(readlinkSync(join(base, "root/short")), "real/f");
});

test("something else in the way is named", async () => {
  const root = tempFolder();
  mkdirSync(join(root, "dir"));
  writeFileSync(join(root, "plain"), "x");
  await refused(root, [file("dir", "x")], "DIR006");
  await refused(root, [file("plain/x")], "DIR006");
  await refused(join(root, "plain"), [file("x")], "DIR006").catch(() => undefined);
  symlinkSync("nowhere", join(root, "dangling-root"));
  const result = await writeFiles(join(root, "dangling-root"), [file("x")]);
  assert.ok(!result.ok && result.problem.code === "DIR006");
});

test("a fault while staging leaves nothing behind, not even folders", async () => {
  const root = join(tempFolder(), "new");
  const result = await writeFiles(root, [file("a/b/c"), file(`a/${"n".repeat(300)}/x`)]);
  assert.ok(!result.ok && result.problem.code.startsWith("DIR00"));
  assert.not.ok(existsSync(root));
});

test("what was staged and is not published leaves nothing behind", async () => {
  const root = tempFolder();
  writeFileSync(join(root, "a"), "old");
  const stage = await Stage.create(root, [file("a", "new"), file("deep/b")]);
  assert.is(readdirSync(root).length, 3);
  stage.discard();
  assert.equal(texts(root), { a: "old" });
  assert.equal(readdirSync(root), ["a"]);
});

test("temporary files: of dead processes and of old other machines are removed, others stay", () => {
  const root = tempFolder();
  const { machine, start } = ownProcess();
  const dead = `.slipway-${machine}-${2 ** 22 + 5}-${start}-0.tmp`;
  const reused = `.slipway-${machine}-${process.pid}-${start + 1}-0.tmp`;
  const alive = temporaryName();
  const foreign = `.slipway-${"0".repeat(12)}-1-1-0.tmp`;
  const oldForeign = `.slipway-${"1".repeat(12)}-1-1-0.tmp`;
  const others = ["x.tmp", ".slipway-x.tmp", "a.yaml"];
  for (const name of [dead, reused, alive, foreign, oldForeign, ...others])
    writeFileSync(join(root, name), "");
  utimesSync(join(root, oldForeign), 1000, 1000);
  sweep(root, { exclusive: false });
  assert.equal(readdirSync(root).sort(), [alive, foreign, ...others].sort());
  sweep(root, { exclusive: true });
  assert.equal(readdirSync(root).sort(), [alive, ...others].sort());
  assert.ok(isTemporaryName(alive) && isTemporaryName(dead) && !isTemporaryName("x.tmp"));
});

test("several hundred files at once", async () => {
  const root = tempFolder();
  const files = Array.from({ length: 500 }, (_, i) => file(`f${i % 7}/x${i}`));
  const result = await writeFiles(root, files);
  assert.ok(result.ok);
  assert.is(readTree(root).size, 500);
});

test.run();
