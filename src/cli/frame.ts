/**
 * The frame around every command: words to flags, the right handler, errors to exit codes.
 *
 * The command is found in the table; yargs then splits its words. Number parsing, locale, dotted
 * names and exit behaviour of yargs are switched off (CONTRIBUTING.md, Rules). Flags that appear twice come as lists, for
 * the flags to judge.
 */
import yargs, { type Argv } from "yargs";
import { API_VERSION } from "../core/api-version.js";
import { diagnostic, documented, type Problem } from "../core/diagnostics.js";
import { otherNames } from "../core/flags.js";
import { problem } from "../core/problem.js";
import { beginRun } from "../directory/changes.js";
import { shellWord } from "../text/shell.js";
import { terminalJson, terminalText } from "../text/terminal.js";
import type { CliContext } from "./cli-context.js";
import type { Command } from "./command.js";
import { apology, EXIT, type ExitCode, InputEnded, interruptedText, UsageError } from "./exit.js";
import { findCommand } from "./find-command.js";
import {
  type Arguments,
  alternatives,
  baseline,
  type Flag,
  globalFlagsOf,
  logLevel,
  missingArgument,
  noColor,
  output,
  type RawFlag,
  reportForm,
} from "./flags.js";
import { FLEET_WORKER } from "./fleet/message.js";
import { commandHelp, groupHelp, topHelp } from "./help.js";
import { interruptible } from "./interrupt.js";
import { nearestFlag } from "./nearest-flag.js";
import { withInputs } from "./printed-commands.js";
import type { Streams } from "./streams.js";

/** Runs one command line and answers the exit code. */
export async function run(words: readonly string[], streams: Streams): Promise<ExitCode> {
  const { stdout, stderr } = streams;
  if (words[0] === FLEET_WORKER) {
    const { workInFleet } = await import("./fleet/worker.js");
    return workInFleet();
  }
  beginRun();
  try {
    const found = findCommand(words);
    if (found.kind !== "command") {
      stdout.write(found.kind === "group" ? groupHelp(found.group, stdout.columns) : topHelp(stdout.columns));
      return EXIT.done;
    }
    const { command, rest } = found;
    if (found.help) {
      stdout.write(commandHelp(command, stdout.columns));
      return EXIT.done;
    }
    const loading = command.load();
    // What it throws is thrown when it is awaited.
    loading.catch(() => undefined);
    checkSwitches(command, rest);
    const raw = await parserOf(command).parseAsync(rest.map((word) => (word === "-" ? DASH : word)));
    checkNames(command, Object.keys(raw), rest);
    const args = argumentsOf(raw, command);
    checkChoices(command, args);
    const { nodeContext } = await import("./node-context.js");
    const options = { logLevel: args.get(logLevel), noColor: args.get(noColor) };
    let answer: object | undefined;
    const outside = nodeContext(streams, options, (document) => {
      answer = document;
    });
    const plain = readsStdin(command, args) ? await withStdin(outside) : outside;
    const form = reportForm(args.get(output));
    const judges = command.findings === true && (form !== undefined || args.given(baseline));
    const session = judges
      ? await (await import("./findings/session.js")).openSession(command, args, plain)
      : undefined;
    if (session?.refused === true) {
      if (answer !== undefined) writeAnswer(stdout, answer, EXIT.wrong);
      return EXIT.wrong;
    }
    const cli = session === undefined ? plain : { ...plain, review: session.review };
    const work = async () => (await loading)(args, cli);
    const interrupted = (): void => {
      const message = interruptedText();
      stderr.write(`${message}\n`);
      printFailure(words, problem("CLI003", "Invalid", "", message), streams);
    };
    const asked = asksForJson(words) || form !== undefined || isFirst || command.writes === true;
    const done = await (asked ? interruptible(interrupted, work) : work());
    const code = session?.review.settle(done) ?? done;
    if (answer !== undefined) writeAnswer(stdout, answer, code);
    await session?.report(code);
    return code;
  } catch (error) {
    const { code, found } = explain(error, words, streams);
    const form = reportForm(formatIn(words) ?? "");
    if (form !== undefined && found !== undefined)
      await (await import("./findings/session.js")).reportFailure(form, words, found, code, stdout);
    return code;
  }
}

const writeAnswer = (stdout: Streams["stdout"], answer: object, code: ExitCode): void =>
  stdout.write(`${terminalJson({ ...HEAD, ...answer, ok: code === EXIT.done }, 2)}\n`);

/** The first members of every json answer, in this order. */
const HEAD = { apiVersion: API_VERSION, kind: "", ok: false };

const flagsOf = (command: Command): readonly Flag<unknown>[] => [...command.flags, ...globalFlagsOf(command)];

