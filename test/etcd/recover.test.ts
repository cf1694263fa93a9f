/** Objects of a copy as files: protobuf in its JSON form, what a server fills in, versions, names and folders. */
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { load } from "js-yaml";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { equalJson, isJson, isList, isObject, type Json, type JsonObject } from "../../src/core/json.js";
import { JsonForm } from "../../src/etcd/decode/json-form.js";
import { readEnvelope, readTypeMeta } from "../../src/etcd/decode/protobuf.js";
import table from "../../tables/kubernetes-messages.json" with { type: "json" };
import { slipway } from "../helpers/cli.js";
import { withShared } from "../helpers/shared.js";
import { tempFolder } from "../helpers/temp.js";
import { envelope, field, snapshot, type TestRecord } from "./copies.js";
import { aesgcm, cbor, keyOf } from "./values.js";

const test = suite("etcd recover");

const varint = (number: number, value: number): Buffer => Buffer.from([number * 8, value]);
/** TypeMeta and body as a server stores them. */
const stored = (apiVersion: string, kind: string, ...body: Buffer[]): Buffer =>
  Buffer.concat([
    Buffer.from("k8s\0"),
    field(1, Buffer.concat([field(1, apiVersion), field(2, kind)])),
    field(2, Buffer.concat(body)),
    Buffer.from([0x1a, 0, 0x22, 0]),
  ]);
const meta = (name: string, namespace: string, ...more: Buffer[]): Buffer =>
  field(1, Buffer.concat([field(1, name), field(3, namespace), field(5, "a-uid"), varint(7, 3), ...more]));
const time = (seconds: number): Buffer => {
  const bytes = [0x08];
  for (let rest = seconds; ; rest = Math.floor(rest / 128)) {
    bytes.push((rest % 128) | (rest >= 128 ? 128 : 0));
    if (rest < 128) return Buffer.from(bytes);
  }
};
const entry = (key: string, value: Buffer | string): Buffer =>
  Buffer.concat([field(1, key), field(2, value)]);
const json = (value: object): Buffer => Buffer.from(`${JSON.stringify(value)}\n`);

/** `etcd extract` of a snapshot: the objects that it wrote, by file. */
function extract(
  records: readonly TestRecord[],
  args: readonly string[],
): { code: number | null; stderr: string; objects: Map<string, JsonObject>; folder: string } {
  const folder = tempFolder();
  writeFileSync(join(folder, "etcd.db"), snapshot(records));
  const words = ["etcd", "extract", "--snapshot", "etcd.db", "--as", "yaml", "--out", "out"];
  const { code, stderr } = slipway([...words, ...args], { cwd: folder });
  const objects = new Map<string, JsonObject>();
  let names: string[] = [];
  try {
    names = readdirSync(join(folder, "out"));
  } catch {
    // Nothing was written.
  }
  for (const name of names) {
    const value: unknown = load(readFileSync(join(folder, "out", name), "utf8"));
    if (!isJson(value) || !isObject(value)) throw new Error(`${name} is not an object`);
    objects.set(name, value);
  }
  return { code, stderr, objects, folder };
}

const part = (value: Json | undefined): JsonObject => (isObject(value) ? value : {});

