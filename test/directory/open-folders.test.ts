import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
} from "node:fs";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { encode, type OutputFile } from "../../src/core/files.js";
import { Stage, writeFiles } from "../../src/directory/atomic.js";
import { Fault } from "../../src/directory/fault.js";
import { acquireLock } from "../../src/directory/lock.js";
import { OpenFolders } from "../../src/directory/open-folders.js";
import { runs } from "../helpers/runs.js";
import { tempFolder } from "../helpers/temp.js";

const test = suite("directory/open-folders");

interface Layout {
  readonly root: string;
  readonly outside: string;
  /** Another process moves a folder of the root aside, and lets a link out of the root take its place. */
  swap(name: string): void;
}

function layout(): Layout {
  const top = tempFolder();
  const [root, outside] = [join(top, "root"), join(top, "outside")];
  mkdirSync(join(root, "kept"), { recursive: true });
  mkdirSync(outside);
  return {
    root,
    outside,
    swap: (name) => {
      renameSync(join(root, name), join(root, "aside"));
      symlinkSync(outside, join(root, name));
    },
  };
}

const secret = (path: string): OutputFile => ({ path, data: encode("secret"), secret: true });

function refused(work: () => void): void {
  try {
    work();
  } catch (error) {
    assert.ok(error instanceof Fault, String(error));
    assert.is(error.problem.code, "DIR008");
    return;
  }
  assert.unreachable("nothing was refused");
}

test("opens no link that took the place of a folder", () => {
  const { root, swap } = layout();
  const folders = new OpenFolders(root);
  folders.folder(root);
  swap("kept");
  refused(() => folders.folder(join(root, "kept")));
  refused(() => folders.make(join(root, "kept")));
  folders.close();
});

test("stays in a folder that another process moves", () => {
  if (process.platform !== "linux") return;
  const { root, outside, swap } = layout();
  const folders = new OpenFolders(root);
  const kept = folders.folder(join(root, "kept"));
  swap("kept");
  mkdirSync(kept.at("below"));
  assert.ok(existsSync(join(root, "aside/below")));
  assert.equal(readdirSync(outside), []);
  refused(() => folders.assertInPlace(join(root, "kept")));
  folders.close();
});

test("publishes nothing into a folder that was replaced", async () => {
  const { root, outside, swap } = layout();
  const stage = await Stage.create(root, [secret("kept/a"), secret("new/b")]);
  swap("kept");
  refused(() => stage.publish(["kept/a"]));
  stage.discard();
  stage.close();
  assert.equal(readdirSync(outside), []);
  assert.equal(readdirSync(join(root, "aside")), [], "the temporary file is removed where it is");
  assert.not.ok(existsSync(join(root, "new")));
});

test("releases a lock in the folder where it was taken", async () => {
  if (process.platform !== "linux") return;
  const { root, outside, swap } = layout();
  mkdirSync(join(root, ".slipway"));
  const lock = await acquireLock(root);
  assert.ok(lock.ok);
  swap(".slipway");
  if (lock.ok) lock.value.release();
  if (lock.ok) lock.value.release();
  assert.equal([readdirSync(outside), readdirSync(join(root, "aside"))], [[], []]);
});

/** Another thread, which does nothing but swap a folder and a link. */
const SWAPS = `
const { parentPort, workerData: { folder, link, aside, flag } } = require("node:worker_threads");
const { lstatSync, renameSync, existsSync } = require("node:fs");
const view = new Int32Array(flag);
const is = (path, kind) => { try { return lstatSync(path)[kind](); } catch { return false; } };
const tryTo = (work) => { try { work(); return true; } catch { return false; } };
let count = 0;
parentPort.postMessage("ready");
while (Atomics.load(view, 0) === 0) {
  if (is(folder, "isDirectory") && tryTo(() => renameSync(folder, aside))) tryTo(() => renameSync(link, folder)) && count++;
  if (is(folder, "isSymbolicLink")) tryTo(() => renameSync(folder, link));
  if (existsSync(aside) && !is(folder, "isDirectory")) tryTo(() => renameSync(aside, folder));
}
parentPort.postMessage(count);
`;

test("writes nothing outside while another thread swaps the folder", async () => {
  const { root, outside } = layout();
  const [folder, link, aside] = [join(root, "kept"), join(root, ".link"), join(root, ".aside")];
  symlinkSync(outside, link);
  const flag = new SharedArrayBuffer(4);
  const worker = new Worker(SWAPS, { eval: true, workerData: { folder, link, aside, flag } });
  const next = (): Promise<unknown> => new Promise((resolve) => worker.once("message", resolve));
  await next();
  let written = 0;
  for (let turn = 0; turn < runs(2000); turn++) {
    const result = await writeFiles(
      root,
      [secret(`kept/a${turn % 7}`), secret("kept/b")].map((each) => ({ ...each, data: encode(`${turn}`) })),
      { replace: true },
    );
    if (result.ok) written++;
    else assert.match(result.problem.code, /^DIR00[1-8]$/);
    assert.equal(readdirSync(outside), [], `turn ${turn}`);
  }
  Atomics.store(new Int32Array(flag), 0, 1);
  const swapped = await next();
  await worker.terminate();
  assert.ok(typeof swapped === "number" && swapped > 0);
  const real = lstatSync(folder).isSymbolicLink() || !existsSync(folder) ? aside : folder;
  if (written > 0) assert.ok(readFileSync(join(real, "b")).length > 0);
  assert.not.ok(
    readdirSync(real).some((name) => name.endsWith(".tmp")),
    "temporary files are removed",
  );
});

test.run();
