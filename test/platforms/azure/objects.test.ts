/** Objects of azure: against the provider's own definitions, and what each turn of a config changes in them. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isError } from "../../../src/core/diagnostics.js";
import { isList, isObject, type Json, type JsonObject } from "../../../src/core/json.js";
import { checkCustomResource, loadCel, readCrd } from "../../../src/crd/schema.js";
import { platform } from "../../../src/platforms/azure/index.js";
import { webhookFindings } from "../../../src/platforms/provider-webhooks.js";
import { parseYaml } from "../../../src/text/yaml-parse.js";
import { FACTS, infrastructureOf, inputOf, installConfig, rendered } from "../../helpers/azure.js";
import { VARIANTS } from "../../helpers/azure-variants.js";
import { withShared } from "../../helpers/shared.js";

const test = suite("azure objects");

function crdIn(folder: string, kind: string) {
  const value = parseYaml(readFileSync(join(folder, `${kind}.yaml`), "utf8"));
  const crd = isObject(value) ? readCrd(value) : undefined;
  if (crd === undefined) throw new Error(`${kind}.yaml is not a definition`);
  return crd;
}

const objectsOf = async (name: string): Promise<Map<string, JsonObject>> => {
  const input = VARIANTS[name];
  if (input === undefined) throw new Error(`no variant ${name}`);
  const { objects, diagnostics } = await infrastructureOf(input);
  assert.equal(diagnostics.filter(isError), [], name);
  return objects;
};

const machinesOf = async (name: string): Promise<Map<string, JsonObject>> => {
  const input = VARIANTS[name];
  if (input === undefined) throw new Error(`no variant ${name}`);
  return rendered(platform.machines?.(input) ?? []);
};

/** A member by its path; indexes are numbers. */
function at(value: Json | undefined, ...path: readonly (string | number)[]): Json | undefined {
  return path.reduce<Json | undefined>(
    (node, key) =>
      typeof key === "number"
        ? isList(node)
          ? node[key]
          : undefined
        : isObject(node)
          ? node[key]
          : undefined,
    value,
  );
}

const cluster = async (name: string, ...path: readonly (string | number)[]): Promise<Json | undefined> =>
  at((await objectsOf(name)).get("40_infrastructure-cluster.yaml"), "spec", ...path);
const machine = async (name: string, ...path: readonly (string | number)[]): Promise<Json | undefined> =>
  at((await objectsOf(name)).get("50_machine-template.yaml"), "spec", "template", "spec", ...path);
const provider = async (
  name: string,
  file: "master" | "worker",
  ...path: readonly (string | number)[]
): Promise<Json | undefined> => {
  const all = await machinesOf(name);
  const spec =
    file === "master"
      ? at(all.get("openshift/99_openshift-cluster-api_master-machines-0.yaml"), "spec")
      : at(
          all.get("openshift/99_openshift-cluster-api_worker-machineset-0.yaml"),
          "spec",
          "template",
          "spec",
        );
  return at(spec, "providerSpec", "value", ...path);
};

for (const name of Object.keys(VARIANTS)) {
  withShared(test, "data/crds", `${name}: fits the definitions`, async (folder) => {
    const cel = await loadCel();
    for (const object of (await objectsOf(name)).values()) {
      const kind = String(object["kind"]);
      if (kind === "Secret") continue;
      assert.equal(checkCustomResource(crdIn(folder, kind), object, cel), [], kind);
    }
  });

  test(`${name}: passes the provider's webhooks`, async () => {
    for (const object of (await objectsOf(name)).values()) assert.equal(webhookFindings(object), []);
    for (const object of (await machinesOf(name)).values())
      assert.ok(["Machine", "MachineSet", "ControlPlaneMachineSet"].includes(String(object["kind"])));
  });
}

withShared(test, "data/crds", "the check itself finds what is wrong", async (folder) => {
  const object = (await objectsOf("plain")).get("40_infrastructure-cluster.yaml") ?? {};
  const spec = isObject(object["spec"]) ? object["spec"] : {};
  const bad = { ...object, spec: { ...spec, location: 1, nonsense: 1 } };
  const fields = new Set(checkCustomResource(crdIn(folder, "AzureCluster"), bad).map(({ field }) => field));
  assert.equal([...fields].sort(), ["spec.location", "spec.nonsense"]);
});

