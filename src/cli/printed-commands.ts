/**
 * Commands of slipway that a remedy names. What is found wrong is found by code that knows nothing of the command line,
 * so a remedy names a command with placeholders; here it gets the inputs of the run that prints it, and can be typed as it
 * stands: in a run with `--dir cluster`, `slipway create manifests` is `slipway create manifests --dir cluster`.
 */

import { otherNames } from "../core/flags.js";
import { pathWord, shellWord } from "../text/shell.js";
import type { Command } from "./command.js";
import { GROUPS, SINGLE_COMMANDS } from "./commands/index.js";
import { type Flag, GLOBAL_FLAGS } from "./flags.js";

export interface NamedCommand {
  readonly command: Command;
  /** Words behind `slipway`, as they are after a shell has read them. */
  readonly words: readonly string[];
  /** Where it stands in the text, from `slipway` to the end of its last word. */
  readonly start: number;
  readonly end: number;
}

/** What a run was given to read and to make: flags that are marked so, with their values. */
export type GivenInputs = ReadonlyMap<string, readonly string[]>;

/** Every command that a text names, with what follows it as far as that is part of a command line. */
export function commandsIn(text: string): NamedCommand[] {
  return [...text.matchAll(/\bslipway (?=[a-z])/g)].flatMap(({ index: start, 0: match }) => {
    const from = start + match.length;
    const command = COMMANDS.find(
      ({ path }) => text.startsWith(path, from) && !/[\w-]/.test(text.charAt(from + path.length)),
    );
    if (command === undefined) return [];
    const words = [...command.path.split(" ")];
    let end = from + command.path.length;
    let before: Flag<unknown> | undefined;
    for (const [raw, word] of wordsFrom(text, end)) {
      const flag = /^--[a-z]/.test(word) ? flagOf(command, word.replace(/=.*/s, "")) : undefined;
      if (flag === undefined && before === undefined && !isOperand(command, word)) break;
      words.push(word);
      end += raw.length;
      before = flag?.kind === "switch" || word.includes("=") ? undefined : flag;
    }
    return [{ command, words, start, end }];
  });
}

/** Fills the inputs of this run into the commands that a text names. */
export function withInputs(text: string, inputs: GivenInputs): string {
  if (inputs.size === 0) return text;
  return commandsIn(text).reduceRight((result, { command, words, start, end }) => {
    const named = new Set(words.flatMap((word) => flagOf(command, word.replace(/=.*/s, ""))?.name ?? []));
    const filled = words.map((word, i) => {
      const flag = flagOf(command, words[i - 1] ?? "");
      const given = flag?.names === "input" && isPlaceholder(word) ? inputs.get(flag.name) : undefined;
      return given === undefined ? shellWord(word) : given.map(inputWord).join(` --${flag?.name} `);
    });
    const added = command.flags
      .filter(({ name, names }) => names === "input" && !named.has(name))
      .flatMap(({ name, initial }) => {
        const given = inputs.get(name) ?? [];
        return given.every((value) => value === initial)
          ? []
          : given.flatMap((value) => [`--${name}`, inputWord(value)]);
      });
    return `${result.slice(0, start)}${["slipway", ...filled, ...added].join(" ")}${result.slice(end)}`;
  }, text);
}

const COMMANDS = [...SINGLE_COMMANDS, ...GROUPS.flatMap(({ commands }) => commands)];

/** A lone dash is standard input. */
const inputWord = (value: string): string => (value === "-" ? value : pathWord(value));

const flagOf = ({ flags }: Command, word: string): Flag<unknown> | undefined =>
  [...flags, ...GLOBAL_FLAGS].find(
    (flag) => word === `--${flag.name}` || otherNames(flag).some((name) => word === `--${name}`),
  );

/** Words behind a place of a text, each with what it takes of the text; what ends a sentence ends them. */
function* wordsFrom(text: string, from: number): Generator<readonly [string, string]> {
  const pattern = /( (?:'[^']*'|\\.|[^\s'"`\\,;)])+?)(?=$|[\s"`,;)]|[.:](?:\s|$))/y;
  pattern.lastIndex = from;
  for (let found = pattern.exec(text); found !== null; found = pattern.exec(text)) {
    const [, raw = ""] = found;
    yield [
      raw,
      raw
        .slice(1)
        .replace(/'([^']*)'|\\(.)/g, (_, quoted?: string, escaped?: string) => quoted ?? escaped ?? ""),
    ];
  }
}

/** What a person has to put something in the place of. */
export const isPlaceholder = (word: string): boolean => /^[A-Z][A-Z-]*(?:[./][A-Z]+)?$/.test(word);

/** A word that no sentence goes on with. */
const isOperand = ({ operands = [] }: Command, word: string): boolean =>
  operands.length > 0 && (isPlaceholder(word) || /[./-]/.test(word)) && !word.startsWith("-");
