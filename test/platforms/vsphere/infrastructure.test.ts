/** Cluster API objects of vsphere: where machines go, who logs in, and what the provider cannot have. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Problem } from "../../../src/core/diagnostics.js";
import { isList, isObject, type Json, type JsonObject } from "../../../src/core/json.js";
import { infrastructure } from "../../../src/platforms/vsphere/infrastructure/objects.js";
import { networkArguments } from "../../../src/platforms/vsphere/machines/addresses.js";
import { rendered } from "../../helpers/aws.js";
import { type Edits, releaseOf } from "../../helpers/install-configs.js";
import { PLANTED } from "../../helpers/planted.js";
import { FLAT, HOST_GROUPS, TWO_VCENTERS, vsphereConfig, vsphereInput } from "../../helpers/vsphere.js";

const test = suite("vsphere: Cluster API objects");

async function made(edits: Edits = {}, release = "4.22") {
  const problems: Problem[] = [];
  const input = vsphereInput(vsphereConfig(edits, release), { release: releaseOf(release) });
  const plan = infrastructure(input, { release: input.release, report: (problem) => problems.push(problem) });
  const objects = await rendered(plan.objects);
  const at = (file: string, ...path: readonly (string | number)[]): Json | undefined =>
    path.reduce<Json | undefined>((value, step) => {
      if (isObject(value)) return value[step];
      return isList(value) ? value[Number(step)] : undefined;
    }, objects.get(file));
  return { plan, objects, at, problems };
}

/** Code and field of what is said about a config, without making its objects. */
function said(edits: Edits): string[] {
  const problems: Problem[] = [];
  const input = vsphereInput(vsphereConfig(edits));
  infrastructure(input, { release: input.release, report: (problem) => problems.push(problem) });
  return problems.map(({ code, severity = "error", field = "" }) => `${severity} ${code} ${field}`).sort();
}

const TEMPLATE = ["50_machine-template.yaml", "spec", "template", "spec"] as const;
const [FILE, ...SPEC] = TEMPLATE;

test("one failure domain is written into the template, and nothing selects others", async () => {
  const { objects, at, problems } = await made({ "controlPlane.platform.vsphere.zones": ["west"] });
  assert.equal(
    [...objects.keys()],
    [
      "10_credentials-identity.yaml",
      "10_credentials-secret.yaml",
      "40_infrastructure-cluster.yaml",
      "50_machine-template.yaml",
    ],
  );
  assert.is(at("40_infrastructure-cluster.yaml", "spec", "failureDomainSelector"), undefined);
  assert.is(at(FILE, ...SPEC, "resourcePool"), "/bay/host/west/Resources");
  assert.is(at(FILE, ...SPEC, "template"), "gannet-x2x2x-rhcos-west");
  assert.equal(at(FILE, ...SPEC, "network", "devices"), [
    { dhcp4: true, networkName: "/bay/host/west/net-west" },
  ]);
  assert.equal(problems, []);
});

test("several are deployment zones that the cluster selects by its name", async () => {
  const { at } = await made();
  assert.equal(at("40_infrastructure-cluster.yaml", "spec", "failureDomainSelector"), {
    matchLabels: { "cluster.x-k8s.io/cluster-name": "gannet-x2x2x" },
  });
  assert.equal(at("36_deployment-zone-west.yaml", "spec"), {
    controlPlane: true,
    failureDomain: "gannet-x2x2x-west",
    placementConstraint: { folder: "/bay/vm/gannet-x2x2x", resourcePool: "/bay/host/west/Resources" },
    server: "https://vcenter.sea.example.org",
  });
  assert.equal(at("35_failure-domain-west.yaml", "spec"), {
    region: { name: "shore", tagCategory: "openshift-region", type: "Datacenter" },
    zone: { name: "west", tagCategory: "openshift-zone", type: "ComputeCluster" },
    topology: {
      computeCluster: "/bay/host/west",
      datacenter: "bay",
      datastore: "/bay/datastore/west",
      networks: ["/bay/host/west/net-west"],
    },
  });
});

test("a host group names the machines' group too, which needs a zone even where it is alone", async () => {
  const { at } = await made({ ...HOST_GROUPS, "controlPlane.platform.vsphere.zones": ["east"] });
  assert.equal(at("35_failure-domain-east.yaml", "spec", "topology", "hosts"), {
    hostGroupName: "ashore",
    vmGroupName: "gannet-x2x2x-east",
  });
  assert.is(at("35_failure-domain-west.yaml", "spec"), undefined);
});

test("the flat spelling makes the same objects", async () => {
  const { at } = await made({ ...FLAT, "platform.vsphere.folder": "/bay/vm/gannets/shore" });
  assert.is(at(FILE, ...SPEC, "folder"), "/bay/vm/gannets/shore");
  assert.is(at(FILE, ...SPEC, "datastore"), "/bay/datastore/sand");
  assert.is(at(FILE, ...SPEC, "template"), "gannet-x2x2x-rhcos-generated-failure-domain");
});

