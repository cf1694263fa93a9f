// The library (src/library/index.ts) for `import … from "slipway"`: ES modules that load what they need, and the
// declarations that can be reached from it, with nothing in them that a user would have to install.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { bundle } from "./build.mjs";
import { refreshGenerated, root } from "./generate.mjs";

const OUT = join(root, "dist/library");
/** Of this process, so that two builds in one tree leave each other alone. */
const DECLARATIONS = join(root, `build/declarations-${process.pid}`);
const WORK = join(root, `build/library-${process.pid}`);
const ENTRY = "library/index";

/** The type of a JSON value: names of members count, values do not. */
function shapeOf(value) {
  if (Array.isArray(value)) return "readonly unknown[]";
  if (typeof value !== "object" || value === null) return typeof value;
  return `{ ${Object.entries(value)
    .map(([name, member]) => `readonly ${JSON.stringify(name)}: ${shapeOf(member)}`)
    .join("; ")} }`;
}

/** A declaration whose tables in JSON stand in it as types. */
const withoutJson = (text, file) =>
  text.replace(
    /^import (\w+) from "([^"]+\.json)"(?: with \{[^}]*\})?;$/gm,
    (_, name, target) =>
      `declare const ${name}: ${shapeOf(JSON.parse(readFileSync(sourceOf(file, target), "utf8")))};`,
  );

/** A JSON file is named relative to the source, not to the declaration. */
const sourceOf = (file, target) => resolve(root, "src", dirname(relative(DECLARATIONS, file)), target);

/** The declarations that the entry reaches, by path. */
function reached() {
  const texts = new Map();
  const visit = (file) => {
    if (texts.has(file)) return;
    const text = withoutJson(readFileSync(file, "utf8"), file);
    texts.set(file, text);
    for (const [, a, b] of text.matchAll(/(?:from|import) ?\(?"(\.[^"]+)"|from "([^.][^"]*)"/g)) {
      if (b !== undefined && !/^(?:node:|slipway$)/.test(b))
        throw new Error(`${relative(root, file)}: a declaration of the library needs ${b}`);
      if (a === undefined) continue;
      const target = resolve(dirname(file), a.replace(/\.js$/, ".d.ts"));
      if (existsSync(target)) visit(target);
      else throw new Error(`${relative(root, file)}: ${a} has no declaration`);
    }
  };
  visit(join(DECLARATIONS, `${ENTRY}.d.ts`));
  return texts;
}

export async function buildLibrary() {
  await refreshGenerated();
  try {
    await buildInto(WORK);
    rmSync(OUT, { recursive: true, force: true });
    mkdirSync(dirname(OUT), { recursive: true });
    renameSync(WORK, OUT);
  } finally {
    for (const folder of [WORK, DECLARATIONS]) rmSync(folder, { recursive: true, force: true });
  }
}

async function buildInto(out) {
  await build({
    ...bundle,
    minify: true,
    outdir: out,
    outExtension: { ".js": ".mjs" },
    entryPoints: { index: `src/${ENTRY}.ts` },
  });
  execFileSync(
    process.execPath,
    [
      join(root, "node_modules/typescript/lib/tsc.js"),
      "-p",
      "tsconfig.library.json",
      "--outDir",
      DECLARATIONS,
    ],
    {
      cwd: root,
      stdio: "inherit",
    },
  );
  writeFileSync(join(out, "package.json"), '{ "type": "module" }\n');
  for (const [file, text] of reached()) {
    const path = join(out, "types", relative(DECLARATIONS, file));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) await buildLibrary();
