/** Configs and facts of aws that differ in one respect each, for tests that hold for every config. */
import type { CloudFacts } from "../../src/generated/types/cloud-facts.js";
import type { InfrastructureInput } from "../../src/platforms/platform.js";
import { awsConfig, platformInput, releaseNamed, THREE_ZONES } from "./aws.js";
import { PLANTED } from "./planted.js";

const ZONES = ["eu-west-1a", "eu-west-1b"];
const LOCAL = {
  name: "eu-west-1-lhr-1a",
  type: "local-zone",
  group: "eu-west-1-lhr-1",
  parentZone: "eu-west-1a",
};

const subnet = (name: string, zone: string, open: boolean, third: number) => ({
  id: `subnet-${name}`,
  cidr: `10.0.${third}.0/24`,
  zone,
  public: open,
});

/** A VPC of the user's own with a private and a public subnet in each of two zones, and one in a local zone. */
export const BROUGHT: CloudFacts = {
  ...THREE_ZONES,
  aws: {
    ...THREE_ZONES.aws,
    availabilityZones: [{ name: "eu-west-1a" }, { name: "eu-west-1b" }, { ...LOCAL, type: "local-zone" }],
    vpc: { id: "vpc-0abc" },
    subnets: [
      ...ZONES.map((zone, index) => subnet(`private${index}`, zone, false, index)),
      ...ZONES.map((zone, index) => subnet(`public${index}`, zone, true, 10 + index)),
      subnet("local", LOCAL.name, false, 20),
    ],
    dedicatedHosts: [{ id: "h-0123456789abcdef0", zone: "eu-west-1a" }],
  },
};

const PRIVATE = ["subnet-private0", "subnet-private1"];
const PUBLIC = ["subnet-public0", "subnet-public1"];
const plain = (ids: readonly string[]) => ({ vpc: { subnets: ids.map((id) => ({ id })) } });
const withRoles = (ids: readonly string[], roles: readonly string[]) =>
  ids.map((id) => ({ id, roles: roles.map((type) => ({ type })) }));

const POOL = { architecture: "amd64", hyperthreading: "Enabled" };
const EDGE = {
  ...POOL,
  name: "edge",
  replicas: 0,
  platform: { aws: { zones: [LOCAL.name], type: "c5.2xlarge" } },
};
const WORKER = { ...POOL, name: "worker", replicas: 3, platform: {} };
const CREDENTIALS = {
  aws_access_key_id: "AKIDEXAMPLE",
  aws_secret_access_key: PLANTED.cloudSecretKey,
  aws_session_token: PLANTED.token,
};
const CERTIFICATE = "-----BEGIN CERTIFICATE-----\nMIIBAAAA\n-----END CERTIFICATE-----\n";

/** Every variant by name. */
export const VARIANTS: Readonly<Record<string, InfrastructureInput>> = {
  public: platformInput(awsConfig()),
  private: platformInput(awsConfig({}, { publish: "Internal" })),
  "several machine networks": platformInput(
    awsConfig(
      {},
      {
        publish: "Internal",
        networking: {
          ...awsConfig().networking,
          machineNetwork: [{ cidr: "10.0.0.0/16" }, { cidr: "10.1.0.0/16" }],
        },
      },
    ),
  ),
  "edge zone": platformInput(awsConfig({}, { compute: [WORKER, EDGE] }), BROUGHT),
  "subnets brought along": platformInput(awsConfig(plain([...PRIVATE, ...PUBLIC])), BROUGHT),
  "subnets brought along, private": platformInput(
    awsConfig(plain(PRIVATE), { publish: "Internal" }),
    BROUGHT,
  ),
  "subnets brought along, edge": platformInput(
    awsConfig(plain([...PRIVATE, ...PUBLIC, "subnet-local"]), {
      compute: [WORKER, { ...EDGE, platform: {} }],
    }),
    {
      ...BROUGHT,
      aws: { ...BROUGHT.aws, instanceTypeOfferings: [{ type: "c5.2xlarge", zone: LOCAL.name }] },
    },
  ),
  "subnets with roles": platformInput(
    awsConfig({
      lbType: "NLB",
      vpc: {
        subnets: [
          ...withRoles(PRIVATE, ["ClusterNode", "ControlPlaneInternalLB"]),
          ...withRoles(PUBLIC, ["BootstrapNode", "IngressControllerLB", "ControlPlaneExternalLB"]),
        ],
      },
    }),
    BROUGHT,
  ),
  "dual stack": platformInput(awsConfig({ ipFamily: "DualStackIPv4Primary" })),
  "dual stack, IPv6 first, private": platformInput(
    awsConfig({ ipFamily: "DualStackIPv6Primary" }, { publish: "Internal" }),
  ),
  "addresses of one's own": platformInput(awsConfig({ publicIpv4Pool: "ipv4pool-ec2-0123456789abcdef0" })),
  credentials: platformInput(awsConfig(), THREE_ZONES, { credentials: CREDENTIALS }),
  "proxy and trust bundle": platformInput(
    awsConfig(
      {},
      {
        additionalTrustBundle: `${CERTIFICATE}\n${CERTIFICATE}`,
        proxy: {
          httpProxy: `http://user:${PLANTED.proxyPassword}@proxy.example.net:3128`,
          httpsProxy: "http://proxy.example.net:3128",
          noProxy: ".example.org,10.0.0.0/8,registry.example.net:5000",
        },
      },
    ),
  ),
  "machines of many settings": platformInput(
    awsConfig({
      userTags: { team: "birds" },
      defaultMachinePlatform: {
        zones: ["eu-west-1b", "eu-west-1a"],
        type: "m6i.2xlarge",
        rootVolume: { size: 200, type: "io2", iops: 5000, kmsKeyARN: "arn:aws:kms:eu-west-1:1:key/a" },
        metadataService: { authentication: "Required" },
        iamProfile: "nodes",
        cpuOptions: { confidentialCompute: "Disabled" },
      },
    }),
  ),
  "image to be copied": platformInput(awsConfig(), {
    ...THREE_ZONES,
    aws: { ...THREE_ZONES.aws, images: { amd64: { id: "ami-01", region: "us-east-1" } } },
  }),
  "compute by Cluster API on dedicated hosts": platformInput(
    awsConfig(
      {},
      {
        compute: [
          {
            ...WORKER,
            management: "ClusterAPI",
            platform: {
              aws: {
                zones: ["eu-west-1a", "eu-west-1b"],
                hostPlacement: { affinity: "DedicatedHost", dedicatedHost: [{ id: "h-0123456789abcdef0" }] },
              },
            },
          },
        ],
      },
    ),
    BROUGHT,
    { release: releaseNamed("5.0") },
  ),
  "release 4.18": platformInput(awsConfig(), THREE_ZONES, { release: releaseNamed("4.18") }),
  "release 4.21": platformInput(awsConfig({}, { publish: "Internal" }), THREE_ZONES, {
    release: releaseNamed("4.21"),
  }),
};
