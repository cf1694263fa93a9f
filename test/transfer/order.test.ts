/**
 * Order R on the simulated cluster: wherever it stops, whatever the controllers do in between and whoever waits for a
 * volume, the bytes stay reachable, reach nobody else, and `resume` finishes.
 */
import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { JsonObject } from "../../src/core/json.js";
import { nameText, sameName } from "../../src/transfer/api.js";
import type { Transfer, TransferPlan } from "../../src/transfer/model.js";
import { annotationOf, nameOf, textAt, uidOf } from "../../src/transfer/object.js";
import { policyOf } from "../../src/transfer/patches.js";
import { resumePlan } from "../../src/transfer/resume.js";
import { rollbackPlan } from "../../src/transfer/rollback.js";
import { Cluster, type Surroundings } from "../../src/transfer/simulator/cluster.js";
import { movesOf, settle } from "../../src/transfer/simulator/controllers.js";
import { dataLossIn, holdersOf } from "../../src/transfer/simulator/data-loss.js";
import { execute, quiesce } from "../../src/transfer/simulator/execute.js";
import { readState } from "../../src/transfer/state.js";
import type { PlanOptions } from "../../src/transfer/transfer-context.js";
import { everyNth, runs } from "../helpers/runs.js";
import {
  appliedPairs,
  claim,
  type Move,
  NOW,
  namespace,
  planFor,
  pod,
  stateOf,
  volume,
} from "../helpers/transfer.js";

const test = suite("order R under an adversary");
const RUNS = Number(process.env["TRANSFER_RUNS"] ?? runs(60));

interface Scenario {
  readonly name: string;
  readonly moves: readonly Move[];
  readonly objects: readonly JsonObject[];
  readonly options?: Partial<PlanOptions>;
  readonly surroundings?: Surroundings;
}

/** Claims that wait for any volume of the class: one in a third namespace, one in the target's. */
const waiting = (space: string, name: string, volumeName?: string): JsonObject =>
  claim(space, name, "", {
    metadata: {
      annotations: {
        "pv.kubernetes.io/bind-completed": undefined,
        "pv.kubernetes.io/bound-by-controller": undefined,
      },
    },
    spec: { volumeName: volumeName },
    status: { phase: "Pending", capacity: undefined },
  });

const thieves = [waiting("third", "greedy"), waiting("third", "thief", "pv-1"), waiting("stage", "other")];
const spaces = ["prod", "stage", "third", "c"].map((name) => namespace(name));
const empty = (space: string, name: string): JsonObject => ({
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  metadata: { namespace: space, name },
  spec: {
    accessModes: ["ReadWriteOnce"],
    resources: { requests: { storage: "10Gi" } },
    storageClassName: "fast",
  },
});

const one: Move = { from: "prod/db", to: "stage/db-copy" };
const pair = [claim("prod", "db", "pv-1"), volume("pv-1", "prod", "db")];
const SCENARIOS: readonly Scenario[] = [
  { name: "one claim", moves: [one], objects: [...spaces, ...pair, ...thieves] },
  {
    name: "one claim in use",
    moves: [one],
    objects: [...spaces, ...pair, ...thieves, pod("prod", "db-0", "db")],
  },
  { name: "late", moves: [one], objects: [...spaces, ...pair, ...thieves], options: { lateCreate: true } },
  {
    name: "Retain from the start",
    moves: [one],
    objects: [
      ...spaces,
      claim("prod", "db", "pv-1"),
      volume("pv-1", "prod", "db", { spec: { persistentVolumeReclaimPolicy: "Retain" } }),
      ...thieves,
    ],
  },
  {
    name: "healed source",
    moves: [one],
    objects: [...spaces, ...pair, ...thieves],
    surroundings: { healed: new Map([["prod/db", empty("prod", "db")]]), provisioned: new Set(["fast"]) },
  },
  {
    name: "batch",
    moves: [one, { from: "prod/log", to: "stage/log" }],
    objects: [...spaces, ...pair, claim("prod", "log", "pv-2"), volume("pv-2", "prod", "log"), ...thieves],
  },
  {
    name: "chain",
    moves: [one, { from: "stage/db-copy", to: "c/db" }],
    objects: [
      ...spaces,
      ...pair,
      claim("stage", "db-copy", "pv-2"),
      volume("pv-2", "stage", "db-copy"),
      ...thieves,
    ],
  },
  {
    name: "swap",
    moves: [one, { from: "stage/db-copy", to: "prod/db" }],
    objects: [
      ...spaces,
      ...pair,
      claim("stage", "db-copy", "pv-2"),
      volume("pv-2", "stage", "db-copy"),
      ...thieves,
    ],
    options: { allowCycles: true },
  },
];

