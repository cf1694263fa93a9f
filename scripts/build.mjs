// Bundles the command line into dist/: one small entry, the rest in chunks that load when needed. Libraries are
// bundled too (an unbundled start costs several times as much); only ts-morph stays a dependency.
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { generate, root } from "./generate.mjs";

/** Help text is ASCII; the Unicode tables of string-width cost more than all of the rest of the start. */
const asciiWidth = {
  name: "ascii-width",
  setup(build) {
    build.onResolve({ filter: /^string-width$/ }, () => ({ path: "string-width", namespace: "ascii-width" }));
    build.onLoad({ filter: /.*/, namespace: "ascii-width" }, () => ({
      contents: "export default (text) => text.length;",
    }));
  },
};

export const bundle = {
  absWorkingDir: root,
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node20",
  external: ["ts-morph"],
  plugins: [asciiWidth],
  logLevel: "warning",
  legalComments: "none",
  banner: {
    js: 'import { createRequire as slipwayRequire } from "node:module"; const require = slipwayRequire(import.meta.url);',
  },
};

export async function buildCli() {
  rmSync(join(root, "dist"), { recursive: true, force: true });
  const { metafile } = await build({
    ...bundle,
    metafile: true,
    entryPoints: { slipway: "src/cli/main.ts" },
    outdir: "dist",
    chunkNames: "chunks/[name]-[hash]",
    minify: true,
    banner: { js: `#!/usr/bin/env node\n${bundle.banner.js}` },
  });
  writeFileSync(join(root, "dist/THIRD-PARTY-LICENSES.txt"), licences(Object.keys(metafile.inputs)));
}

/** The licence texts of the libraries that ended up in the bundle, as their licences ask. */
function licences(inputs) {
  const folders = inputs.map((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0]).filter(Boolean);
  const parts = [...new Set(folders)].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));
    const file = readdirSync(join(root, folder)).find((each) => /^licen[cs]e/i.test(each));
    const text =
      file === undefined || !existsSync(join(root, folder, file))
        ? `${license}\n`
        : readFileSync(join(root, folder, file), "utf8");
    return `${name} ${version}\n\n${text}`;
  });
  return parts.join(`\n${"-".repeat(80)}\n\n`);
}

if (process.argv[1]?.endsWith("build.mjs")) {
  await generate();
  await buildCli();
}
