/** Objects of openstack: failure domains, what releases change, the one template, definitions of the provider, the rest. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isList, isObject, type Json, type JsonObject } from "../../../src/core/json.js";
import { checkCustomResource, loadCel, readCrd } from "../../../src/crd/schema.js";
import { platform } from "../../../src/platforms/openstack/index.js";
import { webhookFindings } from "../../../src/platforms/openstack/webhook-rules.js";
import type { SupplementItem } from "../../../src/platforms/platform.js";
import { parseYaml } from "../../../src/text/yaml-parse.js";
import type { Edits } from "../../helpers/install-configs.js";
import {
  CLOUDS,
  FACTS,
  IPV6_ALONE,
  login,
  OWN_SUBNET,
  OWN_SUBNETS,
  openstackCase,
  uuid,
} from "../../helpers/openstack.js";
import { type CaseMade, makeCase } from "../../helpers/platform-cases.js";
import { withShared } from "../../helpers/shared.js";

const test = suite("openstack: objects");

const at = (value: Json | undefined, ...path: readonly string[]): Json | undefined =>
  path.reduce<Json | undefined>(
    (found, name) => (isObject(found) ? found[name] : isList(found) ? found[Number(name)] : undefined),
    value,
  );
const MASTER = "/controlPlane.platform.openstack";
const WORKER = "/compute[0].platform.openstack";
const masterOf = ({ files }: CaseMade, number: number | string): Json | undefined =>
  at(
    files.get(`openshift/99_openshift-cluster-api_master-machines-${number}.yaml`),
    ..."spec.providerSpec.value".split("."),
  );
const setOf = ({ files }: CaseMade, number: number | string): Json | undefined =>
  files.get(`openshift/99_openshift-cluster-api_worker-machineset-${number}.yaml`);
const specOf = (made: CaseMade, number: number | string): Json | undefined =>
  at(setOf(made, number), ..."spec.template.spec.providerSpec.value".split("."));
const controlPlaneSetOf = ({ files }: CaseMade): Json | undefined =>
  at(
    files.get("openshift/99_openshift-machine-api_master-control-plane-machine-set.yaml"),
    ..."spec.template.machines_v1beta1_machine_openshift_io".split("."),
  );
const clusterOf = ({ infrastructure }: CaseMade): Json | undefined =>
  at(infrastructure.get("40_infrastructure-cluster.yaml"), "spec");
const templateOf = ({ infrastructure }: CaseMade): Json | undefined =>
  at(infrastructure.get("50_machine-template.yaml"), "spec", "template", "spec");
const warnings = ({ diagnostics }: CaseMade): string[] =>
  diagnostics.filter(({ code }) => code.startsWith("CAPI")).map(({ code, field }) => `${code} ${field}`);

test("machines take turns in the failure domains; sets share the machines", async () => {
  const made = await openstackCase({
    [MASTER]: {
      zones: ["a", "b"],
      rootVolume: { size: 100, types: ["s", "t"], zones: ["z"] },
    },
    "/compute[0].replicas": 7,
    [WORKER]: { zones: ["a", "b", "c"] },
  });
  const places = [0, 1, 2].map((n) => [
    at(masterOf(made, n), "availabilityZone"),
    at(masterOf(made, n), "rootVolume", "availabilityZone"),
    at(masterOf(made, n), "rootVolume", "volumeType"),
    at(masterOf(made, n), "serverGroupName"),
  ]);
  const group = "gannet-abcde-master";
  assert.equal(places, [
    ["a", "z", "s", group],
    ["b", "z", "t", group],
    ["a", "z", "s", group],
  ]);
  assert.equal(at(controlPlaneSetOf(made), "failureDomains"), {
    openstack: [
      { availabilityZone: "a", rootVolume: { availabilityZone: "z", volumeType: "s" } },
      { availabilityZone: "b", rootVolume: { availabilityZone: "z", volumeType: "t" } },
    ],
    platform: "OpenStack",
  });
  assert.equal(at(controlPlaneSetOf(made), "spec", "providerSpec", "value", "rootVolume"), {
    diskSize: 100,
    sourceUUID: "gannet-abcde-rhcos",
  });
  const sets = [0, 1, 2].map((n) => [
    at(setOf(made, n), "metadata", "name"),
    at(setOf(made, n), "spec", "replicas"),
    at(specOf(made, n), "availabilityZone"),
    at(specOf(made, n), "serverGroupName"),
  ]);
  assert.equal(
    sets,
    ["a", "b", "c"].map((zone, n) => [
      `gannet-abcde-worker-${n}`,
      n === 0 ? 3 : 2,
      zone,
      `gannet-abcde-worker-${zone}`,
    ]),
  );
});

test("volume types alone are failure domains too, and no zones are none", async () => {
  const types = await openstackCase({ [WORKER]: { rootVolume: { size: 100, types: ["s", "t"] } } });
  assert.equal(
    [0, 1].map((n) => at(specOf(types, n), "rootVolume", "volumeType")),
    ["s", "t"],
  );
  assert.equal(
    [0, 1].map((n) => at(specOf(types, n), "serverGroupName")),
    ["gannet-abcde-worker", "gannet-abcde-worker"],
  );
  assert.is(at(controlPlaneSetOf(types), "failureDomains"), undefined);
  assert.is(at(masterOf(types, 0), "availabilityZone"), undefined);
  const volume = await openstackCase({ [MASTER]: { rootVolume: { size: 100, types: ["s"] } } });
  assert.equal(at(controlPlaneSetOf(volume), "failureDomains", "openstack"), [
    { rootVolume: { volumeType: "s" } },
  ]);
});

test("a pool's settings over those of all pools", async () => {
  const made = await openstackCase({
    defaultMachinePlatform: {
      type: "m1.xlarge",
      rootVolume: { size: 200, types: ["slow"], zones: ["z"] },
      additionalNetworkIDs: [uuid(9)],
      additionalSecurityGroupIDs: [uuid(2)],
    },
    [WORKER]: {
      type: "m1.large",
      rootVolume: { size: 50, types: ["fast"] },
      additionalNetworkIDs: [],
      additionalSecurityGroupIDs: [uuid(3)],
    },
  });
  const spec = specOf(made, 0);
  assert.is(at(spec, "flavor"), "m1.large");
  assert.equal(at(spec, "rootVolume"), {
    availabilityZone: "z",
    diskSize: 50,
    sourceUUID: "gannet-abcde-rhcos",
    volumeType: "fast",
  });
  assert.equal(at(spec, "networks"), [
    { filter: {}, subnets: [{ filter: { tags: "openshiftClusterID=gannet-abcde" } }] },
  ]);
  assert.equal(at(spec, "securityGroups", "1"), { filter: {}, uuid: uuid(3) });
  assert.equal(at(masterOf(made, 0), "networks", "1"), {
    filter: {},
    noAllowedAddressPairs: true,
    uuid: uuid(9),
  });
  assert.equal(at(masterOf(made, 0), "image"), "");
});

test("the image is uploaded under the cluster name, or is there under its own", async () => {
  const imageFor = async (clusterOSImage: string): Promise<Json | undefined> =>
    at(masterOf(await openstackCase({ clusterOSImage }), 0), "image");
  assert.is(await imageFor("https://images.example.net/rhcos.qcow2"), "gannet-abcde-rhcos");
  assert.is(await imageFor("file:///tmp/rhcos"), "gannet-abcde-rhcos");
  assert.is(await imageFor("rhcos 9"), "rhcos 9");
});

test("subnets of one's own", async () => {
  const one = await openstackCase({ ...OWN_SUBNET, "controlPlanePort.network": { name: "n" } });
  assert.equal(at(masterOf(one, 0), "networks", "0"), {
    filter: { name: "n" },
    subnets: [{ filter: { id: uuid(1) } }],
  });
  assert.is(at(masterOf(one, 0), "primarySubnet"), uuid(1));
  assert.equal(at(clusterOf(one), "network"), { filter: { name: "n" } });
  assert.equal(at(clusterOf(one), "subnets"), [{ id: uuid(1) }]);
  assert.is(at(clusterOf(one), "managedSubnets"), undefined);
  assert.equal(at(templateOf(one), "ports", "0"), {
    allowedAddressPairs: [{ ipAddress: "10.20.0.5" }, { ipAddress: "10.20.0.7" }],
    fixedIPs: [{ subnet: { id: uuid(1) } }],
    network: { filter: { name: "n" } },
  });
  const two = await openstackCase(OWN_SUBNETS, {
    ...FACTS,
    subnets: [
      { id: uuid(1), name: "four", network: uuid(7), cidr: "10.20.0.0/16" },
      { id: uuid(2), name: "six", network: uuid(7), cidr: "fd00:20::/64" },
    ],
  });
  assert.equal(two.errors, []);
  assert.equal(at(masterOf(two, 0), "networks", "0"), {
    filter: { id: uuid(7) },
    subnets: [{ filter: { name: "four" } }, { filter: { name: "six" } }],
  });
  assert.is(at(masterOf(two, 0), "primarySubnet"), undefined);
});

test("IPv6 alone", async () => {
  const made = await openstackCase(IPV6_ALONE);
  assert.is(at(masterOf(made, 0), "configDrive"), true);
  assert.is(at(templateOf(made), "configDrive"), true);
  assert.is(at(clusterOf(made), "disableExternalNetwork"), true);
  const pointer = made.files.get("openshift/99_openshift-cluster-api_master-user-data-secret.yaml");
  assert.match(JSON.stringify(pointer), "https://[fd00:20::5]:22623/config/master");
});

test("a load balancer of one's own: no address pairs", async () => {
  const made = await openstackCase({ loadBalancer: { type: "UserManaged" } });
  assert.is(at(templateOf(made), "ports", "0", "allowedAddressPairs"), undefined);
});

/** What the template says of the volume's zone, and what is told. */
const VOLUMES: readonly (readonly [string, JsonObject, Json | undefined, ...string[]])[] = [
  ["none", { rootVolume: { size: 100, types: ["t"] } }, undefined],
  [
    "one for all",
    { zones: ["a", "b"], rootVolume: { size: 100, types: ["t"], zones: ["z"] } },
    { from: "Name", name: "z" },
  ],
  [
    "that of the machine",
    { zones: ["a", "b"], rootVolume: { size: 100, types: ["t"], zones: ["a", "b"] } },
    { from: "Machine" },
  ],
  [
    "another one for each",
    { zones: ["a", "b"], rootVolume: { size: 100, types: ["t"], zones: ["y", "z"] } },
    undefined,
    "CAPI102 controlPlane.platform.openstack.rootVolume.zones",
  ],
  [
    "several types",
    { rootVolume: { size: 100, types: ["t", "u"] } },
    undefined,
    "CAPI102 controlPlane.platform.openstack.rootVolume.types",
  ],
];
for (const [title, section, zone, ...told] of VOLUMES)
  test(`the zone of the volume in the one template: ${title}`, async () => {
    const made = await openstackCase({ [MASTER]: section });
    assert.equal(at(templateOf(made), "rootVolume", "availabilityZone"), zone);
    assert.is(at(templateOf(made), "rootVolume", "type"), "t");
    assert.equal(warnings(made), told);
  });

