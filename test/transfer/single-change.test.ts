/**
 * One change by somebody else between any two steps of a plan, of what is left of it, and of the way back: whatever is
 * changed of what was observed, the printed steps stop or go on, and no bytes are lost.
 */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { JsonObject } from "../../src/core/json.js";
import { nameText, sameName } from "../../src/transfer/api.js";
import type { Transfer, TransferPlan } from "../../src/transfer/model.js";
import { annotationOf, isBeingDeleted, nameOf, textAt, uidOf } from "../../src/transfer/object.js";
import { policyOf } from "../../src/transfer/patches.js";
import { resumePlan } from "../../src/transfer/resume.js";
import { rollbackPlan } from "../../src/transfer/rollback.js";
import type { Scheduled } from "../../src/transfer/schedule.js";
import { Cluster } from "../../src/transfer/simulator/cluster.js";
import { settle } from "../../src/transfer/simulator/controllers.js";
import { dataLossIn, holdersOf } from "../../src/transfer/simulator/data-loss.js";
import { execute, quiesce } from "../../src/transfer/simulator/execute.js";
import { readState } from "../../src/transfer/state.js";
import type { PlanOptions } from "../../src/transfer/transfer-context.js";
import { everything } from "../helpers/runs.js";
import {
  appliedPairs,
  type Changes,
  changed,
  claim,
  type Move,
  NOW,
  namespace,
  planFor,
  pod,
  stateOf,
  volume,
} from "../helpers/transfer.js";

const test = suite("one change between two steps");

const PREFIX = "transfer.slipway.dev/";

/** Changes the cluster; false where there is nothing of the kind, or where the change alone loses the data. */
type Change = (cluster: Cluster, transfer: Transfer) => boolean;

const onClaim =
  (which: "source" | "target", changes: Changes): Change =>
  (cluster, transfer) => {
    const found = cluster.claims.get(nameText(transfer[which]));
    if (found === undefined) return false;
    cluster.putClaim(changed(found, changes));
    return true;
  };
const onVolume =
  (changes: Changes): Change =>
  (cluster, { volume: moved }) => {
    const found = cluster.volumes.get(moved?.name ?? "");
    if (found === undefined) return false;
    cluster.putVolume(changed(found, changes));
    return true;
  };
/** A claim that is there, and stays, has the volume. */
function isHeld(cluster: Cluster, { volume: moved }: Transfer): boolean {
  const uid = textAt(cluster.volumes.get(moved?.name ?? ""), "spec", "claimRef", "uid");
  return [...cluster.claims.values()].some((each) => uidOf(each) === uid && !isBeingDeleted(each));
}
const isKept = (cluster: Cluster, { volume: moved }: Transfer): boolean => {
  const found = cluster.volumes.get(moved?.name ?? "");
  return found === undefined || policyOf(found) === "Retain";
};
const when =
  (holds: (cluster: Cluster, transfer: Transfer) => boolean, change: Change): Change =>
  (cluster, transfer) =>
    holds(cluster, transfer) && change(cluster, transfer);
const deleted =
  (which: "source" | "target"): Change =>
  (cluster, transfer) => {
    const found = cluster.claims.get(nameText(transfer[which]));
    if (found === undefined) return false;
    // In a swap the name of a source becomes the name of a target.
    const isIt =
      which === "source"
        ? uidOf(found) === transfer.source.uid
        : annotationOf(found, `${PREFIX}plan`) === transfer.id;
    return isIt && cluster.deleteClaim(nameOf(found), {}).ok;
  };
const mark = (key: string, value: string | undefined): Change =>
  onVolume({ metadata: { annotations: { [PREFIX + key]: value } } });

/** By hand, since the controllers give nobody what is reserved: from then on it is the other claim's. */
const TAKEN = "another claim has the volume";

