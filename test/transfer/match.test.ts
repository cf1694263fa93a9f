import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { JsonObject } from "../../src/core/json.js";
import { describe, type TransferObject } from "../../src/transfer/api.js";
import { CONDITIONS, type ConditionName } from "../../src/transfer/conditions.js";
import { matchTransfers } from "../../src/transfer/match.js";
import { runs } from "../helpers/runs.js";
import {
  type Changes,
  changed,
  type Move,
  NOW,
  pairObjects,
  readObjects,
  textOf,
} from "../helpers/transfer.js";

const test = suite("matching");

const match = (objects: readonly TransferObject[], allowCycles = false) =>
  matchTransfers(objects, { now: NOW, allowCycles });
const matchMoves = (moves: readonly Move[], allowCycles = false) =>
  match(readObjects(textOf(moves.flatMap((move) => [...pairObjects(move)]))), allowCycles);

const MOVE: Move = { from: "source-namespace/foo", to: "target-namespace/bar" };

/** A change of the approval, or of the request, that breaks exactly one condition. */
const BREAKS: Readonly<
  Record<ConditionName, { request?: Changes; approval?: Changes; left: string; right: string }>
> = {
  M1: { approval: { spec: { requestName: "other" } }, left: "transfer-bar", right: "other" },
  M2: { approval: { spec: { targetNamespace: "other" } }, left: "target-namespace", right: "other" },
  M3: { request: { spec: { source: { namespace: "other" } } }, left: "other", right: "source-namespace" },
  M4: { approval: { spec: { source: { name: "other" } } }, left: "foo", right: "other" },
  M5: {
    approval: { spec: { source: { kind: "persistentvolumeclaim" } } },
    left: "PersistentVolumeClaim",
    right: "persistentvolumeclaim",
  },
  M6: { request: { spec: { approvalName: "other" } }, left: "other", right: "approve-foo" },
};

function broken(names: readonly ConditionName[]): readonly [JsonObject, JsonObject] {
  let [request, approval] = pairObjects(MOVE);
  for (const name of names) {
    request = changed(request, BREAKS[name].request ?? {});
    approval = changed(approval, BREAKS[name].approval ?? {});
  }
  return [request, approval];
}

test("all six conditions make a pair", () => {
  const { pairs, unmatched, findings } = matchMoves([MOVE]);
  assert.equal(
    pairs.map(({ request, approval }) => [describe(request), describe(approval)]),
    [
      [
        "StorageTransferRequest target-namespace/transfer-bar",
        "StorageTransferApproval source-namespace/approve-foo",
      ],
    ],
  );
  assert.equal(unmatched, []);
  assert.equal(
    findings.map(({ check, severity }) => [check, severity]),
    [["unpinned", "info"]],
  );
});

for (const name of CONDITIONS)
  test(`${name} alone: named exactly, for both objects, with both values and their lines`, () => {
    const text = textOf(broken([name]));
    const { pairs, unmatched } = match(readObjects(text));
    assert.equal(pairs, []);
    assert.is(unmatched.length, 2);
    for (const { closest, failed } of unmatched) {
      assert.ok(closest !== undefined);
      assert.equal(
        failed.map(({ condition, left, right }) => [condition, left, right]),
        [[name, BREAKS[name].left, BREAKS[name].right]],
      );
      assert.equal([failed[0]?.leftAt.line, failed[0]?.rightAt.line], [1, 3]);
    }
  });

for (const [index, first] of CONDITIONS.entries())
  for (const second of CONDITIONS.slice(index + 1))
    test(`${first} and ${second} together: both are named, nothing else`, () => {
      const { unmatched } = match(readObjects(textOf(broken([first, second]))));
      assert.equal(
        unmatched.map(({ failed }) => failed.map(({ condition, left, right }) => [condition, left, right])),
        Array.from({ length: 2 }, () =>
          [first, second].map((name) => [name, BREAKS[name].left, BREAKS[name].right]),
        ),
      );
    });

