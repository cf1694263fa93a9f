/** What the shared cases do not hold: own networks, private clusters, hosts, endpoints, credentials; supplement and webhooks. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isList, isObject, type Json } from "../../../src/core/json.js";
import { platform } from "../../../src/platforms/ibmcloud/index.js";
import { webhookFindings } from "../../../src/platforms/provider-webhooks.js";
import { formatSupplement } from "../../../src/platforms/supplement.js";
import { KEY, made, OWN_NETWORK, VARIANTS } from "../../helpers/ibmcloud.js";
import { type Edits, SSH_KEYS } from "../../helpers/install-configs.js";

const test = suite("ibmcloud: objects");

const P = "platform.ibmcloud";

const at = (value: Json | undefined, ...path: readonly (string | number)[]): Json | undefined =>
  path.reduce<Json | undefined>(
    (found, step) => (Array.isArray(found) ? found[Number(step)] : isObject(found) ? found[step] : undefined),
    value,
  );

async function sound(edits: Edits, facts: Edits = {}) {
  const result = await made(edits, facts);
  assert.equal(result.errors, []);
  const { input } = result;
  if (input === undefined) throw new Error("no input");
  return { ...result, input, cluster: result.infrastructure.get("40_infrastructure-cluster.yaml") };
}

test("subnets of one's own are where machines, cluster and cloud provider look for them", async () => {
  const { files, infrastructure, cluster, input } = await sound({
    ...OWN_NETWORK,
    publish: "Internal",
    [`${P}.resourceGroupName`]: "birds",
  });
  const machine = at(
    files.get("openshift/99_openshift-cluster-api_master-machines-1.yaml"),
    "spec",
    "providerSpec",
    "value",
  );
  assert.is(at(machine, "primaryNetworkInterface", "subnet"), "birds-control-plane-2");
  assert.is(at(machine, "networkResourceGroup"), "birds-network");
  assert.is(at(machine, "resourceGroup"), "birds");
  assert.is(at(machine, "vpc"), "birds-vpc");
  const spec = at(cluster, "spec");
  assert.equal(at(spec, "network", "controlPlaneSubnets", 2), {
    name: "birds-control-plane-3",
    zone: "eu-gb-3",
  });
  assert.is(at(spec, "network", "resourceGroup", "name"), "birds-network");
  assert.is(at(spec, "resourceGroup"), "birds");
  const loadBalancers = at(spec, "network", "loadBalancers");
  assert.ok(Array.isArray(loadBalancers) && loadBalancers.length === 1, "no public load balancer");
  const groups = at(spec, "network", "securityGroups");
  const bootstrap = Array.isArray(groups) ? groups.at(-1) : undefined;
  assert.equal(at(bootstrap, "rules", 0, "source", "remotes", 0), {
    remoteType: "cidr",
    cidrSubnetName: "birds-control-plane-1",
  });
  assert.is(
    at(
      infrastructure.get("50_machine-template-eu-gb-3.yaml"),
      "spec",
      "template",
      "spec",
      "primaryNetworkInterface",
      "subnet",
    ),
    "birds-control-plane-3",
  );
  const provider = String(at(files.get("manifests/cloud-provider-config.yaml"), "data", "config"));
  assert.match(
    provider,
    "g2VpcSubnetNames = birds-control-plane-1,birds-control-plane-2,birds-control-plane-3,birds-compute-1",
  );
  assert.equal(at(files.get("manifests/cluster-dns-02-config.yml"), "spec", "publicZone"), undefined);
  assert.equal(platform.ignition?.metadata?.(input)["ibmcloud"], {
    accountID: "0123456789abcdef0123456789abcdef",
    baseDomain: "sea.example.org",
    dnsInstanceID: "00000000-0000-4000-8000-00000000d000",
    region: "eu-gb",
    resourceGroupName: "birds",
    subnets: [
      "control-plane-id-1",
      "control-plane-id-2",
      "control-plane-id-3",
      "compute-id-1",
      "compute-id-2",
      "compute-id-3",
    ],
    vpc: "birds-vpc",
  });
  assert.equal(platform.installerMetadata?.(input.config), {
    BaseDomain: "sea.example.org",
    ComputeSubnetNames: ["birds-compute-1", "birds-compute-2", "birds-compute-3"],
    ControlPlaneSubnetNames: ["birds-control-plane-1", "birds-control-plane-2", "birds-control-plane-3"],
    Region: "eu-gb",
  });
});

test("a subnet that a role names twice is one subnet, and both roles may name it", async () => {
  const twice = ["birds-control-plane-1", "birds-control-plane-2", "birds-control-plane-1"];
  const zones = ["eu-gb-1", "eu-gb-2"];
  const { files } = await made({
    ...OWN_NETWORK,
    "platform.ibmcloud.controlPlaneSubnets": twice,
    "platform.ibmcloud.computeSubnets": ["birds-control-plane-2", "birds-control-plane-1"],
    "controlPlane.platform.ibmcloud.zones": zones,
    "compute[0].platform.ibmcloud.zones": zones,
  });
  assert.match(
    String(at(files.get("manifests/cloud-provider-config.yaml"), "data", "config")),
    /^g2VpcSubnetNames = birds-control-plane-1,birds-control-plane-2,birds-control-plane-2,birds-control-plane-1$/m,
  );
});

test("endpoints go to the operators, and those of the controller to its config, the version left to it", async () => {
  const { files, input } = await sound(VARIANTS["endpoints"] ?? {});
  const provider = String(at(files.get("manifests/cloud-provider-config.yaml"), "data", "config"));
  assert.match(
    provider,
    "iamEndpointOverride = https://private.iam.cloud.ibm.com\ng2EndpointOverride = https://eu-gb.private.iaas.cloud.ibm.com\nrmEndpointOverride = https://private.resource-controller.cloud.ibm.com\n\n\n",
  );
  const status = at(
    files.get("manifests/cluster-infrastructure-02-config.yml"),
    "status",
    "platformStatus",
    "ibmcloud",
  );
  assert.is(at(status, "serviceEndpoints", 1, "url"), "https://eu-gb.private.iaas.cloud.ibm.com/v1");
  const text = formatSupplement(platform.supplement(input));
  assert.match(
    text,
    "SERVICE_ENDPOINT=eu-gb:rm=https://private.resource-controller.cloud.ibm.com,vpc=https://",
  );
  assert.match(text, "IBMCLOUD_AUTH_URL=https://private.iam.cloud.ibm.com");
});

test("dedicated hosts by zone; those that are named by a profile are made by hand", async () => {
  const { files, infrastructure, input } = await sound(VARIANTS["dedicated hosts"] ?? {});
  const hostOf = (n: number) =>
    at(
      files.get(`openshift/99_openshift-cluster-api_master-machines-${n}.yaml`),
      "spec",
      "providerSpec",
      "value",
      "dedicatedHost",
    );
  assert.equal([0, 1, 2].map(hostOf), ["host-1", "gannet-abcde-dhost-control-plane-eu-gb-2", "host-1"]);
  assert.is(
    at(
      infrastructure.get("50_machine-template-eu-gb-2.yaml"),
      "spec",
      "template",
      "spec",
      "placementTarget",
      "dedicatedHost",
      "name",
    ),
    "gannet-abcde-dhost-control-plane-eu-gb-2",
  );
  const text = formatSupplement(platform.supplement(input));
  assert.match(
    text,
    "dedicated-host-create --profile bx2-host-152x608 --name gannet-abcde-dhost-control-plane-eu-gb-2",
  );
});

test("two hosts in one zone are two templates, and the same one twice is one", async () => {
  const zone = "eu-gb-1";
  const { infrastructure, input } = await sound({
    "controlPlane.platform.ibmcloud": {
      type: "bx2-4x16",
      zones: [zone, zone, zone],
      dedicatedHosts: [{ name: "a" }, { name: "b" }, { name: "a" }],
    },
  });
  assert.equal(
    [...infrastructure.keys()].filter((path) => path.startsWith("50_")),
    ["50_machine-template.yaml", "50_machine-template-eu-gb-1-1.yaml"],
  );
  const zones = platform.supplement(input).find(({ area }) => area === "zones");
  assert.equal(zones?.details["machines"], [
    { machine: "gannet-abcde-master-0", zone, template: "50_machine-template.yaml" },
    { machine: "gannet-abcde-master-1", zone, template: "50_machine-template-eu-gb-1-1.yaml" },
    { machine: "gannet-abcde-master-2", zone, template: "50_machine-template.yaml" },
  ]);
});

test("one template needs neither a warning nor a list", async () => {
  for (const name of ["one zone", "single node"]) {
    const { diagnostics } = await sound(VARIANTS[name] ?? {});
    assert.not.ok(
      diagnostics.some(({ code }) => code === "CAPI102"),
      name,
    );
  }
  const { diagnostics } = await sound({});
  assert.ok(diagnostics.some(({ code }) => code === "CAPI102"));
});

test("an SSH key of the account, where its public key is that of the config", async () => {
  const keys = [
    { id: "r018-1", publicKey: "ssh-rsa AAAA other" },
    { id: "r018-2", publicKey: `${SSH_KEYS.ed25519}\n` },
  ];
  const sshKeys = async (facts: Edits) =>
    at(
      (await sound({}, facts)).infrastructure.get("50_machine-template.yaml"),
      "spec",
      "template",
      "spec",
      "sshKeys",
    );
  assert.equal(await sshKeys({ sshKeys: keys }), [{ id: "r018-2" }]);
  assert.is(await sshKeys({ sshKeys: keys.slice(0, 1) }), undefined);
  assert.is(await sshKeys({}), undefined);
});

test("a key by default encrypts the volumes of workloads too", async () => {
  const { files } = await sound(VARIANTS["encrypted"] ?? {});
  assert.equal(at(files.get("manifests/cluster-csi-driver-config.yaml"), "spec", "driverConfig"), {
    driverType: "IBMCloud",
    ibmcloud: { encryptionKeyCRN: KEY },
  });
  const own = await sound({ "compute[0].platform.ibmcloud.bootVolume.encryptionKey": KEY });
  assert.not.ok(own.files.has("manifests/cluster-csi-driver-config.yaml"));
});

test("the cluster's operators get the API key unless their credentials are made by hand", async () => {
  const secret = "openshift/99_cloud-creds-secret.yaml";
  const credentials = { ibmcloud_api_key: "made-up" };
  assert.not.ok((await made({}, {}, { credentials })).files.has(secret));
  const { files } = await made({ credentialsMode: undefined }, {}, { credentials });
  assert.equal(at(files.get(secret), "data"), { ibmcloud_api_key: "bWFkZS11cA==" });
  assert.is(at(files.get(secret), "metadata", "name"), "ibmcloud-credentials");
});

test("names and keys that the provider refuses although the installer takes them", async () => {
  const { input } = await made({});
  if (input === undefined) throw new Error("no input");
  const problems = (infraID: string): string[] => {
    const said: string[] = [];
    platform.infrastructure(
      { ...input, identity: { ...input.identity, infraID } },
      { release: input.release, report: ({ code, field }) => said.push(`${code} ${field}`) },
    );
    return said.filter((each) => each.startsWith("CAPI101"));
  };
  assert.equal(problems("heron-abcde"), []);
  assert.equal(problems("9heron-abcde"), ["CAPI101 metadata.name"]);
  assert.equal(problems("a".repeat(60)), ["CAPI101 metadata.name"]);
  const odd = "crn:v1:a:b:c:d:global:e:f:g";
  const { errors } = await made({ "controlPlane.platform.ibmcloud.bootVolume.encryptionKey": odd });
  assert.equal(errors, ["CAPI101 Invalid controlPlane.platform.ibmcloud.bootVolume.encryptionKey"]);
});

test("what the provider's webhooks refuse", () => {
  const object = (kind: string, spec: Json): string[] =>
    webhookFindings({ apiVersion: "infrastructure.cluster.x-k8s.io/v1beta2", kind, spec }).map(
      ({ code, field }) => `${code} ${field}`,
    );
  const machine = (spec: Json): string[] => object("IBMVPCMachineTemplate", { template: { spec } });
  const S = "spec.template.spec";
  assert.equal(object("IBMVPCCluster", {}), ["CAPI101 spec.controlPlaneEndpoint.host"]);
  assert.equal(object("IBMVPCCluster", { controlPlaneEndpoint: { host: "a" } }), []);
  assert.equal(object("IBMVPCCluster", { controlPlaneLoadBalancer: {} }), []);
  assert.equal(machine({}), []);
  assert.equal(machine({ bootVolume: { sizeGiB: 100, encryptionKeyCRN: KEY } }), []);
  assert.equal(machine({ bootVolume: {} }), [`CAPI101 ${S}.bootVolume.sizeGiB`]);
  assert.equal(machine({ bootVolume: { sizeGiB: 251 } }), [`CAPI101 ${S}.bootVolume.sizeGiB`]);
  assert.equal(machine({ bootVolume: { sizeGiB: 10, iops: 5 } }), [`CAPI101 ${S}.bootVolume.iops`]);
  assert.equal(machine({ bootVolume: { sizeGiB: 10, iops: 5, profile: "custom" } }), []);
  assert.equal(machine({ bootVolume: { sizeGiB: 10, encryptionKeyCRN: "crn" } }), [
    `CAPI101 ${S}.bootVolume.encryptionKeyCRN`,
  ]);
  assert.equal(machine({ additionalVolumes: [{ sizeGiB: 1 }, { profile: "custom" }] }), [
    `CAPI101 ${S}.additionalVolumes[1].sizeGiB`,
    `CAPI101 ${S}.additionalVolumes[1].iops`,
  ]);
  assert.equal(object("IBMVPCMachine", { bootVolume: {} }), ["CAPI101 spec.bootVolume.sizeGiB"]);
  assert.equal(object("IBMPowerVSCluster", {}), []);
});

test("the bootstrap machine takes Konnectivity's connections from 5.0 on", async () => {
  const rulesAt = async (release: string): Promise<readonly Json[]> => {
    const { infrastructure } = await made({}, {}, { release });
    const groups = at(
      infrastructure.get("40_infrastructure-cluster.yaml"),
      "spec",
      "network",
      "securityGroups",
    );
    const rules = at(isList(groups) ? groups.at(-1) : undefined, "rules");
    return isList(rules) ? rules : [];
  };
  assert.is((await rulesAt("4.22")).length, 1);
  const [, rule] = await rulesAt("5.0");
  assert.equal(at(rule, "source", "portRange"), { minimumPort: 8091, maximumPort: 8091 });
  assert.match(String(at(rule, "source", "remotes", 0, "securityGroupName")), /-sg-cluster-wide$/);
});

test.run();
