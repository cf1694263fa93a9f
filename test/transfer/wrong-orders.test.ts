/**
 * The wrong orders W1 to W8 (docs/reference/pvc-transfer.md §6) on the simulated cluster: each does the damage that it
 * is known for, so that the simulator can tell a wrong order from a right one. The right order, on the same cluster,
 * does none.
 */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { JsonObject } from "../../src/core/json.js";
import { sameName } from "../../src/transfer/api.js";
import { annotationOf, nameOf, objectAt, textAt, uidOf } from "../../src/transfer/object.js";
import { claimReference } from "../../src/transfer/patches.js";
import { Cluster, type Surroundings } from "../../src/transfer/simulator/cluster.js";
import { movesOf, settle } from "../../src/transfer/simulator/controllers.js";
import { dataLossIn, holdersOf } from "../../src/transfer/simulator/data-loss.js";
import { claim, pod, stateOf, volume } from "../helpers/transfer.js";

const test = suite("wrong orders");

const SOURCE = { namespace: "prod", name: "db" };
const TARGET = { namespace: "stage", name: "db-copy" };
const SOURCE_UID = "claim-prod-db";
const waiting = claim("third", "greedy", "", {
  metadata: {
    annotations: {
      "pv.kubernetes.io/bind-completed": undefined,
      "pv.kubernetes.io/bound-by-controller": undefined,
    },
  },
  spec: { volumeName: undefined },
  status: { phase: "Pending", capacity: undefined },
});
const target = (annotations: JsonObject = {}): JsonObject => ({
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  metadata: { ...TARGET, annotations },
  spec: {
    accessModes: ["ReadWriteOnce"],
    resources: { requests: { storage: "10Gi" } },
    storageClassName: "fast",
    volumeName: "pv-1",
  },
});

const start = (more: readonly JsonObject[] = [], surroundings: Surroundings = {}): Cluster =>
  Cluster.from(
    stateOf([claim("prod", "db", "pv-1"), volume("pv-1", "prod", "db"), waiting, ...more]),
    surroundings,
  );

/** The single writes of a transfer, as a careless hand does them: without tests, gates or notes. */
const retain = (cluster: Cluster) =>
  cluster.patchVolume("pv-1", [
    { op: "replace", path: "/spec/persistentVolumeReclaimPolicy", value: "Retain" },
  ]);
const restore = (cluster: Cluster) =>
  cluster.patchVolume("pv-1", [
    { op: "replace", path: "/spec/persistentVolumeReclaimPolicy", value: "Delete" },
  ]);
const remove = (cluster: Cluster) => cluster.deleteClaim(SOURCE, {});
const repoint = (cluster: Cluster) =>
  cluster.patchVolume("pv-1", [{ op: "replace", path: "/spec/claimRef", value: claimReference(TARGET) }]);
const create = (cluster: Cluster) => cluster.createClaim(target());

const dataLoss = (cluster: Cluster): string[] =>
  dataLossIn(cluster, "handle-pv-1", "bytes of pv-1", holdersOf(SOURCE_UID, TARGET)).map(({ what }) => what);
const phase = (cluster: Cluster, name: { namespace: string; name: string }): string =>
  textAt(
    [...cluster.claims.values()].find((each) => sameName(nameOf(each), name)),
    "status",
    "phase",
  );

function does(
  cluster: Cluster,
  ...writes: readonly ((cluster: Cluster) => { readonly ok: boolean })[]
): void {
  for (const write of writes) {
    assert.ok(write(cluster).ok);
    settle(cluster);
  }
}

test("the right order does no harm, and the volume ends with the target", () => {
  const cluster = start();
  does(cluster, retain, create, remove, repoint, restore);
  assert.equal(dataLoss(cluster), []);
  assert.is(phase(cluster, TARGET), "Bound");
  assert.is(phase(cluster, { namespace: "third", name: "greedy" }), "Pending");
});

test("W1: deleting before Retain destroys a volume whose policy is Delete", () => {
  const cluster = start();
  does(cluster, remove);
  assert.equal(dataLoss(cluster), ["destroyed"]);
});

test("W1: so does Retain that comes while the provisioner already acts on what it saw (B10)", () => {
  const cluster = start();
  assert.ok(remove(cluster).ok);
  for (const name of ["protection prod/db", "volume pv-1", "provisioner sees pv-1"])
    movesOf(cluster)
      .find((move) => move.name === name)
      ?.run();
  assert.ok(retain(cluster).ok);
  movesOf(cluster)
    .find((move) => move.name === "provisioner deletes pv-1")
    ?.run();
  assert.equal(dataLoss(cluster), ["destroyed"]);
});

test("W2: a volume whose claimRef is emptied as a step of its own goes to any claim that waits", () => {
  const cluster = start();
  does(cluster, retain, remove, (each) =>
    each.patchVolume("pv-1", [{ op: "remove", path: "/spec/claimRef" }]),
  );
  assert.equal(dataLoss(cluster), ["taken"]);
  assert.is(phase(cluster, { namespace: "third", name: "greedy" }), "Bound");
});

