/** Printing a json document that is too large to hold as one text: its lists are written item by item. */
import { API_VERSION } from "../core/api-version.js";
import { terminalJson } from "../text/terminal.js";
import type { Terminal } from "./cli-context.js";

/** A list member whose items come one by one, each on a line of its own. */
export class StreamedList {
  constructor(readonly items: Iterable<object>) {}
}

const PIECE = 1 << 16;

/** Writes a document of the given kind; the order of members is kept. */
export function printDocument(
  terminal: Terminal,
  kind: string,
  members: Readonly<Record<string, unknown>>,
): void {
  let held = "";
  const write = (text: string): void => {
    held += text;
    if (held.length < PIECE) return;
    terminal.pass(held);
    held = "";
  };
  write(`{\n  "apiVersion": ${JSON.stringify(API_VERSION)},\n  "kind": ${JSON.stringify(kind)}`);
  for (const [name, value] of Object.entries(members)) {
    if (value === undefined) continue;
    write(`,\n  ${JSON.stringify(name)}: `);
    if (!(value instanceof StreamedList)) {
      write(terminalJson(value, 2).replaceAll("\n", "\n  "));
      continue;
    }
    let first = true;
    for (const item of value.items) {
      write(`${first ? "[" : ","}\n    ${terminalJson(item)}`);
      first = false;
    }
    write(first ? "[]" : "\n  ]");
  }
  write("\n}\n");
  terminal.pass(held);
}
