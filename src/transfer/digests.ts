/** Digests of the files of a plan, by which a later run sees whether somebody has changed them. */
import { createHash } from "node:crypto";
import { byCodeUnit, type OutputFile } from "../core/files.js";

export const digestOf = (data: Uint8Array): string =>
  `sha256:${createHash("sha256").update(data).digest("hex")}`;

/** Path to digest, in the order of the paths. */
export const digestsOfFiles = (files: readonly OutputFile[]): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...files].sort((a, b) => byCodeUnit(a.path, b.path)).map(({ path, data }) => [path, digestOf(data)]),
  );
