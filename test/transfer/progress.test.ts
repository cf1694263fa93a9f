/** Resume and rollback when somebody else had a hand in it: what is left, or why to stop, and how far it is then. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isList, isObject, type JsonObject } from "../../src/core/json.js";
import type { TransferPlan } from "../../src/transfer/model.js";
import { textAt } from "../../src/transfer/object.js";
import { retainPatch } from "../../src/transfer/patches.js";
import { type Resumed, resumePlan } from "../../src/transfer/resume.js";
import { rollbackPlan } from "../../src/transfer/rollback.js";
import { applied, Cluster } from "../../src/transfer/simulator/cluster.js";
import { execute } from "../../src/transfer/simulator/execute.js";
import {
  type Changes,
  changed,
  claim,
  NOW,
  namespace,
  planFor,
  pod,
  stateOf,
  volume,
} from "../helpers/transfer.js";

const test = suite("interference");

const PREFIX = "transfer.slipway.dev/";
const MARKS = ["plan", "original-reclaim-policy", "source-uid"].map((key) => PREFIX + key);
const MOVE = { from: "prod/db", to: "stage/db-copy" };
const START = [
  namespace("prod"),
  namespace("stage"),
  pod("other", "web", "cache"),
  claim("prod", "db", "pv-1"),
  volume("pv-1", "prod", "db"),
];

async function planOf(objects: readonly JsonObject[] = START): Promise<TransferPlan> {
  const { made } = await planFor([MOVE], objects);
  if (made === undefined) throw new Error("no plan");
  return made.plan;
}
const { id } = (await planOf()).transfers[0] ?? { id: "" };

/** Volume, source and target after the parts of the order up to one. */
interface Stage {
  readonly volume: JsonObject;
  readonly source: JsonObject | undefined;
  readonly target: JsonObject | undefined;
}
const noted: Changes = {
  metadata: {
    annotations: {
      [`${PREFIX}plan`]: id,
      [`${PREFIX}original-reclaim-policy`]: "Delete",
      [`${PREFIX}source-uid`]: "claim-prod-db",
    },
  },
  spec: { persistentVolumeReclaimPolicy: "Retain" },
};
const waiting = claim("stage", "db-copy", "pv-1", {
  metadata: {
    uid: "target",
    annotations: { [`${PREFIX}plan`]: id, "pv.kubernetes.io/bind-completed": undefined },
  },
  status: { phase: "Pending" },
});
const source = claim("prod", "db", "pv-1");
const c2: Stage = { volume: changed(volume("pv-1", "prod", "db"), noted), source, target: undefined };
const c3: Stage = { ...c2, target: waiting };
const c5: Stage = { ...c3, source: undefined, volume: changed(c3.volume, { status: { phase: "Released" } }) };
const c6: Stage = {
  ...c5,
  volume: changed(c5.volume, {
    spec: { claimRef: { namespace: "stage", name: "db-copy", uid: undefined, resourceVersion: undefined } },
    status: { phase: "Available" },
  }),
};
const c7: Stage = {
  ...c6,
  volume: changed(c6.volume, { spec: { claimRef: { uid: "target" } }, status: { phase: "Bound" } }),
  target: changed(waiting, { status: { phase: "Bound" } }),
};

const without = (keys: readonly string[]): Changes => ({
  metadata: { annotations: Object.fromEntries(keys.map((key) => [key, undefined])) },
});
const flipped: Changes = { spec: { persistentVolumeReclaimPolicy: "Delete" } };
const anew = claim("prod", "db", "pv-new", { metadata: { uid: "anew" } });
const foreign = claim("stage", "db-copy", "pv-9", { metadata: { uid: "foreign" } });
const unmarked = changed(waiting, without([`${PREFIX}plan`]));

/** A way back that is complete but for the note on the claim that it made again. */
const back: Stage = {
  volume: volume("pv-1", "prod", "db", { spec: { claimRef: { uid: "made-again" } } }),
  source: claim("prod", "db", "pv-1", {
    metadata: { uid: "made-again", annotations: { [`${PREFIX}plan`]: id } },
  }),
  target: undefined,
};
const over: Stage = { ...back, source: changed(back.source ?? {}, without([`${PREFIX}plan`])) };

