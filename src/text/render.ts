/**
 * Templates to objects. A template is rendered with a typed view, parsed back, and checked by our own schema of
 * what is emitted; only then is it written in the canonical form.
 */
import { type OutputFile, textFile } from "../core/files.js";
import { isObject, type Json, type JsonObject } from "../core/json.js";
import { type Problem, problem } from "../core/problem.js";
import { TEMPLATE_FOLDERS, type TemplateSpecs } from "../generated/templates/index.js";
import type { TemplateName } from "../generated/templates/names.js";
import { EMITTED_VALIDATORS } from "../generated/validators/emitted/index.js";
import Handlebars from "./handlebars-runtime.js";
import { Slots } from "./slots.js";
import { parseYaml } from "./yaml-parse.js";
import { writeYaml } from "./yaml-write.js";

export type { TemplateName };

/** What a template is given: plain JSON data; a member that is undefined counts as absent. */
export type View = { readonly [name: string]: Json | undefined | View | readonly View[] };

/** A template that replaces a built-in one (`--templates DIR`), already compiled. */
export interface TemplateOverride {
  readonly file: string;
  render(view: View, helpers: TemplateHelpers): string;
}

export interface Renderer {
  /** The object that a template makes of a view. Throws on a view or template of ours that is wrong (a bug). */
  object(template: TemplateName, view: View): JsonObject;
  /** What is wrong with that object by our schema of it, where an install-config may ask for it all the same. */
  fault(template: TemplateName, view: View): string | undefined;
  /** The same, as a file in canonical YAML. */
  file(template: TemplateName, view: View, path: string, options?: { secret?: boolean }): OutputFile;
}

/** The folders of a platform beside those of all: `openshift/NAME` beside `openshift`; not every platform has each. */
export const platformFolders = (folders: readonly string[], platform: string): readonly string[] =>
  [...folders, ...folders.map((folder) => `${folder}/${platform}`)].filter((folder) =>
    Object.hasOwn(TEMPLATE_FOLDERS, folder),
  );

type Render = (view: View, helpers: TemplateHelpers) => string;

interface Templates {
  /** The rendering of a template; throws where the folders have none of the name. */
  of(template: string): Render;
  /** The check of what a template makes. */
  checkOf(template: string): EmittedCheck;
}

/** What was loaded, by its folders: a process may compile many clusters. */
const LOADED = new Map<string, Promise<Templates>>();

function templatesIn(folders: readonly string[]): Promise<Templates> {
  const key = folders.join();
  const known = LOADED.get(key) ?? loadTemplates(folders);
  LOADED.set(key, known);
  return known;
}

/** Kinds that other folders make too are otherwise here: an installer's objects are not what a user applies. */
const hasOwnSchemas = (name: string): boolean => name.split("/")[0] === "cluster-api";

async function loadTemplates(folders: readonly string[]): Promise<Templates> {
  const checking = Promise.all([
    emittedCheck(folders.filter((folder) => !hasOwnSchemas(folder))),
    emittedCheck(folders.filter(hasOwnSchemas)),
  ]);
  const loaded = await Promise.all(folders.map((folder) => TEMPLATE_FOLDERS[folder]?.() ?? {}));
  const specs: TemplateSpecs = Object.fromEntries(loaded.flatMap((each) => Object.entries(each)));
  const compiled = new Map<string, Render>();
  const partials = Object.fromEntries(
    Object.entries(specs)
      .filter(([name]) => name.slice(name.lastIndexOf("/") + 1).startsWith("_"))
      .map(([name, spec]) => [name, Handlebars.template(spec)]),
  );
  const [shared, own] = await checking;
  return {
    checkOf: (template) => (hasOwnSchemas(template) ? own : shared),
    of(template) {
      const known = compiled.get(template);
      if (known !== undefined) return known;
      const spec = specs[template];
      if (spec === undefined) throw new Error(`no template ${template} in ${folders.join(", ")}`);
      const fromSpec = Handlebars.template(spec);
      const render: Render = (given, helpers) => fromSpec(given, { helpers, partials });
      compiled.set(template, render);
      return render;
    },
  };
}

/** Texts that differ in their values only are the same text, of other clusters too; what is parsed is never changed. */
const PARSED = new Map<string, Json>();
const MOST_PARSED = 4096;

function parse(text: string): Json {
  const known = PARSED.get(text);
  if (known !== undefined) return known;
  const value = parseYaml(text);
  if (PARSED.size >= MOST_PARSED) PARSED.clear();
  PARSED.set(text, value);
  return value;
}

