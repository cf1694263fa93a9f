/** The objects: of the Machine API, of the config, of Cluster API with its definitions, and what is left to do by hand. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isList, isObject, type Json, type JsonObject } from "../../../src/core/json.js";
import { checkCustomResource, loadCel, readCrd } from "../../../src/crd/schema.js";
import type { CloudFacts } from "../../../src/generated/types/cloud-facts.js";
import { platform } from "../../../src/platforms/powervs/index.js";
import { webhookFindings } from "../../../src/platforms/powervs/infrastructure/webhook-rules.js";
import { parseYaml } from "../../../src/text/yaml-parse.js";
import { rendered } from "../../helpers/aws.js";
import { configText, factsWith, GATEWAY, inputOf, pool, VPC } from "../../helpers/powervs.js";
import { withShared } from "../../helpers/shared.js";

const test = suite("powervs: objects");

const MIRRORS = {
  imageDigestSources: [{ source: "quay.example.org/a", mirrors: ["registry.example.org/a"] }],
};
const DISCONNECTED = configText({ vpcName: "birds-vpc" }, { publish: "Internal", ...MIRRORS });
const CLOSED = factsWith({}, true);

const at = (value: Json | undefined, ...path: readonly (string | number)[]): Json | undefined =>
  path.reduce<Json | undefined>(
    (found, name) =>
      Array.isArray(found) && typeof name === "number"
        ? found[name]
        : isObject(found)
          ? found[String(name)]
          : undefined,
    value,
  );

async function objectsOf(
  text: string,
  facts: CloudFacts = factsWith(),
  release?: string,
): Promise<{ readonly said: readonly string[]; readonly objects: ReadonlyMap<string, JsonObject> }> {
  const input = inputOf(text, facts, release);
  const said: string[] = [];
  const { objects } = platform.infrastructure(input, {
    release: input.release,
    report: ({ code, field }) => said.push(`${code} ${field}`),
  });
  return { said, objects: await rendered(objects) };
}

const provider = async (text: string, file: string, facts?: CloudFacts, release?: string) => {
  const files = await rendered(platform.machines(inputOf(text, facts, release)));
  const found = [...files].find(([path]) => path.includes(file))?.[1];
  return file.includes("machineset")
    ? at(found, "spec", "template", "spec", "providerSpec", "value")
    : at(found, "spec", "providerSpec", "value");
};

test("the layers of a pool: own, of all pools, of the release", async () => {
  const text = configText(
    { defaultMachinePlatform: { processors: "2.0", memoryGiB: 64, sysType: "e980" } },
    { compute: [pool("worker", { memoryGiB: 8, processors: 0 })] },
  );
  const worker = await provider(text, "machineset-0");
  const get = (name: string) => at(worker, name);
  assert.equal(["memoryGiB", "processors", "processorType", "systemType"].map(get), [
    8,
    "2.0",
    "Shared",
    "e980",
  ]);
  const plain = await provider(configText(), "master-machines-0");
  assert.equal(at(plain, "processors"), "0.5");
  assert.equal(at(plain, "memoryGiB"), 32);
});

test("the type of system: preferred, the first of the zone, none", async () => {
  const system = async (zone: string, systemTypes?: string[], release?: string, region?: string) =>
    at(
      await provider(
        configText({ zone, ...(region === undefined ? {} : { region }) }),
        "master-machines-0",
        factsWith(systemTypes === undefined ? {} : { systemTypes }),
        release,
      ),
      "systemType",
    );
  assert.is(await system("dal10"), "s922");
  assert.is(await system("mad04"), "s1022");
  assert.is(await system("dal10", ["e980", "s922"]), "s922");
  assert.is(await system("dal10", ["e980", "s1022"]), "e980");
  assert.is(await system("dal10", ["e980"], "4.18"), "s922");
  assert.is(await system("dal10", undefined, "4.22", "lon"), "s922");
  assert.is(await system("dal10", undefined, "4.18", "lon"), undefined);
});

test("the control plane is behind the load balancers and boots from the image of the user", async () => {
  const text = configText({ clusterOSImage: "birds/own.ova.gz", serviceInstanceGUID: GATEWAY.id });
  const master = await provider(text, "master-machines-0");
  assert.equal(at(master, "image", "name"), "birds/own.ova.gz");
  assert.equal(at(master, "serviceInstance"), { id: GATEWAY.id, type: "ID" });
  assert.equal(at(master, "loadBalancers"), [
    { name: "finch-abcde-loadbalancer-int", type: "Application" },
    { name: "finch-abcde-loadbalancer", type: "Application" },
  ]);
  const closed = await provider(DISCONNECTED, "master-machines-0", CLOSED);
  assert.equal(at(closed, "loadBalancers"), [{ name: "finch-abcde-loadbalancer-int", type: "Application" }]);
  const worker = await provider(text, "machineset-0");
  assert.equal(at(worker, "image", "name"), "rhcos-finch-abcde");
  assert.is(at(worker, "loadBalancers"), undefined);
});

test("a single machine has no control plane machine set", async () => {
  const one = { controlPlane: { name: "master", replicas: 1, architecture: "ppc64le" } };
  const names = [...(await rendered(platform.machines(inputOf(configText({}, one))))).keys()];
  assert.equal(names, [
    "openshift/99_openshift-cluster-api_master-machines-0.yaml",
    "openshift/99_openshift-cluster-api_worker-machineset-0.yaml",
  ]);
});

const configs = (text: string, facts: CloudFacts = factsWith(), release = "4.22") => {
  const input = inputOf(text, facts, release);
  const made = platform.manifests.machineConfigs;
  const [worker] = input.config.compute;
  if (made === undefined || worker === undefined) throw new Error("no machine configs");
  return [...made(input, "master", input.config.controlPlane), ...made(input, "worker", worker)];
};
const names = (text: string, facts?: CloudFacts, release?: string) =>
  configs(text, facts, release).map(({ name }) => name);

test("machine configs: multipath always, a level where it is asked for, routes and time without a way out", () => {
  assert.equal(names(configText()), ["99-master-multipath", "99-worker-multipath"]);
  assert.equal(names(configText({ defaultMachinePlatform: { smtLevel: "4" } })), [
    "99-master-multipath",
    "99-master-powersmt",
    "99-worker-multipath",
  ]);
  assert.equal(names(configText({}, { compute: [pool("worker", { smtLevel: "2" })] })), [
    "99-master-multipath",
    "99-worker-multipath",
    "99-worker-powersmt",
  ]);
  const closed = ["multipath", "chrony", "routes"];
  assert.equal(
    names(DISCONNECTED, CLOSED),
    ["master", "worker"].flatMap((role) => closed.map((name) => `99-${role}-${name}`)),
  );
  assert.equal(names(DISCONNECTED, CLOSED, "4.18"), ["99-master-multipath", "99-worker-multipath"]);
});

test("routes lead over the first address of the machines' network", () => {
  const text = configText(
    { vpcName: "birds-vpc" },
    { publish: "Internal", ...MIRRORS, networking: { machineNetwork: [{ cidr: "10.9.8.0/24" }] } },
  );
  const routes = configs(text, CLOSED).find(({ name }) => name === "99-worker-routes");
  const unit = String(at(routes?.ignition, "systemd", "units", 0, "contents"));
  assert.match(unit, "ExecStart=/usr/sbin/ip route add 166.8.0.0/14 via 10.9.8.1\n");
});

const providerConfig = (text: string, facts?: CloudFacts, release?: string): string =>
  platform.manifests.cloudProviderConfig(inputOf(text, facts, release))?.["config"] ?? "";

test("the cloud provider's config: names of subnets, the VPC, the workspace", () => {
  const made = providerConfig(configText());
  assert.match(made, "g2VpcName = vpc-finch-abcde\n");
  assert.match(
    made,
    "g2VpcSubnetNames = finch-abcde-vpcsubnet-us-south-1,finch-abcde-vpcsubnet-us-south-2,finch-abcde-vpcsubnet-us-south-3\n",
  );
  assert.match(made, "powerVSCloudInstanceID = \npowerVSCloudInstanceName = finch-abcde-power-iaas\n");
  const existing = providerConfig(
    configText({ vpcName: VPC.id, vpcSubnets: ["birds-2"], serviceInstanceGUID: GATEWAY.id }),
  );
  assert.match(existing, "g2VpcName = birds-vpc\n");
  assert.match(existing, "g2VpcSubnetNames = birds-2,birds-1,birds-2\n");
  assert.match(existing, `powerVSCloudInstanceID = ${GATEWAY.id}\npowerVSCloudInstanceName = \n`);
});

test("private endpoints, by release and beside those that are given", () => {
  const names = (release: string, section: JsonObject = {}) => {
    const text = configText(
      { vpcName: "birds-vpc", zone: "mad02", ...section },
      { publish: "Internal", ...MIRRORS },
    );
    const { spec, status } = platform.manifests.infrastructure(inputOf(text, CLOSED, release));
    return {
      spec: at(spec, "powervs", "serviceEndpoints"),
      status: at(status, "powervs", "serviceEndpoints"),
    };
  };
  const own = { serviceEndpoints: [{ name: "IAM", url: "https://iam.example.org" }] };
  const now = names("4.22", own);
  assert.equal(now.spec, now.status);
  assert.equal(now.spec, [
    { name: "IAM", url: "https://iam.example.org" },
    { name: "COS", url: "https://s3.direct.eu-de.cloud-object-storage.appdomain.cloud" },
    { name: "DNSServices", url: "https://api.private.dns-svcs.cloud.ibm.com/v1" },
    { name: "Power", url: "https://private.eu-es.power-iaas.cloud.ibm.com" },
    { name: "ResourceController", url: "https://private.resource-controller.cloud.ibm.com" },
    { name: "ResourceManager", url: "https://private.resource-controller.cloud.ibm.com" },
    { name: "VPC", url: "https://eu-es.private.iaas.cloud.ibm.com" },
  ]);
  const before = names("4.18", own);
  assert.equal(before.status, own.serviceEndpoints);
  assert.equal(at(before.spec, 2, "url"), "https://api.private.dns-svcs.cloud.ibm.com");
  assert.not.match(JSON.stringify(before.spec), "ResourceManager");
});

test("the operator's network routes over the host with OVNKubernetes alone", () => {
  const gateway = (networkType: string) =>
    platform.manifests.gatewayConfig?.(inputOf(configText({}, { networking: { networkType } })));
  assert.equal(gateway("OVNKubernetes"), { ipv4: {}, ipv6: {}, routingViaHost: true });
  assert.is(gateway("Calico"), undefined);
});

test("the zone of the base domain is private, and public for a cluster that is published", () => {
  const id = "zone-1";
  assert.equal(platform.manifests.dns(inputOf(configText())), { publicZone: { id }, privateZone: { id } });
  assert.equal(platform.manifests.dns(inputOf(DISCONNECTED, CLOSED)), { privateZone: { id } });
});

test("a VPC and a gateway stand in the cluster as they are named", async () => {
  const cluster = async (section: JsonObject, more = {}, release?: string) =>
    (await objectsOf(configText(section), factsWith(more), release)).objects.get(
      "40_infrastructure-cluster.yaml",
    );
  const made = await cluster({});
  assert.equal(at(made, "spec", "vpc"), { name: "vpc-finch-abcde", region: "us-south" });
  assert.equal(at(made, "spec", "transitGateway"), { name: "finch-abcde-tg" });
  assert.is(at(made, "spec", "vpcSubnets"), undefined);
  const named = await cluster({ vpcName: VPC.name, tgName: "birds-tg" });
  assert.equal(at(named, "spec", "vpc"), { name: VPC.name, region: "us-south" });
  assert.equal(at(named, "spec", "transitGateway"), { name: "birds-tg" });
  const identified = await cluster({ vpcName: VPC.id, tgName: GATEWAY.id, vpcRegion: "eu-gb" });
  assert.equal(at(identified, "spec", "vpc"), { id: VPC.id, region: "eu-gb" });
  assert.equal(at(identified, "spec", "transitGateway"), { id: GATEWAY.id });
  assert.equal(at(identified, "spec", "vpcSubnets"), VPC.subnets);
  const name = `a${GATEWAY.id.slice(1)}`;
  const odd = await cluster({ tgName: name }, { transitGateways: [{ id: "x", name }] });
  assert.equal(at(odd, "spec", "transitGateway"), { name });
  const old = await cluster({ tgName: name }, { transitGateways: [{ id: name, name: "birds-tg" }] }, "4.19");
  assert.equal(at(old, "spec", "transitGateway"), { name });
});

test("the DHCP server of a private cluster says whether it translates addresses, from 4.19 on", async () => {
  const open = configText({ vpcName: "birds-vpc" }, { publish: "Internal" });
  const server = async (text: string, release?: string) => {
    const { objects } = await objectsOf(text, CLOSED, release);
    return at(objects.get("40_infrastructure-cluster.yaml"), "spec", "dhcpServer");
  };
  const common = { cidr: "192.168.0.0/24", dnsServer: "10.20.0.4" };
  assert.equal(await server(open, "4.18"), common);
  assert.equal(await server(open, "4.19"), { ...common, snat: true });
  assert.equal(await server(DISCONNECTED), { ...common, snat: false });
});

test("the image has version the region of object storage", async () => {
  const image = async (section: JsonObject) =>
    at((await objectsOf(configText(section))).objects.get("45_image.yaml"), "spec");
  const plain = await image({});
  assert.equal([at(plain, "bucket"), at(plain, "region")], ["birds-images", "us-south"]);
  const other = await image({ zone: "mad02" });
  assert.equal([at(other, "bucket"), at(other, "region")], ["rhcos-powervs-images-eu-de", "eu-de"]);
  const own = await image({ clusterOSImage: "own/dir/rhcos.ova.gz" });
  assert.equal([at(own, "bucket"), at(own, "object")], ["own", "dir/rhcos.ova.gz"]);
});

/** What the provider's definitions refuse, each alone. */
const REFUSED: readonly (readonly [string, string, CloudFacts, string])[] = [
  [
    "VPC",
    configText({ vpcName: "Birds" }),
    factsWith({ vpc: { ...VPC, name: "Birds" } }),
    "CAPI101 platform.powervs.vpcName",
  ],
  [
    "subnet",
    configText({ vpcName: VPC.name }),
    factsWith({ vpc: { ...VPC, subnets: [{ id: "x", name: "A" }] } }),
    "CAPI101 platform.powervs.vpcName",
  ],
  [
    "identifier",
    configText({ vpcName: VPC.name }),
    factsWith({ vpc: { ...VPC, subnets: [{ id: "A", name: "a" }] } }),
    "CAPI101 platform.powervs.vpcName",
  ],
  [
    "gateway by a name like an identifier",
    configText({ tgName: GATEWAY.id }),
    factsWith({ transitGateways: [{ id: "x", name: GATEWAY.id }] }),
    "CAPI101 platform.powervs.tgName",
  ],
  ["gateway", configText({ tgName: "-x" }), factsWith(), "CAPI101 platform.powervs.tgName"],
  [
    "image",
    configText({ clusterOSImage: "rhcos.ova.gz" }),
    factsWith(),
    "CAPI101 platform.powervs.clusterOSImage",
  ],
  [
    "system",
    configText({ zone: "dal14" }, { controlPlane: pool("master", { sysType: "s1122" }) }),
    factsWith(),
    "CAPI101 controlPlane.platform.powervs.sysType",
  ],
];

