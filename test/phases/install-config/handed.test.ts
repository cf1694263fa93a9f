/** What the real validator of 4.22 answered for synthetic configs: kinds and fields of our errors are the same. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { equalJson, isObject, type Json } from "../../../src/core/json.js";
import { normalValue } from "../../../src/phases/install-config/index.js";
import { parseYaml } from "../../../src/text/yaml-parse.js";
import { judge, releaseOf } from "../../helpers/install-configs.js";
import { platformOf } from "../../helpers/platforms.js";
import { shared, withShared } from "../../helpers/shared.js";
import { installConfigOf, RELEASE_OF_CASES } from "../../helpers/upstream.js";

interface Answer {
  readonly id: string;
  readonly config: string;
  readonly errors: readonly { readonly type: string; readonly field: string }[];
}

const isAnswer = (value: unknown): value is Answer =>
  typeof value === "object" && value !== null && "id" in value && "config" in value && "errors" in value;

/** Answers that release-4.22 gives otherwise than main of June 2026, which was asked first. */
const CORRECTED: ReadonlyMap<string, Answer["errors"]> = new Map(
  Object.entries(corrections(shared("data/validation/true-4.22-corrections.json"))),
);

function corrections(path: string | undefined): { readonly [id: string]: Answer["errors"] } {
  return path === undefined ? {} : JSON.parse(readFileSync(path, "utf8"));
}

for (const [file, least] of [
  ["handed.jsonl", 100],
  ["handed-platforms.jsonl", 100],
] as const)
  withShared(test, `data/validation/${file}`, `errors are those of the real validator: ${file}`, (path) => {
    const answers = readFileSync(path, "utf8")
      .split("\n")
      .filter((line) => line !== "")
      .map((line): unknown => JSON.parse(line))
      .filter(isAnswer);
    assert.ok(answers.length > least);
    for (const { id, config, errors: first } of answers) {
      const ours = judge(config).errors;
      const errors = CORRECTED.get(id) ?? first;
      if (errors.some(({ type }) => type === "Parse" || type === "Panic"))
        assert.ok(ours.length > 0, `${id} is refused`);
      else assert.equal(ours, [...new Set(errors.map(({ type, field }) => `${type} ${field}`))].sort(), id);
    }
  });

withShared(test, "data/upstream-4.22", "normal forms are those of the installer", (folder) => {
  const cases = readdirSync(folder).filter((name) => existsSync(join(folder, name, "normal-form.yaml")));
  assert.ok(cases.length >= 19);
  for (const name of cases) {
    const read = (file: string): string => readFileSync(join(folder, name, file), "utf8");
    const { asset, errors } = judge(installConfigOf(join(folder, name)), RELEASE_OF_CASES);
    assert.equal(errors, [], name);
    assert.equal(parseYaml(asset?.normalForm ?? ""), parseYaml(read("normal-form.yaml")), name);
  }
});

withShared(
  test,
  "data/upstream-4.22/none-compact/state.json",
  "the state's config is the normal value",
  (path) => {
    const state: Json = JSON.parse(readFileSync(path, "utf8"));
    const saved = isObject(state) ? state["*installconfig.InstallConfig"] : undefined;
    const { asset } = judge(installConfigOf(dirname(path)), RELEASE_OF_CASES);
    assert.ok(asset !== undefined && isObject(saved));
    assert.ok(
      equalJson(
        saved["config"],
        normalValue(asset.config, releaseOf(RELEASE_OF_CASES), platformOf(asset.config)),
      ),
    );
  },
);

test.run();
