// Gives damaged inputs to every reader and every command line, in several processes: node scripts/fuzz.mjs [INPUTS] [SEED] [SHARE].
// SHARE of the inputs go to command lines, which take a hundred times as long as readers (default 0.02).
// Fails on a crash, on an answer that takes more than half a minute of the processor, on one that never ends, and on more than
// 2 GiB of memory. SLIPWAY_FUZZ_WORKERS says how many processes, SLIPWAY_FUZZ_ONLY takes targets by a part of their name.
import { fork } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { bundle, refreshCli } from "./build.mjs";
import { refreshGenerated, root } from "./generate.mjs";

const wanted = Number(process.argv[2] ?? 1_000_000);
const seed = Number(process.argv[3] ?? Date.now() % 2 ** 31);
const commandShare = Number(process.argv[4] ?? 0.02);
const workers = Number(process.env.SLIPWAY_FUZZ_WORKERS ?? availableParallelism());
const only = process.env.SLIPWAY_FUZZ_ONLY ?? "";
const [SLOW_MS, STUCK_MS, MOST_MIB] = [30_000, 120_000, 2048];

await refreshGenerated();
// Fleets start processes of it.
await refreshCli();
const outfile = join(root, "build/fuzz-worker.mjs");
await build({
  ...bundle,
  splitting: false,
  entryPoints: ["test/hostile/fuzz-worker.program.ts"],
  outfile,
  packages: "external",
  sourcemap: "linked",
  plugins: [],
});

const folder = mkdtempSync(join(tmpdir(), "slipway-fuzz-"));
const total = {
  tried: 0,
  kinds: {},
  codes: {},
  faults: [],
  slowest: { ms: 0 },
  largest: { bytes: 0 },
  peakMiB: 0,
};
const costs = {};
const started = performance.now();

function addFault({ kind, first, count }) {
  const known = total.faults.find((each) => each.kind === kind);
  if (known !== undefined) known.count += count;
  else {
    total.faults.push({ kind, first, count });
    console.log(`FAULT ${first}\n`);
  }
}

function add({ figures }) {
  total.tried += figures.tried;
  for (const name of ["kinds", "codes"])
    for (const [key, count] of Object.entries(figures[name]))
      total[name][key] = (total[name][key] ?? 0) + count;
  if (figures.slowest.ms > total.slowest.ms) total.slowest = figures.slowest;
  if (figures.slowest.ms > SLOW_MS)
    addFault({ kind: `slow: ${figures.slowest.what}`, first: figures.slowest.what, count: 1 });
  if (figures.largest.bytes > total.largest.bytes) total.largest = figures.largest;
  total.peakMiB = Math.max(total.peakMiB, figures.peakMiB);
  Object.assign(costs, figures.targets);
  figures.faults.forEach(addFault);
}

/** Runs one worker to its end; where it stands still or dies, the rest goes to a new one. */
function share(index, from = 0, input = 0) {
  const own = join(folder, String(index));
  rmSync(own, { recursive: true, force: true });
  const notice = join(own, "notice");
  const child = fork(
    outfile,
    [own, only, index, workers, seed, wanted, commandShare, from, input].map(String),
    {
      execArgv: ["--enable-source-maps", "--max-old-space-size=2048"],
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    },
  );
  child.on("message", add);
  let stuck = false;
  const watch = setInterval(() => {
    const stat = statSync(notice, { throwIfNoEntry: false });
    if (stat === undefined || Date.now() - stat.mtimeMs < STUCK_MS || stat.size === 0) return;
    stuck = true;
    child.kill("SIGKILL");
  }, 1000);
  return new Promise((resolve) => {
    child.on("exit", (code, signal) => {
      clearInterval(watch);
      if (code === 0) return resolve(undefined);
      const at = JSON.parse(readFileSync(notice, "utf8"));
      const what = stuck ? `no end within ${STUCK_MS / 1000} s` : `the process died (${code ?? signal})`;
      addFault({ kind: `${what}: ${at.what.split(" (")[0]}`, first: `${what}: ${at.what}`, count: 1 });
      const next = Number(/input (\d+)\)$/.exec(at.what)?.[1] ?? 0) + 1;
      resolve(share(index, at.index, next));
    });
  });
}

await Promise.all(Array.from({ length: workers }, (_, index) => share(index)));
rmSync(folder, { recursive: true, force: true });

const seconds = Math.round((performance.now() - started) / 1000);
console.log(
  JSON.stringify(
    {
      inputs: wanted,
      seed,
      targets: Object.keys(costs).length,
      seconds,
      ...total,
      faults: total.faults.length,
    },
    null,
    2,
  ),
);
if (process.env.SLIPWAY_FUZZ_COSTS !== undefined)
  for (const [name, { ms, tried }] of Object.entries(costs)
    .sort((a, b) => b[1].ms - a[1].ms)
    .slice(0, 40))
    console.log(`${(ms / 1000).toFixed(0)} s, ${(ms / tried).toFixed(2)} ms each: ${name}`);
for (const { kind, count } of total.faults) console.log(`${count} times: ${kind}`);
if (total.peakMiB > MOST_MIB) console.log(`${total.peakMiB} MiB are more than ${MOST_MIB}`);
if (total.faults.length > 0 || total.peakMiB > MOST_MIB) process.exitCode = 1;
