/**
 * The frame around every command: words to flags, the right handler, errors to exit codes.
 *
 * The command is found in the table; yargs then splits its words and writes its help. Number parsing, locale, dotted
 * names and exit behaviour of yargs are switched off (facts/style-and-ecosystem.md §2.2). Flags that stand twice come
 * as lists, for the flags to judge.
 */
import yargs, { type Argv } from "yargs";
import { API_VERSION } from "../core/api-version.js";
import { diagnostic, type Problem } from "../core/diagnostics.js";
import type { Command } from "./command.js";
import { EXIT, type ExitCode, UsageError } from "./exit.js";
import { findCommand } from "./find-command.js";
import {
  type Arguments,
  type Flag,
  GLOBAL_FLAGS,
  logLevel,
  noColor,
  type Operand,
  type RawFlag,
} from "./flags.js";
import { groupHelp, topHelp } from "./help.js";
import type { World } from "./world.js";

/** Runs one command line and answers the exit code. */
export async function run(words: readonly string[]): Promise<ExitCode> {
  try {
    const found = findCommand(words);
    if (found.kind !== "command") {
      process.stdout.write(found.kind === "group" ? groupHelp(found.group) : topHelp());
      return EXIT.done;
    }
    const { command, rest } = found;
    const loading = command.load();
    // What it throws is thrown when it is awaited.
    loading.catch(() => undefined);
    checkSwitches(command, rest);
    const raw = await parserOf(command).parseAsync(rest.map((word) => (word === "-" ? DASH : word)));
    if (raw["help"] === true) return EXIT.done;
    const args = argumentsOf(raw, command.operands ?? []);
    const { nodeWorld } = await import("./node-world.js");
    const world = nodeWorld({ logLevel: args.get(logLevel), noColor: args.get(noColor) });
    return await interruptible(world, async () => (await loading)(args, world));
  } catch (error) {
    return explain(error, words);
  }
}

function parserOf(command: Command): Argv {
  const { summary, details, path, operands = [], flags, examples = [] } = command;
  const usage = ["$0", path, ...operands.map(placeholder), "[flags]"].join(" ");
  const parser = yargs()
    .scriptName("slipway")
    .usage([summary, ...(details === undefined ? [] : [details]), `Usage: ${usage}`].join("\n\n"))
    .parserConfiguration({
      "parse-numbers": false,
      "parse-positional-numbers": false,
      "boolean-negation": false,
      "dot-notation": false,
      "camel-case-expansion": false,
    })
    .detectLocale(false)
    .wrap(100)
    .exitProcess(false)
    .showHelpOnFail(false)
    .version(false)
    .alias("help", "h")
    .strictOptions()
    .fail((message, error) => {
      throw error ?? new UsageError(message);
    });
  for (const each of flags) addFlag(parser, each, "Flags:");
  for (const each of GLOBAL_FLAGS) addFlag(parser, each, "Everywhere:");
  for (const { line, does } of examples) parser.example(line, does);
  const described = operands.map(({ name, describe }) => `  ${name}  ${describe}`);
  if (described.length > 0) parser.epilogue(["Operands:", ...described].join("\n"));
  return parser;
}

const placeholder = ({ name, required, many }: Operand<unknown>): string =>
  required ? `<${name}${many ? ".." : ""}>` : `[${name}${many ? ".." : ""}]`;

function addFlag(parser: Argv, flag: Flag<unknown>, group: string): void {
  parser.option(flag.name, {
    describe: flag.describe,
    type: flag.kind === "switch" ? "boolean" : "string",
    group,
    array: flag.kind === "list",
    requiresArg: flag.kind !== "switch",
    ...(flag.oneEach === true ? { nargs: 1 } : {}),
    ...(flag.alias === undefined ? {} : { alias: flag.alias }),
    ...(flag.choices === undefined ? {} : { choices: flag.choices }),
    ...(flag.initial === undefined ? {} : { defaultDescription: flag.initial }),
    hidden: flag.hidden ?? false,
  });
}

