/**
 * The frame around every command: words to flags, the right handler, errors to exit codes.
 *
 * yargs splits words and writes help; its own number parsing, locale, dotted names and exit behaviour are switched
 * off (facts/style-and-ecosystem.md §2.2). Flags that stand twice come as lists, for the flags to judge.
 */
import yargs, { type Argv } from "yargs";
import { closest } from "../text/closest.js";
import type { Command, Group } from "./command.js";
import { GROUPS, OUT_OF_SCOPE, SINGLE_COMMANDS } from "./commands/index.js";
import { EXIT, type ExitCode, UsageError } from "./exit.js";
import {
  type Arguments,
  type Flag,
  GLOBAL_FLAGS,
  logLevel,
  noColor,
  type Operand,
  type RawFlag,
} from "./flags.js";
import type { World } from "./world.js";

/** Runs one command line and answers the exit code. */
export async function run(words: readonly string[], version: string): Promise<ExitCode> {
  let chosen: { command: Command; args: Arguments } | undefined;
  const choose = (command: Command, raw: Readonly<Record<string, unknown>>): void => {
    chosen = { command, args: argumentsOf(raw) };
  };
  let help = "";
  try {
    checkCommand(words);
    const parser = buildParser(version, choose);
    await parser.parseAsync(
      words.map((word) => (word === "-" ? DASH : word)),
      {},
      (error, _argv, text) => {
        if (error !== undefined && error !== null) throw error;
        help = text;
      },
    );
    if (chosen === undefined) {
      process.stdout.write(`${help}\n`);
      return EXIT.done;
    }
    const { command, args } = chosen;
    const { nodeWorld } = await import("./node-world.js");
    const world = nodeWorld({ logLevel: args.get(logLevel), noColor: args.get(noColor) });
    return await interruptible(world, async () => (await command.load())(args, world));
  } catch (error) {
    return explain(error, words);
  }
}

function buildParser(
  version: string,
  choose: (command: Command, raw: Record<string, unknown>) => void,
): Argv {
  const parser = yargs()
    .scriptName("slipway")
    .usage("slipway: offline manifest compiler for OpenShift and Kubernetes\n\nUsage: $0 <command> [flags]")
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
    .version(version)
    .alias("version", "v")
    .alias("help", "h")
    .strict()
    .demandCommand(1, "a command is missing; see slipway --help")
    .epilogue(
      "Exit codes: 0 done, 1 input wrong, 2 command line wrong, 3 answered 'no', 70 bug, 130 interrupted",
    )
    .fail((message, error) => {
      throw error ?? new UsageError(message);
    });
  for (const each of GLOBAL_FLAGS) addFlag(parser, each, "Everywhere:");
  for (const command of SINGLE_COMMANDS) addCommand(parser, command, choose);
  for (const group of GROUPS) addGroup(parser, group, choose);
  return parser;
}

function addGroup(
  parser: Argv,
  group: Group,
  choose: (command: Command, raw: Record<string, unknown>) => void,
): void {
  parser.command(
    `${group.word} <what>`,
    group.summary,
    (inner) => {
      inner.usage(`${group.summary}\n\nUsage: $0 ${group.word} <what> [flags]`);
      for (const command of group.commands) addCommand(inner, command, choose, group.word);
      const names = group.commands.map(({ path }) => path.slice(group.word.length + 1));
      return inner.demandCommand(1, `${group.word} what? One of ${names.join(", ")}`);
    },
    (raw) => {
      const given = String(raw["what"] ?? "");
      const names = group.commands.map(({ path }) => path.slice(group.word.length + 1));
      const near = closest(given, names);
      const hint = near === undefined ? `choose one of ${names.join(", ")}` : `did you mean ${near}?`;
      throw new UsageError(`${group.word} ${given}: no such command; ${hint}`);
    },
  );
}

