// Compares slipway with a real openshift-install on generated install-configs:
// npm run equal -- --installer PATH [--data DIR] [--cases N] [--seed S] [--release V]; CONTRIBUTING.md says where one comes from.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { build } from "esbuild";
import { bundle } from "./build.mjs";
import { refreshGenerated, root } from "./generate.mjs";

await refreshGenerated();
const outfile = join(root, "build/equal.mjs");
await build({
  ...bundle,
  splitting: false,
  entryPoints: [join(root, "test/equal/equal.program.ts")],
  outfile,
  packages: "external",
  sourcemap: "linked",
  plugins: [],
});
const { status } = spawnSync(process.execPath, ["--enable-source-maps", outfile, ...process.argv.slice(2)], {
  stdio: "inherit",
});
process.exitCode = status ?? 1;
