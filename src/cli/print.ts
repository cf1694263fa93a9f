/** How results and diagnostics reach the user: results on stdout, everything else on stderr. */
import pc from "picocolors";
import { API_VERSION } from "../core/api-version.js";
import {
  type Diagnostic,
  documented,
  formatDiagnostic,
  placeOf,
  type Severity,
  sortDiagnostics,
} from "../core/diagnostics.js";
import { terminalText } from "../text/terminal.js";
import type { CliContext, Terminal } from "./cli-context.js";
import { type Outcome, printClosing } from "./closing.js";
import type { Arguments } from "./flags.js";
import { output } from "./flags.js";
import { STDIN } from "./read-text.js";

export { API_VERSION };

export interface Result {
  /** The `kind` of the json document, such as `CreateResult`. */
  readonly kind: string;
  /** The json document without apiVersion, kind and `ok`; key order is kept. */
  readonly json: object;
  /** What a person reads on stdout; nothing when empty. */
  readonly text: string;
  readonly diagnostics?: readonly Diagnostic[];
  /** The text begins with a summary, which diagnostics must not push off the screen. */
  readonly textFirst?: boolean;
  /** For the closing line: what became of files, or what was checked. */
  readonly outcome?: Outcome;
}

/** Prints one result in the form that was asked for. Diagnostics go to stderr in text form, into the document in json. */
export function print(
  args: Arguments,
  cli: CliContext,
  { kind, json, text, diagnostics = [], textFirst = false, outcome }: Result,
): void {
  const sorted = forReader(args, diagnostics);
  if (args.get(output) === "json") {
    cli.answer({ apiVersion: API_VERSION, kind, ...json, diagnostics: sorted.map(documented) });
    return;
  }
  if (!textFirst) printDiagnostics(sorted, cli.stderr);
  if (text !== "") cli.stdout.write(text.endsWith("\n") ? text : `${text}\n`);
  if (textFirst) printDiagnostics(sorted, cli.stderr);
  printClosing(args, cli, sorted, outcome);
}

/** Diagnostics in their order, with remedies that can be typed as they stand. */
export const forReader = (args: Arguments, diagnostics: readonly Diagnostic[]): readonly Diagnostic[] =>
  sortDiagnostics(diagnostics).map((each) => ({
    ...each,
    file: each.file === "-" ? STDIN : each.file,
    hint: args.complete(each.hint),
  }));

export function printDiagnostics(diagnostics: readonly Diagnostic[], terminal: Terminal): void {
  const colours = pc.createColors(terminal.colour);
  const paint: Record<Severity, (text: string) => string> = {
    error: colours.red,
    warning: colours.yellow,
    info: colours.cyan,
  };
  for (const each of grouped(diagnostics)) {
    const line = terminalText(formatDiagnostic(each));
    terminal.pass(`${line.replace(each.severity, paint[each.severity](each.severity))}\n`);
  }
}

/** So many places of one problem are named. */
const PLACES = 3;

/** One diagnostic for each cause, with the places that have it, and each remedy once. */
function grouped(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  const causes = new Map<string, Diagnostic[]>();
  for (const each of diagnostics) {
    const { severity, code, field, message, hint } = each;
    const key = JSON.stringify([severity, code, field, message, hint]);
    const same = causes.get(key);
    if (same === undefined) causes.set(key, [each]);
    else same.push(each);
  }
  const hints = new Set<string>();
  return [...causes.values()].flatMap((same): Diagnostic[] => {
    const [first] = same;
    if (first === undefined) return [];
    const places = [...new Set(same.map(placeOf))];
    const named = places.slice(0, PLACES).join(", ");
    const more = places.length > PLACES ? `${named} and ${places.length - PLACES} more` : named;
    const hint = hints.has(first.hint) ? "" : first.hint;
    hints.add(first.hint);
    return [places.length === 1 ? { ...first, hint } : { ...first, file: more, line: 0, column: 0, hint }];
  });
}