function parserOf(command: Command): Argv {
  const parser = yargs()
    .parserConfiguration({
      "parse-numbers": false,
      "parse-positional-numbers": false,
      "boolean-negation": false,
      "dot-notation": false,
      "camel-case-expansion": false,
    })
    .detectLocale(false)
    .exitProcess(false)
    .showHelpOnFail(false)
    .help(false)
    .version(false)
    .fail((message, error) => {
      if (error !== undefined && error.name !== "YError") throw error;
      throw new UsageError(ourWords(error?.message ?? message, command));
    });
  addFlags(parser, flagsOf(command));
  return parser;
}

/** What yargs says of a flag at the end of a line, in the words of the other refusals. */
const WITHOUT_VALUE = /^Not enough arguments following: (.+)$/;

function ourWords(message: string, command: Command): string {
  const name = WITHOUT_VALUE.exec(message)?.[1];
  if (name === undefined) return message;
  const flag = flagsOf(command).find((each) => each.name === name || otherNames(each).includes(name));
  const value = flag?.choices === undefined ? flag?.value : alternatives(flag.choices);
  const hint = value === undefined ? `see slipway ${command.path} --help` : `specify ${value}`;
  return `${name.length === 1 ? "-" : "--"}${name} requires a value; ${hint}`;
}

/** Refuses flags that the command does not have, as they were written, with the nearest one. */
function checkNames(command: Command, given: readonly string[], words: readonly string[]): void {
  const known = flagsOf(command).flatMap((flag) => [flag.name, ...otherNames(flag)]);
  const unknown = given.find((name) => name !== "_" && name !== "$0" && !known.includes(name));
  if (unknown === undefined) return;
  const written =
    words.find((word) => word.replace(/=.*/s, "") === `--${unknown}`) ??
    words.find((word) => /^-[^-]/.test(word) && word.includes(unknown)) ??
    `--${unknown}`;
  const name = written.replace(/=.*/s, "");
  const near = nearestFlag(
    name.replace(/^-+/, ""),
    known.filter((each) => each.length > 1),
  );
  const hint = near === undefined ? `see slipway ${command.path} --help` : `did you mean --${near}?`;
  throw new UsageError(`unknown flag ${name}; ${hint}`);
}

/** A word that is none of a flag's is refused before anything is read, whether the command comes to ask for it or not. */
function checkChoices(command: Command, args: Arguments): void {
  for (const flag of flagsOf(command)) if (flag.choices !== undefined) args.get(flag);
}

/** Flags whose value is a file or a folder. */
const PATHS = ["FILE", "DUMP", "PATH", "DIR"];

/** True where one flag or operand names standard input; refuses `-` where it would be a file of that name. */
function readsStdin(command: Command, { raw, get }: Arguments): boolean {
  const { path, operands = [] } = command;
  const readers = operands.filter(({ stream }) => stream === "input").flatMap((each) => [get(each)].flat());
  for (const { name, value = "", stream } of flagsOf(command)) {
    const values = [raw[name]].flat();
    if (!PATHS.includes(value) || !values.includes("-")) continue;
    if (stream === undefined)
      throw new UsageError(
        `--${name} -: standard ${value === "DIR" ? "streams are" : "input is"} not supported here; specify a ${value === "DIR" ? "folder" : "file"}, ./- for one of this name`,
      );
    if (stream === "input") readers.push(...values);
  }
  const count = readers.filter((each) => each === "-").length;
  if (count > 1) throw new UsageError(`- can be specified once; see slipway ${path} --help`);
  return count === 1;
}

async function withStdin(cli: CliContext): Promise<CliContext> {
  const standardInput = await cli.stdin.bytes();
  return { ...cli, standardInput, stdin: { ...cli.stdin, bytes: async () => standardInput } };
}

/** All flags of a kind at once: yargs takes several milliseconds to declare fifty flags one by one. */
function addFlags(parser: Argv, flags: readonly Flag<unknown>[]): void {
  const namesOf = (isOne: (flag: Flag<unknown>) => boolean): string[] =>
    flags.filter(isOne).map(({ name }) => name);
  const valued = namesOf(({ kind }) => kind !== "switch");
  parser
    .boolean(namesOf(({ kind }) => kind === "switch"))
    .string(valued)
    .requiresArg(valued)
    .array(namesOf(({ kind }) => kind === "list"));
  for (const flag of flags) {
    if (flag.oneEach === true) parser.nargs(flag.name, 1);
    const others = otherNames(flag);
    if (others.length > 0) parser.alias(flag.name, [...others]);
  }
}

/** Stands for a single dash, which yargs would not take as the value of a flag. */
const DASH = "\u0001-";
const restored = (word: unknown): string => (word === DASH ? "-" : String(word));