test("a machine network without room for the subnet, and one of IPv6, are told", async () => {
  const small = await openstackCase({
    apiVIPs: ["10.20.0.5"],
    ingressVIPs: ["10.20.0.6"],
    "/networking.machineNetwork": [{ cidr: "10.20.0.0/29" }],
  });
  assert.equal(warnings(small), ["CAPI101 networking.machineNetwork[0].cidr"]);
  const six = await openstackCase({ ...IPV6_ALONE, controlPlanePort: undefined });
  assert.equal(warnings(six), ["CAPI102 networking.machineNetwork[0].cidr"]);
});

/** What differs by release. */
const RELEASES: readonly (readonly [
  string,
  {
    readonly dns: boolean;
    readonly off: boolean;
    readonly pool: boolean;
    readonly stream?: string;
  },
])[] = [
  ["4.18", { dns: false, off: false, pool: false }],
  ["4.19", { dns: false, off: false, pool: false }],
  ["4.20", { dns: false, off: true, pool: false }],
  ["4.21", { dns: true, off: true, pool: false }],
  ["4.22", { dns: true, off: true, pool: false }],
  ["5.0", { dns: true, off: true, pool: true, stream: "rhel-10" }],
];
for (const [release, { dns, off, pool, stream }] of RELEASES)
  test(`what release ${release} writes`, async () => {
    const made = await openstackCase({}, { ...FACTS, loadBalancerService: false }, release);
    assert.equal(made.errors, []);
    const status = at(
      made.files.get("manifests/cluster-infrastructure-02-config.yml"),
      ..."status.platformStatus.openstack".split("."),
    );
    assert.is(at(status, "loadBalancer", "type"), "OpenShiftManagedDefault");
    assert.is(at(status, "dnsRecordsType"), dns ? "Internal" : undefined);
    assert.is(
      at(made.files.get("manifests/cloud-provider-config.yaml"), "data", "config"),
      `[Global]\nsecret-name = openstack-credentials\nsecret-namespace = kube-system\nregion = RegionOne\n\n[LoadBalancer]\n${off ? "enabled = false" : `floating-network-id = ${uuid(9)}`}\n`,
    );
    assert.equal(
      at(clusterOf(made), "managedSubnets", "0", "allocationPools"),
      pool ? [{ start: "10.20.0.10", end: "10.20.255.254" }] : undefined,
    );
    const label = "machineconfiguration.openshift.io/osstream";
    assert.is(at(setOf(made, 0), "metadata", "labels", label), stream);
    const groups = supplementOf(made, "security-groups");
    assert.is(groups?.what.includes("gannet-abcde-bootstrap"), dns);
    const konnectivity = commandsOf(made, "security-groups").filter((command) =>
      /8091/.test(String(command)),
    );
    assert.is(konnectivity.length, pool ? 1 : 0);
  });

