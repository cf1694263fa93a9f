// Handlebars templates -> one module of precompiled templates per folder, so that a command loads only its own.
// A file whose name starts with _ is a partial: a part that several templates share, as {{> FOLDER/_NAME view}}; those of
// another folder are in the module too.
import Handlebars from "handlebars";
import { lintTemplate } from "./lint-template.mjs";

const HELPERS = { value: true, has: true };

/** Templates of a folder are loaded together: `openshift` those of all, `openshift/NAME` those of one platform. */
export const folderOf = (name) => name.slice(0, name.lastIndexOf("/"));

/** Names of the partials that a template calls. */
function partialsIn(node) {
  const inner = [node.program, node.inverse].flatMap((each) => (each ? partialsIn(each) : []));
  const called = node.type === "PartialStatement" ? [node.name.original] : [];
  return [...called, ...inner, ...(node.body ?? []).flatMap(partialsIn)];
}

export function compileTemplates(templates) {
  const folders = new Map();
  const specs = new Map();
  const partials = new Map();
  for (const { name, file, source } of templates) {
    const program = Handlebars.parse(source);
    partials.set(name, partialsIn(program));
    const problems = lintTemplate(program);
    if (problems.length > 0)
      throw new Error(
        problems.map(({ line, column, message }) => `${file}:${line}:${column}: ${message}`).join("\n"),
      );
    const spec = Handlebars.precompile(source, {
      knownHelpers: HELPERS,
      knownHelpersOnly: false,
      strict: true,
      noEscape: true,
    });
    specs.set(name, spec);
    const folder = folderOf(name);
    folders.set(folder, [...(folders.get(folder) ?? []), name]);
  }
  const withPartials = (names) => {
    const all = new Set(names);
    for (const name of all) for (const each of partials.get(name) ?? []) all.add(each);
    return [...all].map((name) => ({ name, spec: specs.get(name) }));
  };
  const outputs = new Map();
  const names = templates.map(({ name }) => name).filter((name) => !name.split("/").at(-1).startsWith("_"));
  outputs.set(
    "templates/names.ts",
    `export const TEMPLATE_NAMES = ${JSON.stringify(names, null, 2)} as const;\nexport type TemplateName = (typeof TEMPLATE_NAMES)[number];\n`,
  );
  const declaration =
    'import type Handlebars from "handlebars";\n\ndeclare const specs: { readonly [name: string]: Parameters<typeof Handlebars.template>[0] };\nexport default specs;\n';
  for (const [folder, entries] of folders) {
    const body = withPartials(entries)
      .map(({ name, spec }) => `${JSON.stringify(name)}: ${spec}`)
      .join(",\n");
    outputs.set(`templates/${folder}.js`, `export default {\n${body}\n};\n`);
    outputs.set(`templates/${folder}.d.ts`, declaration);
  }
  const loaders = [...folders.keys()]
    .map((folder) => `  ${JSON.stringify(folder)}: async () => (await import("./${folder}.js")).default,`)
    .join("\n");
  outputs.set(
    "templates/index.ts",
    `import type Handlebars from "handlebars";\n\nexport type TemplateSpecs = { readonly [name: string]: Parameters<typeof Handlebars.template>[0] };\nexport const TEMPLATE_FOLDERS: { readonly [folder: string]: () => Promise<TemplateSpecs> } = {\n${loaders}\n};\n`,
  );
  return outputs;
}
