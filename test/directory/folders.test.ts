import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { makeFolderPath } from "../../src/directory/folders.js";
import { BINARY } from "../helpers/cli.js";
import { tempFolder } from "../helpers/temp.js";

const test = suite("folders");

test("makes what is missing, outermost first, with the mode asked for", () => {
  const root = tempFolder();
  chmodSync(root, 0o700);
  assert.equal(makeFolderPath(join(root, "a/b"), 0o755), [join(root, "a"), join(root, "a/b")]);
  assert.is(statSync(join(root, "a/b")).mode & 0o777, 0o755);
  assert.equal(makeFolderPath(join(root, "a/b"), 0o700), []);
  assert.is(statSync(root).mode & 0o777, 0o700, "what is there is left alone");
  writeFileSync(join(root, "file"), "");
  assert.throws(() => makeFolderPath(join(root, "file/x"), 0o755), /ENOTDIR/);
});

test("a file system that takes no folders is a diagnostic, soon", () => {
  if (!existsSync("/proc/self")) return;
  for (const words of [
    ["generate", "crds", "--transfer-group", "example.org", "--out", "/proc/no/where"],
    ["generate", "crds", "--out", "/proc/no/where"],
  ]) {
    const { status, stderr, signal } = spawnSync(process.execPath, [BINARY, ...words], {
      encoding: "utf8",
      timeout: 600_000,
      killSignal: "SIGKILL",
    });
    assert.is(signal, null, words.join(" "));
    assert.is(status, 1, stderr);
    assert.match(stderr, /error DIR002: /);
  }
});

test.run();