const DEPLOYMENT = stored(
  "apps/v1",
  "Deployment",
  meta("web", "shop", field(8, time(1_700_000_000)), field(11, entry("app", "web"))),
  field(
    2,
    Buffer.concat([
      varint(1, 0),
      field(2, field(1, entry("app", "web"))),
      field(
        3,
        Buffer.concat([
          field(1, field(11, entry("app", "web"))),
          field(
            2,
            Buffer.concat([
              // An emptyDir without members stays, since its presence says which volume it is.
              field(1, Buffer.concat([field(1, "tmp"), field(2, field(2, Buffer.alloc(0)))])),
              field(
                2,
                Buffer.concat([
                  field(1, "main"),
                  field(2, "example.com/web:1"),
                  field(7, Buffer.concat([field(1, "EMPTY"), field(2, "")])),
                  field(8, field(1, entry("cpu", field(1, "250m")))),
                  // A probe: the members of its handler stand among its own.
                  field(
                    10,
                    Buffer.concat([
                      field(
                        1,
                        field(
                          2,
                          Buffer.concat([
                            field(1, "/ok"),
                            field(2, Buffer.concat([varint(1, 1), varint(2, 0), field(3, "http")])),
                          ]),
                        ),
                      ),
                      varint(2, 5),
                    ]),
                  ),
                ]),
              ),
            ]),
          ),
        ]),
      ),
      field(
        4,
        Buffer.concat([field(2, field(1, Buffer.concat([varint(1, 0), varint(2, 2), field(3, "")])))]),
      ),
    ]),
  ),
  field(3, varint(1, 9)),
);

test("a protobuf body comes out as its JSON form, without what the server filled in", () => {
  const { code, objects, folder, stderr } = extract(
    [{ key: "/registry/deployments/shop/web", value: DEPLOYMENT }],
    ["--all"],
  );
  assert.is(code, 0, stderr);
  assert.equal([...objects.keys()], ["3_deployments.apps_shop_web.yaml"]);
  assert.is(statSync(join(folder, "out/3_deployments.apps_shop_web.yaml")).mode & 0o777, 0o600);
  assert.equal(objects.get("3_deployments.apps_shop_web.yaml"), {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web", namespace: "shop", labels: { app: "web" } },
    spec: {
      replicas: 0,
      selector: { matchLabels: { app: "web" } },
      strategy: { rollingUpdate: { maxUnavailable: 2 } },
      template: {
        metadata: { labels: { app: "web" } },
        spec: {
          volumes: [{ name: "tmp", emptyDir: {} }],
          containers: [
            {
              name: "main",
              image: "example.com/web:1",
              env: [{ name: "EMPTY" }],
              resources: { limits: { cpu: "250m" } },
              livenessProbe: { httpGet: { path: "/ok", port: "http" }, initialDelaySeconds: 5 },
            },
          ],
        },
      },
    },
  });
});

test("--with-status keeps the status, and json is json", () => {
  const records = [{ key: "/registry/deployments/shop/web", value: DEPLOYMENT }];
  const kept = extract(records, ["--all", "--with-status"]).objects.values().next().value;
  assert.equal(kept?.["status"], { observedGeneration: 9 });
  const folder = tempFolder();
  writeFileSync(join(folder, "etcd.db"), snapshot(records));
  const key = ["--key", "/registry/deployments/shop/web", "--as", "json", "--out", "one.json"];
  assert.is(slipway(["etcd", "extract", "--snapshot", "etcd.db", ...key], { cwd: folder }).code, 0);
  assert.is(JSON.parse(readFileSync(join(folder, "one.json"), "utf8")).spec.replicas, 0);
});

const crd = (spec: object): Buffer =>
  json({
    apiVersion: "apiextensions.k8s.io/v1beta1",
    kind: "CustomResourceDefinition",
    metadata: { name: "widgets.example.com", uid: "u" },
    spec: {
      group: "example.com",
      names: { plural: "widgets", kind: "Widget" },
      scope: "Namespaced",
      ...spec,
    },
    status: { storedVersions: ["v1"] },
  });
const CRD_KEY = "/registry/apiextensions.k8s.io/customresourcedefinitions/widgets.example.com";

