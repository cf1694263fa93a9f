/** Machines and infrastructure against what the real installer wrote (reference data beside the checkout). */
import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isObject, type JsonObject } from "../../../src/core/json.js";
import type { CloudFacts } from "../../../src/generated/types/cloud-facts.js";
import { machines } from "../../../src/platforms/aws/machines.js";
import { parseYaml } from "../../../src/text/yaml-parse.js";
import { normalConfig, platformInput, rendered } from "../../helpers/aws.js";
import { withShared } from "../../helpers/shared.js";

const test = suite("aws: what the real installer wrote");

const read = (path: string): JsonObject => {
  const value = parseYaml(readFileSync(path, "utf8"));
  if (!isObject(value)) throw new Error(`${path} is not one object`);
  return value;
};

/** Objects as we write them: without an empty status. */
function withoutEmptyStatus(object: JsonObject): JsonObject {
  const { status, ...rest } = object;
  return isObject(status) && Object.keys(status).length === 0 ? rest : object;
}

const MACHINES =
  /^99_openshift-(cluster-api_(master-machines|worker-(machineset|capi-machineset|machinetemplate))|machine-api)/;

withShared(test, "data/upstream-4.22/aws-public", "the machines are equal", async (folder) => {
  const config = normalConfig(readFileSync(join(folder, "normal-form.yaml"), "utf8"));
  const identity = { infraID: "egret-abcde", clusterID: "00000000-0000-0000-0000-000000000000" };
  const facts: CloudFacts = {
    apiVersion: "slipway.dev/v1alpha1",
    kind: "CloudFacts",
    aws: { publicHostedZone: "Z1" },
  };
  const ours = await rendered(machines(platformInput(config, facts, { identity })));
  const theirs = readdirSync(join(folder, "openshift")).filter((name) => MACHINES.test(name));
  assert.equal([...ours.keys()].map((path) => basename(path)).sort(), theirs.sort());
  for (const name of theirs) {
    const expected = withoutEmptyStatus(read(join(folder, "openshift", name)));
    assert.equal(ours.get(`openshift/${name}`), expected, name);
  }
});

test.run();
