// JSON Schemas -> standalone ajv validators (never compiled at run time: that costs hundreds of milliseconds) and
// TypeScript types. `schemas/emitted` becomes one module whose validators are found by apiVersion and kind.

import Ajv from "ajv/dist/2020.js";
import standalone from "ajv/dist/standalone/index.js";
import addFormats from "ajv-formats";
import { compile } from "json-schema-to-typescript";
import { folderOf } from "./generate-templates.mjs";

/**
 * The text of validators. Ajv joins the errors of each part to a copy of all before them, which for a list of tens of
 * thousands of wrong members is their square; here they are added to the list that is there.
 */
function validatorText(ajv, validators) {
  const joining = /vErrors = vErrors === null \? ([\w$.]+\.errors) : vErrors\.concat\(\1\);/g;
  const text = standalone
    .default(ajv, validators)
    .replaceAll(joining, "vErrors = vErrors === null ? $1 : withMore(vErrors, $1);");
  if (text.includes("vErrors.concat")) throw new Error("ajv joins errors in a way that was not seen before");
  if (!text.includes("withMore(")) return text;
  return `${text}\nfunction withMore(errors, more){for(const each of more)errors.push(each);return errors;}`;
}

const KUBERNETES_KEYWORDS = [
  "x-kubernetes-validations",
  "x-kubernetes-preserve-unknown-fields",
  "x-kubernetes-list-type",
  "x-kubernetes-list-map-keys",
  "x-kubernetes-map-type",
  "x-kubernetes-int-or-string",
];

const compiler = ({ allErrors, messages = true }) => {
  const ajv = new Ajv.default({
    code: { source: true, esm: true },
    allErrors,
    messages,
    allowUnionTypes: true,
    strict: true,
    strictRequired: false,
    // A schema that several others refer to becomes one function, not a copy in each.
    inlineRefs: false,
    verbose: false,
  });
  addFormats.default(ajv);
  for (const keyword of KUBERNETES_KEYWORDS) ajv.addKeyword(keyword);
  ajv.addVocabulary([/* own annotations */ "x-slipway"]);
  return ajv;
};

const DECLARATION = `import type { ErrorObject } from "ajv";

export interface Validator {
  (value: unknown): boolean;
  errors?: ErrorObject[] | null;
}
`;

/** Which emitted kinds the templates of each folder make, as `apiVersion kind`. */
export function kindsByFolder(templates) {
  const folders = new Map();
  for (const { name, file, source } of templates) {
    const folder = folderOf(name);
    const kinds = folders.get(folder) ?? new Set();
    folders.set(folder, kinds);
    if (name.split("/").at(-1).startsWith("_")) continue;
    const [apiVersion, kind] = ["apiVersion", "kind"].map(
      (key) => new RegExp(`^${key}: ([-A-Za-z0-9./]+)$`, "m").exec(source)?.[1],
    );
    if (apiVersion === undefined || kind === undefined)
      throw new Error(`${file}: apiVersion and kind stand in the template as they are`);
    kinds.add(`${apiVersion} ${kind}`);
  }
  return folders;
}

const PROVIDER_SPEC = "https://slipway.dev/schemas/emitted/ProviderSpec";

/**
 * What `providerSpec.value` of machines may be in a folder of templates: the emitted kinds with `x-slipway.providerSpec`
 * that the folder's own platform has.
 */
function providerSpecIn(folder, checked) {
  const platform = folder.split("/")[1];
  const own = checked.filter(
    ({ file, schema }) =>
      schema["x-slipway"]?.providerSpec === true && file.startsWith(`src/platforms/${platform}/`),
  );
  return own.length === 0
    ? { $id: PROVIDER_SPEC, not: {} }
    : { $id: PROVIDER_SPEC, anyOf: own.map(({ schema }) => ({ $ref: schema.$id })) };
}