/** Keys of the steps that are left (without the reports), or why it stops. */
type Expected = string | RegExp;
const REMADE = "recreate-source source-bound restore-source unmark-source";
const BACK = `point-back ${REMADE}`;
const ROWS: readonly (readonly [string, Stage, string, Expected, Expected])[] = [
  [
    "a foreign target before ours",
    { ...c2, target: foreign },
    "C2",
    /was not created by this transfer/,
    "undo-retain",
  ],
  [
    "our target lost its mark",
    { ...c3, target: unmarked },
    "C2",
    /was not created by this transfer/,
    "undo-retain",
  ],
  [
    "the same when the volume is reserved",
    { ...c6, target: unmarked },
    "C6",
    /was not created by this transfer/,
    BACK,
  ],
  [
    "a target of ours for another volume",
    { ...c3, target: changed(waiting, { spec: { volumeName: "pv-9" } }) },
    "C2",
    /was not created by this transfer/,
    "undo-retain",
  ],
  ["a target bound elsewhere", { ...c6, target: foreign }, "C6", /was not created by this transfer/, BACK],
  [
    "the policy flipped back while the source holds the volume",
    { ...c3, volume: changed(c3.volume, flipped) },
    "C3",
    "retain retained idle delete gone repoint bound restore",
    "delete-target target-gone undo-retain",
  ],
  [
    "the policy flipped back while nobody does",
    { ...c5, volume: changed(c5.volume, flipped) },
    "C5",
    "retain retained repoint bound restore",
    `delete-target target-gone retain retained ${BACK}`,
  ],
  [
    "the policy flipped back when bound",
    { ...c7, volume: changed(c7.volume, flipped) },
    "C7",
    "retain restore",
    /can no longer be rolled back/,
  ],
  [
    "the source made anew",
    { ...c5, source: anew },
    "C5",
    "gone repoint bound restore",
    `delete-target target-gone gone ${BACK}`,
  ],
  [
    "the source made anew when the volume is reserved",
    { ...c6, source: anew },
    "C6",
    "bound restore",
    `gone point-back delete-target target-gone ${REMADE}`,
  ],
  [
    "a third claim holds the volume",
    { ...c5, volume: volume("pv-1", "third", "party", noted) },
    "C5",
    /bound to third\/party/,
    /bound to third\/party/,
  ],
  [
    "the volume names nobody",
    { ...c5, volume: changed(c5.volume, { spec: { claimRef: undefined }, status: { phase: "Available" } }) },
    "C5",
    "gone repoint bound restore",
    /has no claimRef/,
  ],
  [
    "the notes are gone while the source holds the volume",
    { ...c3, volume: changed(c3.volume, without(MARKS)) },
    "C3",
    "retain retained idle delete gone repoint bound restore",
    "delete-target target-gone",
  ],
  [
    "the notes are gone when bound",
    { ...c7, volume: changed(c7.volume, without(MARKS)) },
    "C7",
    "retain restore",
    /can no longer be rolled back/,
  ],
  [
    "the noted policy is none",
    {
      ...c7,
      volume: changed(c7.volume, {
        metadata: { annotations: { [`${PREFIX}original-reclaim-policy`]: "Foo" } },
      }),
    },
    "C7",
    /saved policy "Foo"/,
    /saved policy "Foo"|can no longer be rolled back/,
  ],
  [
    "the noted policy would scrub",
    {
      ...c3,
      volume: changed(c3.volume, {
        metadata: { annotations: { [`${PREFIX}original-reclaim-policy`]: "Recycle" } },
      }),
    },
    "C2",
    /saved policy "Recycle"/,
    /saved policy "Recycle"/,
  ],
  [
    "the target is Lost",
    { ...c6, target: changed(waiting, { status: { phase: "Lost" } }) },
    "C6",
    /is Lost/,
    `point-back delete-target target-gone ${REMADE}`,
  ],
  [
    "the target is being deleted",
    { ...c7, target: changed(waiting, { metadata: { deletionTimestamp: "2030-01-01T00:00:00Z" } }) },
    "C7",
    /is being deleted/,
    /is being deleted/,
  ],
  [
    "the target was deleted while it was bound",
    { ...c7, target: undefined, volume: changed(c7.volume, { status: { phase: "Released" } }) },
    "C5",
    "create repoint bound restore",
    // Its namespace may be missing from the dump, and another claim may have been made there since.
    `target-gone ${BACK}`,
  ],
  [
    "a dump without the target",
    { ...c7, target: undefined },
    "C5",
    "target-gone create repoint bound restore",
    `target-gone gone ${BACK}`,
  ],
  [
    "the volume is being deleted",
    { ...c3, volume: changed(c3.volume, { metadata: { deletionTimestamp: "2030-01-01T00:00:00Z" } }) },
    "C5",
    /volume pv-1 is being deleted/,
    /volume pv-1 is being deleted/,
  ],
  ["rolled back", over, "C0", /was rolled back/, ""],
  ["rolled back, with the note still on the claim", back, "C0", /rollback is in progress/, "unmark-source"],
  [
    "rolled back with a target that waits still",
    { ...over, target: waiting },
    "C0",
    /rollback is in progress/,
    "delete-target target-gone",
  ],
  [
    "rolled back, and the claim deleted since",
    { ...over, source: undefined, volume: changed(over.volume, { status: { phase: "Released" } }) },
    "C0",
    /was rolled back/,
    "",
  ],
  [
    "pointed back by hand, without notes",
    {
      ...over,
      source: undefined,
      volume: changed(over.volume, {
        spec: { claimRef: { uid: undefined } },
        status: { phase: "Available" },
      }),
    },
    "C0",
    /refers to that name/,
    "",
  ],
  [
    "pointed back, with the claim made again",
    {
      ...back,
      volume: changed(changed(back.volume, noted), {
        spec: { claimRef: { uid: undefined } },
        status: { phase: "Available" },
      }),
      source: changed(back.source ?? {}, { status: { phase: "Pending" } }),
    },
    "C5",
    /rollback is in progress/,
    "target-gone source-bound restore-source unmark-source",
  ],
  [
    "pointed back and bound",
    { ...back, volume: changed(back.volume, noted) },
    "C5",
    /rollback is in progress/,
    "target-gone restore-source unmark-source",
  ],
  [
    "a dump without the source",
    { ...c2, source: undefined },
    "C5",
    "create gone repoint bound restore",
    `target-gone gone ${BACK}`,
  ],
  [
    "a dump without the target while the source holds the volume",
    { ...c3, target: undefined },
    "C2",
    "check retained create idle delete gone repoint bound restore",
    "target-gone undo-retain",
  ],
  [
    "a dump without the target of a reserved volume",
    { ...c6, target: undefined },
    "C6",
    "create bound restore",
    `point-back target-gone ${REMADE}`,
  ],
  [
    "a dump without the target of a transfer that is complete",
    { ...c7, target: undefined, volume: changed(c7.volume, without(MARKS)) },
    "C8",
    /bound to claim stage\/db-copy, which the dump does not contain/,
    /bound to claim stage\/db-copy, which the dump does not contain/,
  ],
  [
    "the target deleted since the transfer was complete",
    {
      ...c7,
      target: undefined,
      volume: changed(changed(c7.volume, without(MARKS)), { status: { phase: "Released" } }),
    },
    "C8",
    /has been deleted since/,
    /has been deleted since/,
  ],
];

