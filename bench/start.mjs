import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const binary = join(root, "dist-binary/slipway");

const buildBinary = () => {
  const { status, stderr } = spawnSync(process.execPath, [join(root, "scripts/build-binary.mjs")], {
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(stderr);
};

export default [
  { name: "slipway --version / node -e 0", command: ["slipway", "--version"], limit: 1.8 },
  { name: "slipway --help / node -e 0", command: ["slipway", "--help"], limit: 2.5 },
  // The start alone, and with everything that a command loads.
  ...["--version", "graph"].map((words) => ({
    name: `${words}: the executable / the package`,
    command: [binary, words],
    against: ["slipway", words],
    prepare: buildBinary,
    limit: 1.3,
  })),
];