async function prepare(scenario: Scenario): Promise<{ plan: TransferPlan; cluster: Cluster }> {
  const { moves, options, surroundings } = scenario;
  const objects = [...scenario.objects, ...appliedPairs(moves)];
  const { made, problems, consent } = await planFor(moves, objects, options);
  if (made === undefined) throw new Error(JSON.stringify([problems, consent]));
  return { plan: made.plan, cluster: Cluster.from(stateOf(objects), surroundings) };
}

function judge(cluster: Cluster, plan: TransferPlan, where: string): void {
  for (const { volume: moved, source, target, id } of plan.transfers) {
    const name = moved?.name ?? "";
    const holders = holdersOf(source.uid, target);
    // A rollback makes the source again, and marks it until the volume's notes are gone.
    const underWay = annotationOf(cluster.volumes.get(name) ?? {}, "transfer.slipway.dev/plan") !== undefined;
    const back = (each: JsonObject): boolean =>
      sameName(nameOf(each), source) && (!underWay || annotationOf(each, "transfer.slipway.dev/plan") === id);
    const dataLoss = dataLossIn(
      cluster,
      `handle-${name}`,
      `bytes of ${name}`,
      (each) => holders(each) || back(each),
    );
    assert.equal(dataLoss, [], where);
    // W6, W5: nothing is lost for good, but whoever uses the claim has an outage.
    for (const each of cluster.claims.values())
      if (holders(each) || back(each)) assert.is.not(textAt(each, "status", "phase"), "Lost", where);
  }
}

/** @param hidden claims that a dump leaves out, since somebody forgot a namespace */
const dumpOf = (cluster: Cluster, hidden: ReadonlySet<string> = new Set()) => {
  const partial = cluster.clone();
  for (const key of hidden) partial.claims.delete(key);
  return readState([{ file: "later.yaml", text: JSON.stringify(partial.dump()) }], (problem) => {
    throw new Error(problem.message);
  });
};

/** What happens between two steps: numbers choose among the moves that controllers have. */
type Chaos = readonly number[];
function unleash(cluster: Cluster, chaos: Chaos, deletions: boolean): void {
  for (const number of chaos) {
    if (number > 980 && deletions) deleteTargets(cluster);
    const moves = movesOf(cluster);
    moves[number % moves.length]?.run();
  }
}

/** Somebody deletes what a transfer made, while its volume is still kept by Retain. */
function deleteTargets(cluster: Cluster): void {
  for (const found of [...cluster.claims.values()]) {
    const mark = annotationOf(found, "transfer.slipway.dev/plan");
    const kept = [...cluster.volumes.values()].some(
      (each) => mark !== undefined && annotationOf(each, "transfer.slipway.dev/plan") === mark,
    );
    if (kept) cluster.deleteClaim(nameOf(found), {});
  }
}

/** Operators stop workloads, and delete what was made again under the old name, before gates that ask for it. */
function operate(cluster: Cluster, transfers: readonly Transfer[]): void {
  for (const transfer of transfers) quiesce(cluster, transfer);
}

