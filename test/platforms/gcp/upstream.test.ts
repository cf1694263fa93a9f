/** gcp against what the real installer of 4.22 wrote and answered. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isObject, type Json, type JsonObject } from "../../../src/core/json.js";
import { parseYaml } from "../../../src/text/yaml-parse.js";
import { judge } from "../../helpers/install-configs.js";
import { answersOf, filesIn, makeCase, objectIn } from "../../helpers/platform-cases.js";
import { withShared } from "../../helpers/shared.js";

const test = suite("gcp: what the real installer wrote");

const IMAGE = { project: "rhcos-made-up", name: "rhcos-made-up-gcp-x86-64" };
/** What was answered for the cases. */
const FACTS = {
  gcp: {
    zones: ["a", "b", "c"].map((letter) => ({ name: `europe-west1-${letter}` })),
    images: { amd64: IMAGE, arm64: IMAGE },
    publicZone: "ops",
  },
};

const specOf = (object: JsonObject | undefined): JsonObject =>
  isObject(object?.["spec"]) ? object["spec"] : {};
const without = (object: JsonObject, member: string): JsonObject =>
  Object.fromEntries(Object.entries(object).filter(([name]) => name !== member));
/** User data is left out of the cases. */
const comparableFile = (path: string, file: Json | undefined): Json | undefined =>
  path.endsWith("-user-data-secret.yaml") && isObject(file) ? without(file, "data") : file;

for (const name of ["gcp-plain", "gcp-single-node-arm"])
  withShared(test, `data/upstream-4.22/${name}`, name, async (folder) => {
    const made = await makeCase(readFileSync(join(folder, "install-config.yaml"), "utf8"), {
      facts: FACTS,
    });
    assert.equal(made.errors, []);
    assert.equal(
      parseYaml(made.asset?.normalForm ?? ""),
      parseYaml(readFileSync(join(folder, "normal-form.yaml"), "utf8")),
    );
    const theirs = filesIn(folder);
    for (const [path, file] of theirs)
      assert.equal(comparableFile(path, made.files.get(path)), comparableFile(path, file), path);
    const machines = (files: Iterable<string>): string[] =>
      [...files].filter((path) => /_(master-machines|master-control-plane|worker-machineset)-/.test(path));
    assert.equal(machines(made.files.keys()), machines(theirs.keys()));

    // The provider fills the endpoint in.
    const cluster = objectIn(folder, "cluster-api/02_gcp-cluster.yaml");
    assert.equal(
      specOf(made.infrastructure.get("40_infrastructure-cluster.yaml")),
      without(specOf(cluster), "controlPlaneEndpoint"),
    );
    const template = specOf(made.infrastructure.get("50_machine-template.yaml"))["template"];
    const { infraID = "" } = made.input?.identity ?? {};
    const machine = objectIn(folder, `cluster-api/machines/10_inframachine_${infraID}-master-0.yaml`);
    const bootstrap = objectIn(folder, `cluster-api/machines/10_inframachine_${infraID}-bootstrap.yaml`);
    assert.ok(isObject(template));
    assert.equal(template["spec"], machine["spec"]);
    assert.equal(template["spec"], without(specOf(bootstrap), "publicIP"));
  });

withShared(
  test,
  "data/validation/handed-platforms.jsonl",
  "errors are those of the real validator",
  (path) => {
    const answers = answersOf(path, "gcp");
    assert.ok(answers.length > 10);
    for (const { id, config, errors } of answers)
      assert.equal(
        judge(config).errors,
        [...new Set(errors.map(({ type, field }) => `${type} ${field}`))].sort(),
        id,
      );
  },
);

test.run();
