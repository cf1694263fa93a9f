import { type ChildProcess, spawn } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { acquireLock } from "../../src/directory/lock.js";
import { lifeOf, ownProcess } from "../../src/directory/process-identity.js";
import { programFile } from "../helpers/programs.js";
import { tempFolder } from "../helpers/temp.js";

const test = suite("directory/lock");
const DRIVER = programFile("directory/driver");
const DEAD_PID = 2 ** 22 + 7;

const own = (dir: string): string[] =>
  existsSync(join(dir, ".slipway")) ? readdirSync(join(dir, ".slipway")) : [];

interface Run {
  readonly child: ChildProcess;
  /** Resolves with the first line. */
  readonly said: Promise<string>;
  readonly ended: Promise<{ code: number | null; lines: string[]; errors: string }>;
}

function start(dir: string, hold: number): Run {
  const child = spawn(process.execPath, [DRIVER, "lock", dir, String(hold)]);
  let text = "";
  let errors = "";
  const said = new Promise<string>((resolve) => {
    child.stdout.on("data", (part) => {
      text += String(part);
      if (text.includes("\n")) resolve(text.split("\n")[0] ?? "");
    });
    child.on("close", () => resolve(text.split("\n")[0] ?? ""));
  });
  child.stderr.on("data", (part) => {
    errors += String(part);
  });
  const ended = new Promise<{ code: number | null; lines: string[]; errors: string }>((resolve) =>
    child.on("close", (code) => resolve({ code, lines: text.trim().split("\n"), errors })),
  );
  return { child, said, ended };
}

const holder = (changes: object): string =>
  `${JSON.stringify({ ...ownProcess(), host: hostname(), run: 0, ...changes })}\n`;

function leftBehind(text: string): string {
  const dir = tempFolder();
  mkdirSync(join(dir, ".slipway"));
  writeFileSync(join(dir, ".slipway/lock"), text);
  return dir;
}

async function take(dir: string): Promise<"held" | "busy"> {
  const lock = await acquireLock(dir);
  if (!lock.ok) {
    assert.is(lock.problem.code, "DIR007", lock.problem.message);
    return "busy";
  }
  lock.value.assertHeld();
  lock.value.release();
  return "held";
}

test("a lock makes the directory and leaves no trace", async () => {
  const base = tempFolder();
  assert.is(await take(join(base, "a/b")), "held");
  assert.equal(readdirSync(base), []);
});

test("a lock names its process", async () => {
  const dir = tempFolder();
  const lock = await acquireLock(dir);
  const text = readFileSync(join(dir, ".slipway/lock"), "utf8");
  const { pid, start: began, host } = JSON.parse(text);
  assert.equal([pid, began, host], [process.pid, ownProcess().start, hostname()]);
  assert.is(statSync(join(dir, ".slipway/lock")).mode & 0o777, 0o644);
  if (lock.ok) lock.value.release();
});

test("a second run is refused while the first one works, also of the same process", async () => {
  const dir = tempFolder();
  const first = start(dir, 600);
  assert.is(await first.said, '"held"');
  const refused = await acquireLock(dir);
  assert.ok(!refused.ok);
  if (!refused.ok) assert.match(refused.problem.message, new RegExp(`process ${first.child.pid} on`));
  const { lines } = await first.ended;
  assert.equal(lines, ['"held"', '"held"']);
  const second = await acquireLock(dir);
  assert.is(await take(dir), "busy");
  if (second.ok) second.value.release();
  assert.is(await take(dir), "held");
  assert.equal(own(dir), []);
});

test("the lock of a killed run is taken over", async () => {
  const dir = tempFolder();
  const first = start(dir, 60_000);
  assert.is(await first.said, '"held"');
  first.child.kill("SIGKILL");
  await first.ended;
  assert.equal(own(dir), ["lock"]);
  assert.is(await take(dir), "held");
  assert.equal(own(dir), []);
});

test("run after run is killed while it holds a lock that it took over", async () => {
  const dir = tempFolder();
  for (let i = 0; i < 4; i++) {
    const run = start(dir, 60_000);
    assert.is(await run.said, '"held"');
    assert.is(await take(dir), "busy");
    run.child.kill("SIGKILL");
    await run.ended;
  }
  assert.is(own(dir).length, 4);
  assert.is(await take(dir), "held");
  assert.equal(own(dir), []);
});

const STALE: readonly (readonly [name: string, text: string, age: number, outcome: "held" | "busy"])[] = [
  ["a dead process", holder({ pid: DEAD_PID }), 0, "held"],
  ["a process number that is used again", holder({ pid: process.ppid, start: 1 }), 0, "held"],
  ["a living process", holder({ pid: process.pid }), 1e6, "busy"],
  ["a process of another machine that is at work", holder({ machine: "0".repeat(12) }), 30, "busy"],
  ["a process of another machine that is gone", holder({ machine: "0".repeat(12) }), 300, "held"],
  ["another machine, whose clock is a little ahead", holder({ machine: "0".repeat(12) }), -60, "busy"],
  ["another machine, whose clock ran far ahead", holder({ machine: "0".repeat(12) }), -1e8, "held"],
  ["an empty file just made", "", 1, "busy"],
  ["an empty file from a clock that ran far ahead", "", -1e8, "held"],
  ["an empty file", "", 60, "held"],
  ["text that is not a lock", "{}", 60, "held"],
];

for (const [name, text, age, outcome] of STALE)
  test(`what lies there is of ${name}: ${outcome}`, async () => {
    const dir = leftBehind(text);
    const then = Date.now() / 1000 - age;
    utimesSync(join(dir, ".slipway/lock"), then, then);
    assert.is(await take(dir), outcome);
  });

test("of many that find a dead lock at once, one at a time gets it", async () => {
  for (let round = 0; round < 3; round++) {
    const dir = leftBehind(holder({ pid: DEAD_PID }));
    const runs = Array.from({ length: 8 }, () => start(dir, 400));
    const results = await Promise.all(runs.map(({ ended }) => ended));
    const got = results.filter(({ lines }) => lines[0] === '"held"');
    assert.ok(got.length >= 1, JSON.stringify(results));
    for (const { code, errors, lines } of results) {
      assert.is(code, 0, errors);
      assert.ok(lines.length === (lines[0] === '"held"' ? 2 : 1));
    }
    assert.equal(own(dir), []);
  }
});

test("a lock that was lost is noticed", async () => {
  const dir = tempFolder();
  const lock = await acquireLock(dir);
  if (!lock.ok) throw new Error("busy");
  writeFileSync(join(dir, ".slipway/lock"), holder({ run: 99 }));
  assert.throws(() => lock.value.assertHeld(), /is locked by/);
  lock.value.release();
  assert.equal(own(dir), ["lock"]);
});

test("the life of a process", () => {
  const self = ownProcess();
  assert.is(lifeOf(self), "alive");
  assert.is(lifeOf({ ...self, pid: DEAD_PID }), "dead");
  assert.is(lifeOf({ ...self, machine: "0".repeat(12) }), "unknown");
  if (self.start !== 0) assert.is(lifeOf({ ...self, start: self.start + 1 }), "dead");
});

test.run();