function removeHealed(cluster: Cluster, transfers: readonly Transfer[]): void {
  for (const { source, volume: moved } of transfers) {
    const found = cluster.claims.get(nameText(source));
    const holder = textAt(cluster.volumes.get(moved?.name ?? ""), "spec", "claimRef", "uid");
    if (
      found !== undefined &&
      uidOf(found) !== holder &&
      uidOf(found) !== source.uid &&
      annotationOf(found, "transfer.slipway.dev/plan") === undefined
    )
      cluster.deleteClaim(source, {});
  }
}

/** Takes steps until `limit` are done or a gate stays shut; answers whether everything was done. */
function walk(
  cluster: Cluster,
  plan: TransferPlan,
  steps: readonly { readonly transfer: Transfer; readonly stepSpec: Parameters<typeof execute>[1] }[],
  limit: number,
  chaosOf: (index: number) => Chaos,
): boolean {
  for (const [index, { transfer, stepSpec }] of steps.entries()) {
    if (index >= limit) return false;
    // Who deletes the finished target between the last gate and the restored policy deletes the data, as ever.
    unleash(cluster, chaosOf(index), stepSpec.key !== "restore");
    judge(cluster, plan, `before ${stepSpec.key}`);
    if (stepSpec.action === "gate") {
      if (stepSpec.key === "idle") operate(cluster, [transfer]);
      settle(cluster);
    }
    const answer = execute(cluster, stepSpec);
    judge(cluster, plan, `after ${stepSpec.key}`);
    if (!answer.ok) return false;
  }
  return true;
}

/** Resumes with fresh dumps until nothing is left. */
function finish(cluster: Cluster, plan: TransferPlan, chaosOf: (index: number) => Chaos): void {
  for (let round = 0; round < 12; round++) {
    const { steps, problems, crashPoint } = resumePlan(plan, dumpOf(cluster), NOW);
    const errors = problems.filter(({ severity = "error" }) => severity === "error");
    // A moment later the controllers have repaired what looked odd in the dump.
    if (errors.length === 0) {
      if (steps.every(({ stepSpec }) => stepSpec.action === "patch-status")) {
        assert.is(crashPoint, "C8");
        return;
      }
      walk(cluster, plan, steps, Number.POSITIVE_INFINITY, round < 4 ? chaosOf : () => []);
    }
    removeHealed(cluster, plan.transfers);
    settle(cluster);
    judge(cluster, plan, `after round ${round}`);
  }
  throw new Error(`not finished: ${JSON.stringify(resumePlan(plan, dumpOf(cluster), NOW).problems)}`);
}

function finished(cluster: Cluster, plan: TransferPlan): void {
  for (const { volume: moved, target, id } of plan.transfers) {
    const found = cluster.claims.get(nameText(target));
    const holder = cluster.volumes.get(moved?.name ?? "");
    if (found === undefined || holder === undefined) throw new Error("target or volume is missing");
    assert.is(textAt(found, "status", "phase"), "Bound");
    assert.is(textAt(found, "spec", "volumeName"), moved?.name);
    assert.is(textAt(holder, "spec", "claimRef", "uid"), uidOf(found));
    assert.is(policyOf(holder), moved?.policy);
    assert.is(annotationOf(holder, "transfer.slipway.dev/plan"), undefined);
    assert.is(annotationOf(found, "transfer.slipway.dev/plan"), id);
  }
}

/** The healer gives up when the transfer is to end: Git no longer declares the source. */
const unhealed = (cluster: Cluster): Cluster => cluster.clone({ ...cluster.surroundings, healed: new Map() });

const ORDER = [
  "check",
  "retain",
  "retained",
  "create",
  "idle",
  "delete",
  "gone",
  "repoint",
  "late create",
  "bound",
  "restore",
  "status-request",
  "status-approval",
];

