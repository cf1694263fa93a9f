/** What the installer sorts in place before it writes the install-config into manifests/cluster-config.yaml. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isList, isObject, type Json, type JsonObject } from "../../../src/core/json.js";
import { platform } from "../../../src/platforms/azure/index.js";
import { parseYaml } from "../../../src/text/yaml-parse.js";
import { cloudFacts, compile, FACTS, inputOf, installConfig } from "../../helpers/azure.js";
import { NETWORK_FACTS, OWN } from "../../helpers/azure-variants.js";

const test = suite("azure sorted in place");

/** The member of the object, by its path, that the install-config gives at the release. */
function written(given: JsonObject, release: string, facts = FACTS) {
  const input = inputOf(given, facts, { name: release });
  const whole = parseYaml(compile(given, release, cloudFacts(facts)).asset?.normalForm ?? "");
  const object = isObject(whole) ? platform.manifests.redact?.(whole, input) : undefined;
  const step = (node: Json | undefined, name: string | number): Json | undefined =>
    typeof name === "number"
      ? isList(node)
        ? node[name]
        : undefined
      : isObject(node)
        ? node[name]
        : undefined;
  return (...path: readonly (string | number)[]): Json | undefined =>
    path.reduce<Json | undefined>(step, object);
}

/** Zones of the control plane, of the compute pool and of defaultMachinePlatform, for those that are given. */
function zones(given: readonly (readonly string[] | undefined)[], release: string): readonly Json[] {
  const [controlPlane, compute, fallback] = given.map((list) =>
    list === undefined ? {} : { zones: [...list] },
  );
  const config = installConfig(
    { defaultMachinePlatform: fallback ?? {} },
    {
      controlPlane: { name: "master", replicas: 3, platform: { azure: controlPlane ?? {} } },
      compute: [{ name: "worker", replicas: 2, platform: { azure: compute ?? {} } }],
    },
  );
  const at = written(config, release);
  return [
    at("controlPlane", "platform", "azure", "zones") ?? null,
    at("compute", 0, "platform", "azure", "zones") ?? null,
    at("platform", "azure", "defaultMachinePlatform", "zones") ?? null,
  ];
}

test("zones of the compute pool, and every list that is the same one", () => {
  const [three, two, one] = [
    ["3", "1"],
    ["2", "1"],
    ["3", "2"],
  ];
  assert.equal(zones([three, two, one], "4.21"), [
    ["3", "1"],
    ["1", "2"],
    ["3", "2"],
  ]);
  assert.equal(zones([three, undefined, one], "4.22"), [
    ["3", "1"],
    ["2", "3"],
    ["2", "3"],
  ]);
  assert.equal(zones([undefined, undefined, one], "4.21"), [
    ["2", "3"],
    ["2", "3"],
    ["2", "3"],
  ]);
});

test("nothing before 4.21", () => {
  assert.equal(zones([["3", "1"], ["2", "1"], undefined], "4.20").slice(0, 2), [
    ["3", "1"],
    ["2", "1"],
  ]);
});

test("subnets by name, with several NAT gateways alone", () => {
  const names = (outboundType: string): Json => {
    const subnets = [
      { name: "nodes", role: "node" },
      { name: "more-nodes", role: "node" },
      ...OWN.subnets.slice(0, 1),
    ];
    const config = installConfig({ ...OWN, subnets, outboundType });
    const found =
      written(config, "4.21", { ...NETWORK_FACTS, natGatewayZones: ["1", "2"] })(
        "platform",
        "azure",
        "subnets",
      ) ?? null;
    return isList(found) ? found.map((each) => (isObject(each) ? (each["name"] ?? null) : each)) : found;
  };
  assert.equal(names("NATGatewayMultiZone"), ["masters", "more-nodes", "nodes"]);
  assert.equal(names("Loadbalancer"), ["nodes", "more-nodes", "masters"]);
});

test("the cloud provider's subnet is the first of the nodes' as they are sorted", () => {
  const subnet = (outboundType: string): string | undefined => {
    const subnets = [
      { name: "nodes", role: "node" },
      { name: "more-nodes", role: "node" },
      ...OWN.subnets.slice(0, 1),
    ];
    const facts = { ...NETWORK_FACTS, natGatewayZones: ["1", "2"] };
    const input = inputOf(installConfig({ ...OWN, subnets, outboundType }), facts, { name: "4.22" });
    const { config = "" } = platform.manifests.cloudProviderConfig(input) ?? {};
    return /"subnetName": "([^"]*)"/.exec(config)?.[1];
  };
  assert.is(subnet("NATGatewayMultiZone"), "more-nodes");
  assert.is(subnet("Loadbalancer"), "nodes");
});

test.run();
