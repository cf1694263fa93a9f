import { lstatSync, readlinkSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { systemCode } from "./fault.js";
import { lookAt } from "./look.js";
import { readRegular } from "./read-input.js";

/**
 * The top folder of the Git work tree that a folder lies in; undefined outside of one. A folder `.git` that holds no
 * repository hides none above it. A file of that name ends the search, as it does for Git: a work tree may come without
 * its repository.
 */
export function gitRoot(folder: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    const git = join(at, ".git");
    const found = lookAt(git);
    if (found?.isFile() === true || (found?.isDirectory() === true && isRepository(git))) return at;
    if (dirname(at) === at) return undefined;
  }
}

/**
 * The repository of a work tree: of a linked one that of the main one, of a submodule its own. Undefined where it is
 * not there: the work tree lies in a container, is a copy, or was pruned.
 */
export function repositoryOf(root: string): string | undefined {
  const git = join(root, ".git");
  const found = lookAt(git);
  if (found?.isDirectory() === true) return isRepository(git) ? commonOf(git) : undefined;
  if (found?.isFile() !== true) return undefined;
  const target = /^gitdir: (.+)/s.exec(textOf(git))?.[1]?.trimEnd();
  const own = target === undefined ? undefined : resolve(root, target);
  return own !== undefined && isRepository(own) ? commonOf(own) : undefined;
}

/** Addresses that a program elsewhere can use. */
const ADDRESS = /^(?:(?:https?|ssh):\/\/[^\s"'\\]+|[\w.-]+@[\w.-]+:[^\s"'\\]+)$/;

/** The address of the remote `origin`, without a password in it; undefined where there is none. */
export function originOf(root: string): string | undefined {
  const repository = repositoryOf(root);
  const config = repository === undefined ? undefined : join(repository, "config");
  if (config === undefined || lookAt(config)?.isFile() !== true) return undefined;
  const lines = textOf(config)
    .split("\n")
    .map((line) => line.trim());
  const start = lines.indexOf('[remote "origin"]');
  const rest = start < 0 ? [] : lines.slice(start + 1);
  const end = rest.findIndex((line) => line.startsWith("["));
  const settings = (end < 0 ? rest : rest.slice(0, end)).map((line) => line.split("="));
  const [, ...value] = settings.find(([name = ""]) => name.trim() === "url") ?? [];
  const url = value.join("=").trim();
  const open = url.replace(/^(https?:\/\/)[^/@]*@/, "$1");
  return ADDRESS.test(open) ? open : undefined;
}

/** What Git asks of a folder before it takes it for a repository (git/git, setup.c, is_git_directory). */
function isRepository(folder: string): boolean {
  try {
    const common = commonOf(folder);
    return isHead(join(folder, "HEAD")) && ["objects", "refs"].every((name) => isFolder(join(common, name)));
  } catch (error) {
    if (systemCode(error) === "") throw error;
    return false;
  }
}

const isFolder = (path: string): boolean => lookAt(path)?.isDirectory() === true;

/** A branch, which need not have a commit yet, or a commit. */
function isHead(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found?.isSymbolicLink() === true) return readlinkSync(path).startsWith("refs/");
  return found?.isFile() === true && /^(?:ref:\s*refs\/|[0-9a-f]{40})/.test(textOf(path));
}

/** Linked work trees share all but little with the main one. */
function commonOf(folder: string): string {
  const common = join(folder, "commondir");
  return lookAt(common) === undefined ? folder : resolve(folder, textOf(common).trimEnd());
}

const textOf = (path: string): string => Buffer.from(readRegular(path).data).toString();
