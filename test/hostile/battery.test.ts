/**
 * Every input of every command, damaged in the same ways: the command answers. The inputs are those of the golden
 * cases, step by step, and what the steps before wrote; commands run in this process. A run that never ends is ended,
 * and named, by the test run's own limit for a file.
 *
 * `SLIPWAY_BATTERY_RUNS` and `SLIPWAY_BATTERY_SEED` ask for more than the sample.
 */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { load } from "js-yaml";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { run } from "../../src/cli/frame.js";
import type { OutStream } from "../../src/cli/streams.js";
import { isObject, type Json } from "../../src/core/json.js";
import { readTree, tempFolder } from "../helpers/temp.js";
import { type Kind, mutate, type Pick, picker, type Sample, sampleOf } from "./mutations.js";

const RUNS = Number(process.env["SLIPWAY_BATTERY_RUNS"] ?? 250);
const SEED = Number(process.env["SLIPWAY_BATTERY_SEED"] ?? 1);
const ONLY = process.env["SLIPWAY_BATTERY_ONLY"] ?? "";

const test = suite("battery");
const root = process.cwd();

/** A command line, the files that lie there when it runs, and those of them that it reads. */
interface Unit {
  readonly words: readonly string[];
  readonly tree: ReadonlyMap<string, Buffer>;
  readonly inputs: readonly string[];
}

interface Answer {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function memoryStream(parts: string[]): OutStream {
  return { isTerminal: false, columns: undefined, fault: undefined, write: (text) => void parts.push(text) };
}

/** One command line in a folder. */
async function answer(words: readonly string[], folder: string): Promise<Answer> {
  const [out, err]: [string[], string[]] = [[], []];
  process.chdir(folder);
  try {
    const code = await run([...words, "--log-level", "debug"], {
      stdout: memoryStream(out),
      stderr: memoryStream(err),
    });
    return { code, stdout: out.join(""), stderr: err.join("") };
  } finally {
    process.chdir(root);
  }
}

function lay(tree: ReadonlyMap<string, Uint8Array>, folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [path, data] of tree) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), data);
  }
}

const wordsOf = (line: string): string[] =>
  [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? "");

/** Commands that read a whole directory, whatever files their words name. */
const WHOLE = /^(?:create|validate|check|graph|report)\b/;

/** Files of a tree that a command reads: those that its words name, or all. */
function inputsOf(words: readonly string[], tree: ReadonlyMap<string, Buffer>): string[] {
  const files = [...tree].filter(([, data]) => data.length < 100_000).map(([path]) => path);
  if (WHOLE.test(words.join(" "))) return files;
  return files.filter((file) => words.some((word) => file === word || file.startsWith(`${word}/`)));
}

/** The steps of a golden case, each with the files as the steps before left them. */
async function unitsOf(name: string, folder: string): Promise<Unit[]> {
  const spec: unknown = load(readFileSync(join(root, "golden", name, "case.yaml"), "utf8"));
  if (typeof spec !== "object" || spec === null || !("steps" in spec) || !Array.isArray(spec.steps))
    return [];
  lay(new Map(), folder);
  const input = join(root, "golden", name, "input");
  if (existsSync(input)) cpSync(input, folder, { recursive: true });
  const units: Unit[] = [];
  const steps: readonly Json[] = spec.steps;
  for (const step of steps) {
    if (!isObject(step) || typeof step["run"] !== "string" || step["stdin"] !== undefined) continue;
    const words = wordsOf(step["run"]);
    const tree = readTree(folder);
    units.push({ words, tree, inputs: inputsOf(words, tree) });
    await answer(words, folder);
  }
  return units.filter(({ inputs }) => inputs.length > 0);
}

/** What is wrong with an answer; undefined where it is one. */
function faultOf({ code, stdout, stderr }: Answer): string | undefined {
  if (code === 70) return stderr.slice(stderr.indexOf("this is a bug"));
  if (code === 1 && !/\b[A-Z]+[0-9]+\b/.test(stdout + stderr))
    return `exit 1 without a diagnostic: ${stderr}`;
  if (![0, 1, 2, 3].includes(code)) return `exit ${code}: ${stderr}`;
  return undefined;
}

test("every command answers whatever its inputs are", async () => {
  process.env["SOURCE_DATE_EPOCH"] = "1800000000";
  const folder = join(tempFolder(), "work");
  const pick: Pick = picker(SEED);
  const names = readdirSync(join(root, "golden"))
    .filter((name) => name.includes(ONLY))
    .sort();
  const units: Unit[] = [];
  for (const name of names) units.push(...(await unitsOf(name, folder)));
  const samples = new Map<Buffer, Sample>();
  const tried: Partial<Record<Kind, number>> = {};
  const faults = new Set<string>();
  const codes: Record<string, number> = {};
  let slowest = { ms: 0, what: "" };
  const trace = process.env["SLIPWAY_BATTERY_TRACE"];
  for (let i = 0; i < RUNS; i++) {
    const unit = units[pick(units.length)];
    const file = unit?.inputs[pick(unit.inputs.length)];
    const data = file === undefined ? undefined : unit?.tree.get(file);
    if (unit === undefined || file === undefined || data === undefined) continue;
    const sample = samples.get(data) ?? sampleOf(data);
    samples.set(data, sample);
    const mutation = mutate(sample, pick);
    lay(new Map([...unit.tree, [file, mutation.data]]), folder);
    const what = `${unit.words.join(" ")} (${file}: ${mutation.what})`;
    if (trace !== undefined) writeFileSync(trace, `${i} ${what}\n`);
    const before = performance.now();
    const said = await answer(unit.words, folder);
    const ms = performance.now() - before;
    if (ms > slowest.ms) slowest = { ms, what };
    codes[said.code] = (codes[said.code] ?? 0) + 1;
    tried[mutation.kind] = (tried[mutation.kind] ?? 0) + 1;
    const fault = faultOf(said);
    if (fault === undefined) continue;
    const known = fault.split("\n").slice(0, 6).join("\n");
    if (!faults.has(known)) process.stdout.write(`${what}\n${known}\n\n`);
    faults.add(known);
  }
  const figures = { runs: RUNS, seed: SEED, units: units.length, tried, codes, slowest };
  process.stdout.write(`${JSON.stringify(figures)}\n`);
  assert.is(faults.size, 0, "faults above");
});

test.run();