test("near misses are told by their usual cause", () => {
  const hintOf = (request: Changes, approval: Changes): string => {
    const [r, a] = pairObjects({ from: "source/data-db-1", to: "target/data-db-1" });
    const { unmatched } = match(readObjects(textOf([changed(r, request), changed(a, approval)])));
    return unmatched[0]?.failed[0]?.hint ?? "";
  };
  assert.match(
    hintOf({ metadata: { name: "dev-transfer-data-db-1" } }, {}),
    /kustomize namePrefix or nameSuffix/,
  );
  assert.match(
    hintOf({}, { metadata: { name: "approve-data-db-1-v2" } }),
    /kustomize namePrefix or nameSuffix/,
  );
  assert.match(hintOf({ metadata: { namespace: "target-2" } }, {}), /namespace transformer/);
  assert.match(
    hintOf({}, { metadata: { namespace: "target" } }),
    /from the target namespace to the namespace of the source/,
  );
  assert.match(hintOf({}, { spec: { source: { name: "data-db-2" } } }), /ordinals 1 and 2/);
  assert.match(hintOf({}, { spec: { source: { kind: "persistentVolumeClaim" } } }), /case-sensitive/);
});

test("positions are those of the fields", () => {
  const text = `apiVersion: transfer.slipway.dev/v1alpha1
kind: StorageTransferRequest
metadata:
  name: r
  namespace: target
spec:
  approvalName: a
  source: {kind: PersistentVolumeClaim, name: foo, namespace: source}
---
apiVersion: transfer.slipway.dev/v1alpha1
kind: StorageTransferApproval
metadata:
  name: a
  namespace: source
spec:
  requestName: r
  source:
    kind: PersistentVolumeClaim
    name: food
  targetNamespace: target
`;
  const { unmatched } = match(readObjects(text));
  const [failed] = unmatched[0]?.failed ?? [];
  assert.equal([failed?.leftAt.line, failed?.leftAt.column], [8, 47]);
  assert.equal([failed?.rightAt.line, failed?.rightAt.column], [19, 11]);
});

test("the closest partner shares the most; a free one is preferred to a paired one", () => {
  const [request] = pairObjects({ from: "s/one", to: "t/one" });
  const [, near] = pairObjects({ from: "s/one", to: "t/one" });
  const others = pairObjects({ from: "s/two", to: "t/two" });
  const copy = changed(request, { metadata: { name: "copy" } });
  const { unmatched } = match(readObjects(textOf([request, near, ...others, copy])));
  assert.equal(
    unmatched.map(({ object, closest }) => [describe(object), closest && describe(closest)]),
    [["StorageTransferRequest t/copy", "StorageTransferApproval s/approve-one"]],
  );
  const wrong = changed(near, { spec: { requestName: "nobody" } });
  const free = match(readObjects(textOf([request, wrong, ...others])));
  assert.is(
    free.unmatched[0]?.closest && describe(free.unmatched[0].closest),
    "StorageTransferApproval s/approve-one",
  );
});

test("without an object of the other kind there is no closest partner", () => {
  const { unmatched } = match(readObjects(textOf([pairObjects(MOVE)[0]])));
  assert.equal(
    unmatched.map(({ closest, failed }) => [closest, failed]),
    [[undefined, []]],
  );
});

test("a missing value equals nothing, not even another missing one", () => {
  const [request, approval] = pairObjects(MOVE);
  const { pairs } = match(
    readObjects(
      textOf([
        changed(request, { spec: { source: { name: undefined } } }),
        changed(approval, { spec: { source: { name: undefined } } }),
      ]),
    ),
  );
  assert.equal(pairs, []);
});

const checksOf = (moves: readonly Move[], allowCycles = false): string[] =>
  matchMoves(moves, allowCycles)
    .findings.filter(({ check }) => check !== "unpinned")
    .map(({ check, severity }) => `${severity} ${check}`);

