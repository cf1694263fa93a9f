/**
 * Kills a program that works in a directory and looks at what is left: every file must be old or new, the next run
 * must succeed and give exactly what an undisturbed run gives, and nothing of the killed run may stay.
 *
 * The program is any command, so that the built command line is tested as well as a driver of one module.
 */
import { spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import * as assert from "uvu/assert";
import { record } from "./cli.js";
import { readModes, readTree, tempFolder } from "./temp.js";

export interface KillScenario {
  /** Arguments of node for a directory. */
  readonly command: (dir: string) => readonly string[];
  /** Fills a directory with what is there before the run. */
  prepare(dir: string): void;
  /** The run makes the same bytes every time; false where it makes keys, then only `verify` judges the result. */
  readonly repeatable: boolean;
  /** Further judgement of the directory after the run that follows a kill. */
  verify?(dir: string): void;
}

/** Files of a run in progress; none of them may be there after an undisturbed run. */
const isTransient = (path: string): boolean => /\.tmp$|^\.slipway\/(?:lock|journal)/.test(path);

interface Snapshot {
  readonly files: ReadonlyMap<string, string>;
  readonly modes: ReadonlyMap<string, number>;
}

function snapshot(dir: string): Snapshot {
  const files = [...readTree(dir)].map(([path, data]): [string, string] => [path, data.toString("latin1")]);
  return { files: new Map(files), modes: readModes(dir) };
}

export class KillTest {
  readonly before: Snapshot;
  readonly after: Snapshot;
  /** Duration of an undisturbed run in milliseconds. */
  readonly duration: number;
  private readonly base = tempFolder();
  private readonly origin = join(this.base, "origin");
  private round = 0;

  constructor(private readonly scenario: KillScenario) {
    mkdirSync(this.origin);
    scenario.prepare(this.origin);
    this.before = snapshot(this.origin);
    const dir = this.fresh();
    const started = performance.now();
    this.run(dir);
    this.duration = performance.now() - started;
    this.after = snapshot(dir);
    rmSync(dir, { recursive: true });
  }

  /** The number of calls that change the file system in one run (scripts/kill-at.mjs). */
  countSteps(): number {
    const dir = this.fresh();
    const file = join(this.base, "count");
    this.run(dir, ["--import", KILL_AT], { SLIPWAY_KILL_COUNT: file });
    rmSync(dir, { recursive: true });
    return Number(readFileSync(file, "utf8"));
  }

  /** Kills the run just before one of its calls that change the file system. */
  killAtStep(step: number): void {
    const dir = this.fresh();
    const { signal, stderr, stdout } = spawnSync(
      process.execPath,
      ["--import", KILL_AT, ...this.scenario.command(dir)],
      { encoding: "utf8", env: { ...ENV, SLIPWAY_KILL_AT: String(step) } },
    );
    record(stdout + stderr);
    assert.is(signal, "SIGKILL", `step ${step}: ${stderr}`);
    this.judge(dir, `step ${step}`);
  }

  /** Kills the run after a time, or, `aimed`, that long after the first sign that it writes. */
  async killAfter(milliseconds: number, aimed: boolean): Promise<void> {
    const dir = this.fresh();
    const child = spawn(process.execPath, this.scenario.command(dir), { env: ENV, stdio: "ignore" });
    const ended = new Promise<void>((resolve) => child.on("close", () => resolve()));
    let over = false;
    void ended.then(() => {
      over = true;
    });
    const pause = (time: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, time));
    while (aimed && !over && !isWriting(dir)) await pause(1);
    await pause(milliseconds);
    child.kill("SIGKILL");
    await ended;
    this.judge(dir, `${aimed ? "writing + " : ""}${milliseconds.toFixed(1)} ms`);
  }

  private fresh(): string {
    const dir = join(this.base, `run${this.round++}`);
    cpSync(this.origin, dir, { recursive: true, verbatimSymlinks: true });
    return dir;
  }

  private run(dir: string, flags: readonly string[] = [], env: Record<string, string> = {}): void {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [...flags, ...this.scenario.command(dir)],
      {
        encoding: "utf8",
        env: { ...ENV, ...env },
      },
    );
    record(stdout + stderr);
    assert.is(status, 0, `the run failed: ${stderr}${stdout}`);
  }

  private judge(dir: string, moment: string): void {
    const { repeatable, verify } = this.scenario;
    const left = snapshot(dir).files;
    if (repeatable) this.assertOldOrNew(left, moment);
    this.run(dir);
    const { files, modes } = snapshot(dir);
    const stray = [...files.keys()].filter(isTransient);
    assert.equal(stray, [], `killed at ${moment}: left behind`);
    if (repeatable) {
      for (const path of new Set([...files.keys(), ...this.after.files.keys()]))
        assert.ok(
          files.get(path) === this.after.files.get(path),
          `killed at ${moment}: ${path} is not as it should`,
        );
      assert.equal(modes, this.after.modes, `killed at ${moment}: modes`);
    }
    verify?.(dir);
    rmSync(dir, { recursive: true });
  }

  private assertOldOrNew(left: ReadonlyMap<string, string>, moment: string): void {
    for (const path of new Set([...left.keys(), ...this.before.files.keys()])) {
      if (isTransient(path)) continue;
      const content = left.get(path);
      assert.ok(
        content === this.before.files.get(path) || content === this.after.files.get(path),
        `killed at ${moment}: ${path} is neither old nor new`,
      );
    }
  }
}

const KILL_AT = join(process.cwd(), "scripts/kill-at.mjs");
const ENV = { PATH: process.env["PATH"], SOURCE_DATE_EPOCH: "1700000000" };

/** True once a run has begun to write what it compiled. */
function isWriting(dir: string): boolean {
  const names = (folder: string): string[] => (existsSync(folder) ? readdirSync(folder) : []);
  if (names(join(dir, ".slipway")).includes("journal.json")) return true;
  return ["", "manifests", "openshift", "infrastructure-manifests"].some((folder) =>
    names(join(dir, folder)).some((name) => name.endsWith(".tmp")),
  );
}

/** `count` numbers from 1 to `most`, evenly spread, each a little off at random. */
export function spread(count: number, most: number): number[] {
  if (count >= most) return Array.from({ length: most }, (_, i) => i + 1);
  const width = most / count;
  return Array.from({ length: count }, (_, i) => Math.min(most, 1 + Math.floor((i + Math.random()) * width)));
}
