/** Completion scripts, written from the command table: words, flags and the values that a flag or an argument may have. */
import type { Command, Group } from "./command.js";
import type { Shell } from "./commands/completion/flags.js";
import { type Flag, GLOBAL_FLAGS, globalFlagsOf } from "./flags.js";

type GroupWords = Pick<Group, "word" | "summary" | "commands">;

/** Words that the table does not have, since they come from data. */
export interface Suggestions {
  /** By the name of a flag's value: the releases of `RELEASE`. */
  readonly values: { readonly [value: string]: readonly string[] };
  /** By the path of a command: its first argument. */
  readonly operands: { readonly [path: string]: readonly string[] };
}

export function completionScript(
  shell: Shell,
  commands: readonly Command[],
  groups: readonly GroupWords[],
  suggestions: Suggestions,
): string {
  switch (shell) {
    case "bash":
      return bash(commands, groups, suggestions);
    case "zsh":
      return `#compdef slipway\nautoload -U +X bashcompinit && bashcompinit\n${bash(commands, groups, suggestions)}`;
    case "fish":
      return fish(commands, groups, suggestions);
  }
}

const flagsOf = (command: Command): readonly Flag<unknown>[] =>
  [...command.flags, ...globalFlagsOf(command)].filter(({ hidden }) => hidden !== true);

const secondWord = (command: Command, { word }: GroupWords): string => command.path.slice(word.length + 1);

/** The words of a line's start; `help` is followed by them again. */
const firstWords = (commands: readonly Command[], groups: readonly GroupWords[]): string[] => [
  "help",
  ...groups.map(({ word }) => word),
  ...commands.map(({ path }) => path).filter((path) => !path.includes(" ")),
];

/** The words that a flag may be given, a folder, or whatever else. */
function valuesOf(
  { choices, value = "" }: Flag<unknown>,
  { values }: Suggestions,
): readonly string[] | "folder" | undefined {
  if (choices !== undefined) return choices;
  return value === "DIR" ? "folder" : values[value];
}

const operandOf = ({ path, operands: [first] = [] }: Command, { operands }: Suggestions) =>
  first?.choices ?? operands[path];

/** What flags are followed by, as patterns of `case`: those with the same answer in one line. */
function valueCases(commands: readonly Command[], suggestions: Suggestions): string[] {
  const patterns = new Map<string, Set<string>>();
  for (const command of commands)
    for (const flag of flagsOf(command)) {
      const values = valuesOf(flag, suggestions);
      if (values === undefined) continue;
      const answer = values === "folder" ? "_slipway_files -d" : wordsOf(values);
      const isGlobal = GLOBAL_FLAGS.includes(flag);
      const names = [flag.name, ...(flag.alias === undefined ? [] : [flag.alias])];
      for (const name of names) {
        const word = name.length === 1 ? `-${name}` : `--${name}`;
        const known = patterns.get(answer) ?? new Set();
        patterns.set(answer, known.add(isGlobal ? `*:${word}` : `"${command.path}:${word}"`));
      }
    }
  // What one command has before what all have.
  return [...patterns]
    .sort(([, a], [, b]) => Number(isForAll(a)) - Number(isForAll(b)))
    .map(([answer, cases]) => `    ${[...cases].join("|")}) ${answer}; return ;;`);
}

const isForAll = (cases: ReadonlySet<string>): boolean => [...cases].some((each) => each.startsWith("*"));

const wordsOf = (words: readonly string[]): string =>
  `COMPREPLY=($(compgen -W "${words.join(" ")}" -- "$word"))`;

/**
 * zsh reads the same script through bashcompinit, which has no `compopt`. A value behind `=` is a word of its own for
 * bash, and a part of the word for zsh.
 */
function bash(commands: readonly Command[], groups: readonly GroupWords[], suggestions: Suggestions): string {
  const withOperand = commands.flatMap((command) => {
    const words = operandOf(command, suggestions);
    return words === undefined ? [] : [`    "${command.path}") ${wordsOf(words)}; return ;;`];
  });
  return `_slipway_files() {
  type compopt >/dev/null 2>&1 && compopt -o filenames 2>/dev/null
  local IFS=$'\\n'
  COMPREPLY=($(compgen "$1" -- "$word"))
}
_slipway() {
  local word="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" command=""
  local i
  if [[ "$word" == "=" ]]; then word=""; elif [[ "$before" == "=" ]]; then before="\${COMP_WORDS[COMP_CWORD-2]}"; fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "\${COMP_WORDS[i]}" in
      -*) ;;
      help) [[ -n "$command" ]] && break ;;
      *)
        command="\${command:+$command }\${COMP_WORDS[i]}"
        case " ${groups.map(({ word }) => word).join(" ")} " in
          *" $command "*) ;;
          *) break ;;
        esac
        ;;
    esac
  done
  case "$command:$before" in
${valueCases(commands, suggestions).join("\n")}
  esac
  if [[ "$word" == -* ]]; then
    case "$command" in
${commands.map((command) => `      "${command.path}") ${wordsOf(flagsOf(command).map(({ name }) => `--${name}`))} ;;`).join("\n")}
      *) ${wordsOf(GLOBAL_FLAGS.map(({ name }) => `--${name}`).concat("--help", "--version"))} ;;
    esac
    return
  fi
  case "$command" in
    "") ${wordsOf(firstWords(commands, groups))}; return ;;
${groups.map((group) => `    "${group.word}") ${wordsOf(group.commands.map((command) => secondWord(command, group)))}; return ;;`).join("\n")}
${withOperand.join("\n")}
  esac
  _slipway_files -f
}
complete -F _slipway slipway
`;
}

function fish(commands: readonly Command[], groups: readonly GroupWords[], suggestions: Suggestions): string {
  const text = (words: string): string => `'${words.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
  const known = firstWords(commands, groups)
    .filter((word) => word !== "help")
    .join(" ");
  const first = (word: string, summary: string): string =>
    `complete -c slipway -n "not __fish_seen_subcommand_from ${known}" -f -a ${word} -d ${text(summary)}`;
  const lines = [
    first("help", "show help of a command"),
    ...groups.map(({ word, summary }) => first(word, summary)),
    ...commands.filter(({ path }) => !path.includes(" ")).map(({ path, summary }) => first(path, summary)),
  ];
  for (const group of groups) {
    const seconds = group.commands.map((command) => secondWord(command, group)).join(" ");
    for (const command of group.commands)
      lines.push(
        `complete -c slipway -n "__fish_seen_subcommand_from ${group.word}; and not __fish_seen_subcommand_from ${seconds}" -f -a ${secondWord(command, group)} -d ${text(command.summary)}`,
      );
  }
  for (const command of commands) {
    const seen = command.path
      .split(" ")
      .map((word) => `__fish_seen_subcommand_from ${word}`)
      .join("; and ");
    const operand = operandOf(command, suggestions);
    if (operand !== undefined)
      lines.push(`complete -c slipway -n "${seen}" -f -a ${text(operand.join(" "))}`);
    for (const flag of flagsOf(command)) {
      const values = valuesOf(flag, suggestions);
      const offered =
        values === undefined
          ? ""
          : values === "folder"
            ? " -x -a '(__fish_complete_directories)'"
            : ` -x -a ${text(values.join(" "))}`;
      const needs = flag.kind === "switch" ? "" : " -r";
      const short = flag.alias?.length === 1 ? ` -s ${flag.alias}` : "";
      lines.push(
        `complete -c slipway -n "${seen}" -l ${flag.name}${short}${needs}${offered} -d ${text(flag.describe)}`,
      );
    }
  }
  return `${lines.join("\n")}\n`;
}
