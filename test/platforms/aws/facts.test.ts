import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createReporter, type Diagnostic } from "../../../src/core/diagnostics.js";
import type { AwsFacts, CloudFacts } from "../../../src/generated/types/cloud-facts.js";
import { cloudRules } from "../../../src/platforms/aws/facts/cloud-rules.js";
import { resolveFacts } from "../../../src/platforms/aws/facts/resolve.js";
import { addEdgePool } from "../../../src/platforms/aws/install-config/edge-pool.js";
import { readCloudFacts } from "../../../src/platforms/cloud-facts.js";
import type { NormalConfig } from "../../../src/platforms/config.js";
import type { FactSources } from "../../../src/platforms/platform.js";
import { awsConfig, releaseNamed, THREE_ZONES } from "../../helpers/aws.js";
import { BROUGHT } from "../../helpers/aws-variants.js";

const test = suite("aws: offline facts");

const POOL = { architecture: "amd64", hyperthreading: "Enabled" };

interface Outcome {
  readonly facts: CloudFacts;
  readonly diagnostics: readonly Diagnostic[];
  /** `severity code field` of each. */
  readonly said: readonly string[];
}

function resolve(config: NormalConfig, sources: Partial<FactSources> = {}, release = "4.22"): Outcome {
  const reporter = createReporter();
  const given = { facts: undefined, stream: undefined, ...sources };
  cloudRules(config).forEach(reporter.report);
  const facts = resolveFacts(config, given, { release: releaseNamed(release), report: reporter.report });
  return {
    facts,
    diagnostics: reporter.diagnostics,
    said: reporter.diagnostics.map(({ severity, code, field }) => `${severity} ${code} ${field}`),
  };
}

const errors = ({ said }: Outcome): string[] => said.filter((each) => each.startsWith("error")).sort();

const withAws = (aws: AwsFacts, base: CloudFacts = THREE_ZONES): CloudFacts => ({
  ...base,
  aws: { ...base.aws, ...aws },
});

const without = (...names: (keyof AwsFacts)[]): CloudFacts => {
  const aws = { ...THREE_ZONES.aws };
  for (const name of names) delete aws[name];
  return { ...THREE_ZONES, aws };
};

test("nothing is missing where everything is given", () => {
  const outcome = resolve(awsConfig(), { facts: THREE_ZONES });
  assert.equal(errors(outcome), []);
  assert.equal(outcome.facts, THREE_ZONES);
});

test("everything that is missing is told in one run", () =>
  assert.equal(errors(resolve(awsConfig())), [
    "error FACT001 baseDomain",
    "error FACT001 compute[0].platform.aws.amiID",
    "error FACT001 compute[0].platform.aws.zones",
    "error FACT001 controlPlane.platform.aws.amiID",
    "error FACT001 controlPlane.platform.aws.zones",
  ]));

test("each missing fact names the field of the install-config and of the facts that supply it", () => {
  const { diagnostics } = resolve(awsConfig());
  for (const { hint } of diagnostics.filter(({ code }) => code === "FACT001"))
    assert.match(hint, /cloud-facts aws\.[a-zA-Z.0-9]+/);
  const zones = diagnostics.find(({ field }) => field === "controlPlane.platform.aws.zones");
  assert.match(zones?.hint ?? "", "platform.aws.defaultMachinePlatform.zones");
  const image = diagnostics.find(({ field }) => field === "controlPlane.platform.aws.amiID");
  assert.match(image?.hint ?? "", "--coreos-stream");
});

test("what the install-config says needs no facts", () => {
  const config = awsConfig({
    defaultMachinePlatform: { zones: ["eu-west-1a"], amiID: "ami-01", type: "m6i.xlarge" },
    userProvisionedDNS: "Enabled",
  });
  assert.equal(resolve(config).said, []);
});

