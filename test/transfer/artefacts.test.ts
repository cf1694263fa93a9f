/**
 * The artefacts themselves: every patch applies to the dump with a standard JSON-patch library and gives the predicted
 * state, and is refused when its moment has passed; every object fits its definition and the core rules.
 */
import { applyPatch, type Operation, Pointer } from "rfc6902";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { decode } from "../../src/core/files.js";
import { isObject, type Json, type JsonObject } from "../../src/core/json.js";
import { type CrdDefinition, crdName, crdView } from "../../src/crd/definition.js";
import { checkCustomResource, loadCel, readCrd } from "../../src/crd/schema.js";
import {
  TRANSFER_DEFINITIONS,
  transferDefinitions,
  transferGroupFault,
} from "../../src/crd/storage-transfer.js";
import { crdFindings } from "../../src/crd/validation.js";
import { objectFindings } from "../../src/kubernetes/object-rules.js";
import { parseYaml } from "../../src/text/yaml-parse.js";
import { artefactFiles } from "../../src/transfer/steps.js";
import {
  appliedPairs,
  type Changes,
  changed,
  claim,
  namespace,
  planFor,
  pod,
  summary,
  volume,
} from "../helpers/transfer.js";

const test = suite("artefacts");
const MOVE = { from: "prod/db", to: "stage/db-copy" };

const planned = async (its: Changes = {}) => {
  const dump = [
    namespace("prod"),
    namespace("stage"),
    pod("o", "p", "c"),
    claim("prod", "db", "pv-1"),
    volume("pv-1", "prod", "db", its),
    ...appliedPairs([MOVE]),
  ];
  const { made, problems } = await planFor([MOVE], dump);
  if (made === undefined) throw new Error(summary(problems).join("\n"));
  return made;
};

function operationsOf(content: Json): Operation[] {
  if (!Array.isArray(content)) throw new Error("a patch is a list");
  return content.map((each: Json): Operation => {
    if (!isObject(each)) throw new Error("an operation is an object");
    const { op, path, value } = each;
    if (typeof path !== "string") throw new Error("an operation has a path");
    if (op === "remove") return { op, path };
    if (op === "test" || op === "add" || op === "replace") return { op, path, value };
    throw new Error(`operation ${String(op)}`);
  });
}

function patched(object: JsonObject, content: Json): { object: JsonObject; faults: string[] } {
  const copy = structuredClone(object);
  // For the API server, which is asked in live.test.ts, a member that is missing equals null; for the library it does not.
  const operations = operationsOf(content).filter(
    (each) =>
      !(each.op === "test" && each.value === null && Pointer.fromJSON(each.path).get(object) === undefined),
  );
  const faults = applyPatch(copy, operations).flatMap((fault) => (fault === null ? [] : [fault.name]));
  return { object: copy, faults };
}

const contentOf = (made: Awaited<ReturnType<typeof planned>>, key: string): Json => {
  const content = made.steps.find(({ stepSpec }) => stepSpec.key === key)?.artefact?.content;
  if (content === undefined) throw new Error(`no step ${key}`);
  return content;
};

const BOUND_TO_TARGET: Changes = {
  spec: { claimRef: { uid: "uid-of-target" } },
  status: { phase: "Bound" },
};

test("the volume patches apply one after the other and give the predicted states", async () => {
  for (const policy of ["Delete", "Retain"]) {
    const its = { spec: { persistentVolumeReclaimPolicy: policy } };
    const made = await planned(its);
    const id = made.plan.transfers[0]?.id;
    const before = volume("pv-1", "prod", "db", its);
    const kept = patched(before, contentOf(made, "retain"));
    assert.equal(kept.faults, []);
    assert.equal(
      kept.object,
      changed(before, {
        metadata: {
          annotations: {
            "transfer.slipway.dev/original-reclaim-policy": policy,
            "transfer.slipway.dev/plan": id,
            "transfer.slipway.dev/source-uid": "claim-prod-db",
          },
        },
        spec: { persistentVolumeReclaimPolicy: "Retain" },
      }),
    );
    const released = changed(kept.object, { status: { phase: "Released" } });
    const pointed = patched(released, contentOf(made, "repoint"));
    assert.equal(pointed.faults, []);
    assert.equal(
      pointed.object,
      changed(released, {
        metadata: { annotations: { "pv.kubernetes.io/bound-by-controller": undefined } },
        spec: {
          claimRef: { uid: undefined, resourceVersion: undefined, namespace: "stage", name: "db-copy" },
        },
      }),
    );
    const restored = patched(changed(pointed.object, BOUND_TO_TARGET), contentOf(made, "restore"));
    assert.equal(restored.faults, []);
    assert.equal(
      restored.object,
      changed(before, {
        metadata: { annotations: { "pv.kubernetes.io/bound-by-controller": undefined } },
        spec: {
          claimRef: { uid: "uid-of-target", resourceVersion: undefined, namespace: "stage", name: "db-copy" },
        },
      }),
    );
  }
});

