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
import type { AcceptedFinding } from "./findings/baseline.js";
import { type Finding, findingOf } from "./findings/finding.js";
import type { Failing } from "./findings/review.js";
import type { Arguments } from "./flags.js";
import { output, reportForm } from "./flags.js";
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
  /** What the text shows and no diagnostic says. */
  readonly findings?: readonly Finding[];
  /** The least severity by which the command fails; an error unless given. */
  readonly fails?: Failing;
  /** The text begins with a summary, which diagnostics must not push off the screen. */
  readonly textFirst?: boolean;
  /** For the closing line: what became of files, or what was checked. */
  readonly outcome?: Outcome;
}

/** Prints one result in the form that was asked for. Diagnostics go to stderr in text form, into the document in json. */
export function print(
  args: Arguments,
  cli: CliContext,
  { kind, json, text, diagnostics = [], findings = [], fails, textFirst = false, outcome }: Result,
): void {
  const { diagnostics: sorted, accepted } = review(args, cli, diagnostics, findings, fails);
  if (args.get(output) === "json") {
    cli.answer({
      apiVersion: API_VERSION,
      kind,
      ...json,
      diagnostics: sorted.map(documented),
      ...acceptedJson(cli, accepted),
    });
    return;
  }
  if (reportForm(args.get(output)) !== undefined) return;
  if (!textFirst) printDiagnostics(sorted, cli.stderr);
  if (text !== "") cli.stdout.write(text.endsWith("\n") ? text : `${text}\n`);
  if (textFirst) printDiagnostics(sorted, cli.stderr);
  printAccepted(cli, accepted);
  printClosing(args, cli, sorted, outcome);
}

interface ReviewedDiagnostics {
  /** In their order, without what a baseline accepts, and with what is to be said of it. */
  readonly diagnostics: readonly Diagnostic[];
  readonly accepted: readonly AcceptedFinding[];
}

/** Hands what a command found to the baseline and the report of the run, if it has them. */
export function review(
  args: Arguments,
  cli: CliContext,
  diagnostics: readonly Diagnostic[],
  findings: readonly Finding[] = [],
  fails?: Failing,
): ReviewedDiagnostics {
  const sorted = forReader(args, diagnostics);
  if (cli.review === undefined) return { diagnostics: sorted, accepted: [] };
  const own = findings.map((each) => ({ ...each, hint: args.complete(each.hint) }));
  const { kept, accepted } = cli.review.add([...sorted.map(findingOf), ...own], fails);
  const left = kept.flatMap(({ diagnostic }) => (diagnostic === undefined ? [] : [diagnostic]));
  return { diagnostics: sortDiagnostics([...left, ...cli.review.notes()]), accepted };
}

/** The member of a json answer that lists accepted findings; none without a baseline. */
export const acceptedJson = (
  { review }: Pick<CliContext, "review">,
  accepted: readonly AcceptedFinding[],
): object =>
  review === undefined || !review.hasBaseline
    ? {}
    : {
        accepted: accepted.map(({ finding: { rule, severity, file, line, column, field, message }, by }) => ({
          rule,
          severity,
          file,
          line,
          column,
          field,
          message,
          reason: by.reason,
          until: by.until,
        })),
      };

/** A line for each accepted finding: the text of the command may show it all the same. */
export function printAccepted(cli: CliContext, accepted: readonly AcceptedFinding[]): void {
  for (const { finding, by } of accepted)
    cli.log.info(
      `${finding.file === "" ? "" : `${placeOf(finding)}: `}accepted until ${by.until}: ${finding.rule}${finding.field === "" ? "" : `: ${finding.field}`}: ${finding.message} (${by.reason})`,
    );
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
