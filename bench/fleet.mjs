// A fleet with the keys in its states against single runs, and against a fleet of half its size; what memory it takes.
import { spawn, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
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

/** Memory that a process has for itself, with its share of what others use too; in MiB, of Linux. */
function memoryOf(pid) {
  try {
    return Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

const childrenOf = (pid) =>
  readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, "utf8").split(" ").filter(Boolean),
  );

/** The most memory that all processes of a fleet have at once. */
async function mostMemory() {
  const [, ...words] = fleet("manifests", "all");
  const child = spawn(process.execPath, [slipway, ...words], { cwd: clusters(), stdio: "ignore" });
  let most = 0;
  const timer = setInterval(() => {
    try {
      const all = [child.pid, ...childrenOf(child.pid)];
      most = Math.max(
        most,
        all.reduce((sum, pid) => sum + memoryOf(pid), 0),
      );
    } catch {
      // It has just ended.
    }
  }, 100);
  const code = await new Promise((resolve) => child.on("exit", resolve));
  clearInterval(timer);
  if (code !== 0) throw new Error(`the fleet ended with ${code}`);
  return most;
}

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
  {
    name: `create manifests, aws, a fleet of ${FLEET}: MiB at most`,
    figure: mostMemory,
    limit: 512,
  },
];