for (const scenario of SCENARIOS)
  test(`${scenario.name}: the steps of each transfer stand in the order R, and the batch stops early`, async () => {
    const { plan, cluster } = await prepare(scenario);
    const planned = resumePlan(plan, dumpOf(cluster), NOW).steps;
    for (const transfer of plan.transfers) {
      const keys = planned
        .filter((each) => each.transfer.id === transfer.id)
        .map(({ stepSpec }) => (stepSpec.key === "create" && transfer.late ? "late create" : stepSpec.key));
      const left = transfer.late ? ["check", "create"] : ["late create"];
      assert.equal(
        keys,
        ORDER.filter((key) => !left.includes(key)),
      );
    }
    const at = (key: string, late = false): number[] =>
      planned.flatMap(({ stepSpec, transfer }, index) =>
        stepSpec.key === key && (key !== "create" || transfer.late === late) ? [index] : [],
      );
    const before = [...at("retain"), ...at("retained"), ...at("create")];
    assert.ok(
      Math.max(...before) < Math.min(...at("idle"), ...at("delete")),
      "what can be taken back comes first",
    );
    for (const late of at("create", true))
      assert.ok(Math.max(...at("gone")) < late || plan.transfers.length === 1);
  });

/** How many steps may have been done when a run ends. */
const prefixes = (last: number): readonly number[] =>
  everyNth(
    Array.from({ length: last + 1 }, (_, prefix) => prefix),
    3,
  );

const chaos = fc.array(fc.array(fc.nat(1000), { maxLength: 12 }), { minLength: 1, maxLength: 40 });

for (const scenario of SCENARIOS) {
  test(`${scenario.name}: every prefix, then resume`, async () => {
    const { plan, cluster } = await prepare(scenario);
    const planned = resumePlan(plan, dumpOf(cluster), NOW).steps;
    assert.is(planned.length, plan.steps.length);
    for (const prefix of prefixes(planned.length)) {
      const own = cluster.clone();
      walk(own, plan, planned, prefix, () => []);
      const calm = unhealed(own);
      finish(calm, plan, () => []);
      finished(calm, plan);
    }
  });

  test(`${scenario.name}: an adversary between any two writes`, async () => {
    const { plan, cluster } = await prepare(scenario);
    const planned = resumePlan(plan, dumpOf(cluster), NOW).steps;
    fc.assert(
      fc.property(fc.nat(planned.length), chaos, (prefix, moves) => {
        const own = cluster.clone();
        const chaosOf = (index: number): Chaos => moves[index % moves.length] ?? [];
        walk(own, plan, planned, prefix, chaosOf);
        unleash(own, chaosOf(prefix), true);
        judge(own, plan, "at rest");
        const calm = unhealed(own);
        finish(calm, plan, chaosOf);
        finished(calm, plan);
      }),
      { numRuns: RUNS, includeErrorInReport: true },
    );
  });
}

for (const scenario of SCENARIOS)
  for (const [what, ask] of [
    [
      "resume",
      (plan: TransferPlan, cluster: Cluster, hidden: ReadonlySet<string>) =>
        resumePlan(plan, dumpOf(cluster, hidden), NOW),
    ],
    [
      "rollback",
      (plan: TransferPlan, cluster: Cluster, hidden: ReadonlySet<string>) =>
        rollbackPlan(plan, dumpOf(cluster, hidden)),
    ],
  ] as const)
    test(`${scenario.name}: ${what} with a dump that leaves claims out does no harm`, async () => {
      const { plan, cluster } = await prepare(scenario);
      const planned = resumePlan(plan, dumpOf(cluster), NOW).steps;
      const sources = plan.transfers.map(({ source }) => nameText(source));
      const targets = plan.transfers.map(({ target }) => nameText(target));
      for (const prefix of prefixes(planned.length))
        for (const hidden of [
          sources,
          targets,
          [...sources, ...targets],
          sources.slice(0, 1),
          targets.slice(0, 1),
        ]) {
          const own = cluster.clone();
          walk(own, plan, planned, prefix, () => []);
          for (const rest of [() => settle(own), () => {}]) {
            rest();
            const { steps } = ask(plan, own, new Set(hidden));
            walk(own, plan, steps, Number.POSITIVE_INFINITY, () => []);
            settle(own);
            judge(own, plan, `${what} after ${prefix} steps without ${hidden.join(", ")}`);
          }
        }
    });