const subnets = async (name: string): Promise<Json[]> => {
  const all = await cluster(name, "networkSpec", "subnets");
  return (isList(all) ? all : []).map((each) => ({
    name: at(each, "name") ?? "",
    blocks: at(each, "cidrBlocks") ?? [],
    ...(at(each, "id") === undefined ? {} : { id: at(each, "id") ?? "" }),
    ...(at(each, "natGateway") === undefined
      ? {}
      : { gateway: at(each, "natGateway", "name") ?? "", zones: at(each, "natGateway", "zones") ?? [] }),
  }));
};

test("a network is halved, and nodes without a gateway have an unknown subnet", async () => {
  assert.equal(await subnets("plain"), [
    { name: "plover-abcde-worker-subnet", blocks: ["10.0.128.0/17"], id: "UNKNOWN" },
    { name: "plover-abcde-master-subnet", blocks: ["10.0.0.0/17"] },
  ]);
  assert.is(
    await cluster("plain", "networkSpec", "apiServerLB", "frontendIPs", 0, "privateIP"),
    "10.0.0.100",
  );
});

test("each zone has its gateway and its subnet", async () => {
  assert.equal(await subnets("a gateway for each zone"), [
    {
      name: "plover-abcde-worker-subnet",
      blocks: ["10.0.128.0/19"],
      gateway: "plover-abcde-natgw-0",
      zones: ["1"],
    },
    {
      name: "plover-abcde-worker-subnet-2",
      blocks: ["10.0.160.0/19"],
      gateway: "plover-abcde-natgw-1",
      zones: ["2"],
    },
    {
      name: "plover-abcde-worker-subnet-3",
      blocks: ["10.0.192.0/19"],
      gateway: "plover-abcde-natgw-2",
      zones: ["3"],
    },
    { name: "plover-abcde-master-subnet", blocks: ["10.0.0.0/17"] },
  ]);
});

test("subnets of one's own keep their names and blocks, sorted", async () => {
  const id =
    "/subscriptions/00000000-0000-4000-8000-000000000001/resourceGroups/network-rg/providers/Microsoft.Network/virtualNetworks/birds-vnet";
  assert.equal(await subnets("a network of one's own"), [
    { name: "masters", blocks: ["10.0.0.0/24"], id: `${id}/subnets/masters` },
    { name: "nodes", blocks: ["10.0.1.0/24"], id: `${id}/subnets/nodes` },
  ]);
  assert.is(await cluster("a network of one's own", "networkSpec", "vnet", "resourceGroup"), "network-rg");
  assert.is(await cluster("routes of one's own", "networkSpec", "controlPlaneOutboundLB"), undefined);
  assert.is(await provider("a network of one's own", "worker", "subnet"), "nodes");
});

test("rules name each machine network where the API is not published", async () => {
  const rules = await cluster(
    "several machine networks",
    "networkSpec",
    "subnets",
    0,
    "securityGroup",
    "securityRules",
  );
  assert.equal(
    (isList(rules) ? rules : []).map(
      (rule) => `${at(rule, "priority")} ${at(rule, "name")} ${at(rule, "source")}`,
    ),
    [
      "100 apiserver_in_ipv4_00 10.0.0.0/18",
      "110 ssh_in_ipv4_00 10.0.0.0/18",
      "120 apiserver_in_ipv4_01 10.0.64.0/18",
      "130 ssh_in_ipv4_01 10.0.64.0/18",
      "140 apiserver_in_ipv4_02 10.0.128.0/18",
      "150 ssh_in_ipv4_02 10.0.128.0/18",
    ],
  );
});

test("from 5.0 on rules let Konnectivity through, and sizes are of AMD's machines", async () => {
  const input = inputOf(installConfig(), FACTS, { name: "5.0" });
  const { objects } = await infrastructureOf(input);
  const spec = at(objects.get("40_infrastructure-cluster.yaml"), "spec", "networkSpec", "subnets", 0);
  const rules = at(spec, "securityGroup", "securityRules");
  assert.equal(
    (isList(rules) ? rules : []).map((rule) => `${at(rule, "priority")} ${at(rule, "name")}`),
    ["100 apiserver_in", "220 ssh_in", "230 konnectivity_in"],
  );
  const template = at(objects.get("50_machine-template.yaml"), "spec", "template", "spec");
  assert.is(at(template, "vmSize"), "Standard_D8as_v5");
});

