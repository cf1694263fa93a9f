/** Where a work tree was cloned from, as far as others may know it. */
import { join } from "node:path";
import { decode } from "../core/files.js";
import { repositoryOf } from "./git-root.js";
import { lookAt } from "./look.js";
import { readInput } from "./read-input.js";

/** Addresses that a program elsewhere can use. */
const ADDRESS = /^(?:(?:https?|ssh):\/\/[^\s"'\\]+|[\w.-]+@[\w.-]+:[^\s"'\\]+)$/;

/** The address of the remote `origin`, without a password in it; undefined where there is none. */
export function originOf(root: string): string | undefined {
  const repository = repositoryOf(root);
  const config = repository === undefined ? undefined : join(repository, "config");
  if (config === undefined || lookAt(config)?.isFile() !== true) return undefined;
  const lines = (decode(readInput(config)) ?? "").split("\n").map((line) => line.trim());
  const start = lines.indexOf('[remote "origin"]');
  const rest = start < 0 ? [] : lines.slice(start + 1);
  const end = rest.findIndex((line) => line.startsWith("["));
  const settings = (end < 0 ? rest : rest.slice(0, end)).map((line) => line.split("="));
  const [, ...value] = settings.find(([name = ""]) => name.trim() === "url") ?? [];
  const url = value.join("=").trim();
  const open = url.replace(/^(https?:\/\/)[^/@]*@/, "$1");
  return ADDRESS.test(open) ? open : undefined;
}
