// Writes the pages of docs that follow from the code. test/explain/codes.test.ts fails where one is out of date.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { refreshGenerated, root } from "./generate.mjs";

export async function generateDocs() {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: ["src/explain/codes/diagnostic.ts"],
    bundle: true,
    write: false,
    platform: "node",
    format: "esm",
    logLevel: "warning",
  });
  const code = Buffer.from(outputFiles[0].contents).toString("base64");
  const { diagnosticsPage } = await import(`data:text/javascript;base64,${code}`);
  writeFileSync(join(root, "docs/reference/diagnostics.md"), diagnosticsPage());
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await refreshGenerated();
  await generateDocs();
}