test("a patch whose moment has passed is refused by its tests", async () => {
  const made = await planned();
  const before = volume("pv-1", "prod", "db");
  const kept = patched(before, contentOf(made, "retain")).object;
  const bound = changed(patched(kept, contentOf(made, "repoint")).object, BOUND_TO_TARGET);
  const rows: readonly (readonly [string, JsonObject, Changes])[] = [
    ["retain", before, { metadata: { uid: "another" } }],
    ["retain", before, { spec: { claimRef: { uid: "another" } } }],
    ["retain", before, { spec: { persistentVolumeReclaimPolicy: "Retain" } }],
    ["repoint", kept, { metadata: { uid: "another" } }],
    ["repoint", kept, { spec: { claimRef: { uid: "another" } } }],
    ["repoint", kept, { spec: { persistentVolumeReclaimPolicy: "Delete" } }],
    ["repoint", kept, { metadata: { annotations: { "transfer.slipway.dev/plan": "another" } } }],
    ["restore", bound, { metadata: { uid: "another" } }],
    ["restore", bound, { spec: { claimRef: { name: "another" } } }],
    ["restore", bound, { status: { phase: "Released" } }],
    ["restore", bound, { spec: { persistentVolumeReclaimPolicy: "Delete" } }],
    ["restore", bound, { metadata: { annotations: { "transfer.slipway.dev/plan": "another" } } }],
    [
      "restore",
      bound,
      { metadata: { annotations: { "transfer.slipway.dev/original-reclaim-policy": "Retain" } } },
    ],
  ];
  for (const [key, object, change] of rows) {
    assert.equal(patched(object, contentOf(made, key)).faults, [], key);
    assert.ok(
      patched(changed(object, change), contentOf(made, key)).faults.includes("TestError"),
      `${key} ${JSON.stringify(change)}`,
    );
  }
});

test("a volume without annotations gets them only while it has none", async () => {
  const bare = { metadata: { annotations: undefined } };
  const made = await planned(bare);
  const before = volume("pv-1", "prod", "db", bare);
  const patch = contentOf(made, "retain");
  assert.equal(patched(before, patch).faults, []);
  assert.equal(patched(changed(before, { metadata: { resourceVersion: "201" } }), patch).faults, []);
  const meanwhile = changed(before, { metadata: { annotations: { other: "x" } } });
  assert.ok(patched(meanwhile, patch).faults.includes("TestError"));
});

test("keys with slashes and tildes are escaped", async () => {
  const made = await planned();
  assert.ok(
    operationsOf(contentOf(made, "retain")).some(
      ({ path }) => path === "/metadata/annotations/transfer.slipway.dev~1plan",
    ),
  );
});

test("the delete carries the uid; what else has changed is no matter, since controllers write to claims at rest", async () => {
  assert.equal(contentOf(await planned(), "delete"), {
    apiVersion: "v1",
    kind: "DeleteOptions",
    preconditions: { uid: "claim-prod-db" },
    propagationPolicy: "Background",
  });
});

const manifestOf = (definition: CrdDefinition): JsonObject => {
  const { name: _, ...spec } = crdView(definition);
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: crdName(definition) },
    spec,
  };
};

const crdOf = (side: "request" | "approval") => {
  const crd = readCrd(manifestOf(TRANSFER_DEFINITIONS[side]));
  if (crd === undefined) throw new Error("no definition");
  return crd;
};

