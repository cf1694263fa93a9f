/** What is filled in, by release (docs/reference/install-config-and-manifests.md §1.2, §1.4, §1.5, §1.6, §5). */
import { test } from "uvu";
import * as assert from "uvu/assert";
import type { InstallConfig } from "../../../src/generated/types/install-config.js";
import { applyDefaults } from "../../../src/phases/install-config/defaults.js";
import { releaseOf } from "../../helpers/install-configs.js";
import { platformOf } from "../../helpers/platforms.js";

const defaulted = (config: InstallConfig, release = "4.22") =>
  applyDefaults(config, releaseOf(release), platformOf(config));
const pool = { replicas: 3, hyperthreading: "Enabled", architecture: "amd64", platform: {} };

test("an almost empty config", () => {
  assert.equal(defaulted({ apiVersion: "v1", platform: { none: {} } }), {
    apiVersion: "v1",
    metadata: { name: "" },
    baseDomain: "",
    pullSecret: "",
    platform: { none: {} },
    publish: "External",
    additionalTrustBundlePolicy: "Proxyonly",
    networking: {
      networkType: "OVNKubernetes",
      machineNetwork: [{ cidr: "10.0.0.0/16" }],
      serviceNetwork: ["172.30.0.0/16"],
      clusterNetwork: [{ cidr: "10.128.0.0/14", hostPrefix: 23 }],
    },
    controlPlane: { ...pool, name: "master" },
    compute: [{ ...pool, name: "worker" }],
  });
  assert.is(defaulted({ platform: { none: {} } }, "5.0").osImageStream, "rhel-10");
});

test("a block of one's own has no default prefix", () => {
  const { networking } = defaulted({ networking: { clusterNetwork: [{ cidr: "10.132.0.0/14" }] } });
  assert.equal(networking.clusterNetwork, [{ cidr: "10.132.0.0/14", hostPrefix: 0 }]);
});

test("pools by role", () => {
  const config = defaulted({
    controlPlane: { name: "other", hyperthreading: "", replicas: 0 },
    arbiter: { name: "other" },
    compute: [{ name: "edge" }, { name: "x" }],
  });
  assert.equal(config.controlPlane, { ...pool, name: "master", replicas: 0 });
  assert.equal(config.arbiter, { ...pool, name: "arbiter", replicas: 0 });
  assert.equal(config.compute, [
    { ...pool, name: "edge", replicas: 0 },
    { ...pool, name: "x" },
    { ...pool, name: "worker" },
  ]);
});

test("management follows the gates", () => {
  const dev = defaulted(
    { featureSet: "DevPreviewNoUpgrade", compute: [{ name: "edge" }, { name: "worker" }, { name: "x" }] },
    "5.0",
  );
  assert.is(dev.controlPlane.management, "ClusterAPI");
  assert.equal(
    dev.compute.map(({ management }) => management),
    ["ClusterAPI", "ClusterAPI", undefined],
  );
  const kept = defaulted(
    { featureSet: "DevPreviewNoUpgrade", controlPlane: { management: "MachineAPI" } },
    "5.0",
  );
  assert.is(kept.controlPlane.management, "MachineAPI");
  assert.is(defaulted({ featureSet: "TechPreviewNoUpgrade" }, "5.0").controlPlane.management, undefined);
  const custom = { featureSet: "CustomNoUpgrade", featureGates: ["ClusterAPIControlPlaneInstall=true"] };
  assert.is(defaulted(custom, "5.0").controlPlane.management, "ClusterAPI");
  assert.is(defaulted(custom).controlPlane.management, undefined, "4.22 has no default");
});

test("MAC addresses get one form", () => {
  const config = (macAddress: string): InstallConfig => ({
    controlPlane: { fencing: { credentials: [{ macAddress }] } },
  });
  const mac = (text: string, release?: string) =>
    defaulted(config(text), release).controlPlane.fencing?.credentials?.[0]?.macAddress;
  assert.is(mac("52-54-00-AA-BB-CC", "5.0"), "52:54:00:aa:bb:cc");
  assert.is(mac("5254.00AA.BBCC", "5.0"), "52:54:00:aa:bb:cc");
  assert.is(mac("none", "5.0"), "none");
});

test("a strategy is filled up", () => {
  assert.equal(
    defaulted({ operatorPublishingStrategy: { ingress: "Internal" } }).operatorPublishingStrategy,
    {
      apiserver: "External",
      ingress: "Internal",
    },
  );
});

test("credentials modes of platforms that know one only", () => {
  const mode = (platform: InstallConfig["platform"], release?: string) =>
    defaulted(platform === undefined ? {} : { platform }, release).credentialsMode;
  assert.is(mode({ aws: {} }), undefined);
  assert.is(mode({ nutanix: {} }), "Manual");
  assert.is(mode({ openstack: {} }), "Passthrough");
  assert.is(mode({ openstack: {} }, "4.20"), undefined);
  assert.is(mode({ azure: { cloudName: "AzureStackCloud" } }), "Manual");
});

test("aws", () => {
  const aws = defaulted({ platform: { aws: { region: "eu-west-1" } } });
  assert.equal(aws.platform.aws, { region: "eu-west-1", ipFamily: "IPv4" });
  assert.equal(aws.controlPlane.platform, {});
  const dual = defaulted({ platform: { aws: { region: "x", ipFamily: "DualStackIPv6Primary" } } });
  assert.is(dual.platform.aws?.lbType, "NLB");
  const sovereign = defaulted({ platform: { aws: { region: "eusc-de-east-1" } } });
  assert.equal(
    sovereign.platform.aws?.serviceEndpoints?.map(({ name }) => name),
    ["ec2", "elasticloadbalancing", "s3", "route53", "iam", "sts", "tagging"],
  );
  assert.equal(defaulted({ platform: { aws: { region: "x" } } }, "4.21").platform.aws, { region: "x" });
});

test("pools of aws are merged with the default pool from 4.21 on", () => {
  const config: InstallConfig = {
    platform: {
      aws: {
        region: "x",
        defaultMachinePlatform: { type: "m6i.xlarge", zones: ["xa"], rootVolume: { size: 200, iops: 4000 } },
      },
    },
    controlPlane: {
      platform: { aws: { type: "m6i.2xlarge", zones: [], rootVolume: { iops: 0, throughput: 0 } } },
    },
    compute: [{ name: "worker" }, { name: "edge" }],
  };
  const merged = defaulted(config);
  assert.equal(merged.controlPlane.platform.aws, {
    type: "m6i.2xlarge",
    zones: ["xa"],
    rootVolume: { size: 200, iops: 4000, throughput: 0, type: "gp3" },
    metadataService: {},
  });
  assert.equal(merged.compute[1]?.platform.aws?.rootVolume, { size: 200, iops: 4000, type: "gp2" });
  const old = defaulted(config, "4.20");
  assert.equal(old.compute[0]?.platform, {});
  assert.equal(old.controlPlane.platform, config.controlPlane?.platform);
});

test("a section of a pool gets a root volume, a missing one does not", () => {
  const config = defaulted({
    platform: { aws: { region: "x" } },
    compute: [{ name: "worker", platform: { aws: { type: "m6i.xlarge" } } }],
  });
  assert.equal(config.compute[0]?.platform.aws?.rootVolume, { type: "gp3", size: 120 });
  assert.equal(config.controlPlane.platform, {});
});

test.run();
