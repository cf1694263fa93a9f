/** Against what the real installer, main in June 2026 on its way to 5.0, wrote and answered. */
import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isError } from "../../../src/core/diagnostics.js";
import { isObject, type Json, type JsonObject } from "../../../src/core/json.js";
import { platform } from "../../../src/platforms/nutanix/index.js";
import { parseYaml } from "../../../src/text/yaml-parse.js";
import { rendered } from "../../helpers/aws.js";
import { compile, compiled, inputOf } from "../../helpers/nutanix.js";
import { withShared } from "../../helpers/shared.js";

const test = suite("nutanix: what the real installer wrote");

const read = (path: string): JsonObject => {
  const value = parseYaml(readFileSync(path, "utf8"));
  if (!isObject(value)) throw new Error(`${path} is not one object`);
  return value;
};

/** Objects as we write them: without an empty status. */
function withoutEmptyStatus({ status, ...rest }: JsonObject): JsonObject {
  return isObject(status) && Object.keys(status).length > 0 ? { ...rest, status } : rest;
}

const at = (value: Json | undefined, ...path: readonly string[]): Json | undefined =>
  path.reduce<Json | undefined>((found, name) => (isObject(found) ? found[name] : undefined), value);

/** An object of the installer's with the namespace that its objects are in replaced. */
const inNamespace = (object: JsonObject, namespace: string): JsonObject =>
  JSON.parse(JSON.stringify(object).replaceAll("openshift-cluster-api-guests", namespace));

const MACHINES = /^99_openshift-(cluster-api_(master-machines|worker-machineset)|machine-api)/;

for (const name of ["nutanix-plain", "nutanix-preloaded-compact"])
  withShared(test, `data/upstream-4.22/${name}`, name, async (folder) => {
    // Main was built as 4.22 then, with the stream that this made the default.
    const text = `${readFileSync(join(folder, "install-config.yaml"), "utf8")}\nosImageStream: rhel-9\n`;
    const asset = compiled(text, "5.0");
    assert.equal(parseYaml(asset.normalForm), read(join(folder, "normal-form.yaml")), "normal form");

    const infraID = `${asset.config.metadata.name}-abcde`;
    const input = { ...inputOf(text, undefined, "5.0"), identity: { infraID, clusterID: "" } };
    const ours = await rendered(platform.machines(input));
    const theirs = readdirSync(join(folder, "openshift")).filter((file) => MACHINES.test(file));
    assert.equal([...ours.keys()].map((path) => basename(path)).sort(), theirs.sort());
    for (const file of theirs)
      assert.equal(
        ours.get(`openshift/${file}`),
        withoutEmptyStatus(read(join(folder, "openshift", file))),
        file,
      );

    const { type, spec, status } = platform.manifests.infrastructure(input);
    const infrastructure = read(join(folder, "manifests/cluster-infrastructure-02-config.yml"));
    assert.equal({ ...spec, type }, at(infrastructure, "spec", "platformSpec"));
    assert.equal({ ...status, type }, at(infrastructure, "status", "platformStatus"));
    assert.equal(
      platform.manifests.cloudProviderConfig(input),
      read(join(folder, "manifests/cloud-provider-config.yaml"))["data"],
    );

    const objects = await rendered(
      platform.infrastructure(input, { release: input.release, report: () => undefined }).objects,
    );
    const cluster = read(join(folder, "cluster-api/01_nutanix-cluster.yaml"));
    assert.equal(
      at(objects.get("40_infrastructure-cluster.yaml"), "spec"),
      at(inNamespace(cluster, input.namespace), "spec"),
    );
    const template = at(objects.get("50_machine-template.yaml"), "spec", "template", "spec");
    const machine = read(join(folder, `cluster-api/machines/10_inframachine_${infraID}-master-0.yaml`));
    assert.equal(template, machine["spec"]);
    const login = at(objects.get("10_credentials-secret.yaml"), "data", "credentials");
    const their = at(read(join(folder, "cluster-api/01_nutanix-creds.yaml")), "stringData", "credentials");
    assert.equal(
      JSON.parse(Buffer.from(String(login), "base64").toString("utf8")),
      JSON.parse(String(their)),
    );
  });

withShared(test, "data/validation/handed-platforms.jsonl", "what the validator answered", (file) => {
  const lines = readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line.startsWith('{"id": "nutanix-'));
  assert.ok(lines.length >= 10);
  for (const line of lines) {
    const given: {
      readonly id: string;
      readonly config: string;
      readonly errors: readonly { readonly type: string; readonly field: string }[];
    } = JSON.parse(line);
    const { said } = compile(given.config);
    assert.equal(
      [...new Set(said.filter(isError).map(({ kind, field }) => `${kind} ${field}`))].sort(),
      [...new Set(given.errors.map(({ type, field }) => `${type} ${field}`))].sort(),
      given.id,
    );
  }
});

test.run();