test("set checks: the same source twice, the same target twice, no-op", () => {
  // Two pairs for one claim: the six conditions do not notice.
  const [request, approval] = pairObjects({ from: "s/a", to: "t/b" });
  const second = [
    changed(request, { metadata: { name: "second" }, spec: { approvalName: "second", targetName: "c" } }),
    changed(approval, { metadata: { name: "second" }, spec: { requestName: "second" } }),
  ];
  const twice = match(readObjects(textOf([request, approval, ...second])));
  assert.is(twice.pairs.length, 2);
  assert.equal(
    twice.findings.filter(({ severity }) => severity === "error").map(({ check }) => check),
    ["same-source"],
  );
  assert.match(twice.findings[0]?.message ?? "", /have the same source claim s\/a/);
  const other = pairObjects({ from: "s/x", to: "t/b" }).map((each) =>
    changed(
      each,
      each["kind"] === "StorageTransferRequest"
        ? { metadata: { name: "other" } }
        : { spec: { requestName: "other" } },
    ),
  );
  const same = match(readObjects(textOf([request, approval, ...other])));
  assert.equal(
    same.findings.filter(({ severity }) => severity === "error").map(({ check }) => check),
    ["same-target"],
  );
  assert.equal(checksOf([{ from: "s/a", to: "s/a" }]), ["error no-op"]);
});

test("targetName left out is the name of the source, for every check", () => {
  const [request, approval] = pairObjects({ from: "s/a", to: "s/a" });
  const { findings } = match(
    readObjects(textOf([changed(request, { spec: { targetName: undefined } }), approval])),
  );
  assert.equal(
    findings.filter(({ severity }) => severity === "error").map(({ check }) => check),
    ["no-op"],
  );
});

test("set checks: a chain warns, a circle is refused unless asked for", () => {
  const chain = [
    { from: "a/x", to: "b/x" },
    { from: "b/x", to: "c/x" },
  ];
  assert.equal(checksOf(chain), ["warning chain"]);
  assert.equal(checksOf(chain, true), ["info chain"]);
  const circle = [
    { from: "a/x", to: "b/y" },
    { from: "b/y", to: "a/x" },
  ];
  assert.equal(checksOf(circle), ["error cycle"]);
  assert.equal(checksOf(circle, true), ["info cycle"]);
  const three = [
    { from: "a/x", to: "b/x" },
    { from: "b/x", to: "c/x" },
    { from: "c/x", to: "a/x" },
    { from: "d/x", to: "e/x" },
  ];
  assert.equal(checksOf(three), ["error cycle"]);
});

test("two documents of one object are an error when they differ", () => {
  const [request, approval] = pairObjects(MOVE);
  const same = match(readObjects(textOf([request, request, approval])));
  assert.equal(same.findings.map(({ check, severity }) => `${severity} ${check}`).sort(), [
    "info duplicate",
    "info unpinned",
  ]);
  const differing = match(
    readObjects(textOf([request, changed(request, { spec: { targetName: "x" } }), approval])),
  );
  assert.ok(differing.findings.some(({ check, severity }) => check === "duplicate" && severity === "error"));
});

test("the order of objects and files does not count", () => {
  const moves = Array.from({ length: 6 }, (_, i) => ({ from: `s${i % 2}/c${i}`, to: `t${i % 3}/d${i}` }));
  const objects = moves.flatMap((move, i) => {
    const [request, approval] = pairObjects(move);
    return i === 5 ? [request, changed(approval, { spec: { requestName: "gone" } })] : [request, approval];
  });
  const shown = (list: readonly JsonObject[]): string => {
    const { pairs, unmatched } = match(readObjects(textOf(list)));
    return JSON.stringify([
      pairs.map(({ request, approval }) => [describe(request), describe(approval)]),
      unmatched.map(({ object, closest, failed }) => [
        describe(object),
        closest && describe(closest),
        failed.map(({ condition }) => condition),
      ]),
    ]);
  };
  const expected = shown(objects);
  fc.assert(
    fc.property(fc.shuffledSubarray(objects, { minLength: objects.length }), (shuffled) => {
      assert.is(shown(shuffled), expected);
    }),
    { numRuns: runs(50) },
  );
});

test.run();
