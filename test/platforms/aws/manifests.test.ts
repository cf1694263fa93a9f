import { suite } from "uvu";
import * as assert from "uvu/assert";
import { manifests } from "../../../src/platforms/aws/manifests.js";
import type { NormalConfig } from "../../../src/platforms/config.js";
import type { InfrastructureInput } from "../../../src/platforms/platform.js";
import { awsConfig, platformInput, releaseNamed, rendered, THREE_ZONES } from "../../helpers/aws.js";
import { VARIANTS } from "../../helpers/aws-variants.js";

const test = suite("aws: config objects");

const input = (
  aws: Parameters<typeof awsConfig>[0] = {},
  top: Partial<NormalConfig> = {},
  release = "4.22",
): InfrastructureInput => platformInput(awsConfig(aws, top), THREE_ZONES, { release: releaseNamed(release) });

test("Infrastructure: tags by key, endpoints by name in the status and as written in the spec", () => {
  const endpoints = [
    { name: "s3", url: "https://s3.example" },
    { name: "ec2", url: "https://ec2.example" },
  ];
  const tags = { z: "1", a: "2" };
  const { spec, status } = manifests.infrastructure(
    input({ serviceEndpoints: endpoints, userTags: tags, propagateUserTags: true }),
  );
  assert.equal(spec, { aws: { serviceEndpoints: endpoints } });
  assert.equal(status, {
    aws: {
      cloudLoadBalancerConfig: { dnsType: "PlatformDefault" },
      ipFamily: "IPv4",
      region: "eu-west-1",
      resourceTags: [
        { key: "a", value: "2" },
        { key: "z", value: "1" },
      ],
      serviceEndpoints: [...endpoints].reverse(),
    },
  });
});

test("Infrastructure: the IP family appears with 4.22, tags only when they are propagated", () => {
  const { status } = manifests.infrastructure(input({ userTags: { a: "1" } }, {}, "4.21"));
  assert.equal(status, {
    aws: { cloudLoadBalancerConfig: { dnsType: "PlatformDefault" }, region: "eu-west-1" },
  });
});

test("DNS: zones by publishing, own zone, role and user-provided DNS", () => {
  const tags = { Name: "heron-x2x2x-int", "kubernetes.io/cluster/heron-x2x2x": "owned" };
  assert.equal(manifests.dns(input()), { publicZone: { id: "Z0123456789ABC" }, privateZone: { tags } });
  assert.equal(manifests.dns(input({}, { publish: "Internal" })), { privateZone: { tags } });
  assert.equal(manifests.dns(input({ hostedZone: "Z1", hostedZoneRole: "arn:r" })), {
    publicZone: { id: "Z0123456789ABC" },
    privateZone: { id: "Z1" },
    platform: { aws: { privateZoneIAMRole: "arn:r" }, type: "AWS" },
  });
  assert.equal(manifests.dns(input({ userProvisionedDNS: "Enabled" })), {});
  assert.equal(Object.keys(manifests.dns(input({ userProvisionedDNS: "Enabled" }, {}, "4.19"))), [
    "publicZone",
    "privateZone",
  ]);
});

test("DNS: the prefix of the API's answers is taken off the zone", () => {
  const facts = { ...THREE_ZONES, aws: { ...THREE_ZONES.aws, publicHostedZone: "/hostedzone/Z9" } };
  assert.equal(manifests.dns(platformInput(awsConfig(), facts))["publicZone"], { id: "Z9" });
});

test("the cloud provider's config", () => {
  assert.equal(manifests.cloudProviderConfig(input()), { config: "[Global]\n" });
  assert.equal(manifests.cloudProviderConfig(input({ ipFamily: "DualStackIPv6Primary" })), {
    config: "[Global]\nNodeIPFamilies=ipv6\nNodeIPFamilies=ipv4\n",
  });
  const secret = input({ region: "us-iso-east-1" }, { additionalTrustBundle: "BUNDLE" });
  assert.equal(manifests.cloudProviderConfig(secret), { "ca-bundle.pem": "BUNDLE", config: "[Global]\n" });
  const other = input({}, { additionalTrustBundle: "BUNDLE" });
  assert.equal(manifests.cloudProviderConfig(other), { config: "[Global]\n" });
});

test("noProxy names the internal domain of the region", () => {
  assert.equal(manifests.noProxy(input()), ["169.254.169.254", ".eu-west-1.compute.internal"]);
  assert.equal(manifests.noProxy(input({ region: "us-east-1" })), ["169.254.169.254", ".ec2.internal"]);
});

const EDGE = { name: "edge", replicas: 0, architecture: "amd64", hyperthreading: "Enabled", platform: {} };
const networking = (more: object) => ({ networking: { ...awsConfig().networking, ...more } });

test("the MTU: the user's own, that of edge zones, or none", () => {
  assert.is(manifests.networkMtu(input()), undefined);
  assert.is(manifests.networkMtu(input({}, networking({ clusterNetworkMTU: 8000 }))), 8000);
  assert.is(manifests.networkMtu(input({}, { compute: [EDGE] })), 1200);
  const both = { compute: [EDGE], ...networking({ clusterNetworkMTU: 1300 }) };
  assert.is(manifests.networkMtu(input({}, both)), 1300);
  assert.is(
    manifests.networkMtu(input({}, { ...both, ...networking({ networkType: "Calico" }) })),
    undefined,
  );
});

test("the default ingress controller names subnets that have its role", () => {
  assert.is(manifests.ingressController?.(input()), undefined);
  const roles = VARIANTS["subnets with roles"];
  assert.equal(roles && manifests.ingressController?.(roles), {
    providerParameters: {
      aws: {
        networkLoadBalancer: { eipAllocations: null, subnets: { ids: ["subnet-public0", "subnet-public1"] } },
        type: "NLB",
      },
      type: "AWS",
    },
    scope: "External",
  });
});

test("boot images of one's own", () => {
  const chosen = (aws: object, top: Partial<NormalConfig> = {}) =>
    manifests.customBootImage?.(input(aws, top));
  assert.is(chosen({}), false);
  assert.is(chosen({ defaultMachinePlatform: { amiID: "ami-01" } }), true);
  const pool = (platform: object) => ({ ...awsConfig().controlPlane, platform });
  assert.is(chosen({}, { controlPlane: pool({ aws: { amiID: "ami-01" } }) }), false, "only compute counts");
  assert.is(chosen({}, { compute: [{ ...pool({ aws: { amiID: "ami-01" } }), name: "worker" }] }), true);
});

test("the storage driver takes the default pool's key", async () => {
  assert.equal(manifests.extra(input()), []);
  const key = { defaultMachinePlatform: { rootVolume: { kmsKeyARN: "arn:aws:kms:eu-west-1:1:key/a" } } };
  const objects = await rendered(manifests.extra(input(key)));
  assert.equal(objects.get("manifests/cluster-csi-driver-config.yaml")?.["spec"], {
    driverConfig: { aws: { kmsKeyARN: "arn:aws:kms:eu-west-1:1:key/a" }, driverType: "AWS" },
    managementState: "Managed",
    observedConfig: null,
    unsupportedConfigOverrides: null,
  });
});

test("the cluster's Secret holds the two keys, never the token", () => {
  const credentials = { aws_access_key_id: "A", aws_secret_access_key: "B", aws_session_token: "C" };
  assert.equal(manifests.credentialsSecret({ ...input(), credentials }), {
    name: "aws-creds",
    data: { aws_access_key_id: "A", aws_secret_access_key: "B" },
  });
  assert.equal(manifests.credentialsSecret(input()), { name: "aws-creds", data: undefined });
});

test.run();
