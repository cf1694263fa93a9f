// Reads damaged copies of etcd in process: node scripts/etcd-fuzz.mjs [CASES] [SEED]. Fails on a crash, on a damaged
// snapshot that is read without a word, on a case above 20 seconds and on more than 512 MiB.
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { bundle } from "./build.mjs";
import { refreshGenerated, root } from "./generate.mjs";

const cases = Number(process.argv[2] ?? 10_000);
const seed = Number(process.argv[3] ?? Date.now() % 2 ** 31);
await refreshGenerated();
const outfile = join(root, "build/etcd-fuzz.mjs");
await build({
  ...bundle,
  splitting: false,
  entryPoints: ["test/etcd/fuzz.ts"],
  outfile,
  packages: "external",
  plugins: [],
});
const { fuzz } = await import(pathToFileURL(outfile).href);
const started = performance.now();
const report = await fuzz(cases, seed);
const seconds = ((performance.now() - started) / 1000).toFixed(1);
console.log(
  `${report.cases} cases of seed ${seed} in ${seconds} s: ${report.diagnosed} diagnosed, ${report.plausible} dumps that are whole; slowest ${report.slowestMs.toFixed(0)} ms, peak ${report.peakMiB.toFixed(0)} MiB`,
);
if (report.slowestMs > 20_000 || report.peakMiB > 512) process.exitCode = 1;
