// Handlebars templates -> one module of precompiled templates per folder, so that a command loads only its own.
// A file whose name starts with _ is a partial: a part that several templates of its folder share, as
// {{> FOLDER/_NAME view}}.
import Handlebars from "handlebars";
import { lintTemplate } from "./lint-template.mjs";

const HELPERS = { value: true, has: true };

/** Templates of a folder are loaded together: `openshift` those of all, `openshift/NAME` those of one platform. */
export const folderOf = (name) => name.slice(0, name.lastIndexOf("/"));

export function compileTemplates(templates) {
  const folders = new Map();
  for (const { name, file, source } of templates) {
    const problems = lintTemplate(Handlebars.parse(source));
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
    const folder = folderOf(name);
    folders.set(folder, [...(folders.get(folder) ?? []), { name, spec }]);
  }
  const outputs = new Map();
  const names = templates.map(({ name }) => name).filter((name) => !name.split("/").at(-1).startsWith("_"));
  outputs.set(
    "templates/names.ts",
    `export const TEMPLATE_NAMES = ${JSON.stringify(names, null, 2)} as const;\nexport type TemplateName = (typeof TEMPLATE_NAMES)[number];\n`,
  );
  const declaration =
    'import type Handlebars from "handlebars";\n\ndeclare const specs: { readonly [name: string]: Parameters<typeof Handlebars.template>[0] };\nexport default specs;\n';
  for (const [folder, entries] of folders) {
    const body = entries.map(({ name, spec }) => `${JSON.stringify(name)}: ${spec}`).join(",\n");
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
