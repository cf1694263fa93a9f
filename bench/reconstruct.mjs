// The way back: from the folder that infrastructure-manifests wrote for the aws example to an asset directory.
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const example = join(root, "examples/aws");

const made = [];
process.on("exit", () => {
  for (const folder of made) rmSync(folder, { recursive: true, force: true });
});

function wrapped() {
  const folder = mkdtempSync(join(tmpdir(), "slipway-bench-"));
  made.push(folder);
  cpSync(join(example, "install-config.yaml"), join(folder, "install-config.yaml"));
  const args = ["create", "infrastructure-manifests", "--dir", ".", "--facts", join(example, "facts.yaml")];
  const { status, stderr } = spawnSync(process.execPath, [join(root, "dist/slipway.js"), ...args], {
    cwd: folder,
  });
  if (status !== 0) throw new Error(String(stderr));
  return folder;
}

export default [
  {
    name: "reconstruct, aws / node -e 0",
    command: ["slipway", "reconstruct", "--from", "infrastructure-manifests", "--dir", "scratch"],
    prepare: wrapped,
    between: (folder) => rmSync(join(folder, "scratch"), { recursive: true, force: true }),
    limit: 10,
  },
];
