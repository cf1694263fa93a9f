// A fleet with the keys in its states against single runs, and against a fleet of half its size; what memory it takes.
import { spawn, spawnSync } from "node:child_process";
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
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

/** A folder with a cluster whose keys are at hand to be copied, a list of as many as the fleet has, and one of half of them. */
function clusters() {
  const folder = mkdtempSync(join(tmpdir(), "slipway-bench-"));
  made.push(folder);
  const first = join(folder, "first");
  mkdirSync(first, { recursive: true });
  cpSync(join(example, "install-config.yaml"), join(first, "install-config.yaml"));
  const words = [slipway, "create", "infrastructure-manifests", "--dir", first, ...facts];
  const { status, stderr } = spawnSync(process.execPath, words);
  if (status !== 0) throw new Error(String(stderr));
  const list = (count) => Array.from({ length: count }, (_, i) => `clusters/${i}\n`).join("");
  writeFileSync(join(folder, "all"), list(FLEET));
  writeFileSync(join(folder, "half"), list(FLEET / 2));
  return folder;
}

let before = 0;

/**
 * Clusters of which nothing was made yet. Those of the run before are put aside and not deleted: ext4 keeps away from
 * the inodes of files that were just deleted, and looks at each of them for every file that is made
 * (`recently_deleted` in fs/ext4/ialloc.c), which after some ten thousand costs more than all that is measured.
 */
const fresh = (count) => (folder) => {
  const place = join(folder, "clusters");
  if (existsSync(place)) renameSync(place, join(folder, `before-${before++}`));
  for (let i = 0; i < count; i++) {
    mkdirSync(join(place, String(i)), { recursive: true });
    for (const name of INPUTS) copyFileSync(join(folder, "first", name), join(place, String(i), name));
  }
};

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
  const cwd = clusters();
  fresh(FLEET)(cwd);
  const child = spawn(process.execPath, [slipway, ...words], { cwd, stdio: "ignore" });
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
    between: fresh(FLEET),
    beforeBase: fresh(SINGLE),
    runs: 3,
    limit: FLEET / SINGLE / 20,
  },
  {
    name: `create manifests, aws, a fleet of ${FLEET} / of ${FLEET / 2}`,
    command: fleet("manifests", "all"),
    against: fleet("manifests", "half"),
    prepare: clusters,
    between: fresh(FLEET),
    beforeBase: fresh(FLEET),
    runs: 3,
    limit: 2.1,
  },
  {
    name: `create manifests, aws, a fleet of ${FLEET}: MiB at most`,
    figure: mostMemory,
    limit: 512,
  },
];