for (const [name, text, facts, expected] of REFUSED)
  test(`the provider refuses: ${name}`, async () => {
    const input = inputOf(text, facts);
    const said: string[] = [];
    platform.infrastructure(input, {
      release: input.release,
      report: ({ code, field }) => said.push(`${code} ${field}`),
    });
    assert.equal(said, [expected]);
  });

test("the provider refuses load balancers that begin with a digit", () => {
  const input = { ...inputOf(configText()), identity: { infraID: "1finch-abcde", clusterID: "" } };
  const said: string[] = [];
  platform.infrastructure(input, {
    release: input.release,
    report: ({ code, field }) => said.push(`${code} ${field}`),
  });
  assert.equal(said, ["CAPI101 metadata.name"]);
});

const FITTING: Readonly<Record<string, readonly [string, CloudFacts]>> = {
  plain: [configText(), factsWith()],
  "brought along": [
    configText({ vpcName: VPC.id, tgName: GATEWAY.id, serviceInstanceGUID: GATEWAY.id }),
    factsWith(),
  ],
  "without a way out": [DISCONNECTED, CLOSED],
  "large machines": [
    configText(
      {},
      { controlPlane: pool("master", { sysType: "e980", processors: 100, procType: "Dedicated" }) },
    ),
    factsWith(),
  ],
};

