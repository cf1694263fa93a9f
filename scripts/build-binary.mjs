// One executable that runs every command with no Node and no file beside it: Node's own executable with an entry and
// the files of the command line in it (Node's "single executable applications"). It is for the system and processor of the machine that
// builds it, and needs what that Node needs: the C and C++ runtime of the system (docs/binary.md).
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import { cliFolder, commonJs, licences, withoutHandlers } from "./build.mjs";
import { refreshGenerated, root } from "./generate.mjs";
import { foldersIn, librariesOf, SBOM, sbomOf } from "./sbom.mjs";

/** The mark in Node's executable that the blob switches on; Node's documentation gives it. */
const FUSE = "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2";

const POSTJECT = fileURLToPath(import.meta.resolve("postject/dist/cli.js"));

/** Runs Node; what it prints (warnings about sections of every executable among it) is told where it fails alone. */
function quietly(cwd, ...args) {
  execFileSync(process.execPath, args, { cwd, stdio: ["ignore", "ignore", "pipe"] });
}

/** Writes `folder`/slipway and the licences of what is in it. */
export async function buildBinary(folder) {
  if (process.platform !== "linux")
    throw new Error(
      "the executable is built on Linux: elsewhere Node's documentation asks for signing as well",
    );
  if (!readFileSync(process.execPath).includes(FUSE))
    throw new Error(
      `${process.execPath} cannot carry anything: it is built against a shared Node; use one of nodejs.org`,
    );
  await refreshGenerated();
  const dist = await cliFolder();
  const work = join(folder, `.work-${process.pid}`);
  mkdirSync(work, { recursive: true });
  try {
    const built = await Promise.all([
      build({
        ...commonJs,
        outfile: join(work, "main.js"),
        entryPoints: ["src/cli/main-binary.ts"],
        plugins: [withoutHandlers],
        banner: {},
      }),
      build({ ...commonJs, outfile: join(work, "ts-morph.js"), entryPoints: ["ts-morph"], external: [] }),
    ]);
    const names = readdirSync(dist).filter(
      (name) => /\.(?:js|cache|json)$/.test(name) && ![SBOM, "slipway.js", "package.json"].includes(name),
    );
    const assets = Object.fromEntries(names.map((name) => [name, join(dist, name)]));
    // The path of the entry ends up in the executable: it says nothing of the machine.
    const config = {
      main: "main.js",
      output: "blob",
      disableExperimentalSEAWarning: true,
      assets: { ...assets, "ts-morph.js": "ts-morph.js" },
    };
    writeFileSync(join(work, "sea.json"), JSON.stringify(config));
    quietly(work, "--experimental-sea-config", "sea.json");
    const binary = join(work, "slipway");
    copyFileSync(process.execPath, binary);
    chmodSync(binary, 0o755);
    quietly(work, POSTJECT, "slipway", "NODE_SEA_BLOB", "blob", "--sentinel-fuse", FUSE);
    renameSync(binary, join(folder, "slipway"));
    const inputs = built.flatMap(({ metafile }) => Object.keys(metafile.inputs));
    const own = readFileSync(join(dist, "THIRD-PARTY-LICENSES.txt"), "utf8");
    writeFileSync(
      join(folder, "THIRD-PARTY-LICENSES.txt"),
      `${own}\n${"-".repeat(80)}\n\n${licences(inputs)}`,
    );
    // The same libraries as in the package, and what is installed along with that is inside.
    writeFileSync(
      join(folder, SBOM),
      sbomOf([...foldersIn(join(dist, SBOM)), ...librariesOf(inputs)], process.versions.node),
    );
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const folder = process.argv[2] ?? join(root, "dist-binary");
  await buildBinary(folder);
  const file = join(folder, "slipway");
  console.log(`${file}: ${Math.round(statSync(file).size / 1e6)} MB`);
}
