/** Where a fault is shown: at the value, at what it comes from, or at what is nearest. */
import { test } from "uvu";
import * as assert from "uvu/assert";
import { namesRemedy } from "../../helpers/applied-hints.js";
import { judge } from "../../helpers/install-configs.js";

/** A config in which each line marked `# ^ FIELD` holds the value that the fault of FIELD is shown at. */
const TEXT = `apiVersion: v1
baseDomain: sea_example.org # ^ baseDomain
metadata:
  name: Gannet # ^ metadata.name
controlPlane:
  replicas: 0 # ^ controlPlane.replicas
  hyperthreading: "on" # ^ controlPlane.hyperthreading
  platform:
    aws:
      rootVolume:
        type: gp2
        iops: 100 # ^ controlPlane.platform.aws.iops
      metadataService: {authentication: optional} # ^ controlPlane.platform.aws.authentication
compute:
- name: worker
  replicas: -1 # ^ compute[0].replicas
  management: MachineAPI
- name: worker # ^ compute[1].name
  replicas: 0
  diskSetup:
  - type: swap
    swap: {}
  - type: swap # ^ compute[1].diskSetup.swap
    swap: {}
networking:
  machineCIDR: 10.20.0.1/16 # ^ networking.machineNetwork[0]
  clusterNetwork:
  - cidr: 10.132.0.0/14
    hostPrefix: 13 # ^ networking.clusterNetwork[0].hostPrefix
  - cidr: 10.132.0.0/16 # ^ networking.clusterNetwork[1].cidr
    hostPrefix: 23
  serviceNetwork:
  - 172.16.0.0/11 # ^ networking.serviceNetwork[0]
platform:
  aws:
    region: eu-west-1
    defaultMachinePlatform:
      zones: [eu-west-1a, us-east-1a] # ^ compute[0].platform.aws.zones[1]
    userTags:
      Name: x # ^ platform.aws.userTags[Name]
    subnets:
    - subnet-1
    - subnet-1 # ^ platform.aws.vpc.subnets[1].id
proxy:
  httpProxy: https://10.9.8.7 # ^ proxy.httpProxy
imageDigestSources:
- source: quay.io/a:v1 # ^ imageDigestSources[0].source
  mirrors: [quay.io/b, quay.io/B] # ^ imageDigestSources[0].mirrors[1]
publish: Public # ^ publish
operatorPublishingStrategy: {ingress: Public} # ^ ingress
capabilities:
  baselineCapabilitySet: v9 # ^ capabilities.baselineCapabilitySet
featureGates: [A] # ^ featureGates[0]
pullSecret: '{}' # ^ pullSecret
sshKey: none # ^ sshKey
`;

const lines = TEXT.split("\n");
const marked = lines.flatMap((line, i) => {
  const found = / # \^ (.*)$/.exec(line);
  return found === null ? [] : [{ field: found[1] ?? "", line: i + 1 }];
});

test("every marked fault is shown in its line", () => {
  const { diagnostics } = judge(TEXT);
  for (const { field, line } of marked) {
    const found = diagnostics.filter((each) => each.field === field && each.severity === "error");
    assert.ok(
      found.some((each) => each.line === line && each.file === "install-config.yaml"),
      `${field} in line ${line}, not ${found.map((each) => each.line).join()}`,
    );
  }
  assert.ok(marked.length > 20);
});

test("the column is that of the value", () => {
  const { diagnostics } = judge(TEXT);
  const columns: readonly [field: string, value: string][] = [
    ["metadata.name", "Gannet"],
    ["networking.machineNetwork[0]", "10.20.0.1/16"],
    ["compute[0].platform.aws.zones[1]", "us-east-1a"],
    ["imageDigestSources[0].mirrors[1]", "quay.io/B"],
    ["controlPlane.platform.aws.authentication", "optional"],
    ["ingress", "Public"],
    ["networking.clusterNetwork[0].hostPrefix", "13"],
  ];
  for (const [field, value] of columns) {
    const found = diagnostics.find((each) => each.field === field);
    const line = lines[(found?.line ?? 0) - 1] ?? "";
    assert.ok(
      line.slice((found?.column ?? 0) - 1).startsWith(value),
      `${field}: ${line} at ${found?.column}`,
    );
  }
});

test("what is missing is shown at what is nearest", () => {
  const text = "apiVersion: v1\nplatform:\n  aws: {}\nproxy:\n  noProxy: a\n";
  const { diagnostics } = judge(text);
  const place = (field: string) => {
    const found = diagnostics.find((each) => each.field === field && each.severity === "error");
    return [found?.line, found?.column];
  };
  assert.equal(place("platform.aws.region"), [3, 3]);
  assert.equal(place("proxy"), [4, 1]);
  assert.equal(place("metadata.name"), [1, 1]);
});

test("every fault says what would be right", () => {
  for (const each of judge(TEXT).diagnostics)
    assert.ok(each.message !== "" && namesRemedy(each), `${each.code} ${each.field}`);
});

test.run();
