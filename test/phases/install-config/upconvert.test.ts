/**
 * Old spellings (docs/reference/install-config-and-manifests.md §1.3): what they become, that they stay, and that they
 * warn.
 */
import { test } from "uvu";
import * as assert from "uvu/assert";
import { createReporter } from "../../../src/core/diagnostics.js";
import type { InstallConfig } from "../../../src/generated/types/install-config.js";
import { upconvert } from "../../../src/phases/install-config/upconvert.js";
import { AWS, edit, judge, NONE, releaseOf } from "../../helpers/install-configs.js";
import { platformOf } from "../../helpers/platforms.js";

function converted(config: InstallConfig, release = "4.22") {
  const reporter = createReporter();
  const next = upconvert(
    { apiVersion: "v1", ...config },
    { release: releaseOf(release), report: reporter.report },
    platformOf(config),
  );
  const said = (severity: string) =>
    reporter.diagnostics.filter((each) => each.severity === severity).map(({ field }) => field);
  return { next, warned: said("warning"), refused: said("error") };
}

test("old apiVersions become v1", () => {
  const { next, warned } = converted({ apiVersion: "v1beta3" });
  assert.is(next?.apiVersion, "v1");
  assert.equal(warned, ["apiVersion"]);
  assert.is(converted({ apiVersion: "v1beta2" }).next, undefined);
});

test("old names of the networks", () => {
  const { next, warned } = converted({
    networking: {
      type: "ovnkubernetes",
      machineCIDR: "10.20.0.0/16",
      serviceCIDR: "172.31.0.0/16",
      clusterNetworks: [{ cidr: "10.132.0.0/14", hostSubnetLength: 9 }],
    },
  });
  // Both lists are one in the installer, so that the prefix shows in both.
  const pods = [{ cidr: "10.132.0.0/14", hostSubnetLength: 9, hostPrefix: 23 }];
  assert.equal(next?.networking, {
    type: "ovnkubernetes",
    networkType: "OVNKubernetes",
    machineCIDR: "10.20.0.0/16",
    machineNetwork: [{ cidr: "10.20.0.0/16" }],
    serviceCIDR: "172.31.0.0/16",
    serviceNetwork: ["172.31.0.0/16"],
    clusterNetworks: pods,
    clusterNetwork: pods,
  });
  assert.equal(warned, [
    "networking.clusterNetworks",
    "networking.machineCIDR",
    "networking.serviceCIDR",
    "networking.type",
    "networking.clusterNetwork[0].hostSubnetLength",
  ]);
});

test("new names win over old ones", () => {
  const { next } = converted({
    networking: {
      networkType: "Calico",
      type: "OpenShiftSDN",
      machineNetwork: [{ cidr: "10.20.0.0/16" }],
      machineCIDR: "10.30.0.0/16",
      serviceNetwork: ["172.31.0.0/16"],
      serviceCIDR: "172.30.0.0/16",
      clusterNetwork: [{ cidr: "10.132.0.0/14", hostPrefix: 24, hostSubnetLength: 9 }],
      clusterNetworks: [{ cidr: "10.128.0.0/14" }],
    },
  });
  assert.is(next?.networking?.networkType, "Calico");
  assert.equal(next?.networking?.machineNetwork, [{ cidr: "10.20.0.0/16" }]);
  assert.equal(next?.networking?.serviceNetwork, ["172.31.0.0/16"]);
  assert.is(next?.networking?.clusterNetwork?.[0]?.hostPrefix, 24);
});

test("host bits of an IPv6 block", () => {
  const { next } = converted({
    networking: { clusterNetwork: [{ cidr: "fd01::/48", hostSubnetLength: 64 }] },
  });
  assert.is(next?.networking?.clusterNetwork?.[0]?.hostPrefix, 64);
});

test("host bits are counted in 32 bits", () => {
  const { next } = converted({
    networking: { clusterNetwork: [{ cidr: "10.132.0.0/14", hostSubnetLength: -2147483648 }] },
  });
  assert.is(next?.networking?.clusterNetwork?.[0]?.hostPrefix, -2147483616);
});

test("old names of aws", () => {
  const aws = { region: "eu-west-1", amiID: "ami-1", preserveBootstrapIgnition: true, subnets: ["subnet-1"] };
  const { next, warned } = converted({ platform: { aws } });
  assert.equal(next?.platform?.aws, {
    ...aws,
    bestEffortDeleteIgnition: true,
    defaultMachinePlatform: { amiID: "ami-1" },
    vpc: { subnets: [{ id: "subnet-1" }] },
  });
  assert.equal(
    warned.map((field) => field.replace("platform.aws.", "")),
    ["preserveBootstrapIgnition", "amiID", "subnets"],
  );
  const kept = converted({
    platform: { aws: { amiID: "ami-1", defaultMachinePlatform: { amiID: "ami-2" } } },
  });
  assert.is(kept.next?.platform?.aws?.defaultMachinePlatform?.amiID, "ami-2");
});

test("subnets in both spellings contradict each other, and that stands alone", () => {
  const config = edit(AWS, {
    "platform.aws.subnets": ["subnet-1"],
    "platform.aws.vpc.subnets": [{ id: "subnet-2" }],
    baseDomain: "_",
  });
  assert.equal(judge(config).errors, ["Forbidden platform.aws.subnets"]);
});

test("a list of subnets is not old in 4.18", () => {
  const { next, warned } = converted({ platform: { aws: { subnets: ["subnet-1"] } } }, "4.18");
  assert.equal(warned, []);
  assert.equal(next?.platform?.aws?.vpc?.subnets, [{ id: "subnet-1" }]);
});

test("the experimental tag switch wins where it exists", () => {
  const aws = { propagateUserTags: true, experimentalPropagateUserTags: false };
  assert.is(converted({ platform: { aws } }, "4.19").next?.platform?.aws?.propagateUserTags, false);
});

test("nothing is changed in what was given", () => {
  const config: InstallConfig = {
    networking: { clusterNetworks: [{ cidr: "10.132.0.0/14", hostSubnetLength: 9 }] },
  };
  const before = JSON.stringify(config);
  converted(config);
  assert.is(JSON.stringify(config), before);
});

test("a deprecated spelling keeps its place", () => {
  const text = ["apiVersion: v1", "networking:", "  machineCIDR: 10.20.0.1/16"].join("\n");
  const fault = judge(text).diagnostics.find(({ field }) => field === "networking.machineNetwork[0]");
  assert.equal([fault?.line, fault?.column], [3, 16]);
});

test("the old list of mirrors warns", () => {
  const config = edit(NONE, {
    imageContentSources: [{ source: "quay.io/a", mirrors: ["registry.example.org/a"] }],
  });
  assert.ok(judge(config).remarks.includes("IC102 imageContentSources"));
});

test.run();
