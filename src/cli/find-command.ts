/** Which command a command line means: looked up in the command table alone. */
import { closest } from "../text/closest.js";
import type { Command, Group } from "./command.js";
import { GROUPS, OUT_OF_SCOPE, SINGLE_COMMANDS } from "./commands/index.js";
import { UsageError } from "./exit.js";
import { GLOBAL_FLAGS } from "./flags.js";

export type Found =
  | { readonly kind: "command"; readonly command: Command; readonly rest: readonly string[] }
  /** A group with nothing behind it but a request for help. */
  | { readonly kind: "group"; readonly group: Group }
  /** No command at all but a request for help. */
  | { readonly kind: "help" };

const VALUE_FLAGS = new Set(
  GLOBAL_FLAGS.filter(({ kind }) => kind === "text").flatMap(({ name, alias }) => [
    `--${name}`,
    ...(alias === undefined ? [] : [`-${alias}`]),
  ]),
);

/** Throws a UsageError for words that are no command, with the nearest one, and for what is out of scope. */
export function findCommand(words: readonly string[]): Found {
  const end = words.indexOf("--");
  const plain = words
    .map((word, index) => ({ word, index }))
    .filter(({ word, index }) => !word.startsWith("-") && !VALUE_FLAGS.has(words[index - 1] ?? ""))
    .filter(({ index }) => end < 0 || index < end);
  const outside = OUT_OF_SCOPE.find(({ path }) =>
    path.split(" ").every((word, index) => plain[index]?.word === word),
  );
  if (outside !== undefined)
    throw new UsageError(`slipway ${outside.path} is out of scope: ${outside.instead}`);
  const [first] = plain;
  const wantsHelp = words.some((word) => word === "--help" || word === "-h");
  if (first === undefined) {
    if (wantsHelp) return { kind: "help" };
    throw new UsageError("a command is missing; see slipway --help");
  }
  const single = SINGLE_COMMANDS.find(({ path }) => path === first.word);
  if (single !== undefined) return { kind: "command", command: single, rest: without(words, first.index) };
  const group = GROUPS.find(({ word }) => word === first.word);
  if (group === undefined)
    throw new UsageError(
      noSuch(first.word, [...GROUPS.map(({ word }) => word), ...SINGLE_COMMANDS.map(({ path }) => path)]),
    );
  return findInGroup(group, first.index, plain.slice(1), words, wantsHelp);
}

function findInGroup(
  group: Group,
  at: number,
  plain: readonly { readonly word: string; readonly index: number }[],
  words: readonly string[],
  wantsHelp: boolean,
): Found {
  const names = group.commands.map(({ path }) => path.slice(group.word.length + 1));
  const second = plain.find(({ word }) => names.includes(word)) ?? plain[0];
  if (second === undefined) {
    if (wantsHelp) return { kind: "group", group };
    throw new UsageError(`${group.word} what? One of ${names.join(", ")}`);
  }
  const command = group.commands.find(({ path }) => path === `${group.word} ${second.word}`);
  if (command === undefined) throw new UsageError(`${group.word} ${noSuch(second.word, names)}`);
  return { kind: "command", command, rest: without(words, at, second.index) };
}

function noSuch(word: string, names: readonly string[]): string {
  const near = closest(word, names);
  const hint = near === undefined ? `choose one of ${names.join(", ")}` : `did you mean ${near}?`;
  return `${word}: no such command; ${hint}`;
}

const without = (words: readonly string[], ...indexes: readonly number[]): string[] =>
  words.filter((_, index) => !indexes.includes(index));
