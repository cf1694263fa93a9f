import { suite } from "uvu";
import * as assert from "uvu/assert";
import { supplement } from "../../../src/platforms/aws/supplement/items.js";
import type { InfrastructureInput } from "../../../src/platforms/platform.js";
import {
  formatSupplement,
  type SupplementItem,
  summariseSupplement,
} from "../../../src/platforms/supplement.js";
import { awsConfig, platformInput, THREE_ZONES } from "../../helpers/aws.js";
import { BROUGHT, VARIANTS } from "../../helpers/aws-variants.js";
import { PLANTED } from "../../helpers/planted.js";

const test = suite("aws: the supplement");

const areas = (input: InfrastructureInput): string[] =>
  supplement(input).map(({ when, area }) => `${when} ${area}`);
const details = (input: InfrastructureInput, area: string): unknown[] =>
  supplement(input)
    .filter((item) => item.area === area)
    .map((item) => item.details);

test("a published cluster in a new network", () => {
  const input = platformInput(awsConfig());
  assert.equal(areas(input), [
    "before provider",
    "before iam",
    "before iam",
    "during dns",
    "during dns",
    "during bootstrap",
    "during failure-domains",
    "after security-groups",
    "after bucket",
  ]);
  const [, records] = details(input, "dns");
  assert.equal(records, {
    records: [
      {
        name: "api.heron.example.net",
        type: "A (alias)",
        zone: "public zone Z0123456789ABC",
        target: "load balancer heron-x2x2x-ext",
      },
      {
        name: "api.heron.example.net",
        type: "A (alias)",
        zone: "private zone heron.example.net",
        target: "load balancer heron-x2x2x-int",
      },
      {
        name: "api-int.heron.example.net",
        type: "A (alias)",
        zone: "private zone heron.example.net",
        target: "load balancer heron-x2x2x-int",
      },
    ],
    applications: "the ingress operator creates *.apps.heron.example.net in the zones of the DNS object",
  });
});

test("a zone of one's own is not created, and nothing public is recorded for a private cluster", () => {
  const config = awsConfig(
    { hostedZone: "Z7", hostedZoneRole: "arn:role", vpc: { subnets: [{ id: "subnet-private0" }] } },
    { publish: "Internal" },
  );
  const [only, more] = details(platformInput(config, BROUGHT), "dns");
  assert.is(more, undefined);
  assert.match(JSON.stringify(only), "private zone Z7");
  assert.match(JSON.stringify(only), '"assumedRole":"arn:role"');
  assert.not.match(JSON.stringify(only), "public");
});

test("roles and profiles that the user brings are not created", () => {
  const iam = (aws: object) => details(platformInput(awsConfig({ defaultMachinePlatform: aws })), "iam");
  assert.equal(iam({ iamProfile: "p" }), []);
  const [master] = iam({ iamRole: "r" });
  const tags = "--tags Key=kubernetes.io/cluster/heron-x2x2x,Value=owned";
  const profile = "--instance-profile-name heron-x2x2x-master-profile";
  assert.equal(master, {
    role: "r",
    profile: "heron-x2x2x-master-profile",
    commands: [
      `aws iam create-instance-profile ${profile} ${tags}`,
      `aws iam add-role-to-instance-profile ${profile} --role-name r`,
    ],
  });
  const china = platformInput(awsConfig({ region: "cn-north-1" }));
  assert.match(JSON.stringify(details(china, "iam")), "ec2.amazonaws.com.cn");
});

test("what is brought along is tagged as shared", () => {
  const input = platformInput(
    awsConfig({
      hostedZone: "Z7",
      vpc: { subnets: [{ id: "subnet-private0" }, { id: "subnet-public0" }] },
      defaultMachinePlatform: { iamRole: "r" },
    }),
    BROUGHT,
  );
  const tag = "Key=kubernetes.io/cluster/heron-x2x2x,Value=shared";
  assert.equal(details(input, "tags"), [
    {
      commands: [
        `aws ec2 create-tags --region eu-west-1 --resources subnet-private0 subnet-public0 --tags ${tag}`,
        `aws route53 change-tags-for-resource --resource-type hostedzone --resource-id Z7 --add-tags ${tag}`,
        `aws iam tag-role --role-name r --tags ${tag}`,
      ],
    },
  ]);
});

