import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createReporter } from "../../../src/core/diagnostics.js";
import { isList, isObject, type Json, type JsonObject } from "../../../src/core/json.js";
import { infrastructure } from "../../../src/platforms/aws/infrastructure/objects.js";
import type { InfrastructureInput } from "../../../src/platforms/platform.js";
import { awsConfig, platformInput, releaseNamed, rendered, THREE_ZONES } from "../../helpers/aws.js";
import { BROUGHT, VARIANTS } from "../../helpers/aws-variants.js";

const test = suite("aws: infrastructure objects");

const CLUSTER = "40_infrastructure-cluster.yaml";
const TEMPLATE = "50_machine-template.yaml";

async function objectsOf(input: InfrastructureInput): Promise<Map<string, JsonObject>> {
  return rendered(infrastructure(input, { release: input.release, report: () => undefined }).objects);
}

const at = (value: Json | undefined, ...path: readonly string[]): Json | undefined =>
  path.reduce<Json | undefined>((found, name) => (isObject(found) ? found[name] : undefined), value);

const variant = (name: string): InfrastructureInput => {
  const input = VARIANTS[name];
  if (input === undefined) throw new Error(`no variant ${name}`);
  return input;
};

const clusterOf = async (input: InfrastructureInput): Promise<JsonObject | undefined> =>
  (await objectsOf(input)).get(CLUSTER);
const machineOf = async (input: InfrastructureInput): Promise<Json | undefined> =>
  at((await objectsOf(input)).get(TEMPLATE), "spec", "template", "spec");

const descriptions = (rules: Json | undefined): Json[] =>
  isList(rules) ? rules.map((rule) => at(rule, "description") ?? null) : [];

test("references name the objects", () => {
  const { cluster, machineTemplate, objects } = infrastructure(variant("public"), {
    release: releaseNamed("4.22"),
    report: () => undefined,
  });
  assert.equal(cluster, {
    apiVersion: "infrastructure.cluster.x-k8s.io/v1beta2",
    kind: "AWSCluster",
    name: "heron-x2x2x",
    placeholder: false,
  });
  assert.is(machineTemplate.name, "heron-x2x2x-master");
  assert.equal(
    objects.map(({ path }) => path),
    ["10_credentials-identity.yaml", CLUSTER, TEMPLATE],
  );
});

test("every object is in the cluster namespace, but for identities and their Secret", async () => {
  const objects = await objectsOf({ ...variant("credentials"), namespace: "guests" });
  const namespaces = [...objects].map(([path, object]) => [path, at(object, "metadata", "namespace") ?? ""]);
  assert.equal(namespaces, [
    ["10_credentials-identity.yaml", ""],
    ["10_credentials-secret.yaml", "capa-system"],
    [CLUSTER, "guests"],
    [TEMPLATE, "guests"],
  ]);
  const identity = objects.get("10_credentials-identity.yaml");
  assert.equal(identity?.["spec"], {
    allowedNamespaces: { list: ["guests"] },
    secretRef: "heron-x2x2x-aws-credentials",
  });
  assert.equal(at(objects.get(CLUSTER), "spec", "identityRef"), {
    kind: "AWSClusterStaticIdentity",
    name: "heron-x2x2x",
  });
  const keys = Object.keys(Object(at(objects.get("10_credentials-secret.yaml"), "data")));
  assert.equal(keys, ["AccessKeyID", "SecretAccessKey", "SessionToken"]);
});

test("the files that hold secrets are marked", () => {
  const marked = (input: InfrastructureInput): string[] =>
    infrastructure(input, { release: input.release, report: () => undefined }).objects.flatMap(
      ({ path, secret }) => (secret === true ? [path] : []),
    );
  assert.equal(marked(variant("public")), []);
  assert.equal(marked(variant("credentials")), ["10_credentials-secret.yaml"]);
  assert.equal(marked(variant("proxy and trust bundle")), [TEMPLATE]);
});

/** What releases do differently (src/platforms/aws/data/features.json). */
const RELEASES: readonly (readonly [string, { readonly old: boolean; readonly five?: boolean }])[] = [
  ["4.18", { old: true }],
  ["4.19", { old: true }],
  ["4.20", { old: true }],
  ["4.21", { old: true }],
  ["4.22", { old: false }],
  ["5.0", { old: false, five: true }],
];

