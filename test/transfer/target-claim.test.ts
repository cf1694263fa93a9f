/** Every rule of docs/reference/pvc-transfer.md §4: what the target claim keeps, and what it must not bring along. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { JsonObject } from "../../src/core/json.js";
import { objectAt, stringsAt, textAt } from "../../src/transfer/object.js";
import type { PlanOptions } from "../../src/transfer/transfer-context.js";
import { type Changes, claim, namespace, planFor, pod, summary, volume } from "../helpers/transfer.js";

const test = suite("the target claim");

async function planned(
  own: Changes,
  its: Changes = {},
  more: readonly JsonObject[] = [],
  options: Partial<PlanOptions> = {},
) {
  const { made, problems } = await planFor(
    [{ from: "prod/db", to: "stage/db-copy" }],
    [
      namespace("prod"),
      namespace("stage"),
      pod("o", "p", "c"),
      claim("prod", "db", "pv-1", own),
      volume("pv-1", "prod", "db", its),
      ...more,
    ],
    options,
  );
  if (made === undefined) throw new Error(summary(problems).join("\n"));
  return made;
}
const target = async (...given: Parameters<typeof planned>): Promise<JsonObject> =>
  (await planned(...given)).plan.transfers[0]?.targetObject ?? {};

test("kept explicitly: access modes, volume mode, request, class, attributes class; the volume is named", async () => {
  const made = await target(
    { spec: { volumeAttributesClassName: "gold" } },
    { spec: { volumeAttributesClassName: "gold" } },
  );
  assert.equal(made["spec"], {
    accessModes: ["ReadWriteOnce"],
    resources: { requests: { storage: "10Gi" } },
    storageClassName: "fast",
    volumeAttributesClassName: "gold",
    volumeMode: "Filesystem",
    volumeName: "pv-1",
  });
  assert.equal([made["apiVersion"], made["kind"]], ["v1", "PersistentVolumeClaim"]);
});

test("an empty class stays, so that no default is filled in; without a class the volume's is taken", async () => {
  const classOf = async (own: Changes, its: Changes): Promise<unknown> =>
    objectAt(await target({ spec: own }, { spec: its }), "spec")["storageClassName"];
  assert.is(await classOf({ storageClassName: "" }, { storageClassName: "" }), "");
  assert.is(await classOf({ storageClassName: undefined }, { storageClassName: "fast" }), "fast");
  assert.is(await classOf({ storageClassName: undefined }, { storageClassName: undefined }), "");
});

test("the beta annotation of the class is folded into the field", async () => {
  const made = await target(
    {
      metadata: { annotations: { "volume.beta.kubernetes.io/storage-class": "old" } },
      spec: { storageClassName: undefined },
    },
    { spec: { storageClassName: "old" } },
  );
  assert.is(textAt(made, "spec", "storageClassName"), "old");
  assert.equal(Object.keys(stringsAt(made, "metadata", "annotations")), ["transfer.slipway.dev/plan"]);
});

test("a volume mode that is left out is written out", async () => {
  const made = await target({ spec: { volumeMode: undefined } }, { spec: { volumeMode: undefined } });
  assert.is(textAt(made, "spec", "volumeMode"), "Filesystem");
});

test("of the metadata only name, namespace, labels and annotations are made", async () => {
  const made = await target({
    metadata: {
      generateName: "db-",
      generation: 3,
      selfLink: "/api/v1",
      deletionGracePeriodSeconds: undefined,
      managedFields: [{ manager: "kubectl" }],
      ownerReferences: [{ apiVersion: "apps/v1", kind: "StatefulSet", name: "db", uid: "u" }],
    },
  });
  assert.equal(Object.keys(objectAt(made, "metadata")).sort(), [
    "annotations",
    "labels",
    "name",
    "namespace",
  ]);
  assert.equal(Object.keys(made).sort(), ["apiVersion", "kind", "metadata", "spec"]);
});

test("dataSource, dataSourceRef, selector and limits stay behind", async () => {
  const made = await target({
    spec: {
      dataSource: { kind: "VolumeSnapshot", name: "s" },
      dataSourceRef: { kind: "VolumeSnapshot", name: "s" },
      selector: { matchLabels: { a: "b" } },
      resources: { limits: { storage: "20Gi" } },
    },
  });
  assert.equal(Object.keys(objectAt(made, "spec")).sort(), [
    "accessModes",
    "resources",
    "storageClassName",
    "volumeMode",
    "volumeName",
  ]);
  assert.equal(objectAt(made, "spec", "resources"), { requests: { storage: "10Gi" } });
});

const DROPPED_ANNOTATIONS = [
  "pv.kubernetes.io/bind-completed",
  "pv.kubernetes.io/bound-by-controller",
  "pv.kubernetes.io/migrated-to",
  "volume.kubernetes.io/selected-node",
  "volume.kubernetes.io/storage-provisioner",
  "volume.beta.kubernetes.io/storage-provisioner",
  "volume.kubernetes.io/storage-resizer",
  "kubectl.kubernetes.io/last-applied-configuration",
  "argocd.argoproj.io/tracking-id",
  "argocd.argoproj.io/instance",
  "kustomize.toolkit.fluxcd.io/name",
  "helm.toolkit.fluxcd.io/name",
  "meta.helm.sh/release-name",
  "meta.helm.sh/release-namespace",
  "cdi.kubevirt.io/storage.pod.phase",
  "k8s.io/CloneOf",
  "k8s.io/CloneRequest",
  "k8s.io/SmartCloneRequest",
  "kubevirt.io/created-by",
  "transfer.slipway.dev/plan",
];
for (const key of DROPPED_ANNOTATIONS)
  test(`annotation ${key} stays behind`, async () => {
    const made = await planned({ metadata: { annotations: { [key]: "x", "example.com/note": "kept" } } });
    const [transfer] = made.plan.transfers;
    const annotations = stringsAt(transfer?.targetObject, "metadata", "annotations");
    assert.equal(annotations, { "example.com/note": "kept", "transfer.slipway.dev/plan": transfer?.id });
    assert.ok([...made.dropped.values()].flat().some((each) => each.key === key));
  });

const DROPPED_LABELS: readonly (readonly [string, string])[] = [
  ["argocd.argoproj.io/instance", "shop"],
  ["kustomize.toolkit.fluxcd.io/name", "apps"],
  ["kustomize.toolkit.fluxcd.io/namespace", "flux-system"],
  ["helm.toolkit.fluxcd.io/name", "pg"],
  ["app.kubernetes.io/managed-by", "Helm"],
  ["cdi.kubevirt.io/storage.import", "x"],
  ["app.kubernetes.io/managed-by", "cdi-controller"],
  ["kubevirt.io/created-by", "5b1f"],
];
for (const [key, value] of DROPPED_LABELS)
  test(`label ${key}=${value} stays behind`, async () => {
    const made = await target({ metadata: { labels: { [key]: value } } });
    assert.equal(stringsAt(made, "metadata", "labels"), { app: "db" });
  });

test("other managers than Helm keep their label", async () => {
  const made = await target({ metadata: { labels: { "app.kubernetes.io/managed-by": "somebody" } } });
  assert.is(stringsAt(made, "metadata", "labels")["app.kubernetes.io/managed-by"], "somebody");
});

test("app.kubernetes.io/instance stays behind only when Argo CD tracks by it", async () => {
  const key = "app.kubernetes.io/instance";
  const labels = { [key]: "shop" };
  const instanceOf = async (...given: Parameters<typeof planned>): Promise<string | undefined> =>
    stringsAt(await target(...given), "metadata", "labels")[key];
  assert.is(await instanceOf({ metadata: { labels } }), "shop");
  assert.is(
    await instanceOf({
      metadata: { labels, annotations: { "argocd.argoproj.io/sync-options": "Prune=false" } },
    }),
    undefined,
  );
  const application = {
    apiVersion: "argoproj.io/v1alpha1",
    kind: "Application",
    metadata: { namespace: "argo", name: "shop" },
  };
  assert.is(await instanceOf({ metadata: { labels } }, {}, [application]), undefined);
});

test("labels go along by default; --keep-label names the only ones that do", async () => {
  const own = { metadata: { labels: { tier: "data", team: "a" } } };
  assert.equal(stringsAt(await target(own), "metadata", "labels"), { app: "db", tier: "data", team: "a" });
  const some = await target(own, {}, [], { keepLabels: new Set(["tier", "absent"]) });
  assert.equal(stringsAt(some, "metadata", "labels"), { tier: "data" });
  const none = await target(own, {}, [], { keepLabels: new Set(["absent"]) });
  assert.is(objectAt(none, "metadata")["labels"], undefined);
});

test("the claim that a rollback makes keeps what its delivery tool knows it by, and loses its binding", async () => {
  const made = await planned({
    metadata: {
      labels: { "app.kubernetes.io/managed-by": "Helm" },
      annotations: { "meta.helm.sh/release-name": "pg" },
      ownerReferences: [{ apiVersion: "v1", kind: "ConfigMap", name: "x", uid: "u" }],
    },
  });
  const [transfer] = made.plan.transfers;
  const metadata = objectAt(transfer?.sourceObject, "metadata");
  assert.equal(metadata["labels"], { app: "db", "app.kubernetes.io/managed-by": "Helm" });
  assert.equal(metadata["annotations"], {
    "meta.helm.sh/release-name": "pg",
    "transfer.slipway.dev/plan": transfer?.id,
  });
  assert.is(metadata["ownerReferences"], undefined);
  assert.is(textAt(transfer?.sourceObject, "spec", "volumeName"), "pv-1");
});

test.run();
