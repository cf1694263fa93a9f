/**
 * Every input of every command, damaged in the same ways: the command answers. And every reader of an input, likewise.
 * A run that never ends is ended, and named, by the test run's own limit for a file; scripts/fuzz.mjs does the same at
 * length. `SLIPWAY_BATTERY_RUNS`, `SLIPWAY_BATTERY_SEED` and `SLIPWAY_BATTERY_ONLY` ask for more than this sample, or a
 * part of it.
 */
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Command } from "../../src/cli/command.js";
import { GROUPS, SINGLE_COMMANDS } from "../../src/cli/commands/index.js";
import { tempFolder } from "../helpers/temp.js";
import { answer } from "./answer.js";
import { lay, OWN, STDIN, type Unit, unitsIn } from "./command-lines.js";
import { commandTarget, fuzz, noFigures, parserTarget, sampler } from "./fuzz.js";
import { parsers } from "./parsers.js";

const EACH = Number(process.env["SLIPWAY_BATTERY_RUNS"] ?? 0);
const SEED = Number(process.env["SLIPWAY_BATTERY_SEED"] ?? 1);
const ONLY = process.env["SLIPWAY_BATTERY_ONLY"] ?? "";

const test = suite("battery");
process.env["SOURCE_DATE_EPOCH"] = "1800000000";
const folder = tempFolder();
const units = await unitsIn(join(folder, "units"), ONLY);

const COMMANDS: readonly Command[] = [...SINGLE_COMMANDS, ...GROUPS.flatMap(({ commands }) => commands)];

/** Values of flags that name a file or folder. */
const PLACES = /FILE|DIR$|DUMP|PATH/;
/** Flags that name what is written, what is chosen among the files of the directory, or a program to run. */
const NO_INPUT = /^--(?:out|html|objects-out|kms-requests-out|ours|theirs|installer)$/;
/** Operands that are words. */
const NO_FILE = /^(?:shell|topic)$/;
/** The directory is read without being named. */
const DIRECTORY = "--dir";

/** Every input of a command, as its table tells: the flags that name one, and the operands. */
const inputsOf = ({ flags, operands = [] }: Command): string[] => [
  ...flags
    .filter(({ kind, value }) => kind !== "switch" && PLACES.test(value ?? ""))
    .map(({ name }) => `--${name}`)
    .filter((name) => !NO_INPUT.test(name) && name !== DIRECTORY),
  ...operands.map(({ name }) => name).filter((name) => !NO_FILE.test(name)),
];

const isOf = ({ words }: Unit, { path }: Command): boolean => `${words.join(" ")} `.startsWith(`${path} `);

/** True where a command line gives the input: the flag, or an operand, which is a word that names one of its files. */
const gives = ({ words, inputs }: Unit, name: string): boolean =>
  name.startsWith("--")
    ? words.includes(name)
    : words.some(
        (word, i) =>
          !words[i - 1]?.startsWith("--") &&
          (word === STDIN || inputs.some((file) => file === word || file.startsWith(`${word}/`))),
      );

test("every input of every command is in the battery", () => {
  if (ONLY !== "") return;
  const missing = COMMANDS.flatMap((command) => {
    const own = units.filter((unit) => isOf(unit, command));
    return inputsOf(command)
      .filter((name) => !own.some((unit) => gives(unit, name)))
      .map((name) => `${command.path} ${name}`);
  });
  assert.equal(missing, [], "add a line with the input to command-lines.ts");
});

test("undamaged, every line of our own does its work", async () => {
  const refused: string[] = [];
  for (const { name, words, tree } of units) {
    if (!name.includes(OWN)) continue;
    const at = join(folder, "sound");
    lay(tree, at);
    const { code, stderr } = await answer(words, at, tree.get(STDIN));
    // What a reader finds in a sound copy or table is an answer, too.
    if (code !== 0 && code !== 3) refused.push(`${name}: ${code}\n${stderr}`);
  }
  assert.equal(refused, []);
});

test("every reader has sound inputs", async () => {
  for (const { name, samples } of await parsers()) assert.ok(samples.length > 0, name);
});

/** Inputs for a command line and for a reader: more than 5,000 in all. */
const [PER_COMMAND, PER_PARSER] = EACH > 0 ? [EACH, EACH] : [1, 100];

test("every command and every reader answers, whatever its inputs are", async () => {
  const figures = noFigures();
  const sampled = sampler();
  const readers = (await parsers()).filter(({ name }) => name.includes(ONLY));
  await fuzz(readers.map(parserTarget), PER_PARSER, SEED, figures);
  await fuzz(
    units.map((unit, i) => commandTarget(unit, join(folder, String(i)), sampled)),
    PER_COMMAND,
    SEED,
    figures,
  );
  const { targets, faults, ...rest } = figures;
  process.stdout.write(`${JSON.stringify(rest)}\n`);
  for (const { first, count } of faults) process.stdout.write(`${count} times: ${first}\n\n`);
  if (process.env["SLIPWAY_BATTERY_COSTS"] !== undefined)
    for (const [name, { ms, tried }] of Object.entries(targets)
      .sort((a, b) => b[1].ms - a[1].ms)
      .slice(0, 60))
      process.stdout.write(`${(ms / tried).toFixed(2)} ms ${name}\n`);
  assert.equal(
    faults.map(({ kind }) => kind),
    [],
    "faults above",
  );
  assert.ok(ONLY !== "" || figures.tried >= 5000, `${figures.tried} inputs`);
});

test.run();
