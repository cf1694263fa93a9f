// The first look, `npm start`: installs, builds, compiles two of the examples into out/ and says what to look at.
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { installMissing } from "./install.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const started = Date.now();
const say = (text = "") => void process.stdout.write(`${text}\n`);

installMissing();
const { refreshGenerated } = await import("./generate.mjs");
const { refreshCli } = await import("./build.mjs");
say("Generating code from templates and schemas ...");
await refreshGenerated();
say("Building the command line into dist/ ...");
await refreshCli();

/** Each example with the flags that its first command takes. */
const EXAMPLES = [
  {
    name: "aws",
    about: "OpenShift on AWS, with a file of facts in place of the cloud's answers",
    flags: ["--facts", "examples/aws/facts.yaml"],
  },
  { name: "none", about: "OpenShift on machines of your own", flags: [] },
];

for (const { name, about, flags } of EXAMPLES) {
  const folder = `out/${name}`;
  say(`Compiling examples/${name} (${about}) into ${folder}/ ...`);
  rmSync(join(root, folder), { recursive: true, force: true });
  mkdirSync(join(root, folder), { recursive: true });
  cpSync(join(root, "examples", name, "install-config.yaml"), join(root, folder, "install-config.yaml"));
  slipway(["create", "manifests", ...flags, "--dir", folder]);
  slipway(["create", "infrastructure-manifests", "--dir", folder]);
}

function slipway(words) {
  const { status, stdout, stderr } = spawnSync(process.execPath, ["dist/slipway.js", ...words], {
    cwd: root,
    encoding: "utf8",
  });
  if (status === 0) return;
  process.stderr.write(`${stdout}${stderr}node dist/slipway.js ${words.join(" ")} failed (exit ${status})\n`);
  process.exit(1);
}

say("\nCreated:");
for (const [folder, what] of [
  ["manifests", "manifests that the cluster starts from"],
  ["openshift", "its machines and other objects of OpenShift"],
  ["infrastructure-manifests", "Cluster API objects, and the Secrets that carry the two folders above"],
])
  say(`  out/aws/${folder}/ (${readdirSync(join(root, "out/aws", folder)).length} files): ${what}`);
say("  out/none/: the same without a cloud");
say(`
Next:
  less out/aws/manifests/cluster-config.yaml
  node dist/slipway.js explain --origin manifests/cluster-config.yaml
  node dist/slipway.js validate --dir out/aws
  node dist/slipway.js --help

Done in ${Math.round((Date.now() - started) / 1000)} s. README.md shows what else it does.`);