test("a definition, which servers store as v1beta1, is written as v1", () => {
  const schema = { openAPIV3Schema: { type: "object", properties: { spec: { type: "object" } } } };
  const value = crd({
    version: "v1",
    versions: [
      { name: "v1", served: true, storage: true },
      { name: "v2", served: true, storage: false },
    ],
    validation: schema,
    subresources: { status: {} },
    additionalPrinterColumns: [{ name: "Age", type: "date", JSONPath: ".metadata.creationTimestamp" }],
    preserveUnknownFields: false,
    conversion: {
      strategy: "Webhook",
      webhookClientConfig: { service: { namespace: "a", name: "b" } },
      conversionReviewVersions: ["v1"],
    },
  });
  const object = extract([{ key: CRD_KEY, value }], ["--all"])
    .objects.values()
    .next().value;
  const each = {
    schema,
    subresources: { status: {} },
    additionalPrinterColumns: [{ name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" }],
  };
  assert.is(object?.["apiVersion"], "apiextensions.k8s.io/v1");
  assert.equal(object?.["spec"], {
    group: "example.com",
    names: { plural: "widgets", kind: "Widget" },
    scope: "Namespaced",
    conversion: {
      strategy: "Webhook",
      webhook: { clientConfig: { service: { namespace: "a", name: "b" } }, conversionReviewVersions: ["v1"] },
    },
    versions: [
      { name: "v1", served: true, storage: true, ...each },
      { name: "v2", served: true, storage: false, ...each },
    ],
  });
});

test("a version that is served no more becomes one that is, where the fields are the same, and else says so", () => {
  const records: TestRecord[] = [
    {
      key: "/registry/priorityclasses/high",
      value: stored(
        "scheduling.k8s.io/v1alpha1",
        "PriorityClass",
        meta("high", ""),
        varint(2, 9),
        field(4, "text"),
      ),
    },
    {
      key: "/registry/ingress/shop/web",
      value: stored(
        "extensions/v1beta1",
        "Ingress",
        meta("web", "shop"),
        field(
          2,
          field(1, Buffer.concat([field(1, "svc"), field(2, Buffer.concat([varint(1, 0), varint(2, 80)]))])),
        ),
      ),
    },
    {
      key: "/registry/certificatesigningrequests/csr-1",
      value: json({
        apiVersion: "certificates.k8s.io/v1beta1",
        kind: "CertificateSigningRequest",
        metadata: { name: "csr-1" },
        spec: { request: "YQ==" },
      }),
    },
    {
      key: "/registry/flowschemas/old",
      value: json({
        apiVersion: "flowcontrol.apiserver.k8s.io/v1beta1",
        kind: "FlowSchema",
        metadata: { name: "old" },
        spec: { priorityLevelConfiguration: { name: "x" }, gone: 1 },
      }),
    },
  ];
  const { objects, stderr } = extract(records, ["--all", "--target", "1.37"]);
  assert.equal(objects.get("1_priorityclasses.scheduling.k8s.io_high.yaml"), {
    apiVersion: "scheduling.k8s.io/v1",
    kind: "PriorityClass",
    metadata: { name: "high" },
    value: 9,
    description: "text",
  });
  assert.equal(objects.get("3_ingresses.networking.k8s.io_shop_web.yaml"), {
    apiVersion: "networking.k8s.io/v1",
    kind: "Ingress",
    metadata: { name: "web", namespace: "shop" },
    spec: { defaultBackend: { service: { name: "svc", port: { number: 80 } } } },
  });
  const request = [...objects.entries()].find(([name]) => name.includes("certificatesigningrequests"))?.[1];
  assert.is(request?.["apiVersion"], "certificates.k8s.io/v1");
  assert.equal(request?.["spec"], { request: "YQ==", usages: ["digital signature", "key encipherment"] });
  assert.match(stderr, "spec.signerName is missing");
  const old = [...objects.entries()].find(([name]) => name.includes("flowschemas"))?.[1];
  assert.is(old?.["apiVersion"], "flowcontrol.apiserver.k8s.io/v1beta1");
  assert.match(stderr, "ETC055");
});

/** What each old version fills in when a server reads it, and its successor would not: kubernetes v1.37.2, pkg/apis. */
const POD = { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "web", image: "web" }] } };
const CHOSEN = { metadata: { name: "web", namespace: "shop", labels: { app: "web" } } };
const SELECTOR = { selector: { matchLabels: { app: "web" } } };
const OLD: readonly (readonly [string, string, string, JsonObject, JsonObject])[] = [
  [
    "extensions/v1beta1",
    "Deployment",
    "deployments",
    { spec: { replicas: 2, template: POD } },
    {
      ...CHOSEN,
      spec: {
        replicas: 2,
        template: POD,
        ...SELECTOR,
        strategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 1, maxSurge: 1 } },
        progressDeadlineSeconds: 2147483647,
        revisionHistoryLimit: 2147483647,
      },
    },
  ],
  [
    "extensions/v1beta1",
    "Deployment",
    "deployments",
    {
      metadata: { labels: { own: "one" } },
      spec: {
        template: POD,
        selector: { matchLabels: { app: "web", more: "yes" } },
        strategy: { type: "Recreate" },
        progressDeadlineSeconds: 5,
        revisionHistoryLimit: 0,
        rollbackTo: { revision: 3 },
      },
    },
    {
      metadata: {
        name: "web",
        namespace: "shop",
        labels: { own: "one" },
        annotations: { "deprecated.deployment.rollback.revision": "3" },
      },
      spec: {
        template: POD,
        selector: { matchLabels: { app: "web", more: "yes" } },
        strategy: { type: "Recreate" },
        progressDeadlineSeconds: 5,
        revisionHistoryLimit: 0,
      },
    },
  ],
  [
    "extensions/v1beta1",
    "DaemonSet",
    "daemonsets",
    { spec: { template: POD, templateGeneration: 4 } },
    {
      metadata: { ...CHOSEN.metadata, annotations: { "deprecated.daemonset.template.generation": "4" } },
      spec: { template: POD, ...SELECTOR, updateStrategy: { type: "OnDelete" } },
    },
  ],
  [
    "extensions/v1beta1",
    "ReplicaSet",
    "replicasets",
    { spec: { template: POD } },
    { ...CHOSEN, spec: { template: POD, ...SELECTOR } },
  ],
  [
    "apps/v1beta1",
    "Deployment",
    "deployments",
    { spec: { template: POD } },
    { ...CHOSEN, spec: { template: POD, ...SELECTOR, revisionHistoryLimit: 2 } },
  ],
  [
    "apps/v1beta1",
    "StatefulSet",
    "statefulsets",
    { spec: { serviceName: "web", template: POD } },
    {
      ...CHOSEN,
      spec: { serviceName: "web", template: POD, ...SELECTOR, updateStrategy: { type: "OnDelete" } },
    },
  ],
  [
    "apps/v1beta2",
    "DaemonSet",
    "daemonsets",
    { spec: { template: POD, ...SELECTOR } },
    { metadata: { name: "web", namespace: "shop" }, spec: { template: POD, ...SELECTOR } },
  ],
  [
    "policy/v1beta1",
    "PodDisruptionBudget",
    "poddisruptionbudgets",
    { spec: { minAvailable: 1, selector: {} } },
    {
      metadata: { name: "web", namespace: "shop" },
      spec: {
        minAvailable: 1,
        selector: {
          matchExpressions: [
            { key: "pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match", operator: "Exists" },
          ],
        },
      },
    },
  ],
  [
    "policy/v1beta1",
    "PodDisruptionBudget",
    "poddisruptionbudgets",
    {
      spec: {
        selector: {
          matchExpressions: [
            { key: "pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match", operator: "DoesNotExist" },
          ],
        },
      },
    },
    { metadata: { name: "web", namespace: "shop" }, spec: { selector: {} } },
  ],
  [
    "networking.k8s.io/v1beta1",
    "Ingress",
    "ingress",
    {
      spec: {
        backend: { serviceName: "rest", servicePort: "http" },
        rules: [
          {
            http: {
              paths: [
                { backend: { resource: { kind: "Bucket", name: "a" } } },
                { path: "/b", pathType: "Prefix", backend: { serviceName: "b", servicePort: 8080 } },
              ],
            },
          },
          { host: "none.example.org" },
        ],
      },
    },
    {
      metadata: { name: "web", namespace: "shop" },
      spec: {
        defaultBackend: { service: { name: "rest", port: { name: "http" } } },
        rules: [
          {
            http: {
              paths: [
                { backend: { resource: { kind: "Bucket", name: "a" } }, pathType: "ImplementationSpecific" },
                {
                  path: "/b",
                  pathType: "Prefix",
                  backend: { service: { name: "b", port: { number: 8080 } } },
                },
              ],
            },
          },
          { host: "none.example.org" },
        ],
      },
    },
  ],
];
for (const [index, [apiVersion, kind, place, before, after]] of OLD.entries())
  test(`${apiVersion} ${kind} (${index}): what a server reads is what is written`, () => {
    const metadata = { name: "web", namespace: "shop", ...part(before["metadata"]) };
    const { objects, stderr } = extract(
      [{ key: `/registry/${place}/shop/web`, value: json({ ...before, apiVersion, kind, metadata }) }],
      ["--all", "--target", "1.37"],
    );
    const [written] = [...objects.values()];
    const { apiVersion: now, kind: same, ...rest } = written ?? {};
    assert.match(String(now), /^(?:apps|policy|networking\.k8s\.io)\/v1$/);
    assert.is(same, kind);
    assert.equal(rest, after);
    assert.not.match(stderr, "ETC055");
  });

