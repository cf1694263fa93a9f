/** Platforms beside the active one: refused, and what is wrong in their sections is told in the same run. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
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

test.run();