/** Loads the precompiled templates of the given folders, those below them not included. Faults of an override go to `report`. */
export async function createRenderer(
  folders: readonly string[],
  report: (problem: Problem) => void,
  overrides: ReadonlyMap<string, TemplateOverride> = new Map(),
): Promise<Renderer> {
  const { of, checkOf } = await templatesIn(folders);

  const built = (template: TemplateName, view: View): JsonObject => {
    const slots = new Slots();
    const value = slots.fill(parse(of(template)(view, helpersOf(slots))));
    if (!isObject(value)) throw new Error(`template ${template} did not render to one object`);
    return value;
  };
  const object = (template: TemplateName, view: View): JsonObject => {
    const override = overrides.get(template);
    if (override !== undefined) {
      const replaced = renderOverride(override, view, checkOf(template), report);
      if (replaced !== undefined) return replaced;
    }
    const value = built(template, view);
    const fault = checkOf(template)(value);
    if (fault !== undefined) throw new Error(`template ${template}: ${fault}`);
    return value;
  };

  return {
    object,
    fault: (template, view) => checkOf(template)(built(template, view)),
    file: (template, view, path, options) => textFile(path, writeYaml(object(template, view)), options),
  };
}

/** What a block helper is given: its block, and the one behind `else`. */
export interface HelperOptions {
  fn(context: unknown): string;
  inverse(context: unknown): string;
}

/** Where a helper is called, lines from 1 and columns from 0. */
export interface CallOptions {
  readonly loc?: { readonly start: { readonly line: number; readonly column: number } };
}

/** Helpers of every template: `value` places a value, `has` opens its block when the value is present. */
export interface TemplateHelpers {
  readonly [name: string]: (...given: never[]) => string;
  value(given: Json | undefined, options?: CallOptions): string;
  has(this: unknown, given: unknown, options: HelperOptions): string;
}

/** A value is placed that the view does not have. */
class NothingGiven extends Error {
  constructor(readonly start: { readonly line: number; readonly column: number } = { line: 1, column: 0 }) {
    super("the helper {{value}} was called without a value; check that the view contains the name");
  }
}

const helpersOf = (slots: Slots): TemplateHelpers => ({
  value(given, options) {
    if (given === undefined) throw new NothingGiven(options?.loc?.start);
    return slots.place(given);
  },
  has(given, options) {
    return given === undefined ? options.inverse(this) : options.fn(this);
  },
});

/**
 * What is wrong with an object by our own schema of what we emit, or undefined. A kind that none of the loaded
 * folders makes is wrong.
 */
export type EmittedCheck = (object: JsonObject) => string | undefined;

/** Loads the validators for what the templates of the given folders make. */
export async function emittedCheck(folders: readonly string[]): Promise<EmittedCheck> {
  const loaders = folders.flatMap((folder) => EMITTED_VALIDATORS[folder] ?? []);
  const loaded = await Promise.all(loaders.map((load) => load()));
  const validators = new Map(loaded.flatMap((each) => Object.entries(each)));
  return (object) => {
    const key = `${String(object["apiVersion"])} ${String(object["kind"])}`;
    const validate = validators.get(key);
    if (validate === undefined) return `no schema for emitted objects of ${key}`;
    if (validate(object)) return undefined;
    const [first] = validate.errors ?? [];
    return `${first?.instancePath ?? ""} ${first?.message ?? `breaks the rule ${JSON.stringify(first?.keyword)}`}${nameOf(first?.params)}`;
  };
}

/** The member that a rule about members names. */
const nameOf = (params: Readonly<Record<string, unknown>> | undefined): string => {
  const name = params?.["additionalProperty"] ?? params?.["missingProperty"];
  return typeof name === "string" ? ` (${name})` : "";
};

function renderOverride(
  override: TemplateOverride,
  view: View,
  check: EmittedCheck,
  report: (problem: Problem) => void,
): JsonObject | undefined {
  const refuse = (
    code: "TPL002" | "TPL003",
    message: string,
    hint: string,
    place = { line: 1, column: 1 },
  ): undefined => void report(problem(code, "Invalid", "", message, { file: override.file, ...place, hint }));
  const slots = new Slots();
  let value: Json;
  try {
    value = slots.fill(parseYaml(override.render(view, helpersOf(slots))));
  } catch (error) {
    if (error instanceof NothingGiven)
      return refuse("TPL002", error.message, "", { ...error.start, column: error.start.column + 1 });
    // Behind the first line stands an excerpt of what was rendered, with lines of its own.
    const [reason = ""] = error instanceof Error ? error.message.split("\n") : [];
    return refuse("TPL002", `the template does not render to YAML: ${reason}`, "");
  }
  if (!isObject(value)) return refuse("TPL002", "the template must render to one object", "");
  const fault = check(value);
  if (fault !== undefined) return refuse("TPL003", `the template produced an invalid object: ${fault}`, "");
  return value;
}