test("protobuf of an old version, too; a webhook keeps its leniency; what the new version refuses is said", () => {
  const records: TestRecord[] = [
    {
      key: "/registry/replicasets/shop/web",
      value: stored(
        "extensions/v1beta1",
        "ReplicaSet",
        meta("web", "shop"),
        field(2, field(3, field(1, field(11, entry("app", "web"))))),
      ),
    },
    {
      key: "/registry/deployments/shop/bare",
      value: stored("apps/v1beta1", "Deployment", meta("bare", "shop"), field(2, varint(1, 2))),
    },
    {
      key: "/registry/validatingwebhookconfigurations/w",
      value: json({
        apiVersion: "admissionregistration.k8s.io/v1beta1",
        kind: "ValidatingWebhookConfiguration",
        metadata: { name: "w" },
        webhooks: [{ name: "a.example.com", clientConfig: { url: "https://a.example.com" } }],
      }),
    },
    {
      key: "/registry/apiextensions.k8s.io/customresourcedefinitions/things.example.com",
      value: json({
        apiVersion: "apiextensions.k8s.io/v1beta1",
        kind: "CustomResourceDefinition",
        metadata: { name: "things.example.com" },
        spec: {
          group: "example.com",
          version: "v1",
          names: { plural: "things", kind: "Thing" },
          conversion: { strategy: "Webhook", webhookClientConfig: { url: "https://a.example.com" } },
        },
      }),
    },
  ];
  const { objects, stderr } = extract(records, ["--all", "--target", "1.37"]);
  const set = part(objects.get("3_replicasets.apps_shop_web.yaml"));
  assert.equal(part(set["spec"])["selector"], { matchLabels: { app: "web" } });
  const hooks = part(objects.get("5_validatingwebhookconfigurations.admissionregistration.k8s.io_w.yaml"))[
    "webhooks"
  ];
  assert.equal(hooks, [
    {
      name: "a.example.com",
      clientConfig: { url: "https://a.example.com" },
      failurePolicy: "Ignore",
      matchPolicy: "Exact",
      sideEffects: "Unknown",
      timeoutSeconds: 30,
      admissionReviewVersions: ["v1beta1"],
    },
  ]);
  const crd = part(
    part(objects.get("1_customresourcedefinitions.apiextensions.k8s.io_things.example.com.yaml"))["spec"],
  );
  assert.is(crd["scope"], "Namespaced");
  assert.equal(part(part(crd["conversion"])["webhook"])["conversionReviewVersions"], ["v1beta1"]);
  assert.match(stderr, /deployments\/shop\/bare.*spec\.selector is missing/);
  assert.match(stderr, /\/w: .*sideEffects/);
});

