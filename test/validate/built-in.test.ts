/** What an API server says of objects of built-in kinds, as kube-apiserver v1.37.2 answers (built-in-live.test.ts). */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Json, JsonObject } from "../../src/core/json.js";
import { release } from "../../src/core/minor.js";
import { builtInFindings } from "../../src/validate/manifests/built-in.js";

const test = suite("objects of built-in kinds");

const CONTAINER = { name: "main", image: "registry.example.com/a:1" };
const LABELS = { app: "a" };
const of = (apiVersion: string, kind: string, more: JsonObject): JsonObject => ({
  apiVersion,
  kind,
  metadata: { name: "a" },
  ...more,
});
const pod = (more: JsonObject): JsonObject => of("v1", "Pod", { spec: { containers: [CONTAINER], ...more } });
const container = (more: JsonObject): JsonObject => pod({ containers: [{ ...CONTAINER, ...more }] });
const deployment = (more: JsonObject, template: JsonObject = {}): JsonObject =>
  of("apps/v1", "Deployment", {
    spec: {
      selector: { matchLabels: LABELS },
      template: { metadata: { labels: LABELS }, spec: { containers: [CONTAINER], ...template } },
      ...more,
    },
  });
const service = (ports: Json, more: JsonObject = {}): JsonObject =>
  of("v1", "Service", { spec: { ports, ...more } });
const claim = (resources: Json): JsonObject =>
  of("v1", "PersistentVolumeClaim", { spec: { accessModes: ["ReadWriteOnce"], resources } });
const ingress = (spec: JsonObject): JsonObject => of("networking.k8s.io/v1", "Ingress", { spec });
const BACKEND = { service: { name: "a", port: { number: 80 } } };

