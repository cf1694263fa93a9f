// Writes src/generated: precompiled templates, standalone validators and types, from templates/ and schemas/.
// Nothing there is edited by hand or committed. A file is written only when its content changes.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { applyPatch } from "rfc6902";
import { digestOf, digestOfText, isCurrent, make } from "./stamp.mjs";

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
const out = join(root, "src/generated");

export const filesBelow = (folder, ending) =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((each) => each.isFile() && each.name.endsWith(ending))
        .map((each) => join(each.parentPath, each.name))
        .sort()
    : [];

/** The module of the schemas that are defined in code (src/generators/emitted-schemas.ts), with all that it imports. */
async function schemaCode() {
  const { outputFiles } = await build({
    entryPoints: [join(root, SCHEMAS_IN_CODE)],
    bundle: true,
    write: false,
    format: "esm",
    logLevel: "error",
  });
  return outputFiles[0].text;
}

const SCHEMAS_IN_CODE = "src/generators/emitted-schemas.ts";

/** These schemas, in the form of those in schemas/. */
async function schemasFromCode(code) {
  const { EMITTED_FROM_DEFINITIONS } = await import(
    `data:text/javascript;base64,${Buffer.from(code).toString("base64")}`
  );
  return EMITTED_FROM_DEFINITIONS.map(({ name, schema }) => ({
    name: basename(name),
    group: dirname(name),
    file: `schemas/${name}.schema.json`,
    schema,
  }));
}

/** The schema files of a folder below `base`: name, group (the folder below `base`) and content. */
const schemasBelow = (base, folder = base) =>
  filesBelow(join(root, folder), ".schema.json").map((file) => ({
    name: basename(file, ".schema.json"),
    group: relative(join(root, base), dirname(file)),
    file: relative(root, file),
    schema: readSchema(file),
  }));

/**
 * The schema of a file. That of another version of a kind, or of a machine beside its template, is
 * `{ "x-slipway": { "base": FILE, "patch": [...] } }`: the schema that it is written beside, changed by a JSON Patch
 * (RFC 6902). With `"folders": [...]` it is that of the templates in these folders alone, which write the same kind in
 * another way.
 */
function readSchema(file) {
  const schema = JSON.parse(readFileSync(file, "utf8"));
  const { base, patch, folders } = schema["x-slipway"] ?? {};
  if (base === undefined) return schema;
  const changed = readSchema(join(dirname(file), base));
  for (const error of applyPatch(changed, patch))
    if (error !== null) throw new Error(`${relative(root, file)}: ${error.message}`);
  if (folders !== undefined) changed["x-slipway"] = { ...changed["x-slipway"], folders };
  return changed;
}

/** What a platform brings: kinds that only it emits, parts of those that others emit too, and of the schemas of what is read. */
const platformSchemas = () =>
  platformFolders().flatMap((name) => schemasBelow(`src/platforms/${name}/schemas`));

/** `part` put into `whole`, member by member; lists are joined, and otherwise two parts never say the same member. */
function merge(whole, part, file, path = "") {
  for (const [key, value] of Object.entries(part)) {
    const there = whole[key];
    if (there === undefined) whole[key] = value;
    else if (Array.isArray(there) && Array.isArray(value)) there.push(...value);
    else if ([there, value].every((each) => typeof each === "object" && !Array.isArray(each)))
      merge(there, value, file, `${path}/${key}`);
    else throw new Error(`${file}: ${path}/${key} is there already`);
  }
}

/**
 * All schemas, with the parts that platforms have of those in schemas/ merged into these: of those in inputs, and of an
 * emitted kind that a file of the same name in schemas/emitted stands for.
 */
function allSchemas() {
  const found = schemasBelow("schemas");
  const shared = new Map(found.map((each) => [`${each.group}/${each.name}`, each]));
  for (const each of platformSchemas()) {
    const whole = shared.get(`${each.group || "inputs"}/${each.name}`);
    if (whole !== undefined) merge(whole.schema, each.schema, each.file);
    else if (each.group === "emitted") found.push(each);
    else throw new Error(`${each.file}: neither below emitted/ nor a part of a schema in schemas/inputs`);
  }
  return found;
}

const STAMP = join(root, "build/stamps/generated");
/** What the modules are made from, beside the schemas of platforms and those that are defined in code. */
const INPUTS = [
  "templates",
  "schemas",
  "tables",
  "scripts/generate.mjs",
  "scripts/generate-tables.mjs",
  "scripts/generate-forms.mjs",
  "scripts/generate-schemas.mjs",
  "scripts/generate-templates.mjs",
  "scripts/lint-template.mjs",
  "src/text/template-lint.ts",
  "package-lock.json",
];

