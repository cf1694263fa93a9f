// The rule of src/text/template-lint.ts for the build, which runs before TypeScript is compiled.

import { readFileSync } from "node:fs";
import { transformSync } from "esbuild";

const source = readFileSync(new URL("../src/text/template-lint.ts", import.meta.url), "utf8");
const { code } = transformSync(source, { loader: "ts", format: "esm" });
const lint = await import(`data:text/javascript;base64,${Buffer.from(code).toString("base64")}`);

export const lintTemplate = lint.lintTemplate;