const CASES: readonly [name: string, given: JsonObject, expected: readonly string[]][] = [
  ["a pod", pod({}), []],
  ["a pod without a specification", of("v1", "Pod", {}), ["KUB003 Required spec.containers"]],
  ["no containers", pod({ containers: [] }), ["KUB003 Required spec.containers"]],
  [
    "a container that is null",
    pod({ containers: [null] }),
    ["KUB003 Required spec.containers[0].image", "KUB003 Required spec.containers[0].name"],
  ],
  [
    "a policy that does not exist",
    container({ imagePullPolicy: "always" }),
    ["KUB003 NotSupported spec.containers[0].imagePullPolicy"],
  ],
  ["a name that is no label", container({ name: "Main" }), ["KUB005 Invalid spec.containers[0].name"]],
  [
    "two containers of a name",
    pod({ containers: [CONTAINER, CONTAINER] }),
    ["KUB005 Duplicate spec.containers[1].name"],
  ],
  [
    "a mount of no volume",
    container({ volumeMounts: [{ name: "data", mountPath: "/a" }] }),
    ["KUB005 Invalid spec.containers[0].volumeMounts[0].name"],
  ],
  [
    "a port beyond all",
    container({ ports: [{ containerPort: 65_536 }] }),
    ["KUB005 Invalid spec.containers[0].ports[0].containerPort"],
  ],
  [
    "two sources of a volume",
    pod({ volumes: [{ name: "a", emptyDir: {}, hostPath: { path: "/a" } }] }),
    ["KUB005 Forbidden spec.volumes[0].hostPath"],
  ],
  [
    "a request above its limit",
    container({ resources: { requests: { cpu: "2" }, limits: { cpu: "1500m" } } }),
    ["KUB005 Invalid spec.containers[0].resources.requests"],
  ],
  [
    "a probe of nothing",
    container({ livenessProbe: { periodSeconds: 5 } }),
    ["KUB005 Required spec.containers[0].livenessProbe"],
  ],
  ["a deployment", deployment({}), []],
  [
    "a deployment of nothing",
    of("apps/v1", "Deployment", {}),
    ["KUB003 Required spec.selector", "KUB003 Required spec.template.spec.containers"],
  ],
  [
    "labels that are not selected",
    deployment({ selector: { matchLabels: { app: "b" } } }),
    ["KUB005 Invalid spec.template.metadata.labels"],
  ],
  [
    "a member that templates do not have",
    deployment({ template: { metadata: { labels: LABELS, lables: {} }, spec: { containers: [CONTAINER] } } }),
    ["KUB004 Invalid spec.template.metadata.lables"],
  ],
  [
    "a deployment that ends",
    deployment({}, { restartPolicy: "Never" }),
    ["KUB005 NotSupported spec.template.spec.restartPolicy"],
  ],
  [
    "a job without a policy",
    of("batch/v1", "Job", { spec: { template: { spec: { containers: [CONTAINER] } } } }),
    ["KUB005 Required spec.template.spec.restartPolicy"],
  ],
  [
    "a mount of a StatefulSet's claim",
    of("apps/v1", "StatefulSet", {
      spec: {
        serviceName: "a",
        selector: { matchLabels: LABELS },
        template: {
          metadata: { labels: LABELS },
          spec: { containers: [{ ...CONTAINER, volumeMounts: [{ name: "data", mountPath: "/a" }] }] },
        },
        volumeClaimTemplates: [
          {
            metadata: { name: "data" },
            spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
          },
        ],
      },
    }),
    [],
  ],
  ["a service", service([{ port: 80 }]), []],
  ["a service without ports", service(null), ["KUB005 Required spec.ports"]],
  ["a headless service without ports", service(null, { clusterIP: "None" }), []],
  [
    "two ports without names",
    service([{ port: 80 }, { port: 81 }]),
    ["KUB005 Required spec.ports[0].name", "KUB005 Required spec.ports[1].name"],
  ],
  [
    "a port twice",
    service([
      { name: "a", port: 80 },
      { name: "b", port: 80 },
    ]),
    ["KUB005 Duplicate spec.ports[1]"],
  ],
  ["an ingress of nothing", ingress({}), ["KUB005 Invalid spec"]],
  [
    "a relative path",
    ingress({ rules: [{ http: { paths: [{ path: "a", pathType: "Prefix", backend: BACKEND }] } }] }),
    ["KUB005 Invalid spec.rules[0].http.paths[0].path"],
  ],
  [
    "a backend without a port",
    ingress({ defaultBackend: { service: { name: "a" } } }),
    ["KUB005 Required spec.defaultBackend"],
  ],
  ["a claim", claim({ requests: { storage: "1Gi" } }), []],
  ["a claim of no size", claim({ requests: {} }), ["KUB005 Required spec.resources.requests.storage"]],
  [
    "a volume without a source",
    of("v1", "PersistentVolume", { spec: { accessModes: ["ReadWriteOnce"], capacity: { storage: "1Gi" } } }),
    ["KUB005 Required spec"],
  ],
  [
    "a budget of both kinds",
    of("policy/v1", "PodDisruptionBudget", { spec: { minAvailable: 1, maxUnavailable: "50%" } }),
    ["KUB005 Invalid spec"],
  ],
  [
    "a StorageClass without a provisioner",
    of("storage.k8s.io/v1", "StorageClass", {}),
    ["KUB003 Required provisioner"],
  ],
  [
    "an empty value of a list",
    of("v1", "PersistentVolumeClaim", {
      spec: { accessModes: [""], resources: { requests: { storage: "1" } } },
    }),
    ["KUB003 NotSupported spec.accessModes[0]"],
  ],
  [
    "a policy for nobody",
    of("networking.k8s.io/v1", "NetworkPolicy", { spec: { podSelector: {}, ingress: [{ from: [{}] }] } }),
    ["KUB005 Required spec.ingress[0].from[0]"],
  ],
  [
    "an operating system that does not exist",
    pod({ os: { name: "plan9" } }),
    ["KUB003 NotSupported spec.os.name"],
  ],
];
for (const [name, given, expected] of CASES)
  test(name, () => {
    const found = builtInFindings(given, release("1.35"));
    assert.equal(
      found.map(({ code, kind, field }) => `${code} ${kind} ${field}`),
      expected,
    );
  });

test("a value that a later release added is refused before it", () => {
  const given = pod({ tolerations: [{ key: "a", operator: "Gt", value: "1" }] });
  const at = (name: string): number => builtInFindings(given, release(name)).length;
  assert.equal([at("1.34"), at("1.35")], [1, 0]);
});

test.run();
