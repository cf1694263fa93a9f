/**
 * Plans on a real cluster that are stopped after each of their steps while somebody changes one thing; what is printed
 * then is followed, and the bytes of the volumes stay where they are and reach nobody else.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isJson } from "../../src/core/json.js";
import { listAt, textAt } from "../../src/transfer/object.js";
import { type KubeServers, kubeTests } from "../helpers/kube-servers.js";
import {
  CONTROLLER_FLAGS,
  CONTROLLERS,
  LiveCluster,
  stepsOf,
  stepsOfAnswer,
} from "../helpers/live-transfer.js";
import {
  type Change,
  cleared,
  isAt,
  type Outcome,
  SCENARIOS,
  type Scenario,
  tidy,
  undamaged,
  type World,
} from "./live-worlds.js";

const test = suite("interrupted on a real cluster");

const live = kubeTests(test, { controllers: CONTROLLERS, controllerManager: CONTROLLER_FLAGS });

const MODES = ["go on", "resume", "rollback"] as const;
type Mode = (typeof MODES)[number];

/**
 * SLIPWAY_LIVE=all: every change after every step and all three ways on, where one claim moves; where several do, one of
 * the ways after each step. Otherwise each change after one step, which a number in SLIPWAY_LIVE moves on.
 * SLIPWAY_LIVE_ONLY: a part of a scenario's name. SLIPWAY_LIVE_CHANGES: a part of a change's name, so that a run of
 * everything can be made in pieces that end within a test file's hour.
 */
const everything = process.env["SLIPWAY_LIVE"] === "all";
const only = process.env["SLIPWAY_LIVE_ONLY"] ?? "";
const onlyChanges = process.env["SLIPWAY_LIVE_CHANGES"] ?? "";
const moved = Number(process.env["SLIPWAY_LIVE"] ?? 0) || 0;

let count = 0;

/** A plan that is followed up to the steps at which it is to stop, one after the other, until the change applies. */
interface Stops {
  readonly make: Scenario["make"];
  readonly change: Change;
  readonly mode: Mode;
  /** Whether the plan stops after this many of its steps, of so many. */
  readonly wanted: (step: number, steps: number) => boolean;
}

/** Follows plans until the change was made after every wanted step, or could not be made there; outcomes by step. */
async function interrupted(
  kube: KubeServers,
  stops: Stops,
  outcomes: Map<number, Outcome>,
): Promise<ReadonlyMap<number, Outcome>> {
  for (let more = true; more; ) more = (await once(kube, stops, outcomes)) && everything;
  return outcomes;
}

async function once(
  kube: KubeServers,
  { make, change, mode, wanted }: Stops,
  outcomes: Map<number, Outcome>,
): Promise<boolean> {
  count++;
  const [prod, stage, third] = [`prod-${count}`, `stage-${count}`, `third-${count}`];
  const cluster = new LiveCluster(kube, `class-${count}`);
  cluster.namespaces(prod, stage, third);
  try {
    const { pairs, requests, plan = [], set } = await make(cluster, { prod, stage, volume: `pv-${count}` });
    // Waits for any volume that is nobody's.
    cluster.make([cluster.claim(third, "thief", undefined)]);
    const look = (file: string): Promise<string> => cluster.look(file, [prod, stage, third]);
    await look("dump.json");
    for (const request of requests)
      cluster.slipwayOk("transfer", "new", ...request, "--state", "dump.json", "--out", "git");
    cluster.slipwayOk("transfer", "plan", "git", "--state", "dump.json", "--out", "plan", ...plan);
    const { length } = stepsOf(readFileSync(join(cluster.root, "plan/RUNBOOK.md"), "utf8"));
    let done = 0;
    for (let step = 0; step <= length; step++) {
      if (outcomes.has(step) || !wanted(step, length)) continue;
      const went = await cluster.followRunbook("plan", { from: done, limit: step });
      assert.is(went, "", `up to step ${step}`);
      done = step;
      const hit = pairs[step % pairs.length];
      if (hit === undefined) throw new Error("no pair");
      const world: World = { cluster, pairs, hit, ...(set === undefined ? {} : { set }) };
      if (!(await change(world))) {
        outcomes.set(step, "skipped");
        continue;
      }
      try {
        outcomes.set(step, await afterwards(world, mode, step, look));
      } catch (error) {
        throw new Error(`after ${step} steps: ${error instanceof Error ? error.message : String(error)}`);
      }
      return true;
    }
    return false;
  } finally {
    await cleared(cluster, [prod, stage, third]);
  }
}

/** Follows what is printed after the change, until no steps left. */
async function afterwards(
  world: World,
  mode: Mode,
  step: number,
  look: (file: string) => Promise<string>,
): Promise<Outcome> {
  const { cluster } = world;
  const patience = 10;
  if (mode === "go on") {
    await cluster.followRunbook("plan", { from: step, patience });
    await undamaged(world, "after the plan went on");
    await tidy(world);
  }
  const what = mode === "rollback" ? "rollback" : "resume";
  for (let round = 0; round < 8; round++) {
    const dump = await look(`later-${round}.json`);
    // Both forms of the answer, in turn: what a script runs, and what people read.
    const written = round % 2 === 0 ? undefined : `${what}-${round}`;
    const result = cluster.slipway(
      ...["transfer", what, "--plan", "plan/plan.json", "--state", dump, "--output", "json"],
      ...(written === undefined ? [] : ["--out", written]),
    );
    const answer: unknown = JSON.parse(result.stdout);
    if (!isJson(answer)) throw new Error("no json");
    await undamaged(world, `${what}, round ${round}`);
    if (listAt(answer, "diagnostics").some((each) => textAt(each, "code") === "TRF062")) return "stopped";
    if (result.code === 0 && listAt(answer, "steps").length === 0) break;
    if (result.code === 0 && written === undefined)
      await cluster.follow(stepsOfAnswer(answer), cluster.root, { patience });
    else if (result.code === 0 && written !== undefined) await cluster.followRunbook(written, { patience });
    await undamaged(world, `${what}, round ${round}, followed`);
    await tidy(world);
  }
  return isAt(world, what === "resume" ? "target" : "source");
}

const scenarios = Object.entries(SCENARIOS).filter(([name]) => name.includes(only));
for (const [which, [scenario, { make, several, changes }]] of scenarios.entries())
  for (const [index, [what, change]] of changes.entries()) {
    if (!what.includes(onlyChanges)) continue;
    live(`${scenario}: ${what}`, async (kube) => {
      const told = await Promise.allSettled(
        MODES.map(async (mode, turn) => {
          const outcomes = new Map<number, Outcome>();
          const follow = (wanted: Stops["wanted"]) =>
            interrupted(kube, { make, change, mode, wanted }, outcomes);
          if (everything) await follow((step) => !several || (step + index) % MODES.length === turn);
          else {
            const start = which + index * MODES.length + turn + moved;
            await follow((step, steps) => step >= start % (steps + 1));
            // The first step from there on after which it can be made, or one before.
            if (![...outcomes.values()].some((each) => each !== "skipped")) await follow(() => true);
          }
          const counts = new Map<string, number>();
          for (const outcome of outcomes.values()) counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
          return `     ${scenario}: ${what}, then ${mode}: ${JSON.stringify(Object.fromEntries(counts))}\n`;
        }),
      );
      for (const each of told) if (each.status === "fulfilled") process.stdout.write(each.value);
      for (const each of told) if (each.status === "rejected") throw each.reason;
    });
  }

test.run();