/** The validators of what is emitted, a module for each folder of templates: a command loads only its own. */
function compileEmitted(schemas, folders) {
  const outputs = new Map();
  const shared = new Map();
  const ofFolder = new Map();
  const checked = [];
  for (const { file, schema } of schemas.filter(({ group }) => group === "emitted")) {
    const { apiVersion, kind } = schema.properties ?? {};
    if (apiVersion?.const === undefined || kind?.const === undefined)
      throw new Error(`${file}: an emitted schema fixes apiVersion and kind with "const"`);
    const id = schema.$id ?? `urn:slipway:${file}`;
    checked.push({ file, schema: { ...schema, $id: id } });
    const key = `${apiVersion.const} ${kind.const}`;
    const own = schema["x-slipway"]?.folders;
    if (own === undefined) shared.set(key, id);
    else for (const folder of own) ofFolder.set(`${folder} ${key}`, id);
  }
  for (const [folder, kinds] of folders) {
    const idOf = (kind) => ofFolder.get(`${folder.split("/")[0]} ${kind}`) ?? shared.get(kind);
    const known = [...kinds].filter((kind) => idOf(kind) !== undefined).sort();
    // What a fresh render breaks is a bug of ours, and the first fault will do, without words; `slipway validate`
    // holds what users edited against the schemas of infrastructure-manifests and shows all. Of cluster-api/ the fault is
    // reported: what the install-config says is valid there, and the provider's definition refuses it.
    const [top] = folder.split("/");
    const allErrors = top === "infrastructure-manifests";
    const ajv = compiler({ allErrors, messages: allErrors || top === "cluster-api" });
    for (const { schema } of [...checked, { schema: providerSpecIn(folder, checked) }]) ajv.addSchema(schema);
    // A name of our own: ajv calls its functions validate0, validate1 …
    const names = Object.fromEntries(known.map((kind, index) => [`emitted${index}`, idOf(kind)]));
    const table = known.map((kind, index) => `  ${JSON.stringify(kind)}: emitted${index},`).join("\n");
    outputs.set(
      `validators/emitted/${folder}.js`,
      `${validatorText(ajv, names)}\nexport default {\n${table}\n};\n`,
    );
    outputs.set(
      `validators/emitted/${folder}.d.ts`,
      `${DECLARATION}\ndeclare const validators: { readonly [apiVersionAndKind: string]: Validator };\nexport default validators;\n`,
    );
  }
  const loaders = [...folders.keys()]
    .map((folder) => `  ${JSON.stringify(folder)}: async () => (await import("./${folder}.js")).default,`)
    .join("\n");
  outputs.set(
    "validators/emitted/index.ts",
    `import type { ErrorObject } from "ajv";\n\nexport interface EmittedValidator {\n  (value: unknown): boolean;\n  errors?: ErrorObject[] | null;\n}\n\nexport const EMITTED_VALIDATORS: {\n  readonly [folder: string]: () => Promise<{ readonly [apiVersionAndKind: string]: EmittedValidator }>;\n} = {\n${loaders}\n};\n`,
  );
  return outputs;
}

export function compileValidators(schemas, templates) {
  const outputs = compileEmitted(schemas, kindsByFolder(templates));
  for (const { name, group, file, schema } of schemas) {
    if (group === "emitted" || schema["x-slipway"]?.validator === false) continue;
    const ajv = compiler({ allErrors: true });
    const validate = ajv.compile({ ...schema, $id: schema.$id ?? `urn:slipway:${file}` });
    outputs.set(`validators/${name}.js`, validatorText(ajv, validate));
    outputs.set(
      `validators/${name}.d.ts`,
      `${DECLARATION}\ndeclare const validate: Validator;\nexport default validate;\n`,
    );
  }
  return outputs;
}

/** A copy in which a reference stands alone: what is said beside one would make a type of its own. */
function withoutSiblings(node) {
  if (Array.isArray(node)) return node.map(withoutSiblings);
  if (typeof node !== "object" || node === null) return node;
  if (typeof node.$ref === "string") return { $ref: node.$ref };
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, withoutSiblings(value)]));
}

export async function compileTypes(schemas) {
  const outputs = new Map();
  for (const { name, group, schema } of schemas) {
    if (group === "emitted") continue;
    const text = await compile(withoutSiblings(schema), name, {
      bannerComment: "",
      additionalProperties: false,
      format: false,
      unknownAny: true,
    });
    outputs.set(`types/${name}.ts`, text);
  }
  return outputs;
}

/** Kind and version of the documents of a schema, and its first sentence. */
const aboutSchema = (name, schema) => ({
  kind: schema.properties?.kind?.const ?? schema.title ?? name,
  apiVersion: schema.properties?.apiVersion?.const ?? "",
  summary: (schema.description ?? "").split(/(?<=[.:]) /)[0].replace(/:$/, "."),
});

// Every schema as a module of its own, so that `explain` and `generate schemas` load only what they show. The name is
// the path below schemas/ without its ending.
export function schemaModules(schemas) {
  const outputs = new Map();
  const loaders = [];
  const about = [];
  for (const { name, group, schema } of [...schemas].sort((a, b) =>
    `${a.group}/${a.name}` < `${b.group}/${b.name}` ? -1 : 1,
  )) {
    if (schema.$schema === undefined) continue;
    const path = `${group}/${name}`;
    outputs.set(`schemas/${path}.js`, `export default ${JSON.stringify(schema)};\n`);
    outputs.set(
      `schemas/${path}.d.ts`,
      'import type { JsonObject } from "REL/core/json.js";\n\ndeclare const schema: JsonObject;\nexport default schema;\n'.replace(
        "REL",
        "../".repeat(path.split("/").length + 1).slice(0, -1),
      ),
    );
    about.push(`  ${JSON.stringify(path)}: ${JSON.stringify(aboutSchema(name, schema))},`);
    loaders.push(
      `  ${JSON.stringify(path)}: async () => (await import(${JSON.stringify(`./${path}.js`)})).default,`,
    );
  }
  outputs.set(
    "schemas/index.ts",
    `import type { JsonObject } from "../../core/json.js";\n\n/** What a schema is of, so that one can be found without loading all. */\nexport interface AboutSchema {\n  readonly kind: string;\n  readonly apiVersion: string;\n  readonly summary: string;\n}\n\nexport const ABOUT_SCHEMAS: { readonly [name: string]: AboutSchema } = {\n${about.join("\n")}\n};\n\n/** Path below schemas/ without its ending → the schema. */\nexport const SCHEMAS: { readonly [name: string]: () => Promise<JsonObject> } = {\n${loaders.join("\n")}\n};\n`,
  );
  return outputs;
}