const ORIGINS_STAMP = join(root, "build/stamps/origins");
/** What the table of origins is made from, beside the templates. */
const ORIGINS_CODE = [
  "src/phases",
  "src/platforms",
  "src/directory/layout.ts",
  "src/directory/state-members.ts",
];
const ORIGINS_INPUTS = [
  ...ORIGINS_CODE,
  "templates",
  "tables/release-facts.json",
  "scripts/generate-origins.mjs",
  "scripts/template-fields.mjs",
  "docs/platforms",
  "package-lock.json",
];

/** Writes the modules unless they are there, made from the present inputs. */
export async function refreshGenerated() {
  const code = await schemaCode();
  const platforms = platformFolders().map((name) => `src/platforms/${name}/schemas`);
  const digest = digestOfText(digestOf(root, [...INPUTS, ...platforms]), code);
  const isStale = !isCurrent(STAMP, digest) || !existsSync(join(out, "secret-names.ts"));
  const origins = digestOf(root, ORIGINS_INPUTS);
  const areOriginsStale = !isCurrent(ORIGINS_STAMP, origins) || !existsSync(join(out, "origins/table.js"));
  await Promise.all([
    // Each takes seconds and needs nothing of the other: where both are stale, one gets a processor of its own.
    areOriginsStale && (isStale ? inProcess("--origins") : make(ORIGINS_STAMP, origins, generateOrigins)),
    isStale && make(STAMP, digest, () => generate(code)),
  ]);
}

/** This script in a process of its own. */
const inProcess = (...words) =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [fileURLToPath(import.meta.url), ...words], { stdio: "inherit" });
    child.once("error", reject);
    child.once("close", (code) =>
      code === 0 ? resolve() : reject(new Error(`generate.mjs ${words.join(" ")} failed`)),
    );
  });

const allTemplates = () =>
  filesBelow(join(root, "templates"), ".hbs").map((file) => ({
    name: relative(join(root, "templates"), file)
      .replaceAll("\\", "/")
      .replace(/\.hbs$/, ""),
    file: relative(root, file),
    source: readFileSync(file, "utf8"),
  }));

const platformFolders = () =>
  readdirSync(join(root, "src/platforms"), { withFileTypes: true })
    .filter((each) => each.isDirectory())
    .map(({ name }) => name)
    .sort();

/** Apart from the rest, since every change of a phase is one of its inputs; the parser is loaded for it alone. */
async function generateOrigins() {
  const { compileOrigins } = await import("./generate-origins.mjs");
  const code = ["src/phases", "src/platforms"].flatMap((folder) => filesBelow(join(root, folder), ".ts"));
  write(compileOrigins(root, code, allTemplates(), platformFolders()));
}

/** A file is written only when its content changes, and at once, since another process may read it. */
function write(outputs) {
  for (const [path, text] of outputs) {
    const file = join(out, path);
    if (existsSync(file) && readFileSync(file, "utf8") === text) continue;
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(`${file}.${process.pid}`, text);
    renameSync(`${file}.${process.pid}`, file);
  }
}

/** The libraries are loaded where there is something to write. */
async function generate(code) {
  const { compileTables, compileTexts } = await import("./generate-tables.mjs");
  const { compileForms, secretNames } = await import("./generate-forms.mjs");
  const { compileTypes, compileValidators, schemaModules } = await import("./generate-schemas.mjs");
  const { compileTemplates } = await import("./generate-templates.mjs");
  const outputs = new Map();
  const templates = allTemplates();
  for (const [path, text] of compileTemplates(templates)) outputs.set(path, text);

  const tables = schemasBelow("tables").map(({ name, schema }) => {
    const file = `tables/${name}.json`;
    return { name, file, schema, data: JSON.parse(readFileSync(join(root, file), "utf8")) };
  });
  for (const [path, text] of await compileTables(tables)) outputs.set(path, text);
  const texts = filesBelow(join(root, "templates/bootstrap"), "").map((file) => ({
    name: basename(file),
    text: readFileSync(file, "utf8"),
  }));
  for (const [path, text] of compileTexts(texts)) outputs.set(path, text);

  const schemas = [...allSchemas(), ...(await schemasFromCode(code))];
  for (const [path, text] of compileValidators(schemas, templates)) outputs.set(path, text);
  for (const [path, text] of schemaModules(schemas)) outputs.set(path, text);
  for (const [path, text] of await compileTypes(schemas)) outputs.set(path, text);
  for (const [path, text] of compileForms(schemas)) outputs.set(path, text);
  for (const [path, text] of secretNames(schemas)) outputs.set(path, text);

  for (const file of filesBelow(out, "")) {
    const path = relative(out, file);
    if (!outputs.has(path) && !path.startsWith("origins")) rmSync(file);
  }
  write(outputs);
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  await (process.argv.includes("--origins")
    ? make(ORIGINS_STAMP, digestOf(root, ORIGINS_INPUTS), generateOrigins)
    : refreshGenerated());
