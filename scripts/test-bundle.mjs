// Compiles tests: one bundle with shared chunks, in a folder of its own for each state of the sources and each selection
// of files, so that it is made once, and that two runs in one tree never touch each other's files.
import {
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join, relative } from "node:path";
import { build } from "esbuild";
import { bundle } from "./build.mjs";
import { filesBelow, root } from "./generate.mjs";
import { digestOf, digestOfText } from "./stamp.mjs";

const FOLDER = join(root, "build/tests");

/** Everything that esbuild reads; what of it a bundle really contains is in its list of inputs. */
const SOURCES = ["src", "test", "tables", "package.json", "package-lock.json", "tsconfig.json", "scripts"];

/** Tests get the contract of diagnostics with a note of every problem. */
const noted = {
  name: "noted-diagnostics",
  setup(build) {
    const path = join(root, "test/helpers/noted-diagnostics.ts");
    build.onResolve({ filter: /\/diagnostics\.js$/ }, ({ path: wanted, resolveDir, importer }) =>
      join(resolveDir, wanted) === join(root, "src/core/diagnostics.js") && importer !== path
        ? { path }
        : undefined,
    );
  },
};

/** Pure functions that take long are computed once for each input. */
const remembered = {
  name: "remembered",
  setup(build) {
    for (const [filter, importer, helper] of [
      [/^bcryptjs$/, "src/phases/kubeadmin.ts", "test/helpers/known-hashes.ts"],
      [/^node:crypto$/, "src/pki/prime.ts", "test/helpers/known-primes.ts"],
    ])
      build.onResolve({ filter }, (found) =>
        found.importer === join(root, importer) ? { path: join(root, helper) } : undefined,
      );
  },
};

/** Programs that tests start as processes or threads of their own. */
const programs = () => filesBelow(join(root, "test"), ".program.ts");

const settings = (files) => ({
  ...bundle,
  entryPoints: [...files, ...programs()].map((file) => relative(root, file)),
  outbase: ".",
  packages: "external",
  metafile: true,
  plugins: [noted, remembered],
});

/** The compiled form of a test file or program in a folder of `bundleTests`. */
export const compiledFile = (folder, file) => join(folder, relative(root, file).replace(/\.ts$/, ".js"));

/** Compiles test files, absolute paths, and answers the folder. */
export async function bundleTests(files) {
  const digest = digestOfText(
    digestOf(root, SOURCES),
    files.map((file) => relative(root, file)).join("\n"),
  ).slice(0, 16);
  const folder = join(FOLDER, digest);
  const own = join(FOLDER, `.${process.pid}`);
  if (!existsSync(folder)) {
    await build({ ...settings(files), outdir: own });
    try {
      renameSync(own, folder);
    } catch {
      // Another run was faster.
      rmSync(own, { recursive: true, force: true });
    }
  }
  mkdirSync(join(folder, "in-use"), { recursive: true });
  writeFileSync(join(folder, "in-use", String(process.pid)), "");
  utimesSync(folder, new Date(), new Date());
  process.on("exit", () => rmSync(join(folder, "in-use", String(process.pid)), { force: true }));
  prune(folder);
  return folder;
}

const KEPT = 4;

/** Removes bundles that no run uses, except the latest. */
function prune(current) {
  const old = readdirSync(FOLDER)
    .map((name) => join(FOLDER, name))
    .filter((folder) => folder !== current)
    .sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs)
    .slice(KEPT);
  for (const folder of old) if (!isUsed(folder)) rmSync(folder, { recursive: true, force: true });
}

function isUsed(folder) {
  const users = existsSync(join(folder, "in-use")) ? readdirSync(join(folder, "in-use")) : [];
  const building = /\/\.(\d+)$/.exec(folder)?.[1];
  return [...users, ...(building === undefined ? [] : [building])].some((pid) => isAlive(Number(pid)));
}

export function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}

/** What each source file imports, by paths from the root of the repository. */
export async function importsOf(files) {
  const { metafile } = await build({ ...settings(files), outdir: FOLDER, write: false });
  return new Map(
    Object.entries(metafile.inputs).map(([path, { imports }]) => [
      path,
      imports.filter(({ external }) => external !== true).map((each) => each.path),
    ]),
  );
}

/**
 * Turns places of compiled files in a text into those of the sources. The maps are made for a text that names a place:
 * they are larger than all the code, and most runs need none.
 */
export async function withSourcePlaces(text, folder, files) {
  const place = /(?:file:\/\/)?([^\s()]+?\.js):(\d+):(\d+)/g;
  const here = [...text.matchAll(place)].filter(([, path]) => path.startsWith(`${folder}/`));
  if (here.length === 0) return text;
  const { SourceMap } = await import("node:module");
  const { outputFiles } = await build({
    ...settings(files),
    outdir: folder,
    write: false,
    sourcemap: "external",
    sourcesContent: false,
  });
  const sources = new Map(outputFiles.map((file) => [file.path, file]));
  const maps = new Map();
  const mapOf = (path) => {
    if (!maps.has(path)) {
      const file = sources.get(`${path}.map`);
      maps.set(path, file === undefined ? undefined : new SourceMap(JSON.parse(file.text)));
    }
    return maps.get(path);
  };
  return text.replace(place, (whole, path, line, column) => {
    const found = mapOf(path)?.findEntry(Number(line) - 1, Number(column) - 1);
    if (found?.originalSource === undefined) return whole;
    const source = relative(root, join(path, "..", found.originalSource));
    return `${source}:${found.originalLine + 1}:${found.originalColumn + 1}`;
  });
}
