// Writes the inputs of the golden cases about copies of etcd. The same bytes each time.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { bundle } from "./build.mjs";
import { root } from "./generate.mjs";

const outfile = join(root, "build/etcd-golden.mjs");
await build({
  ...bundle,
  splitting: false,
  entryPoints: ["test/etcd/golden-inputs.ts"],
  outfile,
  packages: "external",
  plugins: [],
});
const { goldenInputs } = await import(pathToFileURL(outfile).href);
for (const { path, data } of goldenInputs()) {
  // One of them is the example of docs/etcd.md, too.
  const places = [`golden/${path}`, path.replace("etcd-lost-key/input", "examples/etcd")];
  for (const file of places
    .filter((each) => /^(?:golden|examples)\//.test(each))
    .map((each) => join(root, each))) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, data);
  }
}