test("the public zone is needed until the release that leaves zones to the user", () => {
  const config = awsConfig({ userProvisionedDNS: "Enabled" });
  const said = (release: string): readonly string[] =>
    errors(resolve(config, { facts: without("publicHostedZone") }, release));
  assert.equal(said("4.19"), ["error FACT001 baseDomain"]);
  assert.equal(said("4.20"), []);
  const private_ = awsConfig({}, { publish: "Internal" });
  assert.equal(errors(resolve(private_, { facts: without("publicHostedZone") })), []);
});

test("a default instance type is said, and chosen by offers where these are known", () => {
  assert.equal(resolve(awsConfig(), { facts: THREE_ZONES }).said, [
    "info FACT004 controlPlane.platform.aws.type",
    "info FACT004 compute[0].platform.aws.type",
  ]);
  const offers = [{ type: "t3.nano", zone: "eu-west-1a" }];
  assert.equal(resolve(awsConfig(), { facts: withAws({ instanceTypeOfferings: offers }) }).said, [
    "warning FACT007 controlPlane.platform.aws.type",
    "warning FACT007 compute[0].platform.aws.type",
  ]);
});

test("a type that was set and that a zone does not offer is told, and no zone is lost where none is known", () => {
  const config = awsConfig({ defaultMachinePlatform: { type: "c5.4xlarge" } });
  const offered = (...offers: readonly { readonly type: string; readonly zone: string }[]) =>
    resolve(config, { facts: withAws({ instanceTypeOfferings: [...offers] }) });
  const unknown = offered({ type: "t3.nano", zone: "eu-west-1a" });
  assert.equal(unknown.said, [
    "warning FACT007 controlPlane.platform.aws.type",
    "warning FACT007 compute[0].platform.aws.type",
  ]);
  assert.match(unknown.diagnostics[0]?.message ?? "", "eu-west-1a, eu-west-1b, eu-west-1c");
  assert.equal(offered({ type: "c5.4xlarge", zone: "eu-west-1a" }).said, [], "the others are left out");

  const zones = awsConfig({
    defaultMachinePlatform: { type: "c5.4xlarge", zones: ["eu-west-1a", "eu-west-1b"] },
  });
  const some = resolve(zones, {
    facts: withAws({ instanceTypeOfferings: [{ type: "c5.4xlarge", zone: "eu-west-1a" }] }),
  });
  assert.match(
    some.diagnostics[0]?.message ?? "",
    "c5.4xlarge in eu-west-1b is not listed in the facts file",
  );
});

const stream = (regions: Readonly<Record<string, string>>, release = "9.8.1-0") => ({
  stream: "rhcos-4.22",
  architectures: {
    x86_64: {
      images: {
        aws: {
          regions: Object.fromEntries(
            Object.entries(regions).map(([name, image]) => [name, { release, image }]),
          ),
        },
      },
    },
  },
});

test("images come from the stream: of the region, else of the default region to be copied", () => {
  const facts = without("images");
  const own = resolve(awsConfig(), {
    facts,
    stream: stream({ "eu-west-1": "ami-0e", "us-east-1": "ami-0u" }),
  });
  assert.equal(own.facts.aws?.images, { amd64: { id: "ami-0e" } });
  assert.equal(errors(own), []);

  const copied = resolve(awsConfig(), { facts, stream: stream({ "us-east-1": "ami-0u" }) });
  assert.equal(copied.facts.aws?.images, { amd64: { id: "ami-0u", region: "us-east-1" } });
  assert.ok(copied.said.includes("warning FACT005 controlPlane.platform.aws.amiID"));
  assert.equal(errors(copied), []);

  const gov = awsConfig({ region: "us-gov-west-1" }, { publish: "Internal" });
  const refused = resolve(gov, {
    facts: { ...THREE_ZONES, aws: { availabilityZones: [{ name: "us-gov-west-1a" }] } },
    stream: stream({ "us-east-1": "ami-0u" }),
  });
  assert.equal(errors(refused), [
    "error FACT001 compute[0].platform.aws.amiID",
    "error FACT001 controlPlane.platform.aws.amiID",
  ]);
});

