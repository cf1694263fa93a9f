// The manifests of each platform's example against those of aws, both with the keys in the state.
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const PLATFORMS = [
  "azure",
  "baremetal",
  "gcp",
  "ibmcloud",
  "none",
  "nutanix",
  "openstack",
  "powervs",
  "vsphere",
];
const INPUTS = { "--facts": "facts.yaml", "--credentials": "clouds.yaml" };

const made = [];
process.on("exit", () => {
  for (const folder of made) rmSync(folder, { recursive: true, force: true });
});

const create = (platform) => [
  ...["slipway", "create", "manifests", "--dir", platform],
  ...Object.entries(INPUTS)
    .filter(([, input]) => existsSync(join(root, "examples", platform, input)))
    .flatMap(([flag, input]) => [flag, join(root, "examples", platform, input)]),
];

const compiled = (platforms) => {
  const folder = mkdtempSync(join(tmpdir(), "slipway-bench-"));
  made.push(folder);
  for (const platform of platforms) {
    cpSync(join(root, "examples", platform), join(folder, platform), { recursive: true });
    const [, ...args] = create(platform);
    const { status, stderr } = spawnSync(process.execPath, [join(root, "dist/slipway.js"), ...args], {
      cwd: folder,
    });
    if (status !== 0) throw new Error(String(stderr));
  }
  return folder;
};

const without = (platform) => (folder) => {
  for (const each of ["manifests", "openshift"])
    rmSync(join(folder, platform, each), { recursive: true, force: true });
};

export default PLATFORMS.map((platform) => ({
  name: `create manifests, ${platform}, keys in the state / aws`,
  command: create(platform),
  against: create("aws"),
  prepare: () => compiled([platform, "aws"]),
  between: without(platform),
  beforeBase: without("aws"),
  limit: 1.2,
}));
