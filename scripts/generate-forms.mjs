// JSON Schemas -> what runs: a form for each schema that a document is read by (the schema without its prose, so that
// reading loads little), and an index of all documents for `slipway explain` (each loads on its own).

const PROSE = new Set(["$schema", "$id", "title", "description", "examples", "default", "enum", "const"]);

/** The schema without what only people read. */
function strip(node) {
  if (Array.isArray(node)) return node.map(strip);
  if (typeof node !== "object" || node === null) return node;
  const kept = {};
  for (const [key, value] of Object.entries(node)) {
    if (PROSE.has(key)) continue;
    if (key === "properties" || key === "$defs")
      kept[key] = Object.fromEntries(Object.entries(value).map(([name, child]) => [name, strip(child)]));
    else if (key === "x-slipway") {
      const { values, validator, reader, ...rest } = value;
      if (Object.keys(rest).length > 0) kept[key] = rest;
    } else kept[key] = strip(value);
  }
  return kept;
}

export function compileForms(schemas) {
  const outputs = new Map();
  for (const { name, schema } of schemas) {
    if (schema["x-slipway"]?.reader !== true) continue;
    outputs.set(
      `forms/${name}.ts`,
      `import type { Form } from "../../text/form.js";\n\nconst form: Form = ${JSON.stringify(strip(schema))};\nexport default form;\n`,
    );
  }
  return outputs;
}

/** The kind that a document of the schema says it is, or the schema's title. */
const kindOf = (schema) => schema.properties?.kind?.const ?? schema.title;

export function compileDocuments(schemas) {
  const outputs = new Map();
  const entries = [];
  for (const { name, group, schema } of schemas) {
    const module = `${group.replaceAll("/", "-")}-${name}`;
    outputs.set(
      `documents/${module}.ts`,
      `import type { JsonObject } from "../../core/json.js";\n\nconst schema: JsonObject = ${JSON.stringify(schema)};\nexport default schema;\n`,
    );
    const entry = {
      name,
      group,
      kind: kindOf(schema) ?? name,
      apiVersion: schema.properties?.apiVersion?.const ?? "",
      summary: schema.description ?? "",
    };
    const members = JSON.stringify(entry).slice(1, -1);
    entries.push(`  { ${members}, load: async () => (await import("./${module}.js")).default },`);
  }
  const declaration = `import type { JsonObject } from "../../core/json.js";

export interface DocumentEntry {
  /** File name of the schema without its ending, such as install-config. */
  readonly name: string;
  /** Folder below schemas/, such as inputs or emitted. */
  readonly group: string;
  readonly kind: string;
  readonly apiVersion: string;
  readonly summary: string;
  load(): Promise<JsonObject>;
}
`;
  outputs.set(
    "documents/index.ts",
    `${declaration}\nexport const DOCUMENTS: readonly DocumentEntry[] = [\n${entries.join("\n")}\n];\n`,
  );
  return outputs;
}