for (const [name, [text, facts]] of Object.entries(FITTING))
  withShared(
    test,
    "data/crds",
    `the objects fit the definitions and the webhooks: ${name}`,
    async (folder) => {
      const cel = await loadCel();
      const { said, objects } = await objectsOf(text, facts);
      assert.equal(said, []);
      assert.is(objects.size, 3);
      for (const object of objects.values()) {
        const kind = String(object["kind"]);
        const value = parseYaml(readFileSync(join(folder, `${kind}.yaml`), "utf8"));
        const crd = isObject(value) ? readCrd(value) : undefined;
        if (crd === undefined) throw new Error(`${kind}.yaml is not a definition`);
        assert.equal(checkCustomResource(crd, object, cel), [], kind);
        assert.equal(webhookFindings(object), [], kind);
      }
    },
  );

test("webhooks: each rule broken alone", async () => {
  const { objects } = await objectsOf(configText());
  const cluster = objects.get("40_infrastructure-cluster.yaml") ?? {};
  const template = objects.get("50_machine-template.yaml") ?? {};
  const fields = (object: JsonObject) => webhookFindings(object).map(({ field }) => field);
  const clusterWith = (more: JsonObject, annotations: JsonObject = { [CREATES]: "true" }) =>
    fields({
      ...cluster,
      metadata: { annotations },
      spec: { ...(isObject(cluster["spec"]) ? cluster["spec"] : {}), ...more },
    });
  const CREATES = "powervs.cluster.x-k8s.io/create-infra";
  assert.equal(clusterWith({ network: { name: "a", id: "b" } }), ["spec.network"]);
  assert.equal(clusterWith({ dhcpServer: { id: "a" } }), ["spec.dhcpServer.id"]);
  assert.equal(clusterWith({ vpc: { name: "a" } }), ["spec.vpc.region"]);
  assert.equal(clusterWith({ vpcSubnets: [{ name: "a" }, { name: "a" }] }), ["spec.vpcSubnets[1].name"]);
  assert.equal(clusterWith({ loadBalancers: [{ name: "a", public: false }] }), ["spec.loadBalancers"]);
  assert.equal(clusterWith({ loadBalancers: [{ name: "a" }, { name: "a" }] }), [
    "spec.loadBalancers[1].name",
  ]);
  assert.equal(clusterWith({ vpc: { name: "a" } }, { [CREATES]: "false" }), []);
  assert.equal(clusterWith({}, { [CREATES]: "yes" }), [`metadata.annotations[${CREATES}]`]);
  const spec = at(template, "spec", "template", "spec");
  const templateWith = (more: JsonObject) =>
    fields({ ...template, spec: { template: { spec: { ...(isObject(spec) ? spec : {}), ...more } } } });
  const field = "spec.template.spec";
  assert.equal(templateWith({ memoryGiB: 1 }), [`${field}.memoryGiB`]);
  assert.equal(templateWith({ processors: "0.1" }), [`${field}.processors`]);
  assert.equal(templateWith({ processors: "x" }), [`${field}.processors`]);
  assert.equal(templateWith({ imageRef: { name: "" } }), [`${field}.imageRef`]);
  assert.equal(templateWith({ image: { id: "a" } }), [`${field}.imageRef`]);
  assert.equal(templateWith({ network: { id: "a", regex: "b" } }), [`${field}.network`]);
});

