/** Where a field was written, also when it is asked for in another spelling or was filled in. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { configText, readConfig } from "../../helpers/install-config.js";

const test = suite("install-config positions");

const TEXT = `apiVersion: v1
BASEDOMAIN: example.org
metadata:
  name: demo
networking:
  machineCIDR: 10.0.0.0/16
  clusterNetworks:
  - cidr: 10.128.0.0/14
    hostSubnetLength: 9
compute:
- name: worker
  platform:
    aws: {zones: [a, b]}
controlPlane:
  name: master
capabilities:
  additionalEnabledCapabilities:
  - Ingress
platform:
  aws:
    subnets: [subnet-a, subnet-b]
    userTags:
      team: x
    defaultMachinePlatform:
      type: m6i.xlarge
      zones:
      - eu-west-1a
`;

test("values and keys of what was written, and the nearest ancestor of what was not", () => {
  const { read } = readConfig(TEXT);
  if (read === undefined) throw new Error("not read");
  const cases: [string, string, string][] = [
    // field, value, key
    ["baseDomain", "2:13", "2:1"],
    ["metadata.name", "4:9", "4:3"],
    ["metadata", "3:1", "3:1"],
    ["pullSecret", "1:1", "1:1"],
    ["networking.serviceNetwork", "5:1", "5:1"],
    ["networking.serviceNetwork[0]", "5:1", "5:1"],
    ["compute[0].name", "11:9", "11:3"],
    ["compute[0]", "11:3", "11:3"],
    ["compute[0].replicas", "11:3", "11:3"],
    ["compute[0].platform.aws.zones[1]", "13:22", "13:22"],
    ["platform.aws.userTags[team]", "23:13", "23:7"],
    ["platform.aws.userTags[none]", "22:5", "22:5"],
    ["Platform.AWS.UserTags", "22:5", "22:5"],
  ];
  for (const [field, value, key] of cases) {
    const at = read.position(field);
    const keyAt = read.keyPosition(field);
    assert.is(`${at.line}:${at.column}`, value, field);
    assert.is(`${keyAt.line}:${keyAt.column}`, key, field);
    assert.is(at.file, "install-config.yaml");
  }
});

test("a converted field leads to its old spelling, a merged one to the default that it came from", () => {
  const { read } = readConfig(TEXT);
  const cases: [string, string][] = [
    ["networking.machineNetwork[0].cidr", "6:16"],
    ["networking.machineNetwork[0]", "6:16"],
    ["networking.machineNetwork", "6:16"],
    ["networking.clusterNetwork[0].cidr", "8:11"],
    ["networking.clusterNetwork[0].hostPrefix", "9:23"],
    ["platform.aws.vpc.subnets[1].id", "21:25"],
    ["platform.aws.vpc.subnets[1]", "21:25"],
    ["controlPlane.platform.aws.zones[0]", "27:9"],
    ["controlPlane.platform.aws.type", "25:13"],
    ["compute[0].platform.aws.type", "25:13"],
    ["compute[0].platform.aws.zones[0]", "13:19"],
    // The installer leaves outer names out of some paths.
    ["additionalEnabledCapabilities", "17:3"],
    ["compute.management", "10:1"],
  ];
  for (const [field, place] of cases) {
    const at = read?.position(field);
    assert.is(`${at?.line}:${at?.column}`, place, field);
  }
});

test("what was written in just this spelling", () => {
  const { read } = readConfig(configText({ x: "networking:\n  machineCIDR: 10.0.0.0/16\nsshKey: null" }));
  for (const field of ["baseDomain", "networking.machineCIDR", "sshKey"])
    assert.ok(read?.isWritten(field), field);
  for (const field of ["networking.machineNetwork", "proxy", "proxy.httpProxy"])
    assert.not.ok(read?.isWritten(field), field);
});

test("aliases stand where their anchor is", () => {
  const { read } = readConfig(configText({ x: "controlPlane: &p\n  name: master\narbiter: *p" }));
  assert.is(read?.position("arbiter.name").line, 9);
});

test.run();