test("a stream file without an image says so", () => {
  const { diagnostics } = resolve(awsConfig(), { facts: without("images"), stream: stream({}) });
  const image = diagnostics.find(({ field }) => field === "controlPlane.platform.aws.amiID");
  assert.match(image?.message ?? "", "is not listed in the stream file");
  assert.match(image?.hint ?? "", "another --coreos-stream");
});

test("a stream file of another operating system is doubtful", () => {
  const said = (version: string, osImageStream: string): boolean =>
    resolve(awsConfig({}, { osImageStream }), {
      facts: THREE_ZONES,
      stream: stream({ "us-east-1": "ami-0u" }, version),
    }).said.includes("warning FACT007 osImageStream");
  assert.not.ok(said("9.8.20260428-0", "rhel-9"));
  assert.ok(said("9.8.20260428-0", "rhel-10"));
  assert.ok(said("10.2.20260423-0", "rhel-9"));
  assert.not.ok(said("418.94.202501221327-0", "rhel-9"), "an older way of counting");
});

test("facts win over the stream", () => {
  const outcome = resolve(awsConfig(), { facts: THREE_ZONES, stream: stream({ "eu-west-1": "ami-0e" }) });
  assert.is(outcome.facts.aws?.images?.amd64?.id, "ami-0123456789abcdef0");
});

const plain = (...ids: readonly string[]) => ({ vpc: { subnets: ids.map((id) => ({ id })) } });

test("subnets: what is not known about them is missing, the VPC too", () =>
  assert.equal(errors(resolve(awsConfig(plain("subnet-x", "subnet-y")), { facts: THREE_ZONES })), [
    "error FACT001 platform.aws.vpc",
    "error FACT001 platform.aws.vpc.subnets[0]",
    "error FACT001 platform.aws.vpc.subnets[1]",
  ]));

test("the VPC may be named by every subnet alike", () => {
  const subnets = (BROUGHT.aws?.subnets ?? []).map((each) => ({ ...each, vpc: "vpc-1" }));
  const aws = { ...BROUGHT.aws, subnets };
  delete aws.vpc;
  const config = awsConfig(plain("subnet-private0", "subnet-public0"));
  assert.equal(errors(resolve(config, { facts: { ...BROUGHT, aws } })), []);
});

interface Contradiction {
  readonly what: string;
  readonly aws?: Parameters<typeof awsConfig>[0];
  readonly top?: Partial<NormalConfig>;
  readonly facts: CloudFacts;
  readonly errors: readonly string[];
}

const roles = (id: string, ...types: readonly string[]) => ({ id, roles: types.map((type) => ({ type })) });
const GOOD_ROLES = [
  roles("subnet-private0", "ClusterNode", "ControlPlaneInternalLB"),
  roles("subnet-public0", "BootstrapNode", "IngressControllerLB", "ControlPlaneExternalLB"),
];
const SUBNETS = "error FACT002 platform.aws.vpc.subnets";
const edgePool = (aws: object | undefined) => [
  { ...POOL, name: "worker", replicas: 3, platform: {} },
  { ...POOL, name: "edge", replicas: 1, platform: aws === undefined ? {} : { aws } },
];

