// Runs the tests: type check and lint, then test files, several in each of a few worker processes; those of the slow tier
// in a process of their own. A file without tests, a stray `.only`, a forgotten `.run()` or a planted secret in any output
// fails. The last line is `N passed, N failed[, N skipped]`.
import { fork, spawn } from "node:child_process";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { availableParallelism } from "node:os";
import { join, relative } from "node:path";
import { cliFolder } from "./build.mjs";
import { filesBelow, refreshGenerated, root } from "./generate.mjs";
import { bundleTests, compiledFile, importsOf, isAlive, withSourcePlaces } from "./test-bundle.mjs";
import { changedFiles, reachedBy } from "./test-changed.mjs";
import { endChecks } from "./test-checks.mjs";

const FILE_TIMEOUT = Number(process.env.SLIPWAY_TEST_MINUTES ?? 60) * 60_000;
/** A worker that has grown so far, in bytes, is replaced. */
const LARGEST_WORKER = 1.2e9;
/** How often a run says what it is at, in milliseconds. */
const PULSE = 30_000;
const DURATIONS = join(root, "build/test-durations.json");

export function optionsOf(words) {
  const options = { parts: [], all: false, changed: undefined, jobs: undefined };
  for (let i = 0; i < words.length; i++) {
    const word = words[i];
    if (word === "--all") options.all = true;
    else if (word === "--slow") options.all = options.slow = true;
    else if (word === "--changed") options.changed = "HEAD";
    else if (word.startsWith("--changed=")) options.changed = word.slice("--changed=".length);
    else if (word === "--bail") options.bail = true;
    else if (word === "--no-lint") options.lint = false;
    else if (word === "--jobs") options.jobs = Number(words[++i]);
    else options.parts.push(word);
  }
  // What waits for servers and processes leaves a processor idle.
  options.jobs ??= Math.max(2, availableParallelism()) + (options.all ? 1 : 0);
  return options;
}

const say = (text) => void process.stdout.write(`${text}\n`);

/** The files of the slow tier, with the reason: everything else is in the fast one. */
export const slowFiles = () => JSON.parse(readFileSync(join(root, "test/slow.json"), "utf8"));

class Run {
  totals = { passed: 0, failed: 0, skipped: 0 };
  took = new Map();
  running = new Set();
  failures = [];

  constructor(options) {
    this.options = options;
    this.started = Date.now();
    this.logs = join(root, "build/runs", String(process.pid));
  }

  count(name, ok, detail = "") {
    this.totals[ok ? "passed" : "failed"]++;
    if (!ok) this.failures.push(name);
    say(`${ok ? "ok  " : "FAIL"} ${name}${ok ? "" : `\n${detail}`}`);
  }

  /** Files that the words choose, and whether they are all that there are of the tier. */
  async select() {
    const { parts, all, slow: slowAlone, changed } = this.options;
    const sources = filesBelow(join(root, "test"), ".test.ts");
    const slow = new Set(slowFiles().flatMap(({ files }) => files.map((file) => join(root, "test", file))));
    this.slow = slow;
    if (parts.length > 0)
      return sources.filter((file) =>
        parts.some((part) => relative(join(root, "test"), file).includes(part)),
      );
    const hasMore = (file) => slow.has(file) || /helpers\/runs\.js/.test(readFileSync(file, "utf8"));
    const tier = sources.filter((file) => (slow.has(file) ? all : !slowAlone || hasMore(file)));
    if (changed === undefined) return tier;
    const reached = reachedBy(changedFiles(changed), tier, await importsOf(tier));
    say(`${reached.length} of ${tier.length} test files can be reached from what differs from ${changed}`);
    return reached;
  }

