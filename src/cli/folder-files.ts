/** Folders that flags name, read whole: definitions, and infrastructure of the user's. */
import { lstatSync, readdirSync, realpathSync } from "node:fs";
import { basename, join, relative, resolve, sep } from "node:path";
import type { Problem, Report } from "../core/diagnostics.js";
import { problem } from "../core/problem.js";
import { readInput } from "../directory/index.js";
import { codeOf, type NamedFile, readNamed, textOf } from "./input-files.js";

const ENDING = /\.(?:ya?ml|json)$/i;

/** The texts of the definitions in a folder, without what lies below it. */
export function readDefinitionTexts(
  folder: string,
  cwd: string,
  report: Report,
): { readonly file: string; readonly text: string }[] {
  let names: readonly string[];
  try {
    names = readdirSync(resolve(cwd, folder)).filter((each) => ENDING.test(each));
  } catch {
    report(
      problem("DIR015", "NotFound", "", "the folder with the CustomResourceDefinitions cannot be read", {
        file: folder,
        hint: "specify a folder that contains CustomResourceDefinitions",
      }),
    );
    return [];
  }
  return [...names].sort().flatMap((name) => {
    const named = readNamed(join(folder, name), cwd, report);
    const text = named === undefined ? undefined : textOf(named, report);
    return named === undefined || text === undefined ? [] : [{ file: named.file, text }];
  });
}

/**
 * Every *.yaml, *.yml and *.json below the folder of the user's own infrastructure, in the order of the paths. Links
 * are refused, since what they lead to is not committed along with the folder, and so is a folder that holds the asset
 * directory or lies in it: what slipway writes would become its own input. Undefined where a problem was reported.
 */
export function readInfrastructureFiles(
  folder: string,
  cwd: string,
  assetDirectory: string,
  report: Report,
): readonly NamedFile[] | undefined {
  let failed = false;
  const refuse = (problem: Omit<Problem, "code">): undefined => {
    failed = true;
    report({ code: "DIR015", ...problem });
  };
  const root = attempt(folder, () => realpathSync(resolve(cwd, folder)), refuse);
  if (root === undefined) return undefined;
  if (!lstatSync(root).isDirectory())
    return refuse({
      kind: "Invalid",
      file: folder,
      message: "is a file, not a folder",
      hint: "specify the folder that contains the infrastructure cluster and the machine template",
    });
  const directory = attempt(
    assetDirectory,
    () => realpathSync(resolve(cwd, assetDirectory)),
    () => undefined,
  );
  if (directory !== undefined && (isWithin(root, directory) || isWithin(directory, root)))
    return refuse({
      kind: "Forbidden",
      file: folder,
      message: isWithin(root, directory)
        ? "the folder is inside the asset directory, where slipway reads and writes its own files"
        : "the asset directory is inside the folder, so slipway would read its own output as your manifests",
      hint: `move the folder next to the asset directory, such as ../${basename(root) === basename(directory) ? "infrastructure" : basename(root)} relative to it`,
    });
  const found = filesBelow(folder, root, refuse);
  if (failed) return undefined;
  if (found.length === 0)
    return refuse({
      kind: "NotFound",
      file: folder,
      message: "the folder contains no .yaml, .yml or .json file",
      hint: "add the manifests of your infrastructure cluster and your machine template",
    });
  return found;
}

type Refuse = (problem: Omit<Problem, "code">) => undefined;

function filesBelow(named: string, path: string, refuse: Refuse): NamedFile[] {
  const entries = attempt(named, () => readdirSync(path, { withFileTypes: true }), refuse) ?? [];
  return entries
    .filter(({ name }) => !name.startsWith("."))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry): NamedFile[] => {
      const [file, inner] = [join(named, entry.name), join(path, entry.name)];
      if (entry.isSymbolicLink()) {
        refuse({
          kind: "Forbidden",
          file,
          message: "is a symbolic link",
          hint: "copy the file itself into the folder",
        });
        return [];
      }
      if (entry.isDirectory()) return filesBelow(file, inner, refuse);
      if (!entry.isFile() || !ENDING.test(entry.name)) return [];
      const data = attempt(file, () => readInput(inner), refuse);
      return data === undefined ? [] : [{ file, data }];
    });
}

const isWithin = (inner: string, outer: string): boolean => {
  const below = relative(outer, inner);
  return below !== ".." && !below.startsWith(`..${sep}`);
};

function attempt<T>(file: string, work: () => T, refuse: Refuse): T | undefined {
  try {
    return work();
  } catch (error) {
    const code = codeOf(error);
    return refuse({
      kind: code === "ENOENT" ? "NotFound" : "Invalid",
      file,
      message: `the file or folder cannot be read (${code})`,
      hint: "specify an existing one that you have permission to read",
    });
  }
}