function argumentsOf(
  raw: Readonly<Record<string, unknown>>,
  { path, operands = [], flags }: Command,
): Arguments {
  const words = Array.isArray(raw["_"]) ? raw["_"].map(restored) : [];
  const values = new Map<string, RawFlag>();
  for (const operand of operands) {
    const { name, required, many } = operand;
    const taken = words.splice(0, many ? words.length : 1);
    if (required && taken.length === 0) throw new UsageError(missingArgument(operand));
    values.set(name, many ? taken : taken[0]);
  }
  const [extra] = words;
  if (extra !== undefined) {
    const takesFolder = flags.some(({ name }) => name === "dir") && raw["dir"] === undefined;
    const hint =
      takesFolder && words.length === 1
        ? `did you mean --dir ${shellWord(extra)}?`
        : `see slipway ${path} --help`;
    throw new UsageError(`unexpected argument ${JSON.stringify(extra)}; ${hint}`);
  }
  const flagOf = (name: string): RawFlag => {
    const value = raw[name];
    if (typeof value === "string") return restored(value);
    if (typeof value === "boolean" || value === undefined) return value;
    if (Array.isArray(value)) return value.map(restored);
    throw new UsageError(`invalid value ${JSON.stringify(value)} for --${name}`);
  };
  const given = Object.keys(raw).filter((name) => raw[name] !== undefined && name !== "_" && name !== "$0");
  return {
    get: (of) => of.read("required" in of ? values.get(of.name) : flagOf(of.name)),
    given: (flag) => given.includes(flag.name),
    raw: Object.fromEntries(given.map((name) => [name, flagOf(name)])),
    complete: (text) =>
      withInputs(
        text,
        new Map(
          flags
            .filter(({ name, names }) => names !== undefined && raw[name] !== undefined)
            .map(({ name }) => [name, [flagOf(name)].flat().map(String)]),
        ),
      ),
  };
}

/** yargs takes any word behind `--switch=` for yes. */
function checkSwitches(command: Command, words: readonly string[]): void {
  const switches = flagsOf(command).filter(({ kind }) => kind === "switch");
  const wrong = words.find((word) =>
    switches.some(({ name }) => word.startsWith(`--${name}=`) && !/=(?:true|false)$/.test(word)),
  );
  if (wrong !== undefined) throw new UsageError(`${wrong}: the flag does not accept a value`);
}

/** The first process of a container is ended by no signal that it does not hear of. */
const isFirst = process.pid === 1;

/** The format that a command line asks for, whether it can be obeyed or not. */
const formatIn = (words: readonly string[]): string | undefined =>
  words
    .map((word, i) =>
      /^(?:--output|-o)$/.test(words[i - 1] ?? "") ? word : /^(?:--output|-o)=(.*)$/s.exec(word)?.[1],
    )
    .find((each) => each !== undefined);

const asksForJson = (words: readonly string[]): boolean => formatIn(words) === "json";

/** With `--output json` even what fails before a command can answer is one document on stdout. */
function printFailure(words: readonly string[], problem: Problem, { stdout }: Streams): void {
  if (!asksForJson(words)) return;
  const document = {
    apiVersion: API_VERSION,
    kind: "Failure",
    ok: false,
    diagnostics: [documented(diagnostic(problem))],
  };
  // Where every answer is a line, this one is too.
  const isLines = words.some((word) => /^--(?:fleet|batch)(?:=|$)/.test(word));
  stdout.write(`${isLines ? terminalJson(document) : terminalJson(document, 2)}\n`);
}

/** Messages of the engine that name members alone. */
const HARMLESS =
  /^(?:Cannot read properties of (?:undefined|null) \(reading '[\w$-]{1,40}'\)|[\w$.()]{1,80} is not (?:a function|a constructor|defined))$/;

/** Where an exception comes from. Its message is left out, since the engine quotes what was read: JSON, keys, texts. */
function traceOf({ name, message, stack = "" }: Error): string {
  const frames = stack.split("\n").filter((line) => /^ {4}at /.test(line));
  return [HARMLESS.test(message) ? `${name}: ${message}` : name, ...frames].join("\n");
}

/** What a run says that ends by an exception, and the problem that it is. */
function explain(
  error: unknown,
  words: readonly string[],
  streams: Streams,
): { readonly code: ExitCode; readonly found?: Problem } {
  const { stderr } = streams;
  if (error instanceof InputEnded) {
    stderr.write("\nslipway: standard input was closed at a prompt; nothing was written\n");
    return { code: EXIT.interrupted };
  }
  if (error instanceof UsageError || (error instanceof Error && error.name === "YError")) {
    stderr.write(terminalText(`slipway: ${error.message}\n`));
    const found = problem("CLI001", "Invalid", "", error.message);
    printFailure(words, found, streams);
    return { code: EXIT.usage, found };
  }
  const debug = words.some(
    (word, i) => word === "--log-level=debug" || (word === "debug" && words[i - 1] === "--log-level"),
  );
  const name = error instanceof Error ? error.name : typeof error;
  const message = apology(name);
  stderr.write(`slipway: ${message}\n`);
  const found = problem("CLI002", "InternalError", "", message);
  printFailure(words, found, streams);
  if (debug && error instanceof Error) stderr.write(terminalText(`${traceOf(error)}\n`));
  else stderr.write("slipway: --log-level debug shows where it happened\n");
  return { code: EXIT.bug, found };
}