for (const scenario of SCENARIOS.filter(({ name }) => name !== "chain" && name !== "swap"))
  test(`${scenario.name}: a way back does not end beside a target that the dump leaves out`, async () => {
    const { plan, cluster } = await prepare(scenario);
    const planned = resumePlan(plan, dumpOf(cluster), NOW).steps;
    const targets = new Set(plan.transfers.map(({ target }) => nameText(target)));
    for (const prefix of prefixes(planned.length)) {
      const own = cluster.clone();
      walk(own, plan, planned, prefix, () => []);
      settle(own);
      const made = plan.transfers.filter(({ target }) => own.claims.has(nameText(target)));
      const { steps, problems } = rollbackPlan(plan, dumpOf(own, targets));
      walk(own, plan, steps, Number.POSITIVE_INFINITY, () => []);
      // Either the target is gone, or no step has reported the end: the gate is shut, there were none, or it is said.
      for (const { target, request } of made) {
        const reported = steps.some(
          ({ stepSpec, transfer }) =>
            stepSpec.key === "status-request" && nameText(transfer.request) === nameText(request),
        );
        const asked = steps.some(({ stepSpec }) => stepSpec.key === "target-gone");
        assert.ok(own.claims.has(nameText(target)), `prefix ${prefix}: what is not seen is not deleted`);
        assert.ok(asked || !reported, `prefix ${prefix}: ${nameText(target)} was not asked for`);
        if (!asked)
          assert.ok(problems.length > 0, `prefix ${prefix}: nothing is said of ${nameText(target)}`);
      }
    }
  });

for (const scenario of SCENARIOS.filter(({ name }) => name !== "chain" && name !== "swap"))
  test(`${scenario.name}: rollback from every prefix up to C6`, async () => {
    const { plan, cluster } = await prepare(scenario);
    const planned = resumePlan(plan, dumpOf(cluster), NOW).steps;
    const last = planned.findIndex(({ stepSpec }) => stepSpec.key === "bound");
    for (const prefix of prefixes(last)) {
      let own = cluster.clone();
      walk(own, plan, planned, prefix, () => []);
      own = unhealed(own);
      for (let round = 0; round < 8; round++) {
        const { steps, problems } = rollbackPlan(plan, dumpOf(own));
        if (problems.some(({ code }) => code === "TRF062")) break;
        if (steps.length === 0 && problems.every(({ severity }) => severity === "warning")) break;
        walk(own, plan, steps, Number.POSITIVE_INFINITY, () => []);
        removeHealed(own, plan.transfers);
        settle(own);
      }
      for (const { source, target, volume: moved, id } of plan.transfers) {
        const holder = own.volumes.get(moved?.name ?? "");
        const back = own.claims.get(nameText(source));
        if (holder === undefined || back === undefined)
          throw new Error(`prefix ${prefix}: source is not back`);
        assert.is(textAt(back, "status", "phase"), "Bound", `prefix ${prefix}`);
        assert.is(textAt(holder, "spec", "claimRef", "uid"), uidOf(back));
        assert.is(policyOf(holder), moved?.policy);
        assert.is(annotationOf(holder, "transfer.slipway.dev/plan"), undefined);
        assert.is(annotationOf(back, "transfer.slipway.dev/plan"), undefined);
        const other = own.claims.get(nameText(target));
        if (other !== undefined) assert.is.not(annotationOf(other, "transfer.slipway.dev/plan"), id);
      }
      judge(own, plan, `prefix ${prefix}`);
      // It is over, and both commands say so.
      const [forward, backward] = [resumePlan(plan, dumpOf(own), NOW), rollbackPlan(plan, dumpOf(own))];
      assert.is(backward.crashPoint, "C0", `prefix ${prefix}`);
      assert.equal(backward.steps, []);
      for (const { hint } of forward.problems) assert.not.match(hint ?? "", /transfer rollback/);
    }
  });

test.run();
