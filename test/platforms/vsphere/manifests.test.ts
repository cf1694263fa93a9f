/** Config objects and machines of vsphere, by release where releases differ. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isList, isObject, type Json, type JsonObject } from "../../../src/core/json.js";
import { machines } from "../../../src/platforms/vsphere/machines/machines.js";
import { manifests } from "../../../src/platforms/vsphere/manifests.js";
import { parseYaml } from "../../../src/text/yaml-parse.js";
import { rendered } from "../../helpers/aws.js";
import { DUAL_STACK, type Edits, releaseOf } from "../../helpers/install-configs.js";
import { PLANTED } from "../../helpers/planted.js";
import {
  FLAT,
  HOST_GROUPS,
  HOSTS,
  TWO_VCENTERS,
  vsphereConfig,
  vsphereInput,
} from "../../helpers/vsphere.js";

const test = suite("vsphere: config objects and machines");

const TECH_PREVIEW: Edits = { featureSet: "TechPreviewNoUpgrade" };

const input = (edits: Edits = {}, release = "4.22") =>
  vsphereInput(vsphereConfig(edits, release), { release: releaseOf(release) });

const at = (value: Json | undefined, ...path: readonly (string | number)[]): Json | undefined =>
  path.reduce<Json | undefined>((each, step) => {
    if (isObject(each)) return each[step];
    return isList(each) ? each[Number(step)] : undefined;
  }, value);

function infrastructureOf(edits: Edits = {}, release = "4.22") {
  const { spec, status } = manifests.infrastructure(input(edits, release));
  return { spec: spec["vsphere"], status: status["vsphere"] };
}

const VIPS = ["10.20.0.0/16", "10.20.0.5/32", "10.20.0.7/32"];

test("Infrastructure: virtual IPs are networks since 4.19, and the first one is named apart before", () => {
  const { spec, status } = infrastructureOf();
  assert.equal(at(spec, "machineNetworks"), VIPS);
  assert.equal(status, {
    apiServerInternalIPs: ["10.20.0.5"],
    ingressIPs: ["10.20.0.7"],
    dnsRecordsType: "Internal",
    machineNetworks: VIPS,
  });
  assert.equal(infrastructureOf({}, "4.18").status, {
    apiServerInternalIP: "10.20.0.5",
    apiServerInternalIPs: ["10.20.0.5"],
    ingressIP: "10.20.0.7",
    ingressIPs: ["10.20.0.7"],
    machineNetworks: ["10.20.0.0/16"],
  });
  assert.is(at(infrastructureOf({}, "4.20").status, "dnsRecordsType"), undefined);
});

test("Infrastructure: flat fields without a cluster and a network are no failure domain", () => {
  const edits = { ...FLAT, "platform.vsphere.cluster": undefined, "platform.vsphere.network": undefined };
  assert.not.ok("failureDomains" in Object(infrastructureOf(edits).spec));
  assert.ok("failureDomains" in Object(infrastructureOf(FLAT).spec));
});

test("Infrastructure: no virtual IPs, and networks that are virtual IPs", () => {
  const none = { "platform.vsphere.apiVIPs": undefined, "platform.vsphere.ingressVIPs": undefined };
  for (const release of ["4.22", "5.0"])
    assert.equal(
      infrastructureOf(none, release).status,
      { apiServerInternalIPs: null, ingressIPs: null, machineNetworks: ["10.20.0.0/16"] },
      release,
    );
  const own = { "networking.machineNetwork": [{ cidr: "10.20.0.7/32" }, { cidr: "10.20.0.5/32" }] };
  assert.equal(at(infrastructureOf(own).spec, "machineNetworks"), ["10.20.0.7/32", "10.20.0.5/32"]);
});

test("Infrastructure: networks of nodes are the machines' by default since 4.22, before with their gate", () => {
  const networks = { networkSubnetCidr: ["10.20.0.0/16"] };
  const both = { external: networks, internal: networks };
  assert.equal(at(infrastructureOf({}, "5.0").spec, "nodeNetworking"), both);
  assert.equal(at(infrastructureOf({}, "4.22").spec, "nodeNetworking"), both);
  assert.equal(at(infrastructureOf({}, "4.19").spec, "nodeNetworking"), { external: {}, internal: {} });
  const given = {
    "platform.vsphere.nodeNetworking": {
      external: { network: "net-east", excludeNetworkSubnetCidr: ["10.20.9.0/24"] },
    },
    ...TECH_PREVIEW,
  };
  assert.equal(at(infrastructureOf(given, "4.19").spec, "nodeNetworking"), {
    external: { network: "net-east", excludeNetworkSubnetCidr: ["10.20.9.0/24"] },
    internal: {},
  });
});

test("Infrastructure: host groups since 4.19, up to 4.21 with their gate", () => {
  const affinity = (release: string, more: Edits = {}) =>
    at(infrastructureOf({ ...HOST_GROUPS, ...more }, release).spec, "failureDomains", 0, "zoneAffinity");
  const group = {
    type: "HostGroup",
    hostGroup: { hostGroup: "ashore", vmGroup: "gannet-x2x2x-east", vmHostRule: "gannet-x2x2x-east" },
  };
  assert.equal(affinity("4.22"), group);
  assert.equal(affinity("4.19", TECH_PREVIEW), group);
});

test("Infrastructure: templates by name, and those that are brought along", () => {
  const templates = (release: string) => {
    const own = { "platform.vsphere.failureDomains[1].topology.template": "/bay/vm/rhcos" };
    const { spec } = infrastructureOf(own, release);
    return [0, 1].map((index) => at(spec, "failureDomains", index, "topology", "template"));
  };
  assert.equal(templates("4.22"), ["/bay/vm/gannet-x2x2x-rhcos-east", "/bay/vm/rhcos"]);
  assert.equal(templates("4.18"), ["/bay/vm/gannet-x2x2x-rhcos-shore-east", "/bay/vm/rhcos"]);
});

const cloudConfig = (edits: Edits = {}, release = "4.22"): string =>
  manifests.cloudProviderConfig?.(input(edits, release))?.["config"] ?? "";

test("cloud config of 5.0: what is set alone", () => {
  assert.equal(parseYaml(cloudConfig({}, "5.0")), {
    global: { insecureFlag: true, secretName: "vsphere-creds", secretNamespace: "kube-system" },
    labels: { region: "openshift-region", zone: "openshift-zone" },
    nodes: { externalNetworkSubnetCidr: "10.20.0.0/16", internalNetworkSubnetCidr: "10.20.0.0/16" },
    vcenter: {
      "vcenter.sea.example.org": {
        server: "vcenter.sea.example.org",
        port: 443,
        datacenters: ["bay", "cove"],
      },
    },
  });
  const own = parseYaml(
    cloudConfig(
      {
        "platform.vsphere.nodeNetworking": {
          external: { networkSubnetCidr: ["10.20.0.0/17", "10.20.128.0/17"], network: "net-east" },
          internal: { excludeNetworkSubnetCidr: ["10.20.9.0/24"] },
        },
      },
      "5.0",
    ),
  );
  assert.equal(at(own, "nodes"), {
    externalVmNetworkName: "net-east",
    externalNetworkSubnetCidr: "10.20.0.0/17,10.20.128.0/17",
    excludeInternalNetworkSubnetCidr: "10.20.9.0/24",
  });
  const none = parseYaml(
    cloudConfig({ ...FLAT, "platform.vsphere.nodeNetworking": { external: {} } }, "5.0"),
  );
  assert.equal(isObject(none) ? Object.keys(none).sort() : [], ["global", "vcenter"]);
});

test("cloud config up to 4.22: every member, vCenters in order of their names", () => {
  const text = cloudConfig(TWO_VCENTERS, "4.22");
  assert.is(cloudConfig(TWO_VCENTERS, "4.20"), text);
  const config = parseYaml(text);
  assert.equal(isObject(config) ? Object.keys(config) : [], ["global", "vcenter", "labels"]);
  const vcenters = at(config, "vcenter");
  assert.equal(isObject(vcenters) ? Object.keys(vcenters) : [], [
    "vcenter.lake.example.org",
    "vcenter.sea.example.org",
  ]);
  assert.equal(at(config, "vcenter", "vcenter.lake.example.org"), {
    user: "",
    password: "",
    tenantref: "",
    server: "vcenter.lake.example.org",
    port: 443,
    insecureFlag: true,
    datacenters: ["bay"],
    soapRoundtripCount: 0,
    caFile: "",
    thumbprint: "",
    secretref: "",
    secretName: "",
    secretNamespace: "",
    ipFamily: [],
  });
  assert.equal(at(config, "labels"), { zone: "openshift-zone", region: "openshift-region" });
  assert.equal(at(parseYaml(cloudConfig(FLAT, "4.21")), "labels"), { zone: "", region: "" });
  assert.equal(cloudConfig({}, "4.18"), cloudConfig({}, "4.21"));
});

test("cloud config up to 4.21: a vCenter that counts as it is listed last", () => {
  const twice = {
    "platform.vsphere.vcenters[1]": {
      server: "vcenter.sea.example.org",
      user: "angler",
      password: "line",
      datacenters: ["bay", "cove"],
      port: 8443,
    },
  };
  const vcenters = at(parseYaml(cloudConfig(twice, "4.21")), "vcenter");
  assert.equal(isObject(vcenters) ? Object.keys(vcenters) : [], ["vcenter.sea.example.org"]);
  assert.is(at(vcenters, "vcenter.sea.example.org", "port"), 8443);
});

test("cloud config up to 4.21: a text that could be read as something else is in double quotes", () => {
  const text = cloudConfig(
    { "platform.vsphere.vcenters[0].datacenters": ["bay", "1e3", "yes", "a: b"] },
    "4.20",
  );
  assert.match(text, '\n  user: ""\n');
  assert.match(text, '\n    - bay\n    - "1e3"\n    - "yes"\n    - \'a: b\'\n');
});

test("cloud config of 4.18 without several vCenters: INI", () => {
  const off = { featureSet: "CustomNoUpgrade", featureGates: ["VSphereMultiVCenters=false"] };
  assert.is(
    cloudConfig({ ...off, "platform.vsphere.vcenters[0].port": 8443 }, "4.18"),
    [
      "[Global]",
      'secret-name = "vsphere-creds"',
      'secret-namespace = "kube-system"',
      'insecure-flag = "1"',
      "",
      '[VirtualCenter "vcenter.sea.example.org"]',
      'port = "8443"',
      "",
      'datacenters = "bay,cove"',
      "",
      "[Workspace]",
      'server = "vcenter.sea.example.org"',
      'datacenter = "bay"',
      'default-datastore = "/bay/datastore/east"',
      'folder = "/bay/vm/gannet-x2x2x"',
      'resourcepool-path = "/bay/host/east/Resources"',
      "",
      "[Labels]",
      'region = "openshift-region"',
      'zone = "openshift-zone"',
      "",
    ].join("\n"),
  );
});

test("cloud config as INI: datacenters as they are listed, then those of failure domains alone", () => {
  const off = { featureSet: "CustomNoUpgrade", featureGates: ["VSphereMultiVCenters=false"] };
  const listed = { "platform.vsphere.vcenters[0].datacenters": ["bay", "cove", "bay"] };
  assert.match(cloudConfig({ ...off, ...listed }, "4.18"), '\ndatacenters = "bay,cove,bay"\n');
});

test("the cluster sees no login and no port; before 4.22 no newer members either", () => {
  const given = {
    "platform.vsphere.hosts": HOSTS,
    "platform.vsphere.loadBalancer": { type: "OpenShiftManagedDefault" },
    ...TECH_PREVIEW,
  };
  const seen = (release: string): JsonObject => {
    const config = vsphereConfig(given, release);
    const value: Json = JSON.parse(JSON.stringify(config));
    const redacted =
      manifests.redact?.(
        isObject(value) ? value : {},
        vsphereInput(config, { release: releaseOf(release) }),
      ) ?? {};
    assert.not.match(JSON.stringify(at(redacted, "platform")), PLANTED.password);
    const section = at(redacted, "platform", "vsphere");
    return isObject(section) ? section : {};
  };
  const now = seen("4.22");
  assert.equal(at(now, "vcenters", 0), {
    server: "vcenter.sea.example.org",
    user: "",
    password: "",
    datacenters: ["bay", "cove"],
  });
  const newer = ["hosts", "loadBalancer"];
  assert.ok(newer.every((name) => name in now));
  const before = seen("4.21");
  assert.ok(newer.every((name) => !(name in before)));
  assert.ok("failureDomains" in before);
});

test("credentials of each vCenter, by its name", () => {
  const secret = manifests.credentialsSecret(input(TWO_VCENTERS));
  assert.equal(secret, {
    name: "vsphere-creds",
    data: {
      "vcenter.sea.example.org.username": "mariner@sea.example",
      "vcenter.sea.example.org.password": PLANTED.password,
      "vcenter.lake.example.org.username": "angler",
      "vcenter.lake.example.org.password": PLANTED.password,
    },
  });
});

test("a boot image of one's own is one since 4.22", () => {
  const image = { "platform.vsphere.clusterOSImage": "https://mirror.example.org/rhcos.ova" };
  const template = { "platform.vsphere.failureDomains[0].topology.template": "/bay/vm/rhcos" };
  assert.is(manifests.customBootImage?.(input()), false);
  assert.is(manifests.customBootImage?.(input(image)), true);
  assert.is(manifests.customBootImage?.(input(template)), true);
  assert.is(manifests.customBootImage?.(input(image, "4.21")), false);
});

const SWAP = { type: "swap", swap: { platformDiskID: "scratch" } } as const;

test("the disk of a setup is found by its place among the pool's own data disks", () => {
  const disks = [
    { name: "data", sizeGiB: 10 },
    { name: "scratch", sizeGiB: 20 },
  ];
  const device = (edits: Edits) => {
    const given = input({ ...edits, ...TECH_PREVIEW });
    return manifests.diskDevice?.(given, given.config.controlPlane, SWAP, 0);
  };
  const own = device({ "controlPlane.platform.vsphere.dataDisks": disks });
  assert.match(String(own), /^\/dev\/disk\/by-path\/.*scsi-0:0:2:0$/);
  assert.is(device({ "platform.vsphere.defaultMachinePlatform.dataDisks": disks }), undefined);
  assert.is(device({}), undefined);
});

async function machinesOf(edits: Edits, release = "4.22") {
  const objects = await rendered(machines(input(edits, release)));
  return {
    paths: [...objects.keys()].map((path) => path.replace("openshift/99_openshift-", "")),
    provider: (path: string): Json | undefined => {
      const spec = objects.get(`openshift/99_openshift-${path}.yaml`)?.["spec"];
      return at(spec, "providerSpec", "value") ?? at(spec, "template", "spec", "providerSpec", "value");
    },
    objects,
  };
}

const POOL = (index: number) => ({
  group: "installer.openshift.io",
  name: `default-${index}`,
  resource: "IPPool",
});

test("static addresses: machines one by one, claims and addresses, and sets that are empty", async () => {
  const { paths, provider, objects } = await machinesOf({ "platform.vsphere.hosts": HOSTS });
  assert.is(paths.filter((path) => /^machine-api_claim-/.test(path)).length, 5);
  assert.is(paths.filter((path) => /^machine-api_address-/.test(path)).length, 5);
  assert.ok(paths.includes("cluster-api_worker-machines-1.yaml"));
  for (const index of [0, 1]) {
    const set = objects.get(`openshift/99_openshift-cluster-api_worker-machineset-${index}.yaml`);
    assert.is(at(set, "spec", "replicas"), 0);
  }
  assert.equal(at(provider("cluster-api_master-machines-0"), "network", "devices"), [
    { addressesFromPools: [POOL(0)], nameservers: ["10.20.0.2"], networkName: "net-east" },
  ]);
});

test("sets take addresses from the pools even where no compute machine is there yet", async () => {
  const hosts = HOSTS.filter(({ role }) => role !== "compute");
  const { provider } = await machinesOf({ "platform.vsphere.hosts": hosts, "compute[0].replicas": 0 });
  assert.equal(at(provider("cluster-api_worker-machineset-0"), "network", "devices"), [
    { addressesFromPools: [POOL(0)], networkName: "net-east" },
  ]);
});

test("an address for each family, and the host's failure domain", async () => {
  const hosts: Json[] = HOSTS.map((each) => each);
  hosts[1] = {
    role: "control-plane",
    failureDomain: "west",
    networkDevice: { ipAddrs: ["10.20.0.21/16", "fd00:20::21/64"], gateway: "10.20.0.1" },
  };
  const { provider, paths } = await machinesOf({
    networking: { networkType: "OVNKubernetes", ...DUAL_STACK },
    "platform.vsphere.hosts": hosts,
  });
  const first = provider("cluster-api_master-machines-0");
  assert.equal(at(first, "network", "devices"), [
    { addressesFromPools: [POOL(0), POOL(1)], networkName: "net-west" },
  ]);
  assert.is(at(first, "workspace", "resourcePool"), "/bay/host/west/Resources");
  assert.ok(paths.includes("machine-api_claim-gannet-x2x2x-master-0-claim-0-1.yaml"));
});

test("claims are of v1beta2 in 4.21 alone, where Cluster API makes the machines", async () => {
  const versions = async (release: string, more: Edits) => {
    const { objects } = await machinesOf({ "platform.vsphere.hosts": HOSTS, ...more }, release);
    const claims = [...objects].filter(([path]) => /_(claim|address)-/.test(path));
    return [...new Set(claims.map(([, { apiVersion }]) => apiVersion))];
  };
  const early = ["ipam.cluster.x-k8s.io/v1beta1"];
  assert.equal(await versions("4.21", TECH_PREVIEW), ["ipam.cluster.x-k8s.io/v1beta2"]);
  assert.equal(await versions("4.21", {}), early);
  assert.equal(await versions("4.22", TECH_PREVIEW), early);
  assert.equal(await versions("4.20", TECH_PREVIEW), early);
});

test("machines of a host group name its group of machines", async () => {
  const { provider } = await machinesOf(HOST_GROUPS);
  assert.is(at(provider("cluster-api_master-machines-1"), "workspace", "vmGroup"), "gannet-x2x2x-west");
});

test("an unknown zone of all pools makes no control plane machines here; the rules tell it", async () => {
  const { paths } = await machinesOf({ "platform.vsphere.defaultMachinePlatform.zones": ["nowhere"] });
  assert.equal(
    paths.filter((path) => path.includes("master-machines")),
    [],
  );
});

test.run();