for (const [name, { old, five = false }] of RELEASES)
  test(`what release ${name} writes`, async () => {
    const input = { ...variant("several machine networks"), release: releaseNamed(name) };
    const spec = at(await clusterOf(input), "spec");
    const network = at(spec, "network");
    const rules = descriptions(at(network, "cni", "cniIngressRules"));
    assert.is(rules.includes("Port 6441-6442 (TCP) for ovndb"), !five);
    assert.is(rules.length, five ? 11 : 12);
    const both = ["10.0.0.0/16", "10.1.0.0/16"];
    assert.equal(at(network, "nodePortIngressRuleCidrBlocks"), old ? both.slice(0, 1) : both);
    const control = at(network, "additionalControlPlaneIngressRules");
    const ssh = isList(control) ? control.at(-1) : undefined;
    assert.equal(at(ssh, "cidrBlocks"), old ? both.slice(0, 1) : both);
    assert.is(descriptions(control).includes("Bootstrap Konnectivity"), five);
    assert.is(at(spec, "controlPlaneLoadBalancer", "targetGroupIPType"), old ? undefined : "ipv4");
    const machine = await machineOf(input);
    assert.is(at(machine, "uncompressedUserData"), !five ? true : undefined);
  });

test("a private cluster has one load balancer, which lets the API in", async () => {
  const spec = at(await clusterOf(variant("private")), "spec");
  assert.is(at(spec, "secondaryControlPlaneLoadBalancer"), undefined);
  assert.equal(descriptions(at(spec, "controlPlaneLoadBalancer", "ingressRules")), [
    "Machine Config Server internal traffic from cluster",
    "Kubernetes API Server traffic",
  ]);
});

test("subnets with roles: the load balancers name theirs, the template the machines'", async () => {
  const objects = await objectsOf(variant("subnets with roles"));
  const spec = at(objects.get(CLUSTER), "spec");
  assert.equal(at(spec, "controlPlaneLoadBalancer", "subnets"), ["subnet-private0", "subnet-private1"]);
  assert.equal(at(spec, "secondaryControlPlaneLoadBalancer", "subnets"), [
    "subnet-public0",
    "subnet-public1",
  ]);
  assert.equal(at(spec, "network", "vpc"), { id: "vpc-0abc" });
  assert.equal(at(objects.get(TEMPLATE), "spec", "template", "spec", "subnet"), {
    filters: [{ name: "subnet-id", values: ["subnet-private0", "subnet-private1"] }],
  });
});

test("the template leaves out what varies by machine", async () => {
  for (const name of ["public", "private", "subnets brought along", "addresses of one's own"]) {
    const machine = await machineOf(variant(name));
    for (const member of ["subnet", "publicIP", "elasticIpPool", "providerID", "instanceID"])
      assert.is(at(machine, member), undefined, `${name}: ${member}`);
  }
});

test("an image that is to be copied leaves a placeholder that cannot be overlooked", async () => {
  const template = (await objectsOf(variant("image to be copied"))).get(TEMPLATE);
  assert.is(at(template, "spec", "template", "spec", "ami", "id"), "REPLACE-ME-image-copied-to-eu-west-1");
  assert.equal(at(template, "metadata", "annotations"), {
    "slipway.dev/placeholder": "spec.template.spec.ami.id",
  });
});

interface Rule {
  readonly what: string;
  readonly input: InfrastructureInput;
  readonly said: readonly string[];
}

const named = (infraID: string): InfrastructureInput => ({
  ...platformInput(awsConfig()),
  identity: { infraID, clusterID: "" },
});
const network = (cidr: string) => ({ networking: { ...awsConfig().networking, machineNetwork: [{ cidr }] } });
const controlPlane = (aws: object) => ({
  controlPlane: { ...awsConfig().controlPlane, platform: { aws } },
});
const noProxy = (text: string) => ({ proxy: { httpProxy: "http://p:1", noProxy: text } });