const CHANGES: Readonly<Record<string, Change>> = {
  "nothing but a new resourceVersion of the volume": onVolume({}),
  "a label of the volume": onVolume({ metadata: { labels: { a: "b" } } }),
  "the policy of the volume": when(isHeld, onVolume({ spec: { persistentVolumeReclaimPolicy: "Delete" } })),
  "the capacity of the volume": onVolume({ spec: { capacity: { storage: "20Gi" } } }),
  "the mark of the volume is gone": mark("plan", undefined),
  "the mark of the volume is another": mark("plan", "other"),
  "the noted policy is gone": mark("original-reclaim-policy", undefined),
  "the noted policy is another": mark("original-reclaim-policy", "Retain"),
  "the noted uid is gone": mark("source-uid", undefined),
  "the volume is another object": onVolume({ metadata: { uid: "another" } }),
  "the volume is being deleted": onVolume({ metadata: { deletionTimestamp: "2030-01-01T00:00:00Z" } }),
  "another volume for the same storage": (cluster, { volume: moved }) => {
    const found = cluster.volumes.get(moved?.name ?? "");
    if (found === undefined) return false;
    const twin = changed(found, {
      metadata: { name: "twin", uid: "twin" },
      spec: {
        claimRef: { namespace: "third", name: "nobody", uid: "nobody" },
        persistentVolumeReclaimPolicy: "Retain",
      },
    });
    cluster.volumes.set("twin", twin);
    return true;
  },
  "nothing but a new resourceVersion of the source": onClaim("source", {}),
  "the condition Unused of the source": onClaim("source", {
    status: { conditions: [{ type: "Unused", status: "True" }] },
  }),
  "the owner references of the source": onClaim("source", { metadata: { ownerReferences: undefined } }),
  "another finalizer of the source": onClaim("source", {
    metadata: { finalizers: ["kubernetes.io/pvc-protection", "example.com/backup"] },
  }),
  "a resize of the source": onClaim("source", {
    status: { conditions: [{ type: "Resizing", status: "True" }] },
  }),
  "the size that the source asks for": onClaim("source", {
    spec: { resources: { requests: { storage: "11Gi" } } },
  }),
  "the source is deleted": when(isKept, deleted("source")),
  "the source is made again, empty": (cluster, transfer) => {
    if (cluster.claims.has(nameText(transfer.source))) return false;
    cluster.putClaim(
      changed(claim(transfer.source.namespace, transfer.source.name, ""), {
        metadata: {
          uid: "anew",
          annotations: {
            "pv.kubernetes.io/bind-completed": undefined,
            "pv.kubernetes.io/bound-by-controller": undefined,
          },
        },
        spec: { volumeName: undefined },
        status: { phase: "Pending", capacity: undefined },
      }),
    );
    return true;
  },
  "a pod uses the source": (cluster, { source }) => {
    cluster.podObjects.set(`${source.namespace}/late`, pod(source.namespace, "late", source.name));
    return true;
  },
  "the volume is attached": (cluster, { volume: moved }) => {
    cluster.attachmentObjects.set("late", {
      apiVersion: "storage.k8s.io/v1",
      kind: "VolumeAttachment",
      metadata: { name: "late" },
      spec: { source: { persistentVolumeName: moved?.name ?? "" } },
    });
    return moved !== null;
  },
  "nothing but a new resourceVersion of the target": onClaim("target", {}),
  "the mark of the target is gone": onClaim("target", {
    metadata: { annotations: { [`${PREFIX}plan`]: undefined } },
  }),
  "the target is deleted": when(isKept, deleted("target")),
  "the approval is taken back": (cluster) =>
    [...cluster.transferObjects.keys()]
      .filter((key) => key.startsWith("StorageTransferApproval"))
      .map((key) => cluster.transferObjects.delete(key))
      .includes(true),
  [TAKEN]: (cluster, transfer) => {
    const found = cluster.volumes.get(transfer.volume?.name ?? "");
    if (found === undefined || isHeld(cluster, transfer)) return false;
    cluster.putClaim(
      changed(claim("third", "other", nameOf(found).name), {
        metadata: { uid: "other" },
        status: { phase: "Bound" },
      }),
    );
    cluster.putVolume(
      changed(found, {
        spec: { claimRef: { namespace: "third", name: "other", uid: "other" } },
        status: { phase: "Bound" },
      }),
    );
    return true;
  },
  "the unbound source gets a volume": (cluster, transfer) =>
    transfer.kind === "recreate" &&
    onClaim("source", { spec: { volumeName: "pv-new" }, status: { phase: "Bound" } })(cluster, transfer),
};