for (const [name, stage, point, forward, backward] of ROWS)
  test(name, async () => {
    const plan = await planOf();
    const state = stateOf([
      ...START.slice(0, 3),
      stage.volume,
      ...(stage.source === undefined ? [] : [stage.source]),
      ...(stage.target === undefined ? [] : [stage.target]),
    ]);
    for (const [what, answer, expected] of [
      ["resume", resumePlan(plan, state, NOW), forward],
      ["rollback", rollbackPlan(plan, state), backward],
    ] as const) {
      const stop = answer.transfers[0]?.stop;
      const keys = answer.steps
        .map(({ stepSpec }) => stepSpec.key)
        .filter((key) => !key.startsWith("status"));
      if (typeof expected === "string") {
        assert.is(stop, undefined, `${what}: ${stop?.message}`);
        assert.equal(
          keys,
          expected.split(" ").filter((key) => key !== ""),
          what,
        );
      } else {
        assert.match(stop?.message ?? keys.join(" "), expected, what);
        assert.equal(keys, [], what);
        assert.ok((stop?.hint ?? "") !== "", "a stop has its remedy");
      }
    }
    assert.is(resumePlan(plan, state, NOW).crashPoint, point);
    leadsOn(resumePlan(plan, state, NOW), rollbackPlan(plan, state));
  });

