/** An object of every built-in kind that a server stores, as somebody might write it. */
import { generateKeyPairSync, sign } from "node:crypto";
import type { JsonObject } from "../../src/core/json.js";

export const NAMESPACE = "every-kind";
export const NODE = "node-a";

const cluster = (apiVersion: string, kind: string, name: string, rest: JsonObject = {}): JsonObject => ({
  apiVersion,
  kind,
  metadata: {
    name,
    labels: { app: "a" },
    annotations: { "example.com/note": 'two\nlines, "quotes" and a: colon' },
  },
  ...rest,
});
const inNamespace = (apiVersion: string, kind: string, name: string, rest: JsonObject = {}): JsonObject => {
  const object = cluster(apiVersion, kind, name, rest);
  return { ...object, metadata: { ...Object(object["metadata"]), namespace: NAMESPACE } };
};

const POD: JsonObject = {
  containers: [
    {
      name: "main",
      image: "example.com/a:1",
      command: ["sh", "-c", "echo $(A) `b` '0123'"],
      env: [
        { name: "EMPTY", value: "" },
        { name: "YES", value: "yes" },
        { name: "FROM", valueFrom: { fieldRef: { apiVersion: "v1", fieldPath: "metadata.name" } } },
      ],
      ports: [{ name: "http", containerPort: 8080, protocol: "TCP" }],
      livenessProbe: { httpGet: { path: "/", port: "http" }, initialDelaySeconds: 1 },
      readinessProbe: { tcpSocket: { port: 8080 } },
      resources: { requests: { cpu: "0.1", memory: "64Mi" }, limits: { memory: "1e8" } },
      securityContext: { runAsNonRoot: false, capabilities: { drop: ["ALL"] } },
      volumeMounts: [{ name: "tmp", mountPath: "/tmp" }],
    },
  ],
  volumes: [
    { name: "tmp", emptyDir: {} },
    { name: "all", projected: { sources: [{ configMap: { name: "c", optional: true } }] } },
  ],
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchExpressions: [{ key: "a", operator: "In", values: ["b"] }] }],
      },
    },
  },
  tolerations: [{ operator: "Exists" }],
  topologySpreadConstraints: [
    {
      maxSkew: 1,
      topologyKey: "zone",
      whenUnsatisfiable: "DoNotSchedule",
      labelSelector: { matchLabels: { app: "a" } },
    },
  ],
};
const PODS: JsonObject = { metadata: { labels: { app: "a" } }, spec: POD };
const ONCE: JsonObject = { ...PODS, spec: { ...POD, restartPolicy: "Never" } };
const SELECTOR: JsonObject = { matchLabels: { app: "a" } };
const CLAIM: JsonObject = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
const WEBHOOK: JsonObject = {
  name: "a.example.com",
  clientConfig: { service: { namespace: NAMESPACE, name: "hook", path: "/a" } },
  rules: [
    { operations: ["CREATE"], apiGroups: ["none.example.com"], apiVersions: ["v1"], resources: ["as"] },
  ],
  failurePolicy: "Ignore",
  sideEffects: "None",
  admissionReviewVersions: ["v1"],
  matchConditions: [{ name: "never", expression: "request.name == '\"'" }],
};
const CONSTRAINTS: JsonObject = {
  resourceRules: [
    { apiGroups: ["none.example.com"], apiVersions: ["v1"], operations: ["CREATE"], resources: ["as"] },
  ],
};
const ROLE: JsonObject = {
  rules: [{ apiGroups: [""], resources: ["secrets"], verbs: ["get"], resourceNames: ["a"] }],
};
const SUBJECTS: JsonObject[] = [
  { apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "$(touch RAN)" },
  { kind: "ServiceAccount", name: "account", namespace: NAMESPACE },
];
const REQUESTS: JsonObject = {
  devices: {
    requests: [
      { name: "one", exactly: { deviceClassName: "class", allocationMode: "ExactCount", count: 2 } },
    ],
    constraints: [{ requests: ["one"], matchAttribute: "example.com/zone" }],
  },
};
const GROUP: JsonObject = { name: "workers", schedulingPolicy: { gang: { minCount: 2 } } };
const IN_WORKLOAD: JsonObject = {
  workloadRef: { workloadName: "workload", templateName: "workers" },
  schedulingPolicy: { basic: {} },
};
const EVICTED: JsonObject = { pod: { name: "pod", uid: "3d7fdff1-3fe5-48b9-b106-1ee24b0277f6" } };

