import { spawn, spawnSync } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import {
  appendFileSync,
  chmodSync,
  cpSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { addKeys, countKeys, makePool, takeKeys } from "../../src/directory/key-pool.js";
import { rsaKey } from "../helpers/inputs.js";
import { programFile } from "../helpers/programs.js";
import { runs } from "../helpers/runs.js";
import { tempFolder } from "../helpers/temp.js";

const test = suite("directory/key-pool");
const KEYS = Array.from({ length: 24 }, rsaKey);
const PROGRAM = programFile("directory/key-pool");
const KILL_AT = join(process.cwd(), "scripts/kill-at.mjs");

async function value<T>(
  attempted: Promise<
    | { readonly ok: true; readonly value: T }
    | { readonly ok: false; readonly problem: { readonly message: string } }
  >,
): Promise<T> {
  const result = await attempted;
  if (!result.ok) throw new Error(result.problem.message);
  return result.value;
}

async function poolOf(keys: readonly string[]): Promise<string> {
  const file = join(tempFolder(), "pool");
  await value(makePool(file));
  await value(addKeys(file, keys));
  return file;
}

const keysIn = (stdout: string): string[] =>
  stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => String(JSON.parse(line)));

test("a pool is a file with mode 0600 that shrinks; what is asked beyond it is not there", async () => {
  const file = await poolOf(KEYS.slice(0, 5));
  assert.is(statSync(file).mode & 0o777, 0o600);
  assert.is(await value(countKeys(file)), 5);
  const first = await value(takeKeys(file, 2));
  const rest = await value(takeKeys(file, 10));
  assert.equal([...first, ...rest].sort(), KEYS.slice(0, 5).sort());
  assert.not.match(readFileSync(file, "utf8"), /PRIVATE KEY/);
  assert.equal(await value(takeKeys(file, 1)), []);
  assert.equal(readdirSync(join(file, "..")), ["pool"], "no lock stays");
});

test("whatever is added, taken, and cut off in the middle of adding: each key comes once, and none is lost", async () => {
  const step = fc.oneof(
    fc.record({ take: fc.integer({ min: 0, max: 7 }) }),
    fc.record({ add: fc.integer({ min: 1, max: 3 }) }),
    fc.record({ torn: fc.double({ min: 0.01, max: 0.99, noNaN: true }) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      const file = await poolOf([]);
      const desired = [...KEYS];
      const model = new Set<string>();
      const seen = new Set<string>();
      for (const each of steps) {
        if ("torn" in each) {
          const key = KEYS[0] ?? "";
          appendFileSync(file, key.slice(0, Math.max(1, Math.floor(key.length * each.torn))));
        } else if ("add" in each) {
          const added = desired.splice(0, each.add);
          await value(addKeys(file, added));
          for (const key of added) model.add(key);
        } else {
          const taken = await value(takeKeys(file, each.take));
          assert.is(taken.length, Math.min(each.take, model.size));
          for (const key of taken) {
            assert.ok(model.delete(key), "a key of the pool");
            assert.not.ok(seen.has(key), "taken once");
            seen.add(key);
          }
        }
        assert.is(await value(countKeys(file)), model.size);
      }
    }),
    { numRuns: runs(40) },
  );
});

test("processes that take at once never get the same key, and together they get all", async () => {
  const file = await poolOf(KEYS);
  const outputs = await Promise.all(
    [1, 2, 3, 4].map(
      (count) =>
        new Promise<string>((resolve, reject) => {
          const child = spawn(process.execPath, [PROGRAM, file, String(count), "30"]);
          let text = "";
          child.stdout.on("data", (part) => {
            text += part;
          });
          child.on("close", (code) => (code === 0 ? resolve(text) : reject(new Error(`exit ${code}`))));
        }),
    ),
  );
  assert.equal(outputs.flatMap(keysIn).sort(), [...KEYS].sort());
});

test("killed before any call that changes a file: what is printed is out of the pool, and the next one goes on", async () => {
  const origin = await poolOf(KEYS.slice(0, 6));
  const folder = join(origin, "..");
  const run = (
    file: string,
    env: Record<string, string>,
    times: string,
  ): { stdout: string; signal: string | null } =>
    spawnSync(process.execPath, ["--import", KILL_AT, PROGRAM, file, "2", times], {
      encoding: "utf8",
      env: { PATH: process.env["PATH"], ...env },
    });
  const copy = (name: string): string => {
    const to = join(tempFolder(), name);
    mkdirSync(to);
    cpSync(folder, to, { recursive: true });
    return join(to, "pool");
  };
  const count = join(tempFolder(), "count");
  run(copy("counted"), { SLIPWAY_KILL_COUNT: count }, "3");
  const steps = Number(readFileSync(count, "utf8"));
  assert.ok(steps >= 15, `${steps} calls`);
  for (let step = 1; step <= steps; step++) {
    const file = copy(`step${step}`);
    const killed = run(file, { SLIPWAY_KILL_AT: String(step) }, "3");
    assert.is(killed.signal, "SIGKILL", `step ${step}`);
    const first = keysIn(killed.stdout);
    const after = keysIn(run(file, {}, "9").stdout);
    const all = [...first, ...after];
    assert.is(new Set(all).size, all.length, `step ${step}: a key came twice`);
    assert.ok(all.length >= 4, `step ${step}: no more than one grip is lost`);
    assert.equal(readdirSync(join(file, "..")), ["pool"], `step ${step}: left behind`);
  }
});

