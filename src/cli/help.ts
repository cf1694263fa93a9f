/**
 * Help, written from the command table alone: it is what people and completion scripts ask for most, so it does
 * without the command line library. Lines fit the terminal.
 */
import type { Command, Group } from "./command.js";
import { GROUPS, SECTIONS, SINGLE_COMMANDS } from "./commands/index.js";
import { type Flag, GLOBAL_FLAGS, globalFlagsOf, type Operand } from "./flags.js";
import { widthOf, wrapped } from "./wrap.js";

/** So many flags are shown as one list; more of them are grouped by topic. */
const UNGROUPED = 15;
/** The left side of a row takes no more than this, nor more than two fifths of the line. */
const WIDEST_LEFT = 34;

type Row = readonly [left: string, right: string];

/** Text for a terminal of so many columns. */
class Page {
  private readonly lines: string[] = [];
  private readonly columns: number;

  constructor(columns: number | undefined) {
    this.columns = widthOf(columns);
  }

  /** A paragraph; a line end after a sentence is kept, another one is a blank. */
  text(text: string): this {
    for (const line of text.split(/(?<=[.:])\n/)) this.lines.push(...wrapped(line, this.columns));
    this.lines.push("");
    return this;
  }

  rows(title: string, rows: readonly Row[]): this {
    if (rows.length === 0) return this;
    const most = Math.min(WIDEST_LEFT, Math.floor(this.columns * 0.4));
    const fitting = rows.map(([left]) => left.length).filter((length) => length <= most);
    const width = Math.max(12, ...fitting) + 4;
    if (title !== "") this.lines.push(title);
    for (const [left, right] of rows) {
      const [first = "", ...rest] = wrapped(right, this.columns - width);
      if (left.length > width - 4)
        this.lines.push(...hanging(left, this.columns), `${" ".repeat(width)}${first}`);
      else this.lines.push(`  ${left.padEnd(width - 2)}${first}`.trimEnd());
      this.lines.push(...rest.map((line) => `${" ".repeat(width)}${line}`));
    }
    this.lines.push("");
    return this;
  }

  toString(): string {
    return this.lines.join("\n");
  }
}

/** The left side of a row alone; a command that is longer than the page can be copied as it stands. */
const hanging = (text: string, columns: number): string[] =>
  wrapped(text.trimStart(), columns - 8).map((line, i, { length }) => {
    const indent = i === 0 ? /^ */.exec(text)?.[0] : "    ";
    return `  ${indent}${line}${i < length - 1 ? " \\" : ""}`;
  });

const HELP_ROW: Row = ["-h, --help", "show help; also: slipway help COMMAND"];

/** @param columns width of the terminal; undefined where the output is none. */
export function topHelp(columns?: number): string {
  const summaries = new Map([
    ...GROUPS.map(({ word, summary }) => [word, summary] as const),
    ...SINGLE_COMMANDS.map(({ path, summary }) => [path, summary] as const),
  ]);
  const page = new Page(columns)
    .text("slipway compiles the files of OpenShift and Kubernetes clusters, offline.")
    .text("Usage: slipway COMMAND [flags]");
  for (const { title, words } of SECTIONS)
    page.rows(
      `${title}:`,
      words.map((word): Row => [word, summaries.get(word) ?? ""]),
    );
  return page
    .rows("Global flags:", [...GLOBAL_FLAGS.map(flagRow), HELP_ROW, ["-v, --version", "show the version"]])
    .text(
      "Exit codes: 0 success, 1 invalid input, 2 invalid command line, 3 the answer is no, 70 internal error, 130 interrupted",
    )
    .toString();
}

/** Help of a word that groups commands. */
export const groupHelp = ({ word, summary, commands }: Group, columns?: number): string =>
  new Page(columns)
    .text(`${summary}.`)
    .text(`Usage: slipway ${word} SUBCOMMAND [flags]`)
    .rows(
      "Subcommands:",
      commands.map((each) => [each.path.slice(word.length + 1), each.summary]),
    )
    .text(`Run "slipway ${word} SUBCOMMAND --help" for its flags.`)
    .toString();

/** Help of one command. */
export function commandHelp(command: Command, columns?: number): string {
  const { path, summary, details, operands = [], flags, examples = [] } = command;
  const page = new Page(columns).text(/[.?!]$/.test(summary) ? summary : `${summary}.`);
  if (details !== undefined) page.text(details);
  page.text(`Usage: slipway ${[path, ...operands.map(placeholder), "[flags]"].join(" ")}`).rows(
    "Arguments:",
    operands.map(({ name, describe }) => [name.toUpperCase(), describe]),
  );
  for (const [title, rows] of flagRows(flags)) page.rows(title, rows);
  return page
    .rows("Global flags:", [...globalFlagsOf(command).map(flagRow), ["-h, --help", "show this help"]])
    .rows(
      "Examples:",
      examples.map(({ line, does }) => [line, does]),
    )
    .toString();
}

/** The flags of a command below their headings: a long list by topic, those of every day first. */
function flagRows(
  flags: readonly Flag<unknown>[],
): readonly (readonly [title: string, rows: readonly Row[]])[] {
  const shown = flags.filter(({ hidden }) => hidden !== true);
  if (shown.length <= UNGROUPED) return [["Flags:", shown.map(flagRow)]];
  const topics = new Map<string, Row[]>([["Flags", []]]);
  for (const flag of shown) {
    const topic = flag.topic ?? "Flags";
    topics.set(topic, [...(topics.get(topic) ?? []), flagRow(flag)]);
  }
  return [...topics].map(([title, rows]) => [`${title}:`, rows]);
}

const placeholder = ({ name, required, many }: Operand<unknown>): string => {
  const word = `${name.toUpperCase()}${many ? "..." : ""}`;
  return required ? word : `[${word}]`;
};

function flagRow({ name, alias, kind, value = "WORD", describe, choices, initial }: Flag<unknown>): Row {
  const short = alias?.length === 1 ? `-${alias}, ` : "    ";
  const notes = [
    ...(choices === undefined ? [] : [`one of ${choices.join(", ")}`]),
    ...(alias === undefined || alias.length === 1 ? [] : [`also --${alias}`]),
    ...(initial === undefined ? [] : [`default: ${initial}`]),
  ];
  const argument = kind === "switch" ? "" : ` ${value}${kind === "list" ? "..." : ""}`;
  return [
    `${short}--${name}${argument}`,
    notes.length === 0 ? describe : `${describe} (${notes.join("; ")})`,
  ];
}
