import { spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { decode, encode } from "../../src/core/files.js";
import { openDirectory, writeState } from "../../src/directory/index.js";
import { parseState } from "../../src/directory/state.js";
import { record } from "../helpers/cli.js";
import { check, create, type MiniConfig, type MiniResult, manifestsOf } from "../helpers/mini-pipeline.js";
import { programFile } from "../helpers/programs.js";
import { skipTest } from "../helpers/shared.js";
import { readModes, readTree, tempFolder } from "../helpers/temp.js";

const test = suite("directory/directory");
const STATE = ".openshift_install_state.json";
const RECORD = ".slipway/record.json";
const DRIVER = programFile("directory/driver");
const CONFIG: MiniConfig = { name: "wren", text: "a", count: 3, secrets: 2 };

const configure = (dir: string, change: Partial<MiniConfig> = {}): void =>
  writeFileSync(join(dir, "install-config.yaml"), JSON.stringify({ ...CONFIG, ...change }));

async function made(change: Partial<MiniConfig> = {}): Promise<string> {
  const dir = tempFolder();
  configure(dir, change);
  const result = await create(dir);
  assert.ok(result.ok, JSON.stringify(result.problems));
  return dir;
}

const tree = (dir: string): Record<string, string> =>
  Object.fromEntries([...readTree(dir)].map(([path, data]) => [path, data.toString("latin1")]));
const codes = ({ problems }: Pick<MiniResult, "problems">): string[] =>
  problems.map(({ code }) => code).sort();
const outcome = (result: MiniResult, path: string): string | undefined => {
  const file = result.files.find((each) => each.path === path);
  return file && `${file.status}${file.was === undefined ? "" : ` (${file.was})`}`;
};
const isRoot = process.getuid?.() === 0;

/** A run that must be refused and leave everything as it is. */
async function refused(dir: string, ...expected: readonly string[]): Promise<MiniResult> {
  const before = tree(dir);
  const result = await create(dir);
  assert.is(result.ok, false);
  record(JSON.stringify(result.problems));
  for (const code of expected) assert.ok(codes(result).includes(code), JSON.stringify(result.problems));
  assert.equal(tree(dir), before);
  return result;
}

test("what a first run makes: files, modes, record, state", async () => {
  const dir = await made();
  const modes = readModes(dir);
  assert.is(modes.get(STATE), 0o600);
  assert.is(modes.get(RECORD), 0o644);
  assert.is(modes.get("manifests/m0.yaml"), 0o644);
  assert.is(modes.get("openshift/s0.yaml"), 0o600);
  assert.is(statSync(join(dir, "infrastructure-manifests-secrets")).mode & 0o777, 0o700);
  assert.is(statSync(join(dir, "manifests")).mode & 0o777, 0o755);
  assert.equal(readdirSync(join(dir, ".slipway")).sort(), [
    ".gitattributes",
    ".gitignore",
    "local.json",
    "record.json",
  ]);
  const key = (await parseState(readFileSync(join(dir, STATE)))).state?.rootCA?.key ?? "";
  const text = readFileSync(join(dir, RECORD), "utf8");
  assert.not.ok(text.includes(key.slice(40, 60)));
  assert.match(text, /^\{"file":"manifests\/m0.yaml","digest":"sha256:[0-9a-f]{64}"\},$/m);
  assert.match(text, /^\{"file":"openshift\/s0.yaml","digest":"hmac-sha256:[0-9a-f]{64}"\},$/m);
});

test("two directories that start from the same config and state get the same bytes", async () => {
  const first = await made();
  const second = tempFolder();
  for (const name of ["install-config.yaml", STATE]) cpSync(join(first, name), join(second, name));
  assert.ok((await create(second)).ok);
  assert.equal(tree(second), tree(first));
});

test("a second run changes no mtime and repairs modes", async () => {
  const dir = await made();
  const paths = [...readTree(dir).keys()];
  for (const path of paths) utimesSync(join(dir, path), 1000, 1000);
  chmodSync(join(dir, STATE), 0o640);
  chmodSync(join(dir, "manifests/m0.yaml"), 0o600);
  chmodSync(join(dir, "infrastructure-manifests-secrets"), 0o755);
  writeFileSync(join(dir, "openshift/s1.yaml"), "kind: Secret\n", { mode: 0o600 });
  chmodSync(join(dir, "openshift/s1.yaml"), 0o644);
  const result = await create(dir, { phases: ["manifests"] });
  assert.is(outcome(result, "openshift/s1.yaml"), "kept (edited)");
  assert.is(outcome(result, STATE), "unchanged");
  for (const path of paths)
    if (path !== "openshift/s1.yaml" && path !== ".slipway/local.json")
      assert.is(statSync(join(dir, path)).mtimeMs, 1_000_000, path);
  assert.is(statSync(join(dir, STATE)).mode & 0o777, 0o600);
  assert.is(statSync(join(dir, "manifests/m0.yaml")).mode & 0o777, 0o644);
  assert.is(statSync(join(dir, "openshift/s1.yaml")).mode & 0o777, 0o600);
  assert.is(statSync(join(dir, "infrastructure-manifests-secrets")).mode & 0o777, 0o700);
});

test("a run that is refused leaves no directory behind", async () => {
  const dir = join(tempFolder(), "new/asset");
  const result = await create(dir);
  assert.is(result.ok, false);
  assert.not.ok(existsSync(join(dir, "..")));
});

test("dry run: what would happen, and nothing happens", async () => {
  const dir = await made();
  configure(dir, { text: "b", count: 2 });
  const before = tree(dir);
  const dry = await create(dir, { dryRun: true });
  assert.equal(tree(dir), before);
  const real = await create(dir);
  assert.equal(dry.files, real.files);
  assert.is(outcome(real, "manifests/m0.yaml"), "updated (stale)");
  assert.is(outcome(real, "manifests/m2.yaml"), "removed (stale)");
  assert.is(outcome(real, STATE), "updated");
});

test("a deleted folder is made anew; a folder that became empty goes", async () => {
  const dir = await made();
  rmSync(join(dir, "manifests"), { recursive: true });
  const again = await create(dir);
  assert.is(outcome(again, "manifests/m0.yaml"), "created (missing)");
  configure(dir, { secrets: 0 });
  const less = await create(dir);
  assert.is(outcome(less, "openshift/s0.yaml"), "removed (stale)");
  assert.not.ok(existsSync(join(dir, "openshift")));
});

test("conflict: a problem with path and both ways out, and nothing is written", async () => {
  const dir = await made();
  writeFileSync(join(dir, "manifests/m0.yaml"), "user: mine\n");
  configure(dir, { text: "b" });
  const result = await refused(dir, "DIR030");
  const [problem] = result.problems;
  assert.is(problem?.file, "manifests/m0.yaml");
  assert.match(problem?.hint ?? "", /--ours manifests\/m0.yaml, .*--theirs manifests\/m0.yaml/);
  assert.ok((await create(dir, { ours: ["manifests/m0.yaml"] })).ok);
  const quiet = await create(dir);
  assert.is(outcome(quiet, "manifests/m0.yaml"), "kept (edited)");
});

test("the state of another cluster is refused", async () => {
  const dir = await made();
  configure(dir, { name: "robin" });
  const result = await refused(dir, "DIR012");
  assert.is(result.problems[0]?.field, "metadata.name");
});

test("a record of another cluster is refused", async () => {
  const dir = await made();
  const other = await made({ name: "robin" });
  cpSync(join(other, RECORD), join(dir, RECORD));
  await refused(dir, "DIR012");
});

test("without its state a directory is not given new keys", async () => {
  const dir = await made();
  rmSync(join(dir, STATE));
  const hint = async (): Promise<string> => (await refused(dir, "DIR013")).problems[0]?.hint ?? "";
  assert.match(await hint(), /slipway reconstruct .*otherwise restore the state/);
  for (const folder of ["infrastructure-manifests", "infrastructure-manifests-secrets"])
    rmSync(join(dir, folder, "20_install-state.yaml"), { force: true });
  assert.not.match(await hint(), /reconstruct/);
  for (const name of [
    "manifests",
    "openshift",
    "infrastructure-manifests",
    "infrastructure-manifests-secrets",
  ])
    rmSync(join(dir, name), { recursive: true });
  const result = await create(dir);
  assert.ok(result.ok, JSON.stringify(result.problems));
  assert.is(outcome(result, "manifests/m0.yaml"), "created (missing)");
});

const BAD_RECORDS: readonly (readonly [name: string, text: (good: string) => string])[] = [
  ["cut off", (good) => good.slice(0, 100)],
  ["with the markers of a merge", (good) => good.replace('"kind"', '<<<<<<< HEAD\n"kind"')],
  ["of a later version", (good) => good.replace("slipway.dev/v1alpha1", "slipway.dev/v9")],
  ["with a digest that is none", (good) => good.replace(/"sha256:[0-9a-f]{4}/, '"sha256:zzzz')],
  ["that names an input", (good) => good.replaceAll("manifests/m0.yaml", "install-config.yaml")],
  ["that leads outside", (good) => good.replaceAll("manifests/m0.yaml", "manifests/../../x")],
  ["that is a list", () => "[]"],
  ["that is empty", () => ""],
];

for (const [name, change] of BAD_RECORDS)
  test(`a record ${name} is refused`, async () => {
    const dir = await made();
    writeFileSync(join(dir, RECORD), change(readFileSync(join(dir, RECORD), "utf8")));
    await refused(dir, "DIR020");
    assert.ok((await check(dir)).problems.some(({ code }) => code === "DIR020"));
  });

test("a state that cannot be read is refused, not replaced", async () => {
  const dir = await made();
  writeFileSync(join(dir, STATE), readFileSync(join(dir, STATE)).subarray(0, 500));
  await refused(dir, "DIR010");
});

test("what does not go to the cluster is reported, what cannot be read is refused", async () => {
  const dir = await made();
  mkdirSync(join(dir, "manifests/sub"));
  writeFileSync(join(dir, "manifests/notes.txt"), "x");
  writeFileSync(join(dir, "manifests/back\\slash.yaml"), "x");
  const latin = Buffer.concat([Buffer.from(`${dir}/manifests/`), Buffer.from([0xff]), Buffer.from(".yaml")]);
  writeFileSync(latin, "x");
  spawnSync("mkfifo", [join(dir, "openshift/pipe.yaml")]);
  const fine = await create(dir);
  assert.ok(fine.ok);
  assert.equal(codes(fine), ["DIR040", "DIR040", "DIR040", "DIR040", "DIR040"]);
  unlinkSync(latin);
  writeFileSync(join(dir, "manifests/latin.yaml"), new Uint8Array([0x61, 0xff, 0xfe]));
  await refused(dir, "DIR041");
  rmSync(join(dir, "manifests/latin.yaml"));
  writeFileSync(join(dir, "openshift/big.yaml"), "x".repeat(17 * 1024 * 1024));
  await refused(dir, "DIR042");
});

test("a folder that is a link out of the directory is not written", async () => {
  const base = tempFolder();
  const dir = join(base, "dir");
  mkdirSync(dir);
  mkdirSync(join(base, "outside"));
  configure(dir);
  symlinkSync("../outside", join(dir, "manifests"));
  const result = await create(dir);
  assert.equal(codes(result), ["DIR005"]);
  assert.equal(readdirSync(join(base, "outside")), []);
  assert.equal(readdirSync(dir).sort(), ["install-config.yaml", "manifests"]);
  writeFileSync(join(base, "outside/own.yaml"), "user: x\n");
  assert.ok((await create(dir, { dryRun: true })).problems.some(({ code }) => code === "DIR043"));
});

test("nothing is written through a .slipway that is a link out of the directory, not even a lock", async () => {
  const base = tempFolder();
  const dir = join(base, "dir");
  mkdirSync(dir);
  mkdirSync(join(base, "outside"));
  configure(dir);
  symlinkSync("../outside", join(dir, ".slipway"));
  assert.equal(codes(await create(dir)), ["DIR005"]);
  assert.equal(readdirSync(join(base, "outside")), []);
});

test("a generated file that the user replaced by a link is theirs, and is not written through", async () => {
  const base = tempFolder();
  const dir = join(base, "dir");
  mkdirSync(dir);
  configure(dir);
  assert.ok((await create(dir)).ok);
  writeFileSync(join(base, "common.yaml"), "user: common\n");
  rmSync(join(dir, "manifests/m0.yaml"));
  symlinkSync("../../common.yaml", join(dir, "manifests/m0.yaml"));
  const kept = await create(dir);
  assert.is(outcome(kept, "manifests/m0.yaml"), "kept (edited)");
  assert.ok(codes(kept).includes("DIR043"));
  configure(dir, { text: "b" });
  const theirs = await create(dir, { theirs: ["manifests/m0.yaml"] });
  assert.equal(theirs.ok, false);
  assert.ok(codes(theirs).includes("DIR005"));
  assert.is(readFileSync(join(base, "common.yaml"), "utf8"), "user: common\n");
  assert.ok(lstatSync(join(dir, "manifests/m0.yaml")).isSymbolicLink());
});

test("an asset directory that is a link is the folder that it names", async () => {
  const base = tempFolder();
  mkdirSync(join(base, "real"));
  symlinkSync("real", join(base, "link"));
  configure(join(base, "link"));
  assert.ok((await create(join(base, "link"))).ok);
  assert.ok(lstatSync(join(base, "link")).isSymbolicLink());
  assert.ok(existsSync(join(base, "real/manifests/m0.yaml")));
  assert.is((await check(join(base, "real"))).clean, true);
});

test("a file that changes while a run is at work stops the run", async () => {
  const dir = await made();
  configure(dir, { text: "b" });
  const opened = await openDirectory(dir, { write: true });
  if (!opened.ok) throw new Error("cannot open");
  const directory = opened.value;
  const key = directory.state?.rootCA?.key ?? "";
  const plan = await directory.compare({
    phase: "manifests",
    files: manifestsOf({ ...CONFIG, text: "b" }, key),
  });
  writeFileSync(join(dir, "manifests/m0.yaml"), "user: just now\n");
  const before = tree(dir);
  const result = await directory.commit({
    plans: [plan],
    state: directory.state?.bytes ?? new Uint8Array(),
    cluster: { name: "wren", infraID: "wren-abcde", clusterID: "0f8b2a51-0000-4000-8000-000000000000" },
    options: {},
    facts: { manifests: { tool: "t" } },
  });
  assert.ok(!result.ok && result.problem.code === "DIR008");
  assert.equal(tree(dir), before);
  directory.close();
});

test("--consume deletes inputs and files of the phases, the user's too, once all is written", async () => {
  const dir = await made();
  writeFileSync(join(dir, "manifests/own.yaml"), "user: x\n");
  const consume = { inputs: ["install-config.yaml"], phases: ["manifests" as const] };
  const result = await create(dir, { consume });
  assert.ok(result.ok, JSON.stringify(result.problems));
  assert.is(outcome(result, "manifests/own.yaml"), "removed");
  assert.is(outcome(result, "install-config.yaml"), "removed");
  assert.equal(readdirSync(dir).sort(), [
    STATE,
    ".slipway",
    "infrastructure-manifests",
    "infrastructure-manifests-secrets",
  ]);
  assert.match(readFileSync(join(dir, RECORD), "utf8"), /"phase":"manifests",.*"consumed":true/);
  const again = await create(dir, { phases: ["manifests"] });
  assert.is(outcome(again, "manifests/m0.yaml"), "created (missing)");
});

/** As `openshift-install create manifests` leaves a directory: no record, no input, files in another form. */
async function upstreamDirectory(): Promise<string> {
  const dir = await made();
  rmSync(join(dir, ".slipway"), { recursive: true });
  rmSync(join(dir, "install-config.yaml"));
  for (const name of ["infrastructure-manifests", "infrastructure-manifests-secrets"])
    rmSync(join(dir, name), { recursive: true });
  const { state } = await parseState(readFileSync(join(dir, STATE)));
  const other = (state?.files ?? []).map(({ path, data }) => ({
    path,
    data: encode(`# written by another tool\n${decode(data)}`),
  }));
  const strange = { path: "manifests/only-theirs.yaml", data: encode("only: theirs\n") };
  writeFileSync(join(dir, STATE), writeState(state, { files: [...other, strange] }), { mode: 0o640 });
  for (const { path, data } of [...other, strange]) writeFileSync(join(dir, path), data, { mode: 0o640 });
  return dir;
}

test("a directory of openshift-install is adopted: untouched files stay in their form", async () => {
  const dir = await upstreamDirectory();
  const before = tree(dir);
  const result = await create(dir);
  assert.ok(result.ok, JSON.stringify(result.problems));
  assert.is(outcome(result, "manifests/m0.yaml"), "unchanged (untouched)");
  assert.is(outcome(result, "manifests/only-theirs.yaml"), "unchanged (untouched)");
  const after = tree(dir);
  for (const path of Object.keys(before)) if (path !== STATE) assert.is(after[path], before[path], path);
  assert.is((await check(dir)).clean, true);
  const again = await create(dir);
  assert.not.ok(again.files.some(({ status }) => status !== "unchanged"));
});

test("an adopted directory: edits, removals and additions are the user's, a new configuration makes the rest stale", async () => {
  const dir = await upstreamDirectory();
  writeFileSync(join(dir, "manifests/m0.yaml"), "user: edited\n");
  writeFileSync(join(dir, "manifests/own.yaml"), "user: added\n");
  rmSync(join(dir, "manifests/m1.yaml"));
  const result = await create(dir);
  assert.is(outcome(result, "manifests/m0.yaml"), "kept (edited)");
  assert.is(outcome(result, "manifests/m1.yaml"), "removed (removed)");
  assert.is(outcome(result, "manifests/own.yaml"), "kept (added)");
  assert.is(outcome(result, "manifests/m2.yaml"), "unchanged (untouched)");
  configure(dir, { text: "b" });
  const next = await create(dir);
  assert.ok(codes(next).includes("DIR030"));
  const decided = await create(dir, { ours: ["manifests"] });
  assert.is(outcome(decided, "manifests/m2.yaml"), "updated (stale)");
  assert.is(outcome(decided, "manifests/m0.yaml"), "kept (edited)");
  assert.is(outcome(decided, "manifests/only-theirs.yaml"), "unchanged (untouched)");
});

test("an adopted directory with a new configuration from the start", async () => {
  const dir = await upstreamDirectory();
  configure(dir, { text: "b" });
  const result = await create(dir);
  assert.ok(result.ok, JSON.stringify(result.problems));
  assert.is(outcome(result, "manifests/m0.yaml"), "updated (stale)");
  assert.is(outcome(result, "manifests/m1.yaml"), "unchanged (untouched)");
});

test("check in a clone without the secrets", async () => {
  const dir = await made();
  for (const name of [STATE, "openshift", "infrastructure-manifests-secrets"])
    rmSync(join(dir, name), { recursive: true });
  writeFileSync(join(dir, "manifests/m1.yaml"), "user: edited\n");
  const result = await check(dir);
  assert.is(result.clean, true);
  const statuses = Object.fromEntries(result.files.map(({ path, status }) => [path, status]));
  assert.is(statuses["manifests/m0.yaml"], "untouched");
  assert.is(statuses["manifests/m1.yaml"], "edited");
  assert.is(statuses["openshift/s0.yaml"], "unverifiable");
  assert.is(statuses["infrastructure-manifests/00_namespace.yaml"], "untouched");
  assert.is(statuses["infrastructure-manifests-secrets/30_openshift_s0.yaml"], "unverifiable");
  assert.is((await check(dir, { strict: true })).clean, false);
  configure(dir, { text: "b" });
  assert.is((await check(dir)).clean, false);
});

test("check without a record compares with a fresh compile", async () => {
  const dir = await made();
  rmSync(join(dir, ".slipway"), { recursive: true });
  rmSync(join(dir, "infrastructure-manifests/00_namespace.yaml"));
  const phases = ["manifests", "infrastructure-manifests"] as const;
  const result = await check(dir, { phases });
  const odd = result.files.filter(({ status }) => status !== "untouched");
  assert.equal(odd, [{ path: "infrastructure-manifests/00_namespace.yaml", status: "missing" }]);
  assert.is(result.clean, false);
});

test("check writes nothing and takes no lock", async () => {
  const dir = await made();
  const opened = await openDirectory(dir, { write: true });
  assert.is((await check(dir)).clean, true);
  if (opened.ok) opened.value.close();
});

/** The driver in a shell with limits, or as another user. */
const drive = (dir: string, prefix: string, options: { uid?: number; gid?: number } = {}) => {
  const result = spawnSync(
    "sh",
    ["-c", `${prefix} exec "$0" "$@"`, process.execPath, DRIVER, "create", dir],
    {
      encoding: "utf8",
      ...options,
    },
  );
  record(result.stdout + result.stderr);
  return result;
};

test("a disk that is full in the middle of a write: a diagnostic, and every file is as before", async () => {
  const dir = await made({ text: "x".repeat(3000) });
  configure(dir, { text: "y".repeat(9000) });
  const before = tree(dir);
  // A limit on the size of files makes a write end early, as a full disk does.
  const { status, stdout, stderr } = drive(dir, "trap '' XFSZ; ulimit -f 16;");
  assert.is(status, 1, stderr + stdout);
  assert.match(stdout, /DIR002/);
  assert.equal(tree(dir), before);
});

function asNobody(name: string, body: (dir: string) => Promise<void> | void): void {
  if (!isRoot) {
    test(name, async () => body(await made()));
    return;
  }
  const probe = drive(join(tempFolder(), "x"), ":;", { uid: 65534, gid: 65534 });
  if (probe.status === null || /Cannot find module|EACCES: permission denied, open/.test(probe.stderr))
    skipTest(test, name, "another user cannot run the tests here");
  else
    test(name, async () => {
      const dir = await made();
      for (const path of ["", ...readdirSync(dir, { recursive: true, encoding: "utf8" })])
        chownSync(join(dir, path), 65534, 65534);
      await body(dir);
    });
}

const driveAsNobody = (dir: string) => drive(dir, ":;", isRoot ? { uid: 65534, gid: 65534 } : {});

asNobody("a folder that may not be written", (dir) => {
  configure(dir, { text: "b" });
  chmodSync(join(dir, "manifests"), 0o555);
  const before = tree(dir);
  const { status, stdout, stderr } = driveAsNobody(dir);
  chmodSync(join(dir, "manifests"), 0o755);
  assert.is(status, 1, stdout + stderr);
  assert.match(stdout, /DIR002.*permission denied/);
  assert.equal(tree(dir), before);
});

asNobody("a directory that may not be written", (dir) => {
  chmodSync(join(dir, ".slipway"), 0o555);
  const { status, stdout, stderr } = driveAsNobody(dir);
  chmodSync(join(dir, ".slipway"), 0o755);
  assert.is(status, 1, stdout + stderr);
  assert.match(stdout, /DIR002.*permission denied/);
});

asNobody("a manifest that may not be read", (dir) => {
  writeFileSync(join(dir, "manifests/own.yaml"), "user: x\n", { mode: 0o000 });
  chmodSync(join(dir, "manifests/own.yaml"), 0o000);
  const { status, stdout, stderr } = driveAsNobody(dir);
  assert.is(status, 1, stdout + stderr);
  assert.match(stdout, /DIR001.*manifests\/own.yaml/);
});

test.run();