const RULES: readonly Rule[] = [
  { what: "nothing", input: platformInput(awsConfig()), said: [] },
  { what: "the longest infrastructure ID", input: named("a".repeat(21).concat("-abcde")), said: [] },
  {
    what: "an infrastructure ID that is too long for a load balancer",
    input: named("a".repeat(29)),
    said: ["error CAPI101 metadata.name", "error CAPI101 metadata.name"],
  },
  {
    what: "capitals, which a bucket cannot have",
    input: named("Heron"),
    said: ["error CAPI101 metadata.name"],
  },
  {
    what: "a pool of addresses of another form",
    input: platformInput(awsConfig({ publicIpv4Pool: "pool-1" })),
    said: ["error CAPI101 platform.aws.publicIpv4Pool"],
  },
  {
    what: "a pool of addresses for a private cluster",
    input: platformInput(awsConfig({ publicIpv4Pool: "ipv4pool-ec2-1" }, { publish: "Internal" })),
    said: ["error CAPI101 platform.aws.publicIpv4Pool"],
  },
  {
    what: "a network that cannot be split",
    input: platformInput(awsConfig({}, network("10.0.0.0/30"))),
    said: ["error CAPI101 networking.machineNetwork[0].cidr"],
  },
  {
    what: "an IPv6 network to be split",
    input: platformInput(awsConfig({}, network("fd00::/48"))),
    said: ["error CAPI101 networking.machineNetwork[0].cidr"],
  },
  {
    what: "subnets smaller than AWS makes",
    input: platformInput(awsConfig({}, network("10.0.0.0/25"))),
    said: ["warning CAPI102 networking.machineNetwork[0].cidr"],
  },
  {
    what: "a VPC larger than AWS makes",
    input: platformInput(awsConfig({}, network("10.0.0.0/8"))),
    said: ["warning CAPI102 networking.machineNetwork[0].cidr"],
  },
  {
    what: "a small root volume",
    input: platformInput(awsConfig({}, controlPlane({ rootVolume: { type: "gp3", size: 4 } }))),
    said: ["error CAPI101 controlPlane.platform.aws.rootVolume.size"],
  },
  {
    what: "more security groups than fit",
    input: platformInput(
      awsConfig(
        { vpc: { subnets: [{ id: "subnet-private0" }, { id: "subnet-public0" }] } },
        controlPlane({ additionalSecurityGroupIDs: ["sg-1", "sg-2", "sg-3"] }),
      ),
      BROUGHT,
    ),
    said: ["warning CAPI102 controlPlane.platform.aws.additionalSecurityGroupIDs"],
  },
  {
    what: "an image to be copied",
    input: platformInput(awsConfig(), {
      ...THREE_ZONES,
      aws: { ...THREE_ZONES.aws, images: { amd64: { id: "ami-01", region: "us-east-1" } } },
    }),
    said: ["warning FACT005 platform.aws.amiID"],
  },
  {
    what: "entries of noProxy that the provider takes",
    input: platformInput(
      awsConfig({}, noProxy("*,a.example,.b.example,10.0.0.1,10.0.0.0/8,fd00::/64,h:80,[fd00::1]:80")),
    ),
    said: [],
  },
  {
    what: "entries of noProxy that the provider refuses",
    input: platformInput(awsConfig({}, noProxy("a.example, b.example,10.0.0.0/33,"))),
    said: ["error CAPI101 proxy.noProxy"],
  },
  {
    what: "too many entries of noProxy",
    input: platformInput(
      awsConfig({}, noProxy(Array.from({ length: 65 }, (_, i) => `h${i}.example`).join(","))),
    ),
    said: ["error CAPI101 proxy.noProxy"],
  },
  {
    what: "too many certificates",
    input: platformInput(
      awsConfig(
        {},
        {
          additionalTrustBundle: "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n".repeat(65),
        },
      ),
    ),
    said: ["error CAPI101 additionalTrustBundle"],
  },
];

for (const { what, input, said } of RULES)
  test(`rule: ${what}`, () => {
    const reporter = createReporter();
    infrastructure(input, { release: input.release, report: reporter.report });
    assert.equal(
      reporter.diagnostics.map(({ severity, code, field }) => `${severity} ${code} ${field}`),
      said,
    );
  });

test.run();