test("what is made anew at a creation is left out", () => {
  const job = {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: {
      name: "j",
      namespace: "a",
      labels: { "job-name": "j", mine: "1" },
      ownerReferences: [{ uid: "x" }],
    },
    spec: {
      selector: { matchLabels: { "batch.kubernetes.io/controller-uid": "u" } },
      template: { metadata: { labels: { "controller-uid": "u", "job-name": "j" } }, spec: {} },
    },
  };
  const volume = {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { name: "v" },
    spec: { claimRef: { namespace: "a", name: "c", uid: "old", resourceVersion: "1" } },
  };
  const claim = {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name: "c", namespace: "a", annotations: { "pv.kubernetes.io/bind-completed": "yes" } },
    spec: { volumeName: "v" },
  };
  const { objects } = extract(
    [
      { key: "/registry/jobs/a/j", value: json(job) },
      { key: "/registry/persistentvolumes/v", value: json(volume) },
      { key: "/registry/persistentvolumeclaims/a/c", value: json(claim) },
    ],
    ["--all"],
  );
  assert.equal(objects.get("3_jobs.batch_a_j.yaml"), {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name: "j", namespace: "a", labels: { mine: "1" } },
    spec: { template: { spec: {} } },
  });
  assert.equal(objects.get("2_persistentvolumes_v.yaml")?.["spec"], {
    claimRef: { namespace: "a", name: "c" },
  });
  assert.equal(objects.get("2_persistentvolumeclaims_a_c.yaml")?.["metadata"], { name: "c", namespace: "a" });
});

