/** Commands of slipway in what it printed, each with what made it print them. */

import { commandsIn, isPlaceholder, type NamedCommand } from "../../src/cli/printed-commands.js";
import { isObject, type Json } from "../../src/core/json.js";

export interface PrintedCommand extends NamedCommand {
  /** The code of the diagnostic that names it; `next` where it begins a line. */
  readonly by: string;
  /** The place that the diagnostic is about. */
  readonly file: string;
}

/** The same command with the same flags for the same reason has the same key, whatever they are given. */
export const keyOf = ({ by, command, words }: PrintedCommand): string =>
  `${by}: ${[command.path, ...words.filter((word) => word.startsWith("--") || isPlaceholder(word)).map((word) => (word.startsWith("--") ? word.replace(/=.*/s, "") : word))].join(" ")}`;

/** Commands of the two outputs of a run; of a page of help none, since its examples are about no directory. */
export function printedCommands(stdout: string, stderr: string): PrintedCommand[] {
  if (/^Usage: slipway/m.test(stdout)) return [];
  const document = stdout.startsWith("{") ? parse(stdout) : undefined;
  if (isObject(document))
    return list(document["diagnostics"])
      .filter(isObject)
      .flatMap((each) =>
        commandsIn(String(each["hint"])).map((command) => ({
          by: String(each["code"]),
          file: String(each["file"]),
          ...command,
        })),
      );
  return wholeLines(`${stdout}\n${stderr}`).flatMap((line) => {
    const [, file = "", code] =
      /^(?:(.*?)(?::\d+:\d+)?: )?(?:error|warning|info) ([A-Z]+\d{3}):/.exec(line) ?? [];
    const by = code ?? (/^\s*slipway /.test(line) ? "next" : undefined);
    // Elsewhere a command is a word of a text about commands.
    return by === undefined ? [] : commandsIn(line).map((each) => ({ by, file, ...each }));
  });
}

/** The lines of a text; a command that stands alone goes on to where its last quote is closed. */
function wholeLines(text: string): string[] {
  const lines: string[] = [];
  let open = false;
  for (const line of text.split("\n")) {
    if (open) lines.push(`${lines.pop()}\n${line}`);
    else lines.push(line);
    const last = lines.at(-1) ?? "";
    open = /^\s*slipway /.test(last) && last.split("'").length % 2 === 0;
  }
  return lines;
}

const list = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : []);

function parse(text: string): Json | undefined {
  try {
    const value: Json = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}