test("an install-config of old for machines that its user starts lacks what the provider's machines need", () => {
  const none = { ...FLAT, "platform.vsphere.cluster": undefined, "platform.vsphere.network": undefined };
  assert.equal(said(none), [
    "error CAPI101 platform.vsphere.failureDomains[0].topology.computeCluster",
    "error CAPI101 platform.vsphere.failureDomains[0].topology.networks",
  ]);
  assert.equal(said({ ...FLAT, "platform.vsphere.network": undefined }), [
    "error CAPI101 platform.vsphere.failureDomains[0].topology.networks",
  ]);
});

test("4.18 names templates by region and zone", async () => {
  const { at } = await made({}, "4.18");
  assert.is(at(FILE, ...SPEC, "template"), "gannet-x2x2x-rhcos-shore-east");
});

test("the login is a Secret beside the provider, which the identity names for the cluster namespace", async () => {
  const { objects, plan } = await made();
  const secret = objects.get("10_credentials-secret.yaml");
  assert.equal(secret?.["data"], {
    password: Buffer.from(PLANTED.password).toString("base64"),
    username: Buffer.from("mariner@sea.example").toString("base64"),
  });
  const meta: JsonObject = isObject(secret?.["metadata"]) ? secret["metadata"] : {};
  assert.is(meta["namespace"], "capv-system");
  assert.equal(
    plan.objects.filter((each) => each.secret === true).map(({ path }) => path),
    ["10_credentials-secret.yaml"],
  );
  assert.not.match(
    JSON.stringify([...objects].filter(([path]) => !path.includes("secret"))),
    PLANTED.password,
  );
});

test("of several vCenters the login is that of the first machine's, and the others are warned of", async () => {
  const { objects, problems } = await made({
    ...TWO_VCENTERS,
    "controlPlane.platform.vsphere.zones": ["west", "east"],
  });
  const secret = objects.get("10_credentials-secret.yaml");
  const data: JsonObject = isObject(secret?.["data"]) ? secret["data"] : {};
  assert.is(data["username"], Buffer.from("angler").toString("base64"));
  assert.equal(
    problems.map(({ code, field }) => `${code} ${field}`),
    ["CAPI102 platform.vsphere.failureDomains[0].server"],
  );
  assert.equal(said({ ...TWO_VCENTERS, "controlPlane.platform.vsphere.zones": ["east"] }), []);
});

const DOMAIN = "platform.vsphere.failureDomains[0]";
const REFUSED: readonly (readonly [string, Edits, ...string[]])[] = [
  ["as it is", {}],
  ["a name that no object may have", { [`${DOMAIN}.name`]: "East_Side" }, `error CAPI101 ${DOMAIN}.name`],
  [
    "such a name where it stays a text",
    { [`${DOMAIN}.name`]: "East_Side", "controlPlane.platform.vsphere.zones": ["west"] },
  ],
  [
    "types that nobody knows",
    { [`${DOMAIN}.regionType`]: "Ocean", [`${DOMAIN}.zoneType`]: "Island" },
    `error CAPI101 ${DOMAIN}.regionType`,
    `error CAPI101 ${DOMAIN}.zoneType`,
  ],
  [
    "a name that makes that of the template too long",
    { [`${DOMAIN}.name`]: "e".repeat(62) },
    `error CAPI101 ${DOMAIN}.name`,
  ],
  [
    "the same with a template of its own",
    { [`${DOMAIN}.name`]: "e".repeat(62), [`${DOMAIN}.topology.template`]: "/bay/vm/rhcos" },
  ],
  [
    "one CPU",
    { "controlPlane.platform.vsphere": { cpus: 1, coresPerSocket: 1 } },
    "error CAPI101 controlPlane.platform.vsphere.cpus",
  ],
  ["two CPUs", { "controlPlane.platform.vsphere": { cpus: 2, coresPerSocket: 1 } }],
];

for (const [title, edits, ...problems] of REFUSED) test(title, () => assert.equal(said(edits), problems));

const KARGS: readonly (readonly [string[], string, string[], string])[] = [
  [
    ["10.20.0.21/16"],
    "10.20.0.1",
    ["10.20.0.2", "fd00::2"],
    "ip=10.20.0.21::10.20.0.1:255.255.0.0:::none nameserver=10.20.0.2 nameserver=[fd00::2]",
  ],
  [["10.20.0.21/23"], "", [], "ip=10.20.0.21:::255.255.254.0:::none"],
  [
    ["10.20.0.21/32", "fd00:20::0021/64"],
    "fd00:20::1",
    [],
    "ip=10.20.0.21:::255.255.255.255:::none ip=[fd00:20::21]::[fd00:20::1]:64:::none",
  ],
  [["10.20.0.21/0"], "10.20.0.1", [], "ip=10.20.0.21::10.20.0.1:0.0.0.0:::none"],
];

for (const [ipAddrs, gateway, nameservers, line] of KARGS)
  test(`kernel arguments of ${ipAddrs.join(" and ")}`, () =>
    assert.is(networkArguments({ networkDevice: { ipAddrs, gateway, nameservers } }), line));

test.run();