const CONTRADICTIONS: readonly Contradiction[] = [
  {
    what: "facts of another region",
    facts: withAws({ region: "eu-west-2" }),
    errors: ["error FACT002 aws.region"],
  },
  {
    what: "a zone of another region",
    facts: withAws({ availabilityZones: [{ name: "eu-west-1a" }, { name: "eu-central-1a" }] }),
    errors: ["error FACT002 aws.availabilityZones[1].name"],
  },
  {
    what: "a zone twice",
    facts: withAws({ availabilityZones: [{ name: "eu-west-1a" }, { name: "eu-west-1a" }] }),
    errors: ["error FACT002 aws.availabilityZones[1].name"],
  },
  {
    what: "a pool's zone that the account does not have",
    aws: { defaultMachinePlatform: { zones: ["eu-west-1z"] } },
    facts: THREE_ZONES,
    errors: ["error FACT002 platform.aws.defaultMachinePlatform.zones"],
  },
  {
    what: "an edge zone in an ordinary pool",
    aws: { defaultMachinePlatform: { zones: ["eu-west-1-lhr-1a"] } },
    facts: BROUGHT,
    errors: ["error FACT002 platform.aws.defaultMachinePlatform.zones"],
  },
  {
    what: "an ordinary zone in an edge pool",
    top: { compute: edgePool({ zones: ["eu-west-1a"], type: "c5.2xlarge" }) },
    facts: BROUGHT,
    errors: ["error FACT001 compute[1].platform.aws.zones", "error FACT002 compute[1].platform.aws.zones"],
  },
  {
    what: "an edge pool whose zones nobody describes",
    top: { compute: edgePool({ zones: ["eu-west-1-lhr-1a"] }) },
    facts: THREE_ZONES,
    errors: ["error FACT001 compute[1].platform.aws.type", "error FACT001 compute[1].platform.aws.zones"],
  },
  {
    what: "a subnet outside the machine networks",
    aws: plain("subnet-private0", "subnet-public0"),
    top: { networking: { ...awsConfig().networking, machineNetwork: [{ cidr: "10.9.0.0/16" }] } },
    facts: BROUGHT,
    errors: [`${SUBNETS}[0]`, `${SUBNETS}[1]`],
  },
  {
    what: "two private subnets in one zone",
    aws: plain("subnet-private0", "subnet-again", "subnet-public0"),
    facts: withAws(
      {
        subnets: [
          ...(BROUGHT.aws?.subnets ?? []),
          { id: "subnet-again", cidr: "10.0.99.0/24", zone: "eu-west-1a", public: false },
        ],
      },
      BROUGHT,
    ),
    errors: [`${SUBNETS}[1]`],
  },
  {
    what: "no public subnet for a zone of a published cluster",
    aws: plain("subnet-private0", "subnet-private1", "subnet-public0"),
    facts: BROUGHT,
    errors: [SUBNETS],
  },
  {
    what: "no private subnet",
    aws: plain("subnet-public0"),
    facts: BROUGHT,
    errors: [SUBNETS],
  },
  {
    what: "a subnet in a zone that nobody describes",
    aws: plain("subnet-private0", "subnet-public0", "subnet-local"),
    facts: withAws({ availabilityZones: [{ name: "eu-west-1a" }] }, BROUGHT),
    errors: ["error FACT002 aws.subnets[4].zone"],
  },
  {
    what: "an edge subnet without an edge pool",
    aws: plain("subnet-private0", "subnet-public0", "subnet-local"),
    facts: BROUGHT,
    errors: ["error FACT002 compute"],
  },
  {
    what: "an edge pool without an edge subnet",
    aws: plain("subnet-private0", "subnet-public0"),
    top: { compute: edgePool({ type: "c5.2xlarge" }) },
    facts: BROUGHT,
    errors: ["error FACT002 compute[1].platform.aws"],
  },
  {
    what: "a zone of a pool without a subnet",
    aws: { ...plain("subnet-private0", "subnet-public0"), defaultMachinePlatform: { zones: ["eu-west-1b"] } },
    facts: BROUGHT,
    errors: ["error FACT002 compute[0].platform.aws.zones", "error FACT002 controlPlane.platform.aws.zones"],
  },
  {
    what: "roles on the wrong subnets",
    aws: {
      vpc: {
        subnets: [
          roles("subnet-private0", "ClusterNode", "ControlPlaneInternalLB", "BootstrapNode"),
          roles("subnet-public0", "IngressControllerLB", "ControlPlaneExternalLB", "EdgeNode"),
        ],
      },
    },
    facts: BROUGHT,
    errors: [`${SUBNETS}[0]`, `${SUBNETS}[1]`],
  },
  {
    what: "a load balancer that does not reach the machines' zones",
    aws: {
      vpc: {
        subnets: [
          ...GOOD_ROLES,
          roles("subnet-private1", "ClusterNode"),
          roles("subnet-public1", "IngressControllerLB", "ControlPlaneExternalLB"),
        ],
      },
    },
    facts: BROUGHT,
    errors: [SUBNETS],
  },
  { what: "good roles", aws: { vpc: { subnets: GOOD_ROLES } }, facts: BROUGHT, errors: [] },
  {
    what: "dual stack without IPv6 blocks",
    aws: { ...plain("subnet-private0", "subnet-public0"), ipFamily: "DualStackIPv4Primary" },
    facts: BROUGHT,
    errors: [`${SUBNETS}[0]`, `${SUBNETS}[1]`],
  },
  {
    what: "subnets of two VPCs",
    aws: plain("subnet-private0", "subnet-public0"),
    facts: withAws(
      {
        subnets: (BROUGHT.aws?.subnets ?? []).map((each, i) => ({
          ...each,
          vpc: i === 2 ? "vpc-b" : "vpc-0abc",
        })),
      },
      BROUGHT,
    ),
    errors: ["error FACT002 aws.subnets[2].vpc"],
  },
  {
    what: "a role beside a profile",
    aws: { defaultMachinePlatform: { iamProfile: "p" } },
    top: { controlPlane: { ...awsConfig().controlPlane, platform: { aws: { iamRole: "r" } } } },
    facts: THREE_ZONES,
    errors: ["error FACT008 controlPlane.platform.aws.iamRole"],
  },
  {
    what: "a dedicated host that nobody describes, and one outside the pool's zones",
    top: {
      compute: [
        {
          ...POOL,
          name: "worker",
          replicas: 1,
          platform: {
            aws: {
              zones: ["eu-west-1b"],
              hostPlacement: {
                affinity: "DedicatedHost",
                dedicatedHost: [{ id: "h-0123456789abcdef0" }, { id: "h-x" }],
              },
            },
          },
        },
      ],
    },
    facts: BROUGHT,
    errors: [
      "error FACT001 compute[0].platform.aws.hostPlacement.dedicatedHost",
      "error FACT002 compute[0].platform.aws.hostPlacement.dedicatedHost[0]",
    ],
  },
];