test("where machines boot from", async () => {
  assert.equal(await machine("plain", "image", "marketplace", "sku"), "os_422-v2");
  assert.is(
    await machine("confidential", "image", "id"),
    "/subscriptions/00000000-0000-4000-8000-000000000001/resourceGroups/plover-abcde-rg/providers/Microsoft.Compute/galleries/gallery_plover_abcde/images/plover-abcde-gen2",
  );
  assert.is(
    await machine("stack", "image", "id"),
    "/subscriptions/00000000-0000-4000-8000-000000000001/resourceGroups/plover-abcde-rg/providers/Microsoft.Compute/images/plover-abcde",
  );
  assert.is(await machine("an image of one's own", "image", "marketplace", "publisher"), "redhat-plan");
  assert.is(await provider("an image of one's own", "master", "image", "type"), "MarketplaceWithPlan");
  assert.is(await provider("an image of one's own", "worker", "image", "type"), "MarketplaceNoPlan");
  assert.ok(String(await provider("release 4.20", "worker", "image", "resourceID")).includes("/galleries/"));
});

test("disks, diagnostics and identities", async () => {
  const name = "disks, diagnostics and an identity";
  assert.is(
    await machine(name, "diagnostics", "boot", "userManaged", "storageAccountURI"),
    "https://birdslogs.blob.core.windows.net",
  );
  assert.equal(await machine(name, "userAssignedIdentities"), [
    {
      providerID:
        "/subscriptions/00000000-0000-4000-8000-000000000001/resourceGroups/identity-rg/providers/Microsoft.ManagedIdentity/userAssignedIdentities/masters",
    },
  ]);
  assert.is(await machine(name, "dataDisks", 0, "nameSuffix"), "etcd");
  assert.equal(await machine(name, "dataDisks", 1), {
    diskSizeGB: 64,
    lun: 1,
    managedDisk: { storageAccountType: "Premium_LRS" },
    nameSuffix: "logs",
  });
  assert.is(await provider(name, "master", "dataDisks", 0, "deletionPolicy"), "Delete");
  assert.is(await provider(name, "worker", "managedIdentity"), "plover-abcde-identity");
  assert.is(await provider("tags, groups and no identity", "worker", "managedIdentity"), undefined);
});

test("who the provider is", async () => {
  const identity = async (name: string) =>
    at((await objectsOf(name)).get("10_credentials-identity.yaml"), "spec");
  assert.is(at(await identity("plain"), "type"), "ServicePrincipal");
  assert.is(at(await identity("without credentials"), "type"), "UserAssignedMSI");
  assert.ok((await objectsOf("plain")).has("10_credentials-secret.yaml"));
  assert.not((await objectsOf("without credentials")).has("10_credentials-secret.yaml"));
});

test("the control plane names a subnet that is made from 4.21 on, one that is brought along at every release", async () => {
  const subnet = (name: string) => machine(name, "networkInterfaces", 0, "subnetName");
  assert.is(await subnet("release 4.18"), undefined);
  assert.is(await subnet("release 4.20"), undefined);
  assert.is(await subnet("release 4.21"), "plover-abcde-master-subnet");
  assert.is(await subnet("plain"), "plover-abcde-master-subnet");
  assert.is(await subnet("a network of one's own, release 4.20"), "masters");
  assert.is(await subnet("a network of one's own"), "masters");
});

test("what earlier releases leave to the provider", async () => {
  const pool = (name: string) => cluster(name, "networkSpec", "controlPlaneOutboundLB", "backendPool");
  assert.equal(await pool("plain"), { name: "plover-abcde-outbound-lb-outboundBackendPool" });
  assert.is(await pool("release 4.20"), undefined);
  assert.is(await cluster("release 4.20", "networkSpec", "privateDNSZone"), undefined);
});

test("from 4.20 on machines say that they have no security type", async () => {
  const settings = (name: string) => provider(name, "worker", "securityProfile", "settings");
  assert.equal(await settings("release 4.18"), {});
  assert.equal(await settings("release 4.20"), { securityType: "" });
  assert.equal(await settings("plain"), { securityType: "" });
});

test("an Azure Stack Hub has no zones, no private zone and storage of its own", async () => {
  assert.is(await cluster("stack", "networkSpec", "privateDNSZone"), undefined);
  assert.is(await cluster("plain", "networkSpec", "privateDNSZone"), "System");
  assert.is(await cluster("DNS of one's own", "networkSpec", "privateDNSZone"), "None");
  assert.is(
    await machine("stack", "diagnostics", "boot", "userManaged", "storageAccountURI"),
    "https://ploverabcdesa.blob.local.azurestack.external",
  );
});

test.run();
