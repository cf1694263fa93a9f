/**
 * The files of `slipway generate schemas`: every JSON Schema of the inputs, of the json outputs and of the objects
 * that are emitted, laid out as in the `schemas/` folder of the package.
 */
import { byCodeUnit, type OutputFile, textFile } from "../core/files.js";
import { SCHEMAS } from "../generated/schemas/index.js";

export async function schemaFiles(): Promise<readonly OutputFile[]> {
  const names = Object.entries(SCHEMAS).sort(([a], [b]) => byCodeUnit(a, b));
  return Promise.all(
    names.map(async ([name, load]) =>
      textFile(`${name}.schema.json`, `${JSON.stringify(await load(), null, 2)}\n`),
    ),
  );
}
