/**
 * The first page of help, written from the command table alone: it is what people and completion scripts ask for
 * most, so it does without the command line library. Help of a single command comes from that library.
 */
import type { Group } from "./command.js";
import { GROUPS, SINGLE_COMMANDS } from "./commands/index.js";
import { GLOBAL_FLAGS } from "./flags.js";

const WIDTH = 27;

const row = (left: string, right: string): string => `  ${left.padEnd(WIDTH)}${right}`;

export function topHelp(): string {
  const words = [
    ...GROUPS.map(({ word, summary, commands }) => ({
      left: `${word} <what>`,
      right: `${summary}: ${commands.map(({ path }) => path.slice(word.length + 1)).join(", ")}`,
    })),
    ...SINGLE_COMMANDS.map(({ path, summary }) => ({ left: path, right: summary })),
  ];
  return [
    "slipway: offline manifest compiler for OpenShift and Kubernetes",
    "",
    "Usage: slipway <command> [flags]",
    "",
    "Commands:",
    ...words.flatMap(({ left, right }) => wrapped(left, right)),
    "",
    "Everywhere:",
    ...GLOBAL_FLAGS.map((flag) => {
      const choices = flag.choices === undefined ? "" : ` (${flag.choices.join(", ")})`;
      return row(`--${flag.name}`, `${flag.describe}${choices}`);
    }),
    row("-h, --help", "help; also of a single command: slipway create manifests --help"),
    row("-v, --version", "version"),
    "",
    "Exit codes: 0 done, 1 input wrong, 2 command line wrong, 3 answered 'no', 70 bug of slipway, 130 interrupted",
    "",
  ].join("\n");
}

/** Help of a word that groups commands. */
export const groupHelp = ({ word, summary, commands }: Group): string =>
  [
    summary,
    "",
    `Usage: slipway ${word} <what> [flags]`,
    "",
    ...commands.flatMap((command) => wrapped(command.path.slice(word.length + 1), command.summary)),
    "",
    `slipway ${word} <what> --help shows the flags.`,
    "",
  ].join("\n");

/** A row whose right side is broken at blanks to stay below 110 columns. */
function wrapped(left: string, right: string): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of right.split(" ")) {
    if (line !== "" && line.length + word.length + 1 > 110 - WIDTH) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  lines.push(line);
  return lines.map((each, i) => row(i === 0 ? left : "", each));
}
