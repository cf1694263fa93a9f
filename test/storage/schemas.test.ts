/** Every document of the storage commands fits its schema, inputs and answers alike. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Ajv from "ajv/dist/2020.js";
import { load } from "js-yaml";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { slipway } from "../helpers/cli.js";
import { tempFolder } from "../helpers/temp.js";

const test = suite("storage schemas");

const ajv = new Ajv.default({ allErrors: true, allowUnionTypes: true });
ajv.addVocabulary(["x-slipway"]);
const schema = (path: string) =>
  ajv.compile(JSON.parse(readFileSync(join(process.cwd(), "schemas", `${path}.schema.json`), "utf8")));

function fits(path: string, document: unknown): void {
  const validate = schemas[path];
  if (validate === undefined) throw new Error(path);
  assert.ok(validate(document), JSON.stringify(validate.errors, null, 1));
}

const schemas = Object.fromEntries(
  [
    "inputs/storage-policy",
    "inputs/storage-behaviors",
    "inputs/storage-scenario",
    "inputs/storage-counts",
    "outputs/StoragePolicyVerdict",
    "outputs/StorageSimulation",
    "outputs/CRDGuardAnswer",
    "outputs/StorageMigrations",
  ].map((path) => [path, schema(path)]),
);

const golden = (path: string): string => join(process.cwd(), "golden", path);
const answer = (...args: readonly string[]): unknown =>
  JSON.parse(slipway(["storage", ...args, "--output", "json"]).stdout);

test("answers", () => {
  const lifecycle = golden("storage-behaviors/input/api-lifecycle.yaml");
  fits("inputs/storage-behaviors", answer("behaviors", "--lifecycle", lifecycle));
  fits("outputs/StoragePolicyVerdict", answer("verify-policy"));
  fits("outputs/StoragePolicyVerdict", answer("verify-policy", "--migrated", "4"));
  fits("outputs/StoragePolicyVerdict", answer("verify-policy", "--table", lifecycle));
  for (const words of [
    ["behaviors"],
    ["verify-policy"],
    ["simulate", "--scenario", golden("storage-simulate/input/upgrade.yaml")],
  ])
    assert.not.match(JSON.stringify(answer(...words, "--table", "kubernetes")), "DIR015", words[0]);
  fits(
    "outputs/StorageMigrations",
    answer("migrations", "--from", "1.33", "--to", "1.36", "--lifecycle", lifecycle),
  );
  for (const name of ["upgrade.yaml", "rolling.yaml"])
    fits(
      "outputs/StorageSimulation",
      answer("simulate", "--scenario", golden(`storage-simulate/input/${name}`)),
    );
  const crd = (name: string): string => golden(`storage-crd-guard/input/${name}`);
  fits("outputs/CRDGuardAnswer", answer("crd-guard", crd("old.yaml"), crd("new.yaml")));
  fits("outputs/CRDGuardAnswer", answer("crd-guard", crd("old.yaml"), crd("old.yaml")));
});

test("answers to wrong input", () => {
  const folder = tempFolder();
  const file = join(folder, "bad.yaml");
  writeFileSync(file, "kind: Pod\n");
  fits("inputs/storage-behaviors", answer("behaviors", "--table", file));
  fits("outputs/StoragePolicyVerdict", answer("verify-policy", "--table", file));
  fits("outputs/StorageSimulation", answer("simulate", "--scenario", file));
  fits("outputs/CRDGuardAnswer", answer("crd-guard", file, file));
  fits("outputs/StorageMigrations", answer("migrations", "--to", "1.36", "--crd", file));
});

test("inputs", () => {
  const read = (path: string): unknown => load(readFileSync(golden(path), "utf8"));
  fits("inputs/storage-scenario", read("storage-simulate/input/upgrade.yaml"));
  fits("inputs/storage-scenario", read("storage-simulate/input/rolling.yaml"));
  fits("inputs/storage-counts", read("storage-crd-guard/input/counts.yaml"));
  fits("inputs/storage-policy", read("storage-verify-policy/input/policy.yaml"));
  fits("inputs/storage-behaviors", read("storage-verify-policy/input/behaviors.yaml"));
});

test.run();