interface Scenario {
  readonly name: string;
  readonly moves: readonly Move[];
  readonly objects: readonly JsonObject[];
  readonly options?: Partial<PlanOptions>;
  /** The claim is gone before anything begins: one that is made anew under its name has a right to the volume. */
  readonly vacant?: boolean;
}
const STATEFUL_SET: JsonObject = {
  apiVersion: "apps/v1",
  kind: "StatefulSet",
  metadata: { namespace: "prod", name: "db", uid: "set" },
  spec: {
    replicas: 2,
    persistentVolumeClaimRetentionPolicy: { whenDeleted: "Delete", whenScaled: "Delete" },
    selector: { matchLabels: { app: "db" } },
    template: { metadata: { labels: { app: "db" } } },
    volumeClaimTemplates: [{ metadata: { name: "data" } }],
  },
};
const spaces = ["prod", "stage", "third"].map((name) => namespace(name));
const one: Move = { from: "prod/db", to: "stage/db-copy" };
const pair = [claim("prod", "db", "pv-1"), volume("pv-1", "prod", "db")];
const SCENARIOS: readonly Scenario[] = [
  { name: "one claim", moves: [one], objects: [...spaces, ...pair, pod("prod", "db-0", "db")] },
  {
    name: "late",
    moves: [one],
    objects: [...spaces, ...pair, pod("o", "p", "c")],
    options: { lateCreate: true },
  },
  {
    name: "batch",
    moves: [one, { from: "prod/log", to: "stage/log" }],
    objects: [
      ...spaces,
      ...pair,
      claim("prod", "log", "pv-2"),
      volume("pv-2", "prod", "log"),
      pod("o", "p", "c"),
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
      pod("o", "p", "c"),
    ],
    options: { allowCycles: true },
  },
  {
    name: "unbound",
    moves: [one],
    objects: [
      ...spaces,
      pod("o", "p", "c"),
      claim("prod", "db", "", {
        metadata: { annotations: { "pv.kubernetes.io/bind-completed": undefined } },
        spec: { volumeName: undefined },
        status: { phase: "Pending", capacity: undefined },
      }),
    ],
    options: { recreateUnbound: true },
  },
  {
    name: "StatefulSet",
    moves: [0, 1].map((n) => ({ from: `prod/data-db-${n}`, to: `stage/data-pg-${n}` })),
    objects: [
      ...spaces,
      STATEFUL_SET,
      ...[0, 1].flatMap((n) => [
        claim("prod", `data-db-${n}`, `pv-${n}`, {
          metadata: {
            ownerReferences: [{ apiVersion: "apps/v1", kind: "StatefulSet", name: "db", uid: "set" }],
          },
        }),
        volume(`pv-${n}`, "prod", `data-db-${n}`),
        pod("prod", `db-${n}`, `data-db-${n}`),
      ]),
    ],
  },
  ...Object.entries({
    Released: changed(volume("pv-1", "prod", "db"), {
      spec: { persistentVolumeReclaimPolicy: "Retain" },
      status: { phase: "Released" },
    }),
    "reserved by name": changed(volume("pv-1", "prod", "db"), {
      spec: { claimRef: { uid: undefined, resourceVersion: undefined } },
      status: { phase: "Available" },
    }),
    "for nobody": changed(volume("pv-1", "prod", "db"), {
      metadata: { annotations: undefined },
      spec: { claimRef: undefined },
      status: { phase: "Available" },
    }),
  }).map(
    ([name, left]): Scenario => ({
      name: `vacant, ${name}`,
      moves: [{ ...one, annotations: { [`${PREFIX}persistent-volume`]: "pv-1" } }],
      objects: [...spaces, left, pod("o", "p", "c"), claim("o", "c", "pv-o"), volume("pv-o", "o", "c")],
      vacant: true,
    }),
  ),
];

const dumpOf = (cluster: Cluster) =>
  readState([{ file: "later.yaml", text: JSON.stringify(cluster.dump()) }], (problem) => {
    throw new Error(problem.message);
  });

