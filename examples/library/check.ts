/** Prints one line for each problem of the given install-configs, and fails if one is invalid. */
import { readFileSync } from "node:fs";
import { judgeInstallConfig } from "slipway";

let failed = false;
for (const file of process.argv.slice(2)) {
  const { ok, diagnostics } = await judgeInstallConfig(readFileSync(file, "utf8"), {
    file,
    release: "4.22",
    now: new Date(),
  });
  for (const { severity, line, column, field, message, hint } of diagnostics)
    console.log(`${file}:${line}:${column}: ${severity}: ${field}: ${message}; ${hint}`);
  failed ||= !ok;
}
process.exitCode = failed ? 1 : 0;
