/** Reading synthetic install-configs in tests. */
import {
  createReporter,
  type Diagnostic,
  diagnostic,
  formatDiagnostic,
  sortDiagnostics,
} from "../../src/core/diagnostics.js";
import { parseRelease, type Release } from "../../src/core/release.js";
import { type ReadConfig, readInstallConfig } from "../../src/phases/install-config/read.js";

export const PULL_SECRET = `'{"auths":{"registry.example.org":{"auth":"dXNlcjpwYXNzd29yZA=="}}}'`;

export const releaseOf = (text: string): Release => {
  const release = parseRelease(text);
  if (release === undefined) throw new Error(`unknown release ${text}`);
  return release;
};

/** The lines of a small valid install-config, by field at the top; a part is replaced or left out by `undefined`. */
export function configText(parts: Readonly<Record<string, string | undefined>> = {}): string {
  const lines: Record<string, string | undefined> = {
    apiVersion: "apiVersion: v1",
    baseDomain: "baseDomain: example.org",
    metadata: "metadata:\n  name: demo",
    platform: "platform:\n  none: {}",
    pullSecret: `pullSecret: ${PULL_SECRET}`,
    ...parts,
  };
  return Object.values(lines)
    .filter((line) => line !== undefined)
    .map((line) => `${line}\n`)
    .join("");
}

export interface ReadResult {
  readonly read: ReadConfig | undefined;
  readonly diagnostics: readonly Diagnostic[];
  /** `line:column severity code field`, sorted by place. */
  readonly summary: readonly string[];
  /** Everything that a user sees. */
  readonly text: string;
}

export interface ReadingOptions {
  readonly release?: string;
  readonly lenient?: boolean;
  readonly replaced?: ReadonlySet<string>;
}

export function readConfig(text: string, options: ReadingOptions = {}): ReadResult {
  const reporter = createReporter();
  const read = readInstallConfig(
    text,
    "install-config.yaml",
    {
      release: releaseOf(options.release ?? "4.22"),
      lenient: options.lenient ?? false,
      ...(options.replaced === undefined ? {} : { replaced: options.replaced }),
    },
    reporter.report,
  );
  const diagnostics = sortDiagnostics(reporter.diagnostics.map((each) => diagnostic(each)));
  return {
    read,
    diagnostics,
    summary: diagnostics.map(({ line, column, severity, code, field }) =>
      `${line}:${column} ${severity} ${code} ${field}`.trimEnd(),
    ),
    text: diagnostics.map(formatDiagnostic).join("\n"),
  };
}
