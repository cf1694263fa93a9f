/** Every Cluster API object of aws against the provider's own CustomResourceDefinitions. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isObject, type JsonObject } from "../../../src/core/json.js";
import { checkCustomResource, loadCel, readCrd } from "../../../src/crd/schema.js";
import { infrastructure } from "../../../src/platforms/aws/infrastructure/objects.js";
import { machines } from "../../../src/platforms/aws/machines/machines.js";
import type { InfrastructureInput } from "../../../src/platforms/platform.js";
import { parseYaml } from "../../../src/text/yaml-parse.js";
import { awsConfig, platformInput, rendered } from "../../helpers/aws.js";
import { VARIANTS } from "../../helpers/aws-variants.js";
import { withShared } from "../../helpers/shared.js";

const test = suite("aws objects and the provider's definitions");

const GROUP = "infrastructure.cluster.x-k8s.io/";

async function objectsOf(input: InfrastructureInput): Promise<JsonObject[]> {
  const report = () => undefined;
  const { objects } = infrastructure(input, { release: input.release, report });
  const all = await rendered([...objects, ...machines(input)]);
  return [...all.values()].filter((object) => String(object["apiVersion"]).startsWith(GROUP));
}

function crdIn(folder: string, kind: string) {
  const value = parseYaml(readFileSync(join(folder, `${kind}.yaml`), "utf8"));
  const crd = isObject(value) ? readCrd(value) : undefined;
  if (crd === undefined) throw new Error(`${kind}.yaml is not a definition`);
  return crd;
}

for (const [name, input] of Object.entries(VARIANTS))
  withShared(test, "data/crds", name, async (folder) => {
    const cel = await loadCel();
    const objects = await objectsOf(input);
    const kinds = new Set(objects.map(({ kind }) => String(kind)));
    assert.ok(kinds.has("AWSCluster") && kinds.has("AWSMachineTemplate"), "both infrastructure objects");
    for (const object of objects) {
      const kind = String(object["kind"]);
      const findings = checkCustomResource(crdIn(folder, kind), object, cel);
      assert.equal(findings, [], kind);
    }
  });

withShared(test, "data/crds", "the check itself finds what is wrong", async (folder) => {
  const objects = await objectsOf(platformInput(awsConfig()));
  const cluster = objects.find(({ kind }) => kind === "AWSCluster");
  const spec = isObject(cluster?.["spec"]) ? cluster["spec"] : {};
  const bad = { ...cluster, spec: { ...spec, s3Bucket: { name: "A" }, nonsense: 1 } };
  const fields = new Set(checkCustomResource(crdIn(folder, "AWSCluster"), bad).map(({ field }) => field));
  assert.equal([...fields].sort(), ["spec.nonsense", "spec.s3Bucket.name"]);
});

test.run();
