/** Every Cluster API object of vsphere against the provider's own CustomResourceDefinitions. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isObject, type JsonObject } from "../../../src/core/json.js";
import { checkCustomResource, loadCel, readCrd } from "../../../src/crd/schema.js";
import { infrastructure } from "../../../src/platforms/vsphere/infrastructure/objects.js";
import { webhookFindings } from "../../../src/platforms/vsphere/infrastructure/webhook-rules.js";
import { parseYaml } from "../../../src/text/yaml-parse.js";
import { rendered } from "../../helpers/aws.js";
import { withShared } from "../../helpers/shared.js";
import { HOST_GROUPS, TWO_VCENTERS, vsphereConfig, vsphereInput } from "../../helpers/vsphere.js";

const test = suite("vsphere objects and the provider's definitions");

const VARIANTS = {
  "two failure domains": vsphereConfig(),
  "one failure domain": vsphereConfig({ "controlPlane.platform.vsphere.zones": ["west"] }),
  "host groups": vsphereConfig(HOST_GROUPS),
  "two vCenters": vsphereConfig(TWO_VCENTERS),
  "everything of a machine": vsphereConfig({
    "controlPlane.platform.vsphere": {
      cpus: 8,
      coresPerSocket: 2,
      memoryMB: 32768,
      osDisk: { diskSizeGB: 200 },
      dataDisks: [{ name: "etcd", sizeGiB: 20, provisioningMode: "Thick" }],
    },
    "platform.vsphere.failureDomains[0].topology.networks": ["net-east", "/bay/network/storage"],
    "platform.vsphere.failureDomains[0].topology.template": "/bay/vm/rhcos",
    "platform.vsphere.failureDomains[0].topology.folder": "/bay/vm/gannets",
    featureSet: "TechPreviewNoUpgrade",
  }),
};

const KINDS = ["VSphereCluster", "VSphereClusterIdentity", "VSphereMachineTemplate"];
const ZONED = ["VSphereDeploymentZone", "VSphereFailureDomain"];

function crdIn(folder: string, kind: string) {
  const value = parseYaml(readFileSync(join(folder, `${kind}.yaml`), "utf8"));
  const crd = isObject(value) ? readCrd(value) : undefined;
  if (crd === undefined) throw new Error(`${kind}.yaml is not a definition`);
  return crd;
}

async function objectsOf(name: keyof typeof VARIANTS): Promise<JsonObject[]> {
  const input = vsphereInput(VARIANTS[name]);
  const { objects } = infrastructure(input, { release: input.release, report: () => undefined });
  return [...(await rendered(objects)).values()].filter(({ kind }) => kind !== "Secret");
}

for (const name of [
  "two failure domains",
  "one failure domain",
  "host groups",
  "two vCenters",
  "everything of a machine",
] as const)
  withShared(test, "data/crds", name, async (folder) => {
    const cel = await loadCel();
    const objects = await objectsOf(name);
    const kinds = new Set(objects.map(({ kind }) => String(kind)));
    const zoned = name === "one failure domain" ? [] : ZONED;
    assert.equal([...kinds].sort(), [...KINDS, ...zoned].sort());
    for (const object of objects) {
      const kind = String(object["kind"]);
      assert.equal(checkCustomResource(crdIn(folder, kind), object, cel), [], kind);
      assert.equal(webhookFindings(object), [], kind);
    }
  });

withShared(test, "data/crds", "the check itself finds what is wrong", async (folder) => {
  const [cluster] = (await objectsOf("one failure domain")).filter(({ kind }) => kind === "VSphereCluster");
  const spec = isObject(cluster?.["spec"]) ? cluster["spec"] : {};
  const bad = { ...cluster, spec: { ...spec, identityRef: { kind: "Nobody", name: "" }, nonsense: 1 } };
  const fields = checkCustomResource(crdIn(folder, "VSphereCluster"), bad).map(({ field }) => field);
  assert.ok(fields.includes("spec.nonsense") && fields.some((field) => field.startsWith("spec.identityRef")));
});

test.run();