const supplementOf = (made: CaseMade, area: string): SupplementItem | undefined =>
  made.input === undefined ? undefined : platform.supplement(made.input).find((item) => item.area === area);
const commandsOf = (made: CaseMade, area: string): readonly Json[] => {
  const commands = supplementOf(made, area)?.details["commands"];
  return isList(commands) ? commands : [];
};

test("rules of the security groups, by family and by where the workload runs", async () => {
  const rulesOf = async (edits: Edits, group: string, what: RegExp): Promise<readonly Json[]> =>
    commandsOf(await openstackCase(edits), "security-groups").filter(
      (line) => String(line).endsWith(` gannet-abcde-${group}`) && what.test(String(line)),
    );
  assert.is((await rulesOf({}, "master", /dst-port 443 /)).length, 0);
  assert.is((await rulesOf({ "/compute[0].replicas": 0 }, "master", /dst-port (80|443|1936) /)).length, 3);
  assert.equal(await rulesOf({}, "worker", /dst-port 1936/), [
    "openstack security group rule create --ingress --ethertype IPv4 --protocol tcp --dst-port 1936 --remote-ip 10.20.0.0/16 gannet-abcde-worker",
  ]);
  const both = { ...OWN_SUBNETS, "controlPlanePort.network": { name: "n" } };
  assert.is((await rulesOf(both, "master", /dst-port 6443 /)).length, 4);
  assert.is((await rulesOf(both, "master", /dst-port 4500 /)).length, 1);
  assert.is((await rulesOf(IPV6_ALONE, "master", /IPv4/)).length, 0);
});