function addCommand(
  parser: Argv,
  command: Command,
  choose: (command: Command, raw: Record<string, unknown>) => void,
  group = "",
): void {
  const operands = command.operands ?? [];
  const word = command.path.slice(group === "" ? 0 : group.length + 1);
  parser.command(
    [word, ...operands.map(placeholder)].join(" "),
    command.summary,
    (inner) => {
      const details = command.details === undefined ? "" : `\n\n${command.details}`;
      const usage = ["$0", command.path, ...operands.map(placeholder), "[flags]"].join(" ");
      inner.usage(`${command.summary}${details}\n\nUsage: ${usage}`);
      for (const each of operands)
        inner.positional(each.name, {
          describe: each.describe,
          type: "string",
          array: each.many,
          ...(each.choices === undefined ? {} : { choices: each.choices }),
        });
      for (const each of command.flags) addFlag(inner, each, "Flags:");
      for (const { line, does } of command.examples ?? []) inner.example(line, does);
      return inner.demandCommand(0);
    },
    (raw) => choose(command, raw),
  );
}

const placeholder = ({ name, required, many }: Operand<unknown>): string =>
  required ? `<${name}${many ? ".." : ""}>` : `[${name}${many ? ".." : ""}]`;

function addFlag(parser: Argv, flag: Flag<unknown>, group: string): void {
  const type = flag.kind === "switch" ? "boolean" : "string";
  parser.option(flag.name, {
    describe: flag.describe,
    type,
    group,
    array: flag.kind === "list",
    requiresArg: flag.kind !== "switch",
    ...(flag.alias === undefined ? {} : { alias: flag.alias }),
    ...(flag.choices === undefined ? {} : { choices: flag.choices }),
    ...(flag.initial === undefined ? {} : { defaultDescription: flag.initial }),
    hidden: flag.hidden ?? false,
  });
}

/** Stands for the operand `-` on its way through yargs, which would make it an empty text. */
const DASH = "\u0001-";

const restored = (word: string): string => (word === DASH ? "-" : word);

function argumentsOf(raw: Readonly<Record<string, unknown>>): Arguments {
  const rawOf = (name: string): RawFlag => {
    const value = raw[name];
    if (typeof value === "string") return restored(value);
    if (typeof value === "boolean" || value === undefined) return value;
    if (Array.isArray(value)) return value.map((each) => restored(String(each)));
    throw new UsageError(`--${name} cannot take ${JSON.stringify(value)}`);
  };
  return {
    get: (of) => of.read(rawOf(of.name)),
    given: (flag) => raw[flag.name] !== undefined,
  };
}

/** Refuses words that are no command, with the nearest one, and commands of openshift-install that we do not have. */
function checkCommand(words: readonly string[]): void {
  const withValue = new Set(
    GLOBAL_FLAGS.filter(({ kind }) => kind === "text").map(({ name }) => `--${name}`),
  );
  const plain = words.filter((word, i) => !word.startsWith("-") && !withValue.has(words[i - 1] ?? ""));
  const outside = OUT_OF_SCOPE.find(({ path }) => path.split(" ").every((word, i) => plain[i] === word));
  if (outside !== undefined)
    throw new UsageError(`slipway ${outside.path} is out of scope: ${outside.instead}`);
  const [first] = plain;
  const known = [...GROUPS.map(({ word }) => word), ...SINGLE_COMMANDS.map(({ path }) => path), "completion"];
  if (first === undefined || known.includes(first)) return;
  const near = closest(first, known);
  throw new UsageError(
    `${first}: no such command; ${near === undefined ? "see slipway --help" : `did you mean ${near}?`}`,
  );
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

function explain(error: unknown, words: readonly string[]): ExitCode {
  if (error instanceof UsageError) {
    process.stderr.write(`slipway: ${error.message}\n`);
    return EXIT.usage;
  }
  if (error instanceof Error && error.name === "YError") {
    process.stderr.write(`slipway: ${error.message}\n`);
    return EXIT.usage;
  }
  const debug = words.some(
    (word, i) => word === "--log-level=debug" || (word === "debug" && words[i - 1] === "--log-level"),
  );
  const name = error instanceof Error ? error.name : typeof error;
  process.stderr.write(
    `slipway: this is a bug of slipway (${name}); please report it with the command line, without secrets\n`,
  );
  if (debug && error instanceof Error) process.stderr.write(`${error.stack ?? error.message}\n`);
  else process.stderr.write("slipway: --log-level debug shows where it happened\n");
  return EXIT.bug;
}
