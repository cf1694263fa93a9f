// Installs the packages that package-lock.json names, unless they are there. Uses Node alone.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** The packages of a lock file with their versions; optional ones are for other systems. */
function packagesIn(file) {
  const { packages } = JSON.parse(readFileSync(join(root, file), "utf8"));
  return new Map(Object.entries(packages).map(([path, each]) => [path, each]));
}

function isInstalled() {
  const wanted = packagesIn("package-lock.json");
  let present;
  try {
    present = packagesIn("node_modules/.package-lock.json");
  } catch {
    return false;
  }
  return [...wanted].every(
    ([path, { version, optional }]) =>
      path === "" || optional === true || present.get(path)?.version === version,
  );
}

/** `npm ci`, where something is missing or has another version. Ends the process where that fails. */
export function installMissing() {
  if (isInstalled()) return;
  process.stdout.write("installing packages (npm ci)\n");
  const { status, error } = spawnSync("npm", ["ci", "--no-audit", "--no-fund"], {
    cwd: root,
    stdio: ["ignore", "inherit", "inherit"],
    shell: process.platform === "win32",
  });
  if (status === 0) return;
  process.stderr.write(`npm ci failed${error === undefined ? "" : `: ${error.message}`}\n`);
  process.exit(1);
}