test("metadata.json has what finds the cluster again", () => {
  const { metadata } = platform.ignition ?? {};
  const made = (text: string, facts: CloudFacts, release?: string) =>
    at(metadata?.(inputOf(text, facts, release)), "powervs");
  const open = made(configText(), factsWith());
  assert.equal([at(open, "region"), at(open, "zone"), at(open, "vpcName")], ["dal", "dal10", ""]);
  assert.not.equal(at(open, "cisInstanceCRN"), "");
  assert.is(at(open, "dnsInstanceCRN"), "");
  assert.is(at(made(configText(), factsWith(), "4.19"), "vpcName"), undefined);
  const closed = made(DISCONNECTED, CLOSED);
  assert.is(at(closed, "cisInstanceCRN"), "");
  assert.is(at(closed, "vpcName"), "birds-vpc");
});

test("the supplement says what is left, and no secret", () => {
  const areas = (text: string, facts?: CloudFacts) =>
    platform.supplement(inputOf(text, facts)).map(({ area }) => area);
  assert.equal(areas(configText()), [
    "provider",
    "credentials",
    "dns",
    "security-groups",
    "ssh-key",
    "bootstrap",
    "bootstrap",
  ]);
  const closed = platform.supplement(inputOf(DISCONNECTED, CLOSED));
  assert.ok(closed.some(({ area }) => area === "private-endpoints"));
  assert.match(JSON.stringify(closed), "permitted-network-add");
  assert.not.match(JSON.stringify(closed), "planted");
});

test("the control plane takes Konnectivity's connections from 5.0 on", async () => {
  const ports = async (release: string): Promise<readonly Json[]> => {
    const { objects } = await objectsOf(configText(), factsWith(), release);
    const groups = at(objects.get("40_infrastructure-cluster.yaml"), "spec", "vpcSecurityGroups");
    const found = isList(groups)
      ? groups.find((group) => /control-plane$/.test(String(at(group, "name"))))
      : undefined;
    const rules = at(found, "rules");
    return isList(rules) ? rules.map((rule) => at(rule, "source", "portRange", "minimumPort") ?? null) : [];
  };
  assert.equal(await ports("4.22"), [10258, 22623, 443]);
  assert.equal(await ports("5.0"), [10258, 22623, 8091, 443]);
});

test.run();
