import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";

const made: string[] = [];
process.on("exit", () => {
  for (const folder of made) rmSync(folder, { recursive: true, force: true });
});

/** A fresh folder that is removed when the test process ends. */
export function tempFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "slipway-test-"));
  made.push(folder);
  return folder;
}

/** The fresh folder that a text names a path in, undefined when it names none that is still there. */
export const tempFolderOf = (text: string): string | undefined =>
  made.find((folder) => text.includes(folder) && existsSync(folder));

/** Every file below a folder: relative path to content. */
export function readTree(folder: string): Map<string, Buffer> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile())
    .map((each) => join(each.parentPath, each.name))
    .sort();
  return new Map(files.map((file) => [relative(folder, file), readFileSync(file)]));
}

/** Relative path to permission bits. */
export function readModes(folder: string): Map<string, number> {
  return new Map(
    [...readTree(folder).keys()].map((path) => [path, statSync(join(folder, path)).mode & 0o777]),
  );
}