/** @param byName true where a claim has a right to the volume by having the source's name */
function judge(cluster: Cluster, plan: TransferPlan, bound: boolean, where: string, byName: boolean): void {
  const other = cluster.claims.get("third/other");
  if (other !== undefined)
    assert.is(
      textAt(cluster.volumes.get(textAt(other, "spec", "volumeName")), "spec", "claimRef", "uid"),
      uidOf(other),
      `${where}: the other claim keeps the volume`,
    );
  for (const { kind, volume: moved, source, target } of plan.transfers) {
    if (kind === "recreate") {
      // A claim that got a volume may hold data.
      if (bound)
        assert.ok(cluster.claims.has(nameText(source)), `${where}: the source that got a volume is there`);
      continue;
    }
    const name = moved?.name ?? "";
    const mayHold = holdersOf(source.uid, target);
    assert.equal(
      dataLossIn(
        cluster,
        `handle-${name}`,
        `bytes of ${name}`,
        // A rollback reserves the volume for the name of the source, by name alone.
        (each) => mayHold(each) || uidOf(each) === "other" || (byName && sameName(nameOf(each), source)),
      ).filter(({ detail }) => !detail.includes("twin")),
      [],
      where,
    );
  }
}

/** Does steps with the change before one of them; answers whether the change was possible. */
function walk(
  cluster: Cluster,
  plan: TransferPlan,
  steps: readonly Scheduled[],
  at: number,
  [what, change]: readonly [string, Change],
  byName = false,
): { readonly changed: boolean; readonly done: boolean } {
  let happened = false;
  for (const [index, { transfer, stepSpec }] of steps.entries()) {
    if (stepSpec.key === "idle") quiesce(cluster, transfer);
    settle(cluster);
    if (index === at) {
      if (!change(cluster, transfer)) return { changed: false, done: false };
      happened = true;
      settle(cluster);
    }
    const answer = execute(cluster, stepSpec);
    settle(cluster);
    judge(
      cluster,
      plan,
      happened && what === "the unbound source gets a volume",
      `${what} before step ${at}, after ${stepSpec.key}`,
      byName,
    );
    if (!answer.ok) return { changed: happened, done: false };
  }
  return { changed: happened, done: true };
}

/** What controllers write to claims and volumes at rest must not stop a plan. */
const HARMLESS = Object.keys(CHANGES).filter(
  (name) =>
    name.startsWith("nothing but") || /label|condition Unused|owner references|capacity of/.test(name),
);

for (const { name, moves, objects, options, vacant = false } of SCENARIOS)
  test(`${name}: nothing is lost, and what does not matter stops nothing`, async () => {
    const all = [...objects, ...appliedPairs(moves)];
    const { made, problems } = await planFor(moves, all, options);
    if (made === undefined) throw new Error(JSON.stringify(problems));
    const { plan } = made;
    const start = Cluster.from(stateOf(all));
    const steps = resumePlan(plan, dumpOf(start), NOW).steps;
    let tried = 0;
    for (const [index, entry] of Object.entries(CHANGES).entries()) {
      const [what] = entry;
      for (let at = 0; at < steps.length; at++) {
        // In the fast tier every change, before some of the steps.
        if (!everything && (index + at) % 4 !== 0) continue;
        const cluster = start.clone();
        const { changed: happened, done } = walk(cluster, plan, steps, at, entry, vacant);
        if (!happened) continue;
        tried++;
        if (HARMLESS.includes(what)) assert.ok(done, `${what} before step ${at} stopped the plan`);
        // What is printed then, forth and back.
        for (const ask of [
          (state: ReturnType<typeof dumpOf>) => resumePlan(plan, state, NOW),
          (state: ReturnType<typeof dumpOf>) => rollbackPlan(plan, state),
        ]) {
          const own = cluster.clone();
          const next = ask(dumpOf(own));
          walk(own, plan, next.steps, -1, entry, true);
        }
      }
      // The way back from every prefix, with the change before each of its steps.
      for (let prefix = 1; prefix < steps.length; prefix++) {
        if (!everything && (index + prefix) % 4 !== 0) continue;
        const there = start.clone();
        walk(there, plan, steps.slice(0, prefix), -1, entry, vacant);
        const back = rollbackPlan(plan, dumpOf(there)).steps;
        for (let at = 0; at < back.length; at++) {
          const { changed: happened, done } = walk(there.clone(), plan, back, at, entry, true);
          if (!happened) continue;
          tried++;
          if (HARMLESS.includes(what)) assert.ok(done, `${what} before step ${at} stopped the way back`);
        }
      }
    }
    assert.ok(tried > (everything ? 100 : 25), `${tried} changes were tried`);
  });

test.run();
