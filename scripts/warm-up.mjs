// Runs what users run most with a bundled command line, and keeps what V8 compiled on the way as its code cache
// (src/cli/code-cache.ts). Run with --predictable and --no-flush-bytecode, so that the same bundle gives the same bytes.
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Where V8 notes the flags that a cache was made with (SerializedCodeData: magic, version, source, flags; 4 bytes each). */
const FLAGS = 12;

/** What V8 notes there in a process without flags; with another note it would reject the cache. */
const plainFlags = () =>
  execFileSync(process.execPath, [
    "-e",
    `process.stdout.write(new (require("node:vm").Script)("0").createCachedData().subarray(${FLAGS}, ${FLAGS + 4}))`,
  ]);

async function warmUp(file) {
  const { code } = await build({
    absWorkingDir: root,
    bundle: true,
    platform: "node",
    target: "node20",
    logLevel: "warning",
    format: "esm",
    write: false,
    entryPoints: ["src/cli/code-cache.ts"],
  }).then(({ outputFiles }) => ({ code: outputFiles[0].text }));
  const { cacheOf, inFolder, loadFile } = await import(
    `data:text/javascript;base64,${Buffer.from(code).toString("base64")}`
  );
  const frame = loadFile(basename(file), inFolder(dirname(file)));
  const folder = mkdtempSync(join(tmpdir(), "slipway-build-"));
  const said = [];
  const stream = { isTerminal: false, write: (text) => said.push(text) };
  try {
    for (const each of ["install-config.yaml", "facts.yaml"])
      cpSync(join(root, "examples/aws", each), join(folder, each));
    const seed = join(folder, "seed");
    writeFileSync(
      seed,
      Uint8Array.from({ length: 32 }, (_, i) => (i * 37 + 11) % 256),
    );
    const dir = ["--dir", folder];
    const facts = ["--facts", join(folder, "facts.yaml")];
    for (const words of [
      ["create", "manifests", ...dir, ...facts, "--key-algorithm", "ecdsa-p256", "--seed", seed],
      ["create", "infrastructure-manifests", ...dir, "--secrets", "separate"],
      ["create", "manifests", ...dir],
      ["check", ...dir],
      ["validate", ...dir],
      [
        "storage",
        "behaviors",
        "--lifecycle",
        join(root, "golden/storage-behaviors/input/api-lifecycle.yaml"),
      ],
    ]) {
      const code = await frame.exports.run(words, { stdout: stream, stderr: stream });
      if (code !== 0)
        throw new Error(`slipway ${words.join(" ")} gave ${code} on the example\n${said.join("")}`);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  const cache = Buffer.from(frame.cache());
  plainFlags().copy(cache, FLAGS);
  writeFileSync(cacheOf(file), cache);
}

await warmUp(process.argv[2]);