/** Stands for a single dash, which yargs would not take as the value of a flag. */
const DASH = "\u0001-";
const restored = (word: unknown): string => (word === DASH ? "-" : String(word));

function argumentsOf(
  raw: Readonly<Record<string, unknown>>,
  operands: readonly Operand<unknown>[],
): Arguments {
  const words = Array.isArray(raw["_"]) ? raw["_"].map(restored) : [];
  const values = new Map<string, RawFlag>();
  for (const { name, required, many } of operands) {
    const taken = words.splice(0, many ? words.length : 1);
    if (required && taken.length === 0) throw new UsageError(`${name.toUpperCase()} is missing`);
    values.set(name, many ? taken : taken[0]);
  }
  if (words.length > 0)
    throw new UsageError(`${words.join(" ")}: more words than the command takes; see its --help`);
  const flagOf = (name: string): RawFlag => {
    const value = raw[name];
    if (typeof value === "string") return restored(value);
    if (typeof value === "boolean" || value === undefined) return value;
    if (Array.isArray(value)) return value.map(restored);
    throw new UsageError(`--${name} cannot take ${JSON.stringify(value)}`);
  };
  return {
    get: (of) => of.read("required" in of ? values.get(of.name) : flagOf(of.name)),
    given: (flag) => raw[flag.name] !== undefined,
  };
}

/** yargs takes any word behind `--switch=` for yes. */
function checkSwitches({ flags }: Command, words: readonly string[]): void {
  const switches = [...flags, ...GLOBAL_FLAGS].filter(({ kind }) => kind === "switch");
  const wrong = words.find((word) =>
    switches.some(({ name }) => word.startsWith(`--${name}=`) && !/=(?:true|false)$/.test(word)),
  );
  if (wrong !== undefined) throw new UsageError(`${wrong}: the flag takes no value`);
}

async function interruptible(world: World, work: () => Promise<ExitCode>): Promise<ExitCode> {
  const stop = (): void => {
    world.stderr.write("interrupted; every file is either old or new\n");
    process.exit(EXIT.interrupted);
  };
  process.once("SIGINT", stop);
  process.once("SIGTERM", stop);
  try {
    return await work();
  } finally {
    process.off("SIGINT", stop);
    process.off("SIGTERM", stop);
  }
}

/** With `--output json` even what fails before a command can answer is one document on stdout. */
function printFailure(words: readonly string[], problem: Problem): void {
  const asked = words.some(
    (word, i) =>
      /^(?:--output|-o)=json$/.test(word) ||
      (word === "json" && /^(?:--output|-o)$/.test(words[i - 1] ?? "")),
  );
  if (!asked) return;
  const document = {
    apiVersion: API_VERSION,
    kind: "Failure",
    ok: false,
    diagnostics: [diagnostic(problem)],
  };
  process.stdout.write(`${JSON.stringify(document, null, 2)}\n`);
}

function explain(error: unknown, words: readonly string[]): ExitCode {
  if (error instanceof UsageError || (error instanceof Error && error.name === "YError")) {
    process.stderr.write(`slipway: ${error.message}\n`);
    printFailure(words, { code: "CLI001", kind: "Invalid", message: error.message });
    return EXIT.usage;
  }
  const debug = words.some(
    (word, i) => word === "--log-level=debug" || (word === "debug" && words[i - 1] === "--log-level"),
  );
  const name = error instanceof Error ? error.name : typeof error;
  const apology = `this is a bug of slipway (${name}); please report it with the command line, without secrets`;
  process.stderr.write(`slipway: ${apology}\n`);
  printFailure(words, { code: "CLI002", kind: "InternalError", message: apology });
  if (debug && error instanceof Error) process.stderr.write(`${error.stack ?? error.message}\n`);
  else process.stderr.write("slipway: --log-level debug shows where it happened\n");
  return EXIT.bug;
}