/** Where one command stops and names the other, that one has something to do. */
function leadsOn(forward: Resumed, backward: Resumed): void {
  for (const [one, other, word] of [
    [forward, backward, "rollback"],
    [backward, forward, "resume"],
  ] as const)
    if (one.problems.some(({ code, hint }) => /^TRF06[12]$/.test(code) && hint?.includes(`transfer ${word}`)))
      assert.ok(other.steps.length > 0, `${word} is named, and has nothing to do`);
}

test("what was made anew, a volume that failed and one without notes are spoken of", async () => {
  const plan = await planOf();
  const back: typeof resumePlan = (its, state) => rollbackPlan(its, state);
  const notes = (stage: Stage, ask: typeof resumePlan): string =>
    ask(
      plan,
      stateOf([
        stage.volume,
        ...(stage.source === undefined ? [] : [stage.source]),
        ...(stage.target === undefined ? [] : [stage.target]),
      ]),
      NOW,
    )
      .problems.map(({ message }) => message)
      .join("\n");
  for (const stage of [c5, c6, c7])
    assert.match(notes({ ...stage, source: anew }, resumePlan), /claim prod\/db was re-created/);
  const failed = { ...c5, volume: changed(c5.volume, { status: { phase: "Failed" } }) };
  assert.match(notes(failed, resumePlan), /is Failed/);
  const bare = { ...c3, volume: changed(c3.volume, without(MARKS)) };
  assert.match(notes(bare, back), /no annotations of the transfer; the policy in the plan is Delete/);
  assert.is(notes(c3, back), "");
});

test("the saved policy is the only truth: for a plan made half way, for the notes, and for what is given back", async () => {
  // C1, C8: whoever reads the Retain of the first step as the original leaves it for ever.
  const again = await planOf([...START.slice(0, 4), c2.volume]);
  assert.is(again.transfers[0]?.volume?.policy, "Delete");
  assert.is(again.transfers[0]?.id, id);
  // The first patch does not write over what is noted.
  const half = changed(c2.volume, flipped);
  const patch = retainPatch(half, {
    id,
    sourceUid: "x",
    original: "Retain",
    claim: { uid: "claim-prod-db" },
  });
  const answer = applied(half, JSON.parse(JSON.stringify(patch)));
  if ("reason" in answer) throw new Error(answer.reason);
  assert.equal(answer.object["spec"], c2.volume["spec"]);
  assert.equal(answer.object["metadata"], c2.volume["metadata"]);
  // A volume that says something else than the plan is believed.
  const plan = await planOf();
  const kept = changed(c7.volume, {
    metadata: { annotations: { [`${PREFIX}original-reclaim-policy`]: "Retain" } },
  });
  const resumed = resumePlan(plan, stateOf([kept, c7.target ?? {}]), NOW);
  const restore = resumed.steps.find(({ stepSpec }) => stepSpec.key === "restore")?.stepSpec.artefact
    ?.content;
  if (!isList(restore)) throw new Error("no patch");
  assert.ok(
    restore
      .filter(isObject)
      .every((each) => textAt(each, "op") === "test" || !textAt(each, "path").includes("ReclaimPolicy")),
  );
  assert.match(
    resumed.problems.map(({ message }) => message).join("\n"),
    /saved policy of volume pv-1 is Retain, the one in the plan is Delete/,
  );
});

