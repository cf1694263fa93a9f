// Measures whole commands against a baseline in the same run: each pair runs in turn (A B A B …), and what counts is
// the median of the ratios, pair by pair, so that a busy or slow machine does not matter. Cases come from the other
// modules of this folder: `export default [{ name, command, against?, limit?, prepare?, between?, beforeBase?, runs? }]`,
// or `{ name, figure, limit }` for what is no time.
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
export const slipway = join(here, "../dist/slipway.js");
const BASELINE = [process.execPath, "-e", "0"];
// Node reads the certificates of this variable at its start, which costs more than all the rest of it: the base would
// be another one on machines that set it.
const { NODE_EXTRA_CA_CERTS: _certificates, ...env } = process.env;
const RUNS = Number(process.env.BENCH_RUNS ?? 15);

function time([command, ...args], cwd) {
  const started = process.hrtime.bigint();
  const { status, stderr } = spawnSync(command, args, {
    cwd,
    env,
    stdio: ["ignore", "ignore", "pipe"],
    encoding: "utf8",
  });
  const took = Number(process.hrtime.bigint() - started) / 1e6;
  return { took, status, stderr };
}

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

/** A case that brings a figure of its own, such as memory: the figure in the place of the ratio. */
async function measureFigure({ name, figure, limit }) {
  return { name, ms: Number.NaN, base: Number.NaN, ratio: await figure(), limit };
}

function measure({
  name,
  command,
  against = BASELINE,
  limit,
  prepare,
  between,
  beforeBase,
  runs = RUNS,
  exit = 0,
}) {
  const cwd = prepare?.() ?? process.cwd();
  const full = command[0] === "slipway" ? [process.execPath, slipway, ...command.slice(1)] : command;
  const base = against[0] === "slipway" ? [process.execPath, slipway, ...against.slice(1)] : against;
  const samples = [];
  for (let i = 0; i <= Math.min(runs, RUNS); i++) {
    between?.(cwd);
    const own = time(full, cwd);
    if (own.status !== exit) throw new Error(`${name}: exit ${own.status}\n${own.stderr}`);
    beforeBase?.(cwd);
    const other = time(base, cwd);
    if (i > 0) samples.push({ own: own.took, other: other.took });
  }
  const ratio = median(samples.map(({ own, other }) => own / other));
  return {
    name,
    ms: median(samples.map(({ own }) => own)),
    base: median(samples.map(({ other }) => other)),
    ratio,
    limit,
  };
}

const wanted = process.argv.slice(2);
let over = 0;
process.stdout.write(
  `${"case".padEnd(58)}${"ms".padStart(8)}${"base".padStart(8)}${"ratio".padStart(8)}${"limit".padStart(8)}\n`,
);
for (const file of readdirSync(here)
  .filter((each) => each.endsWith(".mjs") && each !== "bench.mjs")
  .sort()) {
  const { default: cases } = await import(pathToFileURL(join(here, file)).href);
  for (const each of cases) {
    if (wanted.length > 0 && !wanted.some((part) => each.name.includes(part) || file.includes(part)))
      continue;
    const { name, ms, base, ratio, limit } =
      each.figure === undefined ? measure(each) : await measureFigure(each);
    const bad = limit !== undefined && ratio > limit;
    if (bad) over++;
    const columns = [
      Number.isNaN(ms) ? "-" : ms.toFixed(0),
      Number.isNaN(base) ? "-" : base.toFixed(0),
      ratio.toFixed(2),
      limit === undefined ? "-" : `${limit}${bad ? " !" : ""}`,
    ];
    process.stdout.write(`${name.padEnd(58)}${columns.map((text) => text.padStart(8)).join("")}\n`);
  }
}
process.exitCode = over > 0 ? 1 : 0;
