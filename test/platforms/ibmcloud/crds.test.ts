/** Every Cluster API object of ibmcloud against the provider's own CustomResourceDefinitions. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isObject, type JsonObject } from "../../../src/core/json.js";
import { checkCustomResource, loadCel, readCrd } from "../../../src/crd/schema.js";
import { webhookFindings } from "../../../src/platforms/provider-webhooks.js";
import { parseYaml } from "../../../src/text/yaml-parse.js";
import { made, VARIANTS } from "../../helpers/ibmcloud.js";
import { withShared } from "../../helpers/shared.js";

const test = suite("ibmcloud objects and the provider's definitions");

function crdIn(folder: string, kind: string) {
  const value = parseYaml(readFileSync(join(folder, `${kind}.yaml`), "utf8"));
  const crd = isObject(value) ? readCrd(value) : undefined;
  if (crd === undefined) throw new Error(`${kind}.yaml is not a definition`);
  return crd;
}

for (const [name, edits] of Object.entries(VARIANTS))
  withShared(test, "data/crds", name, async (folder) => {
    const cel = await loadCel();
    const { errors, infrastructure } = await made(edits);
    assert.equal(errors, []);
    const kinds = new Set([...infrastructure.values()].map(({ kind }) => kind));
    assert.equal([...kinds].sort(), ["IBMVPCCluster", "IBMVPCMachineTemplate"]);
    for (const [path, object] of infrastructure) {
      assert.equal(checkCustomResource(crdIn(folder, String(object["kind"])), object, cel), [], path);
      assert.equal(webhookFindings(object), [], path);
    }
  });

withShared(test, "data/crds", "the check itself finds what is wrong", async (folder) => {
  const { infrastructure } = await made();
  const cluster = infrastructure.get("40_infrastructure-cluster.yaml") ?? {};
  const spec = isObject(cluster["spec"]) ? cluster["spec"] : {};
  const crd = crdIn(folder, "IBMVPCCluster");
  const cel = await loadCel();
  const fieldsOf = (bad: JsonObject): string[] =>
    checkCustomResource(crd, { ...cluster, spec: bad }, cel).map(({ field }) => field);
  assert.equal(fieldsOf({ region: "eu-gb", nonsense: 1 }).sort(), ["spec.nonsense", "spec.resourceGroup"]);
  assert.equal(fieldsOf({ ...spec, network: { vpc: {} } }), ["spec.network.vpc"]);
});

test.run();
