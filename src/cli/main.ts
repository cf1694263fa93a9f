/**
 * The entry point. It answers `--version` and the first page of help alone and loads everything else only when it
 * is needed.
 */
import { join } from "node:path";
import packageJson from "../../package.json" with { type: "json" };
import { exitCodeOf, outStream, type Streams } from "./streams.js";

interface Frame {
  run(words: readonly string[], streams: Streams): Promise<number>;
}

const isFrame = (value: unknown): value is Frame =>
  typeof value === "object" && value !== null && "run" in value && typeof value.run === "function";

async function main(words: readonly string[], streams: Streams): Promise<number> {
  const [only] = words.length === 1 ? words : [];
  if (only === "--version" || only === "-v" || only === "version") {
    streams.stdout.write(`${packageJson.version}\n`);
    return 0;
  }
  if (only === "--help" || only === "-h" || only === "help") {
    const { topHelp } = await import("./help.js");
    streams.stdout.write(topHelp(streams.stdout.columns));
    return 0;
  }
  const { loadFile } = await import("./code-cache.js");
  const { exports: frame } = loadFile(join(__dirname, "frame.js"));
  if (!isFrame(frame)) throw new Error("frame.js has no run");
  return frame.run(words, streams);
}

const streams = { stdout: outStream(1), stderr: outStream(2) };
main(process.argv.slice(2), streams).then((code) => {
  process.exitCode = exitCodeOf(code, streams);
});