test("the definitions are ones that an API server takes, in any group of one's own", () => {
  for (const group of ["transfer.slipway.dev", "storage.example.com"])
    for (const definition of Object.values(transferDefinitions(group))) {
      assert.equal(crdFindings(manifestOf(definition)), []);
      assert.is(crdName(definition), `${definition.plural}.${group}`);
    }
  for (const group of ["k8s.io", "transfer.k8s.io", "x.kubernetes.io", "nodots", "Upper.example.com", ""])
    assert.ok(transferGroupFault(group) !== undefined, group);
  assert.is(transferGroupFault("transfer.example.com"), undefined);
});

test("the API server refuses what the compiler refuses, instead of dropping it", async () => {
  const cel = await loadCel();
  const [request = {}, approval = {}] = appliedPairs([MOVE]);
  const faults = (side: "request" | "approval", object: JsonObject): string[] =>
    checkCustomResource(crdOf(side), object, cel).map(({ code, field }) => `${code} ${field}`);
  assert.equal(faults("request", request), []);
  assert.equal(faults("approval", approval), []);
  for (const member of ["uid", "resourceVersion", "fieldPath"])
    assert.equal(faults("request", changed(request, { spec: { source: { [member]: "x" } } })), [
      "KUB005 spec.source",
    ]);
  for (const member of ["namespace", "uid"])
    assert.equal(faults("approval", changed(approval, { spec: { source: { [member]: "x" } } })), [
      "KUB005 spec.source",
    ]);
  assert.equal(faults("request", changed(request, { spec: { source: { kind: "Secret" } } })), [
    "KUB003 spec.source.kind",
  ]);
  assert.equal(faults("request", changed(request, { spec: { source: { apiGroup: "apps" } } })), [
    "KUB003 spec.source.apiGroup",
  ]);
  assert.equal(faults("request", changed(request, { spec: { source: { apiGroup: "" } } })), []);
  assert.equal(faults("request", changed(request, { spec: { targetname: "x" } })), [
    "KUB004 spec.targetname",
  ]);
});

test("every status that is patched fits the definition", async () => {
  const cel = await loadCel();
  const made = await planned();
  const [request = {}, approval = {}] = appliedPairs([MOVE]);
  for (const [side, object] of [
    ["request", request],
    ["approval", approval],
  ] as const) {
    const result = patched(object, contentOf(made, `status-${side}`));
    assert.equal(result.faults, []);
    assert.equal(result.object["status"], {
      complete: true,
      phase: "Complete",
      savedReclaimPolicy: "Delete",
      sourceUID: "claim-prod-db",
      volumeName: "pv-1",
    });
    assert.equal(checkCustomResource(crdOf(side), result.object, cel), []);
    // Another request under the same name is not told that it is complete.
    assert.ok(
      patched(changed(object, { spec: { source: { name: "x" } } }), contentOf(made, `status-${side}`)).faults
        .length > 0,
    );
  }
});

test("every manifest of the folder is a claim that the core rules take", async () => {
  const made = await planned();
  const manifests = artefactFiles(made.steps).filter(({ path }) => path.endsWith(".yaml"));
  assert.is(manifests.length, 1);
  for (const { data } of manifests) {
    const object = parseYaml(decode(data) ?? "");
    if (!isObject(object)) throw new Error("no object");
    assert.equal(objectFindings(object), []);
    assert.equal([object["kind"], object["apiVersion"]], ["PersistentVolumeClaim", "v1"]);
  }
});

test("names at the limit of their length give file names that file systems take", async () => {
  const long = `${"a".repeat(240)}.b`;
  const { made, problems } = await planFor(
    [{ from: `prod/${long}`, to: `stage/${long}` }],
    [
      namespace("prod"),
      namespace("stage"),
      claim("prod", long, "pv-1", { metadata: { labels: { app: "x" } } }),
      volume("pv-1", "prod", long),
    ],
  );
  if (made === undefined) throw new Error(summary(problems).join("\n"));
  for (const { path } of artefactFiles(made.steps))
    assert.ok(
      path.split("/").every((part) => part.length <= 255),
      path,
    );
});

test.run();
