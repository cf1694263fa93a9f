/** What the real validator of 4.22 answered for synthetic configs: kinds and fields of our errors are the same. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { equalJson, isObject, type Json } from "../../../src/core/json.js";
import { normalValue } from "../../../src/phases/install-config/index.js";
import { parseYaml } from "../../../src/text/yaml-parse.js";
import { judge, releaseOf } from "../../helpers/install-configs.js";
import { platformOf } from "../../helpers/platforms.js";
import { withShared } from "../../helpers/shared.js";

interface Answer {
  readonly id: string;
  readonly config: string;
  readonly errors: readonly { readonly type: string; readonly field: string }[];
}

const isAnswer = (value: unknown): value is Answer =>
  typeof value === "object" && value !== null && "id" in value && "config" in value && "errors" in value;

withShared(test, "data/validation/handed.jsonl", "errors are those of the real validator", (path) => {
  const answers = readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line): unknown => JSON.parse(line))
    .filter(isAnswer);
  assert.ok(answers.length > 100);
  for (const { id, config, errors } of answers) {
    const ours = judge(config).errors;
    if (errors.some(({ type }) => type === "Parse" || type === "Panic"))
      assert.ok(ours.length > 0, `${id} is refused`);
    else assert.equal(ours, [...new Set(errors.map(({ type, field }) => `${type} ${field}`))].sort(), id);
  }
});

for (const name of [
  "none-compact",
  "none-dual-stack",
  "none-single-node",
  "external-proxy-mirrors",
  "aws-public",
])
  withShared(
    test,
    `data/upstream-4.22/${name}`,
    `the normal form of ${name} is that of the installer`,
    (folder) => {
      const { asset, errors } = judge(readFileSync(join(folder, "install-config.yaml"), "utf8"));
      assert.equal(errors, []);
      assert.equal(
        parseYaml(asset?.normalForm ?? ""),
        parseYaml(readFileSync(join(folder, "normal-form.yaml"), "utf8")),
      );
    },
  );

withShared(
  test,
  "data/upstream-4.22/none-compact/state.json",
  "the state's config is the normal value",
  (path) => {
    const state: Json = JSON.parse(readFileSync(path, "utf8"));
    const saved = isObject(state) ? state["*installconfig.InstallConfig"] : undefined;
    const { asset } = judge(readFileSync(join(path, "../install-config.yaml"), "utf8"));
    assert.ok(asset !== undefined && isObject(saved));
    assert.ok(
      equalJson(saved["config"], normalValue(asset.config, releaseOf("4.22"), platformOf(asset.config))),
    );
  },
);

test.run();
