// JSON Schemas -> forms: the schema of a document that slipway reads, without its prose, so that reading loads little.

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
      if (values !== undefined) rest.closed = true;
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

/** The names of the members that a schema marks `writeOnly`, for redaction. */
export function secretNames(schemas) {
  const names = new Set();
  const walk = (node) => {
    if (typeof node !== "object" || node === null) return;
    for (const [name, child] of Object.entries(node.properties ?? {}))
      if (child?.writeOnly === true) names.add(name);
    for (const child of Object.values(node)) walk(child);
  };
  for (const { schema } of schemas) walk(schema);
  const text = JSON.stringify([...names].sort());
  return new Map([["secret-names.ts", `export const WRITE_ONLY_NAMES: readonly string[] = ${text};\n`]]);
}
