// What a folder of outputs was made from, so that nothing is made twice from the same inputs.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** A digest over names and contents of files and of everything below folders. */
export function digestOf(root, paths) {
  const hash = createHash("sha256").update(process.version);
  const add = (path) => {
    const full = join(root, path);
    if (!existsSync(full)) return;
    if (statSync(full).isDirectory()) for (const name of readdirSync(full).sort()) add(join(path, name));
    else hash.update(`\0${path}\0`).update(readFileSync(full));
  };
  for (const path of paths) add(path);
  return hash.digest("hex");
}

/** A digest over texts. */
export function digestOfText(...texts) {
  const hash = createHash("sha256");
  for (const text of texts) hash.update(`\0${text}\0`);
  return hash.digest("hex");
}

/** True where the stamp says that the outputs were made from inputs of this digest. */
export const isCurrent = (stamp, digest) => existsSync(stamp) && readFileSync(stamp, "utf8") === digest;

/** Makes outputs; the stamp is there only while they are whole. */
export async function make(stamp, digest, work) {
  rmSync(stamp, { force: true });
  await work();
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, digest);
}
