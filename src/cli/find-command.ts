/** Which command a command line means: looked up in the command table alone. */

import { otherNames } from "../core/flags.js";
import { closest } from "../text/closest.js";
import type { Command, Group } from "./command.js";
import { GROUPS, OUT_OF_SCOPE, SINGLE_COMMANDS } from "./commands/index.js";
import { UsageError } from "./exit.js";
import { alternatives, GLOBAL_FLAGS, globalFlagsOf } from "./flags.js";

export type Found =
  /** `help` where help of the command was asked for; `rest` is what belongs to its flags and operands. */
  | {
      readonly kind: "command";
      readonly command: Command;
      readonly rest: readonly string[];
      readonly help: boolean;
    }
  /** A group alone, or with a request for help. */
  | { readonly kind: "group"; readonly group: Group }
  /** No command: nothing at all, or a request for help. */
  | { readonly kind: "help" };

/** A word of the command line that may name a command. */
interface Word {
  readonly word: string;
  readonly index: number;
}

/** Every flag that is followed by a value, in any command. */
const valueFlags = (): ReadonlySet<string> =>
  new Set(
    [...SINGLE_COMMANDS, ...GROUPS.flatMap(({ commands }) => commands)]
      .flatMap((command) => [...command.flags, ...globalFlagsOf(command)])
      .concat(GLOBAL_FLAGS)
      .filter(({ kind }) => kind !== "switch")
      .flatMap((flag) => [`--${flag.name}`, ...otherNames(flag).map(dashed)]),
  );

const dashed = (alias: string): string => (alias.length === 1 ? `-${alias}` : `--${alias}`);

/**
 * Flags may stand before the command, too. Throws a UsageError for words that are no command, with the nearest one,
 * and for what is out of scope.
 */
export function findCommand(words: readonly string[]): Found {
  const withValue = valueFlags();
  const end = words.indexOf("--");
  const plain = words
    .map((word, index) => ({ word, index }))
    .filter(({ word, index }) => !word.startsWith("-") && !withValue.has(words[index - 1] ?? ""))
    .filter(({ index }) => end < 0 || index < end);
  const asked = plain[0]?.word === "help" ? plain.shift() : undefined;
  const help =
    asked !== undefined ||
    words.slice(0, end < 0 ? undefined : end).some((word) => word === "--help" || word === "-h");
  const outside = OUT_OF_SCOPE.find(({ path }) =>
    path.split(" ").every((word, index) => plain[index]?.word === word),
  );
  if (outside !== undefined)
    throw new UsageError(`slipway ${outside.path} is out of scope: ${outside.instead}`);
  const [first, ...others] = plain;
  if (first === undefined) {
    if (help || words.length === 0) return { kind: "help" };
    throw new UsageError("missing command; see slipway --help");
  }
  const found = (command: Command, ...named: readonly Word[]): Found => {
    const path = [asked, first, ...named].flatMap((each) => (each === undefined ? [] : [each.index]));
    return { kind: "command", command, rest: behind(words, path), help };
  };
  const single = SINGLE_COMMANDS.find(({ path }) => path === first.word);
  if (single !== undefined) return found(single);
  const group = GROUPS.find(({ word }) => word === first.word);
  if (group === undefined)
    throw new UsageError(
      noSuch(first.word, [...GROUPS.map(({ word }) => word), ...SINGLE_COMMANDS.map(({ path }) => path)]),
    );
  const names = group.commands.map(({ path }) => path.slice(group.word.length + 1));
  const second = others.find(({ word }) => names.includes(word)) ?? others[0];
  if (second === undefined) {
    if (help || words.length === 1) return { kind: "group", group };
    throw new UsageError(`missing subcommand of ${group.word}: ${alternatives(names)}`);
  }
  const command = group.commands.find(({ path }) => path === `${group.word} ${second.word}`);
  if (command === undefined) throw new UsageError(noSuch(second.word, names, group.word));
  return found(command, second);
}

function noSuch(word: string, names: readonly string[], group = ""): string {
  const near = closest(word, names);
  const prefix = group === "" ? "" : `${group} `;
  const hint = near === undefined ? `use ${alternatives(names)}` : `did you mean ${prefix}${near}?`;
  return `unknown command ${JSON.stringify(`${prefix}${word}`)}; ${hint}`;
}

/**
 * What is left without the command's own words. What stood before the command comes last, but before `--`: a list
 * there would otherwise take the operands.
 */
function behind(words: readonly string[], path: readonly number[]): string[] {
  const first = Math.min(...path);
  const before = words.slice(0, first);
  const after = words.filter((_, index) => index > first && !path.includes(index));
  const end = after.indexOf("--");
  return end < 0 ? [...after, ...before] : [...after.slice(0, end), ...before, ...after.slice(end)];
}