for (const { what, aws, top, facts, errors: expected } of CONTRADICTIONS)
  test(what, () => assert.equal(errors(resolve(awsConfig(aws, top), { facts })), [...expected].sort()));

test("a problem of the facts file stands where the fact stands", () => {
  const text = `apiVersion: slipway.dev/v1alpha1
kind: CloudFacts
aws:
  region: eu-west-1
  availabilityZones:
  - name: eu-west-1a
  - {name: eu-central-1a}
`;
  const file = readCloudFacts(text, "facts.yaml", ({ message }) => assert.unreachable(message));
  if (file === undefined) return assert.unreachable();
  const config = awsConfig({ defaultMachinePlatform: { amiID: "ami-01" } }, { publish: "Internal" });
  const { diagnostics } = resolve(config, { facts: file.facts, positionInFacts: file.position });
  const [first] = diagnostics.filter(({ code }) => code === "FACT002");
  assert.equal(
    { file: first?.file, line: first?.line, column: first?.column },
    { file: "facts.yaml", line: 7, column: 12 },
  );
});

test("an edge pool follows from subnets in edge zones, after the worker pool", () => {
  const config = {
    compute: [],
    platform: { aws: { region: "eu-west-1", ...plain("subnet-private0", "subnet-local") } },
  };
  assert.equal(addEdgePool(config, BROUGHT).compute, [{ name: "worker" }, { name: "edge", replicas: 1 }]);
  assert.is(addEdgePool(config, undefined), config, "never guessed");
  const declared = { ...config, compute: [{ name: "edge" }] };
  assert.is(addEdgePool(declared, BROUGHT), declared);
});

test.run();