test("gates: each condition shuts its gate alone", async () => {
  const { steps } = resumePlan(await planOf(), stateOf(START), NOW);
  const idle = { ...c3 };
  const gone = c5;
  const open: Readonly<Record<string, Stage>> = { retained: c2, idle, gone, bound: c7 };
  const isOpen = (key: string, stage: Stage, more: readonly JsonObject[] = []): boolean => {
    const stepSpec = steps.find((each) => each.stepSpec.key === key)?.stepSpec;
    if (stepSpec === undefined) throw new Error(`no gate ${key}`);
    const objects = [stage.volume, stage.source, stage.target].flatMap((each) =>
      each === undefined ? [] : [each],
    );
    return execute(Cluster.from(stateOf([...objects, ...more])), stepSpec).ok;
  };
  for (const [key, stage] of Object.entries(open)) assert.ok(isOpen(key, stage), key);
  const volumeIs = (stage: Stage, changes: Changes): Stage => ({
    ...stage,
    volume: changed(stage.volume, changes),
  });
  const targetIs = (changes: Changes): Stage => ({ ...c7, target: changed(c7.target ?? {}, changes) });
  const leaving = { metadata: { deletionTimestamp: "2030-01-01T00:00:00Z" } };
  const attachment = {
    apiVersion: "storage.k8s.io/v1",
    kind: "VolumeAttachment",
    metadata: { name: "a" },
    spec: { source: { persistentVolumeName: "pv-1" }, nodeName: "n" },
  };
  for (const [key, stage, more] of [
    ["retained", volumeIs(c2, flipped), []],
    ["retained", volumeIs(c2, leaving), []],
    ["retained", volumeIs(c2, without(MARKS)), []],
    ["idle", idle, [pod("prod", "late", "db")]],
    ["idle", idle, [attachment]],
    ["idle", { ...idle, source: anew }, []],
    ["gone", { ...gone, source }, []],
    ["gone", { ...gone, source: anew }, []],
    ["gone", volumeIs(gone, flipped), []],
    ["gone", volumeIs(gone, leaving), []],
    ["gone", volumeIs(gone, without(MARKS)), []],
    ["bound", targetIs({ status: { phase: "Pending" } }), []],
    ["bound", targetIs({ spec: { volumeName: "pv-9" } }), []],
    ["bound", targetIs(leaving), []],
    ["bound", targetIs({ metadata: { uid: "somebody" } }), []],
    ["bound", volumeIs(c7, { status: { phase: "Available" } }), []],
    ["bound", volumeIs(c7, { spec: { claimRef: { uid: undefined } } }), []],
  ] as const)
    assert.not.ok(isOpen(key, stage, more), `${key} ${JSON.stringify(stage)}`);
});

test("a transfer that must stop does not stop the others of its batch", async () => {
  const other = { from: "prod/log", to: "stage/log" };
  const both = [...START, claim("prod", "log", "pv-2"), volume("pv-2", "prod", "log")];
  const { made } = await planFor([MOVE, other], both);
  if (made === undefined) throw new Error("no plan");
  const { plan } = made;
  const alone = (name: string) => new Set([`stage/transfer-${name}`]);
  const transfersIn = (steps: ReturnType<typeof rollbackPlan>["steps"]): string[] => [
    ...new Set(steps.map(({ transfer }) => transfer.request.name)),
  ];
  const state = stateOf(both.filter((each) => textAt(each, "metadata", "name") !== "pv-2"));
  const forward = resumePlan(plan, state, NOW);
  assert.equal(
    forward.transfers.map(({ stop }) => stop !== undefined),
    [false, true],
  );
  assert.equal(transfersIn(forward.steps), ["transfer-db-copy"]);
  assert.equal(transfersIn(resumePlan(plan, state, NOW, alone("log")).steps), []);
  // The first is bound, the second has begun: only the second is led back.
  const second = plan.transfers.find(({ request }) => request.name === "transfer-log");
  const noted = {
    metadata: {
      annotations: {
        "transfer.slipway.dev/original-reclaim-policy": "Delete",
        "transfer.slipway.dev/plan": second?.id ?? "",
        "transfer.slipway.dev/source-uid": second?.source.uid ?? "",
      },
    },
    spec: { persistentVolumeReclaimPolicy: "Retain" },
  };
  const bound = [c7.volume, ...(c7.target === undefined ? [] : [c7.target])];
  const begun = [claim("prod", "log", "pv-2"), changed(volume("pv-2", "prod", "log"), noted)];
  const back = rollbackPlan(plan, stateOf([...bound, ...begun]));
  assert.equal(
    back.transfers.map(({ stop }) => stop?.code),
    ["TRF062", undefined],
  );
  assert.match(back.problems[0]?.hint ?? "", "--only stage/transfer-db-copy");
  assert.equal(transfersIn(back.steps), ["transfer-log"]);
  assert.equal(rollbackPlan(plan, stateOf([...bound, ...begun]), alone("log")).problems, []);
});