test("two names of a pool: a symbolic link is the same pool, a hard link is refused", async () => {
  const file = await poolOf(KEYS.slice(0, 2));
  const other = join(tempFolder(), "other");
  symlinkSync(file, other);
  assert.is((await value(takeKeys(other, 1))).length, 1);
  assert.is(await value(countKeys(file)), 1);
  linkSync(file, `${file}-too`);
  const taken = await takeKeys(file, 1);
  assert.match(taken.ok ? "" : taken.problem.message, /a hard link/);
});

test("what is not a pool is left alone, by whoever takes, adds or makes", async () => {
  const folder = tempFolder();
  const file = join(folder, "mine.pem");
  writeFileSync(file, KEYS[0] ?? "");
  for (const result of [
    await takeKeys(file, 1),
    await addKeys(file, KEYS),
    await makePool(file),
    await countKeys(file),
  ])
    assert.is(result.ok ? "" : result.problem.code, "KEY001");
  assert.is(readFileSync(file, "utf8"), KEYS[0]);
  assert.equal(readdirSync(folder), ["mine.pem"]);
  const pipe = join(folder, "pipe");
  spawnSync("mkfifo", [pipe]);
  for (const each of [folder, pipe]) {
    const made = await makePool(each);
    assert.is(made.ok ? "" : made.problem.code, "KEY001", each);
  }
  const taken = await takeKeys(join(folder, "nothing here"), 1);
  assert.match(taken.ok ? "" : (taken.problem.hint ?? ""), /slipway keys --count 100 --out '.*nothing here'/);
});

test("an empty file, or one with a piece of the first line, becomes a pool, and is closed to others", async () => {
  const file = join(tempFolder(), "pool");
  for (const text of ["", "# slipway key"]) {
    writeFileSync(file, text);
    chmodSync(file, 0o644);
    await value(makePool(file));
    await value(addKeys(file, KEYS.slice(0, 1)));
    assert.is(await value(countKeys(file)), 1);
    assert.is(statSync(file).mode & 0o777, 0o600);
  }
});

test("a damaged key, and two pools put into one file, are told and nothing is taken", async () => {
  const file = await poolOf(KEYS.slice(0, 3));
  const whole = readFileSync(file, "utf8");
  for (const text of [
    whole.replace(/MII/g, "AII"),
    whole + whole,
    whole.replaceAll("RSA PRIVATE", "PRIVATE"),
  ]) {
    writeFileSync(file, text);
    const taken = await takeKeys(file, 6);
    if (taken.ok) assert.equal(taken.value, []);
    else assert.is(taken.problem.code, "KEY001");
    assert.ok(!taken.ok || !text.includes("RSA PRIVATE"));
  }
});

test("an empty file stays empty when keys are asked of it, and can be filled", async () => {
  const file = join(tempFolder(), "pool");
  writeFileSync(file, "");
  assert.equal(await value(takeKeys(file, 2)), []);
  assert.is(readFileSync(file, "utf8"), "");
  await value(makePool(file));
  await value(addKeys(file, KEYS.slice(0, 1)));
  assert.equal(await value(takeKeys(file, 2)), KEYS.slice(0, 1));
});

test("a link to nothing is told, with the file to make; then it is the pool", async () => {
  const root = tempFolder();
  const link = join(root, "link");
  symlinkSync("pool", link);
  for (const attempted of [await makePool(link), await takeKeys(link, 1)]) {
    assert.not.ok(attempted.ok);
    if (attempted.ok) continue;
    assert.match(attempted.problem.message, /dangling symbolic link/);
    assert.ok(attempted.problem.hint?.endsWith(`--out ${join(root, "pool")}`), attempted.problem.hint);
  }
  await value(makePool(join(root, "pool")));
  await value(makePool(link));
  assert.is(await value(countKeys(link)), 0);
});

test("a shorter key is not taken, and stays where it is", async () => {
  const short = generateKeyPairSync("rsa", { modulusLength: 1024 }).privateKey;
  const file = await poolOf([short.export({ type: "pkcs1", format: "pem" }).toString()]);
  const before = readFileSync(file, "utf8");
  const taken = await takeKeys(file, 1);
  assert.not.ok(taken.ok);
  if (!taken.ok) assert.match(taken.problem.message, /does not have 2048 bits/);
  assert.is(readFileSync(file, "utf8"), before);
});

test.run();