test("what else is left to do", async () => {
  const plain = await openstackCase({
    [MASTER]: { zones: ["a", "b"] },
    [WORKER]: { serverGroupPolicy: "affinity" },
  });
  assert.equal(commandsOf(plain, "server-groups"), [
    "openstack --os-compute-api-version 2.64 server group create --policy soft-anti-affinity gannet-abcde-master",
    "openstack --os-compute-api-version 2.64 server group create --policy affinity gannet-abcde-worker",
  ]);
  assert.equal(commandsOf(plain, "floating-ips"), [
    "openstack floating ip set --port gannet-abcde-api-port 198.51.100.5",
    "openstack floating ip set --port gannet-abcde-ingress-port 198.51.100.7",
  ]);
  assert.equal(supplementOf(plain, "failure-domains")?.details["machines"], [
    { machine: "gannet-abcde-master-0", failureDomain: "a" },
    { machine: "gannet-abcde-master-1", failureDomain: "b" },
    { machine: "gannet-abcde-master-2", failureDomain: "a" },
  ]);
  assert.equal(supplementOf(plain, "dns")?.details["records"], [
    { name: "api.gannet.sea.example.org", type: "A", address: "198.51.100.5" },
    { name: "*.apps.gannet.sea.example.org", type: "A", address: "198.51.100.7" },
  ]);
  const named = await openstackCase({ clusterOSImage: "rhcos", loadBalancer: { type: "UserManaged" } });
  assert.is(supplementOf(named, "image"), undefined);
  assert.is(supplementOf(named, "virtual-ips"), undefined);
  const raw = await openstackCase({
    clusterOSImage: "https://x/y.raw",
    clusterOSImageProperties: { "a b": "c" },
  });
  assert.match(
    String(supplementOf(raw, "image")?.details["command"]),
    "--disk-format raw --tag openshiftClusterID=gannet-abcde --property 'a b=c' --file",
  );
  const six = await openstackCase(IPV6_ALONE);
  assert.is(supplementOf(six, "virtual-ips")?.when, "before");
});

