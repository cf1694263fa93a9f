/**
 * The start of the command line: it answers `--version` and the first page of help by itself, and has everything else
 * loaded only when it is needed.
 */
import packageJson from "../../package.json" with { type: "json" };
import { API_VERSION } from "../core/api-version.js";
import { formatMinor } from "../core/minor.js";
import { DEFAULT_RELEASE, RELEASE_ROWS } from "../core/release.js";
import type { LoadedFile } from "./code-cache.js";
import { EXIT } from "./exit.js";
import { exitCodeOf, outStream, type Streams } from "./streams.js";

interface Frame {
  run(words: readonly string[], streams: Streams): Promise<number>;
}

const isFrame = (value: unknown): value is Frame =>
  typeof value === "object" && value !== null && "run" in value && typeof value.run === "function";

const isVersionAsJson = ([first = "", ...rest]: readonly string[]): boolean =>
  ["--version", "-v", "version"].includes(first) &&
  ["--output json", "--output=json", "-o json", "-o=json", "-ojson"].includes(rest.join(" "));

/** From which state of the installer the rows of each release come. */
const releaseLines = (): string[] =>
  RELEASE_ROWS.map(
    ({ name, kubernetes, installer: { branch, commit, date }, lifecycle: { stage } }) =>
      `OpenShift ${name.padEnd(5)} Kubernetes ${formatMinor(kubernetes)}, openshift/installer ${branch} ${commit} (${date}), ${stage}${name === DEFAULT_RELEASE ? ", default" : ""}`,
  );

const numbersIn = (version: string): number[] => (version.match(/\d+/g) ?? []).map(Number);

/** Runs one command line and answers the exit code; everything but the start is in the module that `loadFrame` loads. */
export async function answer(
  words: readonly string[],
  streams: Streams,
  loadFrame: () => Promise<Pick<LoadedFile, "exports">>,
): Promise<number> {
  const [only] = words.length === 1 ? words : [];
  if (only === "--version" || only === "-v" || only === "version") {
    streams.stdout.write(`${[packageJson.version, ...releaseLines()].join("\n")}\n`);
    return 0;
  }
  if (isVersionAsJson(words)) {
    const document = {
      apiVersion: API_VERSION,
      kind: "Version",
      ok: true,
      version: packageJson.version,
      defaultRelease: DEFAULT_RELEASE,
      releases: RELEASE_ROWS.map(({ name, kubernetes, installer, lifecycle }) => ({
        name,
        kubernetes: formatMinor(kubernetes),
        installer,
        lifecycle,
      })),
      diagnostics: [],
    };
    streams.stdout.write(`${JSON.stringify(document, undefined, 2)}\n`);
    return 0;
  }
  if (words.length === 0 || only === "--help" || only === "-h" || only === "help") {
    const { topHelp } = await import("./help.js");
    streams.stdout.write(topHelp(streams.stdout.columns));
    return 0;
  }
  const [needed = 0] = numbersIn(packageJson.engines.node);
  if ((numbersIn(process.versions.node)[0] ?? 0) < needed) {
    streams.stderr.write(
      `slipway: requires Node ${needed} or newer, found ${process.versions.node}; the executable that npm run build:binary creates does not require Node\n`,
    );
    return EXIT.wrong;
  }
  const { exports: frame } = await loadFrame();
  if (!isFrame(frame)) throw new Error("frame.js has no run");
  return frame.run(words, streams);
}

/** Runs the process's command line, with the file frame.js from wherever it lies. */
export function start(loadFrame: () => Promise<LoadedFile>): void {
  const streams = { stdout: outStream(1), stderr: outStream(2) };
  answer(process.argv.slice(2), streams, loadFrame).then((code) => {
    process.exitCode = exitCodeOf(code, streams);
  });
}