test("a service comes before the addresses that it takes, an account before its token, whose uid is left out", () => {
  const annotation = (name: string, value: string): Buffer => field(12, entry(name, value));
  const { objects } = extract(
    [
      {
        key: "/registry/services/specs/a/web",
        value: envelope("v1", "Service", { name: "web", namespace: "a" }),
      },
      {
        key: "/registry/ipaddresses/10.0.0.9",
        value: envelope("networking.k8s.io/v1", "IPAddress", { name: "10.0.0.9" }),
      },
      {
        key: "/registry/serviceaccounts/a/robot",
        value: envelope("v1", "ServiceAccount", { name: "robot", namespace: "a" }),
      },
      {
        key: "/registry/secrets/a/robot-token",
        value: stored(
          "v1",
          "Secret",
          meta(
            "robot-token",
            "a",
            annotation("kubernetes.io/service-account.name", "robot"),
            annotation("kubernetes.io/service-account.uid", "a-uid"),
          ),
          field(3, "kubernetes.io/service-account-token"),
        ),
      },
    ],
    ["--all"],
  );
  assert.equal([...objects.keys()].sort(), [
    "1_serviceaccounts_a_robot.yaml",
    "2_secrets_a_robot-token.yaml",
    "2_services_a_web.yaml",
    "5_ipaddresses.networking.k8s.io_10.0.0.9.yaml",
  ]);
  assert.equal(objects.get("2_secrets_a_robot-token.yaml")?.["metadata"], {
    name: "robot-token",
    namespace: "a",
    annotations: { "kubernetes.io/service-account.name": "robot" },
  });
});