test("no password leaves its Secrets", async () => {
  const made = await openstackCase();
  const password = /password: (\S+)/.exec(CLOUDS)?.[1] ?? "";
  assert.ok(password.length > 5);
  const secret = new Set(["openshift/99_cloud-creds-secret.yaml", "10_credentials-clouds.yaml"]);
  const decoded = (value: Json): string =>
    typeof value === "string"
      ? `${value} ${Buffer.from(value, "base64").toString("utf8")}`
      : isList(value)
        ? value.map(decoded).join(" ")
        : isObject(value)
          ? Object.values(value).map(decoded).join(" ")
          : "";
  const found = [...made.files, ...made.infrastructure].filter(([, object]) =>
    decoded(object).includes(password),
  );
  assert.equal(
    found.map(([path]) => path),
    [...secret],
  );
  assert.not.match(JSON.stringify(made.input === undefined ? [] : platform.supplement(made.input)), password);
});

/** Configs whose objects hold every member that there is. */
const VARIANTS: Readonly<Record<string, Edits>> = {
  plain: {},
  "own subnet": { ...OWN_SUBNET, "controlPlanePort.network": { id: uuid(7) } },
  "own subnets": { ...OWN_SUBNETS, "controlPlanePort.network": { name: "n" } },
  "IPv6 alone": IPV6_ALONE,
  "volume of the machine's zone": {
    [MASTER]: {
      zones: ["a", "b"],
      rootVolume: { size: 100, types: ["t"], zones: ["a", "b"] },
      additionalNetworkIDs: [uuid(9)],
      additionalSecurityGroupIDs: [uuid(2)],
    },
  },
  "volume of one zone": { [MASTER]: { rootVolume: { size: 100, types: ["t"], zones: ["z"] } } },
  "load balancer of one's own": { loadBalancer: { type: "UserManaged" }, externalDNS: [] },
};

