/**
 * The normal form (docs/reference/install-config-and-manifests.md §1.1, §3.12): members that are always written, and
 * dropped.
 */
import { test } from "uvu";
import * as assert from "uvu/assert";
import type { InstallConfig } from "../../../src/generated/types/install-config.js";
import { applyDefaults } from "../../../src/phases/install-config/defaults.js";
import {
  normalForm,
  normalValue,
  withCanonicalBlocks,
} from "../../../src/phases/install-config/normal-form.js";
import { releaseOf } from "../../helpers/install-configs.js";
import { platformOf } from "../../helpers/platforms.js";

const written = (config: InstallConfig, release = "4.22") =>
  normalValue(
    applyDefaults(config, releaseOf(release), platformOf(config)),
    releaseOf(release),
    platformOf(config),
  );

test("empty members are dropped, required ones are not", () => {
  const value = written({
    kind: "",
    sshKey: "",
    fips: false,
    imageDigestSources: [],
    capabilities: {},
    proxy: {},
    featureGates: [],
    platform: { none: {} },
  });
  for (const name of ["kind", "sshKey", "fips", "imageDigestSources", "featureGates"])
    assert.is(value[name], undefined, name);
  for (const name of ["capabilities", "proxy"]) assert.equal(value[name], {}, name);
  assert.equal(value["metadata"], {});
  assert.is(value["pullSecret"], "");
  assert.equal(value["platform"], { none: {} });
});

test("fields of managers are raw JSON, in which nothing is empty", () => {
  const managedFields = [
    { manager: "m", fieldsType: "FieldsV1", fieldsV1: { "f:metadata": {} } },
    { manager: "n", fieldsV1: {} },
  ];
  assert.equal(written({ metadata: { name: "heron", managedFields } })["metadata"], {
    name: "heron",
    managedFields,
  });
});

test("blocks are printed in one form", () => {
  const networking: InstallConfig["networking"] = {
    machineNetwork: [{ cidr: "FD00:0:0::/48" }, {}],
    clusterNetwork: [{ cidr: "::ffff:10.132.0.0/110", hostPrefix: 23 }],
    serviceNetwork: ["172.31.0.0/016"],
    machineCIDR: "10.0.0.0/016",
  };
  assert.equal(written({ networking })["networking"], {
    networkType: "OVNKubernetes",
    machineNetwork: [{ cidr: "fd00::/48" }, { cidr: null }],
    clusterNetwork: [{ cidr: "10.132.0.0/14", hostPrefix: 23 }],
    serviceNetwork: ["172.31.0.0/16"],
    machineCIDR: "10.0.0.0/16",
  });
  const canonical = withCanonicalBlocks(
    applyDefaults({ networking }, releaseOf("4.22"), undefined),
  ).networking;
  assert.equal(canonical.machineNetwork, [{ cidr: "fd00::/48" }, { cidr: "" }]);
});

test("a section of aws", () => {
  assert.equal(
    written({
      platform: { aws: { region: "x", defaultMachinePlatform: { amiID: "ami-1" }, userTags: { a: "" } } },
      compute: [{ name: "worker", platform: { aws: { rootVolume: { throughput: 0 }, cpuOptions: {} } } }],
    })["platform"],
    {
      aws: {
        region: "x",
        ipFamily: "IPv4",
        vpc: {},
        userTags: { a: "" },
        defaultMachinePlatform: {
          amiID: "ami-1",
          type: "",
          metadataService: {},
          rootVolume: { iops: 0, size: 0, type: "" },
        },
      },
    },
  );
});

test("what differs by release", () => {
  const config: InstallConfig = {
    platform: { aws: { region: "x", subnets: ["subnet-1"], vpc: { subnets: [{ id: "subnet-1" }] } } },
    imageDigestSources: [{ source: "quay.io/a" }],
  };
  const value = (release: string) => JSON.stringify(written(config, release));
  assert.match(value("4.18"), '"aws":{"region":"x","subnets":["subnet-1"]}');
  assert.match(value("4.19"), '"vpc":{"subnets":[{"id":"subnet-1"}]}');
  assert.match(value("4.20"), '"metadata":{"creationTimestamp":null}');
  assert.match(value("4.20"), '"imageDigestSources":[{"source":"quay.io/a"}]');
  assert.match(value("4.21"), '"metadata":{}');
  assert.match(value("4.21"), '"imageDigestSources":[{"source":"quay.io/a","sourcePolicy":""}]');
  assert.not.match(value("4.21"), "ipFamily");
});

test("keys of the user stay whatever they are", () => {
  const annotations: Record<string, string> = JSON.parse('{"__proto__":"x","a":""}');
  const value = written({ metadata: { name: "a", annotations } })["metadata"];
  assert.is(JSON.stringify(value), '{"name":"a","annotations":{"__proto__":"x","a":""}}');
});

test("the text is canonical YAML", () => {
  const release = releaseOf("4.22");
  const given = { apiVersion: "v1", platform: { none: {} } };
  const rules = platformOf(given);
  const text = normalForm(applyDefaults(given, release, rules), release, rules);
  assert.ok(text.startsWith("additionalTrustBundlePolicy: Proxyonly\napiVersion: v1\n"), text);
  assert.ok(text.endsWith('pullSecret: ""\n') || text.endsWith("pullSecret: ''\n"), text);
});

test("times are written in UTC", () => {
  assert.equal(
    written({ metadata: { name: "a", creationTimestamp: "2027-01-02T03:04:05+02:00" } })["metadata"],
    {
      name: "a",
      creationTimestamp: "2027-01-02T01:04:05Z",
    },
  );
});

test.run();
