// Tables of facts with a schema of their own beside them (tables/NAME.json and NAME.schema.json): held against
// the schema here, so that a wrong table stops the build, and written as a typed module.
import Ajv from "ajv/dist/2020.js";
import { compileTypes } from "./generate-schemas.mjs";

/** `tables`: `{ name, file, schema, data }`. */
export async function compileTables(tables) {
  const outputs = new Map();
  const ajv = new Ajv.default({
    allErrors: true,
    strict: true,
    strictRequired: false,
    allowUnionTypes: true,
  });
  for (const { name, file, schema, data } of tables) {
    if (!ajv.validate(schema, data))
      throw new Error(
        ajv.errors.map(({ instancePath, message }) => `${file}${instancePath}: ${message}`).join("\n"),
      );
    const types = await compileTypes([{ name, group: "tables", schema }]);
    outputs.set(
      `tables/${name}.ts`,
      `${types.get(`types/${name}.ts`)}\nexport const TABLE: ${schema.title} = ${JSON.stringify(data, null, 2)};\n`,
    );
  }
  return outputs;
}

/** Texts that go to a node as they are, such as scripts, as a module of strings by file name. */
export const compileTexts = (texts) => {
  const table = texts
    .map(({ name, text }) => `  ${JSON.stringify(name)}: ${JSON.stringify(text)},`)
    .join("\n");
  return new Map([["bootstrap-texts.ts", `export const TEXTS = {\n${table}\n} as const;\n`]]);
};
