// A fleet with the keys in its states against single runs, and against a fleet of half its size.
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const example = join(root, "examples/aws");
const slipway = join(root, "dist/slipway.js");
const facts = ["--facts", join(example, "facts.yaml")];
const INPUTS = ["install-config.yaml", ".openshift_install_state.json"];
const SINGLE = 20;
const FLEET = 1000;

const made = [];
process.on("exit", () => {
  for (const folder of made) rmSync(folder, { recursive: true, force: true });
});

/** A folder with so many clusters whose keys are at hand, a list of all and one of half of them. */
function clusters() {
  const folder = mkdtempSync(join(tmpdir(), "slipway-bench-"));
  made.push(folder);
  const first = join(folder, "clusters/0");
  mkdirSync(first, { recursive: true });
  cpSync(join(example, "install-config.yaml"), join(first, "install-config.yaml"));
  const words = [slipway, "create", "infrastructure-manifests", "--dir", first, ...facts];
  const { status, stderr } = spawnSync(process.execPath, words);
  if (status !== 0) throw new Error(String(stderr));
  for (let i = 1; i < FLEET; i++)
    for (const name of INPUTS) cpSync(join(first, name), join(folder, "clusters", String(i), name));
  const list = (count) => Array.from({ length: count }, (_, i) => `clusters/${i}\n`).join("");
  writeFileSync(join(folder, "all"), list(FLEET));
  writeFileSync(join(folder, "half"), list(FLEET / 2));
  return folder;
}

/** Everything that was made is gone again. */
function inputsOnly(folder) {
  for (const each of readdirSync(join(folder, "clusters")))
    for (const name of readdirSync(join(folder, "clusters", each)))
      if (!INPUTS.includes(name)) rmSync(join(folder, "clusters", each, name), { recursive: true });
}

const fleet = (phase, list) => ["slipway", "create", phase, "--fleet", list, ...facts];
/** As a script would do it without a fleet. */
const singly = (phase) => [
  "sh",
  "-c",
  `for i in $(seq 0 ${SINGLE - 1}); do "${process.execPath}" "${slipway}" create ${phase} --dir clusters/$i ${facts.join(" ")}; done`,
];

export default [
  {
    name: `create manifests, aws, a fleet of ${FLEET} / ${SINGLE} single runs`,
    command: fleet("manifests", "all"),
    against: singly("manifests"),
    prepare: clusters,
    between: inputsOnly,
    beforeBase: inputsOnly,
    runs: 3,
    limit: FLEET / SINGLE / 20,
  },
  {
    name: `create manifests, aws, a fleet of ${FLEET} / of ${FLEET / 2}`,
    command: fleet("manifests", "all"),
    against: fleet("manifests", "half"),
    prepare: clusters,
    between: inputsOnly,
    beforeBase: inputsOnly,
    runs: 3,
    limit: 2.1,
  },
];