const REQUEST = `-----BEGIN CERTIFICATE REQUEST-----
MIGNMEECAQAwDjEMMAoGA1UEAwwDb25lMCowBQYDK2VwAyEA1es+excj+8b5dUFt
wRFtnkLTliu854QddQozkkYSwWygADAFBgMrZXADQQDd3gR7FS6kPkdPBTqnLB5l
KZIbWUR5QNBwv01u9QP1K7UZQyjjveGSkFDCu+mRQz401FL3SPrJgcXw58SFlYEP
-----END CERTIFICATE REQUEST-----
`;
export const ROOT = `-----BEGIN CERTIFICATE-----
MIIBNDCB56ADAgECAhRuoU66WZ1ii+9SFumBdt0dmdn5xzAFBgMrZXAwDzENMAsG
A1UEAwwEcm9vdDAgFw0yNjExMjgxODUyMjVaGA8yMTI2MTEwNDE4NTIyNVowDzEN
MAsGA1UEAwwEcm9vdDAqMAUGAytlcAMhAFDNg2omyAoQqqYtU/02EldL6NLE0HpE
Y9WkGZ7zwqFZo1MwUTAdBgNVHQ4EFgQUrDL9IEAJk0wFpppPRYUngmwvM8YwHwYD
VR0jBBgwFoAUrDL9IEAJk0wFpppPRYUngmwvM8YwDwYDVR0TAQH/BAUwAwEB/zAF
BgMrZXADQQBxLp06KvYJnzESxvv9RNTyWCLq1bqo14pJy8WpVe7lNoGLwozUmAQA
l1C3yLj12cIwdKJErf3fflcBAuwxi7EE
-----END CERTIFICATE-----
`;

function podCertificate(): JsonObject {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  const podUID = "3d7fdff1-3fe5-48b9-b106-1ee24b0277f6";
  return {
    signerName: "example.com/signer",
    ...{ podName: "pod", podUID, serviceAccountName: "account", serviceAccountUID: "a-uid" },
    ...{ nodeName: NODE, nodeUID: "n-uid", maxExpirationSeconds: 86400 },
    pkixPublicKey: publicKey.export({ type: "spki", format: "der" }).toString("base64"),
    proofOfPossession: sign(null, Buffer.from(podUID), privateKey).toString("base64"),
  };
}