test("a source is not made again under the name of a target that stays", async () => {
  // db goes to where log was: its target has the name that log's way back needs.
  const chain = { from: "prod/db", to: "prod/log" };
  const away = { from: "prod/log", to: "stage/log" };
  const both = [...START, claim("prod", "log", "pv-2"), volume("pv-2", "prod", "log")];
  const { made } = await planFor([chain, away], both);
  if (made === undefined) throw new Error("no plan");
  const [first, second] = made.plan.transfers;
  if (first === undefined || second === undefined) throw new Error("no transfers");
  const marks = (transfer: typeof first) => ({
    annotations: {
      "transfer.slipway.dev/original-reclaim-policy": "Delete",
      "transfer.slipway.dev/plan": transfer.id,
      "transfer.slipway.dev/source-uid": transfer.source.uid,
    },
  });
  const kept = { spec: { persistentVolumeReclaimPolicy: "Retain" } };
  const target = changed(claim("prod", "log", "pv-1"), {
    metadata: { uid: "uid-new", annotations: { "transfer.slipway.dev/plan": first.id } },
  });
  const held = changed(volume("pv-1", "prod", "log"), {
    metadata: marks(first),
    spec: { ...kept.spec, claimRef: { uid: "uid-new" } },
  });
  const released = changed(volume("pv-2", "prod", "log"), {
    metadata: marks(second),
    ...kept,
    status: { phase: "Released" },
  });
  const back = rollbackPlan(made.plan, stateOf([target, held, released]));
  assert.equal(
    back.transfers.map(({ stop }) => stop?.code),
    ["TRF062", "TRF062"],
  );
  assert.match(back.transfers[1]?.stop?.message ?? "", "claim prod/log is now the target of");
  assert.equal(back.steps, []);
});

test("a claim without a volume that was bound in the meantime is not exchanged", async () => {
  const unbound = claim("prod", "db", "", {
    metadata: { annotations: { "pv.kubernetes.io/bind-completed": undefined } },
    spec: { volumeName: undefined },
    status: { phase: "Pending", capacity: undefined },
  });
  const objects = [...START.slice(0, 3), unbound];
  const { made } = await planFor([MOVE], objects, { recreateUnbound: true });
  if (made === undefined) throw new Error("no plan");
  assert.is(resumePlan(made.plan, stateOf(objects), NOW).transfers[0]?.stop, undefined);
  // The binding controller writes the name first and the phase last; either is enough.
  for (const changes of [{ spec: { volumeName: "pv-1" } }, { status: { phase: "Bound" } }]) {
    const { transfers, steps } = resumePlan(
      made.plan,
      stateOf([...START.slice(0, 3), changed(unbound, changes)]),
      NOW,
    );
    assert.match(transfers[0]?.stop?.message ?? "", /has been bound to a volume/);
    assert.equal(steps, []);
  }
});