test("a selection by resource and namespace; custom resources in JSON and CBOR; one that cannot be read is named", () => {
  const key = "/registry/secrets/b/lost";
  const records: TestRecord[] = [
    { key: CRD_KEY, value: crd({ versions: [{ name: "v1", served: true, storage: true }] }) },
    {
      key: "/registry/example.com/widgets/a/one",
      value: json({
        apiVersion: "example.com/v1",
        kind: "Widget",
        metadata: { name: "one", namespace: "a" },
        n: 1.5,
      }),
    },
    {
      key: "/registry/example.com/widgets/b/two",
      value: cbor({
        apiVersion: "example.com/v1",
        kind: "Widget",
        metadata: { name: "two", namespace: "b" },
        n: [1],
      }),
    },
    { key: "/registry/configmaps/b/c", value: envelope("v1", "ConfigMap", { name: "c", namespace: "b" }) },
    {
      key,
      value: aesgcm("gone", keyOf("gone"), envelope("v1", "Secret", { name: "lost", namespace: "b" }), key),
    },
  ];
  const names = (args: readonly string[]): string[] => [...extract(records, args).objects.keys()];
  assert.equal(names(["--resource", "widgets.example.com"]), [
    "4_widgets.example.com_a_one.yaml",
    "4_widgets.example.com_b_two.yaml",
  ]);
  assert.equal(names(["--resource", "configmaps", "--resource", "widgets", "--namespace", "b"]), [
    "2_configmaps_b_c.yaml",
    "4_widgets.example.com_b_two.yaml",
  ]);
  const all = extract(records, ["--namespace", "b"]);
  assert.is(all.code, 3);
  assert.is(all.objects.size, 2);
  assert.match(all.stderr, "ETC051");
});

test("a number that would come out as another one is refused, and a strange name is a harmless file", () => {
  const big = Buffer.from(
    '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"big","namespace":"a"},"n":9007199254740993}',
  );
  const { code, stderr } = extract([{ key: "/registry/configmaps/a/big", value: big }], ["--all"]);
  assert.is(code, 3);
  assert.match(stderr, "too many digits");
  const name = "../$(touch RAN);'\n";
  const records = [
    {
      key: `/registry/clusterroles/${name.replace("../", "..")}`,
      value: envelope("rbac.authorization.k8s.io/v1", "ClusterRole", { name: "x" }),
    },
  ];
  const odd = extract(records, ["--all"]);
  assert.is(odd.objects.size, 1);
  assert.match(
    [...odd.objects.keys()][0] ?? "",
    /^2_clusterroles\.rbac\.authorization\.k8s\.io_[-A-Za-z0-9.%]+_[0-9a-f]{8}\.yaml$/,
  );
});

test("objects whose names differ in case alone have files that differ in more", () => {
  const records = ["edit", "Edit", "EDIT"].map((name) => ({
    key: `/registry/clusterroles/${name}`,
    value: envelope("rbac.authorization.k8s.io/v1", "ClusterRole", { name }),
  }));
  const names = [...extract(records, ["--all"]).objects.keys()];
  assert.is(new Set(names.map((name) => name.toLowerCase())).size, 3);
  assert.ok(names.includes("2_clusterroles.rbac.authorization.k8s.io_edit.yaml"));
});

/** Optional structs without content are printed by Go and not by us. */
function withoutEmpty(value: Json): Json {
  if (isList(value)) return value.map(withoutEmpty);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([name, each]) => [name, withoutEmpty(each)] as const);
  return Object.fromEntries(
    entries.filter(([, each]) => each !== null && !(isObject(each) && Object.keys(each).length === 0)),
  );
}

withShared(
  test,
  "data/etcd/vectors/k8s-api",
  "stored objects of every kind in the vectors decode to their JSON",
  (folder) => {
    let tried = 0;
    for (const name of readdirSync(folder).filter((each) => each.endsWith(".pb"))) {
      const data = readFileSync(join(folder, name));
      const expected: Json = JSON.parse(readFileSync(join(folder, name.replace(/pb$/, "json")), "utf8"));
      const { typeMeta, start, end } = readEnvelope(data);
      const { apiVersion, kind } = readTypeMeta(typeMeta);
      const form = new JsonForm(table);
      const found = form.read(data, start, end, apiVersion, kind);
      assert.ok(equalJson(withoutEmpty(found), withoutEmpty(expected)), name);
      assert.is(form.unknownFields, 0, name);
      tried++;
    }
    assert.ok(tried >= 30);
  },
);

test.run();
