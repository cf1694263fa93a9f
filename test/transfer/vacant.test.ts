/** Volumes whose claim is gone before anything is asked for: Released, reserved by name alone, or for nobody. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { JsonObject } from "../../src/core/json.js";
import { annotationOf, at, textAt } from "../../src/transfer/object.js";
import { policyOf } from "../../src/transfer/patches.js";
import { resumePlan } from "../../src/transfer/resume.js";
import { rollbackPlan } from "../../src/transfer/rollback.js";
import { Cluster } from "../../src/transfer/simulator/cluster.js";
import { settle } from "../../src/transfer/simulator/controllers.js";
import { execute } from "../../src/transfer/simulator/execute.js";
import { readState } from "../../src/transfer/state.js";
import {
  type Changes,
  changed,
  claim,
  codesOf,
  NOW,
  namespace,
  planFor,
  pod,
  stateOf,
  summary,
  volume,
} from "../helpers/transfer.js";

const test = suite("volumes without a claim");

const SPACES = [
  namespace("prod"),
  namespace("stage"),
  pod("o", "p", "c"),
  claim("o", "c", "pv-o"),
  volume("pv-o", "o", "c"),
];
const MOVE = { from: "prod/db", to: "stage/db-copy" };
const PINNED = { ...MOVE, annotations: { "transfer.slipway.dev/persistent-volume": "pv-1" } };
const PLAN = "transfer.slipway.dev/plan";
const left = (changes: Changes): JsonObject => changed(volume("pv-1", "prod", "db"), changes);

const released = left({ spec: { persistentVolumeReclaimPolicy: "Retain" }, status: { phase: "Released" } });
const reserved = left({
  spec: { claimRef: { uid: undefined, resourceVersion: undefined } },
  status: { phase: "Available" },
});
const free = left({
  metadata: { annotations: undefined },
  spec: { claimRef: undefined },
  status: { phase: "Available" },
});

const KINDS = [
  ["Released", released, MOVE],
  ["reserved by name alone", reserved, MOVE],
  ["reserved for nobody, and named by the approval", free, PINNED],
] as const;

const dumpOf = (cluster: Cluster) =>
  readState([{ file: "later.yaml", text: JSON.stringify(cluster.dump()) }], (problem) => {
    throw new Error(problem.message);
  });

for (const [what, found, move] of KINDS)
  test(`${what}: handed over, resumed and taken back from everywhere`, async () => {
    const objects = [...SPACES, found];
    const { made, problems } = await planFor([move], objects);
    if (made === undefined) throw new Error(summary(problems).join("\n"));
    const { plan, steps } = made;
    const keys = steps.map(({ stepSpec }) => stepSpec.key);
    assert.ok(!keys.includes("delete"), "there is nothing to delete");
    assert.is(keys[0], "check");
    assert.equal(textAt(plan.transfers[0]?.targetObject, "spec", "resources", "requests", "storage"), "10Gi");
    for (let prefix = 0; prefix <= steps.length; prefix++) {
      const cluster = Cluster.from(stateOf(objects));
      const walk = (each: { readonly stepSpec: Parameters<typeof execute>[1] }): void => {
        const answer = execute(cluster, each.stepSpec);
        assert.ok(answer.ok, `${each.stepSpec.key} after ${prefix}: ${JSON.stringify(answer)}`);
        settle(cluster);
      };
      steps.slice(0, prefix).forEach(walk);
      const there = cluster.clone();
      // Forth.
      const { steps: rest, crashPoint } = resumePlan(plan, dumpOf(cluster), NOW);
      if (prefix === 0) assert.is(crashPoint, "C0");
      rest.forEach(walk);
      const moved = cluster.volumes.get("pv-1") ?? {};
      assert.is(textAt(cluster.claims.get("stage/db-copy"), "status", "phase"), "Bound");
      assert.is(textAt(moved, "spec", "claimRef", "name"), "db-copy");
      assert.is(policyOf(moved), policyOf(found));
      assert.is(annotationOf(moved, PLAN), undefined);
      assert.equal(resumePlan(plan, dumpOf(cluster), NOW).steps, []);
      // Back: as it was found, or too late.
      const back = rollbackPlan(plan, dumpOf(there));
      if (textAt(there.claims.get("stage/db-copy"), "status", "phase") === "Bound") {
        assert.equal(codesOf(back.problems), ["TRF062"]);
        continue;
      }
      for (const { stepSpec } of back.steps) {
        assert.ok(execute(there, stepSpec).ok, `${stepSpec.key} after ${prefix}`);
        settle(there);
      }
      const again = there.volumes.get("pv-1") ?? {};
      assert.equal(at(again, "spec"), at(found, "spec"), `after ${prefix}`);
      assert.is(annotationOf(again, PLAN), undefined);
      assert.ok(!there.claims.has("stage/db-copy"));
      // It is over, and nothing leads round in a circle.
      const after = rollbackPlan(plan, dumpOf(there));
      assert.equal([after.crashPoint, after.steps, codesOf(after.problems)], ["C0", [], []]);
    }
  });

const refused = async (objects: readonly JsonObject[], code: string, words: RegExp, move = MOVE) => {
  const { made, problems } = await planFor([move], [...SPACES, ...objects]);
  assert.is(made, undefined);
  assert.ok(codesOf(problems).includes(code), summary(problems).join("\n"));
  assert.match(summary(problems).join("\n"), words);
};

test("what is not safely kept, or not known, is refused", async () => {
  await refused([left({ status: { phase: "Released" } })], "TRF031", /may be destroyed at any time/);
  await refused(
    [left({ status: { phase: "Failed" }, spec: { persistentVolumeReclaimPolicy: "Retain" } })],
    "TRF031",
    /is Failed/,
  );
  const other = changed(released, {
    metadata: { name: "pv-2", uid: "volume-pv-2" },
    spec: { csi: { volumeHandle: "other" } },
  });
  await refused([released, other], "TRF030", /several volumes refer to it: pv-1, pv-2/);
  // Nobody's volume could be anybody's.
  await refused([free], "TRF030", /does not contain claim/);
  // A plan that deleted the claim knows what it said.
  const { made } = await planFor([MOVE], [...SPACES, released]);
  const mark = made?.plan.transfers[0]?.id ?? "";
  await refused(
    [changed(released, { metadata: { annotations: { [PLAN]: mark } } })],
    "TRF054",
    /in progress/,
  );
  const named = { ...MOVE, annotations: { "transfer.slipway.dev/persistent-volume": "pv-2" } };
  const { made: chosen } = await planFor([named], [...SPACES, released, other]);
  assert.is(chosen?.plan.transfers[0]?.volume?.name, "pv-2");
});

test("a claim that is there is the one that is asked for, whatever volume another one left", async () => {
  const own = claim("prod", "db", "pv-3", { metadata: { uid: "new" } });
  const its = volume("pv-3", "prod", "db", { spec: { claimRef: { uid: "new" } } });
  const { made, problems } = await planFor([MOVE], [...SPACES, released, own, its]);
  if (made === undefined) throw new Error(summary(problems).join("\n"));
  assert.is(made.plan.transfers[0]?.volume?.name, "pv-3");
});

test.run();