function definition(folder: string, kind: string) {
  const value = parseYaml(readFileSync(join(folder, `${kind}.yaml`), "utf8"));
  const crd = isObject(value) ? readCrd(value) : undefined;
  if (crd === undefined) throw new Error(`${kind}.yaml is not a definition`);
  return crd;
}

for (const [name, edits] of Object.entries(VARIANTS))
  withShared(test, "data/crds", `the provider's definitions: ${name}`, async (folder) => {
    const cel = await loadCel();
    const made = await openstackCase(edits);
    assert.equal(made.errors, []);
    const objects: readonly JsonObject[] = [...made.infrastructure.values()].filter(
      ({ kind }) => kind !== "Secret",
    );
    assert.equal(
      objects.map(({ kind }) => kind),
      ["OpenStackCluster", "OpenStackMachineTemplate"],
    );
    for (const object of objects)
      assert.equal(checkCustomResource(definition(folder, String(object["kind"])), object, cel), []);
  });

for (const [name, edits] of Object.entries(VARIANTS))
  test(`the normal form is compiled to the same objects: ${name}`, async () => {
    const first = await openstackCase(edits);
    const { credentials } = login(CLOUDS);
    assert.ok(credentials);
    const again = await makeCase(first.asset?.normalForm ?? "", { facts: { openstack: FACTS }, credentials });
    const objects = ({ files, infrastructure }: CaseMade) =>
      [...files, ...infrastructure].filter(([path]) => !/user-data|root-ca|machine-config-server/.test(path));
    assert.ok(objects(first).length > 20);
    assert.equal(objects(again), objects(first));
  });

test("what the webhooks of the provider refuse", async () => {
  const { infrastructure } = await openstackCase();
  for (const object of infrastructure.values()) assert.equal(webhookFindings(object), []);
  const found = (kind: string, spec: JsonObject): string[] =>
    webhookFindings({ apiVersion: "infrastructure.cluster.x-k8s.io/v1beta1", kind, spec }).map(
      ({ kind: how, field }) => `${how} ${field}`,
    );
  assert.equal(found("OpenStackMachineTemplate", { template: { spec: { providerID: "openstack:///x" } } }), [
    "Forbidden spec.template.spec.providerID",
  ]);
  const rules = [{ remoteIPPrefix: "::/0" }, { remoteGroupID: "x", remoteManagedGroups: [] }];
  assert.equal(found("OpenStackCluster", { managedSecurityGroups: { allNodesSecurityGroupRules: rules } }), [
    "Forbidden spec.managedSecurityGroups.allNodesSecurityGroupRules[1]",
  ]);
  assert.equal(found("AWSCluster", { managedSecurityGroups: { allNodesSecurityGroupRules: rules } }), []);
});

test("what the ignition phase gets", async () => {
  const { input } = await openstackCase();
  assert.ok(input);
  assert.equal(platform.ignition?.metadata?.(input), {
    openstack: { cloud: "birds", identifier: { openshiftClusterID: "gannet-abcde" } },
  });
  assert.equal(
    platform.ignition
      ?.bootstrap?.({ ...input, manifestFiles: [], mediaServer: undefined })
      .files.map(({ path, mode, data }) => [path, mode, String(data)]),
    [
      ["/etc/NetworkManager/conf.d/02-ipv6.conf", 0o600, "[connection]\nipv6.addr-gen-mode=0\n"],
      ["/etc/NetworkManager/conf.d/99-openstack.conf", 0o600, "[main]\nrc-manager=unmanaged\n"],
    ],
  );
});

test.run();