test("W3: a claimRef that is edited but keeps the old uid is released, and destroyed with Delete", () => {
  const edit = (cluster: Cluster) =>
    cluster.patchVolume("pv-1", [
      { op: "replace", path: "/spec/claimRef/namespace", value: TARGET.namespace },
      { op: "replace", path: "/spec/claimRef/name", value: TARGET.name },
    ]);
  const kept = start();
  does(kept, retain, remove, edit, create);
  assert.is(textAt(kept.volumes.get("pv-1"), "status", "phase"), "Released");
  assert.is(phase(kept, TARGET), "Pending");
  const lost = start();
  assert.ok(edit(lost).ok);
  for (const name of ["volume pv-1", "provisioner sees pv-1", "provisioner deletes pv-1"])
    movesOf(lost)
      .find((move) => move.name === name)
      ?.run();
  assert.equal(dataLoss(lost), ["destroyed"]);
});

test("W4: restoring the policy before the target is bound to this volume destroys it", () => {
  const cluster = start();
  does(cluster, retain, create, remove, restore);
  assert.equal(dataLoss(cluster), ["destroyed"]);
});

test("W4: so it does when the target was bound to another volume (B8)", () => {
  const cluster = start([], { provisioned: new Set(["fast"]) });
  const { volumeName: _, ...spec } = objectAt(target(), "spec");
  does(cluster, retain, remove, (each) => each.createClaim({ ...target(), spec }));
  assert.is(phase(cluster, TARGET), "Bound");
  const uid = uidOf(cluster.claims.get("stage/db-copy") ?? {});
  does(cluster, (each) =>
    each.patchVolume("pv-1", [
      { op: "replace", path: "/spec/persistentVolumeReclaimPolicy", value: "Delete" },
      { op: "replace", path: "/spec/claimRef", value: { ...claimReference(TARGET), uid } },
    ]),
  );
  assert.equal(dataLoss(cluster), ["destroyed"]);
});

test("W5: a copied bind-completed makes the target Lost", () => {
  const cluster = start();
  does(cluster, retain, remove, repoint, (each) =>
    each.createClaim(target({ "pv.kubernetes.io/bind-completed": "yes" })),
  );
  assert.is(phase(cluster, TARGET), "Lost");
});

test("W6: repointing while the source exists makes it Lost under a running pod", () => {
  const cluster = start([pod("prod", "db-0", "db")]);
  does(cluster, retain, repoint);
  assert.is(phase(cluster, SOURCE), "Lost");
  assert.equal(dataLoss(cluster), []);
});

test("W7: making the target last finds out about a quota when the source is gone", () => {
  const cluster = start([], { admit: () => "exceeded quota: storage" });
  does(cluster, retain, remove, repoint);
  assert.equal(create(cluster), { ok: false, reason: "exceeded quota: storage" });
  assert.equal([phase(cluster, SOURCE), phase(cluster, TARGET)], ["", ""]);
  assert.equal(dataLoss(cluster), []);
  // Made early, the refusal comes while nothing has happened.
  const early = start([], { admit: () => "exceeded quota: storage" });
  does(early, retain);
  assert.is(create(early).ok, false);
  assert.is(phase(early, SOURCE), "Bound");
});

test("W8: making a claim under a name that is still being deleted is refused", () => {
  const cluster = start([pod("prod", "db-0", "db")]);
  does(cluster, retain, remove);
  const answer = cluster.createClaim({ ...target(), metadata: { ...SOURCE } });
  assert.is(answer.ok, false);
  assert.match(answer.ok ? "" : answer.reason, /being deleted/);
});

test("B9: without bound-by-controller a reservation outlives an unbinding", () => {
  for (const [byController, expected] of [
    [true, undefined],
    [false, "db"],
  ] as const) {
    const cluster = Cluster.from(
      stateOf([
        claim("prod", "db", "pv-2"),
        volume("pv-2", "prod", "db"),
        volume("pv-1", "prod", "db", {
          metadata: {
            annotations: byController ? {} : { "pv.kubernetes.io/bound-by-controller": undefined },
          },
          spec: { persistentVolumeReclaimPolicy: "Retain" },
        }),
      ]),
    );
    settle(cluster);
    const held = objectAt(cluster.volumes.get("pv-1") ?? {}, "spec", "claimRef");
    assert.is(held["name"], expected);
    assert.is(held["uid"], undefined);
  }
});

test("B2: a claim that names a free volume is checked first; B3: a reservation is not", () => {
  const small = {
    metadata: { annotations: { "pv.kubernetes.io/bound-by-controller": undefined } },
    spec: { capacity: { storage: "1Gi" }, claimRef: undefined },
    status: { phase: "Available" },
  };
  const free = Cluster.from(stateOf([volume("pv-1", "x", "y", small)]));
  assert.ok(free.createClaim(target()).ok);
  settle(free);
  assert.is(phase(free, TARGET), "Pending");
  const reserved = Cluster.from(
    stateOf([
      volume("pv-1", "x", "y", {
        ...small,
        spec: {
          ...small.spec,
          claimRef: { ...claimReference(TARGET), uid: undefined, resourceVersion: undefined },
        },
      }),
    ]),
  );
  assert.ok(reserved.createClaim(target()).ok);
  settle(reserved);
  assert.is(phase(reserved, TARGET), "Bound");
  assert.is(
    annotationOf(reserved.volumes.get("pv-1") ?? {}, "pv.kubernetes.io/bound-by-controller"),
    undefined,
  );
});

test.run();
