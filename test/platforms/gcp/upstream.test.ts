/** gcp against what the real installer, main in June 2026 on its way to 5.0, wrote and answered. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isObject, type Json, type JsonObject } from "../../../src/core/json.js";
import { parseYaml } from "../../../src/text/yaml-parse.js";
import { judge } from "../../helpers/install-configs.js";
import { runPlatform } from "../../helpers/platform-run.js";
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

function objectIn(folder: string, file: string): JsonObject {
  const value = parseYaml(readFileSync(join(folder, file), "utf8"));
  if (!isObject(value)) throw new Error(`${file} is not an object`);
  return value;
}

/** The files of manifests/ and openshift/ of a case, which holds some of them. */
const filesIn = (folder: string): string[] =>
  ["manifests", "openshift"]
    .filter((part) => existsSync(join(folder, part)))
    .flatMap((part) => readdirSync(join(folder, part)).map((name) => `${part}/${name}`));

const specOf = (object: Json | undefined): JsonObject =>
  isObject(object) && isObject(object["spec"]) ? object["spec"] : {};
const without = (object: JsonObject, member: string): JsonObject =>
  Object.fromEntries(Object.entries(object).filter(([name]) => name !== member));

/** An object as we write it: without an empty status; user data is left out of the cases. */
function comparable(path: string, object: JsonObject): JsonObject {
  const { status } = object;
  const whole = isObject(status) && Object.keys(status).length === 0 ? without(object, "status") : object;
  return path.endsWith("-user-data-secret.yaml") ? without(whole, "data") : whole;
}

for (const name of ["gcp-plain", "gcp-single-node-arm"])
  withShared(test, `data/upstream-4.22/${name}`, name, async (folder) => {
    // Main was built as 4.22 then, with the stream that this made the default.
    const config = `${readFileSync(join(folder, "install-config.yaml"), "utf8")}\nosImageStream: rhel-9\n`;
    const infraID = `${/name: (\w+)\n/.exec(config)?.[1]}-abcde`;
    const made = await runPlatform({ config, facts: FACTS, infraID, release: "5.0" });
    assert.equal(made.errors, []);
    assert.equal(
      parseYaml(made.asset?.normalForm ?? ""),
      parseYaml(readFileSync(join(folder, "normal-form.yaml"), "utf8")),
    );
    const files = filesIn(folder);
    for (const path of files) {
      const ours = made.objects.get(path);
      assert.ok(ours !== undefined, path);
      assert.equal(comparable(path, ours), comparable(path, objectIn(folder, path)), path);
    }
    const machines = (paths: Iterable<string>): string[] =>
      [...paths].filter((path) =>
        /^openshift.*_(master-machines|master-control-plane|worker-machineset)-/.test(path),
      );
    assert.equal(machines(made.objects.keys()).sort(), machines(files).sort());

    // The provider fills the endpoint in.
    const cluster = objectIn(folder, "cluster-api/02_gcp-cluster.yaml");
    assert.equal(
      specOf(made.objects.get("infrastructure-manifests/40_infrastructure-cluster.yaml")),
      without(specOf(cluster), "controlPlaneEndpoint"),
    );
    const template = specOf(
      specOf(made.objects.get("infrastructure-manifests/50_machine-template.yaml"))["template"],
    );
    const machine = objectIn(folder, `cluster-api/machines/10_inframachine_${infraID}-master-0.yaml`);
    const bootstrap = objectIn(folder, `cluster-api/machines/10_inframachine_${infraID}-bootstrap.yaml`);
    assert.equal(template, machine["spec"]);
    assert.equal(template, without(specOf(bootstrap), "publicIP"));
  });

interface Answer {
  readonly id: string;
  readonly platform: string;
  readonly config: string;
  readonly errors: readonly { readonly type: string; readonly field: string }[];
}
const isAnswer = (value: unknown): value is Answer =>
  typeof value === "object" && value !== null && "platform" in value && value.platform === "gcp";

withShared(
  test,
  "data/validation/handed-platforms.jsonl",
  "errors are those of the real validator",
  (path) => {
    const answers = readFileSync(path, "utf8")
      .split("\n")
      .filter((line) => line !== "")
      .map((line): unknown => JSON.parse(line))
      .filter(isAnswer);
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
