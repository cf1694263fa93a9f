/** What the real validator and the real installer of 4.22 made of synthetic configs of vsphere. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { decode } from "../../../src/core/files.js";
import { isObject, type JsonObject } from "../../../src/core/json.js";
import { platform } from "../../../src/platforms/vsphere/index.js";
import { parseYaml } from "../../../src/text/yaml-parse.js";
import { clusterApiFiles } from "../../helpers/cluster-api.js";
import { judge, releaseOf } from "../../helpers/install-configs.js";
import { compiled, runManifests } from "../../helpers/manifests.js";
import { withShared } from "../../helpers/shared.js";
import { comparable, installConfigOf, RELEASE_OF_CASES, upstreamClusterApi } from "../../helpers/upstream.js";
import { vsphereInput } from "../../helpers/vsphere.js";

const test = suite("vsphere: what the real installer made of it");

interface Answer {
  readonly id: string;
  readonly platform: string;
  readonly config: string;
  readonly errors: readonly { readonly type: string; readonly field: string }[];
}

const isAnswer = (value: unknown): value is Answer =>
  typeof value === "object" && value !== null && "id" in value && "config" in value && "errors" in value;

withShared(
  test,
  "data/validation/handed-platforms.jsonl",
  "errors are those of the real validator",
  (path) => {
    const answers = readFileSync(path, "utf8")
      .split("\n")
      .filter((line) => line !== "")
      .map((line): unknown => JSON.parse(line))
      .filter(isAnswer)
      .filter((answer) => answer.platform === "vsphere");
    assert.ok(answers.length > 20);
    for (const { id, config, errors } of answers)
      assert.equal(
        judge(config).errors,
        [...new Set(errors.map(({ type, field }) => `${type} ${field}`))].sort(),
        id,
      );
  },
);

const read = (path: string): JsonObject => {
  const value = parseYaml(readFileSync(path, "utf8"));
  if (!isObject(value)) throw new Error(`${path} is not an object`);
  return value;
};

/** Files whose contents hang on keys that the cases leave out. */
const KEYED = /-user-data-secret\.yaml$/;

for (const name of ["vsphere-plain", "vsphere-static-ip-proxy"]) {
  withShared(test, `data/upstream-4.22/${name}`, `${name}: normal form and manifests`, async (folder) => {
    const { config, normalForm } = compiled(installConfigOf(folder), RELEASE_OF_CASES);
    assert.equal(parseYaml(normalForm), read(join(folder, "normal-form.yaml")));
    const infraID = `${config.metadata.name}-abcde`;
    const { files } = await runManifests({ config, normalForm, infraID, release: RELEASE_OF_CASES });
    const ours = new Map(files.map(({ path, data }) => [path, comparable(path, decode(data) ?? "")]));
    let compared = 0;
    for (const part of ["manifests", "openshift"])
      for (const file of readdirSync(join(folder, part))) {
        const path = `${part}/${file}`;
        if (KEYED.test(path)) continue;
        assert.equal(ours.get(path), comparable(path, readFileSync(join(folder, path), "utf8")), path);
        compared++;
      }
    assert.ok(compared > 10);
    const machines = /machines-|machineset|machine-set|_claim-|_address-/;
    const theirs = readdirSync(join(folder, "openshift")).filter((file) => machines.test(file));
    assert.equal(
      [...ours.keys()].filter((path) => machines.test(path)).map((path) => path.replace("openshift/", "")),
      theirs.sort(),
    );
  });

  withShared(test, `data/upstream-4.22/${name}`, `${name}: cluster-api/`, async (folder) => {
    const { config } = compiled(installConfigOf(folder), RELEASE_OF_CASES);
    const infraID = `${config.metadata.name}-abcde`;
    const input = vsphereInput(config, { identity: { infraID, clusterID: "0" } });
    const ours = await clusterApiFiles(platform, { ...input, release: releaseOf(RELEASE_OF_CASES) });
    const theirs = upstreamClusterApi(folder);
    assert.equal([...ours.keys()], [...theirs.keys()]);
    for (const [path, object] of theirs) assert.equal(ours.get(path), object, path);
  });
}

test.run();
