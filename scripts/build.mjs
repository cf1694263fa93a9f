// Bundles the command line into dist/, with `--alone` without earlier builds, as CommonJS, which starts faster than ES modules: a small entry, and everything
// else as one file that is loaded through V8's code cache (src/cli/code-cache.ts). Libraries are bundled too, since an unbundled start costs
// several times as much; only ts-morph stays a dependency, and Graphviz a file of its own.

import { execFileSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { filesBelow, refreshGenerated, root } from "./generate.mjs";
import { generateDocs } from "./generate-docs.mjs";
import { installedAlong, librariesOf, SBOM, sbomOf } from "./sbom.mjs";
import { digestOf, isCurrent, make } from "./stamp.mjs";

/** The command line library prints nothing here; the Unicode tables of string-width cost more than all of the rest of the start. */
const asciiWidth = {
  name: "ascii-width",
  setup(build) {
    build.onResolve({ filter: /^string-width$/ }, () => ({ path: "string-width", namespace: "ascii-width" }));
    build.onLoad({ filter: /.*/, namespace: "ascii-width" }, () => ({
      contents: "export default (text) => text.length;",
    }));
  },
};

const graphviz = {
  name: "graphviz-apart",
  setup(build) {
    build.onResolve({ filter: /^@viz-js\/viz$/ }, ({ kind }) =>
      kind === "entry-point" ? undefined : { path: "./graphviz.js", external: true },
    );
  },
};

/** A large table that one command alone reads: parsed when it is asked for, and not at every start. */
const messages = {
  name: "messages-apart",
  setup(build) {
    build.onResolve({ filter: /\/kubernetes-messages\.json$/ }, () => ({
      path: "./kubernetes-messages.json",
      external: true,
    }));
  },
};

/** Templates and validators of one platform, such as templates/openshift/NAME.js: they stand for themselves. */
const PART = /\/generated\/(templates|validators\/emitted)\/([^/]+)\/([^/]+)\.js$/;
const partName = (path) => {
  const [, kind = "", folder = "", name = ""] = PART.exec(path.replaceAll("\\", "/")) ?? [];
  return name === "" ? undefined : `part-${kind.split("/")[0]}-${folder}-${name}`;
};

/** What one platform alone needs lies in files of its own, so that the others do not load it. */
const parts = {
  name: "parts-apart",
  setup(build) {
    build.onResolve({ filter: /\.js$/ }, ({ path, kind, resolveDir }) => {
      const name = kind === "dynamic-import" ? partName(join(resolveDir, path)) : undefined;
      return name === undefined ? undefined : { path: `./${name}.js`, external: true };
    });
  },
};

/** The entry shows the command table and runs nothing of it: what commands and platforms do stays out of it. */
export const withoutHandlers = {
  name: "without-handlers",
  setup(build) {
    build.onResolve({ filter: /-run\.js$/ }, ({ path }) => ({ path, namespace: "handler" }));
    build.onResolve({ filter: /\/index\.js$/ }, ({ path, kind, importer }) =>
      kind === "dynamic-import" && importer.includes("/platforms/")
        ? { path, namespace: "handler" }
        : undefined,
    );
    build.onLoad({ filter: /.*/, namespace: "handler" }, () => ({ contents: "export {};" }));
  },
};

const common = {
  absWorkingDir: root,
  bundle: true,
  platform: "node",
  target: "node20",
  external: ["ts-morph"],
  logLevel: "warning",
  legalComments: "none",
};

/** ES modules for the tests. */
export const bundle = {
  ...common,
  splitting: true,
  format: "esm",
  banner: {
    js: 'import { createRequire as slipwayRequire } from "node:module"; const require = slipwayRequire(import.meta.url);',
  },
};

export const commonJs = {
  ...common,
  format: "cjs",
  minify: true,
  metafile: true,
  supported: { "dynamic-import": false },
  define: { "import.meta.url": "importMetaUrl" },
  banner: { js: 'const importMetaUrl = require("node:url").pathToFileURL(__filename).href;' },
  plugins: [asciiWidth, graphviz, messages],
};

const inputs = () =>
  digestOf(root, [
    "src",
    "tables",
    "examples/aws",
    "golden/storage-behaviors/input",
    "package-lock.json",
    "package.json",
    "scripts/build.mjs",
    "scripts/sbom.mjs",
    "scripts/warm-up.mjs",
    "tsconfig.json",
  ]);

const DIST = join(root, "dist");
const STAMP = join(root, "build/stamps/dist");

/** Builds dist/ unless it is there, made from the present sources. */
export async function refreshCli() {
  if (!isCurrent(STAMP, inputs()) || !existsSync(join(DIST, "slipway.js"))) await buildCli();
}

/** Puts a fresh build into dist/. */
export const buildCli = (alone = false) => {
  const digest = inputs();
  return make(STAMP, digest, async () => replace(await cliFolder(digest), DIST, alone));
};

/**
 * The folder of the command line as it is built from the present sources, below build/. It has a name of its own for each
 * state of the sources, so that a test run keeps the one that it started with.
 */
export async function cliFolder(digest = inputs()) {
  const builds = join(root, "build/cli");
  const folder = join(builds, digest.slice(0, 16));
  if (existsSync(folder)) {
    touch(folder);
    return folder;
  }
  const own = join(builds, `.${process.pid}`);
  try {
    await buildInto(own);
    renameSync(own, folder);
  } catch (error) {
    // Another process may have been faster.
    if (!existsSync(folder)) throw error;
  } finally {
    rmSync(own, { recursive: true, force: true });
  }
  forgetOld(builds, folder);
  return folder;
}

/** A build that was used within a day may still be: a test run takes less. */
function forgetOld(builds, current) {
  for (const name of readdirSync(builds)) {
    const folder = join(builds, name);
    if (folder !== current && !isRecent(folder)) rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Puts a build into dist/. It gets a folder of its own there, and slipway.js, which starts it, is replaced last and at
 * once: a command that runs meanwhile goes on with the build that it started with. That is removed by a build a day later.
 *
 * @param alone removes it now, for a package
 */
function replace(from, dist, alone) {
  const name = `build-${basename(from)}`;
  const place = join(dist, name);
  const own = join(dist, `.${process.pid}`);
  mkdirSync(dist, { recursive: true });
  for (const each of readdirSync(dist)) if (isCurrentBuild(dist, each)) touch(join(dist, each));
  try {
    if (!existsSync(place)) {
      cpSync(from, own, { recursive: true });
      renameSync(own, place);
    }
    for (const file of ["THIRD-PARTY-LICENSES.txt", SBOM, "package.json"])
      copyWhole(join(from, file), join(dist, file));
    const start = `#!/usr/bin/env node\nprocess.argv[1] = require.resolve("./${name}/slipway.js");\nrequire(process.argv[1]);\n`;
    writeFileSync(own, start);
    chmodSync(own, 0o755);
    renameSync(own, join(dist, "slipway.js"));
  } finally {
    rmSync(own, { recursive: true, force: true });
  }
  for (const each of readdirSync(dist)) {
    if ([name, "THIRD-PARTY-LICENSES.txt", SBOM, "package.json", "slipway.js"].includes(each)) continue;
    if (!alone && (each === "library" || isRecent(join(dist, each)))) continue;
    rmSync(join(dist, each), { recursive: true, force: true });
  }
}

const isCurrentBuild = (dist, name) =>
  existsSync(join(dist, "slipway.js")) &&
  readFileSync(join(dist, "slipway.js"), "utf8").includes(`"./${name}/`);

function copyWhole(from, to) {
  const own = `${to}.${process.pid}`;
  cpSync(from, own);
  renameSync(own, to);
}

const touch = (path) => utimesSync(path, new Date(), new Date());
const DAY = 24 * 60 * 60 * 1000;
const isRecent = (path) => statSync(path).mtimeMs > Date.now() - DAY;
/** The parts by name. */
const partFiles = () =>
  Object.fromEntries(
    filesBelow(join(root, "src/generated"), ".js").flatMap((file) => {
      const name = partName(file);
      return name === undefined ? [] : [[name, file]];
    }),
  );

async function buildInto(outdir) {
  const built = await Promise.all([
    build({
      ...commonJs,
      outdir,
      entryPoints: { slipway: "src/cli/main.ts" },
      plugins: [withoutHandlers],
      banner: { js: "#!/usr/bin/env node" },
    }),
    build({
      ...commonJs,
      outdir,
      entryPoints: { frame: "src/cli/frame.ts" },
      plugins: [...commonJs.plugins, parts],
      // As src/cli/code-cache.ts loads it.
      banner: { js: `(function (exports, require, module, __filename, __dirname) {${commonJs.banner.js}` },
      footer: { js: "})" },
    }),
    // A module with a default export alone, in the way in which Node gives one to an ES module.
    build({
      ...commonJs,
      outdir,
      entryPoints: partFiles(),
      footer: { js: "module.exports = module.exports.default;" },
    }),
    build({ ...commonJs, outdir, entryPoints: { graphviz: "@viz-js/viz" } }),
  ]);
  // esbuild escapes what is not ASCII in texts, and not in regular expressions; src/cli/code-cache.ts takes bytes for characters.
  for (const name of readdirSync(outdir)) {
    const file = join(outdir, name);
    const source = readFileSync(file, "utf8");
    const escaped = source.replace(
      /[^\0-\x7f]/g,
      (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
    );
    if (escaped !== source) writeFileSync(file, escaped);
  }
  cpSync(join(root, "tables/kubernetes-messages.json"), join(outdir, "kubernetes-messages.json"));
  writeFileSync(join(outdir, "package.json"), '{ "type": "commonjs" }\n');
  const bundled = built.flatMap(({ metafile }) => Object.keys(metafile.inputs));
  writeFileSync(join(outdir, "THIRD-PARTY-LICENSES.txt"), licences(bundled));
  writeFileSync(join(outdir, SBOM), sbomOf([...librariesOf(bundled), ...installedAlong()]));
  // Predictable, so that two builds give the same bytes.
  execFileSync(
    process.execPath,
    [
      "--predictable",
      "--no-flush-bytecode",
      "--hash-seed=1",
      "--random-seed=1",
      join(root, "scripts/warm-up.mjs"),
      join(outdir, "frame.js"),
    ],
    { stdio: "inherit", env: { ...process.env, SOURCE_DATE_EPOCH: "1767225600" } },
  );
}

/** The licence texts of the libraries that ended up in the bundle, as their licences ask. */
export function licences(inputs) {
  const parts = librariesOf(inputs).map((folder) => {
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

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  await refreshGenerated();
  await generateDocs();
  await buildCli(process.argv.includes("--alone"));
}
