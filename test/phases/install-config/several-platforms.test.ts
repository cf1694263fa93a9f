/** Platforms beside the active one: refused, and what is wrong in their sections is told in the same run. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isList, isObject } from "../../../src/core/json.js";
import { parseYaml } from "../../../src/text/yaml-parse.js";
import { judge } from "../../helpers/install-configs.js";

const test = suite("several platforms");

const config = (platform: string): string => `apiVersion: v1
baseDomain: example.com
metadata: {name: heron}
pullSecret: '{"auths":{"a.example.org":{"auth":"dTpw"}}}'
platform: ${platform}
`;

/** Asked of the real validator of 4.22. */
const ANSWERS: readonly (readonly [platform: string, ...errors: string[]])[] = [
  ["{aws: {}, ibmcloud: {region: nowhere}}", "Invalid platform", "Required platform.aws.region"],
  ["{gcp: {region: x, projectID: y}, ibmcloud: {}}", "Invalid platform", "Required platform.ibmcloud.region"],
  [
    "{ibmcloud: {region: eu-gb}, openstack: {}}",
    "Invalid platform",
    "NotSupported credentialsMode",
    "Required platform.openstack.apiVIPs",
    "Required platform.openstack.ingressVIPs",
  ],
  [
    "{baremetal: {}, aws: {region: eu-west-1}}",
    "Invalid platform",
    "Invalid platform.baremetal.hosts",
    "NotSupported platform.baremetal.provisioningNetwork",
    "Required platform.baremetal.apiVIPs",
    "Required platform.baremetal.hosts",
    "Required platform.baremetal.ingressVIPs",
  ],
  ["{none: {}, gcp: {}}", "Required platform.gcp.region"],
];

for (const [platform, ...errors] of ANSWERS)
  test(platform, () => {
    assert.equal(judge(config(platform)).errors, errors);
  });

test("of several platforms the gated fields of the one that the installer looks at first are told", () => {
  const gates = (platform: string, release: string): readonly string[] =>
    judge(config(platform), release).errors.filter((error) => error.startsWith("Forbidden"));
  const aws = "aws: {region: eu-west-1, userProvisionedDNS: Enabled}";
  const gcp = "gcp: {region: x, projectID: y, userProvisionedDNS: Enabled}";
  const azure = "azure: {region: x, userProvisionedDNS: Enabled}";
  const own = (name: string): string =>
    `${name}: {apiVIPs: [10.0.0.5], ingressVIPs: [10.0.0.7], dnsRecordsType: External}`;
  const dns = (name: string): string => `Forbidden platform.${name}.userProvisionedDNS`;
  assert.equal(gates(`{${aws}}`, "4.20"), [dns("aws")]);
  assert.equal(gates(`{${aws}, ${gcp}}`, "4.20"), [dns("gcp")]);
  assert.equal(gates(`{${aws}, gcp: {region: x, projectID: y}}`, "4.20"), []);
  assert.equal(gates(`{${azure}, ${aws}}`, "4.20"), [dns("aws")]);
  assert.equal(gates(`{${own("baremetal")}, ${own("openstack")}}`, "4.21"), [
    "Forbidden platform.baremetal.dnsRecordsType",
  ]);
  assert.equal(gates(`{${own("openstack")}}`, "4.21"), ["Forbidden platform.openstack.dnsRecordsType"]);
  assert.equal(gates(`{${own("openstack")}, ${aws}}`, "4.21"), [dns("aws")]);
});

/** Asked of the real code of 4.18, 4.20 and 4.22, read in that of the others: a pool may have a section of nutanix on every platform. */
test("a section of another platform below a pool is written in that platform's form", () => {
  const written = (release: string): unknown => {
    const pools = `compute:
- name: worker
  platform: {openstack: {}, nutanix: {dataDisks: [{diskSize: 1024Mi, dataSourceImage: {name: tools}}]}}
`;
    const active = `{openstack: {apiVIPs: [10.0.0.5], ingressVIPs: [10.0.0.7], defaultMachinePlatform: {type: m}}}`;
    const { asset, errors } = judge(config(active) + pools, release);
    assert.equal(errors, []);
    if (asset === undefined) throw new Error("no config");
    const value = parseYaml(asset.normalForm);
    if (!isObject(value) || !isList(value["compute"])) throw new Error("no pools");
    const [worker = null] = value["compute"];
    return isObject(worker) ? worker["platform"] : undefined;
  };
  const dataDisks = [{ dataSourceImage: { name: "tools", uuid: "" }, diskSize: "1Gi" }];
  const openstack = { type: "" };
  for (const release of ["4.18", "4.19", "4.20"])
    assert.equal(written(release), { nutanix: { dataDisks, gpus: null, osDisk: {} }, openstack }, release);
  // 4.21 got omitempty in May 2026.
  for (const release of ["4.21", "4.22", "5.0"])
    assert.equal(written(release), { nutanix: { dataDisks, osDisk: {} }, openstack }, release);
});

test.run();
