/** Rules of the provider's webhooks: each with an object that it refuses, beside one that it takes. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { JsonObject } from "../../../src/core/json.js";
import { webhookFindings } from "../../../src/platforms/aws/infrastructure/webhook-rules.js";

const test = suite("webhooks of the aws provider");

const object = (kind: string, spec: JsonObject, name = "default"): JsonObject => ({
  apiVersion: "infrastructure.cluster.x-k8s.io/v1beta2",
  kind,
  metadata: { name },
  spec,
});
const cluster = (spec: JsonObject): JsonObject => object("AWSCluster", spec);
const machine = (spec: JsonObject): JsonObject => object("AWSMachineTemplate", { template: { spec } });
const network = (spec: JsonObject): JsonObject => cluster({ network: spec });
const balancer = (spec: JsonObject): JsonObject => cluster({ controlPlaneLoadBalancer: spec });

const CASES: readonly (readonly [JsonObject, readonly string[]])[] = [
  [machine({ rootVolume: { type: "io1" } }), ["spec.template.spec.rootVolume.iops"]],
  [machine({ rootVolume: { type: "io1", iops: 100 } }), []],
  [machine({ rootVolume: { type: "GP3", throughput: 125 } }), ["spec.template.spec.rootVolume.throughput"]],
  [
    machine({ nonRootVolumes: [{ type: "gp3", throughput: 125 }] }),
    ["spec.template.spec.nonRootVolumes[0].deviceName"],
  ],
  [machine({ additionalTags: { "aws:a": "b" } }), ["spec.template.spec.additionalTags[aws:a]"]],
  [machine({ additionalTags: { "a b": "c/d=e+f-g@h.i:j_k" } }), []],
  [machine({ additionalTags: { a: "b\u00a0c" } }), ["spec.template.spec.additionalTags[a]"]],
  [
    machine({ additionalTags: { [`${"é".repeat(65)}`]: "" } }),
    [
      `spec.template.spec.additionalTags[${"é".repeat(65)}]`,
      `spec.template.spec.additionalTags[${"é".repeat(65)}]`,
    ],
  ],
  [machine({ sshKeyName: " a" }), ["spec.template.spec.sshKeyName"]],
  [machine({ providerID: "a" }), ["spec.template.spec.providerID"]],
  [
    machine({ ignition: {}, cloudInit: { insecureSkipSecretsManager: true } }),
    ["spec.template.spec.cloudInit"],
  ],
  [machine({ hostID: "h-1" }), ["spec.template.spec.hostID"]],
  [machine({ hostID: "h-1", tenancy: "host", hostAffinity: "host" }), []],
  [
    machine({ additionalSecurityGroups: [{ id: "a", filters: [{}] }] }),
    ["spec.template.spec.additionalSecurityGroups[0]"],
  ],
  [
    cluster({ additionalTags: Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`k${i}`, ""])) }),
    ["spec.additionalTags"],
  ],
  [
    cluster({ bastion: { disableIngressRules: true, allowedCIDRBlocks: ["10.0.0.0/8"] } }),
    ["spec.bastion.allowedCIDRBlocks"],
  ],
  [cluster({ s3Bucket: { name: "10.0.0.1", presignedURLDuration: "1h" } }), ["spec.s3Bucket.name"]],
  [network({ vpc: { cidrBlock: "10.0.0.0/33" } }), ["spec.network.vpc.cidrBlock"]],
  [network({ subnets: [{ zoneType: "local-zone" }] }), ["spec.network.subnets[0].parentZoneName"]],
  [
    network({ vpc: { elasticIpPool: { publicIpv4Pool: "x", publicIpv4PoolFallbackOrder: "none" } } }),
    ["spec.network.vpc.elasticIpPool.publicIpv4Pool"],
  ],
  [
    network({ additionalNodeIngressRules: [{ cidrBlocks: [], sourceSecurityGroupIds: [] }] }),
    ["spec.network.additionalNodeIngressRules[0]"],
  ],
  [balancer({ loadBalancerType: "disabled", name: "a" }), ["spec.controlPlaneLoadBalancer.name"]],
  [balancer({ targetGroupIPType: "ipv4" }), ["spec.controlPlaneLoadBalancer.targetGroupIPType"]],
  [
    cluster({ secondaryControlPlaneLoadBalancer: { name: "b", scheme: "internet-facing" } }),
    ["spec.secondaryControlPlaneLoadBalancer.scheme"],
  ],
  [object("AWSClusterControllerIdentity", {}, "x"), ["metadata.name"]],
  [
    object("AWSClusterStaticIdentity", { allowedNamespaces: { selector: { matchLabels: { "a b": "c" } } } }),
    ["spec.allowedNamespaces.selector"],
  ],
  [{ apiVersion: "v1", kind: "AWSCluster", spec: { additionalTags: { "<": "" } } }, []],
];

for (const [given, expected] of CASES)
  test(JSON.stringify(given).slice(0, 140), () =>
    assert.equal(
      webhookFindings(given).map(({ field }) => field),
      expected,
    ),
  );

test.run();
