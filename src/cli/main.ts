/**
 * The entry point. It answers `--version` alone and loads everything else only when it is needed.
 */
import packageJson from "../../package.json" with { type: "json" };

const words = process.argv.slice(2);

if (words.length === 1 && (words[0] === "--version" || words[0] === "-v")) {
  process.stdout.write(`${packageJson.version}\n`);
} else {
  const { run } = await import("./frame.js");
  process.exitCode = await run(words, packageJson.version);
}