test("a value of the user's cannot break out of its place in a command", () => {
  const userTags = { owner: "O'Neil; rm -rf /", "a b": "$(x)" };
  const [master] = supplement(platformInput(awsConfig({ userTags }))).filter(({ area }) => area === "iam");
  const text = JSON.stringify(master?.details);
  assert.ok(text.includes(String.raw`'Key=owner,Value=O'\\''Neil; rm -rf /'`), text);
  assert.ok(text.includes("'Key=a b,Value=$(x)'"));
});

test("the bootstrap machine: public address, subnet and pool of addresses", () => {
  const own = VARIANTS["addresses of one's own"];
  assert.equal(own && details(own, "bootstrap"), [
    {
      publicIP: true,
      subnet: { "tag:Name": "heron-x2x2x-subnet-public-eu-west-1a" },
      elasticIpPool: {
        publicIpv4Pool: "ipv4pool-ec2-0123456789abcdef0",
        publicIpv4PoolFallbackOrder: "amazon-pool",
      },
      labels: { "install.openshift.io/bootstrap": "" },
    },
  ]);
  const roles = VARIANTS["subnets with roles"];
  assert.match(JSON.stringify(roles && details(roles, "bootstrap")), '"subnet":"subnet-public0"');
});

test("zones that only compute machines use are named", () => {
  const worker = { ...awsConfig().controlPlane, name: "worker" };
  const config = awsConfig(
    {},
    {
      controlPlane: { ...awsConfig().controlPlane, platform: { aws: { zones: ["eu-west-1a"] } } },
      compute: [{ ...worker, platform: { aws: { zones: ["eu-west-1a", "eu-west-1b"] } } }],
    },
  );
  const item = supplement(platformInput(config)).find(({ area }) => area === "failure-domains");
  assert.match(item?.what ?? "", "eu-west-1b");
});

test("an image to be copied, endpoints, dual stack and the user's own DNS add their items", () => {
  const image = VARIANTS["image to be copied"];
  assert.ok(image && areas(image).includes("before image"));
  const endpoints = awsConfig({ serviceEndpoints: [{ name: "ec2", url: "https://ec2.example" }] });
  assert.equal(details(platformInput(endpoints), "endpoints"), [
    { flag: "--service-endpoints=eu-west-1:ec2=https://ec2.example" },
  ]);
  const dual = VARIANTS["dual stack"];
  assert.ok(dual && areas(dual).includes("during ipv6"));
  const dns = platformInput(awsConfig({ userProvisionedDNS: "Enabled" }));
  assert.match(JSON.stringify(details(dns, "dns")), "*.apps.heron.example.net");
});

test("no variant's supplement shows a secret, and each can be shown as text", () => {
  for (const [name, input] of Object.entries(VARIANTS)) {
    const text = formatSupplement(supplement(input));
    for (const secret of Object.values(PLANTED)) assert.not.ok(text.includes(secret), name);
    assert.match(text, "After the bootstrap machine is deleted:");
  }
});

test("the text is an outline in the order in which things are due", () => {
  const item = (when: SupplementItem["when"], details: SupplementItem["details"]): SupplementItem => ({
    area: "x",
    when,
    what: `Do it ${when}.`,
    why: "Because.",
    details,
  });
  assert.is(
    summariseSupplement([item("after", {}), item("before", {}), item("before", {})]),
    "Before you apply the objects: x\nAfter the bootstrap machine is deleted: x\n",
  );
  const text = formatSupplement([
    item("after", {}),
    item("before", {
      plain: 1,
      list: ["a", true],
      nested: { deep: "b" },
      objects: [{ c: "d", e: "f" }, "g"],
    }),
  ]);
  assert.is(
    text,
    `Before you apply the objects:
- x: Do it before.
  Because.
    plain: 1
    list: a, true
    nested:
      deep: b
    objects:
    - c: d
      e: f
    - g

After the bootstrap machine is deleted:
- x: Do it after.
  Because.
`,
  );
});

test("facts that are missing do not break it", () => {
  const facts = { ...THREE_ZONES, aws: {} };
  assert.ok(supplement(platformInput(awsConfig(), facts)).length > 0);
});

test.run();
