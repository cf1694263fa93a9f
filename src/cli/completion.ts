/** Completion scripts, written from the command table: words, flags and the values that a flag may have. */
import type { Command, Group } from "./command.js";
import type { Shell } from "./commands/completion/flags.js";
import { type Flag, GLOBAL_FLAGS } from "./flags.js";

type GroupWords = Pick<Group, "word" | "summary" | "commands">;

export function completionScript(
  shell: Shell,
  commands: readonly Command[],
  groups: readonly GroupWords[],
): string {
  switch (shell) {
    case "bash":
      return bash(commands, groups);
    case "zsh":
      return `#compdef slipway\nautoload -U +X bashcompinit && bashcompinit\n${bash(commands, groups)}`;
    case "fish":
      return fish(commands, groups);
  }
}

const flagsOf = ({ flags }: Command): readonly Flag<unknown>[] =>
  [...flags, ...GLOBAL_FLAGS].filter(({ hidden }) => hidden !== true);

const secondWord = (command: Command, { word }: GroupWords): string => command.path.slice(word.length + 1);

const firstWords = (commands: readonly Command[], groups: readonly GroupWords[]): string[] => [
  ...groups.map(({ word }) => word),
  ...commands.map(({ path }) => path).filter((path) => !path.includes(" ")),
];

/** zsh reads the same script through bashcompinit. */
function bash(commands: readonly Command[], groups: readonly GroupWords[]): string {
  const choices = new Map<string, readonly string[]>();
  for (const flag of commands.flatMap(flagsOf))
    if (flag.choices !== undefined) choices.set(flag.name, flag.choices);
  const words = (of: readonly string[]): string => `COMPREPLY=($(compgen -W "${of.join(" ")}" -- "$word"))`;
  return `_slipway() {
  local word="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" command=""
  local i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "\${COMP_WORDS[i]}" in
      -*) ;;
      *)
        command="\${command:+$command }\${COMP_WORDS[i]}"
        case " ${groups.map(({ word }) => word).join(" ")} " in
          *" $command "*) ;;
          *) break ;;
        esac
        ;;
    esac
  done
  case "$before" in
${[...choices].map(([name, values]) => `    --${name}) ${words(values)}; return ;;`).join("\n")}
  esac
  if [[ "$word" == -* ]]; then
    case "$command" in
${commands.map((command) => `      "${command.path}") ${words(flagsOf(command).map(({ name }) => `--${name}`))} ;;`).join("\n")}
      *) ${words(GLOBAL_FLAGS.map(({ name }) => `--${name}`).concat("--help", "--version"))} ;;
    esac
    return
  fi
  case "$command" in
    "") ${words(firstWords(commands, groups))} ;;
${groups.map((group) => `    "${group.word}") ${words(group.commands.map((command) => secondWord(command, group)))} ;;`).join("\n")}
    *) COMPREPLY=($(compgen -f -- "$word")) ;;
  esac
}
complete -o filenames -F _slipway slipway
`;
}

function fish(commands: readonly Command[], groups: readonly GroupWords[]): string {
  const text = (words: string): string => `'${words.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
  const known = firstWords(commands, groups).join(" ");
  const first = (word: string, summary: string): string =>
    `complete -c slipway -n "not __fish_seen_subcommand_from ${known}" -f -a ${word} -d ${text(summary)}`;
  const lines = [
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
    for (const flag of flagsOf(command)) {
      const values = flag.choices === undefined ? "" : ` -x -a ${text(flag.choices.join(" "))}`;
      const needs = flag.kind === "switch" ? "" : " -r";
      lines.push(
        `complete -c slipway -n "${seen}" -l ${flag.name}${needs}${values} -d ${text(flag.describe)}`,
      );
    }
  }
  return `${lines.join("\n")}\n`;
}