test("a claim without a volume that was made again by a way back: what is left, and that it is over", async () => {
  const unbound = claim("prod", "db", "", {
    metadata: { annotations: { "pv.kubernetes.io/bind-completed": undefined } },
    spec: { volumeName: undefined },
    status: { phase: "Pending", capacity: undefined },
  });
  const objects = START.slice(0, 3);
  const { made } = await planFor([MOVE], [...objects, unbound], { recreateUnbound: true });
  const transfer = made?.plan.transfers[0];
  if (made === undefined || transfer === undefined) throw new Error("no plan");
  const gone = stateOf(objects);
  const keys = (answer: Resumed): string =>
    answer.steps
      .map(({ stepSpec }) => stepSpec.key)
      .filter((key) => !key.startsWith("status"))
      .join(" ");
  assert.is(keys(rollbackPlan(made.plan, gone)), "target-gone recreate-source unmark-source");
  const remade = changed(transfer.sourceObject, { metadata: { uid: "anew" }, status: { phase: "Pending" } });
  const half = stateOf([...objects, remade]);
  assert.is(keys(rollbackPlan(made.plan, half)), "unmark-source");
  assert.match(resumePlan(made.plan, half, NOW).problems[0]?.message ?? "", /rollback that is in progress/);
  const over = stateOf([...objects, changed(remade, without([`${PREFIX}plan`]))]);
  assert.is(keys(rollbackPlan(made.plan, over)), "");
  assert.is(rollbackPlan(made.plan, over).crashPoint, "C0");
  assert.match(
    resumePlan(made.plan, over, NOW).problems[0]?.hint ?? "",
    /^after a rollback, nothing is left to do/,
  );
  for (const state of [gone, half, over])
    leadsOn(resumePlan(made.plan, state, NOW), rollbackPlan(made.plan, state));
});

/** A plan for a claim that was never bound, with the objects beside it. */
async function unboundPlan() {
  const unbound = claim("prod", "db", "", {
    metadata: { annotations: { "pv.kubernetes.io/bind-completed": undefined } },
    spec: { volumeName: undefined },
    status: { phase: "Pending", capacity: undefined },
  });
  const objects = START.slice(0, 3);
  const { made } = await planFor([MOVE], [...objects, unbound], { recreateUnbound: true });
  const target = made?.plan.transfers[0]?.targetObject;
  if (made === undefined || target === undefined) throw new Error("no plan");
  return { unbound, objects, made, target };
}

test("a claim without a volume that a dump leaves out is not taken for gone", async () => {
  const { unbound, objects, made, target } = await unboundPlan();
  const fresh = changed(target, { metadata: { uid: "t" }, status: { phase: "Pending" } });
  const keys = (seen: readonly JsonObject[]): string =>
    resumePlan(made.plan, stateOf([...objects, ...seen]), NOW)
      .steps.map(({ stepSpec }) => stepSpec.key)
      .filter((key) => !key.startsWith("status"))
      .join(" ");
  // The server is asked for it, since its namespace may be what the dump lacks.
  assert.is(keys([]), "gone create");
  assert.is(keys([fresh]), "");
  const told = resumePlan(made.plan, stateOf([...objects, fresh]), NOW).problems;
  assert.match(told[0]?.message ?? "", /does not contain claim prod\/db/);
  // Another one under its name shows that it is gone.
  assert.is(keys([fresh, changed(unbound, { metadata: { uid: "anew" } })]), "");
});

test("a fresh target that is on its way out is waited for, and made again", async () => {
  const { unbound, objects, made, target } = await unboundPlan();
  const leaving = changed(target, { metadata: { uid: "t", deletionTimestamp: "2030-01-01T00:00:00Z" } });
  for (const sources of [[unbound], []]) {
    const { transfers, steps } = resumePlan(made.plan, stateOf([...objects, ...sources, leaving]), NOW);
    assert.match(transfers[0]?.stop?.message ?? "", /stage\/db-copy is being deleted/);
    assert.equal(steps, []);
    assert.ok(resumePlan(made.plan, stateOf([...objects, ...sources]), NOW).steps.length > 0);
  }
});

test.run();
