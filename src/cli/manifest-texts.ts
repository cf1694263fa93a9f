/** Texts of files and folders with manifests, wherever they come from. */
import { readdirSync, realpathSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Report } from "../core/diagnostics.js";
import { problem } from "../core/problem.js";
import { lookAt, readInput, systemCode } from "../directory/index.js";
import { decodeText } from "../text/decode-text.js";
import type { CliContext } from "./cli-context.js";

export interface ManifestText {
  readonly file: string;
  readonly text: string;
}

const ENDING = /\.(?:ya?ml|json)$/i;

/**
 * The text of every file that is named and of every *.yaml, *.yml and *.json below every folder that is named, each
 * file once; folders whose name starts with a dot are passed over. `-` is stdin. What cannot be read is reported.
 */
export async function readManifestTexts(
  paths: readonly string[],
  cli: CliContext,
  report: Report,
): Promise<ManifestText[]> {
  const texts: ManifestText[] = [];
  const seen = new Set<string>();
  const take = (file: string, data: Uint8Array): void => {
    const { text, problem } = decodeText(data, file);
    if (problem !== undefined) report(problem);
    if (text !== undefined) texts.push({ file, text });
  };
  for (const path of paths) {
    if (path === "-") {
      if (!seen.has(path)) take("stdin", await cli.stdin.bytes());
      seen.add(path);
      continue;
    }
    for (const file of filesOf(path, cli.cwd, report)) {
      const data = attempt(file, report, () => {
        const real = realpathSync(resolve(cli.cwd, file));
        if (seen.has(real)) return undefined;
        seen.add(real);
        return readInput(real);
      });
      if (data !== undefined) take(file, data);
    }
  }
  return texts;
}

function filesOf(path: string, cwd: string, report: Report): string[] {
  const isFolder = attempt(path, report, () => statSync(resolve(cwd, path)).isDirectory());
  if (isFolder === undefined) return [];
  if (!isFolder) return [path];
  const files = filesBelow(path, cwd, report, 0);
  if (files.length === 0)
    report(
      problem("DIR015", "NotFound", "", "the folder contains no .yaml, .yml or .json file", {
        file: path,
        hint: "specify the folder that contains the manifests",
      }),
    );
  return files;
}

/** Links in a circle end here. */
const DEEPEST = 40;

function filesBelow(path: string, cwd: string, report: Report, depth: number): string[] {
  const entries = attempt(path, report, () => readdirSync(resolve(cwd, path), { withFileTypes: true })) ?? [];
  return entries
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const inner = join(path, entry.name);
      const stat = entry.isSymbolicLink() ? lookAt(resolve(cwd, inner)) : entry;
      if (stat?.isDirectory() === true)
        return entry.name.startsWith(".") || depth > DEEPEST ? [] : filesBelow(inner, cwd, report, depth + 1);
      return stat?.isFile() === true && ENDING.test(entry.name) ? [inner] : [];
    });
}

function attempt<T>(file: string, report: Report, work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    const code = systemCode(error);
    if (code === "") throw error;
    report(
      problem(
        "DIR015",
        code === "ENOENT" ? "NotFound" : "Invalid",
        "",
        `the file or folder cannot be read (${code})`,
        { file, hint: "specify an existing one" },
      ),
    );
    return undefined;
  }
}