  async everything() {
    prepareLogs(this.logs);
    const { parts, all, changed, jobs } = this.options;
    const whole = parts.length === 0 && changed === undefined;
    const isChecked = whole || changed !== undefined;
    // Lint reads no generated code, and generating keeps one processor busy.
    const lint = isChecked && this.options.lint !== false ? this.runCheck("lint") : undefined;
    await step("generating code", refreshGenerated);
    const files = await this.select();
    const [folder, cli] = await Promise.all([
      step("compiling tests", () => bundleTests(files)),
      needsCli(files) ? step("building the command line", cliFolder) : undefined,
    ]);
    const env = {
      ...process.env,
      FORCE_COLOR: "0",
      SLIPWAY_TEST_LOGS: this.logs,
      SLIPWAY_TEST_BUILD: folder,
      SLIPWAY_TEST_TIER: all ? "all" : "fast",
      ...(cli === undefined ? {} : { SLIPWAY_CLI: join(cli, "slipway.js") }),
      ...(all ? { SLIPWAY_FOLLOW_REMEDIES: "1" } : {}),
    };
    this.env = env;
    this.folder = folder;
    this.files = files;
    const queue = changed === undefined ? inOrder(files) : [...files];
    this.left = queue.length;
    if (isChecked) {
      const stray = files.filter((file) => /\.only\(/.test(readFileSync(file, "utf8")));
      this.count("no test file narrows the run", stray.length === 0, stray.join("\n"));
    }
    const checks = isChecked ? ["type check"] : [];
    const pulse = setInterval(() => say(`     in ${[...this.running].join(" and ")}`), PULSE);
    await Promise.all(Array.from({ length: jobs }, () => this.work(queue, checks)));
    clearInterval(pulse);
    await lint;
    // A worker writes what it noted when it ends.
    await Promise.all([...workers].map((child) => new Promise((resolve) => child.once("exit", resolve))));
    const context = { logs: this.logs, env, folder, count: (...words) => this.count(...words) };
    if (this.isOver()) return;
    await endChecks(context, { whole, all });
    if (files.length === 0 && changed === undefined)
      this.count("some test file is selected", false, `nothing matches ${parts.join(" ")}`);
  }

  /** What one of the workers does: checks that are programs of their own, then one file after the other. */
  async work(queue, checks) {
    for (let check = checks.shift(); check !== undefined; check = checks.shift()) await this.runCheck(check);
    if (this.isOver()) return;
    let worker;
    for (let file = queue.shift(); file !== undefined; file = queue.shift()) {
      const alone = this.slow.has(file);
      if (alone || worker?.ended === true || worker?.memory > LARGEST_WORKER) worker = worker?.stop();
      worker ??= new WorkProcess(this.env);
      await this.runFile(worker, file);
      if (alone) worker = worker.stop();
      if (this.isOver()) break;
    }
    worker?.stop();
  }

  /** With `--bail` the first failure ends the run. */
  isOver() {
    return this.options.bail === true && this.totals.failed > 0;
  }

  async runCheck(name) {
    const args = {
      "type check": [join(root, "node_modules/typescript/bin/tsc"), "--noEmit"],
      lint: [join(root, "node_modules/@biomejs/biome/bin/biome"), "check", "--error-on-warnings", "."],
    }[name];
    const { code, output } = await execute(process.execPath, args);
    this.count(name, code === 0, output);
  }

  async runFile(worker, file) {
    const name = relative(join(root, "test"), file).replace(/\.ts$/, "");
    const started = Date.now();
    this.running.add(name);
    const result = await worker.run(compiledFile(this.folder, file));
    this.running.delete(name);
    const { passed, total, skipped, output, cpu } = result;
    const failed = total - passed;
    const broken = result.crash !== undefined || total + skipped === 0;
    this.totals.passed += passed;
    this.totals.failed += failed > 0 ? failed : broken ? 1 : 0;
    this.totals.skipped += skipped;
    const seconds = (Date.now() - started) / 1000;
    this.took.set(name, { seconds, cpu });
    if (process.env.SLIPWAY_TEST_COSTS !== undefined)
      appendFileSync(process.env.SLIPWAY_TEST_COSTS, `${cpu?.toFixed(2)}\t${seconds.toFixed(2)}\t${name}\n`);
    this.left--;
    const bad = broken || failed > 0;
    if (bad) this.failures.push(name);
    const counts = `${passed}/${total}${skipped > 0 ? `, ${skipped} skipped` : ""}`;
    say(`${bad ? "FAIL" : "ok  "} ${name} (${counts}, ${seconds.toFixed(1)} s; ${this.left} left)`);
    for (const line of output.split("\n")) if (line.startsWith("SKIPPED ")) say(`     ${line}`);
    if (!bad) return;
    if (broken) say(result.crash ?? "the file has no test, or does not call run()");
    say(await withSourcePlaces(output, this.folder, this.files));
  }

  close() {
    const slowest = [...this.took].sort(([, a], [, b]) => b.seconds - a.seconds).slice(0, 5);
    if (slowest.length > 1)
      say(`slowest: ${slowest.map(([name, { seconds }]) => `${name} ${seconds.toFixed(1)} s`).join(", ")}`);
    if (this.failures.length > 0) say(`failed: ${this.failures.join(", ")}`);
    const known = readDurations();
    for (const [name, { seconds }] of this.took) known[name] = Number(seconds.toFixed(2));
    writeWhole(DURATIONS, JSON.stringify(known));
    if (this.totals.failed === 0) rmSync(this.logs, { recursive: true, force: true });
    const { passed, failed, skipped } = this.totals;
    say(`in ${((Date.now() - this.started) / 1000).toFixed(0)} s`);
    say(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`);
    return failed > 0 ? 1 : 0;
  }
}

/** Workers; a test that computes does not hear that the run has ended. */
const workers = new Set();

/** Runs the tests and answers the exit code. */
export async function runTests(options) {
  for (const signal of ["SIGINT", "SIGTERM"])
    process.once(signal, () => {
      for (const child of workers) child.kill("SIGKILL");
      process.exit(130);
    });
  const run = new Run(options);
  await run.everything();
  return run.close();
}

/** A worker: one that ends in the middle of a file failed it, and is replaced. */
class WorkProcess {
  memory = 0;
  ended = false;

  constructor(env) {
    this.child = fork(join(root, "scripts/test-worker.mjs"), [], {
      cwd: root,
      env,
      execArgv: ["--stack-trace-limit=30"],
      stdio: ["ignore", "pipe", "pipe", "ipc"],
    });
    workers.add(this.child);
    this.child.once("exit", () => workers.delete(this.child));
    this.raw = "";
    for (const stream of [this.child.stdout, this.child.stderr])
      stream.on("data", (part) => {
        this.raw += part;
      });
  }

  run(file) {
    this.raw = "";
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.child.kill("SIGKILL"), FILE_TIMEOUT);
      const settle = (result) => {
        clearTimeout(timer);
        this.child.removeAllListeners("message");
        this.child.removeAllListeners("close");
        resolve(result);
      };
      this.child.once("message", (result) => {
        this.memory = result.memory;
        settle(result);
      });
      this.child.once("close", (code, signal) => {
        this.ended = true;
        const crash = `the process ended in the middle (${signal ?? `exit ${code}`})`;
        settle({ passed: 0, total: 0, skipped: 0, cpu: 0, output: this.raw, crash });
      });
      this.child.send({ file });
    });
  }

  /** Ends the process, which then writes what it has noted. */
  stop() {
    if (this.child.connected) this.child.disconnect();
  }
}

function execute(command, args) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (part) => {
        output += part;
      });
    child.on("close", (code) => resolve({ code, output }));
  });
}

/** Says what is done, where it takes longer than a moment. */
async function step(name, work) {
  const started = Date.now();
  const timer = setTimeout(() => say(`${name} ...`), 500);
  const result = await work();
  clearTimeout(timer);
  const seconds = (Date.now() - started) / 1000;
  if (seconds > 0.5) say(`${name}: ${seconds.toFixed(1)} s`);
  return result;
}

/** Tests start the built command line where they name it, and a fleet starts processes of it. */
function needsCli(files) {
  const word = /\bBINARY\b|\bslipwayProcess\b|\b(?:on|answeredOn)Terminal\b|fleet|--installer/;
  return files.some((file) => /golden|hostile|fleet/.test(file) || word.test(readFileSync(file, "utf8")));
}

function readDurations() {
  try {
    return JSON.parse(readFileSync(DURATIONS, "utf8"));
  } catch {
    return {};
  }
}

/** The longest first, so that no worker ends long after the others. Without a figure, a long file is a slow one. */
function inOrder(files) {
  const known = readDurations();
  const weight = (file) =>
    known[relative(join(root, "test"), file).replace(/\.ts$/, "")] ??
    (/golden\.test/.test(file) ? 1000 : statSync(file).size / 10_000);
  return [...files].sort((a, b) => weight(b) - weight(a));
}

function writeWhole(file, text) {
  mkdirSync(join(file, ".."), { recursive: true });
  writeFileSync(`${file}.${process.pid}`, text);
  renameSync(`${file}.${process.pid}`, file);
}

/** A run keeps what its tests printed in a folder of its own; one that failed leaves it until the next run. */
function prepareLogs(logs) {
  const folder = join(logs, "..");
  for (const name of existsSync(folder) ? readdirSync(folder) : [])
    if (!isAlive(Number(name)) || Number(name) === process.pid)
      rmSync(join(folder, name), { recursive: true, force: true });
  mkdirSync(logs, { recursive: true });
}
