/** Approvals that no longer mean what they meant: stale, expired, replayed, or for a claim that was made anew. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { JsonObject } from "../../src/core/json.js";
import { formatMoment, parseDuration } from "../../src/core/time.js";
import { consentOfPairs } from "../../src/transfer/checks/consent.js";
import { matchTransfers } from "../../src/transfer/match.js";
import { type Asked, parseMoment, requestDigest } from "../../src/transfer/pins.js";
import { transferId } from "../../src/transfer/transfer-context.js";
import {
  type Changes,
  changed,
  claim,
  NOW,
  namespace,
  pairObjects,
  readObjects,
  stateOf,
  textOf,
  volume,
} from "../helpers/transfer.js";

const test = suite("consent");
const MOVE = { from: "prod/db", to: "stage/db-copy" };

function digestOf(request: JsonObject): string {
  const [read] = readObjects(textOf([request]));
  if (read?.type !== "request") throw new Error("no request");
  return requestDigest(read);
}

const PINS = {
  "transfer.slipway.dev/request-digest": digestOf(pairObjects(MOVE)[0]),
  "transfer.slipway.dev/source-uid": "claim-prod-db",
  "transfer.slipway.dev/persistent-volume": "pv-1",
  "transfer.slipway.dev/expires": "2030-01-02T00:00:00Z",
};

interface Case {
  readonly request?: Changes;
  readonly annotations?: Readonly<Record<string, string | undefined>>;
  readonly dump?: readonly JsonObject[];
  readonly status?: Changes;
  readonly now?: Date;
}

function findings({ request = {}, annotations = {}, dump, status = {}, now = NOW }: Case): string[] {
  const [r, a] = pairObjects(MOVE);
  const own = changed(a, { metadata: { annotations: { ...PINS, ...annotations } }, ...status });
  const { pairs, findings: alone } = matchTransfers(readObjects(textOf([changed(r, request), own])), {
    now,
    allowCycles: false,
  });
  assert.is(pairs.length, 1);
  const more = dump === undefined ? [] : consentOfPairs(pairs, stateOf(dump));
  return [...alone, ...more].map(({ severity, check }) => `${severity} ${check}`);
}

const DUMP = [
  namespace("prod"),
  namespace("stage"),
  claim("prod", "db", "pv-1"),
  volume("pv-1", "prod", "db"),
];

test("a pinned pair is clean, with and without a dump", () => {
  assert.equal(findings({}), []);
  assert.equal(findings({ dump: DUMP }), []);
});

test("an unpinned pair is clean, with an info", () => {
  const none = Object.fromEntries(Object.keys(PINS).map((key) => [key, undefined]));
  assert.equal(findings({ annotations: none }), ["info unpinned"]);
  assert.equal(
    findings({
      annotations: {
        ...none,
        "transfer.slipway.dev/request-digest": PINS["transfer.slipway.dev/request-digest"],
      },
    }),
    ["info unpinned"],
  );
});

test("a stale approval: the request changed after it was approved, in any field that counts", () => {
  for (const request of [{ spec: { targetName: "elsewhere" } }])
    assert.equal(findings({ request }), ["error stale"]);
  // Labels, annotations and the spelling of a default do not count.
  assert.equal(findings({ request: { metadata: { labels: { a: "b" }, annotations: { c: "d" } } } }), []);
  const [same] = pairObjects({ from: "prod/db", to: "stage/db" });
  assert.is(digestOf(same), digestOf(changed(same, { spec: { targetName: undefined } })));
});

test("the digest of a request changes with every field that counts, and with nothing else", () => {
  const asked: Asked = {
    namespace: "stage",
    name: "r",
    sourceKind: "PersistentVolumeClaim",
    sourceNamespace: "prod",
    sourceName: "db",
    approvalName: "a",
    targetName: "copy",
  };
  const digests = Object.keys(asked).map((field) => requestDigest({ ...asked, [field]: "other" }));
  assert.is(new Set([requestDigest(asked), ...digests]).size, Object.keys(asked).length + 1);
  // A default that is written out means the same.
  assert.is(requestDigest({ ...asked, targetName: "" }), requestDigest({ ...asked, targetName: "db" }));
});

test("an expired approval, to the second", () => {
  assert.equal(findings({ now: new Date("2030-01-01T23:59:59Z") }), []);
  assert.equal(findings({ now: new Date("2030-01-02T00:00:00Z") }), ["error expired"]);
  assert.equal(
    findings({ annotations: { "transfer.slipway.dev/expires": "2029-12-31T23:00:00-02:00" } }),
    [],
  );
});

test("pins that cannot be read are refused", () => {
  for (const expires of ["tomorrow", "2030-02-30T00:00:00Z", "2030-01-02", ""])
    assert.equal(
      findings({ annotations: { "transfer.slipway.dev/expires": expires } }),
      ["error pin"],
      expires,
    );
  assert.equal(findings({ annotations: { "transfer.slipway.dev/request-digest": "md5:x" } }), ["error pin"]);
});

test("a claim that was made anew under the same name", () => {
  const anew = [
    namespace("prod"),
    namespace("stage"),
    claim("prod", "db", "pv-2", { metadata: { uid: "new" } }),
    volume("pv-2", "prod", "db", { spec: { claimRef: { uid: "new" } } }),
  ];
  assert.equal(findings({ dump: anew }), ["error recreated"]);
});

test("a claim that is bound to another volume than the approved one", () => {
  const other = [
    namespace("prod"),
    namespace("stage"),
    claim("prod", "db", "pv-2"),
    volume("pv-2", "prod", "db"),
  ];
  assert.equal(findings({ dump: other }), ["error volume"]);
  assert.equal(
    findings({ dump: other, annotations: { "transfer.slipway.dev/persistent-volume": undefined } }),
    [],
  );
});

test("a replayed approval: the objects themselves say that it was executed", () => {
  assert.equal(findings({ status: { status: { complete: true } } }), ["error executed"]);
  assert.equal(findings({ request: { status: { complete: true } } }), ["error executed"]);
  const [r, a] = pairObjects(MOVE);
  const live = changed(a, { metadata: { annotations: PINS }, status: { complete: true } });
  assert.equal(findings({ dump: [...DUMP, r, live] }), ["error executed"]);
});

test("a replayed approval: the target has the volume, and a new claim has the source's name", () => {
  const id = transferId(PINS["transfer.slipway.dev/request-digest"], "claim-prod-db", "volume-pv-1");
  const moved = (annotations: Changes): JsonObject[] => [
    namespace("prod"),
    namespace("stage"),
    claim("stage", "db-copy", "pv-1", { metadata: { uid: "moved", annotations } }),
    volume("pv-1", "stage", "db-copy", { spec: { claimRef: { uid: "moved" } } }),
    claim("prod", "db", "pv-2", { metadata: { uid: "new" } }),
    volume("pv-2", "prod", "db", { spec: { claimRef: { uid: "new" } } }),
  ];
  assert.equal(findings({ dump: moved({ "transfer.slipway.dev/plan": id }) }), ["error executed"]);
  // Without the mark the pinned volume tells.
  assert.equal(findings({ dump: moved({}) }), ["error executed"]);
  const unpinned = Object.fromEntries(Object.keys(PINS).map((key) => [key, undefined]));
  assert.equal(findings({ annotations: unpinned, dump: moved({ "transfer.slipway.dev/plan": id }) }), [
    "info unpinned",
    "error executed",
  ]);
});

test("a run that stopped half way is not a replay", () => {
  const id = transferId(PINS["transfer.slipway.dev/request-digest"], "claim-prod-db", "volume-pv-1");
  const half = claim("stage", "db-copy", "pv-1", {
    metadata: {
      uid: "t",
      annotations: { "transfer.slipway.dev/plan": id, "pv.kubernetes.io/bind-completed": undefined },
    },
    status: { phase: "Pending" },
  });
  assert.equal(findings({ dump: [...DUMP, half] }), []);
});

test("an object in the cluster that differs from the one in Git is told", () => {
  const [r, a] = pairObjects(MOVE);
  const pinned = changed(a, { metadata: { annotations: PINS } });
  assert.equal(findings({ dump: [...DUMP, r, pinned] }), []);
  assert.equal(findings({ dump: [...DUMP, changed(r, { spec: { targetName: "x" } }), pinned] }), [
    "warning differs-in-cluster",
  ]);
});

test("moments and durations", () => {
  assert.is(parseMoment("2030-01-01T00:00:00Z"), NOW.getTime());
  assert.is(parseMoment("2030-01-01t01:30:00.5+01:30"), NOW.getTime());
  assert.is(formatMoment(NOW.getTime() + 999), "2030-01-01T00:00:00Z");
  for (const text of [
    "2030-13-01T00:00:00Z",
    "2030-01-01T24:00:00Z",
    "2030-01-01 00:00:00Z",
    "2030-01-01T00:00:00",
  ])
    assert.is(parseMoment(text), undefined, text);
  const hour = 3_600_000;
  for (const [text, expected] of [
    ["1h", hour],
    ["7d", 168 * hour],
    ["1d12h", 36 * hour],
    ["90m", 1.5 * hour],
    ["30s", 30_000],
    ["2w", 336 * hour],
  ] as const)
    assert.is(parseDuration(text), expected, text);
  for (const text of ["", "0h", "1", "h", "1y", "-1h", "1.5h", "999999999w", "1 h"])
    assert.is(parseDuration(text), undefined, text);
});

test.run();
