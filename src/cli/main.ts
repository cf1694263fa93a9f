/**
 * The entry point. It answers `--version` and the first page of help alone and loads everything else only when it
 * is needed.
 */
import { join } from "node:path";
import packageJson from "../../package.json" with { type: "json" };

interface Frame {
  run(words: readonly string[]): Promise<number>;
}

const isFrame = (value: unknown): value is Frame =>
  typeof value === "object" && value !== null && "run" in value && typeof value.run === "function";

async function main(words: readonly string[]): Promise<number> {
  const [only] = words.length === 1 ? words : [];
  if (only === "--version" || only === "-v") {
    process.stdout.write(`${packageJson.version}\n`);
    return 0;
  }
  if (only === "--help" || only === "-h" || only === "help") {
    const { topHelp } = await import("./help.js");
    process.stdout.write(topHelp());
    return 0;
  }
  const { loadFile } = await import("./code-cache.js");
  const { exports: frame } = loadFile(join(__dirname, "frame.js"));
  if (!isFrame(frame)) throw new Error("frame.js has no run");
  return frame.run(words);
}

main(process.argv.slice(2)).then((code) => {
  process.exitCode = code;
});
