/**
 * The entry point. It answers `--version` and the first page of help alone and loads everything else only when it
 * is needed.
 */
import packageJson from "../../package.json" with { type: "json" };

const words = process.argv.slice(2);
const [only] = words.length === 1 ? words : [];

if (only === "--version" || only === "-v") {
  process.stdout.write(`${packageJson.version}\n`);
} else if (only === "--help" || only === "-h" || only === "help") {
  const { topHelp } = await import("./help.js");
  process.stdout.write(topHelp());
} else {
  const { run } = await import("./frame.js");
  process.exitCode = await run(words);
}
