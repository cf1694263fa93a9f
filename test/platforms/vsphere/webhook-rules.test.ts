/** Rules of the provider's webhooks: each with an object that it refuses, beside one that it takes. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { JsonObject } from "../../../src/core/json.js";
import { webhookFindings } from "../../../src/platforms/vsphere/infrastructure/webhook-rules.js";

const test = suite("webhooks of the vsphere provider");

const object = (kind: string, spec: JsonObject): JsonObject => ({
  apiVersion: "infrastructure.cluster.x-k8s.io/v1beta1",
  kind,
  metadata: { name: "gannet" },
  spec,
});
const machine = (spec: JsonObject): JsonObject => object("VSphereMachineTemplate", { template: { spec } });
const domain = (region: string, zone: string, topology: JsonObject): JsonObject =>
  object("VSphereFailureDomain", { region: { type: region }, zone: { type: zone }, topology });

const TEMPLATE = "spec.template.spec";
const CASES: readonly (readonly [JsonObject, ...string[]])[] = [
  [machine({ providerID: "" })],
  [machine({ providerID: "vsphere://x" }), `${TEMPLATE}.providerID`],
  [machine({ network: { devices: [{ ipAddrs: [] }], preferredAPIServerCidr: "" } })],
  [
    machine({ network: { preferredAPIServerCidr: "10.0.0.0/8" } }),
    `${TEMPLATE}.network.preferredAPIServerCidr`,
  ],
  [
    machine({ network: { devices: [{}, { ipAddrs: ["10.0.0.1/8"] }] } }),
    `${TEMPLATE}.network.devices[1].ipAddrs`,
  ],
  [machine({ hardwareVersion: "vmx-19" })],
  [machine({ hardwareVersion: "vmx-07" }), `${TEMPLATE}.hardwareVersion`],
  [machine({ hardwareVersion: "19" }), `${TEMPLATE}.hardwareVersion`],
  [machine({ powerOffMode: "trySoft", guestSoftPowerOffTimeout: "5m" })],
  [machine({ powerOffMode: "hard", guestSoftPowerOffTimeout: "5m" }), `${TEMPLATE}.guestSoftPowerOffTimeout`],
  [domain("Datacenter", "ComputeCluster", { computeCluster: "/bay/host/a", networks: ["a"] })],
  [domain("Datacenter", "ComputeCluster", {}), "spec.topology.computeCluster"],
  [domain("HostGroup", "HostGroup", { computeCluster: "a", hosts: {} }), "spec.region.type"],
  [domain("ComputeCluster", "HostGroup", { computeCluster: "a" }), "spec.topology.hosts"],
  [
    domain("Datacenter", "ComputeCluster", {
      computeCluster: "a",
      networks: ["a"],
      networkConfigurations: [{ networkName: "a" }],
    }),
    "spec.topology.networks",
  ],
  [{ ...machine({ providerID: "x" }), apiVersion: "example.org/v1" }],
];

for (const [each, ...fields] of CASES)
  test(JSON.stringify(each["spec"]), () =>
    assert.equal(
      webhookFindings(each).map(({ field }) => field),
      fields,
    ),
  );

test.run();