/** Kinds by the group and the newest version that serves them; namespaced ones lie in {@link NAMESPACE}. */
export const everyKind = (): JsonObject[] => [
  cluster("v1", "Namespace", NAMESPACE),
  cluster("v1", "Node", NODE, {
    spec: { unschedulable: true, taints: [{ key: "k", effect: "NoExecute" }], podCIDR: "10.9.0.0/24" },
  }),
  cluster("v1", "PersistentVolume", "volume", {
    spec: {
      ...{ accessModes: ["ReadWriteOnce"], capacity: { storage: "1Gi" }, hostPath: { path: "/none" } },
      ...{
        claimRef: { namespace: NAMESPACE, name: "claim" },
        storageClassName: "class",
        mountOptions: ["ro"],
      },
      persistentVolumeReclaimPolicy: "Retain",
    },
  }),
  inNamespace("v1", "ConfigMap", "config", {
    data: {
      "a.yaml": "x: 1\n# end \n",
      empty: "",
      "--b": "`id`",
      number: "0x1F",
      octal: "010",
      date: "2001-01-01",
    },
    binaryData: { raw: "AAH/" },
    immutable: true,
  }),
  // Larger than what kubectl apply can note in an annotation.
  inNamespace("v1", "ConfigMap", "large", { data: { text: "0123456789abcdef".repeat(20_000) } }),
  inNamespace("v1", "Secret", "secret", { type: "example.com/a", data: { "a.b": "AAAA" } }),
  inNamespace("v1", "ServiceAccount", "account", {
    imagePullSecrets: [{ name: "pull" }],
    automountServiceAccountToken: false,
  }),
  inNamespace("v1", "Service", "service", {
    spec: {
      ...{ type: "LoadBalancer", selector: { app: "a" }, sessionAffinity: "ClientIP" },
      ports: [
        { name: "tcp", port: 80, targetPort: "http", protocol: "TCP" },
        { name: "udp", port: 80, targetPort: 8080, protocol: "UDP" },
      ],
    },
  }),
  inNamespace("v1", "Service", "headless", { spec: { clusterIP: "None", ports: [{ port: 1 }] } }),
  inNamespace("v1", "Endpoints", "outside", {
    subsets: [{ addresses: [{ ip: "192.0.2.1" }], ports: [{ port: 80 }] }],
  }),
  inNamespace("v1", "Pod", "pod", { spec: POD }),
  inNamespace("v1", "PodTemplate", "template", { template: PODS }),
  inNamespace("v1", "ReplicationController", "old", {
    spec: { replicas: 0, selector: { app: "a" }, template: PODS },
  }),
  inNamespace("v1", "PersistentVolumeClaim", "claim", {
    spec: { ...CLAIM, storageClassName: "class", volumeName: "volume" },
  }),
  inNamespace("v1", "LimitRange", "limits", { spec: { limits: [{ type: "Container", max: { cpu: "2" } }] } }),
  inNamespace("v1", "ResourceQuota", "quota", { spec: { hard: { pods: "10", "requests.cpu": "5" } } }),
  inNamespace("v1", "Event", "event", {
    involvedObject: { kind: "Pod", name: "pod", namespace: NAMESPACE },
    message: "m",
  }),
  inNamespace("apps/v1", "Deployment", "deployment", {
    spec: {
      replicas: 0,
      selector: SELECTOR,
      template: PODS,
      strategy: { rollingUpdate: { maxSurge: "10%", maxUnavailable: 0 } },
    },
  }),
  inNamespace("apps/v1", "DaemonSet", "daemons", { spec: { selector: SELECTOR, template: PODS } }),
  inNamespace("apps/v1", "ReplicaSet", "replicas", {
    spec: { replicas: 0, selector: SELECTOR, template: PODS },
  }),
  inNamespace("apps/v1", "StatefulSet", "stateful", {
    spec: {
      ...{ selector: SELECTOR, serviceName: "headless", template: PODS },
      volumeClaimTemplates: [{ metadata: { name: "data" }, spec: CLAIM }],
    },
  }),
  // Members that are null are part of what a controller compares.
  inNamespace("apps/v1", "ControllerRevision", "revision", {
    revision: 3,
    data: { spec: { template: { $patch: "replace", metadata: { creationTimestamp: null } } } },
  }),
  inNamespace("autoscaling/v2", "HorizontalPodAutoscaler", "scaler", {
    spec: {
      ...{
        minReplicas: 1,
        maxReplicas: 3,
        scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "deployment" },
      },
      metrics: [
        {
          type: "Resource",
          resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } },
        },
      ],
    },
  }),
  inNamespace("batch/v1", "Job", "job", { spec: { suspend: true, template: ONCE } }),
  inNamespace("batch/v1", "CronJob", "cron", {
    spec: { schedule: "* * * * *", suspend: true, jobTemplate: { spec: { template: ONCE } } },
  }),
  cluster("certificates.k8s.io/v1", "CertificateSigningRequest", "signing", {
    spec: {
      signerName: "example.com/signer",
      usages: ["any"],
      request: Buffer.from(REQUEST).toString("base64"),
    },
  }),
  cluster("certificates.k8s.io/v1", "ClusterTrustBundle", "example.com:signer:a", {
    spec: { signerName: "example.com/signer", trustBundle: ROOT },
  }),
  inNamespace("certificates.k8s.io/v1beta1", "PodCertificateRequest", "certificate", {
    spec: podCertificate(),
  }),
  inNamespace("coordination.k8s.io/v1", "Lease", "lease", {
    spec: { holderIdentity: "a", leaseDurationSeconds: 5, renewTime: "2024-01-02T03:04:05.000006Z" },
  }),
  inNamespace("coordination.k8s.io/v1beta1", "LeaseCandidate", "candidate", {
    spec: {
      leaseName: "lease",
      binaryVersion: "1.2.3",
      emulationVersion: "1.2.3",
      strategy: "OldestEmulationVersion",
    },
  }),
  inNamespace("lifecycle.k8s.io/v1alpha1", "EvictionRequest", "request", {
    spec: { target: EVICTED, requester: "a.example.com/b", intent: "Eviction" },
  }),
  inNamespace("lifecycle.k8s.io/v1alpha1", "Eviction", "eviction", { spec: { target: EVICTED } }),
  inNamespace("discovery.k8s.io/v1", "EndpointSlice", "slice", {
    addressType: "IPv4",
    endpoints: [{ addresses: ["192.0.2.1"], conditions: { ready: false } }],
    ports: [{ name: "", port: 80, protocol: "TCP" }],
  }),
  inNamespace("networking.k8s.io/v1", "Ingress", "ingress", {
    spec: { defaultBackend: { service: { name: "service", port: { name: "tcp" } } } },
  }),
  cluster("networking.k8s.io/v1", "IngressClass", "class", { spec: { controller: "example.com/c" } }),
  inNamespace("networking.k8s.io/v1", "NetworkPolicy", "policy", {
    spec: {
      podSelector: {},
      ingress: [{ from: [{ namespaceSelector: {} }], ports: [{ port: "http" }] }, {}],
    },
  }),
  cluster("networking.k8s.io/v1", "IPAddress", "192.0.2.3", {
    spec: { parentRef: { resource: "services", namespace: NAMESPACE, name: "gone" } },
  }),
  cluster("networking.k8s.io/v1", "ServiceCIDR", "more", { spec: { cidrs: ["10.1.0.0/24"] } }),
  inNamespace("policy/v1", "PodDisruptionBudget", "budget", {
    spec: { selector: {}, maxUnavailable: "10%" },
  }),
  cluster("storagemigration.k8s.io/v1", "StorageVersionMigration", "migration", {
    spec: { resource: { group: "example.com", resource: "as" } },
  }),
  cluster("flowcontrol.apiserver.k8s.io/v1", "FlowSchema", "flow", {
    spec: {
      ...{
        priorityLevelConfiguration: { name: "level" },
        matchingPrecedence: 9000,
        distinguisherMethod: { type: "ByUser" },
      },
      rules: [
        {
          subjects: [{ kind: "User", user: { name: "a" } }],
          nonResourceRules: [{ verbs: ["get"], nonResourceURLs: ["/a"] }],
        },
      ],
    },
  }),
  cluster("flowcontrol.apiserver.k8s.io/v1", "PriorityLevelConfiguration", "level", {
    spec: { type: "Limited", limited: { nominalConcurrencyShares: 0, limitResponse: { type: "Reject" } } },
  }),
  cluster("storage.k8s.io/v1", "StorageClass", "class", {
    ...{ provisioner: "example.com/p", parameters: { "a/b": "true" }, allowVolumeExpansion: false },
    volumeBindingMode: "WaitForFirstConsumer",
  }),
  cluster("storage.k8s.io/v1", "CSIDriver", "driver.example.com", {
    spec: { attachRequired: false, podInfoOnMount: true },
  }),
  cluster("storage.k8s.io/v1", "CSINode", NODE, {
    spec: {
      drivers: [
        { name: "driver.example.com", nodeID: "i-1", topologyKeys: ["zone"], allocatable: { count: 0 } },
      ],
    },
  }),
  inNamespace("storage.k8s.io/v1", "CSIStorageCapacity", "capacity", {
    storageClassName: "class",
    capacity: "1.5Gi",
    nodeTopology: SELECTOR,
  }),
  cluster("storage.k8s.io/v1", "VolumeAttachment", "attachment", {
    spec: { attacher: "driver.example.com", nodeName: NODE, source: { persistentVolumeName: "volume" } },
  }),
  cluster("storage.k8s.io/v1", "VolumeAttributesClass", "attributes", {
    driverName: "driver.example.com",
    parameters: { a: "b" },
  }),
  inNamespace("rbac.authorization.k8s.io/v1", "Role", "role", ROLE),
  inNamespace("rbac.authorization.k8s.io/v1", "RoleBinding", "binding", {
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "role" },
    subjects: SUBJECTS,
  }),
  cluster("rbac.authorization.k8s.io/v1", "ClusterRole", "role:a", {
    rules: [{ nonResourceURLs: ["/a"], verbs: ["get"] }],
    aggregationRule: { clusterRoleSelectors: [SELECTOR] },
  }),
  cluster("rbac.authorization.k8s.io/v1", "ClusterRoleBinding", "binding:a", {
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "role:a" },
    subjects: SUBJECTS,
  }),
  cluster("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", "hook", {
    webhooks: [WEBHOOK],
  }),
  cluster("admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration", "hook", { webhooks: [WEBHOOK] }),
  cluster("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicy", "validating", {
    spec: {
      matchConstraints: CONSTRAINTS,
      validations: [{ expression: 'object.spec.a == "b"', reason: "Forbidden" }],
    },
  }),
  cluster("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicyBinding", "validating", {
    spec: {
      policyName: "validating",
      validationActions: ["Warn"],
      matchResources: { namespaceSelector: {} },
    },
  }),
  cluster("admissionregistration.k8s.io/v1", "MutatingAdmissionPolicy", "mutating", {
    spec: {
      ...{ matchConstraints: CONSTRAINTS, reinvocationPolicy: "Never" },
      mutations: [
        { patchType: "JSONPatch", jsonPatch: { expression: '[JSONPatch{op: "remove", path: "/spec/a"}]' } },
      ],
    },
  }),
  cluster("admissionregistration.k8s.io/v1", "MutatingAdmissionPolicyBinding", "mutating", {
    spec: { policyName: "mutating" },
  }),
  cluster("scheduling.k8s.io/v1", "PriorityClass", "priority", {
    value: 0,
    description: "d",
    preemptionPolicy: "Never",
  }),
  inNamespace("scheduling.k8s.io/v1beta1", "Workload", "workload", { spec: { podGroupTemplates: [GROUP] } }),
  inNamespace("scheduling.k8s.io/v1beta1", "PodGroup", "group", { spec: IN_WORKLOAD }),
  inNamespace("scheduling.k8s.io/v1alpha3", "CompositePodGroup", "composite", { spec: IN_WORKLOAD }),
  cluster("apiregistration.k8s.io/v1", "APIService", "v1.none.example.com", {
    spec: { ...{ group: "none.example.com", version: "v1" }, groupPriorityMinimum: 100, versionPriority: 10 },
  }),
  cluster("apiextensions.k8s.io/v1", "CustomResourceDefinition", "widgets.example.com", {
    spec: {
      ...{ group: "example.com", scope: "Namespaced" },
      names: {
        plural: "widgets",
        singular: "widget",
        kind: "Widget",
        listKind: "WidgetList",
        shortNames: ["w"],
      },
      versions: [
        {
          ...{ name: "v1", served: true, storage: true },
          schema: {
            openAPIV3Schema: {
              type: "object",
              properties: {
                spec: {
                  type: "object",
                  properties: {
                    size: {
                      anyOf: [{ type: "integer" }, { type: "string" }],
                      "x-kubernetes-int-or-string": true,
                    },
                    note: { type: "string", nullable: true, default: "\n" },
                    more: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
                    names: {
                      type: "array",
                      items: { type: "string" },
                      minItems: 0,
                      "x-kubernetes-list-type": "set",
                    },
                  },
                  "x-kubernetes-validations": [{ rule: "self.size != 7", message: "no" }],
                },
              },
            },
          },
          additionalPrinterColumns: [{ name: "Size", type: "string", jsonPath: ".spec.size" }],
          subresources: {
            status: {},
            scale: { specReplicasPath: ".spec.size", statusReplicasPath: ".status.size" },
          },
        },
      ],
    },
  }),
  cluster("node.k8s.io/v1", "RuntimeClass", "runtime", {
    handler: "h",
    overhead: { podFixed: { memory: "1Mi" } },
  }),
  cluster("resource.k8s.io/v1", "DeviceClass", "class", {
    spec: { selectors: [{ cel: { expression: "device.driver == 'driver.example.com'" } }] },
  }),
  inNamespace("resource.k8s.io/v1", "ResourceClaim", "devices", { spec: REQUESTS }),
  inNamespace("resource.k8s.io/v1", "ResourceClaimTemplate", "devices", { spec: { spec: REQUESTS } }),
  cluster("resource.k8s.io/v1", "ResourceSlice", "devices", {
    spec: {
      ...{
        driver: "driver.example.com",
        nodeName: NODE,
        pool: { name: NODE, generation: 1, resourceSliceCount: 1 },
      },
      devices: [
        {
          name: "one",
          attributes: { zone: { string: "a" }, big: { int: 7 } },
          capacity: { memory: { value: "1Gi" } },
        },
      ],
    },
  }),
  cluster("resource.k8s.io/v1", "DeviceTaintRule", "taint", {
    spec: { deviceSelector: { driver: "driver.example.com" }, taint: { key: "k", effect: "NoSchedule" } },
  }),
  cluster("resource.k8s.io/v1alpha3", "ResourcePoolStatusRequest", "pool", {
    spec: { driver: "driver.example.com" },
  }),
  cluster("internal.apiserver.k8s.io/v1alpha1", "StorageVersion", "example.com.as", { spec: {} }),
];

/** Of the definition in {@link everyKind}. */
export const WIDGET: JsonObject = inNamespace("example.com/v1", "Widget", "widget", {
  spec: {
    size: 0,
    note: null,
    more: { null: null, list: [null, 1.5, -0.0000001], "a.b/c": { "": "" } },
    names: [],
  },
});
